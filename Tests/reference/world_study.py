"""What the people of a world do with their study: by hand, and with the timer."""

import uuid

import study_model as model
from schema import Refused
from study_clock import day_of, day_start, utc


class ByHand:
    def stretch(self, user):
        self.intervals += 1
        age = self.chance.choice([0, 0, 1, 3, 10, 30, 47, 49, 60, 100])
        began = self.now - age * 3600 - self.chance.randrange(5400)
        ended = began + self.length()
        if self.chance.random() < 0.1:  # at the end of a day, or at now
            boundary = day_start(day_of(began, user.clock), user.clock)
            ended = self.chance.choice([self.now + 60, self.now + 61, self.now, boundary])
        return began, ended

    def record(self, user, source="manual", count=1):
        stretches = [self.stretch(user) for _ in range(count)]
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
        sql = "SELECT * FROM record_session(%s, %s, %s::timestamptz[], %s::timestamptz[], %s)"
        rows = self.agree(sql, values, predicted)
        if rows:
            assert rows == [(session.id, True)]
            self.remember(session)
            if self.chance.random() < 0.1:  # sent twice
                assert self.agree(sql, values, None) == [(session.id, False)]

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
                left = i.session.live()
                if not left:
                    i.session.state = "discarded"
                elif not any(j.unconfirmed for j in left):
                    i.session.state = "finished"

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
                began, ended = self.stretch(user)

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


class ByTimer:
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
