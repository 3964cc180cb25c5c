-- Calendar feeds: secret addresses under which people's calendars read their sessions.

CREATE TABLE calendar_feeds (
  uid uuid CONSTRAINT calendar_feeds_key PRIMARY KEY CONSTRAINT calendar_feeds_user REFERENCES users ON DELETE CASCADE,
  token_mac bytea NOT NULL CONSTRAINT calendar_feeds_token_mac CHECK (octet_length(token_mac) = 32),
  auth_epoch integer NOT NULL,
  made_at timestamptz NOT NULL DEFAULT anthill_clock()
);
CREATE INDEX calendar_feeds_by_token ON calendar_feeds (token_mac);
