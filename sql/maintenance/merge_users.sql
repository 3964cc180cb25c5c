-- merge_users.sql: makes one account of a person's two: all that the second one has comes to the first, and the second
-- is erased.
--
-- Study comes along with its subjects, projects, tasks and plans; in a month that is closed it counts in the personal
-- calendar only, and on no board. Closed standings of the second account stay, under "someone who left". The first
-- account keeps its address, password, nickname, settings, alarm and goal. Accounts of providers that were linked to
-- the second sign in to the first from now on; the address of the second is free. Places in groups come along, with the
-- higher role where both are members. What the second decided as an admin of a group stays in force, under the first
-- one's name; amendments that it made stay without a name. Who was a site admin by the second account is none any more.
-- Reports by or about the second come along; those of one account about the other go.
--
-- Prints both accounts, which of them stays, and where their study overlaps. Refuses while it overlaps: take back one
-- interval of each pair (retract_interval.sql). In closed months that is not possible: there the merge takes back the
-- second account's interval, which changes no board.
--
-- Refuses as well while one of them has a timer (stop_timer.sql), while the first is about to be deleted or
-- banned from a group of the second, while the second is suspended anywhere, while a final board of the second is not
-- written yet (close_month.sql), and where the first would have more groups, labels, plans or dates than anybody may.
-- While this runs, both wait, and nobody can join or leave their groups: about half a second for a thousand intervals.
--
-- Variables:  uid      the account that stays
--             second   the account that is merged into it and then gone
--             reason   why; the user can read it
--             by       your name (default: your login)
--             apply    1 to do it (default: only show)
-- Undo:       no; only a backup brings the second account back
-- Example:    script/psql -v uid=3f0e4a52-0000-4000-8000-000000000000 -v second=91b7a0c4-0000-4000-8000-000000000000 \
--               -v reason='registered twice; asked by letter' -f sql/maintenance/merge_users.sql

\set ON_ERROR_STOP on
\set script merge_users
\set takes 'uid second'
\ir parts/begin.sql
SELECT 'stays' AS becomes, * FROM admin_account(:'uid')
UNION ALL SELECT 'is erased', * FROM admin_account(:'second')
ORDER BY becomes DESC;
SELECT EXISTS (SELECT FROM overlapping_study(:'uid', :'second')) AS overlaps \gset
\if :overlaps
SELECT began, finished, interval_of_first, interval_of_second,
       CASE WHEN both_closed THEN 'the second one''s is taken back' ELSE 'take one back first' END AS becomes
FROM overlapping_study(:'uid', :'second') ORDER BY both_closed, began;
\endif
SELECT admin_merge_users(:'uid', :'second', :'reason', :'by') AS change \gset
\ir parts/end.sql
