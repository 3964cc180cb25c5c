-- Standings: the final board of a month, written once and sealed with a digest. Here is who may read them, and what
-- members see of past months.

-- Whether somebody may read a group's closed months: its members may, and when they are public also strangers, who have
-- no UID here.
CREATE OR REPLACE FUNCTION may_read_months(viewer_id uuid, for_group uuid) RETURNS boolean
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  IF viewer_id IS NULL THEN
    RETURN EXISTS (SELECT FROM groups g WHERE g.group_id = for_group AND g.months_public);
  END IF;
  RETURN EXISTS (SELECT FROM group_members m WHERE m.uid = viewer_id AND m.group_id = for_group);
END $$;

-- The closed months of a group, newest first, with the viewer's own place in each (hidden or not).
CREATE OR REPLACE FUNCTION closed_months(viewer_id uuid, for_group uuid, before date, page bigint) RETURNS TABLE (
  month date, closed_at timestamptz, sha256 text, participants integer, amendments integer, rank integer,
  seconds integer
) LANGUAGE plpgsql STABLE ROWS 12 SET search_path = public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  IF NOT may_read_months(viewer_id, for_group) THEN
    PERFORM refuse('group_not_found', 'no such group', 'no_data_found');
  END IF;
  RETURN QUERY
    SELECT c.month, c.closed_at, encode(c.sha256, 'hex'), c.participants,
           (SELECT count(*)::integer FROM amendments a WHERE a.group_id = for_group AND a.month = c.month),
           s.amended_rank, s.amended_seconds
    FROM month_closes c
    LEFT JOIN standings s ON s.uid = viewer_id AND s.month = c.month AND s.group_id = for_group
    WHERE c.group_id = for_group AND (before IS NULL OR c.month < before)
    ORDER BY c.month DESC LIMIT page;
END $$;

-- A user's own places in the closed months of all groups, newest first; including groups they left and groups that were
-- deleted.
CREATE OR REPLACE FUNCTION own_standings(user_id uuid) RETURNS TABLE (
  group_id uuid, group_name text, month date, rank integer, participants integer, seconds integer,
  manual_seconds integer
) LANGUAGE plpgsql STABLE ROWS 24 SET search_path = public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    SELECT s.group_id, coalesce(g.name, c.group_name), s.month, s.amended_rank, c.participants, s.amended_seconds,
           least(s.manual_seconds, s.amended_seconds)
    FROM standings s
    JOIN month_closes c USING (group_id, month)
    LEFT JOIN groups g USING (group_id)
    WHERE s.uid = user_id
    ORDER BY s.month DESC, s.group_id;
END $$;

-- After a month was closed or amended, recounts how often its people won, stood on the podium and took part, and their
-- best month. This covers everybody on its podium now or before. Their standings are locked: nobody who is being erased
-- gets a new row.
CREATE OR REPLACE FUNCTION renew_fame(for_group uuid, in_month date) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  people uuid[] := ARRAY(
    SELECT s.uid FROM standings s
    WHERE s.group_id = for_group AND s.month = in_month AND s.uid IS NOT NULL
      AND (s.amended_rank <= 3 OR EXISTS (SELECT FROM fame f WHERE f.group_id = for_group AND f.uid = s.uid))
    FOR SHARE OF s);
BEGIN
  DELETE FROM fame f WHERE f.group_id = for_group AND f.uid = ANY (people);
  INSERT INTO fame (group_id, uid, firsts, podiums, months, best_month, best_seconds)
    SELECT for_group, c.* FROM counted_fame(for_group, people) c;
END $$;

-- How often these people won in a group's closed months and stood on the podium, and their best month of all in which
-- they took part; without people who never stood there. A place without a second is none.
CREATE OR REPLACE FUNCTION counted_fame(for_group uuid, people uuid[]) RETURNS TABLE (
  uid uuid, firsts integer, podiums integer, months integer, best_month date, best_seconds integer
) LANGUAGE plpgsql STABLE ROWS 30 SET search_path = public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    SELECT c.* FROM (
      SELECT s.uid, (count(*) FILTER (WHERE p.place = 1))::integer,
             (count(*) FILTER (WHERE p.place <= 3))::integer AS podiums,
             count(*)::integer, (array_agg(s.month ORDER BY s.amended_seconds DESC, s.month))[1], max(s.amended_seconds)
      FROM standings s
      CROSS JOIN LATERAL (SELECT CASE WHEN s.amended_seconds > 0 THEN s.amended_rank END AS place) p
      WHERE s.uid = ANY (people) AND s.group_id = for_group
      GROUP BY s.uid
    ) c
    WHERE c.podiums > 0;
END $$;

-- The hall of fame: everybody who ever stood on a podium of the group and is visible, with wins and best month.
CREATE OR REPLACE FUNCTION hall_of_fame(viewer_id uuid, for_group uuid) RETURNS TABLE (
  uid uuid, nickname text, avatar uuid, firsts integer, podiums integer, months integer, best_month date,
  best_seconds integer
) LANGUAGE plpgsql STABLE ROWS 30 SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  people uuid[];                                          -- who has left
BEGIN
  PERFORM require_role(viewer_id, for_group, 'owner', 'admin', 'member');
  people := ARRAY(
    SELECT f.uid FROM fame f LEFT JOIN group_members m ON m.uid = f.uid AND m.group_id = for_group
    WHERE f.group_id = for_group AND m.uid IS NULL);
  RETURN QUERY
    WITH stays AS MATERIALIZED (
      SELECT DISTINCT ON (h.uid) h.uid, h.visibility FROM group_membership_history h
      WHERE h.uid = ANY (people) AND h.group_id = for_group
      ORDER BY h.uid, h.joined_at DESC
    )
    SELECT f.uid, u.nickname, a.version, f.firsts, f.podiums, f.months, f.best_month, f.best_seconds
    FROM fame f
    JOIN users u ON u.uid = f.uid
    LEFT JOIN group_members m ON m.uid = f.uid AND m.group_id = for_group
    LEFT JOIN shown_avatars a ON a.uid = f.uid AND a.group_id = for_group
    LEFT JOIN stays h ON h.uid = f.uid
    WHERE f.group_id = for_group
      AND (f.uid = viewer_id OR coalesce(m.visibility, h.visibility, 'shown') <> 'hidden')
    ORDER BY f.firsts DESC, f.podiums DESC, f.best_seconds DESC, f.uid;
END $$;

-- Removes an account from standings when it is deleted. Who was hidden stays hidden. The digests still hold.
CREATE OR REPLACE FUNCTION forget_in_standings(user_id uuid) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  hidden_in uuid[] := ARRAY(
    SELECT x.group_id FROM (
      SELECT DISTINCT ON (h.group_id) h.group_id, h.visibility FROM group_membership_history h
      WHERE h.uid = user_id ORDER BY h.group_id, h.joined_at DESC
    ) x
    WHERE x.visibility = 'hidden');
  changed record;
BEGIN
  FOR changed IN
    UPDATE standings s SET uid = NULL, salt = NULL, nickname = NULL, hidden = s.group_id = ANY (hidden_in)
      WHERE s.uid = user_id RETURNING s.group_id, s.month
  LOOP
    CONTINUE WHEN NOT EXISTS (SELECT FROM groups g WHERE g.group_id = changed.group_id AND g.duel);
    -- Whether somebody was suspended is no longer known, so they count.
    PERFORM lock_group_means();
    PERFORM count_closed_mean(changed.group_id, changed.month);
  END LOOP;
END $$;
