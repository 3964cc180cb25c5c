-- Changing sessions.
SELECT;
