-- undo.sql: undoes what another script changed, by the number that it printed.
--
-- Nothing is edited in place: study that was taken back is recorded anew, an amendment is amended again. Refuses a
-- change that was undone before, that cannot be undone, or that has been overtaken since: what somebody has changed
-- again stays, and a month that has closed stays closed.
--
-- Variables:  change   the number of the change
--             reason   why; whoever reads the reason of the change can read it: of an amendment, everybody in the group
--             by       your name (default: your login)
--             apply    1 to do it (default: only show)
-- Undo:       no; run the first script again
-- Example:    script/psql -v change=12 -v reason='it was right' -f sql/maintenance/undo.sql

\set ON_ERROR_STOP on
\set script undo
\set takes 'change'
\ir parts/begin.sql
SELECT at, script, by, reason FROM admin_changes WHERE number = :'change';
SELECT admin_undo(:'change', :'reason', :'by') AS change \gset
\ir parts/end.sql
