"""The figures of bench.md. Run it through script/bench, which starts the database.

Every figure is measured in rounds. In each round the service and its limit run in turns, so both meet the same machine.
pgbench runs the statements that the service sent for that request, prepared, in one pipeline, over eight connections. The
tables show medians.
"""

import argparse
import os
import pathlib
import platform
import re
import time

import clients
import people
from capacity import capacity
from citus import citus
from database import Database
from decade import decade
from figures import PARTS, Bench, Rate, Value
from large import large
from service import CONNECTIONS, Service


def main():
    options = argparse.ArgumentParser(prog="script/bench", description="Measures the service against the database's own limit.")
    options.add_argument("seconds", type=int, nargs="?", default=5, help="length of each run in seconds (5)")
    options.add_argument("rounds", type=int, nargs="?", default=3, help="number of rounds; the median counts (3)")
    options.add_argument(
        "--only",
        action="append",
        choices=PARTS,
        metavar="PART",
        help=f"run only this part, one of {', '.join(PARTS)}; may be repeated; bench.md stays as it is",
    )
    options.add_argument("--capacity", action="store_true", help="only what one of everything costs, for docs/capacity.md")
    options.add_argument("--citus", action="store_true", help="only the same work on one PostgreSQL and on Citus, for docs/capacity.md")
    options.add_argument(
        "--decade",
        type=int,
        nargs="?",
        const=500,
        metavar="PEOPLE",
        help="only ten years of study of so many people (500), for docs/capacity.md",
    )
    options.add_argument(
        "--large",
        type=int,
        nargs="?",
        const=10_000_000,
        metavar="PEOPLE",
        help="only a global board of so many people (10000000, which takes an hour and a quarter in all), of whom a tenth studies, for docs/capacity.md",
    )
    options.add_argument("--sizes", type=int, nargs="+", default=[100_000, 1_000_000], help="sizes of the global board")
    options.add_argument("--folder", type=pathlib.Path, required=True, help=argparse.SUPPRESS)
    options.add_argument("--postgres", type=pathlib.Path, required=True, help=argparse.SUPPRESS)
    options = options.parse_args()
    began = time.monotonic()

    clients.raise_limit(12_000)
    database = Database(options.folder, options.postgres)
    for part, people_of in ((decade, options.decade), (large, options.large)):
        if people_of:
            bench = Bench(database, None, {}, options.seconds, options.rounds, [people_of])
            rows = "\n".join(value.row() for value in part(bench))
            return block(part.__name__, f"| figure | measured | must reach |\n|---|---|---|\n{rows}\n", began)
    print(f"seeding {2 * people.HALF:,} people …", flush=True)
    groups = people.seed(database)
    print(f"seeded in {time.monotonic() - began:.0f} s", flush=True)
    service = Service(database, options.folder / "main")
    bench = Bench(database, service, groups, options.seconds, options.rounds, options.sizes)
    try:
        for part, is_wanted in ((capacity, options.capacity), (citus, options.citus)):
            if is_wanted:
                return block(part.__name__, part(bench), began)
        rows = []
        for name in options.only or PARTS:
            part = PARTS[name](bench)
            print(*(row.row() for row in part), sep="\n", flush=True)
            rows += part
        text = report(bench, rows, service.memory(), time.monotonic() - began)
    finally:
        service.stop()
    if not options.only:
        pathlib.Path("bench.md").write_text(text)
    print(text)


def machine():
    model = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    return f"{os.cpu_count()} cores ({model[1] if model else platform.machine()})"


def block(name, text, began):
    """Puts the text between the marks of its block of docs/capacity.md."""
    page = pathlib.Path("docs/capacity.md")
    took = f"Measured in {(time.monotonic() - began) / 60:.0f} minutes on {machine()}."
    written, found = re.subn(
        rf"(<!-- script/bench --{name} -->\n).*?(<!-- end -->)",
        lambda marks: f"{marks[1]}\n{took}\n\n{text}\n{marks[2]}",
        page.read_text(),
        flags=re.S,
    )
    assert found == 1, f"docs/capacity.md has no block {name}"
    page.write_text(written)
    print(text)


def report(bench, rows, memory, took):
    version = bench.database.sql("SHOW server_version")[0]
    tables = {
        Rate: (
            "| figure | requests/s | compared with | ratio | must reach | the service's CPU, µs per request | PostgreSQL's |",
            "|---|---|---|---|---|---|---|",
        ),
        Value: ("| figure | measured | must reach |", "|---|---|---|"),
    }
    tables = "\n\n".join(
        "\n".join([*heading, *(row.row() for row in rows if isinstance(row, kind))])
        for kind, heading in tables.items()
        if any(isinstance(row, kind) for row in rows)
    )
    return f"""# Figures

`script/bench` wrote this page in {took / 60:.0f} minutes, on {machine()}, PostgreSQL {version},
with default durability. Load, service and database share the machine. {CONNECTIONS} HTTP connections; medians of {bench.rounds} interleaved
rounds of {bench.seconds} s. pgbench runs the same statements, prepared, in one pipeline, over 8 connections.

Before the service answers a request from memory, it asks the database what has changed. So a user who signs out is signed
out at once on every instance, and no request of a signed-in user can be faster than *only find out who asks*.

{tables}

Memory of the service after the runs: {memory:.0f} MB.
"""


if __name__ == "__main__":
    main()
