-- Export: all data of a user, to download.

-- A user's sessions, ordered by start: those that begin on these study days by the current clock, or all where a day is
-- NULL. Deleted sessions are included only if requested.
CREATE OR REPLACE FUNCTION exported_sessions(user_id uuid, from_day date, to_day date, with_discarded boolean)
  RETURNS TABLE (session_id uuid) LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  owner students;
BEGIN
  SELECT * INTO owner FROM students u WHERE u.uid = user_id;
  RETURN QUERY
    SELECT x.session_id FROM (
      SELECT s.session_id, coalesce(
               min(i.started_at) FILTER (WHERE i.retracted_at IS NULL), min(i.started_at), s.created_at) AS began
      FROM study_sessions s
      LEFT JOIN study_intervals i ON i.uid = s.uid AND i.session_id = s.session_id
      WHERE s.uid = user_id AND (with_discarded OR s.state <> 'discarded')
      GROUP BY s.uid, s.session_id
    ) x
    WHERE (from_day IS NULL OR x.began >= study_day_start(from_day, owner.time_zone, owner.day_starts_at))
      AND (to_day IS NULL OR x.began < study_day_start(to_day + 1, owner.time_zone, owner.day_starts_at))
    ORDER BY x.began, x.session_id;
END $$;

-- The intervals of these sessions that count or may count, in the order of the sessions, with all columns of the table.
CREATE OR REPLACE FUNCTION exported_intervals(user_id uuid, sessions uuid[]) RETURNS TABLE (
  session_id uuid, interval_id uuid, started_at timestamptz, ended_at timestamptz, seconds integer, session_state text,
  interval_state text, session_source text, source text, subject text, task text, note text, time_zone text,
  day_starts_at text, recorded_at timestamptz
) LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  clock timestamptz := anthill_clock();
BEGIN
  RETURN QUERY
    WITH kept AS MATERIALIZED (
      SELECT s.session_id, s.state, s.source, s.note, x.name AS subject, t.title AS task FROM study_sessions s
      LEFT JOIN subjects x ON x.uid = s.uid AND x.id = s.subject_id
      LEFT JOIN tasks t ON t.uid = s.uid AND t.id = s.task_id
      WHERE s.uid = user_id AND s.session_id = ANY (sessions)
    ),
    intervals AS MATERIALIZED (
      SELECT n.* FROM study_intervals n
      WHERE n.uid = user_id AND n.session_id = ANY (sessions) AND n.retracted_at IS NULL
    )
    SELECT s.session_id, i.interval_id, i.started_at, o.ended_at,
           CASE WHEN NOT o.unconfirmed THEN extract(epoch FROM o.ended_at - i.started_at)::integer END,
           CASE WHEN o.unconfirmed THEN 'unconfirmed' ELSE s.state END,
           CASE WHEN o.unconfirmed THEN 'unconfirmed' WHEN o.ended_at IS NULL THEN 'running' ELSE 'finished' END,
           s.source, i.source, s.subject, s.task, s.note, i.time_zone, to_char(i.day_starts_at, 'HH24:MI'),
           i.recorded_at
    FROM unnest(sessions) WITH ORDINALITY w (session_id, place)
    JOIN kept s USING (session_id)
    JOIN intervals i USING (session_id)
    CROSS JOIN LATERAL (
      -- An overdue timer is shown as it will be when it is ended.
      SELECT i.unconfirmed OR timer_is_overdue(i.started_at, i.ended_at, clock) AS unconfirmed,
             CASE WHEN timer_is_overdue(i.started_at, i.ended_at, clock)
               THEN i.started_at + longest_interval() ELSE i.ended_at END AS ended_at
    ) o
    ORDER BY w.place, i.started_at, i.interval_id;
END $$;

-- These sessions as JSON, in their order, with all intervals they ever had.
CREATE OR REPLACE FUNCTION exported_documents(user_id uuid, sessions uuid[]) RETURNS TABLE (document text)
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  RETURN QUERY
    WITH kept AS MATERIALIZED (
      SELECT s.*, x.name AS subject, t.title AS task FROM study_sessions s
      LEFT JOIN subjects x ON x.uid = s.uid AND x.id = s.subject_id
      LEFT JOIN tasks t ON t.uid = s.uid AND t.id = s.task_id
      WHERE s.uid = user_id AND s.session_id = ANY (sessions)
    ),
    intervals AS MATERIALIZED (
      SELECT n.session_id, jsonb_agg(jsonb_build_object(
               'id', n.interval_id, 'started_at', utc_text(n.started_at), 'ended_at', utc_text(n.ended_at),
               'source', n.source, 'time_zone', n.time_zone, 'day_starts_at', to_char(n.day_starts_at, 'HH24:MI'),
               'recorded_at', utc_text(n.recorded_at), 'retracted_at', utc_text(n.retracted_at),
               'unconfirmed', n.unconfirmed) ORDER BY n.started_at, n.recorded_at, n.interval_id) AS all_of_them
      FROM study_intervals n WHERE n.uid = user_id AND n.session_id = ANY (sessions)
      GROUP BY n.session_id
    )
    SELECT jsonb_build_object(
             'id', s.session_id, 'state', s.state, 'source', s.source, 'subject_id', s.subject_id, 'subject', s.subject,
             'task_id', s.task_id, 'task', s.task, 'goal_seconds', s.goal_seconds, 'plan', s.plan, 'note', s.note,
             'created_at', utc_text(s.created_at), 'intervals', coalesce(i.all_of_them, '[]'))::text
    FROM unnest(sessions) WITH ORDINALITY w (session_id, place)
    JOIN kept s USING (session_id)
    LEFT JOIN intervals i USING (session_id)
    ORDER BY w.place;
END $$;

-- All other data of a user as JSON, by name: what they wrote, what follows from it, and what others did to them. It
-- contains no digests of secrets, and about other people only that they are members of the same group. Reports about
-- the user are left out: they would tell who made them. So are links in mails: a taken address gets none.
CREATE OR REPLACE FUNCTION exported_account(user_id uuid) RETURNS TABLE (part text, content text)
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
DECLARE
  kept text;
  profile jsonb := (SELECT to_jsonb(s) FROM students s WHERE s.uid = user_id);
BEGIN
  RETURN QUERY
    SELECT 'profile', ((to_jsonb(u) || profile) - '{password_hash,auth_epoch,not_before}'::text[]
                       || jsonb_build_object(
                         'email', e.email, 'mail_refused_since', utc_text(e.refused_since), 'mail_refused_with',
                         e.refused_with))::text
    FROM users u LEFT JOIN user_emails e ON e.uid = u.uid WHERE u.uid = user_id;
  RETURN QUERY
    SELECT 'groups', coalesce(jsonb_agg(jsonb_build_object(
             'id', h.group_id, 'name', g.name, 'joined_at', utc_text(h.joined_at), 'left_at', utc_text(h.left_at),
             'role', m.role, 'visibility', coalesce(m.visibility, h.visibility)) ORDER BY h.joined_at), '[]')::text
    FROM group_membership_history h
    LEFT JOIN groups g USING (group_id)
    LEFT JOIN group_members m ON m.uid = h.uid AND m.group_id = h.group_id AND h.left_at IS NULL
    WHERE h.uid = user_id;
  RETURN QUERY
    SELECT 'invitations', coalesce(jsonb_agg(jsonb_build_object(
             'id', i.invitation_id, 'group_id', i.group_id, 'created_at', utc_text(i.created_at),
             'expires_at', utc_text(i.expires_at), 'uses_left', i.uses_left, 'revoked_at', utc_text(i.revoked_at))
             ORDER BY i.created_at, i.invitation_id), '[]')::text
    FROM invitations i WHERE i.created_by = user_id;
  RETURN QUERY
    SELECT 'standings', coalesce(jsonb_agg(jsonb_build_object(
             'group_id', s.group_id, 'month', to_char(s.month, 'YYYY-MM'), 'nickname', s.nickname, 'rank', s.rank,
             'counted_seconds', s.counted_seconds, 'manual_seconds', s.manual_seconds, 'amended_rank', s.amended_rank,
             'amended_seconds', s.amended_seconds, 'person', encode(s.person, 'hex'), 'salt', encode(s.salt, 'hex'),
             'seal_salt', encode(s.seal_salt, 'hex')) ORDER BY s.month, s.group_id), '[]')::text
    FROM standings s WHERE s.uid = user_id;
  -- Those of the user's months, and those that the user made.
  RETURN QUERY
    SELECT 'amendments', coalesce(jsonb_agg(jsonb_build_object(
             'group_id', a.group_id, 'month', to_char(a.month, 'YYYY-MM'), 'at', utc_text(a.at), 'reason', a.reason,
             'mine', s.person IS NOT NULL, 'by_me', a.actor IS NOT DISTINCT FROM user_id, 'old_seconds', a.old_seconds,
             'new_seconds', a.new_seconds, 'old_rank', a.old_rank, 'new_rank', a.new_rank)
             ORDER BY a.at, a.amendment_id), '[]')::text
    FROM amendments a
    LEFT JOIN standings s ON s.uid = user_id AND s.group_id = a.group_id AND s.month = a.month AND s.person = a.person
    WHERE s.person IS NOT NULL OR a.actor = user_id;
  -- What happened to the user and what the user did, without the client addresses of others and the operator's name.
  -- (`by` is a role where something happened in a group.)
  RETURN QUERY
    SELECT 'security_events', coalesce(jsonb_agg(jsonb_build_object(
             'at', utc_text(a.at), 'kind', a.kind, 'by_me', a.actor IS NOT DISTINCT FROM user_id,
             'client', CASE WHEN a.actor IS NULL OR a.actor = user_id THEN a.client END, 'details',
             a.details - CASE WHEN a.details ? 'group_id' THEN '{admin}' ELSE '{admin,by}' END::text[])
             ORDER BY a.at, a.id), '[]')::text
    FROM audit_events a WHERE a.uid = user_id OR a.actor = user_id AND a.actor IS DISTINCT FROM a.uid;
  RETURN QUERY
    SELECT 'mails', coalesce(jsonb_agg(jsonb_build_object(
             'kind', o.kind, 'to', o.to_address, 'created_at', utc_text(o.created_at), 'sent_at', utc_text(o.sent_at))
             ORDER BY o.created_at, o.id), '[]')::text
    FROM mails_of(user_id) o;
  -- Those that the user gave (by_me) and got; it names no other person.
  RETURN QUERY
    SELECT 'cheers', coalesce(jsonb_agg(jsonb_build_object(
             'group_id', c.group_id, 'day', c.day, 'given_at', utc_text(c.given_at), 'by_me', c.uid = user_id)
             ORDER BY c.given_at, c.group_id), '[]')::text
    FROM cheers c WHERE user_id IN (c.uid, c.receiver);
  -- Without the answers: a problem may still be waiting for one.
  RETURN QUERY
    SELECT 'wake_up_challenges', coalesce(jsonb_agg(jsonb_build_object(
             'id', c.challenge_id, 'day', c.day, 'ring', c.ring, 'puzzle', c.puzzle, 'asked_at', utc_text(c.asked_at),
             'expires_at', utc_text(c.expires_at), 'tries', c.tries, 'solved_at', utc_text(c.solved_at))
             ORDER BY c.day, c.ring), '[]')::text
    FROM wake_up_challenges c WHERE c.uid = user_id;
  FOREACH kept IN ARRAY ARRAY[
    'sign_ins', 'email_changes', 'former_emails', 'user_identities', 'subjects', 'projects', 'tasks',
    'task_projects', 'plans', 'alarms', 'study_days', 'past_goals', 'period_goals', 'target_dates', 'rest_days',
    'wake_ups', 'perfect_announcements', 'suspensions', 'group_bans', 'site_admins', 'reports', 'group_notices',
    'join_requests', 'push_subscriptions', 'webhooks', 'calendar_feeds', 'badges'
  ] LOOP
    RETURN QUERY EXECUTE format(
      'SELECT %L::text, coalesce(jsonb_agg(x.row ORDER BY x.row::text), ''[]'')::text FROM ('
      '  SELECT to_jsonb(t) - ''{uid,token_mac,auth_epoch,authentication,device_key,sealed_address,actual_seconds,'
      '                          suspended_by,'
      '                          lifted_by,banned_by,about,answered_by}''::text[] AS row'
      '  FROM %I t WHERE t.uid = $1) x', kept, kept)
      USING user_id;
  END LOOP;
  RETURN QUERY
    SELECT 'avatars', coalesce(jsonb_agg(jsonb_build_object(
             'webp', translate(encode(a.webp, 'base64'), E'\n', ''), 'changed_at', utc_text(a.changed_at))), '[]')::text
    FROM avatars a WHERE a.uid = user_id;
END $$;
