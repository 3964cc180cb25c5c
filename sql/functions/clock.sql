-- The clock: what time it is, which zones exist, which day an instant belongs to, how an interval falls into days, when
-- a month ends and closes.
--
-- A study clock is a time zone and the local time at which a study day begins. Everything that depends on one is defined
-- here, once.

-- The only clock. Whole seconds; never now(), which would be the start of the transaction. STABLE is a promise for
-- one statement only: it lets an index be used, and the clock is still read anew in every statement.
-- Tests move time by replacing this function.
CREATE OR REPLACE FUNCTION anthill_clock() RETURNS timestamptz LANGUAGE plpgsql STABLE PARALLEL SAFE
  SET search_path = public, pg_temp AS $$
BEGIN
  RETURN date_trunc('second', clock_timestamp());
END $$;

-- The instant at which a study day begins. A local time that a zone skips is taken as PostgreSQL takes it.
CREATE OR REPLACE FUNCTION study_day_start(day date, time_zone text, day_starts_at time)
  RETURNS timestamptz LANGUAGE sql STABLE STRICT PARALLEL SAFE
  RETURN (day + day_starts_at) AT TIME ZONE time_zone;

-- The study day an instant belongs to: the last one that had begun. By local time alone the answer would be wrong
-- where the zone's offset changes between the boundary and the instant, so boundaries are compared as instants.
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

-- What an interval gives to each study day. The parts add up to the interval; a day that a zone skips gets none.
CREATE OR REPLACE FUNCTION study_parts(started_at timestamptz, ended_at timestamptz, time_zone text, day_starts_at time)
  RETURNS TABLE (day date, seconds integer) LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE ROWS 2 SET search_path = public, pg_temp AS $$
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

CREATE OR REPLACE FUNCTION month_of(day date) RETURNS date LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN day - (extract(day FROM day)::integer - 1);

CREATE OR REPLACE FUNCTION next_month(month date) RETURNS date LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN (month + interval '1 month')::date;

-- The first day of the period that a day lies in, and the first day after it. Weeks begin on Monday.
CREATE OR REPLACE FUNCTION period_days(period text, day date, OUT first_day date, OUT until_day date)
  LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = public, pg_temp AS $$
BEGIN
  CASE period
    WHEN 'day' THEN
      first_day := day;
      until_day := day + 1;
    WHEN 'week' THEN
      first_day := day - (extract(isodow FROM day)::integer - 1);
      until_day := first_day + 7;
    WHEN 'month' THEN
      first_day := day - (extract(day FROM day)::integer - 1);
      until_day := (first_day + interval '1 month')::date;
    ELSE
      PERFORM refuse('unknown_period', format('no period %s', period));
  END CASE;
END $$;

-- A month of a board is closed when its grace period is over. The clock alone decides; standings only record it.
CREATE OR REPLACE FUNCTION month_closes_at(month date, time_zone text, day_starts_at time)
  RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE
  RETURN ((month + interval '1 month')::date + day_starts_at) AT TIME ZONE time_zone + grace_period();

-- The first month that is not closed: the one that the instant a grace period ago lies in.
CREATE OR REPLACE FUNCTION first_open_month(at timestamptz, time_zone text, day_starts_at time)
  RETURNS date LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SET search_path = public, pg_temp AS $$
BEGIN
  RETURN month_of(study_day(at - grace_period(), time_zone, day_starts_at));
END $$;

-- The dates from first_day up to last_day that never came, because their zone crossed the date line.
CREATE OR REPLACE FUNCTION skipped_days(first_day date, last_day date, time_zone text, day_starts_at time)
  RETURNS SETOF date LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE ROWS 1 SET search_path = public, pg_temp AS $$
BEGIN
  -- Only a zone whose offset has moved by about a day can have crossed it.
  IF abs(extract(epoch FROM (last_day::timestamp AT TIME ZONE time_zone) - (first_day::timestamp AT TIME ZONE time_zone))
         - (last_day - first_day) * 86400) >= 43200 THEN
    RETURN QUERY SELECT first_day + n FROM generate_series(0, last_day - first_day) n
      WHERE study_day_start(first_day + n + 1, time_zone, day_starts_at) = study_day_start(first_day + n, time_zone, day_starts_at);
  END IF;
END $$;

-- How an interval falls into the hours of the local day. Where the clocks change within an hour it is gone through by
-- minutes, so an hour that comes twice gets both and a part of one only its part.
CREATE OR REPLACE FUNCTION hour_parts(started_at timestamptz, ended_at timestamptz, time_zone text)
  RETURNS TABLE (hour integer, seconds integer) LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE ROWS 3 SET search_path = public, pg_temp AS $$
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

-- The instants at which clocks in a zone show a local time: none in an hour that is skipped, two in a doubled one.
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

-- The stretch that a file tells by local times, by its length where the end is missing. Of a doubled hour the first is
-- meant unless only the second agrees with the length, or lies after the start; a skipped time is refused.
CREATE OR REPLACE FUNCTION local_stretch(
  local_start timestamp, local_end timestamp, lasted integer, time_zone text, OUT began timestamptz, OUT finished timestamptz
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

-- The first instant at which the clocks of a zone show that day and time, or a later one: of an hour that comes twice
-- the first coming, of one that never comes the instant after it.
CREATE OR REPLACE FUNCTION first_instant(day date, at time, zone text)
  RETURNS timestamptz LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SET search_path = public, pg_temp AS $$
DECLARE
  wanted timestamp := day + at;
  -- No zone is further from UTC than this, and none changes its clocks twice in so short a time.
  before timestamptz := (wanted - interval '15 hours') AT TIME ZONE 'UTC';
  after timestamptz := (wanted + interval '13 hours') AT TIME ZONE 'UTC';
  by_old timestamptz := (wanted - (before AT TIME ZONE zone - before AT TIME ZONE 'UTC')) AT TIME ZONE 'UTC';
  by_new timestamptz := (wanted - (after AT TIME ZONE zone - after AT TIME ZONE 'UTC')) AT TIME ZONE 'UTC';
  early timestamptz := least(by_old, by_new);
  late timestamptz := greatest(by_old, by_new);
  middle timestamptz;
BEGIN
  IF early AT TIME ZONE zone = wanted THEN RETURN early; END IF;
  -- A skipped time: the change lies between the two, and only one side of it shows less than what is wanted.
  WHILE late AT TIME ZONE zone > wanted AND late - early > interval '1 second' LOOP
    middle := date_trunc('second', early + (late - early) / 2);
    IF middle AT TIME ZONE zone < wanted THEN early := middle; ELSE late := middle; END IF;
  END LOOP;
  RETURN late;
END $$;

-- An instant as the API writes it.
CREATE OR REPLACE FUNCTION utc_text(at timestamptz) RETURNS text LANGUAGE sql STABLE STRICT PARALLEL SAFE
  RETURN to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"');

-- Takes up the zones that the database's tzdata has and time_zones lacks, and answers how many; after an update of
-- tzdata. Not what is no place on earth: copies, this machine's own zone, what POSIX rules follow, and "nothing set".
CREATE OR REPLACE FUNCTION learn_time_zones() RETURNS bigint LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  learned bigint;
BEGIN
  INSERT INTO time_zones (name)
    SELECT z.name FROM pg_timezone_names z
    WHERE z.name NOT LIKE 'posix/%' AND z.name NOT IN ('localtime', 'posixrules', 'Factory')
    ON CONFLICT DO NOTHING;
  GET DIAGNOSTICS learned = ROW_COUNT;
  RETURN learned;
END $$;
