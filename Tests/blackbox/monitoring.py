"""A real Prometheus that scrapes a service, and what /metrics says, read as Prometheus reads it."""

import re
import subprocess

import httpx
from service import ROOT, free_port, wait_until

FOLDER = ROOT / "docs/monitoring"
SAMPLE = re.compile(r"(\w+)(?:\{(.*)\})? (\S+)")
LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')


def page(service):
    return httpx.get(f"http://{service.environment['ANTHILL_METRICS_LISTEN']}/metrics", timeout=20, trust_env=False)


def samples(service):
    """{(name, labels): value} of every line."""
    lines = [SAMPLE.fullmatch(line) for line in page(service).text.splitlines() if not line.startswith("#")]
    return {(line[1], frozenset(LABEL.findall(line[2] or ""))): float(line[3]) for line in lines}


def total(service, name, **labels):
    """The sum of the samples with this name and these labels; None when there is no such."""
    found = [value for (n, all_labels), value in samples(service).items() if n == name and labels.items() <= dict(all_labels).items()]
    return sum(found) if found else None


class Prometheus:
    """The one of docs/monitoring, with its alerts, but it scrapes this service, and often."""

    def __init__(self, service):
        self.folder = service.cluster.folder / "prometheus"
        self.folder.mkdir()
        self.url = f"http://127.0.0.1:{free_port()}"
        configuration = (FOLDER / "prometheus.yml").read_text()
        for usual, here in (
            ("127.0.0.1:9464", service.environment["ANTHILL_METRICS_LISTEN"]),
            ("interval: 15s", "interval: 200ms"),
            ("- alerts.yml", f"- {FOLDER / 'alerts.yml'}"),
        ):
            assert usual in configuration
            configuration = configuration.replace(usual, here)
        (self.folder / "prometheus.yml").write_text(configuration)
        self.log = open(self.folder / "log", "wb")
        self.process = subprocess.Popen(
            ["prometheus", f"--config.file={self.folder / 'prometheus.yml'}", f"--storage.tsdb.path={self.folder / 'data'}",
             f"--web.listen-address={self.url.removeprefix('http://')}"],
            stdout=self.log, stderr=self.log, start_new_session=True,
        )  # fmt: skip
        wait_until(lambda: self.value("up") == 1, what="Prometheus to scrape the service")

    def stop(self):
        self.process.terminate()
        self.process.wait()
        self.log.close()

    def ask(self, path, **parameters):
        """The data of an answer of its API; nothing while it does not answer."""
        try:
            answer = httpx.get(f"{self.url}/api/v1/{path}", params=parameters, timeout=10, trust_env=False)
        except httpx.TransportError:
            return None
        if answer.status_code != 200:
            return None
        return answer.json()["data"]

    def value(self, expression):
        """The one value of an expression; nothing when there is none, or more."""
        found = (self.ask("query", query=expression) or {"result": []})["result"]
        return float(found[0]["value"][1]) if len(found) == 1 else None
