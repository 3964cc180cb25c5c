-- Mail that was given up, and that an admin sends once more.

-- The mails that were given up: one, or those of a kind, or all.
CREATE OR REPLACE FUNCTION dead_mails(mail uuid DEFAULT NULL, of_kind text DEFAULT NULL) RETURNS SETOF mail_outbox
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  RETURN QUERY
    SELECT * FROM mail_outbox o
    WHERE o.dead_at IS NOT NULL AND (mail IS NULL OR o.id = mail) AND (of_kind IS NULL OR o.kind = of_kind)
    ORDER BY o.created_at, o.id;
END $$;

-- Makes these mails due again. What a mail says is decided when it is sent: one that nobody needs any more is not sent.
CREATE OR REPLACE FUNCTION admin_requeue_mail(mail uuid, of_kind text, reason text, by text) RETURNS bigint
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  queued bigint;
BEGIN
  PERFORM make_mail_due(d.id) FROM dead_mails(mail, of_kind) d;
  GET DIAGNOSTICS queued = ROW_COUNT;
  IF queued = 0 THEN
    PERFORM refuse('mail_not_found', 'no such mail was given up', 'no_data_found');
  END IF;
  RETURN note_admin_change('requeue_mail', NULL, reason, by, facts => jsonb_build_object('mails', queued));
END $$;
