-- Mail: adding to the outbox.

-- Puts a mail that anybody can ask for into the outbox, unless this address had too many of this kind. Surplus mails
-- are dropped without an error, so that nobody learns what others requested; false then.
CREATE OR REPLACE FUNCTION enqueue_mail(kind text, to_address text, parameters jsonb) RETURNS boolean
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
    HAVING count(*) < most_mails_a_day()
      AND count(*) FILTER (WHERE o.created_at > t - interval '1 hour') < most_mails_an_hour()
      AND count(*) FILTER (WHERE o.created_at > t - mail_pause()) < 1;
  RETURN FOUND;
END $$;

-- Puts a mail that has to arrive into the outbox; none is dropped. It waits until mail_pause() has passed since the
-- last mail of its kind to this address, so that nobody is flooded with mails that are out of date by then.
CREATE OR REPLACE FUNCTION tell_by_mail(kind text, to_address text, parameters jsonb) RETURNS void
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO mail_outbox (kind, to_address, parameters, due)
    SELECT tell_by_mail.kind, tell_by_mail.to_address, tell_by_mail.parameters,
           greatest(anthill_clock(), max(o.created_at) + mail_pause())
    FROM mail_outbox o
    WHERE lower(o.to_address) = lower(tell_by_mail.to_address) AND o.kind = tell_by_mail.kind;
END $$;

-- Removes mails that were sent 30 days ago or given up 90 days ago, and returns how many: nobody asks for them any
-- more, and they hold people's addresses. The program does this every hour.
CREATE OR REPLACE FUNCTION remove_old_mail() RETURNS bigint
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  clock timestamptz := anthill_clock();
  removed bigint;
BEGIN
  DELETE FROM mail_outbox o
    WHERE o.sent_at <= clock - interval '30 days' OR o.dead_at <= clock - interval '90 days';
  GET DIAGNOSTICS removed = ROW_COUNT;
  RETURN removed;
END $$;

-- Makes a mail due at once. One that was given up may be tried as often as a new one: nobody holds it any more. One
-- that still waits goes on counting its attempts, because their number tells who holds it.
CREATE OR REPLACE FUNCTION make_mail_due(mail uuid) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE mail_outbox o SET
      due = anthill_clock(), dead_at = NULL,
      attempts = CASE WHEN o.dead_at IS NULL THEN o.attempts ELSE 0 END,
      lease_until = CASE WHEN o.dead_at IS NULL THEN o.lease_until END
    WHERE o.id = mail;
END $$;

-- Notes that the mail server refused this address for good, with that reply. Its owner is told; until a mail arrives
-- there, it gets no mail but what is about security.
CREATE OR REPLACE FUNCTION note_refused_address(address text, reply bigint) RETURNS void
  LANGUAGE sql SET search_path = public, pg_temp AS $$
  UPDATE user_emails e SET refused_since = coalesce(e.refused_since, anthill_clock()), refused_with = reply::integer
    WHERE e.email = address;
$$;

-- Notes that this mail came back, with the last mail server's reply. Only its sender and its address know its id, so
-- nobody can say so of another's mail. False if we did not send it, or nobody has its address now.
CREATE OR REPLACE FUNCTION note_returned_mail(mail uuid, reply bigint) RETURNS boolean
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  address text;
BEGIN
  -- Some mails go to the address as its owner wrote it, others to its canonical form.
  SELECT e.email INTO address FROM mail_outbox o JOIN user_emails e ON o.to_address IN (e.email, e.canonical)
    WHERE o.id = mail AND o.sent_at IS NOT NULL;
  PERFORM note_refused_address(address, reply);
  RETURN coalesce(is_refused_address(address), false);
END $$;

-- Notes that the mail server took a mail to this address.
CREATE OR REPLACE FUNCTION note_reached_address(address text) RETURNS void
  LANGUAGE sql SET search_path = public, pg_temp AS $$
  UPDATE user_emails e SET refused_since = NULL, refused_with = NULL
    WHERE e.email = address AND e.refused_since IS NOT NULL;
$$;

CREATE OR REPLACE FUNCTION is_refused_address(address text) RETURNS boolean
  LANGUAGE sql STABLE SET search_path = public, pg_temp AS $$
  SELECT EXISTS (SELECT FROM user_emails e WHERE e.email = address AND e.refused_since IS NOT NULL);
$$;

-- A new address has a new chance.
CREATE OR REPLACE FUNCTION forget_refusal() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  NEW.refused_since := NULL;
  NEW.refused_with := NULL;
  RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER user_emails_new_address BEFORE UPDATE OF email ON user_emails
  FOR EACH ROW WHEN (NEW.email IS DISTINCT FROM OLD.email) EXECUTE FUNCTION forget_refusal();
