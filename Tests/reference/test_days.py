"""Days on their own: streaks over years, hours on nights when the clocks change, and the goals of a database that is older."""

import datetime
import random
import zoneinfo

import pytest
from study_clock import DAY, Clock, day_start, days, month_of, utc
from study_model import User
from test_study_parts import random_intervals

ZONES = ["Asia/Seoul", "America/New_York", "Pacific/Apia", "Pacific/Kwajalein", "Africa/Casablanca"]


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
            [row] = schema.rows("SELECT today, recorded_seconds, current_streak, longest_streak FROM study_streaks(%s)", user.uid)
            assert row == (last, sum(recorded.values()), *user.streaks(now)), (last, span)


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
