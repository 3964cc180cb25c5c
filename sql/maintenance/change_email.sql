-- change_email.sql: gives an account another address.
--
-- Check first that the person is the owner. Everything happens that happens when they confirm a new address themselves:
-- they are signed out on every device, their API keys, address for a calendar, badge and links in mails end (it prints
-- them first), and a mail tells the old address. For 7 days nobody else can have the old address, and the link in that
-- mail takes it back, with a new password. But if this script itself gave the old address in the last 7 days, it may be
-- a stranger's. Then it gets no mail and is not kept for the user; a password that was chosen since, and accounts of
-- providers that were linked since, are removed. An address with letters outside of ASCII is refused: its owner sets it
-- in the settings.
--
-- Variables:  uid      the user
--             email    the new address
--             reason   why; the user can read it
--             by       your name (default: your login)
--             apply    1 to do it (default: only show)
-- Undo:       gives the old address back, unless it was changed again since, and removes a password that was chosen
--             since. Not possible if there was no old address, or one with letters outside of ASCII
-- Example:    script/psql -v uid=3f0e4a52-0000-4000-8000-000000000000 -v email=ada@example.org \
--               -v reason='lost mailbox; seen in person' -f sql/maintenance/change_email.sql

\set ON_ERROR_STOP on
\set script change_email
\set takes 'uid email'
\ir parts/begin.sql
SELECT e.email AS address, :'email' AS new_address,
       CASE WHEN e.uid IS NULL THEN '–' WHEN c.number IS NULL THEN 'mail with a link that takes it back'
            ELSE format('nothing: change %s gave it', c.number) END AS old_one_gets
FROM users u LEFT JOIN user_emails e USING (uid) LEFT JOIN change_that_gave_email(u.uid, e.canonical) c ON true
WHERE u.uid = :'uid';
SELECT * FROM admin_access(:'uid');
SELECT admin_change_email(:'uid', :'email', :'reason', :'by') AS change \gset
\ir parts/end.sql
