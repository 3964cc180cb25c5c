-- The scores of a group's board: who studied how much on the days of a period, and the three orders of a board.

-- What counts on each study day of a group's board of the days [first_day, until_day), for all members on it. A running
-- timer counts live, an overdue one does not count. Each member has one extra row without a day and with no seconds,
-- which tells their visibility and whether they are studying.
--
-- New members bring their study of all months that were open when they joined. Study in a month that was closed before
-- never counts for them on this group's boards, also not in a week that includes part of that month.
--
-- The plan is made once. Looking up members one by one is right for nearly every group, and planning again would take
-- longer. Joins of whole tables are turned off, because they read the totals of everybody.
CREATE OR REPLACE FUNCTION counted_days(for_group uuid, first_day date, until_day date, at timestamptz) RETURNS TABLE (
  uid uuid, visibility text, studying boolean, day date, seconds integer, manual_seconds integer
) LANGUAGE plpgsql STABLE STRICT ROWS 300 SET plan_cache_mode = force_generic_plan SET enable_hashjoin = off
  SET enable_mergejoin = off SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  late ranking_rules := group_rules_in(for_group, month_of(until_day - 1));
  ends_at timestamptz := study_day_start(until_day, late.time_zone, late.day_starts_at);
  people uuid[];
  joined timestamptz[];
BEGIN
  SELECT array_agg(h.uid), array_agg(h.joined_at) INTO people, joined FROM group_membership_history h
    WHERE h.group_id = for_group AND stays_on_board(h.joined_at, h.left_at, ends_at, at);
  RETURN QUERY
    WITH months AS MATERIALIZED (
      SELECT b.*, ARRAY(SELECT h.uid FROM unnest(people, joined) h (uid, joined_at) WHERE h.joined_at < b.closes_at)
               AS people
      FROM board_months(for_group, first_day, until_day) b
    ),
    members AS MATERIALIZED (
      SELECT h.uid, h.visibility, i.started_at
      FROM group_membership_history h
      LEFT JOIN study_intervals i ON i.uid = h.uid AND timer_runs(i.started_at, i.ended_at, at)
      WHERE h.group_id = for_group AND stays_on_board(h.joined_at, h.left_at, ends_at, at)
    ),
    kept AS MATERIALIZED (
      SELECT d.uid, d.day, d.seconds, d.manual_seconds, s.daily_cap_seconds, s.manual_counts
      FROM months s
      -- An array, so that only the members' rows are read, and not everybody's.
      JOIN day_totals d
        ON d.rules_id = s.rules_id AND d.uid = ANY (s.people) AND d.day >= s.begins AND d.day < s.ends
    ),
    days AS (
      SELECT p.uid, p.day,
             counted_of_day(sum(p.seconds)::integer, sum(p.manual_seconds)::integer, p.daily_cap_seconds,
                            p.manual_counts)
               AS seconds,
             manual_of_day(sum(p.seconds)::integer, sum(p.manual_seconds)::integer, p.daily_cap_seconds,
                           p.manual_counts)
               AS manual_seconds
      FROM (
        SELECT k.uid, k.day, k.seconds, k.manual_seconds, k.daily_cap_seconds, k.manual_counts
        FROM kept k
        UNION ALL
        SELECT m.uid, p.day, p.seconds, 0, s.daily_cap_seconds, s.manual_counts
        FROM members m
        JOIN months s ON m.started_at IS NOT NULL
        CROSS JOIN LATERAL study_parts(m.started_at, at, s.time_zone, s.day_starts_at) p
        WHERE p.day >= s.begins AND p.day < s.ends
      ) p
      GROUP BY p.uid, p.day, p.daily_cap_seconds, p.manual_counts
    )
    SELECT m.uid, coalesce(g.visibility, m.visibility, 'shown'), m.started_at IS NOT NULL, NULL::date, 0, 0
    FROM members m
    LEFT JOIN group_members g ON g.uid = m.uid AND g.group_id = for_group
    UNION ALL
    SELECT d.uid, NULL, NULL, d.day, d.seconds, d.manual_seconds FROM days d;
END $$;

-- The scores of a board by seconds, at an instant of the study day `today`. A closed month is as it was sealed and
-- amended. Any other period is computed from the totals and the running timers, without suspended members.
-- today_seconds is the part of that day.
--
-- A whole month, the most common board, is one row per member. A running timer touches at most two days: the last day,
-- and the one on which it started. (The plan is made once, as for counted_days.)
CREATE OR REPLACE FUNCTION board_scores(for_group uuid, first_day date, until_day date, today date, at timestamptz)
  RETURNS TABLE (
    uid uuid, visibility text, seconds integer, manual_seconds integer, today_seconds integer, studying boolean
  ) LANGUAGE plpgsql STABLE STRICT ROWS 30 SET plan_cache_mode = force_generic_plan SET enable_hashjoin = off
  SET enable_mergejoin = off SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  rules ranking_rules;
  suspended uuid[];
  cap integer;
  manual_counts boolean;
  ends_at timestamptz;
  cut timestamptz;
  in_period boolean := today >= first_day AND today < until_day;
  last_day date;
  edge timestamptz;                                       -- where the last day begins
BEGIN
  IF closed_by(for_group, first_day, until_day, at) THEN
    RETURN QUERY
      SELECT c.uid, c.visibility, c.seconds, c.manual_seconds, 0, false FROM closed_scores(for_group, first_day) c;
    RETURN;
  END IF;
  suspended := suspended_then(for_group, until_day, at);
  IF first_day <> month_of(first_day) OR until_day <> next_month(first_day) THEN
    RETURN QUERY
      SELECT d.uid, max(d.visibility), sum(d.seconds)::integer, sum(d.manual_seconds)::integer,
             coalesce(sum(d.seconds) FILTER (WHERE d.day = today), 0)::integer, bool_or(d.studying)
      FROM counted_days(for_group, first_day, until_day, at) d
      WHERE d.uid <> ALL (suspended)
      GROUP BY d.uid;
    RETURN;
  END IF;

  rules := group_rules_in(for_group, first_day);
  cap := rules.daily_cap_seconds;
  manual_counts := rules.manual_counts;
  ends_at := study_day_start(until_day, rules.time_zone, rules.day_starts_at);
  cut := least(at, ends_at);
  last_day := CASE WHEN in_period THEN today
                   ELSE study_day(cut - interval '1 second', rules.time_zone, rules.day_starts_at) END;
  edge := study_day_start(last_day, rules.time_zone, rules.day_starts_at);
  RETURN QUERY
    -- First the totals and running timers of each member; names and visibility are joined below.
    WITH kept AS MATERIALIZED (
      SELECT h.uid, h.visibility, coalesce(m.counted_seconds, 0) AS seconds, coalesce(m.manual_seconds, 0) AS manual,
             i.started_at IS NOT NULL AS studying,
             coalesce(t.counted_seconds, 0) AS counted_last,
             coalesce(t.seconds, 0) AS last, coalesce(t.manual_seconds, 0) AS last_manual,
             coalesce(y.seconds, 0) AS first, coalesce(y.manual_seconds, 0) AS first_manual,
             CASE WHEN i.started_at IS NULL OR last_day < first_day THEN 0
                  ELSE greatest(extract(epoch FROM cut - greatest(i.started_at, edge)), 0)::integer END AS more_last,
             CASE WHEN i.started_at < least(edge, cut)
                    AND study_day(i.started_at, rules.time_zone, rules.day_starts_at) >= first_day
                  THEN extract(epoch FROM least(edge, cut) - i.started_at)::integer ELSE 0 END AS more_first
      FROM group_membership_history h
      LEFT JOIN month_totals m ON m.rules_id = rules.rules_id AND m.uid = h.uid AND m.month = first_day
      LEFT JOIN day_totals t ON t.rules_id = rules.rules_id AND t.uid = h.uid AND t.day = last_day
      LEFT JOIN study_intervals i ON i.uid = h.uid AND timer_runs(i.started_at, i.ended_at, at)
      LEFT JOIN day_totals y ON y.rules_id = rules.rules_id AND y.uid = i.uid AND i.started_at < edge
        AND y.day = study_day(i.started_at, rules.time_zone, rules.day_starts_at)
      WHERE h.group_id = for_group AND stays_on_board(h.joined_at, h.left_at, ends_at, at)
        AND h.uid <> ALL (suspended)
    )
    SELECT k.uid, coalesce(g.visibility, k.visibility, 'shown'),
           k.seconds + n.counted_last + n.counted_first, k.manual + n.manual_last + n.manual_first,
           CASE WHEN in_period THEN k.counted_last + n.counted_last ELSE 0 END, k.studying
    FROM kept k
    LEFT JOIN group_members g ON g.uid = k.uid AND g.group_id = for_group
    CROSS JOIN LATERAL (
      SELECT counted_of_day(k.last + k.more_last, k.last_manual, cap, manual_counts)
               - counted_of_day(k.last, k.last_manual, cap, manual_counts) AS counted_last,
             manual_of_day(k.last + k.more_last, k.last_manual, cap, manual_counts)
               - manual_of_day(k.last, k.last_manual, cap, manual_counts) AS manual_last,
             counted_of_day(k.first + k.more_first, k.first_manual, cap, manual_counts)
               - counted_of_day(k.first, k.first_manual, cap, manual_counts) AS counted_first,
             manual_of_day(k.first + k.more_first, k.first_manual, cap, manual_counts)
               - manual_of_day(k.first, k.first_manual, cap, manual_counts) AS manual_first
    ) n;
END $$;

-- Two more orders of a group's board beside seconds: how far members reached their own goals, and on how many days.
--
-- Both use all days of the period so far, today included, so everybody is measured by the same days, also members who
-- joined late. Each day has the goal that was in force on it, and counts what the board counts.

-- The goals of users in the days [first_day, until_day), as ranges [since, until) of days with one goal.
CREATE OR REPLACE FUNCTION goal_stretches(user_id uuid[], first_day date, until_day date) RETURNS TABLE (
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
        SELECT p.uid, p.goal_seconds, p.until_day AS until FROM past_goals p WHERE p.uid = ANY (user_id)
        UNION ALL
        SELECT u.uid, u.daily_goal_seconds, 'infinity' FROM students u WHERE u.uid = ANY (user_id)
      ) k
    ) g
    WHERE g.since < goal_stretches.until_day AND g.until > goal_stretches.first_day
      AND goal_stretches.first_day < goal_stretches.until_day;
END $$;

-- The scores of a board of the days [first_day, until_day), of which the days before days_until have begun, in the
-- order by seconds, goal or consistency. score is the number to rank by: seconds, thousandths of the sum of one's own
-- goals, or days on which the goal was reached. score_before is the same without today. A deleted account has no goals
-- and no days left, so in a closed month it has 0 in both. known_at asks for the scores as they were known at that
-- instant, with the goals as they are known today.
CREATE OR REPLACE FUNCTION ordered_scores(
  for_group uuid, sorting text, first_day date, until_day date, days_until date, today date, at timestamptz,
  known_at timestamptz
) RETURNS TABLE (
  uid uuid, visibility text, seconds integer, manual_seconds integer, studying boolean, goal_permille integer,
  days_met integer, score integer, score_before integer
) LANGUAGE plpgsql STABLE ROWS 30 SET plan_cache_mode = force_generic_plan SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  was_closed boolean;
  suspended uuid[];
BEGIN
  IF sorting = 'seconds' THEN
    IF known_at IS NULL THEN
      RETURN QUERY
        SELECT b.uid, b.visibility, b.seconds, b.manual_seconds, b.studying, NULL::integer, NULL::integer, b.seconds,
               b.seconds - b.today_seconds
        FROM board_scores(for_group, first_day, until_day, today, at) b;
    ELSE
      RETURN QUERY
        SELECT k.uid, k.visibility, k.seconds, k.manual_seconds, k.studying, NULL::integer, NULL::integer, k.seconds,
               k.seconds - k.today_seconds
        FROM known_scores(for_group, first_day, until_day, today, known_at) k;
    END IF;
    RETURN;
  ELSIF sorting NOT IN ('goal', 'consistency') THEN
    PERFORM refuse('unknown_order', format('no order %s', sorting));
  END IF;
  was_closed := closed_by(for_group, first_day, until_day, coalesce(known_at, at));
  suspended := suspended_then(for_group, until_day, coalesce(known_at, at));
  RETURN QUERY
    WITH counted AS MATERIALIZED (
      SELECT c.* FROM counted_days(for_group, first_day, until_day, CASE WHEN known_at IS NULL THEN at END) c
      UNION ALL
      SELECT k.* FROM known_days(for_group, first_day, until_day, known_at) k
    ),
    -- (In open periods the scores are the sums of the days.)
    scores AS MATERIALIZED (
      SELECT b.*
      FROM board_scores(for_group, first_day, until_day, today, CASE WHEN was_closed AND known_at IS NULL THEN at END) b
      UNION ALL
      SELECT k.* FROM known_scores(for_group, first_day, until_day, today, CASE WHEN was_closed THEN known_at END) k
      UNION ALL
      SELECT c.uid, max(c.visibility), sum(c.seconds)::integer, sum(c.manual_seconds)::integer,
             coalesce(sum(c.seconds) FILTER (WHERE c.day = today), 0)::integer, bool_or(c.studying)
      FROM counted c
      WHERE NOT was_closed AND c.uid <> ALL (suspended)
      GROUP BY c.uid
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
      FROM counted d JOIN goals g ON g.uid = d.uid AND d.day >= g.since AND d.day < g.until
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
