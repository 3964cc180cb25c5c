-- purge.sql: removes what nobody needs any more, and prints how many rows of each.
--
-- It does at once what the program does every hour (expired sign-ins, tokens, keys), and removes what otherwise stays:
-- mails that were given up 90 days ago, invitations that ended 30 days ago, empty buckets of ranks, old events of the
-- audit and old changes by admins with what undoes them, who was counted under the rules of groups that are gone with
-- the totals under them, and who was in those groups, each a year after it ended. Events stay that prove what is still
-- there: an amendment, a suspension, a report, a linked identity. The function purge() has the rules.
--
-- Variables:  audit_months   events and changes by admins older than this go; at least 12 (default: 24)
--             reason         why
--             by             your name (default: your login)
--             apply          1 to do it (default: only show)
-- Undo:       no; only a backup brings it back
-- Example:    script/psql -v audit_months=12 -v reason='yearly' -f sql/maintenance/purge.sql

\set ON_ERROR_STOP on
\set script purge
\set takes '[audit_months]'
\ir parts/begin.sql
SELECT admin_purge(coalesce(nullif(:'audit_months', ''), '24')::integer, :'reason', :'by') AS change \gset
SELECT r.key AS what, r.value AS rows
FROM audit_events e CROSS JOIN LATERAL jsonb_each_text(e.details -> 'removed') r
WHERE e.kind = 'admin_purge' AND e.details ->> 'change' = :'change' ORDER BY r.key;
\ir parts/end.sql
