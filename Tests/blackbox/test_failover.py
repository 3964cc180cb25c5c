"""The primary dies or stands still, and a standby takes over: nothing that was acknowledged is lost, nothing is there twice,
and the service goes on without a restart."""

import contextlib
import datetime
import os
import threading
import time

import httpx
import pytest
from person import Person, expect, new_id
from replicated import Replicated
from service import Service, started, wait_until

ROUNDS = 20 if os.environ.get("ANTHILL_TEST_RING") == "long" else 2
BEGAN = datetime.datetime(2026, 11, 18, 4, tzinfo=datetime.UTC)


@pytest.fixture(scope="module")
def servers():
    servers = Replicated()
    try:
        yield servers.start()
    finally:
        servers.remove()


@pytest.fixture(scope="module")
def replicated_service(servers):
    service = Service(servers.primary, DATABASE_URL=servers.url(), ANTHILL_API_LIMIT="0")
    with started(service):
        yield service


class Recorders:
    """Clients that record, each request under a key of its own, and ask again until it is acknowledged."""

    def __init__(self, service, clients=8, pause=0.0, began=BEGAN):
        self.pause, self.began = pause, began
        self.people = [Person(service, f"Recorder{number}").register() for number in range(clients)]
        self.acknowledged, self.failures = [], []
        self.stopping = threading.Event()
        self.threads = [threading.Thread(target=self._run, args=(person,)) for person in self.people]
        for thread in self.threads:
            thread.start()

    def _run(self, person):
        start = self.began
        while not self.stopping.is_set():
            end = start + datetime.timedelta(seconds=5)
            key = new_id()
            while not self._records(person, start, end, key):
                if self.failures:
                    return
                time.sleep(0.05)
            self.acknowledged.append((person.uid, start))
            start = end
            time.sleep(self.pause)

    def _records(self, person, start, end, key) -> bool:
        try:
            answer = person.post("/me/sessions", {"started_at": f"{start:%FT%TZ}", "ended_at": f"{end:%FT%TZ}"}, key=key)
        except httpx.TransportError:
            return False
        except AssertionError as error:
            self.failures.append(error)
            return False
        # 409: the first request under this key is still under way.
        if answer.status_code not in (201, 409, 503):
            self.failures.append(AssertionError(answer.text))
        return answer.status_code == 201

    def record(self, more=40):
        count = len(self.acknowledged) + more
        wait_until(lambda: self.failures or len(self.acknowledged) >= count, 120, "more records")
        assert self.failures == []

    def stop(self):
        self.stopping.set()
        for thread in self.threads:
            thread.join()
        for person in self.people:
            person.close()
        assert self.failures == []


def test_what_was_acknowledged_is_there_once_however_often_the_primary_fails(servers, replicated_service):
    load, pauses = Recorders(replicated_service), []
    try:
        for number in range(ROUNDS):
            load.record()
            began = time.monotonic()
            with contextlib.ExitStack() as stack:
                if number % 2:
                    stack.enter_context(servers.primary.freezing())
                else:
                    servers.primary.kill()
                old = servers.promote()
                load.record()
                pauses.append(time.monotonic() - began)
                if number % 2:
                    old.kill()
            replicated_service.cluster = servers.primary
            servers.follow(old)
    finally:
        load.stop()
    print(f"\n{len(load.acknowledged)} records over {ROUNDS} failovers; pauses of {min(pauses):.1f} to {max(pauses):.1f} s")
    rows = servers.primary.sql("SELECT uid::text, started_at FROM study_intervals")
    assert sorted(rows) == sorted(load.acknowledged)
    assert replicated_service.process.poll() is None
    if ROUNDS > 2:
        assert max(pauses) < 15


def test_a_command_finds_the_primary_among_all_servers(servers, replicated_service):
    with Person(replicated_service) as person:
        person.register()
        servers.standbys[0].sql("SELECT 1 WHERE pg_is_in_recovery()")
        for members in (servers.standbys + [servers.primary], [servers.primary] + servers.standbys):
            hosts = ",".join(map(servers.sockets, members))
            url = f"postgresql://anthill_admin@/anthill?host={hosts}"
            done = replicated_service.run("admin", "user", "show", person.email, DATABASE_ADMIN_URL=url)
            assert done.returncode == 0 and person.uid in done.stdout, done.stderr
        expect(person.get("/me"), 200)


def test_the_doctor_warns_of_a_failover_that_would_lose_something(servers, replicated_service):
    said = replicated_service.run("admin", "doctor", "--quick").stdout
    assert "commits wait for no standby" not in said
    servers.wait_for_standbys("")
    try:
        said = replicated_service.run("admin", "doctor", "--quick").stdout
        assert "commits wait for no standby, though DATABASE_URL names 2 servers" in said
    finally:
        servers.wait_for_standbys("standby")


def test_a_standby_alone_is_refused_at_the_start(servers, replicated_service):
    url = servers.standbys[0].url_of("anthill_service")
    done = replicated_service.run("serve", DATABASE_URL=url)
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1, done.stderr
    assert "DATABASE_URL leads nowhere" in done.stderr and "standby" in done.stderr
