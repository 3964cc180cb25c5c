-- remove_member.sql: takes a user out of a group, and bans them if you say so.
--
-- What they studied stays theirs. They leave the group's boards of the current and later periods; final months keep
-- them. Their webhooks are turned off. Who is banned cannot join again; an admin of the group can lift the ban.
-- Refuses the only owner: hand the group on (transfer_group.sql) or delete it (delete_group.sql) first.
--
-- Variables:  group    the group
--             uid      the member
--             ban      1 to ban them as well (default: no)
--             reason   why; the user and the group's admins can read it
--             by       your name (default: your login)
--             apply    1 to do it (default: only show)
-- Undo:       they are a member again from then on, with the same role and visibility, unless they joined again
--             since; a ban is lifted; their webhooks stay off until an admin turns them on
-- Example:    script/psql -v group=6f1c9a52-0000-4000-8000-000000000000 -v uid=3f0e4a52-0000-4000-8000-000000000000 \
--               -v reason='asked by the school' -f sql/maintenance/remove_member.sql

\set ON_ERROR_STOP on
\set script remove_member
\set takes 'group uid [ban]'
\ir parts/begin.sql
SELECT u.nickname AS who, m.role, m.joined_at AS joined,
       CASE WHEN :'ban' = '1' THEN 'out, and banned' ELSE 'out' END AS becomes
FROM group_members m JOIN users u USING (uid) WHERE m.group_id = :'group' AND m.uid = :'uid';
SELECT admin_remove_member(:'group', :'uid', :'ban' = '1', :'reason', :'by') AS change \gset
\ir parts/end.sql
