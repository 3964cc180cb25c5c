-- The study clock in use: which day an instant belongs to, how an interval falls into days, when a month ends and closes.

-- The study day an instant belongs to: the last one that had begun. By local time alone the answer would be wrong
-- where the zone's offset changes between the boundary and the instant, so boundaries are compared as instants.
CREATE FUNCTION study_day(at timestamptz, time_zone text, day_starts_at time)
  RETURNS date LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE AS $$
DECLARE
  day date := ((at AT TIME ZONE time_zone) - (day_starts_at - time '00:00'))::date + 1;
BEGIN
  WHILE (day + day_starts_at) AT TIME ZONE time_zone > at LOOP
    day := day - 1;
  END LOOP;
  RETURN day;
END $$;

-- What an interval gives to each study day. The parts add up to the interval; a day that a zone skips gets none.
CREATE FUNCTION study_parts(started_at timestamptz, ended_at timestamptz, time_zone text, day_starts_at time)
  RETURNS TABLE (day date, seconds integer) LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE ROWS 2 AS $$
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

CREATE FUNCTION month_of(day date) RETURNS date LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN day - (extract(day FROM day)::integer - 1);

CREATE FUNCTION next_month(month date) RETURNS date LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN (month + interval '1 month')::date;

-- The first day of the period that a day lies in, and the first day after it. Weeks begin on Monday.
CREATE FUNCTION period_days(period text, day date, OUT first_day date, OUT until_day date)
  LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
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
      RAISE EXCEPTION 'no period %', period USING ERRCODE = 'check_violation', CONSTRAINT = 'unknown_period';
  END CASE;
END $$;

-- A month of a board is closed from 48 h after its end. The clock alone decides; standings only record it.
CREATE FUNCTION month_closes_at(month date, time_zone text, day_starts_at time)
  RETURNS timestamptz LANGUAGE sql STABLE STRICT PARALLEL SAFE
  RETURN ((month + interval '1 month')::date + day_starts_at) AT TIME ZONE time_zone + interval '48 hours';

-- The first month that is not closed: the one the instant 48 h ago lies in.
CREATE FUNCTION first_open_month(at timestamptz, time_zone text, day_starts_at time)
  RETURNS date LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SET search_path FROM CURRENT AS $$
BEGIN
  RETURN month_of(study_day(at - interval '48 hours', time_zone, day_starts_at));
END $$;

-- Writers of a month that has ended share this lock; the one who closes it holds the same lock alone. Take it before
-- reading the clock. The schema is part of the key, so that several in one database do not wait for each other.
CREATE FUNCTION lock_ended_month(rules_id integer, month date) RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(hashtextextended(format('%s month %s %s', current_schema, rules_id, month), 0));
END $$;
