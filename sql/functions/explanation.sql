-- Explanations: what a figure on a board consists of, from the rank down to the intervals.

-- The study days of one person on a board, newest first: what was studied on each, what of it counts, and its
-- intervals. The days add up to the person's seconds on that board at that instant. An interval appears on a day with
-- the seconds that are in that day; started_at and ended_at are those of the whole interval (no end while it runs).
-- Without a group it is the global board, which counts a timer when it ends.
CREATE OR REPLACE FUNCTION board_days(for_group uuid, first_day date, until_day date, at timestamptz, user_id uuid)
  RETURNS TABLE (
  day date, starts_at timestamptz, ends_at timestamptz, seconds integer, manual_seconds integer,
  counted_seconds integer, counted_manual_seconds integer, cut_by_cap integer, not_counted_seconds integer, parts jsonb
) LANGUAGE plpgsql STABLE ROWS 31 SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  late ranking_rules := group_rules_in(for_group, month_of(until_day - 1));
  -- When the members on the board joined. Periods that were closed by then never count for them on this group's boards.
  joined timestamptz := (SELECT max(h.joined_at) FROM group_membership_history h
                         WHERE h.uid = user_id AND h.group_id = for_group
                           AND h.joined_at < study_day_start(until_day, late.time_zone, late.day_starts_at));
  intervals study_intervals[] := ARRAY(
    SELECT i FROM study_intervals i
    WHERE i.uid = user_id AND i.retracted_at IS NULL AND NOT i.unconfirmed AND i.source <> 'import'
      -- These days, on whatever clock.
      AND tstzrange(i.started_at, coalesce(i.ended_at, 'infinity'))
          && tstzrange((first_day - 1)::timestamp AT TIME ZONE 'UTC', (until_day + 2)::timestamp AT TIME ZONE 'UTC')
      AND NOT timer_is_overdue(i.started_at, i.ended_at, at));
BEGIN
  RETURN QUERY
    WITH parts AS (
      SELECT r.time_zone, r.day_starts_at, r.daily_cap_seconds AS cap, r.manual_counts, p.day, p.seconds,
             i.interval_id, i.session_id, i.started_at, i.ended_at, i.source
      FROM board_months(for_group, first_day, until_day) r
      CROSS JOIN unnest(intervals) i
      CROSS JOIN LATERAL study_parts(i.started_at, coalesce(i.ended_at, at), r.time_zone, r.day_starts_at) p
      WHERE p.day >= r.begins AND p.day < r.ends AND i.recorded_at < r.closes_at
        AND CASE WHEN for_group IS NOT NULL THEN joined < r.closes_at
                 ELSE i.ended_at IS NOT NULL AND counted_globally(user_id, p.day, p.day + 1) END
    ),
    days AS (
      SELECT p.time_zone, p.day_starts_at, p.cap, p.manual_counts, p.day, sum(p.seconds)::integer AS seconds,
             coalesce(sum(p.seconds) FILTER (WHERE p.source = 'manual'), 0)::integer AS manual,
             jsonb_agg(jsonb_build_object(
               'interval_id', p.interval_id, 'session_id', p.session_id, 'started_at', utc_text(p.started_at),
               'ended_at', utc_text(p.ended_at), 'source', p.source, 'seconds', p.seconds
             ) ORDER BY p.started_at) AS parts
      FROM parts p GROUP BY p.time_zone, p.day_starts_at, p.cap, p.manual_counts, p.day
    )
    SELECT d.day, study_day_start(d.day, d.time_zone, d.day_starts_at),
           study_day_start(d.day + 1, d.time_zone, d.day_starts_at), d.seconds, d.manual,
           counted_of_day(d.seconds, d.manual, d.cap, d.manual_counts),
           manual_of_day(d.seconds, d.manual, d.cap, d.manual_counts),
           c.countable - counted_of_day(d.seconds, d.manual, d.cap, d.manual_counts),
           d.seconds - c.countable, d.parts
    FROM days d
    CROSS JOIN LATERAL (SELECT CASE WHEN d.manual_counts THEN d.seconds ELSE d.seconds - d.manual END AS countable) c
    ORDER BY d.day DESC;
END $$;

-- A person's place on a board and what it consists of: one row per day, or one row without a day if there is none.
-- Users may see their own explanation; admins that of anybody who is or was in the group. For a stranger the group does
-- not exist. seconds is the board's own figure. rank is empty for a person who is not on this board. For a suspended
-- person, or one who was suspended when the month was closed, seconds is what would count.
CREATE OR REPLACE FUNCTION board_explanation(viewer_id uuid, for_group uuid, period text, on_day date DEFAULT NULL,
                                             user_id uuid DEFAULT NULL)
  RETURNS TABLE (
    uid uuid, nickname text, rank integer, seconds integer, manual_seconds integer, as_of timestamptz,
    day date, day_starts_at timestamptz, day_ends_at timestamptz, day_seconds integer, day_manual_seconds integer,
    counted_seconds integer, counted_manual_seconds integer, cut_by_cap integer, not_counted_seconds integer,
    parts jsonb
  ) LANGUAGE plpgsql STABLE ROWS 31 SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  shown record;
  belongs boolean;
BEGIN
  IF NOT EXISTS (SELECT FROM group_members m WHERE m.uid = viewer_id AND m.group_id = for_group) THEN RETURN; END IF;
  SELECT * INTO shown FROM group_period(for_group, board_explanation.period, on_day);
  uid := coalesce(user_id, viewer_id);
  IF uid <> viewer_id THEN PERFORM require_role(viewer_id, for_group, 'owner', 'admin'); END IF;
  SELECT u.nickname INTO nickname FROM users u WHERE u.uid = board_explanation.uid;
  IF NOT EXISTS (SELECT FROM group_membership_history h
                 WHERE h.uid = board_explanation.uid AND h.group_id = for_group) THEN
    PERFORM refuse('member_not_found', 'no such member', 'no_data_found');
  END IF;
  as_of := shown.server_time;
  SELECT s.rank, s.seconds, s.manual_seconds INTO rank, seconds, manual_seconds
    FROM (
      SELECT b.uid, b.seconds, b.manual_seconds, rank() OVER (ORDER BY b.seconds DESC) AS rank
      FROM board_scores(for_group, shown.first_day, shown.until_day,
                        board_today(for_group, shown.first_day, shown.until_day, as_of), as_of) b
    ) s
    WHERE s.uid = board_explanation.uid;
  IF NOT FOUND THEN
    belongs := EXISTS (
      SELECT FROM group_membership_history h
      WHERE h.group_id = for_group AND h.uid = board_explanation.uid
        AND stays_on_board(h.joined_at, h.left_at, shown.ends_at, as_of));
    SELECT coalesce(sum(d.counted_seconds), 0), coalesce(sum(d.counted_manual_seconds), 0) INTO seconds, manual_seconds
      FROM board_days(for_group, shown.first_day, shown.until_day, as_of, board_explanation.uid) d WHERE belongs;
    IF NOT belongs THEN
      RETURN NEXT;
      RETURN;
    END IF;
  END IF;
  RETURN QUERY
    SELECT mine.*, d.*
    FROM (SELECT board_explanation.uid, board_explanation.nickname, board_explanation.rank, board_explanation.seconds,
                 board_explanation.manual_seconds, board_explanation.as_of) mine
    LEFT JOIN board_days(for_group, shown.first_day, shown.until_day, mine.as_of, mine.uid) d ON true;
END $$;

-- The same for a user's own place on the global board.
CREATE OR REPLACE FUNCTION global_explanation(user_id uuid, period text, on_day date DEFAULT NULL)
  RETURNS TABLE (
    uid uuid, nickname text, rank integer, seconds integer, manual_seconds integer, as_of timestamptz,
    day date, day_starts_at timestamptz, day_ends_at timestamptz, day_seconds integer, day_manual_seconds integer,
    counted_seconds integer, counted_manual_seconds integer, cut_by_cap integer, not_counted_seconds integer,
    parts jsonb
  ) LANGUAGE plpgsql STABLE ROWS 31 SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  shown record;
BEGIN
  SELECT * INTO shown FROM global_board_period(global_explanation.period, on_day);
  RETURN QUERY
    SELECT u.uid, u.nickname,
           CASE WHEN counted_globally(u.uid, shown.first_day, shown.until_day)
             THEN count_above(global_explanation.period, shown.first_day, coalesce(t.seconds, 0)) + 1 END,
           coalesce(t.seconds, 0), 0, shown.server_time, d.*
    FROM users u
    LEFT JOIN rank_totals t
      ON t.uid = u.uid AND t.period = global_explanation.period AND t.first_day = shown.first_day
    LEFT JOIN board_days(NULL, shown.first_day, shown.until_day, shown.server_time, u.uid) d ON true
    WHERE u.uid = user_id;
END $$;
