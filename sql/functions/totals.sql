-- Totals: how an interval counts, and how it enters and leaves the days and months of its owner.
--
-- Everything here runs while the caller holds the owner's row (lock_student), so a user's totals have one writer at a
-- time.

-- What counts of a day under rules, and how much of it counts only because of manual time. (Not STRICT, because STRICT
-- functions like these are not inlined.)
CREATE OR REPLACE FUNCTION counted_of_day(seconds integer, manual_seconds integer, cap integer, manual_counts boolean)
  RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN least(cap, CASE WHEN manual_counts THEN seconds ELSE seconds - manual_seconds END);

CREATE OR REPLACE FUNCTION manual_of_day(seconds integer, manual_seconds integer, cap integer, manual_counts boolean)
  RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN CASE WHEN manual_counts THEN least(cap, seconds) - least(cap, seconds - manual_seconds) ELSE 0 END;

-- Adds an interval to its owner's days and boards (sign 1) or removes it from them (sign -1). The caller holds the
-- owner's row, and has read the clock after locking it.
--
-- The personal calendar uses the clock under which the interval was recorded; a new day gets the goal that was in force
-- on it. Each board uses the clock of its rules, and counts what is not imported, in the months in which the owner is
-- counted under them. An interval that was recorded after a month had closed (a forgotten timer, confirmed late) does
-- not count in that month; any other change of a closed month is refused.
CREATE OR REPLACE FUNCTION count_interval(i study_intervals, sign integer, owner students, clock timestamptz)
  RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  part record;
  rules counted_under;
  after record;
  closes_at timestamptz;
  manual integer;
  counted integer;
  counted_manual integer;
  task uuid;
  settled date := sum_up_until(clock);
BEGIN
  FOR part IN SELECT p.day, p.seconds * sign AS seconds
              FROM study_parts(i.started_at, i.ended_at, i.time_zone, i.day_starts_at) p LOOP
    UPDATE study_days SET study_seconds = study_seconds + part.seconds WHERE uid = i.uid AND day = part.day;
    IF NOT FOUND THEN
      INSERT INTO study_days (uid, day, study_seconds, goal_seconds)
        VALUES (i.uid, part.day, part.seconds, goal_of_day(i.uid, part.day, owner.daily_goal_seconds));
      IF part.day >= settled THEN PERFORM sum_up_days(owner, settled); END IF;
    END IF;
    IF part.day < settled THEN
      DELETE FROM past_streaks p WHERE p.uid = i.uid AND p.until_day > part.day;
    END IF;
  END LOOP;

  SELECT s.task_id INTO task FROM study_sessions s WHERE s.uid = i.uid AND s.session_id = i.session_id;
  IF task IS NOT NULL THEN
    UPDATE tasks t SET actual_seconds = t.actual_seconds + sign * extract(epoch FROM i.ended_at - i.started_at)::integer
      WHERE t.uid = i.uid AND t.id = task;
  END IF;

  IF i.source = 'import' THEN RETURN; END IF;

  FOR rules IN SELECT * FROM counted_under WHERE uid = i.uid ORDER BY rules_id LOOP
    FOR part IN SELECT p.day, p.seconds * sign AS seconds, month_of(p.day) AS month
                FROM study_parts(i.started_at, i.ended_at, rules.time_zone, rules.day_starts_at) p
                WHERE p.day >= rules.from_month AND p.day < rules.until_month LOOP
      closes_at := month_closes_at(part.month, rules.time_zone, rules.day_starts_at);
      CONTINUE WHEN i.recorded_at >= closes_at;
      IF clock >= closes_at THEN
        PERFORM refuse('month_closed', format('the month %s is closed', to_char(part.month, 'YYYY-MM')));
      END IF;

      manual := CASE WHEN i.source = 'manual' THEN part.seconds ELSE 0 END;
      UPDATE day_totals
        SET seconds = seconds + part.seconds,
            manual_seconds = manual_seconds + manual,
            counted_seconds = counted_of_day(seconds + part.seconds, manual_seconds + manual, rules.daily_cap_seconds,
                                             rules.manual_counts)
        WHERE rules_id = rules.rules_id AND uid = i.uid AND day = part.day
        RETURNING seconds, manual_seconds INTO after;
      IF NOT FOUND THEN
        INSERT INTO day_totals (rules_id, uid, day, seconds, manual_seconds, counted_seconds)
          VALUES (rules.rules_id, i.uid, part.day, part.seconds, manual,
                  counted_of_day(part.seconds, manual, rules.daily_cap_seconds, rules.manual_counts))
          RETURNING seconds, manual_seconds INTO after;
      END IF;

      -- A month changes by what its day changes. Rules never change, so the old counted value follows from the new one.
      counted := counted_of_day(after.seconds, after.manual_seconds, rules.daily_cap_seconds, rules.manual_counts)
        - counted_of_day(after.seconds - part.seconds, after.manual_seconds - manual, rules.daily_cap_seconds,
                         rules.manual_counts);
      counted_manual := manual_of_day(after.seconds, after.manual_seconds, rules.daily_cap_seconds, rules.manual_counts)
        - manual_of_day(after.seconds - part.seconds, after.manual_seconds - manual, rules.daily_cap_seconds,
                        rules.manual_counts);
      UPDATE month_totals
        SET counted_seconds = counted_seconds + counted, manual_seconds = manual_seconds + counted_manual
        WHERE rules_id = rules.rules_id AND uid = i.uid AND month = part.month;
      IF NOT FOUND THEN
        INSERT INTO month_totals (rules_id, uid, month, counted_seconds, manual_seconds)
          VALUES (rules.rules_id, i.uid, part.month, counted, counted_manual);
      END IF;
      IF rules.is_global AND counted <> 0 THEN
        PERFORM rank_days(i.uid, ARRAY[part.day], ARRAY[counted]);
      END IF;
    END LOOP;
  END LOOP;
END $$;

-- Recounts one month of a user under rules from the intervals: what a user brings along who is new under these rules.
CREATE OR REPLACE FUNCTION count_month(user_id uuid, rules ranking_rules, in_month date)
  RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  starts_at timestamptz := study_day_start(in_month, rules.time_zone, rules.day_starts_at);
  ends_at timestamptz := study_day_start(next_month(in_month), rules.time_zone, rules.day_starts_at);
  closes_at timestamptz := month_closes_at(in_month, rules.time_zone, rules.day_starts_at);
  days date[];
  counted integer[];
BEGIN
  INSERT INTO day_totals (rules_id, uid, day, seconds, manual_seconds, counted_seconds)
    SELECT rules.rules_id, user_id, d.day, d.seconds, d.manual,
           counted_of_day(d.seconds, d.manual, rules.daily_cap_seconds, rules.manual_counts)
    FROM (
      SELECT p.day, sum(p.seconds)::integer AS seconds,
             coalesce(sum(p.seconds) FILTER (WHERE i.source = 'manual'), 0)::integer AS manual
      FROM study_intervals i
      CROSS JOIN LATERAL study_parts(greatest(i.started_at, starts_at), least(i.ended_at, ends_at),
                                     rules.time_zone, rules.day_starts_at) p
      WHERE i.uid = user_id AND i.retracted_at IS NULL AND i.ended_at IS NOT NULL AND NOT i.unconfirmed
        AND i.source <> 'import'
        AND tstzrange(i.started_at, coalesce(i.ended_at, 'infinity')) && tstzrange(starts_at, ends_at)
        AND i.recorded_at < closes_at
      GROUP BY p.day
    ) d;
  INSERT INTO month_totals (rules_id, uid, month, counted_seconds, manual_seconds)
    SELECT rules.rules_id, user_id, in_month, sum(d.counted_seconds),
           sum(manual_of_day(d.seconds, d.manual_seconds, rules.daily_cap_seconds, rules.manual_counts))
    FROM day_totals d
    WHERE d.rules_id = rules.rules_id AND d.uid = user_id AND d.day >= in_month AND d.day < next_month(in_month)
    HAVING count(*) > 0;
  IF rules.is_global THEN
    SELECT array_agg(d.day), array_agg(d.counted_seconds) INTO days, counted FROM day_totals d
      WHERE d.rules_id = rules.rules_id AND d.uid = user_id AND d.day >= in_month AND d.day < next_month(in_month)
        AND d.counted_seconds > 0;
    IF days IS NOT NULL THEN PERFORM rank_days(user_id, days, counted); END IF;
  END IF;
END $$;

-- Makes these people count under exactly the rules that follow from their memberships and from whether they belong on
-- the global board, as far as these rules are touched. Under new rules they count in every open month; under rules that
-- no longer apply, until the end of the current month by their clock. New months get their totals from the intervals
-- recorded so far. The caller holds the people's rows.
CREATE OR REPLACE FUNCTION renew_counting(people uuid[], touched integer[])
  RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  clock timestamptz := greatest(anthill_clock(), (SELECT max(s.not_before) FROM students s WHERE s.uid = ANY (people)));
  change record;
  rules ranking_rules;
  stretch daterange;
  begins date[];
  new_month date;
BEGIN
  FOR change IN
    WITH rules AS MATERIALIZED (
      SELECT r.*, first_open_month(clock, r.time_zone, r.day_starts_at) AS first_open,
             next_month(month_of(study_day(clock, r.time_zone, r.day_starts_at))) AS running_until
      FROM ranking_rules r WHERE r.rules_id = ANY (touched)
    ),
    stretches AS MATERIALIZED (
      SELECT g.group_id, g.rules_id, g.from_month, g.until_month FROM rules_of_groups(ARRAY(
        SELECT DISTINCT m.group_id FROM group_members m WHERE m.uid = ANY (people))) g
    ),
    wanted AS (
      SELECT w.uid, w.rules_id, range_agg(daterange(greatest(w.from_month, r.first_open), w.until_month)) AS months
      FROM (
        SELECT m.uid, s.rules_id, s.from_month, s.until_month
        FROM group_members m JOIN stretches s ON s.group_id = m.group_id WHERE m.uid = ANY (people)
        UNION ALL
        SELECT u.uid, r.rules_id, '-infinity', 'infinity'
        FROM users u JOIN rules r ON r.is_global WHERE u.uid = ANY (people) AND belongs_on_global_board(u)
      ) w
      JOIN rules r ON r.rules_id = w.rules_id AND w.until_month > r.first_open
      GROUP BY w.uid, w.rules_id
    ),
    kept AS MATERIALIZED (
      SELECT c.uid, c.rules_id, c.from_month, c.until_month
      FROM counted_under c WHERE c.uid = ANY (people) AND c.rules_id = ANY (touched)
    )
    SELECT x.* FROM (
      SELECT uid, rules_id, r.first_open, coalesce(k.months, '{}') AS before,
             coalesce(k.months, '{}') * datemultirange(daterange('-infinity', r.running_until))
               + coalesce(w.months, '{}') AS after
      FROM (
        SELECT k.uid, k.rules_id, range_agg(daterange(k.from_month, k.until_month)) AS months
        FROM kept k GROUP BY k.uid, k.rules_id
      ) k
      FULL JOIN wanted w USING (uid, rules_id) JOIN rules r USING (rules_id)
    ) x
    WHERE x.before <> x.after
    ORDER BY x.uid, x.rules_id
  LOOP
    SELECT * INTO rules FROM ranking_rules r WHERE r.rules_id = change.rules_id;
    begins := ARRAY(SELECT lower(m) FROM unnest(change.after) m);
    DELETE FROM counted_under c
      WHERE c.uid = change.uid AND c.rules_id = change.rules_id
        AND c.from_month <> ALL (begins);
    FOR stretch IN SELECT unnest(change.after) LOOP
      INSERT INTO counted_under AS c (uid, rules_id, from_month, until_month, time_zone, day_starts_at,
                                      daily_cap_seconds, manual_counts, is_global)
        VALUES (change.uid, change.rules_id, lower(stretch), upper(stretch), rules.time_zone, rules.day_starts_at,
                rules.daily_cap_seconds, rules.manual_counts, rules.is_global)
        ON CONFLICT (uid, rules_id, from_month) DO UPDATE SET until_month = excluded.until_month
          WHERE c.until_month <> excluded.until_month;
    END LOOP;
    -- At most two months are open and have begun.
    FOR n IN 0..1 LOOP
      new_month := month_of(change.first_open + 31 * n);
      IF (change.after - change.before) @> new_month
        AND study_day_start(new_month, rules.time_zone, rules.day_starts_at) <= clock THEN
        PERFORM count_month(change.uid, rules, new_month);
      END IF;
    END LOOP;
  END LOOP;
END $$;
