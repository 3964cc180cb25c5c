-- Leaving: who asked for their account to be deleted, and what stays without a name afterwards.

-- When the account will be deleted; none for a user who stays.
ALTER TABLE users ADD COLUMN leaves_at timestamptz;
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX users_leaving ON users (leaves_at) WHERE leaves_at IS NOT NULL;

-- What a user did to others is theirs and stays; its author is then empty.
ALTER TABLE group_bans
  -- squawk-ignore ban-drop-not-null
  ALTER COLUMN banned_by DROP NOT NULL;
ALTER TABLE suspensions
  -- squawk-ignore ban-drop-not-null
  ALTER COLUMN suspended_by DROP NOT NULL,
  -- squawk-ignore ban-drop-constraint
  DROP CONSTRAINT suspensions_lifted,
  -- squawk-ignore constraint-missing-not-valid
  ADD CONSTRAINT suspensions_lifted CHECK (lifted_by IS NULL OR lifted_at IS NOT NULL);

-- The author of an amendment, and the reason for amending the seconds of an erased user.
ALTER TABLE amendments
  -- squawk-ignore ban-drop-not-null
  ALTER COLUMN actor DROP NOT NULL,
  -- squawk-ignore ban-drop-not-null
  ALTER COLUMN reason DROP NOT NULL;
