-- Accounts: who somebody is, what signs them in, and what happened to their security.
--
-- Tables keyed by uid refer only to each other, so that they can be distributed by it. An e-mail address is unique
-- in a table of its own, whose key it is.

CREATE TABLE users (
  uid uuid CONSTRAINT users_key PRIMARY KEY DEFAULT gen_random_uuid(),
  nickname text NOT NULL
    CONSTRAINT users_nickname CHECK (char_length(nickname) BETWEEN 1 AND 40 AND nickname !~ '[[:cntrl:]]'),
  locale text NOT NULL DEFAULT 'en' CONSTRAINT users_locale CHECK (locale IN ('ko', 'en')),
  theme text NOT NULL DEFAULT 'system' CONSTRAINT users_theme CHECK (theme IN ('system', 'light', 'dark')),
  global_board boolean NOT NULL DEFAULT false,
  password_hash text,                                     -- none: signs in through a provider only
  auth_epoch integer NOT NULL DEFAULT 1,                  -- raised by a change of password, e-mail or status
  status text NOT NULL DEFAULT 'active' CONSTRAINT users_status CHECK (status IN ('active', 'suspended')),
  created_at timestamptz NOT NULL DEFAULT anthill_clock(),
  -- The length that clients offer, whether they sound and notify, and which mail is wanted.
  default_timer_seconds integer NOT NULL DEFAULT default_timer_length()
    CONSTRAINT users_default_timer_seconds CHECK (is_part_of_a_day(default_timer_seconds)),
  sounds boolean NOT NULL DEFAULT true,
  notices boolean NOT NULL DEFAULT true,
  unattended_mail boolean NOT NULL DEFAULT true,          -- about a timer that runs on and on
  digest_mail boolean NOT NULL DEFAULT false              -- about a month that was closed
) WITH (fillfactor = 90);

CREATE TABLE user_emails (
  canonical text CONSTRAINT user_emails_key PRIMARY KEY,
  email text NOT NULL CONSTRAINT user_emails_email CHECK (email !~ '[[:cntrl:]]'),
  uid uuid NOT NULL
);
CREATE INDEX user_emails_of_user ON user_emails (uid);

CREATE TABLE user_identities (
  issuer text,
  subject text,
  uid uuid NOT NULL,
  created_at timestamptz NOT NULL DEFAULT anthill_clock(),
  CONSTRAINT user_identities_key PRIMARY KEY (issuer, subject)
);
CREATE INDEX user_identities_of_user ON user_identities (uid);

-- One signed-in device. Valid while expires_at lies ahead and its auth_epoch is the user's.
CREATE TABLE sign_ins (
  uid uuid CONSTRAINT sign_ins_user REFERENCES users ON DELETE CASCADE,
  id uuid DEFAULT gen_random_uuid(),
  token_mac bytea NOT NULL CONSTRAINT sign_ins_token_mac CHECK (octet_length(token_mac) = 32),
  auth_epoch integer NOT NULL,
  device text,
  created_at timestamptz NOT NULL DEFAULT anthill_clock(),
  last_seen_at timestamptz NOT NULL DEFAULT anthill_clock(),
  expires_at timestamptz NOT NULL,
  CONSTRAINT sign_ins_key PRIMARY KEY (uid, id)
) WITH (fillfactor = 80);
CREATE INDEX sign_ins_by_token ON sign_ins (token_mac);

-- Tokens that travel by mail. Only their MAC is kept; the user, the target address and the epoch are written with it.
CREATE TABLE auth_tokens (
  token_mac bytea CONSTRAINT auth_tokens_key PRIMARY KEY
    CONSTRAINT auth_tokens_token_mac CHECK (octet_length(token_mac) = 32),
  purpose text NOT NULL,
  uid uuid,                                               -- none: a registration, which has no user yet
  target text NOT NULL,                                   -- the canonical address it was sent to
  address text NOT NULL CONSTRAINT auth_tokens_address CHECK (address !~ '[[:cntrl:]]'),  -- the same as written
  auth_epoch integer,
  created_at timestamptz NOT NULL DEFAULT anthill_clock(),
  expires_at timestamptz NOT NULL,
  used_at timestamptz
);
CREATE INDEX auth_tokens_by_target ON auth_tokens (target, purpose);
CREATE INDEX auth_tokens_of_user ON auth_tokens (uid) WHERE uid IS NOT NULL;

-- What happened to whose security. Rows are only ever added.
CREATE SEQUENCE audit_events_written;                     -- ids that grow, and so order what has the same instant
CREATE TABLE audit_events (
  id uuid CONSTRAINT audit_events_key PRIMARY KEY
    DEFAULT lpad(to_hex(nextval('audit_events_written')), 32, '0')::uuid,
  at timestamptz NOT NULL DEFAULT anthill_clock(),
  kind text NOT NULL,
  uid uuid,                                               -- whom it concerns
  actor uuid,                                             -- who did it
  client text,                                            -- from which address
  details jsonb NOT NULL DEFAULT '{}'
);
CREATE INDEX audit_events_of_user ON audit_events (uid, at);
CREATE INDEX audit_events_of_group ON audit_events ((details ->> 'group_id'), at, id)
  WHERE details ->> 'group_id' IS NOT NULL;

-- Counters of limits, shared by instances. Unlogged: a crash of the database forgets them.
CREATE UNLOGGED TABLE rate_limits (
  kind text,
  subject text COLLATE "C",                               -- so that a prefix is a range of the key
  hits integer NOT NULL,
  started_at timestamptz NOT NULL,
  last_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  CONSTRAINT rate_limits_key PRIMARY KEY (kind, subject)
) WITH (fillfactor = 70);
CREATE INDEX rate_limits_by_expiry ON rate_limits (expires_at);

-- The answers to requests that carried an Idempotency-Key, written in the transaction of their effect.
CREATE TABLE idempotency_keys (
  uid uuid,
  route text,
  key uuid,
  body_sha256 bytea NOT NULL CONSTRAINT idempotency_keys_body_sha256 CHECK (octet_length(body_sha256) = 32),
  status integer,                                         -- none only inside the transaction that makes the answer
  location text,
  answer bytea,
  created_at timestamptz NOT NULL DEFAULT anthill_clock(),
  CONSTRAINT idempotency_keys_key PRIMARY KEY (uid, route, key),
  CONSTRAINT idempotency_keys_user FOREIGN KEY (uid) REFERENCES users ON DELETE CASCADE
);
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);
