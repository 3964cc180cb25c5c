-- confirm_session.sql: says for a user when a timer that ran too long really ended.
--
-- Such a session has counted nothing so far. It counts from its start to the given end, which must not lie after the
-- end that the timer came to by itself; this shows both. In a month that is closed by now it counts on no board, only
-- in the user's calendar.
--
-- Variables:  uid       the user
--             session   the session that waits to be confirmed
--             at        when the timer stopped, with a zone: 2026-11-21T09:00+09:00
--             reason    why; the user can read it
--             by        your name (default: your login)
--             apply     1 to do it (default: only show)
-- Undo:       lets the session wait to be confirmed again
-- Example:    script/psql -v uid=3f0e4a52-0000-4000-8000-000000000000 -v session=7c1d9b1e-0000-4000-8000-000000000000 \
--               -v at=2026-11-21T09:00+09:00 -v reason='asked by letter' -f sql/maintenance/confirm_session.sql

\set ON_ERROR_STOP on
\set script confirm_session
\set takes 'uid session at'
\ir parts/begin.sql
SELECT i.started_at, i.ended_at AS ended_by_itself, :'at'::timestamptz AS ends_at, s.state
FROM study_sessions s LEFT JOIN study_intervals i ON i.uid = s.uid AND i.session_id = s.session_id AND i.unconfirmed
  AND i.retracted_at IS NULL
WHERE s.uid = :'uid' AND s.session_id = :'session';
SELECT admin_confirm_session(:'uid', :'session', :'at', :'reason', :'by') AS change \gset
\ir parts/end.sql
