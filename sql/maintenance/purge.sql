-- purge.sql: removes what nobody needs any more, and prints how many rows of each.
--
-- It does at once what the program does every hour, which removes what has expired: sign-ins, links, limits, kept
-- answers, mails that were sent 30 days ago or given up 90 days ago. And it removes what otherwise stays:
--   invitations that ended 30 days ago, and requests to join that were answered 90 days ago
--   events of the audit that are older than audit_months, but not those that prove what is still there: an amendment, a
--   suspension, a report, a linked identity
--   changes by admins that are as old; nobody can undo them any more
--   totals under rules that no group of the person's has any more, and who was in groups that are gone, each a year
--   after it ended
--   empty buckets of ranks
-- The function purge() has the rules.
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
