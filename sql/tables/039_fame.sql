-- Nobody asks for one person's rows of all groups: they are found by the group, too, which the key of the table does.
-- squawk-ignore require-concurrent-index-deletion
DROP INDEX fame_of_user;
