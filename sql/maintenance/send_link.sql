-- send_link.sql: sends somebody the mail with the link that lets them in.
--
-- To an address with an account goes the mail to choose a new password, to any other the mail to register, in every
-- mode of registration. The program makes the link when it sends the mail, within a second; nobody else sees it.
-- Refuses an address whose owner may not sign in, and one that had such a mail a moment ago. In a service without mail,
-- and for an address with letters outside of ASCII, `anthill link` makes a link to hand over.
--
-- Variables:  email      the address
--             language   of the mail to register: ko or en (default: en)
--             reason     why; the user can read it
--             by         your name (default: your login)
--             apply      1 to do it (default: only show)
-- Undo:       no; a sent mail does not come back
-- Example:    script/psql -v email=ada@example.org -v reason='asked by telephone' -f sql/maintenance/send_link.sql

\set ON_ERROR_STOP on
\set script send_link
\set takes 'email [language]'
\ir parts/begin.sql
SELECT mail, nickname, uid FROM admin_link(:'email');
SELECT admin_send_link(:'email', coalesce(nullif(:'language', ''), 'en'), :'reason', :'by') AS change \gset
\ir parts/end.sql
