-- Totals recounted by admins, in steps that hold one user's study for one month or one task at a time.

-- The people whose totals a script recounts: a user, everybody who was ever in a group, or all. Refuses while one of
-- them is not counted under the rules of their group.
CREATE OR REPLACE FUNCTION admin_people(given jsonb) RETURNS SETOF uuid LANGUAGE plpgsql STABLE
  SET search_path = public, pg_temp AS $$
DECLARE
  people uuid[] := ARRAY(
    SELECT s.uid FROM students s
    WHERE (given -> 'uid' IS NULL OR s.uid = (given ->> 'uid')::uuid)
      AND (given -> 'group' IS NULL OR s.uid IN (
        SELECT h.uid FROM group_membership_history h WHERE h.group_id = (given ->> 'group')::uuid))
    ORDER BY s.uid);
BEGIN
  PERFORM refuse_uncounted(people);
  RETURN QUERY SELECT unnest(people);
END $$;

-- The days whose totals a script recounts: those of a month, or from a day on, or all.
CREATE OR REPLACE FUNCTION admin_recounted_days(given jsonb, OUT first date, OUT beyond date) LANGUAGE plpgsql STABLE
  SET search_path = public, pg_temp AS $$
DECLARE
  in_month date := (given ->> 'month' || '-01')::date;
BEGIN
  IF given ? 'month' AND given ? 'since' THEN
    PERFORM refuse('wrong_variable', 'give a month or a first day: -v month=2026-10 or -v since=2026-10-01');
  END IF;
  first := coalesce(in_month, (given ->> 'since')::date, '-infinity');
  beyond := coalesce(next_month(in_month), 'infinity');
END $$;

-- What a recount of a user finds different, and by which step each is repaired: a month, or a task. It locks nothing.
CREATE OR REPLACE FUNCTION admin_total_differences(user_id uuid, since date, until date) RETURNS TABLE (
  total text, uid uuid, key text, kept text, recounted text, month date, task_id uuid
) LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    SELECT d.total, d.uid, d.key, total_in_words(d.total, d.kept), total_in_words(d.total, d.recounted),
           month_of(d.day), d.task_id
    FROM total_differences(user_id, user_id, since, until) d;
END $$;

-- One step: repairs a month of a user, or the time of a task, and returns what was different.
CREATE OR REPLACE FUNCTION admin_rebuild_step(user_id uuid, in_month date, task uuid)
  RETURNS TABLE (total text, uid uuid, key text, kept text, recounted text)
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  owner students;
  counted bigint;
BEGIN
  IF task IS NULL THEN
    RETURN QUERY SELECT * FROM rebuild_totals(user_id, in_month, next_month(in_month));
    RETURN;
  END IF;
  owner := lock_student(user_id);
  SELECT coalesce(sum(extract(epoch FROM i.ended_at - i.started_at)), 0) INTO counted
    FROM study_sessions s JOIN counting_intervals i USING (uid, session_id)
    WHERE s.uid = owner.uid AND s.task_id = task;
  RETURN QUERY
    WITH before AS (
      SELECT t.id, t.actual_seconds FROM tasks t WHERE t.uid = owner.uid AND t.id = task AND t.actual_seconds <> counted
    ),
    repaired AS (
      UPDATE tasks t SET actual_seconds = counted FROM before b WHERE t.uid = owner.uid AND t.id = b.id
    )
    SELECT 'tasks', owner.uid, format('task %s', b.id), total_in_words('tasks', ARRAY[b.actual_seconds::integer]),
           total_in_words('tasks', ARRAY[counted::integer])
    FROM before b;
END $$;

-- Ranks of the global board that differ from the totals.
CREATE OR REPLACE FUNCTION admin_rank_differences() RETURNS TABLE (
  total text, uid text, key text, kept integer, recounted integer
) LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  RETURN QUERY
    SELECT 'rank_buckets', '', format('%s %s, level %s, bucket %s', d.period, d.first_day, d.level, d.bucket),
           d.kept, d.recounted
    FROM rank_differences d;
END $$;

-- Recounts them, if any differ. Meanwhile changes of totals are written, and are folded afterwards.
CREATE OR REPLACE FUNCTION admin_rebuild_ranks() RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM rank_differences) THEN PERFORM recount_ranks(); END IF;
END $$;

-- Notes that totals are recounted, before the first step.
CREATE OR REPLACE FUNCTION admin_rebuild_totals(user_id uuid, reason text, by text) RETURNS bigint
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  RETURN note_admin_change('rebuild_totals', user_id, reason, by);
END $$;
