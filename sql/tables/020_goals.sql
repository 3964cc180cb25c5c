-- What somebody wants to study in a week and in a month, beside the goal of a day, and the dates that they count down
-- to.

CREATE TABLE period_goals (
  uid uuid CONSTRAINT period_goals_student REFERENCES students ON DELETE CASCADE,
  period text CONSTRAINT period_goals_period CHECK (period IN ('week', 'month')),
  goal_seconds integer NOT NULL CONSTRAINT period_goals_seconds
    CHECK (goal_seconds BETWEEN 60 AND CASE period WHEN 'week' THEN longest_week() ELSE longest_month() END),
  CONSTRAINT period_goals_key PRIMARY KEY (uid, period)
);

CREATE TABLE target_dates (
  uid uuid CONSTRAINT target_dates_student REFERENCES students ON DELETE CASCADE,
  id uuid DEFAULT gen_random_uuid(),
  title text NOT NULL CONSTRAINT target_dates_title CHECK (char_length(title) BETWEEN 1 AND 40),
  day date NOT NULL CONSTRAINT target_dates_day CHECK (isfinite(day)),
  created_at timestamptz NOT NULL DEFAULT anthill_clock(),
  CONSTRAINT target_dates_key PRIMARY KEY (uid, id)
);
