-- What a timer is started with: a person's own choices about timers, and plans of work and rest.

-- The length that clients offer, whether they sound and notify, and whether a timer that runs on and on brings a mail.
ALTER TABLE users
  ADD COLUMN default_timer_seconds integer NOT NULL DEFAULT 1800
    CONSTRAINT users_default_timer_seconds CHECK (default_timer_seconds BETWEEN 60 AND 86400),
  ADD COLUMN sounds boolean NOT NULL DEFAULT true,
  ADD COLUMN notices boolean NOT NULL DEFAULT true,
  ADD COLUMN unattended_mail boolean NOT NULL DEFAULT true;
