-- check.sql: does everything hold that must always hold?
--
-- Answers one row per violation: the rule (check), whose or what row breaks it (what) and how (detail); no row when all
-- is well. It changes nothing, reads everything in one snapshot, and can run while people study. It counts all totals
-- anew from the intervals, so on a large database it takes its time.
--
-- Variables:  mail_late   how long a message may be due before it is called stuck (default 1 hour)
-- Example:    script/psql -f sql/maintenance/check.sql
--             script/psql -v mail_late='10 minutes' -f sql/maintenance/check.sql

\if :{?mail_late} \else \set mail_late '1 hour'
\endif
\set QUIET on

-- Compiling this one long statement would take longer than running it.
SET jit = off;

WITH
ordered AS (
  SELECT uid, interval_id, started_at, max(coalesce(ended_at, 'infinity')) OVER (
           PARTITION BY uid ORDER BY started_at, interval_id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
  FROM study_intervals WHERE retracted_at IS NULL
),

violations ("check", what, detail) AS (
  -- Study
  SELECT 'overlapping intervals', o.uid::text, format('%s begins at %s, before %s', o.interval_id, o.started_at, o.before)
  FROM ordered o WHERE o.started_at < o.before
  UNION ALL
  SELECT 'two running timers', uid::text, count(*)::text FROM study_intervals WHERE ended_at IS NULL
  GROUP BY uid HAVING count(*) > 1
  UNION ALL
  SELECT 'two sessions with a timer', uid::text, count(*)::text FROM study_sessions WHERE state IN ('running', 'paused')
  GROUP BY uid HAVING count(*) > 1
  UNION ALL
  SELECT 'session and its intervals disagree', s.uid::text, format('%s is %s', s.session_id, s.state)
  FROM study_sessions s
  LEFT JOIN study_intervals i ON i.uid = s.uid AND i.session_id = s.session_id AND i.retracted_at IS NULL
  GROUP BY s.uid, s.session_id
  HAVING (s.state = 'running') <> coalesce(bool_or(i.interval_id IS NOT NULL AND i.ended_at IS NULL), false)
    OR (s.state = 'unconfirmed') <> coalesce(bool_or(i.unconfirmed), false)
    OR s.state = 'discarded' AND count(i.interval_id) > 0
  UNION ALL
  SELECT 'session on a subject or task that its owner lacks', s.uid::text, s.session_id::text
  FROM study_sessions s
  WHERE s.subject_id IS NOT NULL AND NOT EXISTS (SELECT FROM subjects x WHERE x.uid = s.uid AND x.id = s.subject_id)
    OR s.task_id IS NOT NULL AND NOT EXISTS (SELECT FROM tasks x WHERE x.uid = s.uid AND x.id = s.task_id)
  UNION ALL
  SELECT 'more than 500 of a kind that are not archived', x.uid::text, format('%s %s', count(*), x.kind)
  FROM (
    SELECT uid, 'subjects' AS kind FROM subjects WHERE NOT archived
    UNION ALL SELECT uid, 'projects' FROM projects WHERE NOT archived
    UNION ALL SELECT uid, 'tasks' FROM tasks WHERE NOT archived
  ) x
  GROUP BY x.uid, x.kind HAVING count(*) > 500
  UNION ALL
  SELECT 'interval too long or not in whole seconds', uid::text, format('%s: %s to %s', interval_id, started_at, ended_at)
  FROM study_intervals
  WHERE ended_at <= started_at OR ended_at > started_at + longest_interval()
    OR date_trunc('second', started_at) <> started_at OR date_trunc('second', ended_at) <> ended_at
  UNION ALL
  SELECT 'day longer than it was', uid::text, format('%s: %s s', day, study_seconds)
  FROM recounted_study_days
  -- On the one day of a change of clock two clocks meet, and the day may be longer or shorter than a day.
  WHERE clocks = 1 AND study_seconds > extract(epoch FROM study_day_start(day + 1, time_zone, day_starts_at)
                                                      - study_day_start(day, time_zone, day_starts_at))
  UNION ALL
  -- Closed months
  SELECT 'standings differ from their digest', c.group_id::text, to_char(c.month, 'YYYY-MM')
  FROM month_closes c
  WHERE c.sha256 <> sha256(convert_to(standings_text(c.group_id, c.month), 'UTF8'))
    OR c.participants <> (SELECT count(*) FROM standings s WHERE s.group_id = c.group_id AND s.month = c.month)
  UNION ALL
  SELECT 'standings without a close', s.group_id::text, to_char(s.month, 'YYYY-MM')
  FROM standings s WHERE NOT EXISTS (SELECT FROM month_closes c WHERE c.group_id = s.group_id AND c.month = s.month)
  GROUP BY s.group_id, s.month
  UNION ALL
  SELECT 'person of a standing is not who they are', s.group_id::text, format('%s, %s', to_char(s.month, 'YYYY-MM'), s.uid)
  FROM standings s WHERE s.uid IS NOT NULL AND s.person <> sha256(s.salt || uuid_send(s.uid))
  UNION ALL
  SELECT 'standings differ from the totals', s.group_id::text,
         format('%s, %s: %s s, %s in the totals', to_char(s.month, 'YYYY-MM'), s.uid, s.counted_seconds, t.counted_seconds)
  FROM standings s
  JOIN groups g ON g.group_id = s.group_id
  CROSS JOIN LATERAL group_rules_in(s.group_id, s.month) r
  LEFT JOIN month_totals t ON t.rules_id = r.rules_id AND t.uid = s.uid AND t.month = s.month
  WHERE s.uid IS NOT NULL AND s.counted_seconds <> coalesce(t.counted_seconds, 0)
  UNION ALL
  SELECT 'suspended when the month was closed, and yet in it', s.group_id::text,
         format('%s, %s', to_char(s.month, 'YYYY-MM'), s.uid)
  FROM standings s
  JOIN month_closes c USING (group_id, month)
  JOIN suspensions x ON x.group_id = s.group_id AND x.uid = s.uid
    AND tstzrange(x.since, coalesce(x.lifted_at, x.until)) @> c.closed_at - interval '1 second'
  UNION ALL
  SELECT 'mean of a closed month differs from its standings', c.group_id::text,
         format('%s: kept %s s of %s, counted %s s of %s', to_char(c.month, 'YYYY-MM'), k.mean_seconds, k.member_count,
                n.mean, n.members)
  FROM month_closes c
  JOIN groups g ON g.group_id = c.group_id AND g.duel
  CROSS JOIN LATERAL (
    SELECT count(*) AS members, sum(s.seconds - s.manual_seconds) / count(*) AS mean
    FROM closed_scores(c.group_id, c.month) s HAVING count(*) >= fewest_compared()
  ) n
  FULL JOIN (SELECT x.* FROM group_means x JOIN month_closes y USING (group_id, month)) k
    ON k.group_id = c.group_id AND k.month = c.month
  WHERE (k.mean_seconds, k.member_count) IS DISTINCT FROM (n.mean, n.members)
  UNION ALL
  SELECT 'mean of a group that does not take part', k.group_id::text, to_char(k.month, 'YYYY-MM')
  FROM group_means k WHERE NOT EXISTS (SELECT FROM groups g WHERE g.group_id = k.group_id AND g.duel)
  UNION ALL
  SELECT 'month closed late', g.group_id::text, format('%s was due at %s', to_char(g.open_month, 'YYYY-MM'), g.open_month_closes_at)
  FROM groups g WHERE g.open_month_closes_at < anthill_clock() - interval '1 hour'
  UNION ALL
  SELECT 'day of a board longer than it was', uid::text, format('rules %s, %s: %s s', rules_id, t.day, t.seconds)
  FROM day_totals t JOIN ranking_rules r USING (rules_id)
  WHERE t.seconds > extract(epoch FROM study_day_start(t.day + 1, r.time_zone, r.day_starts_at)
                                         - study_day_start(t.day, r.time_zone, r.day_starts_at))
  -- Days
  UNION ALL
  SELECT 'goal of a day differs from the goal of its time', k.uid::text,
         format('%s: kept %s s, had %s s', k.day, k.goal_seconds, goal_of_day(k.uid, k.day, u.daily_goal_seconds))
  FROM study_days k JOIN users u USING (uid)
  WHERE k.goal_seconds <> goal_of_day(k.uid, k.day, u.daily_goal_seconds)
  UNION ALL
  SELECT 'change of goal that changed nothing', p.uid::text, format('until %s: %s s', p.until_day, p.goal_seconds)
  FROM past_goals p JOIN users u USING (uid)
  WHERE p.goal_seconds = goal_of_day(p.uid, p.until_day, u.daily_goal_seconds)
  UNION ALL
  SELECT 'more than two rest days in a month', uid::text, to_char(month_of(day), 'YYYY-MM')
  FROM rest_days GROUP BY uid, month_of(day) HAVING count(*) > rest_days_a_month()
  UNION ALL
  SELECT 'wake-up ant of another day', uid::text, format('%s, earned at %s', day, earned_at)
  FROM wake_ups
  -- Somewhere on earth it was that date when the alarm began to ring, at most ten hours before.
  WHERE day NOT BETWEEN (earned_at AT TIME ZONE 'UTC' - interval '22 hours')::date
                    AND (earned_at AT TIME ZONE 'UTC' + interval '14 hours')::date
  UNION ALL
  SELECT 'more plans than anybody may keep', uid::text, count(*)::text FROM plans GROUP BY uid HAVING count(*) > most_plans()
  -- Alarm
  UNION ALL
  SELECT 'settings of an alarm overlap', a.uid::text, format('from %s', b.set_at)
  FROM alarms a JOIN alarms b ON b.uid = a.uid AND b.set_at > a.set_at
  WHERE a.until > b.set_at
  UNION ALL
  SELECT 'problem solved without its ant', c.uid::text, format('%s, ring %s', c.day, c.ring)
  FROM wake_up_challenges c
  WHERE c.solved_at IS NOT NULL AND NOT EXISTS (SELECT FROM wake_ups w WHERE w.uid = c.uid AND w.day = c.day)
  -- Totals
  UNION ALL
  SELECT 'study day differs from its intervals', uid::text,
         format('%s: kept %s s, recounted %s s', day, coalesce(t.study_seconds::text, 'none'), coalesce(p.study_seconds, 0))
  FROM study_days t FULL JOIN recounted_study_days p USING (uid, day)
  WHERE coalesce(t.study_seconds, 0) <> coalesce(p.study_seconds, 0)
  UNION ALL
  SELECT 'day total differs from its intervals', uid::text,
         format('rules %s, %s: kept %s/%s/%s s, recounted %s/%s/%s s (all/manual/counted)', rules_id, day,
                t.seconds, t.manual_seconds, t.counted_seconds, d.seconds, d.manual_seconds, d.counted_seconds)
  FROM day_totals t FULL JOIN recounted_day_totals d USING (rules_id, uid, day)
  WHERE (coalesce(t.seconds, 0), coalesce(t.manual_seconds, 0), coalesce(t.counted_seconds, 0))
     <> (coalesce(d.seconds, 0), coalesce(d.manual_seconds, 0), coalesce(d.counted_seconds, 0))
  UNION ALL
  SELECT 'month total differs from its intervals', uid::text,
         format('rules %s, %s: kept %s/%s s, recounted %s/%s s (counted/manual)', rules_id, to_char(month, 'YYYY-MM'),
                t.counted_seconds, t.manual_seconds, m.counted_seconds, m.manual_seconds)
  FROM month_totals t FULL JOIN recounted_month_totals m USING (rules_id, uid, month)
  WHERE (coalesce(t.counted_seconds, 0), coalesce(t.manual_seconds, 0))
     <> (coalesce(m.counted_seconds, 0), coalesce(m.manual_seconds, 0))
  UNION ALL
  SELECT 'ranks differ from the totals', to_char(month, 'YYYY-MM'),
         format('level %s, bucket %s: kept %s, recounted %s', level, bucket, coalesce(k.n, 0), coalesce(r.n, 0))
  FROM current_rank_buckets k FULL JOIN recounted_rank_buckets r USING (month, level, bucket)
  WHERE coalesce(k.n, 0) <> coalesce(r.n, 0)
  -- Groups
  UNION ALL
  SELECT 'group without an owner', g.group_id::text, g.name FROM groups g
  WHERE NOT EXISTS (SELECT FROM group_members m WHERE m.group_id = g.group_id AND m.role = 'owner')
  UNION ALL
  SELECT 'group without rules', g.group_id::text, g.name FROM groups g
  WHERE NOT EXISTS (SELECT FROM group_rules r WHERE r.group_id = g.group_id)
  UNION ALL
  SELECT 'members and their history disagree', coalesce(m.uid, h.uid)::text, format('group %s', coalesce(m.group_id, h.group_id))
  FROM group_members m
  FULL JOIN (SELECT * FROM group_membership_history WHERE left_at IS NULL) h ON h.uid = m.uid AND h.group_id = m.group_id
  WHERE m.uid IS NULL OR h.uid IS NULL
  UNION ALL
  SELECT 'stays in a group overlap', a.uid::text, format('group %s, from %s', a.group_id, b.joined_at)
  FROM group_membership_history a JOIN group_membership_history b
    ON b.uid = a.uid AND b.group_id = a.group_id AND b.joined_at > a.joined_at
  WHERE coalesce(a.left_at, 'infinity') > b.joined_at
  UNION ALL
  SELECT 'suspension without its trace in the audit', x.uid::text, format('%s, %s', x.suspension_id, k.kind)
  FROM suspensions x
  JOIN (VALUES ('member_suspended'), ('suspension_lifted'), ('suspension_answered')) k (kind)
    ON k.kind = 'member_suspended' OR k.kind = 'suspension_lifted' AND x.lifted_at IS NOT NULL
      OR k.kind = 'suspension_answered' AND x.answer IS NOT NULL
  WHERE NOT EXISTS (
    SELECT FROM audit_events e
    WHERE e.kind = k.kind AND e.uid = x.uid AND e.details ->> 'group_id' = x.group_id::text
      AND e.details ->> 'suspension_id' = x.suspension_id::text)
  UNION ALL
  SELECT 'member not counted under the rules of their group', m.uid::text,
         format('group %s, rules %s from %s', m.group_id, g.rules_id, to_char(g.first_month, 'YYYY-MM'))
  FROM group_members m
  JOIN (
    SELECT r.group_id, r.rules_id, greatest(r.from_month, month_of(study_day(anthill_clock(), k.time_zone, k.day_starts_at)))
             AS first_month,
           coalesce(lead(r.from_month) OVER (PARTITION BY r.group_id ORDER BY r.from_month), 'infinity') AS until_month
    FROM group_rules r JOIN ranking_rules k USING (rules_id)
  ) g USING (group_id)
  WHERE g.first_month < g.until_month AND NOT EXISTS (
    SELECT FROM counted_under c WHERE c.uid = m.uid AND c.rules_id = g.rules_id
      AND c.from_month <= g.first_month AND c.until_month >= g.until_month)
  UNION ALL
  SELECT 'choice about the global board not followed', u.uid::text, format('chosen: %s', u.global_board)
  FROM users u CROSS JOIN ranking_rules r
  WHERE r.is_global AND u.global_board <> EXISTS (
    SELECT FROM counted_under c WHERE c.uid = u.uid AND c.rules_id = r.rules_id AND c.until_month = 'infinity')
  UNION ALL
  SELECT 'counted twice under the same rules', a.uid::text, format('rules %s from %s', a.rules_id, b.from_month)
  FROM counted_under a JOIN counted_under b ON b.uid = a.uid AND b.rules_id = a.rules_id AND b.from_month > a.from_month
  WHERE a.until_month > b.from_month
  -- Accounts and mail
  UNION ALL
  SELECT 'user that nobody can sign in as', u.uid::text, u.nickname FROM users u
  WHERE NOT EXISTS (SELECT FROM user_emails e WHERE e.uid = u.uid)
    AND NOT EXISTS (SELECT FROM user_identities i WHERE i.uid = u.uid)
  UNION ALL
  SELECT 'user with two addresses', uid::text, count(*)::text FROM user_emails GROUP BY uid HAVING count(*) > 1
  UNION ALL
  SELECT 'address or identity of nobody', x.uid::text, ''
  FROM (SELECT uid FROM user_emails UNION ALL SELECT uid FROM user_identities) x
  WHERE NOT EXISTS (SELECT FROM users u WHERE u.uid = x.uid)
  UNION ALL
  SELECT 'sign-in ahead of its user', s.uid::text, format('%s: epoch %s', s.id, s.auth_epoch)
  FROM sign_ins s JOIN users u USING (uid) WHERE s.auth_epoch > u.auth_epoch
  UNION ALL
  SELECT 'token used without effect', coalesce(t.uid::text, t.target), format('%s, used at %s', t.purpose, t.used_at)
  FROM auth_tokens t
  WHERE t.used_at IS NOT NULL AND NOT EXISTS (
    SELECT FROM audit_events e
    WHERE e.kind = CASE t.purpose WHEN 'registration' THEN 'registered' ELSE t.purpose END
      AND (e.uid = t.uid OR t.uid IS NULL) AND e.at >= t.used_at AND e.at < t.used_at + interval '1 minute')
  UNION ALL
  SELECT 'request kept without its answer', uid::text, format('%s %s', route, key)
  FROM idempotency_keys WHERE status IS NULL
  UNION ALL
  SELECT 'stuck mail', id::text, format('%s, due at %s, %s attempts: %s', kind, due, attempts, last_error)
  FROM mail_outbox
  WHERE sent_at IS NULL AND dead_at IS NULL AND due < anthill_clock() - :'mail_late'::interval
)
SELECT * FROM violations ORDER BY 1, 2, 3;
