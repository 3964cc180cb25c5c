-- The global board: everybody who opted in and is not suspended, by day, week and month, timer time only.

-- A period of the global board, the current one by default: its days, its instants, its rules and its state. Days and
-- weeks are closed with their last day's month.
CREATE OR REPLACE FUNCTION global_board_period(period text DEFAULT 'month', on_day date DEFAULT NULL) RETURNS TABLE (
  rules_id integer, first_day date, until_day date, starts_at timestamptz, ends_at timestamptz, state text,
  time_zone text, day_starts_at time, daily_cap_seconds integer, manual_counts boolean, server_time timestamptz
) LANGUAGE plpgsql STABLE ROWS 1 SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  rules ranking_rules;
  closes_at timestamptz;
BEGIN
  SELECT * INTO STRICT rules FROM ranking_rules r WHERE r.is_global;
  rules_id := rules.rules_id;
  time_zone := rules.time_zone;
  day_starts_at := rules.day_starts_at;
  daily_cap_seconds := rules.daily_cap_seconds;
  manual_counts := rules.manual_counts;
  server_time := anthill_clock();
  SELECT d.first_day, d.until_day INTO first_day, until_day
    FROM period_days(global_board_period.period,
                     coalesce(on_day, study_day(server_time, rules.time_zone, rules.day_starts_at))) d;
  starts_at := study_day_start(first_day, rules.time_zone, rules.day_starts_at);
  ends_at := study_day_start(until_day, rules.time_zone, rules.day_starts_at);
  closes_at := month_closes_at(month_of(until_day - 1), rules.time_zone, rules.day_starts_at);
  state := period_state(server_time, ends_at, closes_at);
  RETURN NEXT;
END $$;

-- Whether a user is counted on the global board on one of the days [first_day, until_day).
CREATE OR REPLACE FUNCTION counted_globally(user_id uuid, first_day date, until_day date) RETURNS boolean
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  RETURN EXISTS (
    SELECT FROM counted_under c
    WHERE c.uid = user_id AND c.is_global
      AND c.from_month < counted_globally.until_day AND c.until_month > counted_globally.first_day);
END $$;

-- One page of the global board of a period: the entries after the cursor (after_seconds, after_uid). Without a cursor
-- it also has the viewer's own entry with three neighbours on either side, if they are counted in that period. The
-- order is seconds, then uid, both descending. A user without seconds is not on the board, and gets the rank at which
-- they would start. avatar: the version of their picture, which is for viewers who take part themselves. change: places
-- won (+) or lost (-) against the final rank of the period before, while the period is open. Everything is exact in the
-- snapshot of the statement that calls it.
CREATE OR REPLACE FUNCTION global_board(
  viewer_id uuid, period text DEFAULT 'month', on_day date DEFAULT NULL, after_seconds bigint DEFAULT NULL,
  after_uid uuid DEFAULT NULL, page bigint DEFAULT 50
) RETURNS TABLE (
  section text, rank integer, uid uuid, nickname text, avatar uuid, seconds integer, change integer,
  participants integer, gap_to_next_seconds integer, more boolean
) LANGUAGE plpgsql STABLE ROWS 60 SET plan_cache_mode = force_generic_plan SET enable_hashjoin = off
  SET enable_mergejoin = off SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  shown record;
  length text := global_board.period;
  mine integer;                                           -- the viewer's seconds; NULL if they are not counted
  below integer := greatest(least(coalesce(after_seconds, 2147483647), 2147483647), -1);
  below_uid uuid := coalesce(after_uid, 'ffffffff-ffff-ffff-ffff-ffffffffffff');
BEGIN
  SELECT * INTO shown FROM global_board_period(length, on_day);
  participants := count_ranked(length, shown.first_day);
  IF after_uid IS NULL AND counted_globally(viewer_id, shown.first_day, shown.until_day) THEN
    SELECT coalesce(max(t.seconds), 0) INTO mine FROM rank_totals t
      WHERE t.uid = viewer_id AND t.period = length AND t.first_day = shown.first_day;
  END IF;

  RETURN QUERY
    WITH listed AS MATERIALIZED (
      (SELECT 1 AS part, t.uid, t.seconds
       FROM rank_totals t
       WHERE t.period = length AND t.first_day = shown.first_day AND t.seconds > 0
         AND (t.seconds, t.uid) < (below, below_uid)
       ORDER BY t.period DESC, t.first_day DESC, t.seconds DESC, t.uid DESC LIMIT page + 1)
      UNION ALL
      (SELECT 2, t.uid, t.seconds
       FROM rank_totals t
       WHERE t.period = length AND t.first_day = shown.first_day AND t.seconds > 0
         AND (t.seconds, t.uid) > (mine, viewer_id)
       ORDER BY t.period, t.first_day, t.seconds, t.uid LIMIT 3)
      UNION ALL
      SELECT 2, viewer_id, mine WHERE mine IS NOT NULL
      UNION ALL
      (SELECT 2, t.uid, t.seconds
       FROM rank_totals t
       WHERE t.period = length AND t.first_day = shown.first_day AND t.seconds > 0
         AND (t.seconds, t.uid) < (mine, viewer_id)
       ORDER BY t.period DESC, t.first_day DESC, t.seconds DESC, t.uid DESC LIMIT 3)
    ),
    placed AS (
      SELECT l.*, row_number() OVER w AS place, rank() OVER (PARTITION BY l.part ORDER BY l.seconds DESC) AS tied,
             max(l.seconds) OVER (PARTITION BY l.part) AS highest
      FROM listed l WINDOW w AS (PARTITION BY l.part ORDER BY l.seconds DESC, l.uid DESC)
    ),
    -- The first page begins at the top. Any other page has entries that follow one another without a gap, but it may
    -- begin in the middle of a tie. So only two ranks are looked up, that of the first entry and that of the next lower
    -- seconds; the ranks after them are counted from there.
    anchors AS MATERIALIZED (
      SELECT a.part, a.next_place,
             CASE WHEN is_top THEN 1 ELSE count_above(length, shown.first_day, a.highest) + 1 END AS first_rank,
             CASE WHEN is_top THEN a.next_place
                  ELSE count_above(length, shown.first_day, a.next_seconds) + 1 END AS next_rank
      FROM (
        SELECT p.part, p.highest, p.part = 1 AND after_uid IS NULL AS is_top,
               min(p.place) FILTER (WHERE p.seconds < p.highest) AS next_place,
               max(p.seconds) FILTER (WHERE p.seconds < p.highest) AS next_seconds
        FROM placed p GROUP BY p.part, p.highest
      ) a
    ),
    ranked AS (
      SELECT p.*, (CASE WHEN p.seconds = p.highest THEN a.first_rank
                        ELSE a.next_rank + p.tied - a.next_place END)::integer AS rank
      FROM placed p JOIN anchors a USING (part)
      WHERE p.part = 2 OR p.place <= page
    )
    SELECT CASE WHEN p.part = 1 THEN 'top' WHEN p.uid = viewer_id THEN 'me' ELSE 'neighbour' END,
           p.rank, p.uid, u.nickname, CASE WHEN belongs_on_global_board(u) THEN v.version END, p.seconds,
           CASE WHEN shown.state = 'open' AND p.seconds > 0
             THEN rank_change(p.uid, length, shown.first_day, p.rank) END,
           participants,
           CASE WHEN p.part = 2 AND p.uid = viewer_id THEN (
             SELECT t.seconds - mine FROM rank_totals t
             WHERE t.period = length AND t.first_day = shown.first_day AND t.seconds > mine
             ORDER BY t.period, t.first_day, t.seconds LIMIT 1) END,
           p.part = 1 AND EXISTS (SELECT FROM placed x WHERE x.part = 1 AND x.place > page)
    FROM ranked p
    JOIN users u USING (uid)
    LEFT JOIN avatars v ON v.uid = p.uid
    ORDER BY p.part, p.place;
END $$;

-- Whether a user is to be on the global board: they chose it, and no site admin keeps them off.
CREATE OR REPLACE FUNCTION belongs_on_global_board(u users) RETURNS boolean LANGUAGE sql STABLE
  RETURN u.global_board AND NOT EXISTS (
    SELECT FROM suspensions s WHERE s.uid = u.uid AND s.group_id IS NULL AND s.returned_at IS NULL);

-- Puts a user on the global board with the months that are open, or takes them off all of these months, as
-- belongs_on_global_board says. A closed month stays as it was closed. The caller holds the user's row.
CREATE OR REPLACE FUNCTION follow_global_board(owner students) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  rules ranking_rules;
  first date;
BEGIN
  PERFORM note_change(owner.uid);
  SELECT * INTO STRICT rules FROM ranking_rules r WHERE r.is_global;
  IF (SELECT belongs_on_global_board(u) FROM users u WHERE u.uid = owner.uid) THEN
    PERFORM renew_counting(ARRAY[owner.uid], ARRAY[rules.rules_id]);
    RETURN;
  END IF;
  first := first_open_month(clock_of(owner), rules.time_zone, rules.day_starts_at);
  PERFORM take_off_ranks(owner.uid, first);
  DELETE FROM day_totals t WHERE t.rules_id = rules.rules_id AND t.uid = owner.uid AND t.day >= first;
  DELETE FROM month_totals t WHERE t.rules_id = rules.rules_id AND t.uid = owner.uid AND t.month >= first;
  DELETE FROM counted_under c WHERE c.rules_id = rules.rules_id AND c.uid = owner.uid AND c.from_month >= first;
  UPDATE counted_under c SET until_month = first
    WHERE c.rules_id = rules.rules_id AND c.uid = owner.uid AND c.until_month > first;
END $$;

-- Sets whether a user wants to be on the global board.
CREATE OR REPLACE FUNCTION set_global_board(user_id uuid, wanted boolean) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  owner students := lock_student(user_id);
BEGIN
  UPDATE users u SET global_board = wanted WHERE u.uid = owner.uid;
  PERFORM follow_global_board(owner);
END $$;
