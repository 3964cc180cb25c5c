-- Boards in two steps: the whole board, which is the same for all who look, and what one reader sees of it. The first is
-- what a service may keep for a moment. And two more orders beside the seconds.

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

-- Two more orders of a group's board beside the seconds: how far the own goals were reached, and on how many days.
--
-- Both are about the days of the period so far, today included, the same for everybody: who came late or made an account
-- yesterday has no fewer. A day has the goal that was in force on it, and what counts on it is what the board counts.

-- The goals of users in the days [first_day, until_day): stretches [since, until) of days with one goal.
CREATE FUNCTION goal_stretches(whose uuid[], first_day date, until_day date) RETURNS TABLE (
  uid uuid, since date, until date, goal_seconds integer
) LANGUAGE plpgsql STABLE ROWS 30 SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    SELECT g.uid, greatest(g.since, goal_stretches.first_day), least(g.until, goal_stretches.until_day), g.goal_seconds
    FROM (
      SELECT k.uid, k.goal_seconds, k.until,
             coalesce(lag(k.until) OVER (PARTITION BY k.uid ORDER BY k.until), '-infinity') AS since
      FROM (
        SELECT p.uid, p.goal_seconds, p.until_day AS until FROM past_goals p WHERE p.uid = ANY (whose)
        UNION ALL
        SELECT u.uid, u.daily_goal_seconds, 'infinity' FROM users u WHERE u.uid = ANY (whose)
      ) k
    ) g
    WHERE g.since < goal_stretches.until_day AND g.until > goal_stretches.first_day
      AND goal_stretches.first_day < goal_stretches.until_day;
END $$;

-- What counts on each study day of a group's board of the days [first_day, until_day), the running timers included, of
-- everyone who was in the group by its end.
-- As with the scores: looked up one by one, the days of a board's members cost what they are, whatever else is there.
CREATE FUNCTION counted_days(which uuid, first_day date, until_day date, at timestamptz) RETURNS TABLE (
  uid uuid, day date, seconds integer
) LANGUAGE plpgsql STABLE STRICT ROWS 300 SET plan_cache_mode = force_generic_plan SET search_path FROM CURRENT
  SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
  turn date := month_of(until_day - 1);                   -- days from here on count by the late rules
  late ranking_rules := group_rules_in(which, turn);
  early ranking_rules := group_rules_in(which, month_of(first_day));
  two_rules boolean := early.rules_id <> late.rules_id;
  ends_at timestamptz := study_day_start(until_day, late.time_zone, late.day_starts_at);
BEGIN
  RETURN QUERY
    WITH members AS MATERIALIZED (
      SELECT DISTINCT h.uid FROM group_membership_history h WHERE h.group_id = which AND h.joined_at < ends_at
    ),
    stretches AS MATERIALIZED (
      SELECT r.*, s.first_day, s.until_day
      FROM (
        SELECT late.rules_id AS counting, CASE WHEN two_rules THEN turn ELSE first_day END AS first_day, until_day
        UNION ALL
        SELECT early.rules_id, first_day, turn WHERE two_rules
      ) s
      JOIN ranking_rules r ON r.rules_id = s.counting
    ),
    parts AS (
      SELECT t.uid, t.day, t.seconds, t.manual_seconds, s.daily_cap_seconds, s.manual_counts
      FROM members m CROSS JOIN stretches s
      JOIN day_totals t ON t.rules_id = s.rules_id AND t.uid = m.uid AND t.day >= s.first_day AND t.day < s.until_day
      UNION ALL
      SELECT i.uid, p.day, p.seconds, 0, s.daily_cap_seconds, s.manual_counts
      FROM members m
      JOIN study_intervals i ON i.uid = m.uid AND i.ended_at IS NULL AND i.started_at > at - interval '12 hours'
      CROSS JOIN stretches s
      CROSS JOIN LATERAL study_parts(i.started_at, least(at, ends_at), s.time_zone, s.day_starts_at) p
      WHERE p.day >= s.first_day AND p.day < s.until_day
    )
    SELECT p.uid, p.day,
           counted_of_day(sum(p.seconds)::integer, sum(p.manual_seconds)::integer, p.daily_cap_seconds, p.manual_counts)
    FROM parts p
    GROUP BY p.uid, p.day, p.daily_cap_seconds, p.manual_counts;
END $$;

-- The scores of a board of the days [first_day, until_day), of which those before days_until have begun, in one of the
-- orders seconds, goal and consistency. score is the number to rank by: seconds, whole thousandths of the sum of the own
-- goals, or days on which the goal was reached. score_before is the same without today.
-- Who has no account any more has neither goals nor days left, and in a closed month 0 of both.
-- known_at: as it was known at that instant; the goals are those of today's knowledge.
CREATE FUNCTION ordered_scores(
  which uuid, sorting text, first_day date, until_day date, days_until date, today date, at timestamptz, known_at timestamptz
) RETURNS TABLE (
  uid uuid, visibility text, seconds integer, manual_seconds integer, studying boolean, goal_permille integer,
  days_met integer, score integer, score_before integer
) LANGUAGE plpgsql STABLE ROWS 30 SET plan_cache_mode = force_generic_plan SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
  IF sorting = 'seconds' THEN
    RETURN QUERY
      SELECT s.uid, s.visibility, s.seconds, s.manual_seconds, s.studying, NULL::integer, NULL::integer, s.seconds,
             s.seconds - s.today_seconds
      FROM (
        SELECT b.* FROM board_scores(which, first_day, until_day, CASE WHEN known_at IS NULL THEN at END) b
        UNION ALL
        SELECT k.* FROM known_scores(which, first_day, until_day, known_at) k
      ) s;
    RETURN;
  ELSIF sorting NOT IN ('goal', 'consistency') THEN
    RAISE EXCEPTION 'no order %', sorting USING ERRCODE = 'check_violation', CONSTRAINT = 'unknown_order';
  END IF;
  RETURN QUERY
    WITH scores AS MATERIALIZED (
      SELECT b.* FROM board_scores(which, first_day, until_day, CASE WHEN known_at IS NULL THEN at END) b
      UNION ALL
      SELECT k.* FROM known_scores(which, first_day, until_day, known_at) k
    ),
    goals AS MATERIALIZED (
      SELECT g.* FROM goal_stretches(ARRAY(SELECT s.uid FROM scores s), first_day, days_until) g
    ),
    wanted AS (
      SELECT g.uid, sum(g.goal_seconds * (g.until - g.since))::bigint AS goal,
             (sum(g.goal_seconds * (least(g.until, today) - g.since)) FILTER (WHERE g.since < today))::bigint
               AS goal_before
      FROM goals g GROUP BY g.uid
    ),
    met AS (
      SELECT d.uid, count(*)::integer AS days, (count(*) FILTER (WHERE d.day < today))::integer AS days_before
      FROM (
        SELECT c.uid, c.day, c.seconds
        FROM counted_days(which, first_day, until_day, CASE WHEN known_at IS NULL THEN at END) c
        UNION ALL
        SELECT k.uid, k.day, k.seconds FROM known_days(which, first_day, until_day, known_at) k
      ) d
      JOIN goals g ON g.uid = d.uid AND d.day >= g.since AND d.day < g.until
      WHERE d.seconds >= g.goal_seconds
      GROUP BY d.uid
    ),
    reached AS (
      SELECT s.*, coalesce(s.seconds * 1000::bigint / w.goal, 0)::integer AS permille,
             coalesce((s.seconds - s.today_seconds) * 1000::bigint / w.goal_before, 0)::integer AS permille_before,
             coalesce(m.days, 0) AS days, coalesce(m.days_before, 0) AS days_before
      FROM scores s LEFT JOIN wanted w USING (uid) LEFT JOIN met m USING (uid)
    )
    SELECT r.uid, r.visibility, r.seconds, r.manual_seconds, r.studying, r.permille, r.days,
           CASE sorting WHEN 'goal' THEN r.permille ELSE r.days END,
           CASE sorting WHEN 'goal' THEN r.permille_before ELSE r.days_before END
    FROM reached r;
END $$;

-- Everybody on a board, hidden or not, at an instant (now, or an earlier one of the same board). The rank is 1 + the
-- number of members with a higher score in the order that is asked for: seconds, goal or consistency. days: how many of
-- the period there have been so far; it, goal_permille and days_met are empty in the order by seconds.
--
-- change: places won (+) or lost (-) since the study day began; on a period's first day, against the last period's
-- final rank; none where there is nothing to compare with.
-- known_at: the board as it was known at that instant; who may be seen is today's choice.
CREATE FUNCTION whole_board(
  which uuid, period text, on_day date DEFAULT NULL, instant timestamptz DEFAULT NULL,
  known_at timestamptz DEFAULT NULL, sorting text DEFAULT 'seconds'
) RETURNS TABLE (
  uid uuid, visibility text, seconds integer, manual_seconds integer, studying boolean, rank integer, change integer,
  as_of timestamptz, goal_permille integer, days_met integer, score integer, days integer
) LANGUAGE plpgsql STABLE ROWS 30 SET plan_cache_mode = force_generic_plan SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  shown record;
  today date;
  days_until date;                                        -- the days before it have begun
  last_first date;                                        -- the period before, on a period's first day only
  last_until date;
  since_morning boolean := false;
BEGIN
  SELECT * INTO shown FROM group_period(which, whole_board.period, on_day, known_at);
  IF NOT FOUND THEN RETURN; END IF;
  as_of := least(coalesce(instant, shown.server_time), shown.server_time);
  today := study_day(as_of, shown.time_zone, shown.day_starts_at);
  days_until := least(shown.until_day, today + 1);
  IF sorting <> 'seconds' THEN days := greatest(days_until - shown.first_day, 0); END IF;
  IF as_of >= shown.starts_at AND as_of < shown.ends_at THEN
    since_morning := today > shown.first_day;
    IF NOT since_morning THEN
      SELECT d.first_day, d.until_day INTO last_first, last_until
        FROM period_days(whole_board.period, shown.first_day - 1) d;
    END IF;
  END IF;

  RETURN QUERY
    SELECT s.uid, s.visibility, s.seconds, s.manual_seconds, s.studying, (rank() OVER (ORDER BY s.score DESC))::integer,
           (CASE WHEN since_morning THEN rank() OVER (ORDER BY s.score_before DESC) ELSE l.rank END
            - rank() OVER (ORDER BY s.score DESC))::integer,
           as_of, s.goal_permille, s.days_met, s.score, whole_board.days
    FROM ordered_scores(which, sorting, shown.first_day, shown.until_day, days_until, today, as_of, known_at) s
    LEFT JOIN (
      SELECT f.uid, rank() OVER (ORDER BY f.score DESC) AS rank
      FROM ordered_scores(which, sorting, last_first, last_until, last_until, NULL, as_of, known_at) f
      WHERE last_first IS NOT NULL
    ) l ON l.uid = s.uid;
END $$;

-- One page of a board: the entries after the cursor (after_score, after_uid), and without a cursor also the reader's
-- own entry with three neighbours on either side. Order: score, then uid, both descending. The cursor carries its
-- first page's instant, so running timers stand still.
--
-- Hidden members keep their ranks and are seen only by themselves. gap_to_next: from the reader's score to the next
-- one above.
DROP FUNCTION board(uuid, uuid, text, date, timestamptz, bigint, uuid, bigint, timestamptz);
CREATE FUNCTION board(
  reader uuid, which uuid, period text, on_day date DEFAULT NULL, instant timestamptz DEFAULT NULL,
  after_score bigint DEFAULT NULL, after_uid uuid DEFAULT NULL, page bigint DEFAULT 50,
  known_at timestamptz DEFAULT NULL, sorting text DEFAULT 'seconds'
) RETURNS TABLE (
  section text, rank integer, uid uuid, nickname text, visibility text, seconds integer, manual_seconds integer,
  studying boolean, change integer, participants integer, gap_to_next integer, more boolean, as_of timestamptz,
  goal_permille integer, days_met integer, days integer
) LANGUAGE plpgsql STABLE ROWS 60 SET plan_cache_mode = force_generic_plan SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
  IF NOT EXISTS (SELECT FROM group_members m WHERE m.uid = reader AND m.group_id = which) THEN RETURN; END IF;
  RETURN QUERY
    WITH ranked AS MATERIALIZED (
      SELECT w.*,
             count(*) FILTER (WHERE w.visible) OVER (ORDER BY w.score DESC, w.uid DESC ROWS UNBOUNDED PRECEDING) AS place
      FROM (
        SELECT b.*, b.visibility <> 'hidden' OR b.uid = reader AS visible
        FROM whole_board(which, board.period, on_day, instant, known_at, sorting) b
      ) w
    ),
    -- From which place on the page goes, where the reader stands, and with which score.
    view AS (
      SELECT count(*)::integer AS participants, max(r.place) AS places,
             count(*) FILTER (WHERE r.visible AND (r.score, r.uid) >= (after_score, after_uid)) AS before_page,
             max(r.place) FILTER (WHERE r.uid = reader AND after_uid IS NULL) AS my_place,
             max(r.score) FILTER (WHERE r.uid = reader AND after_uid IS NULL) AS my_score
      FROM ranked r
    )
    SELECT (ARRAY['top', 'me', 'neighbour'])[n.part], n.rank, n.uid, u.nickname, n.visibility, n.seconds,
           n.manual_seconds, n.studying, n.change, n.participants,
           CASE WHEN n.part = 2 THEN (SELECT min(r.score) FROM ranked r WHERE r.score > n.my_score) - n.my_score END,
           n.part = 1 AND n.places > n.before_page + page, n.as_of,
           n.goal_permille, n.days_met, n.days
    FROM (
      SELECT 1 AS part, r.*, v.* FROM ranked r, view v
        WHERE r.visible AND r.place > v.before_page AND r.place <= v.before_page + page
      UNION ALL
      SELECT CASE WHEN r.place = v.my_place THEN 2 ELSE 3 END, r.*, v.* FROM ranked r, view v
        WHERE r.visible AND r.place BETWEEN v.my_place - 3 AND v.my_place + 3
    ) n
    JOIN users u USING (uid)
    ORDER BY n.part, n.score DESC, n.uid DESC;
END $$;
