-- Oversight: what site admins look at, and what they set going again.

-- Users by what a site admin knows of them: their UID, their address, or how their nickname begins. The last sign-in is
-- NULL for somebody who is signed in nowhere. Nobody learns how many reports there are about themselves.
CREATE OR REPLACE FUNCTION found_people(viewer_id uuid, search text, most bigint) RETURNS TABLE (
  uid uuid, nickname text, email text, created_at timestamptz, status text, leaves_at timestamptz,
  last_seen_at timestamptz,
  group_count bigint, report_count bigint, is_site_admin boolean, suspended_until timestamptz
) LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  found uuid[];
BEGIN
  IF search ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN
    found := ARRAY[search::uuid];
  ELSIF position('@' IN search) > 1 THEN
    found := ARRAY(SELECT e.uid FROM user_emails e WHERE e.canonical = search);
  ELSE
    -- (A range of the index; the last character there is ends it.)
    found := ARRAY(SELECT u.uid FROM users u
                   WHERE lower(u.nickname) ~>=~ lower(search) AND lower(u.nickname) ~<~ (lower(search) || chr(1114111))
                   ORDER BY lower(u.nickname) USING ~<~, u.uid LIMIT most);
  END IF;
  RETURN QUERY
    SELECT u.uid, u.nickname, e.email, u.created_at, u.status, u.leaves_at,
           (SELECT max(s.last_seen_at) FROM sign_ins s WHERE s.uid = u.uid),
           (SELECT count(*) FROM group_members m WHERE m.uid = u.uid),
           (SELECT count(*) FROM reports r WHERE r.about = u.uid AND r.about <> viewer_id), is_site_admin(u.uid),
           (SELECT max(s.until) FROM suspensions s
            WHERE s.uid = u.uid AND s.group_id IS NULL AND s.lifted_at IS NULL AND s.until > anthill_clock())
    FROM unnest(found) WITH ORDINALITY f (uid, place)
    JOIN users u ON u.uid = f.uid
    LEFT JOIN user_emails e ON e.uid = u.uid
    ORDER BY f.place;
END $$;

-- Mails of the outbox, newest first, in one state or all: waiting (also one that is being sent), failed for good, or
-- sent. Without the address and what the mail is filled with.
CREATE OR REPLACE FUNCTION mail_queue(in_state text, of_kind text, before timestamptz, before_id uuid, most bigint)
  RETURNS TABLE (
  id uuid, kind text, state text, created_at timestamptz, due timestamptz, attempts integer, ended_at timestamptz,
  last_error text
) LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    SELECT o.id, o.kind, w.state, o.created_at, o.due, o.attempts, coalesce(o.sent_at, o.dead_at),
           replace(o.last_error, o.to_address, '…')
    FROM mail_outbox o
    CROSS JOIN LATERAL (
      SELECT CASE WHEN o.dead_at IS NOT NULL THEN 'failed' WHEN o.sent_at IS NOT NULL THEN 'sent'
        ELSE 'waiting' END AS state) w
    WHERE (in_state IS NULL OR w.state = in_state) AND (of_kind IS NULL OR o.kind = of_kind)
      AND (before_id IS NULL OR (o.created_at, o.id) < (before, before_id))
    ORDER BY o.created_at DESC, o.id DESC LIMIT most;
END $$;

-- Lets the worker try a mail again at once: one that failed for good, or one that waits for its next attempt.
CREATE OR REPLACE FUNCTION send_mail_again(actor uuid, mail uuid) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  held mail_outbox;
BEGIN
  PERFORM require_site_admin(actor);
  SELECT * INTO held FROM mail_outbox o WHERE o.id = mail FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    PERFORM refuse('mail_not_found', 'no such mail', 'no_data_found');
  ELSIF held.sent_at IS NOT NULL THEN
    PERFORM refuse('mail_sent', 'the mail was sent');
  END IF;
  PERFORM make_mail_due(mail);
  INSERT INTO audit_events (kind, actor, details)
    VALUES ('mail_sent_again', actor, jsonb_build_object('mail_id', mail, 'mail_kind', held.kind));
END $$;

-- The audit of the whole service, newest first: of one kind, about or by one user, in one group, or all. Without the
-- addresses from which people came, and without reports about the viewer. (Ids of events grow.)
CREATE OR REPLACE FUNCTION service_audit(viewer_id uuid, of_kind text, of_user uuid, in_group uuid, before_id uuid,
                                         most bigint) RETURNS TABLE (
  id uuid, at timestamptz, kind text, actor_uid uuid, actor_name text, member_uid uuid, member_name text, details text
) LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    SELECT e.id, e.at, e.kind, e.actor, a.nickname, e.uid, m.nickname, details_with_report(e.kind, e.details)::text
    FROM audit_events e
    LEFT JOIN users a ON a.uid = e.actor
    LEFT JOIN users m ON m.uid = e.uid
    WHERE (of_kind IS NULL OR e.kind = of_kind) AND (of_user IS NULL OR of_user IN (e.uid, e.actor))
      AND (in_group IS NULL OR e.details ->> 'group_id' = in_group::text) AND (before_id IS NULL OR e.id < before_id)
      AND NOT EXISTS (SELECT FROM reports r
        WHERE r.report_id = (e.details ->> 'report_id')::uuid AND r.about = viewer_id)
    ORDER BY e.id DESC LIMIT most;
END $$;

-- The figures of the service. Today is the study day of the service's own clock. An account that is suspended or about
-- to be deleted is not counted among the users, and no report about the viewer among the reports.
CREATE OR REPLACE FUNCTION service_overview(viewer_id uuid) RETURNS TABLE (
  as_of timestamptz, users bigint, users_new_today bigint, users_active_today bigint, users_on_global_board bigint,
  groups bigint, sessions_today bigint, timers_running bigint, mails_waiting bigint, mails_failed bigint,
  oldest_mail_due timestamptz, reports_open bigint, suspensions_in_force bigint
) LANGUAGE plpgsql STABLE ROWS 1 SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  morning timestamptz := (
    SELECT study_day_start(study_day(anthill_clock(), r.time_zone, r.day_starts_at), r.time_zone, r.day_starts_at)
    FROM ranking_rules r WHERE r.is_global);
BEGIN
  as_of := anthill_clock();
  SELECT count(*) FILTER (WHERE in_use(u)),
         count(*) FILTER (WHERE in_use(u) AND u.created_at >= morning),
         count(*) FILTER (WHERE belongs_on_global_board(u))
    INTO users, users_new_today, users_on_global_board FROM users u;
  SELECT count(DISTINCT s.uid) INTO users_active_today FROM sign_ins s WHERE s.last_seen_at >= morning;
  groups := (SELECT count(*) FROM groups);
  sessions_today := (SELECT count(*) FROM study_sessions s WHERE s.created_at >= morning);
  timers_running := (SELECT count(*) FROM study_sessions s WHERE s.state = 'running');
  SELECT count(*), min(o.due) INTO mails_waiting, oldest_mail_due FROM mail_outbox o
    WHERE o.sent_at IS NULL AND o.dead_at IS NULL;
  mails_failed := (SELECT count(*) FROM mail_outbox o WHERE o.dead_at IS NOT NULL);
  reports_open := (SELECT count(*) FROM reports r
                   WHERE r.answered_at IS NULL AND r.about IS DISTINCT FROM viewer_id);
  suspensions_in_force := (SELECT count(*) FROM suspensions s
                           WHERE s.group_id IS NULL AND s.lifted_at IS NULL AND s.until > as_of);
  RETURN NEXT;
END $$;
