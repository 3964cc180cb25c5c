-- amend_standing.sql: corrects one person's time in a closed month of a group.
--
-- The sealed board stays as it is. Everybody in the group sees the corrected time and rank beside it, and the reason.
--
-- Variables:  group     the group
--             month     the closed month
--             uid       the user
--             seconds   how long they studied in that month
--             reason    why; everybody in the group can read it
--             by        your name (default: your login)
--             apply     1 to do it (default: only show)
-- Undo:       amends it back, unless it was amended again since
-- Example:    script/psql -v group=9a4b7c10-0000-4000-8000-000000000000 -v month=2026-10 \
--               -v uid=3f0e4a52-0000-4000-8000-000000000000 -v seconds=36000 -v reason='counted twice' \
--               -f sql/maintenance/amend_standing.sql

\set ON_ERROR_STOP on
\set script amend_standing
\set takes 'group month uid seconds'
\ir parts/begin.sql
SELECT admin_amend_standing(:'group', to_date(:'month', 'YYYY-MM'), :'uid', :'seconds', :'reason',
                            :'by') AS change \gset
\ir parts/end.sql
