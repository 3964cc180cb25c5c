-- A closed month's mean that cannot be counted keeps no month open, and no amendment and no group from what they do.

-- Counts the mean of a closed month; one that fails is left out, with a warning in the database's log. It is counted anew
-- with the next amendment, or when the group takes part anew. Only under the lock.
CREATE OR REPLACE FUNCTION count_closed_mean(which uuid, in_month date) RETURNS void
  LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  DELETE FROM group_means k WHERE k.group_id = which AND k.month = in_month;
  BEGIN
    INSERT INTO group_means (month, group_id, rules_id, member_count, mean_seconds)
      SELECT in_month, which, (group_rules_in(which, in_month)).rules_id, count(*), sum(s.seconds - s.manual_seconds) / count(*)
      FROM closed_scores(which, in_month) s HAVING count(*) >= 5;
  EXCEPTION WHEN OTHERS THEN
    RAISE WARNING 'the mean of group % in % could not be counted: %', which, in_month, SQLERRM;
  END;
END $$;
