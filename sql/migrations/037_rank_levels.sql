-- Narrower counters of the global board: ten seconds, ten minutes and ten hours instead of minutes, hours and sixty
-- hours. Among 10 million there may be 14,000 totals in a minute, and a rank counts those above it one by one.

CREATE OR REPLACE FUNCTION rank_levels() RETURNS TABLE (level smallint, width integer)
  LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 3
  BEGIN ATOMIC VALUES (1::smallint, 10), (2::smallint, 600), (3::smallint, 36000); END;

-- How many users of the global board have more than so many counted seconds in a month: the buckets above, the totals
-- above inside the same ten seconds, and the deltas that wait, all of the caller's snapshot.
CREATE OR REPLACE FUNCTION count_above(in_month date, seconds integer) RETURNS integer
  LANGUAGE plpgsql STABLE STRICT SET plan_cache_mode = force_generic_plan SET search_path FROM CURRENT AS $$
BEGIN
  RETURN (SELECT coalesce(sum(b.n), 0) FROM rank_buckets b
          WHERE b.month = in_month AND b.level = 3 AND b.bucket > seconds / 36000)
    + (SELECT coalesce(sum(b.n), 0) FROM rank_buckets b
       WHERE b.month = in_month AND b.level = 2 AND b.bucket > seconds / 600 AND b.bucket < (seconds / 36000 + 1) * 60)
    + (SELECT coalesce(sum(b.n), 0) FROM rank_buckets b
       WHERE b.month = in_month AND b.level = 1 AND b.bucket > seconds / 10 AND b.bucket < (seconds / 600 + 1) * 60)
    + (SELECT count(*) FROM month_totals t
       WHERE t.rules_id = (SELECT r.rules_id FROM ranking_rules r WHERE r.is_global) AND t.month = in_month
         AND t.counted_seconds > seconds AND t.counted_seconds < (seconds / 10 + 1) * 10)
    + (SELECT coalesce(sum((d.new / 10 > seconds / 10)::integer - (d.old / 10 > seconds / 10)::integer), 0)
       FROM rank_deltas d WHERE d.month = in_month);
END $$;

LOCK TABLE month_totals IN SHARE MODE;
SELECT recount_ranks();
