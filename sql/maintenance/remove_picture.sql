-- remove_picture.sql: removes a user's picture.
--
-- It is deleted, and shown nowhere any more. The user can choose another.
--
-- Variables:  uid      the user
--             reason   why; the user can read it
--             by       your name (default: your login)
--             apply    1 to do it (default: only show)
-- Undo:       no; the picture is gone
-- Example:    script/psql -v uid=3f0e4a52-0000-4000-8000-000000000000 -v reason='the picture offended others' \
--               -f sql/maintenance/remove_picture.sql

\set ON_ERROR_STOP on
\set script remove_picture
\set takes 'uid'
\ir parts/begin.sql
SELECT changed_at AS chosen, octet_length(webp) AS bytes FROM avatars WHERE uid = :'uid';
SELECT admin_remove_picture(:'uid', :'reason', :'by') AS change \gset
\ir parts/end.sql
