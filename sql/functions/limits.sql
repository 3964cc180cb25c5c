-- Limits: counters that all instances share.

-- Counts one hit of `subject` and returns how many seconds it has to wait: 0 while there are at most `most` hits in the
-- window of `seconds`, which the first hit opens.
CREATE OR REPLACE FUNCTION count_hit(kind text, subject text, most bigint, seconds bigint)
  RETURNS integer LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  t timestamptz := anthill_clock();
  counted rate_limits;
BEGIN
  INSERT INTO rate_limits AS r (kind, subject, hits, started_at, last_at, expires_at)
    VALUES (count_hit.kind, count_hit.subject, 1, t, t, t + make_interval(secs => seconds))
    ON CONFLICT (kind, subject) DO UPDATE SET
      hits = CASE WHEN r.expires_at <= t THEN 1 ELSE r.hits + 1 END,
      started_at = CASE WHEN r.expires_at <= t THEN t ELSE r.started_at END,
      expires_at = CASE WHEN r.expires_at <= t THEN excluded.expires_at ELSE r.expires_at END,
      last_at = t
    RETURNING * INTO counted;
  RETURN CASE WHEN counted.hits <= most THEN 0
    ELSE greatest(1, extract(epoch FROM counted.expires_at - t)::integer) END;
END $$;

-- Takes back one hit: a right password or link costs nothing, since a whole classroom may share an address.
CREATE OR REPLACE FUNCTION uncount_hit(kind text, subject text)
  RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE rate_limits r SET hits = r.hits - 1
    WHERE r.kind = uncount_hit.kind AND r.subject = uncount_hit.subject AND r.hits > 0;
END $$;

-- Counts one more wrong password of `account` from `client`, before the password is checked. It does so unless the
-- account has to wait: after `free` wrong passwords from one client for 2, 4, 8 … seconds up to `longest`, and after
-- `most` from any client until forget_wrong_passwords is called. `retry_after` is 0 if the password may be checked,
-- NULL if only a reset helps. A right password then clears the counts.
CREATE OR REPLACE FUNCTION count_wrong_password(account text, client text, free bigint, longest bigint, most bigint,
    OUT retry_after integer)
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  t timestamptz := anthill_clock();
  here_until timestamptz := t + wrong_passwords_kept_here();
  anywhere_until timestamptz := t + wrong_passwords_kept();
  anywhere rate_limits;
  here rate_limits;
BEGIN
  -- Both rows are locked before anything is decided, the account's first, so that parallel guesses are counted one by
  -- one.
  INSERT INTO rate_limits AS r (kind, subject, hits, started_at, last_at, expires_at)
    VALUES ('wrong_password', account, 0, t, t, anywhere_until)
    ON CONFLICT (kind, subject) DO UPDATE SET hits = CASE WHEN r.expires_at <= t THEN 0 ELSE r.hits END
    RETURNING * INTO anywhere;
  INSERT INTO rate_limits AS r (kind, subject, hits, started_at, last_at, expires_at)
    VALUES ('wrong_password_here', account || ':' || client, 0, t, t, here_until)
    ON CONFLICT (kind, subject) DO UPDATE SET hits = CASE WHEN r.expires_at <= t THEN 0 ELSE r.hits END
    RETURNING * INTO here;

  IF anywhere.hits >= most THEN
    retry_after := NULL;
    RETURN;
  END IF;
  IF here.hits > free THEN
    retry_after := extract(epoch FROM here.last_at - t)::integer
      + least(longest, 2 ^ least(here.hits - free, 20))::integer;
    IF retry_after > 0 THEN
      RETURN;
    END IF;
  END IF;

  UPDATE rate_limits SET hits = hits + 1, last_at = t,
      expires_at = CASE WHEN hits + 1 >= most THEN 'infinity' ELSE anywhere_until END
    WHERE kind = 'wrong_password' AND subject = account;
  UPDATE rate_limits SET hits = hits + 1, last_at = t, expires_at = here_until
    WHERE kind = 'wrong_password_here' AND subject = account || ':' || client;
  retry_after := 0;
END $$;

-- Takes back one count of a password that was not checked after all, because too many waited. The pause after wrong
-- passwords starts again.
CREATE OR REPLACE FUNCTION uncount_wrong_password(account text, client text)
  RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  -- The account's row first, as where it is counted.
  UPDATE rate_limits r SET hits = r.hits - 1, expires_at = least(r.expires_at, r.last_at + wrong_passwords_kept())
    WHERE r.kind = 'wrong_password' AND r.subject = account AND r.hits > 0;
  UPDATE rate_limits r SET hits = r.hits - 1
    WHERE r.kind = 'wrong_password_here' AND r.subject = account || ':' || client AND r.hits > 0;
END $$;

-- Clears the counts of an account: after a right password for one client, after a reset (without a client) for all.
CREATE OR REPLACE FUNCTION forget_wrong_passwords(account text, client text)
  RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM rate_limits WHERE kind = 'wrong_password' AND subject = account;
  IF client IS NULL THEN
    DELETE FROM rate_limits
      WHERE kind = 'wrong_password_here' AND subject >= account || ':' AND subject < account || ';';
  ELSE
    DELETE FROM rate_limits WHERE kind = 'wrong_password_here' AND subject = account || ':' || client;
  END IF;
END $$;
