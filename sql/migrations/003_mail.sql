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

-- Puts a mail into the outbox, unless this address had too many of this kind: one in 60 s, five an hour, ten a day.
-- The surplus is dropped in silence, so that nobody learns from it what others asked for.
CREATE FUNCTION enqueue_mail(kind text, to_address text, parameters jsonb) RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  t timestamptz;
BEGIN
  -- Two at once for one address: the second waits, and then sees the first's row.
  PERFORM pg_advisory_xact_lock(
    hashtextextended(concat_ws('/', current_schema(), 'mail', kind, lower(to_address)), 0));
  t := anthill_clock();
  INSERT INTO mail_outbox (kind, to_address, parameters, created_at, due)
    SELECT enqueue_mail.kind, enqueue_mail.to_address, enqueue_mail.parameters, t, t
    FROM mail_outbox o
    WHERE lower(o.to_address) = lower(enqueue_mail.to_address) AND o.kind = enqueue_mail.kind
      AND o.created_at > t - interval '1 day'
    HAVING count(*) < 10
      AND count(*) FILTER (WHERE o.created_at > t - interval '1 hour') < 5
      AND count(*) FILTER (WHERE o.created_at > t - interval '60 seconds') < 1;
END $$;
