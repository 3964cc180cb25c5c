-- The table empties whenever nothing changes. With its pages gone, plans would read all of it while it fills again; to cut
-- them off, VACUUM would also lock out everybody who writes changes.
ALTER TABLE board_changes SET (vacuum_truncate = false);
