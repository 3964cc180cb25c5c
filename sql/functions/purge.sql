-- What is removed because nobody needs it any more.

-- Removes what has expired and returns how much of each; the program does this every hour. It reads all of sign_ins,
-- 200,000 in 20 ms. An index over expires_at would cost more: that moves whenever a sign-in is seen, and each of these
-- updates would write to every index.
CREATE OR REPLACE FUNCTION remove_expired() RETURNS TABLE (what text, removed bigint)
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  clock timestamptz := anthill_clock();
BEGIN
  RETURN QUERY
    WITH signed_in AS (DELETE FROM sign_ins WHERE expires_at <= clock RETURNING 1),
      tokens AS (DELETE FROM auth_tokens WHERE expires_at <= clock - interval '30 days' RETURNING 1),
      asked AS (DELETE FROM email_changes WHERE asked_at <= clock - email_changes_kept() RETURNING 1),
      former AS (DELETE FROM former_emails WHERE held_until <= clock RETURNING 1),
      flows AS (DELETE FROM provider_flows WHERE expires_at <= clock RETURNING 1),
      tickets AS (DELETE FROM provider_tickets WHERE expires_at <= clock RETURNING 1),
      cheered AS (DELETE FROM cheers WHERE given_at <= clock - cheers_kept() RETURNING 1),
      told AS (
        DELETE FROM webhook_deliveries
        WHERE created_at <= clock - make_interval(days => webhook_log_days())
          AND (sent_at IS NOT NULL OR dead_at IS NOT NULL) RETURNING 1),
      limits AS (DELETE FROM rate_limits WHERE expires_at <= clock RETURNING 1),
      keys AS (DELETE FROM idempotency_keys WHERE created_at <= clock - idempotency_keys_kept() RETURNING 1)
    SELECT 'sign_ins', count(*) FROM signed_in
    UNION ALL SELECT 'auth_tokens', count(*) FROM tokens
    UNION ALL SELECT 'email_changes', count(*) FROM asked
    UNION ALL SELECT 'former_emails', count(*) FROM former
    UNION ALL SELECT 'provider_flows', count(*) FROM flows
    UNION ALL SELECT 'provider_tickets', count(*) FROM tickets
    UNION ALL SELECT 'cheers', count(*) FROM cheered
    UNION ALL SELECT 'webhook_deliveries', count(*) FROM told
    UNION ALL SELECT 'rate_limits', count(*) FROM limits
    UNION ALL SELECT 'idempotency_keys', count(*) FROM keys;
END $$;

-- Removes what only takes room, and returns how much of each. It locks nothing that people write. The head of purge.sql
-- says the same to admins.
CREATE OR REPLACE FUNCTION purge(audit_months integer) RETURNS TABLE (what text, removed bigint)
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  clock timestamptz := anthill_clock();
  year_ago date := month_of((clock - interval '1 year')::date);
BEGIN
  RETURN QUERY SELECT * FROM remove_expired();

  what := 'mail_outbox';
  removed := remove_old_mail();
  RETURN NEXT;

  what := 'invitations';
  DELETE FROM invitations i WHERE least(i.expires_at, i.revoked_at) <= clock - interval '30 days';
  GET DIAGNOSTICS removed = ROW_COUNT;
  RETURN NEXT;

  what := 'join_requests';
  DELETE FROM join_requests j WHERE j.answered_at <= clock - interval '90 days';
  GET DIAGNOSTICS removed = ROW_COUNT;
  RETURN NEXT;

  -- Before their events, so that none is ever without its own.
  what := 'admin_changes';
  DELETE FROM admin_changes c WHERE c.at <= clock - make_interval(months => audit_months);
  GET DIAGNOSTICS removed = ROW_COUNT;
  RETURN NEXT;

  -- Those stay that prove what is still there.
  what := 'audit_events';
  DELETE FROM audit_events e
    WHERE e.at <= clock - make_interval(months => audit_months)
      AND NOT EXISTS (SELECT FROM amendments a WHERE a.amendment_id = (e.details ->> 'amendment_id')::uuid)
      AND NOT EXISTS (SELECT FROM suspensions s WHERE s.suspension_id = (e.details ->> 'suspension_id')::uuid)
      AND NOT EXISTS (SELECT FROM reports r WHERE r.report_id = (e.details ->> 'report_id')::uuid)
      AND NOT EXISTS (SELECT FROM user_identities i WHERE i.uid = e.uid AND i.id = (e.details ->> 'identity')::uuid)
      AND NOT EXISTS (SELECT FROM admin_changes c WHERE c.number = (e.details ->> 'change')::bigint);
  GET DIAGNOSTICS removed = ROW_COUNT;
  RETURN NEXT;

  -- With the totals under them, which nothing shows.
  what := 'counted_under';
  WITH gone AS (
    DELETE FROM counted_under c
      WHERE c.until_month <= year_ago AND NOT c.is_global AND NOT EXISTS (
        SELECT FROM group_membership_history h JOIN group_rules g USING (group_id)
        WHERE h.uid = c.uid AND g.rules_id = c.rules_id)
      RETURNING c.uid, c.rules_id, c.from_month, c.until_month
  ),
  days AS (
    DELETE FROM day_totals t USING gone g
      WHERE t.uid = g.uid AND t.rules_id = g.rules_id AND t.day >= g.from_month AND t.day < g.until_month
  ),
  months AS (
    DELETE FROM month_totals t USING gone g
      WHERE t.uid = g.uid AND t.rules_id = g.rules_id AND t.month >= g.from_month AND t.month < g.until_month
  )
  SELECT count(*) INTO removed FROM gone;
  RETURN NEXT;

  what := 'stays';
  DELETE FROM group_membership_history h
    WHERE h.left_at <= clock - interval '1 year' AND NOT EXISTS (SELECT FROM groups g WHERE g.group_id = h.group_id);
  GET DIAGNOSTICS removed = ROW_COUNT;
  RETURN NEXT;

  -- Last, because nobody else can fold changes into them until the commit.
  what := 'rank_buckets';
  PERFORM pg_advisory_xact_lock(rank_folding_key());
  DELETE FROM rank_buckets b WHERE b.n = 0;
  GET DIAGNOSTICS removed = ROW_COUNT;
  RETURN NEXT;
END $$;

CREATE OR REPLACE FUNCTION admin_purge(audit_months integer, reason text, by text) RETURNS bigint
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF audit_months < audit_kept_months() THEN
    PERFORM refuse('audit_events_append_only', format('the audit is kept for %s months at least', audit_kept_months()));
  END IF;
  RETURN note_admin_change('purge', NULL, reason, by, facts => jsonb_build_object(
    'removed', (SELECT jsonb_object_agg(p.what, p.removed) FROM purge(audit_months) p)));
END $$;
