-- Leaving: a user asks for the deletion of their account, may come back until it is due, and is then erased.
--
-- An erased user is gone from every table. What others still need stays without a name: closed standings with rank
-- and seconds, the events of the audit with their kind and time, and what they did in the name of a group.

-- Whether a user's account can still be kept: it is not due to be deleted.
CREATE OR REPLACE FUNCTION may_stay(u users) RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
  RETURN u.leaves_at IS NULL OR u.leaves_at > anthill_clock();

-- Whether a user may sign in and ask for anything. Once the account is due to be deleted nobody may, whether or not
-- that has happened yet.
CREATE OR REPLACE FUNCTION may_sign_in(u users) RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
  RETURN u.status = 'active' AND may_stay(u);

-- Whether an account is in use: its user may sign in and has not asked for its deletion.
CREATE OR REPLACE FUNCTION in_use(u users) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN u.status = 'active' AND u.leaves_at IS NULL;

-- The groups that would have no owner without this user, as [{"id": …, "name": …, "member_count": …}]; none is NULL.
CREATE OR REPLACE FUNCTION groups_left_ownerless(user_id uuid) RETURNS jsonb
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  RETURN (
    SELECT jsonb_agg(jsonb_build_object(
             'id', g.group_id, 'name', g.name,
             'member_count', (SELECT count(*) FROM group_members x WHERE x.group_id = g.group_id)) ORDER BY m.joined_at)
    FROM group_members m JOIN groups g USING (group_id)
    WHERE m.uid = user_id AND m.role = 'owner' AND NOT has_other_owner(m.group_id, user_id));
END $$;

-- Locks the groups that these people are in, in the order of their ids, and then the people's study.
CREATE OR REPLACE FUNCTION lock_with_groups(VARIADIC people uuid[]) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  held uuid[] := ARRAY(SELECT m.group_id FROM group_members m WHERE m.uid = ANY (people));
  person uuid;
BEGIN
  PERFORM FROM groups g WHERE g.group_id = ANY (held) ORDER BY g.group_id FOR NO KEY UPDATE;
  FOR person IN SELECT p FROM unnest(people) p ORDER BY p LOOP
    PERFORM lock_student(person);
  END LOOP;
  IF EXISTS (SELECT FROM group_members m WHERE m.uid = ANY (people) AND m.group_id <> ALL (held)) THEN
    PERFORM refuse('joined_meanwhile', 'the user joined a group meanwhile: ask again', 'serialization_failure');
  END IF;
END $$;

-- The same, but refuses while a group would be left without an owner.
CREATE OR REPLACE FUNCTION lock_leaver(user_id uuid) RETURNS students
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  ownerless jsonb;
BEGIN
  PERFORM lock_with_groups(user_id);
  ownerless := groups_left_ownerless(user_id);
  IF ownerless IS NOT NULL THEN
    PERFORM refuse('leaves_groups_ownerless', 'a group needs an owner: hand it on or delete it first',
                   facts => jsonb_build_object('groups', ownerless));
  END IF;
  RETURN lock_student(user_id);
END $$;

-- Asks for the deletion of an account and returns when it is due. A timer is stopped, and what was studied counts. All
-- sign-ins end, except one that may only ask for the account, its data, and to come back; and all mailed links, except
-- those that give an old address back: somebody who took the account over cannot end these by leaving. A mail tells the
-- user. Asked again, nothing changes. Refused if the user signs in otherwise than under this epoch, at which they
-- proved who they are.
CREATE OR REPLACE FUNCTION ask_to_leave(user_id uuid, under_epoch bigint, asking_sign_in uuid, from_client text)
  RETURNS timestamptz LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  owner students := lock_leaver(user_id);
  leaver users;
  due timestamptz := clock_of(owner) + leaving_period();
BEGIN
  SELECT * INTO leaver FROM users u WHERE u.uid = user_id FOR NO KEY UPDATE;
  IF leaver.leaves_at IS NOT NULL THEN RETURN leaver.leaves_at; END IF;
  IF leaver.auth_epoch <> under_epoch THEN
    PERFORM refuse('proof_outdated', 'the password was changed meanwhile');
  END IF;
  IF EXISTS (SELECT FROM study_sessions s WHERE s.uid = user_id AND s.state IN ('running', 'paused')) THEN
    PERFORM FROM stop_timer(user_id);
  END IF;
  UPDATE users u SET leaves_at = due, auth_epoch = u.auth_epoch + 1 WHERE u.uid = user_id;
  DELETE FROM sign_ins s WHERE s.uid = user_id AND s.id IS DISTINCT FROM asking_sign_in;
  UPDATE sign_ins s SET auth_epoch = u.auth_epoch
    FROM users u WHERE u.uid = user_id AND s.uid = u.uid AND s.id = asking_sign_in;
  DELETE FROM auth_tokens t WHERE t.uid = user_id AND t.used_at IS NULL AND t.purpose <> 'email_return';
  INSERT INTO audit_events (kind, uid, actor, client) VALUES ('account_leaving', user_id, user_id, from_client);
  PERFORM tell_by_mail('account_leaving', e.email, jsonb_build_object(
      'uid', user_id, 'locale', leaver.locale,
      'at', to_char(due AT TIME ZONE owner.time_zone, 'YYYY-MM-DD HH24:MI'), 'zone', owner.time_zone))
    FROM user_emails e WHERE e.uid = user_id;
  RETURN due;
END $$;

-- Takes the wish to leave back, and returns when the account would have been deleted; NULL for somebody who stays
-- anyway. Once it is due there is no way back.
CREATE OR REPLACE FUNCTION come_back(user_id uuid, from_client text) RETURNS timestamptz
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  due timestamptz := (SELECT u.leaves_at FROM users u WHERE u.uid = user_id FOR NO KEY UPDATE);
BEGIN
  IF due IS NULL THEN RETURN NULL; END IF;
  IF due <= anthill_clock() THEN
    PERFORM refuse('account_gone', 'the account is due to be deleted');
  END IF;
  UPDATE users u SET leaves_at = NULL WHERE u.uid = user_id;
  INSERT INTO audit_events (kind, uid, actor, client) VALUES ('account_kept', user_id, user_id, from_client);
  RETURN due;
END $$;

-- The groups that a user is or was in.
CREATE OR REPLACE FUNCTION groups_ever(user_id uuid) RETURNS uuid[]
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  RETURN ARRAY(SELECT DISTINCT h.group_id FROM group_membership_history h WHERE h.uid = user_id);
END $$;

-- The accounts that are due to be deleted, the oldest first; without those of whom a final board is not written yet.
CREATE OR REPLACE FUNCTION accounts_due(failed uuid[] DEFAULT '{}') RETURNS TABLE (uid uuid, canonical text)
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    SELECT u.uid, e.canonical FROM users u LEFT JOIN user_emails e USING (uid)
    WHERE u.leaves_at <= anthill_clock() AND u.uid <> ALL (failed) AND NOT EXISTS (
      SELECT FROM groups g WHERE g.group_id = ANY (groups_ever(u.uid)) AND is_due(g))
    ORDER BY u.leaves_at, u.uid LIMIT 100;
END $$;

-- Takes a user out of all their groups, so that erasing them locks no group. Refuses if one would have no owner, and
-- while a final board of theirs is not written yet.
CREATE OR REPLACE FUNCTION quit_all_groups(user_id uuid) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  owner students := lock_leaver(user_id);
BEGIN
  PERFORM require_written_months(groups_ever(owner.uid));
  PERFORM quit_group(ARRAY[owner.uid], m.group_id) FROM group_members m WHERE m.uid = owner.uid ORDER BY m.group_id;
END $$;

-- Erases a user: all of their rows, and their name wherever others' rows stay. Call quit_all_groups first, in a
-- transaction of its own. The audit keeps that an account was erased, and why.
CREATE OR REPLACE FUNCTION erase_user(user_id uuid, why text DEFAULT NULL) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM quit_all_groups(user_id);
  -- What there is most of goes first: until the user's own row goes, nobody else waits.
  DELETE FROM study_intervals i WHERE i.uid = user_id;
  DELETE FROM study_sessions s WHERE s.uid = user_id;
  DELETE FROM users u WHERE u.uid = user_id;
  INSERT INTO audit_events (kind, details)
    VALUES ('account_erased', jsonb_strip_nulls(jsonb_build_object('reason', why)));
END $$;

-- With a user's row everything about them goes, also when the row is deleted by hand.
CREATE OR REPLACE FUNCTION forget_user() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  -- First: standings keep whether the user was hidden, and the stays that say so go with the study.
  PERFORM forget_deeds(OLD.uid);
  PERFORM forget_study(OLD.uid);
  PERFORM forget_mail(OLD.uid);
  PERFORM forget_in_audit(OLD.uid);
  PERFORM note_change(OLD.uid);
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER users_forgotten AFTER DELETE ON users FOR EACH ROW EXECUTE FUNCTION forget_user();

-- Study, ranks and stays in groups. Past boards of open months are then as if the user had never been there. (On Citus,
-- tables of the coordinator do not refer to the student; sql/citus.sql.)
CREATE OR REPLACE FUNCTION forget_study(user_id uuid) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM take_off_ranks(user_id, '-infinity');
  DELETE FROM group_membership_history h WHERE h.uid = user_id;
  DELETE FROM rank_totals t WHERE t.uid = user_id;
  DELETE FROM weekly_letters w WHERE w.uid = user_id;
  DELETE FROM push_reminders r WHERE r.uid = user_id;
  DELETE FROM badges b WHERE b.uid = user_id;
  DELETE FROM students s WHERE s.uid = user_id;
END $$;

-- The mails that were sent or are to be sent to a user, and any other that is about them. A former address counts for
-- as long as it was theirs or held for them.
CREATE OR REPLACE FUNCTION mails_of(user_id uuid) RETURNS SETOF mail_outbox LANGUAGE plpgsql STABLE ROWS 20
  SET search_path = public, pg_temp AS $$
BEGIN
  RETURN QUERY SELECT o.* FROM mail_outbox o
    WHERE position(user_id::text IN o.parameters::text) > 0
      OR EXISTS (SELECT FROM user_emails e
                 WHERE e.uid = user_id AND lower(o.to_address) IN (e.canonical, lower(e.email)))
      OR EXISTS (SELECT FROM former_emails f
                 WHERE f.uid = user_id AND lower(o.to_address) IN (f.canonical, lower(f.email))
                   AND o.created_at < f.held_until);
END $$;

-- The user's addresses, and the links and mails to them.
CREATE OR REPLACE FUNCTION forget_mail(user_id uuid) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM mail_outbox o USING mails_of(user_id) m WHERE o.id = m.id;
  DELETE FROM auth_tokens t USING user_emails e WHERE e.uid = user_id AND t.target = e.canonical;
  DELETE FROM auth_tokens t WHERE t.uid = user_id;
  DELETE FROM user_emails e WHERE e.uid = user_id;
  DELETE FROM user_identities i WHERE i.uid = user_id;
  DELETE FROM provider_flows f WHERE f.uid = user_id;
END $$;

-- What admins noted about the user. What the user did in groups: invitations and their own bans and suspensions go, and
-- reports about them. What they decided or reported about others stays, without their name; closed standings keep rank
-- and seconds.
CREATE OR REPLACE FUNCTION forget_deeds(user_id uuid) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  persons bytea[] := ARRAY(SELECT s.person FROM standings s WHERE s.uid = user_id);
BEGIN
  DELETE FROM invitations i WHERE i.created_by = user_id;
  DELETE FROM group_bans b WHERE b.uid = user_id;
  UPDATE group_bans b SET banned_by = NULL WHERE b.banned_by = user_id;
  DELETE FROM join_requests j WHERE j.uid = user_id;
  UPDATE join_requests j SET answered_by = NULL WHERE j.answered_by = user_id;
  UPDATE group_notices n SET uid = NULL WHERE n.uid = user_id;
  UPDATE webhooks w SET uid = NULL WHERE w.uid = user_id;
  UPDATE webhook_deliveries d SET member = NULL WHERE d.member = user_id;
  DELETE FROM suspensions s WHERE s.uid = user_id;
  UPDATE suspensions s SET suspended_by = nullif(s.suspended_by, user_id), lifted_by = nullif(s.lifted_by, user_id)
    WHERE user_id IN (s.suspended_by, s.lifted_by);
  DELETE FROM reports r WHERE r.about = user_id;
  UPDATE reports r SET uid = nullif(r.uid, user_id), answered_by = nullif(r.answered_by, user_id)
    WHERE user_id IN (r.uid, r.answered_by);
  DELETE FROM admin_changes c WHERE c.uid = user_id OR position(user_id::text IN c.undo::text) > 0;
  PERFORM forget_in_standings(user_id);
  UPDATE amendments a SET
      actor = nullif(a.actor, user_id), reason = CASE WHEN a.person <> ALL (persons) THEN a.reason END
    WHERE a.actor = user_id OR a.person = ANY (persons);
  -- Answers that were kept for others' retries may name the user. Without them a retry is asked anew.
  DELETE FROM idempotency_keys k WHERE position(convert_to(user_id::text, 'UTF8') IN k.answer) > 0;
END $$;

-- Empties the user, their address and their words in the audit. Of what happened to them the ids and numbers of a group
-- stay; what they did in a group or to others stays.
CREATE OR REPLACE FUNCTION forget_in_audit(user_id uuid) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE audit_events a SET
      uid = nullif(a.uid, user_id), actor = nullif(a.actor, user_id),
      client = CASE WHEN a.actor <> user_id THEN a.client END,
      details = CASE
        WHEN a.uid <> user_id OR a.uid IS NULL AND a.details ? 'group_id' THEN a.details
        WHEN a.details ? 'group_id' THEN (
          SELECT jsonb_object_agg(d.key, d.value) FROM jsonb_each(a.details) d
          WHERE d.key IN ('group_id', 'invitation_id', 'suspension_id', 'amendment_id', 'month', 'old_seconds',
                          'new_seconds', 'by', 'operator', 'from', 'to', 'until', 'uses'))
        ELSE '{}'
      END
    WHERE a.uid = user_id OR a.actor = user_id AND a.actor IS DISTINCT FROM a.uid;
END $$;

-- Whether the rows that name a user in this column stay, without the name, when the user is erased; others go.
CREATE OR REPLACE FUNCTION stays_without_name(named_in text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN named_in IN (
    'amendments.actor', 'audit_events.actor', 'audit_events.uid', 'group_bans.banned_by', 'group_notices.uid',
    'join_requests.answered_by', 'reports.answered_by', 'reports.uid', 'standings.uid', 'suspensions.lifted_by',
    'suspensions.suspended_by', 'webhook_deliveries.member', 'webhooks.uid');

-- How many rows name a user, for each column that does, and how many mails are about them. For admins, before they
-- erase somebody.
CREATE OR REPLACE FUNCTION rows_about(user_id uuid) RETURNS TABLE (named_in text, row_count bigint)
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
DECLARE
  named record;
BEGIN
  FOR named IN
    SELECT c.relname, a.attname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND a.atttypid = 'uuid'::regtype
      AND NOT a.attisdropped
    ORDER BY c.relname, a.attnum
  LOOP
    named_in := format('%s.%s', named.relname, named.attname);
    EXECUTE format('SELECT count(*) FROM %I WHERE %I = $1', named.relname, named.attname) INTO row_count USING user_id;
    IF row_count > 0 THEN RETURN NEXT; END IF;
  END LOOP;
  RETURN QUERY SELECT 'mail_outbox.to_address', count(*) FROM mails_of(user_id) HAVING count(*) > 0;
END $$;
