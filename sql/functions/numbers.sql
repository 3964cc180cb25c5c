-- The numbers of the rules, each in one place. Constraints and functions call them. The program reads them at its start
-- (rule_numbers) and puts them into errors, mails, the API's description and the pages.
--
-- They cost nothing: a call is replaced by its value when a query is planned. (Constraints are planned with every
-- statement that writes the table. What those of sessions and intervals call is in PL/pgSQL, which starts faster.) A
-- new number applies to what is written from then on; existing rows stay as they are.

-- The longest interval. A timer that still runs then is ended there, unconfirmed.
CREATE OR REPLACE FUNCTION longest_interval() RETURNS interval LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
  SET search_path = public, pg_temp AS $$
BEGIN
  RETURN interval '12 hours';
END $$;

-- How far back study may be added by hand, and how long after its end a session may be changed or deleted.
CREATE OR REPLACE FUNCTION logging_window() RETURNS interval LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN interval '48 hours';

-- How long a month stays open after its end: as long as study may still be added.
CREATE OR REPLACE FUNCTION grace_period() RETURNS interval LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN logging_window();

-- How long before the next month a group must declare new rules. Declared later, they begin one month later.
CREATE OR REPLACE FUNCTION rules_notice() RETURNS interval LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN grace_period();

-- How far a client's clock may be ahead; such times count as now.
CREATE OR REPLACE FUNCTION clock_slack() RETURNS interval LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN interval '60 seconds';

-- The default study clock, also that of the global board.
CREATE OR REPLACE FUNCTION default_time_zone() RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 'Asia/Seoul';
CREATE OR REPLACE FUNCTION default_day_start() RETURNS time LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN time '05:00';

-- A study day must begin before this time, in whole minutes. Later, most of a date would belong to the day before.
CREATE OR REPLACE FUNCTION day_starts_before() RETURNS time LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN time '12:00';
CREATE OR REPLACE FUNCTION may_start_a_day(at time) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN at < day_starts_before() AND extract(second FROM at) = 0;

-- The default daily goal of a user, and the default daily cap of a group.
CREATE OR REPLACE FUNCTION default_daily_goal() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 4 * 3600;
CREATE OR REPLACE FUNCTION default_daily_cap() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 16 * 3600;

-- The shortest goal, daily cap, length that is offered for a timer, and work or rest of a plan, in seconds; the longest
-- of a day is a day. A countdown itself may be as short as a second.
CREATE OR REPLACE FUNCTION shortest_length() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 60;
CREATE OR REPLACE FUNCTION is_part_of_a_day(seconds integer) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN seconds BETWEEN shortest_length() AND 86400;

-- Whether work and rest may be so long in a plan: each is long enough, and both together last at most a day.
CREATE OR REPLACE FUNCTION is_plan(work_seconds integer, rest_seconds integer) RETURNS boolean
  LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = public, pg_temp AS $$
BEGIN
  RETURN is_part_of_a_day(least(work_seconds, rest_seconds)) AND is_part_of_a_day(work_seconds + rest_seconds);
END $$;

-- The default length that is offered for a timer.
CREATE OR REPLACE FUNCTION default_timer_length() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 30 * 60;

-- How long a timer runs without a pause before its owner is told, by mail and by push.
CREATE OR REPLACE FUNCTION unattended_after() RETURNS interval LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN interval '6 hours';

-- The alarm: how long until a new time takes effect, how long a ring can be answered, and in how many tries.
CREATE OR REPLACE FUNCTION alarm_notice() RETURNS interval LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN interval '30 minutes';
CREATE OR REPLACE FUNCTION alarm_window() RETURNS interval LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN interval '2 minutes';
CREATE OR REPLACE FUNCTION alarm_tries() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 5;

-- Rest days: how many in a calendar month, and how many days ahead they may be planned.
CREATE OR REPLACE FUNCTION rest_days_a_month() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 2;
CREATE OR REPLACE FUNCTION rest_days_ahead() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 366;

-- How many days one answer may cover, in lists, tables and sums.
CREATE OR REPLACE FUNCTION most_days_at_once() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 366;

-- The longest suspension, in days.
CREATE OR REPLACE FUNCTION longest_suspension_days() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 366;

-- How many reports somebody may make in 24 hours.
CREATE OR REPLACE FUNCTION most_reports_a_day() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 10;

-- A group's notice, in characters. How many members of a group somebody may cheer on a study day, and how long cheers
-- are kept: longer than any study day.
CREATE OR REPLACE FUNCTION most_notice_characters() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 300;
CREATE OR REPLACE FUNCTION most_cheers_a_day() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 10;
CREATE OR REPLACE FUNCTION cheers_kept() RETURNS interval LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN interval '48 hours';

-- How many closed months of the reader's and theirs a member's profile has.
CREATE OR REPLACE FUNCTION profile_months() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 12;

-- Requests to join groups: how many open ones somebody may have, and how long they wait after one was declined.
CREATE OR REPLACE FUNCTION most_join_requests() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 5;
CREATE OR REPLACE FUNCTION join_request_pause() RETURNS interval LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN interval '30 days';

-- How many groups a person may be in, how many members a group may have, how many subjects, projects or tasks a person
-- may have that are not archived, and how many plans.
CREATE OR REPLACE FUNCTION most_groups() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 20;
CREATE OR REPLACE FUNCTION most_members() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 5000;
CREATE OR REPLACE FUNCTION most_labels() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 500;
CREATE OR REPLACE FUNCTION most_plans() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 20;

-- How long wrong passwords of an account are counted after the last one: all of them, and those from one client.
CREATE OR REPLACE FUNCTION wrong_passwords_kept() RETURNS interval LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN interval '30 days';
CREATE OR REPLACE FUNCTION wrong_passwords_kept_here() RETURNS interval LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN interval '12 hours';

-- On how many devices somebody may get pushes, and how long each kind of push is worth something after its cause. (That
-- of an alarm ends with its ring.)
CREATE OR REPLACE FUNCTION most_push_devices() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 10;
CREATE OR REPLACE FUNCTION timer_push_life() RETURNS interval LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN interval '10 minutes';
CREATE OR REPLACE FUNCTION unattended_push_life() RETURNS interval LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN interval '3 hours';
CREATE OR REPLACE FUNCTION month_push_life() RETURNS interval LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN interval '48 hours';
CREATE OR REPLACE FUNCTION passed_push_life() RETURNS interval LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN interval '12 hours';

-- Keys for other programs: how many somebody may have, and the longest that one lasts, in days.
CREATE OR REPLACE FUNCTION most_api_keys() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 10;
CREATE OR REPLACE FUNCTION most_api_key_days() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 365;

-- How long after the end of somebody's week their letter about it is sent.
CREATE OR REPLACE FUNCTION weekly_letter_delay() RETURNS interval LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN interval '3 hours';

-- How many days of sessions a calendar feed has.
CREATE OR REPLACE FUNCTION calendar_feed_days() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 90;

-- Webhooks: how many a group may have, how many places of a board they are told of, and for how many days the log keeps
-- what they were told.
CREATE OR REPLACE FUNCTION most_webhooks() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 5;
CREATE OR REPLACE FUNCTION webhook_entries() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 10;
CREATE OR REPLACE FUNCTION webhook_log_days() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 30;

-- How many pushes of one person are on their way at the same time, and how many messages to webhooks that they made.
CREATE OR REPLACE FUNCTION most_pushes_at_once() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 2;
CREATE OR REPLACE FUNCTION most_webhooks_at_once() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 2;

-- How long somebody waits until they may have another test of a webhook, or of their pushes.
CREATE OR REPLACE FUNCTION test_pause() RETURNS interval LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN interval '10 seconds';

-- How long an address waits between two mails of a kind; and how many it gets in an hour and in a day, of a kind that
-- anybody can ask for.
CREATE OR REPLACE FUNCTION mail_pause() RETURNS interval LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN interval '60 seconds';
CREATE OR REPLACE FUNCTION most_mails_an_hour() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 5;
CREATE OR REPLACE FUNCTION most_mails_a_day() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 10;

-- How long a device stays signed in without being used, and at most.
CREATE OR REPLACE FUNCTION longest_unused() RETURNS interval LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN interval '30 days';
CREATE OR REPLACE FUNCTION longest_sign_in() RETURNS interval LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN interval '365 days';

-- How exactly it is known when a device or key was last seen.
CREATE OR REPLACE FUNCTION last_seen_step() RETURNS interval LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN interval '10 minutes';

-- How long a request can be repeated under its Idempotency-Key.
CREATE OR REPLACE FUNCTION idempotency_keys_kept() RETURNS interval LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN interval '24 hours';

-- Links in mails: how long one opens an account; how long one confirms a new address, or chooses a new password.
CREATE OR REPLACE FUNCTION registration_link_life() RETURNS interval LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN interval '24 hours';
CREATE OR REPLACE FUNCTION account_link_life() RETURNS interval LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN interval '30 minutes';

-- How long the settings show a new address that nobody confirms.
CREATE OR REPLACE FUNCTION email_changes_kept() RETURNS interval LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN interval '24 hours';

-- How long somebody may take back an address that they gave up, and nobody else may have it.
CREATE OR REPLACE FUNCTION email_hold() RETURNS interval LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN interval '7 days';

-- How long a link in a mail works, by the purpose of its token.
CREATE OR REPLACE FUNCTION link_life(purpose text) RETURNS interval LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN CASE purpose WHEN 'registration' THEN registration_link_life() WHEN 'email_return' THEN email_hold()
                      ELSE account_link_life() END;

-- Invitations: days and uses.
CREATE OR REPLACE FUNCTION default_invitation_days() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 7;
CREATE OR REPLACE FUNCTION most_invitation_days() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 365;
CREATE OR REPLACE FUNCTION most_invitation_uses() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 10000;

-- Sign-in through a provider: how long the way there and back may take, how long somebody new may take to open an
-- account, and how long a sign-in through a provider stands in for the password.
CREATE OR REPLACE FUNCTION provider_answer_time() RETURNS interval LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN interval '10 minutes';
CREATE OR REPLACE FUNCTION provider_ticket_life() RETURNS interval LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN interval '30 minutes';
CREATE OR REPLACE FUNCTION fresh_sign_in_life() RETURNS interval LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN interval '5 minutes';

-- A group needs at least this many members to be compared with others, so that a mean tells little about one of them.
CREATE OR REPLACE FUNCTION fewest_compared() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 5;

-- The means of the board of groups include hidden members only if at least this many of them studied; a mean over fewer
-- would reveal them.
CREATE OR REPLACE FUNCTION fewest_hidden() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 3;

-- The longest month, in seconds: nobody studies more in one.
CREATE OR REPLACE FUNCTION longest_month() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 31 * 86400;

-- The longest week, in seconds.
CREATE OR REPLACE FUNCTION longest_week() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 7 * 86400;

-- How many dates somebody may count down to.
CREATE OR REPLACE FUNCTION most_target_dates() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 10;

-- The highest goal of a group for a month: what a full group could study in the longest month.
CREATE OR REPLACE FUNCTION most_month_goal() RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN most_members()::bigint * longest_month();

-- Profile pictures: how large an uploaded one may be, as a file and in all its pixels; and the one that is made of it,
-- its side in pixels and its most bytes.
CREATE OR REPLACE FUNCTION most_picture_megabytes() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 5;
CREATE OR REPLACE FUNCTION most_picture_megapixels() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 40;
CREATE OR REPLACE FUNCTION avatar_side() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 256;
CREATE OR REPLACE FUNCTION most_avatar_bytes() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 128 * 1024;

-- Leaving: how long an account that is to be deleted may be kept after all.
CREATE OR REPLACE FUNCTION leaving_period() RETURNS interval LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN interval '168 hours';

-- For how many months the audit keeps every event.
CREATE OR REPLACE FUNCTION audit_kept_months() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 12;

-- The numbers that texts of the program use, by the names in those texts.
CREATE OR REPLACE FUNCTION rule_numbers() RETURNS TABLE (name text, value bigint)
  LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 50
  BEGIN ATOMIC
    VALUES
      ('longest_interval_hours', extract(epoch FROM longest_interval())::bigint / 3600),
      ('longest_interval_minutes', extract(epoch FROM longest_interval())::bigint / 60),
      ('logging_window_hours', extract(epoch FROM logging_window())::bigint / 3600),
      ('grace_period_hours', extract(epoch FROM grace_period())::bigint / 3600),
      ('rules_notice_hours', extract(epoch FROM rules_notice())::bigint / 3600),
      ('clock_slack_seconds', extract(epoch FROM clock_slack())::bigint),
      ('day_starts_before_hour', extract(hour FROM day_starts_before())::bigint),
      ('shortest_length', shortest_length()::bigint),
      ('default_daily_cap_hours', default_daily_cap()::bigint / 3600),
      ('unattended_after_hours', extract(epoch FROM unattended_after())::bigint / 3600),
      ('alarm_notice_minutes', extract(epoch FROM alarm_notice())::bigint / 60),
      ('alarm_window_minutes', extract(epoch FROM alarm_window())::bigint / 60),
      ('alarm_tries', alarm_tries()::bigint),
      ('rest_days_a_month', rest_days_a_month()::bigint),
      ('rest_days_ahead', rest_days_ahead()::bigint),
      ('most_days_at_once', most_days_at_once()::bigint),
      ('longest_suspension_days', longest_suspension_days()::bigint),
      ('most_reports_a_day', most_reports_a_day()::bigint),
      ('most_notice_characters', most_notice_characters()::bigint),
      ('most_cheers_a_day', most_cheers_a_day()::bigint),
      ('profile_months', profile_months()::bigint),
      ('most_join_requests', most_join_requests()::bigint),
      ('join_request_pause_days', extract(epoch FROM join_request_pause())::bigint / 86400),
      ('most_groups', most_groups()::bigint),
      ('most_members', most_members()::bigint),
      ('most_month_goal', most_month_goal()),
      ('most_labels', most_labels()::bigint),
      ('most_plans', most_plans()::bigint),
      ('most_target_dates', most_target_dates()::bigint),
      ('longest_week', longest_week()::bigint),
      ('longest_month', longest_month()::bigint),
      ('most_push_devices', most_push_devices()::bigint),
      ('most_api_keys', most_api_keys()::bigint),
      ('most_api_key_days', most_api_key_days()::bigint),
      ('calendar_feed_days', calendar_feed_days()::bigint),
      ('most_webhooks', most_webhooks()::bigint),
      ('webhook_entries', webhook_entries()::bigint),
      ('webhook_log_days', webhook_log_days()::bigint),
      ('test_pause_seconds', extract(epoch FROM test_pause())::bigint),
      ('longest_sign_in_days', extract(epoch FROM longest_sign_in())::bigint / 86400),
      ('idempotency_key_hours', extract(epoch FROM idempotency_keys_kept())::bigint / 3600),
      ('registration_link_hours', extract(epoch FROM registration_link_life())::bigint / 3600),
      ('account_link_minutes', extract(epoch FROM account_link_life())::bigint / 60),
      ('email_hold_days', extract(epoch FROM email_hold())::bigint / 86400),
      ('default_invitation_days', default_invitation_days()::bigint),
      ('most_invitation_days', most_invitation_days()::bigint),
      ('most_invitation_uses', most_invitation_uses()::bigint),
      ('provider_answer_minutes', extract(epoch FROM provider_answer_time())::bigint / 60),
      ('provider_ticket_minutes', extract(epoch FROM provider_ticket_life())::bigint / 60),
      ('fresh_sign_in_minutes', extract(epoch FROM fresh_sign_in_life())::bigint / 60),
      ('fewest_compared', fewest_compared()::bigint),
      ('fewest_hidden', fewest_hidden()::bigint),
      ('most_picture_megabytes', most_picture_megabytes()::bigint),
      ('most_picture_megapixels', most_picture_megapixels()::bigint),
      ('avatar_side', avatar_side()::bigint),
      ('most_avatar_bytes', most_avatar_bytes()::bigint),
      ('leaving_days', extract(epoch FROM leaving_period())::bigint / 86400);
  END;
