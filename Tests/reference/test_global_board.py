"""The global board: every rank it answers is compared with a count of all totals in the same snapshot."""

import bisect
import datetime
import random
import threading

import citus
import psycopg
import pytest
from study_clock import utc
from test_races import at_once, well

NOW = int(datetime.datetime(2026, 11, 21, 5, tzinfo=datetime.timezone.utc).timestamp())
MONTH = datetime.date(2026, 11, 1)
PERIODS = ["day", "week", "month"]

# A reader's own rank and the participants as the board answers them, beside a count of all totals: in one statement, and
# so in one snapshot.
CHECKED = """
WITH totals AS (
  SELECT t.uid, sum(t.counted_seconds) AS seconds FROM day_totals t
  JOIN period_days(%(period)s, %(day)s) p ON t.day >= p.first_day AND t.day < p.until_day
  WHERE t.rules_id = 1 GROUP BY t.uid
)
SELECT b.rank, b.participants, b.seconds,
       (SELECT 1 + count(*) FROM totals t WHERE t.seconds > b.seconds), (SELECT count(*) FROM totals t WHERE t.seconds > 0),
       (SELECT coalesce(max(t.seconds), 0) FROM totals t WHERE t.uid = %(uid)s), (SELECT count(*) FROM rank_deltas)
FROM global_board(%(uid)s, %(period)s, %(day)s) b WHERE b.section = 'me'
"""


def people(schema, count):
    """Users on the global board who have nothing yet."""
    users = [schema.user() for _ in range(count)]
    for user in users:
        schema.rows("SELECT set_global_board(%s, true)", user)
    return users


def give(schema, user, seconds):
    """Sets the total of a day as recording would."""
    gone = schema.rows("DELETE FROM day_totals WHERE rules_id = 1 AND uid = %s AND day = %s RETURNING counted_seconds", user, MONTH)
    schema.rows("SELECT rank_days(%s, %s, %s)", user, [MONTH], [seconds - sum(before for (before,) in gone)])
    schema.connection.execute("INSERT INTO day_totals VALUES (1, %s, %s, %s, 0, %s)", [user, MONTH, seconds, seconds])


@citus.not_spread("totals and ranks are on different nodes and not in one snapshot")
def test_every_rank_is_exact_while_many_record_and_a_worker_folds(schema):
    users = people(schema, 36)
    today = schema.value("SELECT first_day FROM global_board_period('day')")
    now, room = schema.now, 40 * 3600
    writers, done = 12, threading.Event()
    checked = []
    moment = lambda: {"period": random.choice(PERIODS), "day": today - datetime.timedelta(days=random.choice([0, 0, 1]))}  # noqa: E731

    def call(n, connection):
        chance = random.Random(n)
        if n < writers:
            own, left = users[n * 3 : n * 3 + 3], dict.fromkeys(users[n * 3 : n * 3 + 3], now)
            while not done.is_set():
                user = chance.choice(own)
                length = chance.choice([1, 59, 60, 61, 120])
                if left[user] - length < now - room:
                    left[user] = now
                    schema.call("SELECT count(retract_interval(uid, interval_id)) FROM study_intervals"
                                " WHERE uid = %s AND retracted_at IS NULL", user, on=connection)  # fmt: skip
                    continue
                end = left[user]
                left[user] -= length
                try:
                    schema.call("SELECT record_timed(%s, %s, %s)", user, utc(end - length), utc(end), on=connection)
                    if chance.random() < 0.1:
                        schema.call("SELECT set_global_board(%s, %s)", user, chance.random() < 0.8, on=connection)
                except (psycopg.errors.DeadlockDetected, psycopg.errors.SerializationFailure):
                    pass
        elif n == writers:
            while not done.is_set():
                connection.execute("SELECT fold_rank_deltas()")
                done.wait(0.2)
        else:
            while len(checked) < 120:
                for row in connection.execute(CHECKED, {**moment(), "uid": chance.choice(users)}).fetchall():
                    checked.append(row)
                done.wait(0.02)
            done.set()

    at_once(schema, writers + 2, call)
    for rank, participants, seconds, counted_rank, counted_participants, total, _ in checked:
        assert (rank, participants, seconds) == (counted_rank, counted_participants, total)
    assert any(row[-1] > 0 for row in checked), "no answer had to take waiting deltas into account"
    assert len({row[2] for row in checked}) > 20
    well(schema)
    while schema.value("SELECT fold_rank_deltas()") > 0:
        pass
    assert schema.value("SELECT count(*) FROM rank_deltas") == 0
    well(schema)


@pytest.mark.parametrize("period", PERIODS)
def test_ranks_pages_and_neighbours_are_those_of_a_sorted_list_ties_and_edges_included(schema, period):
    schema.set_clock(NOW)
    chance = random.Random(period)
    users = people(schema, 60)
    edges = [10, 600, 36000, 1200, 72000, 36010]
    values = [0, 1, 59] + [edge + step for edge in edges for step in (-1, 0, 0, 1)]
    totals = {}
    for turn in range(5):
        for user in chance.sample(users, 25):
            totals[user] = chance.choice(values)
            give(schema, user, totals[user])
        if turn % 2 == 0:
            schema.rows("SELECT fold_rank_deltas()")
        board = sorted(((s, u) for u, s in totals.items() if s > 0), key=lambda x: (x[0], x[1].bytes), reverse=True)
        ascending = sorted(s for s, _ in board)
        rank = lambda s: 1 + len(ascending) - bisect.bisect_right(ascending, s)  # noqa: E731
        expected = [(rank(s), u, s) for s, u in board]

        after, seen = (None, None), []
        while True:
            page = schema.rows("SELECT rank, uid, seconds, more FROM global_board(%s, %s, %s, %s, %s, %s)"
                               " WHERE section = 'top'", users[0], period, MONTH, *after, chance.choice([1, 2, 7]))  # fmt: skip
            seen += [row[:3] for row in page]
            if not page or not page[-1][3]:
                break
            after = page[-1][2], page[-1][1]
        assert seen == expected

        for user in chance.sample(users, 10):
            mine = totals.get(user, 0)
            around = schema.rows("SELECT section, rank, uid, seconds, participants, gap_to_next_seconds"
                                 " FROM global_board(%s, %s, %s) WHERE section <> 'top'", user, period, MONTH)  # fmt: skip
            order = [(s, u) for s, u in board if u != user]
            place = sum((s, u.bytes) > (mine, user.bytes) for s, u in order)
            near = [(rank(s), u, s) for s, u in order[max(0, place - 3) : place]]
            far = [(rank(s), u, s) for s, u in order[place : place + 3]]
            assert [row[1:4] for row in around] == near + [(rank(mine), user, mine)] + far
            [me] = [row for row in around if row[0] == "me"]
            higher = [s for s in ascending if s > mine]
            assert me[2:] == (user, mine, len(board), higher[0] - mine if higher else None)


def test_opting_out_leaves_nothing_and_opting_in_brings_the_month(schema):
    schema.set_clock(NOW)
    [other] = people(schema, 1)
    user = schema.user()
    for who, length in ((other, 3600), (user, 7200)):
        schema.rows("SELECT record_timed(%s, %s, %s)", who, utc(NOW - 9000), utc(NOW - 9000 + length))
    mine = "SELECT section, rank, seconds FROM global_board(%s) ORDER BY section, rank"
    assert schema.rows(mine, user) == [("top", 1, 3600)]
    schema.rows("SELECT set_global_board(%s, true)", user)
    assert schema.rows(mine, user) == [("me", 1, 7200), ("neighbour", 2, 3600), ("top", 1, 7200), ("top", 2, 3600)]
    well(schema)
    schema.rows("SELECT fold_rank_deltas()")
    schema.rows("SELECT set_global_board(%s, false)", user)
    assert schema.rows(mine, user) == [("top", 1, 3600)]
    well(schema)
    schema.rows("SELECT fold_rank_deltas()")
    assert schema.rows("SELECT sum(n) FROM rank_buckets") == [(9,)]  # three levels of a day, a week and a month
    well(schema)


def test_manual_time_is_not_on_it(schema):
    schema.set_clock(NOW)
    [user] = people(schema, 1)
    schema.rows("SELECT record_interval(%s, %s, %s)", user, utc(NOW - 9000), utc(NOW - 1800))
    assert schema.rows("SELECT section, rank, seconds, participants FROM global_board(%s)", user) == [("me", 1, 0, 0)]


def test_a_deleted_account_goes_from_the_counters_folded_or_not(schema):
    schema.set_clock(NOW)
    users = people(schema, 3)
    give(schema, users[0], 4000)
    give(schema, users[1], 5000)
    schema.rows("SELECT fold_rank_deltas()")
    give(schema, users[2], 6000)
    schema.connection.execute("DELETE FROM users WHERE uid = ANY (%s)", [[users[1], users[2]]])
    assert schema.rows("SELECT rank, uid, participants FROM global_board(%s) WHERE section = 'me'", users[0]) == [(1, users[0], 1)]
    schema.rows("SELECT fold_rank_deltas()")
    assert schema.rows("SELECT rank, participants FROM global_board(%s) WHERE section = 'me'", users[0]) == [(1, 1)]
    assert schema.value("SELECT count(*) FROM current_rank_buckets WHERE n <> 1") == 0


def test_a_closed_month_stays_as_it_was_closed(schema):
    schema.set_clock(NOW)
    users = people(schema, 2)
    for user, length in zip(users, (3600, 7200)):
        schema.rows("SELECT record_timed(%s, %s, %s)", user, utc(NOW - 9000), utc(NOW - 9000 + length))
    schema.set_clock(NOW + 20 * 86400)
    assert schema.value("SELECT state FROM global_board_period('month', %s)", MONTH) == "closed"
    schema.rows("SELECT set_global_board(%s, false)", users[1])
    newcomer = people(schema, 1)[0]
    places = "SELECT rank, uid FROM global_board(%s, 'month', %s) WHERE section = 'top'"
    assert schema.rows(places, users[0], MONTH) == [(1, users[1]), (2, users[0])]
    own = "SELECT rank FROM global_board(%s, 'month', %s) WHERE section = 'me'"
    assert schema.rows(own, users[1], MONTH) == [(1,)]
    assert schema.rows(own, newcomer, MONTH) == []
    assert schema.rows(own, users[1], None) == []
    assert schema.rows(own, newcomer, None) == [(1,)]
    well(schema)


def test_two_workers_fold_one_after_the_other(schema):
    schema.set_clock(NOW)
    give(schema, people(schema, 1)[0], 4000)
    other = schema.connect()
    other.execute("BEGIN")
    assert other.execute("SELECT fold_rank_deltas()").fetchone() == (3,)
    assert schema.value("SELECT fold_rank_deltas()") == -1
    other.execute("COMMIT")
    assert schema.value("SELECT fold_rank_deltas()") == 0
    assert schema.value("SELECT count(*) FROM rank_buckets WHERE n = 1") == 9


DAY = 86400


def studies(schema, user, seconds, ago=0):
    schema.rows("SELECT record_timed(%s, %s, %s)", user, utc(NOW - ago - seconds), utc(NOW - ago))


def test_arrows_compare_with_the_final_rank_of_the_period_before(schema):
    schema.set_clock(NOW)
    first, second, third = people(schema, 3)
    # Yesterday and last week the first won; the third had nothing.
    for user, seconds in ((first, 3600), (second, 1800)):
        for ago in (DAY, 7 * DAY):
            schema.set_clock(NOW - ago)
            studies(schema, user, seconds, ago)
    schema.set_clock(NOW)
    for user, seconds in ((first, 60), (second, 9000), (third, 600)):
        studies(schema, user, seconds)
    changes = "SELECT uid, rank, change FROM global_board(NULL, %s) WHERE section = 'top'"
    assert schema.rows(changes, "day") == [(second, 1, 1), (third, 2, None), (first, 3, -2)]
    assert schema.rows(changes, "week") == [(second, 1, 1), (first, 2, -1), (third, 3, None)]
    assert {row[2] for row in schema.rows(changes, "month")} == {None}
    assert schema.rows("SELECT change FROM global_board(%s, 'day') WHERE section = 'me'", first) == [(-2,)]
    # A day that is over has its final ranks.
    schema.set_clock(NOW + DAY)
    over = "SELECT rank, change FROM global_board(NULL, 'day', '2026-11-21') WHERE section = 'top'"
    assert schema.rows(over) == [(1, None), (2, None), (3, None)]


def test_opting_out_leaves_the_closed_days_of_a_week_that_began_before(schema):
    saturday = int(datetime.datetime(2026, 10, 31, 5, tzinfo=datetime.timezone.utc).timestamp())
    schema.set_clock(saturday)
    [user] = people(schema, 1)
    for day, seconds in ((saturday, 3600), (saturday + DAY, 1800)):
        schema.set_clock(day)
        schema.rows("SELECT record_timed(%s, %s, %s)", user, utc(day - seconds), utc(day))
    week = "SELECT seconds FROM rank_totals WHERE period = 'week' ORDER BY first_day"
    assert schema.rows(week) == [(5400,)]
    schema.set_clock(saturday + 10 * DAY)
    schema.rows("SELECT set_global_board(%s, false)", user)
    assert schema.rows(week) == [(3600,)]
    assert schema.rows("SELECT period, first_day::text FROM rank_totals ORDER BY 1") == [
        ("day", "2026-10-31"), ("month", "2026-10-01"), ("week", "2026-10-26")]  # fmt: skip
    well(schema)
    schema.rows("SELECT set_global_board(%s, true)", user)
    assert schema.rows(week) == [(5400,)]
    well(schema)


@pytest.mark.parametrize("period", PERIODS)
def test_one_s_own_number_is_explained_down_to_the_intervals(schema, period):
    schema.set_clock(NOW)
    user, other = people(schema, 2)
    studies(schema, other, 9000)
    studies(schema, user, 3600)
    studies(schema, user, 600, ago=20 * 3600)
    schema.rows("SELECT record_interval(%s, %s, %s)", user, utc(NOW - 9000), utc(NOW - 7200))  # by hand
    schema.rows("SELECT start_timer(%s)", user)
    schema.set_clock(NOW + 60)
    rows = schema.rows("SELECT rank, seconds, day, counted_seconds, not_counted_seconds FROM global_explanation(%s, %s)", user, period)
    today, yesterday = datetime.date(2026, 11, 21), datetime.date(2026, 11, 20)
    days = [(2, 3600, today, 3600, 1800)] if period == "day" else [(2, 4200, today, 3600, 1800), (2, 4200, yesterday, 600, 0)]
    assert rows == days
    assert schema.rows("SELECT rank, seconds FROM global_board(%s, %s) WHERE section = 'me'", user, period) == [days[0][:2]]
    schema.rows("SELECT set_global_board(%s, false)", user)
    assert schema.rows("SELECT rank, seconds, day FROM global_explanation(%s, %s)", user, period) == [(None, 0, None)]
