-- The numbers of the rules, each in one place. Constraints and functions call them; the program reads them at its start
-- (rule_numbers) and puts them into texts of errors, mails, the API's description and the pages.
--
-- They cost nothing: a call of one is replaced by its value when a query is planned. (A constraint is planned with every
-- statement that writes the table: what one of the intervals calls is in PL/pgSQL, which is the quicker one to start.) A
-- change of one holds for what is written from then on; what is there already stays as it is.

-- An interval lasts at most this long. A timer that still runs then is ended there, unconfirmed.
CREATE OR REPLACE FUNCTION longest_interval() RETURNS interval LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
  SET search_path = public, pg_temp AS $$
BEGIN
  RETURN interval '12 hours';
END $$;

-- How far back study may be logged by hand, and how long after its end a session may be changed or taken back.
CREATE OR REPLACE FUNCTION logging_window() RETURNS interval LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN interval '48 hours';

-- How long a month stays open after its end: as long as study may still be logged.
CREATE OR REPLACE FUNCTION grace_period() RETURNS interval LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN logging_window();

-- How long before the next month a group must declare its rules; later, they begin with the month after it.
CREATE OR REPLACE FUNCTION rules_notice() RETURNS interval LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN grace_period();

-- How far a client's clock may be ahead; what it says then is taken as now.
CREATE OR REPLACE FUNCTION clock_slack() RETURNS interval LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN interval '60 seconds';

-- The study clock of who has not chosen one, and of the global board.
CREATE OR REPLACE FUNCTION default_time_zone() RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 'Asia/Seoul';
CREATE OR REPLACE FUNCTION default_day_start() RETURNS time LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN time '05:00';

-- A study day begins before this time, in whole minutes: later, most of a date would belong to the day before it.
CREATE OR REPLACE FUNCTION day_starts_before() RETURNS time LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN time '12:00';
CREATE OR REPLACE FUNCTION may_start_a_day(at time) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN at < day_starts_before() AND extract(second FROM at) = 0;

-- What somebody wants to study in a day, and what a group counts of it at most, unless said otherwise.
CREATE OR REPLACE FUNCTION default_daily_goal() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 4 * 3600;
CREATE OR REPLACE FUNCTION default_daily_cap() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 16 * 3600;

-- Goals, caps and lengths of timers: a minute to a day.
CREATE OR REPLACE FUNCTION is_part_of_a_day(seconds integer) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN seconds BETWEEN 60 AND 86400;

-- The length that a timer is offered with unless chosen otherwise.
CREATE OR REPLACE FUNCTION default_timer_length() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 30 * 60;

-- When the owner of a timer that runs without a pause gets a mail.
CREATE OR REPLACE FUNCTION unattended_after() RETURNS interval LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN interval '6 hours';

-- The alarm: another time counts from so long after it was set; a ring can be answered so long, in so many tries.
CREATE OR REPLACE FUNCTION alarm_notice() RETURNS interval LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN interval '30 minutes';
CREATE OR REPLACE FUNCTION alarm_window() RETURNS interval LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN interval '2 minutes';
CREATE OR REPLACE FUNCTION alarm_tries() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 5;

-- Rest days: so many in a calendar month, planned at most so many days ahead.
CREATE OR REPLACE FUNCTION rest_days_a_month() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 2;
CREATE OR REPLACE FUNCTION rest_days_ahead() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 366;

-- So many days are answered at once, in lists, tables and sums.
CREATE OR REPLACE FUNCTION most_days_at_once() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 366;

-- A suspension lasts at most so many days.
CREATE OR REPLACE FUNCTION longest_suspension_days() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 366;

-- How many groups one person is in, how many members a group has, how many subjects, projects or tasks that are not
-- archived one keeps, how many plans.
CREATE OR REPLACE FUNCTION most_groups() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 20;
CREATE OR REPLACE FUNCTION most_members() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 5000;
CREATE OR REPLACE FUNCTION most_labels() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 500;
CREATE OR REPLACE FUNCTION most_plans() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 20;

-- Invitations: for so many days and so many people.
CREATE OR REPLACE FUNCTION default_invitation_days() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 7;
CREATE OR REPLACE FUNCTION most_invitation_days() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 365;
CREATE OR REPLACE FUNCTION most_invitation_uses() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 10000;

-- A group is compared with others from so many members on, so that a mean says little of any one of them.
CREATE OR REPLACE FUNCTION fewest_compared() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 5;

-- Sums over members that others see count those who hide only from so many on: over fewer, they would tell of one.
CREATE OR REPLACE FUNCTION fewest_hidden() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 3;

-- The longest month, in seconds: nobody studies more in one.
CREATE OR REPLACE FUNCTION longest_month() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 31 * 86400;

-- What the program tells of these, by the names under which its texts ask for them.
CREATE OR REPLACE FUNCTION rule_numbers() RETURNS TABLE (name text, value bigint)
  LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 24
  BEGIN ATOMIC
    VALUES
      ('longest_interval_hours', extract(epoch FROM longest_interval())::bigint / 3600),
      ('longest_interval_minutes', extract(epoch FROM longest_interval())::bigint / 60),
      ('logging_window_hours', extract(epoch FROM logging_window())::bigint / 3600),
      ('grace_period_hours', extract(epoch FROM grace_period())::bigint / 3600),
      ('rules_notice_hours', extract(epoch FROM rules_notice())::bigint / 3600),
      ('clock_slack_seconds', extract(epoch FROM clock_slack())::bigint),
      ('day_starts_before_hour', extract(hour FROM day_starts_before())::bigint),
      ('default_daily_cap_hours', default_daily_cap()::bigint / 3600),
      ('unattended_after_hours', extract(epoch FROM unattended_after())::bigint / 3600),
      ('alarm_notice_minutes', extract(epoch FROM alarm_notice())::bigint / 60),
      ('alarm_window_minutes', extract(epoch FROM alarm_window())::bigint / 60),
      ('alarm_tries', alarm_tries()::bigint),
      ('rest_days_a_month', rest_days_a_month()::bigint),
      ('rest_days_ahead', rest_days_ahead()::bigint),
      ('most_days_at_once', most_days_at_once()::bigint),
      ('longest_suspension_days', longest_suspension_days()::bigint),
      ('most_groups', most_groups()::bigint),
      ('most_members', most_members()::bigint),
      ('most_labels', most_labels()::bigint),
      ('most_plans', most_plans()::bigint),
      ('default_invitation_days', default_invitation_days()::bigint),
      ('most_invitation_days', most_invitation_days()::bigint),
      ('most_invitation_uses', most_invitation_uses()::bigint),
      ('fewest_compared', fewest_compared()::bigint),
      ('fewest_hidden', fewest_hidden()::bigint);
  END;
