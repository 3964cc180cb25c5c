"""What the people of a world do with their study: by hand, and with the timer."""

import json
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
                user.owned(session, self.now)
                user.retract(session.live(), self.now)
                session.state = "discarded"

            self.agree("SELECT withdraw_session(%s, %s)", (user.uid, session.id), self.attempt(user, change))

    def change_session(self, user):
        """Other times as a list: as they were, a little shorter, longer, or elsewhere."""
        if not (session := self.pick(user, ["finished"] * 3 + ["unconfirmed", "paused", "discarded"])):
            return
        stretches = []
        for i in session.live() or [None]:
            kind = self.chance.choice(["same", "shorter", "longer", "elsewhere"]) if i and i.ended else "elsewhere"
            if kind == "same":
                stretches.append((i.started, i.ended))
            elif kind == "shorter":
                stretches.append((i.started + self.chance.randrange(30), i.ended - self.chance.randrange(30)))
            elif kind == "longer":
                stretches.append((i.started - self.chance.randrange(600), i.ended + self.chance.randrange(600)))
            else:
                stretches.append(self.stretch(user))
        predicted = self.attempt(user, lambda: user.change(session, stretches, self.now))
        if self.agree(
            "SELECT change_session(%s, %s, %s::timestamptz[], %s::timestamptz[])",
            (user.uid, session.id, [utc(b) for b, _ in stretches], [utc(e) for _, e in stretches]), predicted,
        ):  # fmt: skip
            self.remember(session)

    def move_session(self, user):
        """Another begin, another end, or both."""
        session = self.pick(user, ["finished"])
        if session is None or not session.live():
            return
        first, last = session.live()[0].started, session.live()[-1].ended
        began = self.chance.choice([None, first, first + self.chance.randrange(-3600, 3600)])
        ended = self.chance.choice([None, last, last + self.chance.randrange(-3600, 3600), self.now + 30])

        def change():
            user.owned(session, self.now)
            user.change(session, user.moved(session, began, ended), self.now)

        if self.agree(
            "SELECT move_session(%s, %s, %s::timestamptz, %s::timestamptz)",
            (user.uid, session.id, began and utc(began), ended and utc(ended)), self.attempt(user, change),
        ):  # fmt: skip
            self.remember(session)

    def send_batch(self, user):
        """A few sessions at once: new ones, ones that were sent before, the same twice, and wrong ones between them."""
        drafts = []
        for _ in range(self.chance.randrange(1, 6)):
            known = [s for s in user.sessions if s.id] if self.chance.random() < 0.3 else []
            if drafts and self.chance.random() < 0.1:
                drafts.append(self.chance.choice(drafts))
            else:
                source = self.chance.choice(["manual"] * 4 + ["import"])
                stretches = [self.stretch(user) for _ in range(self.chance.choice([1, 1, 2]))]
                id = self.chance.choice(known).id if known else uuid.UUID(int=self.chance.getrandbits(128))
                drafts.append((id, stretches, source))
        verdicts = []
        for id, stretches, source in drafts:
            before = next((s for s in user.sessions if s.id == id), None)
            if before:
                verdicts.append((id, False, "session_retracted" if before.state == "discarded" else None, None))
                continue
            session = model.Session("finished", source, id)

            def change():
                user.sessions.append(session)
                for began, ended in stretches:
                    user.add(session, began, ended, source, self.now)

            refused, way = self.attempt(user, change), None
            if refused == "study_intervals_no_overlap":
                taken = [(i.started, i.until()) for i in user.intervals()]
                for began, ended in stretches:  # the first that meets another names the earliest that it meets
                    if met := [start for start, end in taken if start < ended and began < end]:
                        way = min(met)
                        break
                    taken.append((began, ended))
            verdicts.append((id, refused is None, refused, way))
        sent = [
            {
                "session_id": str(id), "started": [str(utc(b)) for b, _ in stretches],
                "ended": [str(utc(e)) for _, e in stretches], "source": source,
            }
            for id, stretches, source in drafts
        ]  # fmt: skip
        rows = self.agree(
            "SELECT session_id, created, refused_by, CASE WHEN refused_by = 'study_intervals_no_overlap' THEN"
            " extract(epoch FROM (facts::jsonb->>'started_at')::timestamptz)::bigint END FROM record_sessions(%s, %s)",
            (user.uid, json.dumps(sent)), None,
        )  # fmt: skip
        assert rows == verdicts, f"{utc(self.now)}: {sent}"
        for session in user.sessions:
            if session.live() and any(i.id is None for i in session.live()):
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

            if self.agree("SELECT confirm_session(%s, %s, %s)", (user.uid, session.id, utc(stopped)), self.attempt(user, change)):
                self.remember(session)


class ByTimer:
    def start(self, user):
        started = user.timer() is None
        told = self.agree("SELECT started, session_id FROM start_timer(%s)", (user.uid,), None)
        if started:
            session = model.Session("running", "timer", told[0][1])
            user.sessions.append(session)
            self.begin(user, session)
        assert told == [(started, user.timer().id)]
        rows = self.schema.rows("SELECT state, session_id, elapsed_seconds FROM timer_state(%s)", user.uid)
        assert rows == [(user.timer().state, user.timer().id, self.elapsed(user.timer()))]

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
        self.finish(user)
        session.state = "finished"
        assert self.agree("SELECT * FROM stop_timer(%s)", (user.uid,), None) == [(session.id, *user.earned(session))]
        details = self.schema.rows("SELECT state, seconds FROM session_details(%s, %s)", user.uid, session.id)
        assert details == [("finished", self.elapsed(session))]
        today = self.schema.rows("SELECT day, study_seconds, goal_seconds FROM study_today(%s)", user.uid)
        assert today == [(day, user.study_days().get(day, 0), user.goal_of(day))]

    def stop_earlier(self, user):
        """The device that stopped or paused it was offline: the server learns of it now."""
        session, i = user.timer(), user.running()
        if session is None:
            return
        ago = self.chance.choice([-61, -60, 0, 1, self.chance.randrange(7200), self.now - i.started if i else 60])
        stopped = self.now - ago
        pauses = self.chance.random() < 0.5

        def change():
            if stopped > self.now + 60:
                raise Refused("in_the_future")
            if i and stopped < i.started:
                raise Refused("empty_interval")
            session.state = "paused" if pauses else "finished"
            if i and i.started == self.now:
                session.intervals.remove(i)
            elif i:
                i.ended, i.retracted = self.now, True
                if stopped > i.started:
                    new = model.Interval(session, i.started, min(stopped, self.now), "timer", i.clock, self.now)
                    session.intervals.append(new)
                    user.write_days(new)

        values = (user.uid, session.id, utc(stopped), pauses)
        if self.agree("SELECT confirm_session(%s, %s, %s, %s)", values, self.attempt(user, change)):
            self.remember(session)

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
