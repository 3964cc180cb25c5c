-- The change feed: which users, groups and sign-ins have changed. Live boards and the memory of each instance read it.
-- A subject of board_changes is the id of one of these.

-- Notes that a user, a group or a sign-in changed in this transaction; once is enough. Functions that write study call
-- it themselves.
CREATE OR REPLACE FUNCTION note_change(subject uuid) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO board_changes VALUES (pg_current_xact_id(), note_change.subject, anthill_clock())
    ON CONFLICT ON CONSTRAINT board_changes_key DO NOTHING;
END $$;

-- The same for the user of the row that changed.
CREATE OR REPLACE FUNCTION note_user_change() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM note_change(CASE WHEN TG_OP = 'DELETE' THEN OLD.uid ELSE NEW.uid END);
  RETURN NULL;
END $$;

-- The same for the group of the row that changed.
CREATE OR REPLACE FUNCTION note_group_change() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM note_change(CASE WHEN TG_OP = 'DELETE' THEN OLD.group_id ELSE NEW.group_id END);
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER users_noted AFTER UPDATE OF nickname, subject_shown ON users
  FOR EACH ROW WHEN ((OLD.nickname, OLD.subject_shown) IS DISTINCT FROM (NEW.nickname, NEW.subject_shown))
  EXECUTE FUNCTION note_user_change();

CREATE OR REPLACE TRIGGER avatars_noted AFTER INSERT OR UPDATE OR DELETE ON avatars
  FOR EACH ROW EXECUTE FUNCTION note_user_change();

CREATE OR REPLACE TRIGGER group_members_noted AFTER INSERT OR UPDATE OR DELETE ON group_members
  FOR EACH ROW EXECUTE FUNCTION note_group_change();

CREATE OR REPLACE TRIGGER groups_noted AFTER UPDATE OF name, emoji, colour, duel ON groups
  FOR EACH ROW
    WHEN ((OLD.name, OLD.emoji, OLD.colour, OLD.duel) IS DISTINCT FROM (NEW.name, NEW.emoji, NEW.colour, NEW.duel))
  EXECUTE FUNCTION note_group_change();

CREATE OR REPLACE TRIGGER group_rules_noted AFTER INSERT OR UPDATE OR DELETE ON group_rules
  FOR EACH ROW EXECUTE FUNCTION note_group_change();

CREATE OR REPLACE TRIGGER month_closes_noted AFTER INSERT ON month_closes
  FOR EACH ROW EXECUTE FUNCTION note_group_change();

CREATE OR REPLACE TRIGGER amendments_noted AFTER INSERT ON amendments
  FOR EACH ROW EXECUTE FUNCTION note_group_change();

-- The same for the group of a suspension; without a group, for its user.
CREATE OR REPLACE FUNCTION note_suspension_change() RETURNS trigger
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  changed suspensions := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
BEGIN
  PERFORM note_change(coalesce(changed.group_id, changed.uid));
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER suspensions_noted AFTER INSERT OR UPDATE OR DELETE ON suspensions
  FOR EACH ROW EXECUTE FUNCTION note_suspension_change();

-- Notes a sign-in that ended.
CREATE OR REPLACE FUNCTION note_sign_in_change() RETURNS trigger
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM note_change(OLD.id);
  RETURN NULL;
END $$;

-- Notes all sign-ins of a user who was suspended, has a new epoch, or is a site admin from now on or no longer.
CREATE OR REPLACE FUNCTION note_sign_ins_of_user() RETURNS trigger
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM note_change(s.id) FROM sign_ins s WHERE s.uid = CASE WHEN TG_OP = 'INSERT' THEN NEW.uid ELSE OLD.uid END;
  RETURN NULL;
END $$;

-- Notes a change of everything, by the subject that stands for all.
CREATE OR REPLACE FUNCTION note_change_of_everything() RETURNS trigger
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM note_change('00000000-0000-0000-0000-000000000000');
  RETURN NULL;
END $$;

-- Using a sign-in only prolongs it. Any other change may end it.
CREATE OR REPLACE TRIGGER sign_ins_ended AFTER DELETE ON sign_ins
  FOR EACH ROW EXECUTE FUNCTION note_sign_in_change();

CREATE OR REPLACE TRIGGER sign_ins_changed AFTER UPDATE ON sign_ins
  FOR EACH ROW WHEN (
    NEW.expires_at < OLD.expires_at OR NEW.last_seen_at < OLD.last_seen_at
    OR (OLD.uid, OLD.id, OLD.token_mac, OLD.auth_epoch, OLD.scopes)
      IS DISTINCT FROM (NEW.uid, NEW.id, NEW.token_mac, NEW.auth_epoch, NEW.scopes))
  EXECUTE FUNCTION note_sign_in_change();

CREATE OR REPLACE TRIGGER sign_ins_emptied AFTER TRUNCATE ON sign_ins
  FOR EACH STATEMENT EXECUTE FUNCTION note_change_of_everything();

-- A user who is suspended, or active again, signs in anew: older sign-ins are over for good.
CREATE OR REPLACE FUNCTION raise_epoch() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  NEW.auth_epoch := greatest(NEW.auth_epoch, OLD.auth_epoch + 1);
  RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER users_epoch_raised BEFORE UPDATE OF status ON users
  FOR EACH ROW WHEN (OLD.status IS DISTINCT FROM NEW.status) EXECUTE FUNCTION raise_epoch();

CREATE OR REPLACE TRIGGER users_access_noted AFTER UPDATE OF auth_epoch, status, leaves_at ON users
  FOR EACH ROW
    WHEN ((OLD.auth_epoch, OLD.status, OLD.leaves_at) IS DISTINCT FROM (NEW.auth_epoch, NEW.status, NEW.leaves_at))
  EXECUTE FUNCTION note_sign_ins_of_user();

-- Entries that left closed standings, and amendments.
CREATE OR REPLACE TRIGGER standings_noted AFTER UPDATE ON standings
  FOR EACH ROW EXECUTE FUNCTION note_group_change();

-- Whether somebody is signed in on a device and may go on watching what it watches.
CREATE OR REPLACE FUNCTION is_signed_in(user_id uuid, sign_in uuid) RETURNS boolean
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  RETURN EXISTS (
    SELECT FROM users u JOIN sign_ins s USING (uid, auth_epoch)
    WHERE u.uid = user_id AND s.id = is_signed_in.sign_in AND in_use(u)
      AND s.expires_at > anthill_clock());
END $$;

-- Locks somebody who is signed in on that device, or refuses. What ends sign-ins locks the user, too: what is made
-- after this call is made before they end, or not at all.
CREATE OR REPLACE FUNCTION lock_signed_in(user_id uuid, sign_in uuid) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM FROM users u WHERE u.uid = user_id FOR NO KEY UPDATE;
  IF NOT is_signed_in(user_id, sign_in) THEN
    PERFORM refuse('signed_out_meanwhile', 'the sign-in has ended');
  END IF;
END $$;

-- The next instant at which a group's board changes without a write: the end of its study day, the beginning of the
-- next (another instant where the clock changes), or the end of a suspension.
CREATE OR REPLACE FUNCTION board_turns_at(for_group uuid) RETURNS timestamptz
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
DECLARE
  clock timestamptz := anthill_clock();
  tomorrow date := group_day(for_group, clock) + 1;
  early ranking_rules := group_rules_in(for_group, month_of(tomorrow - 1));
  late ranking_rules := group_rules_in(for_group, month_of(tomorrow));
BEGIN
  RETURN least(
    (SELECT min(t.at) FROM (VALUES (study_day_start(tomorrow, early.time_zone, early.day_starts_at)),
                                   (study_day_start(tomorrow, late.time_zone, late.day_starts_at))) t (at)
      WHERE t.at > clock),
    (SELECT min(s.until) FROM suspensions s WHERE s.group_id = for_group AND s.lifted_at IS NULL AND s.until > clock));
END $$;

-- Removes changes that nobody needs any more, and notes where the snapshots stand; call it every minute. A reader asks
-- for the changes that its snapshot does not see, and that snapshot may be a minute old. So a change can go when its
-- transaction ended before every snapshot of the last two minutes. Its age does not matter.
CREATE OR REPLACE FUNCTION forget_changes() RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  clock timestamptz := anthill_clock();
BEGIN
  DELETE FROM board_changes c
    WHERE c.changed_in < (SELECT max(h.horizon) FROM change_horizons h WHERE h.noted_at <= clock - interval '2 minutes')
      -- A restored database counts its transactions anew, so no reader has a later one.
      OR c.changed_in >= pg_snapshot_xmax(pg_current_snapshot());
  DELETE FROM change_horizons h
    WHERE h.noted_at <= clock - interval '10 minutes' OR h.noted_at > clock
      OR h.horizon > pg_snapshot_xmax(pg_current_snapshot());
  INSERT INTO change_horizons (noted_at, horizon) VALUES (clock, pg_snapshot_xmin(pg_current_snapshot()))
    ON CONFLICT ON CONSTRAINT change_horizons_key DO NOTHING;
END $$;
