-- Membership: groups and who is in them. Whatever changes who is counted under which rules (joining, leaving, a change
-- of rules, the choice about the global board) moves counted_under and the totals in the same transaction.
--
-- Every change of a group's members locks the group's row first and the members' rows after it, in the order of their
-- uid: last owners, uses of invitations and group sizes are decided one after the other.

-- The row of these rules, made when nobody has declared them before.
CREATE FUNCTION find_rules(zone text, starts time, cap bigint, manual boolean)
  RETURNS ranking_rules LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  rules ranking_rules;
BEGIN
  LOOP
    SELECT * INTO rules FROM ranking_rules r
      WHERE NOT r.is_global AND r.time_zone = zone AND r.day_starts_at = starts
        AND r.daily_cap_seconds = cap AND r.manual_counts = manual;
    IF FOUND THEN RETURN rules; END IF;
    INSERT INTO ranking_rules (time_zone, day_starts_at, daily_cap_seconds, manual_counts)
      VALUES (zone, starts, cap, manual) ON CONFLICT DO NOTHING;
  END LOOP;
END $$;

-- The rules a group counts a month by; before its first month, the first it had.
CREATE FUNCTION group_rules_in(which uuid, in_month date) RETURNS ranking_rules
  LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
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
CREATE FUNCTION group_rules_now(which uuid) RETURNS ranking_rules
  LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
DECLARE
  rules ranking_rules;
BEGIN
  SELECT r.* INTO rules FROM group_rules g JOIN ranking_rules r USING (rules_id) WHERE g.group_id = which
    ORDER BY study_day_start(g.from_month, r.time_zone, r.day_starts_at) <= anthill_clock() DESC,
             g.from_month DESC LIMIT 1;
  RETURN rules;
END $$;

-- Counts a user under exactly what their memberships say, as far as these rules are touched: from this month on where
-- they are new to them, up to the end of this month where they are no longer theirs.
CREATE FUNCTION renew_counting(whose uuid, touched integer[]) RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  stretch record;
BEGIN
  FOR stretch IN SELECT DISTINCT t.rules_id FROM unnest(touched) t (rules_id) ORDER BY t.rules_id LOOP
    PERFORM stop_counting_under(whose, stretch.rules_id);
  END LOOP;
  FOR stretch IN
    SELECT g.rules_id, g.from_month, coalesce(lead(g.from_month) OVER w, 'infinity') AS until_month
    FROM group_members m JOIN group_rules g USING (group_id) WHERE m.uid = whose
    WINDOW w AS (PARTITION BY g.group_id ORDER BY g.from_month)
    ORDER BY g.rules_id, g.from_month
  LOOP
    IF stretch.rules_id = ANY (touched) THEN
      PERFORM count_under(whose, stretch.rules_id, stretch.from_month, stretch.until_month);
    END IF;
  END LOOP;
END $$;

-- Locks a group's row.
CREATE FUNCTION hold_group(which uuid) RETURNS groups LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  held groups;
BEGIN
  SELECT * INTO held FROM groups g WHERE g.group_id = which FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'no such group' USING ERRCODE = 'no_data_found', CONSTRAINT = 'group_not_found';
  END IF;
  RETURN held;
END $$;

-- Sees to it that somebody is a member with one of these roles. To a stranger a group does not exist.
CREATE FUNCTION require_role(actor uuid, which uuid, VARIADIC roles text[])
  RETURNS text LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
DECLARE
  held text := (SELECT m.role FROM group_members m WHERE m.uid = actor AND m.group_id = which);
BEGIN
  IF held IS NULL THEN
    RAISE EXCEPTION 'no such group' USING ERRCODE = 'no_data_found', CONSTRAINT = 'group_not_found';
  ELSIF held <> ALL (roles) THEN
    RAISE EXCEPTION 'only an % may do this', array_to_string(roles, ' or ')
      USING ERRCODE = 'insufficient_privilege',
            CONSTRAINT = CASE WHEN 'admin' = ANY (roles) THEN 'needs_admin' ELSE 'needs_owner' END;
  END IF;
  RETURN held;
END $$;

-- Makes somebody a member of a group whose row the caller holds.
CREATE FUNCTION enter_group(whose uuid, which uuid, as_role text)
  RETURNS timestamptz LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  newcomer users := hold_user(whose);
  clock timestamptz := anthill_clock();
  broken text;
BEGIN
  IF EXISTS (SELECT FROM group_bans b WHERE b.uid = whose AND b.group_id = which) THEN
    RAISE EXCEPTION 'banned from this group' USING ERRCODE = 'insufficient_privilege', CONSTRAINT = 'banned';
  END IF;
  broken := CASE
    WHEN EXISTS (SELECT FROM group_members m WHERE m.uid = whose AND m.group_id = which) THEN 'already_member'
    WHEN (SELECT count(*) FROM group_members m WHERE m.uid = whose) >= 20 THEN 'too_many_groups'
    WHEN (SELECT count(*) FROM group_members m WHERE m.group_id = which) >= 5000 THEN 'group_full'
  END;
  IF broken IS NOT NULL THEN
    RAISE EXCEPTION 'cannot join: %', broken USING ERRCODE = 'check_violation', CONSTRAINT = broken;
  END IF;
  INSERT INTO group_members (uid, group_id, role, joined_at) VALUES (newcomer.uid, which, as_role, clock);
  INSERT INTO group_membership_history (uid, group_id, joined_at) VALUES (newcomer.uid, which, clock);
  PERFORM renew_counting(whose, ARRAY(SELECT g.rules_id FROM group_rules g WHERE g.group_id = which));
  RETURN clock;
END $$;

-- Ends somebody's membership of a group whose row the caller holds. What they studied this month stays counted, and on
-- past boards they are shown as they last wished. A stay that ends in the second in which it began leaves no trace.
CREATE FUNCTION quit_group(whose uuid, which uuid) RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  leaver users := hold_user(whose);
  clock timestamptz := anthill_clock();
  shown_as text;
BEGIN
  DELETE FROM group_members m WHERE m.uid = leaver.uid AND m.group_id = which RETURNING m.visibility INTO shown_as;
  DELETE FROM group_membership_history h
    WHERE h.uid = whose AND h.group_id = which AND h.left_at IS NULL AND h.joined_at >= clock;
  UPDATE group_membership_history h SET left_at = coalesce(h.left_at, clock), visibility = shown_as
    WHERE h.uid = whose AND h.group_id = which;
  PERFORM renew_counting(whose, ARRAY(SELECT g.rules_id FROM group_rules g WHERE g.group_id = which));
END $$;

-- Founds a group with its owner as the first member. Rules that are not given are the owner's clock, a cap of 16 h,
-- and manual time counting.
CREATE FUNCTION create_group(
  owner uuid, group_name text, about text DEFAULT NULL, zone text DEFAULT NULL, starts time DEFAULT NULL,
  cap bigint DEFAULT NULL, manual boolean DEFAULT NULL
) RETURNS uuid LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  founder users := hold_user(owner);
  clock timestamptz := anthill_clock();
  rules ranking_rules;
  made uuid;
BEGIN
  INSERT INTO groups (name, description, created_at) VALUES (group_name, coalesce(about, ''), clock)
    RETURNING group_id INTO made;
  rules := find_rules(coalesce(zone, founder.time_zone), coalesce(starts, founder.day_starts_at),
                      coalesce(cap, 57600), coalesce(manual, true));
  INSERT INTO group_rules (group_id, from_month, rules_id)
    VALUES (made, first_open_month(clock, rules.time_zone, rules.day_starts_at), rules.rules_id);
  PERFORM enter_group(owner, made, 'owner');
  RETURN made;
END $$;

-- Declares other rules for a group, from the next month on; in the last 48 h of a month, from the one after. What was
-- declared before and has not begun is replaced. Answers the month they begin with.
CREATE FUNCTION change_group_rules(
  actor uuid, which uuid, zone text DEFAULT NULL, starts time DEFAULT NULL, cap bigint DEFAULT NULL,
  manual boolean DEFAULT NULL
) RETURNS date LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
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
  IF study_day_start(begins, rules.time_zone, rules.day_starts_at) - interval '48 hours' < clock THEN
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
  RETURN begins;
END $$;

-- Ends a membership: one's own (leaving), or another's (an admin removes members, an owner anybody), with a ban if so
-- wanted. The last owner stays until there is another.
CREATE FUNCTION remove_member(actor uuid, which uuid, member uuid, ban boolean DEFAULT false)
  RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  held groups := hold_group(which);
  actor_role text := require_role(actor, held.group_id, 'owner', 'admin', 'member');
  member_role text := (SELECT m.role FROM group_members m WHERE m.uid = member AND m.group_id = which);
BEGIN
  IF actor <> member THEN
    PERFORM require_role(actor, which, 'owner', 'admin');
    IF member_role IS NULL THEN
      RAISE EXCEPTION 'no such member' USING ERRCODE = 'no_data_found', CONSTRAINT = 'member_not_found';
    ELSIF member_role <> 'member' THEN
      PERFORM require_role(actor, which, 'owner');
    END IF;
  END IF;
  IF member_role = 'owner' THEN PERFORM require_other_owner(which, member); END IF;
  PERFORM quit_group(member, which);
  IF actor <> member THEN
    IF ban THEN INSERT INTO group_bans (uid, group_id, banned_by, banned_at) VALUES (member, which, actor, anthill_clock()); END IF;
    INSERT INTO audit_events (kind, uid, actor, details)
      VALUES (CASE WHEN ban THEN 'member_banned' ELSE 'member_removed' END, member, actor,
              jsonb_build_object('group_id', which, 'by', actor_role));
  END IF;
END $$;

-- A group is never without an owner.
CREATE FUNCTION require_other_owner(which uuid, than uuid) RETURNS void LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM group_members m WHERE m.group_id = which AND m.role = 'owner' AND m.uid <> than) THEN
    RAISE EXCEPTION 'a group needs an owner' USING ERRCODE = 'check_violation', CONSTRAINT = 'last_owner';
  END IF;
END $$;

-- Gives a member another role; only owners do.
CREATE FUNCTION set_member_role(actor uuid, which uuid, member uuid, new_role text)
  RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  held groups := hold_group(which);
  old_role text := (SELECT m.role FROM group_members m WHERE m.uid = member AND m.group_id = held.group_id);
BEGIN
  PERFORM require_role(actor, which, 'owner');
  IF old_role IS NULL THEN
    RAISE EXCEPTION 'no such member' USING ERRCODE = 'no_data_found', CONSTRAINT = 'member_not_found';
  ELSIF old_role = 'owner' AND new_role <> 'owner' THEN
    PERFORM require_other_owner(which, member);
  END IF;
  UPDATE group_members m SET role = new_role WHERE m.uid = member AND m.group_id = which;
  INSERT INTO audit_events (kind, uid, actor, details)
    VALUES ('member_role_changed', member, actor, jsonb_build_object('group_id', which, 'from', old_role, 'to', new_role));
END $$;

-- Dissolves a group: everybody leaves, and the group, its rules and its invitations are gone.
CREATE FUNCTION delete_group(actor uuid, which uuid) RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  held groups := hold_group(which);
  member uuid;
BEGIN
  PERFORM require_role(actor, which, 'owner');
  FOR member IN SELECT m.uid FROM group_members m WHERE m.group_id = held.group_id ORDER BY m.uid LOOP
    PERFORM quit_group(member, which);
  END LOOP;
  DELETE FROM groups g WHERE g.group_id = which;
  INSERT INTO audit_events (kind, actor, details) VALUES ('group_deleted', actor, jsonb_build_object('group_id', which));
END $$;
