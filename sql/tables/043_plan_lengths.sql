-- The shortest work and rest of a plan are shortest_length(), as a goal's.
ALTER TABLE plans
  -- squawk-ignore ban-drop-constraint
  DROP CONSTRAINT plans_work_seconds,
  -- squawk-ignore ban-drop-constraint
  DROP CONSTRAINT plans_rest_seconds,
  -- squawk-ignore ban-drop-constraint
  DROP CONSTRAINT plans_length,
  -- squawk-ignore constraint-missing-not-valid
  ADD CONSTRAINT plans_length CHECK (is_plan(work_seconds, rest_seconds));
ALTER TABLE study_sessions
  -- squawk-ignore ban-drop-constraint
  DROP CONSTRAINT study_sessions_plan,
  -- squawk-ignore constraint-missing-not-valid
  ADD CONSTRAINT study_sessions_plan CHECK (plan IS NULL OR coalesce(
    (plan->>'name' IS NULL OR char_length(plan->>'name') <= 50)
    AND is_plan((plan->>'work_seconds')::integer, (plan->>'rest_seconds')::integer), false));
