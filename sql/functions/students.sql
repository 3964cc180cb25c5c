-- Students: one row per user. All study of the user belongs to it, and writers of that study lock it.

-- Every user is a student from the beginning, with the default clock and goal.
CREATE OR REPLACE FUNCTION enrol_user() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO students (uid) VALUES (NEW.uid) ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER users_enrolled AFTER INSERT ON users FOR EACH ROW EXECUTE FUNCTION enrol_user();

-- Locks a user's study, so that its writers follow one another, ends an overdue timer, and returns the user's row. Read
-- the clock after this, not before, because waiting for the lock takes time.
CREATE OR REPLACE FUNCTION lock_student(user_id uuid) RETURNS students
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  owner students;
BEGIN
  SELECT * INTO owner FROM students s WHERE s.uid = user_id FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    PERFORM refuse('user_not_found', 'no such user', 'no_data_found');
  END IF;
  PERFORM FROM study_intervals i
    WHERE i.uid = user_id AND timer_is_overdue(i.started_at, i.ended_at, anthill_clock());
  IF FOUND THEN PERFORM end_overdue_timer(user_id); END IF;
  RETURN owner;
END $$;

-- Locks the study of many users, as lock_student does for one: other writers finish first, or later read a clock that
-- shows at least `since`. (An update, because it locks the rows on every node of a database.)
--
-- Several people are always locked in the order of their UIDs: with this function, or one by one with lock_student. So
-- two callers never wait for each other. A group's row is locked before its people. The settings make PostgreSQL walk
-- through the index of the UIDs; another plan would lock the rows in the order in which they lie in the table.
CREATE OR REPLACE FUNCTION lock_students(people uuid[], since timestamptz DEFAULT '-infinity')
  RETURNS void LANGUAGE plpgsql
  SET search_path = public, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off AS $$
BEGIN
  UPDATE students s SET not_before = greatest(s.not_before, since) WHERE s.uid = ANY (people);
END $$;

-- The time for a user whose row the caller holds: never earlier than when one of their months was closed.
CREATE OR REPLACE FUNCTION clock_of(owner students) RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE
  RETURN greatest(anthill_clock(), owner.not_before);

-- Sets the study clock for everything that is recorded from now on; NULL keeps a value. A running interval keeps its
-- clock; the alarm follows the new zone as if it had been set now, and the weekly letter the end of the new week.
CREATE OR REPLACE FUNCTION set_study_clock(user_id uuid, zone text, starts time)
  RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  owner students := lock_student(user_id);
  alarm alarms;
BEGIN
  UPDATE students s SET time_zone = coalesce(zone, s.time_zone), day_starts_at = coalesce(starts, s.day_starts_at)
    WHERE s.uid = owner.uid;
  SELECT * INTO alarm FROM alarms a WHERE a.uid = owner.uid AND a.until = 'infinity' AND a.time_zone <> zone;
  IF FOUND THEN
    PERFORM set_alarm(alarm.uid, alarm.enabled, alarm.rings_at, alarm.difficulty, alarm.sound, alarm.every_minutes,
                      alarm.times);
  END IF;
  IF zone <> owner.time_zone OR starts <> owner.day_starts_at THEN
    PERFORM set_weekly_letter(w.uid, true) FROM weekly_letters w WHERE w.uid = owner.uid;
  END IF;
END $$;
