-- Changes of a user's study by admins, each with its undoing. Nothing is edited in place: what was taken back is
-- recorded anew, by the study clock that it had.

-- Records an interval again that was taken back, with its session as it was. Refused in a month that has closed since.
CREATE OR REPLACE FUNCTION record_again(user_id uuid, for_interval uuid, old_state text) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  owner students := lock_student(user_id);
  clock timestamptz := clock_of(owner);
  i study_intervals;
BEGIN
  SELECT * INTO STRICT i FROM study_intervals t WHERE t.uid = owner.uid AND t.interval_id = for_interval;
  IF in_closed_month(owner.uid, i.started_at, i.ended_at, clock, since => i.retracted_at)
    AND NOT i.unconfirmed AND i.source <> 'import' THEN
    PERFORM refuse('month_closed', 'the month has closed since: only amend_standing changes it');
  END IF;
  i.interval_id := gen_random_uuid();
  i.recorded_at := clock;
  i.retracted_at := NULL;
  PERFORM add_interval(i, owner, clock);
  UPDATE study_sessions s SET state = old_state
    WHERE s.uid = i.uid AND s.session_id = i.session_id AND (s.state = 'discarded' OR i.unconfirmed);
END $$;

-- Takes back one interval, as retract_interval does.
CREATE OR REPLACE FUNCTION admin_retract_interval(user_id uuid, for_interval uuid, reason text, by text) RETURNS bigint
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  owner students := lock_student(user_id);
  old_state text;
BEGIN
  SELECT s.state INTO old_state FROM study_intervals i JOIN study_sessions s USING (uid, session_id)
    WHERE i.uid = owner.uid AND i.interval_id = for_interval;
  PERFORM retract_interval(owner.uid, for_interval);
  RETURN note_admin_change('retract_interval', owner.uid, reason, by,
                           jsonb_build_object('interval', for_interval, 'state', old_state));
END $$;

CREATE OR REPLACE FUNCTION undo_retract_interval(change admin_changes) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM record_again(change.uid, (change.undo ->> 'interval')::uuid, change.undo ->> 'state');
END $$;

-- Records an interval for a user, by the rules of time that they add themselves.
CREATE OR REPLACE FUNCTION admin_record_interval_for(
  user_id uuid, began timestamptz, finished timestamptz, reason text, by text
) RETURNS bigint LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  RETURN note_admin_change('record_interval_for', user_id, reason, by,
                           jsonb_build_object('interval', record_interval(user_id, began, finished)));
END $$;

CREATE OR REPLACE FUNCTION undo_record_interval_for(change admin_changes) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM retract_interval(change.uid, (change.undo ->> 'interval')::uuid);
END $$;

-- Stops a timer, now or at an earlier time since it last began. What was measured after that does not count, but boards
-- of past instants that showed it still do.
CREATE OR REPLACE FUNCTION admin_stop_timer(user_id uuid, at timestamptz, reason text, by text) RETURNS bigint
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  owner students := lock_student(user_id);
  session study_sessions := timed_session(owner.uid, 'running', 'paused');
  began timestamptz := (SELECT i.started_at FROM study_intervals i WHERE i.uid = owner.uid AND i.ended_at IS NULL);
BEGIN
  IF at IS NOT NULL AND session.state = 'paused' THEN
    PERFORM refuse('timer_not_running', 'the timer is paused: leave out at');
  ELSIF at <= began OR at > clock_of(owner) THEN
    PERFORM refuse('timer_not_running',
                   format('the timer has run since %s: give a later time, but none in the future', utc_text(began)));
  ELSIF at IS NOT NULL THEN
    PERFORM confirm_session(owner.uid, session.session_id, at);
  ELSE
    PERFORM FROM stop_timer(owner.uid);
  END IF;
  RETURN note_admin_change('stop_timer', owner.uid, reason, by,
                           facts => jsonb_build_object('session', session.session_id));
END $$;

-- Says for a user when a forgotten timer really stopped. One that still runs is for admin_stop_timer.
CREATE OR REPLACE FUNCTION admin_confirm_session(user_id uuid, for_session uuid, stopped_at timestamptz, reason text,
                                                 by text)
  RETURNS bigint LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  owner students := lock_student(user_id);
  waiting study_intervals;
  confirmed uuid;
BEGIN
  PERFORM session_at_rest(owner.uid, for_session);
  SELECT * INTO waiting FROM study_intervals i
    WHERE i.uid = owner.uid AND i.session_id = for_session AND i.unconfirmed AND i.retracted_at IS NULL;
  PERFORM confirm_session(owner.uid, for_session, stopped_at);
  SELECT i.interval_id INTO confirmed FROM study_intervals i
    WHERE i.uid = owner.uid AND i.session_id = for_session AND i.started_at = waiting.started_at
      AND i.retracted_at IS NULL;
  RETURN note_admin_change('confirm_session', owner.uid, reason, by,
                           jsonb_build_object('interval', waiting.interval_id, 'confirmed', confirmed));
END $$;

CREATE OR REPLACE FUNCTION undo_confirm_session(change admin_changes) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM retract_interval(change.uid, (change.undo ->> 'confirmed')::uuid);
  PERFORM record_again(change.uid, (change.undo ->> 'interval')::uuid, 'unconfirmed');
END $$;
