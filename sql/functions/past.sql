-- Boards of past instants: what a board showed then. Computed from the times at which intervals were recorded and
-- retracted and members joined and left, and from today's totals where they are still valid.

-- What counted on each study day of a group's board of the days [first_day, until_day), as it was known at an instant:
-- recorded by then and not yet retracted, for those who were members then (or at the end of the period). A timer that
-- ran at that instant counts up to it; an overdue one was waiting for its end and does not count. Each member has one
-- extra row without a day and with no seconds, which tells their visibility. A member who was studying has that mark in
-- at least one row.
--
-- Days for which nobody could add study any more at that instant come from today's totals, plus what was retracted
-- since and minus what was recorded since, which is little. Only the days after them are added up from the intervals.
-- Members are looked up one by one, as for the scores, so the cost depends only on the size of the group.
CREATE OR REPLACE FUNCTION known_days(for_group uuid, first_day date, until_day date, at timestamptz) RETURNS TABLE (
  uid uuid, visibility text, studying boolean, day date, seconds integer, manual_seconds integer
) LANGUAGE plpgsql STABLE STRICT ROWS 300 SET plan_cache_mode = force_generic_plan SET enable_hashjoin = off
  SET enable_mergejoin = off SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  late ranking_rules := group_rules_in(for_group, month_of(until_day - 1));
  early ranking_rules := group_rules_in(for_group, month_of(first_day));
  ends_at timestamptz := study_day_start(until_day, late.time_zone, late.day_starts_at);
  -- Every interval that touches one of the days began later. (The first days of the late rules can begin before those
  -- of the early rules.)
  after timestamptz :=
    study_day_start(first_day, early.time_zone, early.day_starts_at) - longest_interval() - interval '1 day';
  anew_at timestamptz := (
    SELECT min(study_day_start(study_day(at - logging_window(), b.time_zone, b.day_starts_at),
                               b.time_zone, b.day_starts_at))
    FROM board_months(for_group, first_day, until_day) b);
  people uuid[];
  joined timestamptz[];
  wishes text[];
BEGIN
  SELECT array_agg(h.uid), array_agg(h.joined_at), array_agg(h.visibility) INTO people, joined, wishes
    FROM group_membership_history h
    WHERE h.group_id = for_group AND h.joined_at < ends_at AND h.joined_at <= at
      AND (h.left_at IS NULL OR h.left_at > at OR (ends_at <= at AND h.left_at >= ends_at));
  RETURN QUERY
    WITH months AS MATERIALIZED (
      SELECT b.*, study_day(at - logging_window(), b.time_zone, b.day_starts_at) AS anew, -- from this day on
             ARRAY(SELECT h.uid FROM unnest(people, joined) h (uid, joined_at) WHERE h.joined_at < b.closes_at)
               AS people
      FROM board_months(for_group, first_day, until_day) b
    ),
    days_anew AS MATERIALIZED (
      SELECT s.daily_cap_seconds, s.manual_counts, s.anew + n AS day,
             study_day_start(s.anew + n, s.time_zone, s.day_starts_at) AS starts_at,
             study_day_start(s.anew + n + 1, s.time_zone, s.day_starts_at) AS ends_at
      FROM months s
      CROSS JOIN LATERAL generate_series(0, study_day(at, s.time_zone, s.day_starts_at) - s.anew) n
      WHERE s.anew + n >= s.begins AND s.anew + n < s.ends
    ),
    kept AS MATERIALIZED (
      SELECT t.uid, t.day, t.seconds, t.manual_seconds, s.daily_cap_seconds, s.manual_counts
      FROM months s
      JOIN day_totals t ON t.rules_id = s.rules_id AND t.uid = ANY (s.people)
        AND t.day >= s.begins AND t.day < least(s.ends, s.anew)
    ),
    recent AS MATERIALIZED (
      SELECT k.uid, k.started_at, k.ended_at, k.source, k.ended_at IS NULL OR k.ended_at > at AS runs
      FROM study_intervals k
      WHERE k.uid = ANY (people) AND k.retracted_at IS NULL
        AND tstzrange(k.started_at, coalesce(k.ended_at, 'infinity')) && tstzrange(anew_at, at, '[]')
        AND k.recorded_at <= at AND k.source <> 'import'
        AND CASE WHEN k.ended_at <= at THEN NOT k.unconfirmed ELSE k.started_at > at - longest_interval() END
    ),
    -- What was known then and is retracted now.
    retracted AS MATERIALIZED (
      SELECT k.uid, k.started_at, k.ended_at, k.source, k.recorded_at
      FROM study_intervals k
      WHERE k.uid = ANY (people) AND k.retracted_at > at AND k.started_at > after AND k.started_at <= at
        AND k.recorded_at <= at AND k.source <> 'import'
        AND CASE WHEN k.ended_at <= at THEN NOT k.unconfirmed ELSE k.started_at > at - longest_interval() END
    ),
    -- What the totals contain and was not known then.
    late AS MATERIALIZED (
      SELECT k.uid, k.started_at, k.ended_at, k.source, k.recorded_at
      FROM study_intervals k
      WHERE k.uid = ANY (people) AND k.retracted_at IS NULL AND k.started_at > after
        AND k.recorded_at - k.started_at > logging_window() AND k.recorded_at > at AND k.source <> 'import'
        AND k.ended_at IS NOT NULL AND NOT k.unconfirmed
    ),
    members AS MATERIALIZED (
      SELECT h.uid, coalesce(g.visibility, h.visibility, 'shown') AS visibility
      FROM unnest(people, wishes) h (uid, visibility)
      LEFT JOIN group_members g ON g.uid = h.uid AND g.group_id = for_group
    ),
    parts AS (
      SELECT m.uid, m.visibility, NULL::date AS day, NULL::integer AS daily_cap_seconds,
             NULL::boolean AS manual_counts, NULL::integer AS seconds, NULL::integer AS manual, false AS runs
      FROM members m
      UNION ALL
      SELECT t.uid, NULL, t.day, t.daily_cap_seconds, t.manual_counts, t.seconds, t.manual_seconds, false
      FROM kept t
      UNION ALL
      -- (All of it counts: none of these months was closed at that instant.)
      SELECT i.uid, NULL, d.day, d.daily_cap_seconds, d.manual_counts, l.seconds,
             CASE i.source WHEN 'manual' THEN l.seconds ELSE 0 END, i.runs
      FROM recent i
      LEFT JOIN days_anew d ON greatest(d.starts_at, i.started_at) < least(d.ends_at, i.ended_at, at)
      LEFT JOIN LATERAL (
        SELECT extract(epoch FROM least(d.ends_at, i.ended_at, at) - greatest(d.starts_at, i.started_at))::integer
                 AS seconds
        WHERE d.day IS NOT NULL
      ) l ON true
      UNION ALL
      -- Adds the former. For days from the totals, subtracts the latter.
      SELECT i.uid, NULL, p.day, s.daily_cap_seconds, s.manual_counts, p.seconds * i.sign,
             CASE i.source WHEN 'manual' THEN p.seconds * i.sign ELSE 0 END, i.runs
      FROM (
        SELECT r.*, 1 AS sign, r.ended_at > at AS runs FROM retracted r
        UNION ALL
        SELECT l.*, -1, false FROM late l
      ) i
      CROSS JOIN months s
      LEFT JOIN LATERAL study_parts(i.started_at, least(i.ended_at, at), s.time_zone, s.day_starts_at) p
        ON p.day >= s.begins AND p.day < s.ends AND (i.sign = 1 OR p.day < s.anew)
        AND (i.runs OR i.recorded_at < s.closes_at AND i.uid = ANY (s.people))
      WHERE p.day IS NOT NULL OR i.runs
    ),
    days AS (
      SELECT p.uid, p.day, p.daily_cap_seconds, p.manual_counts, max(p.visibility) AS visibility,
             coalesce(sum(p.seconds), 0)::integer AS seconds, coalesce(sum(p.manual), 0)::integer AS manual,
             bool_or(p.runs) AS studying
      FROM parts p
      GROUP BY p.uid, p.day, p.daily_cap_seconds, p.manual_counts
    )
    SELECT d.uid, d.visibility, d.studying, d.day,
           counted_of_day(d.seconds, d.manual, d.daily_cap_seconds, d.manual_counts),
           manual_of_day(d.seconds, d.manual, d.daily_cap_seconds, d.manual_counts)
    FROM days d;
END $$;

-- The scores of a board as they were known at an instant: for a month that was closed by then, as it was sealed with
-- the amendments made until then; otherwise from its days, without members who were suspended.
CREATE OR REPLACE FUNCTION known_scores(for_group uuid, first_day date, until_day date, today date, at timestamptz)
  RETURNS TABLE (
    uid uuid, visibility text, seconds integer, manual_seconds integer, today_seconds integer, studying boolean
  ) LANGUAGE plpgsql STABLE STRICT ROWS 30 SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  suspended uuid[] := suspended_then(for_group, until_day, at);
BEGIN
  IF closed_by(for_group, first_day, until_day, at) THEN
    RETURN QUERY
      SELECT c.uid, c.visibility, n.seconds, least(s.manual_seconds, n.seconds), 0, false
      FROM closed_scores(for_group, first_day) c
      JOIN standings s ON s.group_id = for_group AND s.month = first_day AND s.person = c.person
      CROSS JOIN LATERAL (
        SELECT coalesce((SELECT a.new_seconds FROM amendments a
                         WHERE a.group_id = for_group AND a.month = first_day AND a.person = c.person
                           AND a.at <= known_scores.at
                         ORDER BY a.at DESC, a.amendment_id DESC LIMIT 1), s.counted_seconds) AS seconds
      ) n;
  ELSE
    RETURN QUERY
      SELECT d.uid, max(d.visibility), coalesce(sum(d.seconds), 0)::integer,
             coalesce(sum(d.manual_seconds), 0)::integer,
             coalesce(sum(d.seconds) FILTER (WHERE d.day = today), 0)::integer, bool_or(d.studying)
      FROM known_days(for_group, first_day, until_day, at) d
      WHERE d.uid <> ALL (suspended)
      GROUP BY d.uid;
  END IF;
END $$;
