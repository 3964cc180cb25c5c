-- Ranks on the global board. A rank is exact at any size: counters hold how many people have how many seconds; changes
-- wait in rank_deltas until one worker folds them in, and a reader adds both.

-- The width of a counter of a level, in seconds.
CREATE OR REPLACE FUNCTION rank_width(level integer) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN CASE level WHEN 1 THEN 10 WHEN 2 THEN 600 ELSE 36000 END;

CREATE OR REPLACE FUNCTION rank_levels() RETURNS TABLE (level smallint, width integer)
  LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 3
  BEGIN ATOMIC VALUES (1::smallint, rank_width(1)), (2::smallint, rank_width(2)), (3::smallint, rank_width(3)); END;

-- The rules_id of the global board.
CREATE OR REPLACE FUNCTION global_rules() RETURNS integer
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  RETURN (SELECT r.rules_id FROM ranking_rules r WHERE r.is_global);
END $$;

-- The day, the week and the month that a day is in.
CREATE OR REPLACE FUNCTION rank_periods(day date) RETURNS TABLE (period text, first_day date)
  LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 3
  BEGIN ATOMIC
    SELECT 'day', day
    UNION ALL SELECT 'week', week_of(day)
    UNION ALL SELECT 'month', month_of(day);
  END;

-- Adds counted seconds of these days to a user's totals on the global board; removes what is negative. The caller holds
-- the user's row.
CREATE OR REPLACE FUNCTION rank_days(user_id uuid, days date[], counted integer[]) RETURNS void
  LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET search_path = public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  WITH added AS MATERIALIZED (
    SELECT p.period, p.first_day, sum(d.counted)::integer AS counted
    FROM unnest(days, rank_days.counted) d (day, counted) CROSS JOIN LATERAL rank_periods(d.day) p
    GROUP BY 1, 2 HAVING sum(d.counted) <> 0
  ),
  changed AS (
    UPDATE rank_totals t SET seconds = t.seconds + a.counted FROM added a
      WHERE t.uid = user_id AND t.period = a.period AND t.first_day = a.first_day
      RETURNING t.period, t.first_day, t.seconds - a.counted AS old, t.seconds AS new
  ),
  begun AS (
    INSERT INTO rank_totals (uid, period, first_day, seconds)
      SELECT user_id, a.period, a.first_day, a.counted FROM added a
      WHERE NOT EXISTS (SELECT FROM changed c WHERE c.period = a.period AND c.first_day = a.first_day)
      RETURNING period, first_day, 0 AS old, seconds AS new
  )
  INSERT INTO rank_deltas (uid, period, first_day, old, new)
    SELECT user_id, c.period, c.first_day, c.old, c.new FROM changed c
    UNION ALL SELECT user_id, b.period, b.first_day, b.old, b.new FROM begun b;
END $$;

-- Sets one of a user's totals on the global board.
CREATE OR REPLACE FUNCTION set_rank_total(user_id uuid, in_period text, since date, counted integer) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  before integer := (SELECT t.seconds FROM rank_totals t
                     WHERE t.uid = user_id AND t.period = in_period AND t.first_day = since);
BEGIN
  INSERT INTO rank_totals (uid, period, first_day, seconds) VALUES (user_id, in_period, since, counted)
    ON CONFLICT ON CONSTRAINT rank_totals_key DO UPDATE SET seconds = excluded.seconds;
  INSERT INTO rank_deltas (uid, period, first_day, old, new)
    VALUES (user_id, in_period, since, coalesce(before, 0), counted);
END $$;

-- Takes the days from a month on off a user's totals on the global board, before they are deleted.
CREATE OR REPLACE FUNCTION take_off_ranks(user_id uuid, from_month date) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  rules integer := global_rules();
  days date[];
  counted integer[];
BEGIN
  SELECT array_agg(t.day), array_agg(-t.counted_seconds) INTO days, counted FROM day_totals t
    WHERE t.rules_id = rules AND t.uid = user_id AND t.day >= from_month AND t.counted_seconds > 0;
  IF days IS NOT NULL THEN PERFORM rank_days(user_id, days, counted); END IF;
  -- A week may begin in the month before.
  DELETE FROM rank_totals t WHERE t.uid = user_id AND t.first_day >= from_month - 6 AND t.seconds = 0;
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
    DELETE FROM rank_deltas d WHERE d.written_in >= since AND d.written_in < until
      RETURNING d.period, d.first_day, d.old, d.new
  ),
  moved AS (
    SELECT g.period, g.first_day, l.level, v.seconds / l.width AS bucket, sum(v.sign)::integer AS n
    FROM gone g CROSS JOIN LATERAL (VALUES (g.old, -1), (g.new, 1)) v (seconds, sign) CROSS JOIN rank_levels() l
    WHERE v.seconds > 0
    GROUP BY 1, 2, 3, 4 HAVING sum(v.sign) <> 0
  ),
  kept AS (
    INSERT INTO rank_buckets AS b (period, first_day, level, bucket, n)
      SELECT m.period, m.first_day, m.level, m.bucket, m.n FROM moved m
      ON CONFLICT (period, first_day, level, bucket) DO UPDATE SET n = b.n + excluded.n
  )
  SELECT count(*) INTO folded FROM gone;
  IF folded > 0 THEN UPDATE rank_folding SET folded_before = until; END IF;
  RETURN folded;
END $$;

-- The buckets as they must be when all deltas are folded, computed from the totals alone.
CREATE OR REPLACE VIEW recounted_rank_buckets AS
  SELECT t.period, t.first_day, l.level, t.seconds / l.width AS bucket, count(*)::integer AS n
  FROM rank_totals t CROSS JOIN rank_levels() l
  WHERE t.seconds > 0
  GROUP BY 1, 2, 3, 4;

-- The buckets plus the waiting deltas, without empty buckets.
CREATE OR REPLACE VIEW current_rank_buckets AS
  SELECT period, first_day, level, bucket, sum(n)::integer AS n
  FROM (
    SELECT period, first_day, level, bucket, n FROM rank_buckets
    UNION ALL
    SELECT d.period, d.first_day, l.level, v.seconds / l.width, v.sign
    FROM rank_deltas d CROSS JOIN LATERAL (VALUES (d.old, -1), (d.new, 1)) v (seconds, sign) CROSS JOIN rank_levels() l
    WHERE v.seconds > 0
  ) x
  GROUP BY 1, 2, 3, 4 HAVING sum(n) <> 0;

-- The differences between the two.
CREATE OR REPLACE VIEW rank_differences AS
  SELECT period, first_day, level, bucket, coalesce(k.n, 0) AS kept, coalesce(r.n, 0) AS recounted
  FROM current_rank_buckets k FULL JOIN recounted_rank_buckets r USING (period, first_day, level, bucket)
  WHERE coalesce(k.n, 0) <> coalesce(r.n, 0);

-- The number of users on the global board with more counted seconds in a period: the buckets above, the totals above in
-- the same lowest bucket, and the waiting deltas, all in the caller's snapshot.
CREATE OR REPLACE FUNCTION count_above(in_period text, since date, than integer) RETURNS integer
  LANGUAGE plpgsql STABLE STRICT SET plan_cache_mode = force_generic_plan SET search_path = public, pg_temp AS $$
BEGIN
  RETURN (SELECT coalesce(sum(b.n), 0) FROM rank_buckets b
          WHERE b.period = in_period AND b.first_day = since AND b.level = 3 AND b.bucket > than / rank_width(3))
    + (SELECT coalesce(sum(b.n), 0) FROM rank_buckets b
       WHERE b.period = in_period AND b.first_day = since AND b.level = 2 AND b.bucket > than / rank_width(2)
         AND b.bucket < (than / rank_width(3) + 1) * (rank_width(3) / rank_width(2)))
    + (SELECT coalesce(sum(b.n), 0) FROM rank_buckets b
       WHERE b.period = in_period AND b.first_day = since AND b.level = 1 AND b.bucket > than / rank_width(1)
         AND b.bucket < (than / rank_width(2) + 1) * (rank_width(2) / rank_width(1)))
    + (SELECT count(*) FROM rank_totals t
       WHERE t.period = in_period AND t.first_day = since
         AND t.seconds > than AND t.seconds < (than / rank_width(1) + 1) * rank_width(1))
    + (SELECT coalesce(sum((d.new / rank_width(1) > than / rank_width(1))::integer
                           - (d.old / rank_width(1) > than / rank_width(1))::integer), 0)
       FROM rank_deltas d
       WHERE d.written_in >= (SELECT f.folded_before FROM rank_folding f)
         AND d.period = in_period AND d.first_day = since);
END $$;

-- The number of users on the global board with counted seconds in a period, computed in the same way.
CREATE OR REPLACE FUNCTION count_ranked(in_period text, since date) RETURNS integer
  LANGUAGE plpgsql STABLE STRICT SET plan_cache_mode = force_generic_plan SET search_path = public, pg_temp AS $$
BEGIN
  RETURN (SELECT coalesce(sum(b.n), 0) FROM rank_buckets b
          WHERE b.period = in_period AND b.first_day = since AND b.level = 3)
    + (SELECT coalesce(sum((d.new > 0)::integer - (d.old > 0)::integer), 0) FROM rank_deltas d
       WHERE d.written_in >= (SELECT f.folded_before FROM rank_folding f)
         AND d.period = in_period AND d.first_day = since);
END $$;

-- Places won (+) or lost (-) in a period against the final rank of the period before, in the caller's snapshot; empty
-- for users without seconds in that.
CREATE OR REPLACE FUNCTION rank_change(user_id uuid, in_period text, since date, rank_now integer) RETURNS integer
  LANGUAGE plpgsql STABLE STRICT SET plan_cache_mode = force_generic_plan SET search_path = public, pg_temp AS $$
DECLARE
  before date := (SELECT p.first_day FROM period_days(in_period, since - 1) p);
BEGIN
  RETURN (SELECT count_above(in_period, before, t.seconds) + 1 - rank_now FROM rank_totals t
          WHERE t.uid = user_id AND t.period = in_period AND t.first_day = before AND t.seconds > 0);
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
    SELECT period, first_day, level, bucket, coalesce(r.n, 0) AS n
    FROM recounted_rank_buckets r FULL JOIN rank_buckets b USING (period, first_day, level, bucket)
  ),
  begun AS (
    -- Deltas that this snapshot does not see are from transactions with this number or a higher one.
    UPDATE rank_folding SET folded_before = pg_snapshot_xmin(pg_current_snapshot())
  )
  -- In this order, the counters that a reader adds up lie on few pages.
  INSERT INTO rank_buckets (period, first_day, level, bucket, n)
    SELECT c.period, c.first_day, c.level, c.bucket, c.n FROM counted c
    ORDER BY c.period, c.first_day, c.level, c.bucket
    ON CONFLICT (period, first_day, level, bucket) DO UPDATE SET n = excluded.n;
  DELETE FROM rank_buckets b WHERE b.n = 0;
END $$;
