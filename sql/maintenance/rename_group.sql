-- rename_group.sql: gives a group another name, in the place of one that offends.
--
-- The group's admins can choose another.
--
-- Variables:  group    the group
--             name     the new name
--             reason   why; the group's admins can read it
--             by       your name (default: your login)
--             apply    1 to do it (default: only show)
-- Undo:       gives the old name back, unless it was changed again since
-- Example:    script/psql -v group=6f1c9a52-0000-4000-8000-000000000000 -v name='Group 12' \
--               -v reason='the name offended others' -f sql/maintenance/rename_group.sql

\set ON_ERROR_STOP on
\set script rename_group
\set takes 'group name'
\ir parts/begin.sql
SELECT name, plain_line(:'name') AS new_name FROM groups WHERE group_id = :'group';
SELECT admin_rename_group(:'group', :'name', :'reason', :'by') AS change \gset
\ir parts/end.sql
