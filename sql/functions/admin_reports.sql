-- Reports for the people who run the service. They only read.

-- A group's month, as admins of the service see it: with hidden members. A closed month is as it was sealed, with its
-- amendments; an open one is as it stands now. sealed_rank and sealed_seconds are empty in an open month. Somebody who
-- left the service has a place without a name.
CREATE OR REPLACE FUNCTION admin_month(for_group uuid, in_month date) RETURNS TABLE (
  rank integer, nickname text, uid uuid, seconds integer, manual_seconds integer, visibility text, sealed_rank integer,
  sealed_seconds integer
) LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  clock timestamptz := anthill_clock();
  rules ranking_rules := group_rules_in(for_group, in_month);
  today date := study_day(clock, rules.time_zone, rules.day_starts_at);
BEGIN
  IF EXISTS (SELECT FROM month_closes c WHERE c.group_id = for_group AND c.month = in_month) THEN
    RETURN QUERY
      SELECT c.rank, c.nickname, c.uid, c.seconds, c.manual_seconds, c.visibility, s.rank, s.counted_seconds
      FROM closed_scores(for_group, in_month) c
      JOIN standings s ON s.group_id = for_group AND s.month = in_month AND s.person = c.person
      ORDER BY c.rank, c.nickname, c.uid;
    RETURN;
  ELSIF rules.rules_id IS NULL THEN
    PERFORM refuse('group_not_found', format('no group %s has a board of %s', for_group, to_char(in_month, 'YYYY-MM')));
  ELSIF in_month > today THEN
    PERFORM refuse('future_month', format('%s lies ahead', to_char(in_month, 'YYYY-MM')));
  END IF;
  RETURN QUERY
    SELECT rank() OVER (ORDER BY b.seconds DESC)::integer, u.nickname, b.uid, b.seconds, b.manual_seconds, b.visibility,
           NULL::integer, NULL::integer
    FROM board_scores(for_group, in_month, next_month(in_month), today, clock) b JOIN users u USING (uid)
    ORDER BY 1, 2, 3;
END $$;

-- People whose month deserves a look, each with one row for every reason and its figures; most reasons first. Nothing
-- follows from a row by itself: honest study can look the same. Only people on a board are looked at, that of a group
-- if one is given. `often` is how many days or timers it takes.
--
--   near_cap           days that count at least 90 % of the cap
--   high_manual_share  and
--   regular_lengths    as signals_in() has them
--   round_lengths      at least 10 timed intervals, half of them or more a multiple of five minutes long
--   long_timers        timers that ran until they were ended at longest_interval(), confirmed later or not
--   recorded_in_bulk   at least 10 sessions by hand in ten minutes; a device that was offline sends them like this, too
CREATE OR REPLACE FUNCTION admin_suspicions(month date DEFAULT NULL, for_group uuid DEFAULT NULL,
                                            often integer DEFAULT 3)
  RETURNS TABLE (uid uuid, nickname text, reason text, figures text)
  LANGUAGE plpgsql STABLE ROWS 100 SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  clock timestamptz := anthill_clock();
  rules ranking_rules;
  in_month date := month;
  starts_at timestamptz;
  ends_at timestamptz;
  people uuid[];
BEGIN
  SELECT * INTO rules FROM ranking_rules r WHERE r.is_global;
  IF for_group IS NOT NULL THEN
    rules := CASE WHEN month IS NULL THEN group_rules_now(for_group) ELSE group_rules_in(for_group, month) END;
  END IF;
  in_month := coalesce(in_month, month_of(study_day(clock, rules.time_zone, rules.day_starts_at)));
  starts_at := study_day_start(in_month, rules.time_zone, rules.day_starts_at);
  ends_at := study_day_start(next_month(in_month), rules.time_zone, rules.day_starts_at);
  people := ARRAY(SELECT h.uid FROM group_membership_history h
                  WHERE h.group_id = for_group AND h.joined_at < ends_at
                    AND (h.left_at IS NULL OR h.left_at > starts_at));
  RETURN QUERY
    WITH boards AS (
      SELECT d.uid, count(*) FILTER (WHERE d.counted_seconds > 0)::integer AS days,
             count(*) FILTER (WHERE 10 * d.counted_seconds >= 9 * r.daily_cap_seconds)::integer AS near_cap,
             make_interval(secs => max(d.seconds)) AS longest, make_interval(secs => r.daily_cap_seconds) AS cap,
             sum(d.counted_seconds)::integer AS seconds,
             sum(manual_of_day(d.seconds, d.manual_seconds, r.daily_cap_seconds, r.manual_counts))::integer AS manual
      FROM day_totals d JOIN ranking_rules r USING (rules_id)
      WHERE d.day >= in_month AND d.day < next_month(in_month)
        AND (for_group IS NULL OR d.rules_id = rules.rules_id AND d.uid = ANY (people))
      GROUP BY d.uid, r.rules_id
    ),
    stretches AS MATERIALIZED (
      SELECT i.uid, i.unconfirmed, i.retracted_at IS NULL AND NOT i.unconfirmed AS counts,
             extract(epoch FROM i.ended_at - i.started_at)::integer AS length
      FROM study_intervals i
      WHERE i.uid IN (SELECT b.uid FROM boards b) AND i.source = 'timer' AND i.ended_at IS NOT NULL
        AND i.started_at >= starts_at AND i.started_at < ends_at
    ),
    lengths AS (
      -- Of equally common lengths, the longest.
      SELECT DISTINCT ON (l.uid) l.uid, make_interval(secs => l.length) AS length, l.n,
             (sum(l.n) OVER (PARTITION BY l.uid))::integer AS intervals,
             coalesce(sum(l.n) FILTER (WHERE l.length % 300 = 0) OVER (PARTITION BY l.uid), 0) AS round
      FROM (SELECT s.uid, s.length, count(*)::integer AS n FROM stretches s WHERE s.counts GROUP BY s.uid, s.length) l
      ORDER BY l.uid, l.n DESC, l.length DESC
    ),
    bulk AS (
      SELECT s.uid, date_bin('10 minutes', s.created_at, 'epoch') AS began, count(*) AS n FROM study_sessions s
      WHERE s.uid IN (SELECT b.uid FROM boards b) AND s.source = 'manual' AND s.state <> 'discarded'
        AND s.created_at >= starts_at AND s.created_at < ends_at + grace_period()
      GROUP BY 1, 2 HAVING count(*) >= 10
    ),
    reasons AS (
      -- The same reason on several boards is told once.
      (SELECT DISTINCT ON (b.uid, x.signal) b.uid, x.signal AS reason, CASE x.signal
                WHEN 'near_cap'
                  THEN format('%s of %s days count at least 90 %% of the cap of %s; the longest lasted %s',
                                            b.near_cap, b.days, b.cap, b.longest)
                WHEN 'regular_lengths'
                  THEN format('%s of %s timed intervals last exactly %s', l.n, l.intervals, l.length)
                ELSE format('%s of %s only because of time added by hand',
                            make_interval(secs => b.manual), make_interval(secs => b.seconds)) END AS figures
       FROM boards b
       LEFT JOIN lengths l USING (uid)
       CROSS JOIN LATERAL unnest(signals_in(
         b.seconds, b.manual, CASE WHEN b.near_cap >= often THEN b.near_cap ELSE 0 END, l.intervals, l.n)) x (signal)
       ORDER BY b.uid, x.signal, b.near_cap DESC, b.manual DESC, b.seconds DESC)
      UNION ALL
      SELECT l.uid, 'round_lengths',
             format('%s of %s timed intervals last a multiple of five minutes', l.round, l.intervals)
      FROM lengths l WHERE l.intervals >= 10 AND l.round * 2 >= l.intervals
      UNION ALL
      SELECT s.uid, 'long_timers', format('%s timers ran until they were ended after %s', count(*), longest_interval())
      FROM stretches s WHERE s.unconfirmed GROUP BY s.uid HAVING count(*) >= often
      UNION ALL
      (SELECT DISTINCT ON (k.uid) k.uid, 'recorded_in_bulk',
              format('%s sessions added by hand in the ten minutes from %s on', k.n, utc_text(k.began))
       FROM bulk k ORDER BY k.uid, k.n DESC, k.began)
    )
    SELECT r.uid, u.nickname, r.reason, r.figures FROM reasons r JOIN users u USING (uid)
    ORDER BY count(*) OVER (PARTITION BY r.uid) DESC, r.uid, r.reason;
END $$;
