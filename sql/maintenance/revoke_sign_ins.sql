-- revoke_sign_ins.sql: signs a user out on every device.
--
-- Their API keys, the address under which a calendar shows their sessions and their badge end as well, and links for a
-- new password or address that were mailed to them. It prints all of these first. The password stays; a link of
-- `anthill link` lets them choose another. Takes effect with the next request of each device.
--
-- Variables:  uid      the user
--             reason   why; the user can read it
--             by       your name (default: your login)
--             apply    1 to do it (default: only show)
-- Undo:       no; its owner signs in again
-- Example:    script/psql -v uid=3f0e4a52-0000-4000-8000-000000000000 -v reason='a lost phone' \
--               -f sql/maintenance/revoke_sign_ins.sql

\set ON_ERROR_STOP on
\set script revoke_sign_ins
\set takes 'uid'
\ir parts/begin.sql
SELECT * FROM admin_access(:'uid');
SELECT admin_revoke_sign_ins(:'uid', :'reason', :'by') AS change \gset
\ir parts/end.sql
