"""Three instances on one database: what one of them did, the others know; what all of them do, is done once."""

import collections
import contextlib
import json
import socket
import ssl
import threading
import time

import httpx
import pytest
from manager import ManagedService
from person import Person, expect, new_id
from proxied import HOST, certificate, proxy
from race import bearer, together
from service import START, Cluster, migrated, wait_until
from steady_load import SteadyLoad
from test_live import watching

UNTRUSTING = ssl.create_default_context()
UNTRUSTING.check_hostname = False
UNTRUSTING.verify_mode = ssl.CERT_NONE


class Instance(ManagedService):
    """One of several: they share the secret, the address that people open, and the folder of the mails."""

    def __init__(self, cluster, number, first=None, limit=0):
        super().__init__(cluster, f"instance-{number}", ANTHILL_API_LIMIT=str(limit), ANTHILL_BASE_URL=f"https://{HOST}")
        if first:
            self.mail = first.mail
            self.environment |= {name: first.environment[name] for name in ("ANTHILL_SECRET", "ANTHILL_HOME")}


@pytest.fixture(scope="module")
def instances():
    cluster, instances = Cluster(), []
    try:
        cluster.start(migrated())
        for number in range(3):
            instances.append(Instance(cluster, number, *instances[:1]))
        instances[0].set_clock(START)
        for instance in instances:
            instance.start()
        yield instances
        for instance in instances:
            assert instance.stop() == 0
            assert '"status":500' not in instance.log()
        assert instances[0].violations() == []
    finally:
        for instance in instances:
            instance.kill()
            instance.remove()
        cluster.remove()


@pytest.fixture
def everywhere(instances):
    """Makes a person, and gives them as each instance knows them: signed in once."""
    made = []

    def make(name="Jihye"):
        views = [Person(instance, name) for instance in instances]
        made.extend(views)
        views[0].register()
        for view in views[1:]:
            view.email, view.token, view.uid, view.address = views[0].email, views[0].token, views[0].uid, views[0].address
            view.http.headers["X-Forwarded-For"] = view.address
        return views

    yield make
    for view in made:
        view.close()


def test_what_one_instance_did_the_others_know_at_once(instances, everywhere):
    instances[0].set_clock(START)
    owner, friend = everywhere("Ahn"), everywhere("Baek")
    group = owner[0].found_group()
    friend[1].join(owner[2].invite(group)["code"])
    for number in range(30):
        here, there, yonder = (number + step for step in range(3))
        minutes = [f"2026-11-20T{1 + number // 20:02}:{number % 20 * 3 + step:02}:00Z" for step in (0, 2)]
        expect(owner[here % 3].log(*minutes), 201)
        for person in (owner[there % 3], friend[yonder % 3]):
            board = expect(person.get(f"/groups/{group['id']}/leaderboard"), 200).json()
            assert board["entries"][0]["seconds"] == 120 * (number + 1)
    expect(friend[2].patch("/me", {"nickname": "Minsu"}), 200)
    assert expect(friend[0].get("/me"), 200).json()["nickname"] == "Minsu"


def test_a_live_board_follows_what_another_instance_did(instances, everywhere):
    owner = everywhere()
    group = owner[0].found_group()["id"]
    with watching(owner[1], group) as events:
        events.board()
        expect(owner[2].start(), 201)
        assert events.board()[2]["me"]["studying"] is True


def test_an_ended_sign_in_is_over_on_every_instance(everywhere):
    person = everywhere()
    for view in person:
        expect(view.get("/me"), 200)
    group = person[0].found_group()["id"]
    with watching(person[2], group) as events:
        events.board()
        expect(person[1].delete("/sign-ins/current"), 204)
        for view in (person[0], person[2]):
            expect(view.get("/me"), 401)
        assert events.board() is None


def test_a_key_that_comes_to_all_instances_at_once_has_one_effect(instances, everywhere):
    person = everywhere()
    key = new_id()
    answers = []

    def ask(instance):
        request = ("POST", "/groups", {"name": "Night owls"}, {**bearer(person[0]), "Idempotency-Key": key})
        answers.extend(together(instance, [request] * 4))

    threads = [threading.Thread(target=ask, args=(instance,)) for instance in instances]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {answer.status for answer in answers} <= {201, 409}
    made = {answer.json()["id"] for answer in answers if answer.status == 201}
    assert made == {group["id"] for group in expect(person[1].get("/groups"), 200).json()["items"]} and len(made) == 1


def test_wrong_passwords_count_wherever_they_are_tried(everywhere):
    person = everywhere()
    statuses = []
    for number in range(9):
        body = {"email": person[0].email, "password": f"wrong herons {number}"}
        statuses.append(person[number % 3].post("/sign-ins", body, token=None).status_code)
    # Five are free, by whatever way they come.
    assert statuses[:5] == [401] * 5 and 429 in statuses[5:7]


def test_each_mail_is_sent_once(instances):
    people = [Person(instances[number % 3], f"Reader{number}") for number in range(12)]
    for person in people:
        expect(person.post("/registrations", {"email": person.email}, token=None), 202)
    wait_until(instances[0].all_mail_is_sent, what="the mails")
    counts = collections.Counter(str(letter["to"]) for letter in instances[0].letters("reader"))
    assert counts == {person.email: 1 for person in people}
    for person in people:
        person.close()


def test_a_month_is_closed_once_and_the_changes_of_ranks_are_counted_once(instances, everywhere):
    instances[0].set_clock("2026-10-20T03:00:00Z")
    people = [everywhere(name) for name in ("Choi", "Dan", "Eun")]
    group = people[0][0].found_group()["id"]
    code = people[0][0].invite({"id": group})["code"]
    for person in people[1:]:
        person[0].join(code)
    for number, person in enumerate(people):
        expect(person[number].patch("/me", {"global_board": True}), 200)
        expect(person[number].start(), 201)
    instances[0].set_clock("2026-10-20T05:00:00Z")
    for number, person in enumerate(people):
        expect(person[(number + 1) % 3].post("/me/timer/stop"), 200)
    wait_until(lambda: instances[0].cluster.sql("SELECT count(*) FROM rank_deltas") == [(0,)], what="the changes to be folded")
    assert instances[0].violations() == []
    instances[0].set_clock("2026-11-02T20:00:00Z")

    def standings(view):
        answer = view.get(f"/groups/{group}/standings/2026-10")
        return answer.status_code == 200 and json.dumps(answer.json()["entries"])

    wait_until(lambda: all(standings(view) for view in people[0]), what="the close of a month")
    assert len({standings(view) for view in people[0]}) == 1
    assert len(json.loads(standings(people[0][0]))) == 3
    instances[0].set_clock(START)


LIMIT = 15


@pytest.fixture(scope="module")
def limited():
    """Three others, which limit their clients."""
    cluster, limited = Cluster(), []
    try:
        cluster.start(migrated())
        for number in range(3):
            limited.append(Instance(cluster, number, *limited[:1], limit=LIMIT).start())
        yield limited
    finally:
        for instance in limited:
            instance.kill()
            instance.remove()
        cluster.remove()


@pytest.mark.parametrize("name", ["haproxy", "nginx"])
def test_a_client_has_the_limit_once_however_many_instances_there_are(limited, name, tmp_path):
    certificate(tmp_path)
    with proxy(name, [instance.port for instance in limited], tmp_path) as port:

        def client(number):
            transport = httpx.HTTPTransport(verify=UNTRUSTING, local_address=f"127.0.2.{number}")
            return httpx.Client(base_url=f"https://127.0.0.1:{port}", headers={"Host": HOST}, transport=transport, trust_env=False)

        def ask(http):
            return http.get("/api/v1/registration", extensions={"sni_hostname": HOST})

        # So many that several instances have some of them.
        with contextlib.ExitStack() as stack:
            clients = [stack.enter_context(client(number)) for number in range(1, 9)]
            seconds = 0
            for http in clients:
                while (answer := ask(http)).status_code == 200:
                    pass
                assert answer.status_code == 429, answer.text
                seconds = max(seconds, int(answer.headers["retry-after"]))
            # From here on a new window counts. If it ends before all have asked, on a busy machine, that says nothing.
            for _ in range(3):
                time.sleep(seconds)
                began, seconds = time.monotonic(), 10
                answers = [[ask(http).status_code for _ in range(LIMIT + 5)] for http in clients]
                if time.monotonic() - began < seconds - 1:
                    break
            assert answers == [[200] * LIMIT + [429] * 5] * len(clients)
    assert sum('"client":"127.0.2.' in instance.log() for instance in limited) > 1


@pytest.mark.parametrize("name", ["haproxy", "nginx"])
def test_all_addresses_of_a_network_at_somebodys_home_are_one_client(instances, name, tmp_path):
    certificate(tmp_path)
    logs = [len(instance.log()) for instance in instances]
    with proxy(name, [instance.port for instance in instances], tmp_path, told_addresses=True) as port:
        for network in range(12):
            for host in (":1", "8:9:a:b", "ffff::1"):
                assert ask_as(f"2001:db8:5:{network + 1:x}:{host}", port).startswith(b"HTTP/1.1 200")

    def counted():
        """{network: the instances that it was sent to}, once all requests are in the logs."""
        found, requests = collections.defaultdict(set), 0
        for number, (instance, begin) in enumerate(zip(instances, logs, strict=True)):
            for line in instance.log()[begin:].splitlines():
                client = json.loads(line).get("client") if line.startswith("{") else None
                if client and client.startswith("2001:db8:5:"):
                    found[client.split(":")[3]].add(number)
                    requests += 1
        return requests == 36 and found

    found = wait_until(counted, what="36 requests in the logs")
    assert len(found) == 12 and all(len(numbers) == 1 for numbers in found.values())
    assert len(set().union(*found.values())) > 1


def ask_as(address, port):
    """Asks the proxy as a client of that address, which a proxy before it tells."""
    with socket.create_connection(("127.0.0.1", port)) as plain:
        plain.sendall(f"PROXY TCP6 {address} ::1 4000 443\r\n".encode())
        with UNTRUSTING.wrap_socket(plain, server_hostname=HOST) as tls:
            tls.sendall(f"GET /api/v1/registration HTTP/1.1\r\nHost: {HOST}\r\nConnection: close\r\n\r\n".encode())
            return tls.recv(4096)


@pytest.mark.parametrize("name", ["haproxy", "nginx"])
def test_restarts_one_after_the_other_fail_no_request_behind(instances, everywhere, name, tmp_path):
    instances[0].set_clock(START)
    certificate(tmp_path)
    people = [everywhere(f"Steady{number}")[0] for number in range(4)]
    logs = [len(instance.log()) for instance in instances]
    with proxy(name, [instance.port for instance in instances], tmp_path) as port:
        # Each client has an address of its own, as in life.
        load = SteadyLoad(port, people, 900, clients=48, host=HOST, tls=UNTRUSTING, spread=True)
        for number, instance in enumerate(instances, 1):
            wait_until(lambda due=number * 200: load.answered >= due, 120, "the load")
            instance.restart()
        load.join()
    assert load.failures == [] and load.answered == load.sent
    addresses = [set() for _ in instances]
    for found, instance, begin in zip(addresses, instances, logs, strict=True):
        for line in instance.log()[begin:].splitlines():
            client = json.loads(line).get("client") if line.startswith("{") else None
            if client and client.startswith("127.0.1."):
                found.add(client)
    # All instances worked, and each client stayed with one: it counts their requests.
    assert all(addresses) and sum(map(len, addresses)) == len(set().union(*addresses)) == 48
    rows = instances[0].cluster.sql("SELECT session_id::text FROM study_intervals WHERE session_id::text = ANY(%s)", list(load.recorded))
    assert len(rows) == len(load.recorded)
