-- The directory of listed groups, and requests to join them.

-- Listed groups, the newest first, that have all of these words in their name or description. mean_seconds: how long
-- each member has studied this month; empty with fewer than fewest_compared() members who may be counted. Pairs of
-- letters are indexed and not triples, because many Korean words have only two letters.
CREATE OR REPLACE FUNCTION find_groups(user_id uuid, words text, before timestamptz, before_id uuid, most bigint)
  RETURNS TABLE (
  group_id uuid, name text, description text, colour text, emoji text, created_at timestamptz, member_count integer,
  mean_seconds integer, time_zone text, day_starts_at time, daily_cap_seconds integer, manual_counts boolean,
  is_member boolean, request_id uuid, accepted boolean, asked_at timestamptz, answered_at timestamptz
) LANGUAGE plpgsql STABLE ROWS 50 SET plan_cache_mode = force_custom_plan SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  wanted text[] := ARRAY(SELECT w FROM regexp_split_to_table(lower(words), '\s+') w WHERE w <> '');
  pairs text[] := letter_pairs(words);
  found uuid[];
BEGIN
  IF cardinality(pairs) > 0 THEN
    found := ARRAY(
      SELECT g.group_id FROM groups g
      WHERE g.listed AND letter_pairs(g.name || ' ' || g.description) @> pairs
        AND NOT EXISTS (SELECT FROM unnest(wanted) w WHERE strpos(lower(g.name || ' ' || g.description), w) = 0)
        AND (before_id IS NULL OR (g.created_at, g.group_id) < (before, before_id))
      ORDER BY g.created_at DESC, g.group_id DESC LIMIT most);
  ELSE
    found := ARRAY(
      SELECT g.group_id FROM groups g
      WHERE g.listed
        AND NOT EXISTS (SELECT FROM unnest(wanted) w WHERE strpos(lower(g.name || ' ' || g.description), w) = 0)
        AND (before_id IS NULL OR (g.created_at, g.group_id) < (before, before_id))
      ORDER BY g.created_at DESC, g.group_id DESC LIMIT most);
  END IF;
  RETURN QUERY
    SELECT g.group_id, g.name, g.description, g.colour, g.emoji, g.created_at,
           (SELECT count(*)::integer FROM group_members m WHERE m.group_id = g.group_id),
           CASE WHEN s.people >= fewest_compared() THEN (s.seconds / s.people)::integer END,
           r.time_zone, r.day_starts_at, r.daily_cap_seconds, r.manual_counts,
           EXISTS (SELECT FROM group_members m WHERE m.group_id = g.group_id AND m.uid = user_id),
           j.request_id, j.accepted, j.asked_at, j.answered_at
    FROM unnest(found) f (group_id)
    JOIN groups g USING (group_id)
    CROSS JOIN LATERAL group_rules_now(g.group_id) r
    CROSS JOIN LATERAL group_sums(g.group_id) s
    LEFT JOIN LATERAL (
      SELECT * FROM join_requests x WHERE x.uid = user_id AND x.group_id = g.group_id
      ORDER BY x.asked_at DESC, x.request_id DESC LIMIT 1
    ) j ON true
    ORDER BY g.created_at DESC, g.group_id DESC;
END $$;

-- Asks to join a listed group. A user has at most most_join_requests() open requests, and waits join_request_pause()
-- after a group has declined one.
CREATE OR REPLACE FUNCTION ask_to_join(user_id uuid, for_group uuid, said text) RETURNS uuid
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  asker students := lock_student(user_id);
  broken text;
  made uuid;
BEGIN
  -- The group is not deleted until the request is there.
  PERFORM FROM groups g WHERE g.group_id = for_group AND g.listed FOR KEY SHARE;
  IF NOT FOUND THEN
    PERFORM refuse('group_not_found', 'no such group', 'no_data_found');
  ELSIF EXISTS (SELECT FROM group_bans b WHERE b.uid = user_id AND b.group_id = for_group) THEN
    PERFORM refuse('banned', 'banned from this group', 'insufficient_privilege');
  END IF;
  broken := CASE
    WHEN EXISTS (SELECT FROM group_members m WHERE m.uid = user_id AND m.group_id = for_group) THEN 'already_member'
    WHEN (SELECT count(*) FROM group_members m WHERE m.uid = user_id) >= most_groups() THEN 'too_many_groups'
    WHEN EXISTS (SELECT FROM join_requests j WHERE j.uid = user_id AND j.group_id = for_group AND NOT j.accepted
                   AND j.answered_at > anthill_clock() - join_request_pause()) THEN 'declined_lately'
  END;
  IF broken IS NOT NULL THEN
    PERFORM refuse(broken, format('cannot ask to join: %s', broken));
  END IF;
  INSERT INTO join_requests (uid, group_id, words) VALUES (asker.uid, for_group, said) RETURNING request_id INTO made;
  IF (SELECT count(*) FROM join_requests j WHERE j.uid = user_id AND j.accepted IS NULL) > most_join_requests() THEN
    PERFORM refuse('too_many_join_requests', format('at most %s open requests', most_join_requests()));
  END IF;
  INSERT INTO audit_events (kind, uid, actor, details)
    VALUES ('join_requested', user_id, user_id, jsonb_build_object('group_id', for_group));
  RETURN made;
END $$;

-- Takes an open request back.
CREATE OR REPLACE FUNCTION withdraw_join_request(user_id uuid, request uuid) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM join_requests j WHERE j.request_id = request AND j.uid = user_id AND j.accepted IS NULL;
  IF NOT FOUND THEN
    PERFORM refuse('join_request_not_found', 'no such request', 'no_data_found');
  END IF;
END $$;

-- Accepts a request, which makes the asker a member, or declines it; for admins.
CREATE OR REPLACE FUNCTION answer_join_request(actor uuid, for_group uuid, request uuid, accepts boolean) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  held groups := lock_group(for_group);
  asker uuid;
BEGIN
  PERFORM require_role(actor, held.group_id, 'owner', 'admin');
  -- The asker is locked before the request, as when a user is erased: so these two never wait for each other.
  IF accepts THEN
    PERFORM lock_students(ARRAY(SELECT j.uid FROM join_requests j WHERE j.request_id = request));
  END IF;
  UPDATE join_requests j SET accepted = accepts, answered_at = anthill_clock(), answered_by = actor
    WHERE j.request_id = request AND j.group_id = for_group AND j.accepted IS NULL RETURNING j.uid INTO asker;
  IF NOT FOUND THEN
    PERFORM refuse('join_request_not_found', 'no such request', 'no_data_found');
  END IF;
  IF accepts THEN
    IF (SELECT count(*) FROM group_members m WHERE m.uid = asker) >= most_groups() THEN
      PERFORM refuse('asker_has_too_many_groups', 'the asker is in too many groups');
    END IF;
    PERFORM enter_group(asker, for_group, 'member');
    PERFORM enqueue_webhooks(for_group, 'new_member', NULL, asker);
  END IF;
  INSERT INTO audit_events (kind, uid, actor, details)
    VALUES (CASE WHEN accepts THEN 'join_accepted' ELSE 'join_declined' END, asker, actor,
            jsonb_build_object('group_id', for_group));
END $$;

-- The open requests of a group, the oldest first; for admins.
CREATE OR REPLACE FUNCTION join_requests_of(actor uuid, for_group uuid, since timestamptz, since_id uuid, most bigint)
  RETURNS TABLE (request_id uuid, uid uuid, nickname text, words text, asked_at timestamptz)
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  PERFORM require_role(actor, for_group, 'owner', 'admin');
  RETURN QUERY
    SELECT j.request_id, j.uid, u.nickname, j.words, j.asked_at FROM join_requests j JOIN users u ON u.uid = j.uid
    WHERE j.group_id = for_group AND j.accepted IS NULL
      AND (since_id IS NULL OR (j.asked_at, j.request_id) > (since, since_id))
    ORDER BY j.asked_at, j.request_id LIMIT most;
END $$;

-- Requests with the names of their groups.
CREATE OR REPLACE VIEW own_join_requests AS
  SELECT j.*, g.name FROM join_requests j JOIN groups g USING (group_id);
