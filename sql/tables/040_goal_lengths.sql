-- The shortest goal of a week or a month is shortest_length(), as that of a day.
ALTER TABLE groups
  -- squawk-ignore ban-drop-constraint
  DROP CONSTRAINT groups_month_goal_seconds,
  -- squawk-ignore constraint-missing-not-valid
  ADD CONSTRAINT groups_month_goal_seconds CHECK (month_goal_seconds BETWEEN shortest_length() AND most_month_goal());
ALTER TABLE period_goals
  -- squawk-ignore ban-drop-constraint
  DROP CONSTRAINT period_goals_seconds,
  -- squawk-ignore constraint-missing-not-valid
  ADD CONSTRAINT period_goals_seconds CHECK (
    goal_seconds BETWEEN shortest_length() AND CASE period WHEN 'week' THEN longest_week() ELSE longest_month() END);
