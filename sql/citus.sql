-- citus.sql: spreads the study of users over the worker nodes of Citus. docs/operate.md says how to set Citus up.
--
-- Run it on the coordinator as a superuser, after the first `anthill migrate` and after each later one. It
-- does what is not done yet: a second run changes nothing. It stops when a table has no place in the list below.
--
--   spread        what hangs on a student lies on a worker, by its uid; all of one student on the same worker
--   copied        every node has a copy: zones and rules, which all study reads and which hardly ever change
--   coordinator   accounts, groups, closed months, mail, and all that is asked for without a uid. The global board is
--                 here, too, because its ranks are exact only in one snapshot, and snapshots end at a node
--
-- Variables:  shards   into how many parts the study is cut (default: 4). Twice the number of workers you ever want
-- Undo:       not needed for a second run; the way back is a dump into a database without Citus
-- Example:    psql -U postgres -d anthill -v shards=8 -f sql/citus.sql

\set ON_ERROR_STOP on
\set QUIET on
\if :{?shards} \else \set shards 4
\endif
\pset tuples_only on
SET client_min_messages = warning;

BEGIN;
CREATE TEMPORARY TABLE places ON COMMIT DROP AS
  SELECT place, name, row_number() OVER () AS number
  FROM (VALUES
    -- A table comes after those that it refers to.
    ('copied', '{time_zones,ranking_rules}'::text[]),
    ('spread', '{students,subjects,projects,tasks,task_projects,study_sessions,study_intervals,study_days,plans,
      wake_ups,past_goals,rest_days,perfect_announcements,alarms,wake_up_challenges,counted_under,day_totals,
      month_totals,past_streaks,period_goals,target_dates,group_membership_history}'),
    ('coordinator', '{admin_changes,amendments,audit_events,auth_tokens,avatars,badges,board_changes,calendar_feeds,
      change_horizons,cheers,database_home,email_changes,fame,former_emails,group_bans,group_cycles,group_means,
      group_means_round,group_members,group_notices,group_rules,groups,idempotency_keys,
      invitations,join_requests,mail_outbox,month_closes,provider_flows,provider_tickets,push_outbox,push_places,
      push_reminders,push_subscriptions,rank_buckets,rank_deltas,rank_folding,rank_totals,rate_limits,reports,
      schema_migrations,sign_ins,site_admins,standings,suspensions,user_emails,user_identities,users,
      webhook_deliveries,webhooks,weekly_letters}')
  ) lists (place, names), unnest(names) name;
DO $$
DECLARE
  unplaced text := (SELECT string_agg(r.name, ', ') FROM our_relations r
                    WHERE r.is_table AND r.name NOT IN (SELECT p.name FROM places p));
BEGIN
  IF unplaced IS NOT NULL THEN
    RAISE 'sql/citus.sql does not say where these tables are: %', unplaced;
  END IF;
END $$;

-- While tables move, none of those that move refers to another.
CREATE TEMPORARY TABLE moving ON COMMIT DROP AS
  SELECT p.* FROM places p WHERE p.place <> 'coordinator'
    AND p.name::regclass NOT IN (SELECT d.logicalrelid FROM pg_dist_partition d);
CREATE TEMPORARY TABLE referring ON COMMIT DROP AS
  SELECT c.conrelid::regclass::text AS name, c.conname, pg_get_constraintdef(c.oid) AS definition
  FROM pg_constraint c
  WHERE c.contype = 'f'
    AND (EXISTS (SELECT FROM moving m WHERE m.name::regclass IN (c.conrelid, c.confrelid))
      -- What a later migration added.
      OR EXISTS (SELECT FROM places p WHERE p.name = c.conrelid::regclass::text AND p.place = 'coordinator')
        AND EXISTS (SELECT FROM places p WHERE p.name = c.confrelid::regclass::text AND p.place <> 'coordinator'));
SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', r.name, r.conname) FROM referring r \gexec

-- The triggers of copied tables only refuse; those are safe on every node.
SET LOCAL citus.enable_unsafe_triggers = on;
SET LOCAL citus.multi_shard_modify_mode = sequential;
SELECT format('SELECT create_reference_table(%L)', m.name) FROM moving m WHERE m.place = 'copied'
  ORDER BY m.number \gexec
SELECT format('SELECT create_distributed_table(%L, %L, colocate_with => %L%s)', m.name, 'uid',
              CASE m.name WHEN 'students' THEN 'none' ELSE 'students' END,
              CASE m.name WHEN 'students' THEN format(', shard_count => %s', :'shards') END)
  FROM moving m WHERE m.place = 'spread' ORDER BY m.number \gexec
SELECT format('SELECT truncate_local_data_after_distributing_table(%L)', m.name) FROM moving m
  WHERE m.place = 'spread' ORDER BY m.number \gexec
-- A table of the coordinator refers to none that is elsewhere. forget_study does what these constraints did, and rules
-- are never deleted.
SELECT format('ALTER TABLE %s ADD CONSTRAINT %I %s', r.name, r.conname, r.definition)
  FROM referring r JOIN places p USING (name) WHERE p.place <> 'coordinator' \gexec

-- A plan that is made once does not know on which node its rows are.
SELECT format('ALTER FUNCTION %s RESET plan_cache_mode', f.oid::regprocedure)
  FROM our_functions f JOIN pg_proc p USING (oid)
  WHERE EXISTS (SELECT FROM unnest(p.proconfig) c WHERE c ^@ 'plan_cache_mode=') \gexec

-- What the nodes answer with or compute by themselves. Functions that read a table of the coordinator stay there.
SELECT format('SELECT create_distributed_function(%L)', f.oid::regprocedure)
  FROM our_functions f JOIN pg_proc p USING (oid)
  WHERE p.provolatile <> 'v'
    AND NOT EXISTS (SELECT FROM pg_dist_object o WHERE o.classid = 'pg_proc'::regclass AND o.objid = f.oid)
    AND NOT EXISTS (
      SELECT FROM pg_depend d LEFT JOIN pg_type t ON d.refclassid = 'pg_type'::regclass AND t.oid = d.refobjid
      JOIN pg_class c ON c.oid = CASE WHEN d.refclassid = 'pg_class'::regclass THEN d.refobjid ELSE t.typrelid END
      WHERE d.classid = 'pg_proc'::regclass AND d.objid = f.oid AND c.relkind IN ('r', 'v')
        AND c.oid NOT IN (SELECT logicalrelid FROM pg_dist_partition))
  \gexec
COMMIT;
