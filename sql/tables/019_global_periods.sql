-- The global board by day and by week beside month. Its totals are in a table of their own, so that its index costs
-- nothing where somebody is only on the boards of groups.

-- What everybody on the global board has counted in each day, week and month: the sums of their day_totals under its
-- rules.
CREATE TABLE rank_totals (
  uid uuid CONSTRAINT rank_totals_student REFERENCES students ON DELETE CASCADE,
  period text CONSTRAINT rank_totals_period CHECK (period IN ('day', 'week', 'month')),
  first_day date,
  seconds integer NOT NULL CONSTRAINT rank_totals_seconds CHECK (seconds >= 0),
  CONSTRAINT rank_totals_key PRIMARY KEY (uid, period, first_day),
  CONSTRAINT rank_totals_first_day CHECK (CASE period WHEN 'week' THEN extract(isodow FROM first_day) = 1
                                                      WHEN 'month' THEN extract(day FROM first_day) = 1 ELSE true END)
) WITH (fillfactor = 80);
CREATE INDEX rank_totals_rank ON rank_totals (period, first_day, seconds, uid);
-- squawk-ignore require-concurrent-index-deletion
DROP INDEX month_totals_rank;

INSERT INTO rank_totals (uid, period, first_day, seconds)
  SELECT t.uid, p.period, p.first_day, sum(t.counted_seconds)
  FROM day_totals t
  JOIN ranking_rules r USING (rules_id)
  CROSS JOIN LATERAL (VALUES ('day', t.day), ('week', t.day - (extract(isodow FROM t.day)::integer - 1)),
                             ('month', t.day - (extract(day FROM t.day)::integer - 1))) p (period, first_day)
  WHERE r.is_global
  GROUP BY 1, 2, 3;

-- The counters and their changes, now of a period. (Only functions use them, and those change in the same transaction.)
-- squawk-ignore renaming-column
ALTER TABLE rank_buckets RENAME COLUMN month TO first_day;
ALTER TABLE rank_buckets ADD COLUMN period text NOT NULL DEFAULT 'month';
-- squawk-ignore ban-drop-default
ALTER TABLE rank_buckets ALTER COLUMN period DROP DEFAULT;
-- squawk-ignore ban-drop-constraint
ALTER TABLE rank_buckets DROP CONSTRAINT rank_buckets_key;
ALTER TABLE rank_buckets
  -- squawk-ignore constraint-missing-not-valid, adding-serial-primary-key-field
  ADD CONSTRAINT rank_buckets_key PRIMARY KEY (period, first_day, level, bucket);

-- squawk-ignore renaming-column
ALTER TABLE rank_deltas RENAME COLUMN month TO first_day;
ALTER TABLE rank_deltas ADD COLUMN period text NOT NULL DEFAULT 'month';
-- squawk-ignore ban-drop-default
ALTER TABLE rank_deltas ALTER COLUMN period DROP DEFAULT;

INSERT INTO rank_buckets (period, first_day, level, bucket, n)
  SELECT t.period, t.first_day, l.level, t.seconds / l.width, count(*)
  FROM rank_totals t CROSS JOIN (VALUES (1, 10), (2, 600), (3, 36000)) l (level, width)
  WHERE t.period <> 'month' AND t.seconds > 0
  GROUP BY 1, 2, 3, 4;
