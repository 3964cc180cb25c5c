-- Boards: who studied how much in a day, week or month of a group, now or in any past one, as of an instant.
--
-- In two steps: the whole board, which is the same for all who look, and what one reader sees of it. The first is what a
-- service may keep for a moment.

-- A period of a group: its days, its instants, and by which rules it counts. A week in which rules change counts each
-- day by its own month's rules; it begins by the first ones' clock and ends by the last ones', which are the ones shown.
-- Without a day it is the period of now. A month is closed after its grace period, and with it its days and weeks.
-- known_at: everything as it was at that instant, which lies neither ahead nor before the period.
CREATE OR REPLACE FUNCTION group_period(which uuid, period text, on_day date DEFAULT NULL, known_at timestamptz DEFAULT NULL
) RETURNS TABLE (
  name text, first_day date, until_day date, starts_at timestamptz, ends_at timestamptz, closes_at timestamptz,
  state text, time_zone text, day_starts_at time, daily_cap_seconds integer, manual_counts boolean,
  server_time timestamptz
) LANGUAGE plpgsql STABLE ROWS 1 SET search_path = public, pg_temp AS $$
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
) LANGUAGE plpgsql STABLE ROWS 1 SET search_path = public, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM group_members m WHERE m.uid = reader AND m.group_id = which) THEN
    RETURN QUERY SELECT * FROM group_period(which, board_period.period, on_day, known_at);
  END IF;
END $$;

-- What a running interval adds to a board's days [first_day, until_day) when it is cut at an instant: each of its parts
-- joins its day before the cap is applied.
CREATE OR REPLACE FUNCTION live_score(
  whose uuid, started_at timestamptz, cut timestamptz, rules ranking_rules, first_day date, until_day date, today date
) RETURNS TABLE (seconds integer, manual_seconds integer, today_seconds integer)
  LANGUAGE plpgsql STABLE STRICT ROWS 1 SET search_path = public, pg_temp AS $$
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
-- before its end and had not left before the earlier of its end and now. A running timer counts live, one past the longest interval
-- for nothing. today_seconds is what the study day of that instant has in it.
--
-- Its plan is made once: looking members up one by one is right for nearly every group, and planning takes longer.
CREATE OR REPLACE FUNCTION two_rules_scores(which uuid, first_day date, until_day date, at timestamptz) RETURNS TABLE (
  uid uuid, visibility text, seconds integer, manual_seconds integer, today_seconds integer, studying boolean
) LANGUAGE plpgsql STABLE STRICT ROWS 30 SET plan_cache_mode = force_generic_plan SET search_path = public, pg_temp AS $$
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
    LEFT JOIN study_intervals i ON i.uid = h.uid AND i.ended_at IS NULL AND i.started_at > at - longest_interval()
    LEFT JOIN LATERAL live_score(i.uid, i.started_at, cut, late, CASE WHEN two_rules THEN turn ELSE first_day END,
                                 until_day, today) l ON true
    LEFT JOIN LATERAL live_score(i.uid, i.started_at, cut, early, CASE WHEN two_rules THEN first_day END,
                                 turn, today) e ON true
    WHERE h.group_id = which AND h.joined_at < ends_at
      AND (h.left_at IS NULL OR (ends_at <= at AND h.left_at >= ends_at));
END $$;

-- The scores of a board, by seconds as they are kept and what runs, without those who are suspended at that instant, or
-- were until the period was closed: what is closed stays as it is, and a suspension that begins or ends later changes
-- nothing in it. A week in which rules change goes the long way; all others meet one set of rules, and what began within
-- the study day of that instant needs no splitting into days.
--
-- Its plan is made once: looking members up one by one is right for nearly every group, and planning takes longer. Joins
-- of whole tables are no way to do that.
CREATE OR REPLACE FUNCTION counted_scores(which uuid, first_day date, until_day date, at timestamptz) RETURNS TABLE (
  uid uuid, visibility text, seconds integer, manual_seconds integer, today_seconds integer, studying boolean
) LANGUAGE plpgsql STABLE STRICT ROWS 30 SET plan_cache_mode = force_generic_plan SET enable_hashjoin = off
  SET enable_mergejoin = off SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  the_month date := month_of(until_day - 1);
  rules ranking_rules := group_rules_in(which, the_month);
  ends_at timestamptz := study_day_start(until_day, rules.time_zone, rules.day_starts_at);
  cut timestamptz := least(at, ends_at);
  today date := study_day(at, rules.time_zone, rules.day_starts_at);
  whole_month boolean := first_day = the_month AND until_day = next_month(the_month);
  in_period boolean := today >= first_day AND today < until_day;
  -- From when on a running interval lies within today; nobody's does on a board that is over.
  since timestamptz := CASE WHEN in_period THEN study_day_start(today, rules.time_zone, rules.day_starts_at)
                            ELSE 'infinity' END;
  suspended uuid[] := suspended_from(
    which, least(at, month_closes_at(the_month, rules.time_zone, rules.day_starts_at) - interval '1 second'));
BEGIN
  IF first_day < the_month AND (group_rules_in(which, month_of(first_day))).rules_id <> rules.rules_id THEN
    RETURN QUERY SELECT s.* FROM two_rules_scores(which, first_day, until_day, at) s
      WHERE s.uid <> ALL (suspended);
    RETURN;
  END IF;
  RETURN QUERY
    SELECT h.uid, coalesce(g.visibility, h.visibility, 'shown'),
           coalesce(m.counted_seconds, d.seconds, 0) + coalesce(l.seconds, n.counted, 0),
           coalesce(m.manual_seconds, d.manual_seconds, 0) + coalesce(l.manual_seconds, n.manual, 0),
           coalesce(t.counted_seconds, 0) + coalesce(l.today_seconds, n.counted, 0),
           i.uid IS NOT NULL
    FROM group_membership_history h
    LEFT JOIN group_members g ON g.uid = h.uid AND g.group_id = which
    LEFT JOIN month_totals m ON m.rules_id = rules.rules_id AND m.uid = h.uid AND m.month = the_month AND whole_month
    LEFT JOIN LATERAL (
      SELECT sum(x.counted_seconds)::integer AS seconds,
             sum(manual_of_day(x.seconds, x.manual_seconds, rules.daily_cap_seconds, rules.manual_counts))::integer
               AS manual_seconds
      FROM day_totals x
      WHERE NOT whole_month AND x.rules_id = rules.rules_id AND x.uid = h.uid AND x.day >= first_day AND x.day < until_day
    ) d ON NOT whole_month
    LEFT JOIN day_totals t ON t.rules_id = rules.rules_id AND t.uid = h.uid AND t.day = today AND in_period
    LEFT JOIN study_intervals i ON i.uid = h.uid AND i.ended_at IS NULL AND i.started_at > at - longest_interval()
    LEFT JOIN LATERAL (
      SELECT counted_of_day(k.seconds + k.more, k.manual, rules.daily_cap_seconds, rules.manual_counts)
               - counted_of_day(k.seconds, k.manual, rules.daily_cap_seconds, rules.manual_counts) AS counted,
             manual_of_day(k.seconds + k.more, k.manual, rules.daily_cap_seconds, rules.manual_counts)
               - manual_of_day(k.seconds, k.manual, rules.daily_cap_seconds, rules.manual_counts) AS manual
      FROM (SELECT coalesce(t.seconds, 0) AS seconds, coalesce(t.manual_seconds, 0) AS manual,
                   greatest(extract(epoch FROM at - i.started_at), 0)::integer AS more) k
      WHERE i.started_at >= since
    ) n ON true
    LEFT JOIN LATERAL live_score(CASE WHEN i.started_at < since THEN i.uid END, i.started_at, cut, rules, first_day,
                                 until_day, today) l ON true
    WHERE h.group_id = which AND h.joined_at < ends_at AND h.uid <> ALL (suspended)
      AND (h.left_at IS NULL OR (ends_at <= at AND h.left_at >= ends_at));
END $$;

-- What counts on a board: a closed month as it was sealed and amended, anything else from the totals.
CREATE OR REPLACE FUNCTION board_scores(which uuid, first_day date, until_day date, at timestamptz) RETURNS TABLE (
  uid uuid, visibility text, seconds integer, manual_seconds integer, today_seconds integer, studying boolean
) LANGUAGE plpgsql STABLE STRICT ROWS 30 SET search_path = public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  IF first_day = month_of(first_day) AND until_day = next_month(first_day)
    AND EXISTS (SELECT FROM month_closes c WHERE c.group_id = which AND c.month = first_day) THEN
    RETURN QUERY
      SELECT c.uid, c.visibility, c.seconds, c.manual_seconds, 0, i.uid IS NOT NULL
      FROM closed_scores(which, first_day) c
      LEFT JOIN study_intervals i ON i.uid = c.uid AND i.ended_at IS NULL AND i.started_at > at - longest_interval();
  ELSE
    RETURN QUERY SELECT s.* FROM counted_scores(which, first_day, until_day, at) s;
  END IF;
END $$;

-- The goals of users in the days [first_day, until_day): stretches [since, until) of days with one goal.
CREATE OR REPLACE FUNCTION goal_stretches(whose uuid[], first_day date, until_day date) RETURNS TABLE (
  uid uuid, since date, until date, goal_seconds integer
) LANGUAGE plpgsql STABLE ROWS 30 SET search_path = public, pg_temp AS $$
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
CREATE OR REPLACE FUNCTION counted_days(which uuid, first_day date, until_day date, at timestamptz) RETURNS TABLE (
  uid uuid, day date, seconds integer
) LANGUAGE plpgsql STABLE STRICT ROWS 300 SET plan_cache_mode = force_generic_plan SET search_path = public, pg_temp
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
      JOIN study_intervals i ON i.uid = m.uid AND i.ended_at IS NULL AND i.started_at > at - longest_interval()
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
CREATE OR REPLACE FUNCTION ordered_scores(
  which uuid, sorting text, first_day date, until_day date, days_until date, today date, at timestamptz, known_at timestamptz
) RETURNS TABLE (
  uid uuid, visibility text, seconds integer, manual_seconds integer, studying boolean, goal_permille integer,
  days_met integer, score integer, score_before integer
) LANGUAGE plpgsql STABLE ROWS 30 SET plan_cache_mode = force_generic_plan SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  was_closed boolean := closed_by(which, first_day, until_day, known_at);
  suspended uuid[] := suspended_then(which, until_day, known_at);
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
    WITH past AS MATERIALIZED (
      SELECT k.* FROM known_days(which, first_day, until_day, known_at) k
    ),
    -- (What known_scores would add up from the days itself is added up here, where they are at hand.)
    scores AS MATERIALIZED (
      SELECT b.* FROM board_scores(which, first_day, until_day, CASE WHEN known_at IS NULL THEN at END) b
      UNION ALL
      SELECT k.* FROM known_scores(which, first_day, until_day, CASE WHEN was_closed THEN known_at END) k
      UNION ALL
      SELECT p.uid, p.visibility, coalesce(sum(p.seconds), 0)::integer, coalesce(sum(p.manual_seconds), 0)::integer,
             coalesce(sum(p.seconds) FILTER (WHERE p.day = today), 0)::integer, bool_or(p.studying)
      FROM past p
      WHERE NOT was_closed AND p.uid <> ALL (suspended)
      GROUP BY p.uid, p.visibility
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
        SELECT p.uid, p.day, p.seconds FROM past p
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
CREATE OR REPLACE FUNCTION whole_board(
  which uuid, period text, on_day date DEFAULT NULL, instant timestamptz DEFAULT NULL,
  known_at timestamptz DEFAULT NULL, sorting text DEFAULT 'seconds'
) RETURNS TABLE (
  uid uuid, visibility text, seconds integer, manual_seconds integer, studying boolean, rank integer, change integer,
  as_of timestamptz, goal_permille integer, days_met integer, score integer, days integer
) LANGUAGE plpgsql STABLE ROWS 30 SET plan_cache_mode = force_generic_plan SET search_path = public, pg_temp AS $$
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
CREATE OR REPLACE FUNCTION board(
  reader uuid, which uuid, period text, on_day date DEFAULT NULL, instant timestamptz DEFAULT NULL,
  after_score bigint DEFAULT NULL, after_uid uuid DEFAULT NULL, page bigint DEFAULT 50,
  known_at timestamptz DEFAULT NULL, sorting text DEFAULT 'seconds'
) RETURNS TABLE (
  section text, rank integer, uid uuid, nickname text, visibility text, seconds integer, manual_seconds integer,
  studying boolean, change integer, participants integer, gap_to_next integer, more boolean, as_of timestamptz,
  goal_permille integer, days_met integer, days integer
) LANGUAGE plpgsql STABLE ROWS 60 SET plan_cache_mode = force_generic_plan SET search_path = public, pg_temp AS $$
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
