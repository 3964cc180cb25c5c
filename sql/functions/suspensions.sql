-- Suspensions: an admin keeps a member off the boards of a group for a while, and gives a reason. No study is lost:
-- afterwards every second is on the boards again, except on those of months that closed during the suspension.
--
-- A suspension without a group is of a site admin. It keeps a user off the global board and out of the means of groups
-- on the board of groups. The boards of their groups stay as they are.

-- The people who are suspended at an instant: from a group or, without one, from the service's own boards.
CREATE OR REPLACE FUNCTION suspended_from(for_group uuid, at timestamptz) RETURNS uuid[]
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  RETURN ARRAY(SELECT s.uid FROM suspensions s
               WHERE (s.group_id = for_group OR for_group IS NULL AND s.group_id IS NULL)
                 AND tstzrange(s.since, coalesce(s.lifted_at, s.until)) @> at);
END $$;

-- Suspensions with the names of everybody involved, and whether they are in force.
CREATE OR REPLACE VIEW told_suspensions AS
  SELECT s.*, m.nickname, a.nickname AS suspended_by_name, l.nickname AS lifted_by_name,
         s.since <= anthill_clock() AND coalesce(s.lifted_at, s.until) > anthill_clock() AS in_force
  FROM suspensions s
  LEFT JOIN users m ON m.uid = s.uid
  LEFT JOIN users a ON a.uid = s.suspended_by
  LEFT JOIN users l ON l.uid = s.lifted_by;

-- Requires that the actor may act on this member's place in a group: an admin on members, an owner on anybody else, and
-- any admin on people who have left. The caller holds the group's row.
CREATE OR REPLACE FUNCTION require_rank_above(actor uuid, for_group uuid, member uuid) RETURNS text
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
DECLARE
  actor_role text := require_role(actor, for_group, 'owner', 'admin');
BEGIN
  IF (SELECT m.role FROM group_members m WHERE m.uid = member AND m.group_id = for_group) <> 'member' THEN
    PERFORM require_role(actor, for_group, 'owner');
  END IF;
  RETURN actor_role;
END $$;

-- Tells somebody by mail that they were suspended.
CREATE OR REPLACE FUNCTION tell_of_suspension(user_id uuid, suspension uuid) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM tell_by_mail('suspension', e.email, jsonb_build_object('suspension', suspension::text))
    FROM user_emails e WHERE e.uid = user_id;
END $$;

-- Suspends a member from the boards of a group until an instant, at most longest_suspension_days() ahead.
CREATE OR REPLACE FUNCTION suspend_member(actor uuid, for_group uuid, member uuid, why text, until timestamptz)
  RETURNS uuid LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  held groups := lock_group(for_group);
  actor_role text := require_role(actor, held.group_id, 'owner', 'admin');
  made uuid;
BEGIN
  IF NOT EXISTS (SELECT FROM group_members m WHERE m.uid = member AND m.group_id = for_group) THEN
    PERFORM refuse('member_not_found', 'no such member', 'no_data_found');
  END IF;
  IF actor <> member THEN PERFORM require_rank_above(actor, for_group, member); END IF;
  INSERT INTO suspensions (group_id, uid, reason, until, suspended_by)
    VALUES (for_group, member, why, suspend_member.until, actor) RETURNING suspension_id INTO made;
  INSERT INTO audit_events (kind, uid, actor, details)
    VALUES ('member_suspended', member, actor, jsonb_build_object(
      'group_id', for_group, 'suspension_id', made, 'by', actor_role, 'reason', why,
      'until', utc_text(suspend_member.until)));
  PERFORM tell_of_suspension(member, made);
  RETURN made;
END $$;

-- A suspension that is not over, locked. The caller holds the group's row; without a group, the user's.
CREATE OR REPLACE FUNCTION lock_suspension(for_group uuid, suspension uuid) RETURNS suspensions
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  held suspensions;
BEGIN
  SELECT * INTO held FROM suspensions s WHERE s.suspension_id = suspension AND s.group_id IS NOT DISTINCT FROM for_group
    FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    PERFORM refuse('suspension_not_found', 'no such suspension', 'no_data_found');
  ELSIF coalesce(held.lifted_at, held.until) <= anthill_clock() THEN
    PERFORM refuse('suspension_over', 'the suspension is over');
  END IF;
  RETURN held;
END $$;

-- Ends a suspension at once. Anybody who may suspend the member may end it, but nobody their own.
CREATE OR REPLACE FUNCTION lift_suspension(actor uuid, for_group uuid, suspension uuid)
  RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  held groups := lock_group(for_group);
  actor_role text := require_role(actor, held.group_id, 'owner', 'admin');
  lifted suspensions := lock_suspension(for_group, suspension);
BEGIN
  PERFORM require_rank_above(actor, for_group, lifted.uid);
  IF lifted.uid = actor THEN
    PERFORM refuse('own_suspension', 'nobody lifts their own', 'insufficient_privilege');
  END IF;
  UPDATE suspensions s SET lifted_at = anthill_clock(), lifted_by = actor WHERE s.suspension_id = suspension;
  INSERT INTO audit_events (kind, uid, actor, details)
    VALUES ('suspension_lifted', lifted.uid, actor,
            jsonb_build_object('group_id', for_group, 'suspension_id', suspension, 'by', actor_role));
END $$;

-- The member's answer, for the admins to read; a new answer replaces the old one. For anybody but the member and admins
-- the suspension does not exist.
CREATE OR REPLACE FUNCTION answer_suspension(user_id uuid, for_group uuid, suspension uuid, said text)
  RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  held groups := lock_group(for_group);
  role text := require_role(user_id, held.group_id, 'owner', 'admin', 'member');
  concerned uuid := (SELECT s.uid FROM suspensions s WHERE s.suspension_id = suspension AND s.group_id = for_group);
BEGIN
  IF concerned IS NULL OR (concerned <> user_id AND role = 'member') THEN
    PERFORM refuse('suspension_not_found', 'no such suspension', 'no_data_found');
  ELSIF concerned <> user_id THEN
    PERFORM refuse('not_concerned', 'only the member answers', 'insufficient_privilege');
  END IF;
  PERFORM keep_answer(lock_suspension(for_group, suspension), said);
END $$;

-- Keeps the answer to a suspension that the caller has locked.
CREATE OR REPLACE FUNCTION keep_answer(answered suspensions, said text) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF answered.answer = said THEN RETURN; END IF;
  UPDATE suspensions s SET answer = said, answered_at = anthill_clock() WHERE s.suspension_id = answered.suspension_id;
  INSERT INTO audit_events (kind, uid, actor, details)
    VALUES (CASE WHEN answered.group_id IS NULL THEN 'service_suspension_answered' ELSE 'suspension_answered' END,
            answered.uid, answered.uid, jsonb_strip_nulls(jsonb_build_object(
              'group_id', answered.group_id, 'suspension_id', answered.suspension_id, 'answer', said)));
END $$;

-- The suspensions of a group, newest first: all for admins, their own for members.
CREATE OR REPLACE FUNCTION suspensions_of(viewer_id uuid, for_group uuid, before timestamptz, before_id uuid,
                                          most bigint)
  RETURNS SETOF told_suspensions LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
DECLARE
  role text := require_role(viewer_id, for_group, 'owner', 'admin', 'member');
BEGIN
  RETURN QUERY
    SELECT s.* FROM told_suspensions s
    WHERE s.group_id = for_group AND (role <> 'member' OR s.uid = viewer_id)
      AND (before_id IS NULL OR (s.since, s.suspension_id) < (before, before_id))
    ORDER BY s.since DESC, s.suspension_id DESC LIMIT most;
END $$;

-- Service-wide suspensions, newest first: of all users, or of one.
CREATE OR REPLACE FUNCTION service_suspensions(whose uuid, before timestamptz, before_id uuid, most bigint)
  RETURNS SETOF told_suspensions LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  RETURN QUERY
    SELECT s.* FROM told_suspensions s
    WHERE s.group_id IS NULL AND (whose IS NULL OR s.uid = whose)
      AND (before_id IS NULL OR (s.since, s.suspension_id) < (before, before_id))
    ORDER BY s.since DESC, s.suspension_id DESC LIMIT most;
END $$;
