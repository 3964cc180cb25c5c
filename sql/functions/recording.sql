-- Recording: how intervals are recorded and retracted. The service may write study_sessions, study_intervals and all
-- totals only through functions, each of them one round trip and one transaction.

-- Writes one interval and counts it, unless it waits to be confirmed. The exclusion constraint decides about overlaps.
-- The refusal tells the first interval that is in the way, as instants and as its owner's wall clock shows it; where
-- that is a forgotten timer's, it says so.
CREATE OR REPLACE FUNCTION add_interval(i study_intervals, owner students, clock timestamptz)
  RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  in_the_way jsonb;
BEGIN
  INSERT INTO study_intervals (uid, interval_id, session_id, started_at, ended_at, source, time_zone, day_starts_at,
                               recorded_at, retracted_at, unconfirmed)
    VALUES (i.uid, i.interval_id, i.session_id, i.started_at, i.ended_at, i.source, i.time_zone, i.day_starts_at,
            i.recorded_at, i.retracted_at, i.unconfirmed)
    ON CONFLICT ON CONSTRAINT study_intervals_no_overlap DO NOTHING;
  IF NOT FOUND THEN
    IF EXISTS (SELECT FROM study_intervals t WHERE t.uid = i.uid AND t.unconfirmed AND t.retracted_at IS NULL
                 AND tstzrange(t.started_at, coalesce(t.ended_at, 'infinity'))
                   && tstzrange(i.started_at, i.ended_at)) THEN
      PERFORM refuse('unconfirmed_timer', 'the interval lies over a timer that waits for its end to be confirmed');
    END IF;
    SELECT jsonb_build_object(
        'started_at', utc_text(t.started_at), 'from', to_char(t.started_at AT TIME ZONE owner.time_zone, 'HH24:MI'),
        'ended_at', utc_text(t.ended_at), 'to', to_char(t.ended_at AT TIME ZONE owner.time_zone, 'HH24:MI'))
      INTO in_the_way FROM study_intervals t
      WHERE t.uid = i.uid AND t.retracted_at IS NULL
        AND tstzrange(t.started_at, coalesce(t.ended_at, 'infinity')) && tstzrange(i.started_at, i.ended_at)
      ORDER BY t.started_at LIMIT 1;
    PERFORM refuse('study_intervals_no_overlap', 'the interval overlaps another', 'exclusion_violation', in_the_way);
  END IF;
  PERFORM note_change(i.uid);
  IF NOT i.unconfirmed THEN PERFORM count_interval(i, 1, owner, clock); END IF;
END $$;

-- Whether a board that counts this user has closed a month that contains part of the interval, after `since`.
CREATE OR REPLACE FUNCTION in_closed_month(
  user_id uuid, began timestamptz, finished timestamptz, clock timestamptz, since timestamptz DEFAULT '-infinity'
) RETURNS boolean LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN EXISTS (
    SELECT FROM counted_under c
    CROSS JOIN LATERAL study_parts(began, finished, c.time_zone, c.day_starts_at) p
    WHERE c.uid = user_id AND p.day >= c.from_month AND p.day < c.until_month
      AND month_closes_at(month_of(p.day), c.time_zone, c.day_starts_at) <= clock
      AND month_closes_at(month_of(p.day), c.time_zone, c.day_starts_at) > since
  );
END $$;

-- Refuses an interval that may not be recorded now, and returns its end. A client's clock may be fast by clock_slack();
-- then the end is now. The part that was already recorded before may be old.
CREATE OR REPLACE FUNCTION check_stretch(
  owner students, began timestamptz, finished timestamptz, source text, clock timestamptz,
  recorded tstzmultirange DEFAULT '{}'
) RETURNS timestamptz LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
DECLARE
  cut timestamptz := least(finished, clock);
  broken text := CASE
    WHEN (finished > began) IS NOT TRUE THEN 'empty_interval'
    WHEN finished > clock + clock_slack() OR began >= cut THEN 'in_the_future'
    WHEN cut > began + longest_interval() THEN 'too_long'
    WHEN source <> 'import' AND began < clock - logging_window()
      AND lower(tstzmultirange(tstzrange(began, cut)) - recorded) < clock - logging_window() THEN 'too_old'
  END;
BEGIN
  IF broken IS NOT NULL THEN
    -- If the month is closed, say so rather than that the interval is too old: nothing will ever open it again.
    IF broken = 'too_old' AND in_closed_month(owner.uid, began, cut, clock) THEN broken := 'month_closed'; END IF;
    PERFORM refuse(broken, CASE broken
        WHEN 'empty_interval' THEN 'the end of the interval is not after its start'
        WHEN 'in_the_future' THEN 'the interval ends in the future'
        WHEN 'too_long' THEN format('the interval is longer than %s h', extract(hour FROM longest_interval()))
        WHEN 'too_old' THEN format('the interval began more than %s h ago', extract(hour FROM logging_window()))
        WHEN 'month_closed' THEN 'the month is closed: only amend_standing changes it'
      END);
  END IF;
  RETURN cut;
END $$;

-- Records one interval of a session by its owner's current clock and returns its id.
CREATE OR REPLACE FUNCTION add_stretch(
  owner students, session_id uuid, began timestamptz, finished timestamptz, source text, clock timestamptz
) RETURNS uuid LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  i study_intervals;
BEGIN
  i.uid := owner.uid;
  i.interval_id := gen_random_uuid();
  i.session_id := session_id;
  i.started_at := date_trunc('second', began);
  i.ended_at := check_stretch(owner, i.started_at, date_trunc('second', finished), source, clock);
  i.source := source;
  i.time_zone := owner.time_zone;
  i.day_starts_at := owner.day_starts_at;
  i.recorded_at := clock;
  i.unconfirmed := false;
  PERFORM add_interval(i, owner, clock);
  RETURN i.interval_id;
END $$;

-- Retracts one interval. It stays as a row, with the instant at which it ceased to count.
CREATE OR REPLACE FUNCTION retract(i study_intervals, owner students, clock timestamptz)
  RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE study_intervals t SET retracted_at = greatest(clock, t.recorded_at)
    WHERE t.uid = i.uid AND t.interval_id = i.interval_id;
  PERFORM note_change(i.uid);
  IF NOT i.unconfirmed THEN PERFORM count_interval(i, -1, owner, clock); END IF;
END $$;

-- Records a session by hand or from an import: one or more intervals, all or nothing. A session that was recorded
-- before under the same id is left as it is and gives created = false, so sending it twice records it once.
CREATE OR REPLACE FUNCTION record_session(
  user_id uuid, INOUT session_id uuid, started timestamptz[], ended timestamptz[], source text DEFAULT 'manual',
  subject_id uuid DEFAULT NULL, task_id uuid DEFAULT NULL, note text DEFAULT NULL, OUT created boolean
) LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
#variable_conflict use_variable
DECLARE
  owner students := lock_student(user_id);
  clock timestamptz := clock_of(owner);
BEGIN
  IF source IS NULL OR source NOT IN ('manual', 'import') THEN
    PERFORM refuse('unknown_source', 'only manual and imported study is recorded by hand');
  END IF;
  session_id := coalesce(session_id, gen_random_uuid());
  INSERT INTO study_sessions (uid, session_id, subject_id, task_id, note, state, source, created_at)
    VALUES (user_id, session_id, subject_id, task_id, note, 'finished', source, clock)
    ON CONFLICT ON CONSTRAINT study_sessions_key DO NOTHING;
  created := FOUND;
  IF created THEN
    FOR n IN 1..greatest(cardinality(started), cardinality(ended), 1) LOOP
      PERFORM add_stretch(owner, session_id, started[n], ended[n], source, clock);
    END LOOP;
  END IF;
END $$;

-- Records several sessions in one go and answers a verdict on each, in their order. Each is all or nothing by itself:
-- recorded, or recorded before, or refused by the name of the rule it breaks, with what that refusal tells.
--
-- A session is {session_id, started: […], ended: […], source, subject_id, task_id, note}.
CREATE OR REPLACE FUNCTION record_sessions(user_id uuid, sessions jsonb) RETURNS TABLE (
  session_id uuid, created boolean, refused_by text, facts text
) LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  owner students := lock_student(user_id);
  session jsonb;
  said text;
BEGIN
  FOR session IN SELECT s.value FROM jsonb_array_elements(sessions) WITH ORDINALITY s ORDER BY s.ordinality LOOP
    session_id := (session->>'session_id')::uuid;
    created := false;
    refused_by := NULL;
    facts := NULL;
    BEGIN
      created := (record_session(
        owner.uid, session_id,
        ARRAY(SELECT t.value::timestamptz FROM jsonb_array_elements_text(session->'started') t),
        ARRAY(SELECT t.value::timestamptz FROM jsonb_array_elements_text(session->'ended') t), session->>'source',
        (session->>'subject_id')::uuid, (session->>'task_id')::uuid, session->>'note')).created;
      IF NOT created AND EXISTS (SELECT FROM study_sessions s WHERE s.uid = owner.uid
          AND s.session_id = record_sessions.session_id AND s.state = 'discarded') THEN
        refused_by := 'session_retracted';
      END IF;
    EXCEPTION WHEN integrity_constraint_violation THEN
      created := false;
      GET STACKED DIAGNOSTICS refused_by := CONSTRAINT_NAME, said := MESSAGE_TEXT, facts := PG_EXCEPTION_DETAIL;
      refused_by := broken_rule(refused_by, said);
      IF refused_by = '' THEN RAISE; END IF;
    END;
    RETURN NEXT;
  END LOOP;
END $$;

-- Records one interval as a session of its own, for admins and scripts.
CREATE OR REPLACE FUNCTION record_interval(user_id uuid, began timestamptz, finished timestamptz)
  RETURNS uuid LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  for_session uuid := (record_session(user_id, NULL, ARRAY[began], ARRAY[finished])).session_id;
BEGIN
  RETURN (SELECT i.interval_id FROM study_intervals i WHERE i.uid = user_id AND i.session_id = for_session);
END $$;

-- Retracts one interval, for admins and scripts. A session without any interval left is discarded.
CREATE OR REPLACE FUNCTION retract_interval(user_id uuid, for_interval uuid) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  owner students := lock_student(user_id);
  i study_intervals;
BEGIN
  SELECT * INTO i FROM study_intervals t WHERE t.uid = owner.uid AND t.interval_id = for_interval;
  IF NOT FOUND THEN
    PERFORM refuse('interval_not_found', 'no such interval', 'no_data_found');
  ELSIF i.retracted_at IS NOT NULL THEN
    PERFORM refuse('interval_retracted', format('it was taken back already, at %s', utc_text(i.retracted_at)));
  ELSIF i.ended_at IS NULL THEN
    PERFORM refuse('timer_still_running', 'it still runs: stop_timer.sql ends it');
  END IF;
  PERFORM retract(i, owner, clock_of(owner));
  UPDATE study_sessions s
    SET state = CASE WHEN EXISTS (SELECT FROM study_intervals t WHERE t.uid = user_id AND t.session_id = i.session_id
                                    AND t.retracted_at IS NULL) THEN 'finished' ELSE 'discarded' END
    WHERE s.uid = user_id AND s.session_id = i.session_id AND (s.state = 'finished' OR i.unconfirmed);
END $$;

-- The session, for a change; refused while its timer runs or is paused.
CREATE OR REPLACE FUNCTION session_at_rest(user_id uuid, for_session uuid) RETURNS study_sessions
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
DECLARE
  session study_sessions;
BEGIN
  SELECT * INTO session FROM study_sessions s
    WHERE s.uid = user_id AND s.session_id = for_session AND s.state <> 'discarded';
  IF NOT FOUND THEN
    PERFORM refuse('session_not_found', 'no such session', 'no_data_found');
  ELSIF session.state IN ('running', 'paused') THEN
    PERFORM refuse('timer_still_running', 'the timer of this session has not been stopped');
  END IF;
  RETURN session;
END $$;

-- Retracts a whole session.
CREATE OR REPLACE FUNCTION retract_session(user_id uuid, for_session uuid) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  owner students := lock_student(user_id);
  session study_sessions := session_at_rest(owner.uid, for_session);
  i study_intervals;
BEGIN
  FOR i IN SELECT * FROM study_intervals t
           WHERE t.uid = user_id AND t.session_id = for_session AND t.retracted_at IS NULL ORDER BY t.started_at LOOP
    PERFORM retract(i, owner, clock_of(owner));
  END LOOP;
  UPDATE study_sessions s SET state = 'discarded' WHERE s.uid = session.uid AND s.session_id = session.session_id;
END $$;
