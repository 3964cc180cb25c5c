"""`anthill admin`: what an admin asks for at a terminal, for people and as JSON, and its exit status."""

import json
import os
import re
import subprocess
import tempfile
from pathlib import Path

import psycopg
import pytest
from aiosmtpd.controller import Controller
from mail_server import MailServer
from person import expect
from service import ROOT, START, Cluster, Service, free_port, migrated, running, wait_until


@pytest.fixture(scope="module")
def own():
    """A service of this file's own, in good health."""
    with running() as service:
        service.cluster.sql("SELECT admin_note_backup('here', 1, false, 'me')")
        yield service


@pytest.fixture
def service(own):
    wait_until(own.set_clock(START).all_mail_is_sent, what="the mail to be sent")
    return own


def admin(service, *arguments, status=0, **environment):
    """What the command prints, as text and as the object of --json; both with this exit status."""
    told = service.run("admin", *arguments, **environment)
    asked = service.run("admin", *arguments, "--json", **environment)
    assert (told.returncode, asked.returncode) == (status, status), told.stdout + told.stderr + asked.stdout + asked.stderr
    return told.stdout + told.stderr, json.loads(asked.stdout)


def finding(service, check, *arguments, status=0, **environment):
    text, found = admin(service, "doctor", "--quick", *arguments, status=status, **environment)
    [wanted] = [one for one in found["checks"] if one["check"] == check]
    assert f"{wanted['status']:9} {check:13} " in text
    return wanted


def test_the_help_says_what_the_exit_status_means(service):
    told = service.run("admin", "--help")
    assert told.returncode == 0 and told.stderr == ""
    for word in (
        "doctor",
        "mail-test",
        "link",
        "user show",
        "user suspend",
        "stop-timers",
        "make-admin",
        "remove-admin",
        "--json",
        "Exit status: 0",
    ):
        assert word in told.stdout
    bare = service.run("admin", "user", "suspend", "a@example.org")
    assert (bare.returncode, bare.stdout) == (2, "")
    assert bare.stderr == "anthill: cannot read 'admin user suspend a@example.org': give --reason TEXT; see anthill admin --help\n"
    wrong = service.run("admin", "nonsense")
    assert wrong.returncode == 2 and wrong.stdout == "" and wrong.stderr.endswith("; see anthill admin --help\n")


def test_a_user_is_shown_by_address_and_by_uid(service, people):
    owner, friend = people(service, "Ahn"), people(service, "Baek")
    group = owner.found_group("Night owls")
    friend.join(owner.invite(group)["code"])
    expect(friend.start(), 201)
    text, facts = admin(service, "user", "show", friend.email.upper())
    assert facts == admin(service, "user", "show", friend.uid)[1]
    assert facts["nickname"] == "Baek" and facts["status"] == "active" and facts["sign_ins"] == 1 and facts["has_password"]
    assert facts["groups"] == [{"id": group["id"], "name": "Night owls", "role": "member"}]
    assert facts["timer_state"] == "running" and facts["events"][-1]["kind"] == "registered"
    for word in (friend.uid, friend.email, "active", "running", f"Night owls (member) {group['id']}\n", "registered"):
        assert word in text
    [[mac]] = service.cluster.sql("SELECT encode(token_mac, 'hex') FROM sign_ins WHERE uid = %s", friend.uid)
    assert friend.token not in text and mac not in text
    expect(friend.post("/me/timer/stop"), 200)


def test_a_user_is_suspended_and_restored(service, people):
    person = people(service, "Choi")
    expect(person.start(), 201)
    text, facts = admin_once(service, "user", "suspend", person.email, "--reason", "asked by letter", "--by", "Kim")
    assert f"change={facts['change']}" in text and "undo.sql" in text
    expect(person.get("/me"), 401)
    shown = admin(service, "user", "show", person.uid)[1]
    assert shown["status"] == "suspended" and shown["timer_state"] is None and shown["sign_ins"] == 0
    [[details]] = service.cluster.sql("SELECT details FROM audit_events WHERE kind = 'admin_suspend_user' AND uid = %s", person.uid)
    assert (details["admin"], details["reason"]) == ("Kim", "asked by letter")
    assert "already" in admin(service, "user", "suspend", person.uid, "--reason", "again", "--by", "Kim", status=1)[1]["error"]
    admin_once(service, "user", "restore", person.uid, "--reason", "it was a mistake", USER="Lee")
    person.sign_in()
    [[details]] = service.cluster.sql("SELECT details FROM audit_events WHERE kind = 'admin_restore_user' AND uid = %s", person.uid)
    assert details["admin"] == "Lee"
    nobody = admin(service, "user", "restore", person.uid, "--reason", "x", status=1, USER=None, LOGNAME=None, SUDO_USER=None)
    assert nobody[1] == {"error": "say who you are: --by NAME"}


def admin_once(service, *arguments, **environment):
    """As `admin`, for what can be done once only: as JSON, and its words from the change."""
    done = service.run("admin", *arguments, "--json", **environment)
    assert done.returncode == 0, done.stdout + done.stderr
    facts = json.loads(done.stdout)
    [[text]] = service.cluster.sql("SELECT admin_result(%s)", facts["change"])
    return text, facts


def test_timers_are_stopped(service, people):
    person, forgetful = people(service, "Doh"), people(service, "Eun")
    expect(person.start(), 201)
    expect(forgetful.start(), 201)
    service.advance_clock(600)
    stopped = service.run("admin", "stop-timers", person.email, "--reason", "asked", "--by", "Kim")
    assert stopped.returncode == 0 and stopped.stdout.startswith("Done."), stopped.stderr
    assert admin(service, "user", "show", person.uid)[1]["timer_state"] is None
    assert "error" in admin(service, "stop-timers", person.email, "--reason", "asked", "--by", "Kim", status=1)[1]
    assert service.stop() == 0
    assert admin(service, "stop-timers")[0] == "Overdue timers that were stopped: 0.\n"
    service.advance_clock(13 * 3600)
    assert service.run("admin", "stop-timers").stdout.startswith("Overdue timers that were stopped: 1. Their owners")
    assert service.cluster.sql("SELECT state FROM study_sessions WHERE uid = %s", forgetful.uid) == [("unconfirmed",)]
    service.set_clock(START).start()


def test_a_site_admin_is_made_once(service, people):
    person = people(service, "Far")
    made = service.run("admin", "make-admin", person.email, "--by", "Kim").stdout
    assert made == f"{person.email} is a site admin now. Undo with: anthill admin remove-admin {person.email}\n"
    text, facts = admin(service, "make-admin", person.uid, "--by", "Kim")
    assert text == f"{person.uid} was a site admin already.\n" and facts == {"is_new": False}
    assert service.cluster.sql("SELECT uid::text FROM site_admins") == [(person.uid,)]
    assert admin(service, "user", "show", person.uid)[1]["is_site_admin"] is True
    assert service.run("admin", "remove-admin", person.email, "--by", "Kim").stdout.startswith(f"{person.email} is no site admin any more.")
    text, facts = admin(service, "remove-admin", person.uid, "--by", "Kim")
    assert text == f"{person.uid} was no site admin.\n" and facts == {"was_admin": False}
    assert service.cluster.sql("SELECT FROM site_admins") == [] and "site admin    no" in admin(service, "user", "show", person.uid)[0]


def test_suspensions_are_shown_with_their_end_and_reason(service, people):
    owner, friend = people(service, "Gong"), people(service, "Ha")
    group = owner.found_group("Night owls")
    friend.join(owner.invite(group)["code"])
    assert "suspended     no" in admin(service, "user", "show", friend.uid)[0]
    expect(owner.post(f"/groups/{group['id']}/suspensions", {"uid": friend.uid, "reason": "sleeps", "until": "2026-11-25T00:00:00Z"}), 201)
    service.cluster.sql("SELECT admin_suspend_from_boards(%s, '2026-11-28T00:00Z', 'a timer at night', 'Kim')", friend.uid)
    text, facts = admin(service, "user", "show", friend.uid)
    assert "from Night owls until 2026-11-25T00:00:00Z: sleeps\n" in text
    assert "from the global board and the board of groups until 2026-11-28T00:00:00Z: a timer at night\n" in text
    assert [one["group"] for one in facts["suspensions"]] == ["Night owls", None]


def test_a_user_who_is_not_there_is_one_clear_sentence(service):
    text, facts = admin(service, "user", "show", "nobody@example.org", status=1)
    assert text == "anthill: no user has the address or UID nobody@example.org\n"
    assert facts == {"error": "no user has the address or UID nobody@example.org"}


def test_the_link_is_the_same_command_with_and_without_admin(service):
    text, facts = admin(service, "link", "new@example.org")
    assert text.startswith(f"{service.origin}/welcome#token=") and facts["url"].startswith(f"{service.origin}/welcome#token=")
    assert facts["purpose"] == "registration" and facts["seconds"] == 86400
    assert service.run("link", "new@example.org").stdout.splitlines()[1] == text.splitlines()[1]


def test_a_script_sends_the_link_that_lets_somebody_in(service, people):
    member, friend = people(service, "Jo"), people(service, "Friend", registered=False)
    for person in (member, friend):
        done = subprocess.run(
            ["psql", "-X", "-d", service.cluster.url_of("anthill_admin"), "-f", ROOT / "sql/maintenance/send_link.sql"]
            + ["-v", f"email={person.email}", "-v", "reason=asked", "-v", "by=Kim", "-v", "apply=1"],
            capture_output=True, text=True)  # fmt: skip
        assert (done.returncode, done.stderr) == (0, "")
    reset = {"token": service.token_from_mail(member.email), "password": "a new heron 77"}
    expect(member.put("/password-resets", reset, token=None), 204)
    welcome = {
        "token": service.token_from_mail(friend.email),
        "nickname": "Friend",
        "password": "a new heron 77",
        "time_zone": "Asia/Seoul",
    }
    expect(friend.post("/users", welcome, token=None), 201)


def test_a_mail_is_sent_at_once_to_a_folder(service):
    text, facts = admin(service, "mail-test", "someone@example.org")
    assert facts["to"] == "someone@example.org" and str(service.mail) in text
    assert "reaches you" in service.letters("someone@example.org")[0]["subject"]
    assert "메일" in str(admin_letter(service, "kim@example.org", LANG="ko_KR.UTF-8")["subject"])


def admin_letter(service, to, **environment):
    assert service.run("admin", "mail-test", to, **environment).returncode == 0
    return service.letters(to)[-1]


def test_a_mail_is_sent_through_the_mail_server_and_its_refusal_is_told(service, tmp_path):
    handler = MailServer(tmp_path)
    handler.refused.add("gone@example.org")
    server = Controller(handler, hostname="127.0.0.1", port=free_port())
    server.start()
    try:
        smtp = {"ANTHILL_SMTP_URL": f"smtp://127.0.0.1:{server.port}?tls=none", "ANTHILL_MAIL_FROM": "a@example.org"}
        text, _ = admin(service, "mail-test", "someone@example.org", **smtp)
        assert text.startswith("The mail server 127.0.0.1 took the mail to someone@example.org. It took ")
        assert handler.taken == 2
        text, facts = admin(service, "mail-test", "gone@example.org", status=1, **smtp)
        assert facts["error"] == "the mail to gone@example.org did not leave: refused: 550 5.1.1 nobody here is called"
        assert text == f"anthill: {facts['error']}\n"
    finally:
        server.stop()
    assert "did not leave" in admin(service, "mail-test", "someone@example.org", status=1, **smtp)[0]


@pytest.mark.parametrize(
    ("address", "environment", "says"),
    [
        ("no address", {}, "is not an email address"),
        ("a@example.org", {"ANTHILL_SMTP_URL": "none", "ANTHILL_MAIL_FROM": "a@example.org"}, "sends no mail"),
        ("a@example.org", {"ANTHILL_SECRET": None}, "ANTHILL_SECRET is missing"),
    ],
)
def test_a_mail_that_cannot_be_sent_is_one_clear_sentence(service, address, environment, says):
    text, facts = admin(service, "mail-test", address, status=1, **environment)
    assert says in text and says in facts["error"] and len(text.splitlines()) == 1


def test_the_doctor_finds_a_service_well(service):
    text, found = admin(service, "doctor")
    assert found["status"] == "ok"
    names = [one["check"] for one in found["checks"]]
    assert names == [
        "version", "configuration", "disk", "database", "schema", "settings", "clock", "rights", "mail", "pushes", "ranks", "months", "backup", "rows",
    ]  # fmt: skip
    assert [line.split()[:2] for line in text.splitlines() if not line.startswith(" ")] == [["ok", name] for name in names]
    assert service.environment["ANTHILL_SECRET"] not in text


def test_the_doctor_names_what_is_wrong_with_the_configuration(service):
    http = finding(service, "configuration", status=1, ANTHILL_BASE_URL="http://study.example.org")
    assert http["status"] == "warning" and "http" in http["details"][0] and "ANTHILL_SMTP_URL" in http["details"][1]
    wrong = finding(service, "configuration", status=2, ANTHILL_LISTEN="8080")
    assert wrong["status"] == "critical" and wrong["message"].startswith("ANTHILL_LISTEN")
    away = finding(service, "database", status=2, DATABASE_ADMIN_URL="postgresql://anthill@127.0.0.1:1/anthill")
    assert away["status"] == "critical" and away["message"].startswith("DATABASE_ADMIN_URL ")
    nowhere = finding(service, "disk", status=1, ANTHILL_HOME="/nonexistent")
    assert nowhere["status"] == "warning" and "/nonexistent" in nowhere["message"]


def test_the_doctor_looks_at_the_disks_of_the_database_and_its_backups(service):
    """Each on a disk of its own, as far as this machine has several."""
    data = str(service.cluster.folder.resolve() / "postgres/data")
    elsewhere = next(place for place in ("/dev/shm", "/var/tmp", "/") if os.stat(place).st_dev != os.stat(data).st_dev)
    with tempfile.TemporaryDirectory(dir=elsewhere) as place:
        told = [f"are free in {place}", f"are free in {data}"]
        disk = finding(service, "disk", ANTHILL_HOME=place)
        assert sorted(line.partition("%) ")[2] for line in (disk["message"], *disk["details"])) == sorted(told)
        service.cluster.sql("SELECT admin_note_backup(%s, 1, false, 'me')", f"{place}/2026-11-20T030000Z")
        disk = finding(service, "disk")
        assert f"are free in {place}" in "\n".join((disk["message"], *disk["details"]))
    service.cluster.sql("SELECT admin_note_backup('here', 1, false, 'me')")


@pytest.fixture
def careless():
    """A service on a PostgreSQL without checksums, whose changes nobody can archive."""
    cluster = Cluster("archive_mode=on", "archive_command=false")
    try:
        service = Service(cluster.start(migrated())).set_clock(START)
        cluster.stop()
        program = sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_checksums"))[-1]
        subprocess.run([program, "--disable", "-D", cluster.folder / "postgres/data"], check=True, capture_output=True)
        cluster.start()
        yield service
    finally:
        cluster.remove()


def test_the_doctor_sees_a_database_without_checksums_or_archive(careless):
    careless.cluster.sql("SELECT admin_note_backup('here', 1, false, 'me')")
    with psycopg.connect(careless.cluster.url_of("postgres"), autocommit=True) as superuser:
        superuser.execute("SELECT pg_switch_wal()")
        failed = "SELECT failed_count > 0 FROM pg_stat_archiver"
        wait_until(lambda: superuser.execute(failed).fetchone()[0], what="the archive to fail")
    settings = finding(careless, "settings", status=1)
    assert settings["details"] == [
        "data_checksums is off: nobody would notice a disk that returns something else than was written",
        "archive_command fails: the WAL fills the disk, and there is no way back to a point in time",
    ]


def test_the_doctor_names_the_rights_that_are_too_many(service):
    assert finding(service, "rights")["message"] == "anthill_service has only those that the service needs"
    service.cluster.sql("GRANT DELETE ON audit_events TO anthill_service")
    much = finding(service, "rights", status=1)
    assert (much["status"], much["details"]) == ("warning", ["may DELETE audit_events"])
    service.migrate()
    assert finding(service, "rights")["status"] == "ok"
    owner = finding(service, "rights", status=1, DATABASE_URL=service.cluster.url)
    assert owner["details"] == ["owns the tables"]


def test_the_version_is_that_of_the_file_beside_the_program(service):
    told = service.run("--version")
    assert (told.returncode, told.stderr) == (0, "") and re.fullmatch(r"anthill \S.*\n", told.stdout)
    assert finding(service, "version")["message"] == told.stdout.strip()


def test_what_an_admin_may_not_do_names_the_variable(service, people):
    person = people(service, "Im")
    text, facts = admin(
        service, "user", "suspend", person.email, "--reason", "x", "--by", "Kim", status=1, DATABASE_ADMIN_URL=None
    )  # fmt: skip
    assert "DATABASE_ADMIN_URL" in text and "DATABASE_ADMIN_URL" in facts["error"]


def test_the_doctor_sees_mail_and_ranks_that_are_late(service):
    assert service.stop() == 0
    service.cluster.sql("INSERT INTO rank_deltas (uid, period, first_day, old, new) VALUES (gen_random_uuid(), 'day', '2026-11-01', 0, 0)")
    assert "changes that wait for more than 3 s: 1." in finding(service, "ranks", status=1)["message"]
    service.cluster.sql("DELETE FROM rank_deltas")
    # Mails of other tests may wait for a time that has not come on the clock of this one.
    service.cluster.sql("DELETE FROM mail_outbox WHERE sent_at IS NULL AND dead_at IS NULL")
    service.cluster.sql("SELECT enqueue_mail('mail_test', 'a@example.org', '{}')")
    assert finding(service, "mail")["message"] == "1 waiting, the oldest for 0 s; 0 given up in the last day"
    service.advance_clock(11 * 60)
    assert finding(service, "mail", status=1)["status"] == "warning"
    service.advance_clock(3600)
    assert finding(service, "mail", status=2)["status"] == "critical"
    # The mail server is away: each attempt puts the next one off.
    service.cluster.sql("UPDATE mail_outbox SET due = anthill_clock() + interval '1 hour', attempts = 7, last_error = 'no connection'")
    away = finding(service, "mail", status=1)
    assert away["message"] == "1 waiting, the oldest for 71 min: no connection; 0 given up in the last day"
    service.cluster.sql("UPDATE mail_outbox SET dead_at = anthill_clock() WHERE sent_at IS NULL")
    assert finding(service, "mail", status=1)["message"] == "0 waiting; 1 given up in the last day"
    service.cluster.sql("DELETE FROM mail_outbox")
    service.start()


def found_group(service, owner):
    """A group of which the service knows when its month closes; it looks every few seconds."""
    owner.found_group()
    unknown = "SELECT FROM groups WHERE open_month_closes_at IS NULL"
    wait_until(lambda: not service.cluster.sql(unknown), what="the end of the month to be known")


def test_the_doctor_sees_months_that_are_late(service, people):
    owner = people(service, "Ahn")
    found_group(service, owner)
    expect(owner.log("2026-11-19T22:00:00Z", "2026-11-20T00:00:00Z"), 201)
    assert finding(service, "months")["message"] == "no month waits to be closed"
    assert service.stop() == 0
    service.advance_clock(13 * 86400)
    late = finding(service, "months", status=2)
    assert late["status"] == "critical" and re.fullmatch(r"months that wait to be closed: \d+, for up to \d+ .*", late["message"])
    service.set_clock(START).start()


def test_the_doctor_finds_what_check_sql_finds(service, people):
    owner = people(service, "Ahn")
    found_group(service, owner)
    expect(owner.log("2026-11-19T22:00:00Z", "2026-11-20T00:00:00Z"), 201)
    service.cluster.sql("INSERT INTO study_days SELECT uid, '2026-01-01', 5, 600 FROM users")
    service.cluster.sql("UPDATE groups SET open_month_closes_at = open_month_closes_at + interval '1 day'")
    found = service.violations()
    assert len(found) > 1
    _, facts = admin(service, "doctor", status=2)
    [rows] = [one for one in facts["checks"] if one["check"] == "rows"]
    assert rows["status"] == "critical" and sorted(rows["details"]) == sorted(found)
    # Without the rows there is nothing to see.
    assert admin(service, "doctor", "--quick")[1]["status"] == "ok"
    service.cluster.sql("DELETE FROM study_days WHERE day = '2026-01-01'")
    service.cluster.sql("UPDATE groups SET open_month_closes_at = open_month_closes_at - interval '1 day'")


def test_the_doctor_sees_a_schema_and_settings_that_do_not_fit(service):
    superuser = service.cluster.url_of("postgres")
    with psycopg.connect(superuser, autocommit=True) as connection:
        connection.execute("ALTER DATABASE anthill SET log_statement = 'all'")
    loud = finding(service, "settings", status=1)
    assert loud["details"] == ["log_statement is all: the database's log would hold people's addresses"]
    with psycopg.connect(superuser, autocommit=True) as connection:
        connection.execute("ALTER DATABASE anthill RESET log_statement")
    service.cluster.sql("UPDATE database_home SET place = 'elsewhere'")
    assert "restored or copied" in finding(service, "schema", status=2)["message"]
    service.migrate()
    service.cluster.sql("DELETE FROM schema_migrations WHERE name = 'functions/home.sql'")
    assert "run anthill migrate" in finding(service, "schema", status=2)["message"]
    service.migrate()
    # As after pg_restore --no-privileges.
    service.cluster.sql("REVOKE ALL ON schema_migrations FROM anthill_service, anthill_admin")
    may_not = "the role {} may not read the tables: run anthill migrate with DATABASE_OWNER_URL"
    assert finding(service, "schema", status=2)["message"] == may_not.format("anthill_admin")
    refused = service.run("serve", ANTHILL_LISTEN="127.0.0.1:0")
    assert refused.stderr == f"anthill: {may_not.format('anthill_service')}\n" and refused.returncode == 1
    service.migrate()
    assert finding(service, "schema")["message"] == "current"
    assert re.search(r" on PostgreSQL \d+", finding(service, "database")["message"])
