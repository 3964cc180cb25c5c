-- open_reports.sql: lists the reports that wait for an answer, the oldest first.
--
-- Each with the person who made it, the person whom it is about, the board, and what was said. suspended: whether that
-- person is suspended from the service's boards now. answer_report.sql answers one.
--
-- Undo:       not needed: it changes nothing
-- Example:    script/psql -f sql/maintenance/open_reports.sql

\set ON_ERROR_STOP on
\set script open_reports
\set takes ''
\ir parts/variables.sql

SELECT report_id AS report, made_at, nickname AS by, about_name AS about, about AS uid,
       coalesce(group_name, 'the global board') AS board, reason, about_count AS reports, about_suspended AS suspended
FROM told_reports WHERE answered_at IS NULL ORDER BY made_at, report_id;
