-- What the figures of the service count: the sessions of today, and the mails that were given up. (Sessions lie nearly
-- in the order of time.)
CREATE INDEX study_sessions_by_time ON study_sessions USING brin (created_at) WITH (autosummarize = on);
CREATE INDEX mail_outbox_given_up ON mail_outbox (dead_at) WHERE dead_at IS NOT NULL;
