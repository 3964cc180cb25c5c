-- The morning alarm: when it rings, the problem that is to be solved then, and the wake-up ant for solving it.

-- One setting of a user's alarm, in force from set_at until the next one. Those that have rung stay for a few days:
-- what rang this morning, and how often it rings again, does not change with the setting for tomorrow.
CREATE TABLE alarms (
  uid uuid CONSTRAINT alarms_user REFERENCES users ON DELETE CASCADE,
  set_at timestamptz,
  until timestamptz NOT NULL DEFAULT 'infinity',
  counts_from timestamptz NOT NULL,                       -- a first ring before this does not count, see set_alarm
  silent_from timestamptz NOT NULL DEFAULT 'infinity',    -- when the alarm was turned off: it does not ring again then
  enabled boolean NOT NULL,
  rings_at time NOT NULL CONSTRAINT alarms_time CHECK (rings_at < '24:00' AND extract(second FROM rings_at) = 0),
  time_zone text NOT NULL CONSTRAINT alarms_time_zone REFERENCES time_zones,
  difficulty text NOT NULL CONSTRAINT alarms_difficulty CHECK (difficulty IN ('easy', 'medium', 'hard')),
  sound text NOT NULL CONSTRAINT alarms_sound CHECK (sound IN ('bell', 'birds', 'wood', 'none')),
  every_minutes integer NOT NULL CONSTRAINT alarms_every_minutes CHECK (every_minutes BETWEEN 1 AND 60),
  times integer NOT NULL CONSTRAINT alarms_times CHECK (times BETWEEN 0 AND 10),
  CONSTRAINT alarms_key PRIMARY KEY (uid, set_at),
  CONSTRAINT alarms_order CHECK (until > set_at)
);
CREATE UNIQUE INDEX alarms_one_in_force ON alarms (uid) WHERE until = 'infinity';

-- The problem of one ring: asking again within the ring gives the same one, so that nobody shops for an easy one, and
-- its tries are all the tries there are.
CREATE TABLE wake_up_challenges (
  uid uuid CONSTRAINT wake_up_challenges_user REFERENCES users ON DELETE CASCADE,
  challenge_id uuid DEFAULT gen_random_uuid(),
  day date NOT NULL,
  ring integer NOT NULL,
  puzzle jsonb NOT NULL,
  answer integer NOT NULL,
  asked_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,                        -- the last second in which it may be answered
  tries integer NOT NULL DEFAULT 0 CONSTRAINT wake_up_challenges_tries CHECK (tries BETWEEN 0 AND 5),
  solved_at timestamptz,
  CONSTRAINT wake_up_challenges_key PRIMARY KEY (uid, challenge_id),
  CONSTRAINT wake_up_challenges_of_ring UNIQUE (uid, day, ring)
);
CREATE INDEX wake_up_challenges_by_expiry ON wake_up_challenges (expires_at);

-- The first instant at which the clocks of a zone show that day and time, or a later one: of an hour that comes twice
-- the first coming, of one that never comes the instant after it.
CREATE FUNCTION first_instant(day date, at time, zone text)
  RETURNS timestamptz LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE AS $$
DECLARE
  wanted timestamp := day + at;
  -- No zone is further from UTC than this, and none changes its clocks twice in so short a time.
  before timestamptz := (wanted - interval '15 hours') AT TIME ZONE 'UTC';
  after timestamptz := (wanted + interval '13 hours') AT TIME ZONE 'UTC';
  by_old timestamptz := (wanted - (before AT TIME ZONE zone - before AT TIME ZONE 'UTC')) AT TIME ZONE 'UTC';
  by_new timestamptz := (wanted - (after AT TIME ZONE zone - after AT TIME ZONE 'UTC')) AT TIME ZONE 'UTC';
  early timestamptz := least(by_old, by_new);
  late timestamptz := greatest(by_old, by_new);
  middle timestamptz;
BEGIN
  IF early AT TIME ZONE zone = wanted THEN RETURN early; END IF;
  -- A skipped time: the change lies between the two, and only one side of it shows less than what is wanted.
  WHILE late AT TIME ZONE zone > wanted AND late - early > interval '1 second' LOOP
    middle := date_trunc('second', early + (late - early) / 2);
    IF middle AT TIME ZONE zone < wanted THEN early := middle; ELSE late := middle; END IF;
  END LOOP;
  RETURN late;
END $$;

-- The rings around an instant, a few days back and ahead, in their order. A day has one first ring: the first of any
-- setting that was in force at that moment and counts by then; the others follow it by the same setting. Rings after
-- midnight belong to the day of the first. A day that a zone skips has none. A ring is answered within two minutes,
-- the last second included.
CREATE FUNCTION alarm_rings(whose uuid, clock timestamptz) RETURNS TABLE (
  day date, ring integer, rings integer, rings_at timestamptz, ends_at timestamptz, difficulty text
) LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
BEGIN
  RETURN QUERY
    WITH firsts AS (
      SELECT DISTINCT ON (d.day) d.day, f.first_ring, a.difficulty, a.every_minutes, a.times, a.silent_from
      FROM alarms a
      CROSS JOIN generate_series(-2, 3) n
      CROSS JOIN LATERAL (SELECT (clock AT TIME ZONE a.time_zone)::date + n AS day) d
      CROSS JOIN LATERAL (SELECT first_instant(d.day, a.rings_at, a.time_zone) AS first_ring) f
      WHERE a.uid = whose AND a.enabled
        AND f.first_ring >= greatest(a.set_at, a.counts_from) AND f.first_ring < a.until
        AND (first_instant(d.day, '00:00', a.time_zone) AT TIME ZONE a.time_zone)::date = d.day
      ORDER BY d.day, f.first_ring
    )
    SELECT f.day, n + 1, f.times + 1, r.rings_at, r.rings_at + interval '2 minutes', f.difficulty
    FROM firsts f
    CROSS JOIN generate_series(0, f.times) n
    CROSS JOIN LATERAL (SELECT f.first_ring + make_interval(mins => n * f.every_minutes) AS rings_at) r
    WHERE r.rings_at < f.silent_from
    ORDER BY r.rings_at, f.day;
END $$;

-- The ring that may be answered at an instant, the latest if there are two; none: NULL.
CREATE FUNCTION alarm_ring_at(
  whose uuid, clock timestamptz, OUT day date, OUT ring integer, OUT rings integer, OUT rings_at timestamptz,
  OUT ends_at timestamptz, OUT difficulty text
) LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
  SELECT r.* INTO day, ring, rings, rings_at, ends_at, difficulty FROM alarm_rings(whose, clock) r
    WHERE r.rings_at <= clock AND r.ends_at >= clock ORDER BY r.rings_at DESC, r.day DESC LIMIT 1;
END $$;

-- The alarm as its owner sees it: the setting in force (where there is none, what is offered), the rings to come of the
-- next day whose ant is not earned, and the ring that may be answered now.
CREATE FUNCTION alarm_state(whose uuid) RETURNS TABLE (
  enabled boolean, "time" time, difficulty text, sound text, every_minutes integer, times integer, time_zone text,
  day date, earned_today boolean, rings_at timestamptz[], window_day date, window_ring integer, window_rings integer,
  opened_at timestamptz, closes_at timestamptz, tries_left integer, server_time timestamptz
) LANGUAGE plpgsql STABLE ROWS 1 SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  clock timestamptz := anthill_clock();
  present record;
BEGIN
  server_time := clock;
  SELECT a.enabled, a.rings_at, a.difficulty, a.sound, a.every_minutes, a.times, u.time_zone
    INTO enabled, "time", difficulty, sound, every_minutes, times, time_zone
    FROM users u LEFT JOIN alarms a ON a.uid = u.uid AND a.until = 'infinity' WHERE u.uid = whose;
  IF enabled IS NULL THEN
    enabled := false;
    "time" := '06:30';
    difficulty := 'medium';
    sound := 'bell';
    every_minutes := 5;
    times := 3;
  END IF;
  day := (clock AT TIME ZONE time_zone)::date;
  earned_today := EXISTS (SELECT FROM wake_ups w WHERE w.uid = whose AND w.day = alarm_state.day);
  rings_at := ARRAY(
    SELECT r.rings_at FROM alarm_rings(whose, clock) r
    WHERE r.rings_at > clock AND r.day = (
      SELECT n.day FROM alarm_rings(whose, clock) n
      WHERE n.rings_at > clock AND NOT EXISTS (SELECT FROM wake_ups w WHERE w.uid = whose AND w.day = n.day)
      ORDER BY n.rings_at LIMIT 1)
    ORDER BY r.rings_at);
  SELECT * INTO present FROM alarm_ring_at(whose, clock) r
    WHERE NOT EXISTS (SELECT FROM wake_ups w WHERE w.uid = whose AND w.day = r.day);
  window_day := present.day;
  window_ring := present.ring;
  window_rings := present.rings;
  opened_at := present.rings_at;
  closes_at := present.ends_at;
  IF window_day IS NOT NULL THEN
    tries_left := 5 - coalesce((SELECT c.tries FROM wake_up_challenges c
                                WHERE c.uid = whose AND c.day = window_day AND c.ring = window_ring), 0);
  END IF;
  RETURN NEXT;
END $$;

-- Sets the alarm. Where it rings at another time than before, or was off, the first ring that counts lies at least 30
-- minutes ahead: an alarm is set before one sleeps, not at noon for the ant. What changes nothing of that keeps
-- counting. Turned off, it is silent at once.
CREATE FUNCTION set_alarm(
  whose uuid, enabled boolean, at time, difficulty text, sound text, every_minutes bigint, times bigint
) RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  owner users := hold_user(whose);
  clock timestamptz := anthill_clock();
  old alarms;
  counts timestamptz := clock + interval '30 minutes';
BEGIN
  SELECT * INTO old FROM alarms a WHERE a.uid = owner.uid AND a.until = 'infinity';
  IF old.enabled AND set_alarm.enabled AND old.rings_at = at AND old.time_zone = owner.time_zone THEN
    counts := old.counts_from;
  END IF;
  -- What has rung is kept for its rings to come; what has not is as if it had never been.
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
END $$;

-- Another study clock, for what is recorded from now on; a running interval keeps its own, and the alarm rings by the
-- new zone as if it had been set now.
CREATE OR REPLACE FUNCTION set_study_clock(whose uuid, zone text, starts time)
  RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  owner users := hold_user(whose);
BEGIN
  UPDATE users u SET time_zone = zone, day_starts_at = starts WHERE u.uid = owner.uid;
  PERFORM set_alarm(a.uid, a.enabled, a.rings_at, a.difficulty, a.sound, a.every_minutes, a.times)
    FROM alarms a WHERE a.uid = owner.uid AND a.until = 'infinity' AND a.time_zone <> zone;
END $$;

-- The problem of the present ring: the one that was asked before, or else the offered one of the alarm's difficulty.
-- `offered` has one for each: {"easy": {"puzzle": …, "answer": 42}, …}.
CREATE FUNCTION ask_wake_up(whose uuid, offered jsonb) RETURNS TABLE (
  challenge_id uuid, puzzle jsonb, expires_at timestamptz, tries_left integer
) LANGUAGE plpgsql ROWS 1 SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  owner users := hold_user(whose);
  clock timestamptz := anthill_clock();
  present record;
  tries integer;
BEGIN
  SELECT * INTO present FROM alarm_ring_at(owner.uid, clock);
  IF present.day IS NULL THEN
    RAISE EXCEPTION 'no alarm rings now' USING ERRCODE = 'check_violation', CONSTRAINT = 'outside_alarm_window';
  ELSIF EXISTS (SELECT FROM wake_ups w WHERE w.uid = owner.uid AND w.day = present.day) THEN
    RAISE EXCEPTION 'the ant of % is earned', present.day
      USING ERRCODE = 'check_violation', CONSTRAINT = 'wake_up_already_earned';
  END IF;
  INSERT INTO wake_up_challenges (uid, day, ring, puzzle, answer, asked_at, expires_at)
    VALUES (owner.uid, present.day, present.ring, offered -> present.difficulty -> 'puzzle',
            (offered -> present.difficulty ->> 'answer')::integer, clock, present.ends_at)
    ON CONFLICT ON CONSTRAINT wake_up_challenges_of_ring DO NOTHING;
  SELECT c.challenge_id, c.puzzle, c.expires_at, c.tries INTO challenge_id, puzzle, expires_at, tries
    FROM wake_up_challenges c WHERE c.uid = owner.uid AND c.day = present.day AND c.ring = present.ring;
  IF tries >= 5 THEN
    RAISE EXCEPTION 'five tries were made' USING ERRCODE = 'check_violation', CONSTRAINT = 'too_many_tries';
  END IF;
  tries_left := 5 - tries;
  RETURN NEXT;
END $$;

-- Takes one try at a problem; the right answer earns the ant of the ring's day. Once that is earned, nothing counts any
-- more: sent twice, it is earned once.
CREATE FUNCTION answer_wake_up(whose uuid, which uuid, given bigint) RETURNS TABLE (
  correct boolean, wake_up boolean, tries_left integer
) LANGUAGE plpgsql ROWS 1 SET search_path FROM CURRENT AS $$
DECLARE
  owner users := hold_user(whose);
  clock timestamptz := anthill_clock();
  asked wake_up_challenges;
BEGIN
  SELECT * INTO asked FROM wake_up_challenges c WHERE c.uid = owner.uid AND c.challenge_id = which;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'no such challenge' USING ERRCODE = 'no_data_found', CONSTRAINT = 'challenge_not_found';
  END IF;
  correct := asked.answer = given;
  wake_up := EXISTS (SELECT FROM wake_ups w WHERE w.uid = owner.uid AND w.day = asked.day);
  IF NOT wake_up THEN
    IF clock > asked.expires_at THEN
      RAISE EXCEPTION 'the ring is over' USING ERRCODE = 'check_violation', CONSTRAINT = 'outside_alarm_window';
    ELSIF asked.tries >= 5 THEN
      RAISE EXCEPTION 'five tries were made' USING ERRCODE = 'check_violation', CONSTRAINT = 'too_many_tries';
    END IF;
    asked.tries := asked.tries + 1;
    UPDATE wake_up_challenges c SET tries = asked.tries, solved_at = CASE WHEN correct THEN clock END
      WHERE c.uid = owner.uid AND c.challenge_id = which;
    IF correct THEN
      INSERT INTO wake_ups (uid, day, earned_at) VALUES (owner.uid, asked.day, clock);
      wake_up := true;
    END IF;
  END IF;
  tries_left := 5 - asked.tries;
  RETURN NEXT;
END $$;

-- Removes problems nobody can answer any more.
CREATE FUNCTION forget_challenges() RETURNS bigint LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  forgotten bigint;
BEGIN
  DELETE FROM wake_up_challenges c WHERE c.expires_at < anthill_clock() - interval '2 days';
  GET DIAGNOSTICS forgotten = ROW_COUNT;
  RETURN forgotten;
END $$;
