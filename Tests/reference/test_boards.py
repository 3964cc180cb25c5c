"""Boards where rules change and people come late, and what a board tells of whom."""

import datetime

import pytest
from study_clock import utc


def at(text):
    return int(datetime.datetime.fromisoformat(text).timestamp())


def board(schema, group, period, day, order="seconds", known_at=None):
    """{member: (seconds, thousandths of the goal, days met, places gained)}, and how many days there have been."""
    rows = schema.rows(
        "SELECT uid, seconds, goal_permille, days_met, change, days FROM board(%s, %s, %s, known_at => %s, sorting => %s)",
        group, period, day, known_at and utc(known_at), order,
    )  # fmt: skip
    return {uid: numbers for uid, *numbers, _ in rows[1:]}, rows[0][5]


def join(schema, owner, group, *people):
    for person in people:
        code = f"{group} {person} {schema.now}"
        schema.rows("SELECT create_invitation(%s, %s, %s, NULL, 365)", owner, group, code)
        schema.rows("SELECT accept_invitation(%s, %s)", person, code)


def test_who_has_joined_since_the_day_began_is_new(schema):
    schema.set_clock(at("2026-11-20T12:00Z"))
    owner, second, late = (schema.user("UTC") for _ in "123")
    group = schema.value("SELECT create_group(%s, 'G', '', 'UTC', '05:00', 57600, true)", owner)
    join(schema, owner, group, second)
    for person, hours in ((owner, 1), (second, 2), (late, 3)):
        began = at("2026-11-20T12:00Z") - hours * 3600
        schema.rows("SELECT record_interval(%s, %s, %s)", person, utc(began), utc(at("2026-11-20T12:00Z")))
    gained = lambda: {person: numbers[3] for person, numbers in board(schema, group, "month", "2026-11-21")[0].items()}
    # Whoever came before the day began is compared with it.
    schema.set_clock(at("2026-11-21T04:59:59Z"))
    assert gained() == {owner: None, second: None}
    schema.set_clock(at("2026-11-21T12:00Z"))
    assert gained() == {owner: 0, second: 0}
    join(schema, owner, group, late)
    assert gained() == {owner: -1, second: -1, late: None}
    schema.rows("SELECT record_interval(%s, %s, %s)", owner, utc(at("2026-11-21T10:00Z")), utc(at("2026-11-21T12:00Z")))
    assert gained() == {owner: 1, second: -2, late: None}
    # Somebody who leaves and comes back on the same day is new once.
    schema.set_clock(at("2026-11-21T13:00Z"))
    schema.rows("SELECT remove_member(%s, %s, %s)", late, group, late)
    join(schema, owner, group, late)
    assert gained() == {owner: 1, second: -2, late: None}
    assert schema.value("SELECT count(uid) FROM board(%s, 'month', '2026-11-21')", group) == 3
    schema.set_clock(at("2026-11-22T05:00Z"))
    assert gained() == {owner: 0, second: 0, late: 0}


def test_in_the_hours_between_two_clocks_the_last_period_is_the_current_one(schema):
    schema.set_clock(at("2026-11-10T12:00Z"))
    owner = schema.user("Pacific/Kiritimati")
    group = schema.value("SELECT create_group(%s, 'G', '', 'Pacific/Kiritimati', '05:00', 57600, true)", owner)
    schema.rows("SELECT change_group_rules(%s, %s, 'Pacific/Pago_Pago', NULL, NULL, NULL)", owner, group)
    begins = lambda: [str(schema.value("SELECT first_day FROM group_period(%s, %s)", group, of)) for of in ("day", "week", "month")]
    turn = "SELECT extract(epoch FROM board_turns_at(%s))::integer"
    now_told = lambda: [
        schema.value("SELECT month FROM group_sums(%s)", group),
        schema.value("SELECT group_day(%s)", group),
        schema.value(turn, group),
    ]
    # November ends at 15:00 UTC, and December begins 25 hours later.
    for now in ("2026-11-30T14:59:59Z", "2026-11-30T15:00Z", "2026-12-01T15:30Z", "2026-12-01T15:59:59Z"):
        schema.set_clock(at(now))
        assert begins() == ["2026-11-30", "2026-11-30", "2026-11-01"], now
        turns = at("2026-11-30T15:00Z" if now < "2026-11-30T15" else "2026-12-01T16:00Z")
        assert now_told() == [datetime.date(2026, 11, 1), datetime.date(2026, 11, 30), turns], now
    schema.set_clock(at("2026-12-01T16:00Z"))
    assert begins() == ["2026-12-01", "2026-11-30", "2026-12-01"]
    assert now_told() == [datetime.date(2026, 12, 1), datetime.date(2026, 12, 1), at("2026-12-02T16:00Z")]
    assert schema.rows("SELECT 1 FROM board(%s, 'day')", group)


EAST, WEST = "Pacific/Kiritimati", "Pacific/Pago_Pago"
# Where December begins, at 05:00 on both clocks.
BEGINS_EAST, BEGINS_WEST = "2026-11-30T15:00:00Z", "2026-12-01T16:00:00Z"


@pytest.mark.parametrize("before, after, counted", [(EAST, WEST, "neither"), (WEST, EAST, "both"), (EAST, EAST, None)])
def test_the_boards_beside_a_change_of_clocks_say_which_hours_lie_between_them(schema, before, after, counted):
    schema.set_clock(at("2026-11-10T12:00Z"))
    owner = schema.user(before)
    group = schema.value("SELECT create_group(%s, 'G', '', %s, '05:00', 57600, true)", owner, before)
    schema.rows("SELECT change_group_rules(%s, %s, %s, NULL, 3600, NULL)", owner, group, after)
    schema.set_clock(at("2027-02-01T12:00Z"))
    changes = lambda period, day: schema.value("SELECT clock_changes FROM board(%s, %s, %s) LIMIT 1", group, period, day)
    expected = counted and [{"starts_at": BEGINS_EAST, "ends_at": BEGINS_WEST, "counted": counted}]
    for beside in ("day 2026-11-30", "day 2026-12-01", "week 2026-11-30", "month 2026-11-01", "month 2026-12-01"):
        assert changes(*beside.split()) == expected, beside
    for away in ("day 2026-11-29", "day 2026-12-02", "week 2026-12-07", "month 2027-01-01"):
        assert changes(*away.split()) is None, away


@pytest.mark.parametrize("in_another", [False, True])
def test_a_week_counts_what_its_explanation_adds_up_to_for_who_joins_late(schema, in_another):
    """Days of a month that was closed before somebody joined count for them on no board of that group; it makes no
    difference whether they were counted under equal rules elsewhere."""
    schema.set_clock(at("2026-11-30T12:00Z"))
    owner, late = schema.user("UTC"), schema.user("UTC")
    group, other = (schema.value("SELECT create_group(%s, 'G', '', 'UTC', '05:00', 57600, true)", owner) for _ in "12")
    if in_another:
        join(schema, owner, other, late)
    schema.rows("SELECT record_interval(%s, %s, %s)", late, utc(at("2026-11-30T10:00Z")), utc(at("2026-11-30T11:00Z")))
    schema.set_clock(at("2026-12-04T12:00Z"))
    join(schema, owner, group, late)
    schema.rows("SELECT record_interval(%s, %s, %s)", late, utc(at("2026-12-04T10:00Z")), utc(at("2026-12-04T10:10Z")))
    for order in ("seconds", "goal"):
        assert board(schema, group, "week", "2026-11-30", order)[0][late][0] == 600
    schema.set_clock(at("2026-12-04T12:01Z"))
    known = board(schema, group, "week", "2026-11-30", known_at=at("2026-12-04T12:00Z"))[0]
    assert known[late][0] == 600
    explained = "SELECT DISTINCT rank, seconds, sum(counted_seconds) OVER () FROM board_explanation(%s, %s, 'week', '2026-11-30')"
    assert schema.rows(explained, late, group) == [(1, 600, 600)]
    assert schema.maintenance("check.sql") == []


@pytest.mark.parametrize("order", ["seconds", "goal", "consistency"])
@pytest.mark.parametrize("zone", ["America/Los_Angeles", "Pacific/Kiritimati"])
def test_a_declared_clock_changes_no_board_before_its_own_month_begins(schema, zone, order):
    """Today goes by the clock of the month that is running, also in a week that ends in the next; and a board that was
    known at an instant stays as it was known."""
    schema.set_clock(at("2026-11-20T03:00Z"))
    owner, friend = schema.user(), schema.user(goal=7200)
    plain, declared = (schema.value("SELECT create_group(%s, 'G', '', 'Asia/Seoul', '05:00', 57600, true)", owner) for _ in "12")
    for group in (plain, declared):
        join(schema, owner, group, friend)
    schema.rows("SELECT change_group_rules(%s, %s, %s)", owner, declared, zone)
    # Monday, in a week that goes on into December.
    known = []
    for now in ("2026-11-29T21:30Z", "2026-11-30T03:00Z", "2026-11-30T09:00Z"):
        schema.set_clock(at(now))
        schema.rows("SELECT record_interval(%s, %s, %s)", friend, utc(schema.now - 1800), utc(schema.now))
        for day in ("2026-11-30", "2026-11-23"):
            before = board(schema, plain, "week", day, order)
            assert board(schema, declared, "week", day, order) == before
            known.append((day, schema.now, before))
    schema.set_clock(at("2026-12-03T12:00Z"))
    for day, then, before in known:
        assert board(schema, plain, "week", day, order, then) == before
        assert board(schema, declared, "week", day, order, then) == before


def test_a_past_board_does_not_change_by_what_is_declared_afterwards(schema):
    schema.set_clock(at("2026-02-25T03:00Z"))
    owner = schema.user()
    group = schema.value("SELECT create_group(%s, 'G', '', 'Asia/Seoul', '05:00', 57600, true)", owner)
    schema.rows("SELECT record_interval(%s, %s, %s)", owner, utc(schema.now - 7200), utc(schema.now))
    boards = {order: board(schema, group, "week", "2026-02-23", order) for order in ("seconds", "goal", "consistency")}
    assert boards["goal"] == ({owner: [7200, 166, 0, None]}, 3)
    then = schema.now
    schema.set_clock(at("2026-02-26T03:00Z"))
    schema.rows("SELECT change_group_rules(%s, %s, 'America/Los_Angeles')", owner, group)
    for order, before in boards.items():
        assert board(schema, group, "week", "2026-02-23", order, then) == before


def test_a_sum_tells_of_nobody_who_hides(schema):
    """Whatever others see added up is the same whether or not those who hide have studied, however many they are."""
    schema.set_clock(at("2026-11-21T03:00Z"))
    owner, *shy = (schema.user() for _ in range(4))
    group = schema.value("SELECT create_group(%s, 'G')", owner)
    join(schema, owner, group, *shy)
    schema.connection.execute("UPDATE groups SET month_goal_seconds = 7200, badge_allowed = true")
    schema.connection.execute("UPDATE group_members SET visibility = 'hidden' WHERE uid <> %s", [owner])
    sums = lambda: schema.rows(  # noqa: E731
        """SELECT b.seconds, b.studying, d.month_reached_seconds, s.people, (SELECT sum(m.seconds) FROM group_days(%s) m)
           FROM badge_figures(%s) b, group_details(%s, %s) d, group_sums(%s) s""",
        group, group, owner, group, group)  # fmt: skip
    assert sums() == [(0, 0, 0, 1, 0)]
    for person in shy:
        schema.rows("SELECT record_interval(%s, %s, %s)", person, utc(schema.now - 600), utc(schema.now))
        schema.rows("SELECT start_timer(%s)", person)
        assert sums() == [(0, 0, 0, 1, 0)]
