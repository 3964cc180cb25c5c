-- return_to_boards.sql: ends the suspension of a user from the global board and the board of groups.
--
-- The user is back on the global board at once, with every second that was studied meanwhile. The average of their
-- groups follows within a minute. A suspension that a group's own admins decided stays: they end it.
--
-- Variables:  uid      the user
--             reason   why; the user can read it
--             by       your name (default: your login)
--             apply    1 to do it (default: only show)
-- Undo:       suspends the user anew, until the same time, and tells them by mail again
-- Example:    script/psql -v uid=3f0e4a52-0000-4000-8000-000000000000 -v reason='it was explained' \
--               -f sql/maintenance/return_to_boards.sql

\set ON_ERROR_STOP on
\set script return_to_boards
\set takes 'uid'
\ir parts/begin.sql
SELECT since, until, coalesce(suspended_by_name, 'the operator') AS by, reason, answer FROM told_suspensions
WHERE uid = :'uid' AND group_id IS NULL AND in_force;
SELECT admin_return_to_boards(:'uid', :'reason', :'by') AS change \gset
\ir parts/end.sql
