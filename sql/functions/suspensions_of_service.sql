-- Suspensions from the service's own boards: the global board and the board of groups. Site admins decide them on the
-- pages. The operator does the same in the name of `by`, who is no user (admin_moderation.sql).

-- Keeps a user off the global board and the board of groups until an instant. actor: the site admin; none for an
-- operator.
CREATE OR REPLACE FUNCTION keep_off_service(actor uuid, by text, user_id uuid, why text, until timestamptz) RETURNS uuid
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  owner students := lock_student(user_id);
  made uuid;
BEGIN
  -- A suspension that is over, and from which the user has not been put back yet, becomes this one.
  UPDATE suspensions s SET returned_at = anthill_clock()
    WHERE s.uid = owner.uid AND s.group_id IS NULL AND s.returned_at IS NULL
      AND coalesce(s.lifted_at, s.until) <= anthill_clock();
  INSERT INTO suspensions (uid, reason, until, suspended_by)
    VALUES (owner.uid, why, keep_off_service.until, keep_off_service.actor) RETURNING suspension_id INTO made;
  PERFORM follow_global_board(owner);
  INSERT INTO audit_events (kind, uid, actor, details)
    VALUES ('service_suspended', owner.uid, keep_off_service.actor, jsonb_strip_nulls(jsonb_build_object(
      'suspension_id', made, 'by', keep_off_service.by, 'reason', why, 'until', utc_text(keep_off_service.until))));
  PERFORM tell_of_suspension(owner.uid, made);
  RETURN made;
END $$;

CREATE OR REPLACE FUNCTION suspend_from_service(actor uuid, user_id uuid, why text, until timestamptz) RETURNS uuid
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM require_site_admin(actor);
  RETURN keep_off_service(actor, NULL, user_id, why, suspend_from_service.until);
END $$;

-- Locks the user of a service-wide suspension, and then the suspension, which must not be over.
CREATE OR REPLACE FUNCTION lock_service_suspension(suspension uuid) RETURNS suspensions
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM lock_student(s.uid) FROM suspensions s WHERE s.suspension_id = suspension AND s.group_id IS NULL;
  RETURN lock_suspension(NULL, suspension);
END $$;

-- Ends a service-wide suspension at once, with the user back on the global board in the same transaction.
CREATE OR REPLACE FUNCTION put_back_on_service(actor uuid, by text, why text, suspension uuid) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  lifted suspensions := lock_service_suspension(suspension);
BEGIN
  IF lifted.uid = actor THEN
    PERFORM refuse('own_suspension', 'nobody lifts their own', 'insufficient_privilege');
  END IF;
  UPDATE suspensions s SET lifted_at = anthill_clock(), lifted_by = actor, returned_at = anthill_clock()
    WHERE s.suspension_id = suspension;
  PERFORM follow_global_board(lock_student(lifted.uid));
  INSERT INTO audit_events (kind, uid, actor, details)
    VALUES ('service_suspension_lifted', lifted.uid, put_back_on_service.actor, jsonb_strip_nulls(jsonb_build_object(
      'suspension_id', suspension, 'by', put_back_on_service.by, 'reason', why)));
END $$;

CREATE OR REPLACE FUNCTION lift_service_suspension(actor uuid, suspension uuid) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM require_site_admin(actor);
  PERFORM put_back_on_service(actor, NULL, NULL, suspension);
END $$;

-- Puts up to `most` users back on the global board whose suspension is over, and returns how many there were. Call it
-- every few seconds.
CREATE OR REPLACE FUNCTION return_after_suspensions(most integer DEFAULT 50) RETURNS integer
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  over record;
  returned integer := 0;
BEGIN
  -- In the order of uid, so that two workers never wait for each other.
  FOR over IN
    SELECT s.uid, s.suspension_id FROM suspensions s
    WHERE s.group_id IS NULL AND s.returned_at IS NULL AND s.until <= anthill_clock() ORDER BY s.uid LIMIT most
  LOOP
    PERFORM lock_student(over.uid);
    UPDATE suspensions s SET returned_at = anthill_clock()
      WHERE s.suspension_id = over.suspension_id AND s.returned_at IS NULL;
    CONTINUE WHEN NOT FOUND;
    PERFORM follow_global_board(lock_student(over.uid));
    returned := returned + 1;
  END LOOP;
  RETURN returned;
END $$;

-- The user's answer, for the site admins to read; a new answer replaces the old one.
CREATE OR REPLACE FUNCTION answer_service_suspension(user_id uuid, suspension uuid, said text) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM suspensions s
    WHERE s.suspension_id = suspension AND s.uid = user_id AND s.group_id IS NULL) THEN
    PERFORM refuse('suspension_not_found', 'no such suspension', 'no_data_found');
  END IF;
  PERFORM keep_answer(lock_service_suspension(suspension), said);
END $$;
