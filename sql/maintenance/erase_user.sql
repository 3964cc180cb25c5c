-- erase_user.sql: erases a user at once, as their own wish to leave does after its days.
--
-- Prints in which columns the user is named, and in how many rows. Changes nothing unless apply=1. Then the user, their study,
-- mails, sign-ins and groups' memberships are gone; closed standings keep rank and seconds under "someone who left", and
-- the audit keeps what happened without saying to whom, and the reason. Nothing brings them back but a backup.
-- Refuses while a group would be left without an owner: hand it on (transfer_group) or delete it (delete_group) first.
-- People may go on studying meanwhile. No group is locked while the user's study goes.
--
-- Variables:  uid     the user
--             reason  why; it is written to the audit. Do not name the user in it
--             apply   1 to do it (default: only show what would go)
-- Example:    script/psql -v uid=3f0e4a52-0000-4000-8000-000000000000 -v reason='asked by letter' -f sql/maintenance/erase_user.sql
--             script/psql -v uid=3f0e4a52-0000-4000-8000-000000000000 -v reason='asked by letter' -v apply=1 -f sql/maintenance/erase_user.sql

\set ON_ERROR_STOP on
\set QUIET on
\set VERBOSITY terse
\if :{?uid} \else \set uid ''
\endif
\if :{?reason} \else \set reason ''
\endif
\if :{?apply} \else \set apply 0
\endif
\pset format unaligned
\pset tuples_only on

-- Refuses before it changes anything.
SELECT set_config('anthill.uid', :'uid', false), set_config('anthill.reason', :'reason', false),
       set_config('anthill.apply', :'apply', false) \g /dev/null
DO $$
DECLARE
  wanted text := lower(current_setting('anthill.uid'));
  ownerless jsonb;
BEGIN
  IF wanted !~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN
    PERFORM refuse('wrong_variable', 'name the user: -v uid=UUID');
  ELSIF btrim(current_setting('anthill.reason')) = '' THEN
    PERFORM refuse('wrong_variable', 'give the reason, which the audit keeps: -v reason=''…''');
  ELSIF current_setting('anthill.apply') NOT IN ('0', '1') THEN
    PERFORM refuse('wrong_variable', 'apply is 1, or is left out');
  ELSIF NOT EXISTS (SELECT FROM users u WHERE u.uid = wanted::uuid) THEN
    PERFORM refuse('user_not_found', format('no user has the uid %s', wanted));
  END IF;
  ownerless := groups_left_ownerless(wanted::uuid);
  IF ownerless IS NOT NULL THEN
    PERFORM refuse('leaves_groups_ownerless', format('they are the only owner of: %s', (
      SELECT string_agg(format('%s (%s)', g ->> 'name', g ->> 'id'), ', ') FROM jsonb_array_elements(ownerless) g)));
  END IF;
END $$;

SELECT named_in, row_count FROM rows_about(:'uid');
\if :apply
SELECT quit_all_groups(:'uid') \g /dev/null
SELECT erase_user(:'uid', :'reason') \g /dev/null
\endif
