"""Weeks of random study in nine parts of the world: whatever is done, the database decides and counts like the model.

In each world a handful of users with clocks of their own share groups with rules of their own, around a night on which
some clocks change and a month that ends. Every call's verdict is compared at once, all totals again and again.
"""

import datetime
import itertools
import random
import uuid

import pytest

import study_model as model
from schema import Refused
from study_clock import Clock, day_of, day_start, month_of, period_of, utc

WORLDS = {
    "Asia/Seoul": "2026-10-20",
    "America/New_York": "2026-02-20",
    "America/Toronto": "2026-10-18",
    "Europe/London": "2026-03-18",
    "Asia/Kathmandu": "2026-05-20",
    "Australia/Lord_Howe": "2026-03-20",
    "Pacific/Apia": "2011-12-18",
    "Africa/Casablanca": "2026-02-05",
    "America/Santiago": "2026-03-22",
}
INTERVALS = 2250  # tried in each world


class World:
    def __init__(self, schema, zone, start):
        self.schema, self.zone = schema, zone
        self.chance = random.Random(f"{zone} {start}")
        self.now = int(datetime.datetime.fromisoformat(start + "T00:00:00+00:00").timestamp())
        schema.set_clock(self.now)
        self.intervals = 0
        self.users = [self.new_user() for _ in range(6)]
        self.groups = []
        for n in range(3):
            self.found_group(self.users[n])

    # Chance

    def clock(self):
        zone = self.chance.choice([self.zone] * 3 + list(WORLDS))
        return Clock(zone, datetime.time(self.chance.choice([0, 3, 5, 5, 5, 11]), self.chance.choice([0, 0, 0, 30])))

    def rules(self):
        return model.Rules(self.clock(), self.chance.choice([57600, 7200, 1800]), self.chance.random() < 0.7)

    def length(self):
        return self.chance.choice([1, 60, 600, 1500, 3600, self.chance.randrange(1, 14 * 3600)])

    def pick(self, user, states):
        found = [s for s in user.sessions if s.state in states]
        return self.chance.choice(found) if found else None

    # Calling

    def agree(self, sql, values, predicted):
        """Calls the database; its verdict must be the model's. The rows, or nothing if both refused."""
        try:
            rows, verdict = self.schema.rows(sql, *values), None
        except Refused as refused:
            rows, verdict = None, str(refused)
        assert verdict == predicted, f"{utc(self.now)}: {sql} {values}"
        return rows

    def attempt(self, user, change):
        """What the model says to a change; a refused one leaves no trace in it."""
        goals, sessions, intervals = dict(user.goals), list(user.sessions), [list(s.intervals) for s in user.sessions]
        states = [(s, s.state) for s in user.sessions]
        retracted = [(i, i.retracted) for s in user.sessions for i in s.intervals]
        try:
            change()
        except Refused as refused:
            user.goals, user.sessions = goals, sessions
            for session, kept in zip(sessions, intervals):
                session.intervals = kept
            for session, state in states:
                session.state = state
            for i, was in retracted:
                i.retracted = was
            return str(refused)

    def remember(self, session):
        """Takes over the ids that the database gave to a session's intervals."""
        rows = self.schema.rows(
            "SELECT interval_id, extract(epoch FROM started_at)::bigint FROM study_intervals"
            " WHERE session_id = %s AND retracted_at IS NULL",
            session.id,
        )
        ids = {started: interval_id for interval_id, started in rows}
        for i in session.live():
            i.id = ids[i.started]

    def new_user(self):
        clock, goal = self.clock(), self.chance.choice([3600, 14400])
        return model.User(self.schema.user(clock.zone, clock.starts, goal), clock, goal)

    # Study

    def stretch(self):
        self.intervals += 1
        age = self.chance.choice([0, 0, 1, 3, 10, 30, 47, 49, 60, 100])
        began = self.now - age * 3600 - self.chance.randrange(5400)
        ended = began + self.length()
        if self.chance.random() < 0.1:  # at the end of a day, or at now
            ended = self.chance.choice([self.now + 60, self.now + 61, self.now, day_start(day_of(began, self.clock()), self.clock())])
        return began, ended

    def record(self, user, source="manual", count=1):
        stretches = [self.stretch() for _ in range(count)]
        if source == "import":
            ago = self.chance.randrange(40 * 86400)
            stretches = [(began - ago, ended - ago) for began, ended in stretches]
        session = model.Session("finished", source, uuid.UUID(int=self.chance.getrandbits(128)))

        def change():
            user.sessions.append(session)
            for began, ended in stretches:
                user.add(session, began, ended, source, self.now)

        predicted = self.attempt(user, change)
        values = (user.uid, session.id, [utc(b) for b, _ in stretches], [utc(e) for _, e in stretches], source)
        rows = self.agree("SELECT * FROM record_session(%s, %s, %s::timestamptz[], %s::timestamptz[], %s)", values, predicted)
        if rows:
            assert rows == [(session.id, True)]
            self.remember(session)
            if self.chance.random() < 0.1:  # sent twice
                again = self.agree("SELECT * FROM record_session(%s, %s, %s::timestamptz[], %s::timestamptz[], %s)", values, None)
                assert again == [(session.id, False)]

    def import_old(self, user):
        self.record(user, "import")

    def record_several(self, user):
        self.record(user, count=self.chance.randrange(2, 4))

    def retract(self, user):
        found = [i for i in user.intervals() if i.ended is not None and i.session.state in ("finished", "unconfirmed")]
        if found:
            i = self.chance.choice(found)

            def change():
                user.retract([i], self.now)
                i.session.state = "finished" if i.session.live() else "discarded"

            self.agree("SELECT retract_interval(%s, %s)", (user.uid, i.id), self.attempt(user, change))

    def retract_session(self, user):
        if session := self.pick(user, ["finished", "unconfirmed", "paused"]):

            def change():
                if session.state == "paused":
                    raise Refused("timer_still_running")
                user.retract(session.live(), self.now)
                session.state = "discarded"

            self.agree("SELECT retract_session(%s, %s)", (user.uid, session.id), self.attempt(user, change))

    def change_session(self, user):
        if session := self.pick(user, ["finished"]):
            old = session.live()
            if old and self.chance.random() < 0.5:  # a little shorter than it was
                began, ended = old[0].started + self.chance.randrange(30), old[0].ended - self.chance.randrange(30)
            else:
                began, ended = self.stretch()

            def change():
                user.retract(old, self.now)
                source = session.source
                if source == "timer" and not any(
                    i.source == "timer" and i.started <= began and ended <= i.ended for i in old
                ):
                    source = "manual"
                user.add(session, began, ended, source, self.now)

            if self.agree(
                "SELECT change_session(%s, %s, %s::timestamptz[], %s::timestamptz[])",
                (user.uid, session.id, [utc(began)], [utc(ended)]), self.attempt(user, change),
            ):  # fmt: skip
                self.remember(session)

    def confirm(self, user):
        if session := self.pick(user, ["unconfirmed"]):
            old = next(i for i in session.live() if i.unconfirmed)
            stopped = old.started + self.chance.choice([0, 1, 3600, 12 * 3600, 12 * 3600 + 1, self.length()])

            def change():
                if stopped <= old.started:
                    raise Refused("empty_interval")
                if stopped > old.ended:
                    raise Refused("too_long")
                old.retracted = True
                new = model.Interval(session, old.started, stopped, "timer", old.clock, self.now)
                session.intervals.append(new)
                session.state = "finished"
                user.write_days(new)

            if self.agree(
                "SELECT confirm_session(%s, %s, %s)", (user.uid, session.id, utc(stopped)), self.attempt(user, change)
            ):
                self.remember(session)

    # The timer

    def start(self, user):
        started = user.timer() is None
        rows = self.agree("SELECT started, state, session_id, elapsed_seconds FROM start_timer(%s)", (user.uid,), None)
        if started:
            session = model.Session("running", "timer", rows[0][2])
            user.sessions.append(session)
            self.begin(user, session)
        assert rows == [(started, user.timer().state, user.timer().id, self.elapsed(user.timer()))]

    def begin(self, user, session):
        self.intervals += 1
        session.state = "running"
        session.intervals.append(model.Interval(session, self.now, None, "timer", user.clock, self.now))
        self.remember(session)

    def finish(self, user):
        """The running interval ends now; one of no length never was."""
        if i := user.running():
            if i.started >= self.now:
                i.session.intervals.remove(i)
            else:
                i.ended = self.now
                user.write_days(i)

    def elapsed(self, session):
        return sum((i.ended or self.now) - i.started for i in session.live())

    def pause(self, user):
        session = user.timer()
        if session and session.state == "running":
            self.finish(user)
            session.state = "paused"
            rows = self.agree("SELECT state, elapsed_seconds FROM pause_timer(%s)", (user.uid,), None)
            assert rows == [("paused", self.elapsed(session))]
        else:
            self.agree("SELECT pause_timer(%s)", (user.uid,), "timer_not_running")

    def resume(self, user):
        session = user.timer()
        if session and session.state == "paused":
            rows = self.agree("SELECT state, elapsed_seconds FROM resume_timer(%s)", (user.uid,), None)
            self.begin(user, session)
            assert rows == [("running", self.elapsed(session))]
        else:
            self.agree("SELECT resume_timer(%s)", (user.uid,), "timer_not_paused")

    def stop(self, user):
        session = user.timer()
        if session is None:
            return
        day = day_of(self.now, user.clock)
        before = user.study_days().get(day, 0)
        self.finish(user)
        session.state = "finished"
        after = user.study_days().get(day, 0)
        goal = user.goals.get(day, user.goal)
        rows = self.agree(
            "SELECT session_id, state, seconds, day, study_seconds, goal_seconds, earned_study FROM stop_timer(%s)",
            (user.uid,), None,
        )  # fmt: skip
        assert rows == [(session.id, "finished", self.elapsed(session), day, after, goal, before < goal <= after)]

    def cancel(self, user):
        if session := user.timer():

            def change():
                self.finish(user)
                user.retract(session.live(), self.now)
                session.state = "discarded"

            i, ended = user.running(), None
            predicted = self.attempt(user, change)
            if predicted and i:
                i.ended = ended
            self.agree("SELECT cancel_timer(%s)", (user.uid,), predicted)

    # Choices and groups

    def move(self, user):
        user.clock = self.clock()
        self.agree("SELECT set_study_clock(%s, %s, %s)", (user.uid, *user.clock), None)

    def aim(self, user):
        user.goal = self.chance.choice([600, 3600, 7200])
        today = day_of(self.now, user.clock)
        user.goals = {day: user.goal if day >= today else goal for day, goal in user.goals.items()}
        self.agree("SELECT set_daily_goal(%s, %s)", (user.uid, user.goal), None)

    def go_global(self, user):
        wanted = self.chance.random() < 0.7
        if wanted:
            user.cover(model.GLOBAL, datetime.date.min, model.FAR, self.now)
        else:
            user.uncover(model.GLOBAL, model.GLOBAL.first_open_month(self.now))
        self.agree("SELECT set_global_board(%s, %s)", (user.uid, wanted), None)

    def found_group(self, owner):
        rules = self.rules()
        group_id = self.schema.value(
            "SELECT create_group(%s, 'G', '', %s, %s, %s, %s)", owner.uid, *rules.clock, rules.cap, rules.manual_counts
        )
        group = model.Group(group_id, [(rules.first_open_month(self.now), rules)])
        code = f"code of {group_id}"
        self.schema.rows("SELECT create_invitation(%s, %s, %s, NULL, 365)", owner.uid, group_id, code)
        self.groups.append(group)
        self.enter(owner, group)

    def enter(self, user, group):
        group.stays.append([user, self.now, None])
        model.renew(user, self.groups, [r for _, r in group.rules], self.now)

    def join_or_leave(self, user):
        group = self.chance.choice(self.groups)
        owner = group.stays[0][0]
        if user is owner:
            self.agree("SELECT remove_member(%s, %s, %s)", (user.uid, group.id, user.uid), "last_owner")
        elif user in group.members():
            self.agree("SELECT accept_invitation(%s, %s)", (user.uid, f"code of {group.id}"), "already_member")
            stay = next(s for s in group.stays if s[0] is user and s[2] is None)
            if stay[1] < self.now:
                stay[2] = self.now
            else:
                group.stays.remove(stay)
            model.renew(user, self.groups, [r for _, r in group.rules], self.now)
            self.agree("SELECT remove_member(%s, %s, %s)", (owner.uid, group.id, user.uid), None)
        else:
            self.enter(user, group)
            self.agree("SELECT accept_invitation(%s, %s)", (user.uid, f"code of {group.id}"), None)

    def other_rules(self, _):
        group, rules = self.chance.choice(self.groups), self.rules()
        model.change_rules(group, rules, self.groups, self.now)
        self.agree(
            "SELECT change_group_rules(%s, %s, %s, %s, %s, %s)",
            (group.stays[0][0].uid, group.id, *rules.clock, rules.cap, rules.manual_counts), None,
        )  # fmt: skip

    # A step, and what must be true after it

    ACTIONS = [
        (record, 44), (import_old, 3), (record_several, 5), (retract, 6), (retract_session, 3), (change_session, 5), (confirm, 3),
        (start, 12), (pause, 5), (resume, 5), (stop, 6), (cancel, 1), (move, 1), (aim, 1), (go_global, 1), (join_or_leave, 2),
        (other_rules, 0.3),
    ]  # fmt: skip

    def step(self):
        self.now += self.chance.choice([0, 1, 59, 300, 900, 1800, 3600])
        if self.chance.random() < 0.004:
            self.now += 13 * 3600
        self.schema.set_clock(self.now)
        for user in self.users:
            user.settle(self.now)
        [action] = self.chance.choices([a for a, _ in self.ACTIONS], [w for _, w in self.ACTIONS])
        action(self, self.chance.choice(self.users))

    def compare_totals(self):
        kept = self.schema.rows("SELECT uid, day, study_seconds, goal_seconds FROM study_days")
        assert {(uid, day): (s, g) for uid, day, s, g in kept} == {
            (u.uid, day): (seconds, u.goals[day]) for u in self.users for day, seconds in u.study_days().items()
        }
        days, months = {}, {}
        for user in self.users:
            for rules in user.covered:
                for day, (seconds, manual) in user.day_totals(rules).items():
                    key, counted = (user.uid, rules, day), rules.counted(seconds, manual)
                    days[key] = (seconds, manual, counted)
                    before = months.get((user.uid, rules, month_of(day)), (0, 0))
                    months[user.uid, rules, month_of(day)] = (before[0] + counted, before[1] + rules.counted_manual(seconds, manual))
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
        reader = self.chance.choice(group.members())
        board = [(rank, user.uid, *rest) for rank, user, *rest in group.board(kind, day, self.now)]
        told = f"{utc(self.now)} {kind} of {day}"

        def page(*cursor, size=50):
            return self.schema.rows(
                "SELECT section, rank, uid, seconds, manual_seconds, studying, change, participants, gap_to_next_seconds, more"
                " FROM board(%s, %s, %s, %s, %s, %s, %s, %s)",
                reader.uid, group.id, kind, day if asked else None, *(cursor or (None, None, None)), size,
            )  # fmt: skip

        rows = page()
        assert [row[1:7] for row in rows if row[0] == "top"] == board, told
        assert all(row[7] == len(board) and not row[9] for row in rows), told
        place = next((n for n, entry in enumerate(board) if entry[1] == reader.uid), None)
        mine = [row for row in rows if row[0] == "me"]
        if place is None:
            assert not mine, told
        else:
            higher = [entry[2] for entry in board if entry[2] > board[place][2]]
            gap = min(higher) - board[place][2] if higher else None
            assert [(*row[1:7], row[8]) for row in mine] == [(*board[place], gap)], told
            around = board[max(0, place - 3) : place] + board[place + 1 : place + 4]
            assert [row[1:7] for row in rows if row[0] == "neighbour"] == around, told

        walked, cursor = [], ()
        while True:
            top = [row for row in page(*cursor, size=2) if row[0] == "top"]
            walked += [row[1:7] for row in top]
            if not top or not top[-1][9]:
                break
            cursor = (utc(self.now), top[-1][3], top[-1][2])
        assert walked == board, told

    def compare_today(self):
        user = self.chance.choice(self.users)
        day = day_of(self.now, user.clock)
        kept, live = user.study_days(), {}
        if i := user.running():
            live = model.parts(i.started, self.now, i.clock)
        yesterday = day - datetime.timedelta(days=1)
        assert self.schema.rows(
            "SELECT day, study_seconds, goal_seconds, yesterday_seconds, total_seconds FROM study_today(%s)", user.uid
        ) == [(
            day, kept.get(day, 0) + live.get(day, 0), user.goals.get(day, user.goal),
            kept.get(yesterday, 0) + live.get(yesterday, 0), sum(kept.values()) + sum(live.values()),
        )]  # fmt: skip
        session = user.timer()
        expected = ("idle", None, 0) if session is None else (session.state, session.id, self.elapsed(session))
        assert self.schema.rows("SELECT state, session_id, elapsed_seconds FROM timer_state(%s)", user.uid) == [expected]


@pytest.mark.parametrize("zone", WORLDS)
def test_weeks_of_random_study_are_decided_and_counted_like_the_model(schema, zone):
    world = World(schema, zone, WORLDS[zone])
    for step in itertools.count():
        world.step()
        if step % 20 == 0:
            world.compare_today()
        if step % 40 == 0:
            world.compare_boards()
        if step % 400 == 0:
            world.compare_totals()
        if world.intervals >= INTERVALS:
            break
    world.compare_totals()
    schema.rows("SELECT end_overdue_timers()")
    assert schema.maintenance("check.sql") == []
