-- sizes.sql: shows how large tables and indexes are, how much of them is empty, and when the disk is full.
--
-- rows and unused are estimates from a sample of each table's pages. per_day is the growth of a table with its indexes:
-- the rows of the last days that are still there, each with the bytes that a row takes now, divided by the days. A
-- table whose rows go again after a while (mails, keys, sign-ins) grows no longer than that. A table whose rows do not
-- tell when they were made (students, rules) shows no growth. SQL cannot see the disk, so give what `df -h` shows as
-- available for the database's folder. The days until it is full are free divided by the growth of all tables; the
-- write-ahead log, logs and backups are not in it.
--
-- Variables:  free   the free space of the disk, such as 40G (default: not told, and no days until it is full)
--             days   the days over which growth is measured (default: 30)
-- Undo:       not needed: it changes nothing
-- Example:    script/psql -v free=40G -f sql/maintenance/sizes.sql

\set ON_ERROR_STOP on
\set script sizes
\set takes '[free] [days]'
\ir parts/variables.sql

BEGIN;
CREATE TEMPORARY TABLE sizes ON COMMIT DROP AS
  SELECT * FROM admin_sizes(coalesce(nullif(:'days', ''), '30')::integer);

SELECT relation AS "table", row_count AS rows, pg_size_pretty(bytes) AS size, pg_size_pretty(unused_bytes) AS unused,
       pg_size_pretty((SELECT coalesce(sum(i.bytes), 0) FROM sizes i WHERE i.of_table = t.relation)) AS indexes,
       pg_size_pretty(daily_bytes) AS per_day
FROM sizes t WHERE of_table IS NULL ORDER BY daily_bytes DESC, bytes DESC, relation;

SELECT relation AS index, of_table AS "table", pg_size_pretty(bytes) AS size,
       coalesce(pg_size_pretty(unused_bytes), '?') AS unused
FROM sizes WHERE of_table IS NOT NULL AND bytes > 1024 * 1024 ORDER BY bytes DESC, relation;

SELECT pg_size_pretty(pg_database_size(current_database())) AS database, pg_size_pretty(sum(daily_bytes)) AS per_day,
       CASE WHEN :'free' = '' THEN 'give free space: -v free=40G'
            WHEN sum(daily_bytes) > 0 THEN floor(
              pg_size_bytes(regexp_replace(nullif(:'free', ''), '([KMGT])$', '\1B')) / sum(daily_bytes))::text
            ELSE 'it does not grow' END AS days_until_full
FROM sizes;
COMMIT;
