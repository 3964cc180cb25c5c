-- rebuild_totals.sql: recounts totals from the intervals, and repairs those that differ.
--
-- Compares study_days, day_totals, month_totals, rank_totals, the time of tasks and the ranks of the global board with
-- the intervals, which are the truth. It touches neither those nor the history of goals, from which study_days has its
-- copies. Prints one row per difference (table, uid, key, kept, recounted) and how many it has repaired, and nothing
-- when all is well.
-- Comparing locks nothing. Repairing goes step by step, each in a transaction of its own: a step holds the study of one
-- user while one month or one task is counted. The time of tasks is compared only when all months are. Refuses to start
-- while a member is not counted under the rules of their group; check.sql lists such members.
--
-- Variables:  uid      only this user, and the ranks (default: everybody)
--             group    only people who are or were in this group, and the ranks
--             month    only totals of this month
--             since    or only totals of this day's month and later ones
--             reason   why; the user can read it if uid is given
--             by       your name (default: your login)
--             apply    1 to repair (default: only show)
-- Undo:       not needed: it makes the totals what the intervals say
-- Example:    script/psql -v reason='check.sql found a day' -f sql/maintenance/rebuild_totals.sql
--             script/psql -v uid=3f0e4a52-0000-4000-8000-000000000000 \
--               -v reason='check.sql found a day' -v apply=1 -f sql/maintenance/rebuild_totals.sql

\set ON_ERROR_STOP on
\set script rebuild_totals
\set takes '[uid] [group] [month] [since] reason'
\ir parts/variables.sql
\pset format unaligned
\pset tuples_only on

SELECT first, beyond FROM admin_recounted_days(:'given') \gset
-- One that was interrupted in this session has left its table.
SELECT to_regclass('pg_temp.differences') IS NOT NULL AS is_left \gset
\if :is_left
DROP TABLE pg_temp.differences;
\endif
CREATE TEMPORARY TABLE differences (
  total text, uid uuid, key text, kept text, recounted text, month date, task_id uuid
);
SELECT format('INSERT INTO differences SELECT * FROM admin_total_differences(%L, %L, %L)', p, :'first', :'beyond')
FROM admin_people(:'given') p \gexec
SELECT EXISTS (SELECT FROM differences)
  OR EXISTS (SELECT FROM admin_rank_differences()) AS differs, :apply = 1 AS repair \gset
\if :differs
\if :repair
SELECT admin_rebuild_totals(nullif(:'uid', '')::uuid, :'reason', :'by') \g /dev/null
SELECT format('SELECT * FROM admin_rebuild_step(%L, %L, %L)', s.uid, s.month, s.task_id)
FROM (SELECT DISTINCT uid, month, task_id FROM differences) s ORDER BY s.uid, s.month \gexec
SELECT * FROM admin_rank_differences();
SELECT format('Repaired %s.', (SELECT count(*) FROM differences) + (SELECT count(*) FROM admin_rank_differences()))
  AS repaired \gset
SELECT admin_rebuild_ranks() \g /dev/null
\echo :repaired
\else
SELECT total, uid, key, kept, recounted FROM differences ORDER BY uid, month, total, key;
SELECT * FROM admin_rank_differences();
\echo 'Nothing has changed: add -v apply=1.'
\endif
\endif
DROP TABLE differences;
