-- Sign-in through OpenID Connect providers.

-- A name by which its owner unlinks an identity, and the address that the provider told, by which they recognise it.
-- Nothing has written into the table yet, so this rewrites nothing.
ALTER TABLE user_identities
  -- squawk-ignore adding-field-with-default
  ADD COLUMN id uuid NOT NULL DEFAULT gen_random_uuid(),
  ADD COLUMN email text CONSTRAINT user_identities_email CHECK (email !~ '[[:cntrl:]]');
-- squawk-ignore require-concurrent-index-creation
CREATE UNIQUE INDEX user_identities_id ON user_identities (uid, id);

-- Until then, a sign-in through a provider stands in for the password.
ALTER TABLE sign_ins ADD COLUMN fresh_until timestamptz;

-- One trip to a provider and back. The browser's cookie has the secret that state, nonce and PKCE verifier are made from;
-- only its MAC is kept.
CREATE TABLE provider_flows (
  flow_mac bytea CONSTRAINT provider_flows_key PRIMARY KEY
    CONSTRAINT provider_flows_flow_mac CHECK (octet_length(flow_mac) = 32),
  provider text NOT NULL,
  purpose text NOT NULL CONSTRAINT provider_flows_purpose CHECK (purpose IN ('sign_in', 'link', 'confirm')),
  uid uuid,                                               -- none: a sign-in, of which nobody knows yet whose it is
  sign_in_id uuid,
  created_at timestamptz NOT NULL DEFAULT anthill_clock(),
  expires_at timestamptz NOT NULL,
  used_at timestamptz,
  CONSTRAINT provider_flows_owner CHECK ((purpose = 'sign_in') = (uid IS NULL) AND (uid IS NULL) = (sign_in_id IS NULL))
);
CREATE INDEX provider_flows_by_expiry ON provider_flows (expires_at);

-- An identity that a provider has vouched for and that has no account yet. The browser's cookie has the ticket, which
-- opens the account; only its MAC is kept.
CREATE TABLE provider_tickets (
  ticket_mac bytea CONSTRAINT provider_tickets_key PRIMARY KEY
    CONSTRAINT provider_tickets_ticket_mac CHECK (octet_length(ticket_mac) = 32),
  provider text NOT NULL,
  issuer text NOT NULL,
  subject text NOT NULL,
  email text CONSTRAINT provider_tickets_email CHECK (email !~ '[[:cntrl:]]'),  -- none: the provider verified none
  created_at timestamptz NOT NULL DEFAULT anthill_clock(),
  expires_at timestamptz NOT NULL,
  used_at timestamptz
);
CREATE INDEX provider_tickets_by_expiry ON provider_tickets (expires_at);
