-- Groups: who studies with whom, and by which rules their board counts.

-- What a board counts: a study clock, the most seconds of a day, and whether manual time counts. Groups with equal
-- rules share a row and so share their members' totals; the global board's row is its own.
CREATE SEQUENCE ranking_rules_ids AS integer;
CREATE TABLE ranking_rules (
  rules_id integer CONSTRAINT ranking_rules_key PRIMARY KEY DEFAULT nextval('ranking_rules_ids'),
  time_zone text NOT NULL CONSTRAINT unknown_time_zone REFERENCES time_zones,
  day_starts_at time NOT NULL CONSTRAINT ranking_rules_day_starts_at
    CHECK (may_start_a_day(day_starts_at)),
  daily_cap_seconds integer NOT NULL CONSTRAINT ranking_rules_daily_cap_seconds
    CHECK (is_part_of_a_day(daily_cap_seconds)),
  manual_counts boolean NOT NULL,
  is_global boolean NOT NULL DEFAULT false
);
CREATE UNIQUE INDEX ranking_rules_shared
  ON ranking_rules (time_zone, day_starts_at, daily_cap_seconds, manual_counts) WHERE NOT is_global;
CREATE UNIQUE INDEX ranking_rules_one_global ON ranking_rules (is_global) WHERE is_global;
INSERT INTO ranking_rules (time_zone, day_starts_at, daily_cap_seconds, manual_counts, is_global)
  VALUES (default_time_zone(), default_day_start(), default_daily_cap(), false, true);

CREATE TABLE groups (
  group_id uuid CONSTRAINT groups_key PRIMARY KEY DEFAULT gen_random_uuid(),
  name text NOT NULL CONSTRAINT groups_name CHECK (char_length(name) BETWEEN 1 AND 60 AND name !~ '[[:cntrl:]]'),
  description text NOT NULL DEFAULT '' CONSTRAINT groups_description CHECK (char_length(description) <= 500),
  created_at timestamptz NOT NULL DEFAULT anthill_clock(),
  -- The first month that is not closed, and when it will be; empty until somebody asks for the first time. A month's
  -- rules cannot change any more once it is the next to close, so neither can that instant.
  open_month date CONSTRAINT groups_open_month CHECK (extract(day FROM open_month) = 1),
  open_month_closes_at timestamptz,
  colour text NOT NULL DEFAULT 'leaf' CONSTRAINT groups_colour
    CHECK (colour IN ('leaf', 'honey', 'apple', 'soil', 'sky', 'plum', 'stone', 'moss')),
  emoji text CONSTRAINT groups_emoji CHECK (char_length(emoji) BETWEEN 1 AND 16),
  -- Of all members together; a full group in the longest month cannot study longer.
  month_goal_seconds bigint CONSTRAINT groups_month_goal_seconds CHECK (month_goal_seconds BETWEEN 60 AND most_members()::bigint * longest_month()),
  badge_allowed boolean NOT NULL DEFAULT false,           -- whether anyone may see and embed the group's badge
  duel boolean NOT NULL DEFAULT false                     -- whether the group is compared with other groups
);
CREATE INDEX groups_to_close ON groups (open_month_closes_at);
CREATE INDEX groups_taking_part ON groups (group_id) WHERE duel;

-- The rules of a group: each row holds from its month until the next row's.
CREATE TABLE group_rules (
  group_id uuid CONSTRAINT group_rules_group REFERENCES groups ON DELETE CASCADE,
  from_month date CONSTRAINT group_rules_from_month CHECK (extract(day FROM from_month) = 1),
  rules_id integer NOT NULL CONSTRAINT group_rules_rules REFERENCES ranking_rules,
  CONSTRAINT group_rules_key PRIMARY KEY (group_id, from_month)
);

-- Only a digest of the code is kept: whoever reads the database cannot join by it. Codes are long and random.
CREATE TABLE invitations (
  code_sha256 bytea CONSTRAINT invitations_key PRIMARY KEY
    CONSTRAINT invitations_code_sha256 CHECK (octet_length(code_sha256) = 32),
  group_id uuid NOT NULL CONSTRAINT invitations_group REFERENCES groups ON DELETE CASCADE,
  created_by uuid NOT NULL,
  created_at timestamptz NOT NULL DEFAULT anthill_clock(),
  expires_at timestamptz NOT NULL,
  uses_left integer CONSTRAINT invitations_uses_left CHECK (uses_left >= 0),   -- none: as often as one likes
  revoked_at timestamptz,
  -- By this an invitation is spoken of; its code is known to those alone who have the link.
  invitation_id uuid NOT NULL DEFAULT gen_random_uuid()
);
CREATE INDEX invitations_of_group ON invitations (group_id);
CREATE UNIQUE INDEX invitations_of_id ON invitations (invitation_id);

CREATE TABLE group_members (
  uid uuid CONSTRAINT group_members_user REFERENCES users,
  group_id uuid CONSTRAINT group_members_group REFERENCES groups,
  role text NOT NULL CONSTRAINT group_members_role CHECK (role IN ('owner', 'admin', 'member')),
  visibility text NOT NULL DEFAULT 'shown'
    CONSTRAINT group_members_visibility CHECK (visibility IN ('shown', 'nickname', 'hidden')),
  joined_at timestamptz NOT NULL DEFAULT anthill_clock(),
  CONSTRAINT group_members_key PRIMARY KEY (uid, group_id)
);
CREATE INDEX group_members_of_group ON group_members (group_id, uid);

-- Every stay in a group, the present one included (left_at empty). Leaving and rejoining are both remembered.
CREATE TABLE group_membership_history (
  uid uuid,
  group_id uuid,
  joined_at timestamptz,
  left_at timestamptz,
  visibility text,                                        -- the last one, once left; before, that of group_members holds
  CONSTRAINT group_membership_history_key PRIMARY KEY (uid, group_id, joined_at),
  CONSTRAINT group_membership_history_order CHECK (left_at > joined_at)
);
CREATE UNIQUE INDEX group_membership_history_one_stay ON group_membership_history (uid, group_id) WHERE left_at IS NULL;
CREATE INDEX group_membership_history_of_group ON group_membership_history (group_id, uid) INCLUDE (joined_at, left_at);

-- Who may not come back.
CREATE TABLE group_bans (
  uid uuid,
  group_id uuid CONSTRAINT group_bans_group REFERENCES groups ON DELETE CASCADE,
  banned_by uuid NOT NULL,
  banned_at timestamptz NOT NULL DEFAULT anthill_clock(),
  CONSTRAINT group_bans_key PRIMARY KEY (uid, group_id)
);

-- Fairness. Suspensions: an admin keeps a member off the boards of a group for a while, and says why. Nothing that was studied is
-- lost: afterwards every second is on the boards again, except on those of the months that were closed meanwhile.

CREATE TABLE suspensions (
  suspension_id uuid CONSTRAINT suspensions_key PRIMARY KEY DEFAULT gen_random_uuid(),
  group_id uuid NOT NULL CONSTRAINT suspensions_group REFERENCES groups ON DELETE CASCADE,
  uid uuid NOT NULL,
  reason text NOT NULL CONSTRAINT suspensions_reason CHECK (char_length(reason) BETWEEN 1 AND 500),
  since timestamptz NOT NULL DEFAULT anthill_clock(),
  until timestamptz NOT NULL,
  suspended_by uuid NOT NULL,
  lifted_at timestamptz,                                  -- empty unless an admin ended it early
  lifted_by uuid,
  answer text CONSTRAINT suspensions_answer CHECK (char_length(answer) BETWEEN 1 AND 500),  -- of the member
  answered_at timestamptz,
  CONSTRAINT suspensions_order CHECK (until > since AND lifted_at >= since AND lifted_at <= until),
  CONSTRAINT suspensions_until CHECK (until <= since + make_interval(hours => 24 * longest_suspension_days())),
  CONSTRAINT suspensions_not_oneself CHECK (uid <> suspended_by),
  CONSTRAINT suspensions_lifted CHECK ((lifted_at IS NULL) = (lifted_by IS NULL)),
  CONSTRAINT suspensions_answered CHECK ((answer IS NULL) = (answered_at IS NULL)),
  CONSTRAINT suspensions_one_at_a_time EXCLUDE USING gist
    (group_id WITH =, uid WITH =, tstzrange(since, coalesce(lifted_at, until)) WITH &&)
);
CREATE INDEX suspensions_of_user ON suspensions (uid, group_id);
CREATE INDEX suspensions_of_group ON suspensions (group_id, since, suspension_id);
CREATE INDEX suspensions_ending ON suspensions (until) WHERE lifted_at IS NULL;

-- Reading groups: what a member sees of one.

CREATE TYPE group_summary AS (
  group_id uuid, name text, description text, created_at timestamptz, member_count integer,
  my_role text, my_visibility text, time_zone text, day_starts_at time, daily_cap_seconds integer, manual_counts boolean,
  coming_rules jsonb,
  colour text, emoji text, month_goal_seconds bigint, month_reached_seconds bigint, badge_allowed boolean, duel boolean
);
