-- Import: study from files.

-- A UUID for a text of a user; the same text gives the same UUID.
CREATE OR REPLACE FUNCTION content_id(user_id uuid, content text) RETURNS uuid
  LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = public, pg_temp AS $$
DECLARE
  digest text := left(encode(sha256(convert_to(user_id || content, 'UTF8')), 'hex'), 32);
BEGIN
  -- Version 8 and the variant of RFC 9562: a custom UUID.
  RETURN overlay(overlay(digest PLACING '8' FROM 13) PLACING '8' FROM 17)::uuid;
END $$;

-- Records sessions from a file, each whole or not at all, and says of each by its place what became of it: `recorded`,
-- `already_recorded`, or the name of the rule it breaks, with the number of the stretch that does and what it overlaps.
--
-- A session without an id of its own gets one from its content, so the same file records once; one that was taken back
-- since is recorded again. Stretches are instants with the study clock they once had, or local times of `time_zone`
-- (NULL: the owner's). Imported time is in the personal calendar and on no board.
CREATE OR REPLACE FUNCTION import_sessions(user_id uuid, sessions jsonb, time_zone text) RETURNS TABLE (
  place integer, outcome text, stretch integer, seconds integer, new_subject text, overlap text
) LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
#variable_conflict use_variable
DECLARE
  said text;
  owner students := lock_student(user_id);
  zone text := coalesce(time_zone, owner.time_zone);
  clock timestamptz := anthill_clock();
  past students;
  wanted record;
  began timestamptz[];
  finished timestamptz[];
  first_id uuid;
  for_session uuid;
  subject uuid;
  task uuid;
  again integer;
  known text;
  named jsonb;                                            -- those of the subjects of these sessions that there are
  in_use bigint;
  in_all bigint;
BEGIN
  IF NOT EXISTS (SELECT FROM time_zones z WHERE z.name = zone) THEN
    PERFORM refuse('unknown_time_zone', format('no zone %s', zone));
  END IF;
  SELECT count(*) FILTER (WHERE NOT s.archived), count(*) INTO in_use, in_all FROM subjects s WHERE s.uid = user_id;
  -- Of several with a name, one in use rather than an archived one.
  SELECT coalesce(jsonb_object_agg(n.name, n.id), '{}') INTO named FROM (
    SELECT DISTINCT ON (s.name) s.name, s.id FROM subjects s
    WHERE s.uid = user_id AND s.name IN (SELECT w->>'subject' FROM jsonb_array_elements(sessions) w)
    ORDER BY s.name, s.archived, s.created_at, s.id
  ) n;
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

      first_id := coalesce(wanted.id, content_id(user_id, concat_ws(
        E'\n', extract(epoch FROM began[1])::bigint, extract(epoch FROM finished[1])::bigint,
        wanted.subject, wanted.task, wanted.note)));
      for_session := first_id;
      again := 0;
      LOOP
        SELECT s.state INTO known FROM study_sessions s WHERE s.uid = user_id AND s.session_id = for_session;
        EXIT WHEN NOT FOUND OR known <> 'discarded';
        again := again + 1;
        for_session := content_id(user_id, concat_ws(E'\n', first_id, again));
      END LOOP;

      IF known IS NOT NULL THEN
        outcome := 'already_recorded';
      ELSE
        subject := (named->>wanted.subject)::uuid;
        IF subject IS NULL AND wanted.subject IS NOT NULL THEN
          IF in_use >= most_labels() THEN
            PERFORM refuse('too_many_subjects', format('at most %s subjects that are not archived', most_labels()));
          END IF;
          new_subject := wanted.subject;
          INSERT INTO subjects (uid, name, colour)
            VALUES (user_id, new_subject,
                    (ARRAY['leaf', 'honey', 'apple', 'soil', 'sky', 'plum', 'stone', 'moss'])[1 + in_all % 8])
            RETURNING id INTO subject;
        END IF;
        SELECT t.id INTO task FROM tasks t
          WHERE t.uid = user_id AND t.title = wanted.task ORDER BY t.archived, t.created_at, t.id LIMIT 1;
        INSERT INTO study_sessions (uid, session_id, subject_id, task_id, note, state, source, created_at)
          VALUES (user_id, for_session, subject, task, wanted.note, 'finished', 'import', clock);
        FOR n IN 1..greatest(cardinality(began), 1) LOOP
          stretch := n;
          past := owner;
          IF wanted.time_zones[n] IS NOT NULL THEN
            IF NOT EXISTS (SELECT FROM time_zones z WHERE z.name = wanted.time_zones[n]) THEN
              PERFORM refuse('unknown_time_zone', 'no such zone');
            END IF;
            past.time_zone := wanted.time_zones[n];
            past.day_starts_at := wanted.day_starts[n];
          END IF;
          PERFORM add_stretch(past, for_session, began[n], finished[n], 'import', clock);
          seconds := seconds + extract(epoch FROM least(finished[n], clock) - began[n])::integer;
        END LOOP;
        outcome := 'recorded';
        IF new_subject IS NOT NULL THEN
          named := named || jsonb_build_object(new_subject, subject);
          in_use := in_use + 1;
          in_all := in_all + 1;
        END IF;
      END IF;
    EXCEPTION WHEN check_violation OR exclusion_violation THEN
      GET STACKED DIAGNOSTICS outcome = CONSTRAINT_NAME, said = MESSAGE_TEXT;
      outcome := broken_rule(outcome, said);
      seconds := 0;
      new_subject := NULL;
      IF outcome LIKE 'study_intervals_no_overlap%' OR outcome = 'unconfirmed_timer' THEN
        SELECT concat(to_char(i.started_at AT TIME ZONE owner.time_zone, 'YYYY-MM-DD HH24:MI'), ' – ',
                      to_char(i.ended_at AT TIME ZONE owner.time_zone, 'HH24:MI'))
          INTO overlap FROM study_intervals i
          WHERE i.uid = user_id AND i.retracted_at IS NULL
            AND tstzrange(i.started_at, coalesce(i.ended_at, 'infinity'))
              && tstzrange(began[stretch], finished[stretch])
          ORDER BY i.started_at LIMIT 1;
      END IF;
    END;
    RETURN NEXT;
  END LOOP;
END $$;
