-- Totals are found by their person first: who is deleted or recounted reads only their own. Boards ask for each of
-- their people, and read as much as before.
ALTER TABLE day_totals
  -- squawk-ignore ban-drop-constraint
  DROP CONSTRAINT day_totals_key;
ALTER TABLE day_totals
  -- squawk-ignore constraint-missing-not-valid, adding-serial-primary-key-field
  ADD CONSTRAINT day_totals_key PRIMARY KEY (uid, rules_id, day);
ALTER TABLE month_totals
  -- squawk-ignore ban-drop-constraint
  DROP CONSTRAINT month_totals_key;
ALTER TABLE month_totals
  -- squawk-ignore constraint-missing-not-valid, adding-serial-primary-key-field
  ADD CONSTRAINT month_totals_key PRIMARY KEY (uid, rules_id, month);
