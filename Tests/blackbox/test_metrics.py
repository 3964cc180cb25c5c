"""What /metrics says, what a real Prometheus makes of it, and the alerts and the dashboard that come with it."""

import contextlib
import json
import re
import socket
import subprocess
from pathlib import Path

import httpx
import pytest
import yaml
from hook_receiver import Receiver
from monitoring import FOLDER, Prometheus, page, samples, total
from person import Person, expect
from service import ROOT, free_port, running, wait_until
from test_live import watching

# Told only where there are replicas. test_replicas.py sees them.
OF_REPLICAS = {"anthill_replica_up", "anthill_replica_lag_seconds", "anthill_replica_reads_total"}


@pytest.fixture(scope="module")
def watched():
    """A service that tells its metrics."""
    with running(ANTHILL_METRICS_LISTEN=f"127.0.0.1:{free_port()}") as service:
        assert total(service, "anthill_backup_age_seconds") == float("inf")
        service.cluster.sql("SELECT admin_note_backup('here', 1, false, 'me')")
        yield service


@pytest.fixture(scope="module")
def prometheus(watched):
    prometheus = Prometheus(watched)
    yield prometheus
    prometheus.stop()


@pytest.fixture
def person(watched):
    with Person(watched) as person:
        yield person.register_by_mail()


def promtool(*arguments, **more):
    done = subprocess.run(["promtool", *arguments], capture_output=True, text=True, **more)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def requests(service, **labels):
    return total(service, "anthill_http_requests_total", **labels) or 0


def listening_ports(service):
    """The TCP ports on which the service listens."""
    sockets = set()
    for link in (Path(f"/proc/{service.process.pid}/fd")).iterdir():
        with contextlib.suppress(FileNotFoundError):
            sockets.add(str(link.readlink()))
    ports = set()
    for line in open(f"/proc/{service.process.pid}/net/tcp").readlines()[1:]:
        columns = line.split()
        if columns[3] == "0A" and f"socket:[{columns[9]}]" in sockets:
            ports.add(int(columns[1].rpartition(":")[2], 16))
    return ports


def test_there_are_no_metrics_unless_they_are_asked_for(shared_service):
    assert listening_ports(shared_service) == {shared_service.port}
    assert httpx.get(f"{shared_service.origin}/metrics", trust_env=False).status_code == 404


def test_metrics_are_on_a_listener_of_their_own_which_answers_nothing_else(watched):
    address = watched.environment["ANTHILL_METRICS_LISTEN"]
    assert listening_ports(watched) == {watched.port, int(address.rpartition(":")[2])}
    wait_until(lambda: f"http://{address}/metrics" in watched.console(), what="the address on the console")
    assert httpx.get(f"{watched.origin}/metrics", trust_env=False).status_code == 404
    with httpx.Client(base_url=f"http://{address}", trust_env=False) as client:
        answer = client.get("/metrics")
        assert answer.status_code == 200 and answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
        assert client.get("/healthz").text == "ok\n" and client.get("/readyz").text == "ready\n"
        for path in ("/", "/home", "/api/v1/registration", "/styles.css", "/dev/mail"):
            assert client.get(path).status_code == 404
        assert client.post("/metrics").status_code == 405


def test_promtool_has_nothing_to_say_about_the_metrics(watched):
    assert promtool("check", "metrics", input=page(watched).text) == ""


def test_a_port_that_is_taken_is_one_clear_sentence(watched):
    done = watched.run("serve", ANTHILL_LISTEN=f"127.0.0.1:{free_port()}")
    said = (done.stdout + done.stderr).strip()
    assert done.returncode > 0 and watched.environment["ANTHILL_METRICS_LISTEN"] in said and len(said.splitlines()) == 1, said


def test_requests_count_under_their_route_and_the_class_of_their_status(watched, person):
    group = person.found_group()
    board = {"method": "GET", "route": "/api/v1/groups/{id}/leaderboard"}
    duration = "anthill_http_request_duration_seconds"
    for _ in range(7):
        expect(person.get(f"/groups/{group['id']}/leaderboard"), 200)
    expect(person.get(f"/groups/{group['id']}/leaderboard?period=never"), 422)
    assert (requests(watched, **board, status="2xx"), requests(watched, **board, status="4xx")) == (7, 1)
    assert total(watched, f"{duration}_count", **board) == 8 == total(watched, f"{duration}_bucket", le="+Inf", **board)
    assert 0 < total(watched, f"{duration}_sum", **board) < 8 * 5
    files = requests(watched, route="files", status="2xx")
    unknown = requests(watched, route="-", status="4xx")
    for path in ("/styles.css", "/home", "/art/favicon.svg", f"/groups/{group['id']}"):
        assert person.http.get(path).status_code == 200
    assert person.http.get("/nothing/here").status_code == 404
    assert requests(watched, route="files", status="2xx") == files + 4
    assert requests(watched, route="-", status="4xx") == unknown + 1
    # No label holds what only its owner should know.
    assert group["id"] not in page(watched).text and person.uid not in page(watched).text


def test_every_bound_of_a_histogram_counts_what_is_below_it(watched, person):
    expect(person.get("/me"), 200)
    labels = {"method": "GET", "route": "/api/v1/me"}
    counts = {
        float(dict(all_labels)["le"]): value
        for (name, all_labels), value in samples(watched).items()
        if name == "anthill_http_request_duration_seconds_bucket" and labels.items() <= dict(all_labels).items()
    }
    assert sorted(counts) == [0.001, 0.005, 0.02, 0.1, 0.3, 1, 5, float("inf")]
    rising = [counts[bound] for bound in sorted(counts)]
    assert rising == sorted(rising) and rising[-1] >= 1


def test_what_people_do_is_in_the_figures(watched, person):
    group = person.found_group()
    running = total(watched, "anthill_timers", state="running")
    expect(person.start(), 201)
    assert total(watched, "anthill_timers", state="running") == running + 1
    expect(person.post("/me/timer/pause"), 200)
    assert total(watched, "anthill_timers", state="running") == running
    assert total(watched, "anthill_timers", state="paused") >= 1
    with watching(person, group["id"]) as events:
        events.next()
        assert total(watched, "anthill_http_streams") == 1
    wait_until(lambda: total(watched, "anthill_http_streams") == 0, what="the stream to end")
    assert total(watched, "anthill_backup_age_seconds") == 0
    # Each person has followed a link in a mail.
    assert total(watched, "anthill_mail_deliveries_total", outcome="sent") >= 1
    refused = total(watched, "anthill_database_errors_total", **{"class": "refused"})
    expect(person.log("2026-11-20T01:00:00Z", "2026-11-20T02:00:00Z"), 201)
    expect(person.log("2026-11-20T01:30:00Z", "2026-11-20T02:30:00Z"), 409)
    assert total(watched, "anthill_database_errors_total", **{"class": "refused"}) == refused + 1


def test_what_webhooks_are_told_is_in_the_figures(watched, person):
    receiver = Receiver()
    group = person.found_group()["id"]

    def deliveries(outcome):
        return total(watched, "anthill_webhook_deliveries_total", outcome=outcome)

    def told(*plan):
        """Sends a test to a webhook that answers in this way."""
        hook = receiver.hook(*plan)
        wanted = {"url": hook.url, "kind": "json", "events": ["new_member"], "locale": "en"}
        made = expect(person.post(f"/groups/{group}/webhooks", wanted), 201).json()["id"]
        expect(person.post(f"/groups/{group}/webhooks/{made}/tests"), 202)

    try:
        before = {outcome: deliveries(outcome) for outcome in ("sent", "failed", "gave_up")}
        told(204)
        wait_until(lambda: deliveries("sent") == before["sent"] + 1, what="the one that is told")
        told(410)
        wait_until(lambda: deliveries("gave_up") == before["gave_up"] + 1, what="the one that is gone")
        wait_until(lambda: total(watched, "anthill_webhook_messages") == 0, what="nothing to wait")
        # A test is tried once, and what happens in the group again later.
        told(*[500] * 100)
        wait_until(lambda: deliveries("gave_up") == before["gave_up"] + 2, what="the test that fails")
        with Person(watched) as friend:
            friend.register().join(person.invite({"id": group})["code"])
        wait_until(lambda: deliveries("failed") > before["failed"], what="the one that fails")
        wait_until(lambda: deliveries("sent") == before["sent"] + 2, what="the one that is told of the friend")
        assert total(watched, "anthill_webhook_messages") == 1
    finally:
        receiver.stop()


def test_the_figures_of_the_process_are_those_of_the_system(watched):
    status = open(f"/proc/{watched.process.pid}/status").read()
    resident = int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]) * 1024
    assert total(watched, "process_resident_memory_bytes") == pytest.approx(resident, rel=0.2)
    with socket.create_connection(("127.0.0.1", watched.port)), socket.create_connection(("127.0.0.1", watched.port)):
        wait_until(lambda: total(watched, "anthill_http_connections") >= 2)
        some = total(watched, "process_open_fds")
    wait_until(lambda: total(watched, "process_open_fds") <= some - 2, what="the descriptors to be closed")
    [[size]] = watched.cluster.sql("SELECT pg_database_size(current_database())")
    assert total(watched, "anthill_database_size_bytes") == pytest.approx(size, rel=0.1)
    wanted = total(watched, "anthill_database_lanes")
    wait_until(lambda: total(watched, "anthill_database_connections") == wanted, what="all connections to be open")
    [[used]] = watched.cluster.sql("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'anthill'")
    assert used == wanted


def test_every_chore_has_been_done(watched):
    chores = {dict(labels)["chore"] for name, labels in samples(watched) if name == "anthill_chore_interval_seconds"}
    assert {"close months", "fold changes of ranks", "remove old mail"} <= chores
    for chore in chores:
        wait_until(lambda c=chore: total(watched, "anthill_chore_last_success_timestamp_seconds", chore=c) > 1.6e9, what=chore)
        assert total(watched, "anthill_chore_failures_total", chore=chore) == 0


def test_metrics_report_a_frozen_database_and_everything_else(watched):
    known = {name for name, _ in samples(watched)}
    lost = total(watched, "anthill_database_errors_total", **{"class": "connection"})
    with watched.cluster.freezing():
        told = samples(watched)
        assert told["anthill_database_up", frozenset()] == 0
        without = {name for name, _ in told}
        asked = {"anthill_database_size_bytes", "anthill_timers", "anthill_months_due", "anthill_pushes", "anthill_pushes_overdue_seconds"}
        asked |= {"anthill_backup_age_seconds"}
        asked |= {name for name in known if name.startswith(("anthill_outbox_", "anthill_rank_", "anthill_webhook_messages"))}
        assert known - without == asked
    wait_until(lambda: total(watched, "anthill_database_up") == 1, what="the database to come back")
    assert total(watched, "anthill_database_errors_total", **{"class": "connection"}) > lost


def test_a_real_prometheus_has_the_values_that_people_made(watched, prometheus, person):
    before = requests(watched, route="/api/v1/me/today")
    for _ in range(5):
        expect(person.get("/me/today"), 200)
    expect(person.start(), 201)
    running = total(watched, "anthill_timers", state="running")
    asked = 'anthill_http_requests_total{route="/api/v1/me/today",status="2xx"}'
    wait_until(lambda: prometheus.value(asked) == before + 5, what="Prometheus to see the requests")
    wait_until(lambda: prometheus.value('anthill_timers{state="running"}') == running)
    assert prometheus.value("anthill_database_up") == 1
    quantile = "histogram_quantile(0.5, sum by (le) (anthill_http_request_duration_seconds_bucket))"
    assert 0 < prometheus.value(quantile) < 5
    assert prometheus.value("count(anthill_http_request_duration_seconds_count) > 5")


def test_no_alert_is_raised_by_a_service_that_is_well_and_one_is_when_it_goes(watched, prometheus):
    def health():
        return [rule["health"] for rule in prometheus.ask("rules")["groups"][0]["rules"]]

    wait_until(lambda: set(health()) == {"ok"}, what="Prometheus to look at every alert")
    assert len(health()) > 10

    def raised():
        return {alert["labels"]["alertname"] for alert in prometheus.ask("alerts")["alerts"]}

    wait_until(lambda: raised() == set(), what="no alert")
    watched.stop()
    wait_until(lambda: "AnthillDown" in raised(), what="the alert that it is gone")
    watched.start()
    wait_until(lambda: prometheus.value("up") == 1 and "AnthillDown" not in raised(), what="the alert to go")


def names_in(expressions):
    return set(re.findall(r"\b(?:anthill|process)_\w+", " ".join(expressions)))


def test_every_figure_of_the_alerts_and_the_dashboard_exists(watched, person):
    known = {name for name, _ in samples(watched)} | OF_REPLICAS
    rules = yaml.safe_load((FOLDER / "alerts.yml").read_text())["groups"][0]["rules"]
    alerts = names_in(rule["expr"] for rule in rules)
    panels = json.loads((FOLDER / "dashboard.json").read_text())["panels"]
    expressions = [target["expr"] for panel in panels for target in panel.get("targets", [])]
    assert len(alerts) > 10 and alerts <= known, alerts - known
    assert len(expressions) > 30 and names_in(expressions) <= known, names_in(expressions) - known
    # And what is told is shown somewhere, and explained.
    stems = {re.sub(r"_(bucket|sum|count)$", "", name) if "duration" in name else name for name in known}
    shown = {re.sub(r"_(bucket|sum|count)$", "", name) if "duration" in name else name for name in alerts | names_in(expressions)}
    assert stems - shown == set()
    section = (ROOT / "docs/operate.md").read_text().split("\n## What to watch\n")[1].split("\n## ")[0]
    assert names_in([section]) == stems


def test_prometheus_understands_every_expression_of_the_dashboard(prometheus):
    panels = json.loads((FOLDER / "dashboard.json").read_text())["panels"]
    for panel in panels:
        for target in panel.get("targets", []):
            expression = target["expr"].replace("$__rate_interval", "1m").replace("$instance", ".*")
            assert prometheus.ask("query", query=expression) is not None, expression
    assert len({panel["id"] for panel in panels}) == len(panels)


def test_every_alert_has_figures_that_raise_it_and_figures_that_do_not():
    promtool("check", "config", "prometheus.yml", cwd=FOLDER)
    promtool("test", "rules", "alerts.test.yml", cwd=ROOT / "Tests/monitoring")
    rules = yaml.safe_load((FOLDER / "alerts.yml").read_text())["groups"][0]["rules"]
    tests = yaml.safe_load((ROOT / "Tests/monitoring/alerts.test.yml").read_text())["tests"]
    raised = {case["alertname"] for test in tests for case in test["alert_rule_test"] if case["exp_alerts"]}
    assert {rule["alert"] for rule in rules} == raised
