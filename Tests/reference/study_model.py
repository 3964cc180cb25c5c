"""What Anthill must answer, by brute force: users with intervals, groups with rules, totals counted from scratch."""

import datetime
import itertools
from dataclasses import dataclass, field

from days_model import Days
from schema import Refused
from study_clock import (
    Clock,
    day_of,
    day_start,
    days,
    month_closes,
    month_ends,
    month_of,
    next_month,
    parts,
    period_of,
)  # fmt: skip

HOUR = 3600
DAY = datetime.timedelta(days=1)
FAR = datetime.date(2100, 1, 1)


@dataclass(frozen=True)
class Rules:
    clock: Clock
    cap: int
    manual_counts: bool
    is_global: bool = False

    def counted(self, seconds, manual):
        return min(self.cap, seconds if self.manual_counts else seconds - manual)

    def counted_manual(self, seconds, manual):
        return self.counted(seconds, manual) - min(self.cap, seconds - manual)

    def first_open_month(self, now):
        month = month_of(day_of(now, self.clock))
        before = month_of(month - datetime.timedelta(days=1))
        return before if now < month_closes(before, self.clock) else month


GLOBAL = Rules(Clock("Asia/Seoul", datetime.time(5)), 57600, False, True)


@dataclass
class Interval:
    session: object
    started: int
    ended: int | None
    source: str
    clock: Clock
    recorded: int
    unconfirmed: bool = False
    retracted: bool = False
    id: object = None

    def counts(self):
        return self.ended is not None and not self.unconfirmed and not self.retracted

    def until(self):
        return self.ended if self.ended is not None else 10**12


@dataclass
class Session:
    state: str
    source: str
    id: object = None
    intervals: list = field(default_factory=list)

    def live(self):
        return sorted((i for i in self.intervals if not i.retracted), key=lambda i: i.started)


@dataclass(eq=False)
class User(Days):
    uid: object
    clock: Clock
    aims: list  # [(the day that was today, the goal set on it)] in the order of setting
    sessions: list = field(default_factory=list)
    written: set = field(default_factory=set)  # each day that ever had a second
    rests: set = field(default_factory=set)
    wake_ups: set = field(default_factory=set)
    announced: set = field(default_factory=set)
    covered: dict = field(default_factory=dict)  # the months [from, until) counted under each rules
    wants_global: bool = False
    kept_off: tuple = None  # off the service's own boards: until when, and the id of the suspension

    def intervals(self):
        return [i for s in self.sessions for i in s.intervals if not i.retracted]

    def timer(self):
        return next((s for s in self.sessions if s.state in ("running", "paused")), None)

    def running(self):
        return next((i for i in self.intervals() if i.ended is None), None)

    def settle(self, now):
        """A timer that has run for 12 h ended there, and waits for its owner."""
        i = self.running()
        if i and i.started + 12 * HOUR <= now:
            i.ended, i.unconfirmed, i.session.state = i.started + 12 * HOUR, True, "unconfirmed"

    # What a change does

    def write_days(self, i):
        self.written = self.written | set(parts(i.started, i.ended, i.clock))

    def closed_for(self, i, now, at_recording=False):
        """Whether a board that counts the interval has closed a month of it."""
        return i.source != "import" and any(
            month_closes(month_of(day), rules.clock) <= now and (at_recording or i.recorded < month_closes(month_of(day), rules.clock))
            for rules in self.covered
            for day in parts(i.started, i.ended, rules.clock)
            if self.is_covered(rules, month_of(day))
        )

    def add(self, session, started, ended, source, now):
        if started >= ended:
            raise Refused("empty_interval")
        cut = min(ended, now)
        if ended > now + 60 or started >= cut:
            raise Refused("in_the_future")
        if cut - started > 12 * HOUR:
            raise Refused("too_long")
        i = Interval(session, started, cut, source, self.clock, now)
        if source != "import" and started < now - 48 * HOUR:
            raise Refused("month_closed" if self.closed_for(i, now, at_recording=True) else "too_old")
        return self.place(i)

    def place(self, i):
        session = i.session
        taken = [j for j in self.intervals() if j.started < i.ended and i.started < j.until()]
        if taken:
            raise Refused("unconfirmed_timer" if any(j.unconfirmed for j in taken) else "study_intervals_no_overlap")
        session.intervals.append(i)
        self.write_days(i)
        return i

    def retract(self, intervals, now):
        if any(not i.unconfirmed and self.closed_for(i, now) for i in intervals):
            raise Refused("month_closed")
        for i in intervals:
            i.retracted = True

    def owned(self, session, now):
        """Whether the session is its owner's to change, or what forbids it."""
        if session.state == "discarded":
            raise Refused("session_not_found")
        if session.state in ("running", "paused"):
            raise Refused("timer_still_running")
        live = session.live()
        if session.source == "import" or session.state == "unconfirmed" or not live:
            return
        if max(i.ended for i in live) < now - 48 * HOUR:
            final = any(self.closed_for(i, now, at_recording=True) for i in live)
            raise Refused("month_closed" if final else "session_too_old")

    def change(self, session, stretches, now):
        """Other times for a session, second by second."""
        self.owned(session, now)
        if session.state == "unconfirmed":
            raise Refused("unconfirmed_timer")
        old = session.live()
        timed = {s for i in old if i.source == "timer" for s in range(i.started, i.ended)}
        had = {s for i in old for s in range(i.started, i.ended)}
        wanted, pieces = set(), []
        for started, ended in stretches:
            if started >= ended:
                raise Refused("empty_interval")
            cut = min(ended, now)
            if ended > now + 60 or started >= cut:
                raise Refused("in_the_future")
            if cut - started > 12 * HOUR:
                raise Refused("too_long")
            seconds = range(started, cut)
            if session.source != "import" and any(s not in had for s in range(started, min(cut, now - 48 * HOUR))):
                whole = Interval(session, started, cut, session.source, self.clock, now)
                raise Refused("month_closed" if self.closed_for(whole, now, at_recording=True) else "too_old")
            if not wanted.isdisjoint(seconds):
                raise Refused("study_intervals_no_overlap")
            wanted.update(seconds)
            by_hand = "manual" if session.source == "timer" else session.source
            for is_timed, group in itertools.groupby(seconds, lambda s: s in timed):
                group = list(group)
                pieces.append((group[0], group[-1] + 1, "timer" if is_timed else by_hand))
        kept = [i for i in old if (i.started, i.ended, i.source) in pieces]
        self.retract([i for i in old if i not in kept], now)
        for started, ended, source in pieces:
            if not any((i.started, i.ended, i.source) == (started, ended, source) for i in kept):
                self.place(Interval(session, started, ended, source, self.clock, now))

    def moved(self, session, began, ended):
        """The stretches of a session that begins or ends at other instants: its breaks stay."""
        live = session.live()
        began = live[0].started if began is None else began
        ended = live[-1].ended if ended is None else ended
        inside = [(max(i.started, began), min(i.ended, ended)) for i in live if i.started < ended and began < i.ended]
        if not inside:
            return [(began, ended)]
        inside[0] = (began, inside[0][1])
        inside[-1] = (inside[-1][0], ended)
        return inside

    # Under which rules the user is counted

    def is_covered(self, rules, month):
        return any(first <= month < until for first, until in self.covered.get(rules, []))

    def cover(self, rules, first, until, now):
        first = max(first, rules.first_open_month(now))
        if first < until:
            self.covered.setdefault(rules, []).append((first, until))

    def follow_global(self, now):
        """On the global board is who wants to be, unless a site admin keeps them off."""
        if self.wants_global and not self.kept_off:
            self.cover(GLOBAL, datetime.date.min, FAR, now)
        else:
            self.uncover(GLOBAL, GLOBAL.first_open_month(now))

    def uncover(self, rules, month):
        kept = [(first, min(until, month)) for first, until in self.covered.get(rules, [])]
        self.covered[rules] = [(first, until) for first, until in kept if first < until]

    # What the totals must be

    def study_days(self):
        total = dict.fromkeys(self.written, 0)
        for i in self.intervals():
            if i.counts():
                for day, seconds in parts(i.started, i.ended, i.clock).items():
                    total[day] += seconds
        return total

    def day_totals(self, rules, live_until=None):
        """{day: (seconds, manual)} under rules, in the months covered; with the running interval up to an instant."""
        total = {}
        for i in self.intervals():
            ended = i.ended if i.counts() else live_until if i.ended is None else None
            if ended is None or i.source == "import" or ended <= i.started:
                continue
            for day, seconds in parts(i.started, ended, rules.clock).items():
                month = month_of(day)
                if self.is_covered(rules, month) and i.recorded < month_closes(month, rules.clock):
                    before, manual = total.get(day, (0, 0))
                    total[day] = (before + seconds, manual + (seconds if i.source == "manual" else 0))
        return total


@dataclass(eq=False)
class Group:
    id: object
    rules: list  # [(from_month, Rules)]
    stays: list = field(default_factory=list)  # [[user, joined, left]]
    hidden: set = field(default_factory=set)
    suspensions: list = field(default_factory=list)  # [[user, since, until, id]]

    def members(self):
        return [user for user, _, left in self.stays if left is None]

    def rules_in(self, month):
        return max((r for r in self.rules if r[0] <= month), default=min(self.rules), key=lambda r: r[0])[1]

    def rules_now(self, now):
        begun = [r for r in self.rules if day_start(r[0], r[1].clock) <= now]
        return max(begun or self.rules[:1], key=lambda r: r[0])[1]

    def ranges(self):
        for (first, rules), (until, _) in itertools.pairwise(self.rules + [(FAR, None)]):
            yield rules, first, until

    def present(self, ends, now):
        """Who belongs on the board of a period, and since when: joined before its end, not left before its end or now."""
        return {
            user: joined for user, joined, left in self.stays
            if joined < ends and (left is None or ends <= now and left >= ends)
        }  # fmt: skip

    def without_few_hidden(self, found):
        """What a mean that others see is over: those who hide only where three of them studied."""
        hidden = [user for user, seconds in found.items() if user in self.hidden and seconds > 0]
        return {user: seconds for user, seconds in found.items() if len(hidden) >= 3 or user not in self.hidden}

    def suspension_of(self, user, at):
        return next((s for s in self.suspensions if s[0] is user and s[1] <= at < s[2]), None)

    def scores(self, first, until, now):
        """{user: {day: (seconds, manual)}} of what counts, and the instant the period ends."""
        clock = self.rules_in(month_of(until - datetime.timedelta(days=1))).clock
        ends = day_start(until, clock)
        # Who is kept off a board that is closed was decided by the last second before that.
        decided = min(now, month_closes(month_of(until - datetime.timedelta(days=1)), clock) - 1)
        found = {}
        for user, joined in self.present(ends, now).items():
            if self.suspension_of(user, decided):
                continue
            totals, found[user] = {}, {}
            for day in days(first, until):
                rules = self.rules_in(month_of(day))
                if rules not in totals:
                    totals[rules] = user.day_totals(rules, live_until=now)
                of_day = totals[rules].get(day, (0, 0))
                if joined >= month_closes(month_of(day), rules.clock):
                    of_day = 0, 0  # closed before they came
                found[user][day] = rules.counted(*of_day), rules.counted_manual(*of_day)
        return found, ends

    def timed(self, month, now):
        """{user: timer seconds that count} of a month that is not closed, as far as they are recorded; else nothing."""
        rules = self.rules_in(month)
        ends = day_start(next_month(month), rules.clock)
        if not day_start(month, rules.clock) <= now < month_closes(month, rules.clock):
            return {}
        found = {}
        for user in self.present(ends, now):
            if not self.suspension_of(user, now) and not user.kept_off:
                of_month = [total for day, total in user.day_totals(rules).items() if month_of(day) == month]
                found[user] = sum(min(rules.cap, seconds - manual) for seconds, manual in of_month)
        return self.without_few_hidden(found)

    def together(self, now):
        """What all who do not hide have on the board of the month under way, and how many of them study."""
        month = month_of(self.day(now))
        scores, _ = self.scores(month, next_month(month), now)
        sums = {user: sum(seconds for seconds, _ in of.values()) for user, of in scores.items() if user not in self.hidden}
        return sum(sums.values()), sum(user.running() is not None for user in sums)

    def day(self, now):
        """The study day; between two clocks the last one of the month that has ended."""
        day = day_of(now, self.rules_now(now).clock)
        return day if day_start(day, self.rules_in(month_of(day)).clock) <= now else month_of(day) - DAY

    def today(self, first, until, now):
        """The study day of a board; in a week of two clocks the first month's days are the first one's."""
        turn = month_of(until - datetime.timedelta(days=1))
        today = day_of(now, self.rules_in(turn).clock)
        if first < turn and today < turn:
            today = min(day_of(now, self.rules_in(month_of(first)).clock), turn - datetime.timedelta(days=1))
        return today

    def clock_changes(self, kind, day):
        """[(begin, end, how they count)] of the hours between two clocks from the first to the last instant of a period."""
        first, until = period_of(kind, day)
        found = []
        for begun in days(first, until + DAY):
            ended = day_start(begun, self.rules_in(month_of(begun - DAY)).clock)
            begins = day_start(begun, self.rules_in(month_of(begun)).clock)
            if ended != begins:
                found.append((min(ended, begins), max(ended, begins), "neither" if ended < begins else "both"))
        return found

    def board(self, kind, day, now, order="seconds"):
        """The whole board in order, [(rank, uid, seconds, manual, studying, change, permille, days met)], and its days."""
        first, until = period_of(kind, day)
        scores, ends = self.scores(first, until, now)
        early = self.rules_in(month_of(first)).clock
        today = self.today(first, until, now)
        begun = list(days(first, min(until, today + datetime.timedelta(days=1))))

        def efforts(user, counted, among):
            goals = {day: user.goal_of(day) for day in among}
            permille = sum(counted.values()) * 1000 // sum(goals.values()) if goals else 0
            return permille, sum(counted[day] >= goal for day, goal in goals.items())

        def number(user, counted, among):
            if order == "seconds":
                return sum(counted.values())
            return efforts(user, counted, among)[order == "consistency"]

        def numbers(scores, among, without=None):
            return {
                user: number(user, {day: seconds for day, (seconds, _) in of.items() if day != without}, among)
                for user, of in scores.items()
            }

        def rank(of, among):
            return 1 + sum(other > of for other in among)

        before = {}
        if day_start(first, early) <= now < ends:
            if today > first:
                morning = day_start(today, self.rules_in(month_of(today)).clock)
                joined = self.present(ends, now)
                there = {user: of for user, of in scores.items() if joined[user] < morning}
                before = numbers(there, begun[:-1], without=today)
            else:
                last_first, last_until = period_of(kind, first - datetime.timedelta(days=1))
                last, _ = self.scores(last_first, last_until, now)
                before = numbers(last, list(days(last_first, last_until)))

        now_numbers = numbers(scores, begun)
        entries = []
        for user, of in scores.items():
            counted = {day: seconds for day, (seconds, _) in of.items()}
            mine = now_numbers[user]
            now_rank = rank(mine, now_numbers.values())
            change = rank(before[user], before.values()) - now_rank if user in before else None
            effort = (None, None) if order == "seconds" else efforts(user, counted, begun)
            seconds, manual = sum(counted.values()), sum(manual for _, manual in of.values())
            entry = (now_rank, user, seconds, manual, now < ends and user.running() is not None, change, *effort)
            entries.append((mine, user not in self.hidden, user.uid, entry))
        ordered = [entry for *_, entry in sorted(entries, key=lambda e: e[:3], reverse=True)]
        return ordered, None if order == "seconds" else len(begun)


def renew(user, groups, touched, now):
    """Counts a user under what their memberships say, as far as these rules are touched."""
    for rules in set(touched):
        user.uncover(rules, next_month(month_of(day_of(now, rules.clock))))
    for group in groups:
        if user in group.members():
            for rules, first, until in group.ranges():
                if rules in touched:
                    user.cover(rules, first, until, now)


def change_rules(group, rules, groups, now):
    """Other rules from next month on, or from the one after if less than 48 h are left of this one."""
    present = group.rules_now(now).clock
    month = month_of(day_of(now, present))
    begins = next_month(month)
    if month_ends(month, present) - 48 * HOUR < now:
        begins = next_month(begins)
    touched = [r for _, r in group.rules] + [rules]
    group.rules = [r for r in group.rules if r[0] < begins]
    if group.rules_in(begins) != rules:
        group.rules.append((begins, rules))
    for user in group.members():
        renew(user, groups, touched, now)
