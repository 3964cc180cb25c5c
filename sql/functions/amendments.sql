-- Amendments: corrections of a final month. Each is a row of its own; what was written first stays.

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
           CASE WHEN s.uid IS NOT NULL THEN coalesce(m.visibility, l.visibility, 'shown')
                WHEN s.hidden THEN 'hidden' ELSE 'gone' END,
           s.amended_rank, s.amended_seconds, least(s.manual_seconds, s.amended_seconds)
    FROM standings s
    LEFT JOIN users u ON u.uid = s.uid
    LEFT JOIN group_members m ON m.uid = s.uid AND m.group_id = for_group
    LEFT JOIN left_as l ON l.uid = s.uid
    WHERE s.group_id = for_group AND s.month = in_month;
END $$;

-- The same with everybody's place, as sealed and with all amendments; among equals in the order of the board.
CREATE OR REPLACE FUNCTION places_in_standings(for_group uuid, in_month date) RETURNS TABLE (
  place integer, amended_place integer, person bytea, uid uuid, nickname text, visibility text
) LANGUAGE plpgsql STABLE STRICT ROWS 30 SET search_path = public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    SELECT (row_number() OVER (ORDER BY s.rank, c.visibility = 'hidden', c.uid DESC, s.person))::integer,
           (row_number() OVER (ORDER BY s.amended_rank, c.visibility = 'hidden', c.uid DESC, s.person))::integer,
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
  -- Locked, so that the person is erased wholly before this or wholly after it.
  SELECT * INTO before FROM standings s WHERE s.group_id = for_group AND s.month = in_month AND s.uid = user_id
    FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    PERFORM refuse('member_not_found', 'not on these standings', 'no_data_found');
  END IF;
  IF seconds NOT BETWEEN 0 AND longest_month() THEN
    PERFORM refuse('amendments_seconds', 'nobody studies longer in a month');
  ELSIF seconds = before.amended_seconds THEN
    PERFORM refuse('amendments_change', 'this is their time already');
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
