-- The timer: one per user, by the database's clock. A running timer is an interval without an end; pausing ends the
-- interval, resuming begins the next, stopping finishes the session. An overdue timer (longest_interval) is no timer
-- any more, even if nothing has ended it yet.

-- Whether an interval without an end is a timer that runs at an instant, or one that was overdue by then. Queries use
-- them like the conditions themselves, with the same indexes. (They take no row of the table: on Citus a worker's part
-- of the table has rows of another type.)
CREATE OR REPLACE FUNCTION timer_runs(began timestamptz, ended timestamptz, at timestamptz) RETURNS boolean
  LANGUAGE sql STABLE PARALLEL SAFE RETURN ended IS NULL AND began > at - longest_interval();
CREATE OR REPLACE FUNCTION timer_is_overdue(began timestamptz, ended timestamptz, at timestamptz) RETURNS boolean
  LANGUAGE sql STABLE PARALLEL SAFE RETURN ended IS NULL AND began <= at - longest_interval();

CREATE OR REPLACE FUNCTION timer_state(user_id uuid) RETURNS timer
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
DECLARE
  clock timestamptz := anthill_clock();
  answer timer;
BEGIN
  SELECT s.state, s.session_id, coalesce(min(i.started_at), s.created_at),
         CASE s.state WHEN 'running' THEN max(i.started_at) FILTER (WHERE i.begins_run) END,
         coalesce(sum(extract(epoch FROM coalesce(i.ended_at, greatest(clock, i.started_at)) - i.started_at)), 0),
         s.goal_seconds, s.subject_id, s.task_id, s.plan, s.note, clock,
         greatest(count(*) FILTER (WHERE i.begins_run), 1),
         CASE s.state
           WHEN 'running' THEN max(i.started_at) FILTER (WHERE i.begins_run)
           ELSE coalesce(max(i.ended_at), s.created_at)
         END
    INTO answer
    FROM study_sessions s
    LEFT JOIN LATERAL (
      SELECT t.started_at, t.ended_at,
             lag(t.ended_at) OVER (ORDER BY t.started_at) IS DISTINCT FROM t.started_at AS begins_run
      FROM study_intervals t WHERE t.uid = s.uid AND t.session_id = s.session_id AND t.retracted_at IS NULL
    ) i ON true
    WHERE s.uid = user_id AND s.state IN ('running', 'paused')
    GROUP BY s.uid, s.session_id
    HAVING bool_or(timer_is_overdue(i.started_at, i.ended_at, clock)) IS NOT TRUE;
  IF NOT FOUND THEN
    answer := NULL;
    answer.state := 'idle';
    answer.elapsed_seconds := 0;
    answer.server_time := clock;
  END IF;
  RETURN answer;
END $$;

-- A timer with a plan works while it runs and rests while it is paused, and never turns by itself.
CREATE OR REPLACE FUNCTION timer_phase(t timer) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN CASE t.state WHEN 'running' THEN 'work' ELSE 'rest' END;

-- When the countdown, the work or the rest of a timer ends; NULL for a stopwatch and for a timer that waits.
CREATE OR REPLACE FUNCTION timer_ends_at(t timer) RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE
  RETURN CASE
    WHEN t.state NOT IN ('running', 'paused') THEN NULL
    WHEN t.plan IS NOT NULL THEN t.phase_started_at + make_interval(
      secs => (t.plan ->> (timer_phase(t) || '_seconds'))::integer)
    WHEN t.state = 'running' THEN t.server_time + make_interval(secs => t.goal_seconds - t.elapsed_seconds)
  END;

-- A timer as the API writes it. What is not set is left out; a plan without a name says so.
CREATE OR REPLACE FUNCTION timer_json(t timer) RETURNS jsonb
  LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = public, pg_temp AS $$
DECLARE
  answer jsonb := jsonb_build_object('state', t.state, 'subject_id', t.subject_id, 'task_id', t.task_id,
    'note', t.note, 'elapsed_seconds', t.elapsed_seconds, 'server_time', utc_text(t.server_time));
  kind text := timer_phase(t);
  elapsed integer := greatest(0, extract(epoch FROM t.server_time - t.phase_started_at)::integer);
  length integer := (t.plan ->> (kind || '_seconds'))::integer;
BEGIN
  IF t.session_id IS NOT NULL THEN
    answer := answer || jsonb_build_object('session', jsonb_build_object(
      'id', t.session_id, 'started_at', utc_text(t.started_at), 'running_since', utc_text(t.running_since)));
  END IF;
  IF t.goal_seconds IS NOT NULL THEN
    answer := answer || jsonb_build_object('goal_seconds', t.goal_seconds,
      'remaining_seconds', greatest(0, t.goal_seconds - t.elapsed_seconds),
      'extra_seconds', greatest(0, t.elapsed_seconds - t.goal_seconds));
  END IF;
  answer := jsonb_strip_nulls(answer);
  IF t.plan IS NOT NULL THEN
    answer := answer || jsonb_build_object('plan', t.plan, 'phase', jsonb_build_object(
      'kind', kind, 'number', t.phase_number, 'started_at', utc_text(t.phase_started_at), 'length_seconds', length,
      'elapsed_seconds', elapsed, 'remaining_seconds', greatest(0, length - elapsed),
      'extra_seconds', greatest(0, elapsed - length)));
  END IF;
  RETURN answer;
END $$;

-- The session that is running or paused, or an error that says what is missing.
CREATE OR REPLACE FUNCTION timed_session(user_id uuid, VARIADIC states text[])
  RETURNS study_sessions LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
DECLARE
  session study_sessions;
BEGIN
  SELECT * INTO session FROM study_sessions s
    WHERE s.uid = user_id AND s.state IN ('running', 'paused') AND s.state = ANY (states);
  IF NOT FOUND THEN
    PERFORM refuse(
      CASE WHEN 'running' = ANY (states) THEN 'timer_not_running' ELSE 'timer_not_paused' END,
      format('no timer is %s', array_to_string(states, ' or ')));
  END IF;
  RETURN session;
END $$;

-- Starts an interval now, by its owner's current study clock.
CREATE OR REPLACE FUNCTION begin_interval(owner students, for_session uuid, clock timestamptz)
  RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO study_intervals (uid, session_id, started_at, source, time_zone, day_starts_at, recorded_at)
    VALUES (owner.uid, for_session, clock, 'timer', owner.time_zone, owner.day_starts_at, clock);
  PERFORM note_change(owner.uid);
END $$;

-- Ends the running interval now and counts it. An interval that began within this second is deleted.
CREATE OR REPLACE FUNCTION end_interval(owner students, clock timestamptz)
  RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  i study_intervals;
BEGIN
  DELETE FROM study_intervals t WHERE t.uid = owner.uid AND t.ended_at IS NULL AND t.started_at >= clock;
  UPDATE study_intervals t SET ended_at = clock WHERE t.uid = owner.uid AND t.ended_at IS NULL RETURNING * INTO i;
  IF FOUND THEN PERFORM count_interval(i, 1, owner, clock); END IF;
  PERFORM note_change(owner.uid);
END $$;

-- Ends an overdue timer where it would have ended by itself. It does not count until its owner says when they stopped.
-- The caller holds the owner's row.
CREATE OR REPLACE FUNCTION end_overdue_timer(user_id uuid) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  ended uuid;
  ends timestamptz;
BEGIN
  SELECT i.started_at + longest_interval() INTO ends FROM study_intervals i
    WHERE i.uid = user_id AND i.ended_at IS NULL;
  UPDATE study_intervals i SET ended_at = ends, unconfirmed = true
    WHERE i.uid = user_id AND i.ended_at IS NULL RETURNING i.session_id INTO ended;
  UPDATE study_sessions s SET state = 'unconfirmed' WHERE s.uid = user_id AND s.session_id = ended;
  PERFORM note_change(user_id);
END $$;

-- Starts the timer. If one already runs or is paused, nothing changes: started is false, and the session is that one's.
CREATE OR REPLACE FUNCTION start_timer(
  user_id uuid, subject uuid DEFAULT NULL, task uuid DEFAULT NULL, goal bigint DEFAULT NULL,
  cycle jsonb DEFAULT NULL, remark text DEFAULT NULL, OUT started boolean, OUT session_id uuid
) LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  owner students := lock_student(user_id);
  clock timestamptz := clock_of(owner);
BEGIN
  SELECT s.session_id INTO session_id
    FROM study_sessions s WHERE s.uid = owner.uid AND s.state IN ('running', 'paused');
  started := NOT FOUND;
  IF started THEN
    session_id := gen_random_uuid();
    INSERT INTO study_sessions (uid, session_id, subject_id, task_id, goal_seconds, plan, note, state, source,
                                created_at)
      VALUES (owner.uid, start_timer.session_id, subject, task, goal, cycle, remark, 'running', 'timer', clock);
    PERFORM begin_interval(owner, session_id, clock);
    IF goal IS NOT NULL OR cycle IS NOT NULL THEN PERFORM remind_of_timer(owner.uid); END IF;
  END IF;
END $$;

CREATE OR REPLACE FUNCTION pause_timer(user_id uuid) RETURNS timer
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  owner students := lock_student(user_id);
  session study_sessions := timed_session(owner.uid, 'running');
BEGIN
  PERFORM end_interval(owner, clock_of(owner));
  UPDATE study_sessions s SET state = 'paused' WHERE s.uid = owner.uid AND s.session_id = session.session_id;
  IF session.plan IS NOT NULL THEN PERFORM remind_of_timer(owner.uid); END IF;
  RETURN timer_state(owner.uid);
END $$;

CREATE OR REPLACE FUNCTION resume_timer(user_id uuid) RETURNS timer
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  owner students := lock_student(user_id);
  session study_sessions := timed_session(owner.uid, 'paused');
BEGIN
  PERFORM begin_interval(owner, session.session_id, clock_of(owner));
  UPDATE study_sessions s SET state = 'running' WHERE s.uid = owner.uid AND s.session_id = session.session_id;
  IF session.goal_seconds IS NOT NULL OR session.plan IS NOT NULL THEN PERFORM remind_of_timer(owner.uid); END IF;
  RETURN timer_state(owner.uid);
END $$;

-- Finishes the session and tells which ants a day has because of it. If the timer was overdue and was ended, its
-- session waits for its end to be confirmed, and has earned none.
CREATE OR REPLACE FUNCTION stop_timer(
  user_id uuid, OUT session_id uuid, OUT earned_study boolean, OUT earned_perfect boolean
) LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  overdue uuid := (SELECT s.session_id FROM study_sessions s WHERE s.uid = user_id AND s.state = 'running');
  owner students := lock_student(user_id);
BEGIN
  SELECT s.session_id INTO session_id FROM study_sessions s
    WHERE s.uid = user_id AND s.session_id = overdue AND s.state = 'unconfirmed';
  IF NOT FOUND THEN
    session_id := (timed_session(owner.uid, 'running', 'paused')).session_id;
    PERFORM end_interval(owner, clock_of(owner));
    UPDATE study_sessions s SET state = 'finished' WHERE s.uid = user_id AND s.session_id = stop_timer.session_id;
  END IF;

  SELECT count(*) > 0, count(w.day) > 0 INTO earned_study, earned_perfect
    FROM (
      SELECT p.day, sum(p.seconds) AS seconds FROM study_intervals i
      CROSS JOIN LATERAL study_parts(i.started_at, i.ended_at, i.time_zone, i.day_starts_at) p
      WHERE i.uid = user_id AND i.session_id = stop_timer.session_id AND i.retracted_at IS NULL AND NOT i.unconfirmed
      GROUP BY p.day
    ) own
    JOIN study_days d ON d.uid = user_id AND d.day = own.day AND d.study_seconds >= d.goal_seconds
      AND d.study_seconds - own.seconds < d.goal_seconds
    LEFT JOIN wake_ups w ON w.uid = user_id AND w.day = own.day;
END $$;

-- Discards the session: its intervals are retracted, and none of it counts. Returns its id.
CREATE OR REPLACE FUNCTION cancel_timer(user_id uuid) RETURNS uuid
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  owner students := lock_student(user_id);
  session study_sessions := timed_session(owner.uid, 'running', 'paused');
BEGIN
  PERFORM end_interval(owner, clock_of(owner));
  UPDATE study_sessions s SET state = 'finished' WHERE s.uid = owner.uid AND s.session_id = session.session_id;
  PERFORM retract_session(owner.uid, session.session_id);
  RETURN session.session_id;
END $$;

-- Moves the start of the running interval. Earlier: the added time is recorded as manual, under all rules of manual
-- time. Later: the interval is retracted, and the rest of it is recorded again with its own study clock. A time up to
-- clock_slack() ahead is now.
CREATE OR REPLACE FUNCTION move_timer_start(user_id uuid, starts timestamptz)
  RETURNS timer LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  owner students := lock_student(user_id);
  session study_sessions := timed_session(owner.uid, 'running');
  clock timestamptz := clock_of(owner);
  since timestamptz;
  i study_intervals;
BEGIN
  IF starts > clock + clock_slack() THEN
    PERFORM refuse('in_the_future', format('a timer cannot begin at %s', starts));
  END IF;
  starts := least(date_trunc('second', starts), clock);
  FOR i IN SELECT * FROM study_intervals t
           WHERE t.uid = owner.uid AND t.session_id = session.session_id AND t.retracted_at IS NULL
           ORDER BY t.started_at DESC LOOP
    EXIT WHEN i.ended_at < since;
    since := i.started_at;
    CONTINUE WHEN since >= starts;
    IF i.ended_at IS NULL THEN
      UPDATE study_intervals t SET ended_at = clock, retracted_at = clock
        WHERE t.uid = owner.uid AND t.interval_id = i.interval_id;
    ELSE
      PERFORM retract(i, owner, clock);
    END IF;
    CONTINUE WHEN i.ended_at <= starts;
    i.interval_id := gen_random_uuid();
    i.started_at := starts;
    i.recorded_at := clock;
    IF i.ended_at IS NULL THEN
      INSERT INTO study_intervals (uid, interval_id, session_id, started_at, source, time_zone, day_starts_at,
                                   recorded_at)
        VALUES (i.uid, i.interval_id, i.session_id, i.started_at, i.source, i.time_zone, i.day_starts_at,
                i.recorded_at);
      PERFORM note_change(i.uid);
    ELSE
      PERFORM add_interval(i, owner, clock);
    END IF;
  END LOOP;
  IF starts < since THEN
    PERFORM add_stretch(owner, session.session_id, starts, since, 'manual', clock);
  END IF;
  IF session.goal_seconds IS NOT NULL OR session.plan IS NOT NULL THEN PERFORM remind_of_timer(owner.uid); END IF;
  RETURN timer_state(owner.uid);
END $$;
