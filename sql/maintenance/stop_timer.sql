-- stop_timer.sql: stops a user's timer, now or at an earlier time.
--
-- What was measured until then counts. The earlier time must lie after the timer last began. A timer that has run for
-- longest_interval() has ended by itself; its end waits to be confirmed (confirm_session).
--
-- Variables:  uid      the user
--             at       when it stopped, with a zone: 2026-11-21T09:00+09:00 (default: now)
--             reason   why; the user can read it
--             by       your name (default: your login)
--             apply    1 to do it (default: only show)
-- Undo:       no; the user can start a new timer, and record_interval_for records what was cut off
-- Example:    script/psql -v uid=3f0e4a52-0000-4000-8000-000000000000 -v reason='asked by telephone' \
--               -f sql/maintenance/stop_timer.sql
--             script/psql -v uid=3f0e4a52-0000-4000-8000-000000000000 -v at=2026-11-21T09:00+09:00 \
--               -v reason='asked by telephone' -f sql/maintenance/stop_timer.sql

\set ON_ERROR_STOP on
\set script stop_timer
\set takes 'uid [at]'
\ir parts/begin.sql
SELECT state, started_at, running_since, elapsed_seconds * interval '1 second' AS studied,
       coalesce(nullif(:'at', '')::timestamptz, :'now') AS stops_at
FROM timer_state(:'uid')
WHERE state <> 'idle';
SELECT admin_stop_timer(:'uid', nullif(:'at', '')::timestamptz, :'reason', :'by') AS change \gset
\ir parts/end.sql
