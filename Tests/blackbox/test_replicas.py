"""Two standbys that answer what may be a few seconds old: one always reads what one just did, and a standby that lags or is
gone is left out until it is back."""

import datetime
import os
import random
import re

import httpx
import pytest
from person import PASSWORD, Person, expect, new_id
from replicated import Replicated
from service import Service, free_port, started, wait_until

PAIRS = 10_000 if os.environ.get("ANTHILL_TEST_RING") == "long" else 300
BEGAN = datetime.datetime(2026, 11, 18, 4, tzinfo=datetime.UTC)


@pytest.fixture(scope="module")
def servers():
    servers = Replicated(standbys=2, synchronous=False)
    try:
        yield servers.start()
    finally:
        servers.remove()


@pytest.fixture(scope="module")
def service(servers):
    hosts = ",".join(map(servers.sockets, servers.standbys))
    service = Service(
        servers.primary,
        ANTHILL_REPLICA_URL=f"postgresql://anthill_service@/anthill?host={hosts}",
        ANTHILL_METRICS_LISTEN=f"127.0.0.1:{free_port()}",
        ANTHILL_API_LIMIT="0",
    )
    with started(service):
        yield service


def figure(service, name):
    """A metric of each replica."""
    page = httpx.get(f"http://{service.environment['ANTHILL_METRICS_LISTEN']}/metrics", trust_env=False).text
    return [float(value) for value in re.findall(rf'^{name}{{replica="[^"]+"}} (\S+)$', page, re.M)]


def all_follow(service):
    wait_until(lambda: figure(service, "anthill_replica_up") == [1, 1], what="both replicas to follow")


def pause(replica, pauses=True):
    replica.sql(f"SELECT pg_wal_replay_{'pause' if pauses else 'resume'}()", role="postgres")


class Follower(Person):
    """Sends back where the database was, as the API asks for."""

    position = None

    def ask(self, *request, headers=None, **more):
        headers = {**(headers or {}), **({"Anthill-Position": self.position} if self.position else {})}
        answer = super().ask(*request, headers=headers, **more)
        self.position = answer.headers.get("Anthill-Position", self.position)
        return answer


@pytest.fixture
def person(service):
    with Follower(service) as person:
        yield person.register()


def test_one_always_reads_what_one_just_did(service, servers, person):
    all_follow(service)
    dice = random.Random(14)
    word = "w" + new_id().replace("-", "")
    group = person.found_group(name=f"0 {word}", listed=True)["id"]
    start, sessions = BEGAN, []
    try:
        for number in range(PAIRS):
            if dice.random() < 0.1:
                pause(dice.choice(servers.standbys), dice.random() < 0.5)
            if dice.random() < 0.5:
                expect(person.patch(f"/groups/{group}", {"name": f"{number} {word}"}), 200)
                [found] = expect(person.get(f"/directory?q={word}"), 200).json()["items"]
                assert found["name"] == f"{number} {word}"
                continue
            if sessions and dice.random() < 0.5:
                expect(person.delete(f"/me/sessions/{sessions.pop()}"), 204)
                start -= datetime.timedelta(seconds=5)
            else:
                end = start + datetime.timedelta(seconds=5)
                sessions.append(expect(person.log(f"{start:%FT%TZ}", f"{end:%FT%TZ}"), 201).json()["id"])
                start = end
            month = expect(person.get("/me/days?month=2026-11"), 200).json()
            assert sum(day["study_seconds"] for day in month["days"]) == 5 * len(sessions)
    finally:
        for replica in servers.standbys:
            pause(replica, False)


def test_replicas_answer_what_they_may(service, person):
    all_follow(service)
    before = sum(figure(service, "anthill_replica_reads_total"))

    def some_answered():
        expect(person.get("/me/sessions.csv"), 200)
        return sum(figure(service, "anthill_replica_reads_total")) > before

    wait_until(some_answered, what="a read of a replica")
    # Somebody who does not say what they wrote is answered by the primary, and nonsense is no position.
    for position in ("nonsense", f"{new_id()}.0", f"{person.position.partition('.')[0]}.{2**62}"):
        before = figure(service, "anthill_replica_reads_total")
        person.position = position
        expect(person.get("/me/sessions.csv"), 200)
        assert figure(service, "anthill_replica_reads_total") == before


def test_a_browser_brings_its_position_as_a_cookie(service, person):
    body = {"email": person.email, "password": PASSWORD, "delivery": "cookie"}
    ours = {"Sec-Fetch-Site": "same-origin"}
    expect(person.post("/sign-ins", body, token=None, headers=ours), 201)
    answer = expect(person.patch("/me", {"nickname": "Sora"}, token=None, headers=ours), 200)
    assert "anthill-position=" in answer.headers["set-cookie"] and "HttpOnly" in answer.headers["set-cookie"]
    assert "Anthill-Position" not in answer.headers
    all_follow(service)
    before = sum(figure(service, "anthill_replica_reads_total"))

    def some_answered():
        expect(person.get("/directory", token=None, headers=ours), 200)
        return sum(figure(service, "anthill_replica_reads_total")) > before

    wait_until(some_answered, what="a read of a replica")


def test_a_replica_that_lags_or_is_gone_is_left_out_and_taken_back(service, servers, person):
    all_follow(service)
    late, gone = servers.standbys
    pause(late)
    gone.kill()

    def both_are_out():
        # Without a change nobody lags.
        expect(person.patch("/me", {"nickname": "Minsu"}), 200)
        return figure(service, "anthill_replica_up") == [0, 0]

    wait_until(both_are_out, what="both to be left out")
    assert max(figure(service, "anthill_replica_lag_seconds")) > 5
    text = service.run("admin", "doctor", "--quick").stdout
    assert re.search(r"replicas.*2 to look at", text), text
    expect(person.get("/directory"), 200)
    pause(late, False)
    gone.start()
    all_follow(service)
    assert re.search(r"replicas.*all follow", service.run("admin", "doctor", "--quick").stdout)
