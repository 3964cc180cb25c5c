-- The badge: what a group that allows it shows of itself to anybody and anywhere. It names nobody.

-- What a group's members have studied together in the month under way, hidden members and running timers included; one
-- that was started today is added by arithmetic, as on boards. By the rules of that month: in the hours in which a month
-- has begun by the last rules' clock and not yet by its own, there is nothing.
--
-- Its plan is made once: looking members up one by one is right for nearly every group, and planning takes longer.
CREATE OR REPLACE FUNCTION group_month_seconds(which uuid, rules ranking_rules) RETURNS bigint
  LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan SET search_path = public, pg_temp AS $$
DECLARE
  clock timestamptz := anthill_clock();
  this_month date := month_of(study_day(clock, rules.time_zone, rules.day_starts_at));
  own ranking_rules := group_rules_in(which, this_month);
  today date := study_day(clock, own.time_zone, own.day_starts_at);
  since timestamptz := CASE WHEN today >= this_month THEN study_day_start(today, own.time_zone, own.day_starts_at)
                            ELSE 'infinity' END;
BEGIN
  RETURN (
    SELECT coalesce(sum(coalesce(t.counted_seconds, 0) + coalesce(l.seconds, n.counted, 0)), 0)
    FROM group_members m
    LEFT JOIN month_totals t ON t.rules_id = own.rules_id AND t.uid = m.uid AND t.month = this_month
    LEFT JOIN study_intervals i ON i.uid = m.uid AND i.ended_at IS NULL AND i.started_at > clock - longest_interval()
    LEFT JOIN day_totals d ON d.rules_id = own.rules_id AND d.uid = i.uid AND d.day = today
    LEFT JOIN LATERAL (
      SELECT counted_of_day(k.seconds + k.more, k.manual, own.daily_cap_seconds, own.manual_counts)
               - counted_of_day(k.seconds, k.manual, own.daily_cap_seconds, own.manual_counts) AS counted
      FROM (SELECT coalesce(d.seconds, 0) AS seconds, coalesce(d.manual_seconds, 0) AS manual,
                   greatest(extract(epoch FROM clock - i.started_at), 0)::integer AS more) k
    ) n ON i.started_at >= since
    LEFT JOIN LATERAL live_score(CASE WHEN i.started_at < since THEN i.uid END, i.started_at, clock, own, this_month,
                                 next_month(this_month), today) l ON true
    WHERE m.group_id = which);
END $$;

-- The figures of a group's badge; no row where there is no such group.
CREATE OR REPLACE FUNCTION badge_figures(which uuid)
  RETURNS TABLE (month date, seconds bigint, member_count integer, studying integer)
  LANGUAGE plpgsql STABLE ROWS 1 SET plan_cache_mode = force_generic_plan SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  rules ranking_rules := group_rules_now(which);
  clock timestamptz := anthill_clock();
BEGIN
  IF rules.rules_id IS NULL THEN RETURN; END IF;
  RETURN QUERY
    SELECT month_of(study_day(clock, rules.time_zone, rules.day_starts_at)), group_month_seconds(which, rules),
           count(*)::integer, count(i.uid)::integer
    FROM group_members m
    LEFT JOIN study_intervals i ON i.uid = m.uid AND i.ended_at IS NULL AND i.started_at > clock - longest_interval()
    WHERE m.group_id = which;
END $$;
