"""The global board: every rank it answers is compared with a count of all totals in the same snapshot."""

import bisect
import datetime
import random
import threading

import psycopg
import pytest
from study_clock import utc
from test_races import at_once, well

NOW = int(datetime.datetime(2026, 11, 21, 5, tzinfo=datetime.timezone.utc).timestamp())
MONTH = datetime.date(2026, 11, 1)

# A reader's own rank and the participants as the board answers them, beside a count of all totals: in one statement, and
# so in one snapshot.
CHECKED = """
SELECT b.rank, b.participants, b.seconds,
       (SELECT 1 + count(*) FROM month_totals t WHERE t.rules_id = 1 AND t.month = %(month)s AND t.counted_seconds > b.seconds),
       (SELECT count(*) FROM month_totals t WHERE t.rules_id = 1 AND t.month = %(month)s AND t.counted_seconds > 0),
       (SELECT coalesce(max(t.counted_seconds), 0) FROM month_totals t
        WHERE t.rules_id = 1 AND t.month = %(month)s AND t.uid = %(uid)s),
       (SELECT count(*) FROM rank_deltas)
FROM global_board(%(uid)s, %(month)s) b WHERE b.section = 'me'
"""


def people(schema, count):
    """Users on the global board who have nothing yet."""
    users = [schema.user() for _ in range(count)]
    for user in users:
        schema.rows("SELECT set_global_board(%s, true)", user)
    return users


def give(schema, user, seconds):
    """Sets a total as recording would: one row of month_totals, and what the counters do not know yet."""
    schema.connection.execute(
        "WITH gone AS (DELETE FROM month_totals WHERE rules_id = 1 AND uid = %(uid)s AND month = %(month)s"
        " RETURNING counted_seconds)"
        " INSERT INTO rank_deltas (uid, month, old, new)"
        " SELECT %(uid)s, %(month)s, coalesce((SELECT counted_seconds FROM gone), 0), %(seconds)s",
        {"uid": user, "month": MONTH, "seconds": seconds},
    )
    schema.connection.execute("INSERT INTO month_totals VALUES (1, %s, %s, %s, 0)", [user, MONTH, seconds])


def test_every_rank_is_exact_while_many_record_and_a_worker_folds(schema):
    users = people(schema, 96)
    month = schema.value("SELECT first_day FROM global_board_period()")
    now, room = schema.now, 40 * 3600
    writers, done = 32, threading.Event()
    checked = []

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
                for row in connection.execute(CHECKED, {"month": month, "uid": chance.choice(users)}).fetchall():
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


@pytest.mark.parametrize("seed", range(4))
def test_ranks_pages_and_neighbours_are_those_of_a_sorted_list_ties_and_edges_included(schema, seed):
    schema.set_clock(NOW)
    chance = random.Random(seed)
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
            page = schema.rows("SELECT rank, uid, seconds, more FROM global_board(%s, %s, %s, %s, %s)"
                               " WHERE section = 'top'", users[0], MONTH, *after, chance.choice([1, 2, 7]))  # fmt: skip
            seen += [row[:3] for row in page]
            if not page or not page[-1][3]:
                break
            after = page[-1][2], page[-1][1]
        assert seen == expected

        for user in chance.sample(users, 10):
            mine = totals.get(user, 0)
            around = schema.rows("SELECT section, rank, uid, seconds, participants, gap_to_next_seconds"
                                 " FROM global_board(%s, %s) WHERE section <> 'top'", user, MONTH)  # fmt: skip
            order = [(s, u) for s, u in board if u != user]
            place = sum((s, u.bytes) > (mine, user.bytes) for s, u in order)
            near = [(rank(s), u, s) for s, u in order[max(0, place - 3) : place]]
            far = [(rank(s), u, s) for s, u in order[place : place + 3]]
            assert [row[1:4] for row in around] == near + [(rank(mine), user, mine)] + far
            [me] = [row for row in around if row[0] == "me"]
            higher = [s for s in ascending if s > mine]
            assert me[2:] == (user, mine, len(board), higher[0] - mine if higher else None)


def test_whoever_opts_out_leaves_nothing_and_whoever_opts_in_brings_the_month(schema):
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
    assert schema.rows("SELECT sum(n) FROM rank_buckets") == [(3,)]
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
    assert schema.value("SELECT state FROM global_board_period(%s)", MONTH) == "closed"
    schema.rows("SELECT set_global_board(%s, false)", users[1])
    newcomer = people(schema, 1)[0]
    places = "SELECT rank, uid FROM global_board(%s, %s) WHERE section = 'top'"
    assert schema.rows(places, users[0], MONTH) == [(1, users[1]), (2, users[0])]
    own = "SELECT rank FROM global_board(%s, %s) WHERE section = 'me'"
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
    assert other.execute("SELECT fold_rank_deltas()").fetchone() == (1,)
    assert schema.value("SELECT fold_rank_deltas()") == -1
    other.execute("COMMIT")
    assert schema.value("SELECT fold_rank_deltas()") == 0
    assert schema.value("SELECT count(*) FROM rank_buckets WHERE n = 1") == 3
