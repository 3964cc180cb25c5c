-- Days: which goal a day had, what it earned, which days may be left out, and how long a streak is.
--
-- A study day earns the study ant when its recorded seconds reach its goal, a midnight day the wake-up ant; where both
-- fall on one date the day is perfect. Nothing of this is kept but what was done: taken back, it is taken off.

-- The wake-up ant of a midnight day in its owner's zone. A row is added when it is earned and never changes.
CREATE TABLE wake_ups (
  uid uuid CONSTRAINT wake_ups_student REFERENCES students ON DELETE CASCADE,
  day date,
  earned_at timestamptz NOT NULL DEFAULT anthill_clock(),
  CONSTRAINT wake_ups_key PRIMARY KEY (uid, day)
);

-- The goals that were: each in force on the days before until_day, down to the until_day before. What is in force since
-- the last of them is students.daily_goal_seconds. study_days keeps a copy beside the seconds, so that a streak is one scan.
CREATE TABLE past_goals (
  uid uuid CONSTRAINT past_goals_student REFERENCES students ON DELETE CASCADE,
  until_day date,
  goal_seconds integer NOT NULL CONSTRAINT past_goals_goal_seconds CHECK (is_part_of_a_day(goal_seconds)),
  CONSTRAINT past_goals_key PRIMARY KEY (uid, until_day)
);

-- Days planned to be left out, at most two a calendar month.
CREATE TABLE rest_days (
  uid uuid CONSTRAINT rest_days_student REFERENCES students ON DELETE CASCADE,
  day date,
  planned_at timestamptz NOT NULL DEFAULT anthill_clock(),
  CONSTRAINT rest_days_key PRIMARY KEY (uid, day)
);

-- Days whose perfect ant somebody has been told of, on whatever device.
CREATE TABLE perfect_announcements (
  uid uuid CONSTRAINT perfect_announcements_student REFERENCES students ON DELETE CASCADE,
  day date,
  announced_at timestamptz NOT NULL DEFAULT anthill_clock(),
  CONSTRAINT perfect_announcements_key PRIMARY KEY (uid, day)
);

-- The morning alarm: when it rings, the problem that is to be solved then, and the wake-up ant for solving it.

-- One setting of a user's alarm, in force from set_at until the next one. Those that have rung stay for a few days:
-- what rang this morning, and how often it rings again, does not change with the setting for tomorrow.
CREATE TABLE alarms (
  uid uuid CONSTRAINT alarms_student REFERENCES students ON DELETE CASCADE,
  set_at timestamptz,
  until timestamptz NOT NULL DEFAULT 'infinity',
  counts_from timestamptz NOT NULL,                       -- a first ring before this does not count, see set_alarm
  silent_from timestamptz NOT NULL DEFAULT 'infinity',    -- when the alarm was turned off: it does not ring again then
  enabled boolean NOT NULL,
  rings_at time NOT NULL CONSTRAINT alarms_time CHECK (rings_at < '24:00' AND extract(second FROM rings_at) = 0),
  time_zone text NOT NULL CONSTRAINT alarms_time_zone REFERENCES time_zones,
  difficulty text NOT NULL CONSTRAINT alarms_difficulty CHECK (difficulty IN ('easy', 'medium', 'hard')),
  sound text NOT NULL CONSTRAINT alarms_sound CHECK (sound IN ('bell', 'birds', 'wood', 'none')),
  every_minutes integer NOT NULL CONSTRAINT alarms_every_minutes CHECK (every_minutes BETWEEN 1 AND 60),
  times integer NOT NULL CONSTRAINT alarms_times CHECK (times BETWEEN 0 AND 10),
  CONSTRAINT alarms_key PRIMARY KEY (uid, set_at),
  CONSTRAINT alarms_order CHECK (until > set_at)
);
CREATE UNIQUE INDEX alarms_one_in_force ON alarms (uid) WHERE until = 'infinity';

-- The problem of one ring: asking again within the ring gives the same one, so that nobody shops for an easy one, and
-- its tries are all the tries there are.
CREATE TABLE wake_up_challenges (
  uid uuid CONSTRAINT wake_up_challenges_student REFERENCES students ON DELETE CASCADE,
  challenge_id uuid DEFAULT gen_random_uuid(),
  day date NOT NULL,
  ring integer NOT NULL,
  puzzle jsonb NOT NULL,
  answer integer NOT NULL,
  asked_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,                        -- the last second in which it may be answered
  tries integer NOT NULL DEFAULT 0 CONSTRAINT wake_up_challenges_tries CHECK (tries BETWEEN 0 AND alarm_tries()),
  solved_at timestamptz,
  CONSTRAINT wake_up_challenges_key PRIMARY KEY (uid, challenge_id),
  CONSTRAINT wake_up_challenges_of_ring UNIQUE (uid, day, ring)
);
CREATE INDEX wake_up_challenges_by_expiry ON wake_up_challenges (expires_at) WHERE solved_at IS NULL;
