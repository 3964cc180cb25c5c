-- The global board: everybody who opted in, by month, timer time only. A rank is exact at any size: counters tell how
-- many people have how much, changes to them wait in rank_deltas until one worker folds them in, and a reader adds
-- both.

-- The width of a counter of a level, in seconds.
CREATE OR REPLACE FUNCTION rank_width(level integer) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN CASE level WHEN 1 THEN 10 WHEN 2 THEN 600 ELSE 36000 END;

CREATE OR REPLACE FUNCTION rank_levels() RETURNS TABLE (level smallint, width integer)
  LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 3
  BEGIN ATOMIC VALUES (1::smallint, rank_width(1)), (2::smallint, rank_width(2)), (3::smallint, rank_width(3)); END;

-- The rules_id of the global board.
CREATE OR REPLACE FUNCTION global_rules() RETURNS integer LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  RETURN (SELECT r.rules_id FROM ranking_rules r WHERE r.is_global);
END $$;

-- Records that a user's totals on the global board will be deleted, from a month on.
CREATE OR REPLACE FUNCTION take_off_ranks(user_id uuid, from_month date) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO rank_deltas (uid, month, old, new)
    SELECT user_id, t.month, t.counted_seconds, 0 FROM month_totals t
    WHERE t.rules_id = global_rules() AND t.uid = user_id AND t.month >= from_month AND t.counted_seconds > 0;
END $$;

-- The key of the lock that the folding worker holds.
CREATE OR REPLACE FUNCTION rank_folding_key() RETURNS bigint LANGUAGE plpgsql IMMUTABLE
  SET search_path = public, pg_temp AS $$
BEGIN
  RETURN hashtextextended('anthill rank_folding', 0);
END $$;

-- Folds deltas into the buckets, at most 20,000 or those of one transaction, and returns their number; -1 while another
-- worker folds. Deltas are deleted and buckets change in one commit, so every reader sees each delta exactly once.
CREATE OR REPLACE FUNCTION fold_rank_deltas() RETURNS integer LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  folded integer;
  since xid8;
  until xid8;
BEGIN
  IF NOT pg_try_advisory_xact_lock(rank_folding_key()) THEN RETURN -1; END IF;
  since := (SELECT f.folded_before FROM rank_folding f);
  -- Every transaction before this one has ended, and everything it wrote is visible.
  until := pg_snapshot_xmin(pg_current_snapshot());
  IF since > until THEN
    -- A restored database starts its transaction numbers again.
    PERFORM recount_ranks();
    RETURN 0;
  END IF;
  until := coalesce((SELECT ((d.written_in::text)::bigint + 1)::text::xid8 FROM rank_deltas d
                     WHERE d.written_in >= since AND d.written_in < until
                     ORDER BY d.written_in OFFSET 19999 LIMIT 1), until);
  WITH gone AS (
    DELETE FROM rank_deltas d WHERE d.written_in >= since AND d.written_in < until RETURNING d.month, d.old, d.new
  ),
  moved AS (
    SELECT g.month, l.level, v.seconds / l.width AS bucket, sum(v.sign)::integer AS n
    FROM gone g CROSS JOIN LATERAL (VALUES (g.old, -1), (g.new, 1)) v (seconds, sign) CROSS JOIN rank_levels() l
    WHERE v.seconds > 0
    GROUP BY 1, 2, 3 HAVING sum(v.sign) <> 0
  ),
  kept AS (
    INSERT INTO rank_buckets AS b (month, level, bucket, n) SELECT m.month, m.level, m.bucket, m.n FROM moved m
      ON CONFLICT (month, level, bucket) DO UPDATE SET n = b.n + excluded.n
  )
  SELECT count(*) INTO folded FROM gone;
  IF folded > 0 THEN UPDATE rank_folding SET folded_before = until; END IF;
  RETURN folded;
END $$;

-- The buckets as they must be when all deltas are folded, computed from the totals alone.
CREATE OR REPLACE VIEW recounted_rank_buckets AS
  SELECT t.month, l.level, t.counted_seconds / l.width AS bucket, count(*)::integer AS n
  FROM month_totals t JOIN ranking_rules r USING (rules_id) CROSS JOIN rank_levels() l
  WHERE r.is_global AND t.counted_seconds > 0
  GROUP BY 1, 2, 3;

-- The buckets plus the waiting deltas, without empty buckets.
CREATE OR REPLACE VIEW current_rank_buckets AS
  SELECT month, level, bucket, sum(n)::integer AS n
  FROM (
    SELECT month, level, bucket, n FROM rank_buckets
    UNION ALL
    SELECT d.month, l.level, v.seconds / l.width, v.sign
    FROM rank_deltas d CROSS JOIN LATERAL (VALUES (d.old, -1), (d.new, 1)) v (seconds, sign) CROSS JOIN rank_levels() l
    WHERE v.seconds > 0
  ) x
  GROUP BY 1, 2, 3 HAVING sum(n) <> 0;

-- The differences between the two.
CREATE OR REPLACE VIEW rank_differences AS
  SELECT month, level, bucket, coalesce(k.n, 0) AS kept, coalesce(r.n, 0) AS recounted
  FROM current_rank_buckets k FULL JOIN recounted_rank_buckets r USING (month, level, bucket)
  WHERE coalesce(k.n, 0) <> coalesce(r.n, 0);

-- The number of users on the global board with more counted seconds in a month: the buckets above, the totals above in
-- the same lowest bucket, and the waiting deltas, all in the caller's snapshot.
CREATE OR REPLACE FUNCTION count_above(in_month date, seconds integer) RETURNS integer
  LANGUAGE plpgsql STABLE STRICT SET plan_cache_mode = force_generic_plan SET search_path = public, pg_temp AS $$
BEGIN
  RETURN (SELECT coalesce(sum(b.n), 0) FROM rank_buckets b
          WHERE b.month = in_month AND b.level = 3 AND b.bucket > seconds / rank_width(3))
    + (SELECT coalesce(sum(b.n), 0) FROM rank_buckets b
       WHERE b.month = in_month AND b.level = 2 AND b.bucket > seconds / rank_width(2)
         AND b.bucket < (seconds / rank_width(3) + 1) * (rank_width(3) / rank_width(2)))
    + (SELECT coalesce(sum(b.n), 0) FROM rank_buckets b
       WHERE b.month = in_month AND b.level = 1 AND b.bucket > seconds / rank_width(1)
         AND b.bucket < (seconds / rank_width(2) + 1) * (rank_width(2) / rank_width(1)))
    + (SELECT count(*) FROM month_totals t
       WHERE t.rules_id = (SELECT r.rules_id FROM ranking_rules r WHERE r.is_global) AND t.month = in_month
         AND t.counted_seconds > seconds AND t.counted_seconds < (seconds / rank_width(1) + 1) * rank_width(1))
    + (SELECT coalesce(sum((d.new / rank_width(1) > seconds / rank_width(1))::integer
                           - (d.old / rank_width(1) > seconds / rank_width(1))::integer), 0)
       FROM rank_deltas d
       WHERE d.written_in >= (SELECT f.folded_before FROM rank_folding f) AND d.month = in_month);
END $$;

-- The number of users on the global board with counted seconds in a month, computed in the same way.
CREATE OR REPLACE FUNCTION count_ranked(in_month date) RETURNS integer
  LANGUAGE plpgsql STABLE STRICT SET plan_cache_mode = force_generic_plan SET search_path = public, pg_temp AS $$
BEGIN
  RETURN (SELECT coalesce(sum(b.n), 0) FROM rank_buckets b WHERE b.month = in_month AND b.level = 3)
    + (SELECT coalesce(sum((d.new > 0)::integer - (d.old > 0)::integer), 0) FROM rank_deltas d
       WHERE d.written_in >= (SELECT f.folded_before FROM rank_folding f) AND d.month = in_month);
END $$;

-- A month of the global board, the current one by default: its instants, its rules and its state.
CREATE OR REPLACE FUNCTION global_board_period(on_day date DEFAULT NULL) RETURNS TABLE (
  rules_id integer, first_day date, starts_at timestamptz, ends_at timestamptz, state text, time_zone text,
  day_starts_at time, daily_cap_seconds integer, manual_counts boolean, server_time timestamptz
) LANGUAGE plpgsql STABLE ROWS 1 SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  rules ranking_rules;
BEGIN
  SELECT * INTO STRICT rules FROM ranking_rules r WHERE r.is_global;
  rules_id := rules.rules_id;
  time_zone := rules.time_zone;
  day_starts_at := rules.day_starts_at;
  daily_cap_seconds := rules.daily_cap_seconds;
  manual_counts := rules.manual_counts;
  server_time := anthill_clock();
  first_day := month_of(coalesce(on_day, study_day(server_time, rules.time_zone, rules.day_starts_at)));
  starts_at := study_day_start(first_day, rules.time_zone, rules.day_starts_at);
  ends_at := study_day_start(next_month(first_day), rules.time_zone, rules.day_starts_at);
  state := CASE WHEN server_time < ends_at THEN 'open'
                WHEN server_time < month_closes_at(first_day, rules.time_zone, rules.day_starts_at) THEN 'grace'
                ELSE 'closed' END;
  RETURN NEXT;
END $$;

-- One page of the global board of a month: the entries after the cursor (after_seconds, after_uid). Without a cursor it
-- also has the viewer's own entry with three neighbours on either side, if they are counted in that month. The order is
-- seconds, then uid, both descending. A user without seconds is not on the board, and gets the rank at which they would
-- start. avatar: the version of their picture, which is for viewers who take part themselves. Everything is exact in the
-- snapshot of the statement that calls it.
CREATE OR REPLACE FUNCTION global_board(
  viewer_id uuid, on_day date DEFAULT NULL, after_seconds bigint DEFAULT NULL, after_uid uuid DEFAULT NULL,
  page bigint DEFAULT 50
) RETURNS TABLE (
  section text, rank integer, uid uuid, nickname text, avatar uuid, seconds integer, manual_seconds integer,
  studying boolean, change integer, participants integer, gap_to_next_seconds integer, more boolean, as_of timestamptz
) LANGUAGE plpgsql STABLE ROWS 60 SET plan_cache_mode = force_generic_plan SET enable_hashjoin = off
  SET enable_mergejoin = off SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  shown record;
  mine integer;                                           -- the viewer's seconds; NULL if they are not counted
  below integer := greatest(least(coalesce(after_seconds, 2147483647), 2147483647), -1);
  below_uid uuid := coalesce(after_uid, 'ffffffff-ffff-ffff-ffff-ffffffffffff');
BEGIN
  SELECT * INTO shown FROM global_board_period(on_day);
  as_of := shown.server_time;
  participants := count_ranked(shown.first_day);
  IF after_uid IS NULL AND EXISTS (
    SELECT FROM counted_under c WHERE c.uid = viewer_id AND c.rules_id = shown.rules_id
      AND c.from_month <= shown.first_day AND c.until_month > shown.first_day) THEN
    SELECT coalesce(max(t.counted_seconds), 0) INTO mine FROM month_totals t
      WHERE t.rules_id = shown.rules_id AND t.uid = viewer_id AND t.month = shown.first_day;
  END IF;

  RETURN QUERY
    WITH listed AS MATERIALIZED (
      (SELECT 1 AS part, t.uid, t.counted_seconds AS seconds, t.manual_seconds
       FROM month_totals t
       WHERE t.rules_id = shown.rules_id AND t.month = shown.first_day AND t.counted_seconds > 0
         AND (t.counted_seconds, t.uid) < (below, below_uid)
       ORDER BY t.rules_id DESC, t.month DESC, t.counted_seconds DESC, t.uid DESC LIMIT page + 1)
      UNION ALL
      (SELECT 2, t.uid, t.counted_seconds, t.manual_seconds
       FROM month_totals t
       WHERE t.rules_id = shown.rules_id AND t.month = shown.first_day AND t.counted_seconds > 0
         AND (t.counted_seconds, t.uid) > (mine, viewer_id)
       ORDER BY t.rules_id, t.month, t.counted_seconds, t.uid LIMIT 3)
      UNION ALL
      SELECT 2, viewer_id, mine, 0 WHERE mine IS NOT NULL
      UNION ALL
      (SELECT 2, t.uid, t.counted_seconds, t.manual_seconds
       FROM month_totals t
       WHERE t.rules_id = shown.rules_id AND t.month = shown.first_day AND t.counted_seconds > 0
         AND (t.counted_seconds, t.uid) < (mine, viewer_id)
       ORDER BY t.rules_id DESC, t.month DESC, t.counted_seconds DESC, t.uid DESC LIMIT 3)
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
             CASE WHEN is_top THEN 1 ELSE count_above(shown.first_day, a.highest) + 1 END AS first_rank,
             CASE WHEN is_top THEN a.next_place ELSE count_above(shown.first_day, a.next_seconds) + 1 END AS next_rank
      FROM (
        SELECT p.part, p.highest, p.part = 1 AND after_uid IS NULL AS is_top,
               min(p.place) FILTER (WHERE p.seconds < p.highest) AS next_place,
               max(p.seconds) FILTER (WHERE p.seconds < p.highest) AS next_seconds
        FROM placed p GROUP BY p.part, p.highest
      ) a
    )
    SELECT CASE WHEN p.part = 1 THEN 'top' WHEN p.uid = viewer_id THEN 'me' ELSE 'neighbour' END,
           (CASE WHEN p.seconds = p.highest THEN a.first_rank ELSE a.next_rank + p.tied - a.next_place END)::integer,
           p.uid, u.nickname, CASE WHEN u.global_board THEN v.version END, p.seconds, p.manual_seconds,
           i.uid IS NOT NULL, NULL::integer, participants,
           CASE WHEN p.part = 2 AND p.uid = viewer_id THEN (
             SELECT t.counted_seconds - mine FROM month_totals t
             WHERE t.rules_id = shown.rules_id AND t.month = shown.first_day AND t.counted_seconds > mine
             ORDER BY t.rules_id, t.month, t.counted_seconds LIMIT 1) END,
           p.part = 1 AND EXISTS (SELECT FROM placed x WHERE x.part = 1 AND x.place > page), as_of
    FROM placed p
    JOIN anchors a USING (part)
    JOIN users u USING (uid)
    LEFT JOIN avatars v ON v.uid = p.uid
    LEFT JOIN study_intervals i ON i.uid = p.uid AND i.ended_at IS NULL
      AND i.started_at > shown.server_time - longest_interval()
    WHERE p.part = 2 OR p.place <= page
    ORDER BY p.part, p.place;
END $$;

-- Puts a user on the global board with the months that are open, or takes them off all of these months. A closed month
-- stays as it was closed.
CREATE OR REPLACE FUNCTION set_global_board(user_id uuid, wanted boolean) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  owner students := lock_student(user_id);
  rules ranking_rules;
  first date;
BEGIN
  UPDATE users u SET global_board = wanted WHERE u.uid = owner.uid;
  PERFORM note_change(owner.uid);
  SELECT * INTO STRICT rules FROM ranking_rules r WHERE r.is_global;
  IF wanted THEN
    PERFORM renew_counting(ARRAY[user_id], ARRAY[rules.rules_id]);
    RETURN;
  END IF;
  first := first_open_month(clock_of(owner), rules.time_zone, rules.day_starts_at);
  PERFORM take_off_ranks(user_id, first);
  DELETE FROM day_totals t WHERE t.rules_id = rules.rules_id AND t.uid = user_id AND t.day >= first;
  DELETE FROM month_totals t WHERE t.rules_id = rules.rules_id AND t.uid = user_id AND t.month >= first;
  DELETE FROM counted_under c WHERE c.rules_id = rules.rules_id AND c.uid = user_id AND c.from_month >= first;
  UPDATE counted_under c SET until_month = first
    WHERE c.rules_id = rules.rules_id AND c.uid = user_id AND c.until_month > first;
END $$;

-- Recounts the buckets from the totals, in one statement and so in one snapshot. Others who write at the same time
-- leave deltas that it does not see and that are folded afterwards.
CREATE OR REPLACE FUNCTION recount_ranks() RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  PERFORM pg_advisory_xact_lock(rank_folding_key());
  WITH gone AS (
    DELETE FROM rank_deltas
  ),
  counted AS (
    SELECT month, level, bucket, coalesce(r.n, 0) AS n
    FROM recounted_rank_buckets r FULL JOIN rank_buckets b USING (month, level, bucket)
  ),
  begun AS (
    -- Deltas that this snapshot does not see are from transactions with this number or a higher one.
    UPDATE rank_folding SET folded_before = pg_snapshot_xmin(pg_current_snapshot())
  )
  INSERT INTO rank_buckets (month, level, bucket, n) SELECT c.month, c.level, c.bucket, c.n FROM counted c
    ON CONFLICT (month, level, bucket) DO UPDATE SET n = excluded.n;
  DELETE FROM rank_buckets b WHERE b.n = 0;
END $$;
