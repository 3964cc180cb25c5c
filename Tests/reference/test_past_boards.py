"""The days of a board as they were known at a past instant, against every interval looked at anew."""

import datetime
import itertools

import pytest
from study_clock import DAY, day_of, period_of, utc
from test_random_study import WholeWorld
from world import WORLDS
from world_groups import Groups
from world_study import ByHand, ByTimer

INTERVALS = 400  # tried in each world

# The same days, from nothing but intervals: each by itself, and none of the totals.
PLAIN = """
CREATE FUNCTION plain_days(for_group uuid, first_day date, until_day date, at timestamptz) RETURNS TABLE (
  uid uuid, day date, seconds integer, manual_seconds integer
) LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
BEGIN RETURN QUERY
  WITH known AS MATERIALIZED (
    SELECT i.*, i.ended_at IS NULL OR i.ended_at > at AS runs FROM study_intervals i
    WHERE i.recorded_at <= at AND (i.retracted_at IS NULL OR i.retracted_at > at) AND i.source <> 'import'
      AND CASE WHEN i.ended_at <= at THEN NOT i.unconfirmed ELSE i.started_at > at - interval '12 hours' END
  ),
  stays AS MATERIALIZED (
    SELECT h.* FROM group_membership_history h WHERE h.group_id = for_group
  ),
  members AS (
    SELECT h.uid, h.joined_at FROM stays h,
      LATERAL (SELECT r.* FROM group_rules_in(for_group, month_of(until_day - 1)) r) r,
      LATERAL (SELECT study_day_start(until_day, r.time_zone, r.day_starts_at) AS ends_at) p
    WHERE h.joined_at < p.ends_at AND h.joined_at <= at
      AND (h.left_at IS NULL OR h.left_at > at OR (p.ends_at <= at AND h.left_at >= p.ends_at))
  ),
  days AS (
    SELECT d::date AS day, r.* FROM generate_series(first_day, until_day - 1, interval '1 day') d,
      LATERAL group_rules_in(for_group, month_of(d::date)) r
  ),
  sums AS (
    SELECT i.uid, d.day, d.daily_cap_seconds AS cap, d.manual_counts, sum(p.seconds)::integer AS seconds,
           coalesce(sum(p.seconds) FILTER (WHERE i.source = 'manual'), 0)::integer AS manual
    FROM members m
    JOIN known i USING (uid)
    CROSS JOIN days d
    JOIN LATERAL study_parts(i.started_at, least(i.ended_at, at), d.time_zone, d.day_starts_at) p ON p.day = d.day
    WHERE i.runs OR greatest(i.recorded_at, m.joined_at) < month_closes_at(month_of(d.day), d.time_zone, d.day_starts_at)
    GROUP BY i.uid, d.day, cap, d.manual_counts
  )
  SELECT m.uid, NULL::date, coalesce(max(i.runs::integer), 0), NULL::integer
  FROM members m LEFT JOIN known i USING (uid) GROUP BY m.uid
  UNION ALL
  SELECT s.uid, s.day, counted_of_day(s.seconds, s.manual, s.cap, s.manual_counts),
         manual_of_day(s.seconds, s.manual, s.cap, s.manual_counts)
  FROM sums s WHERE s.seconds > 0;
END $$
"""

# In the same form: a row without a day says who is on the board, and whether they were studying.
KNOWN = """
SELECT d.uid, NULL::date, max(d.studying::integer), NULL::integer FROM known_days(%s, %s, %s, %s) d
  GROUP BY d.uid HAVING bool_or(d.day IS NULL)
UNION ALL
SELECT d.uid, d.day, d.seconds, d.manual_seconds FROM known_days(%s, %s, %s, %s) d WHERE d.seconds <> 0
"""


class PastWorld(WholeWorld):
    """Where much is taken back, answered late and decided anew."""

    ACTIONS = WholeWorld.ACTIONS + [
        (ByHand.retract, 8), (ByHand.retract_session, 4), (ByHand.change_session, 4), (ByHand.confirm, 3),
        (ByTimer.start, 10), (ByTimer.stop_earlier, 4), (Groups.join_or_leave, 2), (Groups.other_rules, 0.5),
    ]  # fmt: skip

    def step(self):
        self.now += self.chance.choice([0, 0, 3600, 10800])
        super().step()

    def instant(self):
        """One of all that have been, or one at which something was recorded."""
        user = self.chance.choice(self.users)
        recorded = [i.recorded for i in user.intervals() if i.recorded >= self.began]
        if recorded and self.chance.random() < 0.3:
            return self.chance.choice(recorded)
        return self.began + self.chance.randrange(self.now + 1 - self.began)

    def compare(self):
        group, then = self.chance.choice(self.groups), self.instant()
        kind = self.chance.choice(["day", "week", "month", "month"])
        ago = self.chance.choice([0, 0, 0, 1, 2, 3, 7, 30])
        asked = (group.id, *period_of(kind, day_of(then, group.rules_now(self.now).clock) - ago * DAY), utc(then))
        told = f"{asked}, asked {utc(self.now)}"
        plain = self.schema.rows("SELECT * FROM plain_days(%s, %s, %s, %s)", *asked)
        known = self.schema.rows(KNOWN, *asked, *asked)
        # (A day of which all was taken back later may be there with nothing.)
        assert sorted(known, key=str) == sorted((row for row in plain if row[2] != 0 or row[1] is None), key=str), told


@pytest.mark.parametrize("zone", WORLDS)
def test_the_days_of_past_boards_are_those_of_every_interval_looked_at_anew(schema, zone):
    world = PastWorld(schema, zone, WORLDS[zone])
    world.began = world.now
    schema.connection.execute(PLAIN)
    for step in itertools.count():
        world.step()
        if step % 40 == 39:
            schema.connection.execute("ANALYZE study_intervals, day_totals")
            for _ in range(8):
                world.compare()
        if world.intervals >= INTERVALS:
            break
    for _ in range(100):
        world.compare()
    late = "recorded_at - started_at > interval '48 hours' AND source <> 'import'"
    assert schema.value(f"SELECT count(*) FROM study_intervals WHERE {late}") > 0
    assert schema.value("SELECT count(*) FROM study_intervals WHERE retracted_at - started_at > interval '4 days'") > 0
    assert schema.violations() == []


def test_a_board_that_has_ended_tells_nobody_who_studies_then(schema):
    begins = int(datetime.datetime.fromisoformat("2026-10-31T10:00:00Z").timestamp())
    schema.set_clock(begins)
    owner, leaver, gone = [schema.user() for _ in range(3)]
    group = schema.value("SELECT create_group(%s, 'G')", owner)
    for user in (leaver, gone):
        schema.rows("SELECT lock_group(%s)", group)
        schema.rows("SELECT enter_group(%s, %s, 'member')", user, group)
    for user in (owner, leaver, gone):
        schema.rows("SELECT start_timer(%s)", user)
    ended = int(datetime.datetime.fromisoformat("2026-10-31T20:00:00Z").timestamp())
    schema.set_clock(ended)
    schema.rows("SELECT remove_member(%s, %s, %s)", leaver, group, leaver)

    def marks(period, day, known_at=None):
        sql = "SELECT studying FROM board(%s, %s, %s, known_at => %s, sorting => %s) WHERE uid IS NOT NULL OR rank IS NOT NULL"
        return [{mark for (mark,) in schema.rows(sql, group, period, day, known_at, order)} for order in ("seconds", "goal", "consistency")]

    in_grace = [marks(period, day) for period, day in (("month", "2026-10-01"), ("day", "2026-10-31"))]
    assert in_grace == [[{False}] * 3] * 2
    for period in ("day", "month"):
        assert marks(period, "2026-11-01") == [{True}] * 3, "the owner still studies"
        assert marks(period, "2026-10-31", utc(ended - 1)) == [{True}] * 3
        assert marks(period, "2026-10-31", utc(ended)) == [{False}] * 3
    schema.set_clock(ended + 2 * 86400)
    assert schema.value("SELECT close_month(%s, '2026-10-01')", group)
    schema.rows("SELECT erase_user(%s, 'asked for it')", gone)
    schema.rows("SELECT start_timer(%s)", leaver)
    schema.set_clock(schema.now + 3600)
    for known_at in (None, utc(schema.now - 60)):
        assert marks("month", "2026-10-01", known_at) == [{False}] * 3, known_at


def test_a_past_board_without_a_day_is_of_the_period_of_that_instant_whatever_clock_the_group_has_now(schema):
    def instant(text):
        return int(datetime.datetime.fromisoformat(text + "Z").timestamp())

    def periods(known_at=None):
        sql = "SELECT first_day, starts_at, ends_at FROM group_period(%s, %s, NULL, %s)"
        return [schema.rows(sql, group, period, known_at) for period in ("day", "week", "month")]

    schema.set_clock(instant("2026-01-20T12:00"))
    owner = schema.user("America/Los_Angeles")
    group = schema.value("SELECT create_group(%s, 'G')", owner)
    schema.set_clock(instant("2026-02-10T03:00"))
    asked_then = periods()
    schema.set_clock(instant("2026-02-12T12:00"))
    assert schema.value("SELECT change_group_rules(%s, %s, 'Asia/Seoul')", owner, group) == datetime.date(2026, 3, 1)
    schema.set_clock(instant("2026-03-20T12:00"))
    assert periods(utc(instant("2026-02-10T03:00"))) == asked_then
