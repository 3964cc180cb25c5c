-- Changes of address: the one that waits to be confirmed, and the addresses that users had before. And from where a
-- device was last seen.

-- The client's address, of IPv6 only its /64. It is replaced whenever last_seen_at is, and goes with the sign-in.
ALTER TABLE sign_ins ADD COLUMN client text;

-- The change a user asked for and has not confirmed: one at most, the last one. It holds under the epoch it was asked
-- under, and ends with the sign-in that asked.
CREATE TABLE email_changes (
  uid uuid CONSTRAINT email_changes_key PRIMARY KEY,
  sign_in uuid NOT NULL,
  auth_epoch integer NOT NULL,
  canonical text NOT NULL,
  email text NOT NULL CONSTRAINT email_changes_email CHECK (email !~ '[[:cntrl:]]'),
  asked_at timestamptz NOT NULL DEFAULT anthill_clock(),
  CONSTRAINT email_changes_sign_in FOREIGN KEY (uid, sign_in) REFERENCES sign_ins ON DELETE CASCADE
);

-- An address that a user gave up. Until held_until it is kept for them: they may take it back, nobody else may have it.
-- left_at is when they first gave it up.
CREATE TABLE former_emails (
  uid uuid CONSTRAINT former_emails_user REFERENCES users ON DELETE CASCADE,
  canonical text,
  email text NOT NULL CONSTRAINT former_emails_email CHECK (email !~ '[[:cntrl:]]'),
  left_at timestamptz NOT NULL DEFAULT anthill_clock(),
  held_until timestamptz NOT NULL,
  CONSTRAINT former_emails_key PRIMARY KEY (uid, canonical)
);
CREATE INDEX former_emails_by_address ON former_emails (canonical);

-- What somebody did, for their recent activity.
CREATE INDEX audit_events_of_actor ON audit_events (actor, at, id);
