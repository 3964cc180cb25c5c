"""pg_auto_failover, set up by the commands of docs/operate.md: it lets the standby take over when the primary dies, and the old
primary follow when it is back. The three machines are three ports of this one, and no systemd starts anything. Only the long ring
runs it (see conftest.py).

ANTHILL_TEST_KILLS says how often the primary dies."""

import os
import re
import signal
import subprocess
import time

import pytest
from replicated import AS_OWNER
from service import ROOT, START, Cluster, Service, free_port, wait_until
from test_failover import Recorders

PLACES = "/var/lib/postgresql/15/"
KILLS = int(os.environ.get("ANTHILL_TEST_KILLS", 20))


class Machine:
    """db0, db1 or db2: what operate.md has done there."""

    def __init__(self, name, folder, ports):
        self.folder, self.ports, self.process = folder, ports, None
        self.port = ports[name]
        self.data = folder / name
        # Nothing comes before Debian's programs: pg_autoctl wants all of PostgreSQL's beside the first pg_ctl.
        paths = [path for path in os.environ["PATH"].split(":") if not path.startswith(("/root", "/usr/local"))]
        self.environment = {"PATH": ":".join(paths), "HOME": folder, "XDG_RUNTIME_DIR": folder / "run", "PGPORT": str(self.port)}
        self.environment |= {"LC_ALL": "C.UTF-8", "TZ": "UTC"}

    def follow(self, commands):
        """Does what the page says, line by line."""
        for line in commands.splitlines():
            if line.startswith("systemctl "):
                self.start()
            elif " show systemd " not in line:
                self.run(self.here(line.removeprefix("sudo -u postgres ")))

    def here(self, line):
        """The same on a machine that is all three."""
        line = re.sub(PLACES + r"\w+", str(self.data), line)
        line = re.sub(r"--hostname (db\d) --pgport 5432", lambda found: f"--hostname 127.0.0.1 --pgport {self.ports[found[1]]}", line)
        return re.sub(r"@(db\d):5432", lambda found: f"@127.0.0.1:{self.ports[found[1]]}", line).replace("10.0.0.0/8", "127.0.0.0/8")

    def run(self, line):
        done = subprocess.run(
            [*AS_OWNER, "bash", "-c", line], cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=180
        )
        assert done.returncode == 0, f"{line}: {done.stdout} {done.stderr}"
        return done.stdout

    def start(self):
        with open(self.folder / f"{self.data.name}.log", "ab") as log:
            self.process = subprocess.Popen(
                [*AS_OWNER, "pg_autoctl", "run", "--pgdata", self.data],
                cwd=self.folder,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        wait_until(self.answers, 120, f"{self.data.name} to answer")

    def answers(self):
        line = [*AS_OWNER, "psql", "-XAtq", "-d", "postgres", "-c", "SELECT 1"]
        return subprocess.run(line, cwd=self.folder, env=self.environment, capture_output=True).returncode == 0

    def sync_states(self):
        return self.run("psql -XAtq -d postgres -c 'SELECT sync_state FROM pg_stat_replication'").split()

    def kill(self):
        """Everything on it is gone at once."""
        pids = [int(file.read_text().split()[0]) for file in [self.data / "postmaster.pid"] if file.exists()]
        os.killpg(self.process.pid, signal.SIGKILL)
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        self.process.wait()

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.terminate()
            self.process.wait(timeout=120)


class Managed(Cluster):
    """The database that db1 and db2 keep; `sql` asks the primary."""

    def __init__(self):
        super().__init__()
        subprocess.run(["chmod", "777", self.folder], check=True)
        self.ports = {name: free_port() for name in ("db0", "db1", "db2")}
        self.machines = {name: Machine(name, self.folder, self.ports) for name in self.ports}

    def set_up(self):
        section = (ROOT / "docs/operate.md").read_text().partition("\n## A database that fails over\n")[2].partition("\n## ")[0]
        for name, commands in re.findall(r"On `(db\d)`.*?\n\n```sh\n(.*?)```", section, re.S):
            self.machines[name].follow(commands)
        url = re.search(r"DATABASE_URL='(.*?)'", section)[1]
        for name, port in self.ports.items():
            url = url.replace(f"{name}:5432", f"127.0.0.1:{port}")
        self.url = url.replace("anthill_service:", "anthill_owner:")
        return self

    def url_of(self, role):
        return self.url.replace("//anthill_owner:", f"//{role}:")

    def state(self):
        """What the monitor says of each server."""
        said = self.machines["db0"].run(f"pg_autoctl show state --pgdata {self.machines['db0'].data}")
        rows = [[cell.strip() for cell in line.split("|")] for line in said.splitlines() if line.strip().startswith("db")]
        return {row[0]: (row[5], row[6]) for row in rows}

    def settled(self, primary, secondary):
        return self.state() == {primary: ("primary", "primary"), secondary: ("secondary", "secondary")}

    def stop(self):
        for machine in reversed(self.machines.values()):
            machine.stop()


@pytest.fixture
def managed():
    cluster = Managed()
    try:
        yield cluster.set_up()
    finally:
        cluster.remove()


def test_the_primary_dies_again_and_again_and_nothing_is_lost(managed):
    primary, standby = "db1", "db2"
    wait_until(lambda: managed.settled(primary, standby), 180, f"{standby} to follow {primary}")
    service = Service(managed, ANTHILL_API_LIMIT="0").migrate()
    load, pauses = None, []
    try:
        service.set_clock(START).start()
        load = Recorders(service, pause=0.05)
        for _ in range(KILLS):
            load.record()
            assert managed.machines[primary].sync_states() in (["sync"], ["quorum"])
            began = time.monotonic()
            managed.machines[primary].kill()
            load.record(len(load.people))
            pauses.append(time.monotonic() - began)
            managed.machines[primary].start()
            primary, standby = standby, primary
            wait_until(lambda: managed.settled(primary, standby), 180, f"{standby} to follow {primary}")
        load.stop()
        print(f"\n{len(load.acknowledged)} records over {KILLS} failovers; pauses of {min(pauses):.1f} to {max(pauses):.1f} s")
        rows = managed.sql("SELECT uid::text, started_at FROM study_intervals")
        assert sorted(rows) == sorted(load.acknowledged)
        assert max(pauses) < 15
        # It was never started anew.
        assert service.stop() == 0
        assert service.violations() == []
        assert '"status":500' not in service.log()
    finally:
        if load:
            load.stopping.set()
        if service.process:
            service.kill()
