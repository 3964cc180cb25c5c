-- Weekly letters: when the next letter about a week is due, of each person who wants them.

ALTER TABLE users ADD COLUMN weekly_mail boolean NOT NULL DEFAULT false;

CREATE TABLE weekly_letters (
  uid uuid CONSTRAINT weekly_letters_key PRIMARY KEY
    CONSTRAINT weekly_letters_student REFERENCES students ON DELETE CASCADE,
  due timestamptz NOT NULL
) WITH (fillfactor = 80);
CREATE INDEX weekly_letters_by_due ON weekly_letters (due);
