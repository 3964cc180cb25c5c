"""What the people of a world do about their days, and what they must then read of them."""

import datetime
import zoneinfo

from schema import Refused
from study_clock import DAY, day_of, days, month_of, next_month


class ByDay:
    def aim(self, user):
        goal = self.chance.choice([60, 600, 3600, 7200])
        user.aim(goal, self.now)
        self.agree("SELECT set_daily_goal(%s, %s)", (user.uid, goal), None)

    def plan_rest(self, user):
        today = day_of(self.now, user.clock)
        day = today + self.chance.choice([-1, 0, 0, 1, 1, 2, 3, 5, 8, 366, 367]) * DAY

        def change():
            if day < today:
                raise Refused("not_in_the_future")
            if day > today + 366 * DAY:
                raise Refused("too_far_ahead")
            if len([other for other in user.rests - {day} if month_of(other) == month_of(day)]) == 2:
                raise Refused("too_many_rest_days")
            user.rests = user.rests | {day}

        self.agree("SELECT plan_rest_day(%s, %s)", (user.uid, day), self.attempt(user, change))

    def cancel_rest(self, user):
        if user.rests:
            day = self.chance.choice(sorted(user.rests))

            def change():
                if day < day_of(self.now, user.clock):
                    raise Refused("not_in_the_future")
                user.rests = user.rests - {day}

            self.agree("SELECT cancel_rest_day(%s, %s)", (user.uid, day), self.attempt(user, change))

    def wake_up(self, user):
        """As if an alarm had been answered now."""
        day = datetime.datetime.fromtimestamp(self.now, zoneinfo.ZoneInfo(user.clock.zone)).date()
        user.wake_ups.add(day)
        self.schema.connection.execute(
            "WITH ant AS (INSERT INTO wake_ups (uid, day) VALUES (%s, %s) ON CONFLICT DO NOTHING RETURNING *)"
            " INSERT INTO wake_up_challenges (uid, day, ring, puzzle, answer, asked_at, expires_at, solved_at)"
            " SELECT uid, day, 0, '{}', 0, earned_at, earned_at, earned_at FROM ant",
            [user.uid, day],
        )

    def announce(self, user):
        today = day_of(self.now, user.clock)
        day = self.chance.choice([None, today, today - DAY, today - 2 * DAY, today + DAY])
        verdict = (
            "not_today" if day not in (None, today, today - DAY)
            else "already_announced" if (day or today) in user.announced
            else None
        )  # fmt: skip
        if verdict is None:
            user.announced.add(day or today)
        self.agree("SELECT announce_perfect(%s, %s)", (user.uid, day), verdict)

    def compare_today(self, user):
        assert self.schema.rows(
            "SELECT day, study_seconds, goal_seconds, growth, wake_up, study, perfect, perfect_announced, rest,"
            " yesterday_seconds, month_trees, month_perfect, current_streak, longest_streak, total_seconds"
            " FROM study_today(%s)", user.uid,
        ) == [user.today(self.now)]  # fmt: skip

    def compare_month(self, user):
        month = month_of(day_of(self.now, user.clock) - self.chance.choice([0, 0, 15, 40]) * DAY)
        rows = self.schema.rows("SELECT * FROM study_calendar(%s, %s, %s)", user.uid, month, next_month(month))
        assert sorted(rows) == list(user.calendar(month, next_month(month), self.now))
        assert [row[0] for row in sorted(rows)] == list(days(month, next_month(month)))

    def compare_rhythm(self, user):
        last = day_of(self.now, user.clock)
        first = last - self.chance.randrange(30) * DAY
        [(weekdays, hours)] = self.schema.rows("SELECT weekdays, hours FROM study_rhythm(%s, %s, %s)", user.uid, first, last)
        assert (weekdays, hours) == user.rhythm(first, last)
        kept = user.study_days()
        assert sum(weekdays) == sum(hours) == sum(kept.get(day, 0) for day in days(first, last + DAY))
