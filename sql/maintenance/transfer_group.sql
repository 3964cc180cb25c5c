-- transfer_group.sql: makes a member the owner of a group, in the place of its owner.
--
-- The owner becomes an admin. Both, and the group's admins, see it in their activity. Refuses a member who is about to
-- leave the service.
--
-- Variables:  group    the group
--             uid      the member who becomes the owner
--             owner    the owner who hands it on; needed only if the group has several (default: the only one)
--             reason   why; the group's admins can read it
--             by       your name (default: your login)
--             apply    1 to do it (default: only show)
-- Undo:       both get their earlier roles back, unless one of them was changed since; none if the group had no owner
-- Example:    script/psql -v group=6f1c9a52-0000-4000-8000-000000000000 -v uid=3f0e4a52-0000-4000-8000-000000000000 \
--               -v reason='the teacher has left' -f sql/maintenance/transfer_group.sql

\set ON_ERROR_STOP on
\set script transfer_group
\set takes 'group uid [owner]'
\ir parts/begin.sql
SELECT u.nickname AS who, m.uid,
       format('%s → %s', m.role, CASE WHEN m.uid = :'uid' THEN 'owner' ELSE 'admin' END) AS role
FROM group_members m JOIN users u USING (uid)
WHERE m.group_id = :'group'
  AND (m.uid = :'uid' OR m.role = 'owner' AND m.uid = coalesce(nullif(:'owner', '')::uuid, m.uid))
ORDER BY m.uid = :'uid' DESC, u.nickname, m.uid;
SELECT admin_transfer_group(:'group', :'uid', nullif(:'owner', '')::uuid, :'reason', :'by') AS change \gset
\ir parts/end.sql
