-- Mail that an admin has sent: once more, or one with a link that lets somebody in.

-- The mails that can be sent again, of a kind or all: those that were given up, or those that wait for their next
-- attempt; or one of either.
CREATE OR REPLACE FUNCTION mails_to_requeue(mail uuid, of_kind text, waiting boolean) RETURNS SETOF mail_outbox
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  RETURN QUERY
    SELECT * FROM mail_outbox o
    WHERE o.sent_at IS NULL AND CASE WHEN mail IS NOT NULL THEN o.id = mail
                                     WHEN waiting THEN o.dead_at IS NULL AND o.due > anthill_clock()
                                     ELSE o.dead_at IS NOT NULL END
      AND (of_kind IS NULL OR o.kind = of_kind)
    ORDER BY o.created_at, o.id;
END $$;

-- Makes these mails due again. What a mail says is decided when it is sent: one that nobody needs any more is not sent.
CREATE OR REPLACE FUNCTION admin_requeue_mail(mail uuid, of_kind text, waiting boolean, reason text, by text)
  RETURNS bigint
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  queued bigint;
  others bigint;
BEGIN
  PERFORM make_mail_due(m.id) FROM mails_to_requeue(mail, of_kind, waiting) m;
  GET DIAGNOSTICS queued = ROW_COUNT;
  IF queued = 0 THEN
    SELECT count(*) INTO others FROM mails_to_requeue(mail, of_kind, NOT waiting);
    PERFORM refuse('mail_not_found', CASE
        WHEN mail IS NOT NULL THEN 'no such mail waits or was given up'
        WHEN waiting THEN 'no such mail waits for its next attempt'
        WHEN others > 0 THEN format('no such mail was given up; %s wait for their next attempt: -v waiting=1', others)
        ELSE 'no such mail was given up' END, 'no_data_found');
  END IF;
  RETURN note_admin_change('requeue_mail', NULL, reason, by, facts => jsonb_build_object('mails', queued));
END $$;

-- Which mail lets in the owner of this address, and who they are. An address without an account gets the mail to
-- register. Refuses an address whose owner may not sign in, and one that is held for its former owner.
CREATE OR REPLACE FUNCTION admin_link(address text) RETURNS TABLE (mail text, uid uuid, nickname text)
  LANGUAGE plpgsql STABLE ROWS 1 SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  owner users;
BEGIN
  SELECT u.* INTO owner FROM user_emails e JOIN users u USING (uid) WHERE e.canonical = lower(address);
  IF owner.status = 'suspended' THEN
    PERFORM refuse('may_not_sign_in', 'the account of this address is suspended: restore_user.sql ends that');
  ELSIF NOT may_sign_in(owner) THEN
    PERFORM refuse('may_not_sign_in', 'the account of this address is due to be deleted');
  ELSIF owner.uid IS NULL AND EXISTS (
    SELECT FROM former_emails f WHERE f.canonical = lower(address) AND f.held_until > anthill_clock()
  ) THEN
    PERFORM refuse('may_not_sign_in', 'this address is held for somebody who had it before');
  END IF;
  mail := CASE WHEN owner.uid IS NULL THEN 'registration' ELSE 'password_reset' END;
  uid := owner.uid;
  nickname := owner.nickname;
  RETURN NEXT;
END $$;

-- Sends it. The program makes the link when it sends the mail. language: that of a mail to register.
CREATE OR REPLACE FUNCTION admin_send_link(address text, language text, reason text, by text) RETURNS bigint
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  link record;
BEGIN
  IF NOT is_written_as('email', address) THEN
    PERFORM refuse('invalid_email', format('%s is no address in plain letters', address));
  END IF;
  SELECT * INTO link FROM admin_link(address);
  IF NOT enqueue_mail(link.mail, lower(address),
                      jsonb_build_object('locale', language, 'written', address, 'from_operator', 'true')) THEN
    PERFORM refuse('too_many_mails', 'this address had such a mail within the last minute, or many of them today');
  END IF;
  RETURN note_admin_change('send_link', link.uid, reason, by, facts => jsonb_build_object('mail_kind', link.mail));
END $$;
