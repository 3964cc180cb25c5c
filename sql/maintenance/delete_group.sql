-- delete_group.sql: deletes a group, as its owner can.
--
-- Its members leave it, and keep what they studied; each reads the reason in the activity of their account. With the
-- group go its rules, invitations, notices and webhooks. Closed months stay in the database, and people find their
-- own ranks of them. Refuses while a month is closed by the clock and its final board is not written yet
-- (close_month.sql).
--
-- Variables:  group    the group
--             reason   why; everybody who was in the group can read it
--             by       your name (default: your login)
--             apply    1 to do it (default: only show)
-- Undo:       no; only a backup brings it back
-- Example:    script/psql -v group=6f1c9a52-0000-4000-8000-000000000000 -v reason='its owner has left the school' \
--               -f sql/maintenance/delete_group.sql

\set ON_ERROR_STOP on
\set script delete_group
\set takes 'group'
\ir parts/begin.sql
SELECT g.name, g.created_at AS made, count(m.uid) AS members,
       coalesce(string_agg(u.nickname, ', ' ORDER BY u.nickname, u.uid) FILTER (WHERE m.role = 'owner'), '') AS owners,
       (SELECT count(*) FROM month_closes c WHERE c.group_id = g.group_id) AS closed_months
FROM groups g LEFT JOIN group_members m USING (group_id) LEFT JOIN users u USING (uid)
WHERE g.group_id = :'group'
GROUP BY g.group_id;
SELECT admin_delete_group(:'group', :'reason', :'by') AS change \gset
\ir parts/end.sql
