-- The scores of a board are planned once, for a group of average size. Where a few groups are large that plan joined the
-- board of twenty with the totals of everybody under the same rules; looked up one by one, members cost what they are.
ALTER FUNCTION counted_scores(uuid, date, date, timestamptz) SET enable_hashjoin = off;
ALTER FUNCTION counted_scores(uuid, date, date, timestamptz) SET enable_mergejoin = off;
