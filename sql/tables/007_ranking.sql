-- Ranking: who is counted under which rules, and totals by the rules of boards, kept by recording itself and equal to a
-- recount at every commit.

-- Whose study is counted under which rules in which months [from_month, until_month): what recording reads. Kept by
-- joining, leaving, a change of rules and the choice about the global board; never by hand.
CREATE TABLE counted_under (
  uid uuid CONSTRAINT counted_under_student REFERENCES students ON DELETE CASCADE,
  rules_id integer CONSTRAINT counted_under_rules REFERENCES ranking_rules,
  from_month date CONSTRAINT counted_under_from_month CHECK (extract(day FROM from_month) = 1),
  until_month date NOT NULL DEFAULT 'infinity',
  -- A copy of the rules, which never change, so that recording needs no other table.
  time_zone text NOT NULL,
  day_starts_at time NOT NULL,
  daily_cap_seconds integer NOT NULL,
  manual_counts boolean NOT NULL,
  is_global boolean NOT NULL,
  CONSTRAINT counted_under_key PRIMARY KEY (uid, rules_id, from_month),
  CONSTRAINT counted_under_months CHECK (until_month > from_month)
);

-- All seconds of a day, the manual ones among them, and how many count: at most the cap, manual time only where the
-- rules let it count. Imports are in none of them.
CREATE TABLE day_totals (
  rules_id integer,
  uid uuid CONSTRAINT day_totals_student REFERENCES students ON DELETE CASCADE,
  day date,
  seconds integer NOT NULL CONSTRAINT day_totals_seconds CHECK (seconds >= 0),
  manual_seconds integer NOT NULL CONSTRAINT day_totals_manual_seconds CHECK (manual_seconds BETWEEN 0 AND seconds),
  counted_seconds integer NOT NULL CONSTRAINT day_totals_counted_seconds CHECK (counted_seconds BETWEEN 0 AND seconds),
  CONSTRAINT day_totals_key PRIMARY KEY (rules_id, uid, day)
) WITH (fillfactor = 80);

-- The sum of a month's days: what counts, and how much of it is manual (counted less what the timer alone would give).
CREATE TABLE month_totals (
  rules_id integer,
  uid uuid CONSTRAINT month_totals_student REFERENCES students ON DELETE CASCADE,
  month date CONSTRAINT month_totals_month CHECK (extract(day FROM month) = 1),
  counted_seconds integer NOT NULL CONSTRAINT month_totals_counted_seconds CHECK (counted_seconds >= 0),
  manual_seconds integer NOT NULL
    CONSTRAINT month_totals_manual_seconds CHECK (manual_seconds BETWEEN 0 AND counted_seconds),
  CONSTRAINT month_totals_key PRIMARY KEY (rules_id, uid, month)
) WITH (fillfactor = 80);
CREATE INDEX month_totals_rank ON month_totals (rules_id, month, counted_seconds, uid);

-- The global board: everyone who opted in, by month and timer time only. A rank is exact at any size: counters hold how
-- many have how much, changes to them wait in rank_deltas until one worker folds them in, and a reader adds both up.

-- How many users of the global board have counted seconds in this bucket of a month: level 1 is ten
-- seconds, level 2 ten minutes, level 3 ten hours (rank_width). Nobody with 0 seconds is in one.
CREATE TABLE rank_buckets (
  month date,
  level smallint CONSTRAINT rank_buckets_level CHECK (level BETWEEN 1 AND 3),
  bucket integer,
  n integer NOT NULL,
  CONSTRAINT rank_buckets_key PRIMARY KEY (month, level, bucket)
) WITH (fillfactor = 50);

-- What the counters do not know yet. It refers to no user: what a deleted account took off must be folded, too.
CREATE TABLE rank_deltas (
  uid uuid,
  id uuid DEFAULT gen_random_uuid(),
  month date NOT NULL,
  old integer NOT NULL,
  new integer NOT NULL,
  written_in xid8 NOT NULL DEFAULT pg_current_xact_id(),
  CONSTRAINT rank_deltas_key PRIMARY KEY (uid, id)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_insert_threshold = 5000);
CREATE INDEX rank_deltas_to_fold ON rank_deltas (written_in);

-- How far they are folded: no delta of an earlier transaction is left. Readers begin there, and so meet none of the rows
-- that are gone, however long a backup keeps the database from sweeping them up.
CREATE TABLE rank_folding (
  one boolean CONSTRAINT rank_folding_key PRIMARY KEY DEFAULT true CONSTRAINT rank_folding_one CHECK (one),
  folded_before xid8 NOT NULL
) WITH (fillfactor = 50);
INSERT INTO rank_folding (folded_before) VALUES (pg_snapshot_xmin(pg_current_snapshot()));

-- The final boards of months that are over. These tables are a group's and outlive it: nothing here refers to groups
-- or users.

-- One row for each closed month. sha256 is over the canonical text of its standings (standings_text).
CREATE TABLE month_closes (
  group_id uuid,
  month date CONSTRAINT month_closes_month CHECK (extract(day FROM month) = 1),
  group_name text NOT NULL,
  closed_at timestamptz NOT NULL,                         -- the instant from which on nothing is recorded in it
  participants integer NOT NULL,
  sha256 bytea NOT NULL CONSTRAINT month_closes_sha256 CHECK (octet_length(sha256) = 32),
  CONSTRAINT month_closes_key PRIMARY KEY (group_id, month)
);

-- The final board. person = sha256(salt followed by the 16 bytes of the uid), so that the digest can be checked by
-- anyone and yet an account that is deleted leaves no trace: uid, salt and nickname become empty, all else stays.
CREATE TABLE standings (
  group_id uuid,
  month date,
  person bytea CONSTRAINT standings_person CHECK (octet_length(person) = 32),
  rank integer NOT NULL CONSTRAINT standings_rank CHECK (rank > 0),
  counted_seconds integer NOT NULL CONSTRAINT standings_counted_seconds CHECK (counted_seconds >= 0),
  manual_seconds integer NOT NULL CONSTRAINT standings_manual_seconds CHECK (manual_seconds BETWEEN 0 AND counted_seconds),
  -- What keeps the digest of this line from telling what is in it; whoever may see the line is told.
  seal_salt bytea NOT NULL CONSTRAINT standings_seal_salt CHECK (octet_length(seal_salt) = 16),
  -- With all amendments.
  amended_rank integer NOT NULL,
  amended_seconds integer NOT NULL,
  uid uuid,
  salt bytea,
  nickname text,
  CONSTRAINT standings_key PRIMARY KEY (group_id, month, person),
  CONSTRAINT standings_anonymous CHECK ((uid IS NULL) = (salt IS NULL) AND (uid IS NULL) = (nickname IS NULL))
);
CREATE INDEX standings_of_user ON standings (uid, month);

-- What an admin corrected afterwards, for everybody to see. The standings themselves stay as they were sealed.
CREATE SEQUENCE amendments_written;                       -- ids that grow: of two in one second the last one holds
CREATE TABLE amendments (
  amendment_id uuid CONSTRAINT amendments_key PRIMARY KEY
    DEFAULT lpad(to_hex(nextval('amendments_written')), 32, '0')::uuid,
  group_id uuid NOT NULL,
  month date NOT NULL,
  person bytea NOT NULL,
  actor uuid NOT NULL,
  at timestamptz NOT NULL,
  reason text NOT NULL CONSTRAINT amendments_reason CHECK (char_length(reason) BETWEEN 1 AND 500),
  old_seconds integer NOT NULL,
  new_seconds integer NOT NULL CONSTRAINT amendments_seconds CHECK (new_seconds BETWEEN 0 AND longest_month()),
  old_rank integer NOT NULL,
  new_rank integer NOT NULL,
  CONSTRAINT amendments_standing FOREIGN KEY (group_id, month, person) REFERENCES standings,
  CONSTRAINT amendments_change CHECK (old_seconds <> new_seconds)
);
CREATE INDEX amendments_of_month ON amendments (group_id, month, at);

-- Who ever stood on a podium of a group, added up from its standings: how often they won, stood there and took part.
CREATE TABLE fame (
  group_id uuid,
  uid uuid,
  firsts integer NOT NULL,
  podiums integer NOT NULL CONSTRAINT fame_podiums CHECK (podiums > 0),
  months integer NOT NULL,
  best_month date NOT NULL,
  best_seconds integer NOT NULL,
  CONSTRAINT fame_key PRIMARY KEY (group_id, uid)
);
CREATE INDEX fame_of_user ON fame (uid);

-- Groups beside groups: by how long each member has studied by the timer on average in a month. Only groups that take
-- part (duel), and only with five or more on their board of that month, so that a mean says little of any one of them.
--
-- A mean is over everyone on the group's own board of that month, by its own rules: hidden ones count, those who are
-- suspended do not. Time logged by hand is left out, whatever the rules say, so that no group writes itself up; a running
-- timer counts from its next pause on. Means are whole seconds, rounded down.
--
-- Adding them up takes 1 to 2 µs for each member, so the means of months that are not closed are kept here and renewed each
-- minute by one worker. A closed month's mean is that of its standings, with their amendments. Who takes part is today's
-- choice, for all months: whoever opts out is off all of them in the same commit.

CREATE TABLE group_means (
  month date CONSTRAINT group_means_month CHECK (extract(day FROM month) = 1),
  group_id uuid,
  rules_id integer NOT NULL,
  member_count integer NOT NULL CONSTRAINT group_means_member_count CHECK (member_count >= fewest_compared()),
  mean_seconds integer NOT NULL CONSTRAINT group_means_mean_seconds CHECK (mean_seconds >= 0),
  CONSTRAINT group_means_key PRIMARY KEY (month, group_id)
) WITH (fillfactor = 80);
CREATE INDEX group_means_rank ON group_means (month, mean_seconds, group_id);
CREATE INDEX group_means_of_group ON group_means (group_id);

-- How far the worker is: a round goes through all groups in the order of their ids.
CREATE TABLE group_means_round (
  one boolean CONSTRAINT group_means_round_key PRIMARY KEY DEFAULT true CONSTRAINT group_means_round_one CHECK (one),
  began_at timestamptz,                                   -- of the last round, or of the one under way
  reached uuid,                                           -- empty while none is under way
  as_of timestamptz                                       -- the beginning of the last round that came to its end
);
INSERT INTO group_means_round DEFAULT VALUES;

-- Live boards: which boards have changed since somebody last asked, for those who watch one.

-- Whose numbers or names changed (a user's), or which group's board as a whole, in which transaction. Asked with the
-- snapshot of the last answer, it tells exactly what was committed since, however late. Rows are of use for a minute.
CREATE TABLE board_changes (
  changed_in xid8,
  subject uuid,
  noted_at timestamptz NOT NULL,
  CONSTRAINT board_changes_key PRIMARY KEY (changed_in, subject)
);

-- Where the snapshots stood that were taken once a minute: a change of an earlier transaction than the one of two minutes
-- ago has been told to everybody who can still ask.
CREATE TABLE change_horizons (
  noted_at timestamptz CONSTRAINT change_horizons_key PRIMARY KEY,
  horizon xid8 NOT NULL
);
