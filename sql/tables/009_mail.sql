-- Mail: addresses that the mail server refuses for good.

ALTER TABLE user_emails
  ADD COLUMN refused_since timestamptz,                   -- none: as far as we know, mail arrives
  ADD COLUMN refused_with integer,                        -- the mail server's reply, such as 550
  -- Both columns are new and empty.
  -- squawk-ignore constraint-missing-not-valid
  ADD CONSTRAINT user_emails_refused CHECK ((refused_since IS NULL) = (refused_with IS NULL));
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX user_emails_by_address ON user_emails (email);
