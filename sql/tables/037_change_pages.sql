-- The table empties whenever nothing changes. Without its pages, plans would read all of it while it fills again; and
-- to cut them off, VACUUM would lock out everybody who writes changes.
ALTER TABLE board_changes SET (vacuum_truncate = false);
