-- Push: browsers that show what happens while no page is open, what is to be sent to them, and what falls due when.

ALTER TABLE users
  -- What is pushed.
  ADD COLUMN alarm_push boolean NOT NULL DEFAULT true,
  ADD COLUMN timer_push boolean NOT NULL DEFAULT true,
  ADD COLUMN unattended_push boolean NOT NULL DEFAULT true,
  ADD COLUMN month_push boolean NOT NULL DEFAULT true,
  ADD COLUMN passed_push boolean NOT NULL DEFAULT false,
  -- Between these times of their clocks nothing is pushed but the alarm. Hours that end before they begin go over
  -- midnight.
  ADD COLUMN quiet_from time,
  ADD COLUMN quiet_to time,
  -- Both columns are new and empty.
  -- squawk-ignore constraint-missing-not-valid
  ADD CONSTRAINT users_quiet_hours CHECK ((quiet_from IS NULL) = (quiet_to IS NULL) AND quiet_from <> quiet_to);
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX users_who_hear_of_passing ON users (uid) WHERE passed_push;

-- A browser that asked for pushes: it belongs to the sign-in of this browser and goes with it.
CREATE TABLE push_subscriptions (
  uid uuid,
  id uuid DEFAULT gen_random_uuid(),
  sign_in uuid NOT NULL,
  endpoint text NOT NULL CONSTRAINT push_subscriptions_endpoint CHECK (char_length(endpoint) <= 2000),
  device_key bytea NOT NULL CONSTRAINT push_subscriptions_device_key CHECK (octet_length(device_key) = 65),
  authentication bytea NOT NULL CONSTRAINT push_subscriptions_authentication CHECK (octet_length(authentication) = 16),
  created_at timestamptz NOT NULL DEFAULT anthill_clock(),
  tested_at timestamptz,                                  -- when its owner last asked for a push to see one
  CONSTRAINT push_subscriptions_key PRIMARY KEY (uid, id),
  CONSTRAINT push_subscriptions_sign_in FOREIGN KEY (uid, sign_in) REFERENCES sign_ins ON DELETE CASCADE,
  CONSTRAINT push_subscriptions_one_per_sign_in UNIQUE (uid, sign_in),
  -- A browser has one for whoever is signed in there; the next to sign in takes it over.
  CONSTRAINT push_subscriptions_one_per_browser UNIQUE (endpoint)
);

-- What is to be sent to one browser; of each topic only the newest. It goes when it was sent or is given up.
CREATE TABLE push_outbox (
  uid uuid,
  subscription uuid,
  topic text,
  id uuid NOT NULL DEFAULT gen_random_uuid(),             -- another for each that takes the place of an older one
  kind text NOT NULL,
  parameters jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL DEFAULT anthill_clock(),
  due timestamptz NOT NULL DEFAULT anthill_clock(),
  expires_at timestamptz NOT NULL,
  lease_until timestamptz,
  attempts integer NOT NULL DEFAULT 0,
  last_error text,
  CONSTRAINT push_outbox_key PRIMARY KEY (uid, subscription, topic),
  CONSTRAINT push_outbox_subscription FOREIGN KEY (uid, subscription) REFERENCES push_subscriptions ON DELETE CASCADE
) WITH (fillfactor = 80);
CREATE INDEX push_outbox_waiting ON push_outbox (due);

-- When to look at somebody's alarm or timer again: only of people with such a browser.
CREATE TABLE push_reminders (
  uid uuid CONSTRAINT push_reminders_student REFERENCES students ON DELETE CASCADE,
  kind text CONSTRAINT push_reminders_kind CHECK (kind IN ('alarm', 'timer')),
  due timestamptz NOT NULL,
  CONSTRAINT push_reminders_key PRIMARY KEY (uid, kind)
) WITH (fillfactor = 80);
CREATE INDEX push_reminders_by_due ON push_reminders (due);

-- The place of a member in their group when it was last looked at: of those who want to know when somebody passes them.
CREATE TABLE push_places (
  uid uuid,
  group_id uuid,
  month date NOT NULL,
  place integer NOT NULL,
  told_on date,                                           -- the study day on which they were last told
  CONSTRAINT push_places_key PRIMARY KEY (uid, group_id),
  CONSTRAINT push_places_member FOREIGN KEY (uid, group_id) REFERENCES group_members ON DELETE CASCADE
);
