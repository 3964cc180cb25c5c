-- end_all_sign_ins.sql: ends everything that lets people in: sign-ins, also begun ones, links in mails, invitations.
--
-- For a database whose files were set back in time, which Anthill cannot notice: what was ended since then would work
-- again. Everybody signs in anew, and makes API keys, the address for a calendar and the badge anew. Links that take an
-- old address back stay. It prints first how many there are of each. After a dump, anthill migrate does the same.
--
-- Variables:  reason     why
--             by         your name (default: your login)
--             apply      1 to do it (default: only show)
-- Undo:       no; people sign in again
-- Example:    script/psql -v reason='back to noon' -v apply=1 -f sql/maintenance/end_all_sign_ins.sql

\set ON_ERROR_STOP on
\set script end_all_sign_ins
\set takes ''
\ir parts/begin.sql
SELECT * FROM admin_all_access();
SELECT admin_end_all_sign_ins(:'reason', :'by') AS change \gset
\ir parts/end.sql
