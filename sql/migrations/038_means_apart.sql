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

-- What the lock of those who write means is held by.
CREATE FUNCTION group_means_key() RETURNS bigint LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
BEGIN
  RETURN hashtextextended(format('%s group_means', current_schema), 0);
END $$;

-- Whoever writes means holds this lock, and so sees what the last one wrote.
CREATE OR REPLACE FUNCTION lock_group_means() RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(group_means_key());
END $$;

-- Goes on with the round under way, or begins one if the last began so long ago. Answers whether there is more to do now;
-- while another does it, there is not.
CREATE OR REPLACE FUNCTION renew_group_means(pause interval DEFAULT '55 seconds', most integer DEFAULT 100)
  RETURNS boolean LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  clock timestamptz := anthill_clock();
  round group_means_round;
  these uuid[];
BEGIN
  IF NOT pg_try_advisory_xact_lock(group_means_key()) THEN RETURN false; END IF;
  SELECT * INTO round FROM group_means_round;
  IF round.reached IS NULL THEN
    IF clock >= round.began_at AND clock < round.began_at + pause THEN RETURN false; END IF;
    round.began_at := clock;
    round.reached := '00000000-0000-0000-0000-000000000000';
  END IF;
  these := ARRAY(SELECT g.group_id FROM groups g WHERE g.duel AND g.group_id > round.reached ORDER BY g.group_id LIMIT most);
  PERFORM count_group_means(these);
  IF cardinality(these) < most THEN
    UPDATE group_means_round SET began_at = round.began_at, reached = NULL, as_of = round.began_at;
    RETURN false;
  END IF;
  UPDATE group_means_round SET began_at = round.began_at, reached = these[most];
  RETURN true;
END $$;
