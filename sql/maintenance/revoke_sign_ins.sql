-- revoke_sign_ins.sql: signs a user out on every device.
--
-- Their API keys, the address under which a calendar shows their sessions and their badge end as well, and links for a
-- new password or address that were mailed to them. It prints all of these first. A link that takes an old address
-- back ends only with old_addresses=1: where a thief has changed the address, it is what helps its owner. The password
-- stays; a link of `anthill link` lets them choose another. Takes effect with the next request of each device.
--
-- Variables:  uid             the user
--             old_addresses   1 to let nobody take an old address back, either (default: no)
--             reason          why; the user can read it
--             by              your name (default: your login)
--             apply           1 to do it (default: only show)
-- Undo:       no; its owner signs in again
-- Example:    script/psql -v uid=3f0e4a52-0000-4000-8000-000000000000 -v reason='a lost phone' \
--               -f sql/maintenance/revoke_sign_ins.sql

\set ON_ERROR_STOP on
\set script revoke_sign_ins
\set takes 'uid [old_addresses]'
\ir parts/begin.sql
SELECT * FROM admin_access(:'uid', :'old_addresses' = '1');
SELECT admin_revoke_sign_ins(:'uid', :'reason', :'by', :'old_addresses' = '1') AS change \gset
\ir parts/end.sql
