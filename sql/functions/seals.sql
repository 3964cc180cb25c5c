-- Seals: the digests of a final month, and the triggers that keep standings, closes and amendments as they were
-- written.

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
-- cleared, which also says whether they hide, and amended figures follow from amendments.
CREATE OR REPLACE FUNCTION refuse_change_of_standings() RETURNS trigger
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF EXISTS (
    SELECT FROM gone g FULL JOIN come c USING (group_id, month, person)
    WHERE (g.rank, g.counted_seconds, g.manual_seconds, g.seal_salt)
          IS DISTINCT FROM (c.rank, c.counted_seconds, c.manual_seconds, c.seal_salt)
      OR c.uid IS NOT NULL AND (g.uid, g.salt, g.nickname) IS DISTINCT FROM (c.uid, c.salt, c.nickname)
      OR g.hidden <> c.hidden AND NOT (c.hidden AND g.uid IS NOT NULL AND c.uid IS NULL)
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
