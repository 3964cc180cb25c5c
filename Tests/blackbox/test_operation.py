"""The program as an operator meets it: its commands, its environment, its log, its mail without a mail server."""

import contextlib
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import threading
import time

import citus
import httpx
import psycopg
import pytest
from person import PASSWORD, Person, expect
from service import PROGRAM, Cluster, Service, wait_until


@pytest.fixture
def empty_service():
    """A PostgreSQL of its own, not migrated, and nothing served."""
    cluster = Cluster()
    try:
        yield Service(cluster.start())
    finally:
        cluster.remove()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DATABASE_URL", None),
        ("DATABASE_URL", "mysql://x"),
        ("DATABASE_URL", "postgresql://x:hunter2hunter2%zz@/y"),
        ("ANTHILL_SECRET", None),
        ("ANTHILL_SECRET", "too short, secret"),
        ("ANTHILL_LISTEN", "8080"),
        ("ANTHILL_LISTEN", "127.0.0.1:99999"),
        ("ANTHILL_METRICS_LISTEN", "metrics:9464"),
        ("ANTHILL_BASE_URL", "localhost:8080"),
        ("ANTHILL_BASE_URL", "https://example.org/path"),
        ("ANTHILL_SMTP_URL", "http://mail.example.org"),
        ("ANTHILL_SMTP_URL", "smtp://user:hunter2hunter2@mail.example.org:587?tls=none"),
        ("ANTHILL_MAIL_FROM", "nobody\r\nBcc: x@example.org"),
        ("ANTHILL_TRUSTED_PROXIES", "somewhere"),
        ("ANTHILL_LISTNE", "127.0.0.1:8080"),
    ],
)
def test_a_wrong_variable_is_refused_by_name(shared_service, name, value):
    more = {"ANTHILL_MAIL_FROM": "a@example.org"} if name == "ANTHILL_SMTP_URL" else {}
    done = shared_service.run("serve", **{**more, name: value})
    said = done.stdout + done.stderr
    assert done.returncode not in (0, None) and done.returncode > 0
    assert name in said and len(said.strip().splitlines()) == 1, said
    assert shared_service.environment["ANTHILL_SECRET"] not in said and "hunter2" not in said and "too short, secret" not in said


def test_smtp_needs_a_sender(shared_service):
    done = shared_service.run("serve", ANTHILL_SMTP_URL="smtp://mail.example.org:587")
    assert done.returncode > 0 and "ANTHILL_MAIL_FROM" in done.stdout + done.stderr


def test_help_names_every_command_and_variable(shared_service):
    done = shared_service.run("--help")
    assert done.returncode == 0
    for word in ("serve", "migrate", *shared_service.environment.keys() - {"PATH"}, "ANTHILL_SMTP_URL", "ANTHILL_MAIL_FROM"):
        assert word in done.stdout


@pytest.mark.parametrize("arguments", [["nonsense"], ["serve", "extra"], ["--nonsense"]])
def test_an_unknown_command_says_how_to_call_it(shared_service, arguments):
    done = shared_service.run(*arguments)
    assert done.returncode == 2 and done.stdout == ""
    assert re.fullmatch(f"anthill: cannot read '{' '.join(arguments)}': .*; see anthill --help\n", done.stderr)


@citus.not_spread("the log also warns of the login")
def test_a_taken_port_is_one_clear_sentence_that_names_the_variable(shared_service):
    taken = shared_service.environment["ANTHILL_LISTEN"]
    for name in ("ANTHILL_LISTEN", "ANTHILL_METRICS_LISTEN"):
        done = shared_service.run("serve", **{"ANTHILL_LISTEN": "127.0.0.1:0", name: taken})
        said = done.stdout + done.stderr
        assert (done.returncode, said) == (1, f"anthill: {name} cannot be used: {taken} is already in use\n")


@citus.not_spread("the log also warns of the login")
def test_a_data_folder_that_cannot_be_made_is_one_clear_sentence(shared_service):
    done = shared_service.run("serve", ANTHILL_HOME="/dev/null", ANTHILL_LISTEN="127.0.0.1:0")
    said = done.stdout + done.stderr
    assert (done.returncode, said) == (1, "anthill: ANTHILL_HOME cannot be used: the folder /dev/null/mail/ for mails cannot be made\n")


def test_serve_refuses_a_database_that_was_not_migrated(empty_service):
    done = empty_service.run("serve")
    assert done.returncode > 0 and "anthill migrate" in done.stdout + done.stderr, done.stderr


def test_migrate_is_done_once_however_often_it_is_called(empty_service):
    results = []
    threads = [threading.Thread(target=lambda: results.append(empty_service.run("migrate"))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [done.returncode for done in results] == [0] * 4, [done.stderr for done in results]
    assert empty_service.run("migrate").returncode == 0
    empty_service.start()
    assert empty_service.stop() == 0
    assert empty_service.violations() == []


def test_serve_and_migrate_refuse_a_schema_from_the_future(empty_service):
    empty_service.migrate()
    [[table]] = empty_service.cluster.sql(
        "SELECT table_name FROM information_schema.columns WHERE column_name = 'sha256' AND table_name LIKE '%%migration%%' LIMIT 1"
    )
    columns = empty_service.cluster.sql(
        "SELECT column_name, data_type FROM information_schema.columns WHERE table_name = %s AND is_nullable = 'NO' AND column_default IS NULL",
        table,
    )
    values = {"text": "'999_the_future'", "bytea": r"'\x00'", "integer": "999", "timestamp with time zone": "now()"}
    empty_service.cluster.sql(
        f"INSERT INTO {table} ({', '.join(name for name, _ in columns)}) VALUES ({', '.join(values[kind] for _, kind in columns)})"
    )
    for command in ("serve", "migrate"):
        done = empty_service.run(command)
        said = (done.stdout + done.stderr).strip()
        assert done.returncode > 0 and len(said.splitlines()) == 1 and "999" in said, said


def test_serve_refuses_a_database_that_may_forget():
    cluster = Cluster("fsync=off")
    try:
        cluster.start()
        for command in ("migrate", "serve"):
            done = Service(cluster).run(command)
            assert done.returncode > 0 and "fsync" in done.stderr
    finally:
        cluster.remove()


def test_migrate_and_serve_refuse_a_database_that_cannot_hold_every_letter(empty_service):
    cluster = empty_service.cluster
    with psycopg.connect(cluster.url_of("postgres"), autocommit=True) as superuser:
        superuser.execute("CREATE DATABASE ascii OWNER anthill_owner TEMPLATE template0 ENCODING 'SQL_ASCII' LOCALE 'C'")
    away = {name: empty_service.environment[name].replace("/anthill?", "/ascii?") for name in ("DATABASE_URL", "DATABASE_OWNER_URL")}
    for command in ("migrate", "serve"):
        done = empty_service.run(command, **away)
        assert done.returncode == 1 and done.stderr.startswith("anthill: the database must be UTF8: make it with"), done.stderr


def test_a_database_that_is_away_is_one_clear_sentence(empty_service):
    done = empty_service.run("serve", DATABASE_URL="postgresql://anthill@/anthill?host=/nonexistent")
    said = (done.stdout + done.stderr).strip()
    assert done.returncode > 0 and "DATABASE_URL" in said and len(said.splitlines()) == 1, said


def test_serve_says_where_it_is_and_where_mail_goes(service):
    said = service.console() + service.log()
    assert service.origin in said and str(service.mail) in said


def test_mail_without_a_mail_server_is_written_to_files_and_its_links_to_the_console(service, people):
    person = people(service, registered=False)
    token = person.ask_to_register()
    [letter] = service.letters(person.email)
    assert f"{service.origin}/welcome#token={token}" in letter.get_body(("plain",)).get_content()
    wait_until(lambda: f"#token={token}" in service.console(), what="the link on the console")
    assert oct(service.mail.stat().st_mode & 0o077) == "0o0"


def test_the_log_has_one_line_per_request_and_holds_no_secret(service, people):
    before = len(service.log())
    owner, friend = people(service), people(service, "Minsu")
    group = owner.found_group("Very private name")
    code = owner.invite(group)["code"]
    expect(friend.get(f"/invitations/{code}"), 200)
    friend.join(code)
    reset = friend.ask_for_reset()
    expect(friend.put("/password-resets", {"token": reset, "password": "a new heron 77"}, token=None), 204)
    expect(friend.post("/sign-ins", {"email": friend.email, "password": "wrong wrong 1"}, token=None), 401)
    cookie = friend.post("/sign-ins", {"email": friend.email, "password": "a new heron 77", "delivery": "cookie"}, token=None)
    answer = owner.get(f"/groups/{group['id']}/leaderboard?period=month&at=2026-11")
    # A line is written after its answer.
    wait_until(lambda: "{id}/leaderboard" in service.log()[before:], what="the last request's line")
    text = service.log()
    lines = [json.loads(line) for line in text[before:].splitlines()]
    for secret in (
        owner.token,
        friend.token,
        code,
        reset,
        PASSWORD,
        "a new heron 77",
        "wrong wrong 1",
        friend.email,
        owner.email,
        "Very private name",
        service.environment["ANTHILL_SECRET"],
        cookie.headers["set-cookie"].split("=", 1)[1].split(";")[0],
    ):
        assert secret not in text
    mine = [line for line in lines if line["message"] == "GET /api/v1/groups/{id}/leaderboard"]
    assert mine and mine[-1]["status"] == answer.status_code and mine[-1]["us"] > 0
    assert group["id"] not in text and "/api/v1/invitations/{code}" in text


TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


def test_the_trace_of_a_request_is_in_its_line_and_in_the_line_of_its_error(own_service, people):
    person = people(own_service)
    begin = len(own_service.log())

    def lines(message):
        return [line for line in map(json.loads, own_service.log()[begin:].splitlines()) if line["message"] == message]

    expect(person.get("/me/tasks", headers={"traceparent": f"00-{TRACE}-00f067aa0ba902b7-01"}), 200)
    expect(person.get("/me/tasks", headers={"traceparent": f"00-{TRACE}-0-01"}), 200)
    expect(person.get("/me/tasks"), 200)
    asked = "GET /api/v1/me/tasks"
    wait_until(lambda: len(lines(asked)) == 3, what="the lines of three requests")
    traces = [line["trace_id"] for line in lines(asked)]
    assert traces[0] == TRACE and len(set(traces)) == 3 and all(re.fullmatch("[0-9a-f]{32}", trace) for trace in traces)

    own_service.cluster.sql("ALTER TABLE tasks RENAME TO tasks_away")
    try:
        failed = person.http.get(
            "/api/v1/me/tasks",
            headers={"Authorization": f"Bearer {person.token}", "traceparent": f"00-{TRACE}-00f067aa0ba902b7-01"},
        )
    finally:
        own_service.cluster.sql("ALTER TABLE tasks_away RENAME TO tasks")
    assert failed.status_code == 500
    wait_until(lambda: len(lines(asked)) == 4, what="the line of the failed request")
    [error] = lines(f"{asked} failed")
    assert error["level"] == "error" and error["trace_id"] == TRACE
    assert error["request"] == failed.json()["request_id"] == lines(asked)[3]["request"]


def test_a_stop_is_clean(empty_service):
    empty_service.migrate().start()
    with Person(empty_service) as person:
        expect(person.get("//healthz"), 200)
        assert empty_service.stop() == 0
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", empty_service.port), timeout=2)


def test_check_sql_finds_a_row_that_was_broken_on_purpose(own_service):
    with Person(own_service) as person:
        person.register()
        expect(person.log("2026-11-20T01:00:00Z", "2026-11-20T02:00:00Z"), 201)
        assert own_service.violations() == []
        own_service.cluster.sql("UPDATE study_days SET study_seconds = study_seconds + 1 WHERE uid = %s", person.uid)
        assert len(own_service.violations()) == 1
        done = subprocess.run(
            ["psql", "-X", "-d", own_service.cluster.url_of("anthill_admin"), "-f", "sql/maintenance/rebuild_totals.sql"]
            + ["-v", "reason=check.sql found a day", "-v", "apply=1"],
            cwd=own_service.root,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0 and re.search("360[01]", done.stdout), done.stdout + done.stderr
        assert own_service.violations() == []


@citus.not_spread("Citus uses connections, too")
def test_the_program_uses_no_connection_that_postgresql_does_not_have(service):
    with psycopg.connect(service.cluster.url) as connection:
        [[most]] = connection.execute("SELECT current_setting('max_connections')::int").fetchall()
        [[used]] = connection.execute("SELECT count(*) FROM pg_stat_activity WHERE usename = 'anthill_service'").fetchall()
    assert 0 < used < most / 2


def test_a_number_of_the_rules_is_changed_in_one_place(own_service, people):
    person = people(own_service)
    hours = "CREATE OR REPLACE FUNCTION logging_window() RETURNS interval LANGUAGE sql IMMUTABLE RETURN interval '{} hours'"

    def told():
        refused = expect(person.log("2026-11-01T01:00:00Z", "2026-11-01T02:00:00Z"), 422, "too_old").json()["detail"]
        window = re.search(r"logging_window_hours: (\d+),", person.http.get(f"{own_service.origin}/js/words/numbers.js").text)[1]
        within = re.search(r"Change a session within (\d+) h after its end", person.get("/openapi.yaml").text)[1]
        return re.search(r"\d+", refused)[0], window, within

    assert told() == ("48", "48", "48")
    own_service.cluster.sql(hours.format(72))
    assert own_service.stop() == 0
    own_service.start()
    assert told() == ("72", "72", "72")
    expect(person.log("2026-11-17T06:00:00Z", "2026-11-17T07:00:00Z"), 201)


def test_signals_that_are_not_for_it_do_not_end_it(own_service):
    for number in (signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGPIPE):
        own_service.process.send_signal(number)
    time.sleep(0.5)
    assert own_service.answers()


def test_a_console_that_takes_nothing_keeps_nobody_from_registering(own_service, people):
    own_service.stop()
    own_service.console_file = pathlib.Path("/dev/full")
    own_service.start()
    person = people(own_service, registered=False)
    assert person.ask_to_register()
    assert own_service.answers()


def full_pipe():
    """A pipe that takes nothing more until somebody reads it."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    with contextlib.suppress(BlockingIOError):
        while True:
            os.write(writer, b"x" * 4095 + b"\n")
    os.set_blocking(writer, True)
    return reader, writer


def test_a_log_that_nobody_reads_keeps_nobody_waiting(own_service):
    own_service.stop()
    (log, log_end), (console, console_end) = full_pipe(), full_pipe()
    own_service.process = subprocess.Popen([PROGRAM, "serve"], env=own_service.environment, stdout=console_end, stderr=log_end)
    os.close(log_end)
    os.close(console_end)
    wait_until(own_service.answers)
    [[before]] = own_service.cluster.sql("SELECT count(*) FROM mail_outbox WHERE sent_at IS NOT NULL")
    with httpx.Client(base_url=own_service.origin, trust_env=False) as client:
        for _ in range(4000):
            assert client.get("/healthz").status_code == 200
        for number in range(3):
            answer = client.post("/api/v1/registrations", json={"email": f"reader.{number}@example.org"})
            assert answer.status_code == 202
        # Each mail is told on the console.
        wait_until(
            lambda: own_service.cluster.sql("SELECT count(*) FROM mail_outbox WHERE sent_at IS NOT NULL") == [(before + 3,)],
            what="the mail to be sent",
        )
        # Somebody reads again: what was dropped is told, and what comes now is there.
        lines = []
        reading = threading.Thread(target=lambda: lines.extend(open(log, errors="replace")))
        reading.start()
        wait_until(lambda: any("log lines were dropped" in line for line in lines))
        assert client.get("/nothing", headers={"Accept": "application/json"}).status_code == 404
    assert own_service.stop() == 0
    reading.join()
    told = [json.loads(line) for line in lines if not line.startswith("x")]
    dropped = sum(line["lines"] for line in told if line["message"] == "log lines were dropped")
    served = [line for line in told if line["message"] == "GET /healthz"]
    assert dropped > 100 and 4000 <= len(served) + dropped <= 4100
    assert any(line["message"] == "GET -" for line in told) and told[-1]["message"] == "stopping"
    os.close(console)


def test_the_mail_page_is_not_there_where_others_can_reach_the_service(own_service):
    at = f"http://127.0.0.1:{own_service.port}/dev/mail"
    assert httpx.get(at, trust_env=False).status_code == 200
    own_service.stop()
    own_service.environment["ANTHILL_BASE_URL"] = "https://study.example.org"
    own_service.start()
    assert httpx.get(at, trust_env=False).status_code == 404
    wait_until(lambda: own_service.console().splitlines()[-1].endswith("/mail/."), what="where mail is, on the console")
