-- Sums over a group, for its goal and its badge. They name nobody.

-- What all members of a group but the hidden ones have together on its board of the current month, how many are
-- studying, and how many were counted.
CREATE OR REPLACE FUNCTION group_sums(for_group uuid) RETURNS TABLE (
  month date, seconds bigint, studying integer, people integer
) LANGUAGE plpgsql STABLE ROWS 1 SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  clock timestamptz := anthill_clock();
BEGIN
  month := month_of(group_day(for_group, clock));
  IF month IS NULL THEN RETURN; END IF;
  RETURN QUERY
    SELECT group_sums.month, coalesce(sum(b.seconds), 0), (count(*) FILTER (WHERE b.studying))::integer,
           count(*)::integer
    FROM board_scores(for_group, group_sums.month, next_month(group_sums.month),
                      board_today(for_group, group_sums.month, next_month(group_sums.month), clock), clock) b
    WHERE b.visibility <> 'hidden';
END $$;

-- The figures of a group's badge; no row if there is no such group.
CREATE OR REPLACE FUNCTION badge_figures(for_group uuid)
  RETURNS TABLE (month date, seconds bigint, member_count integer, studying integer)
  LANGUAGE plpgsql STABLE ROWS 1 SET search_path = public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    SELECT s.month, s.seconds, (SELECT count(*)::integer FROM group_members m WHERE m.group_id = for_group), s.studying
    FROM group_sums(for_group) s;
END $$;
