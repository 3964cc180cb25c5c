-- The room: what the page of a group shows of today, its calendar, its notice, its cycle and its cheers.

-- All members on a group's board of today, and what they show of their day. The first row has no uid and is the
-- heading. No row if there is no such group.
--
-- since, sitting_seconds: when the session that is running began, and how long they have studied in it. subject,
-- colour: what they are studying, of members who want that said. study, wake_up: the ants of this date. A member who
-- only shows their name shows neither picture nor subject nor ants. Hidden members are rows, too: the program leaves
-- them out.
CREATE OR REPLACE FUNCTION group_today(for_group uuid) RETURNS TABLE (
  day date, ends_at timestamptz, server_time timestamptz,
  uid uuid, nickname text, avatar uuid, visibility text, seconds integer, since timestamptz,
  sitting_seconds integer, subject text, colour text, study boolean, wake_up boolean
) LANGUAGE plpgsql STABLE ROWS 30 SET plan_cache_mode = force_generic_plan SET search_path = public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  SELECT p.first_day, p.ends_at, p.server_time INTO day, ends_at, server_time FROM group_period(for_group, 'day') p;
  IF NOT FOUND THEN RETURN; END IF;
  RETURN NEXT;

  RETURN QUERY
    WITH board AS MATERIALIZED (
      SELECT * FROM board_scores(for_group, group_today.day, group_today.day + 1, group_today.day,
                                 group_today.server_time)
    ),
    -- Everything about each member in one place. (It is not joined to the board again: a plan for few members would
    -- compare every row with every other.)
    kept AS MATERIALIZED (
      SELECT b.uid, b.visibility, b.seconds, k.study_seconds >= k.goal_seconds AS study,
             r.uid IS NOT NULL AS wake_up, x.name, x.colour, min(i.started_at) AS since,
             sum(extract(epoch FROM coalesce(i.ended_at, group_today.server_time) - i.started_at))::integer AS sitting
      FROM board b
      LEFT JOIN study_days k ON k.uid = b.uid AND k.day = group_today.day
      LEFT JOIN wake_ups r ON r.uid = b.uid AND r.day = group_today.day
      LEFT JOIN study_sessions n ON n.uid = b.uid AND n.state = 'running' AND b.studying
      LEFT JOIN study_intervals i ON i.uid = n.uid AND i.session_id = n.session_id AND i.retracted_at IS NULL
      LEFT JOIN subjects x ON x.uid = n.uid AND x.id = n.subject_id
      GROUP BY b.uid, b.visibility, b.seconds, k.study_seconds, k.goal_seconds, r.uid, x.name, x.colour
    )
    SELECT NULL::date, NULL::timestamptz, NULL::timestamptz,
           k.uid, u.nickname, a.version, k.visibility, k.seconds, k.since, k.sitting,
           CASE WHEN w.shows AND u.subject_shown THEN k.name END,
           CASE WHEN w.shows AND u.subject_shown THEN k.colour END,
           coalesce(w.shows AND k.study, false), w.shows AND k.wake_up
    FROM kept k
    JOIN users u ON u.uid = k.uid
    CROSS JOIN LATERAL (SELECT k.visibility <> 'nickname' AS shows) w
    LEFT JOIN shown_avatars a ON a.group_id = for_group AND a.uid = k.uid
    ORDER BY k.since, k.seconds DESC, u.nickname, k.uid;
END $$;

-- What only one member sees of the room: the cheers that they got today and can still give, and whom they have cheered.
-- A cheer of a member who hides has no name. No row for others.
CREATE OR REPLACE FUNCTION own_cheers(user_id uuid, for_group uuid)
  RETURNS TABLE (given uuid[], received integer, givers uuid[], names text[])
  LANGUAGE plpgsql STABLE ROWS 1 SET search_path = public, pg_temp AS $$
DECLARE
  today date := group_day(for_group);
BEGIN
  RETURN QUERY
    SELECT ARRAY(SELECT c.receiver FROM cheers c WHERE c.uid = user_id AND c.group_id = for_group AND c.day = today),
           g.count, g.uids, g.names
    FROM group_members me
    CROSS JOIN (
      SELECT count(*)::integer AS count,
             coalesce(array_agg(m.uid ORDER BY c.given_at, c.uid) FILTER (WHERE v.shown), '{}') AS uids,
             coalesce(array_agg(u.nickname ORDER BY c.given_at, c.uid) FILTER (WHERE v.shown), '{}') AS names
      FROM cheers c
      JOIN group_members m ON m.uid = c.uid AND m.group_id = c.group_id
      JOIN users u ON u.uid = c.uid
      CROSS JOIN LATERAL (SELECT m.visibility <> 'hidden' AS shown) v
      WHERE c.receiver = user_id AND c.group_id = for_group AND c.day = today
    ) g
    WHERE me.uid = user_id AND me.group_id = for_group;
END $$;

-- Cheers another member, once a day and at most most_cheers_a_day() times. Nobody can cheer somebody whom they do not
-- see.
CREATE OR REPLACE FUNCTION give_cheer(giver uuid, for_group uuid, member uuid) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  held students := lock_student(giver);
  today date := group_day(for_group);
BEGIN
  PERFORM require_role(held.uid, for_group, 'owner', 'admin', 'member');
  -- The member does not leave meanwhile.
  PERFORM FROM group_members m
    WHERE m.uid = member AND m.group_id = for_group AND (m.visibility <> 'hidden' OR m.uid = giver) FOR KEY SHARE;
  IF NOT FOUND THEN
    PERFORM refuse('member_not_found', 'no such member', 'no_data_found');
  END IF;
  INSERT INTO cheers (uid, group_id, day, receiver) VALUES (giver, for_group, today, member);
  IF (SELECT count(*) FROM cheers c
      WHERE c.uid = giver AND c.group_id = for_group AND c.day = today) > most_cheers_a_day() THEN
    PERFORM refuse('too_many_cheers', format('at most %s cheers a day', most_cheers_a_day()));
  END IF;
END $$;

-- Writes the notice of a group, or takes it away; for admins.
CREATE OR REPLACE FUNCTION set_notice(actor uuid, for_group uuid, new_text text) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  held groups := lock_group(for_group);
BEGIN
  PERFORM require_role(actor, held.group_id, 'owner', 'admin');
  IF new_text IS NULL THEN
    DELETE FROM group_notices n WHERE n.group_id = for_group;
    IF NOT FOUND THEN RETURN; END IF;
  ELSE
    INSERT INTO group_notices (group_id, uid, words) VALUES (for_group, actor, new_text)
      ON CONFLICT ON CONSTRAINT group_notices_key
      DO UPDATE SET uid = excluded.uid, words = excluded.words, written_at = excluded.written_at;
  END IF;
  INSERT INTO audit_events (kind, actor, details)
    VALUES (CASE WHEN new_text IS NULL THEN 'notice_removed' ELSE 'notice_written' END, actor,
            jsonb_build_object('group_id', for_group));
END $$;

-- Sets the cycle of a group, or ends it; for admins. A time of study begins at this minute of the hour by the group's
-- clock.
CREATE OR REPLACE FUNCTION set_cycle(actor uuid, for_group uuid, study bigint, rest bigint, at_minute bigint)
  RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  held groups := lock_group(for_group);
  rules ranking_rules := group_rules_now(for_group);
BEGIN
  PERFORM require_role(actor, held.group_id, 'owner', 'admin');
  IF study IS NULL THEN
    DELETE FROM group_cycles c WHERE c.group_id = for_group;
    IF NOT FOUND THEN RETURN; END IF;
  ELSE
    INSERT INTO group_cycles (group_id, study_minutes, rest_minutes, minute, begins_at)
      VALUES (for_group, study, rest, at_minute, (
        date_trunc('hour', anthill_clock() AT TIME ZONE rules.time_zone) + make_interval(mins => at_minute::integer))
        AT TIME ZONE rules.time_zone)
      ON CONFLICT ON CONSTRAINT group_cycles_key
      DO UPDATE SET study_minutes = excluded.study_minutes, rest_minutes = excluded.rest_minutes,
                    minute = excluded.minute, begins_at = excluded.begins_at;
  END IF;
  INSERT INTO audit_events (kind, actor, details)
    VALUES (CASE WHEN study IS NULL THEN 'cycle_ended' ELSE 'cycle_set' END, actor,
            jsonb_build_object('group_id', for_group));
END $$;

-- The cycle of a group now: whether it rests, and until when. No row without a cycle.
CREATE OR REPLACE FUNCTION group_cycle(for_group uuid) RETURNS TABLE (
  study_minutes integer, rest_minutes integer, minute integer, resting boolean, ends_at timestamptz
) LANGUAGE plpgsql STABLE ROWS 1 SET search_path = public, pg_temp AS $$
DECLARE
  clock timestamptz := anthill_clock();
BEGIN
  RETURN QUERY
    SELECT c.study_minutes, c.rest_minutes, c.minute, t.passed >= t.study,
           clock + make_interval(secs => CASE WHEN t.passed < t.study THEN t.study ELSE t.whole END - t.passed)
    FROM group_cycles c
    CROSS JOIN LATERAL (SELECT 60 * c.study_minutes AS study, 60 * (c.study_minutes + c.rest_minutes) AS whole) l
    CROSS JOIN LATERAL (
      SELECT l.study, l.whole, s.seconds - floor(s.seconds / l.whole)::bigint * l.whole AS passed
      FROM (SELECT extract(epoch FROM clock - c.begins_at) AS seconds) s
    ) t
    WHERE c.group_id = for_group;
END $$;

-- What a group studied on each day of a month, and how many studied, without hidden members. The first row has no day
-- and is the heading.
CREATE OR REPLACE FUNCTION group_days(for_group uuid, in_month date DEFAULT NULL) RETURNS TABLE (
  name text, first_day date, starts_at timestamptz, ends_at timestamptz, state text, time_zone text, day_starts_at time,
  daily_cap_seconds integer, manual_counts boolean, server_time timestamptz, today date,
  day date, seconds bigint, people integer
) LANGUAGE plpgsql STABLE ROWS 31 SET plan_cache_mode = force_generic_plan SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  until_day date;
BEGIN
  SELECT p.name, p.first_day, p.until_day, p.starts_at, p.ends_at, p.state, p.time_zone, p.day_starts_at,
         p.daily_cap_seconds, p.manual_counts, p.server_time
    INTO name, first_day, until_day, starts_at, ends_at, state, time_zone, day_starts_at, daily_cap_seconds,
         manual_counts, server_time
    FROM group_period(for_group, 'month', in_month) p;
  IF NOT FOUND THEN RETURN; END IF;
  IF starts_at > server_time THEN
    PERFORM refuse('future_month', 'the month lies ahead');
  END IF;
  today := group_day(for_group, server_time);
  RETURN NEXT;

  RETURN QUERY
    WITH counted AS MATERIALIZED (
      SELECT c.day, c.seconds, max(c.visibility) OVER (PARTITION BY c.uid) = 'hidden' AS hidden
      FROM counted_days(for_group, group_days.first_day, until_day, group_days.server_time) c
      WHERE c.uid <> ALL (suspended_then(for_group, until_day, group_days.server_time))
    ),
    sums AS (
      SELECT c.day, sum(c.seconds) AS seconds, count(*)::integer AS people
      FROM counted c WHERE NOT c.hidden AND c.seconds > 0
      GROUP BY c.day
    )
    SELECT NULL::text, NULL::date, NULL::timestamptz, NULL::timestamptz, NULL::text, NULL::text, NULL::time,
           NULL::integer, NULL::boolean, NULL::timestamptz, NULL::date,
           group_days.first_day + n, coalesce(s.seconds, 0), coalesce(s.people, 0)
    FROM generate_series(0, until_day - group_days.first_day - 1) n
    LEFT JOIN sums s ON s.day = group_days.first_day + n
    ORDER BY n;
END $$;

CREATE OR REPLACE TRIGGER group_notices_noted AFTER INSERT OR UPDATE OR DELETE ON group_notices
  FOR EACH ROW EXECUTE FUNCTION note_group_change();
CREATE OR REPLACE TRIGGER group_cycles_noted AFTER INSERT OR UPDATE OR DELETE ON group_cycles
  FOR EACH ROW EXECUTE FUNCTION note_group_change();
