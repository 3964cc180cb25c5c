-- Reading groups: what a member sees of one.

CREATE TYPE group_summary AS (
  group_id uuid, name text, description text, created_at timestamptz, member_count integer,
  my_role text, my_visibility text, time_zone text, day_starts_at time, daily_cap_seconds integer, manual_counts boolean,
  next_from_month date, next_time_zone text, next_day_starts_at time, next_daily_cap_seconds integer,
  next_manual_counts boolean
);

-- A group as one of its members sees it, with the rules of now and those declared for later; to others, no row.
CREATE FUNCTION group_details(whose uuid, which uuid) RETURNS SETOF group_summary
  LANGUAGE plpgsql STABLE ROWS 1 SET search_path FROM CURRENT AS $$
DECLARE
  rules ranking_rules := group_rules_now(which);
BEGIN
  RETURN QUERY
    SELECT g.group_id, g.name, g.description, g.created_at,
           (SELECT count(*)::integer FROM group_members x WHERE x.group_id = which), m.role, m.visibility,
           rules.time_zone, rules.day_starts_at, rules.daily_cap_seconds, rules.manual_counts,
           next.from_month, next.time_zone, next.day_starts_at, next.daily_cap_seconds, next.manual_counts
    FROM group_members m
    JOIN groups g USING (group_id)
    LEFT JOIN LATERAL (
      SELECT n.from_month, r.* FROM group_rules n JOIN ranking_rules r USING (rules_id)
      WHERE n.group_id = which AND study_day_start(n.from_month, r.time_zone, r.day_starts_at) > anthill_clock()
      ORDER BY n.from_month LIMIT 1
    ) next ON true
    WHERE m.uid = whose AND m.group_id = which;
END $$;

CREATE FUNCTION groups_of(whose uuid) RETURNS SETOF group_summary
  LANGUAGE plpgsql STABLE ROWS 20 SET search_path FROM CURRENT AS $$
BEGIN
  RETURN QUERY
    SELECT d.* FROM group_members m CROSS JOIN LATERAL group_details(whose, m.group_id) d
    WHERE m.uid = whose ORDER BY m.joined_at, m.group_id;
END $$;
