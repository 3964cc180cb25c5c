-- The timer: one per user, kept by the database's clock. A running one is an interval without an end; pausing ends the
-- interval, resuming begins the next, stopping finishes the session. One that has passed 12 h is no timer any more,
-- whether or not anybody has ended it yet.

-- What a timer answers. Idle: no session, nothing elapsed.
CREATE TYPE timer AS (
  state text, session_id uuid, started_at timestamptz, running_since timestamptz, elapsed_seconds integer,
  goal_seconds integer, subject_id uuid, task_id uuid, plan jsonb, note text, server_time timestamptz
);

CREATE FUNCTION timer_state(whose uuid) RETURNS timer LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
DECLARE
  clock timestamptz := anthill_clock();
  answer timer;
BEGIN
  SELECT s.state, s.session_id, coalesce(min(i.started_at), s.created_at),
         max(i.started_at) FILTER (WHERE i.ended_at IS NULL),
         coalesce(sum(extract(epoch FROM coalesce(i.ended_at, greatest(clock, i.started_at)) - i.started_at)), 0),
         s.goal_seconds, s.subject_id, s.task_id, s.plan, s.note
    INTO answer
    FROM study_sessions s
    LEFT JOIN study_intervals i ON i.uid = s.uid AND i.session_id = s.session_id AND i.retracted_at IS NULL
    WHERE s.uid = whose AND s.state IN ('running', 'paused')
    GROUP BY s.uid, s.session_id;
  IF NOT FOUND OR answer.running_since <= clock - interval '12 hours' THEN
    answer := NULL;
    answer.state := 'idle';
    answer.elapsed_seconds := 0;
  END IF;
  answer.server_time := clock;
  RETURN answer;
END $$;

-- The session that is running or paused, or an error that names what is missing.
CREATE FUNCTION timed_session(whose uuid, VARIADIC states text[])
  RETURNS study_sessions LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
DECLARE
  session study_sessions;
BEGIN
  SELECT * INTO session FROM study_sessions s
    WHERE s.uid = whose AND s.state IN ('running', 'paused') AND s.state = ANY (states);
  IF NOT FOUND THEN
    RAISE EXCEPTION 'no timer is %', array_to_string(states, ' or ')
      USING ERRCODE = 'check_violation',
            CONSTRAINT = CASE WHEN 'running' = ANY (states) THEN 'timer_not_running' ELSE 'timer_not_paused' END;
  END IF;
  RETURN session;
END $$;

-- Lets the timer run from now on, by the study clock its owner has now.
CREATE FUNCTION begin_interval(owner users, which uuid, clock timestamptz)
  RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO study_intervals (uid, session_id, started_at, source, time_zone, day_starts_at, recorded_at)
    VALUES (owner.uid, which, clock, 'timer', owner.time_zone, owner.day_starts_at, clock);
END $$;

-- Ends what runs, now, and counts it. What began within this second is nothing and goes.
CREATE FUNCTION end_interval(owner users, clock timestamptz) RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  i study_intervals;
BEGIN
  DELETE FROM study_intervals t WHERE t.uid = owner.uid AND t.ended_at IS NULL AND t.started_at >= clock;
  UPDATE study_intervals t SET ended_at = clock WHERE t.uid = owner.uid AND t.ended_at IS NULL RETURNING * INTO i;
  IF FOUND THEN PERFORM count_interval(i, 1, owner.daily_goal_seconds); END IF;
END $$;

-- Starts the timer. Where one runs or is paused already nothing changes: started is false and the answer is that one.
CREATE FUNCTION start_timer(
  whose uuid, subject uuid DEFAULT NULL, task uuid DEFAULT NULL, goal bigint DEFAULT NULL,
  cycle jsonb DEFAULT NULL, remark text DEFAULT NULL
) RETURNS TABLE (
  started boolean, state text, session_id uuid, started_at timestamptz, running_since timestamptz,
  elapsed_seconds integer, goal_seconds integer, subject_id uuid, task_id uuid, plan jsonb, note text,
  server_time timestamptz
) LANGUAGE plpgsql ROWS 1 SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  owner users := hold_user(whose);
  clock timestamptz := anthill_clock();
  which uuid := gen_random_uuid();
BEGIN
  started := NOT EXISTS (SELECT FROM study_sessions s WHERE s.uid = owner.uid AND s.state IN ('running', 'paused'));
  IF started THEN
    INSERT INTO study_sessions (uid, session_id, subject_id, task_id, goal_seconds, plan, note, state, source, created_at)
      VALUES (owner.uid, which, subject, task, goal, cycle, remark, 'running', 'timer', clock);
    PERFORM begin_interval(owner, which, clock);
  END IF;
  RETURN QUERY SELECT started, t.* FROM timer_state(owner.uid) t;
END $$;

CREATE FUNCTION pause_timer(whose uuid) RETURNS timer LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  owner users := hold_user(whose);
  session study_sessions := timed_session(owner.uid, 'running');
BEGIN
  PERFORM end_interval(owner, anthill_clock());
  UPDATE study_sessions s SET state = 'paused' WHERE s.uid = owner.uid AND s.session_id = session.session_id;
  RETURN timer_state(owner.uid);
END $$;

CREATE FUNCTION resume_timer(whose uuid) RETURNS timer LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  owner users := hold_user(whose);
  session study_sessions := timed_session(owner.uid, 'paused');
BEGIN
  PERFORM begin_interval(owner, session.session_id, anthill_clock());
  UPDATE study_sessions s SET state = 'running' WHERE s.uid = owner.uid AND s.session_id = session.session_id;
  RETURN timer_state(owner.uid);
END $$;

-- Finishes the session and tells what it came to, and whether it is what met today's goal. A timer that passed its
-- 12 h was ended there: its session is answered as unconfirmed.
CREATE FUNCTION stop_timer(whose uuid) RETURNS TABLE (
  session_id uuid, state text, started_at timestamptz, ended_at timestamptz, seconds integer,
  day date, study_seconds integer, goal_seconds integer, earned_study boolean
) LANGUAGE plpgsql ROWS 1 SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  overdue uuid := (SELECT s.session_id FROM study_sessions s WHERE s.uid = whose AND s.state = 'running');
  owner users := hold_user(whose);
  clock timestamptz := anthill_clock();
  session study_sessions;
  before integer;
BEGIN
  day := study_day(clock, owner.time_zone, owner.day_starts_at);
  before := (SELECT d.study_seconds FROM study_days d WHERE d.uid = whose AND d.day = stop_timer.day);
  SELECT * INTO session FROM study_sessions s
    WHERE s.uid = whose AND s.session_id = overdue AND s.state = 'unconfirmed';
  IF NOT FOUND THEN
    session := timed_session(owner.uid, 'running', 'paused');
    PERFORM end_interval(owner, clock);
    UPDATE study_sessions s SET state = 'finished' WHERE s.uid = whose AND s.session_id = session.session_id
      RETURNING s.state INTO session.state;
  END IF;

  SELECT min(i.started_at), max(i.ended_at), coalesce(sum(extract(epoch FROM i.ended_at - i.started_at)), 0)
    INTO started_at, ended_at, seconds
    FROM study_intervals i
    WHERE i.uid = whose AND i.session_id = session.session_id AND i.retracted_at IS NULL;
  SELECT d.study_seconds, d.goal_seconds INTO study_seconds, goal_seconds
    FROM study_days d WHERE d.uid = whose AND d.day = stop_timer.day;
  session_id := session.session_id;
  state := session.state;
  study_seconds := coalesce(study_seconds, 0);
  goal_seconds := coalesce(goal_seconds, owner.daily_goal_seconds);
  earned_study := coalesce(before, 0) < goal_seconds AND study_seconds >= goal_seconds;
  RETURN NEXT;
END $$;

-- Throws the session away: what it had is retracted, nothing of it counts. Answers its id.
CREATE FUNCTION cancel_timer(whose uuid) RETURNS uuid LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  owner users := hold_user(whose);
  session study_sessions := timed_session(owner.uid, 'running', 'paused');
BEGIN
  PERFORM end_interval(owner, anthill_clock());
  UPDATE study_sessions s SET state = 'finished' WHERE s.uid = owner.uid AND s.session_id = session.session_id;
  PERFORM retract_session(owner.uid, session.session_id);
  RETURN session.session_id;
END $$;

-- Ends every timer that has passed its 12 h and answers how many. Nothing depends on it: readers go by the clock.
CREATE FUNCTION end_overdue_timers() RETURNS bigint LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  overdue uuid;
  ended bigint := 0;
BEGIN
  FOR overdue IN SELECT i.uid FROM study_intervals i
                 WHERE i.ended_at IS NULL AND i.started_at <= anthill_clock() - interval '12 hours' ORDER BY i.uid LOOP
    PERFORM hold_user(overdue);
    ended := ended + 1;
  END LOOP;
  RETURN ended;
END $$;
