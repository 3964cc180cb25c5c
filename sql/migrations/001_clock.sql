-- The clock: what time it is, which zones exist, and where a study day begins and ends.
--
-- A study clock is a time zone and the local hour at which a study day begins. Everything that depends on one
-- (which day is it, when does this month end, how much of an interval belongs to yesterday) is defined here, once.

-- What all Anthill schemas of one database share: the extension that the exclusion constraint on study intervals
-- needs, and the list of zones, which takes a tenth of a second to read from the server's files. The lock is for
-- migrations that run in two schemas at the same time.
SELECT pg_advisory_xact_lock(hashtextextended('anthill_shared', 0));
CREATE SCHEMA IF NOT EXISTS anthill_shared;
CREATE EXTENSION IF NOT EXISTS btree_gist SCHEMA anthill_shared;
CREATE TABLE IF NOT EXISTS anthill_shared.time_zones AS
  SELECT name FROM pg_timezone_names WHERE name NOT LIKE 'posix/%' AND name <> 'localtime';

-- The only clock. Whole seconds; never now(), which would be the start of the transaction. STABLE is a promise for
-- one statement only: it lets an index be used, and PL/pgSQL still reads it anew in every statement.
-- Tests move time by replacing this function.
CREATE FUNCTION anthill_clock() RETURNS timestamptz LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  RETURN date_trunc('second', clock_timestamp());
END $$;

-- The zones a clock may have. AT TIME ZONE alone would accept FOO5. Whatever keeps a zone refers to this table by a
-- constraint named unknown_time_zone. learn_time_zones() takes up new ones after an update of tzdata.
CREATE TABLE time_zones (
  name text CONSTRAINT time_zones_key PRIMARY KEY
);
INSERT INTO time_zones (name) SELECT name FROM anthill_shared.time_zones;

CREATE FUNCTION learn_time_zones() RETURNS bigint LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  learned bigint;
BEGIN
  INSERT INTO time_zones (name)
    SELECT z.name FROM pg_timezone_names z WHERE z.name NOT LIKE 'posix/%' AND z.name <> 'localtime'
    ON CONFLICT DO NOTHING;
  GET DIAGNOSTICS learned = ROW_COUNT;
  RETURN learned;
END $$;

-- The instant at which a study day begins. A local time that a zone skips is taken as PostgreSQL takes it.
CREATE FUNCTION study_day_start(day date, time_zone text, day_starts_at time)
  RETURNS timestamptz LANGUAGE sql STABLE STRICT PARALLEL SAFE
  RETURN (day + day_starts_at) AT TIME ZONE time_zone;
