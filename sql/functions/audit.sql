-- Audit: security events of users and groups. Rows are only ever added. Those of an erased user are emptied, and old
-- ones may go.

CREATE OR REPLACE TRIGGER audit_events_append_only BEFORE TRUNCATE ON audit_events
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Refuses the removal of events, whatever rights a role has on the table. One exception, by age alone: purge() decides
-- which of the old ones go.
CREATE OR REPLACE FUNCTION refuse_removal_of_audit() RETURNS trigger
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM gone g WHERE g.at > anthill_clock() - make_interval(months => audit_kept_months())) THEN
    PERFORM refuse('audit_events_append_only',
                   format('audit_events keeps the events of the last %s months', audit_kept_months()));
  END IF;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER audit_events_kept AFTER DELETE ON audit_events REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_removal_of_audit();

-- Refuses changes of events, whatever rights a role has on the table. One exception: an erased user, their
-- address and details may be taken out of their events. Kind and time stay.
CREATE OR REPLACE FUNCTION refuse_change_of_audit() RETURNS trigger
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF EXISTS (
    SELECT FROM gone g FULL JOIN come c USING (id)
    WHERE (g.at, g.kind) IS DISTINCT FROM (c.at, c.kind)
      OR (g.uid, g.actor, g.client, g.details) IS DISTINCT FROM (c.uid, c.actor, c.client, c.details) AND (
        coalesce(c.uid <> g.uid OR g.uid IS NULL AND c.uid IS NOT NULL, false)
        OR coalesce(c.actor <> g.actor OR g.actor IS NULL AND c.actor IS NOT NULL, false)
        OR (g.uid, g.actor) IS NOT DISTINCT FROM (c.uid, c.actor)
        OR c.client IS DISTINCT FROM g.client AND c.client IS NOT NULL
        OR NOT g.details @> c.details
        OR EXISTS (SELECT FROM users u WHERE u.uid = g.uid AND c.uid IS NULL OR u.uid = g.actor AND c.actor IS NULL))
  ) THEN
    PERFORM refuse('audit_events_append_only', 'audit_events is only ever added to; erased users may be taken out');
  END IF;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER audit_events_stay AFTER UPDATE ON audit_events REFERENCING OLD TABLE AS gone NEW TABLE AS come
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_audit();

-- What the details of a group's event say if the operator of the service did it, and no member.
CREATE OR REPLACE FUNCTION by_operator(actor uuid) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN CASE WHEN actor IS NULL THEN jsonb_build_object('operator', true) ELSE '{}' END;

-- The activity log of a group for admins, newest first: what happened, and who did it. Client addresses are left out.
CREATE OR REPLACE FUNCTION group_audit(actor uuid, for_group uuid, before timestamptz, before_id uuid, most bigint)
  RETURNS TABLE (
  id uuid, at timestamptz, kind text, actor_uid uuid, actor_name text, member_uid uuid, member_name text, details text
) LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  PERFORM require_role(group_audit.actor, for_group, 'owner', 'admin');
  RETURN QUERY
    SELECT e.id, e.at, e.kind, e.actor, a.nickname, e.uid, m.nickname,
           (e.details - '{group_id,admin,change,undone}'::text[] || CASE WHEN e.details ? 'month'
              THEN jsonb_build_object('month', left(e.details ->> 'month', 7)) ELSE '{}' END)::text
    FROM audit_events e
    LEFT JOIN users a ON a.uid = e.actor
    LEFT JOIN users m ON m.uid = e.uid
    WHERE e.details ->> 'group_id' = for_group::text AND (before_id IS NULL OR (e.at, e.id) < (before, before_id))
    ORDER BY e.at DESC, e.id DESC LIMIT most;
END $$;

-- What a user did and what was done to them, newest first. It names no other person. The client's address is given only
-- for what they did themselves, and for what was done by nobody who is known.
CREATE OR REPLACE FUNCTION own_activity(user_id uuid, before timestamptz, before_id uuid, most bigint) RETURNS TABLE (
  id uuid, at timestamptz, kind text, by_me boolean, about_me boolean, client text, group_name text, details text
) LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    SELECT e.id, e.at, e.kind, coalesce(e.actor = user_id, false), coalesce(e.uid = user_id, false),
           CASE WHEN coalesce(e.actor, user_id) = user_id THEN e.client END, g.name, told.details::text
    FROM (
      (SELECT * FROM audit_events a WHERE a.uid = user_id AND (before_id IS NULL OR (a.at, a.id) < (before, before_id))
       ORDER BY a.at DESC, a.id DESC LIMIT most)
      UNION ALL
      (SELECT * FROM audit_events a WHERE a.actor = user_id AND a.uid IS DISTINCT FROM user_id
         AND (before_id IS NULL OR (a.at, a.id) < (before, before_id))
       ORDER BY a.at DESC, a.id DESC LIMIT most)
    ) e
    LEFT JOIN groups g ON g.group_id = (e.details ->> 'group_id')::uuid
    CROSS JOIN LATERAL (
      SELECT coalesce(jsonb_object_agg(d.key, CASE d.key WHEN 'month' THEN left(d.value, 7) ELSE d.value END),
                      '{}') AS details
      FROM jsonb_each_text(details_with_report(e.kind, e.details)) d
      WHERE d.key IN ('device', 'key', 'old_name', 'new_name', 'from', 'to', 'until', 'reason', 'answer', 'month',
                      'from_month')
    ) told
    ORDER BY e.at DESC, e.id DESC LIMIT most;
END $$;
