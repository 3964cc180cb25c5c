-- Audit: security events of users and groups. Rows are only ever added.

CREATE OR REPLACE TRIGGER audit_events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_events
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- The activity log of a group for admins, newest first: what happened, and who did it. Client addresses are left out.
CREATE OR REPLACE FUNCTION group_audit(actor uuid, for_group uuid, before timestamptz, before_id uuid, most bigint) RETURNS TABLE (
  id uuid, at timestamptz, kind text, actor_uid uuid, actor_name text, member_uid uuid, member_name text, details text
) LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  PERFORM require_role(group_audit.actor, for_group, 'owner', 'admin');
  RETURN QUERY
    SELECT e.id, e.at, e.kind, e.actor, a.nickname, e.uid, m.nickname,
           (e.details - 'group_id' || CASE WHEN e.details ? 'month'
              THEN jsonb_build_object('month', left(e.details ->> 'month', 7)) ELSE '{}' END)::text
    FROM audit_events e
    LEFT JOIN users a ON a.uid = e.actor
    LEFT JOIN users m ON m.uid = e.uid
    WHERE e.details ->> 'group_id' = for_group::text AND (before_id IS NULL OR (e.at, e.id) < (before, before_id))
    ORDER BY e.at DESC, e.id DESC LIMIT most;
END $$;
