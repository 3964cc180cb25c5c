-- What the figures of the service count: the sessions of today, and the mails that were given up. (Sessions lie nearly
-- in the order of time.)
CREATE INDEX study_sessions_by_time ON study_sessions USING brin (created_at) WITH (autosummarize = on);
CREATE INDEX mail_outbox_given_up ON mail_outbox (dead_at) WHERE dead_at IS NOT NULL;

-- What goes with a group.
CREATE INDEX group_bans_of_group ON group_bans (group_id, banned_at, uid);
CREATE INDEX join_requests_of_group ON join_requests (group_id);
CREATE INDEX cheers_of_group ON cheers (group_id);

-- Of a large table, autovacuum would wait for a fifth to be dead.
ALTER TABLE day_totals SET (autovacuum_vacuum_scale_factor = 0.02);
ALTER TABLE month_totals SET (autovacuum_vacuum_scale_factor = 0.02);
ALTER TABLE study_intervals SET (autovacuum_vacuum_scale_factor = 0.02);
