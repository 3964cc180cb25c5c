-- Days: the goal of a day, the ants it earned, planned rest days, and streaks.
--
-- A study day earns the study ant when its recorded seconds reach its goal, a midnight day earns the wake-up ant; a
-- date with both is perfect. Only what was done is stored: when study is deleted, its ant goes with it.

-- The goal of any day, with study or without, given the goal in force now. Days before the first change have the first
-- goal.
CREATE OR REPLACE FUNCTION goal_of_day(user_id uuid, day date, goal_now integer)
  RETURNS integer LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  RETURN coalesce((SELECT p.goal_seconds FROM past_goals p WHERE p.uid = user_id AND p.until_day > goal_of_day.day
                   ORDER BY p.until_day LIMIT 1), goal_now);
END $$;

-- Sets the daily goal for today and all later days; a day that has ended keeps its goal.
CREATE OR REPLACE FUNCTION set_daily_goal(user_id uuid, goal bigint)
  RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  owner students := lock_student(user_id);
  today date := study_day(anthill_clock(), owner.time_zone, owner.day_starts_at);
  goal_before integer := goal_of_day(owner.uid, today - 1, owner.daily_goal_seconds);
BEGIN
  UPDATE students s SET daily_goal_seconds = goal WHERE s.uid = owner.uid;
  -- All changes of one day are one change; after a move to the west, today may be before the last change.
  DELETE FROM past_goals p WHERE p.uid = owner.uid AND p.until_day >= today;
  IF goal_before <> goal THEN
    INSERT INTO past_goals (uid, until_day, goal_seconds) VALUES (owner.uid, today, goal_before);
  END IF;
  UPDATE study_days d SET goal_seconds = goal WHERE d.uid = owner.uid AND d.day >= today;
  -- Boards by goal show it.
  PERFORM note_change(owner.uid);
END $$;

-- The picture of a day. Whole minutes decide: seed up to 200, sprout up to 410, apple up to 511, tree from 512.
CREATE OR REPLACE FUNCTION growth(seconds integer) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN CASE WHEN seconds / 60 <= 200 THEN 'seed' WHEN seconds / 60 <= 410 THEN 'sprout'
              WHEN seconds / 60 <= 511 THEN 'apple' ELSE 'tree' END;

-- The recorded seconds and the streaks of the days before until_day, given what those before past.until_day come to. A
-- streak is days in a row with the study ant. Today never breaks it before it is over. A planned rest day without the
-- ant and a date that did not exist neither add to a streak nor break it; any other day without the ant breaks it.
CREATE OR REPLACE FUNCTION streaks_after(past past_streaks, until_day date, today date,
    OUT study_seconds bigint, OUT current_streak integer, OUT longest_streak integer)
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
DECLARE
  first_day date := past.until_day;
BEGIN
  IF NOT isfinite(first_day) THEN
    first_day := (SELECT min(k.day) FROM study_days k WHERE k.uid = past.uid);
  END IF;
  -- For days that follow one another in a streak, date minus row number is the same. The streak that begins on
  -- past.until_day goes on with the one before.
  SELECT past.study_seconds + coalesce(sum(s.seconds), 0),
         coalesce(max(s.length) FILTER (WHERE s.last_day >= today - 1), 0), greatest(past.longest_streak, max(s.length))
    INTO study_seconds, current_streak, longest_streak
    FROM (
      SELECT sum(n.study_seconds) AS seconds, max(n.day) FILTER (WHERE n.keeps) AS last_day,
             count(*) FILTER (WHERE n.keeps AND n.study)
               + CASE WHEN n.streak = past.until_day - 1 THEN past.current_streak ELSE 0 END AS length
      FROM (
        SELECT d.*, d.day - (count(*) FILTER (WHERE d.keeps) OVER (ORDER BY d.day))::integer AS streak
        FROM (
          SELECT day, k.study_seconds, k.study, (k.study OR r.day IS NOT NULL) AND day <= today AS keeps
          FROM (
            SELECT t.day, t.study_seconds, t.study_seconds >= t.goal_seconds AS study
            FROM study_days t WHERE t.uid = past.uid AND t.day >= past.until_day AND t.day < streaks_after.until_day
          ) k
          FULL JOIN (
            SELECT t.day FROM rest_days t
            WHERE t.uid = past.uid AND t.day >= past.until_day AND t.day < streaks_after.until_day
            UNION
            SELECT t.day FROM skipped_days(first_day, least(today, streaks_after.until_day - 1), past.time_zone,
                                           past.day_starts_at) t (day)
          ) r USING (day)
        ) d
      ) n
      GROUP BY n.streak
    ) s;
END $$;

-- What a user's past days come to, as far as they are summed up under the present study clock.
CREATE OR REPLACE FUNCTION past_streaks_of(owner students) RETURNS past_streaks
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
DECLARE
  past past_streaks;
BEGIN
  SELECT * INTO past FROM past_streaks p
    WHERE p.uid = owner.uid AND p.time_zone = owner.time_zone AND p.day_starts_at = owner.day_starts_at;
  IF FOUND THEN RETURN past; END IF;
  RETURN (owner.uid, '-infinity', owner.time_zone, owner.day_starts_at, 0, 0, 0)::past_streaks;
END $$;

-- The day up to which days are summed up: today is after it in every zone, and it never goes back.
CREATE OR REPLACE FUNCTION sum_up_until(clock timestamptz) RETURNS date
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  RETURN month_of((clock AT TIME ZONE 'UTC')::date - 7);
END $$;

-- Sums up a user's days before until_day. The caller holds the owner's row.
CREATE OR REPLACE FUNCTION sum_up_days(owner students, until_day date) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  past past_streaks := past_streaks_of(owner);
BEGIN
  IF past.until_day >= until_day THEN RETURN; END IF;
  SELECT s.study_seconds, s.current_streak, s.longest_streak
    INTO past.study_seconds, past.current_streak, past.longest_streak
    FROM streaks_after(past, until_day, until_day) s;
  past.until_day := until_day;
  DELETE FROM past_streaks p WHERE p.uid = owner.uid;
  INSERT INTO past_streaks VALUES (past.*);
END $$;

-- Today by the user's clock, all recorded seconds, and the current and longest streak.
CREATE OR REPLACE FUNCTION study_streaks(user_id uuid) RETURNS TABLE (
  today date, recorded_seconds bigint, current_streak integer, longest_streak integer
) LANGUAGE plpgsql STABLE ROWS 1 SET search_path = public, pg_temp AS $$
DECLARE
  owner students;
BEGIN
  SELECT * INTO owner FROM students u WHERE u.uid = user_id;
  IF NOT FOUND THEN RETURN; END IF;
  today := study_day(anthill_clock(), owner.time_zone, owner.day_starts_at);
  SELECT s.study_seconds, s.current_streak, s.longest_streak INTO recorded_seconds, current_streak, longest_streak
    FROM streaks_after(past_streaks_of(owner), 'infinity', today) s;
  RETURN NEXT;
END $$;

-- The days of [from_day, until_day), one row each, including what the running timer has added so far. The ant needs
-- recorded time, because a timer may still be cancelled. (Planned once: planning takes three times as long as a month
-- of days.)
CREATE OR REPLACE FUNCTION study_calendar(user_id uuid, from_day date, until_day date) RETURNS TABLE (
  day date, study_seconds integer, goal_seconds integer, growth text, wake_up boolean, study boolean, perfect boolean,
  rest boolean
) LANGUAGE plpgsql STABLE ROWS 31 SET search_path = public, pg_temp SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
DECLARE
  clock timestamptz := anthill_clock();
  goal_now integer := (SELECT u.daily_goal_seconds FROM students u WHERE u.uid = user_id);
BEGIN
  FOR day, study_seconds, goal_seconds, wake_up, study, rest IN
    SELECT from_day + n, coalesce(k.study_seconds, 0) + coalesce(live.seconds, 0), k.goal_seconds,
           w.day IS NOT NULL, coalesce(k.study_seconds >= k.goal_seconds, false), r.day IS NOT NULL
    FROM generate_series(0, until_day - from_day - 1) n
    -- (The bounds are said once more, so that no other day is read.)
    LEFT JOIN study_days k ON k.uid = user_id AND k.day = from_day + n AND k.day >= from_day AND k.day < until_day
    LEFT JOIN wake_ups w ON w.uid = user_id AND w.day = from_day + n AND w.day >= from_day AND w.day < until_day
    LEFT JOIN rest_days r ON r.uid = user_id AND r.day = from_day + n AND r.day >= from_day AND r.day < until_day
    LEFT JOIN (
      SELECT p.day, p.seconds FROM study_intervals i
      CROSS JOIN LATERAL study_parts(i.started_at, clock, i.time_zone, i.day_starts_at) p
      WHERE i.uid = user_id AND timer_runs(i.started_at, i.ended_at, clock)
    ) live ON live.day = from_day + n
  LOOP
    goal_seconds := coalesce(goal_seconds, goal_of_day(user_id, day, goal_now));
    growth := growth(study_seconds);
    perfect := wake_up AND study;
    RETURN NEXT;
  END LOOP;
END $$;

-- The days of [from_day, until_day) and their totals, as the API writes them; only those with study or an ant where the
-- rest is to be left out.
CREATE OR REPLACE FUNCTION calendar_json(
  user_id uuid, from_day date, until_day date, leaves_out boolean, OUT days json, OUT totals json
) LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  SELECT coalesce(json_agg(c ORDER BY c.day), '[]'), json_build_object(
           'study_seconds', coalesce(sum(c.study_seconds), 0), 'perfect', count(*) FILTER (WHERE c.perfect),
           'trees', count(*) FILTER (WHERE c.growth = 'tree'))
    INTO days, totals
    FROM study_calendar(user_id, from_day, until_day) c
    WHERE NOT leaves_out OR c.study_seconds > 0 OR c.wake_up OR c.study;
END $$;

-- A whole month, days to come included, with its totals and the present streaks; NULL for the month that today is in.
CREATE OR REPLACE FUNCTION calendar_month(user_id uuid, in_month date) RETURNS json
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  RETURN (
    SELECT json_build_object(
      'month', to_char(m.first_day, 'YYYY-MM'), 'days', c.days, 'totals', c.totals,
      'streaks', json_build_object('current', s.current_streak, 'longest', s.longest_streak))
    FROM study_streaks(user_id) s
    CROSS JOIN LATERAL (SELECT coalesce(in_month, month_of(s.today)) AS first_day) m
    CROSS JOIN LATERAL calendar_json(user_id, m.first_day, next_month(m.first_day), false) c);
END $$;

-- Today by the user's clock, including the running timer, with yesterday, this month and the total, the goals of the
-- week and the month, and the dates to count down to.
CREATE OR REPLACE FUNCTION study_today(user_id uuid) RETURNS TABLE (
  day date, starts_at timestamptz, ends_at timestamptz, study_seconds integer, goal_seconds integer, growth text,
  wake_up boolean, study boolean, perfect boolean, perfect_announced boolean, rest boolean, yesterday_seconds integer,
  month_trees integer, month_perfect integer, current_streak integer, longest_streak integer, total_seconds bigint,
  server_time timestamptz, goals jsonb, dates jsonb
) LANGUAGE plpgsql STABLE ROWS 1 SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  owner students;
  live_seconds integer;
BEGIN
  server_time := anthill_clock();
  SELECT * INTO owner FROM students u WHERE u.uid = user_id;
  IF NOT FOUND THEN RETURN; END IF;
  SELECT r.today, r.recorded_seconds, r.current_streak, r.longest_streak
    INTO day, total_seconds, current_streak, longest_streak FROM study_streaks(user_id) r;
  starts_at := study_day_start(day, owner.time_zone, owner.day_starts_at);
  ends_at := study_day_start(day + 1, owner.time_zone, owner.day_starts_at);

  SELECT max(c.study_seconds) FILTER (WHERE c.day = study_today.day),
         max(c.goal_seconds) FILTER (WHERE c.day = study_today.day),
         max(c.growth) FILTER (WHERE c.day = study_today.day),
         bool_or(c.wake_up) FILTER (WHERE c.day = study_today.day),
         bool_or(c.study) FILTER (WHERE c.day = study_today.day),
         bool_or(c.perfect) FILTER (WHERE c.day = study_today.day),
         bool_or(c.rest) FILTER (WHERE c.day = study_today.day),
         max(c.study_seconds) FILTER (WHERE c.day = study_today.day - 1),
         count(*) FILTER (WHERE c.growth = 'tree' AND c.day >= month_of(study_today.day)),
         count(*) FILTER (WHERE c.perfect AND c.day >= month_of(study_today.day))
    INTO study_seconds, goal_seconds, growth, wake_up, study, perfect, rest, yesterday_seconds, month_trees,
      month_perfect
    FROM study_calendar(user_id, least(month_of(day), day - 1), next_month(month_of(day))) c;
  perfect_announced := EXISTS (SELECT FROM perfect_announcements a WHERE a.uid = user_id AND a.day = study_today.day);
  live_seconds := (SELECT extract(epoch FROM server_time - i.started_at) FROM study_intervals i
                   WHERE i.uid = user_id AND timer_runs(i.started_at, i.ended_at, server_time));
  total_seconds := total_seconds + greatest(live_seconds, 0);
  goals := (SELECT coalesce(jsonb_agg(to_jsonb(g)), '[]') FROM goals_of(user_id, day) g);
  dates := (SELECT coalesce(jsonb_agg(to_jsonb(t)), '[]') FROM target_dates_of(user_id, day) t);
  RETURN NEXT;
END $$;

-- The current study day of a user.
CREATE OR REPLACE FUNCTION today_of(user_id uuid) RETURNS date
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  RETURN (SELECT study_day(anthill_clock(), u.time_zone, u.day_starts_at) FROM students u WHERE u.uid = user_id);
END $$;

-- Plans a rest day, from today to rest_days_ahead(). Does nothing if it is already planned.
CREATE OR REPLACE FUNCTION plan_rest_day(user_id uuid, rest date) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  owner students := lock_student(user_id);
  today date := study_day(anthill_clock(), owner.time_zone, owner.day_starts_at);
  broken text := CASE
    WHEN rest < today THEN 'not_in_the_future'
    WHEN rest > today + rest_days_ahead() THEN 'too_far_ahead'
    WHEN (SELECT count(*) FROM rest_days r WHERE r.uid = user_id AND r.day <> rest
            AND r.day >= month_of(rest) AND r.day < next_month(month_of(rest))) >= rest_days_a_month()
              THEN 'too_many_rest_days'
  END;
BEGIN
  IF broken IS NOT NULL THEN
    PERFORM refuse(broken, format('the rest day %s breaks the rule %s', rest, broken));
  END IF;
  INSERT INTO rest_days (uid, day) VALUES (owner.uid, rest) ON CONFLICT DO NOTHING;
END $$;

-- Removes a planned rest day that is not over.
CREATE OR REPLACE FUNCTION cancel_rest_day(user_id uuid, rest date) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  owner students := lock_student(user_id);
BEGIN
  IF rest < study_day(anthill_clock(), owner.time_zone, owner.day_starts_at) THEN
    PERFORM refuse('not_in_the_future', format('the rest day %s is over', rest));
  END IF;
  DELETE FROM rest_days r WHERE r.uid = owner.uid AND r.day = rest;
  IF NOT FOUND THEN
    PERFORM refuse('rest_day_not_found', 'no such rest day', 'no_data_found');
  END IF;
END $$;

-- Records, once, that the perfect ant of a day was shown: of today (also NULL) or of yesterday.
CREATE OR REPLACE FUNCTION announce_perfect(user_id uuid, on_day date)
  RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  today date := today_of(user_id);
BEGIN
  IF on_day NOT BETWEEN today - 1 AND today THEN
    PERFORM refuse('not_today', 'neither today nor yesterday');
  END IF;
  INSERT INTO perfect_announcements (uid, day) VALUES (user_id, coalesce(on_day, today)) ON CONFLICT DO NOTHING;
  IF NOT FOUND THEN
    PERFORM refuse('already_announced', 'it has been shown');
  END IF;
END $$;

-- Recorded study from first_day to last_day: seconds of the seven weekdays (of the study day, Monday first) and of the
-- 24 local hours, by the clock under which each interval was recorded. Without the days, the four weeks up to today.
CREATE OR REPLACE FUNCTION study_rhythm(user_id uuid, INOUT first_day date, INOUT last_day date,
    OUT weekdays bigint[], OUT hours bigint[])
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  IF first_day IS NULL THEN
    last_day := today_of(user_id);
    first_day := last_day - 27;
  END IF;
  weekdays := ARRAY(
    SELECT coalesce(sum(k.study_seconds), 0) FROM generate_series(1, 7) n
    LEFT JOIN study_days k ON k.uid = user_id AND k.day BETWEEN first_day AND last_day
      AND extract(isodow FROM k.day) = n
    GROUP BY n ORDER BY n);
  hours := ARRAY(
    SELECT coalesce(sum(f.seconds), 0) FROM generate_series(0, 23) n
    LEFT JOIN (
      SELECT h.hour, h.seconds
      FROM counting_intervals i
      CROSS JOIN LATERAL (
        SELECT p.day, p.seconds, i.ended_at - make_interval(secs => sum(p.seconds) OVER (ORDER BY p.day DESC)) AS began
        FROM study_parts(i.started_at, i.ended_at, i.time_zone, i.day_starts_at) p
      ) d
      CROSS JOIN LATERAL hour_parts(d.began, d.began + make_interval(secs => d.seconds), i.time_zone) h
      WHERE i.uid = user_id AND d.day BETWEEN first_day AND last_day
        AND tstzrange(i.started_at, coalesce(i.ended_at, 'infinity'))
            && tstzrange((first_day - 1)::timestamp AT TIME ZONE 'UTC', (last_day + 3)::timestamp AT TIME ZONE 'UTC')
    ) f ON f.hour = n
    GROUP BY n ORDER BY n);
END $$;
