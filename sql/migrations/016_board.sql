-- Boards: who studied how much in a day, week or month of a group, now or in any past one, as of an instant.

-- A period of a group: its days, its instants, and by which rules it counts. A week in which rules change counts each
-- day by its own month's rules; it begins by the first ones' clock and ends by the last ones', which are the ones shown.
-- Without a day it is the period of now. A month is closed 48 h after its end, and with it its days and weeks.
CREATE FUNCTION board_period(reader uuid, which uuid, period text, on_day date DEFAULT NULL) RETURNS TABLE (
  name text, first_day date, until_day date, starts_at timestamptz, ends_at timestamptz, closes_at timestamptz,
  state text, time_zone text, day_starts_at time, daily_cap_seconds integer, manual_counts boolean,
  server_time timestamptz
) LANGUAGE plpgsql STABLE ROWS 1 SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  rules ranking_rules;
BEGIN
  SELECT g.name INTO name FROM group_members m JOIN groups g USING (group_id) WHERE m.uid = reader AND m.group_id = which;
  IF NOT FOUND THEN RETURN; END IF;
  server_time := anthill_clock();
  IF on_day IS NULL THEN
    rules := group_rules_now(which);
    on_day := study_day(server_time, rules.time_zone, rules.day_starts_at);
  END IF;
  SELECT d.first_day, d.until_day INTO first_day, until_day FROM period_days(period, on_day) d;
  rules := group_rules_in(which, month_of(first_day));
  starts_at := study_day_start(first_day, rules.time_zone, rules.day_starts_at);
  IF month_of(first_day) < month_of(until_day - 1) THEN
    rules := group_rules_in(which, month_of(until_day - 1));
  END IF;
  ends_at := study_day_start(until_day, rules.time_zone, rules.day_starts_at);
  closes_at := month_closes_at(month_of(until_day - 1), rules.time_zone, rules.day_starts_at);
  state := CASE WHEN server_time < ends_at THEN 'open' WHEN server_time < closes_at THEN 'grace' ELSE 'closed' END;
  time_zone := rules.time_zone;
  day_starts_at := rules.day_starts_at;
  daily_cap_seconds := rules.daily_cap_seconds;
  manual_counts := rules.manual_counts;
  RETURN NEXT;
END $$;

-- What a running interval adds to a board's days [first_day, until_day) when it is cut at an instant: each of its parts
-- joins its day before the cap is applied.
CREATE FUNCTION live_score(
  whose uuid, started_at timestamptz, cut timestamptz, rules ranking_rules, first_day date, until_day date, today date
) RETURNS TABLE (seconds integer, manual_seconds integer, today_seconds integer)
  LANGUAGE plpgsql STABLE STRICT ROWS 1 SET search_path FROM CURRENT AS $$
DECLARE
  part record;
  kept day_totals;
  gain integer;
BEGIN
  seconds := 0;
  manual_seconds := 0;
  today_seconds := 0;
  FOR part IN SELECT p.day, p.seconds
              FROM study_parts(live_score.started_at, cut, rules.time_zone, rules.day_starts_at) p
              WHERE p.day >= first_day AND p.day < until_day LOOP
    SELECT * INTO kept FROM day_totals t WHERE t.rules_id = rules.rules_id AND t.uid = whose AND t.day = part.day;
    kept.seconds := coalesce(kept.seconds, 0);
    kept.manual_seconds := coalesce(kept.manual_seconds, 0);
    gain := counted_of_day(kept.seconds + part.seconds, kept.manual_seconds, rules.daily_cap_seconds, rules.manual_counts)
      - counted_of_day(kept.seconds, kept.manual_seconds, rules.daily_cap_seconds, rules.manual_counts);
    seconds := seconds + gain;
    manual_seconds := manual_seconds
      + manual_of_day(kept.seconds + part.seconds, kept.manual_seconds, rules.daily_cap_seconds, rules.manual_counts)
      - manual_of_day(kept.seconds, kept.manual_seconds, rules.daily_cap_seconds, rules.manual_counts);
    IF part.day = today THEN today_seconds := gain; END IF;
  END LOOP;
  RETURN NEXT;
END $$;

-- The seconds of everyone who belongs on a group's board of the days [first_day, until_day): the members who joined
-- before its end and had not left before the earlier of its end and now. A running timer counts live, one past its 12 h
-- for nothing. today_seconds is what the study day of that instant has in it.
--
-- Its plan is made once: looking members up one by one is right for nearly every group, and planning takes longer.
CREATE FUNCTION board_scores(which uuid, first_day date, until_day date, at timestamptz) RETURNS TABLE (
  uid uuid, visibility text, seconds integer, manual_seconds integer, today_seconds integer, studying boolean
) LANGUAGE plpgsql STABLE STRICT ROWS 30 SET plan_cache_mode = force_generic_plan SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  turn date := month_of(until_day - 1);                   -- days from here on count by the late rules
  late ranking_rules := group_rules_in(which, turn);
  early ranking_rules := late;
  ends_at timestamptz := study_day_start(until_day, late.time_zone, late.day_starts_at);
  cut timestamptz := least(at, ends_at);
  today date := study_day(at, late.time_zone, late.day_starts_at);
  todays_rules integer;
  whole_month boolean := first_day = turn AND until_day = next_month(turn);
  two_rules boolean;
BEGIN
  IF first_day < turn THEN early := group_rules_in(which, month_of(first_day)); END IF;
  two_rules := early.rules_id <> late.rules_id;
  todays_rules := CASE WHEN today < turn THEN early.rules_id ELSE late.rules_id END;
  RETURN QUERY
    SELECT h.uid, coalesce(g.visibility, h.visibility, 'shown'),
           coalesce(m.counted_seconds, d.seconds, 0) + coalesce(l.seconds, 0) + coalesce(e.seconds, 0),
           coalesce(m.manual_seconds, d.manual_seconds, 0) + coalesce(l.manual_seconds, 0) + coalesce(e.manual_seconds, 0),
           coalesce(t.counted_seconds, 0) + coalesce(l.today_seconds, 0) + coalesce(e.today_seconds, 0),
           i.uid IS NOT NULL
    FROM group_membership_history h
    LEFT JOIN group_members g ON g.uid = h.uid AND g.group_id = which
    LEFT JOIN month_totals m ON m.rules_id = late.rules_id AND m.uid = h.uid AND m.month = turn AND whole_month
    LEFT JOIN LATERAL (
      SELECT sum(x.counted_seconds)::integer AS seconds,
             sum(manual_of_day(x.seconds, x.manual_seconds, r.daily_cap_seconds, r.manual_counts))::integer AS manual_seconds
      FROM ranking_rules r
      JOIN day_totals x ON x.rules_id = r.rules_id AND x.uid = h.uid
        AND x.day >= CASE WHEN two_rules AND r.rules_id = late.rules_id THEN turn ELSE first_day END
        AND x.day < CASE WHEN two_rules AND r.rules_id = early.rules_id THEN turn ELSE until_day END
      WHERE NOT whole_month AND r.rules_id IN (early.rules_id, late.rules_id)
    ) d ON true
    LEFT JOIN day_totals t ON t.rules_id = todays_rules AND t.uid = h.uid AND t.day = today
      AND today >= first_day AND today < until_day
    LEFT JOIN study_intervals i ON i.uid = h.uid AND i.ended_at IS NULL AND i.started_at > at - interval '12 hours'
    LEFT JOIN LATERAL live_score(i.uid, i.started_at, cut, late, CASE WHEN two_rules THEN turn ELSE first_day END,
                                 until_day, today) l ON true
    LEFT JOIN LATERAL live_score(i.uid, i.started_at, cut, early, CASE WHEN two_rules THEN first_day END,
                                 turn, today) e ON true
    WHERE h.group_id = which AND h.joined_at < ends_at
      AND (h.left_at IS NULL OR (ends_at <= at AND h.left_at >= ends_at));
END $$;

-- One page of a board: the entries after the cursor (after_seconds, after_uid), and without a cursor also the reader's
-- own entry with three neighbours on either side. Order: seconds, then uid, both descending. The rank is 1 + the number
-- of members with more seconds. The cursor carries its first page's instant, so running timers stand still.
--
-- change: places won (+) or lost (-) since the study day began; on a period's first day, against the last period's
-- final rank; none where there is nothing to compare with. Hidden members keep their ranks and are seen only by
-- themselves. gap_to_next_seconds: from the reader's seconds to the next ones above.
CREATE FUNCTION board(
  reader uuid, which uuid, period text, on_day date DEFAULT NULL, instant timestamptz DEFAULT NULL,
  after_seconds bigint DEFAULT NULL, after_uid uuid DEFAULT NULL, page bigint DEFAULT 50
) RETURNS TABLE (
  section text, rank integer, uid uuid, nickname text, visibility text, seconds integer, manual_seconds integer,
  studying boolean, change integer, participants integer, gap_to_next_seconds integer, more boolean, as_of timestamptz
) LANGUAGE plpgsql STABLE ROWS 60 SET plan_cache_mode = force_generic_plan SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  shown record;
  today date;
  last_first date;                                        -- the period before, on a period's first day only
  last_until date;
  since_morning boolean := false;
BEGIN
  SELECT * INTO shown FROM board_period(reader, which, board.period, on_day);
  IF NOT FOUND THEN RETURN; END IF;
  as_of := least(coalesce(instant, shown.server_time), shown.server_time);
  IF as_of >= shown.starts_at AND as_of < shown.ends_at THEN
    today := study_day(as_of, shown.time_zone, shown.day_starts_at);
    since_morning := today > shown.first_day;
    IF NOT since_morning THEN
      SELECT d.first_day, d.until_day INTO last_first, last_until FROM period_days(board.period, shown.first_day - 1) d;
    END IF;
  END IF;

  RETURN QUERY
    WITH scored AS (
      SELECT s.*, s.visibility <> 'hidden' OR s.uid = reader AS visible,
             CASE WHEN since_morning THEN rank() OVER (ORDER BY s.seconds - s.today_seconds DESC)
                  ELSE l.rank END AS rank_before
      FROM board_scores(which, shown.first_day, shown.until_day, as_of) s
      LEFT JOIN (
        SELECT f.uid, rank() OVER (ORDER BY f.seconds DESC) AS rank
        FROM board_scores(which, last_first, last_until, as_of) f
      ) l ON l.uid = s.uid
    ),
    ranked AS MATERIALIZED (
      SELECT s.*, rank() OVER (ORDER BY s.seconds DESC) AS rank,
             count(*) FILTER (WHERE s.visible) OVER (ORDER BY s.seconds DESC, s.uid DESC ROWS UNBOUNDED PRECEDING) AS place
      FROM scored s
    ),
    -- From which place on the page goes, where the reader stands, and with how much.
    view AS (
      SELECT count(*)::integer AS participants, max(r.place) AS places,
             count(*) FILTER (WHERE r.visible AND (r.seconds, r.uid) >= (after_seconds, after_uid)) AS before_page,
             max(r.place) FILTER (WHERE r.uid = reader AND after_uid IS NULL) AS my_place,
             max(r.seconds) FILTER (WHERE r.uid = reader AND after_uid IS NULL) AS my_seconds
      FROM ranked r
    )
    SELECT (ARRAY['top', 'me', 'neighbour'])[n.part], n.rank::integer, n.uid, u.nickname, n.visibility, n.seconds,
           n.manual_seconds, n.studying, (n.rank_before - n.rank)::integer,
           n.participants,
           CASE WHEN n.part = 2 THEN (SELECT min(r.seconds) FROM ranked r WHERE r.seconds > n.my_seconds) - n.my_seconds END,
           n.part = 1 AND n.places > n.before_page + page, as_of
    FROM (
      SELECT 1 AS part, r.*, v.* FROM ranked r, view v
        WHERE r.visible AND r.place > v.before_page AND r.place <= v.before_page + page
      UNION ALL
      SELECT CASE WHEN r.place = v.my_place THEN 2 ELSE 3 END, r.*, v.* FROM ranked r, view v
        WHERE r.visible AND r.place BETWEEN v.my_place - 3 AND v.my_place + 3
    ) n
    JOIN users u USING (uid)
    ORDER BY n.part, n.seconds DESC, n.uid DESC;
END $$;
