-- Life of a group: what its page shows of today, its notice, cheers, and its shared cycle.

-- Whether the groups of a user may see which subject they are studying.
ALTER TABLE users ADD COLUMN subject_shown boolean NOT NULL DEFAULT false;

-- A few words to all members. uid: who wrote them; empty when their account is gone.
CREATE TABLE group_notices (
  group_id uuid CONSTRAINT group_notices_key PRIMARY KEY
    CONSTRAINT group_notices_group REFERENCES groups ON DELETE CASCADE,
  uid uuid,
  words text NOT NULL CONSTRAINT group_notices_words CHECK (char_length(words) BETWEEN 1 AND most_notice_characters()),
  written_at timestamptz NOT NULL DEFAULT anthill_clock()
);
CREATE INDEX group_notices_of_user ON group_notices (uid);

-- One member cheers another on a study day of their group.
CREATE TABLE cheers (
  uid uuid,
  group_id uuid CONSTRAINT cheers_group REFERENCES groups ON DELETE CASCADE,
  day date,
  receiver uuid,
  given_at timestamptz NOT NULL DEFAULT anthill_clock(),
  CONSTRAINT cheers_key PRIMARY KEY (uid, group_id, day, receiver),
  CONSTRAINT cheers_not_oneself CHECK (uid <> receiver)
);
CREATE INDEX cheers_of_receiver ON cheers (receiver, group_id, day);
CREATE INDEX cheers_by_age ON cheers (given_at);

-- The cycle that a group studies in: minutes of study and of rest in turn. A time of study began at begins_at.
CREATE TABLE group_cycles (
  group_id uuid CONSTRAINT group_cycles_key PRIMARY KEY
    CONSTRAINT group_cycles_group REFERENCES groups ON DELETE CASCADE,
  study_minutes integer NOT NULL CONSTRAINT group_cycles_study_minutes CHECK (study_minutes > 0),
  rest_minutes integer NOT NULL CONSTRAINT group_cycles_rest_minutes CHECK (rest_minutes > 0),
  minute integer NOT NULL CONSTRAINT group_cycles_minute CHECK (minute BETWEEN 0 AND 59),
  begins_at timestamptz NOT NULL,
  CONSTRAINT group_cycles_length CHECK (study_minutes + rest_minutes <= 1440)
);
