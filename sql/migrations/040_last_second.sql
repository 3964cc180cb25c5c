-- The close of a month decides by the second before it who is kept off it. By then every suspension and lifting of that
-- second is written, while one of the closing second itself can still come after the standings.

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
  SET enable_mergejoin = off SET search_path FROM CURRENT AS $$
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
    LEFT JOIN study_intervals i ON i.uid = h.uid AND i.ended_at IS NULL AND i.started_at > at - interval '12 hours'
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

-- The scores of a board as they were known at an instant: of a month that was closed by then as it was sealed, with
-- the amendments made until then, anything else from the intervals, without those who were suspended at that instant, or until
-- the period was closed.
CREATE OR REPLACE FUNCTION known_scores(which uuid, first_day date, until_day date, at timestamptz) RETURNS TABLE (
  uid uuid, visibility text, seconds integer, manual_seconds integer, today_seconds integer, studying boolean
) LANGUAGE plpgsql STABLE STRICT ROWS 30 SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  rules ranking_rules := group_rules_in(which, month_of(until_day - 1));
  today date := study_day(at, rules.time_zone, rules.day_starts_at);
  suspended uuid[] := suspended_from(
    which, least(at, month_closes_at(month_of(until_day - 1), rules.time_zone, rules.day_starts_at) - interval '1 second'));
BEGIN
  IF first_day = month_of(first_day) AND until_day = next_month(first_day)
    AND EXISTS (SELECT FROM month_closes c WHERE c.group_id = which AND c.month = first_day AND c.closed_at <= at) THEN
    RETURN QUERY
      SELECT c.uid, c.visibility, n.seconds, least(s.manual_seconds, n.seconds), 0, k.uid IS NOT NULL
      FROM closed_scores(which, first_day) c
      JOIN standings s ON s.group_id = which AND s.month = first_day AND s.person = c.person
      CROSS JOIN LATERAL (
        SELECT coalesce((SELECT a.new_seconds FROM amendments a
                         WHERE a.group_id = which AND a.month = first_day AND a.person = c.person AND a.at <= known_scores.at
                         ORDER BY a.at DESC, a.amendment_id DESC LIMIT 1), s.counted_seconds) AS seconds
      ) n
      LEFT JOIN study_intervals k ON k.uid = c.uid AND k.source = 'timer' AND k.recorded_at <= at
        AND k.started_at > at - interval '12 hours' AND (k.ended_at IS NULL OR k.ended_at > at)
        AND (k.retracted_at IS NULL OR k.retracted_at > at);
  ELSE
    RETURN QUERY
      SELECT d.uid, d.visibility, coalesce(sum(d.seconds), 0)::integer, coalesce(sum(d.manual_seconds), 0)::integer,
             coalesce(sum(d.seconds) FILTER (WHERE d.day = today), 0)::integer, bool_or(d.studying)
      FROM known_days(which, first_day, until_day, at) d
      WHERE d.uid <> ALL (suspended)
      GROUP BY d.uid, d.visibility;
  END IF;
END $$;
