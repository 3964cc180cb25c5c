-- erase_user.sql: erases a user at once, without the days that leaving takes.
--
-- Prints the account, in which columns the user is named and in how many rows, and whether these go or stay without the
-- name. Then the user, their study, mails, sign-ins and places in groups are gone; closed standings keep rank and
-- seconds under "someone who left", and the audit keeps what happened without saying to whom, and the reason. The
-- counters of wrong passwords, under a keyed digest of the address, stay until they expire. Groups that nobody else is
-- in are deleted; it prints them. Refuses while another group would be left without an owner: hand it on
-- (transfer_group.sql) or delete it (delete_group.sql) first. Refuses as well while a month of a group of theirs is
-- closed by the clock and its final board is not written yet (close_month.sql). While this runs, nobody can join or
-- leave the user's groups.
--
-- Variables:  uid      the user
--             reason   why. Do not name the user in it
--             by       your name (default: your login)
--             apply    1 to do it (default: only show)
-- Undo:       no; only a backup brings them back
-- Example:    script/psql -v uid=3f0e4a52-0000-4000-8000-000000000000 -v reason='asked by letter' \
--               -f sql/maintenance/erase_user.sql

\set ON_ERROR_STOP on
\set script erase_user
\set takes 'uid'
\ir parts/begin.sql
SELECT 'is erased' AS becomes, * FROM admin_account(:'uid');
SELECT named_in, row_count AS rows,
       CASE WHEN stays_without_name(named_in) THEN 'stay without the name' ELSE 'go' END AS becomes
FROM rows_about(:'uid');
SELECT EXISTS (SELECT FROM groups_of_one(:'uid')) AS is_alone \gset
\if :is_alone
SELECT name AS deleted_group, group_id FROM groups_of_one(:'uid');
\endif
SELECT admin_erase_user(:'uid', :'reason', :'by') AS change \gset
\ir parts/end.sql
