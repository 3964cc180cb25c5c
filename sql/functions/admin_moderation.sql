-- Moderation of the whole service by the people who run it, each act with its undoing. Site admins do the same on the
-- pages.

-- Keeps a user off the global board and the board of groups until an instant.
CREATE OR REPLACE FUNCTION admin_suspend_from_boards(user_id uuid, until timestamptz, reason text, by text)
  RETURNS bigint
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  made uuid;
  days integer := longest_suspension_days();
BEGIN
  IF until <= anthill_clock() OR until > anthill_clock() + make_interval(hours => 24 * days) THEN
    PERFORM refuse('suspensions_until', format('a suspension ends in the future, and within %s days', days));
  END IF;
  BEGIN
    made := keep_off_service(NULL, by, user_id, reason, until);
  EXCEPTION WHEN exclusion_violation THEN
    PERFORM refuse('suspensions_one_of_service', 'they are suspended from the boards already');
  END;
  RETURN note_admin_change('suspend_from_boards', user_id, reason, by, jsonb_build_object('suspension', made));
END $$;

CREATE OR REPLACE FUNCTION undo_suspend_from_boards(change admin_changes) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM put_back_on_service(NULL, change."by", change.reason, (change.undo ->> 'suspension')::uuid);
END $$;

-- Ends a suspension from the service's own boards at once.
CREATE OR REPLACE FUNCTION admin_return_to_boards(user_id uuid, reason text, by text) RETURNS bigint
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  held suspensions;
BEGIN
  PERFORM lock_student(user_id);
  SELECT * INTO held FROM suspensions s
    WHERE s.uid = user_id AND s.group_id IS NULL AND coalesce(s.lifted_at, s.until) > anthill_clock();
  IF NOT FOUND THEN
    PERFORM refuse('suspension_not_found', 'they are not suspended from the boards', 'no_data_found');
  END IF;
  PERFORM put_back_on_service(NULL, by, reason, held.suspension_id);
  RETURN note_admin_change('return_to_boards', user_id, reason, by,
                           jsonb_build_object('until', utc_text(held.until), 'why', held.reason));
END $$;

-- Suspends anew, for the same reason and until the same time.
CREATE OR REPLACE FUNCTION undo_return_to_boards(change admin_changes) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  until timestamptz := (change.undo ->> 'until')::timestamptz;
BEGIN
  IF until <= anthill_clock() THEN
    PERFORM refuse('change_overtaken', format('the suspension would have ended at %s', utc_text(until)));
  END IF;
  PERFORM keep_off_service(NULL, change."by", change.uid, change.undo ->> 'why', until);
EXCEPTION WHEN exclusion_violation THEN
  PERFORM refuse('change_overtaken', 'they are suspended from the boards again already');
END $$;

-- Answers a report, which closes it.
CREATE OR REPLACE FUNCTION admin_answer_report(report uuid, answer text, reason text, by text) RETURNS bigint
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM close_report(NULL, by, report, answer);
  RETURN note_admin_change('answer_report', (SELECT r.uid FROM reports r WHERE r.report_id = report), reason, by,
                           jsonb_build_object('report', report), jsonb_build_object('report_id', report));
END $$;

-- The report is open again, without the answer.
CREATE OR REPLACE FUNCTION undo_answer_report(change admin_changes) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE reports r SET answer = NULL, answered_at = NULL, answered_by = NULL
    WHERE r.report_id = (change.undo ->> 'report')::uuid;
  IF NOT FOUND THEN
    PERFORM refuse('report_not_found', 'the report is gone', 'no_data_found');
  END IF;
EXCEPTION WHEN unique_violation THEN
  PERFORM refuse('change_overtaken', 'the reporter has reported this person again since');
END $$;
