-- What study is for: subjects, projects and tasks. Whatever time hangs on is archived, never deleted.

-- A kind is 'subject', 'project' or 'task'; its table has an s behind it.

-- Refuses more of a kind that are not archived than one may keep. The caller holds the user's row.
CREATE OR REPLACE FUNCTION check_room(user_id uuid, kind text) RETURNS void LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
DECLARE
  in_use bigint;
BEGIN
  EXECUTE format('SELECT count(*) FROM %I x WHERE x.uid = $1 AND NOT x.archived', kind || 's') INTO in_use USING user_id;
  IF in_use > most_labels() THEN
    PERFORM refuse('too_many_' || kind || 's', format('at most %s %ss that are not archived', most_labels(), kind));
  END IF;
END $$;

-- Adds a subject or a project.
CREATE OR REPLACE FUNCTION add_label(user_id uuid, kind text, for_group uuid, name text, colour text) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  owner students := lock_student(user_id);
BEGIN
  EXECUTE format('INSERT INTO %I (uid, id, name, colour) VALUES ($1, $2, $3, $4)', kind || 's')
    USING owner.uid, for_group, name, coalesce(colour, 'leaf');
  PERFORM check_room(owner.uid, kind);
END $$;

-- Changes what is given of a subject or a project; what is NULL stays.
CREATE OR REPLACE FUNCTION change_label(user_id uuid, kind text, for_group uuid, name text, colour text, archived boolean)
  RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  owner students := lock_student(user_id);
  changed bigint;
BEGIN
  EXECUTE format(
    'UPDATE %I x SET name = coalesce($3, x.name), colour = coalesce($4, x.colour), archived = coalesce($5, x.archived)'
    ' WHERE x.uid = $1 AND x.id = $2', kind || 's')
    USING owner.uid, for_group, name, colour, archived;
  GET DIAGNOSTICS changed = ROW_COUNT;
  IF changed = 0 THEN
    PERFORM refuse(kind || '_not_found', format('no such %s', kind), 'no_data_found');
  END IF;
  PERFORM check_room(owner.uid, kind);
END $$;

-- Deletes a subject, a project or a task, or archives it if it has recorded time; answers whether it was archived. A project
-- has recorded time if one of its tasks has. The tasks of a project stay; a task leaves its projects.
CREATE OR REPLACE FUNCTION remove_label(user_id uuid, kind text, for_group uuid) RETURNS boolean
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  owner students := lock_student(user_id);
  is_kept boolean := CASE kind
    WHEN 'subject' THEN EXISTS (
      SELECT FROM study_sessions s WHERE s.uid = owner.uid AND s.subject_id = for_group AND has_time(s))
    WHEN 'task' THEN EXISTS (
      SELECT FROM study_sessions s WHERE s.uid = owner.uid AND s.task_id = for_group AND has_time(s))
    WHEN 'project' THEN EXISTS (
      SELECT FROM task_projects t JOIN study_sessions s ON s.uid = t.uid AND s.task_id = t.task_id
      WHERE t.uid = owner.uid AND t.project_id = for_group AND has_time(s))
  END;
  removed bigint;
BEGIN
  IF is_kept THEN
    EXECUTE format('UPDATE %I x SET archived = true WHERE x.uid = $1 AND x.id = $2', kind || 's') USING owner.uid, for_group;
    RETURN true;
  END IF;
  UPDATE study_sessions s SET subject_id = NULL WHERE kind = 'subject' AND s.uid = owner.uid AND s.subject_id = for_group;
  UPDATE study_sessions s SET task_id = NULL WHERE kind = 'task' AND s.uid = owner.uid AND s.task_id = for_group;
  EXECUTE format('DELETE FROM %I x WHERE x.uid = $1 AND x.id = $2', kind || 's') USING owner.uid, for_group;
  GET DIAGNOSTICS removed = ROW_COUNT;
  IF removed = 0 THEN
    PERFORM refuse(kind || '_not_found', format('no such %s', kind), 'no_data_found');
  END IF;
  RETURN false;
END $$;

-- Subjects as their owner sees them, the one used last first: one by its id, or so many after another one; archived or
-- not, where that is not NULL.
CREATE OR REPLACE FUNCTION subjects_of(
  user_id uuid, for_group uuid, only_archived boolean, after_used timestamptz, after_id uuid, most bigint
) RETURNS TABLE (id uuid, name text, colour text, archived boolean, used_at timestamptz, created_at timestamptz)
LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    SELECT s.* FROM (
      SELECT x.id, x.name, x.colour, x.archived, coalesce(
               (SELECT max(t.created_at) FROM study_sessions t WHERE t.uid = user_id AND t.subject_id = x.id), x.created_at)
             AS used_at, x.created_at
      FROM subjects x
      WHERE x.uid = user_id AND (for_group IS NULL OR x.id = for_group) AND (only_archived IS NULL OR x.archived = only_archived)
    ) s
    WHERE after_id IS NULL OR (s.used_at, s.id) < (after_used, after_id)
    ORDER BY s.used_at DESC, s.id DESC LIMIT most;
END $$;

-- Projects as their owner sees them, chosen like tasks. The actual time is that of all their tasks, a task in two
-- projects counting in both; the estimate and the rate of progress leave out tasks that were archived undone. Progress
-- is the done tasks' share by estimate: a task without one weighs what the others do on average, and where there is
-- no estimate at all each weighs the same. Without tasks there is none.
CREATE OR REPLACE FUNCTION projects_of(
  user_id uuid, for_group uuid, only_archived boolean, after_created timestamptz, after_id uuid, most bigint
) RETURNS TABLE (
  id uuid, name text, colour text, archived boolean, estimate_seconds bigint, actual_seconds bigint,
  progress double precision, task_count bigint, done_count bigint, created_at timestamptz
) LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    SELECT p.id, p.name, p.colour, p.archived, coalesce(sums.estimated, 0), coalesce(sums.actual, 0),
           CASE WHEN sums.wanted > 0 THEN floor(1e4 * (
               sums.done_estimated + (sums.done - sums.done_with) * coalesce(sums.average, 1))
             / (sums.estimated + (sums.wanted - sums.wanted_with) * coalesce(sums.average, 1)))::double precision / 1e4 END,
           sums.wanted, sums.done, p.created_at
    FROM (
      SELECT * FROM projects x
      WHERE x.uid = user_id AND (for_group IS NULL OR x.id = for_group) AND (only_archived IS NULL OR x.archived = only_archived)
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
               t.actual_seconds + coalesce(r.seconds, 0) AS actual
        FROM task_projects x
        JOIN tasks t ON t.uid = user_id AND t.id = x.task_id
        LEFT JOIN running_task(user_id) r ON r.task_id = t.id
        WHERE x.uid = user_id AND x.project_id = p.id
      ) k
    ) sums
    ORDER BY p.created_at, p.id;
END $$;

-- Puts a task into exactly these projects.
CREATE OR REPLACE FUNCTION place_task(user_id uuid, for_group uuid, wanted uuid[]) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM task_projects t WHERE t.uid = user_id AND t.task_id = for_group AND t.project_id <> ALL (wanted);
  INSERT INTO task_projects (uid, task_id, project_id)
    SELECT DISTINCT user_id, for_group, w.project_id FROM unnest(wanted) w (project_id)
    ON CONFLICT ON CONSTRAINT task_projects_key DO NOTHING;
END $$;

CREATE OR REPLACE FUNCTION add_task(user_id uuid, for_group uuid, title text, estimate_seconds bigint, project_ids uuid[]) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  owner students := lock_student(user_id);
BEGIN
  INSERT INTO tasks (uid, id, title, estimate_seconds)
    VALUES (owner.uid, for_group, add_task.title, add_task.estimate_seconds);
  PERFORM place_task(owner.uid, for_group, project_ids);
  PERFORM check_room(owner.uid, 'task');
END $$;

-- Changes what is given; what is NULL stays, but the estimate only where `keep_estimate` says so.
CREATE OR REPLACE FUNCTION change_task(
  user_id uuid, for_group uuid, title text, keep_estimate boolean, estimate_seconds bigint, project_ids uuid[], done boolean,
  archived boolean
) RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  owner students := lock_student(user_id);
BEGIN
  UPDATE tasks t SET
      title = coalesce(change_task.title, t.title),
      estimate_seconds = CASE WHEN keep_estimate THEN t.estimate_seconds ELSE change_task.estimate_seconds END,
      done = coalesce(change_task.done, t.done), archived = coalesce(change_task.archived, t.archived)
    WHERE t.uid = owner.uid AND t.id = for_group;
  IF NOT FOUND THEN
    PERFORM refuse('task_not_found', 'no such task', 'no_data_found');
  END IF;
  IF project_ids IS NOT NULL THEN PERFORM place_task(owner.uid, for_group, project_ids); END IF;
  PERFORM check_room(owner.uid, 'task');
END $$;

-- Adds what counts of a session to the task it is on (sign 1), or takes it off (-1): around a change of the task. Recording
-- and retracting do the same for each interval. The caller holds the owner's row.
CREATE OR REPLACE FUNCTION add_to_task(user_id uuid, for_group uuid, sign integer)
  RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE tasks t SET actual_seconds = t.actual_seconds + sign * (
      SELECT coalesce(sum(extract(epoch FROM i.ended_at - i.started_at)), 0)::bigint FROM counting_intervals i
      WHERE i.uid = user_id AND i.session_id = for_group)
    FROM study_sessions s
    WHERE s.uid = user_id AND s.session_id = for_group AND t.uid = user_id AND t.id = s.task_id;
END $$;

-- The task that the running timer is on, and how long it has run without a pause; no row where none runs on a task.
CREATE OR REPLACE FUNCTION running_task(user_id uuid) RETURNS TABLE (task_id uuid, seconds integer)
  LANGUAGE plpgsql STABLE ROWS 1 SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  clock timestamptz := anthill_clock();
BEGIN
  RETURN QUERY
    SELECT s.task_id, extract(epoch FROM greatest(clock, i.started_at) - i.started_at)::integer
    FROM study_intervals i JOIN study_sessions s ON s.uid = user_id AND s.session_id = i.session_id
    WHERE i.uid = user_id AND i.ended_at IS NULL AND i.started_at > clock - longest_interval() AND s.task_id IS NOT NULL;
END $$;

-- Tasks as their owner sees them, the oldest first: one by its id, or so many after another one; archived or not, in
-- a project or anywhere, where those are not NULL.
CREATE OR REPLACE FUNCTION tasks_of(
  user_id uuid, for_group uuid, only_archived boolean, in_project uuid, after_created timestamptz, after_id uuid, most bigint
) RETURNS TABLE (
  id uuid, title text, project_ids uuid[], estimate_seconds integer, actual_seconds bigint, done boolean,
  archived boolean, created_at timestamptz
) LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    SELECT t.id, t.title,
           ARRAY(SELECT x.project_id FROM task_projects x WHERE x.uid = user_id AND x.task_id = t.id ORDER BY x.project_id),
           t.estimate_seconds, t.actual_seconds + coalesce(r.seconds, 0), t.done, t.archived, t.created_at
    FROM (
      SELECT * FROM tasks x
      WHERE x.uid = user_id AND (for_group IS NULL OR x.id = for_group) AND (only_archived IS NULL OR x.archived = only_archived)
        AND (in_project IS NULL OR EXISTS (SELECT FROM task_projects y
                                           WHERE y.uid = user_id AND y.task_id = x.id AND y.project_id = in_project))
        AND (after_id IS NULL OR (x.created_at, x.id) > (after_created, after_id))
      ORDER BY x.created_at, x.id LIMIT most
    ) t
    LEFT JOIN running_task(user_id) r ON r.task_id = t.id
    ORDER BY t.created_at, t.id;
END $$;

-- Whether time hangs on a session: a timer still writes it, or something it recorded still stands.
CREATE OR REPLACE FUNCTION has_time(s study_sessions) RETURNS boolean LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  RETURN s.state IN ('running', 'paused') OR EXISTS (
    SELECT FROM study_intervals i WHERE i.uid = s.uid AND i.session_id = s.session_id AND i.retracted_at IS NULL);
END $$;

-- Study time on these study days (both included) by subject, project or task, the most first; `in_all` is all study of
-- those days. Each interval is on its days by the clock it was recorded under; the running one counts up to now. What
-- is on nothing stands under a NULL id. A session counts in every project its task is in, so by project the sum may
-- exceed `in_all`.
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
        -- By any clock on earth a day lies within these.
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
