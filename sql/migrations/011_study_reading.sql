-- Reading study: today, and sessions by study day. Readers change nothing; a timer that has passed its 12 h is read as
-- what it will be once somebody ends it.

-- Today by the user's clock, with what the running timer adds, beside yesterday and everything so far.
CREATE FUNCTION study_today(whose uuid) RETURNS TABLE (
  day date, starts_at timestamptz, ends_at timestamptz, study_seconds integer, live_seconds integer,
  goal_seconds integer, yesterday_seconds integer, total_seconds bigint, server_time timestamptz
) LANGUAGE plpgsql STABLE ROWS 1 SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  owner users;
  running study_intervals;
  live_total integer := 0;
  live_yesterday integer := 0;
BEGIN
  server_time := anthill_clock();
  SELECT * INTO owner FROM users u WHERE u.uid = whose;
  IF NOT FOUND THEN RETURN; END IF;
  day := study_day(server_time, owner.time_zone, owner.day_starts_at);
  starts_at := study_day_start(day, owner.time_zone, owner.day_starts_at);
  ends_at := study_day_start(day + 1, owner.time_zone, owner.day_starts_at);
  live_seconds := 0;

  SELECT * INTO running FROM study_intervals i
    WHERE i.uid = whose AND i.ended_at IS NULL AND i.started_at > server_time - interval '12 hours';
  IF FOUND THEN
    SELECT coalesce(sum(p.seconds) FILTER (WHERE p.day = study_today.day), 0),
           coalesce(sum(p.seconds) FILTER (WHERE p.day = study_today.day - 1), 0), coalesce(sum(p.seconds), 0)
      INTO live_seconds, live_yesterday, live_total
      FROM study_parts(running.started_at, server_time, running.time_zone, running.day_starts_at) p;
  END IF;

  SELECT coalesce(max(d.study_seconds) FILTER (WHERE d.day = study_today.day), 0) + live_seconds,
         coalesce(max(d.goal_seconds) FILTER (WHERE d.day = study_today.day), owner.daily_goal_seconds),
         coalesce(max(d.study_seconds) FILTER (WHERE d.day = study_today.day - 1), 0) + live_yesterday,
         coalesce(sum(d.study_seconds), 0) + live_total
    INTO study_seconds, goal_seconds, yesterday_seconds, total_seconds
    FROM study_days d WHERE d.uid = whose;
  RETURN NEXT;
END $$;

-- What a session is to its owner. Seconds are those of its intervals, up to now while one runs; a session that waits
-- for its end to be confirmed has counted none.
CREATE TYPE session_summary AS (
  session_id uuid, state text, source text, subject_id uuid, task_id uuid, goal_seconds integer, plan jsonb, note text,
  started_at timestamptz, ended_at timestamptz, seconds integer, created_at timestamptz, intervals jsonb
);

CREATE FUNCTION session_details(whose uuid, which uuid) RETURNS SETOF session_summary
  LANGUAGE plpgsql STABLE ROWS 1 SET search_path FROM CURRENT AS $$
DECLARE
  clock timestamptz := anthill_clock();
BEGIN
  RETURN QUERY
    SELECT s.session_id, CASE WHEN bool_or(x.overdue) THEN 'unconfirmed' ELSE s.state END, s.source,
           s.subject_id, s.task_id, s.goal_seconds, s.plan, s.note,
           coalesce(min(x.started_at), s.created_at),
           CASE WHEN bool_or(x.ended_at IS NULL) THEN NULL ELSE coalesce(max(x.ended_at), s.created_at) END,
           coalesce(sum(x.seconds) FILTER (WHERE NOT x.unconfirmed), 0)::integer, s.created_at,
           coalesce(jsonb_agg(jsonb_build_object(
             'interval_id', x.interval_id, 'started_at', utc_text(x.started_at), 'ended_at', utc_text(x.ended_at),
             'seconds', x.seconds, 'source', x.source, 'unconfirmed', x.unconfirmed, 'recorded_at', utc_text(x.recorded_at)
           ) ORDER BY x.started_at) FILTER (WHERE x.interval_id IS NOT NULL), '[]')
    FROM study_sessions s
    LEFT JOIN LATERAL (
      SELECT i.interval_id, i.started_at, i.source, i.recorded_at, o.overdue, i.unconfirmed OR o.overdue AS unconfirmed,
             CASE WHEN o.overdue THEN i.started_at + interval '12 hours' ELSE i.ended_at END AS ended_at,
             extract(epoch FROM least(coalesce(i.ended_at, greatest(clock, i.started_at)),
                                      i.started_at + interval '12 hours') - i.started_at)::integer AS seconds
      FROM study_intervals i
      CROSS JOIN LATERAL (SELECT i.ended_at IS NULL AND i.started_at <= clock - interval '12 hours' AS overdue) o
      WHERE i.uid = s.uid AND i.session_id = s.session_id AND i.retracted_at IS NULL
    ) x ON true
    WHERE s.uid = whose AND s.session_id = which AND s.state <> 'discarded'
    GROUP BY s.uid, s.session_id;
END $$;

-- An instant as the API writes it.
CREATE FUNCTION utc_text(at timestamptz) RETURNS text LANGUAGE sql STABLE STRICT PARALLEL SAFE
  RETURN to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"');

-- The sessions with an interval on one of these study days, newest first. An interval is on its days by the clock that
-- it was recorded under, so days are looked for a little wider than by any one clock.
CREATE FUNCTION sessions_between(whose uuid, from_day date, to_day date) RETURNS SETOF session_summary
  LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
DECLARE
  clock timestamptz := anthill_clock();
BEGIN
  RETURN QUERY
    SELECT d.*
    FROM (
      SELECT DISTINCT i.session_id FROM study_intervals i
      WHERE i.uid = whose AND i.retracted_at IS NULL
        AND tstzrange(i.started_at, coalesce(i.ended_at, 'infinity'))
            && tstzrange((from_day - 1)::timestamp AT TIME ZONE 'UTC', (to_day + 3)::timestamp AT TIME ZONE 'UTC')
        AND study_day(i.started_at, i.time_zone, i.day_starts_at) <= to_day
        AND study_day(greatest(i.started_at, coalesce(i.ended_at, clock) - interval '1 second'),
                      i.time_zone, i.day_starts_at) >= from_day
    ) found
    CROSS JOIN LATERAL session_details(whose, found.session_id) d
    ORDER BY d.started_at DESC, d.session_id;
END $$;
