-- The clock's tables: which time zones a study clock may have.

-- What the exclusion constraints need: equality of uuids in a GiST index.
CREATE EXTENSION IF NOT EXISTS btree_gist;

-- The zones a clock may have. AT TIME ZONE alone would accept FOO5. Whatever keeps a zone refers to this table by a
-- constraint named unknown_time_zone. learn_time_zones() takes up new ones after an update of tzdata.
CREATE TABLE time_zones (
  name text CONSTRAINT time_zones_key PRIMARY KEY
);
SELECT learn_time_zones();
