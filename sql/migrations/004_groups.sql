-- Groups: who studies with whom, and by which rules their board counts.

-- What a board counts: a study clock, the most seconds of a day, and whether manual time counts. Groups with equal
-- rules share a row and so share their members' totals; the global board's row is its own.
CREATE SEQUENCE ranking_rules_ids AS integer;
CREATE TABLE ranking_rules (
  rules_id integer CONSTRAINT ranking_rules_key PRIMARY KEY DEFAULT nextval('ranking_rules_ids'),
  time_zone text NOT NULL CONSTRAINT unknown_time_zone REFERENCES time_zones,
  day_starts_at time NOT NULL CONSTRAINT ranking_rules_day_starts_at
    CHECK (day_starts_at < '12:00' AND extract(second FROM day_starts_at) = 0),
  daily_cap_seconds integer NOT NULL CONSTRAINT ranking_rules_daily_cap_seconds
    CHECK (daily_cap_seconds BETWEEN 60 AND 86400),
  manual_counts boolean NOT NULL,
  is_global boolean NOT NULL DEFAULT false
);
CREATE UNIQUE INDEX ranking_rules_shared
  ON ranking_rules (time_zone, day_starts_at, daily_cap_seconds, manual_counts) WHERE NOT is_global;
CREATE UNIQUE INDEX ranking_rules_one_global ON ranking_rules (is_global) WHERE is_global;
INSERT INTO ranking_rules (time_zone, day_starts_at, daily_cap_seconds, manual_counts, is_global)
  VALUES ('Asia/Seoul', '05:00', 57600, false, true);

CREATE TABLE groups (
  group_id uuid CONSTRAINT groups_key PRIMARY KEY DEFAULT gen_random_uuid(),
  name text NOT NULL CONSTRAINT groups_name CHECK (char_length(name) BETWEEN 1 AND 60 AND name !~ '[[:cntrl:]]'),
  description text NOT NULL DEFAULT '' CONSTRAINT groups_description CHECK (char_length(description) <= 500),
  created_at timestamptz NOT NULL DEFAULT anthill_clock()
);

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
  revoked_at timestamptz
);
CREATE INDEX invitations_of_group ON invitations (group_id);

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

-- Whose study is counted under which rules in which months [from_month, until_month): what recording reads. Kept by
-- joining, leaving, a change of rules and the choice about the global board; never by hand.
CREATE TABLE counted_under (
  uid uuid CONSTRAINT counted_under_user REFERENCES users ON DELETE CASCADE,
  rules_id integer CONSTRAINT counted_under_rules REFERENCES ranking_rules,
  from_month date CONSTRAINT counted_under_from_month CHECK (extract(day FROM from_month) = 1),
  until_month date NOT NULL DEFAULT 'infinity',
  CONSTRAINT counted_under_key PRIMARY KEY (uid, rules_id, from_month),
  CONSTRAINT counted_under_months CHECK (until_month > from_month)
);
