"""Weeks of random study in nine parts of the world: whatever is done, the database decides and counts like the model.

In each world a handful of users with clocks of their own share groups with rules of their own, and are suspended from
their boards and from the global board now and then. Every call's verdict is compared at once; totals, boards with their
pages, days with their ants and streaks, again and again.
"""

import datetime
import itertools

import pytest
import study_model as model
from study_clock import DAY, Clock, day_of, day_start, days, month_of, period_of, utc
from world import WORLDS, World
from world_days import ByDay
from world_groups import Choices, Groups
from world_study import ByHand, ByTimer

INTERVALS = 2250  # tried in each world


class WholeWorld(ByHand, ByTimer, ByDay, Choices, Groups, World):
    def __init__(self, schema, zone, start):
        super().__init__(schema, zone, start)
        self.remembered = []
        for user in self.users[:3]:
            self.found_group(user)
        for group, user in itertools.product(self.groups[:2], self.users):
            if user not in group.members():
                self.enter(user, group)
                self.agree("SELECT accept_invitation(%s, %s)", (user.uid, f"code of {group.id}"), None)
        schema.connection.execute("UPDATE groups SET duel = true")
        self.admin = schema.user()
        schema.rows("SELECT make_site_admin(%s, 'the operator')", self.admin)

    ACTIONS = [
        (ByHand.record, 44), (ByHand.import_old, 3), (ByHand.record_several, 5), (ByHand.retract, 6),
        (ByHand.retract_session, 3), (ByHand.change_session, 5), (ByHand.confirm, 3),
        (ByHand.move_session, 5), (ByHand.send_batch, 3),
        (ByTimer.start, 12), (ByTimer.pause, 5), (ByTimer.resume, 5), (ByTimer.stop, 6), (ByTimer.cancel, 1),
        (ByTimer.stop_earlier, 3),
        (ByDay.aim, 1), (ByDay.plan_rest, 2), (ByDay.cancel_rest, 0.3), (ByDay.wake_up, 2), (ByDay.announce, 0.5),
        (Choices.move, 1), (Choices.go_global, 1), (Choices.keep_off_or_put_back, 0.7),
        (Groups.join_or_leave, 2), (Groups.hide_or_show, 1), (Groups.other_rules, 0.3),
        (Groups.suspend_or_lift, 1.5),
    ]  # fmt: skip

    def step(self):
        before = self.now
        self.now += self.chance.choice([0, 1, 59, 300, 900, 1800, 3600])
        if self.chance.random() < 0.004:
            self.now += 13 * 3600
        self.schema.set_clock(self.now)
        if self.now == before:  # what is still to happen in this second belongs to its board, too
            self.remembered = [memory for memory in self.remembered if memory[1] < before]
        for user in self.users:
            user.settle(self.now)
        self.put_back()
        [action] = self.chance.choices([a for a, _ in self.ACTIONS], [w for _, w in self.ACTIONS])
        action(self, self.chance.choice(self.users))

    COLUMNS = "rank, uid, seconds, manual_seconds, studying, change, goal_permille, days_met"
    ORDERS = ["seconds", "goal", "consistency"]
    looked_back = 0
    means = 0
    clock_changes = 0

    def compare_totals(self):
        kept = self.schema.rows("SELECT uid, day, study_seconds, goal_seconds FROM study_days")
        assert {(uid, day): (s, g) for uid, day, s, g in kept} == {
            (u.uid, day): (seconds, u.goal_of(day)) for u in self.users for day, seconds in u.study_days().items()
        }
        days, months = {}, {}
        for user in self.users:
            for rules in user.covered:
                for day, (seconds, manual) in user.day_totals(rules).items():
                    key, counted = (user.uid, rules, day), rules.counted(seconds, manual)
                    days[key] = (seconds, manual, counted)
                    month = user.uid, rules, month_of(day)
                    before, before_manual = months.get(month, (0, 0))
                    months[month] = (before + counted, before_manual + rules.counted_manual(seconds, manual))
        rules = {
            rules_id: model.Rules(Clock(zone, starts), cap, manual, is_global)
            for rules_id, zone, starts, cap, manual, is_global in self.schema.rows("SELECT * FROM ranking_rules")
        }
        kept = self.schema.rows("SELECT uid, rules_id, day, seconds, manual_seconds, counted_seconds FROM day_totals WHERE seconds > 0")
        assert {(uid, rules[r], day): tuple(total) for uid, r, day, *total in kept} == days
        kept = self.schema.rows("SELECT uid, rules_id, month, counted_seconds, manual_seconds FROM month_totals")
        kept = {(uid, rules[r], month): tuple(total) for uid, r, month, *total in kept}
        assert {key: total for key, total in kept.items() if any(total) or key in months} == months

    def compare_boards(self):
        group = self.chance.choice(self.groups)
        kind = self.chance.choice(["day", "week", "month"])
        asked = self.chance.choice([None, self.now, self.now - self.chance.randrange(45 * 86400)])
        day = day_of(asked or self.now, group.rules_now(self.now).clock)
        order = self.chance.choice(self.ORDERS)
        everyone, so_far = group.board(kind, day, self.now, order)
        told = f"{utc(self.now)} {kind} of {day} by {order}"
        rows = self.board(group, kind, day if asked else None, order)
        assert rows == [(rank, user.uid, *rest) for rank, user, *rest in everyone], told
        heading = "SELECT days, clock_changes FROM board(%s, %s, %s, sorting => %s) LIMIT 1"
        [(days_told, changes)] = self.schema.rows(heading, group.id, kind, day, order)
        assert days_told == so_far, told
        instant = lambda text: int(datetime.datetime.fromisoformat(text).timestamp())
        changes = [(instant(each["starts_at"]), instant(each["ends_at"]), each["counted"]) for each in changes or []]
        assert changes == group.clock_changes(kind, day), told
        self.clock_changes += len(changes)
        self.remembered.append(
            (group, self.now, kind, day, order, list(group.rules), self.goals(kind, day, self.now),
             self.board(group, kind, day, order))
        )  # fmt: skip
        for _ in range(2):
            self.compare_past()

    def board(self, group, kind, day, order, known_at=None):
        """Everybody's place; those who hide from each other are told apart by the program."""
        return self.schema.rows(
            f"SELECT {self.COLUMNS} FROM board(%s, %s, %s, known_at => %s, sorting => %s) WHERE uid IS NOT NULL",
            group.id, kind, day, known_at, order)  # fmt: skip

    def goals(self, kind, day, then):
        """Of the days of a period until then; a goal that is changed later the same day is another one."""
        begun = [day for day in days(*period_of(kind, day)) if day <= utc(then).date() + DAY]
        return [[user.goal_of(day) for day in begun] for user in self.users]

    def compare_groups(self):
        """What each group has studied together, and its mean beside the others' where five or more are on its board."""
        for group in self.groups:
            [together] = self.schema.rows("SELECT seconds, studying FROM group_sums(%s)", group.id)
            assert together == group.together(self.now), utc(self.now)
        while self.schema.value("SELECT renew_group_means('0 seconds', 2)"):
            pass
        kept = self.schema.rows("SELECT group_id, month, member_count, mean_seconds FROM group_means")
        kept = {(group_id, month): found for group_id, month, *found in kept}
        today = datetime.date.fromtimestamp(self.now)
        for group, month in itertools.product(self.groups, {month_of(today + datetime.timedelta(d)) for d in (-4, 0, 1)}):
            timed = group.timed(month, self.now)
            expected = [len(timed), sum(timed.values()) // len(timed)] if len(timed) >= 5 else None
            if timed:
                assert kept.get((group.id, month)) == expected, f"{utc(self.now)} {month}"
                self.means += bool(expected and expected[1])

    def compare_past(self):
        """A board of a past instant is the one of then, whatever was declared since for later months. (Goals are those of
        today's knowledge, and so is who hides, which decides between equals.)"""
        group, then, kind, day, order, rules, goals, rows = self.chance.choice(self.remembered)
        if order != "seconds" and self.goals(kind, day, then) != goals:
            return
        first, until = period_of(kind, day)
        changed = [rule for rule in group.rules if rule not in rules] + [rule for rule in rules if rule not in group.rules]
        if any(begins < until for begins, _ in changed) and then >= day_start(month_of(until - DAY), rules[-1][1].clock):
            return
        [(starts,)] = self.schema.rows("SELECT starts_at FROM group_period(%s, %s, %s)", group.id, kind, day)
        if starts.timestamp() <= then < self.now:
            again = self.board(group, kind, day, order, known_at=utc(then))
            by_place = lambda row: (row[0], row[1])
            assert sorted(again, key=by_place) == sorted(rows, key=by_place), (
                f"{utc(then)} {kind} of {day} by {order}, asked {utc(self.now)}"
            )
            self.looked_back += len(rows) > 1

    def compare_person(self, step):
        user = self.chance.choice(self.users)
        self.compare_today(user)
        if step % 60 == 0:
            self.compare_month(user)
        if step % 200 == 0:
            self.compare_rhythm(user)
        session = user.timer()
        expected = ("idle", None, 0) if session is None else (session.state, session.id, self.elapsed(session))
        assert self.schema.rows("SELECT state, session_id, elapsed_seconds FROM timer_state(%s)", user.uid) == [expected]


@pytest.mark.parametrize("zone", WORLDS)
def test_weeks_of_random_study_are_decided_and_counted_like_the_model(schema, zone):
    world = WholeWorld(schema, zone, WORLDS[zone])
    for step in itertools.count():
        world.step()
        if step % 20 == 0:
            world.compare_person(step)
        if step % 40 == 0:
            world.compare_boards()
            world.compare_groups()
        if step % 400 == 0:
            world.compare_totals()
            # Plans made for empty tables read whole ones; here nobody else comes and looks how they have grown.
            schema.connection.execute("ANALYZE study_sessions, study_intervals, study_days, day_totals, month_totals")
        if world.intervals >= INTERVALS:
            break
    assert world.looked_back >= 5
    assert world.clock_changes >= 1
    assert world.means >= 3
    world.compare_totals()
    schema.rows("SELECT end_overdue_timers()")
    assert schema.violations() == []
