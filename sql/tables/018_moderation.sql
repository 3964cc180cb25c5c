-- Moderation of the whole service: suspensions from its own boards, and reports.

-- A suspension without a group is from the global board and the board of groups. returned_at: when the user's study was
-- put back on the global board; they are off it until then.
ALTER TABLE suspensions
  -- squawk-ignore ban-drop-not-null
  ALTER COLUMN group_id DROP NOT NULL,
  ADD COLUMN returned_at timestamptz,
  -- squawk-ignore constraint-missing-not-valid
  ADD CONSTRAINT suspensions_returned CHECK (returned_at IS NULL OR group_id IS NULL AND returned_at >= since),
  -- squawk-ignore constraint-missing-not-valid
  ADD CONSTRAINT suspensions_one_of_service EXCLUDE USING gist
    (uid WITH =, tstzrange(since, coalesce(lifted_at, until)) WITH &&) WHERE (group_id IS NULL);
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX suspensions_not_returned ON suspensions (uid) WHERE group_id IS NULL AND returned_at IS NULL;
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX suspensions_of_service ON suspensions (since, suspension_id) WHERE group_id IS NULL;

-- What somebody says about somebody else on a board, for the site admins.
CREATE TABLE reports (
  report_id uuid CONSTRAINT reports_key PRIMARY KEY DEFAULT gen_random_uuid(),
  uid uuid,                                               -- who reports; empty when their account is gone
  about uuid NOT NULL,
  group_id uuid,                                          -- whose board it was; none: the global board
  reason text NOT NULL CONSTRAINT reports_reason CHECK (char_length(reason) BETWEEN 1 AND 500),
  made_at timestamptz NOT NULL DEFAULT anthill_clock(),
  answer text CONSTRAINT reports_answer CHECK (char_length(answer) BETWEEN 1 AND 500),  -- of a site admin
  answered_at timestamptz,                                -- with the answer a report is closed
  answered_by uuid,                                       -- empty when the operator did it, or when their account is gone
  CONSTRAINT reports_not_oneself CHECK (uid <> about),
  CONSTRAINT reports_answered CHECK ((answer IS NULL) = (answered_at IS NULL) AND (answered_by IS NULL OR answer IS NOT NULL)),
  CONSTRAINT reports_order CHECK (answered_at >= made_at)
);
CREATE UNIQUE INDEX reports_one_open ON reports (uid, about) WHERE answered_at IS NULL;
CREATE INDEX reports_of_user ON reports (uid, made_at);
CREATE INDEX reports_about_user ON reports (about, made_at);
CREATE INDEX reports_by_age ON reports (made_at, report_id);
CREATE INDEX reports_open ON reports (made_at, report_id) WHERE answered_at IS NULL;

-- What site admins look for.
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX users_by_nickname ON users (lower(nickname) text_pattern_ops, uid);
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX audit_events_of_kind ON audit_events (kind, id);
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX mail_outbox_by_age ON mail_outbox (created_at, id);
