-- requeue_mail.sql: sends mails once more that were given up, or at once those that wait for their next attempt.
--
-- Prints them with the last error first. The program takes them within a second and tries as often as it would a new
-- mail. What a mail says is decided when it is sent, and one that nobody needs any more is not sent. Mend the cause
-- before.
--
-- Variables:  mail      the mail, given up or waiting (default: every one that was given up)
--             kind      only mails of this kind, such as password_reset (default: every kind)
--             waiting   1 for mails that wait for their next attempt, in the place of those that were given up
--             reason    why
--             by        your name (default: your login)
--             apply     1 to do it (default: only show)
-- Undo:       no; a sent mail does not come back
-- Example:    script/psql -v kind=password_reset -v reason='the mail server was down' \
--               -f sql/maintenance/requeue_mail.sql
--             script/psql -v waiting=1 -v reason='the mail server is back' -f sql/maintenance/requeue_mail.sql

\set ON_ERROR_STOP on
\set script requeue_mail
\set takes '[mail] [kind] [waiting]'
\ir parts/begin.sql
SELECT id AS mail, kind, to_address, created_at, CASE WHEN dead_at IS NULL THEN due END AS waits_until, attempts,
       last_error
FROM mails_to_requeue(nullif(:'mail', '')::uuid, nullif(:'kind', ''), :'waiting' = '1');
SELECT admin_requeue_mail(nullif(:'mail', '')::uuid, nullif(:'kind', ''), :'waiting' = '1', :'reason',
                          :'by') AS change \gset
\ir parts/end.sql
