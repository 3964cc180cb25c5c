-- Closing: which months are due, and how a board becomes final. The clock decides when a month is closed (a grace
-- period after its end); standings only record it.

-- Finds the next month of a group to close, and stores it.
CREATE OR REPLACE FUNCTION find_open_month(for_group uuid) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  rules ranking_rules;
  found_month date;
BEGIN
  SELECT next_month(c.month) INTO found_month FROM month_closes c
    WHERE c.group_id = for_group ORDER BY c.month DESC LIMIT 1;
  IF NOT FOUND THEN
    rules := group_rules_in(for_group, '-infinity');
    SELECT month_of(study_day(g.created_at, rules.time_zone, rules.day_starts_at)) INTO found_month
      FROM groups g WHERE g.group_id = for_group;
  END IF;
  rules := group_rules_in(for_group, found_month);
  UPDATE groups SET open_month = found_month,
                    open_month_closes_at = month_closes_at(found_month, rules.time_zone, rules.day_starts_at)
    WHERE group_id = for_group;
END $$;

-- Whether a month of a group is closed by the clock and its standings are not written yet.
CREATE OR REPLACE FUNCTION is_due(g groups) RETURNS boolean LANGUAGE sql STABLE
  RETURN g.open_month_closes_at <= anthill_clock();

-- The months that are due to be closed now, the oldest of each group. Groups whose month has just failed to close are
-- left out, so that they do not block others.
CREATE OR REPLACE FUNCTION months_due(failed uuid[] DEFAULT '{}') RETURNS TABLE (group_id uuid, month date)
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  unknown uuid;
BEGIN
  FOR unknown IN SELECT g.group_id FROM groups g WHERE g.open_month_closes_at IS NULL FOR NO KEY UPDATE SKIP LOCKED LOOP
    PERFORM find_open_month(unknown);
  END LOOP;
  RETURN QUERY SELECT g.group_id, g.open_month FROM groups g
    WHERE is_due(g) AND g.group_id <> ALL (failed)
    ORDER BY g.open_month_closes_at, g.group_id LIMIT 100;
END $$;

-- Refuses while a month of these groups is closed by the clock and its final board, which keeps everybody who was on
-- it, is not written yet. That takes seconds, unless the program is down.
CREATE OR REPLACE FUNCTION require_written_months(held uuid[]) RETURNS void
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
DECLARE
  due text := (
    SELECT string_agg(format('%s of %s (%s)', to_char(g.open_month, 'YYYY-MM'), g.name, g.group_id), ', '
                      ORDER BY g.name, g.group_id)
    FROM groups g WHERE g.group_id = ANY (held) AND is_due(g));
BEGIN
  IF due IS NOT NULL THEN
    PERFORM refuse('month_due', format(
      'these final boards are not written yet: %s. Wait a minute while the program runs, or run close_month.sql', due));
  END IF;
END $$;

-- Locks the group's row, then the rows of everybody who may be on its board, in the same order as joining does. So
-- everybody who is writing in that month finishes first, and everybody who writes later is told that it is closed, by
-- any clock. Closing must be a later statement of the same transaction, so that its snapshot contains everything that
-- was written.
CREATE OR REPLACE FUNCTION lock_to_close(for_group uuid, in_month date) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  rules ranking_rules := group_rules_in(for_group, in_month);
  ends_at timestamptz := study_day_start(next_month(in_month), rules.time_zone, rules.day_starts_at);
  closes_at timestamptz := month_closes_at(in_month, rules.time_zone, rules.day_starts_at);
BEGIN
  PERFORM FROM groups g WHERE g.group_id = for_group FOR NO KEY UPDATE;
  -- Also when the month is not due yet: it can be when close_month reads the clock.
  PERFORM lock_students(
    ARRAY(SELECT DISTINCT h.uid FROM group_membership_history h
          WHERE h.group_id = for_group AND stays_on_board(h.joined_at, h.left_at, ends_at, closes_at)
          ORDER BY h.uid),
    least(closes_at, anthill_clock()));
END $$;

-- Writes the standings of a month and seals them. Does nothing while the month is in its grace period, if it is already
-- closed, or if the group was deleted. Returns whether it closed the month. Call lock_to_close first.
CREATE OR REPLACE FUNCTION close_month(for_group uuid, in_month date) RETURNS boolean
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  rules ranking_rules := group_rules_in(for_group, in_month);
  clock timestamptz := anthill_clock();
  named text := (SELECT g.name FROM groups g WHERE g.group_id = for_group);
  closes_at timestamptz := month_closes_at(in_month, rules.time_zone, rules.day_starts_at);
BEGIN
  IF named IS NULL OR (clock >= closes_at) IS NOT TRUE THEN RETURN false; END IF;
  IF EXISTS (SELECT FROM month_closes c WHERE c.group_id = for_group AND c.month = in_month) THEN
    PERFORM find_open_month(for_group);
    RETURN false;
  END IF;
  INSERT INTO standings (group_id, month, person, rank, counted_seconds, manual_seconds, seal_salt, uid, salt, nickname)
    SELECT for_group, in_month, sha256(s.salt || uuid_send(s.uid)), rank() OVER (ORDER BY s.seconds DESC),
           s.seconds, s.manual_seconds, uuid_send(gen_random_uuid()), s.uid, s.salt, u.nickname
    FROM (
      SELECT b.uid, b.seconds, b.manual_seconds, uuid_send(gen_random_uuid()) AS salt
      FROM board_scores(for_group, in_month, next_month(in_month),
                        study_day(clock, rules.time_zone, rules.day_starts_at), clock) b
    ) s
    JOIN users u USING (uid)
    ON CONFLICT DO NOTHING;
  INSERT INTO month_closes (group_id, month, group_name, closed_at, participants, sha256)
    SELECT for_group, in_month, named, closes_at, count(*),
           sha256(convert_to(standings_text(for_group, in_month), 'UTF8'))
    FROM standings s WHERE s.group_id = for_group AND s.month = in_month
    ON CONFLICT DO NOTHING;
  PERFORM renew_fame(for_group, in_month);
  PERFORM find_open_month(for_group);
  PERFORM tell_of_closed_month(for_group, in_month);
  RETURN true;
END $$;

-- Tells every member in the standings of a closed month who wants to know, by mail and by push, and the group's
-- webhooks. Who left the group or cannot sign in may not read its board.
CREATE OR REPLACE FUNCTION tell_of_closed_month(for_group uuid, in_month date) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO mail_outbox (kind, to_address, parameters)
    SELECT 'month_digest', e.email,
           jsonb_build_object('group', for_group::text, 'month', to_char(in_month, 'YYYY-MM'), 'user', s.uid::text)
    FROM standings s
    JOIN group_members m ON m.uid = s.uid AND m.group_id = s.group_id
    JOIN users u ON u.uid = s.uid AND u.digest_mail AND in_use(u)
    JOIN user_emails e ON e.uid = s.uid
    WHERE s.group_id = for_group AND s.month = in_month;
  PERFORM enqueue_push(
      s.uid, 'month', 'month ' || for_group, anthill_clock() + month_push_life(), jsonb_build_object(
        'group', for_group::text, 'name', c.group_name, 'month', to_char(in_month, 'YYYY-MM'), 'rank', s.rank::text,
        'people', c.participants::text))
    FROM standings s
    JOIN group_members m ON m.uid = s.uid AND m.group_id = s.group_id
    JOIN month_closes c ON c.group_id = s.group_id AND c.month = s.month
    WHERE s.group_id = for_group AND s.month = in_month
      AND EXISTS (SELECT FROM push_subscriptions p WHERE p.uid = s.uid);
  PERFORM enqueue_webhooks(for_group, 'month_closed', in_month, NULL);
END $$;
