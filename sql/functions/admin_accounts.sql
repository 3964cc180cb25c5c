-- Changes of accounts by admins: whether somebody may sign in, where they are signed in, and their address.

-- What end_access ends: devices and keys that are signed in, secret addresses, links that were mailed, and the hold on
-- old addresses.
CREATE OR REPLACE FUNCTION admin_access(user_id uuid, old_addresses boolean DEFAULT false) RETURNS TABLE (
  ends text, name text, since timestamptz, last_used timestamptz
) LANGUAGE plpgsql STABLE ROWS 10 SET search_path = public, pg_temp AS $$
BEGIN
  RETURN QUERY
    SELECT CASE WHEN s.scopes IS NULL THEN 'sign-in' ELSE 'API key' END, coalesce(s.name, s.device), s.created_at,
           s.last_seen_at
    FROM sign_ins s WHERE s.uid = user_id AND s.expires_at > anthill_clock()
    UNION ALL SELECT 'calendar address', NULL, f.made_at, NULL FROM calendar_feeds f WHERE f.uid = user_id
    UNION ALL SELECT 'badge', NULL, b.made_at, NULL FROM badges b WHERE b.uid = user_id
    UNION ALL SELECT 'link in a mail', t.purpose, t.created_at, NULL FROM auth_tokens t
      WHERE t.uid = user_id AND t.used_at IS NULL AND t.purpose <> 'email_return' AND t.expires_at > anthill_clock()
    UNION ALL SELECT 'old address', f.email, f.left_at, NULL FROM former_emails f
      WHERE old_addresses AND f.uid = user_id AND f.held_until > anthill_clock()
    ORDER BY 1, 3, 2;
END $$;

-- Ends every sign-in of a user, and every link that was mailed to them. Those that give an old address back, and the
-- hold on it, end only if old_addresses says so: nobody but an admin can end these.
CREATE OR REPLACE FUNCTION end_access(user_id uuid, old_addresses boolean DEFAULT false) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM sign_ins s WHERE s.uid = user_id;
  DELETE FROM calendar_feeds f WHERE f.uid = user_id;
  DELETE FROM badges b WHERE b.uid = user_id;
  DELETE FROM auth_tokens t
    WHERE t.uid = user_id AND t.used_at IS NULL AND (old_addresses OR t.purpose <> 'email_return');
  DELETE FROM email_changes c WHERE c.uid = user_id;
  -- With these go the mails that would make another link.
  DELETE FROM former_emails f WHERE old_addresses AND f.uid = user_id;
END $$;

-- Suspends an account: nobody signs in to it until it is restored. A timer is stopped, and what was studied counts.
CREATE OR REPLACE FUNCTION admin_suspend_user(
  user_id uuid, reason text, by text, old_addresses boolean DEFAULT false
) RETURNS bigint LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  owner students := lock_student(user_id);
BEGIN
  UPDATE users u SET status = 'suspended' WHERE u.uid = owner.uid AND u.status <> 'suspended';
  IF NOT FOUND THEN
    PERFORM refuse('already_suspended', 'the account is suspended already');
  END IF;
  IF EXISTS (SELECT FROM study_sessions s WHERE s.uid = owner.uid AND s.state IN ('running', 'paused')) THEN
    PERFORM FROM stop_timer(owner.uid);
  END IF;
  PERFORM end_access(owner.uid, old_addresses);
  RETURN note_admin_change('suspend_user', owner.uid, reason, by, '{}');
END $$;

CREATE OR REPLACE FUNCTION restore_account(user_id uuid) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE users u SET status = 'active' WHERE u.uid = user_id AND u.status = 'suspended';
  IF NOT FOUND THEN
    PERFORM refuse('not_suspended', 'the account is not suspended');
  END IF;
END $$;

-- Restores the account, unless it was restored and suspended again since.
CREATE OR REPLACE FUNCTION undo_suspend_user(change admin_changes) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  later bigint := (SELECT max(c.number) FROM admin_changes c
                   WHERE c.uid = change.uid AND c.script = 'suspend_user' AND c.undone_at IS NULL);
BEGIN
  IF later > change.number THEN
    PERFORM refuse('change_overtaken', format('the account was suspended again since, by change %s', later));
  END IF;
  PERFORM restore_account(change.uid);
END $$;

-- Ends a suspension. Its owner signs in anew: earlier sign-ins are over for good.
CREATE OR REPLACE FUNCTION admin_restore_user(user_id uuid, reason text, by text) RETURNS bigint
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM restore_account(user_id);
  RETURN note_admin_change('restore_user', user_id, reason, by);
END $$;

-- Signs a user out everywhere.
CREATE OR REPLACE FUNCTION admin_revoke_sign_ins(
  user_id uuid, reason text, by text, old_addresses boolean DEFAULT false
) RETURNS bigint LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE users u SET auth_epoch = u.auth_epoch + 1 WHERE u.uid = user_id;
  IF NOT FOUND THEN
    PERFORM refuse('user_not_found', 'no such user', 'no_data_found');
  END IF;
  PERFORM end_access(user_id, old_addresses);
  RETURN note_admin_change('revoke_sign_ins', user_id, reason, by);
END $$;

-- Gives a user another address, as a change that they confirmed would: all sign-ins and links end, and the old address,
-- which it returns, is held for them.
CREATE OR REPLACE FUNCTION set_email(user_id uuid, wanted text) RETURNS user_emails
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  held users;
  old user_emails;
BEGIN
  IF NOT is_written_as('email', wanted) THEN
    PERFORM refuse('invalid_email', format('%s is no address in plain letters', wanted));
  END IF;
  SELECT * INTO held FROM users u WHERE u.uid = user_id FOR NO KEY UPDATE;
  SELECT * INTO old FROM user_emails e WHERE e.uid = user_id;
  IF held.uid IS NULL THEN
    PERFORM refuse('user_not_found', 'no such user', 'no_data_found');
  ELSIF old.canonical = lower(wanted) THEN
    PERFORM refuse('email_unchanged', 'this is their address already');
  END IF;
  UPDATE users u SET auth_epoch = u.auth_epoch + 1 WHERE u.uid = user_id;
  PERFORM end_access(user_id);
  BEGIN
    PERFORM replace_email(user_id, lower(wanted), wanted);
  EXCEPTION WHEN unique_violation THEN
    PERFORM refuse('email_taken', 'another account has this address');
  END;
  RETURN old;
END $$;

-- Whether a user has changed their address themselves after an instant, or has taken one back.
CREATE OR REPLACE FUNCTION changed_email_since(user_id uuid, since timestamptz) RETURNS boolean
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  RETURN EXISTS (SELECT FROM audit_events e
                 WHERE e.uid = user_id AND e.kind IN ('email_changed', 'email_taken_back') AND e.at > since);
END $$;

-- The admin's change that gave a user the address they have; NULL if there is none within email_hold(), if they had the
-- address before, or if they have changed it themselves since. An address that such a change gave may be mistyped, and
-- belong to a stranger.
CREATE OR REPLACE FUNCTION change_that_gave_email(user_id uuid, address text) RETURNS admin_changes
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
DECLARE
  given admin_changes;
BEGIN
  SELECT * INTO given FROM admin_changes c
    WHERE c.uid = user_id AND c.script = 'change_email' AND c.undone_at IS NULL
      AND c.at > anthill_clock() - email_hold()
    ORDER BY c.number DESC LIMIT 1;
  IF changed_email_since(user_id, given.at)
    OR EXISTS (SELECT FROM former_emails f
               WHERE f.uid = user_id AND f.canonical = address AND f.left_at < given.at) THEN
    RETURN NULL;
  END IF;
  RETURN given;
END $$;

-- Takes back what an address may have given a stranger since an admin's change: the address is no longer held for the
-- user, and a password that was chosen since and accounts of providers that were linked since are gone.
CREATE OR REPLACE FUNCTION forget_given_email(change admin_changes, address text) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM former_emails f WHERE f.uid = change.uid AND f.canonical = address AND f.left_at >= change.at;
  UPDATE users u SET password_hash = NULL WHERE u.uid = change.uid AND EXISTS (
    SELECT FROM audit_events e
    WHERE e.uid = change.uid AND e.at >= change.at AND e.kind IN ('password_changed', 'password_reset'));
  DELETE FROM user_identities i WHERE i.uid = change.uid AND i.created_at >= change.at;
END $$;

-- Gives a user another address, and tells the old one by mail, unless change_that_gave_email() finds its change.
CREATE OR REPLACE FUNCTION admin_change_email(user_id uuid, email text, reason text, by text) RETURNS bigint
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  old user_emails := set_email(user_id, email);
  given admin_changes := change_that_gave_email(user_id, old.canonical);
BEGIN
  IF given.number IS NOT NULL THEN
    PERFORM forget_given_email(given, old.canonical);
  ELSIF old.uid IS NOT NULL THEN
    PERFORM tell_by_mail('email_change_notice', old.canonical, '{"by": "operator"}');
  END IF;
  RETURN note_admin_change('change_email', user_id, reason, by,
                           CASE WHEN is_written_as('email', old.email)
                             THEN jsonb_build_object('email', old.email, 'new_email', email) END);
END $$;

-- Gives the earlier address back. The other one is told nothing, and keeps nothing.
CREATE OR REPLACE FUNCTION undo_change_email(change admin_changes) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF (SELECT e.email FROM user_emails e WHERE e.uid = change.uid) <> change.undo ->> 'new_email'
    OR changed_email_since(change.uid, change.at) THEN
    PERFORM refuse('change_overtaken', 'the address was changed again since: change_email.sql sets the right one');
  END IF;
  PERFORM set_email(change.uid, change.undo ->> 'email');
  PERFORM forget_given_email(change, lower(change.undo ->> 'new_email'));
END $$;

-- Gives a user another nickname; NULL is none.
CREATE OR REPLACE FUNCTION set_nickname(user_id uuid, wanted text) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  BEGIN
    IF wanted IS NULL THEN RAISE check_violation; END IF;
    UPDATE users u SET nickname = wanted WHERE u.uid = user_id AND u.nickname <> wanted;
  EXCEPTION WHEN check_violation THEN
    PERFORM refuse('invalid_name', 'the nickname is too long, or has characters that nobody sees');
  END;
  IF NOT FOUND THEN
    PERFORM refuse('name_unchanged', 'this is their nickname already');
  END IF;
END $$;

CREATE OR REPLACE FUNCTION admin_rename_user(user_id uuid, name text, reason text, by text) RETURNS bigint
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  old text := (SELECT u.nickname FROM users u WHERE u.uid = user_id FOR NO KEY UPDATE);
  wanted text := plain_line(name);
BEGIN
  PERFORM set_nickname(user_id, wanted);
  RETURN note_admin_change('rename_user', user_id, reason, by, jsonb_build_object('name', old, 'new_name', wanted));
END $$;

CREATE OR REPLACE FUNCTION undo_rename_user(change admin_changes) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF (SELECT u.nickname FROM users u WHERE u.uid = change.uid FOR NO KEY UPDATE) <> change.undo ->> 'new_name' THEN
    PERFORM refuse('change_overtaken', 'the nickname was changed again since: rename_user.sql sets the right one');
  END IF;
  PERFORM set_nickname(change.uid, change.undo ->> 'name');
END $$;

-- Removes a user's picture. It is kept nowhere.
CREATE OR REPLACE FUNCTION admin_remove_picture(user_id uuid, reason text, by text) RETURNS bigint
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM avatars a WHERE a.uid = user_id;
  IF NOT FOUND THEN
    PERFORM refuse('picture_not_found', 'they have no picture', 'no_data_found');
  END IF;
  RETURN note_admin_change('remove_picture', user_id, reason, by);
END $$;

-- The groups that have this user as their only member.
CREATE OR REPLACE FUNCTION groups_of_one(user_id uuid) RETURNS SETOF groups
  LANGUAGE plpgsql STABLE ROWS 1 SET search_path = public, pg_temp AS $$
BEGIN
  RETURN QUERY
    SELECT g.* FROM group_members m JOIN groups g USING (group_id)
    WHERE m.uid = user_id
      AND NOT EXISTS (SELECT FROM group_members o WHERE o.group_id = m.group_id AND o.uid <> user_id)
    ORDER BY m.joined_at, g.group_id;
END $$;

-- Erases a user at once, as their own wish to leave does after its days, and deletes the groups that nobody else is in.
CREATE OR REPLACE FUNCTION admin_erase_user(user_id uuid, reason text, by text) RETURNS bigint
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  ownerless jsonb;
BEGIN
  PERFORM lock_with_groups(user_id);
  PERFORM dissolve_group(NULL, g) FROM groups_of_one(user_id) g;
  ownerless := groups_left_ownerless(user_id);
  IF ownerless IS NOT NULL THEN
    PERFORM refuse('leaves_groups_ownerless', format(
      'they are the only owner of: %s: hand it on by transfer_group.sql, or delete it by delete_group.sql', (
      SELECT string_agg(format('%s (%s)', g ->> 'name', g ->> 'id'), ', ') FROM jsonb_array_elements(ownerless) g)));
  END IF;
  PERFORM erase_user(user_id, reason);
  RETURN note_admin_change('erase_user', NULL, reason, by);
END $$;
