-- Calendar feeds: secret addresses under which people's calendars read their sessions. What ends the sign-ins of a user
-- ends the address, too: it holds under the epoch in which it was made.

-- Gives somebody who is signed in on that device a new address; the one before ends.
CREATE OR REPLACE FUNCTION make_calendar_feed(user_id uuid, by_sign_in uuid, mac bytea, from_client text) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM lock_signed_in(user_id, by_sign_in);
  INSERT INTO calendar_feeds (uid, token_mac, auth_epoch)
    SELECT u.uid, mac, u.auth_epoch FROM users u WHERE u.uid = user_id
    ON CONFLICT ON CONSTRAINT calendar_feeds_key DO UPDATE SET
      token_mac = excluded.token_mac, auth_epoch = excluded.auth_epoch, made_at = excluded.made_at;
  INSERT INTO audit_events (kind, uid, actor, client) VALUES ('calendar_feed_made', user_id, user_id, from_client);
END $$;

-- Ends the address; false if there is none.
CREATE OR REPLACE FUNCTION end_calendar_feed(user_id uuid, from_client text) RETURNS boolean
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM calendar_feeds f WHERE f.uid = user_id;
  IF NOT FOUND THEN RETURN false; END IF;
  INSERT INTO audit_events (kind, uid, actor, client) VALUES ('calendar_feed_ended', user_id, user_id, from_client);
  RETURN true;
END $$;

-- When somebody made the address that works now; NULL if there is none.
CREATE OR REPLACE FUNCTION calendar_feed_made_at(user_id uuid) RETURNS timestamptz
  LANGUAGE sql STABLE SET search_path = public, pg_temp AS $$
  SELECT f.made_at FROM calendar_feeds f JOIN users u ON u.uid = f.uid AND u.auth_epoch = f.auth_epoch
  WHERE f.uid = user_id;
$$;

-- The user and language of the feed with that digest; no row if there is none.
CREATE OR REPLACE FUNCTION calendar_feed_owner(mac bytea) RETURNS TABLE (uid uuid, locale text)
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    SELECT u.uid, u.locale FROM calendar_feeds f JOIN users u ON u.uid = f.uid AND u.auth_epoch = f.auth_epoch
    WHERE f.token_mac = mac AND in_use(u);
END $$;

-- The finished sessions that ended in the last days as a calendar shows them, the earliest first: from the first start
-- to the last end, with what was studied between them, and when it was last changed.
CREATE OR REPLACE FUNCTION calendar_sessions(user_id uuid) RETURNS TABLE (
  session_id uuid, started_at timestamptz, ended_at timestamptz, seconds bigint, changed_at timestamptz,
  subject text, task text, note text
) LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  since timestamptz := anthill_clock() - make_interval(days => calendar_feed_days());
BEGIN
  RETURN QUERY
    SELECT s.session_id, i.started_at, i.ended_at, i.seconds, i.changed_at, x.name, t.title, s.note
    FROM (
      SELECT n.session_id, min(n.started_at) AS started_at, max(n.ended_at) AS ended_at,
             sum(extract(epoch FROM n.ended_at - n.started_at))::bigint AS seconds, max(n.recorded_at) AS changed_at
      FROM study_intervals n
      WHERE n.uid = user_id AND n.retracted_at IS NULL AND n.session_id IN (
        SELECT l.session_id FROM study_intervals l
        WHERE l.uid = user_id AND l.retracted_at IS NULL AND l.ended_at > since
          AND tstzrange(l.started_at, coalesce(l.ended_at, 'infinity')) && tstzrange(since, NULL))
      GROUP BY n.session_id
    ) i
    JOIN study_sessions s ON s.uid = user_id AND s.session_id = i.session_id AND s.state = 'finished'
    LEFT JOIN subjects x ON x.uid = s.uid AND x.id = s.subject_id
    LEFT JOIN tasks t ON t.uid = s.uid AND t.id = s.task_id
    ORDER BY i.started_at, s.session_id;
END $$;
