-- answer_report.sql: answers a report about somebody on a board, which closes it.
--
-- Prints the report and the new answer first. The person who made it finds the answer in the activity of their account;
-- the person whom it is about learns nothing of it. open_reports.sql lists the reports that wait for an answer.
--
-- Variables:  report   the report
--             answer   what the person who made the report reads
--             reason   why you answer so; they can read it, too
--             by       your name (default: your login)
--             apply    1 to do it (default: only show)
-- Undo:       opens the report again, without the answer
-- Example:    script/psql -v report=9b1c4a52-0000-4000-8000-000000000000 \
--               -v answer='We have asked, and it is explained.' -v reason='figures of the month' \
--               -f sql/maintenance/answer_report.sql

\set ON_ERROR_STOP on
\set script answer_report
\set takes 'report answer'
\ir parts/begin.sql
SELECT made_at, nickname AS by, about_name AS about, coalesce(group_name, 'the global board') AS board, reason, answer,
       :'answer' AS new_answer
FROM told_reports WHERE report_id = :'report';
SELECT admin_answer_report(:'report', :'answer', :'reason', :'by') AS change \gset
\ir parts/end.sql
