-- Standings: the final board of a month that is over, written once and sealed by a digest. Closed is decided by the
-- clock (a grace period after the month's end); what stands here only records it.

-- Nobody changes what is final, whatever rights they have on the tables.
CREATE OR REPLACE FUNCTION refuse_change_of_standings() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF EXISTS (
    SELECT FROM gone g FULL JOIN come c USING (group_id, month, person)
    WHERE (g.rank, g.counted_seconds, g.manual_seconds) IS DISTINCT FROM (c.rank, c.counted_seconds, c.manual_seconds)
      OR c.uid IS NOT NULL AND (g.uid, g.salt, g.nickname) IS DISTINCT FROM (c.uid, c.salt, c.nickname)
  ) THEN
    RAISE EXCEPTION 'standings are final: only uid, salt and nickname may be emptied, together'
      USING ERRCODE = 'check_violation', CONSTRAINT = 'final';
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER standings_stay AFTER UPDATE ON standings REFERENCING OLD TABLE AS gone NEW TABLE AS come
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_standings();

CREATE OR REPLACE TRIGGER standings_kept BEFORE DELETE OR TRUNCATE ON standings FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE OR REPLACE TRIGGER month_closes_kept BEFORE UPDATE OR DELETE OR TRUNCATE ON month_closes
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE OR REPLACE TRIGGER amendments_kept BEFORE UPDATE OR DELETE OR TRUNCATE ON amendments
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- The text that is sealed: three lines of heading, then one line for each person in the order of rank and, within a rank,
-- of person; UTF-8, each line ends with a line feed. Nicknames are not in it.
--
--   anthill standings 1
--   group 6f1c…                       the group's UUID, in lower case
--   month 2026-10
--   1 965460 9f3c61b0…                rank, counted seconds, person in hexadecimal
CREATE OR REPLACE FUNCTION standings_text(which uuid, in_month date) RETURNS text LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  RETURN format(E'anthill standings 1\ngroup %s\nmonth %s\n', which, to_char(in_month, 'YYYY-MM'))
    || coalesce((SELECT string_agg(format(E'%s %s %s\n', s.rank, s.counted_seconds, encode(s.person, 'hex')), ''
                                   ORDER BY s.rank, s.person)
                 FROM standings s WHERE s.group_id = which AND s.month = in_month), '');
END $$;

-- Looks which month of a group is the next to close, and remembers it.
CREATE OR REPLACE FUNCTION find_open_month(which uuid) RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  rules ranking_rules;
  found_month date;
BEGIN
  SELECT next_month(c.month) INTO found_month FROM month_closes c
    WHERE c.group_id = which ORDER BY c.month DESC LIMIT 1;
  IF NOT FOUND THEN
    SELECT r.* INTO rules FROM group_rules g JOIN ranking_rules r USING (rules_id)
      WHERE g.group_id = which ORDER BY g.from_month LIMIT 1;
    SELECT month_of(study_day(g.created_at, rules.time_zone, rules.day_starts_at)) INTO found_month
      FROM groups g WHERE g.group_id = which;
  END IF;
  rules := group_rules_in(which, found_month);
  UPDATE groups SET open_month = found_month,
                    open_month_closes_at = month_closes_at(found_month, rules.time_zone, rules.day_starts_at)
    WHERE group_id = which;
END $$;

-- A group whose month cannot be closed keeps no other waiting.
-- The months that are due to be closed now, the oldest of each group, but not of those that failed just now.
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

-- First the group's row, then the lock that writers of its months share: the order in which joining takes them. Closing
-- must be a later statement of the same transaction, whose snapshot then holds all that was written.
CREATE OR REPLACE FUNCTION lock_to_close(which uuid, month date) RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM FROM groups g WHERE g.group_id = which FOR NO KEY UPDATE;
  PERFORM pg_advisory_xact_lock(hashtextextended(
    format('%s month %s %s', current_schema, (group_rules_in(which, lock_to_close.month)).rules_id, lock_to_close.month), 0));
END $$;

-- Writes the standings of a month and seals them. Nothing happens where the month is in its grace period, was closed
-- before, or the group is gone. Answers whether it was closed just now. Only after lock_to_close.
CREATE OR REPLACE FUNCTION close_month(which uuid, in_month date) RETURNS boolean LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  rules ranking_rules := group_rules_in(which, in_month);
  clock timestamptz := anthill_clock();
  named text := (SELECT g.name FROM groups g WHERE g.group_id = which);
  closes_at timestamptz := month_closes_at(in_month, rules.time_zone, rules.day_starts_at);
BEGIN
  IF named IS NULL OR (clock >= closes_at) IS NOT TRUE THEN RETURN false; END IF;
  IF EXISTS (SELECT FROM month_closes c WHERE c.group_id = which AND c.month = in_month) THEN
    PERFORM find_open_month(which);
    RETURN false;
  END IF;
  INSERT INTO standings (group_id, month, person, rank, counted_seconds, manual_seconds, uid, salt, nickname)
    SELECT which, in_month, sha256(s.salt || uuid_send(s.uid)), rank() OVER (ORDER BY s.seconds DESC),
           s.seconds, s.manual_seconds, s.uid, s.salt, u.nickname
    FROM (
      SELECT b.uid, b.seconds, b.manual_seconds, uuid_send(gen_random_uuid()) AS salt
      FROM counted_scores(which, in_month, next_month(in_month), clock) b
    ) s
    JOIN users u USING (uid)
    ON CONFLICT DO NOTHING;
  INSERT INTO month_closes (group_id, month, group_name, closed_at, participants, sha256)
    SELECT which, in_month, named, closes_at, count(*), sha256(convert_to(standings_text(which, in_month), 'UTF8'))
    FROM standings s WHERE s.group_id = which AND s.month = in_month
    ON CONFLICT DO NOTHING;
  PERFORM find_open_month(which);
  PERFORM enqueue_month_digests(which, in_month);
  RETURN true;
END $$;

-- Asks for the letter about a closed month, for those of its standings who want such mail.
CREATE OR REPLACE FUNCTION enqueue_month_digests(which uuid, in_month date) RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO mail_outbox (kind, to_address, parameters)
    SELECT 'month_digest', e.email,
           jsonb_build_object('group', which::text, 'month', to_char(in_month, 'YYYY-MM'), 'user', s.uid::text)
    FROM standings s
    JOIN users u ON u.uid = s.uid AND u.digest_mail
    JOIN user_emails e ON e.uid = s.uid
    WHERE s.group_id = which AND s.month = in_month;
END $$;

-- A closed month as it stands now: the standings with all amendments, ranked anew. Members are shown as they wish today;
-- one without an account is hidden.
CREATE OR REPLACE FUNCTION closed_scores(which uuid, in_month date) RETURNS TABLE (
  person bytea, uid uuid, nickname text, visibility text, rank integer, seconds integer, manual_seconds integer
) LANGUAGE plpgsql STABLE STRICT ROWS 30 SET search_path = public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    SELECT n.person, n.uid, n.nickname, n.visibility, rank() OVER (ORDER BY n.seconds DESC)::integer, n.seconds,
           least(n.manual_seconds, n.seconds)
    FROM (
      SELECT s.person, s.uid, coalesce(u.nickname, s.nickname) AS nickname,
             CASE WHEN s.uid IS NULL THEN 'hidden'
                  ELSE coalesce(m.visibility,
                                (SELECT h.visibility FROM group_membership_history h
                                 WHERE h.uid = s.uid AND h.group_id = which ORDER BY h.joined_at DESC LIMIT 1),
                                'shown') END AS visibility,
             coalesce((SELECT a.new_seconds FROM amendments a
                       WHERE a.group_id = which AND a.month = in_month AND a.person = s.person
                       ORDER BY a.at DESC, a.amendment_id DESC LIMIT 1), s.counted_seconds) AS seconds,
             s.manual_seconds
      FROM standings s
      LEFT JOIN users u ON u.uid = s.uid
      LEFT JOIN group_members m ON m.uid = s.uid AND m.group_id = which
      WHERE s.group_id = which AND s.month = in_month
    ) n;
END $$;

-- Corrects one person's seconds in a closed month; everybody sees the reason beside the old and the new rank.
CREATE OR REPLACE FUNCTION amend_standing(actor uuid, which uuid, in_month date, whose uuid, seconds bigint, why text)
  RETURNS uuid LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  held groups := hold_group(which);
  before record;
  made uuid;
BEGIN
  PERFORM require_role(actor, held.group_id, 'owner', 'admin');
  IF NOT EXISTS (SELECT FROM month_closes c WHERE c.group_id = which AND c.month = in_month) THEN
    RAISE EXCEPTION 'the month is not closed' USING ERRCODE = 'check_violation', CONSTRAINT = 'month_not_closed';
  END IF;
  SELECT * INTO before FROM closed_scores(which, in_month) c WHERE c.uid = whose;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'not on these standings' USING ERRCODE = 'no_data_found', CONSTRAINT = 'member_not_found';
  END IF;
  IF seconds NOT BETWEEN 0 AND longest_month() THEN
    RAISE EXCEPTION 'a month has at most 31 days' USING ERRCODE = 'check_violation', CONSTRAINT = 'amendments_seconds';
  END IF;
  INSERT INTO amendments (group_id, month, person, actor, at, reason, old_seconds, new_seconds, old_rank, new_rank)
    SELECT which, in_month, before.person, actor, anthill_clock(), why, before.seconds, amend_standing.seconds, before.rank,
           1 + count(*) FILTER (WHERE c.seconds > amend_standing.seconds AND c.person <> before.person)
    FROM closed_scores(which, in_month) c
    RETURNING amendment_id INTO made;
  INSERT INTO audit_events (kind, uid, actor, details)
    VALUES ('standing_amended', whose, actor, jsonb_build_object('group_id', which, 'month', in_month, 'amendment_id', made));
  RETURN made;
END $$;

-- Empties what names somebody in standings: for an account that is deleted. The digests still hold.
CREATE OR REPLACE FUNCTION forget_in_standings(whose uuid) RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE standings s SET uid = NULL, salt = NULL, nickname = NULL WHERE s.uid = whose;
END $$;

-- The closed months of a group, newest first, with the reader's own place in each (hidden or not).
CREATE OR REPLACE FUNCTION closed_months(reader uuid, which uuid, before date, page bigint) RETURNS TABLE (
  month date, closed_at timestamptz, sha256 text, participants integer, amendments integer, rank integer, seconds integer
) LANGUAGE plpgsql STABLE ROWS 12 SET search_path = public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  PERFORM require_role(reader, which, 'owner', 'admin', 'member');
  RETURN QUERY
    SELECT c.month, c.closed_at, encode(c.sha256, 'hex'), c.participants,
           (SELECT count(*)::integer FROM amendments a WHERE a.group_id = which AND a.month = c.month),
           mine.rank, mine.seconds
    FROM month_closes c
    LEFT JOIN LATERAL (SELECT s.rank, s.seconds FROM closed_scores(which, c.month) s WHERE s.uid = reader) mine ON true
    WHERE c.group_id = which AND (before IS NULL OR c.month < before)
    ORDER BY c.month DESC LIMIT page;
END $$;

-- One's own place in every closed month of every group, newest first, groups left or dissolved since included.
CREATE OR REPLACE FUNCTION own_standings(whose uuid) RETURNS TABLE (
  group_id uuid, group_name text, month date, rank integer, participants integer, seconds integer, manual_seconds integer
) LANGUAGE plpgsql STABLE ROWS 24 SET search_path = public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    SELECT s.group_id, coalesce(g.name, c.group_name), s.month, now.rank, c.participants, now.seconds, now.manual_seconds
    FROM standings s
    JOIN month_closes c USING (group_id, month)
    LEFT JOIN groups g USING (group_id)
    CROSS JOIN LATERAL (SELECT x.* FROM closed_scores(s.group_id, s.month) x WHERE x.uid = whose) now
    WHERE s.uid = whose
    ORDER BY s.month DESC, s.group_id LIMIT 480;
END $$;

-- Who won how often, and the best month of each: everybody who ever stood on a podium of the group and shows themselves.
CREATE OR REPLACE FUNCTION hall_of_fame(reader uuid, which uuid) RETURNS TABLE (
  uid uuid, nickname text, firsts integer, podiums integer, months integer, best_month date, best_seconds integer
) LANGUAGE plpgsql STABLE ROWS 30 SET search_path = public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  PERFORM require_role(reader, which, 'owner', 'admin', 'member');
  RETURN QUERY
    SELECT p.uid, p.nickname, p.firsts, p.podiums, p.months, (p.best).month, (p.best).seconds
    FROM (
      SELECT s.uid, min(s.nickname) AS nickname,
             (count(*) FILTER (WHERE s.rank = 1 AND s.seconds > 0))::integer AS firsts,
             (count(*) FILTER (WHERE s.rank <= 3 AND s.seconds > 0))::integer AS podiums,
             count(*)::integer AS months,
             (array_agg((c.month, s.seconds)::month_seconds ORDER BY s.seconds DESC, c.month))[1] AS best
      FROM month_closes c
      CROSS JOIN LATERAL closed_scores(which, c.month) s
      WHERE c.group_id = which AND s.uid IS NOT NULL AND (s.visibility <> 'hidden' OR s.uid = reader)
      GROUP BY s.uid
    ) p
    WHERE p.podiums > 0
    ORDER BY p.firsts DESC, p.podiums DESC, (p.best).seconds DESC, p.uid LIMIT 100;
END $$;
