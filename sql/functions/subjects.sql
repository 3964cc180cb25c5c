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
        AND NOT timer_is_overdue(i.started_at, i.ended_at, clock)
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
