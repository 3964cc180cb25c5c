-- Push: browsers that are told while no page is open, and the outbox of what they are told.

-- When the quiet hours end in which an instant lies; NULL if it lies in none. They begin and end when clocks in the
-- zone first show the time, as alarms ring.
CREATE OR REPLACE FUNCTION quiet_until(at timestamptz, zone text, quiet_from time, quiet_to time) RETURNS timestamptz
  LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = public, pg_temp AS $$
  SELECT max(h.ends)
  FROM generate_series(-1, 0) n
  CROSS JOIN LATERAL (SELECT (at AT TIME ZONE zone)::date + n AS day) d
  CROSS JOIN LATERAL (
    SELECT first_instant(d.day, quiet_from, zone) AS begins,
           first_instant(d.day + (quiet_to < quiet_from)::integer, quiet_to, zone) AS ends
  ) h
  WHERE at >= h.begins AND at < h.ends;
$$;

-- Whether somebody wants pushes of a kind: each has its switch, and who asks to see one wants it.
CREATE OR REPLACE FUNCTION wants_push(u users, kind text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN CASE kind WHEN 'alarm' THEN u.alarm_push WHEN 'timer' THEN u.timer_push WHEN 'unattended'
    THEN u.unattended_push
                   WHEN 'month' THEN u.month_push WHEN 'passed' THEN u.passed_push ELSE kind = 'test' END;

-- The browsers to which pushes of a kind may go now: those that are signed in, of a user who wants them.
CREATE OR REPLACE FUNCTION push_devices(user_id uuid, kind text) RETURNS SETOF push_subscriptions
  LANGUAGE plpgsql STABLE ROWS 2 SET search_path = public, pg_temp AS $$
BEGIN
  RETURN QUERY
    SELECT p.* FROM push_subscriptions p
    JOIN sign_ins s ON s.uid = p.uid AND s.id = p.sign_in
    JOIN users u ON u.uid = p.uid AND u.auth_epoch = s.auth_epoch
    WHERE p.uid = user_id AND s.expires_at > anthill_clock() AND in_use(u)
      AND wants_push(u, kind);
END $$;

-- Puts a push to all browsers of a user into the outbox, or to the one that is given. It is worth nothing after
-- `expires`. One that waits under the same topic goes.
CREATE OR REPLACE FUNCTION enqueue_push(
  user_id uuid, kind text, topic text, expires timestamptz, parameters jsonb DEFAULT '{}', only_to uuid DEFAULT NULL
) RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO push_outbox (uid, subscription, topic, kind, parameters, expires_at)
    SELECT d.uid, d.id, enqueue_push.topic, enqueue_push.kind, enqueue_push.parameters, expires
    FROM push_devices(user_id, enqueue_push.kind) d WHERE only_to IS NULL OR d.id = only_to ORDER BY d.id
    ON CONFLICT ON CONSTRAINT push_outbox_key DO UPDATE SET
      id = gen_random_uuid(), kind = excluded.kind, parameters = excluded.parameters, created_at = excluded.created_at,
      due = excluded.due, expires_at = excluded.expires_at, lease_until = NULL, attempts = 0, last_error = NULL;
END $$;

-- At most `most` pushes that are due, each the caller's until its lease runs out. One person has only a few of them
-- at a time, so that browsers that never answer hold up nobody else. What falls into somebody's quiet hours waits for
-- their end; only the alarm, and a push that they ask to see, do not. Pushes to browsers that are signed out go.
CREATE OR REPLACE FUNCTION claim_pushes(most bigint, lease interval) RETURNS TABLE (
  id uuid, kind text, topic text, parameters text, locale text, uid uuid, subscription uuid, endpoint text,
  device_key bytea, authentication bytea, attempt integer, expires_at timestamptz, now timestamptz
) LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  clock timestamptz := anthill_clock();
  item push_outbox;
  quiet timestamptz;
BEGIN
  now := clock;
  FOR item IN SELECT o.* FROM push_outbox o
              WHERE o.due <= clock AND (o.lease_until IS NULL OR o.lease_until <= clock)
                AND (SELECT count(*) FROM push_outbox b
                     WHERE b.uid = o.uid AND (b.lease_until > clock OR b.due <= clock
                       AND (b.due, b.subscription, b.topic) < (o.due, o.subscription, o.topic))) < most_pushes_at_once()
              ORDER BY o.due LIMIT most FOR UPDATE SKIP LOCKED LOOP
    SELECT u.locale, d.endpoint, d.device_key, d.authentication,
           CASE WHEN item.kind NOT IN ('alarm', 'test')
             THEN quiet_until(clock, s.time_zone, u.quiet_from, u.quiet_to) END
      INTO locale, endpoint, device_key, authentication, quiet
      FROM push_devices(item.uid, item.kind) d JOIN users u ON u.uid = d.uid JOIN students s ON s.uid = d.uid
      WHERE d.id = item.subscription;
    IF NOT FOUND THEN
      DELETE FROM push_outbox o WHERE o.uid = item.uid AND o.subscription = item.subscription AND o.topic = item.topic;
      CONTINUE;
    END IF;
    UPDATE push_outbox o SET
        due = coalesce(quiet, o.due), attempts = o.attempts + (quiet IS NULL)::integer,
        lease_until = CASE WHEN quiet IS NULL THEN clock + lease END
      WHERE o.uid = item.uid AND o.subscription = item.subscription AND o.topic = item.topic
      RETURNING o.attempts INTO attempt;
    CONTINUE WHEN quiet IS NOT NULL;
    id := item.id;
    kind := item.kind;
    topic := item.topic;
    parameters := item.parameters;
    uid := item.uid;
    subscription := item.subscription;
    expires_at := item.expires_at;
    RETURN NEXT;
  END LOOP;
END $$;

-- Makes this browser one that gets pushes, for whoever is signed in there now, and returns its id. A sign-in has one
-- browser: the one before goes.
CREATE OR REPLACE FUNCTION add_push_subscription(
  user_id uuid, for_sign_in uuid, at_endpoint text, with_key bytea, with_authentication bytea
) RETURNS uuid LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  made uuid;
BEGIN
  PERFORM FROM users u WHERE u.uid = user_id FOR NO KEY UPDATE;
  DELETE FROM push_subscriptions p WHERE p.endpoint = at_endpoint OR p.uid = user_id AND p.sign_in = for_sign_in;
  INSERT INTO push_subscriptions (uid, sign_in, endpoint, device_key, authentication)
    VALUES (user_id, for_sign_in, at_endpoint, with_key, with_authentication) RETURNING id INTO made;
  IF (SELECT count(*) FROM push_subscriptions p WHERE p.uid = user_id) > most_push_devices() THEN
    PERFORM refuse('too_many_push_devices', format('at most %s browsers', most_push_devices()));
  END IF;
  PERFORM remind_of_alarm(user_id);
  PERFORM remind_of_timer(user_id);
  RETURN made;
END $$;

-- Sends a push that shows its owner what pushes look like, to the browser of this sign-in.
CREATE OR REPLACE FUNCTION send_test_push(user_id uuid, to_sign_in uuid) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  clock timestamptz := anthill_clock();
  device push_subscriptions;
BEGIN
  SELECT * INTO device FROM push_subscriptions p WHERE p.uid = user_id AND p.sign_in = to_sign_in FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    PERFORM refuse('push_is_off', 'this browser gets no pushes');
  ELSIF device.tested_at > clock - test_pause() THEN
    PERFORM refuse('push_just_tested', 'a test was just sent');
  END IF;
  UPDATE push_subscriptions p SET tested_at = clock WHERE p.uid = user_id AND p.id = device.id;
  PERFORM enqueue_push(user_id, 'test', 'test', clock + interval '1 minute', only_to => device.id);
END $$;
