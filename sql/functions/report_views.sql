-- Reports: what the role anthill_reader may read. No addresses, no secrets, and nothing that a person wrote for
-- themselves.

CREATE OR REPLACE VIEW report_people AS
  SELECT u.uid, u.nickname, u.locale, u.status, u.global_board, u.created_at, u.leaves_at, s.time_zone, s.day_starts_at,
         s.daily_goal_seconds
  FROM users u JOIN students s USING (uid);

CREATE OR REPLACE VIEW report_groups AS
  SELECT g.group_id, g.name, g.created_at, g.open_month, g.month_goal_seconds, g.badge_allowed, g.duel FROM groups g;

CREATE OR REPLACE VIEW report_members AS
  SELECT m.group_id, m.uid, m.role, m.visibility, m.joined_at FROM group_members m;

CREATE OR REPLACE VIEW report_sessions AS
  SELECT s.uid, s.session_id, s.state, s.source, s.goal_seconds, s.created_at FROM study_sessions s;

CREATE OR REPLACE VIEW report_intervals AS
  SELECT i.uid, i.session_id, i.interval_id, i.started_at, i.ended_at, i.source, i.time_zone, i.day_starts_at,
         i.recorded_at,
         i.retracted_at, i.unconfirmed
  FROM study_intervals i;

-- By each person's own clock.
CREATE OR REPLACE VIEW report_days AS
  SELECT d.uid, d.day, d.study_seconds, d.goal_seconds FROM study_days d;

-- By the rules of boards.
CREATE OR REPLACE VIEW report_months AS
  SELECT t.uid, t.month, r.rules_id, r.is_global, r.time_zone, r.day_starts_at, r.daily_cap_seconds, r.manual_counts,
         t.counted_seconds, t.manual_seconds
  FROM month_totals t JOIN ranking_rules r USING (rules_id);

-- Closed months, with their amendments.
CREATE OR REPLACE VIEW report_standings AS
  SELECT s.group_id, c.group_name, s.month, c.closed_at, s.uid, s.nickname, s.amended_rank AS rank,
         s.amended_seconds AS counted_seconds, s.rank AS sealed_rank, s.counted_seconds AS sealed_seconds
  FROM standings s JOIN month_closes c USING (group_id, month);

CREATE OR REPLACE VIEW report_mail AS
  SELECT m.id, m.kind, m.created_at, m.due, m.attempts, m.sent_at, m.dead_at FROM mail_outbox m;

CREATE OR REPLACE VIEW report_events AS
  SELECT e.at, e.kind, e.uid, e.actor, e.details ->> 'group_id' AS group_id FROM audit_events e;
