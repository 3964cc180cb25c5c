-- The morning alarm: when it rings, the problem to solve, and the wake-up ant for solving it.

-- The rings around an instant, a few days back and ahead, in order of time. Each day has one first ring: the earliest
-- of all settings that were in force and counted at that moment. The other rings of the day follow by the same setting.
-- Rings after midnight belong to the day of the first ring. A day that a time zone skips has no ring. A ring can be
-- answered for alarm_window(), the last second included, until its day has its ant (`earned`).
CREATE OR REPLACE FUNCTION alarm_rings(user_id uuid, clock timestamptz) RETURNS TABLE (
  day date, ring integer, rings integer, rings_at timestamptz, ends_at timestamptz, difficulty text, earned boolean
) LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  RETURN QUERY
    WITH firsts AS (
      SELECT DISTINCT ON (d.day) d.day, f.first_ring, a.difficulty, a.every_minutes, a.times, a.silent_from
      FROM alarms a
      CROSS JOIN generate_series(-2, 3) n
      CROSS JOIN LATERAL (SELECT (clock AT TIME ZONE a.time_zone)::date + n AS day) d
      CROSS JOIN LATERAL (SELECT first_instant(d.day, a.rings_at, a.time_zone) AS first_ring) f
      WHERE a.uid = user_id AND a.enabled
        AND f.first_ring >= greatest(a.set_at, a.counts_from) AND f.first_ring < a.until
        AND (first_instant(d.day, '00:00', a.time_zone) AT TIME ZONE a.time_zone)::date = d.day
      ORDER BY d.day, f.first_ring
    )
    SELECT f.day, n + 1, f.times + 1, r.rings_at, r.rings_at + alarm_window(), f.difficulty, w.day IS NOT NULL
    FROM firsts f
    LEFT JOIN wake_ups w ON w.uid = user_id AND w.day = f.day
    CROSS JOIN generate_series(0, f.times) n
    CROSS JOIN LATERAL (SELECT f.first_ring + make_interval(mins => n * f.every_minutes) AS rings_at) r
    WHERE r.rings_at < f.silent_from
    ORDER BY r.rings_at, f.day;
END $$;

-- The ring that can be answered at an instant, the later one of two; NULL if there is none.
CREATE OR REPLACE FUNCTION alarm_ring_at(
  user_id uuid, clock timestamptz, OUT day date, OUT ring integer, OUT rings integer, OUT rings_at timestamptz,
  OUT ends_at timestamptz, OUT difficulty text, OUT earned boolean
) LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  SELECT r.* INTO day, ring, rings, rings_at, ends_at, difficulty, earned FROM alarm_rings(user_id, clock) r
    WHERE r.rings_at <= clock AND r.ends_at >= clock ORDER BY r.rings_at DESC, r.day DESC LIMIT 1;
END $$;

-- The alarm as its owner sees it: the setting in force or the default, the coming rings of the next day that has no ant
-- yet, and the ring that can be answered now.
CREATE OR REPLACE FUNCTION alarm_state(user_id uuid) RETURNS TABLE (
  enabled boolean, "time" time, difficulty text, sound text, every_minutes integer, times integer, time_zone text,
  day date, earned_today boolean, rings_at timestamptz[], window_day date, window_ring integer, window_rings integer,
  opened_at timestamptz, closes_at timestamptz, tries_left integer, server_time timestamptz
) LANGUAGE plpgsql STABLE ROWS 1 SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  clock timestamptz := anthill_clock();
  present record;
BEGIN
  server_time := clock;
  SELECT a.enabled, a.rings_at, a.difficulty, a.sound, a.every_minutes, a.times, u.time_zone
    INTO enabled, "time", difficulty, sound, every_minutes, times, time_zone
    FROM students u LEFT JOIN alarms a ON a.uid = user_id AND a.until = 'infinity' WHERE u.uid = user_id;
  IF enabled IS NULL THEN
    enabled := false;
    "time" := '06:30';
    difficulty := 'medium';
    sound := 'bell';
    every_minutes := 5;
    times := 3;
  END IF;
  day := (clock AT TIME ZONE time_zone)::date;
  earned_today := EXISTS (SELECT FROM wake_ups w WHERE w.uid = user_id AND w.day = alarm_state.day);
  rings_at := ARRAY(
    SELECT r.rings_at FROM alarm_rings(user_id, clock) r
    WHERE r.rings_at > clock AND r.day = (
      SELECT n.day FROM alarm_rings(user_id, clock) n
      WHERE n.rings_at > clock AND NOT n.earned
      ORDER BY n.rings_at LIMIT 1)
    ORDER BY r.rings_at);
  SELECT * INTO present FROM alarm_ring_at(user_id, clock) r WHERE NOT r.earned;
  window_day := present.day;
  window_ring := present.ring;
  window_rings := present.rings;
  opened_at := present.rings_at;
  closes_at := present.ends_at;
  IF window_day IS NOT NULL THEN
    tries_left := alarm_tries() - coalesce((SELECT c.tries FROM wake_up_challenges c
                                WHERE c.uid = user_id AND c.day = window_day AND c.ring = window_ring), 0);
  END IF;
  RETURN NEXT;
END $$;

-- Sets the alarm. When it is turned on or gets another time, its first ring is at least alarm_notice() ahead: an alarm
-- is set before one sleeps, not at noon for the ant. Other changes do not delay it. Turned off, it is silent at once.
CREATE OR REPLACE FUNCTION set_alarm(
  user_id uuid, enabled boolean, at time, difficulty text, sound text, every_minutes bigint, times bigint
) RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  owner students := lock_student(user_id);
  clock timestamptz := anthill_clock();
  old alarms;
  counts timestamptz := clock + alarm_notice();
BEGIN
  SELECT * INTO old FROM alarms a WHERE a.uid = owner.uid AND a.until = 'infinity';
  IF old.enabled AND set_alarm.enabled AND old.rings_at = at AND old.time_zone = owner.time_zone THEN
    counts := old.counts_from;
  END IF;
  -- A setting that has rung is kept for its remaining rings; one that has not rung is deleted.
  UPDATE alarms a SET until = clock
    WHERE a.uid = owner.uid AND a.until = 'infinity' AND a.set_at < clock AND a.enabled AND EXISTS (
      SELECT FROM generate_series(-2, 1) n
      CROSS JOIN LATERAL (
        SELECT first_instant((clock AT TIME ZONE a.time_zone)::date + n, a.rings_at, a.time_zone) AS rang) f
      WHERE f.rang >= greatest(a.set_at, a.counts_from) AND f.rang < clock);
  DELETE FROM alarms a WHERE a.uid = owner.uid AND (a.until = 'infinity' OR a.until < clock - interval '3 days');
  IF NOT set_alarm.enabled THEN
    UPDATE alarms a SET silent_from = clock WHERE a.uid = owner.uid AND a.silent_from = 'infinity';
  END IF;
  INSERT INTO alarms (uid, set_at, counts_from, enabled, rings_at, time_zone, difficulty, sound, every_minutes, times)
    VALUES (owner.uid, clock, counts, set_alarm.enabled, at, owner.time_zone, set_alarm.difficulty, set_alarm.sound,
            set_alarm.every_minutes, set_alarm.times);
  PERFORM remind_of_alarm(owner.uid);
END $$;

-- The problem of the current ring: the one that was asked before, or else the one offered for the alarm's difficulty.
-- `offered` has one for each difficulty: {"easy": {"puzzle": …, "answer": 42}, …}.
CREATE OR REPLACE FUNCTION ask_wake_up(user_id uuid, offered jsonb) RETURNS TABLE (
  challenge_id uuid, puzzle jsonb, expires_at timestamptz, tries_left integer
) LANGUAGE plpgsql ROWS 1 SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  owner students := lock_student(user_id);
  clock timestamptz := anthill_clock();
  present record;
  tries integer;
BEGIN
  SELECT * INTO present FROM alarm_ring_at(owner.uid, clock);
  IF present.day IS NULL THEN
    PERFORM refuse('outside_alarm_window', 'no alarm rings now');
  ELSIF present.earned THEN
    PERFORM refuse('wake_up_already_earned', format('the ant of %s is earned', present.day));
  END IF;
  INSERT INTO wake_up_challenges (uid, day, ring, puzzle, answer, asked_at, expires_at)
    VALUES (owner.uid, present.day, present.ring, offered -> present.difficulty -> 'puzzle',
            (offered -> present.difficulty ->> 'answer')::integer, clock, present.ends_at)
    ON CONFLICT ON CONSTRAINT wake_up_challenges_of_ring DO NOTHING;
  SELECT c.challenge_id, c.puzzle, c.expires_at, c.tries INTO challenge_id, puzzle, expires_at, tries
    FROM wake_up_challenges c WHERE c.uid = owner.uid AND c.day = present.day AND c.ring = present.ring;
  IF tries >= alarm_tries() THEN
    PERFORM refuse('too_many_tries', 'all tries were made');
  END IF;
  tries_left := alarm_tries() - tries;
  RETURN NEXT;
END $$;

-- Takes one try at a problem. The right answer earns the ant of the ring's day. When the day has its ant, further
-- answers change nothing, so an answer that is sent twice earns it once.
CREATE OR REPLACE FUNCTION answer_wake_up(user_id uuid, for_challenge uuid, given bigint) RETURNS TABLE (
  correct boolean, wake_up boolean, tries_left integer
) LANGUAGE plpgsql ROWS 1 SET search_path = public, pg_temp AS $$
DECLARE
  owner students := lock_student(user_id);
  clock timestamptz := anthill_clock();
  asked wake_up_challenges;
BEGIN
  SELECT * INTO asked FROM wake_up_challenges c WHERE c.uid = owner.uid AND c.challenge_id = for_challenge;
  IF NOT FOUND THEN
    PERFORM refuse('challenge_not_found', 'no such challenge', 'no_data_found');
  END IF;
  correct := asked.answer = given;
  wake_up := EXISTS (SELECT FROM wake_ups w WHERE w.uid = owner.uid AND w.day = asked.day);
  IF NOT wake_up THEN
    IF clock > asked.expires_at THEN
      PERFORM refuse('outside_alarm_window', 'the ring is over');
    ELSIF asked.tries >= alarm_tries() THEN
      PERFORM refuse('too_many_tries', 'all tries were made');
    END IF;
    asked.tries := asked.tries + 1;
    UPDATE wake_up_challenges c SET tries = asked.tries, solved_at = CASE WHEN correct THEN clock END
      WHERE c.uid = owner.uid AND c.challenge_id = for_challenge;
    IF correct THEN
      INSERT INTO wake_ups (uid, day, earned_at) VALUES (owner.uid, asked.day, clock);
      wake_up := true;
    END IF;
  END IF;
  tries_left := alarm_tries() - asked.tries;
  RETURN NEXT;
END $$;

-- Deletes problems that can no longer be answered. Solved ones stay, so that every ant can be explained.
CREATE OR REPLACE FUNCTION forget_challenges() RETURNS bigint LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  forgotten bigint;
BEGIN
  DELETE FROM wake_up_challenges c WHERE c.solved_at IS NULL AND c.expires_at < anthill_clock() - interval '2 days';
  GET DIAGNOSTICS forgotten = ROW_COUNT;
  RETURN forgotten;
END $$;
