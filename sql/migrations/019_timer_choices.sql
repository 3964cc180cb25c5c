-- What a timer is started with: a person's own choices about timers, and plans of work and rest.

-- The length that clients offer, whether they sound and notify, and whether a timer that runs on and on brings a mail.
ALTER TABLE users
  ADD COLUMN default_timer_seconds integer NOT NULL DEFAULT 1800
    CONSTRAINT users_default_timer_seconds CHECK (default_timer_seconds BETWEEN 60 AND 86400),
  ADD COLUMN sounds boolean NOT NULL DEFAULT true,
  ADD COLUMN notices boolean NOT NULL DEFAULT true,
  ADD COLUMN unattended_mail boolean NOT NULL DEFAULT true;

-- A person's own plans: so long of work and so long of rest, in turn. Both together last at most a day.
CREATE TABLE plans (
  uid uuid CONSTRAINT plans_user REFERENCES users ON DELETE CASCADE,
  name text CONSTRAINT plans_name CHECK (char_length(name) BETWEEN 1 AND 50 AND name !~ '[[:cntrl:]]'),
  work_seconds integer NOT NULL CONSTRAINT plans_work_seconds CHECK (work_seconds >= 60),
  rest_seconds integer NOT NULL CONSTRAINT plans_rest_seconds CHECK (rest_seconds >= 60),
  created_at timestamptz NOT NULL DEFAULT anthill_clock(),
  CONSTRAINT plans_key PRIMARY KEY (uid, name),
  CONSTRAINT plans_length CHECK (work_seconds + rest_seconds <= 86400)
);

-- A session keeps a copy of the plan it was started with, whatever becomes of that plan; it may have no name.
ALTER TABLE study_sessions
  ADD CONSTRAINT study_sessions_plan CHECK (plan IS NULL OR coalesce(
    char_length(plan->>'name') <= 50 OR plan->>'name' IS NULL, false) AND coalesce(
    (plan->>'work_seconds')::integer >= 60 AND (plan->>'rest_seconds')::integer >= 60
      AND (plan->>'work_seconds')::integer + (plan->>'rest_seconds')::integer <= 86400, false)),
  ADD COLUMN unattended_mail_at timestamptz;              -- when its owner was told that it runs and runs

-- Keeps a plan under its name, in the place of one that had it; at most 20.
CREATE FUNCTION save_plan(whose uuid, name text, work_seconds integer, rest_seconds integer)
  RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_variable
DECLARE
  owner users := hold_user(whose);
BEGIN
  INSERT INTO plans (uid, name, work_seconds, rest_seconds) VALUES (owner.uid, name, work_seconds, rest_seconds)
    ON CONFLICT ON CONSTRAINT plans_key
    DO UPDATE SET work_seconds = excluded.work_seconds, rest_seconds = excluded.rest_seconds;
  IF (SELECT count(*) FROM plans p WHERE p.uid = owner.uid) > 20 THEN
    RAISE EXCEPTION 'at most 20 plans' USING ERRCODE = 'check_violation', CONSTRAINT = 'too_many_plans';
  END IF;
END $$;

-- A timer answers its phase as well. Phases are not kept, they follow from the intervals: work is a run of intervals
-- without a gap, rest what lies after one. What began and ended within a second left no interval and is no phase.
ALTER TYPE timer
  ADD ATTRIBUTE phase_number integer,
  ADD ATTRIBUTE phase_started_at timestamptz;

CREATE OR REPLACE FUNCTION timer_state(whose uuid) RETURNS timer LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
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
    WHERE s.uid = whose AND s.state IN ('running', 'paused')
    GROUP BY s.uid, s.session_id
    HAVING bool_or(i.ended_at IS NULL AND i.started_at <= clock - interval '12 hours') IS NOT TRUE;
  IF NOT FOUND THEN
    answer := NULL;
    answer.state := 'idle';
    answer.elapsed_seconds := 0;
    answer.server_time := clock;
  END IF;
  RETURN answer;
END $$;

-- Starts the timer. Where one runs or is paused already nothing changes: started is false and the answer is that one.
DROP FUNCTION start_timer(uuid, uuid, uuid, bigint, jsonb, text);
CREATE FUNCTION start_timer(
  whose uuid, subject uuid DEFAULT NULL, task uuid DEFAULT NULL, goal bigint DEFAULT NULL,
  cycle jsonb DEFAULT NULL, remark text DEFAULT NULL
) RETURNS TABLE (
  started boolean, state text, session_id uuid, started_at timestamptz, running_since timestamptz,
  elapsed_seconds integer, goal_seconds integer, subject_id uuid, task_id uuid, plan jsonb, note text,
  server_time timestamptz, phase_number integer, phase_started_at timestamptz
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

-- Lets what runs without a pause begin at another instant. Earlier: the stretch before is recorded as manual, under all
-- rules of manual time. Later: what began too early is retracted, and what is left of it is recorded anew by the study
-- clock that it had. Up to 60 s ahead is now.
CREATE FUNCTION move_timer_start(whose uuid, starts timestamptz)
  RETURNS timer LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  owner users := hold_user(whose);
  session study_sessions := timed_session(owner.uid, 'running');
  clock timestamptz := anthill_clock();
  since timestamptz;
  i study_intervals;
BEGIN
  IF starts > clock + interval '60 seconds' THEN
    RAISE EXCEPTION 'a timer cannot begin at %', starts USING ERRCODE = 'check_violation', CONSTRAINT = 'in_the_future';
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
      PERFORM take_back(i);
    END IF;
    CONTINUE WHEN i.ended_at <= starts;
    i.interval_id := gen_random_uuid();
    i.started_at := starts;
    i.recorded_at := clock;
    IF i.ended_at IS NULL THEN
      INSERT INTO study_intervals SELECT i.*;
    ELSE
      PERFORM add_interval(i, owner.daily_goal_seconds);
    END IF;
  END LOOP;
  IF starts < since THEN
    PERFORM add_stretch(owner, session.session_id, starts, since, 'manual', clock);
  END IF;
  RETURN timer_state(owner.uid);
END $$;

-- Mails those whose timer has run for 6 h without a pause, once for each session, and answers how many. Not who has
-- chosen to get no such mail, and no more once the timer has passed its 12 h: then it does not run any more.
CREATE FUNCTION mail_about_unattended_timers() RETURNS bigint LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  clock timestamptz := anthill_clock();
  unattended record;
  mailed bigint := 0;
BEGIN
  FOR unattended IN
    SELECT s.uid, s.session_id, e.email
    FROM study_intervals i
    JOIN study_sessions s ON s.uid = i.uid AND s.session_id = i.session_id
    JOIN users u ON u.uid = i.uid
    JOIN user_emails e ON e.uid = i.uid
    WHERE i.ended_at IS NULL AND i.started_at <= clock - interval '6 hours' AND i.started_at > clock - interval '12 hours'
      AND s.unattended_mail_at IS NULL AND u.unattended_mail AND u.status = 'active'
    ORDER BY s.uid
  LOOP
    -- Of two instances at once the second waits here, and then finds it done.
    UPDATE study_sessions s SET unattended_mail_at = clock
      WHERE s.uid = unattended.uid AND s.session_id = unattended.session_id AND s.state = 'running'
        AND s.unattended_mail_at IS NULL;
    CONTINUE WHEN NOT FOUND;
    PERFORM enqueue_mail('unattended_timer', unattended.email,
                         jsonb_build_object('uid', unattended.uid, 'session_id', unattended.session_id));
    mailed := mailed + 1;
  END LOOP;
  RETURN mailed;
END $$;

-- What the letter about an unattended timer says: to whom, in what language, and when it began on its owner's wall
-- clock. No row once it does not run any more, or is not to be mailed about.
CREATE FUNCTION unattended_timer(whose uuid, which uuid) RETURNS TABLE (email text, locale text, began text)
  LANGUAGE plpgsql STABLE ROWS 1 SET search_path FROM CURRENT AS $$
BEGIN
  RETURN QUERY
    SELECT e.email, u.locale, to_char(i.started_at AT TIME ZONE u.time_zone, 'HH24:MI')
    FROM study_intervals i
    JOIN users u ON u.uid = i.uid
    JOIN user_emails e ON e.uid = i.uid
    WHERE i.uid = whose AND i.session_id = which AND i.ended_at IS NULL
      AND i.started_at <= anthill_clock() - interval '6 hours' AND i.started_at > anthill_clock() - interval '12 hours'
      AND u.unattended_mail AND u.status = 'active';
END $$;
