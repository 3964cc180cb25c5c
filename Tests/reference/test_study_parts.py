"""study_parts, study_day and study_day_start against zoneinfo, on 20,000 intervals around every kind of change."""

import datetime
import random

from study_clock import DAY, Clock, day_of, day_start, parts, utc

# A zone and days around which its clocks change; every interval lies within ten days of one of them.
WHEN_AND_WHERE = {
    "Asia/Seoul": ["2026-11-30", "1988-05-08"],
    "America/New_York": ["2026-03-08", "2026-11-01"],
    "Europe/London": ["2026-03-29", "2026-10-25"],
    "Asia/Kathmandu": ["2026-06-01", "1986-01-01"],
    "Australia/Lord_Howe": ["2026-04-05", "2026-10-04"],
    "Pacific/Apia": ["2011-12-30", "2012-04-01"],
    "Africa/Casablanca": ["2026-02-15", "2026-03-22"],
    "America/Santiago": ["2026-04-05", "2026-09-06"],
    "America/St_Johns": ["2011-03-13", "2010-11-07"],
    "Pacific/Kwajalein": ["1993-08-21"],
}


def random_intervals(count):
    chance = random.Random(20261121)
    for _ in range(count):
        zone = chance.choice(list(WHEN_AND_WHERE))
        clock = Clock(zone, datetime.time(chance.randrange(12), chance.choice([0, 0, 15, 30, 59])))
        around = datetime.datetime.fromisoformat(chance.choice(WHEN_AND_WHERE[zone]) + "T00:00:00+00:00")
        began = int(around.timestamp()) + chance.randrange(-10 * 86400, 10 * 86400)
        if chance.random() < 0.2:  # exactly at a boundary, or a second beside it
            began = day_start(day_of(began, clock), clock) + chance.choice([-1, 0, 1])
        yield clock, began, began + chance.choice([1, 60, chance.randrange(1, 43201), 43200, 3 * 86400])


def test_parts_days_and_boundaries_agree_with_zoneinfo(schema):
    intervals = list(random_intervals(20_000))
    rows = schema.rows(
        """
        SELECT i.n, study_day(i.began, i.zone, i.starts), study_day_start(i.began::date, i.zone, i.starts),
               array_agg(p.day ORDER BY p.day), array_agg(p.seconds ORDER BY p.day)
        FROM unnest(%s::text[], %s::time[], %s::timestamptz[], %s::timestamptz[])
               WITH ORDINALITY i (zone, starts, began, ended, n),
             study_parts(i.began, i.ended, i.zone, i.starts) p
        GROUP BY i.n, i.began, i.zone, i.starts ORDER BY i.n
        """,
        [clock.zone for clock, _, _ in intervals], [clock.starts for clock, _, _ in intervals],
        [utc(began) for _, began, _ in intervals], [utc(ended) for _, _, ended in intervals],
    )  # fmt: skip
    assert len(rows) == len(intervals)
    for (clock, began, ended), (_, day, start, part_days, seconds) in zip(intervals, rows):
        told = f"{clock}: {utc(began)} to {utc(ended)}"
        assert day == day_of(began, clock), told
        assert start.timestamp() == day_start(utc(began).date(), clock), told
        assert dict(zip(part_days, seconds)) == parts(began, ended, clock), told
        assert sum(seconds) == ended - began, told
        for part_day, part in zip(part_days, seconds):
            assert part <= day_start(part_day + DAY, clock) - day_start(part_day, clock), told


def test_days_are_as_long_as_the_clocks_made_them(schema):
    def hours(zone, day):
        return schema.value(
            "SELECT extract(epoch FROM study_day_start(%s::date + 1, %s, '00:00')"
            " - study_day_start(%s, %s, '00:00')) / 3600",
            day, zone, day, zone,
        )  # fmt: skip

    assert hours("America/New_York", "2026-03-08") == 23
    assert hours("America/New_York", "2026-11-01") == 25
    assert hours("Australia/Lord_Howe", "2026-04-05") == 24.5
    assert hours("Asia/Seoul", "2026-11-01") == 24
    assert hours("Pacific/Apia", "2011-12-30") == 0


def test_a_zone_is_one_that_both_know(schema):
    import zoneinfo

    known = {name for (name,) in schema.rows("SELECT name FROM time_zones")}
    assert set(WHEN_AND_WHERE) <= known & zoneinfo.available_timezones()
    assert not {"localtime", "posix/UTC", "posixrules", "Factory", "FOO5"} & known
    assert "UTC" in known
