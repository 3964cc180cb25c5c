"""A Debian with systemd, made once from Debian's packages and booted in a container: there the package is installed, and
the proxies run. It has a network of its own, so every port is free, and the tests enter it."""

import contextlib
import ctypes
import hashlib
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
from pathlib import Path

from service import ROOT, Cluster, Service, wait_until

PACKAGES = ROOT / ".build/package"
CLONE_NEWNET = 0x40000000
# Besides what Anthill's package needs.
TOOLS = ["age", "busybox-static", "systemd", "systemd-sysv", "man-db", "caddy", "haproxy", "nginx-light"]


def package(version="0.1.1") -> Path:
    """Anthill's package."""
    made = subprocess.run(
        [ROOT / "script/package", PACKAGES],
        env={**os.environ, "ANTHILL_VERSION": version},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert made.returncode == 0, made.stdout + made.stderr
    return PACKAGES / f"anthill_{version}_amd64.deb"


def successor(deb, version) -> Path:
    """A later version, quickly made: the same package with one more table."""
    new = deb.with_name(f"anthill_{version}_amd64.deb")
    with tempfile.TemporaryDirectory() as folder:
        files = Path(folder) / "files"
        subprocess.run(["dpkg-deb", "--raw-extract", deb, files], check=True)
        control = files / "DEBIAN/control"
        control.write_text(re.sub("^Version: .*$", f"Version: {version}", control.read_text(), flags=re.M))
        (files / "usr/lib/anthill/version").write_text(version + "\n")
        tables = files / "usr/lib/anthill/Anthill_Schema.resources/tables"
        (tables / f"{len(list(tables.iterdir())) + 1:03}_later.sql").write_text("CREATE TABLE later_table ();\n")
        subprocess.run(["dpkg-deb", "--root-owner-group", "-Znone", "--build", files, new], check=True, capture_output=True)
    return new


def field(deb, name) -> str:
    return subprocess.run(["dpkg-deb", "--field", deb, name], capture_output=True, text=True, check=True).stdout.strip()


def debian(deb) -> Path:
    """The files of a Debian that has what the package depends on; it is made when the list changes, and kept."""
    needed = [re.split(r"[ (|]", one.strip())[0] for one in field(deb, "Depends").split(",")]
    wanted = sorted({*needed, *TOOLS})
    root = ROOT / ".build/debian" / hashlib.sha256(" ".join(wanted).encode()).hexdigest()[:12]
    if not root.exists():
        shutil.rmtree(root.parent, ignore_errors=True)
        root.parent.mkdir(parents=True)
        half = root.with_suffix(".half")
        made = subprocess.run(
            ["mmdebstrap", "--variant=minbase", f"--include={','.join(wanted)}", "--format=directory", "bookworm", half],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        assert made.returncode == 0, f"mmdebstrap could not make a Debian here: {made.stderr[-2000:]}"
        half.rename(root)
    return root


class Machine:
    """Boots with nothing of Anthill installed, and its PostgreSQL's socket in /srv/postgresql."""

    def __init__(self, deb):
        assert os.geteuid() == 0, "A container is booted here: run script/test as root."
        self.folder = Path(tempfile.mkdtemp(prefix="anthill-machine-", dir="/tmp"))
        self.root = self.folder / "root"
        for name in ("root", "changes", "work"):
            (self.folder / name).mkdir(mode=0o755)
        layers = f"lowerdir={debian(deb)},upperdir={self.folder}/changes,workdir={self.folder}/work"
        subprocess.run(["mount", "-t", "overlay", "overlay", "-o", layers, self.root], check=True)
        for proxy in ("caddy", "haproxy", "nginx"):
            (self.root / f"etc/systemd/system/multi-user.target.wants/{proxy}.service").unlink()
        self.cluster = Cluster("unix_socket_permissions=0777")
        self.process = self.leader = None

    def boot(self):
        sockets = self.cluster.start().folder / "postgres/run"
        sockets.chmod(0o711)
        with open(self.folder / "console", "wb") as console:
            self.process = subprocess.Popen(
                ["systemd-nspawn", "--quiet", "--register=no", "--keep-unit", "--boot", "--private-network", "--console=pipe"]
                + [f"--machine={self.folder.name.replace('_', '-')}", f"--directory={self.root}", f"--bind={sockets}:/srv/postgresql"],
                stdin=subprocess.DEVNULL,
                stdout=console,
                stderr=subprocess.STDOUT,
            )
        said = f"{self.folder}/console"
        self.leader = wait_until(self._leader, what=f"the container to boot; {said}")
        wait_until(lambda: self.run("systemctl", "is-system-running", check=False).stdout == "running\n", what=f"systemd; {said}")
        return self

    def _leader(self):
        assert self.process.poll() is None, (self.folder / "console").read_text(errors="replace")
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        return next((pid for pid in children if Path(f"/proc/{pid}/comm").read_text().strip() == "systemd"), None)

    def run(self, *command, check=True):
        """Runs a command there, as root."""
        done = subprocess.run(
            ["nsenter", "--target", self.leader, "--all", "--", *map(str, command)],
            env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        assert not check or done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
        return done

    def copy(self, deb):
        shutil.copy(deb, self.root / "root")

    def install(self, deb, check=True):
        self.copy(deb)
        return self.run("dpkg", "--install", f"/root/{deb.name}", check=check)

    @contextlib.contextmanager
    def network(self):
        """The thread is in the machine's network, and so are the threads that it starts."""
        libc = ctypes.CDLL(None, use_errno=True)
        with open(f"/proc/{threading.get_native_id()}/ns/net") as here, open(f"/proc/{self.leader}/ns/net") as there:
            assert libc.setns(there.fileno(), CLONE_NEWNET) == 0
            try:
                yield
            finally:
                assert libc.setns(here.fileno(), CLONE_NEWNET) == 0

    def remove(self):
        """Stops at once, as a machine that loses its power."""
        if self.leader:
            # All that runs there ends with its first process, but not with the one that booted it.
            os.kill(int(self.leader), signal.SIGKILL)
        if self.process:
            self.process.kill()
            self.process.wait()
        self.cluster.remove()
        subprocess.run(["umount", "--lazy", self.root], check=True)
        shutil.rmtree(self.folder)


class InstalledService(Service):
    """The service of the package."""

    def __init__(self, machine, base_url="http://localhost:8080", **environment):
        super().__init__(machine.cluster)
        self.machine, self.port, self.origin = machine, 8080, base_url
        self.api = f"{self.origin}/api/v1"
        self.mail = machine.root / "var/lib/anthill/mail"
        self.settings, self.owners = (machine.root / "etc/anthill" / name for name in ("anthill.env", "owner.env"))
        for file in (self.settings, self.owners):
            file.write_text(file.read_text().replace("host=/var/run/postgresql", "host=/srv/postgresql"))
        # Mail goes to files, where the tests read it.
        text = re.sub(r"^(ANTHILL_SMTP_URL=none)", r"#\1", self.settings.read_text(), flags=re.M)
        text = text.replace("ANTHILL_BASE_URL=http://localhost:8080", f"ANTHILL_BASE_URL={base_url}")
        self.settings.write_text(text + "".join(f"{name}={value}\n" for name, value in environment.items()))

    def start(self):
        self.machine.run("systemctl", "enable", "--now", "--quiet", "anthill.socket", "anthill.service")
        return self

    def restart(self):
        done = self.machine.run("systemctl", "restart", "anthill", check=False)
        assert done.returncode == 0, done.stderr + "\n".join(line for line in self.log().splitlines()[-300:] if not line.startswith("{"))

    def log(self):
        return self.machine.run("journalctl", "--unit=anthill", "--output=cat", "--no-pager").stdout
