-- A webhook is also off because its maker has left the group: who made it, or last turned it on again.
ALTER TABLE webhooks
  -- squawk-ignore ban-drop-constraint
  DROP CONSTRAINT webhooks_off_because,
  -- squawk-ignore constraint-missing-not-valid
  ADD CONSTRAINT webhooks_off_because CHECK (
    off_because IN ('admin', 'gone', 'failing', 'secret_changed', 'maker_left'));
-- Those of makers who left before.
UPDATE webhooks w SET off_since = anthill_clock(), off_because = 'maker_left'
  WHERE w.off_since IS NULL
    AND NOT EXISTS (SELECT FROM group_members m WHERE m.uid = w.uid AND m.group_id = w.group_id);
