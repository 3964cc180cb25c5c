-- What people and groups show on other websites: badges under secret addresses, and boards of groups.

CREATE TABLE badges (
  uid uuid CONSTRAINT badges_key PRIMARY KEY CONSTRAINT badges_student REFERENCES students ON DELETE CASCADE,
  token_mac bytea NOT NULL CONSTRAINT badges_token_mac CHECK (octet_length(token_mac) = 32),
  auth_epoch integer NOT NULL,
  period text NOT NULL CONSTRAINT badges_period CHECK (period IN ('day', 'week', 'month')),
  made_at timestamptz NOT NULL DEFAULT anthill_clock()
);
CREATE INDEX badges_by_token ON badges (token_mac);

ALTER TABLE groups ADD COLUMN board_public boolean NOT NULL DEFAULT false;
ALTER TYPE group_summary ADD ATTRIBUTE board_public boolean;
