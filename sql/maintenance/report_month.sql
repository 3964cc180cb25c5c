-- report_month.sql: writes the board of a group's month as comma-separated values, for a spreadsheet.
--
-- A closed month is as it was sealed, with its amendments; sealed_rank and sealed_seconds are those of the seal. An
-- open month is as it stands now, without suspended members. Hidden members are on it, under their names: visibility
-- tells who does not want to be shown. Somebody who left the service has no name. A nickname that a spreadsheet would
-- read as a formula gets an apostrophe in front. Of a group that was deleted, the closed months are still there.
--
-- Variables:  group   the group
--             month   the month, as 2026-10
-- Undo:       not needed: it changes nothing
-- Example:    script/psql -v group=6f1c9a52-0000-4000-8000-000000000000 -v month=2026-10 \
--               -f sql/maintenance/report_month.sql >october.csv

\set ON_ERROR_STOP on
\set script report_month
\set takes 'group month'
\ir parts/variables.sql
\pset format csv

-- The byte order mark tells spreadsheets that this is UTF-8.
SELECT rank AS U&"\FEFFrank",
       CASE WHEN nickname ~ '^''*[=+@\t\r＝＋－＠-]' THEN '''' ELSE '' END || nickname AS nickname, uid, seconds,
         make_interval(secs => seconds) AS time, manual_seconds, visibility, sealed_rank, sealed_seconds
FROM admin_month(:'group', to_date(:'month', 'YYYY-MM'));
