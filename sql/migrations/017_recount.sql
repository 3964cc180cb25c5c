-- Recounts: the totals as they must be, from the intervals alone. Nothing the program does reads them; maintenance
-- compares what is kept with them, and mends it.

-- What counts anywhere: neither running, nor retracted, nor waiting for its end to be confirmed.
CREATE VIEW counting_intervals AS
  SELECT * FROM study_intervals WHERE ended_at IS NOT NULL AND retracted_at IS NULL AND NOT unconfirmed;

-- clocks: how many study clocks meet on this day; more than one only where its owner changed theirs.
CREATE VIEW recounted_study_days AS
  SELECT i.uid, p.day, sum(p.seconds)::integer AS study_seconds,
         count(DISTINCT (i.time_zone, i.day_starts_at)) AS clocks,
         min(i.time_zone) AS time_zone, min(i.day_starts_at) AS day_starts_at
  FROM counting_intervals i
  CROSS JOIN LATERAL study_parts(i.started_at, i.ended_at, i.time_zone, i.day_starts_at) p
  GROUP BY i.uid, p.day;

CREATE VIEW recounted_day_totals AS
  SELECT d.rules_id, d.uid, d.day, d.seconds, d.manual_seconds,
         counted_of_day(d.seconds, d.manual_seconds, r.daily_cap_seconds, r.manual_counts) AS counted_seconds,
         manual_of_day(d.seconds, d.manual_seconds, r.daily_cap_seconds, r.manual_counts) AS counted_manual_seconds
  FROM (
    SELECT c.rules_id, c.uid, p.day, sum(p.seconds)::integer AS seconds,
           coalesce(sum(p.seconds) FILTER (WHERE i.source = 'manual'), 0)::integer AS manual_seconds
    FROM counting_intervals i
    JOIN counted_under c USING (uid)
    JOIN ranking_rules r USING (rules_id)
    CROSS JOIN LATERAL study_parts(i.started_at, i.ended_at, r.time_zone, r.day_starts_at) p
    WHERE i.source <> 'import' AND p.day >= c.from_month AND p.day < c.until_month
      AND i.recorded_at < month_closes_at(month_of(p.day), r.time_zone, r.day_starts_at)
    GROUP BY c.rules_id, c.uid, p.day
  ) d
  JOIN ranking_rules r USING (rules_id);

CREATE VIEW recounted_month_totals AS
  SELECT rules_id, uid, month_of(day) AS month, sum(counted_seconds)::integer AS counted_seconds,
         sum(counted_manual_seconds)::integer AS manual_seconds
  FROM recounted_day_totals GROUP BY rules_id, uid, month_of(day);
