-- suspend_from_boards.sql: suspends a user from the global board and the board of groups until a given time.
--
-- They are told by mail and on the global board, with the reason, and can answer there. The timer goes on, no study is
-- lost, and the boards of their groups stay as they are. Afterwards every second is on the boards again. A month that
-- closes meanwhile leaves them out. To keep somebody out of their account, run suspend_user.sql.
--
-- Variables:  uid      the user
--             until    when it ends, with a zone: 2026-12-05T09:00+09:00
--             reason   why; the user reads it at once
--             by       your name (default: your login)
--             apply    1 to do it (default: only show)
-- Undo:       puts the user back on the boards
-- Example:    script/psql -v uid=3f0e4a52-0000-4000-8000-000000000000 -v until=2026-12-05T09:00+09:00 \
--               -v reason='a timer that runs day and night' -f sql/maintenance/suspend_from_boards.sql

\set ON_ERROR_STOP on
\set script suspend_from_boards
\set takes 'uid until'
\ir parts/begin.sql
SELECT :'until'::timestamptz AS ends_at, date_trunc('second', :'until'::timestamptz - :'now'::timestamptz) AS lasts;
SELECT admin_suspend_from_boards(:'uid', :'until', :'reason', :'by') AS change \gset
\ir parts/end.sql
