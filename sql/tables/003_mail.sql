-- Mail: the outbox. A row is written in the transaction of what causes the message; a worker takes it on a lease,
-- finds out what, if anything, to send, and marks it sent, due again, or dead. No token is ever kept here.

CREATE TABLE mail_outbox (
  id uuid CONSTRAINT mail_outbox_key PRIMARY KEY DEFAULT gen_random_uuid(),
  kind text NOT NULL,
  to_address text NOT NULL CONSTRAINT mail_outbox_to_address CHECK (to_address !~ '[[:cntrl:]]'),
  parameters jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL DEFAULT anthill_clock(),
  due timestamptz NOT NULL DEFAULT anthill_clock(),
  lease_until timestamptz,
  attempts integer NOT NULL DEFAULT 0,
  sent_at timestamptz,
  dead_at timestamptz,
  last_error text,
  CONSTRAINT mail_outbox_one_end CHECK (sent_at IS NULL OR dead_at IS NULL)
) WITH (fillfactor = 80);
CREATE INDEX mail_outbox_waiting ON mail_outbox (due) WHERE sent_at IS NULL AND dead_at IS NULL;
CREATE INDEX mail_outbox_by_address ON mail_outbox (lower(to_address), kind, created_at);
