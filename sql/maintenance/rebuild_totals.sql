-- rebuild_totals.sql: recounts all totals from the intervals, and prints the differences.
--
-- Repairs study_days, day_totals, month_totals, the time of tasks and the ranks of the global board. It does not touch
-- the intervals, which are the truth, nor the history of goals, from which study_days has its copies. Prints one row
-- per difference (table, uid, key, kept, recounted), and nothing when all is well.
-- It repairs one user after the other, each in a transaction of its own, and blocks only this user's recording at that
-- time. It refuses to start while a member is not counted under the rules of their group; check.sql lists such members.
--
-- Variables:  uid     only this user, and the ranks (default: everyone)
--             since   only totals of this day's month and later ones, and not the time of tasks (default: all)
-- Example:    script/psql -f sql/maintenance/rebuild_totals.sql
--             script/psql -v uid=3f0e4a52-0000-4000-8000-000000000000 -f sql/maintenance/rebuild_totals.sql

\set ON_ERROR_STOP on
\set QUIET on
\if :{?uid} \else \set uid ''
\endif
\if :{?since} \else \set since -infinity
\endif
\pset format unaligned
\pset tuples_only on

-- Refuses before it changes anything.
DO $$ BEGIN
  PERFORM refuse('member_not_counted', format('%s is not counted under the rules of their group: see check.sql', m.uid))
    FROM uncounted_members m;
END $$;

SELECT format('SELECT * FROM rebuild_totals(%L, %L)', s.uid, :'since') FROM students s
WHERE :'uid' = '' OR s.uid::text = lower(:'uid')
ORDER BY s.uid \gexec

SELECT 'rank_buckets', '', format('%s, level %s, bucket %s', to_char(month, 'YYYY-MM'), level, bucket), kept, recounted
FROM rank_differences;
DO $$ BEGIN
  IF EXISTS (SELECT FROM rank_differences) THEN PERFORM recount_ranks(); END IF;
END $$;
