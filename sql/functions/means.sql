-- The board of groups: the average timer time of a group's members in a month. Only groups that take part (duel) and
-- have at least fewest_compared() members on their board of that month, so that a mean tells little about one of them.
--
-- A mean covers the members on the group's own board of that month, by its own rules, without users whom a site admin
-- keeps off; of a closed month, without those who were kept off when it was closed. Hidden members count only if at
-- least fewest_hidden() of them used the timer, so that the mean does not reveal one of them. Time added by hand never
-- counts, whatever the rules say, so that no group can raise its own mean. A running timer counts from its next pause.
-- Means are whole seconds, rounded down.
--
-- Adding them up takes 1 to 2 µs per member, so one worker renews the stored means of open months every minute. The
-- mean of a closed month is that of its standings with their amendments. Today's choice to take part applies to all
-- months: a group that opts out leaves all of them in the same commit.

-- The key of the lock for writing means.
CREATE OR REPLACE FUNCTION group_means_key() RETURNS bigint
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  RETURN hashtextextended('anthill group_means', 0);
END $$;

-- Takes the lock for writing means, so each writer sees what the last one wrote.
CREATE OR REPLACE FUNCTION lock_group_means() RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(group_means_key());
END $$;

-- Computes the means of these groups for the months that have begun and are not closed, by each group's clock. The
-- caller holds the lock.
CREATE OR REPLACE FUNCTION count_group_means(group_ids uuid[]) RETURNS void
  LANGUAGE plpgsql SET plan_cache_mode = force_custom_plan SET search_path = public, pg_temp AS $$
DECLARE
  clock timestamptz := anthill_clock();
  off_service uuid[] := suspended_from(NULL, clock);
BEGIN
  WITH months AS (
    SELECT DISTINCT month_of((clock AT TIME ZONE 'UTC')::date + d) AS month FROM unnest(ARRAY[-4, 0, 1]) d
  ),
  ruled AS MATERIALIZED (
    SELECT w.group_id, n.month, r.rules_id
    FROM unnest(group_ids) w (group_id)
    CROSS JOIN months n
    CROSS JOIN LATERAL (
      SELECT x.rules_id FROM group_rules x WHERE x.group_id = w.group_id
      ORDER BY x.from_month <= n.month DESC, abs(x.from_month - n.month) LIMIT 1
    ) r
    WHERE NOT EXISTS (SELECT FROM month_closes c WHERE c.group_id = w.group_id AND c.month = n.month)
  ),
  periods AS MATERIALIZED (
    SELECT p.rules_id, p.month, study_day_start(next_month(p.month), r.time_zone, r.day_starts_at) AS ends_at
    FROM (SELECT DISTINCT d.rules_id, d.month FROM ruled d) p JOIN ranking_rules r USING (rules_id)
    WHERE study_day_start(p.month, r.time_zone, r.day_starts_at) <= clock
      AND month_closes_at(p.month, r.time_zone, r.day_starts_at) > clock
  ),
  suspended AS MATERIALIZED (
    SELECT s.group_id, s.uid FROM suspensions s
    WHERE s.group_id = ANY (group_ids) AND tstzrange(s.since, coalesce(s.lifted_at, s.until)) @> clock
  ),
  kept AS MATERIALIZED (
    SELECT d.month, d.group_id, d.rules_id, h.uid, h.visibility,
           coalesce(t.counted_seconds - t.manual_seconds, 0) AS seconds
    FROM ruled d
    JOIN periods p USING (rules_id, month)
    JOIN group_membership_history h
      ON h.group_id = d.group_id AND stays_on_board(h.joined_at, h.left_at, p.ends_at, clock)
    LEFT JOIN month_totals t ON t.rules_id = d.rules_id AND t.uid = h.uid AND t.month = d.month
    WHERE (d.group_id, h.uid) NOT IN (SELECT s.group_id, s.uid FROM suspended s) AND h.uid <> ALL (off_service)
  ),
  counted AS MATERIALIZED (
    SELECT x.month, x.group_id, x.rules_id, count(*) AS members, sum(x.seconds) / count(*) AS mean
    FROM (
      SELECT k.*, w.hidden,
             count(*) FILTER (WHERE w.hidden AND k.seconds > 0) OVER (PARTITION BY k.month, k.group_id) AS hiding
      FROM kept k
      LEFT JOIN group_members g ON g.uid = k.uid AND g.group_id = k.group_id
      CROSS JOIN LATERAL (SELECT coalesce(g.visibility, k.visibility, 'shown') = 'hidden' AS hidden) w
    ) x
    WHERE NOT x.hidden OR x.hiding >= fewest_hidden()
    GROUP BY x.month, x.group_id, x.rules_id HAVING count(*) >= fewest_compared()
  ),
  gone AS (
    DELETE FROM group_means k USING ruled d JOIN periods p USING (rules_id, month)
    WHERE k.month = d.month AND k.group_id = d.group_id
      AND (k.month, k.group_id) NOT IN (SELECT c.month, c.group_id FROM counted c)
  )
  INSERT INTO group_means AS k (month, group_id, rules_id, member_count, mean_seconds)
    SELECT c.month, c.group_id, c.rules_id, c.members, c.mean FROM counted c
    ON CONFLICT (month, group_id) DO UPDATE
      SET rules_id = excluded.rules_id, member_count = excluded.member_count, mean_seconds = excluded.mean_seconds
      WHERE (k.rules_id, k.member_count, k.mean_seconds)
        IS DISTINCT FROM (excluded.rules_id, excluded.member_count, excluded.mean_seconds);
END $$;

-- The mean of a closed month with its amendments, and its number of members; no row if there are too few.
CREATE OR REPLACE FUNCTION closed_mean(for_group uuid, in_month date) RETURNS TABLE (members integer, mean integer)
  LANGUAGE plpgsql STABLE ROWS 1 SET search_path = public, pg_temp AS $$
DECLARE
  rules ranking_rules := group_rules_in(for_group, in_month);
  off_service uuid[] := suspended_from(
    NULL, month_closes_at(in_month, rules.time_zone, rules.day_starts_at) - interval '1 second');
BEGIN
  RETURN QUERY
    SELECT count(*)::integer, (sum(x.seconds - x.manual_seconds) / count(*))::integer
    FROM (
      SELECT c.*,
             count(*) FILTER (WHERE c.visibility = 'hidden' AND c.seconds > c.manual_seconds) OVER () AS hiding
      FROM closed_scores(for_group, in_month) c
      WHERE c.uid IS NULL OR c.uid <> ALL (off_service)
    ) x
    WHERE x.visibility <> 'hidden' OR x.hiding >= fewest_hidden()
    HAVING count(*) >= fewest_compared();
END $$;

-- Stores the mean of a closed month. A mean that cannot be computed is left out with a warning in the database's log;
-- it must not keep a month open or block anybody. It is computed again with the next amendment, or when the group takes
-- part again. The caller holds the lock.
CREATE OR REPLACE FUNCTION count_closed_mean(for_group uuid, in_month date) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM group_means k WHERE k.group_id = for_group AND k.month = in_month;
  BEGIN
    INSERT INTO group_means (month, group_id, rules_id, member_count, mean_seconds)
      SELECT in_month, for_group, (group_rules_in(for_group, in_month)).rules_id, m.members, m.mean
      FROM closed_mean(for_group, in_month) m;
  EXCEPTION WHEN OTHERS THEN
    RAISE WARNING 'the mean of group % in % could not be counted: %', for_group, in_month, SQLERRM;
  END;
END $$;

-- Continues the current round, or begins one if the last began long enough ago. Returns whether there is more to do
-- now; there is not while another worker does it.
CREATE OR REPLACE FUNCTION renew_group_means(pause interval, most integer DEFAULT 100)
  RETURNS boolean LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  clock timestamptz := anthill_clock();
  round group_means_round;
  these uuid[];
BEGIN
  IF NOT pg_try_advisory_xact_lock(group_means_key()) THEN RETURN false; END IF;
  SELECT * INTO round FROM group_means_round;
  IF round.reached IS NULL THEN
    IF clock >= round.began_at AND clock < round.began_at + pause THEN RETURN false; END IF;
    round.began_at := clock;
    round.reached := '00000000-0000-0000-0000-000000000000';
  END IF;
  these := ARRAY(SELECT g.group_id FROM groups g WHERE g.duel AND g.group_id > round.reached
    ORDER BY g.group_id LIMIT most);
  PERFORM count_group_means(these);
  IF cardinality(these) < most THEN
    UPDATE group_means_round SET began_at = round.began_at, reached = NULL, as_of = round.began_at;
    RETURN false;
  END IF;
  UPDATE group_means_round SET began_at = round.began_at, reached = these[most];
  RETURN true;
END $$;

-- A group that opts in appears at once with all its months; one that opts out or is deleted disappears from all of
-- them.
CREATE OR REPLACE FUNCTION follow_taking_part() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM lock_group_means();
  DELETE FROM group_means k WHERE k.group_id = OLD.group_id;
  IF TG_OP = 'UPDATE' AND NEW.duel THEN
    PERFORM count_group_means(ARRAY[NEW.group_id]);
    PERFORM count_closed_mean(NEW.group_id, c.month) FROM month_closes c WHERE c.group_id = NEW.group_id;
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER groups_taking_part_followed AFTER UPDATE OF duel ON groups
  FOR EACH ROW WHEN (OLD.duel <> NEW.duel) EXECUTE FUNCTION follow_taking_part();

CREATE OR REPLACE TRIGGER groups_gone_followed AFTER DELETE ON groups
  FOR EACH ROW WHEN (OLD.duel) EXECUTE FUNCTION follow_taking_part();

-- The mean of a closed month is final with its standings and changes only with their amendments.
CREATE OR REPLACE FUNCTION follow_closed_month() RETURNS trigger
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM groups g WHERE g.group_id = NEW.group_id AND g.duel) THEN
    PERFORM lock_group_means();
    PERFORM count_closed_mean(NEW.group_id, NEW.month);
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER month_closes_followed AFTER INSERT ON month_closes
  FOR EACH ROW EXECUTE FUNCTION follow_closed_month();

CREATE OR REPLACE TRIGGER amendments_followed AFTER INSERT ON amendments
  FOR EACH ROW EXECUTE FUNCTION follow_closed_month();

-- A member who becomes hidden or visible changes the means of the closed months they are in. So does one who hid, left,
-- and is a member again.
CREATE OR REPLACE FUNCTION follow_visibility() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM groups g JOIN standings s USING (group_id)
             WHERE g.group_id = NEW.group_id AND g.duel AND s.uid = NEW.uid) THEN
    PERFORM lock_group_means();
    PERFORM count_closed_mean(NEW.group_id, s.month) FROM standings s
      WHERE s.uid = NEW.uid AND s.group_id = NEW.group_id;
  END IF;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER group_members_visibility_followed AFTER UPDATE OF visibility ON group_members
  FOR EACH ROW WHEN ((OLD.visibility = 'hidden') <> (NEW.visibility = 'hidden')) EXECUTE FUNCTION follow_visibility();
CREATE OR REPLACE TRIGGER group_members_again_followed AFTER INSERT ON group_members
  FOR EACH ROW EXECUTE FUNCTION follow_visibility();

-- One page of the board of groups for a month, by default the current one by the service's own clock: the entries after
-- the cursor (after_mean, after_id), and without a cursor also the viewer's own groups. The order is mean, then id,
-- both descending. A group without a second is not on the board, and gets the rank at which it would start. The rank is
-- 1 + the number of groups with a higher mean.
CREATE OR REPLACE FUNCTION groups_board(
  viewer_id uuid, on_day date DEFAULT NULL, after_mean bigint DEFAULT NULL, after_id uuid DEFAULT NULL,
  page bigint DEFAULT 50
) RETURNS TABLE (
  section text, rank integer, group_id uuid, name text, emoji text, colour text, member_count integer,
  mean_seconds integer, mine boolean, gap_to_next_seconds integer, more boolean,
  time_zone text, day_starts_at time, daily_cap_seconds integer, manual_counts boolean
) LANGUAGE plpgsql STABLE ROWS 60 SET plan_cache_mode = force_generic_plan SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  in_month date := (SELECT p.first_day FROM global_board_period('month', on_day) p);
  below integer := greatest(least(coalesce(after_mean, 2147483647), 2147483647), -1);
  below_id uuid := coalesce(after_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff');
BEGIN
  RETURN QUERY
    WITH listed AS MATERIALIZED (
      (SELECT 1 AS part, k.* FROM group_means k
       WHERE k.month = in_month AND k.mean_seconds > 0 AND (k.mean_seconds, k.group_id) < (below, below_id)
       ORDER BY k.month DESC, k.mean_seconds DESC, k.group_id DESC LIMIT page + 1)
      UNION ALL
      SELECT 2, k.* FROM group_members m JOIN group_means k ON k.group_id = m.group_id AND k.month = in_month
      WHERE m.uid = viewer_id AND after_id IS NULL
    ),
    placed AS (
      SELECT l.*, row_number() OVER w AS place, rank() OVER (PARTITION BY l.part ORDER BY l.mean_seconds DESC) AS tied
      FROM listed l WINDOW w AS (PARTITION BY l.part ORDER BY l.mean_seconds DESC, l.group_id DESC)
    ),
    -- A page's entries follow one another without a gap, but the page may begin in the middle of a tie.
    anchor AS MATERIALIZED (
      SELECT a.highest,
             (SELECT count(*) FROM group_means k WHERE k.month = in_month AND k.mean_seconds > a.highest) AS above,
             (SELECT count(*) FROM group_means k
              WHERE k.month = in_month AND (k.mean_seconds, k.group_id) >= (below, below_id)) AS before_page
      FROM (SELECT max(p.mean_seconds) AS highest FROM placed p WHERE p.part = 1) a
    )
    SELECT (ARRAY['top', 'mine'])[p.part],
           (CASE WHEN p.part = 2 THEN
                   (SELECT 1 + count(*) FROM group_means k WHERE k.month = in_month AND k.mean_seconds > p.mean_seconds)
                 WHEN p.mean_seconds = a.highest THEN 1 + a.above
                 ELSE a.before_page + p.tied END)::integer,
           p.group_id, g.name, g.emoji, g.colour, p.member_count, p.mean_seconds,
           EXISTS (SELECT FROM group_members m WHERE m.uid = viewer_id AND m.group_id = p.group_id),
           CASE WHEN p.part = 2 THEN (
             SELECT k.mean_seconds - p.mean_seconds FROM group_means k
             WHERE k.month = in_month AND k.mean_seconds > p.mean_seconds ORDER BY k.mean_seconds LIMIT 1) END,
           p.part = 1 AND EXISTS (SELECT FROM placed x WHERE x.part = 1 AND x.place > page),
           r.time_zone, r.day_starts_at, r.daily_cap_seconds, r.manual_counts
    FROM placed p
    CROSS JOIN anchor a
    JOIN groups g ON g.group_id = p.group_id
    JOIN ranking_rules r ON r.rules_id = p.rules_id
    WHERE p.part = 2 OR p.place <= page
    ORDER BY p.part, p.place;
END $$;
