-- slow_statements.sql: shows which statements took the most time since counting began, and what has run for long.
--
-- The first table needs PostgreSQL's extension pg_stat_statements; without it, this says where to read on. calls,
-- total and mean are those of a statement since the counters were reset (pg_stat_statements_reset()). The second table
-- shows transactions of this database that are older than some seconds, the oldest first: `idle in transaction` is a
-- client that has begun one and does nothing. Statements of other roles are hidden from a role without
-- pg_read_all_stats.
--
-- Variables:  seconds   how long a transaction must have run to be shown (default: 5)
-- Undo:       not needed: it changes nothing
-- Example:    script/psql -v seconds=1 -f sql/maintenance/slow_statements.sql

\set ON_ERROR_STOP on
\set script slow_statements
\set takes '[seconds]'
\ir parts/variables.sql

SELECT to_regclass('pg_stat_statements') IS NOT NULL
  AND EXISTS (SELECT FROM pg_settings WHERE name = 'pg_stat_statements.max')
         AS counted \gset
\if :counted
SELECT s.calls, make_interval(secs => round(s.total_exec_time) / 1000) AS total,
       round(s.mean_exec_time::numeric, 2) AS mean_ms,
       round(s.max_exec_time::numeric) AS max_ms, s.rows,
       left(regexp_replace(s.query, '\s+', ' ', 'g'), 120) AS statement
FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid
WHERE d.datname = current_database() ORDER BY s.total_exec_time DESC LIMIT 20;
\else
\echo 'Statements are not counted: a superuser of PostgreSQL turns that on and restarts it, by the commands under'
\echo '"Count statements" of operate.md.'
\endif

SELECT pid, usename AS role, date_trunc('second', clock_timestamp() - xact_start) AS transaction_for,
       date_trunc('second', clock_timestamp() - query_start) AS statement_for, state,
       left(regexp_replace(query, '\s+', ' ', 'g'), 120) AS statement
FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid()
  AND xact_start <= clock_timestamp() - make_interval(secs => coalesce(nullif(:'seconds', ''), '5')::integer)
ORDER BY xact_start;
