-- Boards of past instants: what a board showed then, from when each interval was recorded and retracted and who was in
-- the group. And two more orders beside the seconds: how far the own goals were reached, and on how many days.

-- A period of a group: its days, its instants, and by which rules it counts. A week in which rules change counts each
-- day by its own month's rules; it begins by the first ones' clock and ends by the last ones', which are the ones shown.
-- Without a day it is the period of now. A month is closed 48 h after its end, and with it its days and weeks.
-- known_at: everything as it was at that instant, which lies neither ahead nor before the period.
DROP FUNCTION board_period(uuid, uuid, text, date);
CREATE FUNCTION board_period(reader uuid, which uuid, period text, on_day date DEFAULT NULL, known_at timestamptz DEFAULT NULL
) RETURNS TABLE (
  name text, first_day date, until_day date, starts_at timestamptz, ends_at timestamptz, closes_at timestamptz,
  state text, time_zone text, day_starts_at time, daily_cap_seconds integer, manual_counts boolean,
  server_time timestamptz
) LANGUAGE plpgsql STABLE ROWS 1 SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  rules ranking_rules;
BEGIN
  SELECT g.name INTO name FROM group_members m JOIN groups g USING (group_id) WHERE m.uid = reader AND m.group_id = which;
  IF NOT FOUND THEN RETURN; END IF;
  server_time := anthill_clock();
  IF known_at > server_time THEN
    RAISE EXCEPTION 'the instant % lies ahead', known_at USING ERRCODE = 'check_violation', CONSTRAINT = 'future_instant';
  END IF;
  server_time := coalesce(known_at, server_time);
  IF on_day IS NULL THEN
    rules := group_rules_now(which);
    on_day := study_day(server_time, rules.time_zone, rules.day_starts_at);
  END IF;
  SELECT d.first_day, d.until_day INTO first_day, until_day FROM period_days(period, on_day) d;
  rules := group_rules_in(which, month_of(first_day));
  starts_at := study_day_start(first_day, rules.time_zone, rules.day_starts_at);
  IF known_at < starts_at THEN
    RAISE EXCEPTION 'the period begins at %', starts_at
      USING ERRCODE = 'check_violation', CONSTRAINT = 'instant_before_period';
  END IF;
  IF month_of(first_day) < month_of(until_day - 1) THEN
    rules := group_rules_in(which, month_of(until_day - 1));
  END IF;
  ends_at := study_day_start(until_day, rules.time_zone, rules.day_starts_at);
  closes_at := month_closes_at(month_of(until_day - 1), rules.time_zone, rules.day_starts_at);
  state := CASE WHEN server_time < ends_at THEN 'open' WHEN server_time < closes_at THEN 'grace' ELSE 'closed' END;
  time_zone := rules.time_zone;
  day_starts_at := rules.day_starts_at;
  daily_cap_seconds := rules.daily_cap_seconds;
  manual_counts := rules.manual_counts;
  RETURN NEXT;
END $$;

-- What was taken back, for looking at how it was before.
CREATE INDEX study_intervals_retracted ON study_intervals (uid, started_at) WHERE retracted_at IS NOT NULL;

-- What of each study day counted on a group's board of the days [first_day, until_day), as it was known at an instant:
-- recorded by then and not yet retracted, for those who were members then (or had been when the period ended). What
-- ran at that instant counts up to it; what began 12 h before or earlier waited for its end and counts for nothing.
CREATE FUNCTION known_days(which uuid, first_day date, until_day date, at timestamptz) RETURNS TABLE (
  uid uuid, visibility text, studying boolean, day date, seconds integer, manual_seconds integer
) LANGUAGE plpgsql STABLE STRICT ROWS 300 SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  turn date := month_of(until_day - 1);                   -- days from here on count by the late rules
  late ranking_rules := group_rules_in(which, turn);
  early ranking_rules := group_rules_in(which, month_of(first_day));
  two_rules boolean := early.rules_id <> late.rules_id;
  ends_at timestamptz := study_day_start(until_day, late.time_zone, late.day_starts_at);
  whole tstzrange := tstzrange(study_day_start(first_day, early.time_zone, early.day_starts_at) - interval '1 day',
                               greatest(ends_at, at) + interval '1 day');
BEGIN
  RETURN QUERY
    WITH members AS MATERIALIZED (
      SELECT h.uid, coalesce(g.visibility, h.visibility, 'shown') AS visibility
      FROM group_membership_history h
      LEFT JOIN group_members g ON g.uid = h.uid AND g.group_id = which
      WHERE h.group_id = which AND h.joined_at < ends_at AND h.joined_at <= at
        AND (h.left_at IS NULL OR h.left_at > at OR (ends_at <= at AND h.left_at >= ends_at))
    ),
    stretches AS MATERIALIZED (
      SELECT s.first_day, s.until_day, r.*,
             tstzrange(study_day_start(s.first_day, r.time_zone, r.day_starts_at),
                       study_day_start(s.until_day, r.time_zone, r.day_starts_at)) AS span
      FROM (
        SELECT late.rules_id AS counting, CASE WHEN two_rules THEN turn ELSE first_day END AS first_day, until_day
        UNION ALL
        SELECT early.rules_id, first_day, turn WHERE two_rules
      ) s
      JOIN ranking_rules r ON r.rules_id = s.counting
    ),
    -- Two branches, for only what is not retracted is in the index of the exclusion constraint.
    known AS MATERIALIZED (
      SELECT i.*, i.ended_at IS NULL OR i.ended_at > at AS runs
      FROM (
        SELECT k.* FROM members m JOIN study_intervals k USING (uid)
        WHERE k.retracted_at IS NULL AND tstzrange(k.started_at, coalesce(k.ended_at, 'infinity')) && whole
        UNION ALL
        SELECT k.* FROM members m JOIN study_intervals k USING (uid)
        WHERE k.retracted_at > at AND k.started_at < upper(whole) AND k.started_at > lower(whole) - interval '12 hours'
      ) i
      WHERE i.recorded_at <= at AND i.source <> 'import'
        AND CASE WHEN i.ended_at <= at THEN NOT i.unconfirmed ELSE i.started_at > at - interval '12 hours' END
    ),
    days AS (
      SELECT i.uid, s.rules_id, s.daily_cap_seconds, s.manual_counts, p.day, sum(p.seconds)::integer AS seconds,
             coalesce(sum(p.seconds) FILTER (WHERE i.source = 'manual'), 0)::integer AS manual
      FROM known i
      JOIN stretches s ON s.span && tstzrange(i.started_at, coalesce(i.ended_at, 'infinity'))
      CROSS JOIN LATERAL study_parts(i.started_at, least(i.ended_at, at), s.time_zone, s.day_starts_at) p
      WHERE p.day >= s.first_day AND p.day < s.until_day
        -- (What was recorded within 48 h of its start was in time for every month it touches.)
        AND (i.runs OR (i.recorded_at < i.started_at + interval '48 hours'
                        OR i.recorded_at < month_closes_at(month_of(p.day), s.time_zone, s.day_starts_at)) AND EXISTS (
          SELECT FROM counted_under c
          WHERE c.uid = i.uid AND c.rules_id = s.rules_id AND c.from_month <= p.day AND c.until_month > p.day))
      GROUP BY i.uid, s.rules_id, s.daily_cap_seconds, s.manual_counts, p.day
    )
    SELECT m.uid, m.visibility,
           EXISTS (SELECT FROM known i WHERE i.uid = m.uid AND i.runs),
           d.day, counted_of_day(d.seconds, d.manual, d.daily_cap_seconds, d.manual_counts),
           manual_of_day(d.seconds, d.manual, d.daily_cap_seconds, d.manual_counts)
    FROM members m
    LEFT JOIN days d USING (uid);
END $$;

-- The scores of a board as they were known at an instant: of a month that was closed by then as it was sealed, with
-- the amendments made until then, anything else from the intervals.
CREATE FUNCTION known_scores(which uuid, first_day date, until_day date, at timestamptz) RETURNS TABLE (
  uid uuid, visibility text, seconds integer, manual_seconds integer, today_seconds integer, studying boolean
) LANGUAGE plpgsql STABLE STRICT ROWS 30 SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  rules ranking_rules := group_rules_in(which, month_of(until_day - 1));
  today date := study_day(at, rules.time_zone, rules.day_starts_at);
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
      GROUP BY d.uid, d.visibility;
  END IF;
END $$;

-- One page of a board: the entries after the cursor (after_seconds, after_uid), and without a cursor also the reader's
-- own entry with three neighbours on either side. Order: seconds, then uid, both descending. The rank is 1 + the number
-- of members with more seconds. The cursor carries its first page's instant, so running timers stand still.
--
-- change: places won (+) or lost (-) since the study day began; on a period's first day, against the last period's
-- final rank; none where there is nothing to compare with. Hidden members keep their ranks and are seen only by
-- themselves. gap_to_next_seconds: from the reader's seconds to the next ones above.
-- known_at: the board as it was known at that instant; who may be seen is today's choice.
DROP FUNCTION board(uuid, uuid, text, date, timestamptz, bigint, uuid, bigint);
CREATE FUNCTION board(
  reader uuid, which uuid, period text, on_day date DEFAULT NULL, instant timestamptz DEFAULT NULL,
  after_seconds bigint DEFAULT NULL, after_uid uuid DEFAULT NULL, page bigint DEFAULT 50,
  known_at timestamptz DEFAULT NULL
) RETURNS TABLE (
  section text, rank integer, uid uuid, nickname text, visibility text, seconds integer, manual_seconds integer,
  studying boolean, change integer, participants integer, gap_to_next_seconds integer, more boolean, as_of timestamptz
) LANGUAGE plpgsql STABLE ROWS 60 SET plan_cache_mode = force_generic_plan SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  shown record;
  today date;
  last_first date;                                        -- the period before, on a period's first day only
  last_until date;
  since_morning boolean := false;
BEGIN
  SELECT * INTO shown FROM board_period(reader, which, board.period, on_day, known_at);
  IF NOT FOUND THEN RETURN; END IF;
  as_of := least(coalesce(instant, shown.server_time), shown.server_time);
  IF as_of >= shown.starts_at AND as_of < shown.ends_at THEN
    today := study_day(as_of, shown.time_zone, shown.day_starts_at);
    since_morning := today > shown.first_day;
    IF NOT since_morning THEN
      SELECT d.first_day, d.until_day INTO last_first, last_until FROM period_days(board.period, shown.first_day - 1) d;
    END IF;
  END IF;

  RETURN QUERY
    WITH scored AS (
      SELECT s.*, s.visibility <> 'hidden' OR s.uid = reader AS visible,
             CASE WHEN since_morning THEN rank() OVER (ORDER BY s.seconds - s.today_seconds DESC)
                  ELSE l.rank END AS rank_before
      FROM (
        SELECT b.* FROM board_scores(which, shown.first_day, shown.until_day, CASE WHEN known_at IS NULL THEN as_of END) b
        UNION ALL
        SELECT k.* FROM known_scores(which, shown.first_day, shown.until_day, known_at) k
      ) s
      LEFT JOIN (
        SELECT f.uid, rank() OVER (ORDER BY f.seconds DESC) AS rank
        FROM (
          SELECT b.* FROM board_scores(which, last_first, last_until, CASE WHEN known_at IS NULL THEN as_of END) b
          UNION ALL
          SELECT k.* FROM known_scores(which, last_first, last_until, known_at) k
        ) f
      ) l ON l.uid = s.uid
    ),
    ranked AS MATERIALIZED (
      SELECT s.*, rank() OVER (ORDER BY s.seconds DESC) AS rank,
             count(*) FILTER (WHERE s.visible) OVER (ORDER BY s.seconds DESC, s.uid DESC ROWS UNBOUNDED PRECEDING) AS place
      FROM scored s
    ),
    -- From which place on the page goes, where the reader stands, and with how much.
    view AS (
      SELECT count(*)::integer AS participants, max(r.place) AS places,
             count(*) FILTER (WHERE r.visible AND (r.seconds, r.uid) >= (after_seconds, after_uid)) AS before_page,
             max(r.place) FILTER (WHERE r.uid = reader AND after_uid IS NULL) AS my_place,
             max(r.seconds) FILTER (WHERE r.uid = reader AND after_uid IS NULL) AS my_seconds
      FROM ranked r
    )
    SELECT (ARRAY['top', 'me', 'neighbour'])[n.part], n.rank::integer, n.uid, u.nickname, n.visibility, n.seconds,
           n.manual_seconds, n.studying, (n.rank_before - n.rank)::integer,
           n.participants,
           CASE WHEN n.part = 2 THEN (SELECT min(r.seconds) FROM ranked r WHERE r.seconds > n.my_seconds) - n.my_seconds END,
           n.part = 1 AND n.places > n.before_page + page, as_of
    FROM (
      SELECT 1 AS part, r.*, v.* FROM ranked r, view v
        WHERE r.visible AND r.place > v.before_page AND r.place <= v.before_page + page
      UNION ALL
      SELECT CASE WHEN r.place = v.my_place THEN 2 ELSE 3 END, r.*, v.* FROM ranked r, view v
        WHERE r.visible AND r.place BETWEEN v.my_place - 3 AND v.my_place + 3
    ) n
    JOIN users u USING (uid)
    ORDER BY n.part, n.seconds DESC, n.uid DESC;
END $$;
