-- Site admins: who looks after the whole service. Only the operator makes one, by command or in SQL; nobody can on the
-- pages.

CREATE OR REPLACE FUNCTION is_site_admin(user_id uuid) RETURNS boolean
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  RETURN EXISTS (SELECT FROM site_admins a WHERE a.uid = user_id);
END $$;

-- Requires that a user is a site admin.
CREATE OR REPLACE FUNCTION require_site_admin(actor uuid) RETURNS void
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  IF NOT is_site_admin(actor) THEN
    PERFORM refuse('needs_site_admin', 'only a site admin may do this', 'insufficient_privilege');
  END IF;
END $$;

-- Makes a user a site admin and returns whether they were none before. by: the operator's name.
CREATE OR REPLACE FUNCTION make_site_admin(user_id uuid, by text) RETURNS boolean
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM lock_student(user_id);
  INSERT INTO site_admins (uid) VALUES (user_id) ON CONFLICT DO NOTHING;
  IF NOT FOUND THEN RETURN false; END IF;
  INSERT INTO audit_events (kind, uid, details) VALUES ('site_admin_made', user_id, jsonb_build_object('by', by));
  RETURN true;
END $$;

-- Takes that back, and returns whether they were one.
CREATE OR REPLACE FUNCTION end_site_admin(user_id uuid, by text) RETURNS boolean
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM site_admins a WHERE a.uid = user_id;
  IF NOT FOUND THEN RETURN false; END IF;
  INSERT INTO audit_events (kind, uid, details) VALUES ('site_admin_ended', user_id, jsonb_build_object('by', by));
  RETURN true;
END $$;

-- What a sign-in may do follows at once.
CREATE OR REPLACE TRIGGER site_admins_noted AFTER INSERT OR DELETE ON site_admins
  FOR EACH ROW EXECUTE FUNCTION note_sign_ins_of_user();
