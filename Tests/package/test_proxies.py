"""The samples in docs/proxies, as they are, on the proxies of Debian, in front of the installed service."""

import socket
import ssl
import time

import httpx
import pytest
from machine import InstalledService, Machine, package
from person import Person, expect
from service import ROOT, START, wait_until
from steady_load import SteadyLoad
from test_live import watching

HOST = "study.example.org"
SAMPLES = ROOT / "docs/proxies"
CERTIFICATE = f"/etc/letsencrypt/live/{HOST}"
UNTRUSTING = ssl.create_default_context()
UNTRUSTING.check_hostname = False
UNTRUSTING.verify_mode = ssl.CERT_NONE


@pytest.fixture(scope="module")
def service():
    deb = package()
    machine = Machine(deb)
    try:
        machine.boot().install(deb)
        service = InstalledService(machine, f"https://{HOST}", ANTHILL_API_LIMIT="0").start()
        machine.run("mkdir", "-p", CERTIFICATE)
        machine.run(
            *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"),
            *("-subj", f"/CN={HOST}", "-addext", f"subjectAltName=DNS:{HOST}"),
            *("-keyout", f"{CERTIFICATE}/privkey.pem", "-out", f"{CERTIFICATE}/fullchain.pem"),
        )
        with machine.network():
            yield service.set_clock(START)
    finally:
        machine.remove()


def put_nginx(root):
    (root / "etc/nginx/sites-enabled/default").unlink(missing_ok=True)
    (root / "etc/nginx/sites-enabled/anthill").write_text((SAMPLES / "nginx.conf").read_text())


def put_haproxy(root):
    pair = [(root / CERTIFICATE[1:] / name).read_text() for name in ("fullchain.pem", "privkey.pem")]
    (root / f"etc/haproxy/{HOST}.pem").write_text("".join(pair))
    (root / "etc/haproxy/haproxy.cfg").write_text((SAMPLES / "haproxy.cfg").read_text())


def put_caddy(root):
    # There is nobody here to ask for a certificate, so Caddy makes one itself.
    (root / "etc/caddy/Caddyfile").write_text("{\n\tlocal_certs\n\tskip_install_trust\n}\n" + (SAMPLES / "Caddyfile").read_text())


@pytest.fixture(scope="module", params=[put_nginx, put_haproxy, put_caddy], ids=["nginx", "haproxy", "caddy"])
def proxy(request, service):
    """The service behind this proxy; it has no other address for clients."""
    name = request.param.__name__.removeprefix("put_")
    request.param(service.machine.root)
    service.machine.run("systemctl", "start", name)
    wait_until(lambda: tls_answers(), 30, f"{name} to answer")
    yield service
    service.machine.run("systemctl", "stop", name)


def tls_answers():
    try:
        with client() as http:
            return http.get("/readyz").status_code == 200
    except httpx.TransportError:
        return False


def client(**more):
    transport = httpx.HTTPTransport(verify=UNTRUSTING, **more)
    http = httpx.Client(base_url="https://127.0.0.1", headers={"Host": HOST}, transport=transport, timeout=30, trust_env=False)
    http.event_hooks["request"].append(lambda request: request.extensions.update(sni_hostname=HOST))
    return http


@pytest.fixture
def person(proxy):
    person = Person(proxy)
    person.http.close()
    person.http = client()
    yield person.register_by_mail()
    person.close()


def test_pages_and_the_api_are_served_with_tls_and_http_2(proxy, person):
    with client() as http:
        page = http.get("/sign-in")
        assert page.status_code == 200 and page.headers["strict-transport-security"]
        answer = expect(person.post("/sign-ins", {"email": person.email, "password": "three calm herons 42", "delivery": "cookie"}), 201)
        assert "; Secure" in answer.headers["set-cookie"]
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.set_alpn_protocols(["h2", "http/1.1"])
    with context.wrap_socket(socket.create_connection(("127.0.0.1", 443)), server_hostname=HOST) as connection:
        assert connection.selected_alpn_protocol() == "h2" and connection.version() == "TLSv1.3"


def test_http_leads_to_https(proxy):
    answer = httpx.get("http://127.0.0.1/board?x=1", headers={"Host": HOST}, trust_env=False)
    assert answer.status_code in (301, 308) and answer.headers["location"] == f"https://{HOST}/board?x=1"


def test_the_client_has_its_address_and_cannot_choose_another(proxy):
    with client(local_address="127.0.0.9") as http:
        assert http.get("/healthz", headers={"X-Forwarded-For": "203.0.113.7"}).status_code == 200
    wait_until(lambda: '"client":"127.0.0.9"' in proxy.log(), what="the request in the log")
    assert "203.0.113.7" not in proxy.log()


def test_five_megabytes_come_through_and_no_more(proxy, person):
    columns = "started_at,ended_at\n"
    most = 5 * 1024 * 1024
    for size, status in ((most, 422), (most + 1, 413)):
        body = columns + "x" * (size - len(columns))
        answer = person.post("/me/imports", content=body.encode(), headers={"Content-Type": "text/csv"})
        assert answer.status_code == status and answer.headers["content-type"] == "application/problem+json", answer.text


def test_a_live_board_comes_at_once(proxy, person):
    group = person.found_group()["id"]
    with watching(person, group) as events, client() as other:
        events.board()
        began = time.monotonic()
        signed_in = {"Authorization": f"Bearer {person.token}"}
        answer = other.post("/api/v1/me/timer/start", json={}, headers=signed_in)
        assert answer.status_code == 201
        assert events.board()[2]["me"]["studying"] is True
        assert time.monotonic() - began < 5


def test_restarts_behind_the_proxy_fail_no_request(proxy):
    people = []
    for number in range(2):
        person = Person(proxy, f"Steady{number}")
        person.http.close()
        person.http = client()
        people.append(person.register_by_mail())
    load = SteadyLoad(443, people, 1_200, clients=16, host=HOST, tls=UNTRUSTING)
    for _ in range(2):
        proxy.restart()
    load.join()
    assert load.failures == [] and load.answered == load.sent
    for person in people:
        person.close()
