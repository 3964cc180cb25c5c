-- Webhooks: what groups tell other services, and the outbox of it.

-- The next week of a group to end, and when it does. Where a clock changes between two weeks, the earlier one may end
-- after the later has begun, or before.
CREATE OR REPLACE FUNCTION next_week_to_end(for_group uuid, OUT first_day date, OUT ends_at timestamptz)
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  SELECT p.first_day, p.ends_at INTO first_day, ends_at
    FROM generate_series(-7, 7, 7) n CROSS JOIN LATERAL group_period(for_group, 'week', group_day(for_group) + n) p
    WHERE p.ends_at > p.server_time ORDER BY p.ends_at LIMIT 1;
END $$;

-- Adds a webhook to a group; for admins.
CREATE OR REPLACE FUNCTION add_webhook(
  actor uuid, for_group uuid, hook_id uuid, hook_kind text, hook_events text[], at_host text, at_address bytea,
  in_locale text
) RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  held groups := lock_group(for_group);
BEGIN
  PERFORM require_role(actor, held.group_id, 'owner', 'admin');
  IF (SELECT count(*) FROM webhooks w WHERE w.group_id = for_group) >= most_webhooks() THEN
    PERFORM refuse('too_many_webhooks', format('at most %s webhooks', most_webhooks()));
  END IF;
  INSERT INTO webhooks (group_id, id, uid, kind, events, host, sealed_address, locale, week_ends_at)
    VALUES (for_group, hook_id, actor, hook_kind, hook_events, at_host, at_address, in_locale,
            (next_week_to_end(for_group)).ends_at);
  INSERT INTO audit_events (kind, actor, details)
    VALUES ('webhook_added', actor, jsonb_build_object('group_id', for_group, 'host', at_host));
END $$;

-- A webhook of a group, locked; for admins. Locks the group first, as all that changes a group does.
CREATE OR REPLACE FUNCTION lock_webhook(actor uuid, for_group uuid, hook_id uuid) RETURNS webhooks
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  held groups := lock_group(for_group);
  hook webhooks;
BEGIN
  PERFORM require_role(actor, held.group_id, 'owner', 'admin');
  SELECT * INTO hook FROM webhooks w WHERE w.group_id = for_group AND w.id = hook_id FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    PERFORM refuse('webhook_not_found', 'no such webhook', 'no_data_found');
  END IF;
  RETURN hook;
END $$;

-- Changes what a webhook is told, and turns it on or off; NULL leaves it as it is. One that is turned on again is told
-- of what happens from then on, and belongs to who did that.
CREATE OR REPLACE FUNCTION change_webhook(
  actor uuid, for_group uuid, hook_id uuid, new_events text[], is_on boolean
) RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  hook webhooks := lock_webhook(actor, for_group, hook_id);
  new_one webhooks;
BEGIN
  UPDATE webhooks w SET
      events = coalesce(new_events, w.events),
      uid = CASE WHEN is_on AND w.off_since IS NOT NULL THEN actor ELSE w.uid END,
      week_ends_at = CASE WHEN is_on AND w.off_since IS NOT NULL THEN (next_week_to_end(for_group)).ends_at
                          ELSE w.week_ends_at END,
      off_since = CASE WHEN is_on THEN NULL WHEN is_on = false THEN coalesce(w.off_since, anthill_clock())
                       ELSE w.off_since END,
      off_because = CASE WHEN is_on THEN NULL WHEN is_on = false THEN coalesce(w.off_because, 'admin')
                         ELSE w.off_because END
    WHERE w.group_id = for_group AND w.id = hook_id RETURNING w.* INTO new_one;
  IF new_one.off_since IS NOT NULL THEN PERFORM give_up_deliveries(for_group, hook_id); END IF;
  IF new_one IS NOT DISTINCT FROM hook THEN RETURN; END IF;
  INSERT INTO audit_events (kind, actor, details)
    VALUES ('webhook_changed', actor, jsonb_build_object('group_id', for_group, 'host', hook.host));
END $$;

CREATE OR REPLACE FUNCTION remove_webhook(actor uuid, for_group uuid, hook_id uuid) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  hook webhooks := lock_webhook(actor, for_group, hook_id);
BEGIN
  DELETE FROM webhooks w WHERE w.group_id = for_group AND w.id = hook.id;
  INSERT INTO audit_events (kind, actor, details)
    VALUES ('webhook_removed', actor, jsonb_build_object('group_id', for_group, 'host', hook.host));
END $$;

-- Turns a webhook off that nobody in the group turned off, and tells its admins in the activity log.
CREATE OR REPLACE FUNCTION turn_off_webhook(hook webhooks, why text) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE webhooks w SET off_since = anthill_clock(), off_because = why
    WHERE w.group_id = hook.group_id AND w.id = hook.id;
  PERFORM give_up_deliveries(hook.group_id, hook.id);
  INSERT INTO audit_events (kind, actor, details)
    VALUES ('webhook_off', NULL, jsonb_build_object('group_id', hook.group_id, 'host', hook.host));
END $$;

CREATE OR REPLACE FUNCTION give_up_deliveries(for_group uuid, hook_id uuid) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE webhook_deliveries d SET dead_at = anthill_clock(), lease_until = NULL
    WHERE d.group_id = for_group AND d.webhook = hook_id AND d.sent_at IS NULL AND d.dead_at IS NULL;
END $$;

-- Sends a test to a webhook, also to one that is off; for admins.
CREATE OR REPLACE FUNCTION test_webhook(actor uuid, for_group uuid, hook_id uuid) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  clock timestamptz := anthill_clock();
  hook webhooks := lock_webhook(actor, for_group, hook_id);
BEGIN
  IF hook.tested_at > clock - test_pause() THEN
    PERFORM refuse('webhook_just_tested', 'a test was just sent');
  END IF;
  UPDATE webhooks w SET tested_at = clock WHERE w.group_id = for_group AND w.id = hook_id;
  INSERT INTO webhook_deliveries (group_id, webhook, event) VALUES (for_group, hook_id, 'test');
END $$;

-- Puts an event of a group into the outbox of each webhook that is told of such.
CREATE OR REPLACE FUNCTION enqueue_webhooks(for_group uuid, what text, of_day date, of_member uuid) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO webhook_deliveries (group_id, webhook, event, day, member)
    SELECT w.group_id, w.id, what, of_day, of_member FROM webhooks w
    WHERE w.group_id = for_group AND w.off_since IS NULL AND what = ANY (w.events);
END $$;

-- Puts the standing of the week that has ended into the outboxes of at most `most` webhooks whose week has. Returns how
-- many were looked at. Instances share the work.
CREATE OR REPLACE FUNCTION enqueue_weekly_standings(most integer DEFAULT 200) RETURNS integer
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  hook webhooks;
  coming record;
  seen integer := 0;
BEGIN
  FOR hook IN SELECT w.* FROM webhooks w WHERE w.off_since IS NULL AND w.week_ends_at <= anthill_clock()
              ORDER BY w.week_ends_at LIMIT most FOR NO KEY UPDATE SKIP LOCKED LOOP
    coming := next_week_to_end(hook.group_id);
    UPDATE webhooks w SET week_ends_at = coming.ends_at WHERE w.group_id = hook.group_id AND w.id = hook.id;
    IF 'weekly_standing' = ANY (hook.events) THEN
      INSERT INTO webhook_deliveries (group_id, webhook, event, day)
        VALUES (hook.group_id, hook.id, 'weekly_standing', coming.first_day - 7);
    END IF;
    seen := seen + 1;
  END LOOP;
  RETURN seen;
END $$;

-- A place of a board as everybody may see it: of a hidden member only that somebody is there. Its rank is the place,
-- for an equal rank would tell the seconds.
CREATE OR REPLACE FUNCTION webhook_entry(place integer, rank integer, visibility text, nickname text, seconds integer)
  RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN CASE WHEN visibility = 'hidden' THEN jsonb_build_object('rank', place, 'hidden', true, 'nickname', NULL,
                                                                 'seconds', NULL)
              ELSE jsonb_build_object('rank', rank, 'hidden', false, 'nickname', nickname, 'seconds', seconds) END;

-- What an event says: the group, and what happened, as it is known now.
CREATE OR REPLACE FUNCTION webhook_data(for_group uuid, what text, of_day date, of_member uuid) RETURNS jsonb
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
DECLARE
  about jsonb := (SELECT jsonb_build_object('group', jsonb_build_object('id', g.group_id, 'name', g.name))
                  FROM groups g WHERE g.group_id = for_group);
BEGIN
  CASE what
    WHEN 'month_closed' THEN
      RETURN about || (
        SELECT jsonb_build_object(
          'month', to_char(of_day, 'YYYY-MM'), 'participants', c.participants, 'sha256', encode(c.sha256, 'hex'))
        FROM month_closes c WHERE c.group_id = for_group AND c.month = of_day)
      || jsonb_build_object('entries', (
        SELECT coalesce(jsonb_agg(webhook_entry(p.amended_place, s.amended_rank, p.visibility, p.nickname,
                                                s.amended_seconds) ORDER BY p.amended_place), '[]')
        FROM places_in_standings(for_group, of_day) p
        JOIN standings s ON s.group_id = for_group AND s.month = of_day AND s.person = p.person
        WHERE p.amended_place <= webhook_entries()));
    WHEN 'weekly_standing' THEN
      RETURN about || (
        SELECT jsonb_build_object(
          'week', of_day, 'participants', count(*),
          'entries', coalesce(jsonb_agg(webhook_entry(b.place, b.rank, b.visibility, b.nickname, b.seconds)
                                        ORDER BY b.place) FILTER (WHERE b.place <= webhook_entries()), '[]'))
        FROM (
          SELECT (b.ordinality - 1)::integer AS place, b.rank, b.visibility, b.nickname, b.seconds
          FROM board(for_group, 'week', of_day) WITH ORDINALITY b WHERE b.uid IS NOT NULL
        ) b);
    WHEN 'new_member' THEN
      RETURN about || jsonb_build_object(
        'nickname', (SELECT u.nickname FROM users u JOIN group_members m ON m.uid = u.uid
                     WHERE u.uid = of_member AND m.group_id = for_group AND m.visibility <> 'hidden'),
        'member_count', (SELECT count(*) FROM group_members m WHERE m.group_id = for_group));
    ELSE RETURN about;
  END CASE;
END $$;

-- Whose webhooks have as many attempts under way as those of one person may have; NULL for webhooks of nobody.
CREATE OR REPLACE FUNCTION busy_makers(at timestamptz) RETURNS TABLE (uid uuid)
  LANGUAGE sql STABLE ROWS 8
  BEGIN ATOMIC
    SELECT w.uid FROM webhook_deliveries d JOIN webhooks w ON w.group_id = d.group_id AND w.id = d.webhook
    WHERE d.sent_at IS NULL AND d.dead_at IS NULL AND d.lease_until > at
    GROUP BY w.uid HAVING count(*) >= most_webhooks_at_once();
  END;

-- At most `most` deliveries that are due, each the caller's until its lease runs out; one at a time for a webhook, and
-- most_webhooks_at_once() for all webhooks of a person, so that slow receivers hold up only their own. The webhook's
-- row is locked, so that another instance leaves it alone.
CREATE OR REPLACE FUNCTION claim_webhooks(most bigint, lease interval) RETURNS TABLE (
  group_id uuid, webhook uuid, id uuid, event text, attempt integer, kind text, locale text,
  sealed_address bytea, data text, created_at timestamptz, now timestamptz
) LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  clock timestamptz := anthill_clock();
  due record;
  item webhook_deliveries;
  hook webhooks;
BEGIN
  now := clock;
  FOR due IN WITH busy AS MATERIALIZED (SELECT b.uid FROM busy_makers(clock) b)
              SELECT d, w FROM webhook_deliveries d JOIN webhooks w ON w.group_id = d.group_id AND w.id = d.webhook
              WHERE d.sent_at IS NULL AND d.dead_at IS NULL AND d.due <= clock
                AND (d.lease_until IS NULL OR d.lease_until <= clock)
                AND NOT EXISTS (SELECT FROM webhook_deliveries o
                  WHERE o.group_id = d.group_id AND o.webhook = d.webhook AND o.lease_until > clock)
                AND NOT EXISTS (SELECT FROM busy b WHERE b.uid IS NOT DISTINCT FROM w.uid)
              ORDER BY d.due, d.id LIMIT most FOR NO KEY UPDATE OF d, w SKIP LOCKED LOOP
    item := due.d;
    hook := due.w;
    -- Leases that were taken since this query began.
    CONTINUE WHEN EXISTS (SELECT FROM webhook_deliveries o
      WHERE o.group_id = item.group_id AND o.webhook = item.webhook AND o.lease_until > clock)
      OR EXISTS (SELECT FROM busy_makers(clock) b WHERE b.uid IS NOT DISTINCT FROM hook.uid);
    UPDATE webhook_deliveries d SET attempts = d.attempts + 1, lease_until = clock + lease
      WHERE d.group_id = item.group_id AND d.webhook = item.webhook AND d.id = item.id
      RETURNING d.attempts INTO attempt;
    kind := hook.kind;
    locale := hook.locale;
    sealed_address := hook.sealed_address;
    group_id := item.group_id;
    webhook := item.webhook;
    id := item.id;
    event := item.event;
    data := webhook_data(item.group_id, item.event, item.day, item.member)::text;
    created_at := item.created_at;
    RETURN NEXT;
  END LOOP;
END $$;

-- Writes down how an attempt ended. It is done if it was taken; due again after `wait`; given up without one. The
-- webhook is turned off when its address is gone or cannot be opened with the service's secret, and when something was
-- given up and nothing else has arrived since.
CREATE OR REPLACE FUNCTION end_webhook_attempt(
  for_group uuid, hook_id uuid, delivery uuid, attempt bigint, was_taken boolean, is_gone boolean, wait interval,
  with_failure text, with_status bigint, with_answer text
) RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  clock timestamptz := anthill_clock();
  item webhook_deliveries;
  hook webhooks;
BEGIN
  SELECT * INTO hook FROM webhooks w WHERE w.group_id = for_group AND w.id = hook_id FOR NO KEY UPDATE;
  UPDATE webhook_deliveries d SET
      lease_until = NULL, tried_at = clock, failure = with_failure, status = with_status,
      answer = with_answer,
      sent_at = CASE WHEN was_taken THEN clock END,
      dead_at = CASE WHEN NOT was_taken AND (is_gone OR wait IS NULL OR d.event = 'test') THEN clock END,
      due = coalesce(clock + wait, d.due)
    WHERE d.group_id = for_group AND d.webhook = hook_id AND d.id = delivery AND d.attempts = attempt
      AND d.sent_at IS NULL AND d.dead_at IS NULL
    RETURNING d.* INTO item;
  IF item.dead_at IS NULL OR hook.off_since IS NOT NULL OR item.event = 'test' AND NOT is_gone THEN RETURN; END IF;
  IF is_gone OR NOT EXISTS (SELECT FROM webhook_deliveries d
      WHERE d.group_id = for_group AND d.webhook = hook_id AND d.sent_at >= item.created_at) THEN
    PERFORM turn_off_webhook(hook, CASE WHEN with_failure = 'secret_changed' THEN with_failure
                                        WHEN is_gone THEN 'gone' ELSE 'failing' END);
  END IF;
END $$;

-- The webhooks of a group, the oldest first; for admins.
CREATE OR REPLACE FUNCTION webhooks_of(actor uuid, for_group uuid) RETURNS SETOF webhooks
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM require_role(actor, for_group, 'owner', 'admin');
  RETURN QUERY SELECT w.* FROM webhooks w WHERE w.group_id = for_group ORDER BY w.created_at, w.id;
END $$;

-- What a webhook was told lately, the latest first; for admins.
CREATE OR REPLACE FUNCTION deliveries_of(
  actor uuid, for_group uuid, hook_id uuid, before timestamptz, before_id uuid, most bigint
) RETURNS SETOF webhook_deliveries LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM require_role(actor, for_group, 'owner', 'admin');
  IF NOT EXISTS (SELECT FROM webhooks w WHERE w.group_id = for_group AND w.id = hook_id) THEN
    PERFORM refuse('webhook_not_found', 'no such webhook', 'no_data_found');
  END IF;
  RETURN QUERY
    SELECT d.* FROM webhook_deliveries d
    WHERE d.group_id = for_group AND d.webhook = hook_id
      AND (before_id IS NULL OR (d.created_at, d.id) < (before, before_id))
    ORDER BY d.created_at DESC, d.id DESC LIMIT most;
END $$;
