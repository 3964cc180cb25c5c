-- Reports: what somebody says about somebody else on a board, and what a site admin answers.

-- Whether a user sees another by name on a board of a group of theirs or, without a group, on the global board.
CREATE OR REPLACE FUNCTION sees_on_board(viewer_id uuid, other uuid, for_group uuid) RETURNS boolean
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
DECLARE
  rules integer := global_rules();
  wish text := (SELECT m.visibility FROM group_members m WHERE m.uid = other AND m.group_id = for_group);
BEGIN
  IF for_group IS NULL THEN
    RETURN EXISTS (SELECT FROM month_totals t
      WHERE t.rules_id = rules AND t.uid = other AND t.counted_seconds > 0);
  END IF;
  IF NOT EXISTS (SELECT FROM group_members v WHERE v.uid = viewer_id AND v.group_id = for_group) THEN
    RETURN false;
  END IF;
  RETURN EXISTS (SELECT FROM group_membership_history h
                 WHERE h.uid = other AND h.group_id = for_group
                   AND coalesce(wish, h.visibility, 'shown') <> 'hidden');
END $$;

-- Reports somebody on a board to the site admins. Nobody whom the reporter does not see there by name can be reported.
CREATE OR REPLACE FUNCTION make_report(reporter uuid, person uuid, for_group uuid, why text) RETURNS uuid
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  held students := lock_student(reporter);
  day interval := interval '24 hours';
  of_day record;                                          -- how many reports, and when the first of them
  made uuid;
BEGIN
  -- The person is not erased meanwhile.
  PERFORM FROM users u WHERE u.uid = person FOR KEY SHARE;
  IF NOT sees_on_board(held.uid, person, for_group) THEN
    PERFORM refuse('person_not_found', 'nobody like that on this board', 'no_data_found');
  END IF;
  SELECT count(*) AS count, min(r.made_at) AS first INTO of_day FROM reports r
    WHERE r.uid = reporter AND r.made_at > anthill_clock() - day;
  IF of_day.count >= most_reports_a_day() THEN
    PERFORM refuse('too_many_reports', 'too many reports within a day',
                   facts => to_jsonb(extract(epoch FROM of_day.first + day - anthill_clock())::integer));
  END IF;
  INSERT INTO reports (uid, about, group_id, reason) VALUES (reporter, person, for_group, why) RETURNING report_id
    INTO made;
  -- It names the reporter alone: the person must not find it in their activity. What was said goes with the report.
  INSERT INTO audit_events (kind, uid, actor, details)
    VALUES ('report_made', reporter, reporter, jsonb_build_object('report_id', made));
  RETURN made;
END $$;

-- Answers a report, which closes it. The reporter finds the answer in their activity. A report about a site admin is
-- for the other ones: for that one it does not exist.
CREATE OR REPLACE FUNCTION close_report(actor uuid, by text, report uuid, said text) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  held reports;
BEGIN
  SELECT * INTO held FROM reports r WHERE r.report_id = report FOR NO KEY UPDATE;
  IF NOT FOUND OR held.about = actor THEN
    PERFORM refuse('report_not_found', 'no such report', 'no_data_found');
  ELSIF held.answer IS NOT NULL THEN
    PERFORM refuse('report_closed', 'the report is closed');
  END IF;
  UPDATE reports r SET answer = said, answered_at = anthill_clock(), answered_by = close_report.actor
    WHERE r.report_id = report;
  INSERT INTO audit_events (kind, uid, actor, details)
    VALUES ('report_answered', held.uid, close_report.actor, jsonb_strip_nulls(jsonb_build_object(
      'report_id', report, 'by', close_report.by)));
END $$;

CREATE OR REPLACE FUNCTION answer_report(actor uuid, report uuid, said text) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM require_site_admin(actor);
  PERFORM close_report(actor, NULL, report, said);
END $$;

-- The details of an event with what was said in the report that it is about.
CREATE OR REPLACE FUNCTION details_with_report(of_kind text, details jsonb) RETURNS jsonb
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  IF NOT details ? 'report_id' THEN RETURN details; END IF;
  RETURN details || coalesce((
    SELECT CASE of_kind WHEN 'report_made' THEN jsonb_build_object('reason', r.reason)
      ELSE jsonb_build_object('answer', r.answer) END
    FROM reports r WHERE r.report_id = (details ->> 'report_id')::uuid), '{}');
END $$;

-- Reports with the names of everybody involved, and whether the person is suspended from the service's boards now.
CREATE OR REPLACE VIEW told_reports AS
  SELECT r.*, u.nickname, p.nickname AS about_name, a.nickname AS answered_by_name, g.name AS group_name,
         EXISTS (SELECT FROM suspensions s WHERE s.uid = r.about AND s.group_id IS NULL
                   AND s.since <= anthill_clock()
                   AND coalesce(s.lifted_at, s.until) > anthill_clock()) AS about_suspended,
         (SELECT count(*) FROM reports o WHERE o.about = r.about) AS about_count
  FROM reports r
  LEFT JOIN users u ON u.uid = r.uid
  LEFT JOIN users p ON p.uid = r.about
  LEFT JOIN users a ON a.uid = r.answered_by
  LEFT JOIN groups g ON g.group_id = r.group_id;

-- Reports, newest first: of everybody or of one user, all or only those that are open, and none about the viewer.
-- Without a viewer they are for the operator.
CREATE OR REPLACE FUNCTION made_reports(viewer_id uuid, whose uuid, only_open boolean, before timestamptz,
                                        before_id uuid, most bigint)
  RETURNS SETOF told_reports LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  RETURN QUERY
    SELECT r.* FROM told_reports r
    WHERE (viewer_id IS NULL OR r.about <> viewer_id) AND (whose IS NULL OR r.uid = whose)
      AND (NOT only_open OR r.answered_at IS NULL)
      AND (before_id IS NULL OR (r.made_at, r.report_id) < (before, before_id))
    ORDER BY r.made_at DESC, r.report_id DESC LIMIT most;
END $$;
