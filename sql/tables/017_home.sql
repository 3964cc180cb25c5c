-- Home: where the database was last used. A dump carries the row along, but not the place.

CREATE TABLE database_home (
  one boolean CONSTRAINT database_home_key PRIMARY KEY DEFAULT true CONSTRAINT database_home_one CHECK (one),
  place text NOT NULL                                     -- as database_place() names it
);

-- When the last backup was made (last_backup).
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX audit_events_of_backups ON audit_events (at) WHERE kind = 'backup_made';
