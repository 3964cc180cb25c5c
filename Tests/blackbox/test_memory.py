"""What the service keeps in memory for those who send a lot: little, and not for long."""

import contextlib
import resource
import socket
import time

import pytest
from person import expect, new_id
from service import wait_until

MB = 1024 * 1024
# Bodies, connections, password hashes and the program itself.
MOST = 256 * MB
LARGE, SMALL = 5 * MB, 64 * 1024


@pytest.fixture(autouse=True)
def descriptors():
    """As many as the connections below take."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(8192, hard), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def resident(service):
    """The memory of the process in bytes."""
    with open(f"/proc/{service.process.pid}/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmRSS"))


class Flood:
    """Clients that send all of a body but its last byte, or as much as is said."""

    def __init__(self, service, count, path, length, *fields, method="POST", sent=None):
        self.connections, self.most = [], 0
        head = "\r\n".join([f"{method} /api/v1{path} HTTP/1.1", "Host: localhost", f"Content-Length: {length}", *fields, "", ""])
        message = head.encode() + b"a" * (length - 1 if sent is None else sent)
        for _ in range(count):
            connection = socket.create_connection(("127.0.0.1", service.port), timeout=10)
            # A refused one is closed while it still sends.
            with contextlib.suppress(ConnectionError):
                connection.sendall(message)
            self.connections.append(connection)
            self.most = max(self.most, resident(service))

    def answers(self):
        """The status of each connection; nothing for those whose body is still awaited."""
        time.sleep(0.5)
        statuses = []
        for connection in self.connections:
            connection.setblocking(False)
            try:
                statuses.append(int(connection.recv(65536).split(b" ")[1]))
            except BlockingIOError:
                statuses.append(None)
            except (ConnectionError, IndexError):
                statuses.append(0)
        return statuses

    def close(self):
        for connection in self.connections:
            connection.close()


@pytest.mark.parametrize("fields", [(), ("Authorization: Bearer " + "A" * 43,), ("Expect: 100-continue",)])
@pytest.mark.parametrize("method, path, media", [("POST", "/me/imports", "text/csv"), ("PUT", "/me/avatar", "image/png")])
def test_a_stranger_cannot_send_a_large_body(service, method, path, media, fields):
    before = resident(service)
    with contextlib.closing(Flood(service, 40, path, LARGE, f"Content-Type: {media}", *fields, method=method)) as flood:
        assert flood.most < before + 32 * MB
        # The few that were cut off while they sent could not read the answer.
        assert set(flood.answers()) <= {401, 0}


def test_whatever_strangers_send_the_memory_stays_small_and_is_given_back(own_service):
    before = resident(own_service)
    with contextlib.closing(Flood(own_service, 250, "/me/imports", LARGE)) as large:
        assert large.most < MOST
    with contextlib.closing(Flood(own_service, 1600, "/registrations", SMALL)) as small:
        answers = small.answers()
        print(f"resident: {before // MB} MB before, {large.most // MB} MB large, {small.most // MB} MB small")
        assert small.most < MOST
        # Some wait for the last byte of their body, and there was no room for others.
        assert answers.count(None) > 500 and answers.count(503) > 100 and set(answers) <= {None, 503, 0}
    wait_until(lambda: resident(own_service) < before + 24 * MB, 30, "the memory to be given back")
    print(f"resident: {resident(own_service) // MB} MB afterwards")
    assert own_service.answers()


def test_many_imports_at_once_leave_room_for_the_rest(service, people):
    person = people(service)
    fields = (f"Authorization: Bearer {person.token}", "Content-Type: text/csv")
    with contextlib.closing(Flood(service, 20, "/me/imports", LARGE, *fields)) as flood:
        assert flood.most < MOST
        answers = flood.answers()
        assert answers.count(None) >= 4 and set(answers) <= {None, 503, 0} and answers.count(None) < 20
        assert person.get("/me").status_code == 200
        assert person.start().status_code == 201


def test_lengths_that_are_only_declared_keep_nobody_out(service, people):
    person = people(service)
    fields = ("Content-Type: application/json", "X-Forwarded-For: 192.0.2.61")
    with contextlib.closing(Flood(service, 900, "/sign-ins", SMALL, *fields, sent=0)) as flood:
        assert set(flood.answers()) == {None}
        person.sign_in()
        expect(person.start(), 201)


def test_the_uploads_of_one_leave_room_for_those_of_others(service, people):
    one, other = people(service), people(service)
    fields = (f"Authorization: Bearer {one.token}", "Content-Type: text/csv", f"X-Forwarded-For: {one.address}")
    with contextlib.closing(Flood(service, 12, "/me/imports", LARGE, *fields)) as flood:
        answers = flood.answers()
        assert 1 <= answers.count(None) <= 2 and set(answers) <= {None, 503, 0}
        session = {"id": new_id(), "started_at": "2026-11-19T01:00:00Z", "ended_at": "2026-11-19T01:10:00Z", "source": "manual"}
        expect(other.post("/me/sessions/batch", {"sessions": [session]}), 200)
        # It is refused for what is in it, so it was read.
        expect(other.ask("POST", "/me/imports", content=b"a" * (LARGE - 1), headers={"Content-Type": "text/csv"}), 422)
