-- The periods of boards: a day, week or month of a group, its rules, and what is final or suspended in it.
--
-- A board of a day or a month has one set of rules. A week may be in two months; then each of its days counts by the
-- rules of its own month.

-- The months of the days [first_day, until_day), one or two, each with its rules. Without a group it is the global
-- board.
CREATE OR REPLACE FUNCTION board_months(for_group uuid, first_day date, until_day date) RETURNS TABLE (
  rules_id integer, time_zone text, day_starts_at time, daily_cap_seconds integer, manual_counts boolean,
  begins date, ends date, closes_at timestamptz
) LANGUAGE plpgsql STABLE ROWS 1 SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  rules ranking_rules;
BEGIN
  SELECT * INTO rules FROM ranking_rules r WHERE r.is_global AND for_group IS NULL;
  begins := first_day;
  WHILE begins < until_day LOOP
    IF for_group IS NOT NULL THEN rules := group_rules_in(for_group, month_of(begins)); END IF;
    ends := least(until_day, next_month(month_of(begins)));
    rules_id := rules.rules_id;
    time_zone := rules.time_zone;
    day_starts_at := rules.day_starts_at;
    daily_cap_seconds := rules.daily_cap_seconds;
    manual_counts := rules.manual_counts;
    closes_at := month_closes_at(month_of(begins), time_zone, day_starts_at);
    RETURN NEXT;
    begins := ends;
  END LOOP;
END $$;

-- The current study day of a board at an instant. In a week in which the clock changes, the days of the first month
-- follow the first clock until the second month has begun by its own clock.
CREATE OR REPLACE FUNCTION board_today(for_group uuid, first_day date, until_day date, at timestamptz) RETURNS date
  LANGUAGE plpgsql STABLE STRICT SET search_path = public, pg_temp AS $$
DECLARE
  turn date := month_of(until_day - 1);
  late ranking_rules := group_rules_in(for_group, turn);
  early ranking_rules;
  today date := study_day(at, late.time_zone, late.day_starts_at);
BEGIN
  IF first_day < turn AND today < turn THEN
    early := group_rules_in(for_group, month_of(first_day));
    today := least(study_day(at, early.time_zone, early.day_starts_at), turn - 1);
  END IF;
  RETURN today;
END $$;

-- The study day of a group at an instant. In the hours between two clocks, when a month has ended and the next has not
-- begun, it is the last day of the month that has ended.
CREATE OR REPLACE FUNCTION group_day(for_group uuid, at timestamptz DEFAULT anthill_clock()) RETURNS date
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
DECLARE
  rules ranking_rules := group_rules_now(for_group, at);
  today date := study_day(at, rules.time_zone, rules.day_starts_at);
BEGIN
  rules := group_rules_in(for_group, month_of(today));
  RETURN CASE WHEN study_day_start(today, rules.time_zone, rules.day_starts_at) > at THEN month_of(today) - 1
              ELSE today END;
END $$;

-- A period of a group: its days, its instants and its rules; if there are two sets of rules, the last month's are
-- shown. Without a day it is the current period. A month is closed after its grace period, and its days and weeks with
-- it. known_at asks for everything as it was at that instant, which must not be in the future or before the period.
CREATE OR REPLACE FUNCTION group_period(for_group uuid, period text, on_day date DEFAULT NULL,
                                        known_at timestamptz DEFAULT NULL
) RETURNS TABLE (
  name text, first_day date, until_day date, starts_at timestamptz, ends_at timestamptz, closes_at timestamptz,
  state text, time_zone text, day_starts_at time, daily_cap_seconds integer, manual_counts boolean,
  server_time timestamptz
) LANGUAGE plpgsql STABLE ROWS 1 SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  rules ranking_rules;
BEGIN
  SELECT g.name INTO name FROM groups g WHERE g.group_id = for_group;
  IF NOT FOUND THEN RETURN; END IF;
  server_time := anthill_clock();
  IF known_at > server_time THEN
    PERFORM refuse('future_instant', format('the instant %s lies ahead', known_at));
  END IF;
  server_time := coalesce(known_at, server_time);
  SELECT d.first_day, d.until_day INTO first_day, until_day
    FROM period_days(period, coalesce(on_day, group_day(for_group, server_time))) d;
  rules := group_rules_in(for_group, month_of(first_day));
  starts_at := study_day_start(first_day, rules.time_zone, rules.day_starts_at);
  IF known_at < starts_at THEN
    PERFORM refuse('instant_before_period', format('the period begins at %s', starts_at));
  END IF;
  IF month_of(first_day) < month_of(until_day - 1) THEN
    rules := group_rules_in(for_group, month_of(until_day - 1));
  END IF;
  ends_at := study_day_start(until_day, rules.time_zone, rules.day_starts_at);
  closes_at := month_closes_at(month_of(until_day - 1), rules.time_zone, rules.day_starts_at);
  state := period_state(server_time, ends_at, closes_at);
  time_zone := rules.time_zone;
  day_starts_at := rules.day_starts_at;
  daily_cap_seconds := rules.daily_cap_seconds;
  manual_counts := rules.manual_counts;
  RETURN NEXT;
END $$;

-- Whether a stay in a group puts its person on a board at an instant: it began before the board's end, and did not end
-- before that or now, whichever is earlier. (PostgreSQL takes it as part of the query.)
CREATE OR REPLACE FUNCTION stays_on_board(
  joined_at timestamptz, left_at timestamptz, ends_at timestamptz, at timestamptz
) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN joined_at < ends_at AND (left_at IS NULL OR (ends_at <= at AND left_at >= ends_at));

-- The hours between two clocks of a group, at the turns of months from the first to the last instant of a period: where
-- a clock moved west, neither month counts them; where it moved east, both do. Null if there are none.
CREATE OR REPLACE FUNCTION clock_changes(for_group uuid, first_day date, until_day date) RETURNS jsonb
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  RETURN (
    SELECT jsonb_agg(jsonb_build_object(
             'starts_at', utc_text(least(t.ends, t.begins)), 'ends_at', utc_text(greatest(t.ends, t.begins)),
             'counted', CASE WHEN t.ends < t.begins THEN 'neither' ELSE 'both' END) ORDER BY g.from_month)
    FROM group_rules g JOIN ranking_rules late USING (rules_id)
    CROSS JOIN LATERAL group_rules_in(for_group, (g.from_month - interval '1 month')::date) early
    CROSS JOIN LATERAL (
      SELECT study_day_start(g.from_month, early.time_zone, early.day_starts_at) AS ends,
             study_day_start(g.from_month, late.time_zone, late.day_starts_at) AS begins
    ) t
    WHERE g.group_id = for_group AND g.from_month >= first_day AND g.from_month <= until_day AND t.ends <> t.begins);
END $$;

-- Whether the days [first_day, until_day) are a month of a group that was closed by that instant.
CREATE OR REPLACE FUNCTION closed_by(for_group uuid, first_day date, until_day date, at timestamptz) RETURNS boolean
  LANGUAGE plpgsql STABLE STRICT SET search_path = public, pg_temp AS $$
BEGIN
  RETURN first_day = month_of(first_day) AND until_day = next_month(first_day)
    AND EXISTS (SELECT FROM month_closes c WHERE c.group_id = for_group AND c.month = first_day AND c.closed_at <= at);
END $$;

-- The members who are suspended from a board of the days before until_day: suspended at that instant, or, if the period
-- is closed, when it was closed. A suspension that begins or ends later does not change a closed period. (One second
-- before the close, all suspensions of that second are written; others may still be written in the second of the
-- close.)
CREATE OR REPLACE FUNCTION suspended_then(for_group uuid, until_day date, at timestamptz) RETURNS uuid[]
  LANGUAGE plpgsql STABLE STRICT SET search_path = public, pg_temp AS $$
DECLARE
  rules ranking_rules := group_rules_in(for_group, month_of(until_day - 1));
BEGIN
  RETURN suspended_from(for_group, least(
    at, month_closes_at(month_of(until_day - 1), rules.time_zone, rules.day_starts_at) - interval '1 second'));
END $$;
