"""Weeks of random study in nine parts of the world: whatever is done, the database decides and counts like the model.

In each world a handful of users with clocks of their own share groups with rules of their own, and are suspended from
their boards now and then. Every call's verdict is compared at once; totals, boards with their pages, days with their
ants and streaks, again and again.
"""

import datetime
import itertools

import pytest

import study_model as model
from study_clock import DAY, Clock, day_of, days, month_of, period_of, utc
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

    ACTIONS = [
        (ByHand.record, 44), (ByHand.import_old, 3), (ByHand.record_several, 5), (ByHand.retract, 6),
        (ByHand.retract_session, 3), (ByHand.change_session, 5), (ByHand.confirm, 3),
        (ByHand.move_session, 5), (ByHand.send_batch, 3),
        (ByTimer.start, 12), (ByTimer.pause, 5), (ByTimer.resume, 5), (ByTimer.stop, 6), (ByTimer.cancel, 1),
        (ByDay.aim, 1), (ByDay.plan_rest, 2), (ByDay.cancel_rest, 0.3), (ByDay.wake_up, 2), (ByDay.announce, 0.5),
        (Choices.move, 1), (Choices.go_global, 1),
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
        [action] = self.chance.choices([a for a, _ in self.ACTIONS], [w for _, w in self.ACTIONS])
        action(self, self.chance.choice(self.users))

    COLUMNS = (
        "section, rank, uid, seconds, manual_seconds, studying, change, goal_permille, days_met,"
        " participants, gap_to_next, more, days"
    )
    SCORES = {"seconds": 2, "goal": 6, "consistency": 7}  # where an entry has what an order ranks by
    looked_back = 0
    means = 0

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
        kept = self.schema.rows(
            "SELECT uid, rules_id, day, seconds, manual_seconds, counted_seconds FROM day_totals WHERE seconds > 0"
        )
        assert {(uid, rules[r], day): tuple(total) for uid, r, day, *total in kept} == days
        kept = self.schema.rows("SELECT uid, rules_id, month, counted_seconds, manual_seconds FROM month_totals")
        kept = {(uid, rules[r], month): tuple(total) for uid, r, month, *total in kept}
        assert {key: total for key, total in kept.items() if any(total) or key in months} == months

    def compare_boards(self):
        group = self.chance.choice(self.groups)
        kind = self.chance.choice(["day", "week", "month"])
        asked = self.chance.choice([None, self.now, self.now - self.chance.randrange(45 * 86400)])
        day = day_of(asked or self.now, group.rules_now(self.now).clock)
        reader = self.chance.choice(group.members())
        order = self.chance.choice([*self.SCORES])
        everyone, so_far = group.board(kind, day, self.now, order)
        board = [
            (rank, user.uid, *rest) for rank, user, *rest in everyone if user is reader or user not in group.hidden
        ]
        told = f"{utc(self.now)} {kind} of {day} by {order}"

        def page(*cursor, size=50, at=None):
            return self.schema.rows(
                f"SELECT {self.COLUMNS} FROM board(%s, %s, %s, %s, %s, %s, %s, %s, sorting => %s)",
                reader.uid, group.id, kind, day if asked or cursor or at else None, *(cursor or (None, None, None)), size,
                order,
            )  # fmt: skip

        rows = page()
        assert [row[1:9] for row in rows if row[0] == "top"] == board, told
        assert all(row[9] == len(everyone) and not row[11] and row[12] == so_far for row in rows), told
        place = next((n for n, entry in enumerate(board) if entry[1] == reader.uid), None)
        mine = [row for row in rows if row[0] == "me"]
        if place is None:
            assert not mine, told
        else:
            score = board[place][self.SCORES[order]]
            higher = [entry[self.SCORES[order]] for entry in everyone if entry[self.SCORES[order]] > score]
            gap = min(higher) - score if higher else None
            assert [(*row[1:9], row[10]) for row in mine] == [(*board[place], gap)], told
            around = board[max(0, place - 3) : place] + board[place + 1 : place + 4]
            assert [row[1:9] for row in rows if row[0] == "neighbour"] == around, told
        self.compare_pages(page, board, self.SCORES[order], told)
        self.remembered.append(
            (group, self.now, kind, day, reader, order, list(group.rules), set(group.hidden),
             self.goals(kind, day, self.now), page(at=day))
        )  # fmt: skip
        for _ in range(2):
            self.compare_past()

    def goals(self, kind, day, then):
        """Of the days of a period until then; a goal that is changed later the same day is another one."""
        begun = [day for day in days(*period_of(kind, day)) if day <= utc(then).date() + DAY]
        return [[user.goal_of(day) for day in begun] for user in self.users]

    def compare_groups(self):
        """What each group has studied together, and its mean beside the others' where five or more are on its board."""
        for group in self.groups:
            [(together,)] = self.schema.rows("SELECT group_month_seconds(%s, group_rules_now(%s))", group.id, group.id)
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
        """A board of a past instant is the one of then. (Who is seen is as of today, and so are rules once declared, and
        goals.)"""
        group, then, kind, day, reader, order, rules, hidden, goals, rows = self.chance.choice(self.remembered)
        if group.rules != rules or group.hidden != hidden or reader not in group.members():
            return
        if order != "seconds" and self.goals(kind, day, then) != goals:
            return
        [(starts,)] = self.schema.rows(
            "SELECT starts_at FROM board_period(%s, %s, %s, %s)", reader.uid, group.id, kind, day)
        if starts.timestamp() <= then < self.now:
            again = self.schema.rows(
                f"SELECT {self.COLUMNS} FROM board(%s, %s, %s, %s, known_at => %s, sorting => %s)",
                reader.uid, group.id, kind, day, utc(then), order)  # fmt: skip
            assert again == rows, f"{utc(then)} {kind} of {day} by {order}, asked {utc(self.now)}"
            self.looked_back += len(rows) > 1

    def compare_pages(self, page, board, score, told):
        """Paging in twos finds everybody once, as they were at the first page's instant, while the clock goes on."""
        walked, cursor = [], ()
        while True:
            top = [row for row in page(*cursor, size=2) if row[0] == "top"]
            walked += [row[1:9] for row in top]
            if not top or not top[-1][11]:
                break
            cursor = (utc(self.now), walked[-1][score], walked[-1][1])
            self.schema.set_clock(self.now + 5)
        self.schema.set_clock(self.now)
        assert walked == board, told

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
    assert world.means >= 5
    world.compare_totals()
    schema.rows("SELECT end_overdue_timers()")
    assert schema.maintenance("check.sql") == []
