"""What Anthill must say about days, by brute force: goals that were, pictures, ants, streaks and the rhythm of study."""

import datetime
import zoneinfo

from study_clock import DAY, day_of, day_start, days, month_of, next_month, parts


class Days:
    """A user's part in days: what they aimed at and when, their rest days, wake-ups, and what was announced."""

    def aim(self, goal, now):
        self.aims.append((day_of(now, self.clock), goal))

    def goal_of(self, day):
        """The last goal that was set while that day was today or yet to come."""
        return [goal for since, goal in self.aims if since <= day][-1]

    def live(self, now):
        i = self.running()
        return parts(i.started, now, i.clock) if i else {}

    def seconds(self, now):
        """{day: seconds}, the running timer included."""
        total = self.study_days()
        for day, seconds in self.live(now).items():
            total[day] = total.get(day, 0) + seconds
        return total

    def has_ant(self, day, recorded=None):
        recorded = self.study_days() if recorded is None else recorded
        return recorded.get(day, 0) >= self.goal_of(day)

    def calendar(self, first, until, now):
        """The rows of study_calendar."""
        recorded, total = self.study_days(), self.seconds(now)
        for day in days(first, until):
            ant, woke = self.has_ant(day, recorded), day in self.wake_ups
            seconds = total.get(day, 0)
            yield (day, seconds, self.goal_of(day), picture(seconds), woke, ant, woke and ant, day in self.rests)

    def streaks(self, now):
        """The streak that goes on and the longest, by walking through every day there was."""
        recorded, today = self.study_days(), day_of(now, self.clock)
        run = longest = 0
        for day in days(min(recorded, default=today), today + DAY):
            if self.has_ant(day, recorded):
                run += 1
            elif day not in self.rests and day != today and day_start(day, self.clock) < day_start(day + DAY, self.clock):
                run = 0
            longest = max(longest, run)
        return run, longest

    def today(self, now):
        """The row of study_today."""
        day = day_of(now, self.clock)
        month = month_of(day)
        rows = list(self.calendar(month, next_month(month), now))
        [(_, seconds, goal, grown, woke, ant, perfect, rest)] = self.calendar(day, day + DAY, now)
        total = self.seconds(now)
        return (
            day, seconds, goal, grown, woke, ant, perfect, day in self.announced, rest, total.get(day - DAY, 0),
            sum(row[3] == "tree" for row in rows), sum(row[6] for row in rows), *self.streaks(now), sum(total.values()),
        )  # fmt: skip

    def earned(self, session):
        """Whether a day has its ant thanks to that session, and whether one of these is perfect."""
        own = {}
        for i in session.live():
            for day, seconds in parts(i.started, i.ended, i.clock).items():
                own[day] = own.get(day, 0) + seconds
        recorded = self.study_days()
        days = [d for d, s in own.items() if recorded[d] - s < self.goal_of(d) <= recorded[d]]
        return bool(days), any(day in self.wake_ups for day in days)

    def rhythm(self, first, last):
        """Seconds of the seven weekdays and the 24 hours, minute by minute."""
        weekdays, hours = [0] * 7, [0] * 24
        for i in self.intervals():
            if not i.counts() or i.ended < day_start(first - 2 * DAY, i.clock) or i.started > day_start(last + 3 * DAY, i.clock):
                continue
            zone, at = zoneinfo.ZoneInfo(i.clock.zone), i.started
            while at < i.ended:
                until = min(i.ended, at - at % 60 + 60)
                if first <= (day := day_of(at, i.clock)) <= last:
                    weekdays[day.weekday()] += until - at
                    hours[datetime.datetime.fromtimestamp(at, zone).hour] += until - at
                at = until
        return weekdays, hours


def picture(seconds):
    """By whole minutes: seed to 200, sprout to 410, apple to 511, a tree from 512."""
    minutes = seconds // 60
    return next((name for name, most in (("seed", 200), ("sprout", 410), ("apple", 511)) if minutes <= most), "tree")
