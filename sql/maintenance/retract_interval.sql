-- retract_interval.sql: takes back one interval of a user's study, which then counts nowhere.
--
-- The interval stays as a row, with the time at which it ceased to count. Refuses an interval of a closed month, which
-- only amend_standing changes, and one that runs, which stop_timer ends.
--
-- Variables:  uid        the user
--             interval   the interval
--             reason     why; the user can read it
--             by         your name (default: your login)
--             apply      1 to do it (default: only show)
-- Undo:       records the interval anew
-- Example:    script/psql -v uid=3f0e4a52-0000-4000-8000-000000000000 \
--               -v interval=7c1d9b1e-0000-4000-8000-000000000000 -v reason='timed by mistake' \
--               -f sql/maintenance/retract_interval.sql

\set ON_ERROR_STOP on
\set script retract_interval
\set takes 'uid interval'
\ir parts/begin.sql
SELECT i.started_at, i.ended_at, i.ended_at - i.started_at AS length, i.source, s.state AS session
FROM study_intervals i JOIN study_sessions s USING (uid, session_id)
WHERE i.uid = :'uid' AND i.interval_id = :'interval';
SELECT admin_retract_interval(:'uid', :'interval', :'reason', :'by') AS change \gset
\ir parts/end.sql
