-- What study is for: subjects, projects and tasks. One with recorded time is archived instead of deleted.

-- A kind is 'subject', 'project' or 'task'; its table is the plural.

-- Refuses when a user has too many of a kind that are not archived. The caller has locked the user's row.
CREATE OR REPLACE FUNCTION check_room(user_id uuid, kind text) RETURNS void
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
DECLARE
  in_use bigint;
BEGIN
  EXECUTE format('SELECT count(*) FROM %I x WHERE x.uid = $1 AND NOT x.archived', kind || 's') INTO in_use
    USING user_id;
  IF in_use > most_labels() THEN
    PERFORM refuse('too_many_' || kind || 's', format('at most %s %ss that are not archived', most_labels(), kind));
  END IF;
END $$;

-- Adds a subject or a project.
CREATE OR REPLACE FUNCTION add_label(user_id uuid, kind text, new_id uuid, name text, colour text) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  owner students := lock_student(user_id);
BEGIN
  EXECUTE format('INSERT INTO %I (uid, id, name, colour) VALUES ($1, $2, $3, $4)', kind || 's')
    USING owner.uid, new_id, name, coalesce(colour, 'leaf');
  PERFORM check_room(owner.uid, kind);
END $$;

-- Changes a subject or a project; NULL leaves a column as it is.
CREATE OR REPLACE FUNCTION change_label(user_id uuid, kind text, label_id uuid, name text, colour text,
                                        archived boolean)
  RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  owner students := lock_student(user_id);
  changed bigint;
BEGIN
  EXECUTE format(
    'UPDATE %I x SET name = coalesce($3, x.name), colour = coalesce($4, x.colour), archived = coalesce($5, x.archived)'
    ' WHERE x.uid = $1 AND x.id = $2', kind || 's')
    USING owner.uid, label_id, name, colour, archived;
  GET DIAGNOSTICS changed = ROW_COUNT;
  IF changed = 0 THEN
    PERFORM refuse(kind || '_not_found', format('no such %s', kind), 'no_data_found');
  END IF;
  PERFORM check_room(owner.uid, kind);
END $$;

-- The sessions that have time: the timer still runs, or they have an interval that was not retracted. One may be there
-- several times.
CREATE OR REPLACE VIEW sessions_with_time AS
  SELECT s.uid, s.subject_id, s.task_id
  FROM study_sessions s
  LEFT JOIN study_intervals i ON i.uid = s.uid AND i.session_id = s.session_id AND i.retracted_at IS NULL
  WHERE s.state IN ('running', 'paused') OR i.uid IS NOT NULL;

-- Deletes a subject, a project or a task, or archives it if it has recorded time; answers whether it was archived. A
-- project has recorded time if one of its tasks has. The tasks of a project stay; a task leaves its projects.
CREATE OR REPLACE FUNCTION remove_label(user_id uuid, kind text, label_id uuid) RETURNS boolean
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  owner students := lock_student(user_id);
  is_kept boolean := CASE kind
    WHEN 'subject' THEN EXISTS (
      SELECT FROM sessions_with_time s WHERE s.uid = owner.uid AND s.subject_id = label_id)
    WHEN 'task' THEN EXISTS (
      SELECT FROM sessions_with_time s WHERE s.uid = owner.uid AND s.task_id = label_id)
    WHEN 'project' THEN EXISTS (
      SELECT FROM task_projects t JOIN sessions_with_time s ON s.uid = t.uid AND s.task_id = t.task_id
      WHERE t.uid = owner.uid AND t.project_id = label_id)
  END;
  removed bigint;
BEGIN
  IF is_kept THEN
    EXECUTE format('UPDATE %I x SET archived = true WHERE x.uid = $1 AND x.id = $2', kind || 's')
      USING owner.uid, label_id;
    RETURN true;
  END IF;
  UPDATE study_sessions s SET subject_id = NULL
    WHERE kind = 'subject' AND s.uid = owner.uid AND s.subject_id = label_id;
  UPDATE study_sessions s SET task_id = NULL WHERE kind = 'task' AND s.uid = owner.uid AND s.task_id = label_id;
  EXECUTE format('DELETE FROM %I x WHERE x.uid = $1 AND x.id = $2', kind || 's') USING owner.uid, label_id;
  GET DIAGNOSTICS removed = ROW_COUNT;
  IF removed = 0 THEN
    PERFORM refuse(kind || '_not_found', format('no such %s', kind), 'no_data_found');
  END IF;
  RETURN false;
END $$;

-- Subjects for their owner, the last used first: one by its id, or a page of them. `archived` filters unless NULL.
CREATE OR REPLACE FUNCTION subjects_of(
  user_id uuid, only_id uuid, only_archived boolean, after_used timestamptz, after_id uuid, most bigint
) RETURNS TABLE (id uuid, name text, colour text, archived boolean, used_at timestamptz, created_at timestamptz)
LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    SELECT s.* FROM (
      SELECT x.id, x.name, x.colour, x.archived, coalesce(
               (SELECT max(t.created_at) FROM study_sessions t WHERE t.uid = user_id AND t.subject_id = x.id),
               x.created_at)
             AS used_at, x.created_at
      FROM subjects x
      WHERE x.uid = user_id AND (only_id IS NULL OR x.id = only_id)
        AND (only_archived IS NULL OR x.archived = only_archived)
    ) s
    WHERE after_id IS NULL OR (s.used_at, s.id) < (after_used, after_id)
    ORDER BY s.used_at DESC, s.id DESC LIMIT most;
END $$;

-- Projects for their owner, filtered like tasks. The actual time is the sum over all their tasks; a task in two
-- projects counts in both. Estimate and progress leave out tasks that were archived undone. Progress is the share of
-- done tasks, weighted by estimate: a task without one has the average weight of the others. If no task has an
-- estimate, all weigh the same. A project without tasks has no progress.
CREATE OR REPLACE FUNCTION projects_of(
  user_id uuid, only_id uuid, only_archived boolean, after_created timestamptz, after_id uuid, most bigint
) RETURNS TABLE (
  id uuid, name text, colour text, archived boolean, estimate_seconds bigint, actual_seconds bigint,
  progress double precision, task_count bigint, done_count bigint, created_at timestamptz
) LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  running uuid;                                           -- the task of the running timer, and what it has added
  added integer;
BEGIN
  SELECT r.task_id, r.seconds INTO running, added FROM running_task(user_id) r;
  RETURN QUERY
    SELECT p.id, p.name, p.colour, p.archived, coalesce(sums.estimated, 0), coalesce(sums.actual, 0),
           CASE WHEN sums.wanted > 0 THEN floor(1e4 * (
               sums.done_estimated + (sums.done - sums.done_with) * coalesce(sums.average, 1))
             / (sums.estimated + (sums.wanted - sums.wanted_with) * coalesce(sums.average, 1))
           )::double precision / 1e4 END,
           sums.wanted, sums.done, p.created_at
    FROM (
      SELECT * FROM projects x
      WHERE x.uid = user_id AND (only_id IS NULL OR x.id = only_id)
        AND (only_archived IS NULL OR x.archived = only_archived)
        AND (after_id IS NULL OR (x.created_at, x.id) > (after_created, after_id))
      ORDER BY x.created_at, x.id LIMIT most
    ) p
    CROSS JOIN LATERAL (
      SELECT count(*) FILTER (WHERE k.wanted) AS wanted, count(k.estimate) FILTER (WHERE k.wanted) AS wanted_with,
             count(*) FILTER (WHERE k.done) AS done, count(k.estimate) FILTER (WHERE k.done) AS done_with,
             coalesce(sum(k.estimate) FILTER (WHERE k.wanted), 0) AS estimated,
             coalesce(sum(k.estimate) FILTER (WHERE k.done), 0) AS done_estimated,
             avg(k.estimate) FILTER (WHERE k.wanted) AS average, sum(k.actual)::bigint AS actual
      FROM (
        SELECT t.done, t.done OR NOT t.archived AS wanted, t.estimate_seconds AS estimate,
               t.actual_seconds + CASE WHEN t.id = running THEN added ELSE 0 END AS actual
        FROM task_projects x
        JOIN tasks t ON t.uid = user_id AND t.id = x.task_id
        WHERE x.uid = user_id AND x.project_id = p.id
      ) k
    ) sums
    ORDER BY p.created_at, p.id;
END $$;

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
    WHERE i.uid = user_id AND i.ended_at IS NULL AND i.started_at > clock - longest_interval()
      AND s.task_id IS NOT NULL;
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

-- Study time on these study days (both included) by subject, project or task, the most first; `in_all` is all study on
-- those days. The days of an interval are those of the clock it was recorded under; the running one counts up to now.
-- Time without a subject, project or task has a NULL id. A session counts in every project of its task, so the sum over
-- projects may exceed `in_all`.
CREATE OR REPLACE FUNCTION study_totals(user_id uuid, kind text, from_day date, to_day date)
  RETURNS TABLE (id uuid, name text, colour text, archived boolean, seconds bigint, in_all bigint)
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  clock timestamptz := anthill_clock();
BEGIN
  RETURN QUERY
    WITH studied AS (
      SELECT s.subject_id, s.task_id,
             extract(epoch FROM
               least(coalesce(i.ended_at, clock), study_day_start(to_day + 1, i.time_zone, i.day_starts_at))
               - greatest(i.started_at, study_day_start(from_day, i.time_zone, i.day_starts_at)))::bigint AS seconds
      FROM study_intervals i
      JOIN study_sessions s ON s.uid = i.uid AND s.session_id = i.session_id
      WHERE i.uid = user_id AND i.retracted_at IS NULL AND NOT i.unconfirmed
        AND (i.ended_at IS NOT NULL OR i.started_at > clock - longest_interval())
        -- A day of any time zone lies within these.
        AND tstzrange(i.started_at, coalesce(i.ended_at, 'infinity'))
            && tstzrange((from_day - 1)::timestamp AT TIME ZONE 'UTC', (to_day + 3)::timestamp AT TIME ZONE 'UTC')
    ), named AS (
      SELECT x.id, x.name, x.colour, x.archived, p.seconds
      FROM studied p LEFT JOIN subjects x ON x.uid = user_id AND x.id = p.subject_id
      WHERE kind = 'subject' AND p.seconds > 0
      UNION ALL
      SELECT x.id, x.title, NULL, x.archived, p.seconds
      FROM studied p LEFT JOIN tasks x ON x.uid = user_id AND x.id = p.task_id
      WHERE kind = 'task' AND p.seconds > 0
      UNION ALL
      SELECT x.id, x.name, x.colour, x.archived, p.seconds
      FROM studied p
      LEFT JOIN task_projects t ON t.uid = user_id AND t.task_id = p.task_id
      LEFT JOIN projects x ON x.uid = user_id AND x.id = t.project_id
      WHERE kind = 'project' AND p.seconds > 0
    )
    SELECT n.id, n.name, n.colour, n.archived, sum(n.seconds)::bigint,
           (SELECT sum(p.seconds)::bigint FROM studied p WHERE p.seconds > 0)
    FROM named n GROUP BY n.id, n.name, n.colour, n.archived
    ORDER BY sum(n.seconds) DESC, n.name, n.id;
END $$;
