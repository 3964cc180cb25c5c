"""An hour under load, with a replica and failovers: what is kept in memory, descriptors and connections does not grow, nothing
that was acknowledged is lost, and every invariant holds. Only the long ring runs it (see conftest.py).

ANTHILL_TEST_LOAD_SECONDS says how long."""

import itertools
import os
import random
import re
import threading
import time
from pathlib import Path
from statistics import median

import httpx
import pytest
from person import Person, expect
from replicated import Replicated
from service import Service, free_port, started, wait_until
from test_failover import Recorders
from test_live import Events
from test_replicas import Follower

SECONDS = int(os.environ.get("ANTHILL_TEST_LOAD_SECONDS", 3600))
FAILOVERS = max(3, SECONDS // 300)
READS = ["/me/today", "/me/days", "/me/days?month=2026-10", "/me/sessions", "/me/sessions.csv", "/me/export", "/me/timer", "/leaderboard"]


@pytest.fixture(scope="module")
def servers():
    servers = Replicated()
    try:
        yield servers.start()
    finally:
        servers.remove()


@pytest.fixture(scope="module")
def loaded_service(servers):
    service = Service(
        servers.primary,
        DATABASE_URL=servers.url(),
        ANTHILL_REPLICA_URL=servers.url(),
        ANTHILL_METRICS_LISTEN=f"127.0.0.1:{free_port()}",
        ANTHILL_API_LIMIT="0",
    )
    with started(service):
        yield service


class Visitors:
    """Members of one group, each in a thread: they read all kinds of things, use the timer, and watch the board live. While
    there is no primary they are told so, and try something else."""

    def __init__(self, service, count=6):
        self.people = [Follower(service, f"Visitor{number}").register() for number in range(count)]
        self.group = self.people[0].found_group()
        code = self.people[0].invite(self.group)["code"]
        for person in self.people:
            if person is not self.people[0]:
                person.join(code)
            expect(person.patch("/me", {"global_board": True}), 200)
        self.answered, self.refused, self.boards, self.failures = 0, 0, 0, []
        self.stopping = threading.Event()
        self.threads = [threading.Thread(target=self._run, args=pair) for pair in enumerate(self.people)]
        for thread in self.threads:
            thread.start()

    def _run(self, number, person):
        dice = random.Random(number)
        while not self.stopping.is_set() and not self.failures:
            try:
                self._act(person, dice)
            except (httpx.TransportError, httpx.StreamError):
                self.refused += 1
            except AssertionError as error:
                self.failures.append(error)
            time.sleep(dice.random() / 10)

    def _act(self, person, dice):
        chance = dice.random()
        if chance < 0.5:
            group = f"/groups/{self.group['id']}"
            boards = [f"{group}/leaderboard", f"{group}/leaderboard?as_of=2026-11-19T00:00:00Z", f"{group}/today", f"{group}/standings"]
            return self._count(person.get(dice.choice(READS + boards)))
        if chance < 0.9:
            # Whether it runs, nobody knows after a failover.
            return self._count(person.post(f"/me/timer/{dice.choice(['start', 'pause', 'resume', 'stop'])}", {}), 409)
        stream = f"/api/v1/groups/{self.group['id']}/leaderboard/stream"
        with person.http.stream("GET", stream, headers={"Authorization": f"Bearer {person.token}"}) as response:
            if response.status_code == 200 and Events(response).board():
                self.boards += 1
            else:
                assert response.status_code in (200, 503), response.read()
                self.refused += 1

    def _count(self, answer, *others):
        if answer.status_code == 503:
            self.refused += 1
        elif answer.status_code in (200, 201, *others):
            self.answered += 1
        else:
            self.failures.append(AssertionError(f"{answer.request.url}: {answer.status_code} {answer.text}"))

    def stop(self):
        self.stopping.set()
        for thread in self.threads:
            thread.join()
        for person in self.people:
            person.close()
        assert self.failures == []


class Watch:
    """What the service holds, looked at every second."""

    def __init__(self, service):
        self.service, self.seen = service, []
        self.stopping = threading.Event()
        self.thread = threading.Thread(target=self._run)
        self.thread.start()

    def _run(self):
        process = Path(f"/proc/{self.service.process.pid}")
        metrics = f"http://{self.service.environment['ANTHILL_METRICS_LISTEN']}/metrics"
        while not self.stopping.wait(1):
            memory = int(re.search(r"VmRSS:\s+(\d+)", (process / "status").read_text())[1]) // 1024
            try:
                page = httpx.get(metrics, trust_env=False, timeout=30).text
            except httpx.TransportError:
                continue
            sums = [
                sum(map(int, re.findall(rf"^anthill_database_{name}{{[^}}]*}} (\d+)$", page, re.M))) for name in ("connections", "lanes")
            ]
            self.seen.append((memory, len(os.listdir(process / "fd")), *sums))

    def stop(self):
        self.stopping.set()
        self.thread.join()

    def thirds(self):
        """Megabytes, descriptors, connections to the database, and how many of these there should be: the medians of the first
        and of the last third."""
        third = len(self.seen) // 3
        return [[int(median(column)) for column in zip(*part, strict=True)] for part in (self.seen[:third], self.seen[-third:])]


def fail_over(servers, number, recorders):
    """The primary dies, or stands still; the standby takes over, and the old one follows it once people record again."""
    if number % 2:
        with servers.primary.freezing():
            old = servers.promote()
            recorders.record(more=4)
            old.kill()
    else:
        servers.primary.kill()
        old = servers.promote()
        recorders.record(more=4)
    servers.follow(old)


def test_nothing_grows_and_nothing_is_lost_in_an_hour_under_load(servers, loaded_service):
    recorders = Recorders(loaded_service, clients=4, pause=0.2)
    visitors, watch = Visitors(loaded_service), None
    try:
        recorders.record()
        watch = Watch(loaded_service)
        began = time.monotonic()
        for number in itertools.count():
            due = min(SECONDS, (number + 0.5) * SECONDS / FAILOVERS)
            wait_until(lambda due=due: recorders.failures or visitors.failures or time.monotonic() - began >= due, SECONDS + 60)
            assert recorders.failures == visitors.failures == []
            if number == FAILOVERS:
                break
            fail_over(servers, number, recorders)
            loaded_service.cluster = servers.primary
    finally:
        if watch:
            watch.stop()
        try:
            recorders.stop()
        finally:
            visitors.stop()
    before, after = watch.thirds()
    print(
        f"\n{SECONDS} s with {FAILOVERS} failovers: {len(recorders.acknowledged)} records, {visitors.answered} answers,"
        f" {visitors.boards} live boards, {visitors.refused} refused for lack of a database; megabytes, descriptors, connections to"
        f" the database and how many there should be: {before} in the first third, {after} in the last"
    )
    assert visitors.answered > 100 and visitors.boards > 0
    memory, descriptors, connections, lanes = zip(before, after, strict=True)
    assert memory[1] <= memory[0] * 1.1 + 16
    assert descriptors[1] <= descriptors[0] + 8
    # Some are opened only when they are needed.
    assert connections[1] <= lanes[1] == lanes[0]
    rows = servers.primary.sql("SELECT uid::text, started_at FROM study_intervals WHERE source = 'manual'")
    assert sorted(rows) == sorted(recorders.acknowledged)
    assert loaded_service.process.poll() is None
    with Person(loaded_service) as person:
        expect(person.register().get("/me"), 200)
