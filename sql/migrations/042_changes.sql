-- What an instance may keep in memory: how it learns, before it answers from there, what others have changed since.

-- Besides whose numbers or names changed, board_changes notes the sign-ins that ended: its subjects are users, groups and
-- sign-ins.
CREATE FUNCTION note_sign_in_change() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM note_board_change(OLD.id);
  RETURN NULL;
END $$;

-- Its being seen only prolongs a sign-in; whatever else happens to it may be its end.
CREATE TRIGGER sign_ins_ended AFTER DELETE ON sign_ins
  FOR EACH ROW EXECUTE FUNCTION note_sign_in_change();
CREATE TRIGGER sign_ins_changed AFTER UPDATE ON sign_ins
  FOR EACH ROW WHEN (
    NEW.expires_at < OLD.expires_at OR NEW.last_seen_at < OLD.last_seen_at
    OR (OLD.uid, OLD.id, OLD.token_mac, OLD.auth_epoch) IS DISTINCT FROM (NEW.uid, NEW.id, NEW.token_mac, NEW.auth_epoch))
  EXECUTE FUNCTION note_sign_in_change();

-- The same for all of them at once, by the subject that stands for everything.
CREATE FUNCTION note_change_of_everything() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM note_board_change('00000000-0000-0000-0000-000000000000');
  RETURN NULL;
END $$;
CREATE TRIGGER sign_ins_emptied AFTER TRUNCATE ON sign_ins
  FOR EACH STATEMENT EXECUTE FUNCTION note_change_of_everything();

-- The same for all sign-ins of a user who may ask no longer, or only under a new epoch.
CREATE FUNCTION note_sign_ins_of_user() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM note_board_change(s.id) FROM sign_ins s WHERE s.uid = OLD.uid;
  RETURN NULL;
END $$;
CREATE TRIGGER users_access_noted AFTER UPDATE OF auth_epoch, status ON users
  FOR EACH ROW WHEN (OLD.auth_epoch IS DISTINCT FROM NEW.auth_epoch OR OLD.status IS DISTINCT FROM NEW.status)
  EXECUTE FUNCTION note_sign_ins_of_user();

-- What boards show besides, and nobody noted: a daily goal, which orders a board by goals, and who left closed standings.
CREATE TRIGGER users_goal_noted AFTER UPDATE OF daily_goal_seconds ON users
  FOR EACH ROW WHEN (OLD.daily_goal_seconds IS DISTINCT FROM NEW.daily_goal_seconds) EXECUTE FUNCTION note_user_change();
CREATE TRIGGER standings_noted AFTER UPDATE ON standings
  FOR EACH ROW EXECUTE FUNCTION note_group_change();
