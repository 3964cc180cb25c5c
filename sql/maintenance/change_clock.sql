-- change_clock.sql: changes the time zone or the start of the day for a user or a group.
--
-- A user's new clock holds for what is recorded from now on; earlier study keeps its days. A group's new clock is
-- announced as new rules, from the next month on, or from the one after if less than rules_notice() is left. The
-- group's other rules stay.
--
-- Variables:  uid      the user
--             group    or the group
--             zone     the time zone (default: as it is)
--             starts   when a study day begins, before 12:00 (default: as it is)
--             reason   why; the user can read it
--             by       your name (default: your login)
--             apply    1 to do it (default: only show)
-- Undo:       gives the old clock back, unless it was changed again since; a group gets it from the first month that
--             can still get new rules
-- Example:    script/psql -v uid=3f0e4a52-0000-4000-8000-000000000000 -v zone=Europe/London -v reason='moved' \
--               -f sql/maintenance/change_clock.sql
--             script/psql -v group=9a4b7c10-0000-4000-8000-000000000000 -v starts=04:00 \
--               -v reason='asked by its owner' -f sql/maintenance/change_clock.sql

\set ON_ERROR_STOP on
\set script change_clock
\set takes '[uid] [group] [zone] [starts]'
\ir parts/begin.sql
SELECT begins AS "from", format('%s → %s', time_zone, coalesce(nullif(:'zone', ''), time_zone)) AS time_zone,
       format('%s → %s', to_char(starts, 'HH24:MI'), coalesce(nullif(:'starts', ''), to_char(starts, 'HH24:MI')))
         AS day_starts
FROM admin_clock(nullif(:'uid', '')::uuid, nullif(:'group', '')::uuid, nullif(:'zone', ''),
                 nullif(:'starts', '')::time);
SELECT admin_change_clock(nullif(:'uid', '')::uuid, nullif(:'group', '')::uuid, nullif(:'zone', ''),
                          nullif(:'starts', '')::time, :'reason', :'by') AS change \gset
\ir parts/end.sql
