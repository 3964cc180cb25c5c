-- Sessions as their owner keeps them: several written down at once, changed, taken back, and the history of each.
--
-- A session is its owner's to change or take back while it ended at most 48 h ago. What it had recorded may stay
-- recorded however it is cut; anything beyond that is new, and new time is written down under the rules of new time.

-- What of these stretches is taken: the first recorded stretch that shares time with one of them, as instants and as
-- its owner's wall clock shows it. The session `apart_from` is in nobody's way.
CREATE FUNCTION stretch_in_the_way(whose uuid, started timestamptz[], ended timestamptz[], apart_from uuid DEFAULT NULL)
  RETURNS TABLE (started_at timestamptz, ended_at timestamptz, from_time text, to_time text)
  LANGUAGE plpgsql STABLE ROWS 1 SET search_path FROM CURRENT AS $$
BEGIN
  RETURN QUERY
    SELECT i.started_at, i.ended_at, to_char(i.started_at AT TIME ZONE u.time_zone, 'HH24:MI'),
           to_char(i.ended_at AT TIME ZONE u.time_zone, 'HH24:MI')
    FROM users u
    JOIN study_intervals i ON i.uid = u.uid AND i.retracted_at IS NULL AND i.session_id IS DISTINCT FROM apart_from
    JOIN unnest(started, ended) wanted (began, finished)
      ON tstzrange(i.started_at, coalesce(i.ended_at, 'infinity'))
        && tstzrange(wanted.began, greatest(wanted.began, wanted.finished))
    WHERE u.uid = whose
    ORDER BY i.started_at LIMIT 1;
END $$;

-- Records several sessions in one go and answers a verdict on each, in their order. Each is all or nothing by itself:
-- recorded, or recorded before, or refused by the name of the rule it breaks, with the stretch that is in its way.
--
-- A session is {session_id, started: […], ended: […], source, subject_id, task_id, note}.
CREATE FUNCTION record_sessions(whose uuid, sessions jsonb) RETURNS TABLE (
  session_id uuid, created boolean, refused_by text,
  started_at timestamptz, ended_at timestamptz, from_time text, to_time text
) LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  owner users := hold_user(whose);
  session jsonb;
  began timestamptz[];
  finished timestamptz[];
BEGIN
  FOR session IN SELECT s.value FROM jsonb_array_elements(sessions) WITH ORDINALITY s ORDER BY s.ordinality LOOP
    session_id := session->>'session_id';
    created := false;
    refused_by := NULL;
    SELECT NULL, NULL, NULL, NULL INTO started_at, ended_at, from_time, to_time;
    began := ARRAY(SELECT jsonb_array_elements_text(session->'started'));
    finished := ARRAY(SELECT jsonb_array_elements_text(session->'ended'));
    BEGIN
      created := (record_session(
        owner.uid, session_id, began, finished, session->>'source',
        (session->>'subject_id')::uuid, (session->>'task_id')::uuid, session->>'note')).created;
      IF NOT created AND EXISTS (SELECT FROM study_sessions s WHERE s.uid = owner.uid
          AND s.session_id = record_sessions.session_id AND s.state = 'discarded') THEN
        refused_by := 'session_retracted';
      END IF;
    EXCEPTION WHEN integrity_constraint_violation THEN
      created := false;
      GET STACKED DIAGNOSTICS refused_by := CONSTRAINT_NAME;
      IF refused_by = '' THEN RAISE; END IF;
      IF refused_by LIKE 'study_intervals_no_overlap%' THEN
        SELECT w.* INTO started_at, ended_at, from_time, to_time FROM stretch_in_the_way(owner.uid, began, finished) w;
      END IF;
    END;
    RETURN NEXT;
  END LOOP;
END $$;

-- Whether a board that counts this user has closed a month that the stretch lies in.
CREATE FUNCTION in_closed_month(whose uuid, began timestamptz, finished timestamptz, clock timestamptz)
  RETURNS boolean LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
  RETURN EXISTS (
    SELECT FROM counted_under c
    JOIN ranking_rules r USING (rules_id)
    CROSS JOIN LATERAL study_parts(began, finished, r.time_zone, r.day_starts_at) p
    WHERE c.uid = whose AND p.day >= c.from_month AND p.day < c.until_month
      AND month_closes_at(month_of(p.day), r.time_zone, r.day_starts_at) <= clock
  );
END $$;

-- Refuses a stretch that nobody may write down now, by the name of the rule it breaks, and answers its end: a client's
-- clock may be up to 60 s ahead, then now is the end. What was recorded of it before may be old.
DROP FUNCTION check_stretch(users, timestamptz, timestamptz, text, timestamptz);
CREATE FUNCTION check_stretch(
  owner users, began timestamptz, finished timestamptz, source text, clock timestamptz,
  recorded tstzmultirange DEFAULT '{}'
) RETURNS timestamptz LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
DECLARE
  cut timestamptz := least(finished, clock);
  broken text := CASE
    WHEN (finished > began) IS NOT TRUE THEN 'empty_interval'
    WHEN finished > clock + interval '60 seconds' OR began >= cut THEN 'in_the_future'
    WHEN cut > began + interval '12 hours' THEN 'too_long'
    WHEN source <> 'import' AND began < clock - interval '48 hours'
      AND lower(tstzmultirange(tstzrange(began, cut)) - recorded) < clock - interval '48 hours' THEN 'too_old'
  END;
BEGIN
  IF broken IS NOT NULL THEN
    -- Of a closed month the better answer is that it is closed: nothing will ever open it again.
    IF broken = 'too_old' AND in_closed_month(owner.uid, began, cut, clock) THEN broken := 'month_closed'; END IF;
    RAISE EXCEPTION 'the interval from % to % breaks the rule %', began, finished, broken
      USING ERRCODE = 'check_violation', CONSTRAINT = broken;
  END IF;
  RETURN cut;
END $$;

-- The session, for its owner to change or take back: at rest, and ended at most 48 h ago. An import may be older, for
-- it counts on no board; so may a timer whose end was never confirmed, for that has not counted yet.
CREATE FUNCTION owned_session(owner users, which uuid) RETURNS study_sessions
  LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
DECLARE
  clock timestamptz := anthill_clock();
  session study_sessions := session_at_rest(owner.uid, which);
  finished timestamptz;
  is_final boolean;
BEGIN
  IF session.source = 'import' OR session.state = 'unconfirmed' THEN RETURN session; END IF;
  SELECT max(i.ended_at) INTO finished FROM study_intervals i
    WHERE i.uid = owner.uid AND i.session_id = which AND i.retracted_at IS NULL;
  IF finished < clock - interval '48 hours' THEN
    SELECT bool_or(in_closed_month(i.uid, i.started_at, i.ended_at, clock)) INTO is_final FROM study_intervals i
      WHERE i.uid = owner.uid AND i.session_id = which AND i.retracted_at IS NULL;
    RAISE EXCEPTION 'the session ended at %, more than 48 h ago', finished
      USING ERRCODE = 'check_violation', CONSTRAINT = CASE WHEN is_final THEN 'month_closed' ELSE 'session_too_old' END;
  END IF;
  RETURN session;
END $$;

-- Takes a session back for its owner. (retract_session does so for admins and for the timer, however old it is.)
CREATE FUNCTION withdraw_session(whose uuid, which uuid) RETURNS void
  LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  owner users := hold_user(whose);
  session study_sessions := owned_session(owner, which);
BEGIN
  PERFORM retract_session(owner.uid, session.session_id);
END $$;

-- Gives a session other times. What is wanted as it was stays as it is; all else it had is retracted, and the rest is
-- recorded anew. What the timer had measured stays the timer's, what goes beyond that is manual.
CREATE OR REPLACE FUNCTION change_session(whose uuid, which uuid, started timestamptz[], ended timestamptz[])
  RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  owner users := hold_user(whose);
  session study_sessions := owned_session(owner, which);
  clock timestamptz := anthill_clock();
  i study_intervals;
  recorded tstzmultirange := '{}';
  timed tstzmultirange := '{}';
  wanted tstzmultirange := '{}';
  stretch tstzmultirange;
  piece tstzrange;
  by_hand text := CASE session.source WHEN 'timer' THEN 'manual' ELSE session.source END;
  pieces jsonb := '{}';                                   -- the source of each piece of what is wanted
BEGIN
  IF session.state = 'unconfirmed' THEN
    RAISE EXCEPTION 'the timer of this session waits for its end to be confirmed'
      USING ERRCODE = 'check_violation', CONSTRAINT = 'unconfirmed_timer';
  END IF;
  FOR i IN SELECT * FROM study_intervals t WHERE t.uid = whose AND t.session_id = which AND t.retracted_at IS NULL LOOP
    recorded := recorded + tstzmultirange(tstzrange(i.started_at, i.ended_at));
    IF i.source = 'timer' THEN timed := timed + tstzmultirange(tstzrange(i.started_at, i.ended_at)); END IF;
  END LOOP;
  FOR n IN 1..greatest(cardinality(started), cardinality(ended), 1) LOOP
    i.started_at := date_trunc('second', started[n]);
    i.ended_at := check_stretch(owner, i.started_at, date_trunc('second', ended[n]), session.source, clock, recorded);
    stretch := tstzmultirange(tstzrange(i.started_at, i.ended_at));
    IF wanted && stretch THEN
      RAISE EXCEPTION 'the wanted stretches overlap each other'
        USING ERRCODE = 'exclusion_violation', CONSTRAINT = 'study_intervals_no_overlap';
    END IF;
    wanted := wanted + stretch;
    FOR piece IN SELECT unnest(stretch * timed) LOOP
      pieces := pieces || jsonb_build_object(piece::text, 'timer');
    END LOOP;
    FOR piece IN SELECT unnest(stretch - timed) LOOP
      pieces := pieces || jsonb_build_object(piece::text, by_hand);
    END LOOP;
  END LOOP;

  FOR i IN SELECT * FROM study_intervals t
           WHERE t.uid = whose AND t.session_id = which AND t.retracted_at IS NULL ORDER BY t.started_at LOOP
    IF pieces->>tstzrange(i.started_at, i.ended_at)::text = i.source THEN
      pieces := pieces - tstzrange(i.started_at, i.ended_at)::text;
    ELSE
      PERFORM take_back(i);
    END IF;
  END LOOP;
  i := NULL;
  i.uid := whose;
  i.session_id := which;
  i.time_zone := owner.time_zone;
  i.day_starts_at := owner.day_starts_at;
  i.recorded_at := clock;
  i.unconfirmed := false;
  FOR piece, i.source IN SELECT key::tstzrange, value FROM jsonb_each_text(pieces) ORDER BY 1 LOOP
    i.interval_id := gen_random_uuid();
    i.started_at := lower(piece);
    i.ended_at := upper(piece);
    PERFORM add_interval(i, owner.daily_goal_seconds);
  END LOOP;
END $$;

-- What a session comes to that begins and ends at other instants, null where that stays: its breaks stay as well, what
-- lies outside is cut off. Where nothing of it is left it is one stretch.
CREATE FUNCTION moved_stretches(
  whose uuid, which uuid, began timestamptz, finished timestamptz, OUT started timestamptz[], OUT ended timestamptz[]
) LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
BEGIN
  SELECT coalesce(began, min(i.started_at)), coalesce(finished, max(i.ended_at)) INTO began, finished
    FROM study_intervals i WHERE i.uid = whose AND i.session_id = which AND i.retracted_at IS NULL;
  SELECT array_agg(i.started_at ORDER BY i.started_at), array_agg(i.ended_at ORDER BY i.started_at) INTO started, ended
    FROM study_intervals i
    WHERE i.uid = whose AND i.session_id = which AND i.retracted_at IS NULL
      AND i.started_at < finished AND i.ended_at > began;
  started[1] := began;
  ended[greatest(cardinality(ended), 1)] := finished;
END $$;

-- Lets a session begin or end at another instant; null where that stays.
CREATE FUNCTION move_session(whose uuid, which uuid, began timestamptz, finished timestamptz)
  RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  owner users := hold_user(whose);
  session study_sessions := owned_session(owner, which);
  moved record;
BEGIN
  SELECT * INTO moved FROM moved_stretches(owner.uid, session.session_id, began, finished);
  PERFORM change_session(owner.uid, session.session_id, moved.started, moved.ended);
END $$;

-- Changes what a session was about: whichever of subject_id, task_id and note are there. A timer's session may be told
-- while it runs.
CREATE FUNCTION describe_session(whose uuid, which uuid, changes jsonb)
  RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  owner users := hold_user(whose);
BEGIN
  IF NOT EXISTS (SELECT FROM study_sessions s WHERE s.uid = whose AND s.session_id = which
                   AND s.state IN ('running', 'paused')) THEN
    PERFORM owned_session(owner, which);
  END IF;
  UPDATE study_sessions s
    SET subject_id = CASE WHEN changes ? 'subject_id' THEN (changes->>'subject_id')::uuid ELSE s.subject_id END,
        task_id = CASE WHEN changes ? 'task_id' THEN (changes->>'task_id')::uuid ELSE s.task_id END,
        note = CASE WHEN changes ? 'note' THEN changes->>'note' ELSE s.note END
    WHERE s.uid = owner.uid AND s.session_id = which;
END $$;

-- Every interval that a session ever had, in the order they were recorded, also of one that was taken back. A session
-- without any answers one row of nulls.
CREATE FUNCTION session_history(whose uuid, which uuid) RETURNS TABLE (
  interval_id uuid, started_at timestamptz, ended_at timestamptz, seconds integer, source text, unconfirmed boolean,
  recorded_at timestamptz, retracted_at timestamptz
) LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  clock timestamptz := anthill_clock();
BEGIN
  RETURN QUERY
    SELECT i.interval_id, i.started_at, CASE WHEN o.overdue THEN i.started_at + interval '12 hours' ELSE i.ended_at END,
           extract(epoch FROM least(coalesce(i.ended_at, greatest(clock, i.started_at)),
                                    i.started_at + interval '12 hours') - i.started_at)::integer,
           i.source, i.unconfirmed OR o.overdue, i.recorded_at, i.retracted_at
    FROM study_sessions s
    LEFT JOIN study_intervals i ON i.uid = s.uid AND i.session_id = s.session_id
    LEFT JOIN LATERAL (SELECT i.ended_at IS NULL AND i.started_at <= clock - interval '12 hours' AS overdue) o ON true
    WHERE s.uid = whose AND s.session_id = which
    ORDER BY i.recorded_at, i.started_at;
END $$;
