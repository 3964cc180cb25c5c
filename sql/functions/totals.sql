-- Totals: how an interval counts, and how it enters and leaves the days and months of its owner.
--
-- Everything here runs while the caller holds the owner's row (hold_user), so a user's totals have one writer at a time.

-- What counts of a day under rules, and how much of that is there only because of manual time. (Not STRICT: that would
-- keep them from being inlined.)
CREATE OR REPLACE FUNCTION counted_of_day(seconds integer, manual_seconds integer, cap integer, manual_counts boolean)
  RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN least(cap, CASE WHEN manual_counts THEN seconds ELSE seconds - manual_seconds END);

CREATE OR REPLACE FUNCTION manual_of_day(seconds integer, manual_seconds integer, cap integer, manual_counts boolean)
  RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN CASE WHEN manual_counts THEN least(cap, seconds) - least(cap, seconds - manual_seconds) ELSE 0 END;

-- Takes an interval into its owner's days and boards (sign 1) or out of them (sign -1).
--
-- The personal calendar goes by the clock the interval was recorded under; a day that is new to it has the goal of its
-- time, goal_seconds being the one in force now. Each board goes by its rules' clock and takes what is not imported, in
-- the months the owner is counted under them. An interval recorded after a month had closed (a forgotten timer, answered
-- late) is not in that month; any other change to a closed month is refused.
CREATE OR REPLACE FUNCTION count_interval(i study_intervals, sign integer, goal_seconds integer)
  RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  clock timestamptz := anthill_clock();
  part record;
  after record;
  closes_at timestamptz;
  manual integer;
  counted integer;
  counted_manual integer;
BEGIN
  FOR part IN SELECT p.day, p.seconds * sign AS seconds
              FROM study_parts(i.started_at, i.ended_at, i.time_zone, i.day_starts_at) p LOOP
    UPDATE study_days SET study_seconds = study_seconds + part.seconds WHERE uid = i.uid AND day = part.day;
    IF NOT FOUND THEN
      INSERT INTO study_days (uid, day, study_seconds, goal_seconds)
        VALUES (i.uid, part.day, part.seconds, goal_of_day(i.uid, part.day, count_interval.goal_seconds));
    END IF;
  END LOOP;

  IF i.source = 'import' THEN RETURN; END IF;

  FOR part IN
    SELECT r.rules_id, r.time_zone, r.day_starts_at, r.daily_cap_seconds AS cap, r.manual_counts,
           p.day, p.seconds * sign AS seconds, month_of(p.day) AS month
    FROM counted_under c
    JOIN ranking_rules r USING (rules_id)
    CROSS JOIN LATERAL study_parts(i.started_at, i.ended_at, r.time_zone, r.day_starts_at) p
    WHERE c.uid = i.uid AND p.day >= c.from_month AND p.day < c.until_month
    ORDER BY r.rules_id, p.day
  LOOP
    closes_at := month_closes_at(part.month, part.time_zone, part.day_starts_at);
    IF closes_at <= clock + grace_period() THEN
      PERFORM lock_ended_month(part.rules_id, part.month);
      clock := anthill_clock();
      CONTINUE WHEN i.recorded_at >= closes_at;
      IF clock >= closes_at THEN
        RAISE EXCEPTION 'the month % is closed', to_char(part.month, 'YYYY-MM')
          USING ERRCODE = 'check_violation', CONSTRAINT = 'month_closed';
      END IF;
    END IF;

    manual := CASE WHEN i.source = 'manual' THEN part.seconds ELSE 0 END;
    UPDATE day_totals
      SET seconds = seconds + part.seconds,
          manual_seconds = manual_seconds + manual,
          counted_seconds = counted_of_day(seconds + part.seconds, manual_seconds + manual, part.cap, part.manual_counts)
      WHERE rules_id = part.rules_id AND uid = i.uid AND day = part.day
      RETURNING seconds, manual_seconds INTO after;
    IF NOT FOUND THEN
      INSERT INTO day_totals (rules_id, uid, day, seconds, manual_seconds, counted_seconds)
        VALUES (part.rules_id, i.uid, part.day, part.seconds, manual,
                counted_of_day(part.seconds, manual, part.cap, part.manual_counts))
        RETURNING seconds, manual_seconds INTO after;
    END IF;

    -- A month moves by what its day moved: rules never change, so the day before the change follows from the one after.
    counted := counted_of_day(after.seconds, after.manual_seconds, part.cap, part.manual_counts)
      - counted_of_day(after.seconds - part.seconds, after.manual_seconds - manual, part.cap, part.manual_counts);
    counted_manual := manual_of_day(after.seconds, after.manual_seconds, part.cap, part.manual_counts)
      - manual_of_day(after.seconds - part.seconds, after.manual_seconds - manual, part.cap, part.manual_counts);
    UPDATE month_totals
      SET counted_seconds = counted_seconds + counted, manual_seconds = manual_seconds + counted_manual
      WHERE rules_id = part.rules_id AND uid = i.uid AND month = part.month;
    IF NOT FOUND THEN
      INSERT INTO month_totals (rules_id, uid, month, counted_seconds, manual_seconds)
        VALUES (part.rules_id, i.uid, part.month, counted, counted_manual);
    END IF;
  END LOOP;
END $$;

-- Counts one month of a user under rules anew from the intervals: what somebody brings along who comes under them.
CREATE OR REPLACE FUNCTION count_month(whose uuid, rules ranking_rules, month date)
  RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  starts_at timestamptz := study_day_start(count_month.month, rules.time_zone, rules.day_starts_at);
  ends_at timestamptz := study_day_start(next_month(count_month.month), rules.time_zone, rules.day_starts_at);
BEGIN
  INSERT INTO day_totals (rules_id, uid, day, seconds, manual_seconds, counted_seconds)
    SELECT rules.rules_id, whose, d.day, d.seconds, d.manual,
           counted_of_day(d.seconds, d.manual, rules.daily_cap_seconds, rules.manual_counts)
    FROM (
      SELECT p.day, sum(p.seconds)::integer AS seconds,
             coalesce(sum(p.seconds) FILTER (WHERE i.source = 'manual'), 0)::integer AS manual
      FROM study_intervals i
      CROSS JOIN LATERAL study_parts(greatest(i.started_at, starts_at), least(i.ended_at, ends_at),
                                     rules.time_zone, rules.day_starts_at) p
      WHERE i.uid = whose AND i.retracted_at IS NULL AND i.ended_at IS NOT NULL AND NOT i.unconfirmed
        AND i.source <> 'import'
        AND tstzrange(i.started_at, coalesce(i.ended_at, 'infinity')) && tstzrange(starts_at, ends_at)
        AND i.recorded_at < ends_at + grace_period()
      GROUP BY p.day
    ) d;
  INSERT INTO month_totals (rules_id, uid, month, counted_seconds, manual_seconds)
    SELECT rules.rules_id, whose, count_month.month, sum(d.counted_seconds),
           sum(manual_of_day(d.seconds, d.manual_seconds, rules.daily_cap_seconds, rules.manual_counts))
    FROM day_totals d
    WHERE d.rules_id = rules.rules_id AND d.uid = whose
      AND d.day >= count_month.month AND d.day < next_month(count_month.month)
    HAVING count(*) > 0;
END $$;

-- Counts a user under rules in the months [from_month, until_month), as far as they are still open. Months that are
-- new to them get their totals from the intervals recorded so far.
CREATE OR REPLACE FUNCTION count_under(whose uuid, which_rules integer, from_month date, until_month date)
  RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  rules ranking_rules;
  clock timestamptz := anthill_clock();
  first date;
  month date;
BEGIN
  SELECT * INTO STRICT rules FROM ranking_rules WHERE rules_id = which_rules;
  first := first_open_month(clock, rules.time_zone, rules.day_starts_at);
  IF first < month_of(study_day(clock, rules.time_zone, rules.day_starts_at)) THEN
    PERFORM lock_ended_month(rules.rules_id, first);
    clock := anthill_clock();
    first := first_open_month(clock, rules.time_zone, rules.day_starts_at);
  END IF;
  first := greatest(first, count_under.from_month);
  IF first >= count_under.until_month THEN RETURN; END IF;

  month := first;
  WHILE month < count_under.until_month AND study_day_start(month, rules.time_zone, rules.day_starts_at) <= clock LOOP
    IF NOT EXISTS (SELECT FROM counted_under c WHERE c.uid = whose AND c.rules_id = which_rules
                     AND c.from_month <= month AND month < c.until_month) THEN
      PERFORM count_month(whose, rules, month);
    END IF;
    month := next_month(month);
  END LOOP;

  -- One row for what is now one stretch of months.
  WITH joined AS (
    DELETE FROM counted_under c
      WHERE c.uid = whose AND c.rules_id = which_rules
        AND c.from_month <= count_under.until_month AND c.until_month >= first
      RETURNING c.from_month, c.until_month
  )
  SELECT least(first, min(j.from_month)), greatest(count_under.until_month, max(j.until_month))
    INTO first, month FROM joined j;
  INSERT INTO counted_under (uid, rules_id, from_month, until_month) VALUES (whose, which_rules, first, month);
END $$;

-- Stops counting a user under rules with the end of the month that is running by their clock.
CREATE OR REPLACE FUNCTION stop_counting_under(whose uuid, which_rules integer)
  RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  last_end date;
BEGIN
  SELECT next_month(month_of(study_day(anthill_clock(), r.time_zone, r.day_starts_at))) INTO STRICT last_end
    FROM ranking_rules r WHERE r.rules_id = which_rules;
  DELETE FROM counted_under WHERE uid = whose AND rules_id = which_rules AND from_month >= last_end;
  UPDATE counted_under SET until_month = last_end
    WHERE uid = whose AND rules_id = which_rules AND until_month > last_end;
END $$;

-- Recounts: the totals as they must be, from the intervals alone. Nothing the program does reads them; maintenance
-- compares what is kept with them, and mends it.

-- What counts anywhere: neither running, nor retracted, nor waiting for its end to be confirmed.
CREATE OR REPLACE VIEW counting_intervals AS
  SELECT * FROM study_intervals WHERE ended_at IS NOT NULL AND retracted_at IS NULL AND NOT unconfirmed;

-- clocks: how many study clocks meet on this day; more than one only where its owner changed theirs.
CREATE OR REPLACE VIEW recounted_study_days AS
  SELECT i.uid, p.day, sum(p.seconds)::integer AS study_seconds,
         count(DISTINCT (i.time_zone, i.day_starts_at)) AS clocks,
         min(i.time_zone) AS time_zone, min(i.day_starts_at) AS day_starts_at
  FROM counting_intervals i
  CROSS JOIN LATERAL study_parts(i.started_at, i.ended_at, i.time_zone, i.day_starts_at) p
  GROUP BY i.uid, p.day;

CREATE OR REPLACE VIEW recounted_day_totals AS
  SELECT d.rules_id, d.uid, d.day, d.seconds, d.manual_seconds,
         counted_of_day(d.seconds, d.manual_seconds, r.daily_cap_seconds, r.manual_counts) AS counted_seconds,
         manual_of_day(d.seconds, d.manual_seconds, r.daily_cap_seconds, r.manual_counts) AS counted_manual_seconds
  FROM (
    SELECT c.rules_id, c.uid, p.day, sum(p.seconds)::integer AS seconds,
           coalesce(sum(p.seconds) FILTER (WHERE i.source = 'manual'), 0)::integer AS manual_seconds
    FROM counting_intervals i
    JOIN counted_under c USING (uid)
    JOIN ranking_rules r USING (rules_id)
    CROSS JOIN LATERAL study_parts(i.started_at, i.ended_at, r.time_zone, r.day_starts_at) p
    WHERE i.source <> 'import' AND p.day >= c.from_month AND p.day < c.until_month
      AND i.recorded_at < month_closes_at(month_of(p.day), r.time_zone, r.day_starts_at)
    GROUP BY c.rules_id, c.uid, p.day
  ) d
  JOIN ranking_rules r USING (rules_id);

CREATE OR REPLACE VIEW recounted_month_totals AS
  SELECT rules_id, uid, month_of(day) AS month, sum(counted_seconds)::integer AS counted_seconds,
         sum(counted_manual_seconds)::integer AS manual_seconds
  FROM recounted_day_totals GROUP BY rules_id, uid, month_of(day);
