-- Choices of a user that reach into what is recorded or counted.

-- Another study clock, for what is recorded from now on; a running interval keeps its own.
CREATE FUNCTION set_study_clock(whose uuid, zone text, starts time) RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  owner users := hold_user(whose);
BEGIN
  UPDATE users u SET time_zone = zone, day_starts_at = starts WHERE u.uid = owner.uid;
END $$;

-- Another daily goal, for today and the days to come; a day that has ended keeps the goal it had.
CREATE FUNCTION set_daily_goal(whose uuid, goal bigint) RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  owner users := hold_user(whose);
BEGIN
  UPDATE users u SET daily_goal_seconds = goal WHERE u.uid = owner.uid;
  UPDATE study_days d SET goal_seconds = goal
    WHERE d.uid = owner.uid AND d.day >= study_day(anthill_clock(), owner.time_zone, owner.day_starts_at);
END $$;

-- On to the global board with the months that are open, or off it: then nothing of these months stays there. A month
-- that has closed stays as it was closed.
CREATE FUNCTION set_global_board(whose uuid, wanted boolean) RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  owner users := hold_user(whose);
  rules ranking_rules;
  first date;
BEGIN
  UPDATE users u SET global_board = wanted WHERE u.uid = owner.uid;
  SELECT * INTO STRICT rules FROM ranking_rules r WHERE r.is_global;
  first := first_open_month(anthill_clock(), rules.time_zone, rules.day_starts_at);
  IF wanted THEN
    PERFORM count_under(whose, rules.rules_id, first, 'infinity');
  ELSE
    PERFORM lock_ended_month(rules.rules_id, first);
    first := first_open_month(anthill_clock(), rules.time_zone, rules.day_starts_at);
    DELETE FROM day_totals t WHERE t.rules_id = rules.rules_id AND t.uid = whose AND t.day >= first;
    DELETE FROM month_totals t WHERE t.rules_id = rules.rules_id AND t.uid = whose AND t.month >= first;
    DELETE FROM counted_under c WHERE c.rules_id = rules.rules_id AND c.uid = whose AND c.from_month >= first;
    UPDATE counted_under c SET until_month = first
      WHERE c.rules_id = rules.rules_id AND c.uid = whose AND c.until_month > first;
  END IF;
END $$;
