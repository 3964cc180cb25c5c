-- Changes of groups by admins of the service, where a group's own admins cannot help.

-- Makes a member the owner in the place of another, who becomes an admin. giver: the owner who hands the group on;
-- needed only if there are several. A group that lost its owners gets one, which cannot be undone.
CREATE OR REPLACE FUNCTION admin_transfer_group(for_group uuid, heir uuid, giver uuid, reason text, by text)
  RETURNS bigint
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  held groups := lock_group(for_group);
  old_role text := (SELECT m.role FROM group_members m WHERE m.uid = heir AND m.group_id = held.group_id);
  owners uuid[] := ARRAY(SELECT m.uid FROM group_members m WHERE m.group_id = for_group AND m.role = 'owner');
BEGIN
  IF old_role IS NULL THEN
    PERFORM refuse('member_not_found', format('%s is no member of the group', heir), 'no_data_found');
  ELSIF old_role = 'owner' THEN
    PERFORM refuse('already_owner', 'the group is theirs already');
  ELSIF giver IS NULL AND cardinality(owners) > 1 THEN
    PERFORM refuse('several_owners', format('the group has several owners: say who hands it on, -v owner=UUID (%s)',
                                            array_to_string(owners, ', ')));
  ELSIF giver IS NOT NULL AND giver <> ALL (owners) THEN
    PERFORM refuse('needs_owner', format('%s is no owner of the group', giver));
  END IF;
  giver := coalesce(giver, owners[1]);
  PERFORM give_role(for_group, heir, 'owner');
  PERFORM give_role(for_group, giver, 'admin');
  RETURN note_admin_change('transfer_group', heir, reason, by,
    CASE WHEN giver IS NOT NULL THEN jsonb_build_object('group', for_group, 'role', old_role, 'giver', giver) END,
    jsonb_build_object('group_id', for_group));
END $$;

-- Changes a member's role for an admin of the service, and notes it. Refuses to make somebody an owner who is about to
-- leave the service. The caller holds the group's row.
CREATE OR REPLACE FUNCTION give_role(for_group uuid, member uuid, new_role text) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  old_role text := (SELECT m.role FROM group_members m WHERE m.uid = member AND m.group_id = for_group);
BEGIN
  IF new_role = 'owner' AND EXISTS (SELECT FROM users u WHERE u.uid = member AND u.leaves_at IS NOT NULL) THEN
    PERFORM refuse('owner_leaves', 'who is about to leave the service cannot become the owner');
  END IF;
  IF old_role <> new_role THEN
    UPDATE group_members m SET role = new_role WHERE m.uid = member AND m.group_id = for_group;
    INSERT INTO audit_events (kind, uid, details)
      VALUES ('member_role_changed', member, jsonb_build_object('group_id', for_group, 'from', old_role, 'to', new_role)
              || by_operator(NULL));
  END IF;
END $$;

-- Gives both their earlier roles back, unless one of them has got another since.
CREATE OR REPLACE FUNCTION undo_transfer_group(change admin_changes) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  held groups := lock_group((change.undo ->> 'group')::uuid);
  giver uuid := (change.undo ->> 'giver')::uuid;
BEGIN
  IF NOT EXISTS (SELECT FROM group_members m WHERE m.uid = giver AND m.group_id = held.group_id) THEN
    PERFORM refuse('member_not_found', 'the previous owner is no longer a member', 'no_data_found');
  ELSIF NOT EXISTS (
    SELECT FROM group_members m JOIN group_members g USING (group_id)
    WHERE m.group_id = held.group_id AND (m.uid, m.role) = (change.uid, 'owner') AND (g.uid, g.role) = (giver, 'admin')
  ) THEN
    PERFORM refuse('change_overtaken', 'their roles were changed again since: transfer_group.sql sets the right owner');
  END IF;
  PERFORM give_role(held.group_id, giver, 'owner');
  PERFORM give_role(held.group_id, change.uid, change.undo ->> 'role');
END $$;

-- Ends a membership, with a ban if wanted. Refuses the last owner.
CREATE OR REPLACE FUNCTION admin_remove_member(for_group uuid, member uuid, ban boolean, reason text, by text)
  RETURNS bigint
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  held groups := lock_group(for_group);
  left_as group_members;
BEGIN
  SELECT * INTO left_as FROM group_members m WHERE m.uid = member AND m.group_id = held.group_id;
  IF NOT FOUND THEN
    PERFORM refuse('member_not_found', format('%s is no member of the group', member), 'no_data_found');
  ELSIF left_as.role = 'owner' AND NOT has_other_owner(for_group, member) THEN
    PERFORM refuse('last_owner', 'they are its only owner: hand the group on by transfer_group.sql, or delete it by '
                                 'delete_group.sql');
  END IF;
  PERFORM quit_group(ARRAY[member], for_group);
  IF ban THEN
    INSERT INTO group_bans (uid, group_id) VALUES (member, for_group);
  END IF;
  RETURN note_admin_change('remove_member', member, reason, by,
    jsonb_build_object('group', for_group, 'role', left_as.role, 'visibility', left_as.visibility),
    jsonb_build_object('group_id', for_group));
END $$;

-- They are a member again from now on, as they were, unless they were one since. The time in between stays: nothing is
-- edited in place.
CREATE OR REPLACE FUNCTION undo_remove_member(change admin_changes) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  held groups := lock_group((change.undo ->> 'group')::uuid);
BEGIN
  IF EXISTS (SELECT FROM group_membership_history h
             WHERE h.uid = change.uid AND h.group_id = held.group_id AND h.joined_at >= change.at) THEN
    PERFORM refuse('change_overtaken', 'they have joined the group again since');
  END IF;
  DELETE FROM group_bans b WHERE b.uid = change.uid AND b.group_id = held.group_id AND b.banned_by IS NULL;
  PERFORM enter_group(change.uid, held.group_id, change.undo ->> 'role');
  UPDATE group_members m SET visibility = change.undo ->> 'visibility'
    WHERE m.uid = change.uid AND m.group_id = held.group_id;
END $$;

-- Deletes a group, which its owner does otherwise, and tells everybody who was in it.
CREATE OR REPLACE FUNCTION admin_delete_group(for_group uuid, reason text, by text) RETURNS bigint
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  held groups := lock_group(for_group);
BEGIN
  PERFORM dissolve_group(NULL, held, jsonb_build_object('reason', reason));
  RETURN note_admin_change('delete_group', NULL, reason, by, facts => jsonb_build_object('group_id', for_group));
END $$;

-- Gives a group another name; NULL is none. The caller holds the group's row.
CREATE OR REPLACE FUNCTION set_group_name(for_group uuid, wanted text) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  BEGIN
    IF wanted IS NULL THEN RAISE check_violation; END IF;
    UPDATE groups g SET name = wanted WHERE g.group_id = for_group AND g.name <> wanted;
  EXCEPTION WHEN check_violation THEN
    PERFORM refuse('invalid_name', 'the name is too long, or has characters that nobody sees');
  END;
  IF NOT FOUND THEN
    PERFORM refuse('name_unchanged', 'this is its name already');
  END IF;
END $$;

CREATE OR REPLACE FUNCTION admin_rename_group(for_group uuid, name text, reason text, by text) RETURNS bigint
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  held groups := lock_group(for_group);
  wanted text := plain_line(name);
BEGIN
  PERFORM set_group_name(held.group_id, wanted);
  RETURN note_admin_change('rename_group', NULL, reason, by,
    jsonb_build_object('group', for_group, 'name', held.name, 'new_name', wanted),
    jsonb_build_object('group_id', for_group));
END $$;

CREATE OR REPLACE FUNCTION undo_rename_group(change admin_changes) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  held groups := lock_group((change.undo ->> 'group')::uuid);
BEGIN
  IF held.name <> change.undo ->> 'new_name' THEN
    PERFORM refuse('change_overtaken', 'the name was changed again since: rename_group.sql sets the right one');
  END IF;
  PERFORM set_group_name(held.group_id, change.undo ->> 'name');
END $$;
