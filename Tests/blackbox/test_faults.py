"""What breaks: the service killed, its database killed, and nothing acknowledged is lost."""

import datetime
import itertools
import os
import random
import threading
import time
from statistics import median

import httpx
import psycopg
from person import Person, expect, new_id
from service import Service, wait_until

KILLS = 200 if os.environ.get("ANTHILL_TEST_RING") == "long" else 4


def test_killing_the_server_in_the_middle_of_a_timer_loses_no_second(own_service):
    own_service.set_clock("2026-11-20T03:00:00Z")
    with Person(own_service) as person:
        person.register()
        own_service.set_clock("2026-11-20T04:00:00Z")
        started = expect(person.start(), 201).json()["session"]
        own_service.kill()
        own_service.set_clock("2026-11-20T05:30:00Z")
        own_service.start()
        timer = expect(person.get("/me/timer"), 200).json()
        assert timer["state"] == "running" and timer["session"] == started
        gone = seconds_between(started["started_at"], timer["server_time"])
        assert timer["elapsed_seconds"] == gone == 5400
        session = expect(person.post("/me/timer/stop"), 200).json()["session"]
        assert session["seconds"] == seconds_between(session["started_at"], session["ended_at"]) == gone
        assert expect(person.get("/me/today"), 200).json()["study_seconds"] == session["seconds"]


def seconds_between(earlier, later):
    return int((datetime.datetime.fromisoformat(later) - datetime.datetime.fromisoformat(earlier)).total_seconds())


class Load:
    """Clients that record under ids of their own, and remember what was acknowledged and what may have been."""

    def __init__(self, service, clients=8):
        self.service = service
        service.set_clock("2026-11-20T03:00:00Z")
        self.people = [Person(service, f"Load{number}").register() for number in range(clients)]
        self.acknowledged, self.unsure, self.failures = set(), set(), []
        self.statuses = []
        self.stopping = threading.Event()
        self.threads = [threading.Thread(target=self._run, args=(person,)) for person in self.people]
        for thread in self.threads:
            thread.start()

    def _run(self, person):
        began = datetime.datetime(2026, 11, 18, 4, tzinfo=datetime.UTC)
        step = 0
        while not self.stopping.is_set():
            identity = new_id()
            times = [began + datetime.timedelta(seconds=5 * (step + n)) for n in (0, 1)]
            step += 1
            body = {"id": identity, **dict(zip(("started_at", "ended_at"), (t.strftime("%Y-%m-%dT%H:%M:%SZ") for t in times)))}
            try:
                answer = person.post("/me/sessions", body)
            except httpx.TransportError:
                self.unsure.add((person.uid, identity))
                self.statuses.append(0)
                time.sleep(0.02)
                continue
            except AssertionError as error:
                self.failures.append(error)
                return
            self.statuses.append(answer.status_code)
            if answer.status_code == 201:
                self.acknowledged.add((person.uid, identity))
            elif answer.status_code == 503:
                self.unsure.add((person.uid, identity))
                time.sleep(0.02)
            elif answer.status_code != 429:
                self.failures.append(AssertionError(answer.text))
                return
            else:
                time.sleep(0.1)

    def stop(self):
        self.stopping.set()
        for thread in self.threads:
            thread.join()
        for person in self.people:
            person.close()
        assert self.failures == []

    def settle(self):
        """Each operation that was acknowledged exists exactly once, each other at most once."""
        rows = self.service.cluster.sql("SELECT uid::text, session_id::text, count(*) FROM study_intervals GROUP BY 1, 2")
        kept = {(uid, session) for uid, session, _ in rows}
        assert all(count == 1 for _, _, count in rows)
        assert self.acknowledged <= kept <= self.acknowledged | self.unsure
        assert self.service.violations() == []


def test_killing_postgresql_under_load_gives_503_and_then_recovery(own_service):
    load = Load(own_service)
    try:
        wait_until(lambda: len(load.acknowledged) > 100, what="some load")
        own_service.cluster.kill()
        before = len(load.statuses)
        wait_until(lambda: 503 in load.statuses[before:], what="a 503")
        assert httpx.get(f"{own_service.origin}/healthz", trust_env=False).status_code == 200
        away = httpx.get(f"{own_service.origin}/readyz", trust_env=False)
        assert away.status_code == 503 and int(away.headers["retry-after"]) > 0
        wait_until(lambda: len(load.statuses) > before + 32, what="more load")
        assert set(load.statuses[before + 16 :]) <= {503}
        own_service.cluster.start()
        count = len(load.acknowledged)
        wait_until(lambda: len(load.acknowledged) > count + 100, what="recovery without a restart")
        assert own_service.process.poll() is None
        wait_until(own_service.answers)
    finally:
        load.stop()
    load.settle()


def test_killing_the_server_under_load_loses_nothing_that_was_acknowledged(own_service):
    load = Load(own_service)
    dice = random.Random(7)
    try:
        for _ in range(KILLS):
            count = len(load.acknowledged)
            wait_until(lambda: len(load.acknowledged) > count + 20, what="some load")
            time.sleep(dice.random() * 0.3)
            own_service.kill()
            own_service.start()
    finally:
        load.stop()
    load.settle()


def test_terminated_backends_are_replaced(own_service):
    load = Load(own_service, clients=4)
    try:
        for _ in range(5):
            count = len(load.acknowledged)
            wait_until(lambda: len(load.acknowledged) > count + 30, what="some load")
            assert own_service.cluster.sql(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'anthill_service'", role="postgres"
            )
        count = len(load.acknowledged)
        wait_until(lambda: len(load.acknowledged) > count + 30, what="recovery")
    finally:
        load.stop()
    load.settle()


def test_after_a_crash_of_postgresql_an_ended_sign_in_is_over_though_ids_of_transactions_come_again(own_service):
    cluster = own_service.cluster
    # What has rolled back is then not on the disk at once.
    cluster.sql("ALTER SYSTEM SET wal_writer_delay = '10s'", role="postgres")
    cluster.sql("SELECT pg_reload_conf()", role="postgres")
    with Person(own_service) as person:
        person.register()
        for _ in range(20):
            expect(person.get("/me"), 200)
            seen = use_up_transactions(cluster)
            # The service has heard now that all of these have ended.
            expect(person.get("/me"), 200)
            cluster.kill()
            cluster.start()
            wait_until(own_service.answers)
            [[next_one]] = cluster.sql("SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint")
            if next_one < seen:
                break
        else:
            raise AssertionError("PostgreSQL used no id again")
        cluster.sql("DELETE FROM sign_ins WHERE uid = %s", person.uid)
        expect(person.get("/me"), 401)


def use_up_transactions(cluster) -> int:
    """Rolls back many transactions; the id of the last one."""
    with psycopg.connect(cluster.url) as connection:
        connection.execute("CREATE TEMPORARY TABLE numbers (n int)")
        connection.execute(
            "DO $$ BEGIN FOR n IN 1..2000 LOOP BEGIN INSERT INTO numbers VALUES (n); RAISE 'back'; EXCEPTION WHEN raise_exception"
            " THEN END; END LOOP; END $$"
        )
        [xid] = connection.execute("SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint").fetchone()
        connection.rollback()
    return xid


def test_commits_that_wait_for_a_standby_use_up_no_connections(own_service):
    cluster = own_service.cluster
    assert own_service.stop() == 0
    # With another server to try, a silent one is left sooner.
    service = Service(cluster, "other", DATABASE_URL=own_service.environment["DATABASE_URL"] + ",/nonexistent").start()
    stopping, answers = threading.Event(), []

    def ask():
        while not stopping.is_set():
            # Each is somebody new, so that none waits for another one's lock.
            with Person(service, "Waits") as person:
                asked = time.monotonic()
                answers.append((person.post("/registrations", {"email": person.email}).status_code, time.monotonic() - asked))
                time.sleep(0.05)

    def connections():
        [[count]] = cluster.sql("SELECT count(*) FROM pg_stat_activity WHERE usename = 'anthill_service'", role="postgres")
        return count

    threads = [threading.Thread(target=ask) for _ in range(12)]
    try:
        lanes = connections()
        wait_for_standbys(cluster, "nobody")
        for thread in threads:
            thread.start()
        most, until = 0, time.monotonic() + 40
        while time.monotonic() < until:
            most = max(most, connections())
            time.sleep(0.5)
        stopping.set()
        for thread in threads:
            thread.join()
        # Each of its connections may have left one behind.
        assert most <= 2 * lanes
        # The service soon says at once that nothing can be written now.
        assert {status for status, _ in answers} == {503}
        assert median(seconds for _, seconds in answers[len(answers) // 2 :]) < 1
        wait_for_standbys(cluster, "")
        wait_until(lambda: connections() == lanes, what="the processes to end")
        with Person(service) as person:
            expect(person.register().patch("/me", {"nickname": "Bomi"}), 200)
    finally:
        stopping.set()
        service.kill()


def wait_for_standbys(cluster, names):
    cluster.sql(f"ALTER SYSTEM SET synchronous_standby_names = '{names}'", role="postgres")
    cluster.sql("SELECT pg_reload_conf()", role="postgres")
    if names:
        wait_until(lambda: waits_for_a_standby(cluster), what="commits to wait")


def waits_for_a_standby(cluster):
    """Whether a commit waits now: PostgreSQL's checkpointer learns of the setting some time after the reload."""
    waiting = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = %s AND wait_event = 'SyncRep'"
    connection = psycopg.pq.PGconn.connect(cluster.url_of("postgres").encode())
    try:
        connection.send_query(b"SELECT pg_logical_emit_message(true, '', '')")
        while not cluster.sql(waiting, connection.backend_pid, role="postgres"):
            connection.consume_input()
            if not connection.is_busy():
                return False
        return True
    finally:
        connection.finish()


def test_a_locked_table_gives_503_and_not_a_wait_without_end(own_service):
    with Person(own_service) as person:
        person.register()
        with psycopg.connect(own_service.cluster.url) as connection:
            connection.execute("LOCK TABLE study_intervals IN ACCESS EXCLUSIVE MODE")
            began = time.monotonic()
            answer = person.start()
            assert time.monotonic() - began < 8
            expect(answer, 503)
        expect(person.start(), 201)


def test_a_frozen_database_is_answered_for_within_five_seconds(own_service):
    """As under a suspended virtual machine: every connection is there, and nothing comes over it."""
    people = [Person(own_service, f"Frozen{number}").register() for number in range(4)]
    answers = []

    def ask(person, number):
        for step in itertools.count(number):
            began = time.monotonic()
            answer = person.get("/me/timer") if step % 2 else person.patch("/me", {"nickname": f"N{step}"})
            answers.append((began, time.monotonic(), answer.status_code))
            if answer.status_code != 200:
                return
            # Below the limit on requests.
            time.sleep(0.005)

    threads = [threading.Thread(target=ask, args=(person, number)) for number, person in enumerate(people)]
    for thread in threads:
        thread.start()
    time.sleep(0.2)
    with own_service.cluster.freezing():
        for thread in threads:
            thread.join()
        # Those that were in flight when it froze, and one that comes later.
        expect(people[0].get("/me"), 503, "database_unavailable")
    assert [status for _, _, status in answers if status != 200] == [503] * 4
    # Clients on a busy machine see it a little later.
    assert max(end - began for began, end, _ in answers) < 8, answers[-4:]
    wait_until(own_service.answers)
    for person in people:
        wait_until(lambda person=person: person.get("/me").status_code == 200)
        person.close()


def test_a_stopped_server_finishes_what_it_has_begun(own_service):
    load = Load(own_service, clients=4)
    try:
        wait_until(lambda: len(load.acknowledged) > 20, what="some load")
        assert own_service.stop() == 0
    finally:
        load.stop()
    load.settle()
