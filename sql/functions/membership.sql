-- Membership: who is in a group. Whatever changes who is counted under which rules (joining, leaving, a change of
-- rules, the choice about the global board) moves counted_under and the totals in the same transaction.
--
-- Every change of a group's members locks the group's row first and the members' rows after it, in the order of their
-- uid: last owners, uses of invitations and group sizes are decided one after the other.

-- Locks a group's row.
CREATE OR REPLACE FUNCTION hold_group(which uuid) RETURNS groups LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
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
CREATE OR REPLACE FUNCTION require_role(actor uuid, which uuid, VARIADIC roles text[])
  RETURNS text LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
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

-- A group is never without an owner.
CREATE OR REPLACE FUNCTION require_other_owner(which uuid, than uuid) RETURNS void LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM group_members m WHERE m.group_id = which AND m.role = 'owner' AND m.uid <> than) THEN
    RAISE EXCEPTION 'a group needs an owner' USING ERRCODE = 'check_violation', CONSTRAINT = 'last_owner';
  END IF;
END $$;

-- Counts a user under exactly what their memberships say, as far as these rules are touched: from this month on where
-- they are new to them, up to the end of this month where they are no longer theirs.
CREATE OR REPLACE FUNCTION renew_counting(whose uuid, touched integer[]) RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
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

-- Makes somebody a member of a group whose row the caller holds.
CREATE OR REPLACE FUNCTION enter_group(whose uuid, which uuid, as_role text)
  RETURNS timestamptz LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
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
    WHEN (SELECT count(*) FROM group_members m WHERE m.uid = whose) >= most_groups() THEN 'too_many_groups'
    WHEN (SELECT count(*) FROM group_members m WHERE m.group_id = which) >= most_members() THEN 'group_full'
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
CREATE OR REPLACE FUNCTION quit_group(whose uuid, which uuid) RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
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

-- Ends a membership: one's own (leaving), or another's (an admin removes members, an owner anybody), with a ban if so
-- wanted. The last owner stays until there is another.
CREATE OR REPLACE FUNCTION remove_member(actor uuid, which uuid, member uuid, ban boolean DEFAULT false)
  RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
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

-- Gives a member another role; only owners do.
CREATE OR REPLACE FUNCTION set_member_role(actor uuid, which uuid, member uuid, new_role text)
  RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
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

-- Hands a group on: the heir, a member, becomes an owner and the giver an admin, both or neither.
CREATE OR REPLACE FUNCTION transfer_group(actor uuid, which uuid, heir uuid) RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  held groups := hold_group(which);
BEGIN
  PERFORM require_role(actor, held.group_id, 'owner');
  IF heir = actor THEN
    RAISE EXCEPTION 'the group is theirs' USING ERRCODE = 'check_violation', CONSTRAINT = 'already_owner';
  END IF;
  PERFORM set_member_role(actor, which, heir, 'owner');
  PERFORM set_member_role(actor, which, actor, 'admin');
END $$;

-- Who may not come back, the latest first; for admins.
CREATE OR REPLACE FUNCTION bans_of(actor uuid, which uuid, before timestamptz, before_uid uuid, most bigint)
  RETURNS TABLE (uid uuid, nickname text, banned_by uuid, banned_at timestamptz)
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  PERFORM require_role(actor, which, 'owner', 'admin');
  RETURN QUERY
    SELECT b.uid, u.nickname, b.banned_by, b.banned_at FROM group_bans b JOIN users u ON u.uid = b.uid
    WHERE b.group_id = which AND (before_uid IS NULL OR (b.banned_at, b.uid) < (before, before_uid))
    ORDER BY b.banned_at DESC, b.uid DESC LIMIT most;
END $$;

-- Lets somebody back in who was banned, by an invitation as anybody else.
CREATE OR REPLACE FUNCTION lift_ban(actor uuid, which uuid, whose uuid) RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  held groups := hold_group(which);
BEGIN
  PERFORM require_role(actor, held.group_id, 'owner', 'admin');
  DELETE FROM group_bans b WHERE b.group_id = which AND b.uid = whose;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'not banned' USING ERRCODE = 'no_data_found', CONSTRAINT = 'member_not_found';
  END IF;
  INSERT INTO audit_events (kind, uid, actor, details)
    VALUES ('ban_lifted', whose, actor, jsonb_build_object('group_id', which));
END $$;
