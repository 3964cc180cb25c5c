-- Days: what a day earned beside its study.

-- The wake-up ant of a midnight day in its owner's zone. A row is added when it is earned and never changes.
CREATE TABLE wake_ups (
  uid uuid CONSTRAINT wake_ups_user REFERENCES users ON DELETE CASCADE,
  day date,
  earned_at timestamptz NOT NULL DEFAULT anthill_clock(),
  CONSTRAINT wake_ups_key PRIMARY KEY (uid, day)
);
