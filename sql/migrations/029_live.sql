-- Live boards: which boards have changed since somebody last asked, for those who watch one.

-- Whose numbers or names changed (a user's), or which group's board as a whole, in which transaction. Asked with the
-- snapshot of the last answer, it tells exactly what was committed since, however late. Rows are of use for a minute.
CREATE TABLE board_changes (
  changed_in xid8,
  subject uuid,
  noted_at timestamptz NOT NULL,
  CONSTRAINT board_changes_key PRIMARY KEY (changed_in, subject)
);

-- Notes that a user or a group changed in this transaction; once is enough.
CREATE FUNCTION note_board_change(subject uuid) RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO board_changes VALUES (pg_current_xact_id(), note_board_change.subject, anthill_clock())
    ON CONFLICT ON CONSTRAINT board_changes_key DO NOTHING;
END $$;

-- The same for the user of the row that changed.
CREATE FUNCTION note_user_change() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM note_board_change(CASE WHEN TG_OP = 'DELETE' THEN OLD.uid ELSE NEW.uid END);
  RETURN NULL;
END $$;

-- The same for the group of the row that changed.
CREATE FUNCTION note_group_change() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM note_board_change(CASE WHEN TG_OP = 'DELETE' THEN OLD.group_id ELSE NEW.group_id END);
  RETURN NULL;
END $$;

CREATE TRIGGER study_intervals_noted AFTER INSERT OR UPDATE OR DELETE ON study_intervals
  FOR EACH ROW EXECUTE FUNCTION note_user_change();
CREATE TRIGGER users_noted AFTER UPDATE OF nickname ON users
  FOR EACH ROW WHEN (OLD.nickname IS DISTINCT FROM NEW.nickname) EXECUTE FUNCTION note_user_change();
CREATE TRIGGER group_members_noted AFTER INSERT OR UPDATE OR DELETE ON group_members
  FOR EACH ROW EXECUTE FUNCTION note_group_change();
CREATE TRIGGER groups_noted AFTER UPDATE OF name ON groups
  FOR EACH ROW WHEN (OLD.name IS DISTINCT FROM NEW.name) EXECUTE FUNCTION note_group_change();
CREATE TRIGGER group_rules_noted AFTER INSERT OR UPDATE OR DELETE ON group_rules
  FOR EACH ROW EXECUTE FUNCTION note_group_change();
CREATE TRIGGER month_closes_noted AFTER INSERT ON month_closes
  FOR EACH ROW EXECUTE FUNCTION note_group_change();
CREATE TRIGGER amendments_noted AFTER INSERT ON amendments
  FOR EACH ROW EXECUTE FUNCTION note_group_change();

-- The groups whose boards changed by what has been committed since that snapshot.
CREATE FUNCTION boards_changed(seen pg_snapshot) RETURNS TABLE (group_id uuid)
  LANGUAGE plpgsql STABLE STRICT SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    WITH news AS MATERIALIZED (
      SELECT DISTINCT c.subject FROM board_changes c
      WHERE c.changed_in >= pg_snapshot_xmin(seen) AND NOT pg_visible_in_snapshot(c.changed_in, seen)
    )
    SELECT h.group_id FROM news n JOIN group_membership_history h ON h.uid = n.subject
    UNION
    SELECT n.subject FROM news n;
END $$;

-- Where a group's board stands: the clock, its study day, the snapshot to ask boards_changed with, and whether it has
-- changed since an earlier one.
CREATE FUNCTION board_moment(which uuid, seen pg_snapshot) RETURNS TABLE (
  server_time timestamptz, day_began_at timestamptz, day_ends_at timestamptz, snapshot text, changed boolean
) LANGUAGE plpgsql STABLE ROWS 1 SET search_path FROM CURRENT AS $$
DECLARE
  rules ranking_rules := group_rules_now(which);
  today date;
BEGIN
  server_time := anthill_clock();
  today := study_day(server_time, rules.time_zone, rules.day_starts_at);
  day_began_at := study_day_start(today, rules.time_zone, rules.day_starts_at);
  day_ends_at := study_day_start(today + 1, rules.time_zone, rules.day_starts_at);
  snapshot := pg_current_snapshot()::text;
  changed := seen IS NULL OR EXISTS (
    SELECT FROM board_changes c
    WHERE c.changed_in >= pg_snapshot_xmin(seen) AND NOT pg_visible_in_snapshot(c.changed_in, seen)
      AND (c.subject = which
           OR EXISTS (SELECT FROM group_membership_history h WHERE h.uid = c.subject AND h.group_id = which)));
  RETURN NEXT;
END $$;

-- Removes what nobody can ask for any more.
CREATE FUNCTION forget_board_changes() RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  DELETE FROM board_changes WHERE noted_at < anthill_clock() - interval '2 minutes';
END $$;
