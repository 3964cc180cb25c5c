"""The whole program on a PostgreSQL of its own: loopback and Unix sockets only, in a folder that is thrown away."""

import atexit
import contextlib
import datetime
import email
import email.policy
import fcntl
import functools
import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

import citus
import psycopg
import used_secrets

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / ".build/release/anthill"

# What time it is where nothing else is said: a Friday, noon in Seoul. The date of the run plays no part.
START = "2026-11-20T03:00:00Z"


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait_until(condition, seconds=60.0, what="it to happen"):
    """The first true value of condition(), asked again and again for at most that long."""
    deadline, pause = time.monotonic() + seconds, 0.02
    while True:
        if value := condition():
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {seconds} s for {what}")
        time.sleep(pause)
        # Who waits long asks less often: a condition that asks the service has a limit on its requests.
        pause = min(pause * 1.3, 0.25)


class Cluster:
    """A PostgreSQL with its real settings, made by script/cluster."""

    def __init__(self, *settings):
        self.settings = settings
        self.folder = Path(tempfile.mkdtemp(prefix="anthill-blackbox-", dir=os.environ.get("ANTHILL_TEST_PLACE", "/tmp")))
        self.folder.chmod(0o755)
        self.process = None
        self.url = None
        # Where the clock of its database was put.
        self.clock = None

    def start(self, data=None):
        """With a copy of the data of another one, or with an empty database."""
        if data:
            (self.folder / "postgres").mkdir()
            subprocess.run(["cp", "--archive", "--reflink=auto", data, self.folder / "postgres"], check=True)
        self.process = subprocess.Popen(
            [ROOT / "script/cluster", self.folder / "postgres", *self.settings],
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        for line in self.process.stdout:
            if line.startswith("postgresql://"):
                self.url = line.strip()
                return self
        raise AssertionError("PostgreSQL did not start")

    def url_of(self, role) -> str:
        """The database for another login than its owner."""
        return self.url.replace("//anthill_owner@", f"//{role}@")

    @property
    def postmaster(self) -> int:
        return int((self.folder / "postgres/data/postmaster.pid").read_text().split()[0])

    def kill(self):
        """As the kernel does when memory runs out: the postmaster is gone at once."""
        os.kill(self.postmaster, signal.SIGKILL)
        self.process.wait()
        self.process.stdout.close()

    @contextlib.contextmanager
    def freezing(self):
        """All its processes stand still."""
        postmaster = self.postmaster
        pids = [postmaster]
        os.kill(postmaster, signal.SIGSTOP)
        for process in Path("/proc").glob("[0-9]*/stat"):
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                if int(process.read_text().rpartition(")")[2].split()[1]) == postmaster:
                    pids.append(int(process.parent.name))
                    os.kill(pids[-1], signal.SIGSTOP)
        try:
            yield
        finally:
            for pid in pids:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGCONT)

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.terminate()
            self.process.wait()
            self.process.stdout.close()

    def remove(self):
        self.stop()
        shutil.rmtree(self.folder)

    def sql(self, text, *values, role="anthill_owner"):
        """Rows of one statement, as the database's owner unless somebody else is named."""
        with psycopg.connect(self.url_of(role), autocommit=True) as connection:
            return rows(connection, text, values)


class SteadyCluster(Cluster):
    """A cluster that its owner asks over one connection: no test stops or kills it."""

    connection = None

    def sql(self, text, *values, role="anthill_owner"):
        if role != "anthill_owner":
            return super().sql(text, *values, role=role)
        self.connection = self.connection or psycopg.connect(self.url, autocommit=True)
        return rows(self.connection, text, values)


class SpreadCluster(SteadyCluster):
    """A database of its own on the nodes of script/test citus; every other cluster is a plain PostgreSQL."""

    def __init__(self):
        super().__init__()
        self.name = f"blackbox_{secrets.token_hex(6)}"

    def url_of(self, role) -> str:
        """The service signs in as the owner there: a transaction cannot see on a worker what another role wrote."""
        return super().url_of("anthill_owner" if role == "anthill_service" else role)

    def start(self):
        citus.make(self.name)
        self.url = citus.address(citus.NODES[0], self.name, "anthill_owner")
        Service(self).migrate()
        citus.spread(self.name)
        return self

    def remove(self):
        if self.connection:
            self.connection.close()
        citus.drop(self.name)
        shutil.rmtree(self.folder)


def rows(connection, text, values):
    cursor = connection.execute(text, values or None)
    return cursor.fetchall() if cursor.description else []


class Service:
    """`anthill serve` on a free loopback port, its mail, log and console in files."""

    root = ROOT
    program = PROGRAM

    def __init__(self, cluster: Cluster, name="home", **environment):
        self.cluster = cluster
        self.home = cluster.folder / name
        self.home.mkdir(exist_ok=True)
        self.mail = self.home / "mail"
        self.read, self.recipients = {}, {}
        self.log_file, self.console_file = self.home / "log", self.home / "console"
        self.port = free_port()
        self.origin = f"http://localhost:{self.port}"
        self.api = f"{self.origin}/api/v1"
        self.environment = {
            "PATH": os.environ["PATH"],
            "DATABASE_URL": cluster.url_of("anthill_service"),
            "DATABASE_OWNER_URL": cluster.url,
            "DATABASE_ADMIN_URL": cluster.url_of("anthill_admin"),
            "ANTHILL_LISTEN": f"127.0.0.1:{self.port}",
            "ANTHILL_BASE_URL": self.origin,
            "ANTHILL_SECRET": secrets.token_hex(32),
            "ANTHILL_HOME": str(self.home),
            # Each test person has an address of their own, so that limits per address count as they do in life.
            "ANTHILL_TRUSTED_PROXIES": "127.0.0.1",
            **environment,
        }
        self.process = None

    def run(self, *arguments, read="", **environment):
        """Runs the program to its end; `read` is its standard input."""
        wanted = {**self.environment, **environment}
        done = subprocess.run(
            [self.program, *arguments],
            env={name: value for name, value in wanted.items() if value is not None},
            input=read,
            capture_output=True,
            text=True,
            timeout=180,
        )
        used_secrets.note_text(done.stdout)
        return done

    def migrate(self):
        done = self.run("migrate")
        assert done.returncode == 0, done.stdout + done.stderr
        return self

    def start(self):
        with open(self.log_file, "ab") as log, open(self.console_file, "ab") as console:
            self.process = subprocess.Popen(
                [self.program, "serve"],
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=console,
                stderr=log,
                start_new_session=True,
            )
        wait_until(self.answers, what=f"the service to answer; its log: {self.log()[-2000:]}")
        return self

    def way(self, number):
        """How that person's requests come here, if not straight."""
        return None

    def answers(self) -> bool:
        if self.process.poll() is not None:
            raise AssertionError(f"anthill ended with {self.process.returncode}: {self.log()[-2000:]}")
        try:
            with urllib.request.urlopen(f"{self.origin}/readyz", timeout=5) as answer:
                return answer.status == 200
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            return False

    def log(self) -> str:
        return self.log_file.read_text(errors="replace") if self.log_file.exists() else ""

    def console(self) -> str:
        return self.console_file.read_text(errors="replace") if self.console_file.exists() else ""

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self) -> int:
        """Stops it as an operator does, and gives its exit status."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(timeout=60)
            except subprocess.TimeoutExpired:
                self.kill()
                raise
        return self.process.returncode

    def set_clock(self, instant: str):
        """Puts the one clock at an instant; it stands still there until it is moved, so that seconds can be counted.
        Every plan of the service is made anew then, so a clock that stands there already is left alone."""
        instant = datetime.datetime.fromisoformat(instant)
        if instant != self.cluster.clock:
            self.cluster.sql(
                "CREATE OR REPLACE FUNCTION anthill_clock() RETURNS timestamptz LANGUAGE plpgsql STABLE PARALLEL SAFE AS "
                f"$$ BEGIN RETURN timestamptz '{instant.isoformat()}'; END $$"
            )
            self.cluster.clock = instant
        return self

    def advance_clock(self, seconds: int):
        """Moves the clock on from where it stands."""
        [[then]] = self.cluster.sql("SELECT anthill_clock() + make_interval(secs => %s)", seconds)
        return self.set_clock(then.isoformat())

    def filled(self, text: str) -> str:
        """A text of the program with the numbers of the rules in their places."""
        numbers = dict(self.cluster.sql("SELECT name, value FROM rule_numbers()"))
        return re.sub(r"{{(\w+)}}", lambda name: str(numbers[name[1]]), text)

    def all_mail_is_sent(self) -> bool:
        return not self.cluster.sql("SELECT 1 FROM mail_outbox WHERE sent_at IS NULL AND dead_at IS NULL AND due <= anthill_clock()")

    def letters(self, to: str):
        """The messages to an address, oldest first."""
        if self.mail.is_dir():
            for name in sorted(name for name in os.listdir(self.mail) if name.endswith(".eml") and name not in self.read):
                content = (self.mail / name).read_bytes()
                self.read[name] = email.message_from_bytes(content, policy=email.policy.default)
                self.recipients[name] = str(self.read[name]["to"])
        return [letter for name, letter in self.read.items() if to in self.recipients[name]]

    def token_from_mail(self, to: str, letter: int = -1, already: int = 0) -> str:
        """The token in the link of a letter; waits until there are more than `already` of them."""
        letters = wait_until(
            lambda: found if len(found := self.letters(to)) > already else None,
            what=f"a letter to {to}; the log: {self.log()[-1000:]}",
        )
        text = letters[letter].get_body(("plain",)).get_content()
        return re.search(r"#token=([A-Za-z0-9_-]+)", text).group(1)

    def violations(self):
        """What sql/maintenance/check.sql finds: one row per broken invariant. Tests set their clock back, so timers may be ahead of
        it, and set it on by days: the service comes to suspensions that ended meanwhile within seconds."""
        over = "SELECT 1 FROM suspensions WHERE group_id IS NULL AND returned_at IS NULL AND until <= anthill_clock()"
        wait_until(lambda: not self.cluster.sql(over), what="everybody to be back whose suspension is over")
        done = subprocess.run(
            ["psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-d", self.cluster.url_of("anthill_admin")]
            + ["-f", ROOT / "sql/maintenance/check.sql"],
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return [line for line in done.stdout.splitlines() if line and not line.startswith("timer ahead of the clock|")]


@functools.cache
def migrated():
    """The data of a cluster with a migrated database, to be copied. All processes of script/test share it."""
    place = os.environ.get("ANTHILL_TEST_PLACE")
    if not place:
        cluster = Cluster()
        atexit.register(cluster.remove)
        return made(cluster)
    shared = Path(place) / "migrated"
    with open(Path(place) / "migrated.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not shared.is_symlink():
            shared.symlink_to(made(Cluster()))
    return shared.resolve()


def made(cluster):
    """The data of a cluster that was just migrated and is stopped."""
    Service(cluster.start()).migrate()
    cluster.stop()
    return cluster.folder / "postgres/data"


@contextlib.contextmanager
def started(service, clock=START):
    """Starts a service. At the end it stops as it should, every invariant holds, and nothing has failed."""
    try:
        if clock:
            service.set_clock(clock)
        yield service.start()
        assert service.stop() == 0
        assert not (found := service.violations()), found
        assert '"status":500' not in service.log()
    finally:
        if service.process:
            service.kill()


@contextlib.contextmanager
def running(clock=START, **environment):
    """A service on a PostgreSQL of its own, as `started` says."""
    cluster = SpreadCluster() if citus.WORKERS else SteadyCluster()
    try:
        with started(Service(cluster.start() if citus.WORKERS else cluster.start(migrated()), **environment), clock) as service:
            yield service
    finally:
        cluster.remove()
