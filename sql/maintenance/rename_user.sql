-- rename_user.sql: gives a user another nickname, in the place of one that offends.
--
-- Boards, closed months too, show the new one. The user can choose another.
--
-- Variables:  uid      the user
--             name     the new nickname
--             reason   why; the user can read it
--             by       your name (default: your login)
--             apply    1 to do it (default: only show)
-- Undo:       gives the old nickname back, unless it was changed again since
-- Example:    script/psql -v uid=3f0e4a52-0000-4000-8000-000000000000 -v name='Ant 12' \
--               -v reason='the nickname offended others' -f sql/maintenance/rename_user.sql

\set ON_ERROR_STOP on
\set script rename_user
\set takes 'uid name'
\ir parts/begin.sql
SELECT nickname, plain_line(:'name') AS new_nickname FROM users WHERE uid = :'uid';
SELECT admin_rename_user(:'uid', :'name', :'reason', :'by') AS change \gset
\ir parts/end.sql
