-- Mail: adding to the outbox.

-- Puts a mail into the outbox, unless this address had too many of this kind: one in 60 s, five an hour, ten a day.
-- Surplus mails are dropped without an error, so that nobody learns what others requested.
CREATE OR REPLACE FUNCTION enqueue_mail(kind text, to_address text, parameters jsonb) RETURNS void
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  t timestamptz;
BEGIN
  -- Of two calls at once for one address, the second waits and then sees the first one's row.
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
