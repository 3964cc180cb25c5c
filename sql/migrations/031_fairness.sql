-- Fairness. Suspensions: an admin keeps a member off the boards of a group for a while, and says why. Nothing that was studied is
-- lost: afterwards every second is on the boards again, except on those of the months that were closed meanwhile.

CREATE TABLE suspensions (
  suspension_id uuid CONSTRAINT suspensions_key PRIMARY KEY DEFAULT gen_random_uuid(),
  group_id uuid NOT NULL CONSTRAINT suspensions_group REFERENCES groups ON DELETE CASCADE,
  uid uuid NOT NULL,
  reason text NOT NULL CONSTRAINT suspensions_reason CHECK (char_length(reason) BETWEEN 1 AND 500),
  since timestamptz NOT NULL DEFAULT anthill_clock(),
  until timestamptz NOT NULL,
  suspended_by uuid NOT NULL,
  lifted_at timestamptz,                                  -- empty unless an admin ended it early
  lifted_by uuid,
  answer text CONSTRAINT suspensions_answer CHECK (char_length(answer) BETWEEN 1 AND 500),  -- of the member
  answered_at timestamptz,
  CONSTRAINT suspensions_order CHECK (until > since AND lifted_at >= since AND lifted_at <= until),
  CONSTRAINT suspensions_until CHECK (until <= since + interval '8784 hours'),
  CONSTRAINT suspensions_not_oneself CHECK (uid <> suspended_by),
  CONSTRAINT suspensions_lifted CHECK ((lifted_at IS NULL) = (lifted_by IS NULL)),
  CONSTRAINT suspensions_answered CHECK ((answer IS NULL) = (answered_at IS NULL)),
  CONSTRAINT suspensions_one_at_a_time EXCLUDE USING gist
    (group_id WITH =, uid WITH =, tstzrange(since, coalesce(lifted_at, until)) WITH &&)
);
CREATE INDEX suspensions_of_user ON suspensions (uid, group_id);
CREATE INDEX suspensions_of_group ON suspensions (group_id, since, suspension_id);
CREATE INDEX suspensions_ending ON suspensions (until) WHERE lifted_at IS NULL;

CREATE TRIGGER suspensions_noted AFTER INSERT OR UPDATE OR DELETE ON suspensions
  FOR EACH ROW EXECUTE FUNCTION note_group_change();

-- Who is kept off the boards of a group at an instant.
CREATE FUNCTION suspended_from(which uuid, at timestamptz) RETURNS uuid[] LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
BEGIN
  RETURN ARRAY(SELECT s.uid FROM suspensions s
               WHERE s.group_id = which AND tstzrange(s.since, coalesce(s.lifted_at, s.until)) @> at);
END $$;

CREATE INDEX audit_events_of_group ON audit_events ((details ->> 'group_id'), at, id)
  WHERE details ->> 'group_id' IS NOT NULL;

-- Suspensions with the names of those in them, and whether they are in force.
CREATE VIEW told_suspensions AS
  SELECT s.*, m.nickname, a.nickname AS suspended_by_name, l.nickname AS lifted_by_name,
         s.since <= anthill_clock() AND coalesce(s.lifted_at, s.until) > anthill_clock() AS in_force
  FROM suspensions s
  LEFT JOIN users m ON m.uid = s.uid
  LEFT JOIN users a ON a.uid = s.suspended_by
  LEFT JOIN users l ON l.uid = s.lifted_by;

-- Sees to it that the actor may do something to the member's place in a group whose row the caller holds: an admin to
-- members, an owner to anybody else, and any admin to who is no longer in it.
CREATE FUNCTION require_rank_above(actor uuid, which uuid, member uuid) RETURNS text
  LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
DECLARE
  actor_role text := require_role(actor, which, 'owner', 'admin');
BEGIN
  IF (SELECT m.role FROM group_members m WHERE m.uid = member AND m.group_id = which) <> 'member' THEN
    PERFORM require_role(actor, which, 'owner');
  END IF;
  RETURN actor_role;
END $$;

-- Keeps a member off the boards of a group until an instant, at most 366 days ahead.
CREATE FUNCTION suspend_member(actor uuid, which uuid, member uuid, why text, until timestamptz)
  RETURNS uuid LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  held groups := hold_group(which);
  actor_role text := require_role(actor, held.group_id, 'owner', 'admin');
  made uuid;
BEGIN
  IF NOT EXISTS (SELECT FROM group_members m WHERE m.uid = member AND m.group_id = which) THEN
    RAISE EXCEPTION 'no such member' USING ERRCODE = 'no_data_found', CONSTRAINT = 'member_not_found';
  END IF;
  IF actor <> member THEN PERFORM require_rank_above(actor, which, member); END IF;
  INSERT INTO suspensions (group_id, uid, reason, until, suspended_by)
    VALUES (which, member, why, suspend_member.until, actor) RETURNING suspension_id INTO made;
  INSERT INTO audit_events (kind, uid, actor, details)
    VALUES ('member_suspended', member, actor, jsonb_build_object(
      'group_id', which, 'suspension_id', made, 'by', actor_role, 'reason', why,
      'until', utc_text(suspend_member.until)));
  RETURN made;
END $$;

-- A suspension that is not over, locked, of a group whose row the caller holds.
CREATE FUNCTION hold_suspension(which uuid, suspension uuid) RETURNS suspensions
  LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  held suspensions;
BEGIN
  SELECT * INTO held FROM suspensions s WHERE s.suspension_id = suspension AND s.group_id = which FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'no such suspension' USING ERRCODE = 'no_data_found', CONSTRAINT = 'suspension_not_found';
  ELSIF coalesce(held.lifted_at, held.until) <= anthill_clock() THEN
    RAISE EXCEPTION 'the suspension is over' USING ERRCODE = 'check_violation', CONSTRAINT = 'suspension_over';
  END IF;
  RETURN held;
END $$;

-- Ends a suspension at once. Whoever may suspend a member may lift, nobody their own.
CREATE FUNCTION lift_suspension(actor uuid, which uuid, suspension uuid)
  RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  held groups := hold_group(which);
  actor_role text := require_role(actor, held.group_id, 'owner', 'admin');
  lifted suspensions := hold_suspension(which, suspension);
BEGIN
  PERFORM require_rank_above(actor, which, lifted.uid);
  IF lifted.uid = actor THEN
    RAISE EXCEPTION 'nobody lifts their own' USING ERRCODE = 'insufficient_privilege', CONSTRAINT = 'own_suspension';
  END IF;
  UPDATE suspensions s SET lifted_at = anthill_clock(), lifted_by = actor WHERE s.suspension_id = suspension;
  INSERT INTO audit_events (kind, uid, actor, details)
    VALUES ('suspension_lifted', lifted.uid, actor,
            jsonb_build_object('group_id', which, 'suspension_id', suspension, 'by', actor_role));
END $$;

-- What the member says to it, for the admins to read; said again, it replaces what was said before. To others than
-- admins it does not exist.
CREATE FUNCTION answer_suspension(whose uuid, which uuid, suspension uuid, said text)
  RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  held groups := hold_group(which);
  role text := require_role(whose, held.group_id, 'owner', 'admin', 'member');
  concerned uuid := (SELECT s.uid FROM suspensions s WHERE s.suspension_id = suspension AND s.group_id = which);
  answered suspensions;
BEGIN
  IF concerned IS NULL OR (concerned <> whose AND role = 'member') THEN
    RAISE EXCEPTION 'no such suspension' USING ERRCODE = 'no_data_found', CONSTRAINT = 'suspension_not_found';
  ELSIF concerned <> whose THEN
    RAISE EXCEPTION 'only the member answers' USING ERRCODE = 'insufficient_privilege', CONSTRAINT = 'not_concerned';
  END IF;
  answered := hold_suspension(which, suspension);
  IF answered.answer = said THEN RETURN; END IF;
  UPDATE suspensions s SET answer = said, answered_at = anthill_clock() WHERE s.suspension_id = suspension;
  INSERT INTO audit_events (kind, uid, actor, details)
    VALUES ('suspension_answered', whose, whose,
            jsonb_build_object('group_id', which, 'suspension_id', suspension, 'answer', said));
END $$;

-- The suspensions of a group, the latest first: all of them for admins, for a member their own.
CREATE FUNCTION suspensions_of(reader uuid, which uuid, before timestamptz, before_id uuid, most bigint)
  RETURNS SETOF told_suspensions LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
DECLARE
  role text := require_role(reader, which, 'owner', 'admin', 'member');
BEGIN
  RETURN QUERY
    SELECT s.* FROM told_suspensions s
    WHERE s.group_id = which AND (role <> 'member' OR s.uid = reader)
      AND (before_id IS NULL OR (s.since, s.suspension_id) < (before, before_id))
    ORDER BY s.since DESC, s.suspension_id DESC LIMIT most;
END $$;

-- What happened in a group and who did it, the latest first; for admins. From which address is nobody's business here.
CREATE FUNCTION group_audit(actor uuid, which uuid, before timestamptz, before_id uuid, most bigint) RETURNS TABLE (
  id uuid, at timestamptz, kind text, actor_uid uuid, actor_name text, member_uid uuid, member_name text, details text
) LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
  PERFORM require_role(group_audit.actor, which, 'owner', 'admin');
  RETURN QUERY
    SELECT e.id, e.at, e.kind, e.actor, a.nickname, e.uid, m.nickname,
           (e.details - 'group_id' || CASE WHEN e.details ? 'month'
              THEN jsonb_build_object('month', left(e.details ->> 'month', 7)) ELSE '{}' END)::text
    FROM audit_events e
    LEFT JOIN users a ON a.uid = e.actor
    LEFT JOIN users m ON m.uid = e.uid
    WHERE e.details ->> 'group_id' = which::text AND (before_id IS NULL OR (e.at, e.id) < (before, before_id))
    ORDER BY e.at DESC, e.id DESC LIMIT most;
END $$;

-- What in a member's month is worth a look. Nothing follows from it by itself, and honest study can look the same.
--
--   near_cap           a day of which 90 % of the cap or more counts
--   regular_lengths    10 timed intervals or more, at least half of them equally long to the second
--   high_manual_share  10 h or more, at least half of it there only because of time by hand
CREATE FUNCTION signals_in(
  seconds integer, manual_seconds integer, days_near_cap integer, intervals integer, commonest_length_count integer
) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN array_remove(ARRAY[
    CASE WHEN days_near_cap > 0 THEN 'near_cap' END,
    CASE WHEN intervals >= 10 AND commonest_length_count * 2 >= intervals THEN 'regular_lengths' END,
    CASE WHEN seconds >= 36000 AND manual_seconds * 2 >= seconds THEN 'high_manual_share' END
  ], NULL);

-- The figures of a group's members in a month, for admins; those with most signals first, then by seconds and uid. Days
-- are those of the totals (a running timer counts from its next pause on), longest_day_seconds is before the cap.
-- Intervals are the timed ones that began in the month.
CREATE FUNCTION group_signals(
  reader uuid, which uuid, in_month date DEFAULT NULL, after_signals bigint DEFAULT NULL,
  after_seconds bigint DEFAULT NULL, after_uid uuid DEFAULT NULL, page bigint DEFAULT 50
) RETURNS TABLE (
  month date, uid uuid, nickname text, role text, seconds integer, manual_seconds integer, days integer,
  days_near_cap integer, longest_day_seconds integer, intervals integer, commonest_length_seconds integer,
  commonest_length_count integer, signals text[]
) LANGUAGE plpgsql STABLE ROWS 50 SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  rules ranking_rules := group_rules_now(which);
  now_month date := month_of(study_day(anthill_clock(), rules.time_zone, rules.day_starts_at));
  asked date := coalesce(month_of(in_month), now_month);
  starts_at timestamptz;
  ends_at timestamptz;
BEGIN
  PERFORM require_role(reader, which, 'owner', 'admin');
  IF asked > now_month THEN
    RAISE EXCEPTION 'the month lies ahead' USING ERRCODE = 'check_violation', CONSTRAINT = 'future_month';
  END IF;
  rules := group_rules_in(which, asked);
  starts_at := study_day_start(asked, rules.time_zone, rules.day_starts_at);
  ends_at := study_day_start(next_month(asked), rules.time_zone, rules.day_starts_at);
  RETURN QUERY
    WITH totals AS (
      SELECT t.uid, sum(t.counted_seconds)::integer AS seconds,
             sum(manual_of_day(t.seconds, t.manual_seconds, rules.daily_cap_seconds, rules.manual_counts))::integer
               AS manual_seconds,
             (count(*) FILTER (WHERE t.counted_seconds > 0))::integer AS days,
             (count(*) FILTER (WHERE t.counted_seconds >= 0.9 * rules.daily_cap_seconds))::integer AS days_near_cap,
             max(CASE WHEN rules.manual_counts THEN t.seconds ELSE t.seconds - t.manual_seconds END) AS longest_day
      FROM group_members m
      JOIN day_totals t
        ON t.rules_id = rules.rules_id AND t.uid = m.uid AND t.day >= asked AND t.day < next_month(asked)
      WHERE m.group_id = which GROUP BY t.uid
    ),
    lengths AS (
      SELECT i.uid, extract(epoch FROM i.ended_at - i.started_at)::integer AS length, count(*) AS n
      FROM group_members m
      JOIN study_intervals i ON i.uid = m.uid AND i.retracted_at IS NULL
        AND tstzrange(i.started_at, coalesce(i.ended_at, 'infinity')) && tstzrange(starts_at, ends_at)
        AND i.started_at >= starts_at AND i.source = 'timer' AND i.ended_at IS NOT NULL AND NOT i.unconfirmed
      WHERE m.group_id = which GROUP BY i.uid, length
    ),
    timed AS (
      SELECT l.uid, sum(l.n)::integer AS intervals, max(l.n)::integer AS count,
             (array_agg(l.length ORDER BY l.n DESC, l.length DESC))[1] AS length
      FROM lengths l GROUP BY l.uid
    ),
    figures AS (
      SELECT m.uid, u.nickname, m.role, coalesce(t.seconds, 0) AS seconds,
             coalesce(t.manual_seconds, 0) AS manual_seconds, coalesce(t.days, 0) AS days, coalesce(t.days_near_cap, 0) AS days_near_cap,
             coalesce(t.longest_day, 0) AS longest_day, coalesce(x.intervals, 0) AS intervals, x.length,
             coalesce(x.count, 0) AS count
      FROM group_members m
      JOIN users u ON u.uid = m.uid
      LEFT JOIN totals t ON t.uid = m.uid
      LEFT JOIN timed x ON x.uid = m.uid
      WHERE m.group_id = which
    ),
    signalled AS (
      SELECT f.*, signals_in(f.seconds, f.manual_seconds, f.days_near_cap, f.intervals, f.count) AS signals
      FROM figures f
    )
    SELECT asked, s.uid, s.nickname, s.role, s.seconds, s.manual_seconds, s.days, s.days_near_cap, s.longest_day,
           s.intervals, s.length, s.count, s.signals
    FROM signalled s
    WHERE after_uid IS NULL OR (cardinality(s.signals), s.seconds, s.uid) < (after_signals, after_seconds, after_uid)
    ORDER BY cardinality(s.signals) DESC, s.seconds DESC, s.uid DESC LIMIT page;
END $$;

-- Declares other rules for a group, from the next month on; in the last 48 h of a month, from the one after. What was
-- declared before and has not begun is replaced. Answers the month they begin with.
CREATE OR REPLACE FUNCTION change_group_rules(
  actor uuid, which uuid, zone text DEFAULT NULL, starts time DEFAULT NULL, cap bigint DEFAULT NULL,
  manual boolean DEFAULT NULL
) RETURNS date LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  held groups := hold_group(which);
  clock timestamptz := anthill_clock();
  rules ranking_rules := group_rules_now(held.group_id);
  begins date;
  new_rules integer;
  touched integer[];
  member uuid;
BEGIN
  PERFORM require_role(actor, which, 'owner', 'admin');
  begins := next_month(month_of(study_day(clock, rules.time_zone, rules.day_starts_at)));
  IF study_day_start(begins, rules.time_zone, rules.day_starts_at) - interval '48 hours' < clock THEN
    begins := next_month(begins);
  END IF;
  new_rules := (find_rules(coalesce(zone, rules.time_zone), coalesce(starts, rules.day_starts_at),
                           coalesce(cap, rules.daily_cap_seconds), coalesce(manual, rules.manual_counts))).rules_id;
  touched := ARRAY(SELECT g.rules_id FROM group_rules g WHERE g.group_id = which) || new_rules;
  DELETE FROM group_rules g WHERE g.group_id = which AND g.from_month >= begins;
  IF new_rules <> (group_rules_in(which, begins)).rules_id THEN
    INSERT INTO group_rules (group_id, from_month, rules_id) VALUES (which, begins, new_rules);
  END IF;
  FOR member IN SELECT m.uid FROM group_members m WHERE m.group_id = which ORDER BY m.uid LOOP
    PERFORM hold_user(member);
    PERFORM renew_counting(member, touched);
  END LOOP;
  INSERT INTO audit_events (kind, actor, details)
    SELECT 'rules_declared', actor, jsonb_build_object(
      'group_id', which, 'from_month', to_char(begins, 'YYYY-MM'), 'time_zone', r.time_zone,
      'day_starts_at', to_char(r.day_starts_at, 'HH24:MI'), 'daily_cap_seconds', r.daily_cap_seconds,
      'manual_counts', r.manual_counts)
    FROM ranking_rules r WHERE r.rules_id = new_rules;
  RETURN begins;
END $$;

-- The close of a month decides by the second before it who is kept off it. By then every suspension and lifting of that
-- second is written, while one of the closing second itself can still come after the standings.

-- The scores of a board, by seconds as they are kept and what runs, without those who are suspended at that instant, or
-- were until the period was closed: what is closed stays as it is, and a suspension that begins or ends later changes
-- nothing in it. A week in which rules change goes the long way; all others meet one set of rules, and what began within
-- the study day of that instant needs no splitting into days.
--
-- Its plan is made once: looking members up one by one is right for nearly every group, and planning takes longer. Joins
-- of whole tables are no way to do that.
CREATE OR REPLACE FUNCTION counted_scores(which uuid, first_day date, until_day date, at timestamptz) RETURNS TABLE (
  uid uuid, visibility text, seconds integer, manual_seconds integer, today_seconds integer, studying boolean
) LANGUAGE plpgsql STABLE STRICT ROWS 30 SET plan_cache_mode = force_generic_plan SET enable_hashjoin = off
  SET enable_mergejoin = off SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  the_month date := month_of(until_day - 1);
  rules ranking_rules := group_rules_in(which, the_month);
  ends_at timestamptz := study_day_start(until_day, rules.time_zone, rules.day_starts_at);
  cut timestamptz := least(at, ends_at);
  today date := study_day(at, rules.time_zone, rules.day_starts_at);
  whole_month boolean := first_day = the_month AND until_day = next_month(the_month);
  in_period boolean := today >= first_day AND today < until_day;
  -- From when on a running interval lies within today; nobody's does on a board that is over.
  since timestamptz := CASE WHEN in_period THEN study_day_start(today, rules.time_zone, rules.day_starts_at)
                            ELSE 'infinity' END;
  suspended uuid[] := suspended_from(
    which, least(at, month_closes_at(the_month, rules.time_zone, rules.day_starts_at) - interval '1 second'));
BEGIN
  IF first_day < the_month AND (group_rules_in(which, month_of(first_day))).rules_id <> rules.rules_id THEN
    RETURN QUERY SELECT s.* FROM two_rules_scores(which, first_day, until_day, at) s
      WHERE s.uid <> ALL (suspended);
    RETURN;
  END IF;
  RETURN QUERY
    SELECT h.uid, coalesce(g.visibility, h.visibility, 'shown'),
           coalesce(m.counted_seconds, d.seconds, 0) + coalesce(l.seconds, n.counted, 0),
           coalesce(m.manual_seconds, d.manual_seconds, 0) + coalesce(l.manual_seconds, n.manual, 0),
           coalesce(t.counted_seconds, 0) + coalesce(l.today_seconds, n.counted, 0),
           i.uid IS NOT NULL
    FROM group_membership_history h
    LEFT JOIN group_members g ON g.uid = h.uid AND g.group_id = which
    LEFT JOIN month_totals m ON m.rules_id = rules.rules_id AND m.uid = h.uid AND m.month = the_month AND whole_month
    LEFT JOIN LATERAL (
      SELECT sum(x.counted_seconds)::integer AS seconds,
             sum(manual_of_day(x.seconds, x.manual_seconds, rules.daily_cap_seconds, rules.manual_counts))::integer
               AS manual_seconds
      FROM day_totals x
      WHERE NOT whole_month AND x.rules_id = rules.rules_id AND x.uid = h.uid AND x.day >= first_day AND x.day < until_day
    ) d ON NOT whole_month
    LEFT JOIN day_totals t ON t.rules_id = rules.rules_id AND t.uid = h.uid AND t.day = today AND in_period
    LEFT JOIN study_intervals i ON i.uid = h.uid AND i.ended_at IS NULL AND i.started_at > at - interval '12 hours'
    LEFT JOIN LATERAL (
      SELECT counted_of_day(k.seconds + k.more, k.manual, rules.daily_cap_seconds, rules.manual_counts)
               - counted_of_day(k.seconds, k.manual, rules.daily_cap_seconds, rules.manual_counts) AS counted,
             manual_of_day(k.seconds + k.more, k.manual, rules.daily_cap_seconds, rules.manual_counts)
               - manual_of_day(k.seconds, k.manual, rules.daily_cap_seconds, rules.manual_counts) AS manual
      FROM (SELECT coalesce(t.seconds, 0) AS seconds, coalesce(t.manual_seconds, 0) AS manual,
                   greatest(extract(epoch FROM at - i.started_at), 0)::integer AS more) k
      WHERE i.started_at >= since
    ) n ON true
    LEFT JOIN LATERAL live_score(CASE WHEN i.started_at < since THEN i.uid END, i.started_at, cut, rules, first_day,
                                 until_day, today) l ON true
    WHERE h.group_id = which AND h.joined_at < ends_at AND h.uid <> ALL (suspended)
      AND (h.left_at IS NULL OR (ends_at <= at AND h.left_at >= ends_at));
END $$;

-- The scores of a board as they were known at an instant: of a month that was closed by then as it was sealed, with
-- the amendments made until then, anything else from the intervals, without those who were suspended at that instant, or until
-- the period was closed.
CREATE OR REPLACE FUNCTION known_scores(which uuid, first_day date, until_day date, at timestamptz) RETURNS TABLE (
  uid uuid, visibility text, seconds integer, manual_seconds integer, today_seconds integer, studying boolean
) LANGUAGE plpgsql STABLE STRICT ROWS 30 SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  rules ranking_rules := group_rules_in(which, month_of(until_day - 1));
  today date := study_day(at, rules.time_zone, rules.day_starts_at);
  suspended uuid[] := suspended_from(
    which, least(at, month_closes_at(month_of(until_day - 1), rules.time_zone, rules.day_starts_at) - interval '1 second'));
BEGIN
  IF first_day = month_of(first_day) AND until_day = next_month(first_day)
    AND EXISTS (SELECT FROM month_closes c WHERE c.group_id = which AND c.month = first_day AND c.closed_at <= at) THEN
    RETURN QUERY
      SELECT c.uid, c.visibility, n.seconds, least(s.manual_seconds, n.seconds), 0, k.uid IS NOT NULL
      FROM closed_scores(which, first_day) c
      JOIN standings s ON s.group_id = which AND s.month = first_day AND s.person = c.person
      CROSS JOIN LATERAL (
        SELECT coalesce((SELECT a.new_seconds FROM amendments a
                         WHERE a.group_id = which AND a.month = first_day AND a.person = c.person AND a.at <= known_scores.at
                         ORDER BY a.at DESC, a.amendment_id DESC LIMIT 1), s.counted_seconds) AS seconds
      ) n
      LEFT JOIN study_intervals k ON k.uid = c.uid AND k.source = 'timer' AND k.recorded_at <= at
        AND k.started_at > at - interval '12 hours' AND (k.ended_at IS NULL OR k.ended_at > at)
        AND (k.retracted_at IS NULL OR k.retracted_at > at);
  ELSE
    RETURN QUERY
      SELECT d.uid, d.visibility, coalesce(sum(d.seconds), 0)::integer, coalesce(sum(d.manual_seconds), 0)::integer,
             coalesce(sum(d.seconds) FILTER (WHERE d.day = today), 0)::integer, bool_or(d.studying)
      FROM known_days(which, first_day, until_day, at) d
      WHERE d.uid <> ALL (suspended)
      GROUP BY d.uid, d.visibility;
  END IF;
END $$;

-- Somebody's place on a board, with what it is made of: one row per day, and one with no day when there is none. Readers
-- explain themselves; admins anybody who is or was in the group. To a stranger the group does not exist. seconds is the
-- board's own figure; rank is empty for who is not on this board. Of those who belong there and are kept off it, because
-- they are suspended or were when the month was closed, seconds is what would count.
CREATE OR REPLACE FUNCTION board_explanation(reader uuid, which uuid, period text, on_day date DEFAULT NULL, whose uuid DEFAULT NULL)
  RETURNS TABLE (
    uid uuid, nickname text, rank integer, seconds integer, manual_seconds integer, as_of timestamptz,
    day date, day_starts_at timestamptz, day_ends_at timestamptz, day_seconds integer, day_manual_seconds integer,
    counted_seconds integer, counted_manual_seconds integer, cut_by_cap integer, not_counted_seconds integer, parts jsonb
  ) LANGUAGE plpgsql STABLE ROWS 31 SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  shown record;
  belongs boolean;
BEGIN
  SELECT * INTO shown FROM board_period(reader, which, board_explanation.period, on_day);
  IF NOT FOUND THEN RETURN; END IF;
  uid := coalesce(whose, reader);
  IF uid <> reader THEN PERFORM require_role(reader, which, 'owner', 'admin'); END IF;
  SELECT u.nickname INTO nickname FROM users u
    WHERE u.uid = board_explanation.uid
      AND EXISTS (SELECT FROM group_membership_history h WHERE h.uid = u.uid AND h.group_id = which);
  IF NOT FOUND THEN
    RAISE EXCEPTION 'no such member' USING ERRCODE = 'no_data_found', CONSTRAINT = 'member_not_found';
  END IF;
  as_of := shown.server_time;
  SELECT s.rank, s.seconds, s.manual_seconds INTO rank, seconds, manual_seconds
    FROM (
      SELECT b.uid, b.seconds, b.manual_seconds, rank() OVER (ORDER BY b.seconds DESC) AS rank
      FROM board_scores(which, shown.first_day, shown.until_day, as_of) b
    ) s
    WHERE s.uid = board_explanation.uid;
  IF NOT FOUND THEN
    belongs := EXISTS (
      SELECT FROM group_membership_history h
      WHERE h.group_id = which AND h.uid = board_explanation.uid AND h.joined_at < shown.ends_at
        AND (h.left_at IS NULL OR (shown.ends_at <= as_of AND h.left_at >= shown.ends_at)));
    SELECT coalesce(sum(d.counted_seconds), 0), coalesce(sum(d.counted_manual_seconds), 0) INTO seconds, manual_seconds
      FROM board_days(which, shown.first_day, shown.until_day, as_of, board_explanation.uid) d WHERE belongs;
    IF NOT belongs THEN
      RETURN NEXT;
      RETURN;
    END IF;
  END IF;
  RETURN QUERY
    SELECT mine.*, d.*
    FROM (SELECT board_explanation.uid, board_explanation.nickname, board_explanation.rank, board_explanation.seconds,
                 board_explanation.manual_seconds, board_explanation.as_of) mine
    LEFT JOIN board_days(which, shown.first_day, shown.until_day, mine.as_of, mine.uid) d ON true;
END $$;

-- The groups whose boards changed by what has been committed since that snapshot, or by a suspension that has run out
-- since that instant, which nobody writes.
DROP FUNCTION boards_changed(pg_snapshot);
CREATE FUNCTION boards_changed(seen pg_snapshot, seen_at timestamptz) RETURNS TABLE (group_id uuid)
  LANGUAGE plpgsql STABLE STRICT SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    WITH news AS MATERIALIZED (
      SELECT DISTINCT c.subject FROM board_changes c
      WHERE c.changed_in >= pg_snapshot_xmin(seen) AND NOT pg_visible_in_snapshot(c.changed_in, seen)
    )
    SELECT h.group_id FROM news n JOIN group_membership_history h ON h.uid = n.subject
    UNION
    SELECT n.subject FROM news n
    UNION
    SELECT s.group_id FROM suspensions s WHERE s.lifted_at IS NULL AND s.until > seen_at AND s.until <= anthill_clock();
END $$;

-- Where a group's board stands: the clock, its study day (from the last suspension on that ran out in it), the snapshot to
-- ask boards_changed with, and whether it has changed since an earlier one.
CREATE OR REPLACE FUNCTION board_moment(which uuid, seen pg_snapshot) RETURNS TABLE (
  server_time timestamptz, day_began_at timestamptz, day_ends_at timestamptz, snapshot text, changed boolean
) LANGUAGE plpgsql STABLE ROWS 1 SET search_path FROM CURRENT AS $$
DECLARE
  rules ranking_rules := group_rules_now(which);
  today date;
BEGIN
  server_time := anthill_clock();
  today := study_day(server_time, rules.time_zone, rules.day_starts_at);
  day_began_at := greatest(
    study_day_start(today, rules.time_zone, rules.day_starts_at),
    (SELECT max(s.until) FROM suspensions s WHERE s.group_id = which AND s.lifted_at IS NULL AND s.until <= server_time));
  day_ends_at := study_day_start(today + 1, rules.time_zone, rules.day_starts_at);
  snapshot := pg_current_snapshot()::text;
  changed := seen IS NULL OR EXISTS (
    SELECT FROM board_changes c
    WHERE c.changed_in >= pg_snapshot_xmin(seen) AND NOT pg_visible_in_snapshot(c.changed_in, seen)
      AND (c.subject = which
           OR EXISTS (SELECT FROM group_membership_history h WHERE h.uid = c.subject AND h.group_id = which)));
  RETURN NEXT;
END $$;

-- Everything else that is kept of a user, by its name, as JSON: what they wrote and what follows from it, but no digest of
-- a secret, and of what others did no more than that they are members of the same group.
CREATE OR REPLACE FUNCTION exported_account(whose uuid) RETURNS TABLE (part text, content text)
  LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
DECLARE
  kept text;
BEGIN
  RETURN QUERY
    SELECT 'profile', (to_jsonb(u) - '{password_hash,auth_epoch}'::text[]
                       || jsonb_build_object('email', (SELECT e.email FROM user_emails e WHERE e.uid = whose)))::text
    FROM users u WHERE u.uid = whose;
  RETURN QUERY
    SELECT 'groups', coalesce(jsonb_agg(jsonb_build_object(
             'id', h.group_id, 'name', g.name, 'joined_at', utc_text(h.joined_at), 'left_at', utc_text(h.left_at),
             'role', m.role, 'visibility', m.visibility) ORDER BY h.joined_at), '[]')::text
    FROM group_membership_history h
    JOIN groups g USING (group_id)
    LEFT JOIN group_members m ON m.uid = h.uid AND m.group_id = h.group_id AND h.left_at IS NULL
    WHERE h.uid = whose;
  RETURN QUERY
    SELECT 'security_events', coalesce(jsonb_agg(jsonb_build_object(
             'at', utc_text(a.at), 'kind', a.kind) ORDER BY a.at, a.kind), '[]')::text
    FROM audit_events a WHERE a.uid = whose;
  FOREACH kept IN ARRAY ARRAY[
    'sign_ins', 'user_identities', 'subjects', 'projects', 'tasks', 'task_projects', 'plans', 'alarms', 'study_days',
    'past_goals', 'rest_days', 'wake_ups', 'perfect_announcements', 'suspensions'
  ] LOOP
    CONTINUE WHEN to_regclass(kept) IS NULL;
    RETURN QUERY EXECUTE format(
      'SELECT %L::text, coalesce(jsonb_agg(x.row ORDER BY x.row::text), ''[]'')::text FROM ('
      '  SELECT to_jsonb(t) - ''{uid,token_mac,auth_epoch,suspended_by,lifted_by}''::text[] AS row FROM %I t WHERE t.uid = $1) x', kept, kept)
      USING whose;
  END LOOP;
END $$;
