-- close_month.sql: closes the month of a group that is due, as the program does by itself.
--
-- Writes the final board and seals it. Refuses a month that is closed, and one that still waits for late uploads,
-- for grace_period() after its end. While it runs, the members of the group cannot record study.
--
-- Variables:  group    the group
--             month    the month to close; the oldest that is not closed
--             reason   why; it is written to the audit
--             by       your name (default: your login)
--             apply    1 to do it (default: only show)
-- Undo:       no; amend_standing corrects a closed month
-- Example:    script/psql -v group=9a4b7c10-0000-4000-8000-000000000000 -v month=2026-10 \
--               -v reason='the program was down' -f sql/maintenance/close_month.sql

\set ON_ERROR_STOP on
\set script close_month
\set takes 'group month'
\ir parts/begin.sql
-- The locks come in a statement of their own: the next one sees everything that was written before them.
SELECT admin_lock_to_close(:'group', to_date(:'month', 'YYYY-MM')) \g /dev/null
SELECT admin_close_month(:'group', to_date(:'month', 'YYYY-MM'), :'reason', :'by') AS change \gset
SELECT participants AS people_on_the_final_board FROM month_closes
WHERE group_id = :'group' AND month = to_date(:'month', 'YYYY-MM');
\ir parts/end.sql
