"""Changes the product in small ways, one at a time, and says which ring of the tests notices. Run by hand, from anywhere:

    .venv/bin/python Tests/mutants/run.py [--list] [--quick] [--ring RING] [--folder FOLDER] [--at-once N] [WORDS…]

The changes are those of mutants.py: all of them, or those whose name contains one of WORDS. They are made in a copy of
the checkout (.build/mutants unless said otherwise), never in the checkout itself, on PostgreSQL clusters of its own. First
the tests are run that should notice, the cheapest ring first, and where none does, whole rings. A test that noticed must
pass without the change: at the end all of these run once more on the product as it is. The table is Markdown.
"""

import argparse
import concurrent.futures
import contextlib
import dataclasses
import functools
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import pytest
from mutants import MUTANTS, Mutant

ROOT = pathlib.Path(__file__).resolve().parents[2]
RINGS = ("reference", "swift", "blackbox", "browser")
# A change may make a test wait for ever.
PATIENCE = {"tests": 1200, "whole": 3600, "build": 3600}


@dataclasses.dataclass
class Result:
    mutant: Mutant
    ring: str | None = None
    test: str | None = None
    seconds: float = 0
    tried: list[str] = dataclasses.field(default_factory=list)


def say(text):
    print(text, file=sys.stderr, flush=True)


running = set()


def finish(command, patience, **options):
    """Runs a command to its end, and everything that it started; None instead of a status where that takes too long."""
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, start_new_session=True, **options)
        running.add(process)
        try:
            status = process.wait(patience)
        except subprocess.TimeoutExpired:
            end(process)
            status = None
        running.discard(process)
        output.seek(0)
        return status, output.read()


def end(process):
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    process.wait()


@functools.cache
def checkout():
    """The files of the checkout as they are at the start, those that are not committed included."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout.decode().split("\0")
    return {name: (ROOT / name).read_bytes() for name in listed if (ROOT / name).is_file()}


class Copy:
    """The checkout in another folder, at most one of its files changed. What stays the same is not written, so that builds
    begin where the last one ended."""

    def __init__(self, folder):
        self.folder = folder
        self.files = checkout()
        self.clean()

    def clean(self):
        """Takes away what an earlier run has copied and the checkout has no more."""
        copied = self.folder / ".build/copied"
        for name in copied.read_text().splitlines() if copied.is_file() else []:
            if name not in self.files:
                (self.folder / name).unlink(missing_ok=True)
        copied.parent.mkdir(parents=True, exist_ok=True)
        copied.write_text("".join(f"{name}\n" for name in self.files))

    def become(self, mutant):
        for name, content in self.files.items():
            if mutant and name == mutant.file:
                content = mutant.applied(content.decode()).encode()
            file = self.folder / name
            if not file.is_file() or file.read_bytes() != content:
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(content)
                shutil.copymode(ROOT / name, file)


class Cluster:
    """A PostgreSQL for the rings that need one given, as script/test has it."""

    def __enter__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="anthill-mutants-", dir="/tmp"))
        self.folder.chmod(0o755)
        settings = "fsync=off synchronous_commit=off full_page_writes=off max_connections=500 max_locks_per_transaction=512"
        self.process = subprocess.Popen(
            [ROOT / "script/cluster", self.folder / "postgres", *settings.split()],
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        for line in self.process.stdout:
            if line.startswith("postgresql://"):
                admin = line.strip().replace("anthill_owner@", "postgres@")
                subprocess.run(["psql", "-XAtq", "-d", admin, "-c", "ALTER ROLE anthill_owner CREATEDB"], check=True)
                return line.strip()
        raise SystemExit("PostgreSQL did not start.")

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.folder)


class Rings:
    def __init__(self, folder, url):
        self.folder = folder
        self.environment = os.environ | {
            "ANTHILL_TEST_DATABASE_URL": url,
            "PYTHONDONTWRITEBYTECODE": "1",
            "SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH": "16",
        }
        self.tree = None

    def run(self, ring, mutant, selection):
        """The first test of a ring, or of a selection of it, that fails with a change or without any; None if all pass."""
        if ring == "reference":
            with tempfile.TemporaryDirectory(prefix="anthill-mutant-") as folder:
                Copy(pathlib.Path(folder)).become(mutant)
                return self.pytest(ring, selection, folder)
        if not self.tree:
            self.tree = Copy(self.folder)
        self.tree.become(mutant)
        build = ["--build-tests"] if ring == "swift" else ["--configuration", "release", "--product", "anthill"]
        status, output = finish(["swift", "build", *build], PATIENCE["build"], cwd=self.folder)
        if status != 0:
            errors = re.findall(r"\w+\.swift:\d.*error: .*", output)
            return f"the compiler: {errors[0] if errors else output[-500:]}"
        return self.swift(selection) if ring == "swift" else self.pytest(ring, selection, self.folder)

    def pytest(self, ring, selection, folder):
        """The selection is that of a command line, or a list of tests by their ids."""
        tests = shlex.split(selection) if isinstance(selection, str) else selection
        command = [sys.executable, "-m", "pytest", "-q", "-x", "--tb=line", *(tests or [f"Tests/{ring}"])]
        status, output = finish(command, PATIENCE["tests" if tests else "whole"], cwd=folder, env=self.environment)
        failed = re.search(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", output, re.MULTILINE)
        return self.verdict(status, failed and failed[1], output)

    def swift(self, selection):
        chosen = ["--filter", selection] if selection else []
        command = ["swift", "test", "--skip-build", "--no-color-diagnostics", *chosen]
        status, output = finish(command, PATIENCE["tests" if selection else "whole"], cwd=self.folder, env=self.environment)
        failed = re.search(r"^\S+ Test (?!run |case )(.+?)(?:\(.*?\))? (?:recorded an issue|failed after)", output, re.MULTILINE)
        if status == 0 and "with 0 tests" in output:
            raise SystemExit(f"No Swift test is named {selection}.")
        return self.verdict(status, failed and failed[1].strip('`"'), output)

    @staticmethod
    def verdict(status, failed, output):
        if status == 0:
            return None
        if status is None:
            return "a test that does not end"
        # Nor did they where a file of them cannot be read: that is no test that noticed.
        if not failed or status == pytest.ExitCode.INTERRUPTED:
            raise SystemExit(f"The tests did not run:\n{output[-3000:]}")
        return failed


def literal(name):
    """A pattern that finds a name; only what means something else in a pattern is escaped."""
    return re.sub(r"[\\.*+?^${}()|\[\]]", r"\\\g<0>", name)


def hunt(mutants, rings, asked):
    """What becomes of each of them. The tests that should notice go first, ring by ring, then whole rings."""
    results = [Result(mutant) for mutant in mutants]

    def attempt(result, ring, selection):
        began = time.monotonic()
        result.test = rings.run(ring, result.mutant, selection)
        result.seconds += time.monotonic() - began
        result.tried.append(ring if not selection else f"{ring} {selection}")
        if result.test:
            result.ring = ring
        say(f"{time.monotonic() - began:6.0f} s  {result.tried[-1]}: {result.mutant.name}: {result.test or 'nothing noticed'}")

    for whole in (False,) if asked.quick else (False, True):
        for ring in asked.ring or RINGS:
            left = [r for r in results if not r.ring and not r.mutant.same and ring in r.mutant.tests]
            todo = [r for r in left if whole or r.mutant.tests[ring]]
            with concurrent.futures.ThreadPoolExecutor(asked.at_once if ring == "reference" else 1) as threads:
                try:
                    for done in [threads.submit(attempt, r, ring, "" if whole else r.mutant.tests[ring]) for r in todo]:
                        done.result()
                except BaseException:
                    threads.shutdown(wait=False, cancel_futures=True)
                    for process in list(running):
                        end(process)
                    raise
    return results


def confirm(results, rings):
    """The tests that noticed, once more without any change."""
    for ring in RINGS:
        noticed = sorted({r.test for r in results if r.ring == ring and not r.test.startswith(("the compiler", "a test that"))})
        if noticed:
            failed = rings.run(ring, None, "|".join(map(literal, noticed)) if ring == "swift" else noticed)
            if failed:
                raise SystemExit(f"{failed} fails without any change as well.")
            say(f"The {len(noticed)} tests of {ring} that noticed pass without a change.")


def table(results):
    yield "| change | file | noticed by | test | s |"
    yield "|---|---|---|---|---:|"
    for r in results:
        test = r.mutant.same or (r.test or "").rpartition("::")[2]
        ring = "changes nothing" if r.mutant.same else r.ring or "**nobody**"
        yield f"| {r.mutant.name} | `{pathlib.Path(r.mutant.file).name}` | {ring} | {test} | {r.seconds:.0f} |".replace("\n", " ")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--list", action="store_true", help="says which changes there are, and that each can be made")
    arguments.add_argument("--quick", action="store_true", help="only the tests that should notice, no whole rings")
    arguments.add_argument("--ring", action="append", choices=RINGS, help="only this ring (may be given several times)")
    arguments.add_argument("--folder", type=pathlib.Path, default=ROOT / ".build/mutants", help="where the copy is, with its builds")
    arguments.add_argument("--at-once", type=int, default=2, help="so many runs of the reference side by side")
    arguments.add_argument("words", nargs="*")
    asked = arguments.parse_args()

    chosen = [m for m in MUTANTS if not asked.words or any(word.lower() in m.name.lower() for word in asked.words)]
    if not chosen:
        raise SystemExit("No change has such a name.")
    for mutant in chosen:
        mutant.applied((ROOT / mutant.file).read_text())
        if unknown := mutant.tests.keys() - set(RINGS):
            raise SystemExit(f"{mutant.name}: no ring is called {', '.join(unknown)}.")
    if asked.list:
        for mutant in chosen:
            print(f"{mutant.name} ({mutant.file}; {', '.join(mutant.tests)})")
        return

    asked.folder.mkdir(parents=True, exist_ok=True)
    checkout()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with Cluster() as url:
        rings = Rings(asked.folder.resolve(), url)
        results = hunt(chosen, rings, asked)
        print("\n".join(table(results)), flush=True)
        confirm(results, rings)
    alive = [r for r in results if not r.ring and not r.mutant.same]
    say(f"{len(results)} changes, {len(alive)} that nobody noticed.")
    raise SystemExit(1 if alive else 0)


if __name__ == "__main__":
    main()
