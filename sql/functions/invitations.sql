-- Invitations: a long random code in a link. The caller makes the code; only its digest is stored.

-- Requires that a new invitation's uses and days are within the limits.
CREATE OR REPLACE FUNCTION require_invitation_limits(uses bigint, days bigint) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF days NOT BETWEEN 1 AND most_invitation_days() THEN
    PERFORM refuse('invitation_days', format('an invitation lasts 1 to %s days', most_invitation_days()));
  ELSIF uses NOT BETWEEN 1 AND most_invitation_uses() THEN
    PERFORM refuse('invitation_uses', format('an invitation has 1 to %s uses', most_invitation_uses()));
  END IF;
END $$;

CREATE OR REPLACE FUNCTION create_invitation(actor uuid, for_group uuid, code text, uses bigint DEFAULT NULL,
                                             days bigint DEFAULT NULL)
  RETURNS TABLE (invitation_id uuid, expires_at timestamptz, uses_left integer)
  LANGUAGE plpgsql ROWS 1 SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  clock timestamptz := anthill_clock();
BEGIN
  PERFORM require_role(actor, for_group, 'owner', 'admin');
  PERFORM require_invitation_limits(uses, days);
  INSERT INTO invitations (code_sha256, group_id, created_by, created_at, expires_at, uses_left)
    VALUES (sha256(convert_to(code, 'UTF8')), for_group, actor, clock,
            clock + coalesce(days, default_invitation_days()) * interval '24 hours', uses)
    RETURNING invitation_id, expires_at, uses_left INTO invitation_id, expires_at, uses_left;
  INSERT INTO audit_events (kind, actor, details)
    VALUES ('invitation_created', actor, jsonb_strip_nulls(jsonb_build_object(
      'group_id', for_group, 'invitation_id', invitation_id, 'uses', uses_left, 'until', utc_text(expires_at))));
  RETURN NEXT;
END $$;

-- Makes an invitation to the service, which only the operator does.
CREATE OR REPLACE FUNCTION create_service_invitation(code text, uses bigint DEFAULT NULL, days bigint DEFAULT NULL)
  RETURNS timestamptz LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  clock timestamptz := anthill_clock();
  made invitations;
BEGIN
  PERFORM require_invitation_limits(uses, days);
  INSERT INTO invitations (code_sha256, created_at, expires_at, uses_left)
    VALUES (sha256(convert_to(code, 'UTF8')), clock,
            clock + coalesce(days, default_invitation_days()) * interval '24 hours', uses)
    RETURNING * INTO made;
  INSERT INTO audit_events (kind, details)
    VALUES ('invitation_created', jsonb_strip_nulls(jsonb_build_object(
      'invitation_id', made.invitation_id, 'uses', made.uses_left, 'until', utc_text(made.expires_at))));
  RETURN made.expires_at;
END $$;

-- Whether an invitation can still be used. One to a group works only while the person who made it may invite.
CREATE OR REPLACE FUNCTION still_works(invitation invitations) RETURNS boolean LANGUAGE sql STABLE
  RETURN invitation.expires_at > anthill_clock() AND invitation.uses_left IS DISTINCT FROM 0
    AND invitation.revoked_at IS NULL
    AND (invitation.group_id IS NULL
         OR EXISTS (SELECT FROM group_members m WHERE m.uid = invitation.created_by
                      AND m.group_id = invitation.group_id AND m.role IN ('owner', 'admin')));

-- Ends all invitations to the service that still work, which only the operator does. Returns how many there were.
CREATE OR REPLACE FUNCTION end_service_invitations() RETURNS bigint
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  invitation uuid;
  ended bigint := 0;
BEGIN
  FOR invitation IN
    UPDATE invitations i SET revoked_at = anthill_clock() WHERE i.group_id IS NULL AND still_works(i)
      RETURNING i.invitation_id
  LOOP
    INSERT INTO audit_events (kind, details)
      VALUES ('invitation_revoked', jsonb_build_object('invitation_id', invitation));
    ended := ended + 1;
  END LOOP;
  RETURN ended;
END $$;

-- Requires that an invitation was found and still works.
CREATE OR REPLACE FUNCTION require_working(invitation invitations) RETURNS void
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  IF invitation.invitation_id IS NULL THEN
    PERFORM refuse('invitation_not_found', 'no such invitation', 'no_data_found');
  ELSIF NOT still_works(invitation) THEN
    PERFORM refuse('invitation_expired', 'the invitation has expired');
  END IF;
END $$;

-- The invitation of a code, and whether it still works; no row if there is none.
CREATE OR REPLACE FUNCTION invitation_of(code text) RETURNS TABLE (invitation_id uuid, works boolean)
  LANGUAGE sql STABLE ROWS 1
  BEGIN ATOMIC
    SELECT i.invitation_id, still_works(i) FROM invitations i
    WHERE i.code_sha256 = sha256(convert_to(code, 'UTF8'));
  END;

-- Who made an invitation to a group, and what the group is called, while it works; no row if they hide in the group.
CREATE OR REPLACE FUNCTION inviter(invitation uuid) RETURNS TABLE (nickname text, group_name text)
  LANGUAGE plpgsql STABLE ROWS 1 SET search_path = public, pg_temp AS $$
BEGIN
  RETURN QUERY
    SELECT u.nickname, g.name
    FROM invitations i
    JOIN groups g USING (group_id)
    JOIN group_members m ON m.group_id = i.group_id AND m.uid = i.created_by AND m.visibility <> 'hidden'
    JOIN users u ON u.uid = m.uid
    WHERE i.invitation_id = invitation AND still_works(i);
END $$;

-- What a person sees before they join. An invitation to the service has no group.
CREATE OR REPLACE FUNCTION invitation_preview(code text) RETURNS TABLE (
  group_id uuid, name text, description text, colour text, emoji text, member_count integer, expires_at timestamptz,
  uses_left integer, time_zone text, day_starts_at time, daily_cap_seconds integer, manual_counts boolean
) LANGUAGE plpgsql STABLE ROWS 1 SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  invitation invitations;
  rules ranking_rules;
BEGIN
  SELECT * INTO invitation FROM invitations i WHERE i.code_sha256 = sha256(convert_to(code, 'UTF8'));
  PERFORM require_working(invitation);
  IF invitation.group_id IS NOT NULL THEN rules := group_rules_now(invitation.group_id); END IF;
  RETURN QUERY
    SELECT g.group_id, g.name, g.description, g.colour, g.emoji,
           (SELECT count(*)::integer FROM group_members m WHERE m.group_id = g.group_id),
           invitation.expires_at, invitation.uses_left,
           rules.time_zone, rules.day_starts_at, rules.daily_cap_seconds, rules.manual_counts
    FROM (SELECT) one LEFT JOIN groups g ON g.group_id = invitation.group_id;
END $$;

-- Uses an invitation: joins its group, if it is to one. Only a person who gets in takes a use. It is looked at under
-- the group's lock and its own, so that only one person gets the last use. A member who follows the link again is told
-- that they are already in.
CREATE OR REPLACE FUNCTION use_invitation(user_id uuid, invitation uuid)
  RETURNS TABLE (group_id uuid, role text, joined_at timestamptz, visibility text)
    LANGUAGE plpgsql ROWS 1 SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  used invitations;
BEGIN
  SELECT i.group_id INTO group_id FROM invitations i WHERE i.invitation_id = invitation;
  IF group_id IS NOT NULL THEN
    PERFORM lock_group(group_id);
    IF EXISTS (SELECT FROM group_members m WHERE m.uid = user_id AND m.group_id = use_invitation.group_id) THEN
      PERFORM refuse('already_member', 'already a member');
    END IF;
  END IF;
  SELECT * INTO used FROM invitations i WHERE i.invitation_id = invitation FOR NO KEY UPDATE;
  PERFORM require_working(used);
  UPDATE invitations i SET uses_left = i.uses_left - 1 WHERE i.invitation_id = invitation AND i.uses_left IS NOT NULL;
  IF group_id IS NOT NULL THEN
    role := 'member';
    joined_at := enter_group(user_id, group_id, role);
    PERFORM enqueue_webhooks(group_id, 'new_member', NULL, user_id);
    SELECT m.visibility INTO visibility FROM group_members m
      WHERE m.uid = user_id AND m.group_id = use_invitation.group_id;
    INSERT INTO audit_events (kind, uid, actor, details)
      VALUES ('member_joined', user_id, user_id,
              jsonb_build_object('group_id', group_id, 'invitation_id', invitation));
  END IF;
  RETURN NEXT;
END $$;

-- Joins a group by the code of an invitation to it.
CREATE OR REPLACE FUNCTION accept_invitation(user_id uuid, code text)
  RETURNS TABLE (group_id uuid, role text, joined_at timestamptz, visibility text)
    LANGUAGE plpgsql ROWS 1 SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  invitation uuid := (SELECT i.invitation_id FROM invitations i
                      WHERE i.code_sha256 = sha256(convert_to(code, 'UTF8')) AND i.group_id IS NOT NULL);
BEGIN
  RETURN QUERY SELECT * FROM use_invitation(user_id, invitation);
END $$;

-- Uses the invitation that came with a registration, when the account is made. `to_group` says whether it was to a
-- group, `joined` which group the newcomer is a member of now. If the invitation has ended meanwhile, or the group
-- takes nobody, nothing happens; unless a working invitation is `required`.
CREATE OR REPLACE FUNCTION welcome_newcomer(user_id uuid, invitation uuid, required boolean, OUT to_group boolean,
                                            OUT joined uuid)
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  -- An invitation that is gone was to a group, and went with it.
  to_group := invitation IS NOT NULL
    AND NOT EXISTS (SELECT FROM invitations i WHERE i.invitation_id = invitation AND i.group_id IS NULL);
  SELECT u.group_id INTO joined FROM use_invitation(user_id, invitation) u;
EXCEPTION WHEN check_violation OR insufficient_privilege OR no_data_found THEN
  IF required THEN PERFORM refuse('invitation_required', 'a working invitation is required'); END IF;
END $$;

-- A group's invitations without their codes, newest first; for admins.
CREATE OR REPLACE FUNCTION invitations_of(actor uuid, for_group uuid, before timestamptz, before_id uuid, most bigint)
  RETURNS TABLE (
    invitation_id uuid, created_by uuid, nickname text, created_at timestamptz, expires_at timestamptz,
    uses_left integer, revoked boolean
  ) LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  PERFORM require_role(actor, for_group, 'owner', 'admin');
  RETURN QUERY
    SELECT i.invitation_id, i.created_by, u.nickname, i.created_at, i.expires_at, i.uses_left, i.revoked_at IS NOT NULL
    FROM invitations i LEFT JOIN users u ON u.uid = i.created_by
    WHERE i.group_id = for_group AND (before_id IS NULL OR (i.created_at, i.invitation_id) < (before, before_id))
    ORDER BY i.created_at DESC, i.invitation_id DESC LIMIT most;
END $$;

-- Revokes an invitation, at once and for good. Under the group's lock: nobody who is not in by then gets in.
CREATE OR REPLACE FUNCTION revoke_invitation(actor uuid, for_group uuid, invitation uuid)
  RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  held groups := lock_group(for_group);
  sent invitations;
BEGIN
  PERFORM require_role(actor, held.group_id, 'owner', 'admin');
  SELECT * INTO sent FROM invitations i WHERE i.invitation_id = invitation AND i.group_id = for_group;
  IF NOT FOUND THEN
    PERFORM refuse('invitation_not_found', 'no such invitation', 'no_data_found');
  ELSIF sent.revoked_at IS NULL THEN
    UPDATE invitations i SET revoked_at = anthill_clock() WHERE i.invitation_id = sent.invitation_id;
    INSERT INTO audit_events (kind, actor, details)
      VALUES ('invitation_revoked', actor,
              jsonb_build_object('group_id', for_group, 'invitation_id', sent.invitation_id));
  END IF;
END $$;
