"""Two standbys that answer what may be a few seconds old: one always reads what one just did, and a standby that lags or is
gone is left out until it is back."""

import contextlib
import datetime
import os
import random
import re
import threading
import time

import httpx
import psycopg
import pytest
from person import PASSWORD, Person, expect, new_id
from replicated import Replicated
from service import Service, free_port, started, wait_until
from test_pooler import pooled

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
    answered = sum(figure(service, "anthill_replica_reads_total"))
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
    # They were asked, and not only where nothing had changed.
    assert sum(figure(service, "anthill_replica_reads_total")) - answered > PAIRS / 10


@contextlib.contextmanager
def standing_still(service, servers):
    """Both replicas follow, and then replay nothing more. For some seconds they may be asked all the same."""
    all_follow(service)
    for replica in servers.standbys:
        pause(replica)
    try:
        yield
    finally:
        for replica in servers.standbys:
            pause(replica, False)


def test_one_reads_what_one_just_did_without_a_sign_in(service, servers, person):
    expect(person.post("/me/email-changes", {"email": f"new.{person.email}", "password": PASSWORD}), 202)
    token = service.token_from_mail(f"new.{person.email}")
    expect(person.get("/me/export"), 200)
    with standing_still(service, servers):
        expect(person.post("/email-changes", {"token": token}, token=None), 204)
        assert expect(person.get("/me/export"), 200).json()["profile"]["email"] == f"new.{person.email}"


def test_one_reads_what_one_just_did_though_answers_overtake_each_other(service, servers, person):
    expect(person.get("/me/days?month=2026-11"), 200)
    with standing_still(service, servers):
        before = person.position
        expect(person.log("2026-11-18T04:00:00Z", "2026-11-18T05:00:00Z"), 201)
        assert person.position != before
        # As if an earlier answer had come last.
        person.position = before
        days = expect(person.get("/me/days?month=2026-11"), 200).json()["days"]
        assert sum(day["study_seconds"] for day in days) == 3600


def test_the_next_page_is_not_older_than_the_last_one(service, servers, person):
    all_follow(service)
    expect(person.patch("/me", {"nickname": "Bora"}), 200)
    first = person.position

    def has_moved():
        with Person(service) as other:
            other.register()
        expect(person.get("/directory"), 200)
        return person.position != first

    wait_until(has_moved, what="a replica to say how far it is")
    (_, timeline, place), (_, other, before) = (position.split(".") for position in (person.position, first))
    assert timeline == other and int(place) > int(before)


def test_what_is_no_longer_public_is_hidden_at_once(service, servers, person):
    group = person.found_group()["id"]
    expect(person.patch(f"/groups/{group}", {"badge_allowed": True, "board_public": True, "months_public": True}), 200)
    paths = ["public-leaderboard", "badge.svg", "public-standings"]
    for path in paths:
        expect(person.get(f"/groups/{group}/{path}", token=None), 200)
    with standing_still(service, servers):
        expect(person.patch(f"/groups/{group}", {"badge_allowed": False, "board_public": False, "months_public": False}), 200)
        for path in paths:
            with Person(service) as stranger:
                expect(stranger.get(f"/groups/{group}/{path}"), 404)


def test_what_is_over_and_what_is_public_comes_from_replicas(service, person):
    group = person.found_group()["id"]
    expect(person.patch(f"/groups/{group}", {"badge_allowed": True, "board_public": True, "months_public": True}), 200)
    all_follow(service)
    board, public = (
        f"/groups/{group}/leaderboard",
        [f"/groups/{group}/{path}" for path in ("badge.svg", "public-leaderboard", "public-standings")],
    )
    lagging = [f"{board}?at=2026-10", f"{board}?period=day&at=2026-11-10", f"{board}.csv", f"{board}?as_of=2026-11-19T00:00:00Z"]
    for path in lagging + ["/leaderboard?at=2026-10", "/me/days?month=2026-10", "/directory", "/me/standings"] + public:

        def comes_from_a_replica(path=path):
            before = sum(figure(service, "anthill_replica_reads_total"))
            expect(person.get(path), 200)
            return sum(figure(service, "anthill_replica_reads_total")) > before

        wait_until(comes_from_a_replica, 30, f"a replica to answer {path}")
    before = figure(service, "anthill_replica_reads_total")
    for path in (board, f"{board}?at=2026-11", f"{board}?period=day&at=2026-11-19", "/leaderboard", "/me/today", "/me/days", "/me/timer"):
        expect(person.get(path), 200)
    assert figure(service, "anthill_replica_reads_total") == before


def test_a_replica_that_stands_still_holds_nobody_up_for_long(service, servers, person):
    all_follow(service)
    expect(person.get("/me/sessions.csv"), 200)
    with servers.standbys[0].freezing(), servers.standbys[1].freezing():
        for _ in range(4):
            began = time.monotonic()
            expect(person.get("/me/sessions.csv"), 200)
            # They are asked once a second how they are, and have a second to answer.
            assert time.monotonic() - began < 3.75
        assert figure(service, "anthill_replica_up") == [0, 0]
    all_follow(service)


def test_a_replica_that_is_busy_is_not_left_out(service, servers, person):
    expect(person.patch("/me", {"nickname": "Duri"}), 200)
    all_follow(service)
    stopping, statuses = threading.Event(), []

    def keep_asking():
        with httpx.Client(base_url=service.api, headers=headers, timeout=30, trust_env=False) as client:
            while not stopping.is_set():
                statuses.append(client.get("/me/export").status_code)

    headers = {"Authorization": f"Bearer {person.token}", "Anthill-Position": person.position}
    threads = [threading.Thread(target=keep_asking) for _ in range(8)]
    with psycopg.connect(servers.primary.url) as connection:
        # An export reads this table, and nothing else does here. A standby takes the lock over when it is told of it.
        connection.execute("LOCK TABLE calendar_feeds IN ACCESS EXCLUSIVE MODE")
        servers.primary.sql("SELECT pg_switch_wal()", role="postgres")
        locked = "SELECT 1 FROM pg_locks WHERE mode = 'AccessExclusiveLock'"
        for replica in servers.standbys:
            servers.wait_for(replica, locked)
        for thread in threads:
            thread.start()
        try:
            until = time.monotonic() + 3.5
            while time.monotonic() < until:
                assert figure(service, "anthill_replica_up") == [1, 1]
        finally:
            stopping.set()
            connection.rollback()
    for thread in threads:
        thread.join()
    # The primary cannot answer some of them, either.
    assert len(statuses) >= len(threads) and set(statuses) <= {200, 503}


def test_a_pooler_before_a_replica_is_refused_in_one_sentence(service, servers):
    with pooled(servers.standbys[0], "pool_mode = session") as url:
        done = service.run("serve", ANTHILL_REPLICA_URL=url, ANTHILL_LISTEN=f"127.0.0.1:{free_port()}")
        assert done.returncode == 1 and len(done.stderr.splitlines()) == 1, done.stderr
        assert "ANTHILL_REPLICA_URL leads to a connection pooler" in done.stderr


def test_replicas_answer_what_they_may(service, person):
    all_follow(service)
    before = sum(figure(service, "anthill_replica_reads_total"))

    def some_answered():
        expect(person.get("/me/sessions.csv"), 200)
        return sum(figure(service, "anthill_replica_reads_total")) > before

    wait_until(some_answered, what="a read of a replica")
    # Somebody who does not say what they wrote is answered by the primary, and nonsense is no position.
    sign_in, timeline, _ = person.position.split(".")
    for position in ("nonsense", f"{new_id()}.{timeline}.0", f"{sign_in}.{int(timeline) + 1}.0", f"{sign_in}.{timeline}.{2**62}"):
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
    # The doctor looks once, with connections of its own: a standby that has just come back may lag at that moment.
    follow = lambda: re.search(r"replicas.*all follow", service.run("admin", "doctor", "--quick").stdout)  # noqa: E731
    wait_until(follow, what="the doctor to see all follow")
