"""The service to measure: `anthill serve` on a database, on a free loopback port."""

import base64
import dataclasses
import hashlib
import hmac
import http.client
import json
import os
import pathlib
import re
import secrets
import socket
import subprocess
import time

HERE = pathlib.Path(__file__).parent
PROGRAM = HERE.parents[1] / ".build/release/anthill"
CONNECTIONS = 64  # of HTTP clients
TICKS = os.sysconf("SC_CLK_TCK")

# No limit on requests. Loopback counts as a proxy, so that it may open thousands of connections.
SETTINGS = {"ANTHILL_SECRET": secrets.token_hex(32), "ANTHILL_API_LIMIT": "0", "ANTHILL_TRUSTED_PROXIES": "127.0.0.1"}


def cpu_of(pid, ended_children=False):
    """Seconds of CPU that a process has used, with those of its children that have ended if that is wanted."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1].split()
    return sum(map(int, fields[11 : 15 if ended_children else 13])) / TICKS


def token(number):
    """The sign-in token of the person with this number, as the client sends it."""
    return base64.urlsafe_b64encode(hashlib.sha256(f"bench {number}".encode()).digest()).decode().rstrip("=")


def token_mac(number):
    """The form in which the service stores that token, in hexadecimal."""
    key = hmac.digest(SETTINGS["ANTHILL_SECRET"].encode(), b"anthill/sign_in", "sha256")
    return hmac.digest(key, hashlib.sha256(f"bench {number}".encode()).digest(), "sha256").hex()


def run(database, *arguments):
    """Runs another command of the program until it ends."""
    subprocess.run([PROGRAM, *arguments], env=os.environ | {"DATABASE_OWNER_URL": database.owner}, check=True)


@dataclasses.dataclass
class Run:
    speed: float  # requests per second
    cpu: float  # microseconds of the service per request
    database: float  # and of PostgreSQL
    unchanged: int  # per cent of them that were answered by 304


class Service:
    def __init__(self, database, folder):
        self.database, self.folder = database, folder
        folder.mkdir()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.base = f"http://127.0.0.1:{self.port}"
        self.environment = (
            os.environ | SETTINGS | {"DATABASE_URL": database.url, "ANTHILL_HOME": str(folder), "ANTHILL_LISTEN": f"127.0.0.1:{self.port}"}
        )
        self.start()

    def start(self):
        """Starts it and returns how many seconds it took until it answered a signed-in user."""
        began = time.monotonic()
        with open(self.folder / "server.log", "ab") as log:
            # It ends with this script, even if that is killed.
            self.process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "TERM", PROGRAM, "serve"], env=self.environment, stdout=subprocess.DEVNULL, stderr=log
            )
        while self.process.poll() is None and time.monotonic() - began < 15:
            try:
                self.call("GET", "/me", person=1)
                return time.monotonic() - began
            except ConnectionRefusedError:
                time.sleep(0.002)
        raise SystemExit("the service did not start: " + (self.folder / "server.log").read_text()[-2000:])

    def stop(self):
        self.process.terminate()
        if self.process.wait(timeout=30):
            raise SystemExit("the service did not stop well: " + (self.folder / "server.log").read_text()[-2000:])

    def call(self, method, path, body=None, *, person):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request(
            method,
            f"/api/v1{path}",
            None if body is None else json.dumps(body),
            {"Authorization": f"Bearer {token(person)}", "Content-Type": "application/json"},
        )
        response = connection.getresponse()
        content = response.read()
        connection.close()
        if response.status not in (200, 201):
            raise SystemExit(f"{method} {path}: {response.status} {content.decode()}")
        return json.loads(content)

    def cpu(self):
        return cpu_of(self.process.pid)

    def memory(self):
        """Its memory in megabytes."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024

    def load(self, seconds, script, path, people=(1,), *arguments):
        """Runs wrk with `script` over 64 connections, for these people. No request may fail. `people` may be a dictionary
        with a path for each of them."""
        tokens = self.folder / "tokens"
        own = people if isinstance(people, dict) else {}
        tokens.write_text("".join(f"{token(person)} {own.get(person, path)}\n" for person in people))
        before, database = self.cpu(), self.database.cpu()
        output = subprocess.run(
            [
                "wrk",
                "-t2",
                f"-c{CONNECTIONS}",
                f"-d{seconds}s",
                "--timeout",
                "30s",
                "-s",
                HERE / script,
                self.base + path,
                "--",
                str(tokens),
                path,
                *map(str, arguments),
            ],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        used, database = self.cpu() - before, self.database.cpu() - database
        if "Non-2xx" in output or "Socket errors" in output or not re.search(r"^FAILED 0$", output, flags=re.M):
            raise SystemExit(f"requests for {path} failed:\n{output}")
        requests = int(re.search(r"(\d+) requests in", output)[1])
        unchanged = re.search(r"^UNCHANGED (\d+)$", output, flags=re.M)
        return Run(
            float(re.search(r"Requests/sec:\s+([\d.]+)", output)[1]),
            used / requests * 1e6,
            database / requests * 1e6,
            int(unchanged[1]) if unchanged else 0,
        )
