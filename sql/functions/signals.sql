-- Signals: figures in a member's month that deserve a look. They have no consequence by themselves.

-- The signals in a member's month. Honest study can look the same.
--
--   near_cap           a day that counts at least 90 % of the cap
--   regular_lengths    at least 10 timed intervals, half of them or more of exactly the same length
--   high_manual_share  at least 10 h, half of it or more only because of manual time
CREATE OR REPLACE FUNCTION signals_in(
  seconds integer, manual_seconds integer, days_near_cap integer, intervals integer, commonest_length_count integer
) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN array_remove(ARRAY[
    CASE WHEN days_near_cap > 0 THEN 'near_cap' END,
    CASE WHEN intervals >= 10 AND commonest_length_count * 2 >= intervals THEN 'regular_lengths' END,
    CASE WHEN seconds >= 36000 AND manual_seconds * 2 >= seconds THEN 'high_manual_share' END
  ], NULL);

-- The figures of a group's members in a month, for admins; most signals first, then by seconds and uid. Days are those
-- of the totals (a running timer counts from its next pause); longest_day_seconds is before the cap. intervals counts
-- the timed ones that began in the month. avatar: the version of the picture that a member shows to the group. Who
-- joined after the month was closed has no figures in it: it never counts for them here.
CREATE OR REPLACE FUNCTION group_signals(
  viewer_id uuid, for_group uuid, in_month date DEFAULT NULL, after_signals bigint DEFAULT NULL,
  after_seconds bigint DEFAULT NULL, after_uid uuid DEFAULT NULL, page bigint DEFAULT 50
) RETURNS TABLE (
  month date, uid uuid, nickname text, avatar uuid, role text, seconds integer, manual_seconds integer, days integer,
  days_near_cap integer, longest_day_seconds integer, intervals integer, commonest_length_seconds integer,
  commonest_length_count integer, signals text[]
) LANGUAGE plpgsql STABLE ROWS 50 SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  rules ranking_rules;
  now_month date := month_of(group_day(for_group));
  asked date := coalesce(month_of(in_month), now_month);
  starts_at timestamptz;
  ends_at timestamptz;
  people uuid[];
BEGIN
  PERFORM require_role(viewer_id, for_group, 'owner', 'admin');
  IF asked > now_month THEN
    PERFORM refuse('future_month', 'the month lies ahead');
  END IF;
  rules := group_rules_in(for_group, asked);
  starts_at := study_day_start(asked, rules.time_zone, rules.day_starts_at);
  ends_at := study_day_start(next_month(asked), rules.time_zone, rules.day_starts_at);
  people := ARRAY(SELECT m.uid FROM group_members m
                  WHERE m.group_id = for_group
                    AND m.joined_at < month_closes_at(asked, rules.time_zone, rules.day_starts_at));
  RETURN QUERY
    WITH totals AS MATERIALIZED (
      SELECT d.uid, sum(d.counted_seconds)::integer AS seconds,
             sum(manual_of_day(d.seconds, d.manual_seconds, rules.daily_cap_seconds, rules.manual_counts))::integer
               AS manual_seconds,
             (count(*) FILTER (WHERE d.counted_seconds > 0))::integer AS days,
             (count(*) FILTER (WHERE 10 * d.counted_seconds >= 9 * rules.daily_cap_seconds))::integer
               AS days_near_cap,
             max(CASE WHEN rules.manual_counts THEN d.seconds ELSE d.seconds - d.manual_seconds END) AS longest_day
      FROM day_totals d
      WHERE d.rules_id = rules.rules_id AND d.uid = ANY (people) AND d.day >= asked AND d.day < next_month(asked)
      GROUP BY d.uid
    ),
    -- Of equally common lengths, the longest.
    timed AS MATERIALIZED (
      SELECT i.uid, count(*)::integer AS intervals, array_agg(l.length) AS lengths,
             mode() WITHIN GROUP (ORDER BY l.length DESC) AS length
      FROM study_intervals i
      CROSS JOIN LATERAL (SELECT date_part('epoch', i.ended_at - i.started_at)::integer AS length) l
      WHERE i.uid = ANY (people) AND i.retracted_at IS NULL
        AND tstzrange(i.started_at, coalesce(i.ended_at, 'infinity')) && tstzrange(starts_at, ends_at)
        AND i.started_at >= starts_at AND i.source = 'timer' AND i.ended_at IS NOT NULL AND NOT i.unconfirmed
      GROUP BY i.uid
    ),
    -- (All that is kept is of members. A full join is hashed; a plan for few would compare all with all.)
    figures AS (
      SELECT m.uid, m.nickname, m.avatar, m.role, coalesce(t.seconds, 0) AS seconds,
             coalesce(t.manual_seconds, 0) AS manual_seconds, coalesce(t.days, 0) AS days,
             coalesce(t.days_near_cap, 0) AS days_near_cap, coalesce(t.longest_day, 0) AS longest_day,
             coalesce(x.intervals, 0) AS intervals, x.length,
             coalesce(cardinality(array_positions(x.lengths, x.length)), 0) AS count
      FROM (
        SELECT m.uid, u.nickname, a.version AS avatar, m.role
        FROM group_members m
        JOIN users u ON u.uid = m.uid
        LEFT JOIN shown_avatars a ON a.group_id = m.group_id AND a.uid = m.uid
        WHERE m.group_id = for_group
      ) m
      FULL JOIN totals t ON t.uid = m.uid
      FULL JOIN timed x ON x.uid = m.uid
    ),
    signalled AS (
      SELECT f.*, signals_in(f.seconds, f.manual_seconds, f.days_near_cap, f.intervals, f.count) AS signals
      FROM figures f
    )
    SELECT asked, s.uid, s.nickname, s.avatar, s.role, s.seconds, s.manual_seconds, s.days, s.days_near_cap,
           s.longest_day,
           s.intervals, s.length, s.count, s.signals
    FROM signalled s
    WHERE after_uid IS NULL OR (cardinality(s.signals), s.seconds, s.uid) < (after_signals, after_seconds, after_uid)
    ORDER BY cardinality(s.signals) DESC, s.seconds DESC, s.uid DESC LIMIT page;
END $$;
