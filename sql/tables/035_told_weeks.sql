-- The last week that somebody got a letter about: with another study clock the same week may end once more.
ALTER TABLE weekly_letters ADD COLUMN told_week date;
