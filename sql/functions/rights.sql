-- Rights: who may do what in this database. anthill migrate gives all of them at its end, from the lists in this file.
--
--   the owner         makes and changes tables and functions: who runs anthill migrate
--   anthill_service   the service: reads all tables, and writes only what is listed here
--   anthill_admin     people who maintain the service: read all tables, and write through the functions for them
--   anthill_reader    reports: reads the views report_…, and nothing else
--
-- A function that is listed here runs with the owner's rights (SECURITY DEFINER). Any other function runs with the
-- rights of its caller, so it writes nothing for the service that the service may not write itself. Functions named
-- admin_… that write need no list: they are for admins.

-- The tables that the program writes with statements of its own: its rights, and the only columns that it may update.
CREATE OR REPLACE FUNCTION service_tables() RETURNS TABLE (name text, rights text[], changes text[])
  LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 20
  BEGIN ATOMIC
    VALUES
      ('audit_events', '{INSERT}'::text[], NULL::text[]),
      ('auth_tokens', '{INSERT,UPDATE,DELETE}', '{used_at}'),
      ('avatars', '{INSERT,UPDATE,DELETE}', '{webp,changed_at}'),
      ('email_changes', '{INSERT,UPDATE}', NULL),
      ('group_members', '{UPDATE}', '{visibility}'),
      ('idempotency_keys', '{INSERT,UPDATE,DELETE}', '{status,location,answer}'),
      ('mail_outbox', '{UPDATE}', '{due,lease_until,attempts,sent_at,dead_at,last_error}'),
      ('plans', '{DELETE}', NULL),
      ('provider_flows', '{INSERT,UPDATE}', '{used_at}'),
      ('provider_tickets', '{INSERT,UPDATE}', '{used_at}'),
      ('push_outbox', '{UPDATE,DELETE}', '{due,lease_until,last_error}'),
      ('push_subscriptions', '{DELETE}', NULL),
      ('sign_ins', '{INSERT,UPDATE,DELETE}', '{auth_epoch,last_seen_at,client,expires_at,fresh_until}'),
      ('target_dates', '{UPDATE,DELETE}', '{title,day}'),
      ('user_emails', '{INSERT}', NULL),
      ('user_identities', '{INSERT}', NULL),
      ('users', '{INSERT,UPDATE}',
       '{nickname,locale,theme,password_hash,auth_epoch,default_timer_seconds,sounds,notices,
        unattended_mail,digest_mail,weekly_mail,subject_shown,days_shown,alarm_push,timer_push,unattended_push,
        month_push,passed_push,quiet_from,quiet_to}');
  END;

-- The functions that write and that the program calls. (But set_switch writes the column that it is told; with the
-- rights of the service it writes only those above.)
CREATE OR REPLACE FUNCTION service_functions() RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN ARRAY[
    -- accounts
    'add_api_key', 'ask_to_leave', 'change_email', 'come_back', 'count_hit', 'count_wrong_password', 'end_api_key',
    'enqueue_mail', 'erase_user',
    'forget_changes', 'forget_wrong_passwords', 'note_reached_address', 'note_refused_address', 'note_returned_mail',
    'quit_all_groups', 'remove_expired', 'remove_old_mail', 'take_back_email', 'tell_by_mail', 'uncount_hit',
    'uncount_wrong_password',
    'unlink_identity', 'welcome_newcomer', 'withdraw_email_change',
    -- groups
    'accept_invitation', 'answer_join_request', 'answer_suspension', 'ask_to_join', 'change_group',
    'change_group_rules', 'create_group', 'create_invitation',
    'create_service_invitation', 'delete_group', 'end_service_invitations', 'give_cheer', 'lift_ban', 'lift_suspension',
    'remove_member', 'revoke_invitation', 'set_cycle', 'set_member_role', 'set_notice', 'suspend_member',
    'transfer_group',
    'withdraw_join_request',
    -- study
    'end_calendar_feed', 'make_calendar_feed', 'send_weekly_letters',
    'add_label', 'add_target_date', 'add_task', 'announce_perfect', 'answer_wake_up', 'ask_wake_up', 'cancel_rest_day',
    'cancel_timer',
    'change_label', 'change_session', 'change_task', 'confirm_session', 'describe_session', 'end_overdue_timers',
    'forget_challenges', 'import_sessions', 'move_session', 'move_timer_start', 'pause_timer',
    'plan_rest_day', 'record_session', 'record_sessions', 'remove_label', 'resume_timer', 'save_plan', 'set_alarm',
    'set_daily_goal', 'set_period_goals', 'set_study_clock', 'start_timer', 'stop_timer', 'tell_of_unattended_timers',
    'withdraw_session',
    -- push
    'add_push_subscription', 'claim_pushes', 'push_what_is_due', 'push_who_was_passed', 'send_test_push',
    -- webhooks
    'add_webhook', 'change_webhook', 'claim_webhooks', 'end_webhook_attempt', 'enqueue_weekly_standings',
    'remove_webhook', 'test_webhook',
    -- moderation
    'answer_report', 'answer_service_suspension', 'lift_service_suspension', 'make_report', 'return_after_suspensions',
    'send_mail_again', 'suspend_from_service',
    -- ranking
    'amend_standing', 'change_badge', 'close_month', 'end_badge', 'fold_rank_deltas', 'lock_to_close', 'make_badge',
    'months_due', 'renew_group_means', 'set_global_board'
  ];

-- The functions that write and that admins call, besides those named admin_…. No others: what is done for somebody has
-- to be in the audit, with the admin's name and a reason.
CREATE OR REPLACE FUNCTION admin_functions() RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN ARRAY['end_overdue_timers', 'end_site_admin', 'learn_time_zones', 'make_site_admin'];

-- The relations and functions that we made: the owner of the users owns them, too.
CREATE OR REPLACE VIEW our_relations AS
  SELECT c.oid, c.relname::text AS name, c.relkind = 'r' AS is_table
  FROM pg_class c
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'v', 'S')
    AND c.relowner = (SELECT u.relowner FROM pg_class u WHERE u.oid = 'users'::regclass);

-- A trigger's function writes as the owner, too, for every role that writes the table.
CREATE OR REPLACE VIEW our_functions AS
  SELECT p.oid, p.proname::text AS name, p.prosecdef AS is_definer,
         p.prorettype = 'trigger'::regtype OR c.service OR c.admin AS should_be_definer, c.service, c.admin
  FROM pg_proc p
  CROSS JOIN LATERAL (
    SELECT p.proname = ANY (service_functions()) AS service,
           p.proname = ANY (admin_functions()) OR p.proname ^@ 'admin_' AND p.provolatile = 'v' AS admin
  ) c
  WHERE p.pronamespace = 'public'::regnamespace
    AND p.proowner = (SELECT u.relowner FROM pg_class u WHERE u.oid = 'users'::regclass)
    AND NOT EXISTS (SELECT FROM pg_depend d
      WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e');

-- The roles that everything here is given to, and how to make them. pg_monitor shows admins the statements of others,
-- and with pg_signal_backend they end one that keeps people waiting; what it has changed is then undone.
CREATE OR REPLACE FUNCTION our_roles() RETURNS TABLE (name text, making text)
  LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 3
  BEGIN ATOMIC
    VALUES
      ('anthill_service', 'CREATE ROLE anthill_service LOGIN'),
      ('anthill_admin', 'CREATE ROLE anthill_admin LOGIN IN ROLE pg_monitor, pg_signal_backend'),
      ('anthill_reader', 'CREATE ROLE anthill_reader LOGIN');
  END;

-- What a login may do that the service does not need. The service asks at its start, about itself.
CREATE OR REPLACE FUNCTION rights_beyond_need(login name DEFAULT current_user) RETURNS SETOF text
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  IF (SELECT r.rolsuper FROM pg_roles r WHERE r.rolname = login) THEN
    RETURN NEXT 'is a superuser';
  ELSIF pg_has_role(login, (SELECT c.relowner FROM pg_class c WHERE c.oid = 'users'::regclass), 'MEMBER') THEN
    RETURN NEXT 'owns the tables';
  ELSE
    RETURN QUERY
      SELECT 'may make roles' FROM pg_roles r WHERE r.rolname = login AND r.rolcreaterole
      UNION ALL SELECT 'may make tables'
        WHERE has_schema_privilege(login, 'public', 'CREATE')
          OR has_database_privilege(login, current_database(), 'CREATE, TEMPORARY')
      UNION ALL SELECT format('may %s %s', w.right, t.name)
        FROM our_relations t
        CROSS JOIN unnest(ARRAY['INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'TRIGGER']) w ("right")
        LEFT JOIN service_tables() s ON s.name = t.name AND w.right = ANY (s.rights)
        WHERE t.is_table AND CASE
          WHEN s.name IS NULL THEN
            has_table_privilege(login, t.oid, w.right)
            OR w.right IN ('INSERT', 'UPDATE') AND has_any_column_privilege(login, t.oid, w.right)
          WHEN w.right = 'UPDATE' THEN EXISTS (
            SELECT FROM pg_attribute a WHERE a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
              AND a.attname <> ALL (s.changes) AND has_column_privilege(login, t.oid, a.attnum, w.right))
          ELSE false END
      UNION ALL SELECT format('may call %s', f.name)
        FROM our_functions f WHERE f.admin AND NOT f.service AND has_function_privilege(login, f.oid, 'EXECUTE');
  END IF;
END $$;

-- What each role gets, as statements.
CREATE OR REPLACE FUNCTION rights_of_roles() RETURNS TABLE (role text, statement text)
  LANGUAGE sql STABLE SET search_path = public, pg_temp AS $$
  WITH relations AS (
    SELECT string_agg(r.oid::regclass::text, ', ') AS written,
           string_agg(r.oid::regclass::text, ', ') FILTER (WHERE r.name ^@ 'report_') AS reports
    FROM our_relations r
  ), functions AS (
    SELECT string_agg(f.oid::regprocedure::text, ', ') FILTER (WHERE f.service) AS service,
           string_agg(f.oid::regprocedure::text, ', ') FILTER (WHERE f.admin) AS admin
    FROM our_functions f
  )
  SELECT 'anthill_service', format('GRANT SELECT ON %s TO anthill_service', r.written) FROM relations r
  UNION ALL SELECT 'anthill_service', format('GRANT %s ON %I TO anthill_service', (
      SELECT string_agg(w.right || CASE WHEN w.right = 'UPDATE' AND t.changes IS NOT NULL
                                     THEN format(' (%s)', array_to_string(t.changes, ', ')) ELSE '' END, ', ')
      FROM unnest(t.rights) w ("right")), t.name)
    FROM service_tables() t
  UNION ALL SELECT 'anthill_service', 'GRANT USAGE ON SEQUENCE audit_events_written TO anthill_service'
  UNION ALL SELECT 'anthill_service', format('GRANT EXECUTE ON FUNCTION %s TO anthill_service', f.service)
    FROM functions f
  UNION ALL SELECT 'anthill_admin', format('GRANT SELECT ON %s TO anthill_admin', r.written) FROM relations r
  UNION ALL SELECT 'anthill_admin', format('GRANT EXECUTE ON FUNCTION %s TO anthill_admin', f.admin) FROM functions f
  -- A script of maintenance may keep what it found in a temporary table.
  UNION ALL SELECT 'anthill_admin', format('GRANT TEMPORARY ON DATABASE %I TO anthill_admin', d.datname)
    FROM pg_database d WHERE d.datname = current_database() AND pg_has_role(d.datdba, 'USAGE')
  UNION ALL SELECT 'anthill_reader', format('GRANT SELECT ON %s TO anthill_reader', r.reports) FROM relations r
$$;

-- Gives the roles their rights and takes all others. Makes the roles that are missing, if it may. Returns a sentence
-- for each thing that it could not do.
CREATE OR REPLACE FUNCTION grant_rights() RETURNS SETOF text LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  wanted record;
  statement text;
  there text[] := ARRAY[]::text[];
  missing text[] := ARRAY[]::text[];
  everybody text;
BEGIN
  FOR wanted IN SELECT * FROM our_roles() LOOP
    BEGIN
      IF to_regrole(wanted.name) IS NULL THEN EXECUTE wanted.making; END IF;
      there := there || wanted.name;
    EXCEPTION
      WHEN insufficient_privilege THEN missing := missing || wanted.making;
      -- All databases of a server share its roles, and the migrate of another one was quicker.
      WHEN duplicate_object OR unique_violation THEN there := there || wanted.name;
    END;
  END LOOP;
  everybody := array_to_string(ARRAY['PUBLIC'] || there, ', ');

  FOR statement IN
    SELECT format('ALTER FUNCTION %s SECURITY %s', f.oid::regprocedure,
                  CASE WHEN f.should_be_definer THEN 'DEFINER' ELSE 'INVOKER' END)
      FROM our_functions f WHERE f.is_definer <> f.should_be_definer
    UNION ALL SELECT format('GRANT EXECUTE ON FUNCTION %s TO PUBLIC', f.oid::regprocedure)
      FROM our_functions f WHERE f.is_definer AND NOT f.should_be_definer
    UNION ALL SELECT format('REVOKE ALL ON FUNCTION %s FROM %s', string_agg(f.oid::regprocedure::text, ', '), everybody)
      FROM our_functions f WHERE f.should_be_definer
    UNION ALL SELECT format('REVOKE ALL ON %s FROM %s', string_agg(r.oid::regclass::text, ', '), everybody)
      FROM our_relations r
    UNION ALL SELECT format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', d.datname)
      FROM pg_database d WHERE d.datname = current_database() AND pg_has_role(d.datdba, 'USAGE')
    UNION ALL SELECT 'REVOKE CREATE ON SCHEMA public FROM PUBLIC'
      FROM pg_namespace n WHERE n.nspname = 'public' AND pg_has_role(n.nspowner, 'USAGE')
    UNION ALL SELECT r.statement FROM rights_of_roles() r WHERE r.role = ANY (there)
  LOOP
    EXECUTE statement;
  END LOOP;

  IF cardinality(missing) > 0 THEN
    RETURN NEXT format('Roles are missing, and %s may not make them: let a superuser run "%s", then migrate again.',
      current_user, array_to_string(missing, '; '));
  END IF;
  IF (SELECT r.rolsuper FROM pg_roles r WHERE r.rolname = current_user) THEN
    RETURN NEXT format(
      '%s, a superuser, owns the tables: let a role without that power own the database and migrate it.', current_user);
  END IF;
  IF 'anthill_service' = ANY (there) THEN
    RETURN QUERY SELECT format('anthill_service has rights that it does not need: it %s.', string_agg(b.beyond, ', '))
      FROM rights_beyond_need('anthill_service') b (beyond) HAVING count(*) > 0;
  END IF;
END $$;
