-- Merging the two accounts of one person. The first stays; what the second has comes to it, and the second is erased.

-- Whether an interval counts in a closed month, so that nobody can take it back.
CREATE OR REPLACE FUNCTION counts_for_good(i study_intervals) RETURNS boolean
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  RETURN i.source <> 'import' AND NOT i.unconfirmed
    AND in_closed_month(i.uid, i.started_at, i.ended_at, anthill_clock(), since => i.recorded_at);
END $$;

-- Where study of two users overlaps, and whether both intervals count for good.
CREATE OR REPLACE FUNCTION overlapping_study(first uuid, second uuid) RETURNS TABLE (
  began timestamptz, finished timestamptz, interval_of_first uuid, interval_of_second uuid, both_closed boolean
) LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  RETURN QUERY
    SELECT greatest(a.started_at, b.started_at), least(a.ended_at, b.ended_at), a.interval_id, b.interval_id,
           counts_for_good(a) AND counts_for_good(b)
    FROM study_intervals b
    JOIN study_intervals a ON a.uid = first AND a.retracted_at IS NULL AND
      tstzrange(a.started_at, coalesce(a.ended_at, 'infinity'))
        && tstzrange(b.started_at, coalesce(b.ended_at, 'infinity'))
    WHERE b.uid = second AND b.retracted_at IS NULL
    ORDER BY 1, 3;
END $$;

-- Locks both, with their groups. Refuses what cannot be merged.
CREATE OR REPLACE FUNCTION lock_to_merge(first uuid, second uuid) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  banned_from text;
  suspended_from text;
  stretches bigint;
BEGIN
  IF first = second THEN
    PERFORM refuse('same_user', 'both are the same account');
  ELSIF NOT EXISTS (SELECT FROM users u WHERE u.uid = second) THEN
    PERFORM refuse('user_not_found', format('no user has the uid %s', second), 'no_data_found');
  END IF;
  PERFORM lock_with_groups(first, second);
  IF EXISTS (SELECT FROM study_sessions s WHERE s.uid IN (first, second) AND s.state IN ('running', 'paused')) THEN
    PERFORM refuse('timer_running', 'one of them has a timer: stop it first, by stop_timer.sql');
  ELSIF EXISTS (SELECT FROM users u WHERE u.uid = first AND u.leaves_at IS NOT NULL) THEN
    PERFORM refuse('first_leaves', 'the first account is about to be deleted: its owner keeps it by signing in');
  ELSIF EXISTS (SELECT FROM users u WHERE u.uid = second AND u.status = 'suspended') THEN
    PERFORM refuse('second_suspended', 'the second account is suspended: restore_user.sql ends that');
  END IF;
  SELECT string_agg(CASE WHEN s.group_id IS NULL THEN 'the global board: return_to_boards.sql ends that'
                         ELSE format('the boards of %s (%s): its admins end that', g.name, s.group_id) END, ', ')
    INTO suspended_from
    FROM told_suspensions s LEFT JOIN groups g USING (group_id) WHERE s.uid = second AND s.in_force;
  IF suspended_from IS NOT NULL THEN
    PERFORM refuse('second_suspended', format('the second account is suspended from %s', suspended_from));
  END IF;
  SELECT string_agg(format('%s (%s)', g.name, g.group_id), ', ' ORDER BY g.name, g.group_id) INTO banned_from
    FROM group_bans b JOIN group_members m USING (group_id) JOIN groups g USING (group_id)
    WHERE b.uid = first AND m.uid = second;
  IF banned_from IS NOT NULL THEN
    PERFORM refuse('banned', format('the first account is banned from groups of the second: %s', banned_from));
  END IF;
  SELECT count(*) INTO stretches FROM overlapping_study(first, second) o WHERE NOT o.both_closed;
  IF stretches > 0 THEN
    PERFORM refuse('study_intervals_no_overlap',
                   format('times at which both studied: %s. Take back one of each first, by retract_interval.sql',
                          stretches));
  END IF;
END $$;

-- Moves study with what it is for. It is recorded for the first user as of now: what lies in a closed month counts on
-- no board. Of two intervals that overlap, the second user's is taken back.
CREATE OR REPLACE FUNCTION move_study(first uuid, second uuid) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  clock timestamptz := clock_of((SELECT s FROM students s WHERE s.uid = first));
BEGIN
  UPDATE study_intervals i SET retracted_at = clock
    FROM overlapping_study(first, second) o WHERE i.uid = second AND i.interval_id = o.interval_of_second;
  UPDATE study_sessions s SET state = 'discarded'
    WHERE s.uid = second AND s.state = 'finished' AND NOT EXISTS (
      SELECT FROM study_intervals i WHERE i.uid = second AND i.session_id = s.session_id AND i.retracted_at IS NULL);
  -- One statement, at whose end all references are right again.
  WITH subjects AS (UPDATE subjects SET uid = first WHERE uid = second),
    projects AS (UPDATE projects SET uid = first WHERE uid = second),
    tasks AS (UPDATE tasks SET uid = first WHERE uid = second),
    their_projects AS (UPDATE task_projects SET uid = first WHERE uid = second),
    sessions AS (UPDATE study_sessions SET uid = first WHERE uid = second)
  UPDATE study_intervals
    SET uid = first, recorded_at = coalesce(retracted_at, clock)
    WHERE uid = second;
  UPDATE plans p SET uid = first
    WHERE p.uid = second AND NOT EXISTS (SELECT FROM plans o WHERE o.uid = first AND o.name = p.name);
  PERFORM check_room(first, k.kind) FROM unnest('{subject,project,task}'::text[]) k (kind);
  IF (SELECT count(*) FROM plans p WHERE p.uid = first) > most_plans() THEN
    PERFORM refuse('too_many_plans', format('at most %s plans', most_plans()));
  END IF;
END $$;

-- Moves what days have earned and are planned for, where the first user has nothing.
CREATE OR REPLACE FUNCTION move_days(first uuid, second uuid) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  -- A wake-up ant comes with the problem that was solved for it.
  DELETE FROM wake_up_challenges c USING wake_ups w
    WHERE c.uid = first AND c.solved_at IS NULL AND w.uid = second AND w.day = c.day
      AND NOT EXISTS (SELECT FROM wake_ups o WHERE o.uid = first AND o.day = w.day);
  UPDATE wake_up_challenges c SET uid = first
    WHERE c.uid = second AND c.solved_at IS NOT NULL
      AND NOT EXISTS (SELECT FROM wake_ups o WHERE o.uid = first AND o.day = c.day);
  UPDATE wake_ups w SET uid = first
    WHERE w.uid = second AND NOT EXISTS (SELECT FROM wake_ups o WHERE o.uid = first AND o.day = w.day);
  UPDATE perfect_announcements p SET uid = first
    WHERE p.uid = second AND NOT EXISTS (SELECT FROM perfect_announcements o WHERE o.uid = first AND o.day = p.day);
  UPDATE period_goals g SET uid = first
    WHERE g.uid = second AND NOT EXISTS (SELECT FROM period_goals o WHERE o.uid = first AND o.period = g.period);
  UPDATE target_dates t SET uid = first WHERE t.uid = second;
  IF (SELECT count(*) FROM target_dates t WHERE t.uid = first) > most_target_dates() THEN
    PERFORM refuse('too_many_target_dates', format('at most %s dates', most_target_dates()));
  END IF;
  UPDATE rest_days r SET uid = first
    WHERE r.uid = second
      AND NOT EXISTS (SELECT FROM rest_days o WHERE o.uid = first AND month_of(o.day) = month_of(r.day));
END $$;

-- Makes the first user a member where the second is, since the same time but not before the months that are open, and
-- gives the first the higher role where both are. What the second decided stays, under the first one's name.
CREATE OR REPLACE FUNCTION move_places(first uuid, second uuid) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  clock timestamptz := anthill_clock();
  place group_members;
  since timestamptz;
BEGIN
  UPDATE webhooks w SET uid = first WHERE w.uid = second;
  FOR place IN SELECT * FROM group_members m WHERE m.uid = second ORDER BY m.group_id LOOP
    UPDATE group_members m SET role = place.role
      WHERE m.uid = first AND m.group_id = place.group_id
        AND array_position('{owner,admin,member}', m.role) > array_position('{owner,admin,member}', place.role);
    CONTINUE WHEN EXISTS (SELECT FROM group_members m WHERE m.uid = first AND m.group_id = place.group_id);
    -- The second leaves first: in a full group, theirs is the only free place.
    PERFORM quit_group(ARRAY[second], place.group_id);
    PERFORM enter_group(first, place.group_id, place.role);
    SELECT greatest(place.joined_at, max(h.left_at), (
             -- From then on, who joins is not counted in the month that was closed last.
             SELECT max(b.closes_at)
             FROM board_months(place.group_id, month_of((clock - interval '3 months')::date), clock::date) b
             WHERE b.closes_at <= clock)) INTO since
      FROM group_membership_history h WHERE h.uid = first AND h.group_id = place.group_id;
    UPDATE group_members m SET joined_at = since, visibility = place.visibility
      WHERE m.uid = first AND m.group_id = place.group_id;
    UPDATE group_membership_history h SET joined_at = since
      WHERE h.uid = first AND h.group_id = place.group_id AND h.left_at IS NULL;
  END LOOP;
  INSERT INTO group_bans (uid, group_id, banned_by, banned_at)
    SELECT first, b.group_id, b.banned_by, b.banned_at FROM group_bans b
    WHERE b.uid = second AND NOT EXISTS (SELECT FROM group_members m WHERE m.uid = first AND m.group_id = b.group_id)
    ON CONFLICT ON CONSTRAINT group_bans_key DO NOTHING;
  UPDATE group_bans b SET banned_by = first WHERE b.banned_by = second;
  UPDATE join_requests j SET answered_by = first WHERE j.answered_by = second;
  UPDATE group_notices n SET uid = first WHERE n.uid = second;
  UPDATE webhook_deliveries d SET member = first WHERE d.member = second;
  UPDATE invitations i SET created_by = first WHERE i.created_by = second;
  UPDATE suspensions s SET suspended_by = first WHERE s.suspended_by = second AND s.uid <> first;
  UPDATE suspensions s SET lifted_by = first WHERE s.lifted_by = second;
END $$;

-- Moves the reports that the second user made, answered or is the subject of. Reports of one account about the other
-- go, and those that an open one repeats.
CREATE OR REPLACE FUNCTION move_reports(first uuid, second uuid) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE reports r SET about = first
    WHERE r.about = second AND r.uid IS DISTINCT FROM first AND NOT (r.answered_at IS NULL AND EXISTS (
      SELECT FROM reports o WHERE o.uid = r.uid AND o.about = first AND o.answered_at IS NULL));
  UPDATE reports r SET answered_by = first WHERE r.answered_by = second AND r.about <> first;
  WITH moved AS (
    UPDATE reports r SET uid = first
      WHERE r.uid = second AND r.about <> first AND NOT (r.answered_at IS NULL AND EXISTS (
        SELECT FROM reports o WHERE o.uid = first AND o.about = r.about AND o.answered_at IS NULL))
      RETURNING r.report_id, r.answered_at
  ),
  gone AS (
    DELETE FROM reports r WHERE r.uid = second AND (r.about = first OR r.answered_at IS NULL AND EXISTS (
      SELECT FROM reports o WHERE o.uid = first AND o.about = r.about AND o.answered_at IS NULL))
  )
  INSERT INTO audit_events (kind, uid, details)
    SELECT 'report_made', first, jsonb_build_object('report_id', m.report_id) FROM moved m
    UNION ALL
    SELECT 'report_answered', first, jsonb_build_object('report_id', m.report_id) FROM moved m
    WHERE m.answered_at IS NOT NULL;
END $$;

-- Merges the second account into the first.
CREATE OR REPLACE FUNCTION admin_merge_users(user_id uuid, second uuid, reason text, by text) RETURNS bigint
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM lock_to_merge(user_id, second);
  PERFORM move_study(user_id, second);
  PERFORM move_days(user_id, second);
  PERFORM move_places(user_id, second);
  PERFORM move_reports(user_id, second);
  UPDATE avatars a SET uid = user_id WHERE a.uid = second AND NOT EXISTS (SELECT FROM avatars o WHERE o.uid = user_id);
  WITH moved AS (UPDATE user_identities i SET uid = user_id WHERE i.uid = second RETURNING i.id)
  INSERT INTO audit_events (kind, uid, details)
    SELECT 'identity_linked', user_id, jsonb_build_object('identity', m.id) FROM moved m;
  PERFORM erase_user(second);
  PERFORM FROM rebuild_totals(user_id);
  RETURN note_admin_change('merge_users', user_id, reason, by);
END $$;
