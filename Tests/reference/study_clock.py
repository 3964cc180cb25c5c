"""The study clock, defined a second time: with zoneinfo, and by trying days rather than by computing them."""

import datetime
import functools
import zoneinfo
from typing import NamedTuple

DAY = datetime.timedelta(days=1)


class Clock(NamedTuple):
    zone: str
    starts: datetime.time

    def __str__(self):
        return f"{self.zone} {self.starts:%H:%M}"


@functools.lru_cache(maxsize=None)
def day_start(day, clock):
    """The instant, in seconds, at which a study day begins.

    An hour that comes twice is taken at its second coming, one that never comes as if the clocks had not changed yet;
    of the two instants that zoneinfo can give, both times the later one.
    """
    local = datetime.datetime.combine(day, clock.starts, zoneinfo.ZoneInfo(clock.zone))
    return max(int(local.replace(fold=fold).timestamp()) for fold in (0, 1))


def day_of(instant, clock):
    """The last study day that had begun."""
    day = datetime.datetime.fromtimestamp(instant, zoneinfo.ZoneInfo(clock.zone)).date() + 2 * DAY
    while day_start(day, clock) > instant:
        day -= DAY
    return day


@functools.lru_cache(maxsize=100_000)
def parts(started, ended, clock):
    """How many seconds of an interval lie in each study day: {day: seconds}."""
    found = {}
    day = datetime.datetime.fromtimestamp(started, datetime.timezone.utc).date() - 3 * DAY
    while (begins := day_start(day, clock)) < ended:
        seconds = min(ended, day_start(day + DAY, clock)) - max(started, begins)
        if seconds > 0:
            found[day] = seconds
        day += DAY
    return found


def month_of(day):
    return day.replace(day=1)


def next_month(month):
    return (month + 31 * DAY).replace(day=1)


def month_ends(month, clock):
    return day_start(next_month(month), clock)


@functools.lru_cache(maxsize=None)
def month_closes(month, clock):
    return month_ends(month, clock) + 48 * 3600


def period_of(kind, day):
    """The days [first, until) of the day, week or month that a day lies in."""
    if kind == "day":
        return day, day + DAY
    if kind == "week":
        monday = day - day.weekday() * DAY
        return monday, monday + 7 * DAY
    return month_of(day), next_month(month_of(day))


def days(first, until):
    while first < until:
        yield first
        first += DAY


def utc(instant):
    """An instant for the database."""
    return datetime.datetime.fromtimestamp(instant, datetime.timezone.utc)
