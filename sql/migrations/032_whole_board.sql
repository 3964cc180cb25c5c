-- Boards in two steps: the whole board, which is the same for all who look, and what one reader sees of it. The first is
-- what a service may keep for a moment.

-- A period of a group: its days, its instants, and by which rules it counts. A week in which rules change counts each
-- day by its own month's rules; it begins by the first ones' clock and ends by the last ones', which are the ones shown.
-- Without a day it is the period of now. A month is closed 48 h after its end, and with it its days and weeks.
-- known_at: everything as it was at that instant, which lies neither ahead nor before the period.
CREATE FUNCTION group_period(which uuid, period text, on_day date DEFAULT NULL, known_at timestamptz DEFAULT NULL
) RETURNS TABLE (
  name text, first_day date, until_day date, starts_at timestamptz, ends_at timestamptz, closes_at timestamptz,
  state text, time_zone text, day_starts_at time, daily_cap_seconds integer, manual_counts boolean,
  server_time timestamptz
) LANGUAGE plpgsql STABLE ROWS 1 SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  rules ranking_rules;
BEGIN
  SELECT g.name INTO name FROM groups g WHERE g.group_id = which;
  IF NOT FOUND THEN RETURN; END IF;
  server_time := anthill_clock();
  IF known_at > server_time THEN
    RAISE EXCEPTION 'the instant % lies ahead', known_at USING ERRCODE = 'check_violation', CONSTRAINT = 'future_instant';
  END IF;
  server_time := coalesce(known_at, server_time);
  IF on_day IS NULL THEN
    rules := group_rules_now(which);
    on_day := study_day(server_time, rules.time_zone, rules.day_starts_at);
  END IF;
  SELECT d.first_day, d.until_day INTO first_day, until_day FROM period_days(period, on_day) d;
  rules := group_rules_in(which, month_of(first_day));
  starts_at := study_day_start(first_day, rules.time_zone, rules.day_starts_at);
  IF known_at < starts_at THEN
    RAISE EXCEPTION 'the period begins at %', starts_at
      USING ERRCODE = 'check_violation', CONSTRAINT = 'instant_before_period';
  END IF;
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

-- The same for who is in the group.
CREATE OR REPLACE FUNCTION board_period(
  reader uuid, which uuid, period text, on_day date DEFAULT NULL, known_at timestamptz DEFAULT NULL
) RETURNS TABLE (
  name text, first_day date, until_day date, starts_at timestamptz, ends_at timestamptz, closes_at timestamptz,
  state text, time_zone text, day_starts_at time, daily_cap_seconds integer, manual_counts boolean,
  server_time timestamptz
) LANGUAGE plpgsql STABLE ROWS 1 SET search_path FROM CURRENT AS $$
BEGIN
  IF EXISTS (SELECT FROM group_members m WHERE m.uid = reader AND m.group_id = which) THEN
    RETURN QUERY SELECT * FROM group_period(which, board_period.period, on_day, known_at);
  END IF;
END $$;

-- Everybody on a board, hidden or not, at an instant (now, or an earlier one of the same board). The rank is 1 + the
-- number of members with more seconds.
--
-- change: places won (+) or lost (-) since the study day began; on a period's first day, against the last period's
-- final rank; none where there is nothing to compare with.
-- known_at: the board as it was known at that instant; who may be seen is today's choice.
CREATE FUNCTION whole_board(
  which uuid, period text, on_day date DEFAULT NULL, instant timestamptz DEFAULT NULL, known_at timestamptz DEFAULT NULL
) RETURNS TABLE (
  uid uuid, visibility text, seconds integer, manual_seconds integer, studying boolean, rank integer, change integer,
  as_of timestamptz
) LANGUAGE plpgsql STABLE ROWS 30 SET plan_cache_mode = force_generic_plan SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  shown record;
  today date;
  last_first date;                                        -- the period before, on a period's first day only
  last_until date;
  since_morning boolean := false;
BEGIN
  SELECT * INTO shown FROM group_period(which, whole_board.period, on_day, known_at);
  IF NOT FOUND THEN RETURN; END IF;
  as_of := least(coalesce(instant, shown.server_time), shown.server_time);
  IF as_of >= shown.starts_at AND as_of < shown.ends_at THEN
    today := study_day(as_of, shown.time_zone, shown.day_starts_at);
    since_morning := today > shown.first_day;
    IF NOT since_morning THEN
      SELECT d.first_day, d.until_day INTO last_first, last_until
        FROM period_days(whole_board.period, shown.first_day - 1) d;
    END IF;
  END IF;

  RETURN QUERY
    SELECT s.uid, s.visibility, s.seconds, s.manual_seconds, s.studying, (rank() OVER (ORDER BY s.seconds DESC))::integer,
           (CASE WHEN since_morning THEN rank() OVER (ORDER BY s.seconds - s.today_seconds DESC) ELSE l.rank END
            - rank() OVER (ORDER BY s.seconds DESC))::integer, as_of
    FROM (
      SELECT b.* FROM board_scores(which, shown.first_day, shown.until_day, CASE WHEN known_at IS NULL THEN as_of END) b
      UNION ALL
      SELECT k.* FROM known_scores(which, shown.first_day, shown.until_day, known_at) k
    ) s
    LEFT JOIN (
      SELECT f.uid, rank() OVER (ORDER BY f.seconds DESC) AS rank
      FROM (
        SELECT b.* FROM board_scores(which, last_first, last_until, CASE WHEN known_at IS NULL THEN as_of END) b
        UNION ALL
        SELECT k.* FROM known_scores(which, last_first, last_until, known_at) k
      ) f
    ) l ON l.uid = s.uid;
END $$;

-- One page of a board: the entries after the cursor (after_seconds, after_uid), and without a cursor also the reader's
-- own entry with three neighbours on either side. Order: seconds, then uid, both descending. The cursor carries its
-- first page's instant, so running timers stand still.
--
-- Hidden members keep their ranks and are seen only by themselves. gap_to_next_seconds: from the reader's seconds to the
-- next ones above.
CREATE OR REPLACE FUNCTION board(
  reader uuid, which uuid, period text, on_day date DEFAULT NULL, instant timestamptz DEFAULT NULL,
  after_seconds bigint DEFAULT NULL, after_uid uuid DEFAULT NULL, page bigint DEFAULT 50,
  known_at timestamptz DEFAULT NULL
) RETURNS TABLE (
  section text, rank integer, uid uuid, nickname text, visibility text, seconds integer, manual_seconds integer,
  studying boolean, change integer, participants integer, gap_to_next_seconds integer, more boolean, as_of timestamptz
) LANGUAGE plpgsql STABLE ROWS 60 SET plan_cache_mode = force_generic_plan SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
  IF NOT EXISTS (SELECT FROM group_members m WHERE m.uid = reader AND m.group_id = which) THEN RETURN; END IF;
  RETURN QUERY
    WITH ranked AS MATERIALIZED (
      SELECT w.*,
             count(*) FILTER (WHERE w.visible) OVER (ORDER BY w.seconds DESC, w.uid DESC ROWS UNBOUNDED PRECEDING) AS place
      FROM (
        SELECT b.*, b.visibility <> 'hidden' OR b.uid = reader AS visible
        FROM whole_board(which, board.period, on_day, instant, known_at) b
      ) w
    ),
    -- From which place on the page goes, where the reader stands, and with how much.
    view AS (
      SELECT count(*)::integer AS participants, max(r.place) AS places,
             count(*) FILTER (WHERE r.visible AND (r.seconds, r.uid) >= (after_seconds, after_uid)) AS before_page,
             max(r.place) FILTER (WHERE r.uid = reader AND after_uid IS NULL) AS my_place,
             max(r.seconds) FILTER (WHERE r.uid = reader AND after_uid IS NULL) AS my_seconds
      FROM ranked r
    )
    SELECT (ARRAY['top', 'me', 'neighbour'])[n.part], n.rank, n.uid, u.nickname, n.visibility, n.seconds,
           n.manual_seconds, n.studying, n.change, n.participants,
           CASE WHEN n.part = 2 THEN (SELECT min(r.seconds) FROM ranked r WHERE r.seconds > n.my_seconds) - n.my_seconds END,
           n.part = 1 AND n.places > n.before_page + page, n.as_of
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
