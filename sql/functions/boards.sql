-- Boards: who studied how much in a day, week or month of a group, now or at an earlier instant, with all members on
-- them. The program cuts out what one member may see: who is hidden, and where a page begins.

-- A board with all its members, hidden or not, at an instant: now or earlier. The first row has no uid and is the
-- heading. Each other row is a place, in the order of the board: by score, hidden members last among equals, then by
-- uid. The rank is 1 + the number of members with a higher score in the requested order: seconds, goal or consistency.
-- days is the number of days of the period so far; it, goal_permille and days_met are empty in the order by seconds. No
-- row if there is no such group.
--
-- avatar: the version of the picture that a member shows to the group now; none for members who only show their name,
-- who hide or who have left.
--
-- studying: whether their timer runs; false for everybody once the period is over.
--
-- change: places won (+) or lost (-) since the study day began, against the ranks of those who were members then; on
-- the first day of a period, against the final rank of the last period; empty for newcomers. known_at: the board as it
-- was known at that instant; visibility is today's.
CREATE OR REPLACE FUNCTION board(
  for_group uuid, period text, on_day date DEFAULT NULL, instant timestamptz DEFAULT NULL,
  known_at timestamptz DEFAULT NULL, sorting text DEFAULT 'seconds'
) RETURNS TABLE (
  name text, first_day date, starts_at timestamptz, ends_at timestamptz, state text, time_zone text, day_starts_at time,
  daily_cap_seconds integer, manual_counts boolean, clock_changes jsonb, server_time timestamptz, as_of timestamptz,
  days integer, uid uuid, nickname text, avatar uuid, visibility text, seconds integer, manual_seconds integer,
  studying boolean, rank integer, change integer, goal_permille integer, days_met integer, score integer
) LANGUAGE plpgsql STABLE ROWS 30 SET plan_cache_mode = force_generic_plan SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  until_day date;
  shown_at timestamptz;
  today date;
  days_until date;                                        -- days before it have begun
  last_first date;                                        -- the previous period; only on the first day of a period
  last_until date;
  since_morning boolean := false;
  rules ranking_rules;
  morning timestamptz;                                    -- when the study day began
  newcomers uuid[];                                       -- members who joined after that; null if there are none
BEGIN
  SELECT p.name, p.first_day, p.until_day, p.starts_at, p.ends_at, p.state, p.time_zone, p.day_starts_at,
         p.daily_cap_seconds, p.manual_counts, p.server_time
    INTO name, first_day, until_day, starts_at, ends_at, state, time_zone, day_starts_at, daily_cap_seconds,
         manual_counts, server_time
    FROM group_period(for_group, board.period, on_day, known_at) p;
  IF NOT FOUND THEN RETURN; END IF;
  clock_changes := clock_changes(for_group, first_day, until_day);
  shown_at := least(coalesce(instant, server_time), server_time);
  as_of := shown_at;
  today := board_today(for_group, first_day, until_day, shown_at);
  days_until := least(until_day, today + 1);
  IF sorting <> 'seconds' THEN days := greatest(days_until - first_day, 0); END IF;
  IF shown_at >= starts_at AND shown_at < ends_at THEN
    since_morning := today > first_day;
    IF since_morning THEN
      rules := group_rules_in(for_group, month_of(today));
      morning := study_day_start(today, rules.time_zone, rules.day_starts_at);
      SELECT array_agg(DISTINCT h.uid) INTO newcomers FROM group_membership_history h
        WHERE h.group_id = for_group AND h.joined_at >= morning AND h.joined_at <= shown_at;
    ELSE
      SELECT d.first_day, d.until_day INTO last_first, last_until FROM period_days(board.period, first_day - 1) d;
    END IF;
  END IF;
  RETURN NEXT;

  RETURN QUERY
    SELECT NULL::text, NULL::date, NULL::timestamptz, NULL::timestamptz, NULL::text, NULL::text, NULL::time,
           NULL::integer, NULL::boolean, NULL::jsonb, NULL::timestamptz, NULL::timestamptz, NULL::integer,
           s.uid, u.nickname, a.version, s.visibility, s.seconds, s.manual_seconds,
           s.studying AND shown_at < board.ends_at,
           (rank() OVER by_score)::integer,
           (CASE WHEN n.uid IS NOT NULL THEN NULL
                 WHEN since_morning THEN rank() OVER (ORDER BY n.uid IS NOT NULL, s.score_before DESC)
                 ELSE l.rank END
            - rank() OVER by_score)::integer,
           s.goal_permille, s.days_met, s.score
    FROM ordered_scores(for_group, sorting, board.first_day, until_day, days_until, today, shown_at, known_at) s
    LEFT JOIN users u ON u.uid = s.uid
    -- Joined, since looking each member up in the array takes longer than the rest when thousands have joined.
    LEFT JOIN unnest(newcomers) n (uid) ON n.uid = s.uid
    LEFT JOIN shown_avatars a ON a.group_id = for_group AND a.uid = s.uid
    LEFT JOIN (
      SELECT f.uid, rank() OVER (ORDER BY f.score DESC) AS rank
      FROM ordered_scores(for_group, sorting, last_first, last_until, last_until, today, shown_at, known_at) f
      WHERE last_first IS NOT NULL
    ) l ON l.uid = s.uid
    WINDOW by_score AS (ORDER BY s.score DESC)
    ORDER BY s.score DESC, s.visibility = 'hidden', s.uid DESC;
END $$;
