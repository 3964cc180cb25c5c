"""The same statements on one PostgreSQL and on Citus with one and with two workers, in the same rounds."""

import os
import pathlib
import subprocess
import time
from statistics import median

import people
import statements
from database import CONNECTIONS, Database, cpu_of_server, psql, replay
from figures import recording
from service import Service

SPREAD = pathlib.Path(__file__).parents[2] / "sql/citus.sql"
NODES = os.environ.get("BENCH_CITUS", "").split()  # the address of the coordinator, then those of two workers
SERIES = 50_000  # numbers of sessions that a round leaves to the next


def sockets(node):
    """The folder of a node's sockets, which is its name for other nodes."""
    return node.partition("host=")[2]


class Spread(Database):
    """A database of the coordinator, of which some workers have a part."""

    def __init__(self, folder, workers):
        self.nodes = NODES[: workers + 1]
        super().__init__(folder, pathlib.Path(sockets(NODES[0])).parent, f"workers_{workers}", NODES[0])
        self.url = self.owner  # docs/operate.md says why

    def address(self, node, name=None):
        return node.replace("//anthill_owner@/anthill?", f"//postgres@/{name or self.name}?")

    def cpu(self):
        return sum(cpu_of_server(pathlib.Path(sockets(node)).parent) for node in NODES)

    # As docs/operate.md says. In between, people are made; that takes long on Citus.
    def make(self):
        for node in self.nodes:
            psql(self.address(node, "postgres"), f"CREATE DATABASE {self.name} OWNER anthill_owner")
            psql(self.address(node), "CREATE EXTENSION citus")
        self.sql(f"SELECT citus_set_coordinator_host('{sockets(NODES[0])}')")
        for node in self.nodes[1:]:
            self.sql(f"SELECT citus_add_node('{sockets(node)}', 5432)")
        self.migrate()

    def spread(self):
        subprocess.run(["psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-d", self.admin, "-f", SPREAD], check=True, stdout=subprocess.DEVNULL)
        self.sql("VACUUM ANALYZE")


def citus(bench):
    """A table with a row for each thing that people do."""
    databases, groups = {"one PostgreSQL": bench.database}, {"one PostgreSQL": bench.groups}
    for workers in range(1, len(NODES)):
        kind = f"Citus, {workers} worker{'s' if workers > 1 else ''}"
        database = databases[kind] = Spread(bench.database.folder, workers)
        database.make()
        groups[kind] = people.seed(database)
        database.spread()
        print(f"citus: {database.name} is spread", flush=True)

    first = int(time.time()) - 47 * 3600
    scripts = {}
    for kind, database in databases.items():
        service = Service(database, bench.database.folder / f"citus_{database.name}")

        def asked(path, *functions, service=service, database=database):
            return replay(database.statements(lambda: service.call("GET", path, person=1), *functions))

        scripts[kind] = {
            "a session logged": recording(database, service, people.HALF, first),
            **{f"a board of {size}": asked(f"/groups/{groups[kind][size]}/leaderboard", *statements.BOARD) for size in (20, 500)},
            "today": asked("/me/today", *statements.TODAY),
            "a month of the calendar": asked(f"/me/days?month={time.strftime('%Y-%m')}", *statements.CALENDAR_MONTH),
            "the top of the global board": asked("/leaderboard", *statements.GLOBAL_TOP),
        }
        service.stop()

    names = list(next(iter(scripts.values())))
    speeds = {(name, kind): [] for name in names for kind in databases}
    cost = {(name, kind): [] for name in names for kind in databases}
    for turn in bench.turns("citus"):
        for name in names:
            for kind, database in databases.items():
                used = database.cpu()
                speed = database.limit(bench.seconds, scripts[kind][name], i=turn * SERIES, first=first)
                speeds[name, kind].append(speed)
                cost[name, kind].append((database.cpu() - used) / (speed * bench.seconds) * 1000)
    plain = next(iter(databases))
    rows = [f"| what | {' | '.join(databases)} |", "|---" * (len(databases) + 1) + "|"]
    for name in names:
        cells = []
        for kind in databases:
            ratio = median(one / other for one, other in zip(speeds[name, kind], speeds[name, plain]))
            beside = "" if kind == plain else f", {ratio:.2f} ×"
            cells.append(f"{median(speeds[name, kind]):,.0f} a second{beside}; {median(cost[name, kind]):.2f} ms of processors")
        rows.append(f"| {name} | {' | '.join(cells)} |")
    return (
        f"{2 * people.HALF:,} people, {CONNECTIONS} connections of pgbench, {bench.rounds} rounds of {bench.seconds} s. All servers and"
        " pgbench share the\nmachine, so two workers cannot be faster than one here; the processor time is that of all servers.\n\n"
        + "\n".join(rows)
        + "\n"
    )
