-- The directory: groups that anybody on the service may find, and requests to join one.

ALTER TABLE groups ADD COLUMN listed boolean NOT NULL DEFAULT false;
ALTER TYPE group_summary ADD ATTRIBUTE listed boolean;

-- squawk-ignore require-concurrent-index-creation
CREATE INDEX groups_listed ON groups (created_at, group_id) WHERE listed;
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX groups_listed_words ON groups USING gin (letter_pairs(name || ' ' || description)) WHERE listed;

-- Somebody asks to join a group that is listed.
CREATE TABLE join_requests (
  request_id uuid CONSTRAINT join_requests_key PRIMARY KEY DEFAULT gen_random_uuid(),
  uid uuid NOT NULL,
  group_id uuid NOT NULL CONSTRAINT join_requests_group REFERENCES groups ON DELETE CASCADE,
  words text CONSTRAINT join_requests_words CHECK (char_length(words) BETWEEN 1 AND most_notice_characters()),
  asked_at timestamptz NOT NULL DEFAULT anthill_clock(),
  accepted boolean,                                       -- empty while nobody has answered
  answered_at timestamptz,
  answered_by uuid,                                       -- empty when their account is gone, too
  CONSTRAINT join_requests_answered
    CHECK ((accepted IS NULL) = (answered_at IS NULL) AND (answered_by IS NULL OR accepted IS NOT NULL)),
  CONSTRAINT join_requests_order CHECK (answered_at >= asked_at)
);
CREATE UNIQUE INDEX join_requests_one_open ON join_requests (uid, group_id) WHERE accepted IS NULL;
CREATE INDEX join_requests_of_user ON join_requests (uid, asked_at, request_id);
CREATE INDEX join_requests_open ON join_requests (group_id, asked_at, request_id) WHERE accepted IS NULL;
CREATE INDEX join_requests_of_admin ON join_requests (answered_by);
