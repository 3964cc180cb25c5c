-- What is written in one second keeps its order: audit events are told in it, and of amendments the last one holds.

-- Ids that grow, and so order what has the same instant.
CREATE SEQUENCE audit_events_written;
ALTER TABLE audit_events ALTER id SET DEFAULT lpad(to_hex(nextval('audit_events_written')), 32, '0')::uuid;
CREATE SEQUENCE amendments_written;
ALTER TABLE amendments ALTER amendment_id SET DEFAULT lpad(to_hex(nextval('amendments_written')), 32, '0')::uuid;

-- Corrects one person's seconds in a closed month; everybody sees the reason beside the old and the new rank.
CREATE OR REPLACE FUNCTION amend_standing(actor uuid, which uuid, in_month date, whose uuid, seconds bigint, why text)
  RETURNS uuid LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  held groups := hold_group(which);
  before record;
  made uuid;
BEGIN
  PERFORM require_role(actor, held.group_id, 'owner', 'admin');
  IF NOT EXISTS (SELECT FROM month_closes c WHERE c.group_id = which AND c.month = in_month) THEN
    RAISE EXCEPTION 'the month is not closed' USING ERRCODE = 'check_violation', CONSTRAINT = 'month_not_closed';
  END IF;
  SELECT * INTO before FROM closed_scores(which, in_month) c WHERE c.uid = whose;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'not on these standings' USING ERRCODE = 'no_data_found', CONSTRAINT = 'member_not_found';
  END IF;
  IF seconds NOT BETWEEN 0 AND 2678400 THEN
    RAISE EXCEPTION 'a month has at most 31 days' USING ERRCODE = 'check_violation', CONSTRAINT = 'amendments_seconds';
  END IF;
  INSERT INTO amendments (group_id, month, person, actor, at, reason, old_seconds, new_seconds, old_rank, new_rank)
    SELECT which, in_month, before.person, actor, anthill_clock(), why, before.seconds, amend_standing.seconds, before.rank,
           1 + count(*) FILTER (WHERE c.seconds > amend_standing.seconds AND c.person <> before.person)
    FROM closed_scores(which, in_month) c
    RETURNING amendment_id INTO made;
  INSERT INTO audit_events (kind, uid, actor, details)
    VALUES ('standing_amended', whose, actor, jsonb_build_object('group_id', which, 'month', in_month, 'amendment_id', made));
  RETURN made;
END $$;

-- Everything else that is kept of a user, by its name, as JSON: what they wrote and what follows from it, but no digest of
-- a secret, and of what others did no more than that they are members of the same group.
CREATE OR REPLACE FUNCTION exported_account(whose uuid) RETURNS TABLE (part text, content text)
  LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
DECLARE
  kept text;
BEGIN
  RETURN QUERY
    SELECT 'profile', (to_jsonb(u) - '{password_hash,auth_epoch}'::text[]
                       || jsonb_build_object('email', (SELECT e.email FROM user_emails e WHERE e.uid = whose)))::text
    FROM users u WHERE u.uid = whose;
  RETURN QUERY
    SELECT 'groups', coalesce(jsonb_agg(jsonb_build_object(
             'id', h.group_id, 'name', g.name, 'joined_at', utc_text(h.joined_at), 'left_at', utc_text(h.left_at),
             'role', m.role, 'visibility', m.visibility) ORDER BY h.joined_at), '[]')::text
    FROM group_membership_history h
    JOIN groups g USING (group_id)
    LEFT JOIN group_members m ON m.uid = h.uid AND m.group_id = h.group_id AND h.left_at IS NULL
    WHERE h.uid = whose;
  RETURN QUERY
    SELECT 'security_events', coalesce(jsonb_agg(jsonb_build_object(
             'at', utc_text(a.at), 'kind', a.kind) ORDER BY a.at, a.id), '[]')::text
    FROM audit_events a WHERE a.uid = whose;
  FOREACH kept IN ARRAY ARRAY[
    'sign_ins', 'user_identities', 'subjects', 'projects', 'tasks', 'task_projects', 'plans', 'alarms', 'study_days',
    'past_goals', 'rest_days', 'wake_ups', 'perfect_announcements', 'suspensions'
  ] LOOP
    CONTINUE WHEN to_regclass(kept) IS NULL;
    RETURN QUERY EXECUTE format(
      'SELECT %L::text, coalesce(jsonb_agg(x.row ORDER BY x.row::text), ''[]'')::text FROM ('
      '  SELECT to_jsonb(t) - ''{uid,token_mac,auth_epoch,suspended_by,lifted_by}''::text[] AS row FROM %I t WHERE t.uid = $1) x', kept, kept)
      USING whose;
  END LOOP;
END $$;
