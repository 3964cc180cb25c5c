-- Webhooks: addresses that a group tells of what happens in it, and what they were told.

CREATE TABLE webhooks (
  group_id uuid CONSTRAINT webhooks_group REFERENCES groups ON DELETE CASCADE,
  id uuid DEFAULT gen_random_uuid(),
  uid uuid,                                               -- who made it; empty when their account is gone
  kind text NOT NULL CONSTRAINT webhooks_kind CHECK (kind IN ('json', 'discord', 'slack')),
  events text[] NOT NULL CONSTRAINT webhooks_events CHECK (
    cardinality(events) > 0 AND events <@ '{month_closed,weekly_standing,new_member}'),
  host text NOT NULL,                                     -- of the address, to be shown
  sealed_address bytea NOT NULL,                          -- encrypted: those who know it may write there
  locale text NOT NULL CONSTRAINT webhooks_locale CHECK (locale IN ('ko', 'en')),
  created_at timestamptz NOT NULL DEFAULT anthill_clock(),
  tested_at timestamptz,                                  -- when an admin last asked for a test
  -- Until then the week lasts of which it is told next.
  week_ends_at timestamptz NOT NULL,
  off_since timestamptz,
  off_because text CONSTRAINT webhooks_off_because CHECK (off_because IN ('admin', 'gone', 'failing')),
  CONSTRAINT webhooks_key PRIMARY KEY (group_id, id),
  CONSTRAINT webhooks_off CHECK ((off_since IS NULL) = (off_because IS NULL))
) WITH (fillfactor = 80);
CREATE INDEX webhooks_of_user ON webhooks (uid);
CREATE INDEX webhooks_by_week ON webhooks (week_ends_at) WHERE off_since IS NULL;

-- What a webhook is to be told, and what it was told: outbox and log. Names are looked up when it is sent.
CREATE TABLE webhook_deliveries (
  group_id uuid,
  webhook uuid,
  id uuid DEFAULT gen_random_uuid(),
  event text NOT NULL,
  day date,                                               -- the first of the month or week that it is about
  member uuid,                                            -- whom it is about; empty when their account is gone
  created_at timestamptz NOT NULL DEFAULT anthill_clock(),
  due timestamptz NOT NULL DEFAULT anthill_clock(),
  lease_until timestamptz,
  attempts integer NOT NULL DEFAULT 0,
  tried_at timestamptz,
  status integer,                                         -- of the last answer; none if there was none
  answer text CONSTRAINT webhook_deliveries_answer CHECK (char_length(answer) <= 200),
  sent_at timestamptz,
  dead_at timestamptz,
  CONSTRAINT webhook_deliveries_key PRIMARY KEY (group_id, webhook, id),
  CONSTRAINT webhook_deliveries_webhook FOREIGN KEY (group_id, webhook) REFERENCES webhooks ON DELETE CASCADE,
  CONSTRAINT webhook_deliveries_end CHECK (sent_at IS NULL OR dead_at IS NULL)
) WITH (fillfactor = 80);
CREATE INDEX webhook_deliveries_waiting ON webhook_deliveries (due) WHERE sent_at IS NULL AND dead_at IS NULL;
CREATE INDEX webhook_deliveries_by_age ON webhook_deliveries (created_at);
CREATE INDEX webhook_deliveries_about ON webhook_deliveries (member);
