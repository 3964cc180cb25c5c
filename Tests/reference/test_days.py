"""Days on their own: streaks over years, hours on nights when the clocks change, and the goals of a database that is older."""

import datetime
import random
import zoneinfo

import pytest
from study_clock import DAY, Clock, day_start, days, month_of, utc
from study_model import User
from test_study_parts import random_intervals

ZONES = ["Asia/Seoul", "America/New_York", "Pacific/Apia", "Pacific/Kwajalein", "Africa/Casablanca"]


STREAKS = "SELECT today, recorded_seconds, current_streak, longest_streak FROM study_streaks(%s)"


def seconds_around(chance, goal):
    return chance.choice([0, goal - 1, goal, goal, goal + 1, 40_000])


@pytest.mark.parametrize("zone", ZONES)
def test_streaks_over_years_are_those_of_walking_through_every_day(schema, zone):
    chance = random.Random(zone)
    clock = Clock(zone, datetime.time(5))
    for last in map(datetime.date.fromisoformat, ["2012-01-03", "1993-09-01", "2026-11-21"]):
        now = day_start(last, clock) + 3600
        schema.set_clock(now)
        for span in (3, 30, 400, 1500):
            likely = chance.choice([0.5, 0.9, 0.99])
            user = User(schema.user(clock.zone, clock.starts, 3600), clock, [(datetime.date.min, 3600)])
            recorded = {
                day: seconds_around(chance, 3600) if chance.random() > likely else 3600
                for day in days(last - span * DAY, last + 2 * DAY)  # tomorrow's may be there after a move to the west
                if chance.random() < likely + 0.005 and day_start(day, clock) < day_start(day + DAY, clock)
            }
            for day in sorted(chance.sample(list(days(last - span * DAY, last + 2 * DAY)), min(span, span // 10 + 2))):
                if len([other for other in user.rests if month_of(other) == month_of(day)]) < 2:
                    user.rests.add(day)
            user.study_days = lambda: recorded
            with schema.connection.cursor() as cursor:
                cursor.executemany(
                    "INSERT INTO study_days (uid, day, study_seconds, goal_seconds) VALUES (%s, %s, %s, 3600)",
                    [(user.uid, day, seconds) for day, seconds in recorded.items()],
                )
                cursor.executemany("INSERT INTO rest_days (uid, day) VALUES (%s, %s)", [(user.uid, d) for d in user.rests])
            expected = (last, sum(recorded.values()), *user.streaks(now))
            # Summed up to no day, or to some days one after the other, the last one a day before today.
            for until in [None, *sorted(chance.sample(range(1, span + 9), 3), reverse=True)]:
                if until:
                    schema.rows("SELECT sum_up_days(lock_student(%s), %s)", user.uid, last - until * DAY)
                [row] = schema.rows(STREAKS, user.uid)
                assert row == expected, (last, span, until)


def test_past_days_are_summed_up_once_a_month_and_counted_again_when_they_change(schema):
    clock = Clock("Asia/Seoul", datetime.time(5))
    user = schema.user(clock.zone, clock.starts, 3600)

    def study(day):
        began = day_start(day, clock)
        schema.call("SELECT record_session(%s, NULL, %s, %s, 'import')", user, [utc(began)], [utc(began + 3600)])

    def summed():
        return [str(day) for (day,) in schema.rows("SELECT until_day FROM past_streaks WHERE uid = %s", user)]

    def streaks():
        return schema.rows(STREAKS, user)[0][1:]

    def look(day):
        today = datetime.date.fromisoformat(day)
        schema.set_clock(day_start(today, clock) + 7200)
        return today

    today = look("2026-09-20")
    for day in days(today - 30 * DAY, today + DAY):
        study(day)
    assert summed() == ["2026-09-01"] and streaks() == (31 * 3600, 31, 31)
    for day in range(1, 9):
        study(look(f"2026-10-0{day}"))
    assert summed() == ["2026-09-01"] and streaks() == (39 * 3600, 8, 31)
    study(look("2026-10-09"))
    assert summed() == ["2026-10-01"] and streaks() == (40 * 3600, 9, 31)
    for day in range(21, 31):
        study(datetime.date(2026, 9, day))
    assert summed() == [] and streaks() == (50 * 3600, 50, 50)
    study(look("2026-10-10"))
    assert summed() == ["2026-10-01"] and streaks() == (51 * 3600, 51, 51)
    # By another clock, other dates may not have existed.
    schema.rows("SELECT set_study_clock(%s, 'Asia/Tokyo', '04:00')", user)
    assert streaks() == (51 * 3600, 51, 51)
    study(look("2026-10-11"))
    assert schema.rows("SELECT time_zone, until_day::text FROM past_streaks") == [("Asia/Tokyo", "2026-10-01")]
    schema.rows("SELECT rebuild_totals(%s)", user)
    assert summed() == [] and streaks() == (52 * 3600, 52, 52)


def test_hours_agree_with_zoneinfo_minute_by_minute(schema):
    intervals = [found for found in random_intervals(5000) if found[2] - found[1] <= 12 * 3600]
    rows = schema.rows(
        """
        SELECT i.n, array_agg(h.hour), array_agg(h.seconds)
        FROM unnest(%s::text[], %s::timestamptz[], %s::timestamptz[]) WITH ORDINALITY i (zone, began, ended, n),
             hour_parts(i.began, i.ended, i.zone) h
        GROUP BY i.n ORDER BY i.n
        """,
        [clock.zone for clock, _, _ in intervals], [utc(began) for _, began, _ in intervals],
        [utc(ended) for _, _, ended in intervals],
    )  # fmt: skip
    assert len(rows) == len(intervals)
    for (clock, began, ended), (_, hours, seconds) in zip(intervals, rows):
        zone, at, expected, found = zoneinfo.ZoneInfo(clock.zone), began, {}, {}
        while at < ended:
            until = min(ended, at - at % 60 + 60)
            hour = datetime.datetime.fromtimestamp(at, zone).hour
            expected[hour] = expected.get(hour, 0) + until - at
            at = until
        for hour, part in zip(hours, seconds):
            assert part > 0
            found[hour] = found.get(hour, 0) + part
        assert found == expected, f"{clock}: {utc(began)} to {utc(ended)}"


def test_dates_that_never_came_are_found(schema):
    def skipped(zone, first, last):
        return [str(day) for (day,) in schema.rows("SELECT skipped_days(%s, %s, %s, '05:00')", first, last, zone)]

    assert skipped("Pacific/Apia", "2011-01-01", "2012-06-01") == ["2011-12-30"]
    assert skipped("Pacific/Kwajalein", "1990-01-01", "2026-11-21") == ["1993-08-21"]
    assert skipped("Pacific/Apia", "2012-01-01", "2026-11-21") == []
    assert skipped("America/New_York", "2011-01-01", "2026-11-21") == []
