-- Addresses: changing one's own, and taking back the old one.
--
-- The link that takes an address back goes only to that address. It outlives every other token, every change of
-- password and further changes of address, so that neither somebody who took over a sign-in nor the owner of the new
-- address can prevent it. Of two addresses that could be taken back, the one that was given up first wins: taking it
-- back ends the claim of the later one, never the reverse.

-- Puts another address in the place of a user's, and holds the old one for them.
CREATE OR REPLACE FUNCTION replace_email(user_id uuid, to_canonical text, written text) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  clock timestamptz := anthill_clock();
BEGIN
  INSERT INTO former_emails AS f (uid, canonical, email, left_at, held_until)
    SELECT e.uid, e.canonical, e.email, clock, clock + email_hold() FROM user_emails e WHERE e.uid = user_id
    ON CONFLICT ON CONSTRAINT former_emails_key DO UPDATE SET email = excluded.email, held_until = excluded.held_until,
      left_at = CASE WHEN f.held_until > clock THEN f.left_at ELSE excluded.left_at END;
  UPDATE user_emails e SET canonical = to_canonical, email = written WHERE e.uid = user_id;
  IF NOT FOUND THEN
    INSERT INTO user_emails (canonical, email, uid) VALUES (to_canonical, written, user_id);
  END IF;
END $$;

-- Makes the address that the user asked for theirs, and holds the old one for them. Returns the sign-in that asked. The
-- caller ends the other sign-ins and tokens.
CREATE OR REPLACE FUNCTION change_email(user_id uuid, epoch integer, wanted text) RETURNS uuid
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  change email_changes;
BEGIN
  UPDATE users u SET auth_epoch = u.auth_epoch + 1
    WHERE u.uid = user_id AND u.auth_epoch = epoch AND may_sign_in(u);
  IF FOUND THEN
    DELETE FROM email_changes c WHERE c.uid = user_id AND c.auth_epoch = epoch AND c.canonical = wanted
      RETURNING * INTO change;
  END IF;
  IF change.uid IS NULL THEN
    PERFORM refuse('email_change_over', 'no such change is asked for');
  END IF;
  PERFORM replace_email(user_id, change.canonical, change.email);
  RETURN change.sign_in;
END $$;

-- Withdraws the change that the user asked for, with the links that confirm it; false if they asked for none.
CREATE OR REPLACE FUNCTION withdraw_email_change(user_id uuid) RETURNS boolean
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM FROM users u WHERE u.uid = user_id FOR NO KEY UPDATE;
  DELETE FROM email_changes c WHERE c.uid = user_id;
  IF NOT FOUND THEN RETURN false; END IF;
  DELETE FROM auth_tokens t WHERE t.uid = user_id AND t.purpose = 'email_change' AND t.used_at IS NULL;
  RETURN true;
END $$;

-- Gives the user an address back that they have or had, and drops what is asked for and what was done since, a wish to
-- leave included. The account keeps neither its password nor a provider's identity, since somebody else may have set
-- them. A mail to this address helps to a new password. Returns the address as it was written. The caller ends all
-- sign-ins and tokens.
CREATE OR REPLACE FUNCTION take_back_email(user_id uuid, back text, from_client text) RETURNS text
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  clock timestamptz := anthill_clock();
  former former_emails;
  written text;
BEGIN
  UPDATE users u SET password_hash = NULL, auth_epoch = u.auth_epoch + 1
    WHERE u.uid = user_id AND may_stay(u);
  IF NOT FOUND THEN
    PERFORM refuse('email_change_over', 'the account is due to be deleted');
  END IF;
  PERFORM come_back(user_id, from_client);
  SELECT * INTO former FROM former_emails f WHERE f.uid = user_id AND f.canonical = back AND f.held_until > clock;
  UPDATE user_emails e SET canonical = back, email = coalesce(former.email, e.email)
    WHERE e.uid = user_id AND (e.canonical = back OR former.uid IS NOT NULL) RETURNING e.email INTO written;
  IF written IS NULL THEN
    PERFORM refuse('email_change_over', 'the address is no longer held');
  END IF;
  DELETE FROM former_emails f WHERE f.uid = user_id AND f.left_at >= former.left_at;
  DELETE FROM email_changes c WHERE c.uid = user_id;
  DELETE FROM user_identities i WHERE i.uid = user_id;
  RETURN written;
END $$;

-- When a former address is deleted, so are the mails and links to it from the time when it was the user's or held for
-- them. (An address that is theirs again goes with the account.)
CREATE OR REPLACE FUNCTION forget_former_email() RETURNS trigger
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM user_emails e WHERE e.uid = OLD.uid AND e.canonical = OLD.canonical) THEN
    DELETE FROM mail_outbox o
      WHERE lower(o.to_address) IN (OLD.canonical, lower(OLD.email)) AND o.created_at < OLD.held_until;
    DELETE FROM auth_tokens t WHERE t.target = OLD.canonical AND t.created_at < OLD.held_until;
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER former_emails_forgotten AFTER DELETE ON former_emails
  FOR EACH ROW EXECUTE FUNCTION forget_former_email();

-- Nobody gets an address that is held for somebody else. Checked after the write, which may have waited for the change
-- that gave the address up.
CREATE OR REPLACE FUNCTION check_held_email() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM former_emails f
             WHERE f.canonical = NEW.canonical AND f.uid <> NEW.uid AND f.held_until > anthill_clock()) THEN
    PERFORM refuse('user_emails_held', 'the address is held for its former owner');
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER user_emails_not_held AFTER INSERT OR UPDATE OF canonical ON user_emails
  FOR EACH ROW EXECUTE FUNCTION check_held_email();
