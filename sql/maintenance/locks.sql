-- locks.sql: shows who waits for whom in this database.
--
-- One row for each session that waits and each that it waits for: the lock that it wants, for how long it has waited,
-- and what the other one does. first is true for a session that waits for nobody itself: ending it lets the others go
-- on. To end a session's statement run SELECT pg_cancel_backend(PID), to end the session SELECT
-- pg_terminate_backend(PID). No row means that nobody waits.
--
-- Undo:       not needed: it changes nothing
-- Example:    script/psql -f sql/maintenance/locks.sql

\set ON_ERROR_STOP on
\set script locks
\set takes ''
\ir parts/variables.sql

SELECT w.pid AS waits, w.usename AS role, date_trunc('second', clock_timestamp() - l.waitstart) AS waits_for_time,
       concat_ws(' on ', l.mode, coalesce(l.relation::regclass::text, l.locktype)) AS wants,
       left(regexp_replace(w.query, '\s+', ' ', 'g'), 80) AS statement,
       b.pid AS waits_for, b.usename AS its_role, b.state AS its_state,
       date_trunc('second', clock_timestamp() - b.xact_start) AS its_transaction_for,
       left(regexp_replace(b.query, '\s+', ' ', 'g'), 80) AS its_statement,
       cardinality(pg_blocking_pids(b.pid)) = 0 AS first
FROM pg_stat_activity w
CROSS JOIN LATERAL unnest(pg_blocking_pids(w.pid)) x (pid)
JOIN pg_stat_activity b ON b.pid = x.pid
LEFT JOIN pg_locks l ON l.pid = w.pid AND NOT l.granted
WHERE w.datname = current_database()
ORDER BY l.waitstart, w.pid, b.pid;
