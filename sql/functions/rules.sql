-- Rules: what a group's board counts, and from which month on.

-- The row of these rules, made when nobody has declared them before.
CREATE OR REPLACE FUNCTION find_rules(zone text, starts time, cap bigint, manual boolean)
  RETURNS ranking_rules LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  rules ranking_rules;
BEGIN
  FOR attempt IN 1..2 LOOP
    SELECT * INTO rules FROM ranking_rules r
      WHERE NOT r.is_global AND r.time_zone = zone AND r.day_starts_at = starts
        AND r.daily_cap_seconds = cap AND r.manual_counts = manual;
    EXIT WHEN FOUND;
    INSERT INTO ranking_rules (time_zone, day_starts_at, daily_cap_seconds, manual_counts)
      VALUES (zone, starts, cap, manual) ON CONFLICT DO NOTHING;
  END LOOP;
  RETURN rules;
END $$;

-- The rules a group counts a month by; before its first month, the first it had.
CREATE OR REPLACE FUNCTION group_rules_in(which uuid, in_month date) RETURNS ranking_rules
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
DECLARE
  rules ranking_rules;
BEGIN
  SELECT r.* INTO rules FROM group_rules g JOIN ranking_rules r USING (rules_id)
    WHERE g.group_id = which AND g.from_month <= in_month ORDER BY g.from_month DESC LIMIT 1;
  IF NOT FOUND THEN
    SELECT r.* INTO rules FROM group_rules g JOIN ranking_rules r USING (rules_id)
      WHERE g.group_id = which ORDER BY g.from_month LIMIT 1;
  END IF;
  RETURN rules;
END $$;

-- The rules a group counts by now. Of two rows the later one holds as soon as its own month has begun by its own clock.
CREATE OR REPLACE FUNCTION group_rules_now(which uuid) RETURNS ranking_rules
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
DECLARE
  rules ranking_rules;
BEGIN
  SELECT r.* INTO rules FROM group_rules g JOIN ranking_rules r USING (rules_id) WHERE g.group_id = which
    ORDER BY study_day_start(g.from_month, r.time_zone, r.day_starts_at) <= anthill_clock() DESC,
             g.from_month DESC LIMIT 1;
  RETURN rules;
END $$;

-- Declares other rules for a group, from the next month on; too late for that (rules_notice), from the one after. What was
-- declared before and has not begun is replaced. Answers the month they begin with.
CREATE OR REPLACE FUNCTION change_group_rules(
  actor uuid, which uuid, zone text DEFAULT NULL, starts time DEFAULT NULL, cap bigint DEFAULT NULL,
  manual boolean DEFAULT NULL
) RETURNS date LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  held groups := hold_group(which);
  clock timestamptz := anthill_clock();
  rules ranking_rules := group_rules_now(held.group_id);
  begins date;
  new_rules integer;
  touched integer[];
  member uuid;
BEGIN
  PERFORM require_role(actor, which, 'owner', 'admin');
  begins := next_month(month_of(study_day(clock, rules.time_zone, rules.day_starts_at)));
  IF study_day_start(begins, rules.time_zone, rules.day_starts_at) - rules_notice() < clock THEN
    begins := next_month(begins);
  END IF;
  new_rules := (find_rules(coalesce(zone, rules.time_zone), coalesce(starts, rules.day_starts_at),
                           coalesce(cap, rules.daily_cap_seconds), coalesce(manual, rules.manual_counts))).rules_id;
  touched := ARRAY(SELECT g.rules_id FROM group_rules g WHERE g.group_id = which) || new_rules;
  DELETE FROM group_rules g WHERE g.group_id = which AND g.from_month >= begins;
  IF new_rules <> (group_rules_in(which, begins)).rules_id THEN
    INSERT INTO group_rules (group_id, from_month, rules_id) VALUES (which, begins, new_rules);
  END IF;
  FOR member IN SELECT m.uid FROM group_members m WHERE m.group_id = which ORDER BY m.uid LOOP
    PERFORM hold_user(member);
    PERFORM renew_counting(member, touched);
  END LOOP;
  INSERT INTO audit_events (kind, actor, details)
    SELECT 'rules_declared', actor, jsonb_build_object(
      'group_id', which, 'from_month', to_char(begins, 'YYYY-MM'), 'time_zone', r.time_zone,
      'day_starts_at', to_char(r.day_starts_at, 'HH24:MI'), 'daily_cap_seconds', r.daily_cap_seconds,
      'manual_counts', r.manual_counts)
    FROM ranking_rules r WHERE r.rules_id = new_rules;
  RETURN begins;
END $$;
