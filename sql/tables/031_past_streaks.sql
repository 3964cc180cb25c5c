-- What somebody's study days before until_day come to, so that their streaks are counted from that day on and not from
-- the first. It holds for the study clock they had, because the clock says which dates did not exist. Without a row,
-- all days are counted.
CREATE TABLE past_streaks (
  uid uuid CONSTRAINT past_streaks_key PRIMARY KEY
    CONSTRAINT past_streaks_student REFERENCES students ON DELETE CASCADE,
  until_day date NOT NULL,
  time_zone text NOT NULL,
  day_starts_at time NOT NULL,
  study_seconds bigint NOT NULL,
  current_streak integer NOT NULL,    -- up to the last day before until_day
  longest_streak integer NOT NULL
);
