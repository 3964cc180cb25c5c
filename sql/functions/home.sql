-- Home: a database remembers where it is. A dump that was restored, and a copy, are somewhere else than they remember.
-- What has ended since the dump was made would work again there, so everything that signs somebody in ends first.

-- Where this database is: its cluster, the database in it, and the table as it was made there. A dump that is restored
-- over the very database it was made from makes the table again. A standby that takes over is in the same place.
CREATE OR REPLACE FUNCTION database_place() RETURNS text LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  RETURN (SELECT concat_ws('/', c.system_identifier, d.oid, 'database_home'::regclass::oid)
          FROM pg_control_system() c CROSS JOIN pg_database d WHERE d.datname = current_database());
END $$;

-- Whether the database is where it was last used.
CREATE OR REPLACE FUNCTION is_at_home() RETURNS boolean LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  RETURN EXISTS (SELECT FROM database_home h WHERE h.place = database_place());
END $$;

-- Makes this place the database's home. If it had another, all sign-ins end, unless they are to be kept. Returns 'new',
-- 'same', 'sign_ins_ended' or 'sign_ins_kept'.
CREATE OR REPLACE FUNCTION settle_at_home(keep_sign_ins boolean) RETURNS text
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO database_home (place) VALUES (database_place()) ON CONFLICT DO NOTHING;
  IF FOUND THEN RETURN 'new'; END IF;
  UPDATE database_home h SET place = database_place() WHERE h.place <> database_place();
  IF NOT FOUND THEN RETURN 'same'; END IF;
  INSERT INTO audit_events (kind, details)
    VALUES ('database_moved', jsonb_build_object('sign_ins_kept', keep_sign_ins));
  IF keep_sign_ins THEN RETURN 'sign_ins_kept'; END IF;
  PERFORM admin_end_all_sign_ins('the database was restored or copied', 'anthill migrate');
  RETURN 'sign_ins_ended';
END $$;

-- What admin_end_all_sign_ins ends, and how much of each.
CREATE OR REPLACE FUNCTION admin_all_access() RETURNS TABLE (what text, number bigint)
  LANGUAGE plpgsql STABLE ROWS 7 SET search_path = public, pg_temp AS $$
BEGIN
  RETURN QUERY
    SELECT 'sign_ins', count(*) FROM sign_ins s WHERE s.scopes IS NULL
    UNION ALL SELECT 'api_keys', count(*) FROM sign_ins s WHERE s.scopes IS NOT NULL
    UNION ALL SELECT 'calendar_addresses', count(*) FROM calendar_feeds
    UNION ALL SELECT 'badges', count(*) FROM badges
    UNION ALL SELECT 'links', count(*) FROM auth_tokens t WHERE t.used_at IS NULL AND t.purpose <> 'email_return'
    UNION ALL SELECT 'trips_to_providers',
      (SELECT count(*) FROM provider_flows) + (SELECT count(*) FROM provider_tickets)
    UNION ALL SELECT 'invitations', count(*) FROM invitations i
      WHERE i.revoked_at IS NULL AND i.expires_at > anthill_clock();
END $$;

-- Ends everything that signs somebody in or lets somebody in: all sign-ins, keys, calendar addresses and badges, links
-- in mails, trips to providers and invitations. Only links that give an old address back stay, because nothing else can
-- undo what a thief did.
CREATE OR REPLACE FUNCTION admin_end_all_sign_ins(reason text, by text) RETURNS bigint
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  ended jsonb := (SELECT jsonb_object_agg(a.what, a.number) FROM admin_all_access() a);
BEGIN
  DELETE FROM sign_ins;
  DELETE FROM calendar_feeds;
  DELETE FROM badges;
  DELETE FROM auth_tokens t WHERE t.used_at IS NULL AND t.purpose <> 'email_return';
  DELETE FROM provider_flows;
  DELETE FROM provider_tickets;
  UPDATE invitations i SET revoked_at = anthill_clock() WHERE i.revoked_at IS NULL AND i.expires_at > anthill_clock();
  RETURN note_admin_change('end_all_sign_ins', NULL, reason, by, facts => ended);
END $$;

-- Notes that a backup was made, for last_backup and the audit. Any tool may call it, also one of another machine.
CREATE OR REPLACE FUNCTION admin_note_backup(place text, bytes bigint, is_encrypted boolean, by text) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO audit_events (kind, details) VALUES ('backup_made', jsonb_build_object(
    'place', place, 'bytes', bytes, 'is_encrypted', is_encrypted, 'by', by));
END $$;

-- Where the last backup is; NULL if there has been none.
CREATE OR REPLACE FUNCTION last_backup_place() RETURNS text
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  RETURN (SELECT e.details ->> 'place' FROM audit_events e WHERE e.kind = 'backup_made'
          ORDER BY e.at DESC, e.id DESC LIMIT 1);
END $$;

-- When the last backup was made; NULL if there has been none.
CREATE OR REPLACE FUNCTION last_backup() RETURNS timestamptz
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  RETURN (SELECT max(e.at) FROM audit_events e WHERE e.kind = 'backup_made');
END $$;
