-- Tasks: what one wants to do, in which projects, and how long it takes.

-- Puts a task into these projects and no others.
CREATE OR REPLACE FUNCTION place_task(user_id uuid, for_task uuid, wanted uuid[]) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM task_projects t WHERE t.uid = user_id AND t.task_id = for_task AND t.project_id <> ALL (wanted);
  INSERT INTO task_projects (uid, task_id, project_id)
    SELECT DISTINCT user_id, for_task, w.project_id FROM unnest(wanted) w (project_id)
    ON CONFLICT ON CONSTRAINT task_projects_key DO NOTHING;
END $$;

CREATE OR REPLACE FUNCTION add_task(user_id uuid, new_id uuid, title text, estimate_seconds bigint, project_ids uuid[])
  RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  owner students := lock_student(user_id);
BEGIN
  INSERT INTO tasks (uid, id, title, estimate_seconds)
    VALUES (owner.uid, new_id, add_task.title, add_task.estimate_seconds);
  PERFORM place_task(owner.uid, new_id, project_ids);
  PERFORM check_room(owner.uid, 'task');
END $$;

-- Changes a task; NULL leaves a column as it is, for the estimate only if `keep_estimate` is true.
CREATE OR REPLACE FUNCTION change_task(
  user_id uuid, for_task uuid, title text, keep_estimate boolean, estimate_seconds bigint, project_ids uuid[],
  done boolean,
  archived boolean
) RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  owner students := lock_student(user_id);
BEGIN
  UPDATE tasks t SET
      title = coalesce(change_task.title, t.title),
      estimate_seconds = CASE WHEN keep_estimate THEN t.estimate_seconds ELSE change_task.estimate_seconds END,
      done = coalesce(change_task.done, t.done), archived = coalesce(change_task.archived, t.archived)
    WHERE t.uid = owner.uid AND t.id = for_task;
  IF NOT FOUND THEN
    PERFORM refuse('task_not_found', 'no such task', 'no_data_found');
  END IF;
  IF project_ids IS NOT NULL THEN PERFORM place_task(owner.uid, for_task, project_ids); END IF;
  PERFORM check_room(owner.uid, 'task');
END $$;

-- Adds a session's counted seconds to its task (sign 1) or subtracts them (-1), around a change of the task. Recording
-- and retracting do the same for each interval. The caller has locked the owner's row.
CREATE OR REPLACE FUNCTION add_to_task(user_id uuid, for_session uuid, sign integer)
  RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE tasks t SET actual_seconds = t.actual_seconds + sign * (
      SELECT coalesce(sum(extract(epoch FROM i.ended_at - i.started_at)), 0)::bigint FROM counting_intervals i
      WHERE i.uid = user_id AND i.session_id = for_session)
    FROM study_sessions s
    WHERE s.uid = user_id AND s.session_id = for_session AND t.uid = user_id AND t.id = s.task_id;
END $$;

-- The running timer's task, and the seconds since it was started or resumed; no row without such a timer.
CREATE OR REPLACE FUNCTION running_task(user_id uuid) RETURNS TABLE (task_id uuid, seconds integer)
  LANGUAGE plpgsql STABLE ROWS 1 SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  clock timestamptz := anthill_clock();
BEGIN
  RETURN QUERY
    SELECT s.task_id, extract(epoch FROM greatest(clock, i.started_at) - i.started_at)::integer
    FROM study_intervals i JOIN study_sessions s ON s.uid = user_id AND s.session_id = i.session_id
    WHERE i.uid = user_id AND timer_runs(i.started_at, i.ended_at, clock) AND s.task_id IS NOT NULL;
END $$;

-- Tasks for their owner, the oldest first: one by its id, or a page of them. What is archived or done and the project
-- filter unless NULL.
CREATE OR REPLACE FUNCTION tasks_of(
  user_id uuid, only_id uuid, only_archived boolean, in_project uuid, after_created timestamptz, after_id uuid,
  most bigint, only_done boolean DEFAULT NULL
) RETURNS TABLE (
  id uuid, title text, project_ids uuid[], estimate_seconds integer, actual_seconds bigint, done boolean,
  archived boolean, created_at timestamptz
) LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  running uuid;                                           -- the task of the running timer, and what it has added
  added integer;
BEGIN
  SELECT r.task_id, r.seconds INTO running, added FROM running_task(user_id) r;
  RETURN QUERY
    SELECT t.id, t.title,
           ARRAY(SELECT x.project_id FROM task_projects x WHERE x.uid = user_id AND x.task_id = t.id
             ORDER BY x.project_id),
           t.estimate_seconds, t.actual_seconds + CASE WHEN t.id = running THEN added ELSE 0 END,
           t.done, t.archived, t.created_at
    FROM (
      SELECT * FROM tasks x
      WHERE x.uid = user_id AND (only_id IS NULL OR x.id = only_id)
        AND (only_archived IS NULL OR x.archived = only_archived)
        AND (only_done IS NULL OR x.done = only_done)
        AND (in_project IS NULL OR EXISTS (SELECT FROM task_projects y
                                           WHERE y.uid = user_id AND y.task_id = x.id AND y.project_id = in_project))
        AND (after_id IS NULL OR (x.created_at, x.id) > (after_created, after_id))
      ORDER BY x.created_at, x.id LIMIT most
    ) t
    ORDER BY t.created_at, t.id;
END $$;
