"""The scripts, run as on a fresh checkout."""

import contextlib
import json
import os
import re
import runpy
import shutil
import signal
import socket
import subprocess
import tempfile
import urllib.request
from pathlib import Path

import citus
import pytest
from person import PASSWORD, Person, expect
from service import ROOT, Service, free_port, wait_until


def heed_interrupts():
    """As from a terminal: what runs in a shell's background ignores Ctrl-C, and so does all that it starts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Started(Service):
    """script/server in a data folder of its own; asked and read like a service."""

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="anthill-scripts-", dir="/tmp"))
        self.folder.chmod(0o755)
        self.home = self.folder / "home"
        self.mail, self.read, self.recipients = self.home / "mail", {}, {}
        self.output_file = self.folder / "output"
        self.port = free_port()
        self.origin = f"http://localhost:{self.port}"
        self.process = None
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": os.environ.get("HOME", "/"),
            "ANTHILL_HOME": str(self.home),
            "ANTHILL_LISTEN": f"127.0.0.1:{self.port}",
        }

    def start(self, *arguments):
        with open(self.output_file, "ab") as output:
            self.process = subprocess.Popen(
                [ROOT / "script/server", *arguments],
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
                cwd="/",
                preexec_fn=heed_interrupts,
            )
        wait_until(self.answers, seconds=300, what="script/server to answer")
        return self

    def log(self):
        return self.output_file.read_text()

    def script(self, name, *arguments, **environment):
        return subprocess.run(
            [ROOT / "script" / name, *arguments],
            env={**self.environment, **environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
            cwd="/",
        )

    def processes(self):
        """Everything that runs in or for the data folder."""
        found = {}
        for process in Path("/proc").glob("[0-9]*"):
            try:
                command = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                environment = (process / "environ").read_bytes()
                where = os.readlink(process / "cwd")
            except (FileNotFoundError, PermissionError, ProcessLookupError):
                continue
            if str(self.home) in command or where.startswith(str(self.home)) or f"ANTHILL_HOME={self.home}".encode() in environment:
                found[int(process.name)] = command
        return found

    def interrupt(self):
        """Ctrl-C: the terminal signals the script's whole process group."""
        os.killpg(self.process.pid, signal.SIGINT)
        return self.process.wait(timeout=120)

    def remove(self):
        if self.process and self.process.poll() is None:
            self.interrupt()
        wait_until(lambda: not self.processes(), what="an end")
        shutil.rmtree(self.folder)


@pytest.fixture
def started():
    service = Started()
    try:
        yield service
    finally:
        service.remove()


def test_ctrl_c_stops_both_and_a_second_start_finds_the_data(started):
    started.start()
    assert started.origin in started.log() and str(started.mail) in started.log()
    with Person(started) as person:
        person.http.headers.pop("X-Forwarded-For")
        person.register_by_mail()
        assert started.interrupt() == 0
        assert started.processes() == {}
        secret = (started.home / "secret").read_text()
        assert oct((started.home / "secret").stat().st_mode & 0o777) == "0o600" and len(secret.strip()) >= 32
        started.start()
        assert (started.home / "secret").read_text() == secret
        expect(person.get("/me"), 200)
        person.sign_in()


def test_nothing_outlives_a_killed_script_and_the_next_start_finds_the_data(started):
    started.start()
    with Person(started) as person:
        person.http.headers.pop("X-Forwarded-For")
        person.register_by_mail()
        for _ in range(2):
            started.process.kill()
            started.process.wait()
            started.start()  # at once, while the old program and PostgreSQL are still stopping
            expect(person.get("/me"), 200)
        for process in started.processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        started.process.wait()
        assert (started.home / "postgres/data/postmaster.pid").exists()
        started.start()
        expect(person.get("/me"), 200)
        started.process.kill()
        started.process.wait()
        wait_until(lambda: not started.processes(), what="the end of what the script had started")


def test_a_killed_postgresql_is_started_again(started):
    started.start()
    with Person(started) as person:
        person.http.headers.pop("X-Forwarded-For")
        person.register_by_mail()
        postmaster = int((started.home / "postgres/data/postmaster.pid").read_text().split()[0])
        os.kill(postmaster, signal.SIGKILL)
        wait_until(lambda: "starting it again" in started.log(), what="the script to notice")
        wait_until(lambda: person.get("/me").status_code == 200, what="recovery")


def test_a_second_start_beside_a_running_one_is_one_clear_sentence(started):
    started.start()
    done = started.script("server")
    said = (done.stdout + done.stderr).strip()
    assert done.returncode > 0 and "already runs" in said and len(said.splitlines()) == 1, said
    with urllib.request.urlopen(f"{started.origin}/readyz", timeout=5) as answer:
        assert answer.status == 200


@citus.not_spread("the log also warns of the login")
def test_a_taken_port_is_one_clear_sentence(started):
    with socket.socket() as other:
        other.bind(("127.0.0.1", started.port))
        other.listen()
        done = started.script("server")
    said = (done.stdout + done.stderr).strip()
    assert done.returncode > 0 and str(started.port) in said and "ANTHILL_LISTEN" in said and len(said.splitlines()) == 1, said
    assert started.processes() == {}


def test_a_missing_toolchain_is_one_clear_sentence(started):
    scripts = started.folder / "checkout/script"
    shutil.copytree(ROOT / "script", scripts)
    toolchain = scripts / "toolchain"
    # As on a machine where none of these folders exists.
    toolchain.write_text(re.sub(r"/(?:opt|usr)/\S*swift\S*", "/nonexistent", toolchain.read_text()))
    path = ":".join(folder for folder in started.environment["PATH"].split(":") if not Path(folder, "swift").exists())
    for name in ("server", "test"):
        environment = {"PATH": path, "HOME": str(started.folder), "ANTHILL_LISTEN": started.environment["ANTHILL_LISTEN"]}
        done = subprocess.run([scripts / name], env=environment, capture_output=True, text=True)
        said = (done.stdout + done.stderr).strip()
        assert done.returncode > 0 and "Swift" in said and len(said.splitlines()) == 1, said


def test_a_wrong_variable_stops_everything_with_its_name(started):
    done = started.script("server", ANTHILL_BASE_URL="nonsense")
    assert done.returncode > 0 and "ANTHILL_BASE_URL" in done.stdout + done.stderr
    assert started.processes() == {}


def test_psql_opens_the_servers_database_for_admins_and_for_its_owner(started):
    done = started.script("psql", "-Atc", "SELECT 1")
    assert done.returncode > 0 and "script/server" in done.stderr
    started.start("--demo")
    assert "@demo.invalid" in started.log()
    ask = ["-XAtc", "SELECT current_user, (SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = current_database())"]
    assert started.script("psql", *ask).stdout.strip() == "anthill_admin|anthill_owner"
    assert started.script("psql", "--owner", *ask).stdout.strip() == "anthill_owner|anthill_owner"
    served = "SELECT DISTINCT usename FROM pg_stat_activity WHERE application_name = 'anthill'"
    assert started.script("psql", "-XAtc", served).stdout.split() == ["anthill_service"]
    assert "does not need" not in started.log()
    check = started.script("psql", "-XAtq", "-f", str(ROOT / "sql/maintenance/check.sql"))
    assert check.returncode == 0 and check.stdout.strip() == "", check.stdout + check.stderr
    assert started.interrupt() == 0
    assert started.script("psql", *ask).stdout.strip() == "anthill_admin|anthill_owner"
    assert started.script("psql", "--owner", *ask).stdout.strip() == "anthill_owner|anthill_owner"
    assert started.script("psql", "-XAtc", "SELECT nonsense").returncode > 0
    assert started.processes() == {}


def test_anthill_runs_a_command_on_the_servers_data(started):
    started.start()
    made = started.script("anthill", "link", "friend@example.org")
    assert made.returncode == 0, made.stderr
    assert made.stdout.startswith(f"{started.origin}/welcome#token=")
    with Person(started) as person:
        token = made.stdout.split("#token=")[1].split()[0]
        body = {"token": token, "nickname": "Friend", "password": PASSWORD}
        assert expect(person.post("/users", body, token=None), 201).json()["user"]["email"] == "friend@example.org"
    health = started.script("anthill", "admin", "doctor", "--json")
    found = {one["check"]: one["status"] for one in json.loads(health.stdout)["checks"]}
    assert health.returncode == 1 and [check for check, status in found.items() if status != "ok"] == ["backup"], health.stdout
    assert started.script("backup").stdout.startswith(f"{started.home}/backups/")
    assert started.script("anthill", "admin", "doctor").returncode == 0
    # While it does not run, a command and a backup start the private PostgreSQL for themselves.
    assert started.interrupt() == 0
    health = started.script("anthill", "admin", "doctor")
    assert health.returncode == 0 and started.processes() == {}, health.stdout + health.stderr
    assert started.script("anthill", "admin", "nonsense").returncode == 2
    done = started.script("backup", "--to", str(started.folder / "more"))
    assert done.returncode == 0 and started.processes() == {}, done.stderr
    assert done.stdout.startswith(f"{started.folder}/more/")


@pytest.mark.parametrize(("name", "command"), [("anthill", ["admin", "doctor"]), ("psql", ["-c", "SELECT 1"]), ("psql", ["--owner"])])
def test_a_mistyped_data_folder_is_told_and_not_made(started, name, command):
    done = started.script(name, *command, ANTHILL_HOME=str(started.folder / "hmoe"))
    assert (done.returncode, done.stdout) == (1, ""), done.stdout
    assert done.stderr == f"There is no database in {started.folder}/hmoe yet: script/server makes it.\n"
    assert list(started.folder.iterdir()) == []
    assert started.script("anthill", "admin", "--help").returncode == 0


@citus.not_spread("the database has another name")
def test_with_database_url_no_database_of_its_own_is_started(started, service):
    started.environment["DATABASE_URL"] = service.cluster.url
    started.start()
    assert not (started.home / "postgres").exists()
    assert started.script("psql", "-XAtc", "SELECT current_database()").stdout.strip() == "anthill"
    assert started.interrupt() == 0
    with urllib.request.urlopen(f"{service.origin}/readyz", timeout=5) as answer:
        assert answer.status == 200


@pytest.mark.parametrize("name", ["server", "test", "setup", "cluster"])
def test_help_prints_the_usage_and_an_unknown_argument_prints_it_to_stderr(started, name):
    for argument in ("--help", "-h"):
        done = started.script(name, argument)
        assert done.returncode == 0 and f"usage: script/{name}" in done.stdout and done.stderr == ""
    wrong = started.script(name, "--nonsense")
    assert wrong.returncode == 2 and wrong.stdout == "" and wrong.stderr == done.stdout


def test_the_benchmark_prints_its_options_without_building(started):
    done = started.script("bench", "5", "--help")
    assert done.returncode == 0 and done.stdout.startswith("usage: script/bench")


def test_the_benchmark_knows_the_functions_that_the_service_calls():
    sources = "".join(file.read_text() for file in (ROOT / "Sources").rglob("*.swift"))
    known = {name: functions for name, functions in runpy.run_path(ROOT / "Tests/bench/statements.py").items() if name.isupper()}
    # In a statement: Swift has functions with such names, too.
    called = set(re.findall(r"\b(?:SELECT|FROM|JOIN) (\w+)\(", sources))
    assert known and {name: functions for name, functions in known.items() if not called.issuperset(functions)} == {}
