-- check.sql: checks every invariant of the database.
--
-- Prints one row per violation: the rule, the user, group or row that breaks it, and how. Prints nothing when all is
-- well. It changes nothing, reads everything in one snapshot, and can run while people study. It recounts all totals
-- from the intervals. If that takes too long, check in steps, for example one for each first digit of a UID, or check
-- only the totals since a month. What is nobody's, such as the counters of the global board and mails, is checked in
-- the step of the first user.
-- rebuild_totals.sql repairs totals that differ from their intervals, and ranks that differ from the totals.
--
-- Variables:  uid         only this user or group, or those whose UID begins with one or two digits (default: all)
--             since       only totals of this day's month and later ones (default: all)
--             mail_late   how long a message may be due before it counts as stuck, such as 10 minutes (default: 1 hour)
-- Undo:       not needed: it changes nothing
-- Example:    script/psql -f sql/maintenance/check.sql
--             for digit in {0..9} {a..f}; do script/psql -v uid=$digit -f sql/maintenance/check.sql; done

\set ON_ERROR_STOP on
\set script check
\set takes '[uid*] [since] [mail_late]'
\ir parts/variables.sql
\pset format unaligned
\pset tuples_only on

BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
-- Compiling these statements takes longer than running them.
SET LOCAL jit = off;
SELECT x.*, format('BETWEEN %L AND %L', x.first_uid, x.last_uid) AS chosen,
       coalesce(nullif(:'since', ''), '-infinity') AS since, coalesce(nullif(:'mail_late', ''), '1 hour') AS mail_late,
       -- Whether to check what is nobody's.
       x.first_uid < x.last_uid AND coalesce(
         (SELECT u.uid FROM users u ORDER BY u.uid LIMIT 1) BETWEEN x.first_uid AND x.last_uid, true) AS nobodys
FROM (
  SELECT rpad(digits, 32, '0')::uuid AS first_uid, rpad(digits, 32, 'f')::uuid AS last_uid
  FROM replace(:'uid', '-', '') digits
) x \gset

-- Study
SELECT 'overlapping intervals', o.uid, format('%s begins at %s, before %s', o.interval_id, o.started_at, o.before)
FROM (
  SELECT uid, interval_id, started_at, max(coalesce(ended_at, 'infinity')) OVER (
           PARTITION BY uid ORDER BY started_at, interval_id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
  FROM study_intervals WHERE retracted_at IS NULL AND uid :chosen
) o
WHERE o.started_at < o.before;

SELECT 'timer ahead of the clock', i.uid, format('%s runs from %s on', i.interval_id, i.started_at)
FROM study_intervals i
WHERE i.uid :chosen AND i.ended_at IS NULL AND i.started_at > anthill_clock() + clock_slack();

SELECT 'two running timers', uid, count(*) FROM study_intervals WHERE ended_at IS NULL AND uid :chosen
GROUP BY uid HAVING count(*) > 1;

SELECT 'two sessions with a timer', uid, count(*) FROM study_sessions
WHERE state IN ('running', 'paused') AND uid :chosen
GROUP BY uid HAVING count(*) > 1;

SELECT 'session and its intervals disagree', s.uid, format('%s is %s', s.session_id, s.state)
FROM study_sessions s
LEFT JOIN study_intervals i ON i.uid = s.uid AND i.session_id = s.session_id AND i.retracted_at IS NULL
WHERE s.uid :chosen
GROUP BY s.uid, s.session_id
HAVING (s.state = 'running') <> coalesce(bool_or(i.interval_id IS NOT NULL AND i.ended_at IS NULL), false)
  OR (s.state = 'unconfirmed') <> coalesce(bool_or(i.unconfirmed), false)
  -- A timer that was stopped within its first second has no interval. Where intervals were lost, the totals show it.
  OR count(i.interval_id) = 0 AND s.state = 'finished' AND s.source <> 'timer'
  OR count(i.interval_id) > 0 AND s.state = 'discarded';

SELECT 'interval of another source than its session', i.uid, format('%s: %s, %s', i.interval_id, i.source, s.source)
FROM study_intervals i JOIN study_sessions s USING (uid, session_id)
-- A timed session has manual intervals where it was changed by hand.
WHERE i.uid :chosen AND i.source <> s.source AND (i.source, s.source) <> ('manual', 'timer');

SELECT 'interval recorded before its session', i.uid,
       format('%s: at %s, %s', i.interval_id, i.recorded_at, s.created_at)
FROM study_intervals i JOIN study_sessions s USING (uid, session_id)
WHERE i.uid :chosen AND i.recorded_at < s.created_at;

SELECT 'interval too long or not in whole seconds', uid, format('%s: %s to %s', interval_id, started_at, ended_at)
FROM study_intervals
WHERE uid :chosen AND (ended_at <= started_at OR ended_at > started_at + longest_interval()
  OR date_trunc('second', started_at) <> started_at OR date_trunc('second', ended_at) <> ended_at);

SELECT 'session on a subject or task that its owner lacks', s.uid, s.session_id
FROM study_sessions s
WHERE s.uid :chosen AND (
  s.subject_id IS NOT NULL AND NOT EXISTS (SELECT FROM subjects x WHERE x.uid = s.uid AND x.id = s.subject_id)
  OR s.task_id IS NOT NULL AND NOT EXISTS (SELECT FROM tasks x WHERE x.uid = s.uid AND x.id = s.task_id));

SELECT 'more of a kind than anybody may keep', x.uid, format('%s %s', count(*), x.kind)
FROM (
  SELECT uid, 'subjects' AS kind FROM subjects WHERE NOT archived
  UNION ALL SELECT uid, 'projects' FROM projects WHERE NOT archived
  UNION ALL SELECT uid, 'tasks' FROM tasks WHERE NOT archived
  UNION ALL SELECT uid, 'plans' FROM plans
  UNION ALL SELECT uid, 'dates' FROM target_dates
) x
WHERE x.uid :chosen
GROUP BY x.uid, x.kind
HAVING count(*) > CASE x.kind WHEN 'plans' THEN most_plans() WHEN 'dates' THEN most_target_dates()
                              ELSE most_labels() END;

SELECT 'day longer than it was', uid, format('%s: %s s', day, study_seconds)
FROM recounted_study_days(:'first_uid', :'last_uid', :'since')
-- When a user changes the study clock, that one day has two clocks and may be longer or shorter than a day.
WHERE clocks = 1
  AND study_seconds > extract(epoch FROM study_day_start(day + 1, time_zone, day_starts_at)
                                         - study_day_start(day, time_zone, day_starts_at));

-- Days
WITH kept AS MATERIALIZED (
  SELECT k.uid, k.day, k.goal_seconds, s.daily_goal_seconds FROM study_days k JOIN students s USING (uid)
  WHERE k.uid :chosen
)
SELECT 'goal of a day differs from the goal of its time', k.uid,
       format('%s: kept %s s, had %s s', k.day, k.goal_seconds, goal_of_day(k.uid, k.day, k.daily_goal_seconds))
FROM kept k
WHERE k.goal_seconds <> goal_of_day(k.uid, k.day, k.daily_goal_seconds);

WITH kept AS MATERIALIZED (
  SELECT p.uid, p.until_day, p.goal_seconds, s.daily_goal_seconds FROM past_goals p JOIN students s USING (uid)
  WHERE p.uid :chosen
)
SELECT 'change of goal that changed nothing', p.uid, format('until %s: %s s', p.until_day, p.goal_seconds)
FROM kept p
WHERE p.goal_seconds = goal_of_day(p.uid, p.until_day, p.daily_goal_seconds);

WITH kept AS MATERIALIZED (
  SELECT p.* FROM past_streaks p WHERE p.uid :chosen
)
SELECT 'sum of past days', k.uid, format('before %s: kept %s/%s/%s, counted %s/%s/%s', k.until_day, k.study_seconds,
         k.current_streak, k.longest_streak, s.study_seconds, s.current_streak, s.longest_streak)
FROM kept k
CROSS JOIN LATERAL streaks_after((k.uid, '-infinity', k.time_zone, k.day_starts_at, 0, 0, 0)::past_streaks,
                                 k.until_day, k.until_day) s
WHERE (k.study_seconds, k.current_streak, k.longest_streak) <> (s.study_seconds, s.current_streak, s.longest_streak);

SELECT 'more rest days in a month than anybody may plan', uid, to_char(month_of(day), 'YYYY-MM')
FROM rest_days WHERE uid :chosen GROUP BY uid, month_of(day) HAVING count(*) > rest_days_a_month();

SELECT 'wake-up ant of another day', uid, format('%s, earned at %s', day, earned_at)
FROM wake_ups
-- The alarm began to ring at most ten hours before, when it was that date somewhere on earth.
WHERE uid :chosen AND day NOT BETWEEN (earned_at AT TIME ZONE 'UTC' - interval '22 hours')::date
                                  AND (earned_at AT TIME ZONE 'UTC' + interval '14 hours')::date;

-- Alarm
SELECT 'settings of an alarm overlap', a.uid, format('from %s', b.set_at)
FROM alarms a JOIN alarms b ON b.uid = a.uid AND b.set_at > a.set_at
WHERE a.uid :chosen AND a.until > b.set_at;

SELECT 'problem solved without its ant', c.uid, format('%s, ring %s', c.day, c.ring)
FROM wake_up_challenges c
WHERE c.uid :chosen AND c.solved_at IS NOT NULL
  AND NOT EXISTS (SELECT FROM wake_ups w WHERE w.uid = c.uid AND w.day = c.day);

SELECT 'ant without a solved problem', w.uid, format('%s, earned at %s', w.day, w.earned_at)
FROM wake_ups w
WHERE w.uid :chosen AND NOT EXISTS (
  SELECT FROM wake_up_challenges c WHERE c.uid = w.uid AND c.day = w.day AND c.solved_at IS NOT NULL);

-- Totals
SELECT CASE d.total WHEN 'study_days' THEN 'study day differs from its intervals'
                    WHEN 'day_totals' THEN 'day total differs from its intervals'
                    WHEN 'month_totals' THEN 'month total differs from its intervals'
                    WHEN 'rank_totals' THEN 'total on the global board differs from its intervals'
                    ELSE 'time of a task differs from its intervals' END,
       d.uid, format('%s: kept %s; recounted %s', d.key, total_in_words(d.total, d.kept),
                     total_in_words(d.total, d.recounted))
FROM total_differences(:'first_uid', :'last_uid', :'since') d;

SELECT 'day of a board longer than it was', uid, format('rules %s, %s: %s s', rules_id, t.day, t.seconds)
FROM day_totals t JOIN ranking_rules r USING (rules_id)
WHERE t.uid :chosen AND t.seconds > extract(epoch FROM study_day_start(t.day + 1, r.time_zone, r.day_starts_at)
                                                       - study_day_start(t.day, r.time_zone, r.day_starts_at));

SELECT 'ranks differ from the totals', format('%s %s', period, first_day),
       format('level %s, bucket %s: kept %s, recounted %s', level, bucket, kept, recounted)
FROM rank_differences
WHERE :'nobodys';

-- Who is counted
SELECT 'member not counted under the rules of their group', uid,
       format('group %s, rules %s: %s', group_id, rules_id, months)
FROM uncounted_members(:'first_uid', :'last_uid');

WITH counted AS MATERIALIZED (
  SELECT c.uid, c.rules_id, c.from_month, c.until_month, c.time_zone, c.day_starts_at, max(h.left_at) AS left_at
  FROM counted_under c LEFT JOIN group_membership_history h ON h.uid = c.uid
  WHERE c.uid :chosen AND NOT c.is_global
  GROUP BY c.uid, c.rules_id, c.from_month
)
SELECT 'counted without being a member', c.uid, format('rules %s from %s', c.rules_id, to_char(c.from_month, 'YYYY-MM'))
FROM counted c
-- A member who leaves is counted until the end of the current month.
CROSS JOIN LATERAL (
  SELECT next_month(month_of(study_day(greatest(anthill_clock(), c.left_at), c.time_zone, c.day_starts_at))) AS coming
) n
WHERE c.until_month > n.coming
  AND NOT daterange(greatest(c.from_month, n.coming), c.until_month) <@ coalesce((
    SELECT range_agg(daterange(g.from_month, g.until_month))
    FROM rules_of_groups(ARRAY(SELECT m.group_id FROM group_members m WHERE m.uid = c.uid)) g
    WHERE g.rules_id = c.rules_id), '{}');

SELECT 'counted under another copy of the rules', c.uid,
       format('rules %s from %s', c.rules_id, to_char(c.from_month, 'YYYY-MM'))
FROM counted_under c JOIN ranking_rules r USING (rules_id)
WHERE c.uid :chosen
  AND (c.time_zone, c.day_starts_at, c.daily_cap_seconds, c.manual_counts, c.is_global)
    <> (r.time_zone, r.day_starts_at, r.daily_cap_seconds, r.manual_counts, r.is_global);

SELECT 'counted twice under the same rules', a.uid, format('rules %s from %s', a.rules_id, b.from_month)
FROM counted_under a JOIN counted_under b ON b.uid = a.uid AND b.rules_id = a.rules_id AND b.from_month > a.from_month
WHERE a.uid :chosen AND a.until_month > b.from_month;

WITH counted AS MATERIALIZED (
  SELECT c.uid FROM counted_under c WHERE c.uid :chosen AND c.is_global AND c.until_month = 'infinity'
)
SELECT 'choice about the global board not followed', u.uid, format('chosen: %s', u.global_board)
FROM users u
WHERE u.uid :chosen AND belongs_on_global_board(u) <> EXISTS (SELECT FROM counted c WHERE c.uid = u.uid);

-- Closed months
SELECT 'standings differ from their digest', c.group_id, to_char(c.month, 'YYYY-MM')
FROM month_closes c
WHERE c.group_id :chosen AND (
  c.sha256 <> sha256(convert_to(standings_text(c.group_id, c.month), 'UTF8'))
  OR c.participants <> (SELECT count(*) FROM standings s WHERE s.group_id = c.group_id AND s.month = c.month));

SELECT 'standings without a close', s.group_id, to_char(s.month, 'YYYY-MM')
FROM standings s
WHERE s.group_id :chosen
  AND NOT EXISTS (SELECT FROM month_closes c WHERE c.group_id = s.group_id AND c.month = s.month)
GROUP BY s.group_id, s.month;

SELECT 'closed month is missing', g.group_id, to_char(n, 'YYYY-MM')
FROM groups g
CROSS JOIN LATERAL group_rules_in(g.group_id, '-infinity') r
CROSS JOIN LATERAL generate_series(
  month_of(study_day(g.created_at, r.time_zone, r.day_starts_at)),
  greatest(g.open_month, (SELECT max(c.month) FROM month_closes c WHERE c.group_id = g.group_id)) - interval '1 day',
  interval '1 month') n
WHERE g.group_id :chosen
  AND NOT EXISTS (SELECT FROM month_closes c WHERE c.group_id = g.group_id AND c.month = n::date);

SELECT 'month to be closed next is another', g.group_id,
       format('%s at %s', to_char(g.open_month, 'YYYY-MM'), g.open_month_closes_at)
FROM groups g CROSS JOIN LATERAL group_rules_in(g.group_id, g.open_month) r
WHERE g.group_id :chosen AND (
  g.open_month_closes_at <> month_closes_at(g.open_month, r.time_zone, r.day_starts_at)
  OR g.open_month <= (SELECT max(c.month) FROM month_closes c WHERE c.group_id = g.group_id));

SELECT 'month closed late', g.group_id,
       format('%s was due at %s', to_char(g.open_month, 'YYYY-MM'), g.open_month_closes_at)
FROM groups g WHERE g.group_id :chosen AND g.open_month_closes_at < anthill_clock() - interval '1 hour';

SELECT 'webhook tells a maker who is not in the group', w.group_id, w.host
FROM webhooks w
WHERE w.group_id :chosen AND w.off_since IS NULL
  AND NOT EXISTS (SELECT FROM group_members m WHERE m.uid = w.uid AND m.group_id = w.group_id);

SELECT 'person of a standing is not who they are', s.group_id, format('%s, %s', to_char(s.month, 'YYYY-MM'), s.uid)
FROM standings s WHERE s.group_id :chosen AND s.person <> sha256(s.salt || uuid_send(s.uid));

SELECT 'standing of nobody', s.group_id, format('%s, %s', to_char(s.month, 'YYYY-MM'), s.uid)
FROM standings s
WHERE s.group_id :chosen AND s.uid IS NOT NULL AND NOT EXISTS (SELECT FROM users u WHERE u.uid = s.uid);

WITH totals AS MATERIALIZED (
  SELECT t.rules_id, t.uid, t.month, t.counted_seconds FROM month_totals t
  WHERE t.uid = ANY (ARRAY(SELECT DISTINCT s.uid FROM standings s WHERE s.group_id :chosen))
)
SELECT 'standings differ from the totals', s.group_id,
       format('%s, %s: %s s, %s in the totals', to_char(s.month, 'YYYY-MM'), s.uid, s.counted_seconds,
              t.counted_seconds)
FROM standings s
JOIN groups g ON g.group_id = s.group_id
CROSS JOIN LATERAL group_rules_in(s.group_id, s.month) r
LEFT JOIN totals t ON t.rules_id = r.rules_id AND t.uid = s.uid AND t.month = s.month
WHERE s.group_id :chosen AND s.uid IS NOT NULL AND s.counted_seconds <> coalesce(t.counted_seconds, 0);

SELECT 'suspended when the month was closed, and yet in it', s.group_id,
       format('%s, %s', to_char(s.month, 'YYYY-MM'), s.uid)
FROM standings s
JOIN month_closes c USING (group_id, month)
JOIN suspensions x ON x.group_id = s.group_id AND x.uid = s.uid
  AND tstzrange(x.since, coalesce(x.lifted_at, x.until)) @> c.closed_at - interval '1 second'
WHERE s.group_id :chosen;

-- Each amendment starts from the result of the one before. Its ranks follow from everybody's seconds at that time.
SELECT 'amendment does not follow from the standings before it', a.group_id,
       format('%s, %s', to_char(a.month, 'YYYY-MM'), a.amendment_id)
FROM amendments a
CROSS JOIN LATERAL (
  SELECT max(n.seconds) FILTER (WHERE n.person = a.person) AS old_seconds,
         1 + count(*) FILTER (WHERE n.person <> a.person AND n.seconds > a.old_seconds) AS old_rank,
         1 + count(*) FILTER (WHERE n.person <> a.person AND n.seconds > a.new_seconds) AS new_rank
  FROM (
    SELECT s.person, coalesce((
             SELECT b.new_seconds FROM amendments b
             WHERE b.group_id = s.group_id AND b.month = s.month AND b.person = s.person
               AND (b.at, b.amendment_id) < (a.at, a.amendment_id)
             ORDER BY b.at DESC, b.amendment_id DESC LIMIT 1), s.counted_seconds) AS seconds
    FROM standings s WHERE s.group_id = a.group_id AND s.month = a.month
  ) n
) earlier
WHERE a.group_id :chosen
  AND (a.old_seconds, a.old_rank, a.new_rank)
    IS DISTINCT FROM (earlier.old_seconds, earlier.old_rank, earlier.new_rank);

SELECT 'standings differ from their amendments', s.group_id,
       format('%s, %s', to_char(s.month, 'YYYY-MM'), coalesce(s.uid::text, 'someone who left'))
FROM (SELECT DISTINCT group_id, month FROM standings WHERE group_id :chosen) m
CROSS JOIN LATERAL amended_standings(m.group_id, m.month) a
JOIN standings s ON s.group_id = m.group_id AND s.month = m.month AND s.person = a.person
WHERE (s.amended_seconds, s.amended_rank) <> (a.seconds, a.rank);

SELECT 'amendment without its trace in the audit', a.group_id,
       format('%s, %s', to_char(a.month, 'YYYY-MM'), a.amendment_id)
FROM amendments a
WHERE a.group_id :chosen AND NOT EXISTS (
  SELECT FROM audit_events e
  WHERE e.kind = 'standing_amended' AND e.actor IS NOT DISTINCT FROM a.actor
    AND e.details ->> 'group_id' = a.group_id::text
    AND e.details ->> 'amendment_id' = a.amendment_id::text
    AND (e.details ->> 'old_seconds')::integer = a.old_seconds
    AND (e.details ->> 'new_seconds')::integer = a.new_seconds);

SELECT 'amendment in the audit that is not there', e.details ->> 'group_id', e.details ->> 'amendment_id'
FROM audit_events e
WHERE e.kind = 'standing_amended' AND (e.details ->> 'group_id')::uuid :chosen
  AND NOT EXISTS (SELECT FROM amendments a WHERE a.amendment_id = (e.details ->> 'amendment_id')::uuid);

SELECT 'hall of fame differs from the standings', group_id, uid
FROM (SELECT * FROM fame WHERE group_id :chosen) k
FULL JOIN (
  SELECT m.group_id, c.*
  FROM (SELECT group_id, array_agg(DISTINCT uid) AS people FROM standings WHERE group_id :chosen GROUP BY group_id) m
  CROSS JOIN LATERAL counted_fame(m.group_id, m.people) c
) r USING (group_id, uid)
WHERE (k.firsts, k.podiums, k.months, k.best_month, k.best_seconds)
      IS DISTINCT FROM (r.firsts, r.podiums, r.months, r.best_month, r.best_seconds);

SELECT 'mean of a closed month differs from its standings', c.group_id,
       format('%s: kept %s s of %s, counted %s s of %s', to_char(c.month, 'YYYY-MM'), k.mean_seconds, k.member_count,
              n.mean, n.members)
FROM month_closes c
JOIN groups g ON g.group_id = c.group_id AND g.duel
LEFT JOIN LATERAL closed_mean(c.group_id, c.month) n ON true
LEFT JOIN group_means k ON k.group_id = c.group_id AND k.month = c.month
WHERE c.group_id :chosen AND (k.mean_seconds, k.member_count) IS DISTINCT FROM (n.mean, n.members);

SELECT 'mean of a group that does not take part', k.group_id, to_char(k.month, 'YYYY-MM')
FROM group_means k
WHERE k.group_id :chosen AND NOT EXISTS (SELECT FROM groups g WHERE g.group_id = k.group_id AND g.duel);

-- Groups
SELECT 'group without an owner', g.group_id, g.name FROM groups g
WHERE g.group_id :chosen
  AND NOT EXISTS (SELECT FROM group_members m WHERE m.group_id = g.group_id AND m.role = 'owner');

SELECT 'group whose owners all leave', m.group_id, count(*)
FROM group_members m JOIN users u USING (uid)
WHERE m.group_id :chosen AND m.role = 'owner'
GROUP BY m.group_id HAVING bool_and(u.leaves_at IS NOT NULL);

SELECT 'group without rules', g.group_id, g.name FROM groups g
WHERE g.group_id :chosen AND NOT EXISTS (SELECT FROM group_rules r WHERE r.group_id = g.group_id);

SELECT 'members and their history disagree', uid, format('group %s', group_id)
FROM (SELECT * FROM group_members WHERE uid :chosen) m
FULL JOIN (SELECT * FROM group_membership_history WHERE left_at IS NULL AND uid :chosen) h USING (uid, group_id)
WHERE m.joined_at IS DISTINCT FROM h.joined_at;

SELECT 'stays in a group overlap', a.uid, format('group %s, from %s', a.group_id, b.joined_at)
FROM group_membership_history a JOIN group_membership_history b
  ON b.uid = a.uid AND b.group_id = a.group_id AND b.joined_at > a.joined_at
WHERE a.uid :chosen AND coalesce(a.left_at, 'infinity') > b.joined_at;

SELECT 'open request of somebody who is in the group', j.uid, j.request_id
FROM join_requests j JOIN group_members m USING (uid, group_id) WHERE j.uid :chosen AND j.accepted IS NULL;

SELECT 'more open requests than anybody may have', uid, count(*)
FROM join_requests WHERE uid :chosen AND accepted IS NULL GROUP BY uid HAVING count(*) > most_join_requests();

SELECT 'cheer between people who are not both in the group', c.uid, format('group %s, %s', c.group_id, c.day)
FROM cheers c
WHERE c.uid :chosen AND 2 > (
  SELECT count(*) FROM group_members m WHERE m.group_id = c.group_id AND m.uid IN (c.uid, c.receiver));

SELECT 'more cheers on a day than anybody may give', uid, format('group %s, %s', group_id, day)
FROM cheers WHERE uid :chosen GROUP BY uid, group_id, day HAVING count(*) > most_cheers_a_day();

SELECT 'suspension without its trace in the audit', x.uid, format('%s, %s', x.suspension_id, k.kind)
FROM suspensions x
JOIN (VALUES ('began', 'member_suspended', 'service_suspended'),
      ('lifted', 'suspension_lifted', 'service_suspension_lifted'),
             ('answered', 'suspension_answered', 'service_suspension_answered')) w (what, in_group, in_service)
  ON w.what = 'began' OR w.what = 'lifted' AND x.lifted_at IS NOT NULL OR w.what = 'answered' AND x.answer IS NOT NULL
CROSS JOIN LATERAL (SELECT CASE WHEN x.group_id IS NULL THEN w.in_service ELSE w.in_group END AS kind) k
WHERE x.uid :chosen AND NOT EXISTS (
  SELECT FROM audit_events e
  WHERE e.kind = k.kind AND e.uid = x.uid AND e.details ->> 'group_id' IS NOT DISTINCT FROM x.group_id::text
    AND e.details ->> 'suspension_id' = x.suspension_id::text
    AND (w.what <> 'began' OR e.details ->> 'until' = utc_text(x.until)));

-- Moderation
SELECT 'suspension over and the user not back', s.uid,
       format('%s, until %s', s.suspension_id, coalesce(s.lifted_at, s.until))
FROM suspensions s
WHERE s.uid :chosen AND s.group_id IS NULL AND s.returned_at IS NULL
  AND coalesce(s.lifted_at, s.until) < anthill_clock() - interval '1 hour';

SELECT 'back before the suspension is over', s.uid, s.suspension_id
FROM suspensions s
WHERE s.uid :chosen AND s.group_id IS NULL AND s.returned_at < coalesce(s.lifted_at, s.until);

SELECT 'report without its trace in the audit', r.about, format('%s, %s', r.report_id, k.kind)
FROM reports r
JOIN (VALUES ('report_made'), ('report_answered')) k (kind) ON k.kind = 'report_made' OR r.answer IS NOT NULL
-- The trace of a reporter who was erased is empty.
WHERE r.about :chosen AND r.uid IS NOT NULL AND NOT EXISTS (
  SELECT FROM audit_events e WHERE e.kind = k.kind AND e.uid = r.uid AND e.details ->> 'report_id' = r.report_id::text);

-- Accounts and mail
SELECT 'user without a student, or the reverse', uid, u.nickname
FROM (SELECT * FROM users WHERE uid :chosen) u FULL JOIN (SELECT uid, true AS there FROM students WHERE uid :chosen) s
  USING (uid)
WHERE u.nickname IS NULL OR s.there IS NULL;

SELECT 'user that nobody can sign in as', u.uid, u.nickname FROM users u
WHERE u.uid :chosen AND NOT EXISTS (SELECT FROM user_emails e WHERE e.uid = u.uid)
  AND NOT EXISTS (SELECT FROM user_identities i WHERE i.uid = u.uid);

SELECT 'user with two addresses', uid, count(*) FROM user_emails WHERE uid :chosen GROUP BY uid HAVING count(*) > 1;

SELECT 'address or identity of nobody', x.uid, ''
FROM (SELECT uid FROM user_emails UNION ALL SELECT uid FROM user_identities) x
WHERE x.uid :chosen AND NOT EXISTS (SELECT FROM users u WHERE u.uid = x.uid);

SELECT 'address held for another user', e.uid, format('%s, for %s', e.canonical, f.uid)
FROM user_emails e JOIN former_emails f USING (canonical)
WHERE e.uid :chosen AND f.uid <> e.uid AND f.held_until > anthill_clock();

SELECT 'change of address ahead of its user', c.uid, format('to %s: epoch %s', c.canonical, c.auth_epoch)
FROM email_changes c JOIN users u USING (uid) WHERE c.uid :chosen AND c.auth_epoch > u.auth_epoch;

SELECT 'identity linked without its trace in the audit', i.uid, i.issuer FROM user_identities i
WHERE i.uid :chosen AND NOT EXISTS (
  SELECT FROM audit_events e
  WHERE e.uid = i.uid AND e.kind = 'identity_linked' AND e.details ->> 'identity' = i.id::text);

SELECT 'sign-in ahead of its user', s.uid, format('%s: epoch %s', s.id, s.auth_epoch)
FROM sign_ins s JOIN users u USING (uid) WHERE s.uid :chosen AND s.auth_epoch > u.auth_epoch;

SELECT 'more keys than anybody may have', s.uid, count(*)
FROM sign_ins s WHERE s.uid :chosen AND s.scopes IS NOT NULL AND s.expires_at > anthill_clock()
GROUP BY s.uid HAVING count(*) > most_api_keys();

SELECT 'calendar address ahead of its user', f.uid, format('epoch %s', f.auth_epoch)
FROM calendar_feeds f JOIN users u USING (uid) WHERE f.uid :chosen AND f.auth_epoch > u.auth_epoch;

SELECT 'badge ahead of its user', b.uid, format('epoch %s', b.auth_epoch)
FROM badges b JOIN users u USING (uid) WHERE b.uid :chosen AND b.auth_epoch > u.auth_epoch;

SELECT 'weekly letter that nobody wants, or wanted and never due', u.uid, u.weekly_mail::text
FROM users u WHERE u.uid :chosen AND u.weekly_mail <> EXISTS (SELECT FROM weekly_letters w WHERE w.uid = u.uid);

-- Leaving
SELECT 'account due to be deleted and still there', u.uid, format('due at %s', u.leaves_at)
FROM users u WHERE u.uid :chosen AND u.leaves_at < anthill_clock() - interval '1 hour';

SELECT 'more sign-ins than the one that may come back', s.uid, count(*)
FROM sign_ins s JOIN users u USING (uid)
WHERE s.uid :chosen AND u.leaves_at IS NOT NULL
GROUP BY s.uid HAVING count(*) > 1;

SELECT 'timer of somebody who leaves', s.uid, s.session_id
FROM study_sessions s JOIN users u USING (uid)
WHERE s.uid :chosen AND u.leaves_at IS NOT NULL AND s.state IN ('running', 'paused');

SELECT 'trace of an erased user', x.uid, x.trace
FROM (
  SELECT uid, format('event %s', id) AS trace FROM audit_events
  UNION ALL SELECT actor, format('event %s', id) FROM audit_events
  UNION ALL SELECT uid, format('token for %s', purpose) FROM auth_tokens
  UNION ALL SELECT created_by, format('invitation %s', invitation_id) FROM invitations
  UNION ALL SELECT unnest(ARRAY[uid, banned_by]), format('ban in group %s', group_id) FROM group_bans
  UNION ALL SELECT unnest(ARRAY[uid, answered_by]), format('request %s', request_id) FROM join_requests
  UNION ALL SELECT uid, format('notice of group %s', group_id) FROM group_notices WHERE uid IS NOT NULL
  UNION ALL SELECT uid, format('webhook %s', id) FROM webhooks WHERE uid IS NOT NULL
  UNION ALL SELECT member, format('delivery %s', id) FROM webhook_deliveries WHERE member IS NOT NULL
  UNION ALL SELECT unnest(ARRAY[uid, suspended_by, lifted_by]), format('suspension %s', suspension_id) FROM suspensions
  UNION ALL SELECT unnest(ARRAY[uid, about, answered_by]), format('report %s', report_id) FROM reports
  UNION ALL SELECT actor, format('amendment %s', amendment_id) FROM amendments
  UNION ALL SELECT uid, format('stay in group %s', group_id) FROM group_membership_history
  UNION ALL SELECT uid, format('change %s', number) FROM admin_changes
) x
WHERE x.uid :chosen AND NOT EXISTS (SELECT FROM users u WHERE u.uid = x.uid);

SELECT 'change by an admin without its trace in the audit', coalesce(c.uid::text, c.script),
       format('change %s', c.number)
FROM admin_changes c
WHERE (c.uid :chosen OR c.uid IS NULL AND :'nobodys') AND NOT EXISTS (
  SELECT FROM audit_events e
  WHERE e.kind = 'admin_' || c.script AND e.uid IS NOT DISTINCT FROM c.uid AND e.details ->> 'change' = c.number::text
    AND (e.details ->> 'admin', e.details ->> 'reason') = (c.by, c.reason));

SELECT 'token used without effect', coalesce(t.uid::text, t.target), format('%s, used at %s', t.purpose, t.used_at)
FROM auth_tokens t
WHERE t.used_at IS NOT NULL AND (t.uid :chosen OR t.uid IS NULL AND :'nobodys') AND NOT EXISTS (
  SELECT FROM audit_events e
  WHERE e.kind = CASE t.purpose WHEN 'registration' THEN 'registered' WHEN 'email_change' THEN 'email_changed'
                                WHEN 'email_return' THEN 'email_taken_back' ELSE t.purpose END
    AND (e.uid = t.uid OR t.uid IS NULL) AND e.at >= t.used_at AND e.at < t.used_at + interval '1 minute');

SELECT 'request kept without its answer', uid, format('%s %s', route, key)
FROM idempotency_keys WHERE uid :chosen AND status IS NULL;

SELECT 'stuck mail', id, format('%s, due at %s, %s attempts: %s', kind, due, attempts, last_error)
FROM mail_outbox
WHERE :'nobodys' AND sent_at IS NULL AND dead_at IS NULL AND due < anthill_clock() - :'mail_late'::interval;

SELECT 'stuck delivery to a webhook', group_id, format('%s, due at %s, %s attempts', event, due, attempts)
FROM webhook_deliveries
WHERE group_id :chosen AND sent_at IS NULL AND dead_at IS NULL AND due < anthill_clock() - :'mail_late'::interval;

-- With a browser, whoever has an alarm or a countdown is reminded.
SELECT 'missing reminder', x.uid, x.kind
FROM (SELECT DISTINCT p.uid, k.kind FROM push_subscriptions p CROSS JOIN (VALUES ('alarm'), ('timer')) k (kind)) x
WHERE x.uid :chosen
  AND NOT EXISTS (SELECT FROM push_reminders r WHERE r.uid = x.uid AND r.kind = x.kind)
  AND CASE x.kind
    WHEN 'alarm' THEN EXISTS (
      SELECT FROM alarm_rings(x.uid, anthill_clock()) r WHERE r.rings_at > anthill_clock() AND NOT r.earned)
    ELSE timer_ends_at(timer_state(x.uid)) > anthill_clock() END;

SELECT 'stuck push', uid, format('%s, due at %s, %s attempts: %s', kind, due, attempts, last_error)
FROM push_outbox
WHERE uid :chosen AND due < anthill_clock() - :'mail_late'::interval;

COMMIT;
