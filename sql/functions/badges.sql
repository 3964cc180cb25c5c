-- Badges of people: secret addresses of pictures that show on any website how long somebody studied. As with calendar
-- feeds, what ends the sign-ins of a user ends the address, too: it holds under the epoch in which it was made.

-- Gives somebody who is signed in on that device a new address; the one before ends.
CREATE OR REPLACE FUNCTION make_badge(user_id uuid, by_sign_in uuid, mac bytea, of_period text, from_client text)
  RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM lock_signed_in(user_id, by_sign_in);
  INSERT INTO badges (uid, token_mac, auth_epoch, period)
    SELECT u.uid, mac, u.auth_epoch, of_period FROM users u WHERE u.uid = user_id
    ON CONFLICT ON CONSTRAINT badges_key DO UPDATE SET
      token_mac = excluded.token_mac, auth_epoch = excluded.auth_epoch, period = excluded.period,
      made_at = excluded.made_at;
  INSERT INTO audit_events (kind, uid, actor, client) VALUES ('badge_made', user_id, user_id, from_client);
END $$;

-- Changes the period that a badge shows; its address stays. Returns false if there is no badge.
CREATE OR REPLACE FUNCTION change_badge(user_id uuid, of_period text) RETURNS boolean
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE badges b SET period = of_period
    WHERE b.uid = user_id AND b.auth_epoch = (SELECT u.auth_epoch FROM users u WHERE u.uid = user_id);
  RETURN FOUND;
END $$;

-- Ends the address; false if there is none.
CREATE OR REPLACE FUNCTION end_badge(user_id uuid, from_client text) RETURNS boolean
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM badges b WHERE b.uid = user_id;
  IF NOT FOUND THEN RETURN false; END IF;
  INSERT INTO audit_events (kind, uid, actor, client) VALUES ('badge_ended', user_id, user_id, from_client);
  RETURN true;
END $$;

-- The badge that somebody has now; no row if there is none.
CREATE OR REPLACE FUNCTION badge_of(user_id uuid) RETURNS TABLE (made_at timestamptz, period text)
  LANGUAGE plpgsql STABLE ROWS 1 SET search_path = public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    SELECT b.made_at, b.period FROM badges b JOIN users u ON u.uid = b.uid AND u.auth_epoch = b.auth_epoch
    WHERE b.uid = user_id;
END $$;

-- What the badge with that digest shows: a name, and how long this person studied in its period, the running timer
-- included, by the days of their calendar. No row if no badge has that digest.
CREATE OR REPLACE FUNCTION shown_badge(mac bytea) RETURNS TABLE (
  nickname text, period text, first_day date, study_seconds integer
) LANGUAGE plpgsql STABLE ROWS 1 SET search_path = public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    SELECT u.nickname, b.period, p.first_day,
           (SELECT sum(c.study_seconds)::integer FROM study_calendar(u.uid, p.first_day, p.until_day) c)
    FROM badges b
    JOIN users u ON u.uid = b.uid AND u.auth_epoch = b.auth_epoch
    CROSS JOIN LATERAL period_days(b.period, today_of(u.uid)) p
    WHERE b.token_mac = mac AND in_use(u);
END $$;
