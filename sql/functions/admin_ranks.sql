-- The boards that a script of sql/maintenance touches, for showing ranks before and after.

-- Whom the variables of a script name: people, groups, and a month. An undo touches what its change touched. `boards`
-- are groups whose ranks were shown before the change: somebody who is erased has no memberships afterwards.
CREATE OR REPLACE FUNCTION touched_by(given jsonb, OUT people uuid[], OUT group_ids uuid[], OUT in_month date)
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
DECLARE
  undone admin_changes;
BEGIN
  SELECT * INTO undone FROM admin_changes c WHERE c.number = (given ->> 'change')::bigint;
  given := coalesce(undone.undo, '{}') || given;
  people := array_remove(ARRAY[undone.uid, (given ->> 'uid')::uuid, (given ->> 'second')::uuid], NULL);
  group_ids := array_remove(ARRAY[(given ->> 'group')::uuid], NULL)
    || ARRAY(SELECT b::uuid FROM jsonb_array_elements_text(given -> 'boards') b);
  in_month := (left(given ->> 'month', 7) || '-01')::date;
END $$;

-- The same in words.
CREATE OR REPLACE FUNCTION admin_touches(given jsonb) RETURNS text LANGUAGE plpgsql STABLE
  SET search_path = public, pg_temp AS $$
DECLARE
  touched record := touched_by(given);
BEGIN
  RETURN (
    SELECT 'It touches ' || string_agg(x.what, ', ' ORDER BY x.place, x.what) || '.'
    FROM (
      SELECT 1 AS place, format('%s (%s)', u.nickname, u.uid) AS what FROM users u WHERE u.uid = ANY (touched.people)
      UNION ALL
      SELECT 2, format('the group %s (%s, members: %s)', g.name, g.group_id,
                       (SELECT count(*) FROM group_members m WHERE m.group_id = g.group_id))
      FROM groups g WHERE g.group_id = ANY (touched.group_ids)
    ) x);
END $$;

-- The months of a group's board, or of the global board, that a change can touch: those that have begun and are not
-- closed, each by its own clock, and one that is named.
CREATE OR REPLACE FUNCTION months_to_show(for_group uuid, named date, at timestamptz) RETURNS SETOF date
  LANGUAGE plpgsql STABLE ROWS 2 SET search_path = public, pg_temp AS $$
BEGIN
  RETURN QUERY
    SELECT DISTINCT b.begins
    FROM (VALUES (month_of((at - interval '2 months')::date), (at + interval '2 days')::date),
                 (named, next_month(named))) s (first_day, until_day)
    CROSS JOIN LATERAL board_months(for_group, s.first_day, s.until_day) b
    WHERE study_day_start(b.begins, b.time_zone, b.day_starts_at) <= at AND (b.closes_at > at OR b.begins = named);
END $$;

-- Ranks and seconds on the boards by month that a script touches, as they stand at an instant: everybody on the boards
-- of the groups, and on the global board only the people who are touched, whom `touched` marks.
CREATE OR REPLACE FUNCTION admin_ranks(given jsonb, at timestamptz) RETURNS TABLE (
  board_id text, board text, month date, uid uuid, nickname text, touched boolean, rank integer, seconds integer
) LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  whom record := touched_by(given);
  rules integer := global_rules();
  group_ids uuid[];
BEGIN
  group_ids := ARRAY(SELECT h.group_id FROM group_membership_history h WHERE h.uid = ANY (whom.people));
  RETURN QUERY
    SELECT g.group_id::text, g.name, m.month, b.uid, b.nickname, b.uid = ANY (whom.people), b.rank, b.seconds
    FROM groups g
    CROSS JOIN LATERAL months_to_show(g.group_id, whom.in_month, admin_ranks.at) m (month)
    CROSS JOIN LATERAL board(g.group_id, 'month', m.month, admin_ranks.at) b
    WHERE b.uid IS NOT NULL AND (g.group_id = ANY (whom.group_ids) OR g.group_id = ANY (group_ids));
  RETURN QUERY
    WITH totals AS MATERIALIZED (
      SELECT t.uid, t.month, t.counted_seconds FROM month_totals t
      WHERE t.rules_id = rules AND t.uid = ANY (whom.people) AND t.counted_seconds > 0
    )
    SELECT 'global', 'the global board', t.month, t.uid, u.nickname, true,
           count_above('month', t.month, t.counted_seconds) + 1, t.counted_seconds
    FROM months_to_show(NULL, whom.in_month, admin_ranks.at) m (month)
    JOIN totals t ON t.month = m.month
    JOIN users u ON u.uid = t.uid;
END $$;
