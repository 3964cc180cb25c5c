"""Every script of sql/maintenance, run once while people study: no request fails for it."""

import contextlib
import datetime
import re
import subprocess
import threading
import time

import httpx
import pytest
from person import Person
from service import ROOT, running, wait_until

# The last one ends the sign-ins of the people who study.
SCRIPTS = sorted((file.stem for file in (ROOT / "sql/maintenance").glob("*.sql")), key=lambda name: (name == "end_all_sign_ins", name))
NOW = "2026-12-05T06:00:00Z"


# What has to be so before a script can do its work.
PREPARATIONS = {
    "merge_users": "SELECT FROM stop_timer(%s)",
    "remove_picture": "INSERT INTO avatars (uid, webp) VALUES (%s, 'RIFF0000WEBP')",
    "requeue_mail": "INSERT INTO mail_outbox (kind, to_address, parameters, attempts, dead_at)"
    " SELECT 'password_reset', canonical, '{}', 12, anthill_clock() FROM user_emails WHERE uid = %s",
    "rebuild_totals": "UPDATE month_totals SET counted_seconds = counted_seconds + 1 WHERE uid = %s",
    "return_to_boards": "SELECT admin_suspend_from_boards(%s, '2026-12-06T06:00Z', 'why', 'Maria')",
    "restore_user": "SELECT admin_suspend_user(%s, 'why', 'Maria')",
}


def new_user(cluster):
    [[uid]] = cluster.sql("INSERT INTO users (nickname) VALUES ('Subject') RETURNING uid")
    cluster.sql("INSERT INTO user_emails (canonical, email, uid) SELECT x, x, %s FROM (SELECT %s::text AS x) a", uid, f"{uid}@example.org")
    return uid


class Subject:
    """Somebody for a script to work on: in the group, with a closed month, an interval, a forgotten timer and a running one."""

    def __init__(self, cluster, group):
        self.cluster, self.group = cluster, group
        self.uid = new_user(cluster)
        cluster.sql("SELECT accept_invitation(%s, 'a code')", self.uid)
        cluster.sql("SELECT record_interval(%s, '2026-11-20T01:00Z', '2026-11-20T02:00Z')", self.uid)

    def value(self, sql, *values):
        return self.cluster.sql(sql, *values)[0][0]

    def found_group(self):
        """A group whose month the program does not close: it does not know when that is over. The script finds out."""
        self.group = self.value("SELECT create_group(%s, 'Own')", self.uid)
        self.cluster.sql("UPDATE groups SET open_month_closes_at = 'infinity' WHERE group_id = %s", self.group)

    def forget_timer(self):
        self.session = self.value("SELECT session_id FROM start_timer(%s)", self.uid)

    def study(self):
        self.interval = self.value("SELECT record_interval(%s, '2026-12-05T01:00Z', '2026-12-05T02:00Z')", self.uid)
        self.cluster.sql("SELECT FROM start_timer(%s)", self.uid)

    def variables(self, script):
        """What the script needs: by the table, and by its example what the table does not know."""
        text = re.sub(r" \\\n-- +", " ", (ROOT / f"sql/maintenance/{script}.sql").read_text())
        [example] = re.findall(rf"^--(?: Example:)? +script/psql (.*)-f sql/maintenance/{script}\.sql", text, re.MULTILINE)[:1]
        taken = {name: value.strip("'") for name, value in re.findall(r"-v (\w+)=('[^']*'|\S+)", example)}
        known = {
            "uid": self.uid, "group": self.group, "interval": self.interval, "session": self.session, "month": "2026-11",
            "until": "2026-12-06T06:00Z", "from": "2026-12-04T06:00Z", "to": "2026-12-04T07:00Z", "at": "2026-12-04T12:00Z",
        }  # fmt: skip
        if "second" in taken:
            known["second"] = new_user(self.cluster)
        if "report" in taken:
            known["report"] = self.value("SELECT make_report(%s, uid, %s, 'why') FROM group_members WHERE uid <> %s AND group_id = %s LIMIT 1",
                                         self.uid, self.group, self.uid, self.group)  # fmt: skip
        if script in PREPARATIONS:
            self.cluster.sql(PREPARATIONS[script], self.uid)
        if script == "undo":
            known["change"] = self.value("SELECT admin_retract_interval(%s, %s, 'why', 'Maria')", self.uid, self.interval)
        return {name: known.get(name, value) for name, value in taken.items() if name != "apply"}


class Students:
    """People who study and look at their board, without a pause; and what their requests were answered."""

    def __init__(self, service, group, people):
        self.slowest, self.answered, self.failures = 0.0, 0, []
        self.stopping, self.may_end = threading.Event(), threading.Event()
        self.threads = [threading.Thread(target=self.run_until_stopped, args=(person, group)) for person in people]
        for thread in self.threads:
            thread.start()

    def run_until_stopped(self, person, group):
        try:
            self.run(person, group)
        except (AssertionError, httpx.TransportError) as error:
            self.failures.append(repr(error))

    def run(self, person, group):
        began = datetime.datetime(2026, 12, 3, 7, tzinfo=datetime.UTC)
        while not self.stopping.is_set():
            times = [(began + datetime.timedelta(seconds=s)).strftime("%Y-%m-%dT%H:%M:%SZ") for s in (0, 5)]
            began += datetime.timedelta(seconds=5)
            for ask in (
                lambda: person.log(*times),
                lambda: person.start(),
                lambda: person.get(f"/groups/{group}/leaderboard", params={"period": "month"}),
                lambda: person.post("/me/timer/stop"),
                lambda: person.get("/leaderboard"),
            ):
                at = time.monotonic()
                answer = ask()
                self.slowest = max(self.slowest, time.monotonic() - at)
                self.answered += 1
                if answer.status_code == 401 and self.may_end.is_set():
                    return
                if answer.status_code >= 300:
                    self.failures.append(f"{answer.request.method} {answer.request.url}: {answer.status_code} {answer.text}")

    def stop(self):
        self.stopping.set()
        for thread in self.threads:
            thread.join()


@pytest.fixture
def world():
    """A service, students of a group, and a subject for each script. November is closed, and it is the 5th of December."""
    with running(clock="2026-11-20T06:00:00Z", ANTHILL_API_LIMIT="0") as service, contextlib.ExitStack() as stack:
        sql = service.cluster.sql
        people = [stack.enter_context(Person(service, f"Student{number}")).register() for number in range(3)]
        group = people[0].found_group()["id"]
        sql("SELECT create_invitation(%s, %s, 'a code')", people[0].uid, group)
        for person in people[1:]:
            sql("SELECT accept_invitation(%s, 'a code')", person.uid)
        for person in people:
            sql("SELECT set_global_board(%s, true)", person.uid)
        subjects = {script: Subject(service.cluster, group) for script in SCRIPTS}
        for script in ("close_month", "delete_group"):
            subjects[script].found_group()
        service.set_clock("2026-12-04T10:00:00Z")
        wait_until(lambda: sql("SELECT 1 FROM month_closes WHERE group_id = %s", group), what="November to be closed")
        for subject in subjects.values():
            subject.forget_timer()
        service.set_clock(NOW)
        for subject in subjects.values():
            subject.study()
        yield service, group, people, subjects


def test_no_request_fails_while_admins_run_every_script(world):
    service, group, people, subjects = world
    students = Students(service, group, people)
    try:
        wait_until(lambda: students.answered > 20, what="the students to study")
        for script in SCRIPTS:
            variables = subjects[script].variables(script)
            for apply in ({}, {"apply": 1}) if "reason" in variables else ({},):
                before = students.answered
                if script == "end_all_sign_ins" and apply:
                    students.may_end.set()
                done = subprocess.run(
                    ["psql", "-X", "-d", service.cluster.url_of("anthill_admin"), "-f", ROOT / f"sql/maintenance/{script}.sql"]
                    + [f"--set={name}={value}" for name, value in (variables | apply).items()],
                    capture_output=True,
                    text=True,
                )
                assert (done.returncode, done.stderr) == (0, ""), f"{script}: {done.stderr}"
                if apply and script != "rebuild_totals":
                    assert done.stdout.splitlines()[-1].startswith("Done. "), f"{script}: {done.stdout}"
                wait_until(lambda: students.answered > before or students.failures, what=f"a request beside {script}")
        wait_until(lambda: not any(thread.is_alive() for thread in students.threads), what="everybody to be signed out")
    finally:
        students.stop()
    print(f"{students.answered} requests, the slowest {students.slowest * 1000:.0f} ms")
    assert students.failures == []
