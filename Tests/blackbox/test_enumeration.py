"""Nobody learns from an answer, or from how long it takes, whether an address has an account."""

import bisect
import http.client
import itertools
import json
import os
import random
import re
import time

import contract
import pytest
from aiosmtpd.controller import Controller
from mail_server import MailServer
from person import PASSWORD, Person
from race import from_anywhere
from service import free_port, running, wait_until

LONG = os.environ.get("ANTHILL_TEST_RING") == "long"
# How many times a known and an unknown address are asked about.
PAIRS = 1000 if LONG else 3

_numbers = itertools.count()


@pytest.fixture(scope="module", params=["mail-arrives", "mail-server-is-down"])
def service(request):
    server = f"smtp://127.0.0.1:{(port := free_port())}?tls=none"
    with running(ANTHILL_SMTP_URL=server, ANTHILL_MAIL_FROM="Anthill <anthill@example.org>") as service:
        if request.param == "mail-server-is-down":
            yield service
            return
        controller = Controller(MailServer(service.mail), hostname="127.0.0.1", port=port)
        controller.start()
        yield service
        controller.stop()


@pytest.fixture(scope="module")
def asker(service):
    """Somebody signed in, who needed no mail for it."""
    with Person(service) as person:
        printed = service.run("link", person.email).stdout
        token = re.search(r"#token=([\w-]+)", printed)[1]
        answer = person.post("/users", {"token": token, "nickname": person.name, "password": PASSWORD}, token=None)
        assert answer.status_code == 201
        yield person._signed_in(answer)


def known_addresses(service, asker, count):
    """Addresses of so many new people, whose password is the asker's."""
    addresses = unknown_addresses(count)
    service.cluster.sql(
        """
        WITH made AS (
          INSERT INTO users (uid, nickname, password_hash)
          SELECT gen_random_uuid(), n::text, (SELECT password_hash FROM users WHERE uid = %s) FROM generate_series(1, %s) n
          RETURNING uid, nickname::integer AS n
        ), clocks AS (SELECT n, uid, set_study_clock(uid, 'Asia/Seoul', NULL) FROM made)
        INSERT INTO user_emails (canonical, email, uid)
        SELECT a.address, a.address, m.uid FROM made m JOIN unnest(%s::text[]) WITH ORDINALITY a (address, n) USING (n)
        """,
        asker.uid,
        count,
        addresses,
    )
    return addresses


def unknown_addresses(count):
    """All of one length."""
    return [f"{number:08}@example.org" for number, _ in zip(_numbers, range(count))]


def timed(connection, path, body, headers):
    """What is told, and in how many seconds."""
    content = json.dumps(body)
    began = time.perf_counter()
    connection.request("POST", f"/api/v1{path}", content, {**headers, "Content-Type": "application/json"})
    response = connection.getresponse()
    answer = response.read()
    took = time.perf_counter() - began
    fields = {name.lower(): value for name, value in response.getheaders()}
    contract.check("POST", f"/api/v1{path}", response.status, fields, answer)
    fields.pop("date")
    return (response.status, tuple(sorted(fields.items())), re.sub(rb'"request_id":"[^"]+"', b"", answer)), took


def chance_to_be_slower(some, others):
    """How likely one of `some` took longer than one of `others`: 0.5 if nothing can be told from it."""
    others = sorted(others)
    places = [bisect.bisect_left(others, each) + bisect.bisect_right(others, each) for each in some]
    return sum(places) / (2 * len(some) * len(others))


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/registrations", 202),
        ("/password-resets", 202),
        ("/email-reminders", 202),
        ("/sign-ins", 401),
        ("/me/email-changes", 202),
    ],
)
def test_a_known_address_is_answered_as_an_unknown_one(service, asker, path, status):
    asked = [(True, address) for address in known_addresses(service, asker, PAIRS)]
    asked += [(False, address) for address in unknown_addresses(PAIRS)]
    # Without an order, since what a mail needs may still be done while the next request is answered.
    random.shuffle(asked)
    told, times = set(), {True: [], False: []}
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=60)
    for known, address in asked:
        body = {"email": address}
        if path == "/sign-ins":
            body["password"] = "not this one 1"
        elif path == "/me/email-changes":
            body["password"] = PASSWORD
        headers = from_anywhere(asker if path.startswith("/me") else None)
        answer, took = timed(connection, path, body, headers)
        told.add(answer)
        times[known].append(took)
    connection.close()
    wait_until(service.all_mail_is_sent, seconds=300, what="the mail to be tried")
    assert len(told) == 1 and told.pop()[0] == status
    slower = chance_to_be_slower(times[True], times[False])
    # So many times tell a difference from chance; a few would not.
    if LONG:
        print(f"{path}: a known address is slower with a chance of {slower:.3f}")
        assert abs(slower - 0.5) <= 0.08
