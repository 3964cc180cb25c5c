"""When an alarm rings, against zoneinfo read minute by minute: thousands of alarms around every kind of change."""

import bisect
import datetime
import functools
import random
import zoneinfo

from study_clock import DAY, utc
from test_study_parts import WHEN_AND_WHERE

MINUTE = 60


@functools.lru_cache(maxsize=None)
def wall_clock(zone, around):
    """Minute by minute, over the days around one: the instant, and the latest time that the clocks have shown by then."""
    first = int(datetime.datetime.combine(around - 5 * DAY, datetime.time(), datetime.timezone.utc).timestamp())
    instants, shown = [], []
    for instant in range(first, first + 14 * 86400, MINUTE):
        wall = datetime.datetime.fromtimestamp(instant, zoneinfo.ZoneInfo(zone)).replace(tzinfo=None)
        instants.append(instant)
        shown.append(max(wall, shown[-1]) if shown else wall)
    return instants, shown


@functools.lru_cache(maxsize=None)
def days_shown(zone, around):
    """The days that any clock ever showed."""
    return {wall.date() for wall in wall_clock(zone, around)[1]}


def first_ring(zone, around, day, at):
    """The first minute at which the clocks show that time or have passed it."""
    instants, shown = wall_clock(zone, around)
    return instants[bisect.bisect_left(shown, datetime.datetime.combine(day, at))]


def random_alarms(count):
    chance = random.Random(20261122)
    for _ in range(count):
        zone = chance.choice(list(WHEN_AND_WHERE))
        around = datetime.date.fromisoformat(chance.choice(WHEN_AND_WHERE[zone]))
        # Clocks change at night: half of the alarms ring then.
        hour = chance.choice([chance.randrange(24), chance.randrange(4), 23])
        yield zone, around, around + chance.randrange(-2, 3) * DAY, datetime.time(hour, chance.randrange(60))


def test_first_rings_agree_with_zoneinfo(schema):
    alarms = list(random_alarms(6000))
    rows = schema.rows(
        "SELECT first_instant(a.day, a.at, a.zone) FROM unnest(%s::date[], %s::time[], %s::text[])"
        " WITH ORDINALITY a (day, at, zone, n) ORDER BY a.n",
        [day for _, _, day, _ in alarms], [at for *_, at in alarms], [zone for zone, *_ in alarms],
    )  # fmt: skip
    for (zone, around, day, at), (instant,) in zip(alarms, rows, strict=True):
        assert instant == utc(first_ring(zone, around, day, at)), f"{zone}, {day} {at}"


def test_rings_and_their_days_agree_with_zoneinfo(schema):
    chance = random.Random(7)
    for zone, around, day, at in random_alarms(400):
        uid = schema.user(zone)
        every, times = chance.randrange(1, 61), chance.randrange(11)
        set_at = int(datetime.datetime.combine(around - 4 * DAY, datetime.time(), datetime.timezone.utc).timestamp())
        schema.set_clock(set_at)
        schema.rows("SELECT set_alarm(%s, true, %s, 'easy', 'bell', %s, %s)", uid, at, every, times)
        now = first_ring(zone, around, day, at) + chance.randrange(-3600, 3600)
        rings = schema.rows("SELECT day, ring, rings_at FROM alarm_rings(%s, %s)", uid, utc(now))
        local = datetime.datetime.fromtimestamp(now, zoneinfo.ZoneInfo(zone)).date()
        wanted = [
            (day, n + 1, utc(begins + n * every * MINUTE))
            for day in (local + offset * DAY for offset in range(-2, 4))
            if day in days_shown(zone, around) and (begins := first_ring(zone, around, day, at)) >= set_at + 30 * MINUTE
            for n in range(times + 1)
        ]
        assert rings == sorted(wanted, key=lambda ring: (ring[2], ring[0])), f"{zone}, {day} {at}"


def test_the_days_on_which_clocks_change(schema):
    def rings(zone, day, at):
        return schema.value("SELECT first_instant(%s, %s, %s)", day, at, zone).strftime("%d %H:%M:%S")

    assert rings("America/New_York", "2026-03-08", "02:30") == "08 07:00:00"  # 03:00, the next minute there is
    assert rings("America/New_York", "2026-03-08", "01:59") == "08 06:59:00"
    assert rings("America/New_York", "2026-03-08", "03:00") == "08 07:00:00"
    assert rings("America/New_York", "2026-11-01", "01:30") == "01 05:30:00"  # its first coming
    assert rings("America/New_York", "2026-11-01", "02:00") == "01 07:00:00"
    assert rings("Australia/Lord_Howe", "2026-10-04", "02:15") == "03 15:30:00"  # 02:30, half an hour was skipped
    assert rings("Australia/Lord_Howe", "2026-04-05", "01:45") == "04 14:45:00"
    assert rings("Pacific/Apia", "2011-12-30", "06:30") == "30 10:00:00"  # a day that never was, see alarm_rings
