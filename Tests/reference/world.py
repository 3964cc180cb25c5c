"""A world of random study: its people, its chance, and calls whose verdict must be the model's."""

import datetime
import random

import study_model as model
from schema import Refused
from study_clock import Clock, utc

# A zone, and a day from which weeks lead over a night on which some clocks change and a month that ends.
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


class World:
    def __init__(self, schema, zone, start):
        self.schema, self.zone = schema, zone
        self.chance = random.Random(f"{zone} {start}")
        self.now = int(datetime.datetime.fromisoformat(start + "T00:00:00+00:00").timestamp())
        schema.set_clock(self.now)
        self.intervals = 0
        self.users = [self.new_user() for _ in range(6)]
        self.groups = []

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
        written, sessions, intervals = user.written, list(user.sessions), [list(s.intervals) for s in user.sessions]
        states = [(s, s.state) for s in user.sessions]
        retracted = [(i, i.retracted) for s in user.sessions for i in s.intervals]
        try:
            change()
        except Refused as refused:
            user.written, user.sessions = written, sessions
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
        return model.User(self.schema.user(clock.zone, clock.starts, goal), clock, [(datetime.date.min, goal)])
