-- Why a webhook was not told, as a code that each language has words for; `answer` is left to what others said.
ALTER TABLE webhook_deliveries ADD COLUMN failure text CONSTRAINT webhook_deliveries_failure CHECK (failure IN (
  'unknown_host', 'connection_refused', 'timed_out', 'no_tls', 'bad_certificate', 'private_network', 'redirect',
  'secret_changed', 'unreachable'));
