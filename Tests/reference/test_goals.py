"""Goals of weeks and months, dates to count down to, and the day in cells of ten minutes."""

import datetime

import pytest
from study_clock import utc


def at(text):
    return int(datetime.datetime.fromisoformat(text).timestamp())


@pytest.fixture
def person(schema):
    """Somebody in Seoul whose day begins at five; it is Wednesday the 18th, two in the night, so still Tuesday."""
    schema.set_clock(at("2026-11-18T02:00:00+09:00"))
    return schema.user()


def studies(schema, user, since, until):
    schema.rows("SELECT record_timed(%s, %s, %s)", user, utc(at(since)), utc(at(until)))


def today(schema, user):
    return schema.rows("SELECT day, goals, dates FROM study_today(%s)", user)[0]


def test_a_goal_counts_the_days_of_its_week_or_month_by_one_s_own_clock(schema, person):
    for day in ("2026-11-01", "2026-11-15", "2026-11-16"):
        schema.set_clock(at(f"{day}T12:00:00+09:00"))
        studies(schema, person, f"{day}T10:00:00+09:00", f"{day}T11:00:00+09:00")
    # Monday at four in the night is still Sunday, and of the week before.
    schema.set_clock(at("2026-11-16T04:30:00+09:00"))
    studies(schema, person, "2026-11-16T04:00:00+09:00", "2026-11-16T04:30:00+09:00")
    schema.set_clock(at("2026-11-18T02:00:00+09:00"))
    schema.rows("SELECT set_period_goals(%s, 36000, 360000)", person)
    schema.rows("SELECT start_timer(%s)", person)
    schema.set_clock(at("2026-11-18T02:10:00+09:00"))
    assert today(schema, person)[1] == [
        {"period": "week", "first_day": "2026-11-16", "goal_seconds": 36000, "study_seconds": 4200},
        {"period": "month", "first_day": "2026-11-01", "goal_seconds": 360000, "study_seconds": 3 * 3600 + 1800 + 600},
    ]


def test_none_and_nothing_are_no_goal(schema, person):
    schema.rows("SELECT set_period_goals(%s, 36000, 0)", person)
    assert [goal["period"] for goal in today(schema, person)[1]] == ["week"]
    schema.rows("SELECT set_period_goals(%s, NULL, 60)", person)
    assert [goal["period"] for goal in today(schema, person)[1]] == ["month"]
    schema.rows("SELECT set_period_goals(%s, NULL, NULL)", person)
    assert today(schema, person)[1] == []


@pytest.mark.parametrize(("week", "month"), [(59, None), (7 * 86400 + 1, None), (None, 31 * 86400 + 1), (-60, None)])
def test_a_goal_has_a_minute_and_at_most_the_whole_period(schema, person, week, month):
    assert schema.call("SELECT set_period_goals(%s, %s, %s)", person, week, month) == "period_goals_seconds"
    assert schema.value("SELECT count(*) FROM period_goals") == 0


def test_the_shortest_goal_is_one_number(schema, person):
    schema.connection.execute("CREATE OR REPLACE FUNCTION shortest_length() RETURNS integer LANGUAGE sql IMMUTABLE RETURN 120")
    later = schema.connect()
    for seconds, verdicts in ((119, {"period_goals_seconds", "groups_month_goal_seconds"}), (120, {None})):
        assert {schema.call(call, person, seconds, on=later) for call in (
            "SELECT set_period_goals(%s, %s, NULL)", "SELECT create_group(%s, 'G', month_goal => %s)")} == verdicts  # fmt: skip


def test_days_are_left_until_the_study_day_of_the_date_begins(schema, person):
    for title, day in (("exam", "2026-11-18"), ("past", "2026-11-14"), ("far", "2026-12-17")):
        schema.rows("SELECT add_target_date(%s, %s, %s)", person, title, day)
    left = lambda: [(date["title"], date["days_left"]) for date in today(schema, person)[2]]  # noqa: E731
    assert left() == [("past", -3), ("exam", 1), ("far", 30)]
    schema.set_clock(at("2026-11-18T04:59:59+09:00"))
    assert left()[1] == ("exam", 1)
    schema.set_clock(at("2026-11-18T05:00:00+09:00"))
    assert left()[1] == ("exam", 0)
    schema.set_clock(at("2026-11-19T04:59:59+09:00"))
    assert left()[1] == ("exam", 0)
    schema.set_clock(at("2026-11-19T05:00:00+09:00"))
    assert left()[1] == ("exam", -1)


def test_only_so_many_dates_and_titles_of_forty_letters(schema, person):
    most = schema.value("SELECT most_target_dates()")
    add = "SELECT add_target_date(%s, %s, '2026-12-24')"
    for number in range(most):
        schema.rows(add, person, f"{number}")
    assert schema.call(add, person, "one more") == "too_many_target_dates"
    assert schema.value("SELECT count(*) FROM target_dates") == most
    schema.connection.execute("DELETE FROM target_dates")
    assert schema.call(add, person, "가" * 41) == schema.call(add, person, "") == "target_dates_title"
    schema.rows(add, person, "가" * 40)


def test_a_cell_has_the_seconds_of_its_ten_minutes_and_the_subject_with_most_of_them(schema, person):
    maths, english = (schema.value("INSERT INTO subjects (uid, name) VALUES (%s, %s) RETURNING id", person, name) for name in "ME")
    for subject, pieces in ((maths, [("23:55", "00:03")]), (english, [("00:03", "00:12")]), (None, [("01:00", "01:20")])):
        instant = lambda time: utc(at(f"2026-11-{'17' if time > '05' else '18'}T{time}:00+09:00"))  # noqa: E731
        schema.rows("SELECT record_session(%s, NULL, %s, %s, subject_id => %s)", person, [instant(since) for since, _ in pieces],
                    [instant(until) for _, until in pieces], subject)  # fmt: skip
    cells = schema.rows(
        "SELECT (starts_at AT TIME ZONE 'Asia/Seoul')::time::text, seconds, subject_id FROM day_strip(%s, '2026-11-17')", person
    )
    assert cells == [("23:50:00", 300, maths), ("00:00:00", 600, english), ("00:10:00", 120, english),
                     ("01:00:00", 600, None), ("01:10:00", 600, None)]  # fmt: skip
    assert schema.rows("SELECT starts_at, seconds FROM day_strip(%s, '2026-11-18')", person) == [(None, None)]


def test_cells_add_up_to_the_day_where_the_clocks_change_and_a_timer_runs(schema):
    schema.set_clock(at("2026-10-24T12:00:00+02:00"))
    user = schema.user()
    schema.rows("SELECT set_study_clock(%s, 'Europe/Berlin', '05:00')", user)
    night = at("2026-10-25T00:00:00+02:00")
    schema.set_clock(night)
    schema.rows("SELECT start_timer(%s)", user)
    # In this night the hour from two to three comes twice: the study day has 25 hours.
    schema.set_clock(night + 5 * 3600 + 90)
    begins, ends, seconds, cells = schema.rows(
        "SELECT min(day_begins), min(day_ends), sum(seconds), count(*) FROM day_strip(%s, '2026-10-24')", user)[0]  # fmt: skip
    assert (ends - begins).total_seconds() == 25 * 3600
    assert (seconds, cells) == (5 * 3600 + 90, 31)
    assert schema.value("SELECT study_seconds FROM study_today(%s)", user) == 5 * 3600 + 90
