-- Profiles: what the members of a group see of one another beside the board.

-- A member as another one sees them. today: the study day that they are in, if they show their days as well. No row if
-- one of the two is not in the group, or if the member hides there.
CREATE OR REPLACE FUNCTION member_profile(viewer_id uuid, for_group uuid, member uuid) RETURNS TABLE (
  nickname text, avatar uuid, role text, joined_at timestamptz, today date
) LANGUAGE plpgsql STABLE ROWS 1 SET search_path = public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    SELECT u.nickname, a.version, m.role, m.joined_at,
           CASE WHEN u.days_shown AND m.visibility = 'shown' THEN today_of(m.uid) END
    FROM group_members me
    JOIN group_members m ON m.group_id = me.group_id AND m.uid = member
    JOIN users u ON u.uid = m.uid
    LEFT JOIN shown_avatars a ON a.group_id = m.group_id AND a.uid = m.uid
    WHERE me.uid = viewer_id AND me.group_id = for_group AND (m.visibility <> 'hidden' OR m.uid = me.uid);
END $$;

-- A month of a member's own calendar, for another member whom they show it to; without the rest days that they plan.
CREATE OR REPLACE FUNCTION member_month(viewer_id uuid, for_group uuid, member uuid, in_month date) RETURNS json
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
DECLARE
  today date;
BEGIN
  SELECT p.today INTO today FROM member_profile(viewer_id, for_group, member) p;
  IF NOT FOUND THEN
    PERFORM refuse('member_not_found', 'no such member', 'no_data_found');
  ELSIF today IS NULL THEN
    PERFORM refuse('days_not_shown', 'they do not show their days', 'insufficient_privilege');
  ELSIF in_month > today THEN
    PERFORM refuse('future_month', 'what they plan is their own');
  END IF;
  RETURN (
    SELECT jsonb_set(m.month, '{days}', (
      SELECT jsonb_agg(CASE WHEN (d.value ->> 'day')::date > today THEN d.value || '{"rest": false}' ELSE d.value END
                       ORDER BY d.ordinality)
      FROM jsonb_array_elements(m.month -> 'days') WITH ORDINALITY d))
    FROM (SELECT calendar_month(member, in_month)::jsonb AS month) m);
END $$;

-- The last closed months of a group in which two people took part, newest first, with what became of both.
CREATE OR REPLACE FUNCTION months_of_both(viewer_id uuid, for_group uuid, member uuid) RETURNS TABLE (
  month date, my_rank integer, my_seconds integer, their_rank integer, their_seconds integer
) LANGUAGE plpgsql STABLE ROWS 12 SET search_path = public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    SELECT mine.month, mine.amended_rank, mine.amended_seconds, theirs.amended_rank, theirs.amended_seconds
    FROM standings mine
    JOIN standings theirs ON theirs.uid = member AND theirs.month = mine.month AND theirs.group_id = mine.group_id
    WHERE mine.uid = viewer_id AND mine.group_id = for_group AND member <> viewer_id
    ORDER BY mine.month DESC LIMIT profile_months();
END $$;
