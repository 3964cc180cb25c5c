-- A webhook is also off because the secret of the service has changed, which is not its receiver's doing.
ALTER TABLE webhooks
  -- squawk-ignore ban-drop-constraint
  DROP CONSTRAINT webhooks_off_because,
  -- squawk-ignore constraint-missing-not-valid
  ADD CONSTRAINT webhooks_off_because CHECK (off_because IN ('admin', 'gone', 'failing', 'secret_changed'));
