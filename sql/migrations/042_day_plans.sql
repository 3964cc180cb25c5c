-- As with the scores: looked up one by one, the days of a board's members cost what they are, whatever else is there.
ALTER FUNCTION counted_days(uuid, date, date, timestamptz) SET enable_hashjoin = off;
ALTER FUNCTION counted_days(uuid, date, date, timestamptz) SET enable_mergejoin = off;
