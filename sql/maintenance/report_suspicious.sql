-- report_suspicious.sql: lists members whose month deserves a look, each reason with its figures.
--
-- Reasons: near_cap (days near the daily cap, again and again), high_manual_share (most of the time was added by hand),
-- regular_lengths (most timed intervals last exactly the same), round_lengths (most last a multiple of five minutes),
-- long_timers (timers that ran until the program ended them), recorded_in_bulk (many sessions added by hand within
-- minutes). The function admin_suspicions() has the exact thresholds. Nothing follows from a row by itself: honest
-- study can look the same. Reads all study of the month, so it takes a while on a large service.
--
-- Variables:  month   the month, as 2026-10 (default: the current one)
--             group   only who was in this group in that month (default: everybody on a board)
--             often   how many days near the cap, or long timers, it takes (default: 3)
-- Undo:       not needed: it changes nothing
-- Example:    script/psql -v month=2026-10 -f sql/maintenance/report_suspicious.sql

\set ON_ERROR_STOP on
\set script report_suspicious
\set takes '[month] [group] [often]'
\ir parts/variables.sql

SELECT uid, nickname, reason, figures
FROM admin_suspicions(to_date(nullif(:'month', ''), 'YYYY-MM'), nullif(:'group', '')::uuid,
                      coalesce(nullif(:'often', ''), '3')::integer);
