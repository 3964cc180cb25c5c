-- Standings: the final board of a month, written once and sealed with a digest. The clock decides when a month is
-- closed (a grace period after its end); standings only record it.

-- The digest of one person's line; the seal is made of these digests. People who know the line can check it; to others
-- it reveals nothing. The line is "RANK SECONDS MANUAL_SECONDS PERSON SEAL_SALT", the last two in hexadecimal.
CREATE OR REPLACE FUNCTION standing_digest(s standings) RETURNS bytea LANGUAGE plpgsql IMMUTABLE
  SET search_path = public, pg_temp AS $$
BEGIN
  RETURN sha256(convert_to(format('%s %s %s %s %s', s.rank, s.counted_seconds, s.manual_seconds,
                                  encode(s.person, 'hex'),
                                  encode(s.seal_salt, 'hex')), 'UTF8'));
END $$;

-- The text that is sealed: three lines of heading, then the digest of each person's line in hexadecimal, in ascending
-- order; UTF-8, each line ends with a line feed. It contains no name, no seconds and no order of people.
--
--   anthill standings 2
--   group 6f1c…                       the group's UUID, in lower case
--   month 2026-10
--   05b9d1e0…                         the SHA-256 of "1 965460 3600 9f3c61b0… 77ab…"
CREATE OR REPLACE FUNCTION standings_text(for_group uuid, in_month date) RETURNS text
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  RETURN format(E'anthill standings 2\ngroup %s\nmonth %s\n', for_group, to_char(in_month, 'YYYY-MM'))
    || coalesce((SELECT string_agg(encode(d.digest, 'hex') || E'\n', '' ORDER BY d.digest)
                 FROM standings s CROSS JOIN LATERAL standing_digest(s) d (digest)
                 WHERE s.group_id = for_group AND s.month = in_month), '');
END $$;

-- A closed month's ranks and seconds, with all its amendments.
CREATE OR REPLACE FUNCTION amended_standings(for_group uuid, in_month date) RETURNS TABLE (
  person bytea, rank integer, seconds integer
) LANGUAGE plpgsql STABLE STRICT ROWS 30 SET search_path = public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    SELECT n.person, rank() OVER (ORDER BY n.seconds DESC)::integer, n.seconds
    FROM (
      SELECT s.person, coalesce((SELECT a.new_seconds FROM amendments a
                                 WHERE a.group_id = for_group AND a.month = in_month AND a.person = s.person
                                 ORDER BY a.at DESC, a.amendment_id DESC LIMIT 1), s.counted_seconds) AS seconds
      FROM standings s WHERE s.group_id = for_group AND s.month = in_month
    ) n;
END $$;

-- Refuses changes of final standings, whatever rights a role has on the tables. Two exceptions: the user may be
-- cleared, and amended figures follow from amendments.
CREATE OR REPLACE FUNCTION refuse_change_of_standings() RETURNS trigger
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF EXISTS (
    SELECT FROM gone g FULL JOIN come c USING (group_id, month, person)
    WHERE (g.rank, g.counted_seconds, g.manual_seconds, g.seal_salt)
          IS DISTINCT FROM (c.rank, c.counted_seconds, c.manual_seconds, c.seal_salt)
      OR c.uid IS NOT NULL AND (g.uid, g.salt, g.nickname) IS DISTINCT FROM (c.uid, c.salt, c.nickname)
  ) OR EXISTS (
    SELECT FROM (
      SELECT DISTINCT c.group_id, c.month FROM gone g JOIN come c USING (group_id, month, person)
      WHERE (g.amended_rank, g.amended_seconds) <> (c.amended_rank, c.amended_seconds)
    ) m
    JOIN standings s ON s.group_id = m.group_id AND s.month = m.month
    LEFT JOIN amended_standings(m.group_id, m.month) a ON a.person = s.person
    WHERE (s.amended_rank, s.amended_seconds) IS DISTINCT FROM (a.rank, a.seconds)
  ) THEN
    PERFORM refuse('final', 'standings are final: only uid, salt and nickname may be emptied, together');
  END IF;
  DELETE FROM fame f USING gone g WHERE f.group_id = g.group_id AND f.uid = g.uid AND NOT EXISTS (
    SELECT FROM come c WHERE c.group_id = g.group_id AND c.uid = g.uid);
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER standings_stay AFTER UPDATE ON standings REFERENCING OLD TABLE AS gone NEW TABLE AS come
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_standings();
CREATE OR REPLACE TRIGGER standings_kept BEFORE DELETE OR TRUNCATE ON standings
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER month_closes_kept BEFORE UPDATE OR DELETE OR TRUNCATE ON month_closes
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER amendments_kept BEFORE DELETE OR TRUNCATE ON amendments
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Refuses changes of amendments. Two exceptions: the author may be emptied when they are gone, and the reason when the
-- person whom it was about is.
CREATE OR REPLACE FUNCTION refuse_change_of_amendments() RETURNS trigger
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF EXISTS (
    SELECT FROM gone g FULL JOIN come c USING (amendment_id)
    WHERE (g.group_id, g.month, g.person, g.at, g.old_seconds, g.new_seconds, g.old_rank, g.new_rank)
          IS DISTINCT FROM (c.group_id, c.month, c.person, c.at, c.old_seconds, c.new_seconds, c.old_rank, c.new_rank)
      OR c.actor IS DISTINCT FROM g.actor
         AND (c.actor IS NOT NULL OR EXISTS (SELECT FROM users u WHERE u.uid = g.actor))
      OR c.reason IS DISTINCT FROM g.reason
         AND (c.reason IS NOT NULL OR NOT EXISTS (
           SELECT FROM standings s
           WHERE s.group_id = g.group_id AND s.month = g.month AND s.person = g.person AND s.uid IS NULL))
  ) THEN
    PERFORM refuse('amendments_append_only', 'amendments are only ever added to; erased users may be taken out');
  END IF;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER amendments_stay AFTER UPDATE ON amendments REFERENCING OLD TABLE AS gone NEW TABLE AS come
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_amendments();

-- Refuses to add anybody to a closed month.
CREATE OR REPLACE FUNCTION refuse_late_standing() RETURNS trigger
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM month_closes c WHERE c.group_id = NEW.group_id AND c.month = NEW.month) THEN
    PERFORM refuse('final', 'standings are final: nobody is added to them');
  END IF;
  NEW.amended_rank := NEW.rank;
  NEW.amended_seconds := NEW.counted_seconds;
  RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER standings_closed BEFORE INSERT ON standings
  FOR EACH ROW EXECUTE FUNCTION refuse_late_standing();

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
    SELECT r.* INTO rules FROM group_rules g JOIN ranking_rules r USING (rules_id)
      WHERE g.group_id = for_group ORDER BY g.from_month LIMIT 1;
    SELECT month_of(study_day(g.created_at, rules.time_zone, rules.day_starts_at)) INTO found_month
      FROM groups g WHERE g.group_id = for_group;
  END IF;
  rules := group_rules_in(for_group, found_month);
  UPDATE groups SET open_month = found_month,
                    open_month_closes_at = month_closes_at(found_month, rules.time_zone, rules.day_starts_at)
    WHERE group_id = for_group;
END $$;

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
    WHERE g.open_month_closes_at <= anthill_clock() AND g.group_id <> ALL (failed)
    ORDER BY g.open_month_closes_at, g.group_id LIMIT 100;
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
  IF anthill_clock() >= closes_at THEN
    PERFORM lock_students(
      ARRAY(SELECT DISTINCT h.uid FROM group_membership_history h
            WHERE h.group_id = for_group AND h.joined_at < ends_at AND (h.left_at IS NULL OR h.left_at >= ends_at)
            ORDER BY h.uid),
      closes_at);
  END IF;
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

-- Tells everybody in the standings of a closed month who wants to know, by mail and by push, and the group's webhooks.
CREATE OR REPLACE FUNCTION tell_of_closed_month(for_group uuid, in_month date) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO mail_outbox (kind, to_address, parameters)
    SELECT 'month_digest', e.email,
           jsonb_build_object('group', for_group::text, 'month', to_char(in_month, 'YYYY-MM'), 'user', s.uid::text)
    FROM standings s
    JOIN users u ON u.uid = s.uid AND u.digest_mail
    JOIN user_emails e ON e.uid = s.uid
    WHERE s.group_id = for_group AND s.month = in_month;
  PERFORM enqueue_push(
      s.uid, 'month', 'month ' || for_group, anthill_clock() + month_push_life(), jsonb_build_object(
        'group', for_group::text, 'name', c.group_name, 'month', to_char(in_month, 'YYYY-MM'), 'rank', s.rank::text,
        'people', c.participants::text))
    FROM standings s JOIN month_closes c ON c.group_id = s.group_id AND c.month = s.month
    WHERE s.group_id = for_group AND s.month = in_month
      AND EXISTS (SELECT FROM push_subscriptions p WHERE p.uid = s.uid);
  PERFORM enqueue_webhooks(for_group, 'month_closed', in_month, NULL);
END $$;

-- A closed month with all its amendments. Members have today's visibility; a deleted account has none, so nothing
-- reveals who it was.
CREATE OR REPLACE FUNCTION closed_scores(for_group uuid, in_month date) RETURNS TABLE (
  person bytea, uid uuid, nickname text, visibility text, rank integer, seconds integer, manual_seconds integer
) LANGUAGE plpgsql STABLE STRICT ROWS 30 SET search_path = public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    WITH left_as AS MATERIALIZED (
      SELECT DISTINCT ON (h.uid) h.uid, h.visibility FROM group_membership_history h
      WHERE h.group_id = for_group AND h.left_at IS NOT NULL ORDER BY h.uid, h.joined_at DESC
    )
    SELECT s.person, s.uid, coalesce(u.nickname, s.nickname),
           CASE WHEN s.uid IS NULL THEN 'gone' ELSE coalesce(m.visibility, l.visibility, 'shown') END,
           s.amended_rank, s.amended_seconds, least(s.manual_seconds, s.amended_seconds)
    FROM standings s
    LEFT JOIN users u ON u.uid = s.uid
    LEFT JOIN group_members m ON m.uid = s.uid AND m.group_id = for_group
    LEFT JOIN left_as l ON l.uid = s.uid
    WHERE s.group_id = for_group AND s.month = in_month;
END $$;

-- The same with everybody's place, as sealed and with all amendments; hidden members last among equals.
CREATE OR REPLACE FUNCTION places_in_standings(for_group uuid, in_month date) RETURNS TABLE (
  place integer, amended_place integer, person bytea, uid uuid, nickname text, visibility text
) LANGUAGE plpgsql STABLE STRICT ROWS 30 SET search_path = public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    SELECT (row_number() OVER (ORDER BY s.rank, c.visibility = 'hidden', s.person))::integer,
           (row_number() OVER (ORDER BY s.amended_rank, c.visibility = 'hidden', s.person))::integer,
           s.person, c.uid, c.nickname, c.visibility
    FROM closed_scores(for_group, in_month) c
    JOIN standings s ON s.group_id = for_group AND s.month = in_month AND s.person = c.person;
END $$;

-- Amends one person's seconds in a closed month, as an admin of the group.
CREATE OR REPLACE FUNCTION amend_standing(actor uuid, for_group uuid, in_month date, user_id uuid, seconds bigint,
                                          why text)
  RETURNS uuid LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  held groups := lock_group(for_group);
BEGIN
  PERFORM require_role(actor, held.group_id, 'owner', 'admin');
  RETURN write_amendment(actor, held.group_id, in_month, user_id, seconds, why);
END $$;

-- Writes an amendment; everybody sees the reason, the old and the new rank. Without an actor it is the operator's.
CREATE OR REPLACE FUNCTION write_amendment(actor uuid, for_group uuid, in_month date, user_id uuid, seconds bigint,
                                           why text)
  RETURNS uuid LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  held groups := lock_group(for_group);
  before standings;
  made uuid;
BEGIN
  IF NOT EXISTS (SELECT FROM month_closes c WHERE c.group_id = held.group_id AND c.month = in_month) THEN
    PERFORM refuse('month_not_closed', 'the month is not closed');
  END IF;
  SELECT * INTO before FROM standings s WHERE s.group_id = for_group AND s.month = in_month AND s.uid = user_id;
  IF NOT FOUND THEN
    PERFORM refuse('member_not_found', 'not on these standings', 'no_data_found');
  END IF;
  IF seconds NOT BETWEEN 0 AND longest_month() THEN
    PERFORM refuse('amendments_seconds', 'nobody studies longer in a month');
  END IF;
  INSERT INTO amendments (group_id, month, person, actor, at, reason, old_seconds, new_seconds, old_rank, new_rank)
    SELECT for_group, in_month, before.person, actor, anthill_clock(), why, before.amended_seconds,
           write_amendment.seconds,
           before.amended_rank, 1 + count(*) FILTER (WHERE s.amended_seconds > write_amendment.seconds)
    FROM standings s WHERE s.group_id = for_group AND s.month = in_month AND s.person <> before.person
    RETURNING amendment_id INTO made;
  INSERT INTO audit_events (kind, uid, actor, details)
    VALUES ('standing_amended', user_id, actor, jsonb_build_object(
      'group_id', for_group, 'month', in_month, 'amendment_id', made, 'old_seconds', before.amended_seconds,
      'new_seconds', write_amendment.seconds) || by_operator(actor));
  RETURN made;
END $$;

-- An amendment starts from the result of the last one, and the standings follow it, no matter who writes it.
CREATE OR REPLACE FUNCTION apply_amendment() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF NOT EXISTS (
    SELECT FROM standings s
    WHERE s.group_id = NEW.group_id AND s.month = NEW.month AND s.person = NEW.person
      AND (s.amended_seconds, s.amended_rank) = (NEW.old_seconds, NEW.old_rank)
  ) OR EXISTS (SELECT FROM amendments a WHERE a.group_id = NEW.group_id AND a.month = NEW.month AND a.at > NEW.at) THEN
    PERFORM refuse('amendments_chain', 'an amendment begins with what the standings say now');
  END IF;
  UPDATE standings s SET amended_seconds = a.seconds, amended_rank = a.rank
    FROM amended_standings(NEW.group_id, NEW.month) a
    WHERE s.group_id = NEW.group_id AND s.month = NEW.month AND s.person = a.person
      AND (s.amended_seconds, s.amended_rank) <> (a.seconds, a.rank);
  IF NEW.new_rank <> (SELECT s.amended_rank FROM standings s
                      WHERE s.group_id = NEW.group_id AND s.month = NEW.month AND s.person = NEW.person) THEN
    PERFORM refuse('amendments_chain', 'an amendment ends with the rank that follows from it');
  END IF;
  PERFORM renew_fame(NEW.group_id, NEW.month);
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER amendments_applied AFTER INSERT ON amendments
  FOR EACH ROW EXECUTE FUNCTION apply_amendment();

-- Removes an account from standings when it is deleted. The digests still hold.
CREATE OR REPLACE FUNCTION forget_in_standings(user_id uuid) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  changed record;
BEGIN
  FOR changed IN
    UPDATE standings s SET uid = NULL, salt = NULL, nickname = NULL WHERE s.uid = user_id RETURNING s.group_id, s.month
  LOOP
    CONTINUE WHEN NOT EXISTS (SELECT FROM groups g WHERE g.group_id = changed.group_id AND g.duel);
    -- Whether somebody was hidden or suspended is no longer known, so they count.
    PERFORM lock_group_means();
    PERFORM count_closed_mean(changed.group_id, changed.month);
  END LOOP;
END $$;

-- Whether somebody may read a group's closed months: its members may, and when they are public also strangers, who have
-- no UID here.
CREATE OR REPLACE FUNCTION may_read_months(viewer_id uuid, for_group uuid) RETURNS boolean
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  IF viewer_id IS NULL THEN
    RETURN EXISTS (SELECT FROM groups g WHERE g.group_id = for_group AND g.months_public);
  END IF;
  RETURN EXISTS (SELECT FROM group_members m WHERE m.uid = viewer_id AND m.group_id = for_group);
END $$;

-- The closed months of a group, newest first, with the viewer's own place in each (hidden or not).
CREATE OR REPLACE FUNCTION closed_months(viewer_id uuid, for_group uuid, before date, page bigint) RETURNS TABLE (
  month date, closed_at timestamptz, sha256 text, participants integer, amendments integer, rank integer,
  seconds integer
) LANGUAGE plpgsql STABLE ROWS 12 SET search_path = public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  IF NOT may_read_months(viewer_id, for_group) THEN
    PERFORM refuse('group_not_found', 'no such group', 'no_data_found');
  END IF;
  RETURN QUERY
    SELECT c.month, c.closed_at, encode(c.sha256, 'hex'), c.participants,
           (SELECT count(*)::integer FROM amendments a WHERE a.group_id = for_group AND a.month = c.month),
           s.amended_rank, s.amended_seconds
    FROM month_closes c
    LEFT JOIN standings s ON s.uid = viewer_id AND s.month = c.month AND s.group_id = for_group
    WHERE c.group_id = for_group AND (before IS NULL OR c.month < before)
    ORDER BY c.month DESC LIMIT page;
END $$;

-- A user's own places in the closed months of all groups, newest first; including groups they left and groups that were
-- deleted.
CREATE OR REPLACE FUNCTION own_standings(user_id uuid) RETURNS TABLE (
  group_id uuid, group_name text, month date, rank integer, participants integer, seconds integer,
  manual_seconds integer
) LANGUAGE plpgsql STABLE ROWS 24 SET search_path = public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    SELECT s.group_id, coalesce(g.name, c.group_name), s.month, s.amended_rank, c.participants, s.amended_seconds,
           least(s.manual_seconds, s.amended_seconds)
    FROM (
      SELECT * FROM standings x WHERE x.uid = user_id ORDER BY x.uid DESC, x.month DESC, x.group_id LIMIT 480
    ) s
    JOIN month_closes c USING (group_id, month)
    LEFT JOIN groups g USING (group_id)
    ORDER BY s.month DESC, s.group_id;
END $$;

-- After a month was closed or amended, recounts how often its people won, stood on the podium and took part, and their
-- best month. This covers everybody on its podium now or before.
CREATE OR REPLACE FUNCTION renew_fame(for_group uuid, in_month date) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  people uuid[] := ARRAY(
    SELECT s.uid FROM standings s
    WHERE s.group_id = for_group AND s.month = in_month AND s.uid IS NOT NULL
      AND (s.amended_rank <= 3 AND s.amended_seconds > 0
           OR EXISTS (SELECT FROM fame f WHERE f.group_id = for_group AND f.uid = s.uid)));
BEGIN
  DELETE FROM fame f WHERE f.group_id = for_group AND f.uid = ANY (people);
  INSERT INTO fame (group_id, uid, firsts, podiums, months, best_month, best_seconds)
    SELECT for_group, c.* FROM counted_fame(for_group, people) c;
END $$;

-- How often these people won in a group's closed months and stood on the podium, and their best month of all in which
-- they took part; without people who never stood there.
CREATE OR REPLACE FUNCTION counted_fame(for_group uuid, people uuid[]) RETURNS TABLE (
  uid uuid, firsts integer, podiums integer, months integer, best_month date, best_seconds integer
) LANGUAGE plpgsql STABLE ROWS 30 SET search_path = public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    SELECT s.uid, (count(*) FILTER (WHERE s.amended_rank = 1 AND s.amended_seconds > 0))::integer,
           (count(*) FILTER (WHERE s.amended_rank <= 3 AND s.amended_seconds > 0))::integer, count(*)::integer,
           (array_agg(s.month ORDER BY s.amended_seconds DESC, s.month))[1], max(s.amended_seconds)
    FROM standings s
    WHERE s.uid = ANY (people) AND s.group_id = for_group
    GROUP BY s.uid
    HAVING count(*) FILTER (WHERE s.amended_rank <= 3 AND s.amended_seconds > 0) > 0;
END $$;

-- The hall of fame: everybody who ever stood on a podium of the group and is visible, with wins and best month.
CREATE OR REPLACE FUNCTION hall_of_fame(viewer_id uuid, for_group uuid) RETURNS TABLE (
  uid uuid, nickname text, avatar uuid, firsts integer, podiums integer, months integer, best_month date,
  best_seconds integer
) LANGUAGE plpgsql STABLE ROWS 30 SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  people uuid[];                                          -- who has left
BEGIN
  PERFORM require_role(viewer_id, for_group, 'owner', 'admin', 'member');
  people := ARRAY(
    SELECT f.uid FROM fame f LEFT JOIN group_members m ON m.uid = f.uid AND m.group_id = for_group
    WHERE f.group_id = for_group AND m.uid IS NULL);
  RETURN QUERY
    WITH stays AS MATERIALIZED (
      SELECT DISTINCT ON (h.uid) h.uid, h.visibility FROM group_membership_history h
      WHERE h.uid = ANY (people) AND h.group_id = for_group
      ORDER BY h.uid, h.joined_at DESC
    )
    SELECT f.uid, u.nickname, a.version, f.firsts, f.podiums, f.months, f.best_month, f.best_seconds
    FROM fame f
    JOIN users u ON u.uid = f.uid
    LEFT JOIN group_members m ON m.uid = f.uid AND m.group_id = for_group
    LEFT JOIN shown_avatars a ON a.uid = f.uid AND a.group_id = for_group
    LEFT JOIN stays h ON h.uid = f.uid
    WHERE f.group_id = for_group
      AND (f.uid = viewer_id OR coalesce(m.visibility, h.visibility, 'shown') <> 'hidden')
    ORDER BY f.firsts DESC, f.podiums DESC, f.best_seconds DESC, f.uid LIMIT 100;
END $$;
