-- Home asks at each look whether a timer waits for its end to be confirmed; few ever do.
CREATE INDEX study_sessions_unconfirmed ON study_sessions (uid) WHERE state = 'unconfirmed';
