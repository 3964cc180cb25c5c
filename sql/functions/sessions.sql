-- Sessions and their owner: change, delete, confirm, and the history of each.
--
-- An owner may change or delete a session within the logging window after its end. Time that the session already had
-- may stay recorded; any other time is new and must keep the rules of new time.

-- The session, for its owner to change or delete: at rest, and within the logging window. An import may be older,
-- because it counts on no board. So may a timer whose end was never confirmed, because it has not counted yet.
CREATE OR REPLACE FUNCTION owned_session(owner students, for_session uuid) RETURNS study_sessions
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
DECLARE
  clock timestamptz := clock_of(owner);
  session study_sessions := session_at_rest(owner.uid, for_session);
  live study_intervals[];
  finished timestamptz;
  is_final boolean;
BEGIN
  IF session.source = 'import' OR session.state = 'unconfirmed' THEN RETURN session; END IF;
  SELECT array_agg(i) INTO live FROM study_intervals i
    WHERE i.uid = owner.uid AND i.session_id = for_session AND i.retracted_at IS NULL;
  finished := (SELECT max(i.ended_at) FROM unnest(live) i);
  IF finished < clock - logging_window() THEN
    is_final := (SELECT bool_or(in_closed_month(i.uid, i.started_at, i.ended_at, clock)) FROM unnest(live) i);
    PERFORM refuse(
      CASE WHEN is_final THEN 'month_closed' ELSE 'session_too_old' END,
      format('the session ended at %s, too long ago', finished));
  END IF;
  RETURN session;
END $$;

-- Deletes a session for its owner. (retract_session does so for admins and for the timer, however old the session is.)
CREATE OR REPLACE FUNCTION withdraw_session(user_id uuid, for_session uuid) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  owner students := lock_student(user_id);
  session study_sessions := owned_session(owner, for_session);
BEGIN
  PERFORM retract_session(owner.uid, session.session_id);
END $$;

-- Gives a session new times. Intervals that stay the same are kept; all others are retracted, and the rest is recorded.
-- Time that the timer measured stays timed; all other time is manual.
CREATE OR REPLACE FUNCTION change_session(user_id uuid, for_session uuid, started timestamptz[], ended timestamptz[])
  RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  owner students := lock_student(user_id);
  session study_sessions := owned_session(owner, for_session);
  clock timestamptz := clock_of(owner);
  i study_intervals;
  recorded tstzmultirange := tstzmultirange();
  timed tstzmultirange := tstzmultirange();
  wanted tstzmultirange := tstzmultirange();
  stretch tstzmultirange;
  piece tstzrange;
  by_hand text := CASE session.source WHEN 'timer' THEN 'manual' ELSE session.source END;
  pieces jsonb := jsonb_build_object();                   -- the source of each new piece
BEGIN
  IF session.state = 'unconfirmed' THEN
    PERFORM refuse('unconfirmed_timer', 'the timer of this session waits for its end to be confirmed');
  END IF;
  FOR i IN SELECT * FROM study_intervals t
    WHERE t.uid = user_id AND t.session_id = for_session AND t.retracted_at IS NULL LOOP
    recorded := recorded + tstzmultirange(tstzrange(i.started_at, i.ended_at));
    IF i.source = 'timer' THEN timed := timed + tstzmultirange(tstzrange(i.started_at, i.ended_at)); END IF;
  END LOOP;
  FOR n IN 1..greatest(cardinality(started), cardinality(ended), 1) LOOP
    i.started_at := date_trunc('second', started[n]);
    i.ended_at := check_stretch(owner, i.started_at, date_trunc('second', ended[n]), session.source, clock, recorded);
    stretch := tstzmultirange(tstzrange(i.started_at, i.ended_at));
    IF wanted && stretch THEN
      PERFORM refuse('study_intervals_no_overlap', 'the wanted stretches overlap each other', 'exclusion_violation');
    END IF;
    wanted := wanted + stretch;
    FOR piece IN SELECT unnest(stretch * timed) LOOP
      pieces := pieces || jsonb_build_object(piece::text, 'timer');
    END LOOP;
    FOR piece IN SELECT unnest(stretch - timed) LOOP
      pieces := pieces || jsonb_build_object(piece::text, by_hand);
    END LOOP;
  END LOOP;

  FOR i IN SELECT * FROM study_intervals t
           WHERE t.uid = user_id AND t.session_id = for_session AND t.retracted_at IS NULL ORDER BY t.started_at LOOP
    IF pieces->>tstzrange(i.started_at, i.ended_at)::text = i.source THEN
      pieces := pieces - tstzrange(i.started_at, i.ended_at)::text;
    ELSE
      PERFORM retract(i, owner, clock);
    END IF;
  END LOOP;
  i := NULL;
  i.uid := user_id;
  i.session_id := for_session;
  i.time_zone := owner.time_zone;
  i.day_starts_at := owner.day_starts_at;
  i.recorded_at := clock;
  i.unconfirmed := false;
  FOR piece, i.source IN SELECT key::tstzrange, value FROM jsonb_each_text(pieces) ORDER BY 1 LOOP
    i.interval_id := gen_random_uuid();
    i.started_at := lower(piece);
    i.ended_at := upper(piece);
    PERFORM add_interval(i, owner, clock);
  END LOOP;
END $$;

-- The intervals of a session with a new start or end; NULL keeps the old one. Its breaks stay, and time outside is cut
-- off. If nothing is left, it is one interval.
CREATE OR REPLACE FUNCTION moved_stretches(
  user_id uuid, for_session uuid, began timestamptz, finished timestamptz, OUT started timestamptz[],
  OUT ended timestamptz[]
) LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  SELECT coalesce(began, min(i.started_at)), coalesce(finished, max(i.ended_at)) INTO began, finished
    FROM study_intervals i WHERE i.uid = user_id AND i.session_id = for_session AND i.retracted_at IS NULL;
  SELECT array_agg(i.started_at ORDER BY i.started_at), array_agg(i.ended_at ORDER BY i.started_at) INTO started, ended
    FROM study_intervals i
    WHERE i.uid = user_id AND i.session_id = for_session AND i.retracted_at IS NULL
      AND i.started_at < finished AND i.ended_at > began;
  started[1] := began;
  ended[greatest(cardinality(ended), 1)] := finished;
END $$;

-- Moves the start or the end of a session; NULL keeps it.
CREATE OR REPLACE FUNCTION move_session(user_id uuid, for_session uuid, began timestamptz, finished timestamptz)
  RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  owner students := lock_student(user_id);
  session study_sessions := owned_session(owner, for_session);
  moved record;
BEGIN
  SELECT * INTO moved FROM moved_stretches(owner.uid, session.session_id, began, finished);
  PERFORM change_session(owner.uid, session.session_id, moved.started, moved.ended);
END $$;

-- Changes what a session is about: those of subject_id, task_id and note that are given. This is allowed while the
-- timer runs.
CREATE OR REPLACE FUNCTION describe_session(user_id uuid, for_session uuid, changes jsonb)
  RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  owner students := lock_student(user_id);
BEGIN
  IF NOT EXISTS (SELECT FROM study_sessions s WHERE s.uid = user_id AND s.session_id = for_session
                   AND s.state IN ('running', 'paused')) THEN
    PERFORM owned_session(owner, for_session);
  END IF;
  PERFORM add_to_task(owner.uid, for_session, -1);
  UPDATE study_sessions s
    SET subject_id = CASE WHEN changes ? 'subject_id' THEN (changes->>'subject_id')::uuid ELSE s.subject_id END,
        task_id = CASE WHEN changes ? 'task_id' THEN (changes->>'task_id')::uuid ELSE s.task_id END,
        note = CASE WHEN changes ? 'note' THEN changes->>'note' ELSE s.note END
    WHERE s.uid = owner.uid AND s.session_id = for_session;
  PERFORM add_to_task(owner.uid, for_session, 1);
END $$;

-- Records when a timer really stopped: a forgotten one, never later than where it was ended; or one that still runs,
-- because the device that stopped it was offline. It can only become shorter. It is recorded as of now: in a month that
-- has closed since, it counts on no board, only in the personal calendar. A paused timer ended when it was paused. With
-- `pauses` a timer that runs or is paused is paused afterwards instead of finished.
CREATE OR REPLACE FUNCTION confirm_session(user_id uuid, for_session uuid, stopped_at timestamptz,
                                           pauses boolean DEFAULT false)
  RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  owner students := lock_student(user_id);
  clock timestamptz := clock_of(owner);
  session study_sessions;
  becomes text := 'finished';
  i study_intervals;
BEGIN
  SELECT * INTO session FROM study_sessions s WHERE s.uid = user_id AND s.session_id = for_session;
  IF session.state IN ('running', 'paused') THEN
    IF stopped_at > clock + clock_slack() THEN
      PERFORM refuse('in_the_future', format('a timer cannot have stopped at %s', stopped_at));
    END IF;
    stopped_at := least(stopped_at, clock);
    IF pauses THEN becomes := 'paused'; END IF;
  ELSE
    session := session_at_rest(owner.uid, for_session);
  END IF;
  SELECT * INTO i FROM study_intervals t
    WHERE t.uid = user_id AND t.session_id = for_session AND t.retracted_at IS NULL
      AND (t.unconfirmed OR t.ended_at IS NULL);
  IF session.state = 'paused' THEN
    UPDATE study_sessions s SET state = becomes WHERE s.uid = session.uid AND s.session_id = session.session_id;
    PERFORM note_change(owner.uid);
    RETURN;
  ELSIF i.uid IS NULL THEN
    PERFORM refuse('not_unconfirmed', 'this session has no end to confirm');
  END IF;
  stopped_at := date_trunc('second', stopped_at);
  -- A timer may stop in the second of its start, as online; a forgotten one did not.
  IF (stopped_at > i.started_at OR stopped_at = i.started_at AND i.ended_at IS NULL) IS NOT TRUE THEN
    PERFORM refuse('empty_interval', 'it stopped before it began');
  ELSIF stopped_at > i.ended_at THEN
    PERFORM refuse('too_long', 'it had been ended before that');
  END IF;
  IF i.ended_at IS NULL THEN
    DELETE FROM study_intervals t WHERE t.uid = i.uid AND t.interval_id = i.interval_id AND t.started_at >= clock;
    UPDATE study_intervals t SET ended_at = clock, retracted_at = clock
      WHERE t.uid = i.uid AND t.interval_id = i.interval_id;
  ELSE
    PERFORM retract(i, owner, clock);
  END IF;
  IF stopped_at > i.started_at THEN
    i.interval_id := gen_random_uuid();
    i.ended_at := stopped_at;
    i.recorded_at := clock;
    i.unconfirmed := false;
    PERFORM add_interval(i, owner, clock);
  ELSE
    PERFORM note_change(owner.uid);
  END IF;
  UPDATE study_sessions s SET state = becomes WHERE s.uid = session.uid AND s.session_id = session.session_id;
  IF becomes = 'paused' AND session.plan IS NOT NULL THEN PERFORM remind_of_timer(owner.uid); END IF;
END $$;

CREATE OR REPLACE FUNCTION session_details(user_id uuid, for_session uuid) RETURNS SETOF session_summary
  LANGUAGE plpgsql STABLE ROWS 1 SET search_path = public, pg_temp AS $$
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
             'id', x.interval_id, 'started_at', utc_text(x.started_at), 'ended_at', utc_text(x.ended_at),
             'seconds', x.seconds, 'source', x.source, 'unconfirmed', x.unconfirmed, 'recorded_at',
             utc_text(x.recorded_at)
           ) ORDER BY x.started_at) FILTER (WHERE x.interval_id IS NOT NULL), '[]')
    FROM study_sessions s
    LEFT JOIN LATERAL (
      SELECT i.interval_id, i.started_at, i.source, i.recorded_at, o.overdue, i.unconfirmed OR o.overdue AS unconfirmed,
             CASE WHEN o.overdue THEN i.started_at + longest_interval() ELSE i.ended_at END AS ended_at,
             extract(epoch FROM least(coalesce(i.ended_at, greatest(clock, i.started_at)),
                                      i.started_at + longest_interval()) - i.started_at)::integer AS seconds
      FROM study_intervals i
      CROSS JOIN LATERAL (SELECT timer_is_overdue(i.started_at, i.ended_at, clock) AS overdue) o
      WHERE i.uid = s.uid AND i.session_id = s.session_id AND i.retracted_at IS NULL
    ) x ON true
    WHERE s.uid = user_id AND s.session_id = for_session AND s.state <> 'discarded'
    GROUP BY s.uid, s.session_id;
END $$;

-- A session as the API writes it. What is not set is left out; a plan without a name says so.
CREATE OR REPLACE FUNCTION session_json(s session_summary) RETURNS jsonb LANGUAGE sql STABLE PARALLEL SAFE
  RETURN jsonb_strip_nulls(jsonb_build_object(
    'id', s.session_id, 'state', s.state, 'source', s.source, 'subject_id', s.subject_id, 'task_id', s.task_id,
    'goal_seconds', s.goal_seconds, 'note', s.note, 'started_at', utc_text(s.started_at), 'ended_at',
    utc_text(s.ended_at),
    'seconds', s.seconds, 'intervals', s.intervals, 'created_at', utc_text(s.created_at)
  )) || CASE WHEN s.plan IS NULL THEN '{}' ELSE jsonb_build_object('plan', s.plan) END;

-- The sessions with an interval on one of these study days, newest first. The clock under which an interval was
-- recorded decides its days, so the search covers a little more than these days by any one clock.
CREATE OR REPLACE FUNCTION sessions_between(user_id uuid, from_day date, to_day date) RETURNS SETOF session_summary
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
DECLARE
  clock timestamptz := anthill_clock();
  found_there uuid[] := ARRAY(
    SELECT DISTINCT i.session_id FROM study_intervals i
    WHERE i.uid = user_id AND i.retracted_at IS NULL
      AND tstzrange(i.started_at, coalesce(i.ended_at, 'infinity'))
          && tstzrange((from_day - 1)::timestamp AT TIME ZONE 'UTC', (to_day + 3)::timestamp AT TIME ZONE 'UTC')
      AND study_day(i.started_at, i.time_zone, i.day_starts_at) <= to_day
      AND study_day(greatest(i.started_at, coalesce(i.ended_at, clock) - interval '1 second'),
                    i.time_zone, i.day_starts_at) >= from_day);
BEGIN
  RETURN QUERY
    SELECT d.* FROM unnest(found_there) f (id) CROSS JOIN LATERAL session_details(user_id, f.id) d
    ORDER BY d.started_at DESC, d.session_id;
END $$;

-- The sessions whose timer passed the longest interval and waits for its end to be confirmed, newest first.
CREATE OR REPLACE FUNCTION unconfirmed_sessions(user_id uuid) RETURNS SETOF session_summary
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
DECLARE
  perhaps uuid[] := ARRAY(
    SELECT s.session_id FROM study_sessions s
    WHERE s.uid = user_id AND (s.state = 'unconfirmed' OR s.state = 'running'));
BEGIN
  RETURN QUERY
    SELECT d.* FROM unnest(perhaps) p (id) CROSS JOIN LATERAL session_details(user_id, p.id) d
    WHERE d.state = 'unconfirmed'
    ORDER BY d.started_at DESC, d.session_id;
END $$;

-- All intervals that a session ever had, in the order in which they were recorded; also of a deleted session. A session
-- without any returns one row of NULLs.
CREATE OR REPLACE FUNCTION session_history(user_id uuid, for_session uuid) RETURNS TABLE (
  interval_id uuid, started_at timestamptz, ended_at timestamptz, seconds integer, source text, unconfirmed boolean,
  recorded_at timestamptz, retracted_at timestamptz
) LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  clock timestamptz := anthill_clock();
BEGIN
  RETURN QUERY
    SELECT i.interval_id, i.started_at, CASE WHEN o.overdue THEN i.started_at + longest_interval() ELSE i.ended_at END,
           extract(epoch FROM least(coalesce(i.ended_at, greatest(clock, i.started_at)),
                                    i.started_at + longest_interval()) - i.started_at)::integer,
           i.source, i.unconfirmed OR o.overdue, i.recorded_at, i.retracted_at
    FROM study_sessions s
    LEFT JOIN study_intervals i ON i.uid = s.uid AND i.session_id = s.session_id
    LEFT JOIN LATERAL (SELECT timer_is_overdue(i.started_at, i.ended_at, clock) AS overdue) o ON true
    WHERE s.uid = user_id AND s.session_id = for_session
    ORDER BY i.recorded_at, i.started_at;
END $$;
