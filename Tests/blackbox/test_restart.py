"""A restart that no client notices: the listening socket and idle connections outlive the process."""

import os
import socket
import subprocess
import time

import pytest
from manager import ManagedService
from person import Person, expect
from service import PROGRAM, START, Cluster, migrated, wait_until
from steady_load import SteadyLoad

TOTAL, RESTARTS = (100_000, 10) if os.environ.get("ANTHILL_TEST_RING") == "long" else (4_000, 4)


@pytest.fixture(scope="module")
def managed():
    cluster = Cluster()
    service = None
    try:
        service = ManagedService(cluster.start(migrated()), ANTHILL_API_LIMIT="0").set_clock(START).start()
        yield service
        assert service.stop() == 0
        assert service.violations() == []
    finally:
        if service:
            service.kill()
            service.remove()
        cluster.remove()


def test_restarts_under_load_fail_no_request(managed):
    people = [Person(managed, f"Steady{number}").register() for number in range(8)]
    load = SteadyLoad(managed.port, people, TOTAL)
    pauses = []
    for restart in range(1, RESTARTS + 1):
        wait_until(lambda due=TOTAL * restart // (RESTARTS + 1): load.answered >= due, 600, "the load")
        began = time.monotonic()
        managed.restart()
        pauses.append(time.monotonic() - began)
    load.join()
    print(
        f"\n{load.answered} of {load.sent} requests answered over {RESTARTS} restarts of {min(pauses):.2f} to {max(pauses):.2f} s;"
        f" the longest answer took {load.longest:.2f} s"
    )
    assert load.failures == []
    assert load.answered == load.sent >= TOTAL
    rows = managed.cluster.sql("SELECT session_id::text FROM study_intervals")
    assert sorted(session for [session] in rows) == sorted(load.recorded)
    for person in people:
        person.close()


def test_a_connection_stays_open_through_restarts(managed):
    with Person(managed) as person, socket.create_connection(("127.0.0.1", managed.port)) as silent:
        person.register()
        silent.settimeout(30)
        for _ in range(3):
            managed.restart()
            silent.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert silent.recv(4096).startswith(b"HTTP/1.1 200 ")
            expect(person.get("/me"), 200)
        assert managed.stop() == 0
        # Sent while no process is there: it waits in the connection.
        silent.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        managed.restart()
        assert silent.recv(4096).startswith(b"HTTP/1.1 200 ")
        assert len(managed.stored) == 0


def test_a_client_that_connects_while_it_is_away_waits(managed):
    assert managed.stop() == 0
    with socket.create_connection(("127.0.0.1", managed.port)) as early:
        early.settimeout(30)
        early.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        managed.restart()
        assert early.recv(4096).startswith(b"HTTP/1.1 200 ")


def test_a_request_that_is_half_sent_is_answered_before_the_end(managed):
    with socket.create_connection(("127.0.0.1", managed.port)) as slow:
        slow.settimeout(30)
        slow.sendall(b"GET /healthz HTTP/1.1\r\nHo")
        # The second one is answered after the first was read.
        with socket.create_connection(("127.0.0.1", managed.port)) as other:
            other.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert other.recv(4096)
        managed.process.terminate()
        wait_until(lambda: "stopping" in managed.log().splitlines()[-1])
        slow.sendall(b"st: localhost\r\n\r\n")
        assert slow.recv(4096).startswith(b"HTTP/1.1 200 ")
        managed.restart()
        slow.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert slow.recv(4096).startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize(("count", "word"), [(2, "LISTEN_FDS"), (1, "no TCP socket")])
def test_what_cannot_be_listened_on_is_one_clear_sentence(managed, count, word):
    done = subprocess.run(
        ["bash", "-c", 'LISTEN_PID=$$ exec "$0" serve 3</dev/null 4</dev/null', PROGRAM],
        env={**managed.environment, "LISTEN_FDS": str(count)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode > 0 and word in done.stderr and len(done.stderr.strip().splitlines()) == 1, done.stderr
