-- Membership: who is in a group. Every change of who is counted under which rules (joining, leaving, new rules, opting
-- in or out of the global board) also changes counted_under and the totals in the same transaction.
--
-- Every change of a group's members locks the group's row first, then the members' rows in the order of their uid. So
-- decisions about the last owner, uses of invitations and group sizes are made one after the other.

-- Locks a group's row.
CREATE OR REPLACE FUNCTION lock_group(for_group uuid) RETURNS groups
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  held groups;
BEGIN
  SELECT * INTO held FROM groups g WHERE g.group_id = for_group FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    PERFORM refuse('group_not_found', 'no such group', 'no_data_found');
  END IF;
  RETURN held;
END $$;

-- Requires that a user is a member with one of these roles. For a stranger the group does not exist.
CREATE OR REPLACE FUNCTION require_role(actor uuid, for_group uuid, VARIADIC roles text[])
  RETURNS text LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
DECLARE
  held text := (SELECT m.role FROM group_members m WHERE m.uid = actor AND m.group_id = for_group);
BEGIN
  IF held IS NULL THEN
    PERFORM refuse('group_not_found', 'no such group', 'no_data_found');
  ELSIF held <> ALL (roles) THEN
    PERFORM refuse(
      CASE WHEN 'admin' = ANY (roles) THEN 'needs_admin' ELSE 'needs_owner' END,
      format('only an %s may do this', array_to_string(roles, ' or ')), 'insufficient_privilege');
  END IF;
  RETURN held;
END $$;

-- Whether a group has another owner. Owners who are about to leave the service do not count.
CREATE OR REPLACE FUNCTION has_other_owner(for_group uuid, than uuid) RETURNS boolean
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  RETURN EXISTS (
    SELECT FROM group_members m JOIN users u USING (uid)
    WHERE m.group_id = for_group AND m.role = 'owner' AND m.uid <> than AND u.leaves_at IS NULL);
END $$;

-- Requires that the group has another owner.
CREATE OR REPLACE FUNCTION require_other_owner(for_group uuid, than uuid) RETURNS void
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  IF NOT has_other_owner(for_group, than) THEN
    PERFORM refuse('last_owner', 'a group needs an owner');
  END IF;
END $$;

-- Makes a user a member of a group, shown as when they last left it. The caller holds the group's row.
CREATE OR REPLACE FUNCTION enter_group(user_id uuid, for_group uuid, as_role text)
  RETURNS timestamptz LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  newcomer students := lock_student(user_id);
  clock timestamptz := clock_of(newcomer);
  broken text;
BEGIN
  IF EXISTS (SELECT FROM group_bans b WHERE b.uid = user_id AND b.group_id = for_group) THEN
    PERFORM refuse('banned', 'banned from this group', 'insufficient_privilege');
  END IF;
  broken := CASE
    WHEN EXISTS (SELECT FROM group_members m WHERE m.uid = user_id AND m.group_id = for_group) THEN 'already_member'
    WHEN (SELECT count(*) FROM group_members m WHERE m.uid = user_id) >= most_groups() THEN 'too_many_groups'
    WHEN (SELECT count(*) FROM group_members m WHERE m.group_id = for_group) >= most_members() THEN 'group_full'
  END;
  IF broken IS NOT NULL THEN
    PERFORM refuse(broken, CASE broken
        WHEN 'already_member' THEN 'they are a member already'
        WHEN 'too_many_groups' THEN format('nobody is in more than %s groups', most_groups())
        WHEN 'group_full' THEN format('a group has at most %s members', most_members())
      END);
  END IF;
  INSERT INTO group_members (uid, group_id, role, visibility, joined_at)
    VALUES (newcomer.uid, for_group, as_role, coalesce((
              SELECT h.visibility FROM group_membership_history h
              WHERE h.uid = user_id AND h.group_id = for_group
              ORDER BY h.joined_at DESC LIMIT 1), 'shown'), clock);
  INSERT INTO group_membership_history (uid, group_id, joined_at) VALUES (newcomer.uid, for_group, clock);
  DELETE FROM join_requests j WHERE j.uid = user_id AND j.group_id = for_group AND j.accepted IS NULL;
  PERFORM renew_counting(ARRAY[user_id], open_rules_of(for_group));
  RETURN clock;
END $$;

-- Ends the membership of these people in a group. The caller holds the group's row. Their study of the month stays
-- counted, and past boards show them with their last visibility. Webhooks that they made are turned off. A membership
-- that ends in the second in which it began leaves no trace.
CREATE OR REPLACE FUNCTION quit_group(people uuid[], for_group uuid) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  clock timestamptz;
BEGIN
  PERFORM lock_students(people);
  clock := anthill_clock();
  UPDATE group_membership_history h SET left_at = coalesce(h.left_at, clock), visibility = m.visibility
    FROM group_members m
    WHERE m.uid = ANY (people) AND m.group_id = for_group AND h.uid = m.uid AND h.group_id = for_group
      AND (h.left_at IS NOT NULL OR h.joined_at < clock);
  DELETE FROM group_membership_history h
    WHERE h.uid = ANY (people) AND h.group_id = for_group AND h.left_at IS NULL;
  DELETE FROM group_members m WHERE m.uid = ANY (people) AND m.group_id = for_group;
  DELETE FROM cheers c WHERE c.group_id = for_group AND (c.uid = ANY (people) OR c.receiver = ANY (people));
  PERFORM turn_off_webhook(w, 'maker_left') FROM webhooks w
    WHERE w.group_id = for_group AND w.uid = ANY (people) AND w.off_since IS NULL;
  PERFORM renew_counting(people, open_rules_of(for_group));
END $$;

-- Ends a membership: one's own (leaving), or another's (an admin removes members, an owner anybody), with a ban if
-- requested. The last owner cannot leave.
CREATE OR REPLACE FUNCTION remove_member(actor uuid, for_group uuid, member uuid, ban boolean DEFAULT false)
  RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  held groups := lock_group(for_group);
  actor_role text := require_role(actor, held.group_id, 'owner', 'admin', 'member');
  member_role text := (SELECT m.role FROM group_members m WHERE m.uid = member AND m.group_id = for_group);
BEGIN
  IF actor <> member THEN
    PERFORM require_role(actor, for_group, 'owner', 'admin');
    IF member_role IS NULL THEN
      PERFORM refuse('member_not_found', 'no such member', 'no_data_found');
    ELSIF member_role <> 'member' THEN
      PERFORM require_role(actor, for_group, 'owner');
    END IF;
  END IF;
  IF member_role = 'owner' THEN PERFORM require_other_owner(for_group, member); END IF;
  PERFORM quit_group(ARRAY[member], for_group);
  IF actor <> member AND ban THEN
    INSERT INTO group_bans (uid, group_id, banned_by, banned_at) VALUES (member, for_group, actor, anthill_clock());
  END IF;
  INSERT INTO audit_events (kind, uid, actor, details)
    VALUES (CASE WHEN actor = member THEN 'member_left' WHEN ban THEN 'member_banned' ELSE 'member_removed' END,
            member, actor, jsonb_build_object('group_id', for_group, 'by', actor_role));
END $$;

-- Changes a member's role; only owners may.
CREATE OR REPLACE FUNCTION set_member_role(actor uuid, for_group uuid, member uuid, new_role text)
  RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  held groups := lock_group(for_group);
  old_role text := (SELECT m.role FROM group_members m WHERE m.uid = member AND m.group_id = held.group_id);
BEGIN
  PERFORM require_role(actor, for_group, 'owner');
  IF old_role IS NULL THEN
    PERFORM refuse('member_not_found', 'no such member', 'no_data_found');
  ELSIF old_role = 'owner' AND new_role <> 'owner' THEN
    PERFORM require_other_owner(for_group, member);
  END IF;
  UPDATE group_members m SET role = new_role WHERE m.uid = member AND m.group_id = for_group;
  INSERT INTO audit_events (kind, uid, actor, details)
    VALUES ('member_role_changed', member, actor,
            jsonb_build_object('group_id', for_group, 'from', old_role, 'to', new_role));
END $$;

-- Hands a group on to another member: the heir becomes an owner and the giver an admin, both or neither.
CREATE OR REPLACE FUNCTION transfer_group(actor uuid, for_group uuid, heir uuid) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  held groups := lock_group(for_group);
BEGIN
  PERFORM require_role(actor, held.group_id, 'owner');
  IF heir = actor THEN
    PERFORM refuse('already_owner', 'the group is theirs');
  END IF;
  PERFORM set_member_role(actor, for_group, heir, 'owner');
  PERFORM set_member_role(actor, for_group, actor, 'admin');
END $$;

-- Banned users, newest first; for admins.
CREATE OR REPLACE FUNCTION bans_of(actor uuid, for_group uuid, before timestamptz, before_uid uuid, most bigint)
  RETURNS TABLE (uid uuid, nickname text, banned_by uuid, banned_at timestamptz)
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  PERFORM require_role(actor, for_group, 'owner', 'admin');
  RETURN QUERY
    SELECT b.uid, u.nickname, b.banned_by, b.banned_at FROM group_bans b JOIN users u ON u.uid = b.uid
    WHERE b.group_id = for_group AND (before_uid IS NULL OR (b.banned_at, b.uid) < (before, before_uid))
    ORDER BY b.banned_at DESC, b.uid DESC LIMIT most;
END $$;

-- Lifts a ban. The user may then join with an invitation, like anybody else.
CREATE OR REPLACE FUNCTION lift_ban(actor uuid, for_group uuid, user_id uuid) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  held groups := lock_group(for_group);
BEGIN
  PERFORM require_role(actor, held.group_id, 'owner', 'admin');
  DELETE FROM group_bans b WHERE b.group_id = for_group AND b.uid = user_id;
  IF NOT FOUND THEN
    PERFORM refuse('member_not_found', 'not banned', 'no_data_found');
  END IF;
  INSERT INTO audit_events (kind, uid, actor, details)
    VALUES ('ban_lifted', user_id, actor, jsonb_build_object('group_id', for_group));
END $$;

-- Every member has exactly one open stay that began in the same second, and nobody else has one. Checked at the end of
-- each transaction, no matter who wrote.
CREATE OR REPLACE FUNCTION check_stay() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  changed group_members := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
BEGIN
  IF (SELECT m.joined_at FROM group_members m WHERE m.uid = changed.uid AND m.group_id = changed.group_id)
    IS DISTINCT FROM (SELECT h.joined_at FROM group_membership_history h
                      WHERE h.uid = changed.uid AND h.group_id = changed.group_id AND h.left_at IS NULL) THEN
    PERFORM refuse('group_members_history',
                   'members and their history disagree: join and leave by the functions for it');
  END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER group_members_stay AFTER INSERT OR UPDATE OR DELETE ON group_members
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION check_stay();
