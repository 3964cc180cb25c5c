-- What a group shows of itself and strives for, its ownership handed on, its bans lifted, its invitations taken back.

ALTER TABLE groups
  ADD colour text NOT NULL DEFAULT 'leaf' CONSTRAINT groups_colour
    CHECK (colour IN ('leaf', 'honey', 'apple', 'soil', 'sky', 'plum', 'stone', 'moss')),
  ADD emoji text CONSTRAINT groups_emoji CHECK (char_length(emoji) BETWEEN 1 AND 16),
  -- Of all members together; 5,000 of them in a month of 31 days cannot study longer.
  ADD month_goal_seconds bigint CONSTRAINT groups_month_goal_seconds CHECK (month_goal_seconds BETWEEN 60 AND 13392000000),
  ADD badge_allowed boolean NOT NULL DEFAULT false,       -- whether anyone may see and embed the group's badge
  ADD duel boolean NOT NULL DEFAULT false;                -- whether the group is compared with other groups

-- By this an invitation is spoken of; its code is known to those alone who have the link.
ALTER TABLE invitations ADD invitation_id uuid NOT NULL DEFAULT gen_random_uuid();
CREATE UNIQUE INDEX invitations_of_id ON invitations (invitation_id);

ALTER TYPE group_summary
  ADD ATTRIBUTE colour text, ADD ATTRIBUTE emoji text, ADD ATTRIBUTE month_goal_seconds bigint,
  ADD ATTRIBUTE month_reached_seconds bigint, ADD ATTRIBUTE badge_allowed boolean, ADD ATTRIBUTE duel boolean;

-- What a group's members have studied together in the month under way, by its rules and hidden members included; a
-- running timer counts from its next pause on.
CREATE FUNCTION group_month_seconds(which uuid, rules ranking_rules) RETURNS bigint
  LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
DECLARE
  this_month date := month_of(study_day(anthill_clock(), rules.time_zone, rules.day_starts_at));
BEGIN
  RETURN (
    SELECT coalesce(sum(t.counted_seconds), 0) FROM group_members m
    JOIN month_totals t ON t.rules_id = rules.rules_id AND t.uid = m.uid AND t.month = this_month
    WHERE m.group_id = which);
END $$;

-- A group as one of its members sees it, with the rules of now and those declared for later; to others, no row.
CREATE OR REPLACE FUNCTION group_details(whose uuid, which uuid) RETURNS SETOF group_summary
  LANGUAGE plpgsql STABLE ROWS 1 SET search_path FROM CURRENT AS $$
DECLARE
  rules ranking_rules := group_rules_now(which);
BEGIN
  RETURN QUERY
    SELECT g.group_id, g.name, g.description, g.created_at,
           (SELECT count(*)::integer FROM group_members x WHERE x.group_id = which), m.role, m.visibility,
           rules.time_zone, rules.day_starts_at, rules.daily_cap_seconds, rules.manual_counts,
           next.from_month, next.time_zone, next.day_starts_at, next.daily_cap_seconds, next.manual_counts,
           g.colour, g.emoji, g.month_goal_seconds,
           CASE WHEN g.month_goal_seconds IS NOT NULL THEN group_month_seconds(which, rules) END, g.badge_allowed, g.duel
    FROM group_members m
    JOIN groups g USING (group_id)
    LEFT JOIN LATERAL (
      SELECT n.from_month, r.* FROM group_rules n JOIN ranking_rules r USING (rules_id)
      WHERE n.group_id = which AND study_day_start(n.from_month, r.time_zone, r.day_starts_at) > anthill_clock()
      ORDER BY n.from_month LIMIT 1
    ) next ON true
    WHERE m.uid = whose AND m.group_id = which;
END $$;

-- Founds a group with its owner as the first member. Rules that are not given are the owner's clock, a cap of 16 h,
-- and manual time counting.
DROP FUNCTION create_group(uuid, text, text, text, time, bigint, boolean);
CREATE FUNCTION create_group(
  owner uuid, group_name text, about text DEFAULT NULL, zone text DEFAULT NULL, starts time DEFAULT NULL,
  cap bigint DEFAULT NULL, manual boolean DEFAULT NULL, in_colour text DEFAULT NULL, with_emoji text DEFAULT NULL,
  month_goal bigint DEFAULT NULL, badge boolean DEFAULT NULL, duels boolean DEFAULT NULL
) RETURNS uuid LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  founder users := hold_user(owner);
  clock timestamptz := anthill_clock();
  rules ranking_rules;
  made uuid;
BEGIN
  INSERT INTO groups (name, description, created_at, colour, emoji, month_goal_seconds, badge_allowed, duel)
    VALUES (group_name, coalesce(about, ''), clock, coalesce(in_colour, 'leaf'), with_emoji, month_goal,
            coalesce(badge, false), coalesce(duels, false))
    RETURNING group_id INTO made;
  rules := find_rules(coalesce(zone, founder.time_zone), coalesce(starts, founder.day_starts_at),
                      coalesce(cap, 57600), coalesce(manual, true));
  INSERT INTO group_rules (group_id, from_month, rules_id)
    VALUES (made, first_open_month(clock, rules.time_zone, rules.day_starts_at), rules.rules_id);
  PERFORM enter_group(owner, made, 'owner');
  RETURN made;
END $$;

-- Hands a group on: the heir, a member, becomes an owner and the giver an admin, both or neither.
CREATE FUNCTION transfer_group(actor uuid, which uuid, heir uuid) RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
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
CREATE FUNCTION bans_of(actor uuid, which uuid, before timestamptz, before_uid uuid, most bigint)
  RETURNS TABLE (uid uuid, nickname text, banned_by uuid, banned_at timestamptz)
  LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
  PERFORM require_role(actor, which, 'owner', 'admin');
  RETURN QUERY
    SELECT b.uid, u.nickname, b.banned_by, b.banned_at FROM group_bans b JOIN users u ON u.uid = b.uid
    WHERE b.group_id = which AND (before_uid IS NULL OR (b.banned_at, b.uid) < (before, before_uid))
    ORDER BY b.banned_at DESC, b.uid DESC LIMIT most;
END $$;

-- Lets somebody back in who was banned, by an invitation as anybody else.
CREATE FUNCTION lift_ban(actor uuid, which uuid, whose uuid) RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
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

DROP FUNCTION create_invitation(uuid, uuid, text, bigint, bigint);
CREATE FUNCTION create_invitation(actor uuid, which uuid, code text, uses bigint DEFAULT NULL, days bigint DEFAULT 7)
  RETURNS TABLE (invitation_id uuid, expires_at timestamptz, uses_left integer)
  LANGUAGE plpgsql ROWS 1 SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  clock timestamptz := anthill_clock();
BEGIN
  PERFORM require_role(actor, which, 'owner', 'admin');
  IF coalesce(days, 7) NOT BETWEEN 1 AND 365 THEN
    RAISE EXCEPTION 'an invitation lasts 1 to 365 days' USING ERRCODE = 'check_violation', CONSTRAINT = 'invitation_days';
  ELSIF uses NOT BETWEEN 1 AND 10000 THEN
    RAISE EXCEPTION 'an invitation has 1 to 10,000 uses' USING ERRCODE = 'check_violation', CONSTRAINT = 'invitation_uses';
  END IF;
  RETURN QUERY
    INSERT INTO invitations (code_sha256, group_id, created_by, created_at, expires_at, uses_left)
      VALUES (sha256(convert_to(code, 'UTF8')), which, actor, clock,
              clock + coalesce(days, 7) * interval '24 hours', uses)
      RETURNING invitation_id, expires_at, uses_left;
END $$;

-- A group's invitations without their codes, the latest first; for admins.
CREATE FUNCTION invitations_of(actor uuid, which uuid, before timestamptz, before_id uuid, most bigint)
  RETURNS TABLE (
    invitation_id uuid, created_by uuid, nickname text, created_at timestamptz, expires_at timestamptz,
    uses_left integer, revoked boolean
  ) LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
  PERFORM require_role(actor, which, 'owner', 'admin');
  RETURN QUERY
    SELECT i.invitation_id, i.created_by, u.nickname, i.created_at, i.expires_at, i.uses_left, i.revoked_at IS NOT NULL
    FROM invitations i LEFT JOIN users u ON u.uid = i.created_by
    WHERE i.group_id = which AND (before_id IS NULL OR (i.created_at, i.invitation_id) < (before, before_id))
    ORDER BY i.created_at DESC, i.invitation_id DESC LIMIT most;
END $$;

-- Takes an invitation back, at once and for good. Under the group's lock: whoever is not in by then stays out.
CREATE FUNCTION revoke_invitation(actor uuid, which uuid, invitation uuid)
  RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  held groups := hold_group(which);
BEGIN
  PERFORM require_role(actor, held.group_id, 'owner', 'admin');
  UPDATE invitations i SET revoked_at = coalesce(i.revoked_at, anthill_clock())
    WHERE i.invitation_id = invitation AND i.group_id = which;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'no such invitation' USING ERRCODE = 'no_data_found', CONSTRAINT = 'invitation_not_found';
  END IF;
END $$;

-- What somebody sees before they join.
DROP FUNCTION invitation_preview(text);
CREATE FUNCTION invitation_preview(code text) RETURNS TABLE (
  group_id uuid, name text, description text, colour text, emoji text, member_count integer, expires_at timestamptz,
  uses_left integer, time_zone text, day_starts_at time, daily_cap_seconds integer, manual_counts boolean
) LANGUAGE plpgsql STABLE ROWS 1 SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  invitation invitations := valid_invitation(code);
  rules ranking_rules := group_rules_now(invitation.group_id);
BEGIN
  RETURN QUERY
    SELECT g.group_id, g.name, g.description, g.colour, g.emoji,
           (SELECT count(*)::integer FROM group_members m WHERE m.group_id = g.group_id),
           invitation.expires_at, invitation.uses_left,
           rules.time_zone, rules.day_starts_at, rules.daily_cap_seconds, rules.manual_counts
    FROM groups g WHERE g.group_id = invitation.group_id;
END $$;
