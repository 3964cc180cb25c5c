-- Changes of groups, of their closed months and of study clocks by admins, each with its undoing.

-- Amends one person's seconds in a closed month, as an admin of the group may.
CREATE OR REPLACE FUNCTION admin_amend_standing(
  for_group uuid, in_month date, user_id uuid, seconds bigint, reason text, by text
) RETURNS bigint LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  written uuid := write_amendment(NULL, for_group, in_month, user_id, seconds, reason);
  made amendments;
BEGIN
  SELECT * INTO made FROM amendments a WHERE a.amendment_id = written;
  RETURN note_admin_change('amend_standing', user_id, reason, by, jsonb_build_object(
      'group', for_group, 'month', in_month, 'old_seconds', made.old_seconds, 'new_seconds', made.new_seconds),
    jsonb_build_object('group_id', for_group, 'month', in_month));
END $$;

-- Amends back, unless somebody has amended again.
CREATE OR REPLACE FUNCTION undo_amend_standing(change admin_changes) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  held groups := lock_group((change.undo ->> 'group')::uuid);
BEGIN
  IF NOT EXISTS (
    SELECT FROM standings s
    WHERE s.group_id = held.group_id AND s.month = (change.undo ->> 'month')::date AND s.uid = change.uid
      AND s.amended_seconds = (change.undo ->> 'new_seconds')::integer
  ) THEN
    PERFORM refuse('change_overtaken', 'it was amended again since: amend_standing sets what is right');
  END IF;
  PERFORM write_amendment(NULL, held.group_id, (change.undo ->> 'month')::date, change.uid,
                          (change.undo ->> 'old_seconds')::bigint, change.reason);
END $$;

-- Locks what close_month needs, in a statement of its own before it.
CREATE OR REPLACE FUNCTION admin_lock_to_close(for_group uuid, in_month date) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM lock_to_close(for_group, in_month);
END $$;

-- Closes a month of a group that is due, as the program does by itself.
CREATE OR REPLACE FUNCTION admin_close_month(for_group uuid, in_month date, reason text, by text) RETURNS bigint
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  due groups;
BEGIN
  PERFORM lock_group(for_group);
  PERFORM find_open_month(for_group);
  SELECT * INTO due FROM groups g WHERE g.group_id = for_group;
  IF due.open_month <> in_month THEN
    PERFORM refuse('another_month_due',
                   format('the next month of this group to close is %s', to_char(due.open_month, 'YYYY-MM')));
  ELSIF NOT close_month(for_group, in_month) THEN
    PERFORM refuse('month_not_over', format('this month can be closed from %s on', utc_text(due.open_month_closes_at)));
  END IF;
  RETURN note_admin_change('close_month', NULL, reason, by,
                           facts => jsonb_build_object('group_id', for_group, 'month', in_month));
END $$;

-- The clock that admin_change_clock would change, and from when on. Refuses variables that do not say one thing, and a
-- clock that is theirs already.
CREATE OR REPLACE FUNCTION admin_clock(user_id uuid, for_group uuid, zone text, new_starts time) RETURNS TABLE (
  begins text, time_zone text, starts time
) LANGUAGE plpgsql STABLE ROWS 1 SET search_path = public, pg_temp AS $$
BEGIN
  IF num_nonnulls(user_id, for_group) <> 1 THEN
    PERFORM refuse('wrong_variable', 'give a user or a group: -v uid=UUID or -v group=UUID');
  ELSIF num_nonnulls(zone, new_starts) = 0 THEN
    PERFORM refuse('wrong_variable', 'give what changes: -v zone=Asia/Seoul or -v starts=05:00');
  END IF;
  -- In two queries: Citus would send one to a worker, where there are no rules.
  IF user_id IS NOT NULL THEN
    SELECT 'now', o.time_zone, o.day_starts_at INTO begins, time_zone, starts FROM students o WHERE o.uid = user_id;
  ELSE
    SELECT to_char(m, 'YYYY-MM'), r.time_zone, r.day_starts_at INTO begins, time_zone, starts
      FROM rules_begin(group_rules_now(for_group)) m CROSS JOIN LATERAL group_rules_in(for_group, m) r
      WHERE r.rules_id IS NOT NULL;
  END IF;
  IF (time_zone, starts) = (coalesce(zone, time_zone), coalesce(new_starts, starts)) THEN
    PERFORM refuse('clock_unchanged', CASE WHEN for_group IS NULL THEN 'this is their clock already'
                                           ELSE 'this is the clock of the group already' END);
  ELSIF time_zone IS NOT NULL THEN
    RETURN NEXT;
  END IF;
END $$;

-- Changes the study clock of a user for what is recorded from now on, or the one in the rules of a group from the next
-- month on that can still get new rules. NULL keeps the time zone or the time.
CREATE OR REPLACE FUNCTION admin_change_clock(user_id uuid, for_group uuid, zone text, starts time, reason text,
                                              by text)
  RETURNS bigint LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  owner students;
  before ranking_rules;
  begins date;
BEGIN
  PERFORM FROM admin_clock(user_id, for_group, zone, starts);
  IF user_id IS NOT NULL THEN
    owner := lock_student(user_id);
    PERFORM set_study_clock(user_id, zone, starts);
    RETURN note_admin_change('change_clock', user_id, reason, by, jsonb_build_object(
      'zone', owner.time_zone, 'starts', owner.day_starts_at,
      'new_zone', coalesce(zone, owner.time_zone), 'new_starts', coalesce(starts, owner.day_starts_at)));
  END IF;
  PERFORM lock_group(for_group);
  before := group_rules_in(for_group, rules_begin(group_rules_now(for_group)));
  begins := declare_rules(NULL, for_group, zone, starts);
  RETURN note_admin_change('change_clock', NULL, reason, by, jsonb_build_object(
      'group', for_group, 'zone', before.time_zone, 'starts', before.day_starts_at,
      'new_zone', coalesce(zone, before.time_zone), 'new_starts', coalesce(starts, before.day_starts_at)),
    jsonb_build_object('group_id', for_group, 'month', begins));
END $$;

-- Gives the earlier clock back, unless it was changed again since. What else a group's admins have declared meanwhile
-- stays.
CREATE OR REPLACE FUNCTION undo_change_clock(change admin_changes) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  held groups;
  zone_now text;
  starts_now time;
  zone text := change.undo ->> 'zone';
  starts time := (change.undo ->> 'starts')::time;
BEGIN
  IF change.uid IS NULL THEN
    held := lock_group((change.undo ->> 'group')::uuid);
    SELECT r.time_zone, r.day_starts_at INTO zone_now, starts_now
      FROM group_rules_in(held.group_id, rules_begin(group_rules_now(held.group_id))) r;
  ELSE
    SELECT o.time_zone, o.day_starts_at INTO zone_now, starts_now FROM lock_student(change.uid) o;
  END IF;
  IF (zone_now, starts_now) <> (change.undo ->> 'new_zone', (change.undo ->> 'new_starts')::time) THEN
    PERFORM refuse('change_overtaken', 'the clock was changed again since: change_clock.sql sets the right one');
  ELSIF change.uid IS NULL THEN
    PERFORM declare_rules(NULL, held.group_id, zone, starts);
  ELSE
    PERFORM set_study_clock(change.uid, zone, starts);
  END IF;
END $$;
