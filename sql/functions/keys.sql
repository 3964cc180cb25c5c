-- Keys: sign-ins that other programs use. What ends the sign-ins of a user ends their keys.

-- Makes a key for somebody who is signed in on that device, and returns when the key ends. A key lasts as many days as
-- its owner says, used or not.
CREATE OR REPLACE FUNCTION add_api_key(
  user_id uuid, by_sign_in uuid, key_id uuid, mac bytea, key_name text, key_scopes text[], days bigint, from_client text
) RETURNS timestamptz LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  clock timestamptz := anthill_clock();
  ends timestamptz;
BEGIN
  PERFORM lock_signed_in(user_id, by_sign_in);
  IF days NOT BETWEEN 1 AND most_api_key_days() THEN
    PERFORM refuse('api_key_days', format('1 to %s days', most_api_key_days()));
  ELSIF (SELECT count(*) FROM sign_ins s
         WHERE s.uid = user_id AND s.scopes IS NOT NULL AND s.expires_at > clock) >= most_api_keys() THEN
    PERFORM refuse('too_many_api_keys', format('at most %s keys', most_api_keys()));
  END IF;
  ends := clock + make_interval(days => days::integer);
  INSERT INTO sign_ins (uid, id, token_mac, auth_epoch, name, scopes, created_at, last_seen_at, expires_at)
    SELECT u.uid, key_id, mac, u.auth_epoch, key_name, key_scopes, clock, clock, ends
    FROM users u WHERE u.uid = user_id;
  INSERT INTO audit_events (kind, uid, actor, client, details)
    VALUES ('api_key_made', user_id, user_id, from_client,
            jsonb_build_object('key', key_name, 'scopes', to_jsonb(key_scopes)));
  RETURN ends;
END $$;

-- Ends a key; false if the user has no such key.
CREATE OR REPLACE FUNCTION end_api_key(user_id uuid, key_id uuid, from_client text) RETURNS boolean
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  ended sign_ins;
BEGIN
  PERFORM FROM users u WHERE u.uid = user_id FOR NO KEY UPDATE;
  DELETE FROM sign_ins s WHERE s.uid = user_id AND s.id = key_id AND s.scopes IS NOT NULL RETURNING s.* INTO ended;
  IF ended.id IS NULL THEN RETURN false; END IF;
  INSERT INTO audit_events (kind, uid, actor, client, details)
    VALUES ('api_key_ended', user_id, user_id, from_client, jsonb_build_object('key', ended.name));
  RETURN true;
END $$;
