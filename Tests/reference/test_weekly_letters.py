"""The letter about a week: due on the morning after it by one's own clock, once, and with what was studied."""

import concurrent.futures
import datetime
from zoneinfo import ZoneInfo

import pytest
from study_clock import utc

DAY = 86400
ZONES = ["Asia/Seoul", "America/New_York", "Pacific/Apia", "Europe/Lisbon"]


def want(schema, user, is_wanted=True):
    schema.rows("SELECT set_switch(%s, 'weekly_mail', %s)", user, is_wanted)


def due(schema, user):
    rows = schema.rows("SELECT due FROM weekly_letters WHERE uid = %s", user)
    return rows[0][0] if rows else None


def mails(schema):
    return schema.rows(
        "SELECT parameters->>'uid', parameters->>'week' FROM mail_outbox WHERE kind = 'weekly_letter' ORDER BY created_at, 1"
    )


def send(schema, on=None):
    return schema.value("SELECT send_weekly_letters()", on=on)


@pytest.mark.parametrize("zone", ZONES)
def test_it_is_due_three_hours_after_the_week_by_ones_own_clock(schema, zone):
    user = schema.user(zone, "04:30")
    want(schema, user)
    local = due(schema, user).astimezone(ZoneInfo(zone))
    assert (local.weekday(), local.hour, local.minute) == (0, 7, 30)
    now = datetime.datetime.fromtimestamp(schema.now, datetime.UTC)
    assert datetime.timedelta() < local - now <= datetime.timedelta(days=7)


def test_it_is_sent_once_with_the_week_that_has_ended(schema):
    user = schema.user()
    want(schema, user)
    first = int(due(schema, user).timestamp())
    schema.set_clock(first - 1)
    assert (send(schema), mails(schema)) == (0, [])
    schema.set_clock(first)
    connections = [schema.connect() for _ in range(3)]
    with concurrent.futures.ThreadPoolExecutor() as pool:
        assert sum(pool.map(lambda on: send(schema, on), connections)) == 1
    monday = datetime.datetime.fromtimestamp(first, ZoneInfo("Asia/Seoul")).date()
    assert mails(schema) == [(str(user), str(monday - datetime.timedelta(days=7)))]
    assert int(due(schema, user).timestamp()) == first + 7 * DAY
    # After a long pause it is one letter, about the last week.
    schema.set_clock(first + 24 * DAY)
    assert send(schema) == 1
    assert mails(schema)[1:] == [(str(user), str(monday + datetime.timedelta(days=14)))]


def test_the_switch_and_the_study_clock_change_when_the_letter_is_due(schema):
    user = schema.user()
    want(schema, user)
    before = due(schema, user)
    schema.rows("SELECT set_study_clock(%s, 'America/New_York', NULL)", user)
    assert due(schema, user) - before == datetime.timedelta(hours=14)
    want(schema, user, False)
    assert due(schema, user) is None
    schema.rows("SELECT set_study_clock(%s, 'Asia/Seoul', NULL)", user)
    assert due(schema, user) is None


def test_a_week_that_ends_twice_is_told_once(schema):
    user = schema.user()
    want(schema, user)
    first = int(due(schema, user).timestamp())
    schema.set_clock(first)
    send(schema)
    schema.rows("SELECT set_study_clock(%s, 'America/Los_Angeles', NULL)", user)
    assert first < int(due(schema, user).timestamp()) < first + DAY
    for days in (1, 8):
        schema.set_clock(first + days * DAY)
        assert send(schema) == 1
    told = [datetime.date.fromisoformat(week) for _, week in mails(schema)]
    assert told == [told[0], told[0] + datetime.timedelta(days=7)]


def test_nobody_who_cannot_sign_in_gets_one(schema):
    user = schema.user()
    want(schema, user)
    schema.set_clock(int(due(schema, user).timestamp()))
    schema.connection.execute("UPDATE users SET status = 'suspended' WHERE uid = %s", [user])
    assert (send(schema), mails(schema)) == (1, [])


def test_it_says_what_was_studied(schema):
    user = schema.user(goal=3600)
    schema.rows("SELECT set_period_goals(%s, 7200, NULL)", user)
    want(schema, user)
    monday = datetime.date(2026, 11, 16)
    schema.set_clock(utc_of("2026-11-12T12:00:00+09:00"))
    schema.rows("SELECT record_timed(%s, %s, %s)", user, utc(schema.now - 1800), utc(schema.now))
    for day in ("2026-11-17", "2026-11-18"):
        schema.set_clock(utc_of(f"{day}T12:00:00+09:00"))
        schema.rows("SELECT record_timed(%s, %s, %s)", user, utc(schema.now - 3600 * (1 + (day > "2026-11-17"))), utc(schema.now))
    schema.connection.execute("INSERT INTO wake_ups (uid, day) VALUES (%s, '2026-11-18')", [user])
    [letter] = schema.rows("SELECT * FROM weekly_letter(%s, %s)", user, monday)
    assert (letter[0], *letter[2:]) == ("u", "en", 3 * 3600, 1800, 2, 2, 1, 2, 7200)
    want(schema, user, False)
    assert schema.rows("SELECT * FROM weekly_letter(%s, %s)", user, monday) == []


def utc_of(text):
    return int(datetime.datetime.fromisoformat(text).timestamp())
