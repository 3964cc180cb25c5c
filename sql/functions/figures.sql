-- Figures: how the service does, for those who watch it run.

-- What waits, and for how long, in seconds; how many timers there are; and how old the last backup is, NULL if there
-- has been none. No count goes beyond 100,000, so that asking costs little when much waits.
CREATE OR REPLACE FUNCTION service_figures(
  OUT mails_waiting bigint, OUT oldest_mail_seconds bigint, OUT overdue_mail_seconds bigint,
  OUT pushes_waiting bigint, OUT overdue_push_seconds bigint,
  OUT webhooks_waiting bigint, OUT oldest_webhook_seconds bigint, OUT overdue_webhook_seconds bigint,
  OUT timers_running bigint, OUT timers_paused bigint,
  OUT rank_changes_waiting bigint, OUT rank_lag_seconds bigint, OUT months_due bigint,
  OUT backup_age_seconds bigint
) LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
DECLARE
  clock timestamptz := anthill_clock();
  oldest_change xid8;
BEGIN
  SELECT count(*), coalesce(extract(epoch FROM clock - min(o.created_at)), 0),
         coalesce(extract(epoch FROM clock - min(o.due) FILTER (
           WHERE o.due <= clock AND (o.lease_until IS NULL OR o.lease_until <= clock))), 0)
    INTO mails_waiting, oldest_mail_seconds, overdue_mail_seconds
    FROM (SELECT m.created_at, m.due, m.lease_until FROM mail_outbox m
          WHERE m.sent_at IS NULL AND m.dead_at IS NULL ORDER BY m.due LIMIT 100000) o;
  SELECT count(*), coalesce(extract(epoch FROM clock - min(o.due) FILTER (
           WHERE o.due <= clock AND (o.lease_until IS NULL OR o.lease_until <= clock))), 0)
    INTO pushes_waiting, overdue_push_seconds
    FROM (SELECT p.due, p.lease_until FROM push_outbox p ORDER BY p.due LIMIT 100000) o;
  -- One message at a time is on its way to a webhook; those behind it are not late.
  SELECT count(*), coalesce(extract(epoch FROM clock - min(o.created_at)), 0),
         coalesce(extract(epoch FROM clock - min(o.due) FILTER (WHERE o.due <= clock AND NOT o.is_under_way)), 0)
    INTO webhooks_waiting, oldest_webhook_seconds, overdue_webhook_seconds
    FROM (SELECT w.created_at, w.due,
                 coalesce(bool_or(w.lease_until > clock) OVER (PARTITION BY w.group_id, w.webhook), false)
                   AS is_under_way
          FROM (SELECT * FROM webhook_deliveries d WHERE d.sent_at IS NULL AND d.dead_at IS NULL
                ORDER BY d.due LIMIT 100000) w) o;
  SELECT count(*) FILTER (WHERE t.state = 'running'), count(*) FILTER (WHERE t.state = 'paused')
    INTO timers_running, timers_paused
    FROM (SELECT s.state FROM study_sessions s WHERE s.state IN ('running', 'paused') LIMIT 100000) t;
  SELECT count(*), min(c.written_in) INTO rank_changes_waiting, oldest_change
    FROM (SELECT d.written_in FROM rank_deltas d WHERE d.written_in >= (SELECT f.folded_before FROM rank_folding f)
          ORDER BY d.written_in LIMIT 100000) c;
  -- A change has no time. But change_horizons notes each minute before which transaction all others have ended. So the
  -- oldest change is older than the first note with a later transaction.
  SELECT coalesce(extract(epoch FROM clock - min(h.noted_at)), 0) INTO rank_lag_seconds
    FROM change_horizons h WHERE h.horizon > oldest_change;
  SELECT count(*) INTO months_due
    FROM (SELECT FROM groups g WHERE is_due(g) LIMIT 100000) due;
  backup_age_seconds := extract(epoch FROM clock - last_backup());
END $$;
