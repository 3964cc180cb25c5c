-- Groups whose closed months anybody may read.

ALTER TABLE groups ADD COLUMN months_public boolean NOT NULL DEFAULT false;
ALTER TYPE group_summary ADD ATTRIBUTE months_public boolean;
