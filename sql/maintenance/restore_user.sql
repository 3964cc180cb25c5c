-- restore_user.sql: restores an account that was suspended.
--
-- Its owner can sign in again, with the same password or provider. Sign-ins from before the suspension are over for
-- good.
--
-- Variables:  uid      the user
--             reason   why; the user can read it
--             by       your name (default: your login)
--             apply    1 to do it (default: only show)
-- Undo:       no; run suspend_user.sql
-- Example:    script/psql -v uid=3f0e4a52-0000-4000-8000-000000000000 -v reason='it was a mistake' \
--               -f sql/maintenance/restore_user.sql

\set ON_ERROR_STOP on
\set script restore_user
\set takes 'uid'
\ir parts/begin.sql
SELECT u.status, c.at AS since, c.by, c.reason FROM users u
LEFT JOIN LATERAL (SELECT * FROM admin_changes x WHERE x.uid = u.uid AND x.script = 'suspend_user'
                   ORDER BY x.number DESC LIMIT 1) c ON u.status = 'suspended'
WHERE u.uid = :'uid';
SELECT admin_restore_user(:'uid', :'reason', :'by') AS change \gset
\ir parts/end.sql
