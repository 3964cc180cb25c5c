-- Recounts: the totals as they must be, from the intervals alone. Only maintenance reads them, to compare and repair
-- what is stored.

-- Intervals that count: not running, not retracted, not waiting for confirmation.
CREATE OR REPLACE VIEW counting_intervals AS
  SELECT * FROM study_intervals WHERE ended_at IS NOT NULL AND retracted_at IS NULL AND NOT unconfirmed;

-- The same for users from one UID to another, without intervals that ended before the day `since` began anywhere on
-- earth, or that began after the day `until` had begun everywhere.
CREATE OR REPLACE FUNCTION counting_intervals_of(first_uid uuid, last_uid uuid, since date,
                                                 until date DEFAULT 'infinity')
  RETURNS SETOF counting_intervals
  LANGUAGE plpgsql STABLE ROWS 1000 SET search_path = public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    SELECT i.* FROM counting_intervals i
    WHERE i.uid BETWEEN first_uid AND last_uid
      AND tstzrange(i.started_at, coalesce(i.ended_at, 'infinity'))
          && tstzrange((since - 1)::timestamp AT TIME ZONE 'UTC', (until + 2)::timestamp AT TIME ZONE 'UTC');
END $$;

-- Their study days from `since` on and before `until`. clocks: the number of study clocks on this day; more than one
-- only where the owner changed theirs.
CREATE OR REPLACE FUNCTION recounted_study_days(
  first_uid uuid, last_uid uuid, since date, until date DEFAULT 'infinity'
) RETURNS TABLE (
  uid uuid, day date, study_seconds integer, clocks bigint, time_zone text, day_starts_at time
) LANGUAGE plpgsql STABLE ROWS 1000 SET search_path = public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    SELECT i.uid, p.day, sum(p.seconds)::integer, count(DISTINCT (i.time_zone, i.day_starts_at)), min(i.time_zone),
           min(i.day_starts_at)
    FROM counting_intervals_of(first_uid, last_uid, since, until) i
    CROSS JOIN LATERAL study_parts(i.started_at, i.ended_at, i.time_zone, i.day_starts_at) p
    WHERE p.day >= since AND p.day < until
    GROUP BY i.uid, p.day;
END $$;

-- The same for their days under the rules of boards.
CREATE OR REPLACE FUNCTION recounted_day_totals(
  first_uid uuid, last_uid uuid, since date, until date DEFAULT 'infinity'
) RETURNS TABLE (
  rules_id integer, uid uuid, day date, seconds integer, manual_seconds integer, counted_seconds integer,
  counted_manual_seconds integer
) LANGUAGE plpgsql STABLE ROWS 1000 SET search_path = public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    WITH intervals AS MATERIALIZED (
      SELECT * FROM counting_intervals_of(first_uid, last_uid, since, until)
    ),
    counted AS MATERIALIZED (
      SELECT c.uid, c.rules_id, c.from_month, c.until_month FROM counted_under c
      WHERE c.uid BETWEEN first_uid AND last_uid
    )
    SELECT d.rules_id, d.uid, d.day, d.seconds, d.manual_seconds,
           counted_of_day(d.seconds, d.manual_seconds, r.daily_cap_seconds, r.manual_counts),
           manual_of_day(d.seconds, d.manual_seconds, r.daily_cap_seconds, r.manual_counts)
    FROM (
      SELECT c.rules_id, c.uid, p.day, sum(p.seconds)::integer AS seconds,
             coalesce(sum(p.seconds) FILTER (WHERE i.source = 'manual'), 0)::integer AS manual_seconds
      FROM intervals i
      JOIN counted c USING (uid)
      JOIN ranking_rules r USING (rules_id)
      CROSS JOIN LATERAL study_parts(i.started_at, i.ended_at, r.time_zone, r.day_starts_at) p
      WHERE i.source <> 'import' AND p.day >= since AND p.day < until AND p.day >= c.from_month
        AND p.day < c.until_month
        AND i.recorded_at < month_closes_at(month_of(p.day), r.time_zone, r.day_starts_at)
      GROUP BY c.rules_id, c.uid, p.day
    ) d
    JOIN ranking_rules r USING (rules_id);
END $$;

-- The numbers of a total in words; none if there is no such row.
CREATE OR REPLACE FUNCTION total_in_words(total text, seconds integer[]) RETURNS text LANGUAGE plpgsql IMMUTABLE
  SET search_path = public, pg_temp AS $$
DECLARE
  names text[] := CASE total WHEN 'study_days' THEN ARRAY['study', 'goal']
                             WHEN 'day_totals' THEN ARRAY['all', 'by hand', 'counted']
                             WHEN 'month_totals' THEN ARRAY['counted', 'by hand'] END;
BEGIN
  RETURN coalesce((
    SELECT string_agg(concat_ws(' ', names[s.place], s.seconds, 's'), ', ' ORDER BY s.place)
    FROM unnest(seconds) WITH ORDINALITY s (seconds, place)), 'none');
END $$;

-- Differences between the stored totals of these users and a recount, from the month of a day on and before the month
-- `until`. A missing row is NULL. The time of tasks is the sum of all their sessions, so it is compared only when all
-- days are.
CREATE OR REPLACE FUNCTION total_differences(
  first_uid uuid, last_uid uuid, from_day date DEFAULT '-infinity', until date DEFAULT 'infinity'
) RETURNS TABLE (
  total text, uid uuid, rules_id integer, day date, task_id uuid, key text, kept integer[], recounted integer[]
) LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  since date := CASE WHEN isfinite(from_day) THEN month_of(from_day) ELSE from_day END;
BEGIN
  RETURN QUERY
    WITH whole_weeks AS MATERIALIZED (                         -- a week belongs where it begins
      SELECT * FROM recounted_day_totals(first_uid, last_uid, since, until + 6)
    ),
    days AS (
      SELECT * FROM whole_weeks WHERE day >= since AND day < until
    ),
    ranked AS (
      SELECT d.uid, p.period, p.first_day, sum(d.counted_seconds)::integer AS seconds
      FROM whole_weeks d JOIN ranking_rules r USING (rules_id) CROSS JOIN LATERAL rank_periods(d.day) p
      WHERE r.is_global
      GROUP BY 1, 2, 3
    ),
    months AS (
      SELECT rules_id, uid, month_of(day) AS month, sum(counted_seconds)::integer AS counted_seconds,
             sum(counted_manual_seconds)::integer AS manual_seconds
      FROM days GROUP BY rules_id, uid, month_of(day)
    ),
    owners AS MATERIALIZED (
      SELECT s.uid, s.daily_goal_seconds FROM students s WHERE s.uid BETWEEN first_uid AND last_uid
    ),
    kept_study AS MATERIALIZED (
      SELECT k.* FROM study_days k WHERE k.uid BETWEEN first_uid AND last_uid AND k.day >= since AND k.day < until
    ),
    kept_days AS MATERIALIZED (
      SELECT k.* FROM day_totals k WHERE k.uid BETWEEN first_uid AND last_uid AND k.day >= since AND k.day < until
    ),
    kept_months AS MATERIALIZED (
      SELECT k.* FROM month_totals k
      WHERE k.uid BETWEEN first_uid AND last_uid AND k.month >= since AND k.month < until
    ),
    kept_tasks AS MATERIALIZED (
      SELECT t.uid, t.id, t.actual_seconds FROM tasks t
      WHERE NOT isfinite(from_day) AND NOT isfinite(until) AND t.uid BETWEEN first_uid AND last_uid
    ),
    of_tasks AS MATERIALIZED (
      SELECT s.uid, s.session_id, s.task_id FROM study_sessions s
      WHERE NOT isfinite(from_day) AND NOT isfinite(until) AND s.uid BETWEEN first_uid AND last_uid
        AND s.task_id IS NOT NULL
    )
    SELECT 'study_days', uid, NULL::integer, day, NULL::uuid, day::text,
           CASE WHEN k.goal_seconds IS NOT NULL THEN ARRAY[k.study_seconds, k.goal_seconds] END,
           ARRAY[coalesce(r.study_seconds, 0), goal_of_day(uid, day, s.daily_goal_seconds)]
    FROM kept_study k
    FULL JOIN recounted_study_days(first_uid, last_uid, since, until) r USING (uid, day)
    JOIN owners s USING (uid)
    WHERE coalesce(k.study_seconds, 0) <> coalesce(r.study_seconds, 0)
      OR k.goal_seconds <> goal_of_day(uid, day, s.daily_goal_seconds)
    UNION ALL
    SELECT 'day_totals', uid, rules_id, day, NULL, format('rules %s, %s', rules_id, day),
           CASE WHEN k.seconds IS NOT NULL THEN ARRAY[k.seconds, k.manual_seconds, k.counted_seconds] END,
           CASE WHEN r.seconds IS NOT NULL THEN ARRAY[r.seconds, r.manual_seconds, r.counted_seconds] END
    FROM kept_days k
    FULL JOIN days r USING (rules_id, uid, day)
    WHERE (coalesce(k.seconds, 0), coalesce(k.manual_seconds, 0), coalesce(k.counted_seconds, 0))
       <> (coalesce(r.seconds, 0), coalesce(r.manual_seconds, 0), coalesce(r.counted_seconds, 0))
    UNION ALL
    SELECT 'month_totals', uid, rules_id, month, NULL, format('rules %s, %s', rules_id, to_char(month, 'YYYY-MM')),
           CASE WHEN k.counted_seconds IS NOT NULL THEN ARRAY[k.counted_seconds, k.manual_seconds] END,
           CASE WHEN r.counted_seconds IS NOT NULL THEN ARRAY[r.counted_seconds, r.manual_seconds] END
    FROM kept_months k
    FULL JOIN months r USING (rules_id, uid, month)
    WHERE (coalesce(k.counted_seconds, 0), coalesce(k.manual_seconds, 0))
       <> (coalesce(r.counted_seconds, 0), coalesce(r.manual_seconds, 0))
    UNION ALL
    SELECT 'rank_totals', uid, NULL, first_day, NULL, format('%s %s', period, first_day),
           CASE WHEN k.seconds IS NOT NULL THEN ARRAY[k.seconds] END, ARRAY[coalesce(r.seconds, 0)]
    FROM (SELECT * FROM rank_totals WHERE uid BETWEEN first_uid AND last_uid) k
    FULL JOIN ranked r USING (uid, period, first_day)
    WHERE first_day >= since AND first_day < until AND coalesce(k.seconds, 0) <> coalesce(r.seconds, 0)
    UNION ALL
    SELECT 'tasks', t.uid, NULL, NULL, t.id, format('task %s', t.id), ARRAY[t.actual_seconds::integer],
           ARRAY[coalesce(r.seconds, 0)]
    FROM kept_tasks t
    LEFT JOIN (
      SELECT s.uid, s.task_id, sum(extract(epoch FROM i.ended_at - i.started_at))::integer AS seconds
      FROM of_tasks s JOIN counting_intervals_of(first_uid, last_uid, since) i USING (uid, session_id)
      GROUP BY s.uid, s.task_id
    ) r ON r.uid = t.uid AND r.task_id = t.id
    WHERE t.actual_seconds <> coalesce(r.seconds, 0);
END $$;

-- Members who are not counted under the rules of a group in months in which they must be: all months that were open
-- when they joined or began later, until the month in which they left.
CREATE OR REPLACE FUNCTION uncounted_members(first_uid uuid, last_uid uuid) RETURNS TABLE (
  uid uuid, group_id uuid, rules_id integer, months datemultirange
) LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  group_ids uuid[] := ARRAY(SELECT DISTINCT h.group_id FROM group_membership_history h
                            WHERE h.uid BETWEEN first_uid AND last_uid);
BEGIN
  RETURN QUERY
    WITH ruled AS MATERIALIZED (
      SELECT * FROM rules_of_groups(group_ids)
    ),
    stays AS MATERIALIZED (
      SELECT h.uid, h.group_id, h.joined_at, h.left_at FROM group_membership_history h
      WHERE h.uid BETWEEN first_uid AND last_uid
    ),
    counted AS MATERIALIZED (
      SELECT c.uid, c.rules_id, range_agg(daterange(c.from_month, c.until_month)) AS months FROM counted_under c
      WHERE c.uid BETWEEN first_uid AND last_uid
      GROUP BY c.uid, c.rules_id
    )
    SELECT w.uid, w.group_id, w.rules_id, w.months - coalesce(c.months, '{}') AS months
    FROM (
      SELECT h.uid, h.group_id, g.rules_id,
             range_agg(daterange(m.first_month, greatest(m.first_month, m.until_month))) AS months
      FROM stays h
      JOIN ruled g USING (group_id)
      JOIN ranking_rules r USING (rules_id)
      CROSS JOIN LATERAL (
        SELECT greatest(g.from_month, first_open_month(h.joined_at, r.time_zone, r.day_starts_at)) AS first_month,
               least(g.until_month,
                     next_month(month_of(study_day(h.left_at, r.time_zone, r.day_starts_at)))) AS until_month
      ) m
      GROUP BY h.uid, h.group_id, g.rules_id
    ) w
    LEFT JOIN counted c ON c.uid = w.uid AND c.rules_id = w.rules_id
    WHERE NOT w.months <@ coalesce(c.months, '{}');
END $$;

-- Refuses while one of these people is not counted under the rules of their group.
CREATE OR REPLACE FUNCTION refuse_uncounted(people uuid[]) RETURNS void LANGUAGE plpgsql STABLE
  SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM refuse('member_not_counted', format('%s is not counted under the rules of their group: see check.sql', m.uid))
    FROM unnest(people) p CROSS JOIN LATERAL uncounted_members(p, p) m;
END $$;

-- Recounts a user's totals from the intervals, which are the truth, repairs them and returns the differences; all
-- totals, or those from the month of a day on and before the month `until`. Refused if counted_under lacks a
-- membership, because the recount would then remove what it should count.
CREATE OR REPLACE FUNCTION rebuild_totals(user_id uuid, from_day date DEFAULT '-infinity',
                                          until date DEFAULT 'infinity')
  RETURNS TABLE (total text, uid uuid, key text, kept text, recounted text)
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  owner students;
  d record;
BEGIN
  PERFORM refuse_uncounted(ARRAY[user_id]);
  owner := lock_student(user_id);
  DELETE FROM past_streaks p WHERE p.uid = owner.uid;
  FOR d IN SELECT * FROM total_differences(owner.uid, owner.uid, from_day, rebuild_totals.until) LOOP
    CASE d.total
    WHEN 'study_days' THEN
      INSERT INTO study_days (uid, day, study_seconds, goal_seconds)
        VALUES (user_id, d.day, d.recounted[1], d.recounted[2])
        ON CONFLICT ON CONSTRAINT study_days_key
        DO UPDATE SET study_seconds = excluded.study_seconds, goal_seconds = excluded.goal_seconds;
    WHEN 'day_totals' THEN
      DELETE FROM day_totals t WHERE t.rules_id = d.rules_id AND t.uid = user_id AND t.day = d.day;
      INSERT INTO day_totals (rules_id, uid, day, seconds, manual_seconds, counted_seconds)
        SELECT d.rules_id, user_id, d.day, d.recounted[1], d.recounted[2], d.recounted[3] WHERE d.recounted IS NOT NULL;
    WHEN 'month_totals' THEN
      DELETE FROM month_totals t WHERE t.rules_id = d.rules_id AND t.uid = user_id AND t.month = d.day;
      INSERT INTO month_totals (rules_id, uid, month, counted_seconds, manual_seconds)
        SELECT d.rules_id, user_id, d.day, d.recounted[1], d.recounted[2] WHERE d.recounted IS NOT NULL;
    WHEN 'rank_totals' THEN
      PERFORM set_rank_total(user_id, split_part(d.key, ' ', 1), d.day, d.recounted[1]);
    ELSE
      UPDATE tasks t SET actual_seconds = d.recounted[1] WHERE t.uid = user_id AND t.id = d.task_id;
    END CASE;
    RETURN QUERY SELECT d.total, user_id, d.key, total_in_words(d.total, d.kept),
                        total_in_words(d.total, d.recounted);
  END LOOP;
  IF FOUND THEN PERFORM note_change(user_id); END IF;
END $$;
