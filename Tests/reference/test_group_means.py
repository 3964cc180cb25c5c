"""Means of groups while groups come, go, and months are closed: who does not take part is never on the board."""

import datetime
import random
import threading

import pytest
from study_clock import utc
from test_races import at_once, held, wait_for_lock, well

NOW = int(datetime.datetime(2026, 11, 21, 5, tzinfo=datetime.timezone.utc).timestamp())


def groups(schema, count):
    """Groups of the same five, who have run the timer for some hours last month and this month."""
    users = [schema.user() for _ in range(5)]
    schema.set_clock(NOW - 30 * 86400)
    made = []
    for _ in range(count):
        group = schema.value("SELECT create_group(%s, 'G', month_goal => 3600)", users[0])
        schema.rows("SELECT create_invitation(%s, %s, %s)", users[0], group, f"code of {group}")
        for user in users[1:]:
            schema.rows("SELECT accept_invitation(%s, %s)", user, f"code of {group}")
        made.append(group)
    for moment in (NOW - 30 * 86400, NOW):
        schema.set_clock(moment)
        for number, user in enumerate(users, 1):
            schema.rows("SELECT record_timed(%s, %s, %s)", user, utc(moment - 9000), utc(moment - 9000 + 1000 * number))
    return made


def take_part(schema, group, wanted, on=None):
    (on or schema.connection).execute("UPDATE groups SET duel = %s WHERE group_id = %s", [wanted, group])


def kept(schema):
    return {group: mean for group, mean in schema.rows("SELECT group_id, mean_seconds FROM group_means WHERE month = '2026-11-01'")}


def test_a_group_that_opts_out_while_the_means_are_counted_is_off_them(schema):
    [group, other] = groups(schema, 2)
    for each in (group, other):
        take_part(schema, each, True)
    assert kept(schema) == {group: 3000, other: 3000}
    worker, admin = schema.connect(), schema.connect()
    with held(worker):
        worker.execute("SELECT renew_group_means('0 seconds')")
        opting_out = threading.Thread(target=take_part, args=[schema, group, False, admin])
        opting_out.start()
        wait_for_lock(schema, admin)
    opting_out.join()
    assert kept(schema) == {other: 3000}
    with held(admin):
        take_part(schema, other, False, admin)
        # Another worker does not wait.
        assert worker.execute("SELECT renew_group_means('0 seconds')").fetchone() == (False,)
    assert kept(schema) == {}
    well(schema)


@pytest.mark.parametrize(("studied", "people", "seconds"), [(2, 5, 15_000), (3, 8, 15_000 + 3 * 2400)])
def test_those_who_hide_count_if_three_of_them_studied(schema, studied, people, seconds):
    [group] = groups(schema, 1)
    owner = schema.value("SELECT uid FROM group_members WHERE role = 'owner'")
    schema.rows("SELECT create_invitation(%s, %s, 'code')", owner, group)
    hidden = [schema.user() for _ in range(3)]
    for user in hidden:
        schema.rows("SELECT accept_invitation(%s, 'code')", user)
        schema.connection.execute("UPDATE group_members SET visibility = 'hidden' WHERE uid = %s", [user])
    for user in hidden[:studied]:
        schema.rows("SELECT record_timed(%s, %s, %s)", user, utc(NOW - 9000), utc(NOW - 9000 + 2400))
    take_part(schema, group, True)
    means = "SELECT member_count, mean_seconds FROM group_means WHERE month = '2026-11-01'"
    assert schema.rows(means) == [(people, seconds // people)]
    schema.set_clock(NOW + 14 * 86400)
    with schema.connection.transaction():
        schema.rows("SELECT lock_to_close(%s, '2026-11-01')", group)
        schema.rows("SELECT close_month(%s, '2026-11-01')", group)
    assert schema.rows(means) == [(people, seconds // people)]


def test_one_who_hid_and_left_counts_in_closed_months_once_they_are_a_member_again_and_shown(schema):
    [group] = groups(schema, 1)
    hidden = schema.user()
    schema.set_clock(NOW - 30 * 86400)
    schema.rows("SELECT enter_group(%s, %s, 'member')", hidden, group)
    schema.connection.execute("UPDATE group_members SET visibility = 'hidden' WHERE uid = %s", [hidden])
    schema.set_clock(NOW)
    take_part(schema, group, True)
    with schema.connection.transaction():
        schema.rows("SELECT lock_to_close(%s, '2026-10-01')", group)
        schema.rows("SELECT close_month(%s, '2026-10-01')", group)
    means = "SELECT member_count, mean_seconds FROM group_means WHERE month = '2026-10-01'"
    schema.rows("SELECT remove_member(%s, %s, %s)", hidden, group, hidden)
    assert schema.rows(means) == [(5, 3000)]
    well(schema)
    schema.set_clock(NOW + 60)
    schema.rows("SELECT enter_group(%s, %s, 'member')", hidden, group)
    assert schema.rows(means) == [(5, 3000)]
    schema.connection.execute("UPDATE group_members SET visibility = 'shown' WHERE uid = %s", [hidden])
    assert schema.rows(means) == [(6, 2500)]
    well(schema)


def test_16_who_opt_in_and_out_dissolve_close_and_count_leave_exactly_the_means_of_those_who_take_part(schema):
    made = groups(schema, 12)
    schema.set_clock(NOW)
    done = threading.Event()

    def call(n, connection):
        chance = random.Random(n)
        if n < 4:
            while not done.is_set():
                connection.execute("SELECT renew_group_means('0 seconds', 5)")
        elif n < 6:
            for group in made:
                with connection.transaction():
                    connection.execute("SELECT lock_to_close(%s, '2026-10-01')", [group])
                    connection.execute("SELECT close_month(%s, '2026-10-01')", [group])
        else:
            for _ in range(30):
                take_part(schema, chance.choice(made), chance.random() < 0.6, connection)
            if n == 15:
                done.set()

    at_once(schema, 16, call)
    done.set()
    owner = schema.value("SELECT uid FROM group_members WHERE role = 'owner' LIMIT 1")
    take_part(schema, made[0], True)
    schema.rows("SELECT delete_group(%s, %s)", owner, made[0])
    taking_part = {group for [group] in schema.rows("SELECT group_id FROM groups WHERE duel")}
    assert kept(schema) == dict.fromkeys(taking_part, 3000)
    closed = {group for [group] in schema.rows("SELECT group_id FROM group_means WHERE month = '2026-10-01'")}
    assert closed == taking_part and len(taking_part) > 2
    well(schema)
