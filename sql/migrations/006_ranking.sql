-- Ranking: totals by the rules of boards, kept by recording itself and equal to a recount at every commit.
--
-- Their rules come from counted_under, which refers to ranking_rules. A reference from here would have every writer lock
-- the one row of the rules that so many share.

-- All seconds of a day, the manual ones among them, and how many count: at most the cap, manual time only where the
-- rules let it count. Imports are in none of them.
CREATE TABLE day_totals (
  rules_id integer,
  uid uuid CONSTRAINT day_totals_user REFERENCES users ON DELETE CASCADE,
  day date,
  seconds integer NOT NULL CONSTRAINT day_totals_seconds CHECK (seconds >= 0),
  manual_seconds integer NOT NULL CONSTRAINT day_totals_manual_seconds CHECK (manual_seconds BETWEEN 0 AND seconds),
  counted_seconds integer NOT NULL CONSTRAINT day_totals_counted_seconds CHECK (counted_seconds BETWEEN 0 AND seconds),
  CONSTRAINT day_totals_key PRIMARY KEY (rules_id, uid, day)
) WITH (fillfactor = 80);

-- The sum of a month's days: what counts, and how much of it is manual (counted less what the timer alone would give).
CREATE TABLE month_totals (
  rules_id integer,
  uid uuid CONSTRAINT month_totals_user REFERENCES users ON DELETE CASCADE,
  month date CONSTRAINT month_totals_month CHECK (extract(day FROM month) = 1),
  counted_seconds integer NOT NULL CONSTRAINT month_totals_counted_seconds CHECK (counted_seconds >= 0),
  manual_seconds integer NOT NULL
    CONSTRAINT month_totals_manual_seconds CHECK (manual_seconds BETWEEN 0 AND counted_seconds),
  CONSTRAINT month_totals_key PRIMARY KEY (rules_id, uid, month)
) WITH (fillfactor = 80);
CREATE INDEX month_totals_rank ON month_totals (rules_id, month, counted_seconds, uid);
