"""What one of everything costs: bytes on the disk, processor time, write-ahead log, memory. And which machines follow from
that for how many users. The tables go into docs/capacity.md."""

import asyncio
import dataclasses
import math
import pathlib
import re
import time
from statistics import median

import clients
import people
from service import CONNECTIONS, Service

PEOPLE, DAYS, SESSIONS_A_DAY = 600, 20, 3

# People of groups of 20, half of them on the global board, use the timer for some weeks: each start and each stop is a call
# and a commit of its own, one person after the other, so that rows come to lie where they do in life.
PREPARE = """
SELECT set_config('bench.now', (now() - interval '{days} days 12 hours')::text, false);
BEGIN;
CREATE FUNCTION bench_uid(n bigint) RETURNS uuid LANGUAGE sql IMMUTABLE RETURN md5('bench ' || n)::uuid;
CREATE OR REPLACE FUNCTION anthill_clock() RETURNS timestamptz LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = public, pg_temp AS
  $$ BEGIN RETURN date_trunc('second', coalesce(nullif(current_setting('bench.now', true), '')::timestamptz, clock_timestamp())); END $$;
INSERT INTO users (uid, nickname, locale) SELECT bench_uid(n), 'Ant ' || n, 'ko' FROM generate_series(1, {count}) n;
INSERT INTO user_emails (canonical, email, uid)
  SELECT format('ant-%s@bench.invalid', n), format('ant-%s@bench.invalid', n), bench_uid(n) FROM generate_series(1, {count}) n;
SELECT count(create_group(bench_uid(n), 'bench ' || n)) FROM generate_series(1, {count}, 20) n;
SELECT count(enter_group(bench_uid(n), m.group_id, 'member'))
  FROM generate_series(1, {count}) n JOIN group_members m ON m.uid = bench_uid((n - 1) / 20 * 20 + 1) WHERE (n - 1) % 20 > 0;
SELECT count(set_global_board(bench_uid(n), true)) FROM generate_series(1, {count}, 2) n;
COMMIT;
"""

# One sitting of everybody.
SITTING = """
SET synchronous_commit = off;
DO $$
DECLARE
  hour timestamptz := (SELECT max(created_at) FROM groups) + make_interval(days => {day}, hours => 4 * {sitting});
BEGIN
  FOR n IN 1..{count} LOOP
    PERFORM set_config('bench.now', (hour + make_interval(secs => n))::text, false);
    PERFORM start_timer(bench_uid(n));
    COMMIT;
    PERFORM set_config('bench.now', (hour + make_interval(secs => n + 1200 + n * 7919 % 7200))::text, false);
    PERFORM stop_timer(bench_uid(n));
    COMMIT;
  END LOOP;
  PERFORM fold_rank_deltas();
END $$;
"""

# What is kept: its words, the tables in which it has a row, and where to count it, unless that is the first of them.
KEPT = {
    "interval": (["study_intervals"], None),
    "session": (["study_sessions"], None),
    "day of study in the calendar": (["study_days"], None),
    "day of study, for each set of rules": (["day_totals"], None),
    "month of study, for each set of rules": (["month_totals"], None),
    "day of study on the global board": (["rank_totals"], "study_days JOIN users USING (uid) WHERE global_board"),
    "user": (["users", "students", "user_emails"], None),
    "membership": (["group_members", "group_membership_history"], None),
    "set of rules that somebody counts under": (["counted_under"], None),
    "sign-in": (["sign_ins"], None),
}


@dataclasses.dataclass
class Costs:
    bytes: dict  # of one of each kind that is kept
    log: float  # bytes of write-ahead log for a session by the timer
    log_whole: float  # and right after a checkpoint
    requests: dict  # (service, database) in microseconds, by request
    idle: float  # bytes of the service for an idle connection
    stream: float  # and for a live board
    backend: float  # bytes of PostgreSQL for one of the service's connections


def kept(database):
    """The table of bytes, and the sum for each kind."""
    lines, sums = [], {}
    for kind, (tables, counted) in KEPT.items():
        names = ", ".join(f"'{table}'::regclass" for table in tables)
        [figures] = database.sql(
            f"SELECT sum(pg_table_size(t)), sum(pg_indexes_size(t)), (SELECT count(*) FROM {counted or tables[0]}) FROM unnest(ARRAY[{names}]) t"
        )
        heap, indexes, count = map(int, figures.split("|"))
        sums[kind] = (heap + indexes) / count
        lines.append(f"| {kind} | {heap / count:.0f} | {indexes / count:.0f} | {sums[kind]:.0f} |")
    return "\n".join(["| one | its rows, bytes | their indexes | together |", "|---|---|---|---|", *lines]), sums


def live(bench):
    """Lets people live, and returns the table of bytes, the sums, and the write-ahead log of a session."""
    database = bench.database.another("life")
    database.migrate()
    began = time.monotonic()
    database.sql("CREATE EXTENSION pg_walinspect")
    database.sql(PREPARE.format(days=DAYS, count=PEOPLE))
    for day in range(DAYS):
        for sitting in range(SESSIONS_A_DAY):
            database.sql(SITTING.format(day=day, sitting=sitting, count=PEOPLE))
        database.sql("VACUUM")  # as PostgreSQL does by itself, when it has a day for a day
    # The write-ahead log of one more sitting, right after a checkpoint.
    [before] = database.sql("CHECKPOINT; SELECT pg_current_wal_insert_lsn()")
    database.sql(SITTING.format(day=DAYS, sitting=0, count=PEOPLE))
    database.sql("SELECT pg_logical_emit_message(true, 'bench', '')")  # its commit writes all before it to the disk
    [log] = database.sql(f"SELECT sum(record_size), sum(combined_size) FROM pg_get_wal_stats('{before}', pg_current_wal_flush_lsn())")
    log, whole = (float(size) / PEOPLE for size in log.split("|"))
    people.sign_in(database, {number: people.uid(number) for number in range(1, PEOPLE + 1)})
    database.sql("VACUUM ANALYZE")
    print(f"capacity: {PEOPLE * DAYS * SESSIONS_A_DAY:,} sessions in {time.monotonic() - began:.0f} s", flush=True)
    return *kept(database), log, whole


def requests(bench):
    """Processor time of one request, in the service and in PostgreSQL."""
    month, first = time.strftime("%Y-%m"), int(time.time()) - 40 * 3600
    recorders = range(200, 328)
    some = range(1, 21)
    runners = range(people.OFF_GLOBAL_BOARD + 1, people.HALF + 1)
    bench.database.sql(people.RUN_ON)
    time.sleep(1.1)
    loads = {
        "a page's file": lambda turn: ("read.lua", "/css/tokens.css"),
        "a group's board that has changed, 20 members": lambda turn: ("read.lua", "/", people.small_boards()),
        "a group's board that has not changed": lambda turn: ("read.lua", f"/api/v1/groups/{bench.groups[20]}/leaderboard", some),
        "today": lambda turn: ("read.lua", "/api/v1/me/today", some),
        "a month of the calendar": lambda turn: ("read.lua", f"/api/v1/me/days?month={month}", some),
        "the latest sessions": lambda turn: ("read.lua", "/api/v1/me/sessions", some),
        "the global board and one's own rank": lambda turn: ("read.lua", "/api/v1/leaderboard", range(501, 1501)),
        "a session logged by hand": lambda turn: ("record.lua", "/api/v1/me/sessions", recorders, first + turn * 12_000),
        "a timer paused or resumed": lambda turn: ("timer.lua", "/api/v1/me/timer", runners),
    }
    runs = {name: [] for name in loads}
    for turn in bench.turns("capacity"):
        for name, load in loads.items():
            script, path, *more = load(turn)
            runs[name].append(bench.service.load(bench.seconds, script, path, *more))
        time.sleep(2)  # what was under way at the end is done then
        bench.database.sql(people.RUN_ON)
    return {name: (median(run.cpu for run in of), median(run.database for run in of)) for name, of in runs.items()}


IDLE, STREAMS = 5000, 2000


def connections(bench):
    """Bytes of an idle connection, of a live board, and of one of PostgreSQL's processes that serve the service."""
    service = Service(bench.database, bench.database.folder / "connections")
    path = f"/groups/{bench.groups[people.HALF]}/leaderboard"
    service.call("GET", path, person=1)

    async def held(paths):
        before = service.memory()
        watchers = await clients.opened(service.port, paths)
        await clients.until(lambda: all(watcher.boards for watcher in watchers) or "stream" not in paths[0][0], 60)
        more = (service.memory() - before) * 1024 * 1024 / len(paths)
        for watcher in watchers:
            watcher.transport.close()
        return more

    idle = asyncio.run(held([("/healthz", 1)] * IDLE))
    service.stop()
    service.start()
    service.call("GET", path, person=1)
    stream = asyncio.run(held([(f"/api/v1{path}/stream", 1 + number) for number in range(STREAMS)]))
    pids = bench.database.sql("SELECT pid FROM pg_stat_activity WHERE usename = 'anthill_service'")
    own = [
        sum(map(int, re.findall(r"^Private_\w+:\s+(\d+) kB", pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text(), re.M))) for pid in pids
    ]
    service.stop()
    return idle, stream, median(own) * 1024


def capacity(bench):
    """Everything: the text of its block of docs/capacity.md."""
    table, sums, log, whole = live(bench)
    costs = Costs(sums, log, whole, requests(bench), *connections(bench))
    spent = "\n".join(f"| {name} | {service:,.0f} | {database:,.0f} |" for name, (service, database) in costs.requests.items())
    return f"""{PEOPLE:,} people of groups of 20, half of them on the global board, used the timer {PEOPLE * DAYS * SESSIONS_A_DAY:,} times over {DAYS} days. What lies on
the disk then:

{table}

A session by the timer writes {log / 1000:.1f} kB of write-ahead log. Right after a checkpoint, when PostgreSQL writes whole pages, it is
{whole / 1000:.1f} kB. In a large database nearly every session comes to pages that were not changed since the last checkpoint.

| memory of | |
|---|---|
| an idle connection to the service | {costs.idle / 1000:.1f} kB |
| a live board | {costs.stream / 1000:.1f} kB |
| each of the service's connections to PostgreSQL | {costs.backend / 1e6:.1f} MB in PostgreSQL |

Processor time of one request, in µs, measured with {CONNECTIONS} connections that are always busy:

| request | service | PostgreSQL |
|---|---|---|
{spent}

{machines(costs)}
"""


# What people do. Change these numbers, and run it again, for others.
STUDYING = 0.3  # of the users, on a day
SESSIONS = 3  # of each of them: a start and a stop, and one pause with its end
BOARDS = 15  # looks at a board, of which a third finds a change
TODAYS = 20  # looks at the timer and the day
OTHERS = 5  # looks at the calendar, at sessions and at the global board, each
FILES = 30
PEAK = 0.12  # of the day, in the busiest hour
WATCHING = 0.05  # of the users, at that hour, with a live board
BUSY = 0.5  # of a processor, at most
RULES = 1.5  # sets of rules that a user counts under: groups with equal rules share one

LARGEST, LARGEST_DISK = 32, 8e12  # processors and disk of a usual large server
SPREAD = 10  # times the processor time on Citus: docs/capacity.md, Citus


def machines(costs):
    """The table of machines, and what it assumes."""
    request = costs.requests
    day = {
        "a page's file": FILES,
        "a group's board that has changed, 20 members": BOARDS / 3,
        "a group's board that has not changed": BOARDS * 2 / 3,
        "today": TODAYS,
        "a month of the calendar": OTHERS,
        "the latest sessions": OTHERS,
        "the global board and one's own rank": OTHERS,
        "a timer paused or resumed": SESSIONS * 4,
    }
    service, database = (sum(count * request[name][side] for name, count in day.items()) for side in (0, 1))
    size = costs.bytes
    a_day = (
        SESSIONS * (2 * size["interval"] + size["session"])
        + size["day of study in the calendar"]
        + RULES * size["day of study, for each set of rules"]
        + size["day of study on the global board"] / 2
    )
    a_user = size["user"] + 2 * size["membership"] + RULES * size["set of rules that somebody counts under"] + 2 * size["sign-in"]
    lines = []
    for users in (1_000, 100_000, 10_000_000, 100_000_000):
        active = users * STUDYING
        # Each of the two starts and ends an interval: nearly what a session by the timer does.
        rate = active * PEAK / 3600
        of_service, of_database = (rate * cost / 1e6 / BUSY for cost in (service, database))
        disk = active * 365 * a_day + users * a_user
        log = active * SESSIONS * 2 * costs.log_whole
        streams = users * WATCHING
        lines.append(
            f"| {users:,} | {rate * sum(day.values()):,.0f} | {few(of_service)} | {few(of_database)} | {gigabytes(disk)} | {gigabytes(log)} "
            f"| {gigabytes(streams * costs.stream)} | {advice(of_service, of_database, disk)} |"
        )
    return f"""This is assumed: {STUDYING:.0%} of the users study on a day. Each of them has {SESSIONS} sessions by the timer with a pause, looks {BOARDS} times at a
board, of which a third finds a change, {TODAYS} times at the day, {OTHERS} times each at the calendar, the sessions and the global board,
and loads {FILES} files. The busiest hour has {PEAK:.0%} of the day, and no processor is more than {BUSY:.0%} busy then. {WATCHING:.0%} of the users have a
live board open. Processors are those of this measurement; where the service and PostgreSQL share a machine, add both.

| users | requests/s in the busiest hour | processors for the service | for PostgreSQL | disk after a year | write-ahead log a day | memory for live boards | machines |
|---|---|---|---|---|---|---|---|
{chr(10).join(lines)}"""


def few(number):
    return "less than 0.1" if number < 0.1 else f"{number:,.1f}" if number < 10 else f"{number:,.0f}"


def gigabytes(size):
    for unit, one in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6)):
        if size >= one:
            return f"{size / one:,.1f} {unit}"
    return f"{size / 1e3:,.0f} kB"


def advice(service, database, disk):
    """Which machines: as few as will do."""
    if service + database <= 2 and disk < 100e9:
        return "one with 2 processors"
    instances = math.ceil(service / 4)
    words = "one instance" if instances == 1 else f"{instances:,} instances of 4 processors"
    if database <= LARGEST and disk < LARGEST_DISK:
        return f"{words}; a PostgreSQL of {max(2, math.ceil(database))} processors, and a standby"
    workers = max(math.ceil(database * SPREAD / LARGEST), math.ceil(disk / LARGEST_DISK))
    return f"{words}; Citus with {workers:,} worker nodes of {LARGEST} processors, each with a standby"
