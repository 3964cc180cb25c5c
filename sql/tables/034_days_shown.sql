-- Whether the members of one's groups see the calendar and the streak, and the closed months beside theirs.
ALTER TABLE users ADD COLUMN days_shown boolean NOT NULL DEFAULT false;
