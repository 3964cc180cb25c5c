-- Study: sessions, the intervals they are made of, and the days those add up to. Written only by the functions of
-- later files, for the program and for admins alike.

-- One sitting of study.
CREATE TABLE study_sessions (
  uid uuid CONSTRAINT study_sessions_user REFERENCES users ON DELETE CASCADE,
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
  CONSTRAINT study_sessions_key PRIMARY KEY (uid, session_id)
) WITH (fillfactor = 90);
CREATE UNIQUE INDEX study_sessions_one_timer ON study_sessions (uid) WHERE state IN ('running', 'paused');

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
  CONSTRAINT study_intervals_length CHECK (ended_at <= started_at + interval '12 hours'),
  CONSTRAINT study_intervals_whole_seconds
    CHECK (started_at::timestamptz(0) = started_at AND ended_at::timestamptz(0) = ended_at),
  CONSTRAINT study_intervals_running
    CHECK (ended_at IS NOT NULL OR (source = 'timer' AND retracted_at IS NULL AND NOT unconfirmed)),
  CONSTRAINT study_intervals_no_overlap
    EXCLUDE USING gist (uid WITH =, tstzrange(started_at, coalesce(ended_at, 'infinity')) WITH &&)
    WHERE (retracted_at IS NULL)
);
CREATE UNIQUE INDEX study_intervals_one_running ON study_intervals (uid) WHERE ended_at IS NULL;
CREATE INDEX study_intervals_of_session ON study_intervals (uid, session_id);

-- The personal calendar: each interval's seconds on the days of the clock it was recorded under, imports included.
CREATE TABLE study_days (
  uid uuid CONSTRAINT study_days_user REFERENCES users ON DELETE CASCADE,
  day date,
  study_seconds integer NOT NULL DEFAULT 0 CONSTRAINT study_days_study_seconds CHECK (study_seconds >= 0),
  goal_seconds integer NOT NULL,
  CONSTRAINT study_days_key PRIMARY KEY (uid, day)
) WITH (fillfactor = 80);
