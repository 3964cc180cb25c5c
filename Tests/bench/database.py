"""The PostgreSQL that the service uses, and pgbench, which measures its limit."""

import contextlib
import os
import pathlib
import re
import subprocess
import time

from service import cpu_of, run

CONNECTIONS = 8  # of pgbench
# The settings of the service's own connections.
SETTINGS = os.environ | {"PGOPTIONS": "-c jit=off -c enable_seqscan=off"}


def psql(url, text):
    """The lines that psql prints for statements."""
    output = subprocess.run(["psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-d", url], input=text, capture_output=True, text=True)
    if output.returncode:
        raise SystemExit(output.stderr)
    return output.stdout.splitlines()


def cpu_of_server(postgres):
    """Seconds of CPU that the processes of a server have used, ended ones included."""
    postmaster = int((postgres / "data/postmaster.pid").read_text().split()[0])
    children = pathlib.Path(f"/proc/{postmaster}/task/{postmaster}/children").read_text().split()
    used = 0
    for child in children:
        # One that ends meanwhile counts as ended.
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            used += cpu_of(child)
    return used + cpu_of(postmaster, ended_children=True)


class Database:
    def __init__(self, folder, postgres, name="anthill", owner=os.environ.get("DATABASE_OWNER_URL", "")):
        self.folder, self.postgres, self.name = folder, postgres, name
        self.owner = owner.replace("/anthill?", f"/{name}?")
        self.url = self.owner.replace("//anthill_owner@", "//anthill_service@")
        self.admin = self.owner.replace("//anthill_owner@", "//postgres@")
        self.log = postgres / "log"

    def another(self, name):
        """Makes an empty database in the same cluster."""
        self.sql(f"CREATE DATABASE {name} OWNER anthill_owner")
        return Database(self.folder, self.postgres, name)

    def migrate(self):
        run(self, "migrate")

    def sql(self, text):
        return psql(self.admin, text)

    def cpu(self):
        """Seconds of CPU that PostgreSQL has used."""
        return cpu_of_server(self.postgres)

    def statements(self, call, *functions, having=""):
        """The statements that the service sends during `call`, one for each function, with their parameters as literals;
        those with `having` among the parameters."""
        self.sql("ALTER SYSTEM SET log_min_duration_statement = 0; SELECT pg_reload_conf()")
        time.sleep(0.3)
        position = self.log.stat().st_size
        call()
        time.sleep(0.3)
        self.sql("ALTER SYSTEM RESET log_min_duration_statement; SELECT pg_reload_conf()")
        with self.log.open() as log:
            log.seek(position)
            entries = re.split(r"^\d{4}-\d\d-\d\d [\d:.]+ UTC \[\d+\] ", log.read(), flags=re.M)
        return [self.statement(entries, function, having) for function in functions]

    @staticmethod
    def statement(entries, function, having):
        for entry, detail in zip(entries, entries[1:]):
            found = re.match(r"LOG:  duration: [\d.]+ ms  execute [^:]*: (.*)", entry, flags=re.S)
            if found and f" {function}(" in found[1] and detail.startswith("DETAIL:  parameters: ") and having in detail:
                pairs = re.findall(r"\$(\d+) = ('(?:[^']|'')*'|NULL)", detail)
                return found[1].strip(), {int(number): literal for number, literal in pairs}
        raise SystemExit(f"no statement with {function} was logged")

    def limit(self, seconds, script, **variables):
        """Transactions per second that pgbench reaches with `script`, over eight connections. None may fail."""
        file = self.folder / "script.sql"
        file.write_text(script)
        command = ["pgbench", "-n", "-M", "prepared", "-f", file, "-c", str(CONNECTIONS), "-j", "2", "-T", str(seconds)]
        command += [f"-D{name}={value}" for name, value in variables.items()] + [self.url]
        output = subprocess.run(command, capture_output=True, text=True, env=SETTINGS)
        found = re.search(r"tps = ([\d.]+)", output.stdout)
        failed = re.search(r"number of failed transactions: ([1-9]\d*)", output.stdout)
        if output.returncode or "aborted" in output.stderr or failed or not found:
            raise SystemExit(output.stdout + output.stderr)
        return float(found[1])


def filled(statement, replacements=()):
    """A statement with its literals; some of them replaced by expressions."""
    text, literals = statement
    for number, literal in literals.items():
        for part, expression in replacements:
            if part in literal:
                literals[number] = expression
    return re.sub(r"\$(\d+)", lambda found: literals[int(found[1])], text) + ";"


def replay(statements, replacements=(), prelude=""):
    """A script for pgbench: the statements in one pipeline, as the service sends them."""
    lines = [prelude, "\\startpipeline", *(filled(statement, replacements) for statement in statements), "\\endpipeline"]
    return "\n".join(lines) + "\n"
