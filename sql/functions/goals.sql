-- Goals: what somebody wants to study in a week and in a month, and the dates that they count down to. The goal of a
-- day is in days.sql.

-- Sets both goals; without seconds there is none.
CREATE OR REPLACE FUNCTION set_period_goals(user_id uuid, week bigint, month bigint) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  owner students := lock_student(user_id);
BEGIN
  DELETE FROM period_goals g WHERE g.uid = owner.uid;
  IF week <> 0 THEN
    INSERT INTO period_goals (uid, period, goal_seconds) VALUES (owner.uid, 'week', week);
  END IF;
  IF month <> 0 THEN
    INSERT INTO period_goals (uid, period, goal_seconds) VALUES (owner.uid, 'month', month);
  END IF;
END $$;

-- Adds a date to count down to; at most most_target_dates().
CREATE OR REPLACE FUNCTION add_target_date(user_id uuid, title text, day date) RETURNS uuid
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  owner students := lock_student(user_id);
  made uuid;
BEGIN
  INSERT INTO target_dates (uid, title, day) VALUES (owner.uid, add_target_date.title, add_target_date.day)
    RETURNING id INTO made;
  IF (SELECT count(*) FROM target_dates t WHERE t.uid = owner.uid) > most_target_dates() THEN
    PERFORM refuse('too_many_target_dates', format('at most %s dates', most_target_dates()));
  END IF;
  RETURN made;
END $$;

-- The goals that a user has, with what they studied in the week and the month of a day, the running timer included, by
-- the days of their calendar.
CREATE OR REPLACE FUNCTION goals_of(user_id uuid, on_day date) RETURNS TABLE (
  period text, first_day date, goal_seconds integer, study_seconds integer
) LANGUAGE plpgsql STABLE ROWS 2 SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  until_day date;
BEGIN
  FOR period, goal_seconds, first_day, until_day IN
    SELECT g.period, g.goal_seconds, p.first_day, p.until_day
    FROM period_goals g CROSS JOIN LATERAL period_days(g.period, on_day) p
    WHERE g.uid = user_id
    ORDER BY p.until_day - p.first_day
  LOOP
    study_seconds := (SELECT sum(c.study_seconds)::integer FROM study_calendar(user_id, first_day, until_day) c);
    RETURN NEXT;
  END LOOP;
END $$;

-- The dates of a user with the days left until each, from a day on; negative for dates that are over.
CREATE OR REPLACE FUNCTION target_dates_of(user_id uuid, on_day date) RETURNS TABLE (
  id uuid, title text, day date, days_left integer
) LANGUAGE plpgsql STABLE ROWS 10 SET search_path = public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    SELECT t.id, t.title, t.day, t.day - on_day FROM target_dates t WHERE t.uid = user_id
    ORDER BY t.day, t.created_at, t.id;
END $$;

-- A study day as cells of ten minutes, by the user's clock: those with study, each with its seconds and the subject
-- that has most of them. A running timer counts up to now. One row without a cell if there is none.
CREATE OR REPLACE FUNCTION day_strip(user_id uuid, on_day date) RETURNS TABLE (
  day_begins timestamptz, day_ends timestamptz, zone text, starts_at timestamptz, seconds integer, subject_id uuid,
  subject text, colour text
) LANGUAGE plpgsql STABLE ROWS 40 SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  clock timestamptz := anthill_clock();
  owner students;
BEGIN
  SELECT * INTO owner FROM students u WHERE u.uid = user_id;
  day_begins := study_day_start(on_day, owner.time_zone, owner.day_starts_at);
  day_ends := study_day_start(on_day + 1, owner.time_zone, owner.day_starts_at);
  RETURN QUERY
    WITH cells AS (
      SELECT day_begins + n * interval '10 minutes' AS begins, s.subject_id,
             sum(extract(epoch FROM least(p.until, day_begins + (n + 1) * interval '10 minutes')
                                    - greatest(p.since, day_begins + n * interval '10 minutes')))::integer AS seconds
      FROM study_intervals i
      JOIN study_sessions s USING (uid, session_id)
      CROSS JOIN LATERAL (SELECT greatest(i.started_at, day_begins) AS since,
                                 least(coalesce(i.ended_at, clock), day_ends) AS until) p
      CROSS JOIN LATERAL generate_series(floor(extract(epoch FROM p.since - day_begins) / 600)::integer,
                                         ceil(extract(epoch FROM p.until - day_begins) / 600)::integer - 1) n
      WHERE i.uid = user_id AND i.retracted_at IS NULL AND NOT i.unconfirmed
        AND tstzrange(i.started_at, coalesce(i.ended_at, 'infinity')) && tstzrange(day_begins, day_ends)
        AND NOT timer_is_overdue(i.started_at, i.ended_at, clock)
      GROUP BY 1, 2
    ),
    first_of AS (
      SELECT DISTINCT ON (c.begins) c.begins, c.subject_id,
             sum(c.seconds) OVER (PARTITION BY c.begins)::integer AS seconds
      FROM cells c ORDER BY c.begins, c.seconds DESC, c.subject_id
    )
    SELECT day_begins, day_ends, owner.time_zone, f.begins, f.seconds, x.id, x.name, x.colour
    FROM (SELECT) one
    LEFT JOIN first_of f ON true
    LEFT JOIN subjects x ON x.uid = user_id AND x.id = f.subject_id
    ORDER BY f.begins;
END $$;
