-- Groups: create, delete, and what a member sees of one.

-- Creates a group with its owner as the first member. Rules that are not given are the owner's clock, the default cap,
-- and manual time counts.
CREATE OR REPLACE FUNCTION create_group(
  owner uuid, group_name text, about text DEFAULT NULL, zone text DEFAULT NULL, starts time DEFAULT NULL,
  cap bigint DEFAULT NULL, manual boolean DEFAULT NULL, in_colour text DEFAULT NULL, with_emoji text DEFAULT NULL,
  month_goal bigint DEFAULT NULL, badge boolean DEFAULT NULL, duels boolean DEFAULT NULL,
  is_listed boolean DEFAULT NULL, shows_months boolean DEFAULT NULL, shows_board boolean DEFAULT NULL
) RETURNS uuid LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  founder students := lock_student(owner);
  clock timestamptz := anthill_clock();
  rules ranking_rules;
  made uuid;
BEGIN
  INSERT INTO groups (name, description, created_at, colour, emoji, month_goal_seconds, badge_allowed, duel, listed,
                      months_public, board_public)
    VALUES (group_name, coalesce(about, ''), clock, coalesce(in_colour, 'leaf'), with_emoji, month_goal,
            coalesce(badge, false), coalesce(duels, false), coalesce(is_listed, false), coalesce(shows_months, false),
            coalesce(shows_board, false))
    RETURNING group_id INTO made;
  rules := find_rules(coalesce(zone, founder.time_zone), coalesce(starts, founder.day_starts_at),
                      coalesce(cap, default_daily_cap()), coalesce(manual, true));
  INSERT INTO group_rules (group_id, from_month, rules_id)
    VALUES (made, first_open_month(clock, rules.time_zone, rules.day_starts_at), rules.rules_id);
  PERFORM enter_group(owner, made, 'owner');
  RETURN made;
END $$;

-- Changes what a group shows of itself; for admins. Only an owner may change whether it is listed. Keys that `changes`
-- lacks stay as they are; null removes the emoji or the goal.
CREATE OR REPLACE FUNCTION change_group(actor uuid, for_group uuid, changes jsonb)
  RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  held groups := lock_group(for_group);
  new_name text := coalesce(changes->>'name', held.name);
  shows_months boolean := coalesce((changes->>'months_public')::boolean, held.months_public);
  shows_board boolean := coalesce((changes->>'board_public')::boolean, held.board_public);
BEGIN
  PERFORM require_role(actor, held.group_id, 'owner', 'admin');
  IF (changes->>'listed')::boolean <> held.listed THEN PERFORM require_role(actor, for_group, 'owner'); END IF;
  UPDATE groups g SET
      name = new_name, description = coalesce(changes->>'description', g.description),
      colour = coalesce(changes->>'colour', g.colour),
      emoji = CASE WHEN changes ? 'emoji' THEN changes->>'emoji' ELSE g.emoji END,
      month_goal_seconds =
        CASE WHEN changes ? 'month_goal_seconds' THEN (changes->>'month_goal_seconds')::bigint
          ELSE g.month_goal_seconds END,
      badge_allowed = coalesce((changes->>'badge_allowed')::boolean, g.badge_allowed),
      duel = coalesce((changes->>'duel')::boolean, g.duel),
      listed = coalesce((changes->>'listed')::boolean, g.listed),
      months_public = shows_months, board_public = shows_board
    WHERE g.group_id = held.group_id;
  IF new_name <> held.name THEN
    INSERT INTO audit_events (kind, actor, details)
      VALUES ('group_renamed', actor,
              jsonb_build_object('group_id', for_group, 'old_name', held.name, 'new_name', new_name));
  END IF;
  IF shows_board <> held.board_public THEN
    INSERT INTO audit_events (kind, actor, details)
      VALUES (CASE WHEN shows_board THEN 'board_published' ELSE 'board_unpublished' END, actor,
              jsonb_build_object('group_id', for_group));
  END IF;
  IF shows_months <> held.months_public THEN
    INSERT INTO audit_events (kind, actor, details)
      VALUES (CASE WHEN shows_months THEN 'months_published' ELSE 'months_unpublished' END, actor,
              jsonb_build_object('group_id', for_group));
  END IF;
END $$;

-- Dissolves a group: everybody leaves and is told so with these facts. The group, its rules and its invitations are
-- gone; final months stay in the database. The caller holds the group's row. Without an actor the operator does it.
CREATE OR REPLACE FUNCTION dissolve_group(actor uuid, held groups, facts jsonb DEFAULT '{}') RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM require_written_months(ARRAY[held.group_id]);
  -- Only one of these is by the actor, who finds it once among their own.
  INSERT INTO audit_events (kind, uid, actor, details)
    SELECT 'group_deleted', m.uid, CASE WHEN m.uid = dissolve_group.actor THEN m.uid END,
           jsonb_build_object('group_id', held.group_id, 'old_name', held.name) || facts
             || by_operator(dissolve_group.actor)
    FROM group_members m WHERE m.group_id = held.group_id;
  PERFORM quit_group(ARRAY(SELECT m.uid FROM group_members m WHERE m.group_id = held.group_id ORDER BY m.uid),
                     held.group_id);
  DELETE FROM groups g WHERE g.group_id = held.group_id;
END $$;

-- The same for its owner.
CREATE OR REPLACE FUNCTION delete_group(actor uuid, for_group uuid) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  held groups := lock_group(for_group);
BEGIN
  PERFORM require_role(actor, held.group_id, 'owner');
  PERFORM dissolve_group(actor, held);
END $$;

-- A group as one of its members sees it, with current and coming rules; no row for others.
CREATE OR REPLACE FUNCTION group_details(user_id uuid, for_group uuid) RETURNS SETOF group_summary
  LANGUAGE plpgsql STABLE ROWS 1 SET search_path = public, pg_temp AS $$
DECLARE
  rules ranking_rules := group_rules_now(for_group);
BEGIN
  RETURN QUERY
    SELECT g.group_id, g.name, g.description, g.created_at,
           (SELECT count(*)::integer FROM group_members x WHERE x.group_id = for_group), m.role, m.visibility,
           rules.time_zone, rules.day_starts_at, rules.daily_cap_seconds, rules.manual_counts,
           coming_rules(for_group),
           g.colour, g.emoji, g.month_goal_seconds,
           CASE WHEN g.month_goal_seconds IS NOT NULL
             THEN (SELECT s.seconds FROM group_sums(for_group) s) END, g.badge_allowed, g.duel,
           g.listed, g.months_public, g.board_public,
           CASE WHEN m.role <> 'member'
             THEN (SELECT count(*)::integer FROM join_requests j
                   WHERE j.group_id = for_group AND j.accepted IS NULL) END,
           rules_begin(rules)
    FROM group_members m
    JOIN groups g USING (group_id)
    WHERE m.uid = user_id AND m.group_id = for_group;
END $$;

CREATE OR REPLACE FUNCTION groups_of(user_id uuid) RETURNS SETOF group_summary
  LANGUAGE plpgsql STABLE ROWS 20 SET search_path = public, pg_temp AS $$
BEGIN
  RETURN QUERY
    SELECT d.* FROM group_members m CROSS JOIN LATERAL group_details(user_id, m.group_id) d
    WHERE m.uid = user_id ORDER BY m.joined_at, m.group_id;
END $$;
