"""The measurements, part by part. Each part returns its rows of the two tables of bench.md."""

import asyncio
import dataclasses
import pathlib
import time
from statistics import median

import clients
import people
import statements
from database import CONNECTIONS, filled, replay
from service import Service, run


@dataclasses.dataclass
class Bench:
    """What all parts use."""

    database: object
    service: Service
    groups: dict  # of the service's people, by size
    seconds: int  # of each run
    rounds: int
    sizes: list  # of the global board

    def turns(self, part):
        for turn in range(self.rounds):
            print(f"{part}: round {turn + 1} of {self.rounds}", flush=True)
            yield turn


class Rate:
    """Requests per second, compared with their limit in the same rounds: statements of pgbench, or a static file."""

    def __init__(self, name, beside="pgbench", least=None):
        self.name, self.beside, self.least = name, beside, least
        self.runs, self.others = [], []

    def add(self, run, other=None):
        self.runs.append(run)
        if other is not None:
            self.others.append(other)

    def row(self):
        speed, unchanged, *cpu = (median(getattr(run, of) for run in self.runs) for of in ("speed", "unchanged", "cpu", "database"))
        cpu = f"| {cpu[0]:,.0f} | {cpu[1]:,.0f} |"
        name = self.name + (f", {unchanged:.0f} % by 304" if unchanged else "")
        if not self.others:
            return f"| {name} | {speed:,.0f} | | | {cpu}"
        ratio = median(run.speed / other for run, other in zip(self.runs, self.others))
        return (
            f"| {name} | {speed:,.0f} | {median(self.others):,.0f} {self.beside} | {ratio:.2f} "
            f"| {verdict('≥', self.least, ratio, '.2f')} {cpu}"
        )


@dataclasses.dataclass
class Value:
    """Any other figure: the text to show, and the number in it that must not exceed `most`."""

    name: str
    words: str
    number: float = 0
    most: float | None = None
    unit: str = ""

    def row(self):
        return f"| {self.name} | {self.words} | {verdict('≤', self.most, self.number, 'g', self.unit)} |"


def verdict(sign, bound, number, form, unit=""):
    if bound is None:
        return ""
    good = number >= bound if sign == "≥" else number <= bound
    return f"{sign} {bound:{form}}{unit}: {'yes' if good else '**no**'}"


def stamp(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def in_log(seconds):
    """An instant as PostgreSQL's log writes it."""
    return time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(seconds))


def boards(bench):
    """Group boards: a different one each time, the same one each time, and unchanged ones for clients that have the last answer."""
    static = [Rate("static route"), Rate("static route, unchanged")]
    who = Rate("only find out who asks", "static")
    fresh = Rate("group board, 20 members, a different one each time", least=0.65)
    hot, again, paths, scripts = {}, {}, {}, {}
    for size, group in bench.groups.items():
        paths[size] = f"/groups/{group}/leaderboard"
        name = f"group board, {size:,} members, the same one each time"
        hot[size] = [Rate(name), Rate(name, "static", 0.5)]
        again[size] = Rate(f"group board, {size:,} members, unchanged", "static, unchanged", 0.5)
        ask = lambda: bench.service.call("GET", paths[size], person=1)  # noqa: E731
        scripts[size] = replay(bench.database.statements(ask, *statements.BOARD))
    small = people.small_boards()
    owner = next(iter(small))
    script = replay(
        bench.database.statements(lambda: bench.service.call("GET", small[owner].removeprefix("/api/v1"), person=owner), *statements.BOARD),
        [(people.uid(people.FIRST_SMALL), f"bench_uid({people.FIRST_SMALL} + :n)")],
        f"\\set n random(0, {2 * people.SMALL - 1})",
    )
    for _ in bench.turns("boards"):
        plain = bench.service.load(bench.seconds, "read.lua", "/css/tokens.css")
        unchanged = bench.service.load(bench.seconds, "again.lua", "/css/tokens.css")
        static[0].add(plain)
        static[1].add(unchanged)
        # HEAD of this stream only finds out who asks.
        who.add(bench.service.load(bench.seconds, "read.lua", "/api/v1/leaderboard/stream", range(1, 21), "HEAD"), plain.speed)
        fresh.add(bench.service.load(bench.seconds, "read.lua", "/", small), bench.database.limit(bench.seconds, script))
        for size, path in paths.items():
            # A machine changes from one minute to the next: each board has a static route right before it.
            plain = bench.service.load(bench.seconds, "read.lua", "/css/tokens.css")
            run = bench.service.load(bench.seconds, "read.lua", f"/api/v1{path}", range(1, 21))
            for rate, beside in zip(hot[size], (bench.database.limit(bench.seconds, scripts[size]), plain.speed)):
                rate.add(run, beside)
            unchanged = bench.service.load(bench.seconds, "again.lua", "/css/tokens.css")
            again[size].add(bench.service.load(bench.seconds, "again.lua", f"/api/v1{path}", range(1, 3)), unchanged.speed)
    return [*static, who, fresh, *(rate for size in paths for rate in [*hot[size], again[size]])]


RECORDERS = range(1, 129)


def recording(database, service, person, first):
    """A script for pgbench: what is stated for one recorded session, for people of its own. `i` begins at any even number;
    `first` is the second from which sessions are recorded."""
    session = "00000000-0000-4000-8000-00000000be7c"
    body = {"id": session, "started_at": stamp(first - 60), "ended_at": stamp(first - 59)}
    ask = lambda: service.call("POST", "/me/sessions", body, person=person)  # noqa: E731
    return replay(
        database.statements(ask, *statements.LOG_SESSION),
        [
            (people.uid(person), f"bench_uid({people.HALF + 1} + :client_id)"),
            (session, "md5(:client_id || '-' || :i)::uuid"),
            (in_log(first - 60), "ARRAY[to_timestamp(:first::bigint + :i::bigint)]"),
            (in_log(first - 59), "ARRAY[to_timestamp(:first::bigint + :i::bigint + 1)]"),
        ],
        prelude="\\set i :i + 2",
    )


def study(bench):
    """Today, the calendar, and logging a session."""
    reads = {
        "/me/today": (Rate("today, with a year of days"), statements.TODAY),
        f"/me/days?month={time.strftime('%Y-%m')}": (Rate("a month of the calendar, with a year of days"), statements.CALENDAR_MONTH),
    }
    scripts = {
        path: replay(bench.database.statements(lambda: bench.service.call("GET", path, person=1), *functions))
        for path, (_, functions) in reads.items()
    }

    first = int(time.time()) - 47 * 3600
    script = recording(bench.database, bench.service, RECORDERS[-1], first)
    record = Rate("log a session, with all totals", least=0.8)

    for turn in bench.turns("study"):
        for path, (rate, _) in reads.items():
            rate.add(
                bench.service.load(bench.seconds, "read.lua", f"/api/v1{path}", range(1, people.WITH_A_YEAR + 1)),
                bench.database.limit(bench.seconds, scripts[path]),
            )
        # Each round continues where the last one ended. A person logs far fewer than 6,000 sessions in a round.
        record.add(
            bench.service.load(bench.seconds, "record.lua", "/api/v1/me/sessions", RECORDERS, first + turn * 2 * 6000),
            bench.database.limit(bench.seconds, script, i=turn * 2 * 20000, first=first),
        )
    return [*(rate for rate, _ in reads.values()), record]


def folding(bench):
    """Timers of people on the global board, while the service folds the changes into its counters."""
    each = (people.HALF - people.OFF_GLOBAL_BOARD) // CONNECTIONS
    first = people.HALF + people.OFF_GLOBAL_BOARD + 1
    timers = range(people.OFF_GLOBAL_BOARD + 1, people.HALF + 1)
    bench.database.sql(people.RUN_ON)
    # Some timers began in this second, and a timer that ran for less than a second records nothing.
    time.sleep(1.1)
    pause, resume = (
        filled(
            bench.database.statements(lambda: bench.service.call("POST", f"/me/timer/{what}", {}, person=timers[0]), *functions)[0],
            [(people.uid(timers[0]), "bench_uid(:person)")],
        )
        for what, functions in (("pause", statements.PAUSE_TIMER), ("resume", statements.RESUME_TIMER))
    )
    whose = "\\set person :first + :client_id * :each + mod(:n, :each)"
    script = f"\\set n :n + 1\n{whose}\n\\if mod(:n / :each, 2) = 0\n{pause}\n\\else\n{resume}\n\\endif\n"
    rate = Rate("pause and resume a timer on the global board, while changes are folded", least=0.8)
    changes = "SELECT n_tup_del FROM pg_stat_user_tables WHERE relname = 'rank_deltas'"
    before, folded = int(bench.database.sql(changes)[0]), []
    for _ in bench.turns("folding"):
        # The row is about timers, not about signing in: the sign-ins of all are in memory, as those of people are who look
        # at a page. What pgbench changed has just pushed them out.
        bench.service.load(2, "read.lua", "/api/v1/me/timer", timers)
        run = bench.service.load(bench.seconds, "timer.lua", "/api/v1/me/timer", timers)
        time.sleep(2)
        after = int(bench.database.sql(changes)[0])
        folded.append((after - before) / bench.seconds)
        bench.database.sql(people.RUN_ON)
        rate.add(run, bench.database.limit(bench.seconds, script, n=-1, first=first, each=each))
        bench.database.sql(people.RUN_ON)
        time.sleep(2)
        before = int(bench.database.sql(changes)[0])
    return [rate, Value("changes to the global board folded in that time", f"{median(folded):,.0f} a second")]


STREAMS = 3000


def streams(bench):
    """Live boards of one group: while nothing changes, and after one change."""
    return asyncio.run(live_boards(bench, 5000))


async def live_boards(bench, size):
    path = f"/groups/{bench.groups[size]}/leaderboard/stream"
    print(f"streams: {STREAMS:,} live boards", flush=True)
    service = Service(bench.database, bench.database.folder / "streams")
    service.call("GET", f"/groups/{bench.groups[size]}/leaderboard", person=1)
    quiet_seconds, rest_seconds = 20, 5
    memory, rest = service.memory(), service.cpu()
    await asyncio.sleep(rest_seconds)
    rest = (service.cpu() - rest) / rest_seconds

    began = time.monotonic()
    watchers = await clients.opened(service.port, [(f"/api/v1{path}", 1 + number % size) for number in range(STREAMS)])
    all_see = lambda boards: lambda: all(watcher.boards >= boards for watcher in watchers)  # noqa: E731
    if not await clients.until(all_see(1), 60):
        raise SystemExit("some live boards never came")
    opened = time.monotonic() - began
    memory = service.memory() - memory
    await asyncio.sleep(2)

    before = service.cpu(), bench.database.cpu()
    seen = sum(watcher.boards for watcher in watchers)
    await asyncio.sleep(quiet_seconds)
    quiet, in_postgres = ((after - then) / quiet_seconds * 100 for after, then in zip((service.cpu(), bench.database.cpu()), before))
    if sum(watcher.boards for watcher in watchers) != seen:
        raise SystemExit("boards came though nothing changed")

    # The first person on the board adds a minute, in an hour in which none of these people has studied.
    first = service.call("GET", f"/groups/{bench.groups[size]}/leaderboard", person=1)["entries"][0]["uid"]
    number = next(number for number in range(1, size + 1) if people.uid(number) == first)
    at = int(time.time()) - 30 * 3600
    boards, cpu, began = [watcher.boards for watcher in watchers], service.cpu(), time.monotonic()
    await asyncio.to_thread(service.call, "POST", "/me/sessions", {"started_at": stamp(at), "ended_at": stamp(at + 60)}, person=number)
    if not await clients.until(lambda: all(w.boards > b for w, b in zip(watchers, boards)), 120):
        missing = sum(w.boards == b for w, b in zip(watchers, boards))
        raise SystemExit(f"a change did not reach {missing} of the live boards")
    later = sorted(watcher.board_at - began for watcher in watchers)
    cpu = service.cpu() - cpu
    for watcher in watchers:
        watcher.transport.close()
    service.stop()
    return [
        Value(
            f"{STREAMS:,} live boards of {size:,} members while nothing changes, the service's CPU",
            f"{quiet:.1f} % of one core ({rest * 100:.1f} % without them); PostgreSQL {in_postgres:.1f} %",
            quiet,
            5,
            " %",
        ),
        Value("memory for them", f"{memory:.0f} MB, {memory * 1024 / STREAMS:.0f} kB each"),
        Value("opening them, first board included", f"{opened:.1f} s"),
        Value(
            "from a change until all have it",
            f"half of them after {median(later):.1f} s, all after {later[-1]:.1f} s; {cpu:.1f} s of the service's CPU",
        ),
    ]


WEB = pathlib.Path(__file__).parents[2] / "Sources/AnthillServer/Web"
READERS = 1000
RUNNING = (5_000, 50_000)


def board_of(database, size):
    """Fills the global board, and signs in some of its people and, as number 0, a reader who is not on it."""
    database.migrate()
    run(database, "demo", "--users", str(size))
    database.sql(f"""
        CREATE TABLE bench_readers AS SELECT uid, row_number() OVER () AS n FROM (SELECT uid FROM users ORDER BY uid LIMIT {READERS}) u;
        ALTER TABLE bench_readers ADD PRIMARY KEY (n);
        GRANT SELECT ON bench_readers TO anthill_service;
        INSERT INTO users (uid, nickname) VALUES ('{people.uid(0)}', 'reader')""")
    readers = dict(enumerate(database.sql("SELECT uid FROM bench_readers ORDER BY n"), 1))
    people.sign_in(database, readers | {0: people.uid(0)})


def everyone(bench):
    """The global board at several sizes, each in a database of its own."""
    databases = {size: bench.database.another(f"everyone_{size}") for size in bench.sizes}
    for size, database in databases.items():
        began = time.monotonic()
        board_of(database, size)
        database.sql("VACUUM ANALYZE")
        print(f"everyone: {size:,} people in {time.monotonic() - began:.0f} s", flush=True)

    largest, smallest = max(bench.sizes), min(bench.sizes)
    among = databases[largest]
    service = Service(among, bench.database.folder / "everyone")
    asked = {  # the first by somebody who is not on the board, the second by a thousand who are
        "top page of 50": ("/leaderboard", [0]),
        "one's exact rank and neighbours": ("/leaderboard?limit=1", range(1, READERS + 1)),
    }
    rates, values, pages = [], [], []
    for name, (path, readers) in asked.items():
        reader = readers[0]
        ask = lambda: service.call("GET", path, person=reader)  # noqa: E731
        if reader == 0:
            # The top is the same for everybody; the reader's own place is asked for beside it.
            script = replay(among.statements(ask, *statements.GLOBAL_TOP))
        else:
            uid = among.sql(f"SELECT uid FROM bench_readers WHERE n = {reader}")[0]
            own = among.statements(ask, *statements.GLOBAL_PLACE, having=uid)
            script = replay(own, [(uid, "(SELECT uid FROM bench_readers WHERE n = :r)")], f"\\set r random(1, {READERS})")
        pages.append((name, script))
        rate = Rate(f"global board of {largest:,}: {name}")
        speeds = {size: [] for size in bench.sizes}
        for _ in bench.turns(f"everyone, {name}"):
            for size, database in databases.items():
                speeds[size].append(database.limit(bench.seconds, script))
            rate.add(service.load(bench.seconds, "read.lua", f"/api/v1{path}", readers), speeds[largest][-1])
        rates.append(rate)
        times = ", ".join(f"{CONNECTIONS / median(speeds[size]) * 1000:.2f} ms among {size:,}" for size in bench.sizes)
        ratio = median(small / large for small, large in zip(speeds[smallest], speeds[largest]))
        values.append(
            Value(f"global board: {name}, PostgreSQL's time", f"{ratio:.2f} × ({times})", ratio, 2 if "rank" in name else None, " ×")
        )

    # The same top for everybody, beside a file that is hardly smaller.
    name, size = max(((file, file.stat().st_size) for file in WEB.rglob("*.js")), key=lambda file: (file[1] <= 15_000) * file[1])
    top = Rate(f"global board of {largest:,}: top page of 20", f"static file of {size / 1000:.0f} kB", 0.64)
    for _ in bench.turns("everyone, top page of 20"):
        plain = service.load(bench.seconds, "read.lua", f"/{name.relative_to(WEB)}", [0])
        top.add(service.load(bench.seconds, "read.lua", "/api/v1/leaderboard?limit=20", [0]), plain.speed)
    rates.append(top)

    # Running timers of others must not slow down a page.
    none = {name: median(among.limit(bench.seconds, script) for _ in range(bench.rounds)) for name, script in pages}
    for running in RUNNING:
        among.sql(f"""
            WITH sessions AS (
              INSERT INTO study_sessions (uid, state, source)
              SELECT u.uid, 'running', 'timer' FROM users u
              WHERE NOT EXISTS (SELECT FROM study_sessions s WHERE s.uid = u.uid AND s.state = 'running')
              LIMIT {running} - (SELECT count(*) FROM study_intervals WHERE ended_at IS NULL)
              RETURNING uid, session_id)
            INSERT INTO study_intervals (uid, session_id, started_at, source, time_zone, day_starts_at, recorded_at)
              SELECT uid, session_id, date_trunc('second', anthill_clock()), 'timer', 'UTC', '05:00', anthill_clock()
              FROM sessions;
            ANALYZE""")
        for name, script in pages:
            ratio = none[name] / median(among.limit(bench.seconds, script) for _ in range(bench.rounds))
            values.append(
                Value(
                    f"global board: {name}, PostgreSQL's time while {running:,} of {largest:,} study",
                    f"{ratio:.2f} × of nobody",
                    ratio,
                    1.1,
                    " ×",
                )
            )
    service.stop()
    return rates + values


IDLE = 10_000


def rest(bench):
    """Starting, and keeping idle connections open."""
    print(f"rest: starting, and {IDLE:,} idle connections", flush=True)
    service = Service(bench.database, bench.database.folder / "rest")
    starts = []
    for _ in range(max(5, bench.rounds)):
        service.stop()
        starts.append(service.start() * 1000)
    memory = service.memory()

    async def idle():
        await clients.opened(service.port, [("/healthz", 1)] * IDLE)
        return service.memory()

    held = asyncio.run(idle())
    service.stop()
    return [
        Value("from start to the first answer to a signed-in user", f"{median(starts):.0f} ms", median(starts), 300, " ms"),
        Value(f"memory with {IDLE:,} idle connections", f"{held:.0f} MB, {memory:.0f} without them", held, 64, " MB"),
    ]


PARTS = {part.__name__: part for part in (boards, study, folding, streams, everyone, rest)}
