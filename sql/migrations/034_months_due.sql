-- A group whose month cannot be closed keeps no other waiting.

-- The months that are due to be closed now, the oldest of each group, but not of those that failed just now.
DROP FUNCTION months_due();
CREATE FUNCTION months_due(failed uuid[] DEFAULT '{}') RETURNS TABLE (group_id uuid, month date)
  LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  unknown uuid;
BEGIN
  FOR unknown IN SELECT g.group_id FROM groups g WHERE g.open_month_closes_at IS NULL FOR NO KEY UPDATE SKIP LOCKED LOOP
    PERFORM find_open_month(unknown);
  END LOOP;
  RETURN QUERY SELECT g.group_id, g.open_month FROM groups g
    WHERE g.open_month_closes_at <= anthill_clock() AND g.group_id <> ALL (failed)
    ORDER BY g.open_month_closes_at, g.group_id LIMIT 100;
END $$;
