-- rebuild_totals.sql: counts all totals anew from the intervals, and prints what differed.
--
-- Mends study_days, day_totals, month_totals and the ranks of the global board in one transaction; the intervals themselves
-- are the truth and are not touched, nor is the history of goals, from which study_days has its copies. Answers one row per difference (table, uid,
-- key, kept, recounted), none when all was well.
-- While it runs nobody can record study; reading goes on.
--
-- Variables:  uid   only this user (default: everyone)
-- Example:    script/psql -f sql/maintenance/rebuild_totals.sql
--             script/psql -v uid=3f0e4a52-0000-4000-8000-000000000000 -f sql/maintenance/rebuild_totals.sql

\set ON_ERROR_STOP on
\set QUIET on
\if :{?uid} \else \set uid ''
\endif

BEGIN;
-- Recording locks its owner's row; this waits for those who do and keeps new ones out.
LOCK TABLE users IN EXCLUSIVE MODE;

CREATE TEMPORARY TABLE differences ON COMMIT DROP AS
  SELECT 'study_days' AS "table", uid, NULL::integer AS rules_id, day,
         CASE WHEN k.uid IS NOT NULL THEN ARRAY[k.study_seconds, k.goal_seconds] END AS kept,
         ARRAY[coalesce(r.study_seconds, 0), goal_of_day(uid, day, u.daily_goal_seconds)] AS recounted
  FROM study_days k FULL JOIN recounted_study_days r USING (uid, day) JOIN users u USING (uid)
  WHERE coalesce(k.study_seconds, 0) <> coalesce(r.study_seconds, 0)
    OR k.goal_seconds <> goal_of_day(uid, day, u.daily_goal_seconds)
  UNION ALL
  SELECT 'day_totals', uid, rules_id, day,
         CASE WHEN k.uid IS NOT NULL THEN ARRAY[k.seconds, k.manual_seconds, k.counted_seconds] END,
         CASE WHEN r.uid IS NOT NULL THEN ARRAY[r.seconds, r.manual_seconds, r.counted_seconds] END
  FROM day_totals k FULL JOIN recounted_day_totals r USING (rules_id, uid, day)
  WHERE (coalesce(k.seconds, 0), coalesce(k.manual_seconds, 0), coalesce(k.counted_seconds, 0))
     <> (coalesce(r.seconds, 0), coalesce(r.manual_seconds, 0), coalesce(r.counted_seconds, 0))
  UNION ALL
  SELECT 'month_totals', uid, rules_id, month,
         CASE WHEN k.uid IS NOT NULL THEN ARRAY[k.counted_seconds, k.manual_seconds] END,
         CASE WHEN r.uid IS NOT NULL THEN ARRAY[r.counted_seconds, r.manual_seconds] END
  FROM month_totals k FULL JOIN recounted_month_totals r USING (rules_id, uid, month)
  WHERE (coalesce(k.counted_seconds, 0), coalesce(k.manual_seconds, 0))
     <> (coalesce(r.counted_seconds, 0), coalesce(r.manual_seconds, 0));
DELETE FROM differences WHERE :'uid' <> '' AND uid::text <> lower(:'uid');

INSERT INTO study_days AS k (uid, day, study_seconds, goal_seconds)
  SELECT d.uid, d.day, d.recounted[1], d.recounted[2] FROM differences d WHERE d."table" = 'study_days'
  ON CONFLICT (uid, day) DO UPDATE SET study_seconds = excluded.study_seconds, goal_seconds = excluded.goal_seconds;

DELETE FROM day_totals k USING differences d
  WHERE d."table" = 'day_totals' AND k.rules_id = d.rules_id AND k.uid = d.uid AND k.day = d.day;
INSERT INTO day_totals (rules_id, uid, day, seconds, manual_seconds, counted_seconds)
  SELECT d.rules_id, d.uid, d.day, d.recounted[1], d.recounted[2], d.recounted[3]
  FROM differences d WHERE d."table" = 'day_totals' AND d.recounted IS NOT NULL;

DELETE FROM month_totals k USING differences d
  WHERE d."table" = 'month_totals' AND k.rules_id = d.rules_id AND k.uid = d.uid AND k.month = d.day;
INSERT INTO month_totals (rules_id, uid, month, counted_seconds, manual_seconds)
  SELECT d.rules_id, d.uid, d.day, d.recounted[1], d.recounted[2]
  FROM differences d WHERE d."table" = 'month_totals' AND d.recounted IS NOT NULL;

-- The totals mended above left their deltas; what still differs was wrong by itself.
CREATE TEMPORARY TABLE rank_differences ON COMMIT DROP AS
  SELECT format('%s, level %s, bucket %s', to_char(month, 'YYYY-MM'), level, bucket) AS key, k.n AS kept, r.n AS recounted
  FROM current_rank_buckets k FULL JOIN recounted_rank_buckets r USING (month, level, bucket)
  WHERE k.n IS DISTINCT FROM r.n;
DO $$ BEGIN IF EXISTS (SELECT FROM rank_differences) THEN PERFORM recount_ranks(); END IF; END $$;

SELECT "table", uid,
       CASE "table" WHEN 'study_days' THEN day::text
                    WHEN 'day_totals' THEN format('rules %s, %s', rules_id, day)
                    ELSE format('rules %s, %s', rules_id, to_char(day, 'YYYY-MM')) END AS key,
       coalesce(array_to_string(kept, '/'), 'none') AS kept,
       coalesce(array_to_string(recounted, '/'), 'none') AS recounted
FROM differences
UNION ALL
SELECT 'rank_buckets', NULL, key, coalesce(kept::text, 'none'), coalesce(recounted::text, 'none') FROM rank_differences
ORDER BY 1, 2, 3;
COMMIT;
