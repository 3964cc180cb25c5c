"""An hour under load, by the real clock: three instances behind a proxy, a primary that fails over to its standby, a replica for
reading, pushes and webhooks. What is kept in memory, descriptors and connections does not grow, nothing that was acknowledged is
lost, and every invariant holds. Only the long ring runs it (see conftest.py).

ANTHILL_TEST_LOAD_SECONDS says how long."""

import datetime
import itertools
import os
import random
import re
import threading
import time
from pathlib import Path
from statistics import median

import httpx
import psycopg
import pytest
from hook_receiver import Receiver
from person import Person, expect
from proxied import certificate, proxy
from push_service import PushService
from replicated import Replicated
from service import Service, free_port, wait_until
from test_failover import Recorders
from test_live import Events
from test_replicas import Follower

SECONDS = int(os.environ.get("ANTHILL_TEST_LOAD_SECONDS", 3600))
FAILOVERS = max(3, SECONDS // 300)
NOW = datetime.datetime.now(datetime.UTC).replace(microsecond=0)
# An hour of records fits in between, and nobody may record what is two days old.
BEGAN = NOW - datetime.timedelta(hours=46)
LAST_MONTH = f"{NOW.replace(day=1) - datetime.timedelta(days=20):%Y-%m}"
READS = ["/me/today", "/me/days", f"/me/days?month={LAST_MONTH}", "/me/sessions", "/me/sessions.csv", "/me/export", "/me/timer"]
READS += ["/leaderboard", f"/leaderboard?at={LAST_MONTH}"]


@pytest.fixture(scope="module")
def servers():
    servers = Replicated(reader=True)
    try:
        yield servers.start()
    finally:
        servers.remove()


class Instance(Service):
    """One of three, of which people see only the proxy."""

    def __init__(self, servers, number, port, first=None):
        super().__init__(
            servers.primary,
            f"instance-{number}",
            DATABASE_URL=servers.url(),
            ANTHILL_REPLICA_URL=servers.reader.url_of("anthill_service"),
            ANTHILL_METRICS_LISTEN=f"127.0.0.1:{free_port()}",
            ANTHILL_BASE_URL=f"https://localhost:{port}",
            ANTHILL_API_LIMIT="0",
        )
        self.mail = (first or self).mail
        if first:
            self.environment |= {name: first.environment[name] for name in ("ANTHILL_SECRET", "ANTHILL_HOME")}

    def figures(self, name):
        """The values of a metric, whatever its labels."""
        page = httpx.get(f"http://{self.environment['ANTHILL_METRICS_LISTEN']}/metrics", trust_env=False, timeout=30).text
        return [float(value) for value in re.findall(rf"^{name}(?:{{[^}}]*}})? (\S+)$", page, re.M)]


class Front:
    """The service as people see it: behind the proxy, each with an address of their own."""

    def __init__(self, instances, port):
        self.instances, self.environment, self.letters = instances, instances[0].environment, instances[0].letters
        self.origin = f"https://localhost:{port}"
        self.api = f"{self.origin}/api/v1"

    @property
    def cluster(self):
        return self.instances[0].cluster

    def way(self, number):
        return httpx.HTTPTransport(verify=False, local_address=f"127.0.{2 + number // 250}.{1 + number % 250}")


@pytest.fixture(scope="module")
def front(servers, tmp_path_factory):
    port, folder, instances = free_port(), tmp_path_factory.mktemp("proxy"), []
    certificate(folder)
    try:
        for number in range(3):
            instances.append(Instance(servers, number, port, *instances[:1]).start())
        with proxy("haproxy", [instance.port for instance in instances], folder, port):
            yield Front(instances, port)
        for instance in instances:
            assert instance.stop() == 0
            assert '"status":500' not in instance.log()
    finally:
        for instance in instances:
            instance.kill()


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
            boards = [
                f"{group}/leaderboard",
                f"{group}/leaderboard?as_of={datetime.datetime.now(datetime.UTC):%FT%TZ}",
                f"{group}/today",
                f"{group}/standings",
            ]
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


class Told:
    """Somebody whose browser gets a push every few seconds, and whose group tells a webhook of each new member."""

    def __init__(self, front):
        self.pushes, self.receiver = PushService(), Receiver()
        self.front, self.owner = front, Person(front, "Told").register()
        self.browser, self.hook = self.pushes.browser(), self.receiver.hook()
        expect(self.owner.post("/me/push-subscriptions", self.browser.subscription()), 201)
        group = self.owner.found_group("Told")
        self.code = self.owner.invite(group)["code"]
        hook = {"url": self.hook.url, "kind": "json", "events": ["new_member"], "locale": "en"}
        expect(self.owner.post(f"/groups/{group['id']}/webhooks", hook), 201)
        self.joined, self.pushed, self.failures = [], [], []
        self.stopping = threading.Event()
        self.thread = threading.Thread(target=self._run)
        self.thread.start()

    def _run(self):
        for number in itertools.count():
            if self.stopping.wait(max(3, SECONDS / 300)):
                return
            # Nobody is asked while there is no primary.
            try:
                with Person(self.front, f"Joins{number}") as person:
                    person.register()
                    answer = person.post(f"/invitations/{self.code}/acceptances")
                    if answer.status_code == 201:
                        self.joined.append(person.name)
                    if self.owner.post("/me/push-tests").status_code == 202:
                        self.pushed.append(time.monotonic())
            except (httpx.TransportError, psycopg.Error):
                continue
            except AssertionError as error:
                self.failures.append(error)
                return

    def told(self):
        return {message["data"]["nickname"] for message in self.hook.taken}

    def stop(self):
        self.stopping.set()
        self.thread.join()
        try:
            assert self.failures == [] and self.pushed
            wait_until(lambda: self.told() >= set(self.joined), 120, "the webhook to hear of all new members")
            # One that is still waiting when the next one comes gives way to it.
            wait_until(lambda: not self.front.cluster.sql("SELECT 1 FROM push_outbox"), 120, "the pushes to be sent")
            assert len(self.pushed) // 2 < len(self.browser.taken)
        finally:
            self.owner.close()
            self.pushes.stop()
            self.receiver.stop()


class Watch:
    """What an instance holds, looked at every second."""

    def __init__(self, instance):
        self.instance, self.seen = instance, []
        self.stopping = threading.Event()
        self.thread = threading.Thread(target=self._run)
        self.thread.start()

    def _run(self):
        process = Path(f"/proc/{self.instance.process.pid}")
        while not self.stopping.wait(1):
            memory = int(re.search(r"VmRSS:\s+(\d+)", (process / "status").read_text())[1]) // 1024
            try:
                sums = [int(sum(self.instance.figures(f"anthill_database_{name}"))) for name in ("connections", "lanes")]
            except httpx.TransportError:
                continue
            self.seen.append((memory, len(os.listdir(process / "fd")), *sums))

    def stop(self):
        self.stopping.set()
        self.thread.join()

    def thirds(self):
        """Megabytes, descriptors, connections to the database, and how many of these there should be: the medians of the first
        and of the last third."""
        third = len(self.seen) // 3
        return [[int(median(column)) for column in zip(*part, strict=True)] for part in (self.seen[:third], self.seen[-third:])]


def fail_over(servers, number, recorders) -> bool:
    """The primary dies, or stands still; the standby takes over, and the old one follows it once people record again. Whether
    the reader goes on by itself."""
    if number % 2:
        with servers.primary.freezing():
            old = servers.promote()
            recorders.record(more=4)
            old.kill()
    else:
        servers.primary.kill()
        old = servers.promote()
        recorders.record(more=4)
    goes_on = servers.keep_for_reader()
    servers.follow(old)
    return goes_on


def test_nothing_grows_and_nothing_is_lost_in_an_hour_under_load(servers, front):
    told = Told(front)
    recorders = Recorders(front, clients=4, pause=0.2, began=BEGAN)
    visitors, watches, made_anew = Visitors(front), [], 0
    try:
        recorders.record()
        watches = [Watch(instance) for instance in front.instances]
        began = time.monotonic()
        for number in itertools.count():
            due = min(SECONDS, (number + 0.5) * SECONDS / FAILOVERS)
            failed = lambda: recorders.failures or visitors.failures or told.failures  # noqa: E731
            wait_until(lambda due=due: failed() or time.monotonic() - began >= due, SECONDS + 60)
            assert not failed()
            if number == FAILOVERS:
                break
            made_anew += not fail_over(servers, number, recorders)
            for instance in front.instances:
                instance.cluster = servers.primary
        for instance in front.instances:
            wait_until(lambda instance=instance: instance.figures("anthill_replica_up") == [1], what="the reader to be asked")
        reads = [sum(instance.figures("anthill_replica_reads_total")) for instance in front.instances]
    finally:
        for watch in watches:
            watch.stop()
        try:
            recorders.stop()
        finally:
            try:
                visitors.stop()
            finally:
                told.stop()
    print(
        f"\n{SECONDS} s with {FAILOVERS} failovers, after {made_anew} of which the reader was made anew: {len(recorders.acknowledged)}"
        f" records, {visitors.answered} answers, {visitors.boards} live boards, {visitors.refused} refused for lack of a database,"
        f" {len(told.browser.taken)} pushes, {len(told.hook.taken)} deliveries, {int(sum(reads))} reads of the replica"
    )
    assert visitors.answered > 100 and visitors.boards > 0 and sum(reads) > 100
    for instance, watch in zip(front.instances, watches, strict=True):
        before, after = watch.thirds()
        print(
            f"{instance.home.name}: megabytes, descriptors, connections to the database and how many there should be: {before} in the"
            f" first third, {after} in the last"
        )
        memory, descriptors, connections, lanes = zip(before, after, strict=True)
        assert memory[1] <= memory[0] * 1.1 + 16
        assert descriptors[1] <= descriptors[0] + 8
        # Some are opened only when they are needed.
        assert connections[1] <= lanes[1] == lanes[0]
        assert instance.process.poll() is None
    rows = servers.primary.sql("SELECT uid::text, started_at FROM study_intervals WHERE source = 'manual'")
    assert sorted(rows) == sorted(recorders.acknowledged)
    assert front.instances[0].violations() == []
