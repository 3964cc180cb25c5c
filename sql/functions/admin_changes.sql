-- Changes by admins: how each is noted, and how it is undone.
--
-- A script of sql/maintenance makes its change by one function, admin_SCRIPT(…, reason, by), which notes it here and
-- returns its number. If it can be undone, undo_SCRIPT(change) does so with what the change has kept;
-- change.reason and change.by are then those of the undoing.

-- Notes a change in the audit of the user whom it is about, with the reason and the admin's name, and returns its
-- number.
-- undoing: what undo_SCRIPT needs; none if the change cannot be undone. facts: what else the audit keeps.
CREATE OR REPLACE FUNCTION note_admin_change(
  script text, about uuid, why text, by text, undoing jsonb DEFAULT NULL, facts jsonb DEFAULT '{}'
) RETURNS bigint LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  noted bigint;
BEGIN
  INSERT INTO admin_changes (script, by, reason, uid, undo)
    VALUES (note_admin_change.script, note_admin_change.by, why, about, undoing) RETURNING number INTO noted;
  INSERT INTO audit_events (kind, uid, details)
    VALUES ('admin_' || note_admin_change.script, about,
            facts || by_operator(NULL)
              || jsonb_build_object('change', noted, 'admin', note_admin_change.by, 'reason', why));
  RETURN noted;
END $$;

-- Undoes a change, once. Undoing is a change itself; it cannot be undone, but the first script can be run again. What
-- undo_SCRIPT changes is locked before the change's own row, as erasing a user does.
CREATE OR REPLACE FUNCTION admin_undo(change bigint, reason text, by text) RETURNS bigint
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  undone admin_changes;
BEGIN
  SELECT * INTO undone FROM admin_changes c WHERE c.number = change;
  IF NOT FOUND THEN
    PERFORM refuse('change_not_found', format('there is no change %s', change), 'no_data_found');
  ELSIF undone.undo IS NULL THEN
    PERFORM refuse('change_stays', format('change %s, by %s.sql, cannot be undone', change, undone.script));
  ELSIF undone.undone_at IS NOT NULL THEN
    PERFORM refuse('change_undone', format('change %s was undone at %s', change, utc_text(undone.undone_at)));
  END IF;
  undone.reason := reason;
  undone.by := by;
  EXECUTE format('SELECT %I($1)', 'undo_' || undone.script) USING undone;
  UPDATE admin_changes c SET undone_at = anthill_clock() WHERE c.number = change AND c.undone_at IS NULL;
  IF NOT FOUND THEN
    PERFORM refuse('change_overtaken', format('change %s was undone or removed meanwhile', change));
  END IF;
  RETURN note_admin_change('undo', undone.uid, reason, by, facts => jsonb_strip_nulls(jsonb_build_object(
    'undone', change, 'group_id', undone.undo -> 'group', 'month', undone.undo -> 'month')));
END $$;

-- What a script says at its end. Where undo.sql lies, its reader knows.
CREATE OR REPLACE FUNCTION admin_result(change bigint) RETURNS text LANGUAGE plpgsql STABLE
  SET search_path = public, pg_temp AS $$
BEGIN
  RETURN (
    SELECT CASE WHEN c.undo IS NULL THEN format('Done. This is change %s. It cannot be undone.', c.number)
           ELSE format('Done. undo.sql undoes it: -v change=%s -v reason=''…'' -v apply=1', c.number) END
    FROM admin_changes c WHERE c.number = change);
END $$;
