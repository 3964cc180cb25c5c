-- Weekly letters: what somebody studied in the week that has ended, on the morning after it, by their own clock.

-- When the next letter of a user is due: some hours after the end of their week, when people are up.
CREATE OR REPLACE FUNCTION next_weekly_letter(user_id uuid) RETURNS timestamptz
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
DECLARE
  owner students := (SELECT s FROM students s WHERE s.uid = user_id);
  day date := study_day(anthill_clock() - weekly_letter_delay(), owner.time_zone, owner.day_starts_at);
BEGIN
  RETURN study_day_start(week_of(day) + 7, owner.time_zone, owner.day_starts_at) + weekly_letter_delay();
END $$;

-- Keeps when the next letter is due: of those who want letters, by their clock as it is now.
CREATE OR REPLACE FUNCTION set_weekly_letter(user_id uuid, is_wanted boolean) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF is_wanted THEN
    INSERT INTO weekly_letters (uid, due) VALUES (user_id, next_weekly_letter(user_id))
      ON CONFLICT ON CONSTRAINT weekly_letters_key DO UPDATE SET due = excluded.due;
  ELSE
    DELETE FROM weekly_letters w WHERE w.uid = user_id;
  END IF;
END $$;

CREATE OR REPLACE FUNCTION note_weekly_mail() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM set_weekly_letter(NEW.uid, NEW.weekly_mail);
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER users_weekly_mail AFTER UPDATE OF weekly_mail ON users
  FOR EACH ROW WHEN (NEW.weekly_mail <> OLD.weekly_mail) EXECUTE FUNCTION note_weekly_mail();

-- Asks for the letters that are due, at most `most`, and returns how many people were looked at. Instances share the
-- work: each letter is one instance's, and the next is due a week later when that instance has done it.
CREATE OR REPLACE FUNCTION send_weekly_letters(most integer DEFAULT 200) RETURNS integer
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  letter weekly_letters;
  owner students;
  week date;
  seen integer := 0;
BEGIN
  FOR letter IN SELECT w.* FROM weekly_letters w WHERE w.due <= anthill_clock()
                ORDER BY w.due LIMIT most FOR UPDATE SKIP LOCKED LOOP
    SELECT * INTO owner FROM students s WHERE s.uid = letter.uid;
    week := week_of(study_day(anthill_clock(), owner.time_zone, owner.day_starts_at)) - 7;
    PERFORM enqueue_mail('weekly_letter', e.email, jsonb_build_object('uid', u.uid, 'week', week))
      FROM users u JOIN user_emails e ON e.uid = u.uid
      WHERE u.uid = letter.uid AND in_use(u) AND (week <= letter.told_week) IS NOT TRUE;
    UPDATE weekly_letters w SET due = next_weekly_letter(w.uid), told_week = greatest(w.told_week, week)
      WHERE w.uid = letter.uid;
    seen := seen + 1;
  END LOOP;
  RETURN seen;
END $$;

-- What the letter about a week says; no row for somebody who wants none any more, or cannot sign in. study_days: days
-- with study. ants, perfect: days that reached their goal, and those on which the alarm was answered, too.
CREATE OR REPLACE FUNCTION weekly_letter(user_id uuid, week date) RETURNS TABLE (
  nickname text, email text, locale text, seconds bigint, seconds_before bigint, study_days bigint, ants bigint,
  perfect bigint, streak integer, goal_seconds integer
) LANGUAGE plpgsql STABLE ROWS 1 SET search_path = public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    SELECT u.nickname, e.email, u.locale, sum(c.study_seconds) FILTER (WHERE c.day >= week),
           sum(c.study_seconds) FILTER (WHERE c.day < week),
           count(*) FILTER (WHERE c.day >= week AND c.study_seconds > 0),
           count(*) FILTER (WHERE c.day >= week AND c.study), count(*) FILTER (WHERE c.day >= week AND c.perfect),
           (SELECT s.current_streak FROM study_streaks(user_id) s),
           (SELECT g.goal_seconds FROM period_goals g WHERE g.uid = user_id AND g.period = 'week')
    FROM users u JOIN user_emails e ON e.uid = u.uid
    CROSS JOIN study_calendar(user_id, week - 7, week + 7) c
    WHERE u.uid = user_id AND u.weekly_mail AND in_use(u)
    GROUP BY u.uid, e.email;
END $$;
