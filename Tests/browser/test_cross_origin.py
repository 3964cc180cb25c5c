"""Pages of other origins, in the browser of a signed-in visitor: whatever they send, nothing changes."""

import base64
import collections
import datetime
import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import contract
import httpx
import pytest
from drawing import encoded, quarters
from person import Person, expect
from providers import CLIENT, SECRET, Liar
from service import START, running, wait_until
from visitor import PASSWORD, Visitor

# Changing routes that ask for no sign-in. Without the cookie nothing is done in the visitor's name: what they do, they do for
# a password, for a token that came by mail, or for an address to which they write. They take JSON alone, which a page of
# another origin cannot send.
WITHOUT_SIGN_IN = {
    "register": "sends a mail to an address",
    "checkRegistration": "needs the token of that mail, and changes nothing",
    "createUser": "needs the token of that mail, or the ticket of a provider, which our own pages alone may use",
    "signIn": "needs the password; sets the cookie for our own pages alone",
    "askForPasswordReset": "sends a mail to an address",
    "checkPasswordReset": "needs the token of that mail, and changes nothing",
    "resetPassword": "needs the token of that mail",
    "confirmEmailChange": "needs the token of a mail to the new address",
    "takeBackEmail": "needs the token of a mail to the old address",
    "askForEmailReminder": "sends a mail to an address",
}

# What other origins may use, and which tables it may change then.
OPEN = {
    # RFC 8058: a mail program sends it, from wherever it is. Only the person who got the mail has the signed link.
    "POST /unsubscribe/{kind}/{token}": {"users"},
    # Links lead to it. The flow is worth something only together with the cookie that comes with it.
    "GET /api/v1/oidc/{provider}": {"provider_flows", "rate_limits"},
    # The provider sends browsers to it. Without the cookie of its flow a browser is sent away.
    "GET /api/v1/oidc/{provider}/callback": set(),
}

# Bodies with which the visitor's own pages would get through.
BODIES = {
    "/registrations": {"email": "new@example.org"},
    "/sign-ins": {"email": "mina@example.org", "password": PASSWORD, "delivery": "cookie"},
    "/password-resets": {"email": "mina@example.org"},
    "/email-reminders": {"email": "mina@example.org"},
    "/me": {"nickname": "Mallory"},
    "/me/password": {"current": PASSWORD, "new": "five loud magpies 17"},
    "/me/email-changes": {"email": "mallory@example.org", "password": PASSWORD},
    "/me/identities": {"provider": "acme", "password": PASSWORD},
    "/me/confirmations": {"provider": "acme"},
    "/me/sessions": {"started_at": "2026-11-20T01:00:00Z", "ended_at": "2026-11-20T02:00:00Z"},
    "/me/subjects": {"name": "Mallory"},
    "/me/projects": {"name": "Mallory"},
    "/me/tasks": {"name": "Mallory"},
    "/groups": {"name": "Mallory"},
    "/groups/{id}": {"name": "Mallory"},
}

# What the service does by itself at any time.
CHORES = {"board_changes", "change_horizons", "rank_deltas", "rank_buckets", "rank_folding", "group_means", "group_means_round"}

# Whatever a browser lets a page send to another origin. Only "read" could see an answer.
SEND = """
async ({ attempts, picture }) => {
  const image = new File([Uint8Array.from(atob(picture), (each) => each.charCodeAt(0))], "me.png", { type: "image/png" });
  const frame = document.body.appendChild(Object.assign(document.createElement("iframe"), { name: "answer" }));
  const form = (url, enctype, body) => new Promise((done) => {
    const form = document.body.appendChild(document.createElement("form"));
    Object.assign(form, { action: url, method: "post", enctype, target: "answer" });
    for (const [name, value] of Object.entries(JSON.parse(body))) {
      Object.assign(form.appendChild(document.createElement("input")), { name, value });
    }
    if (enctype === "text/plain") Object.assign(form.appendChild(document.createElement("input")), { name: body, value: "" });
    if (enctype === "multipart/form-data") {
      const input = form.appendChild(document.createElement("input"));
      const files = new DataTransfer();
      files.items.add(image);
      Object.assign(input, { type: "file", name: "file", files: files.files });
    }
    frame.onload = () => done("sent");
    setTimeout(done, 2000, "lost");
    HTMLFormElement.prototype.submit.call(form);
  });
  const outcomes = [];
  for (const { url, method, how, body } of attempts) {
    const [way, detail] = how.split(" ");
    if (way === "form") {
      outcomes.push(await form(url, detail, body));
      continue;
    }
    const options = { method, mode: way, credentials: "include", cache: "no-store" };
    if (detail === "image/png") options.body = image;
    else if (detail) Object.assign(options, { body, headers: { "Content-Type": detail } });
    outcomes.push(await fetch(url, options).then((answer) => (answer.type === "opaque" ? "sent" : "read"), () => "refused"));
  }
  return outcomes;
}
"""
# Each with what the page learns.
SIMPLE = {
    "no-cors": "sent",
    "no-cors text/plain": "sent",
    "cors text/plain": "refused",
    "form application/x-www-form-urlencoded": "sent",
    "form multipart/form-data": "sent",
    "form text/plain": "sent",
}
# The browser asks first whether it may send these, or sends none of them.
ASKED_FIRST = ["cors application/json", "cors image/png"]
ANY_METHOD = ["cors", "cors text/plain", "cors application/json", "cors image/png", "no-cors", "no-cors text/plain", "no-cors image/png"]


@pytest.fixture(scope="module")
def liar():
    liar = Liar(int(datetime.datetime.fromisoformat(START).timestamp()))
    yield liar
    liar.close()


@pytest.fixture(scope="module")
def service(liar):
    # A fast machine sends more than a person may.
    with running(
        ANTHILL_API_LIMIT="0",
        ANTHILL_OIDC_ACME_ISSUER=liar.issuer,
        ANTHILL_OIDC_ACME_CLIENT_ID=CLIENT,
        ANTHILL_OIDC_ACME_CLIENT_SECRET=SECRET,
    ) as service:
        yield service


@pytest.fixture(scope="module")
def other_port():
    """Another site with an empty page."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            content = b"<!doctype html><title>Elsewhere</title><body>"
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_port
    server.shutdown()
    server.server_close()


@pytest.fixture(params=["localhost", "127.0.0.1"])
def elsewhere(request, other_port):
    """Another origin: another port of the same site, whose pages take the cookie along, and another host."""
    return f"http://{request.param}:{other_port}/"


@pytest.fixture
def mina(service, clock, chromium):
    visitor = Visitor(service, chromium, "Mina", "en")
    visitor.open_account()
    # A header of its own would make the browser ask first.
    visitor.context.set_extra_http_headers({})
    yield visitor
    visitor.leave()


def ask(mina, method, path, body=None):
    """Asks the API as the visitor's own pages do."""
    answer = mina.context.request.fetch(f"/api/v1{path}", method=method, data=body, headers={"Origin": mina.service.origin})
    assert answer.ok, answer.text()
    return answer.json()


def state(service):
    """A digest of every table that somebody's request changes."""
    wait_until(service.all_mail_is_sent, what="the mail to be sent")
    tables = service.cluster.sql("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
    # A chore notes the month of a new group that is open.
    content = "to_jsonb(t) - '{open_month,open_month_closes_at}'::text[]"
    return {
        table: service.cluster.sql(
            f"SELECT md5(string_agg(row, chr(10) ORDER BY row)) FROM (SELECT ({content})::text AS row FROM {table} t) r"
        )
        for (table,) in tables
        if table not in CHORES
    }


def changed(before, after):
    return {table for table in before if before[table] != after[table]}


def answers(service, mark):
    """How often which request got which status since the mark, as the log tells."""
    lines = [json.loads(line) for line in service.log()[mark:].splitlines() if line.startswith("{") and line.endswith("}")]
    asked = [(line["message"], line["status"]) for line in lines if "status" in line]
    # The visitor's own page may read something meanwhile.
    return collections.Counter(each for each in asked if not each[0].startswith("GET "))


def operations():
    """(method, path, whether it asks for a sign-in) of everything that changes something."""
    for path, item in contract.SPEC["paths"].items():
        for method in ("post", "put", "patch", "delete"):
            if method in item:
                name, is_open = item[method]["operationId"], item[method].get("security") == []
                assert is_open == (name in WITHOUT_SIGN_IN), f"{name} is open, or closed, without a reason"
                yield method.upper(), path, not is_open


def attempts(service, group, code):
    for method, path, _ in operations():
        values = {"code": code, "name": "x", "month": "2026-10", "day": "2026-11-20"}
        url = service.api + re.sub("{([a-z_]+)}", lambda name: values.get(name[1]) or group, path)
        for how in [*SIMPLE, *ASKED_FIRST] if method == "POST" else ANY_METHOD:
            yield {"url": url, "method": method, "how": how, "body": json.dumps(BODIES.get(path, {}))}


def test_no_page_of_another_origin_changes_anything(service, mina, elsewhere):
    group = ask(mina, "POST", "/groups", {"name": "Night owls"})["id"]
    with Person(service, "Haneul") as friend:
        friend.register()
        code = friend.invite(friend.found_group())["code"]
    page, cookies = mina.context.new_page(), mina.context.cookies()
    page.goto(elsewhere)
    before, mark = state(service), len(service.log())

    tried = list(attempts(service, group, code))
    picture = base64.b64encode(encoded(quarters())).decode()
    outcomes = page.evaluate(SEND, {"attempts": tried, "picture": picture})
    for each, outcome in zip(tried, outcomes):
        expected = SIMPLE.get(each["how"], "refused") if each["method"] == "POST" else "refused"
        assert outcome == expected, each

    # Only POST gets to the service at all, and each is refused: where the cookie comes along as one of another origin, where
    # the browser keeps it back as one of nobody, and where no sign-in is asked for since it is not JSON or lacks everything.
    posts = [(path, signed_in) for method, path, signed_in in operations() if method == "POST"]
    found = wait_until(
        lambda: log if (log := answers(service, mark)).total() - log["OPTIONS -", 204] >= len(SIMPLE) * len(posts) else None, what="the log"
    )
    assert {message for message, _ in found} == {"OPTIONS -", *(f"POST /api/v1{path}" for path, _ in posts)}
    refusal = 403 if "localhost" in elsewhere else 401
    for path, signed_in in posts:
        statuses = {status: count for (message, status), count in found.items() if message == f"POST /api/v1{path}"}
        assert sum(statuses.values()) == len(SIMPLE), f"{path}: {statuses}"
        assert set(statuses) == ({refusal} if signed_in else {400, 415}), f"{path}: {statuses}"
    assert changed(before, state(service)) == set()
    assert mina.context.cookies() == cookies

    # The same from a page of our own does something: the visitor was signed in all the time, and the digest sees it.
    start = {"url": f"{service.api}/me/timer/start", "method": "POST", "how": "cors application/json", "body": "{}"}
    rename = {"url": f"{service.api}/me", "method": "PATCH", "how": "cors application/json", "body": '{"nickname": "Mine"}'}
    assert mina.page.evaluate(SEND, {"attempts": [start, rename], "picture": picture}) == ["read", "read"]
    assert {"users", "study_sessions"} <= changed(before, state(service))
    assert ask(mina, "GET", "/me")["nickname"] == "Mine"
    # The browser complained of every answer that the other origin was not shown.
    mina.complaints.clear()


def test_one_click_from_elsewhere_turns_off_that_mail_alone(service, clock, mina, elsewhere):
    ask(mina, "POST", "/me/timer/start", {})
    clock.advance(7 * 3600)
    service.cluster.sql("SELECT tell_of_unattended_timers()")
    letters = wait_until(lambda: found if len(found := service.letters(mina.email)) == 1 else None)
    link = re.search(r"\S+/unsubscribe/\S+", letters[0].get_body(("plain",)).get_content())[0]
    page = mina.context.new_page()
    page.goto(elsewhere)
    mine, before = ask(mina, "GET", "/me"), state(service)
    one_click = {"url": link, "method": "POST", "how": "no-cors", "body": "{}"}
    assert page.evaluate(SEND, {"attempts": [one_click], "picture": ""}) == ["sent"]
    assert changed(before, state(service)) == OPEN["POST /unsubscribe/{kind}/{token}"]
    assert ask(mina, "GET", "/me") == {**mine, "unattended_mail": False}
    mina.complaints.clear()


def test_somebody_elses_way_through_a_provider_signs_nobody_in(service, mina, liar, elsewhere):
    """Somebody who sends a visitor to the end of a flow of their own would have them study in a strange account."""
    page, mine = mina.context.new_page(), ask(mina, "GET", "/me")
    with Person(service, "Mallory") as mallory:
        there = expect(mallory.get("/oidc/acme", token=None), 303).headers["location"]
        query = liar.allow(there, sub="mallory", email=mallory.email, email_verified=True)
    page.goto(elsewhere)
    before, cookies = state(service), mina.context.cookies()
    page.evaluate("url => { location = url }", str(httpx.URL(f"{service.api}/oidc/acme/callback", params=query)))
    page.wait_for_url(re.compile(r"/provider#problem=expired"))
    assert changed(before, state(service)) == OPEN["GET /api/v1/oidc/{provider}/callback"]
    assert mina.context.cookies() == cookies
    assert ask(mina, "GET", "/me") == mine

    page.goto(elsewhere)
    with page.expect_response(f"{service.api}/oidc/acme") as response:
        page.evaluate("url => { document.body.append(Object.assign(new Image(), { src: url })) }", f"{service.api}/oidc/acme")
    assert response.value.status == 303
    assert changed(before, state(service)) <= OPEN["GET /api/v1/oidc/{provider}"]
    assert ask(mina, "GET", "/me") == mine
    mina.complaints.clear()
