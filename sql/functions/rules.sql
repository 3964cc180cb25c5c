-- Rules: what a group's board counts, and from which month.

-- The row of these rules; made if nobody has declared them before.
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

-- The rules by which a group counts a month; before its first month, its first rules.
CREATE OR REPLACE FUNCTION group_rules_in(for_group uuid, in_month date) RETURNS ranking_rules
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
DECLARE
  rules ranking_rules;
BEGIN
  SELECT r.* INTO rules FROM group_rules g JOIN ranking_rules r USING (rules_id)
    WHERE g.group_id = for_group AND g.from_month <= in_month ORDER BY g.from_month DESC LIMIT 1;
  IF NOT FOUND THEN
    SELECT r.* INTO rules FROM group_rules g JOIN ranking_rules r USING (rules_id)
      WHERE g.group_id = for_group ORDER BY g.from_month LIMIT 1;
  END IF;
  RETURN rules;
END $$;

-- The rules by which a group counts at an instant. Of two rows the later one applies as soon as its month has begun by
-- its own clock.
CREATE OR REPLACE FUNCTION group_rules_now(for_group uuid, at timestamptz DEFAULT anthill_clock()) RETURNS ranking_rules
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
DECLARE
  rules ranking_rules;
BEGIN
  SELECT r.* INTO rules FROM group_rules g JOIN ranking_rules r USING (rules_id) WHERE g.group_id = for_group
    ORDER BY study_day_start(g.from_month, r.time_zone, r.day_starts_at) <= at DESC,
             g.from_month DESC LIMIT 1;
  RETURN rules;
END $$;

-- The rules that a group has declared and that are not yet in effect, in order: at most those of the next month and of
-- the month after.
CREATE OR REPLACE FUNCTION coming_rules(for_group uuid) RETURNS jsonb
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  RETURN (
    SELECT coalesce(jsonb_agg(jsonb_build_object(
             'from_month', g.from_month, 'time_zone', r.time_zone,
             'day_starts_at', to_char(r.day_starts_at, 'HH24:MI'), 'daily_cap_seconds', r.daily_cap_seconds,
             'manual_counts', r.manual_counts) ORDER BY g.from_month), '[]')
    FROM group_rules g JOIN ranking_rules r USING (rules_id)
    WHERE g.group_id = for_group AND study_day_start(g.from_month, r.time_zone, r.day_starts_at) > anthill_clock());
END $$;

-- The rules of these groups, with the months [from_month, until_month) in which they apply.
CREATE OR REPLACE FUNCTION rules_of_groups(group_ids uuid[])
  RETURNS TABLE (group_id uuid, rules_id integer, from_month date, until_month date)
  LANGUAGE plpgsql STABLE ROWS 2 SET search_path = public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    SELECT g.group_id, g.rules_id, g.from_month,
           coalesce(lead(g.from_month) OVER (PARTITION BY g.group_id ORDER BY g.from_month), 'infinity')
    FROM group_rules g WHERE g.group_id = ANY (group_ids);
END $$;

-- The rules of a group for months that are open or still to come.
CREATE OR REPLACE FUNCTION open_rules_of(for_group uuid) RETURNS integer[]
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  RETURN ARRAY(
    SELECT g.rules_id FROM rules_of_groups(ARRAY[for_group]) g JOIN ranking_rules r USING (rules_id)
    WHERE g.until_month > first_open_month(anthill_clock(), r.time_zone, r.day_starts_at));
END $$;

-- The first month that can still get other rules than these, by which a group counts now: the next, or the month after
-- if it is too late (rules_notice).
CREATE OR REPLACE FUNCTION rules_begin(rules ranking_rules) RETURNS date LANGUAGE plpgsql STABLE
  SET search_path = public, pg_temp AS $$
DECLARE
  clock timestamptz := anthill_clock();
  begins date := next_month(month_of(study_day(clock, rules.time_zone, rules.day_starts_at)));
BEGIN
  RETURN CASE WHEN study_day_start(begins, rules.time_zone, rules.day_starts_at) - rules_notice() < clock
              THEN next_month(begins) ELSE begins END;
END $$;

-- Declares new rules for a group, as one of its admins. Returns their first month.
CREATE OR REPLACE FUNCTION change_group_rules(
  actor uuid, for_group uuid, zone text DEFAULT NULL, starts time DEFAULT NULL, cap bigint DEFAULT NULL,
  manual boolean DEFAULT NULL
) RETURNS date LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  held groups := lock_group(for_group);
BEGIN
  PERFORM require_role(actor, held.group_id, 'owner', 'admin');
  RETURN declare_rules(actor, held.group_id, zone, starts, cap, manual);
END $$;

-- Declares new rules for a group from the first month that can still get them; NULL keeps what is declared for that
-- month already. Without an actor the operator declares them.
CREATE OR REPLACE FUNCTION declare_rules(
  actor uuid, for_group uuid, zone text DEFAULT NULL, starts time DEFAULT NULL, cap bigint DEFAULT NULL,
  manual boolean DEFAULT NULL
) RETURNS date LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  held groups := lock_group(for_group);
  begins date := rules_begin(group_rules_now(held.group_id));
  rules ranking_rules := group_rules_in(held.group_id, begins);
  new_rules integer;
  touched integer[] := open_rules_of(for_group);
  members uuid[];
BEGIN
  -- The members are locked before the rules, as where a group is founded: so the two never wait for each other.
  members := ARRAY(SELECT m.uid FROM group_members m WHERE m.group_id = for_group ORDER BY m.uid);
  PERFORM lock_students(members);
  new_rules := (find_rules(coalesce(zone, rules.time_zone), coalesce(starts, rules.day_starts_at),
                           coalesce(cap, rules.daily_cap_seconds), coalesce(manual, rules.manual_counts))).rules_id;
  DELETE FROM group_rules g WHERE g.group_id = for_group AND g.from_month >= begins;
  IF new_rules <> (group_rules_in(for_group, begins)).rules_id THEN
    INSERT INTO group_rules (group_id, from_month, rules_id) VALUES (for_group, begins, new_rules);
  END IF;
  PERFORM renew_counting(members, touched || new_rules);
  UPDATE webhooks w SET week_ends_at = (next_week_to_end(for_group)).ends_at
    WHERE w.group_id = for_group AND w.week_ends_at > anthill_clock();
  INSERT INTO audit_events (kind, actor, details)
    SELECT 'rules_declared', actor, jsonb_build_object(
      'group_id', for_group, 'from_month', to_char(begins, 'YYYY-MM'), 'time_zone', r.time_zone,
      'day_starts_at', to_char(r.day_starts_at, 'HH24:MI'), 'daily_cap_seconds', r.daily_cap_seconds,
      'manual_counts', r.manual_counts) || by_operator(actor)
    FROM ranking_rules r WHERE r.rules_id = new_rules;
  RETURN begins;
END $$;

-- A row of rules never changes: groups share it, and time has been counted by it.
CREATE OR REPLACE TRIGGER ranking_rules_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON ranking_rules
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- The rules of a closed month never change.
CREATE OR REPLACE FUNCTION refuse_other_rules() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  -- They go with their group.
  IF TG_OP = 'TRUNCATE' OR EXISTS (
    SELECT FROM groups g JOIN month_closes c USING (group_id)
    WHERE g.group_id IN (OLD.group_id, NEW.group_id) AND c.month >= least(OLD.from_month, NEW.from_month)
  ) THEN
    PERFORM refuse('group_rules_final', 'the rules of a closed month stay');
  END IF;
  RETURN coalesce(NEW, OLD);
END $$;
CREATE OR REPLACE TRIGGER group_rules_stay BEFORE INSERT OR UPDATE OR DELETE ON group_rules
  FOR EACH ROW EXECUTE FUNCTION refuse_other_rules();
CREATE OR REPLACE TRIGGER group_rules_kept BEFORE TRUNCATE ON group_rules
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_other_rules();
