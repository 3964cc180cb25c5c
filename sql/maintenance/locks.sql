-- locks.sql: shows who waits for whom in this database.
--
-- One row for each session that waits and each that it waits for: the lock that it wants, for how long it has waited,
-- and what the other one does. waits_for is 0 for a transaction that was prepared and belongs to no session. first is
-- true for one that waits for nobody itself: ending it lets the others go on. A second table says how: what to run, and
-- who may. Ending a session undoes its transaction. No row means that nobody waits.
--
-- Undo:       not needed: it changes nothing
-- Example:    script/psql -f sql/maintenance/locks.sql

\set ON_ERROR_STOP on
\set script locks
\set takes ''
\ir parts/variables.sql

SELECT w.pid AS waits, w.usename AS role, date_trunc('second', clock_timestamp() - l.waitstart) AS has_waited,
       concat_ws(' on ', l.mode, coalesce(l.relation::regclass::text, l.locktype)) AS wants,
       left(regexp_replace(w.query, '\s+', ' ', 'g'), 80) AS statement,
       x.pid AS waits_for, b.usename AS its_role, coalesce(b.state, 'prepared') AS its_state,
       date_trunc('second', clock_timestamp() - b.xact_start) AS its_transaction_for,
       left(regexp_replace(b.query, '\s+', ' ', 'g'), 80) AS its_statement,
       cardinality(pg_blocking_pids(x.pid)) = 0 AS first
FROM pg_stat_activity w
CROSS JOIN LATERAL unnest(pg_blocking_pids(w.pid)) x (pid)
LEFT JOIN pg_stat_activity b ON b.pid = x.pid
LEFT JOIN pg_locks l ON l.pid = w.pid AND NOT l.granted
WHERE w.datname = current_database()
ORDER BY l.waitstart, w.pid, x.pid;

WITH first AS MATERIALIZED (
  SELECT DISTINCT x.pid
  FROM pg_stat_activity w CROSS JOIN LATERAL unnest(pg_blocking_pids(w.pid)) x (pid)
  WHERE w.datname = current_database() AND cardinality(pg_blocking_pids(x.pid)) = 0
)
SELECT format('SELECT %s(%s);', CASE b.state WHEN 'active' THEN 'pg_cancel_backend' ELSE 'pg_terminate_backend' END,
              b.pid) AS run,
       CASE WHEN NOT r.rolsuper THEN 'anthill_admin' ELSE 'a superuser' END AS "as",
       format('session %s is first', b.pid) AS because
FROM first f JOIN pg_stat_activity b USING (pid) LEFT JOIN pg_roles r ON r.oid = b.usesysid
UNION ALL
SELECT format('ROLLBACK PREPARED %L;', p.gid), 'a superuser', format('it was prepared at %s', p.prepared)
FROM pg_prepared_xacts p WHERE p.database = current_database() AND EXISTS (SELECT FROM first f WHERE f.pid = 0);

-- Whether there is a session that the right would let this login end.
SELECT NOT pg_has_role('pg_signal_backend', 'USAGE') AND EXISTS (
         SELECT FROM pg_stat_activity a JOIN pg_roles r ON r.oid = a.usesysid
         WHERE a.datname = current_database() AND NOT r.rolsuper AND NOT pg_has_role(r.oid, 'USAGE')) AS is_weak \gset
\if :is_weak
\echo 'This login may not end sessions. A superuser lets admins do it: GRANT pg_signal_backend TO anthill_admin'
\endif
