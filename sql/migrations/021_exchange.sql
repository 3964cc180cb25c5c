-- Export and import: study that comes from files, and what belongs to somebody who takes it away.

-- The instants at which clocks in a zone show a local time: none in an hour that is skipped, two in a doubled one.
CREATE FUNCTION instants_of(local timestamp, time_zone text) RETURNS timestamptz[]
  LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE AS $$
DECLARE
  guess timestamptz := local AT TIME ZONE time_zone;
  before interval := (guess - interval '1 day') AT TIME ZONE time_zone - (guess - interval '1 day') AT TIME ZONE 'UTC';
  after interval := (guess + interval '1 day') AT TIME ZONE time_zone - (guess + interval '1 day') AT TIME ZONE 'UTC';
BEGIN
  IF before = after THEN RETURN ARRAY[guess]; END IF;
  RETURN ARRAY(
    SELECT c.at FROM (SELECT local AT TIME ZONE 'UTC' - o.east AS at FROM unnest(ARRAY[before, after]) o (east)) c
    WHERE c.at AT TIME ZONE time_zone = local ORDER BY c.at);
END $$;

-- The stretch that a file tells by local times, by its length where the end is missing. Of a doubled hour the first is
-- meant unless only the second agrees with the length, or lies after the start; a skipped time is refused.
CREATE FUNCTION local_stretch(
  local_start timestamp, local_end timestamp, lasted integer, time_zone text, OUT began timestamptz, OUT finished timestamptz
) LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path FROM CURRENT AS $$
DECLARE
  starts timestamptz[] := instants_of(local_start, time_zone);
  ends timestamptz[];
BEGIN
  ends := CASE
    WHEN local_end IS NULL THEN ARRAY(SELECT s.at + make_interval(secs => lasted) FROM unnest(starts) s (at))
    ELSE instants_of(local_end, time_zone)
  END;
  IF cardinality(starts) = 0 OR cardinality(ends) = 0 THEN
    RAISE EXCEPTION 'clocks in % skip this time', time_zone USING ERRCODE = 'check_violation',
      CONSTRAINT = CASE WHEN cardinality(starts) = 0 THEN 'no_such_local_start' ELSE 'no_such_local_end' END;
  END IF;
  SELECT s.at, e.at INTO began, finished FROM unnest(starts) s (at) CROSS JOIN unnest(ends) e (at)
    ORDER BY e.at - s.at = make_interval(secs => lasted) DESC NULLS LAST, e.at > s.at DESC, s.at, e.at LIMIT 1;
END $$;

-- The same UUID for the same text of the same user, each time.
CREATE FUNCTION content_id(whose uuid, content text) RETURNS uuid LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  digest text := left(encode(sha256(convert_to(whose || content, 'UTF8')), 'hex'), 32);
BEGIN
  -- Version 8 and the variant of RFC 9562: a UUID of one's own making.
  RETURN overlay(overlay(digest PLACING '8' FROM 13) PLACING '8' FROM 17)::uuid;
END $$;

-- The subject of that name, one in use rather than an archived one; a new one where there is none.
CREATE FUNCTION subject_named(whose uuid, wanted text, OUT subject_id uuid, OUT is_new boolean)
  LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  SELECT s.id INTO subject_id FROM subjects s
    WHERE s.uid = whose AND s.name = wanted ORDER BY s.archived, s.created_at, s.id LIMIT 1;
  is_new := NOT FOUND;
  IF is_new THEN
    subject_id := gen_random_uuid();
    PERFORM add_subject(whose, subject_id, wanted, (
      SELECT (ARRAY['leaf', 'honey', 'apple', 'soil', 'sky', 'plum', 'stone', 'moss'])[1 + count(*) % 8]
      FROM subjects s WHERE s.uid = whose));
  END IF;
END $$;

-- Records sessions from a file, each whole or not at all, and says of each by its place what became of it: `recorded`,
-- `already_recorded`, or the name of the rule it breaks, with the number of the stretch that does and what it overlaps.
--
-- A session without an id of its own gets one from its content, so the same file records once; one that was taken back
-- since is recorded again. Stretches are instants with the study clock they once had, or local times of `time_zone`
-- (NULL: the owner's). Imported time is in the personal calendar and on no board.
CREATE FUNCTION import_sessions(whose uuid, sessions jsonb, time_zone text) RETURNS TABLE (
  place integer, outcome text, stretch integer, seconds integer, new_subject text, overlap text
) LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_variable
DECLARE
  owner users := hold_user(whose);
  zone text := coalesce(time_zone, owner.time_zone);
  clock timestamptz := anthill_clock();
  past users;
  wanted record;
  began timestamptz[];
  finished timestamptz[];
  first_id uuid;
  which uuid;
  subject record;
  task uuid;
  again integer;
  known text;
BEGIN
  IF NOT EXISTS (SELECT FROM time_zones z WHERE z.name = zone) THEN
    RAISE EXCEPTION 'no zone %', zone USING ERRCODE = 'check_violation', CONSTRAINT = 'unknown_time_zone';
  END IF;
  FOR wanted IN
    SELECT * FROM jsonb_to_recordset(sessions) AS s (
      place integer, id uuid, started timestamptz[], ended timestamptz[], time_zones text[], day_starts time[],
      local_start timestamp, local_end timestamp, lasted integer, subject text, task text, note text)
  LOOP
    place := wanted.place;
    stretch := NULL;
    seconds := 0;
    new_subject := NULL;
    overlap := NULL;
    BEGIN
      IF wanted.local_start IS NULL THEN
        began := wanted.started;
        finished := wanted.ended;
      ELSE
        SELECT ARRAY[l.began], ARRAY[l.finished] INTO began, finished
          FROM local_stretch(wanted.local_start, wanted.local_end, wanted.lasted, zone) l;
      END IF;

      first_id := coalesce(wanted.id, content_id(whose, concat_ws(
        E'\n', extract(epoch FROM began[1])::bigint, extract(epoch FROM finished[1])::bigint,
        wanted.subject, wanted.task, wanted.note)));
      which := first_id;
      again := 0;
      LOOP
        SELECT s.state INTO known FROM study_sessions s WHERE s.uid = whose AND s.session_id = which;
        EXIT WHEN NOT FOUND OR known <> 'discarded';
        again := again + 1;
        which := content_id(whose, concat_ws(E'\n', first_id, again));
      END LOOP;

      IF known IS NOT NULL THEN
        outcome := 'already_recorded';
      ELSE
        SELECT NULL::uuid AS subject_id, false AS is_new INTO subject;
        IF wanted.subject IS NOT NULL THEN subject := subject_named(whose, wanted.subject); END IF;
        SELECT t.id INTO task FROM tasks t
          WHERE t.uid = whose AND t.title = wanted.task ORDER BY t.archived, t.created_at, t.id LIMIT 1;
        INSERT INTO study_sessions (uid, session_id, subject_id, task_id, note, state, source, created_at)
          VALUES (whose, which, subject.subject_id, task, wanted.note, 'finished', 'import', clock);
        FOR n IN 1..greatest(cardinality(began), 1) LOOP
          stretch := n;
          past := owner;
          IF wanted.time_zones[n] IS NOT NULL THEN
            IF NOT EXISTS (SELECT FROM time_zones z WHERE z.name = wanted.time_zones[n]) THEN
              RAISE EXCEPTION 'no such zone' USING ERRCODE = 'check_violation', CONSTRAINT = 'unknown_time_zone';
            END IF;
            past.time_zone := wanted.time_zones[n];
            past.day_starts_at := wanted.day_starts[n];
          END IF;
          PERFORM add_stretch(past, which, began[n], finished[n], 'import', clock);
          seconds := seconds + extract(epoch FROM least(finished[n], clock) - began[n])::integer;
        END LOOP;
        outcome := 'recorded';
        IF subject.is_new THEN new_subject := wanted.subject; END IF;
      END IF;
    EXCEPTION WHEN check_violation OR exclusion_violation THEN
      GET STACKED DIAGNOSTICS outcome = CONSTRAINT_NAME;
      seconds := 0;
      IF outcome LIKE 'study_intervals_no_overlap%' OR outcome = 'unconfirmed_timer' THEN
        SELECT concat(to_char(i.started_at AT TIME ZONE owner.time_zone, 'YYYY-MM-DD HH24:MI'), ' – ',
                      to_char(i.ended_at AT TIME ZONE owner.time_zone, 'HH24:MI'))
          INTO overlap FROM study_intervals i
          WHERE i.uid = whose AND i.retracted_at IS NULL
            AND tstzrange(i.started_at, coalesce(i.ended_at, 'infinity')) && tstzrange(began[stretch], finished[stretch])
          ORDER BY i.started_at LIMIT 1;
      END IF;
    END;
    RETURN NEXT;
  END LOOP;
END $$;

-- The sessions of a user by their beginning: those that begin on these study days of the present clock, or all where a
-- day is NULL. Taken-back ones are among them only where asked for.
CREATE FUNCTION exported_sessions(whose uuid, from_day date, to_day date, with_discarded boolean)
  RETURNS TABLE (session_id uuid) LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  owner users;
BEGIN
  SELECT * INTO owner FROM users u WHERE u.uid = whose;
  RETURN QUERY
    SELECT x.session_id FROM (
      SELECT s.session_id, coalesce(
               min(i.started_at) FILTER (WHERE i.retracted_at IS NULL), min(i.started_at), s.created_at) AS began
      FROM study_sessions s
      LEFT JOIN study_intervals i ON i.uid = s.uid AND i.session_id = s.session_id
      WHERE s.uid = whose AND (with_discarded OR s.state <> 'discarded')
      GROUP BY s.uid, s.session_id
    ) x
    WHERE (from_day IS NULL OR x.began >= study_day_start(from_day, owner.time_zone, owner.day_starts_at))
      AND (to_day IS NULL OR x.began < study_day_start(to_day + 1, owner.time_zone, owner.day_starts_at))
    ORDER BY x.began, x.session_id;
END $$;

-- What counts or may count of these sessions, in their order, each interval with all that a table says of it.
CREATE FUNCTION exported_intervals(whose uuid, which uuid[]) RETURNS TABLE (
  session_id uuid, interval_id uuid, started_at timestamptz, ended_at timestamptz, seconds integer, session_state text,
  interval_state text, session_source text, source text, subject text, task text, note text, time_zone text,
  day_starts_at text, recorded_at timestamptz
) LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  clock timestamptz := anthill_clock();
BEGIN
  RETURN QUERY
    SELECT s.session_id, i.interval_id, i.started_at, o.ended_at,
           CASE WHEN NOT o.unconfirmed THEN extract(epoch FROM o.ended_at - i.started_at)::integer END,
           CASE WHEN o.unconfirmed THEN 'unconfirmed' ELSE s.state END,
           CASE WHEN o.unconfirmed THEN 'unconfirmed' WHEN o.ended_at IS NULL THEN 'running' ELSE 'finished' END,
           s.source, i.source, x.name, t.title, s.note, i.time_zone, to_char(i.day_starts_at, 'HH24:MI'), i.recorded_at
    FROM unnest(which) WITH ORDINALITY w (session_id, place)
    -- OFFSET 0 keeps these one by one: else the planner may read all of a user's rows for each page, or each session.
    CROSS JOIN LATERAL (
      SELECT * FROM study_sessions t WHERE t.uid = whose AND t.session_id = w.session_id OFFSET 0
    ) s
    CROSS JOIN LATERAL (
      SELECT * FROM study_intervals t
      WHERE t.uid = whose AND t.session_id = w.session_id AND t.retracted_at IS NULL OFFSET 0
    ) i
    CROSS JOIN LATERAL (
      -- A timer that has passed its 12 h is what it will be once somebody ends it.
      SELECT i.unconfirmed OR i.ended_at IS NULL AND i.started_at <= clock - interval '12 hours' AS unconfirmed,
             CASE WHEN i.ended_at IS NULL AND i.started_at <= clock - interval '12 hours'
               THEN i.started_at + interval '12 hours' ELSE i.ended_at END AS ended_at
    ) o
    LEFT JOIN subjects x ON x.uid = s.uid AND x.id = s.subject_id
    LEFT JOIN tasks t ON t.uid = s.uid AND t.id = s.task_id
    ORDER BY w.place, i.started_at, i.interval_id;
END $$;

-- These sessions as JSON, in their order, with every interval they ever had.
CREATE FUNCTION exported_documents(whose uuid, which uuid[]) RETURNS TABLE (document text)
  LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
BEGIN
  RETURN QUERY
    SELECT jsonb_build_object(
             'id', s.session_id, 'state', s.state, 'source', s.source, 'subject_id', s.subject_id, 'subject', x.name,
             'task_id', s.task_id, 'task', t.title, 'goal_seconds', s.goal_seconds, 'plan', s.plan, 'note', s.note,
             'created_at', utc_text(s.created_at), 'intervals', coalesce(i.all_of_them, '[]'))::text
    FROM unnest(which) WITH ORDINALITY w (session_id, place)
    CROSS JOIN LATERAL (
      SELECT * FROM study_sessions n WHERE n.uid = whose AND n.session_id = w.session_id OFFSET 0
    ) s
    LEFT JOIN subjects x ON x.uid = s.uid AND x.id = s.subject_id
    LEFT JOIN tasks t ON t.uid = s.uid AND t.id = s.task_id
    LEFT JOIN LATERAL (
      SELECT jsonb_agg(jsonb_build_object(
               'id', n.interval_id, 'started_at', utc_text(n.started_at), 'ended_at', utc_text(n.ended_at),
               'source', n.source, 'time_zone', n.time_zone, 'day_starts_at', to_char(n.day_starts_at, 'HH24:MI'),
               'recorded_at', utc_text(n.recorded_at), 'retracted_at', utc_text(n.retracted_at),
               'unconfirmed', n.unconfirmed) ORDER BY n.started_at, n.recorded_at, n.interval_id) AS all_of_them
      FROM study_intervals n WHERE n.uid = whose AND n.session_id = w.session_id
    ) i ON true
    ORDER BY w.place;
END $$;

-- Everything else that is kept of a user, by its name, as JSON: what they wrote and what follows from it, but no digest of
-- a secret, and of what others did no more than that they are members of the same group.
CREATE FUNCTION exported_account(whose uuid) RETURNS TABLE (part text, content text)
  LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
DECLARE
  kept text;
BEGIN
  RETURN QUERY
    SELECT 'profile', (to_jsonb(u) - '{password_hash,auth_epoch}'::text[]
                       || jsonb_build_object('email', (SELECT e.email FROM user_emails e WHERE e.uid = whose)))::text
    FROM users u WHERE u.uid = whose;
  RETURN QUERY
    SELECT 'groups', coalesce(jsonb_agg(jsonb_build_object(
             'id', h.group_id, 'name', g.name, 'joined_at', utc_text(h.joined_at), 'left_at', utc_text(h.left_at),
             'role', m.role, 'visibility', m.visibility) ORDER BY h.joined_at), '[]')::text
    FROM group_membership_history h
    JOIN groups g USING (group_id)
    LEFT JOIN group_members m ON m.uid = h.uid AND m.group_id = h.group_id AND h.left_at IS NULL
    WHERE h.uid = whose;
  RETURN QUERY
    SELECT 'security_events', coalesce(jsonb_agg(jsonb_build_object(
             'at', utc_text(a.at), 'kind', a.kind) ORDER BY a.at, a.kind), '[]')::text
    FROM audit_events a WHERE a.uid = whose;
  FOREACH kept IN ARRAY ARRAY[
    'sign_ins', 'user_identities', 'subjects', 'projects', 'tasks', 'task_projects', 'plans', 'alarms', 'study_days',
    'past_goals', 'rest_days', 'wake_ups', 'perfect_announcements'
  ] LOOP
    CONTINUE WHEN to_regclass(kept) IS NULL;
    RETURN QUERY EXECUTE format(
      'SELECT %L::text, coalesce(jsonb_agg(x.row ORDER BY x.row::text), ''[]'')::text FROM ('
      '  SELECT to_jsonb(t) - ''{uid,token_mac,auth_epoch}''::text[] AS row FROM %I t WHERE t.uid = $1) x', kept, kept)
      USING whose;
  END LOOP;
END $$;
