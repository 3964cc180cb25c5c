-- What an admin asks about a user.

-- The user with this UID or address.
CREATE OR REPLACE FUNCTION admin_find_user(who text) RETURNS uuid
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
DECLARE
  wanted text := lower(btrim(who));
  user_id uuid;
BEGIN
  IF wanted ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN
    user_id := (SELECT u.uid FROM users u WHERE u.uid = wanted::uuid);
  ELSE
    user_id := (SELECT e.uid FROM user_emails e WHERE e.canonical = wanted);
  END IF;
  IF user_id IS NULL THEN
    PERFORM refuse('user_not_found', format('no user has the address or UID %s', who));
  END IF;
  RETURN user_id;
END $$;

-- By what one recognises an account, for scripts that erase one.
CREATE OR REPLACE FUNCTION admin_account(user_id uuid) RETURNS TABLE (
  nickname text, uid uuid, address text, registered timestamptz, groups bigint, sessions bigint
) LANGUAGE plpgsql STABLE ROWS 1 SET search_path = public, pg_temp AS $$
BEGIN
  RETURN QUERY
    SELECT u.nickname, u.uid, (SELECT e.email FROM user_emails e WHERE e.uid = user_id), u.created_at,
           (SELECT count(*) FROM group_members m WHERE m.uid = user_id),
           (SELECT count(*) FROM study_sessions s WHERE s.uid = user_id AND s.state <> 'discarded')
    FROM users u WHERE u.uid = user_id;
END $$;

-- What there is to know about the user with this UID or address, without secrets.
CREATE OR REPLACE FUNCTION admin_user(who text) RETURNS jsonb
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
DECLARE
  user_id uuid := admin_find_user(who);
BEGIN
  RETURN (
    SELECT jsonb_build_object(
      'uid', u.uid, 'nickname', u.nickname, 'status', u.status, 'created_at', utc_text(u.created_at),
      'leaves_at', utc_text(u.leaves_at), 'email', e.email, 'email_refused_since', utc_text(e.refused_since),
      'has_password', u.password_hash IS NOT NULL,
      'providers',
      coalesce((SELECT jsonb_agg(i.issuer ORDER BY i.created_at) FROM user_identities i WHERE i.uid = u.uid), '[]'),
      'sign_ins', (SELECT count(*) FROM sign_ins s
                   WHERE s.uid = u.uid AND s.auth_epoch = u.auth_epoch AND s.expires_at > anthill_clock()),
      'last_seen_at', utc_text((SELECT max(s.last_seen_at) FROM sign_ins s WHERE s.uid = u.uid)),
      'time_zone', o.time_zone, 'timer_state', t.state, 'timer_started_at', utc_text(t.created_at),
      'last_studied_at',
      utc_text((SELECT max(i.ended_at) FROM study_intervals i WHERE i.uid = u.uid AND i.retracted_at IS NULL)),
      'global_board', u.global_board, 'is_site_admin', is_site_admin(u.uid),
      'suspensions', coalesce((
        SELECT jsonb_agg(jsonb_build_object('group', g.name, 'until', utc_text(s.until), 'reason', s.reason)
          ORDER BY s.since)
        FROM told_suspensions s LEFT JOIN groups g USING (group_id) WHERE s.uid = u.uid AND s.in_force), '[]'),
      'groups', coalesce((
        SELECT jsonb_agg(jsonb_build_object('id', g.group_id, 'name', g.name, 'role', m.role) ORDER BY m.joined_at)
        FROM group_members m JOIN groups g USING (group_id) WHERE m.uid = u.uid), '[]'),
      'events', coalesce((
        SELECT jsonb_agg(jsonb_build_object('at', utc_text(a.at), 'kind', a.kind) ORDER BY a.at DESC, a.id DESC)
        FROM (SELECT * FROM audit_events x WHERE x.uid = u.uid ORDER BY x.at DESC, x.id DESC LIMIT 10) a), '[]'))
    FROM users u
    JOIN students o USING (uid)
    LEFT JOIN user_emails e USING (uid)
    LEFT JOIN study_sessions t ON t.uid = u.uid AND t.state IN ('running', 'paused')
    WHERE u.uid = user_id);
END $$;
