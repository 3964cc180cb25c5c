-- vacuum_advice.sql: tells which tables want a VACUUM, and what keeps it from doing its work.
--
-- Autovacuum does all this by itself when it keeps up. A row means that it does not, with the statement to run, who may
-- run it, and the reason: many dead rows, statistics that are missing or old, old transaction numbers, a large table
-- that autovacuum visits too seldom, or something that holds dead rows back (a long transaction, a replication slot, a
-- prepared transaction). The owner's are for `script/psql --owner -c '…'`. No row means that all is well. Where a
-- table's unused space does not come back, see sizes.sql.
--
-- Undo:       not needed: it changes nothing
-- Example:    script/psql -f sql/maintenance/vacuum_advice.sql

\set ON_ERROR_STOP on
\set script vacuum_advice
\set takes ''
\ir parts/variables.sql

WITH tables AS (
  SELECT c.oid, c.oid::regclass AS name, pg_get_userbyid(c.relowner) AS owner, s.n_live_tup AS live,
         s.n_dead_tup AS dead, s.n_mod_since_analyze AS changed,
         coalesce(s.last_analyze, s.last_autoanalyze) AS analyzed, age(c.relfrozenxid) AS age,
         c.reloptions::text AS options
  FROM pg_class c JOIN pg_stat_user_tables s ON s.relid = c.oid
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'
)
SELECT format('VACUUM (ANALYZE) %s;', name) AS run, owner AS "as",
       format('%s of %s rows are dead', dead, live + dead) AS because
FROM tables WHERE dead > 1000 AND dead * 4 > live
UNION ALL
SELECT format('ANALYZE %s;', name), owner,
       CASE WHEN analyzed IS NULL THEN 'its statistics are missing'
            ELSE format('%s of %s rows have changed since its statistics were made', changed, live) END
FROM tables WHERE NOT (dead > 1000 AND dead * 4 > live)
  AND (analyzed IS NULL AND live > 1000 OR changed > 1000 AND changed * 4 > live)
UNION ALL
SELECT format('VACUUM (FREEZE) %s;', name), owner,
       format('its oldest transaction number is %s transactions old, and PostgreSQL forces a VACUUM at %s', age,
              current_setting('autovacuum_freeze_max_age'))
FROM tables WHERE age > 0.8 * current_setting('autovacuum_freeze_max_age')::integer
UNION ALL
SELECT format('ALTER TABLE %s SET (autovacuum_vacuum_scale_factor = 0.02);', name), owner,
       format('it has %s rows, and autovacuum comes only after %s are dead', live,
              round(live * current_setting('autovacuum_vacuum_scale_factor')::numeric))
FROM tables WHERE live > 1000000 AND coalesce(options, '') NOT LIKE '%autovacuum_vacuum_scale_factor%'
UNION ALL
SELECT format('SELECT pg_terminate_backend(%s);', a.pid),
       CASE WHEN NOT r.rolsuper THEN 'anthill_admin' ELSE 'a superuser' END,
       format('its transaction has been open for %s and holds back every VACUUM (%s, %s)',
              date_trunc('second', clock_timestamp() - a.xact_start), a.usename, a.state)
FROM pg_stat_activity a LEFT JOIN pg_roles r ON r.oid = a.usesysid
WHERE a.backend_xmin IS NOT NULL AND a.pid <> pg_backend_pid()
  -- Neither those of another database nor a VACUUM hold anything back here.
  AND (a.datname = current_database() OR a.datname IS NULL)
  AND NOT EXISTS (SELECT FROM pg_stat_progress_vacuum v WHERE v.pid = a.pid)
  AND a.xact_start < clock_timestamp() - interval '15 minutes'
UNION ALL
SELECT format('SELECT pg_drop_replication_slot(%L);', s.slot_name), 'a superuser',
       'this replication slot is not used and holds back every VACUUM'
FROM pg_replication_slots s WHERE NOT s.active AND (s.xmin IS NOT NULL OR s.catalog_xmin IS NOT NULL)
UNION ALL
SELECT format('ROLLBACK PREPARED %L;', p.gid), 'a superuser',
       format('this transaction was prepared at %s and holds back every VACUUM', p.prepared)
FROM pg_prepared_xacts p
WHERE p.database = current_database() AND p.prepared < clock_timestamp() - interval '15 minutes';
