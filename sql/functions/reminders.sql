-- Reminders: what is pushed because its time has come, and because others were faster.

-- When to look at a user's alarm or timer next; NULL: not at all. Only who has a browser for it is reminded.
CREATE OR REPLACE FUNCTION set_reminder(user_id uuid, of_kind text, at timestamptz) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF at IS NULL OR NOT EXISTS (SELECT FROM push_subscriptions p WHERE p.uid = user_id) THEN
    DELETE FROM push_reminders r WHERE r.uid = user_id AND r.kind = of_kind;
  ELSE
    INSERT INTO push_reminders (uid, kind, due) VALUES (user_id, of_kind, at)
      ON CONFLICT ON CONSTRAINT push_reminders_key DO UPDATE SET due = excluded.due;
  END IF;
END $$;

-- The next ring of the alarm, unless its day has its ant.
CREATE OR REPLACE FUNCTION remind_of_alarm(user_id uuid) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  clock timestamptz := anthill_clock();
BEGIN
  PERFORM set_reminder(user_id, 'alarm', (
    SELECT min(r.rings_at) FROM alarm_rings(user_id, clock) r WHERE r.rings_at > clock AND NOT r.earned));
END $$;

CREATE OR REPLACE FUNCTION remind_of_timer(user_id uuid) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  ends timestamptz;
BEGIN
  IF NOT EXISTS (SELECT FROM push_subscriptions p WHERE p.uid = user_id) THEN RETURN; END IF;
  ends := timer_ends_at(timer_state(user_id));
  PERFORM set_reminder(user_id, 'timer', CASE WHEN ends > anthill_clock() THEN ends END);
END $$;

-- Pushes what is due: at most `most` alarms and timers. Returns how many were looked at. Instances share the work: each
-- reminder is locked by one instance, which deletes it or sets it to a later time.
CREATE OR REPLACE FUNCTION push_what_is_due(most integer DEFAULT 200) RETURNS integer
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  reminder push_reminders;
  seen integer := 0;
BEGIN
  FOR reminder IN SELECT r.* FROM push_reminders r WHERE r.due <= anthill_clock()
                  ORDER BY r.due LIMIT most FOR UPDATE SKIP LOCKED LOOP
    DELETE FROM push_reminders r WHERE r.uid = reminder.uid AND r.kind = reminder.kind;
    IF reminder.kind = 'alarm' THEN
      PERFORM push_alarm(reminder.uid, reminder.due);
      PERFORM remind_of_alarm(reminder.uid);
    ELSE
      PERFORM push_timer(reminder.uid);
      PERFORM remind_of_timer(reminder.uid);
    END IF;
    seen := seen + 1;
  END LOOP;
  RETURN seen;
END $$;

-- Pushes the ring that was due then, while it can be answered. A ring that nobody pushed in time is over.
CREATE OR REPLACE FUNCTION push_alarm(user_id uuid, due timestamptz) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  present record;
BEGIN
  SELECT * INTO present FROM alarm_ring_at(user_id, anthill_clock());
  IF present.rings_at >= due AND NOT present.earned THEN
    PERFORM enqueue_push(user_id, 'alarm', 'alarm', present.ends_at, jsonb_build_object(
      'ring', present.ring::text, 'rings', present.rings::text));
  END IF;
END $$;

-- Pushes that a timer has come to an end, if it has just done so. It may have been paused, stopped or moved meanwhile.
CREATE OR REPLACE FUNCTION push_timer(user_id uuid) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  clock timestamptz := anthill_clock();
  t timer := timer_state(user_id);
  ends timestamptz := timer_ends_at(t);
BEGIN
  IF ends <= clock AND ends > clock - timer_push_life() THEN
    PERFORM enqueue_push(user_id, 'timer', 'timer', ends + timer_push_life(), jsonb_build_object(
      'ended', CASE WHEN t.plan IS NULL THEN 'countdown' ELSE timer_phase(t) END));
  END IF;
END $$;

-- Pushes to members that somebody passed them since their group was last looked at: within the month, at most once a
-- study day in each group. Only groups are looked at in which somebody wants to know and has a browser for it: one
-- board for each, at most `most` of those after `last_group`, by their ids. Returns the last one; NULL when there are
-- no more, or when another instance is at it.
CREATE OR REPLACE FUNCTION push_who_was_passed(
  last_group uuid DEFAULT NULL, most integer DEFAULT 20
) RETURNS uuid LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  clock timestamptz := anthill_clock();
  watched record;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtextextended(current_schema() || '/push places', 0)) THEN RETURN NULL; END IF;
  FOR watched IN
    SELECT m.group_id, g.name, array_agg(m.uid) AS people
    FROM users u
    JOIN group_members m ON m.uid = u.uid
    JOIN groups g ON g.group_id = m.group_id
    WHERE u.passed_push AND EXISTS (SELECT FROM push_subscriptions p WHERE p.uid = u.uid)
      AND (last_group IS NULL OR m.group_id > last_group)
    GROUP BY m.group_id, g.name ORDER BY m.group_id LIMIT most
  LOOP
    PERFORM note_places(watched.group_id, watched.name, watched.people, group_day(watched.group_id, clock), clock);
  END LOOP;
  RETURN watched.group_id;
END $$;

-- Notes where these members of a group are now, and tells those who are behind where they were.
CREATE OR REPLACE FUNCTION note_places(for_group uuid, group_name text, people uuid[], today date, clock timestamptz)
  RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  this_month date := month_of(today);
  member record;
BEGIN
  FOR member IN
    SELECT n.uid, n.place, n.seconds, o.place AS before, o.told_on
    FROM (
      SELECT b.uid, (rank() OVER (ORDER BY b.seconds DESC))::integer AS place, b.seconds
      FROM board_scores(for_group, this_month, next_month(this_month), today, clock) b
    ) n
    LEFT JOIN push_places o ON o.uid = n.uid AND o.group_id = for_group AND o.month = this_month
    WHERE n.uid = ANY (people) AND EXISTS (SELECT FROM group_members m WHERE m.uid = n.uid AND m.group_id = for_group)
    ORDER BY n.uid
  LOOP
    IF member.place > member.before AND member.seconds > 0 AND member.told_on IS DISTINCT FROM today THEN
      PERFORM enqueue_push(member.uid, 'passed', 'passed ' || for_group, clock + passed_push_life(), jsonb_build_object(
        'group', for_group::text, 'name', group_name, 'place', member.place::text));
      member.told_on := today;
    END IF;
    INSERT INTO push_places (uid, group_id, month, place, told_on)
      VALUES (member.uid, for_group, this_month, member.place, member.told_on)
      ON CONFLICT ON CONSTRAINT push_places_key
      DO UPDATE SET month = excluded.month, place = excluded.place, told_on = excluded.told_on;
  END LOOP;
END $$;
