-- suspend_user.sql: suspends an account: nobody can sign in to it until it is restored.
--
-- Its owner is signed out everywhere, and a running timer is stopped; what was studied counts. API keys, the address
-- for a calendar, the badge and links in mails end for good; it prints them first. A link that takes an old address
-- back ends only with old_addresses=1; until then it gives the account that address back, and lets nobody in. The
-- account stays on boards: a group's own admins, or the moderators of the service, decide about these. Nobody gets a
-- mail about it.
--
-- Variables:  uid             the user
--             old_addresses   1 to let nobody take an old address back, either (default: no)
--             reason          why; the user can read it once they are back
--             by              your name (default: your login)
--             apply           1 to do it (default: only show)
-- Undo:       restores the account, unless it was suspended again since; its owner signs in anew
-- Example:    script/psql -v uid=3f0e4a52-0000-4000-8000-000000000000 -v reason='a stolen password' \
--               -f sql/maintenance/suspend_user.sql

\set ON_ERROR_STOP on
\set script suspend_user
\set takes 'uid [old_addresses]'
\ir parts/begin.sql
SELECT * FROM admin_access(:'uid', :'old_addresses' = '1');
SELECT admin_suspend_user(:'uid', :'reason', :'by', :'old_addresses' = '1') AS change \gset
\ir parts/end.sql
