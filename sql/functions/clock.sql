-- The clock: the current time, time zones, the study day of an instant, the days of an interval, and when a month ends
-- and closes.
--
-- A study clock is a time zone and the local time at which a study day begins. Everything that depends on one is
-- defined here, once.

-- The only clock, in whole seconds. It never uses now(), which is the start of the transaction. STABLE holds for one
-- statement only: an index can be used, and each statement still reads the clock again. Tests move time by replacing
-- this function.
CREATE OR REPLACE FUNCTION anthill_clock() RETURNS timestamptz LANGUAGE plpgsql STABLE PARALLEL SAFE
  SET search_path = public, pg_temp AS $$
BEGIN
  RETURN date_trunc('second', clock_timestamp());
END $$;

-- The instant at which a study day begins. A local time that the zone skips is read as PostgreSQL reads it.
CREATE OR REPLACE FUNCTION study_day_start(day date, time_zone text, day_starts_at time)
  RETURNS timestamptz LANGUAGE sql STABLE STRICT PARALLEL SAFE
  RETURN (day + day_starts_at) AT TIME ZONE time_zone;

-- The study day of an instant: the last one that had begun. Boundaries are compared as instants, because local times
-- give a wrong answer when the zone's offset changes between the boundary and the instant.
CREATE OR REPLACE FUNCTION study_day(at timestamptz, time_zone text, day_starts_at time)
  RETURNS date LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SET search_path = public, pg_temp AS $$
DECLARE
  day date := ((at AT TIME ZONE time_zone) - (day_starts_at - time '00:00'))::date + 1;
BEGIN
  WHILE (day + day_starts_at) AT TIME ZONE time_zone > at LOOP
    day := day - 1;
  END LOOP;
  RETURN day;
END $$;

-- The parts of an interval by study day. They add up to the interval; a day that a zone skips gets none.
CREATE OR REPLACE FUNCTION study_parts(started_at timestamptz, ended_at timestamptz, time_zone text, day_starts_at time)
  RETURNS TABLE (day date, seconds integer)
    LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE ROWS 2 SET search_path = public, pg_temp AS $$
DECLARE
  reached timestamptz := started_at;
  boundary timestamptz;
BEGIN
  day := ((started_at AT TIME ZONE time_zone) - (day_starts_at - time '00:00'))::date - 1;
  WHILE reached < ended_at LOOP
    boundary := ((day + 1) + day_starts_at) AT TIME ZONE time_zone;
    IF boundary > reached THEN
      seconds := extract(epoch FROM least(boundary, ended_at) - reached);
      RETURN NEXT;
      reached := boundary;
    END IF;
    day := day + 1;
  END LOOP;
END $$;

-- Weeks begin on Monday.
CREATE OR REPLACE FUNCTION week_of(day date) RETURNS date LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN day - (extract(isodow FROM day)::integer - 1);

CREATE OR REPLACE FUNCTION month_of(day date) RETURNS date LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN day - (extract(day FROM day)::integer - 1);

CREATE OR REPLACE FUNCTION next_month(month date) RETURNS date LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN (month + interval '1 month')::date;

-- The first day of the period that contains a day, and the first day after that period.
CREATE OR REPLACE FUNCTION period_days(period text, day date, OUT first_day date, OUT until_day date)
  LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = public, pg_temp AS $$
BEGIN
  CASE period
    WHEN 'day' THEN
      first_day := day;
      until_day := day + 1;
    WHEN 'week' THEN
      first_day := week_of(day);
      until_day := first_day + 7;
    WHEN 'month' THEN
      first_day := month_of(day);
      until_day := next_month(first_day);
    ELSE
      PERFORM refuse('unknown_period', format('no period %s', period));
  END CASE;
END $$;

-- A month of a board is closed when its grace period is over. Only the clock decides; standings record it.
CREATE OR REPLACE FUNCTION month_closes_at(month date, time_zone text, day_starts_at time)
  RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE
  RETURN study_day_start(next_month(month), time_zone, day_starts_at) + grace_period();

-- Whether a period of a board is open at an instant, in its grace period, or closed.
CREATE OR REPLACE FUNCTION period_state(at timestamptz, ends_at timestamptz, closes_at timestamptz) RETURNS text
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN CASE WHEN at < ends_at THEN 'open' WHEN at < closes_at THEN 'grace' ELSE 'closed' END;

-- The first month that is not closed: the one that contains the instant one grace period ago.
CREATE OR REPLACE FUNCTION first_open_month(at timestamptz, time_zone text, day_starts_at time)
  RETURNS date LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SET search_path = public, pg_temp AS $$
BEGIN
  RETURN month_of(study_day(at - grace_period(), time_zone, day_starts_at));
END $$;

-- The dates from first_day to last_day that did not exist, because their zone crossed the date line.
CREATE OR REPLACE FUNCTION skipped_days(first_day date, last_day date, time_zone text, day_starts_at time)
  RETURNS SETOF date LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE ROWS 1 SET search_path = public, pg_temp AS $$
BEGIN
  -- Only a zone whose offset has moved by about a day can have crossed the date line.
  IF abs(extract(epoch FROM (last_day::timestamp AT TIME ZONE time_zone)
                                - (first_day::timestamp AT TIME ZONE time_zone))
         - (last_day - first_day) * 86400) >= 43200 THEN
    RETURN QUERY SELECT first_day + n FROM generate_series(0, last_day - first_day) n
      WHERE study_day_start(first_day + n + 1, time_zone, day_starts_at)
        = study_day_start(first_day + n, time_zone, day_starts_at);
  END IF;
END $$;

-- The parts of an interval by hour of the local day. An hour in which the clocks change is split by minutes, so an hour
-- that comes twice gets both parts, and a shortened hour only its part.
CREATE OR REPLACE FUNCTION hour_parts(started_at timestamptz, ended_at timestamptz, time_zone text)
  RETURNS TABLE (hour integer, seconds integer)
    LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE ROWS 3 SET search_path = public, pg_temp AS $$
DECLARE
  reached timestamptz := started_at;
  local timestamp;
  until timestamptz;
BEGIN
  WHILE reached < ended_at LOOP
    local := reached AT TIME ZONE time_zone;
    until := reached + (date_trunc('hour', local) + interval '1 hour' - local);
    IF (until - interval '1 second') AT TIME ZONE time_zone - local <> until - interval '1 second' - reached THEN
      until := reached + (date_trunc('minute', local) + interval '1 minute' - local);
    END IF;
    until := least(until, ended_at);
    hour := extract(hour FROM local);
    seconds := extract(epoch FROM until - reached);
    RETURN NEXT;
    reached := until;
  END LOOP;
END $$;

-- The instants at which clocks in a zone show a local time: none if it is skipped, two if it comes twice.
CREATE OR REPLACE FUNCTION instants_of(local timestamp, time_zone text) RETURNS timestamptz[]
  LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SET search_path = public, pg_temp AS $$
DECLARE
  guess timestamptz := local AT TIME ZONE time_zone;
  before interval := (guess - interval '1 day') AT TIME ZONE time_zone - (guess - interval '1 day') AT TIME ZONE 'UTC';
  after interval := (guess + interval '1 day') AT TIME ZONE time_zone - (guess + interval '1 day') AT TIME ZONE 'UTC';
BEGIN
  IF before = after THEN RETURN ARRAY[guess]; END IF;
  RETURN ARRAY(
    SELECT c.at FROM (SELECT local AT TIME ZONE 'UTC' - o.east AS at FROM unnest(ARRAY[before, after]) o (east)) c
    WHERE c.at AT TIME ZONE time_zone = local ORDER BY c.at);
END $$;

-- The interval that a file gives by local times, or by start and length if the end is missing. A local time that comes
-- twice means the first instant, unless only the second agrees with the length or is after the start. A skipped time is
-- refused.
CREATE OR REPLACE FUNCTION local_stretch(
  local_start timestamp, local_end timestamp, lasted integer, time_zone text, OUT began timestamptz,
  OUT finished timestamptz
) LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = public, pg_temp AS $$
DECLARE
  starts timestamptz[] := instants_of(local_start, time_zone);
  ends timestamptz[];
BEGIN
  ends := CASE
    WHEN local_end IS NULL THEN ARRAY(SELECT s.at + make_interval(secs => lasted) FROM unnest(starts) s (at))
    ELSE instants_of(local_end, time_zone)
  END;
  IF cardinality(starts) = 0 OR cardinality(ends) = 0 THEN
    PERFORM refuse(
      CASE WHEN cardinality(starts) = 0 THEN 'no_such_local_start' ELSE 'no_such_local_end' END,
      format('clocks in %s skip this time', time_zone));
  END IF;
  SELECT s.at, e.at INTO began, finished FROM unnest(starts) s (at) CROSS JOIN unnest(ends) e (at)
    ORDER BY e.at - s.at = make_interval(secs => lasted) DESC NULLS LAST, e.at > s.at DESC, s.at, e.at LIMIT 1;
END $$;

-- The first instant at which clocks in a zone show that day and time, or a later one: the first of two for a time that
-- comes twice, the instant after the gap for a time that is skipped.
CREATE OR REPLACE FUNCTION first_instant(day date, at time, zone text)
  RETURNS timestamptz LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SET search_path = public, pg_temp AS $$
DECLARE
  wanted timestamp := day + at;
  -- No zone is farther from UTC than this, and none changes its clocks twice in such a short time.
  before timestamptz := (wanted - interval '15 hours') AT TIME ZONE 'UTC';
  after timestamptz := (wanted + interval '13 hours') AT TIME ZONE 'UTC';
  by_old timestamptz := (wanted - (before AT TIME ZONE zone - before AT TIME ZONE 'UTC')) AT TIME ZONE 'UTC';
  by_new timestamptz := (wanted - (after AT TIME ZONE zone - after AT TIME ZONE 'UTC')) AT TIME ZONE 'UTC';
  early timestamptz := least(by_old, by_new);
  late timestamptz := greatest(by_old, by_new);
  middle timestamptz;
BEGIN
  IF early AT TIME ZONE zone = wanted THEN RETURN early; END IF;
  -- A skipped time: the change is between the two instants, and before it the clocks show less than `wanted`.
  WHILE late AT TIME ZONE zone > wanted AND late - early > interval '1 second' LOOP
    middle := date_trunc('second', early + (late - early) / 2);
    IF middle AT TIME ZONE zone < wanted THEN early := middle; ELSE late := middle; END IF;
  END LOOP;
  RETURN late;
END $$;

-- An instant in the API's format.
CREATE OR REPLACE FUNCTION utc_text(at timestamptz) RETURNS text LANGUAGE sql STABLE STRICT PARALLEL SAFE
  RETURN to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"');

-- Adds the zones that the database's tzdata has and time_zones lacks, and returns their number; for use after an update
-- of tzdata. Names that are not places are left out: copies, the machine's own zone, POSIX rules, and "not set".
CREATE OR REPLACE FUNCTION learn_time_zones() RETURNS bigint LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  learned bigint;
BEGIN
  INSERT INTO time_zones (name)
    SELECT z.name FROM pg_timezone_names z
    WHERE z.name NOT LIKE 'posix/%' AND z.name NOT IN ('localtime', 'posixrules', 'Factory')
      AND NOT EXISTS (SELECT FROM time_zones k WHERE k.name = z.name)
    ON CONFLICT DO NOTHING;
  GET DIAGNOSTICS learned = ROW_COUNT;
  RETURN learned;
END $$;
