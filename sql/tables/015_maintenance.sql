-- Maintenance: what admins have changed by the scripts of sql/maintenance, and what undoing it needs.

CREATE SEQUENCE admin_changes_numbers;
CREATE TABLE admin_changes (
  number bigint CONSTRAINT admin_changes_key PRIMARY KEY DEFAULT nextval('admin_changes_numbers'),
  at timestamptz NOT NULL DEFAULT anthill_clock(),
  script text NOT NULL,                                   -- without .sql
  by text NOT NULL CONSTRAINT admin_changes_by CHECK (char_length(by) BETWEEN 1 AND 100),
  reason text NOT NULL CONSTRAINT admin_changes_reason CHECK (char_length(reason) BETWEEN 1 AND 500),
  uid uuid,                                               -- the user it is about; none: it is about nobody in particular
  undo jsonb,                                             -- what undo_SCRIPT needs; none: it cannot be undone
  undone_at timestamptz,
  CONSTRAINT admin_changes_undone CHECK (undone_at IS NULL OR undo IS NOT NULL)
);
CREATE INDEX admin_changes_of_user ON admin_changes (uid) WHERE uid IS NOT NULL;
