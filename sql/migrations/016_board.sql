-- Boards: who studied how much in a day, week or month of a group, now or in any past one, as of an instant.

-- A period of a group: its days, its instants, and by which rules it counts. A week in which rules change counts each
-- day by its own month's rules; it begins by the first ones' clock and ends by the last ones', which are the ones shown.
-- Without a day it is the period of now. A month is closed 48 h after its end, and with it its days and weeks.
CREATE FUNCTION board_period(reader uuid, which uuid, period text, on_day date DEFAULT NULL) RETURNS TABLE (
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
  IF on_day IS NULL THEN
    rules := group_rules_now(which);
    on_day := study_day(server_time, rules.time_zone, rules.day_starts_at);
  END IF;
  SELECT d.first_day, d.until_day INTO first_day, until_day FROM period_days(period, on_day) d;
  rules := group_rules_in(which, month_of(first_day));
  starts_at := study_day_start(first_day, rules.time_zone, rules.day_starts_at);
  rules := group_rules_in(which, month_of(until_day - 1));
  ends_at := study_day_start(until_day, rules.time_zone, rules.day_starts_at);
  closes_at := month_closes_at(month_of(until_day - 1), rules.time_zone, rules.day_starts_at);
  state := CASE WHEN server_time < ends_at THEN 'open' WHEN server_time < closes_at THEN 'grace' ELSE 'closed' END;
  time_zone := rules.time_zone;
  day_starts_at := rules.day_starts_at;
  daily_cap_seconds := rules.daily_cap_seconds;
  manual_counts := rules.manual_counts;
  RETURN NEXT;
END $$;

-- The seconds of everyone who belongs on a group's board of the days [first_day, until_day): the members who joined
-- before its end and had not left before the earlier of its end and now.
--
-- A running interval counts live: cut at the given instant, its parts join their days before the cap is applied. One
-- past its 12 h counts for nothing. today_seconds is what the study day of that instant has in it.
CREATE FUNCTION board_scores(which uuid, first_day date, until_day date, at timestamptz) RETURNS TABLE (
  uid uuid, visibility text, seconds integer, manual_seconds integer, today_seconds integer, studying boolean
) LANGUAGE plpgsql STABLE STRICT SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  turn date := month_of(until_day - 1);                   -- days from here on count by the late rules
  late ranking_rules := group_rules_in(which, turn);
  early ranking_rules := CASE WHEN first_day < turn THEN group_rules_in(which, month_of(first_day)) ELSE late END;
  ends_at timestamptz := study_day_start(until_day, late.time_zone, late.day_starts_at);
  today date := study_day(at, late.time_zone, late.day_starts_at);
  whole_month boolean := first_day = turn AND until_day = next_month(turn);
BEGIN
  RETURN QUERY
    WITH members AS MATERIALIZED (
      SELECT h.uid, coalesce(g.visibility, h.visibility, 'shown') AS visibility
      FROM group_membership_history h
      LEFT JOIN group_members g ON g.uid = h.uid AND g.group_id = which
      WHERE h.group_id = which AND h.joined_at < ends_at
        AND (h.left_at IS NULL OR (ends_at <= at AND h.left_at >= ends_at))
    ),
    running AS (
      SELECT i.uid, i.started_at FROM members m
      JOIN study_intervals i ON i.uid = m.uid AND i.ended_at IS NULL
      WHERE i.started_at > at - interval '12 hours'
    ),
    live AS (
      SELECT r.uid, coalesce(sum(p.counted), 0)::integer AS seconds, coalesce(sum(p.manual), 0)::integer AS manual_seconds,
             coalesce(sum(p.counted) FILTER (WHERE p.day = today), 0)::integer AS today_seconds
      FROM running r
      LEFT JOIN LATERAL (
        SELECT d.day,
               counted_of_day(d.before + d.seconds, d.manual, d.cap, d.manual_counts)
                 - counted_of_day(d.before, d.manual, d.cap, d.manual_counts) AS counted,
               manual_of_day(d.before + d.seconds, d.manual, d.cap, d.manual_counts)
                 - manual_of_day(d.before, d.manual, d.cap, d.manual_counts) AS manual
        FROM (
          SELECT p.day, p.seconds, coalesce(t.seconds, 0) AS before, coalesce(t.manual_seconds, 0) AS manual,
                 late.daily_cap_seconds AS cap, late.manual_counts
          FROM study_parts(r.started_at, least(at, ends_at), late.time_zone, late.day_starts_at) p
          LEFT JOIN day_totals t ON t.rules_id = late.rules_id AND t.uid = r.uid AND t.day = p.day
          WHERE p.day >= greatest(first_day, turn) AND p.day < until_day
          UNION ALL
          SELECT p.day, p.seconds, coalesce(t.seconds, 0), coalesce(t.manual_seconds, 0),
                 early.daily_cap_seconds, early.manual_counts
          FROM study_parts(r.started_at, least(at, ends_at), early.time_zone, early.day_starts_at) p
          LEFT JOIN day_totals t ON t.rules_id = early.rules_id AND t.uid = r.uid AND t.day = p.day
          WHERE first_day < turn AND p.day >= first_day AND p.day < turn
        ) d
      ) p ON true
      GROUP BY r.uid
    )
    SELECT m.uid, m.visibility,
           coalesce(w.seconds, 0) + coalesce(l.seconds, 0), coalesce(w.manual_seconds, 0) + coalesce(l.manual_seconds, 0),
           coalesce(t.counted_seconds, 0) + coalesce(l.today_seconds, 0), l.uid IS NOT NULL
    FROM members m
    LEFT JOIN LATERAL (
      SELECT x.counted_seconds AS seconds, x.manual_seconds FROM month_totals x
      WHERE whole_month AND x.rules_id = late.rules_id AND x.uid = m.uid AND x.month = turn
      UNION ALL
      SELECT sum(x.counted_seconds)::integer,
             sum(manual_of_day(x.seconds, x.manual_seconds, r.daily_cap_seconds, r.manual_counts))::integer
      FROM ranking_rules r
      JOIN day_totals x ON x.rules_id = r.rules_id AND x.uid = m.uid
        AND x.day >= CASE WHEN r.rules_id = late.rules_id AND late.rules_id <> early.rules_id THEN turn ELSE first_day END
        AND x.day < CASE WHEN r.rules_id = early.rules_id AND late.rules_id <> early.rules_id THEN turn ELSE until_day END
      WHERE NOT whole_month AND r.rules_id IN (early.rules_id, late.rules_id)
      HAVING NOT whole_month
    ) w ON true
    LEFT JOIN day_totals t ON t.uid = m.uid AND t.day = today AND t.day >= first_day AND t.day < until_day
      AND t.rules_id = CASE WHEN today < turn THEN early.rules_id ELSE late.rules_id END
    LEFT JOIN live l ON l.uid = m.uid;
END $$;

-- One page of a board: the entries after the cursor (after_seconds, after_uid), and without a cursor also the reader's
-- own entry with three neighbours on either side. Order: seconds, then uid, both descending. The rank is 1 + the number
-- of members with more seconds. The cursor carries its first page's instant, so running timers stand still.
--
-- change: places won (+) or lost (-) since the study day began; on a period's first day, against the last period's
-- final rank; none where there is nothing to compare with. Hidden members keep their ranks and are seen only by
-- themselves. gap_to_next_seconds: from the reader's seconds to the next ones above.
CREATE FUNCTION board(
  reader uuid, which uuid, period text, on_day date DEFAULT NULL, instant timestamptz DEFAULT NULL,
  after_seconds bigint DEFAULT NULL, after_uid uuid DEFAULT NULL, page bigint DEFAULT 50
) RETURNS TABLE (
  section text, rank integer, uid uuid, nickname text, visibility text, seconds integer, manual_seconds integer,
  studying boolean, change integer, participants integer, gap_to_next_seconds integer, more boolean, as_of timestamptz
) LANGUAGE plpgsql STABLE ROWS 60 SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  shown record;
  today date;
  last_first date;                                        -- the period before, on a period's first day only
  last_until date;
  since_morning boolean := false;
BEGIN
  SELECT * INTO shown FROM board_period(reader, which, board.period, on_day);
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
      SELECT s.uid, s.visibility, s.seconds, s.manual_seconds, s.studying,
             CASE WHEN since_morning THEN rank() OVER (ORDER BY s.seconds - s.today_seconds DESC)
                  ELSE l.rank END AS rank_before
      FROM board_scores(which, shown.first_day, shown.until_day, as_of) s
      LEFT JOIN (
        SELECT f.uid, rank() OVER (ORDER BY f.seconds DESC) AS rank
        FROM board_scores(which, last_first, last_until, as_of) f
      ) l ON l.uid = s.uid
    ),
    ranked AS MATERIALIZED (
      SELECT s.*, (rank() OVER (ORDER BY s.seconds DESC))::integer AS rank,
             count(*) FILTER (WHERE s.visibility <> 'hidden' OR s.uid = reader)
               OVER (ORDER BY s.seconds DESC, s.uid DESC ROWS UNBOUNDED PRECEDING) AS place
      FROM scored s
    ),
    seen AS (
      SELECT * FROM ranked r WHERE r.visibility <> 'hidden' OR r.uid = reader
    ),
    me AS (
      SELECT * FROM ranked r WHERE r.uid = reader AND after_uid IS NULL
    ),
    picked AS (
      SELECT 1 AS part, p.*
      FROM (
        SELECT * FROM seen s WHERE after_uid IS NULL OR (s.seconds, s.uid) < (after_seconds, after_uid)
        ORDER BY s.seconds DESC, s.uid DESC LIMIT page + 1
      ) p
      UNION ALL
      SELECT 2, m.* FROM me m
      UNION ALL
      SELECT 3, s.* FROM seen s, me m WHERE s.place BETWEEN m.place - 3 AND m.place + 3 AND s.uid <> m.uid
    ),
    numbered AS (
      SELECT p.*, row_number() OVER (PARTITION BY p.part ORDER BY p.seconds DESC, p.uid DESC) AS n,
             count(*) FILTER (WHERE p.part = 1) OVER () > page AS more
      FROM picked p
    )
    SELECT (ARRAY['top', 'me', 'neighbour'])[n.part], n.rank, n.uid, u.nickname, n.visibility, n.seconds,
           n.manual_seconds, n.studying, (n.rank_before - n.rank)::integer,
           (SELECT count(*)::integer FROM ranked),
           CASE WHEN n.part = 2 THEN (SELECT min(r.seconds) FROM ranked r WHERE r.seconds > n.seconds) - n.seconds END,
           n.part = 1 AND n.more, as_of
    FROM numbered n JOIN users u USING (uid)
    WHERE n.part > 1 OR n.n <= page
    ORDER BY n.part, n.seconds DESC, n.uid DESC;
END $$;
