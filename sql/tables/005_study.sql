-- Study: what it is for, sessions, the intervals they are made of, and the days those add up to. Only functions write
-- them, for the program and for admins alike.

-- What study is for: subjects, projects and tasks. A session may be on a subject, on a task, on both or on neither; a
-- task may be in several projects. Whatever time hangs on is archived, never deleted.

-- What study needs of a user: one row for each, there from the beginning. Whoever writes somebody's study holds it, and
-- all of their study hangs on it. It refers to no user, so that it can lie where their study does.
CREATE TABLE students (
  uid uuid CONSTRAINT students_key PRIMARY KEY,
  time_zone text NOT NULL DEFAULT default_time_zone() CONSTRAINT unknown_time_zone REFERENCES time_zones,
  day_starts_at time NOT NULL DEFAULT default_day_start()
    CONSTRAINT students_day_starts_at CHECK (may_start_a_day(day_starts_at)),
  daily_goal_seconds integer NOT NULL DEFAULT default_daily_goal()
    CONSTRAINT students_daily_goal_seconds CHECK (is_part_of_a_day(daily_goal_seconds)),
  -- Their clock never shows less: months of theirs that end before it are closed.
  not_before timestamptz NOT NULL DEFAULT '-infinity'
) WITH (fillfactor = 80);

CREATE TABLE subjects (
  uid uuid CONSTRAINT subjects_student REFERENCES students ON DELETE CASCADE,
  id uuid DEFAULT gen_random_uuid(),
  name text NOT NULL
    CONSTRAINT subjects_name CHECK (char_length(name) BETWEEN 1 AND 60 AND name !~ '[[:cntrl:]]'),
  colour text NOT NULL DEFAULT 'leaf' CONSTRAINT subjects_colour
    CHECK (colour IN ('leaf', 'honey', 'apple', 'soil', 'sky', 'plum', 'stone', 'moss')),
  archived boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT anthill_clock(),
  CONSTRAINT subjects_key PRIMARY KEY (uid, id)
);

CREATE TABLE projects (
  uid uuid CONSTRAINT projects_student REFERENCES students ON DELETE CASCADE,
  id uuid DEFAULT gen_random_uuid(),
  name text NOT NULL
    CONSTRAINT projects_name CHECK (char_length(name) BETWEEN 1 AND 60 AND name !~ '[[:cntrl:]]'),
  colour text NOT NULL DEFAULT 'leaf' CONSTRAINT projects_colour
    CHECK (colour IN ('leaf', 'honey', 'apple', 'soil', 'sky', 'plum', 'stone', 'moss')),
  archived boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT anthill_clock(),
  CONSTRAINT projects_key PRIMARY KEY (uid, id)
);

CREATE TABLE tasks (
  uid uuid CONSTRAINT tasks_student REFERENCES students ON DELETE CASCADE,
  id uuid DEFAULT gen_random_uuid(),
  title text NOT NULL
    CONSTRAINT tasks_title CHECK (char_length(title) BETWEEN 1 AND 200 AND title !~ '[[:cntrl:]]'),
  estimate_seconds integer CONSTRAINT tasks_estimate_seconds CHECK (estimate_seconds BETWEEN 60 AND 3600000),
  done boolean NOT NULL DEFAULT false,
  archived boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT anthill_clock(),
  actual_seconds bigint NOT NULL DEFAULT 0                -- what counts of its sessions; kept by recording itself
    CONSTRAINT tasks_actual_seconds CHECK (actual_seconds >= 0),
  CONSTRAINT tasks_key PRIMARY KEY (uid, id)
);

CREATE TABLE task_projects (
  uid uuid,
  task_id uuid,
  project_id uuid,
  CONSTRAINT task_projects_key PRIMARY KEY (uid, task_id, project_id),
  CONSTRAINT task_projects_task FOREIGN KEY (uid, task_id) REFERENCES tasks (uid, id) ON DELETE CASCADE,
  CONSTRAINT task_projects_project FOREIGN KEY (uid, project_id) REFERENCES projects (uid, id) ON DELETE CASCADE
);
CREATE INDEX task_projects_of_project ON task_projects (uid, project_id);

-- One sitting of study.
CREATE TABLE study_sessions (
  uid uuid CONSTRAINT study_sessions_student REFERENCES students ON DELETE CASCADE,
  session_id uuid DEFAULT gen_random_uuid(),
  subject_id uuid,
  task_id uuid,
  goal_seconds integer CONSTRAINT study_sessions_goal_seconds CHECK (goal_seconds BETWEEN 1 AND 86400),
  plan jsonb,
  note text CONSTRAINT study_sessions_note CHECK (char_length(note) <= 2000),
  -- unconfirmed: ended at 12 h without its owner, who has yet to say when; discarded: cancelled or retracted
  state text NOT NULL CONSTRAINT study_sessions_state
    CHECK (state IN ('running', 'paused', 'finished', 'unconfirmed', 'discarded')),
  source text NOT NULL CONSTRAINT study_sessions_source CHECK (source IN ('timer', 'manual', 'import')),
  created_at timestamptz NOT NULL DEFAULT anthill_clock(),
  unattended_mail_at timestamptz,                         -- when its owner was told that it runs and runs
  CONSTRAINT study_sessions_key PRIMARY KEY (uid, session_id),
  -- Nobody's session is on another's subject or task: the keys hold the uid.
  CONSTRAINT study_sessions_subject FOREIGN KEY (uid, subject_id) REFERENCES subjects (uid, id),
  CONSTRAINT study_sessions_task FOREIGN KEY (uid, task_id) REFERENCES tasks (uid, id),
  -- A copy of the plan it was started with, whatever becomes of that plan; it may have no name.
  CONSTRAINT study_sessions_plan CHECK (plan IS NULL OR coalesce(
    char_length(plan->>'name') <= 50 OR plan->>'name' IS NULL, false) AND coalesce(
    (plan->>'work_seconds')::integer >= 60 AND (plan->>'rest_seconds')::integer >= 60
      AND (plan->>'work_seconds')::integer + (plan->>'rest_seconds')::integer <= 86400, false))
) WITH (fillfactor = 90);
CREATE UNIQUE INDEX study_sessions_one_timer ON study_sessions (uid) WHERE state IN ('running', 'paused');
CREATE INDEX study_sessions_of_subject ON study_sessions (uid, subject_id, created_at) WHERE subject_id IS NOT NULL;
CREATE INDEX study_sessions_of_task ON study_sessions (uid, task_id) WHERE task_id IS NOT NULL;

-- One unbroken stretch [started_at, ended_at), the atom of everything. It keeps the study clock its owner had when it
-- was recorded. Nothing is edited in place: a correction retracts one and records another.
CREATE TABLE study_intervals (
  uid uuid,
  interval_id uuid DEFAULT gen_random_uuid(),
  session_id uuid NOT NULL,
  started_at timestamptz NOT NULL,
  ended_at timestamptz,                                   -- none while it runs
  source text NOT NULL CONSTRAINT study_intervals_source CHECK (source IN ('timer', 'manual', 'import')),
  time_zone text NOT NULL,
  day_starts_at time NOT NULL,
  recorded_at timestamptz NOT NULL,
  retracted_at timestamptz,
  unconfirmed boolean NOT NULL DEFAULT false,             -- counts for nothing, but its stretch stays taken
  CONSTRAINT study_intervals_key PRIMARY KEY (uid, interval_id),
  CONSTRAINT study_intervals_session FOREIGN KEY (uid, session_id) REFERENCES study_sessions ON DELETE CASCADE,
  CONSTRAINT study_intervals_order CHECK (ended_at > started_at),
  CONSTRAINT study_intervals_length CHECK (ended_at <= started_at + longest_interval()),
  CONSTRAINT study_intervals_whole_seconds
    CHECK (started_at::timestamptz(0) = started_at AND ended_at::timestamptz(0) = ended_at),
  CONSTRAINT study_intervals_recorded CHECK (
    recorded_at >= started_at AND retracted_at >= recorded_at AND (source = 'timer' OR recorded_at >= ended_at)),
  CONSTRAINT study_intervals_running
    CHECK (ended_at IS NOT NULL OR (source = 'timer' AND retracted_at IS NULL AND NOT unconfirmed)),
  CONSTRAINT study_intervals_no_overlap
    EXCLUDE USING gist (uid WITH =, tstzrange(started_at, coalesce(ended_at, 'infinity')) WITH &&)
    WHERE (retracted_at IS NULL)
);
CREATE UNIQUE INDEX study_intervals_one_running ON study_intervals (uid) WHERE ended_at IS NULL;
CREATE INDEX study_intervals_of_session ON study_intervals (uid, session_id);
-- What was taken back, for looking at how it was before.
CREATE INDEX study_intervals_retracted ON study_intervals (uid, started_at) WHERE retracted_at IS NOT NULL;
-- Past boards, faster: from the totals of now wherever these say the same as those of then.

-- What was recorded late: forgotten timers, and sessions changed. (Boards of the past ask for what is older than the
-- logging window. An index cannot follow that number, so it holds whatever is older than a day.)
CREATE INDEX study_intervals_late ON study_intervals (uid, started_at)
  WHERE recorded_at - started_at > interval '1 day' AND retracted_at IS NULL AND source <> 'import';

-- The personal calendar: each interval's seconds on the days of the clock it was recorded under, imports included.
CREATE TABLE study_days (
  uid uuid CONSTRAINT study_days_student REFERENCES students ON DELETE CASCADE,
  day date,
  study_seconds integer NOT NULL DEFAULT 0 CONSTRAINT study_days_study_seconds CHECK (study_seconds >= 0),
  goal_seconds integer NOT NULL,
  CONSTRAINT study_days_key PRIMARY KEY (uid, day)
) WITH (fillfactor = 80);

-- A person's own plans: so long of work and so long of rest, in turn. Both together last at most a day.
CREATE TABLE plans (
  uid uuid CONSTRAINT plans_student REFERENCES students ON DELETE CASCADE,
  name text CONSTRAINT plans_name CHECK (char_length(name) BETWEEN 1 AND 50 AND name !~ '[[:cntrl:]]'),
  work_seconds integer NOT NULL CONSTRAINT plans_work_seconds CHECK (work_seconds >= 60),
  rest_seconds integer NOT NULL CONSTRAINT plans_rest_seconds CHECK (rest_seconds >= 60),
  created_at timestamptz NOT NULL DEFAULT anthill_clock(),
  CONSTRAINT plans_key PRIMARY KEY (uid, name),
  CONSTRAINT plans_length CHECK (work_seconds + rest_seconds <= 86400)
);

-- The timer: one per user, kept by the database's clock. A running one is an interval without an end; pausing ends the
-- interval, resuming begins the next, stopping finishes the session. One that has passed 12 h is no timer any more,
-- whether or not anybody has ended it yet.

-- What a timer answers. Idle: no session, nothing elapsed.
CREATE TYPE timer AS (
  state text, session_id uuid, started_at timestamptz, running_since timestamptz, elapsed_seconds integer,
  goal_seconds integer, subject_id uuid, task_id uuid, plan jsonb, note text, server_time timestamptz,
  phase_number integer, phase_started_at timestamptz
);

-- What a session is to its owner. Seconds are those of its intervals, up to now while one runs; a session that waits
-- for its end to be confirmed has counted none.
CREATE TYPE session_summary AS (
  session_id uuid, state text, source text, subject_id uuid, task_id uuid, goal_seconds integer, plan jsonb, note text,
  started_at timestamptz, ended_at timestamptz, seconds integer, created_at timestamptz, intervals jsonb
);
