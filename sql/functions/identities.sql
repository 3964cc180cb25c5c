-- Identities: the accounts at OpenID Connect providers through which a user signs in.

-- Removes an identity of a user, unless it is the last way in: there is no password, and no other identity of a
-- provider that the program knows (`issuers`). Returns false if the user has no such identity.
CREATE OR REPLACE FUNCTION unlink_identity(user_id uuid, identity uuid, issuers text[])
  RETURNS boolean LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  hash text;
BEGIN
  -- Two at once would each see the other's identity.
  SELECT u.password_hash INTO hash FROM users u WHERE u.uid = user_id FOR NO KEY UPDATE;
  DELETE FROM user_identities i WHERE i.uid = user_id AND i.id = identity;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  IF hash IS NULL AND NOT EXISTS (
    SELECT FROM user_identities i WHERE i.uid = user_id AND i.issuer = ANY (issuers)
  ) THEN
    PERFORM refuse('last_way_in', 'a user without a password keeps one identity');
  END IF;
  UPDATE users SET auth_epoch = auth_epoch + 1 WHERE uid = user_id;
  RETURN true;
END $$;
