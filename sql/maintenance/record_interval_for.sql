-- record_interval_for.sql: records an interval of study for a user, as time added by hand.
--
-- The rules of time that users add themselves hold: begun in the last 48 h, not in a closed month (which amend_standing
-- corrects), not over other study. It gets the study clock that the user has now, and counts on the boards of groups
-- whose rules count time added by hand.
--
-- Variables:  uid      the user
--             from     the start, in the last 48 h, with a zone: 2026-11-21T09:00+09:00
--             to       the end
--             reason   why; the user can read it
--             by       your name (default: your login)
--             apply    1 to do it (default: only show)
-- Undo:       takes the interval back
-- Example:    script/psql -v uid=3f0e4a52-0000-4000-8000-000000000000 -v from=2026-11-21T09:00+09:00 \
--               -v to=2026-11-21T10:30+09:00 -v reason='the timer was lost' \
--               -f sql/maintenance/record_interval_for.sql

\set ON_ERROR_STOP on
\set script record_interval_for
\set takes 'uid from to'
\ir parts/begin.sql
SELECT :'from'::timestamptz AS started_at, :'to'::timestamptz AS ended_at, :'to'::timestamptz - :'from' AS length;
SELECT admin_record_interval_for(:'uid', :'from', :'to', :'reason', :'by') AS change \gset
\ir parts/end.sql
