"""Pushes from end to end: a push service on loopback takes them, and its browsers read them."""

import datetime
import uuid

import pytest
from push_service import PushService, verified
from service import START, Service, running, wait_until

BEGAN = int(datetime.datetime.fromisoformat(START).timestamp())


@pytest.fixture(scope="module")
def pushing():
    """A service and a push service."""
    push_service = PushService()
    with running() as service:
        service.push_service = push_service
        yield service
        push_service.stop()


@pytest.fixture
def service(pushing):
    return pushing.set_clock(START)


@pytest.fixture
def listen(service, people):
    """Makes somebody and a browser of theirs that gets pushes."""

    def make(*plan, **more):
        person = people(service, **more)
        browser = service.push_service.browser()
        browser.plan = list(plan)
        answer = person.post("/me/push-subscriptions", browser.subscription())
        assert answer.status_code == 201
        person.subscription = answer.json()["id"]
        return person, browser

    return make


def arrived(browser, count=1):
    return wait_until(lambda: found if len(found := browser.taken) >= count else None, what="the push")


def waiting(service, person, columns="kind"):
    return service.cluster.sql(f"SELECT {columns} FROM push_outbox WHERE uid = %s", person.uid)


def gone(service, person):
    wait_until(lambda: not waiting(service, person), what="the outbox to be empty")


def test_a_push_is_for_one_browser_to_read_and_for_one_push_service_to_believe(service, listen):
    person, browser = listen()
    assert person.post("/me/push-tests").status_code == 202
    assert arrived(browser) == [
        {
            "kind": "test",
            "title": "Notifications arrive",
            "text": "This device gets notifications.",
            "address": "/settings",
            "topic": "test",
            "language": "en",
        }
    ]
    [(_, headers, body)] = browser.requests
    assert b"arrive" not in body
    assert headers["Content-Encoding"] == "aes128gcm"
    assert (headers["TTL"], headers["Urgency"], len(headers["Topic"])) == ("60", "high", 32)
    claims, key = verified(headers["Authorization"])
    assert claims == {"aud": service.push_service.origin, "exp": BEGAN + 3600, "sub": "mailto:anthill@localhost"}
    assert key == person.get("/push/key", token=None).json()["public_key"]
    gone(service, person)


def test_the_alarm_rings_with_every_page_closed(service, listen):
    person, browser = listen(language="ko")
    person.patch("/me", {"locale": "ko", "quiet_hours": {"from": "22:00", "to": "09:00"}})
    alarm = {"enabled": True, "time": "06:30", "difficulty": "easy", "sound": "bell", "repeat": {"every_minutes": 5, "times": 1}}
    assert person.put("/me/alarm", alarm).status_code == 200
    service.set_clock("2026-11-20T21:30:00Z")
    [ring] = arrived(browser)
    assert (ring["kind"], ring["title"], ring["address"], ring["language"]) == ("alarm", "일어날 시간이에요", "/alarm", "ko")
    assert browser.requests[0][1]["TTL"] == "120"
    service.set_clock("2026-11-20T21:35:00Z")
    assert len(arrived(browser, 2)) == 2


def test_two_instances_push_the_end_of_each_countdown_once(service, listen):
    crowd = [listen() for _ in range(8)]
    second = Service(service.cluster, ANTHILL_SECRET=service.environment["ANTHILL_SECRET"]).start()
    try:
        for person, _ in crowd:
            person.post("/me/timer/start", {"goal_seconds": 600})
        service.advance_clock(600)
        for _, browser in crowd:
            [push] = arrived(browser)
            assert (push["kind"], push["title"], push["address"]) == ("timer", "Your time is up", "/home")
        # What comes later comes after anything that was still on its way.
        for person, browser in crowd:
            person.post("/me/push-tests")
            assert [push["kind"] for push in arrived(browser, 2)] == ["timer", "test"]
        for person, _ in crowd:
            gone(service, person)
            person.post("/me/timer/stop")
    finally:
        assert second.stop() == 0


@pytest.mark.parametrize("status", [404, 410])
def test_a_browser_that_is_gone_is_forgotten(service, listen, status):
    person, browser = listen(status)
    person.post("/me/push-tests")
    wait_until(lambda: not person.get("/me/push-subscriptions").json()["items"], what="the browser to be forgotten")
    assert waiting(service, person) == []
    assert person.post("/me/push-tests").json()["code"] == "push_is_off"
    assert len(browser.requests) == 1


def test_a_push_service_that_fails_is_asked_again_and_the_push_arrives_once(service, listen):
    person, browser = listen(500)
    person.post("/me/push-tests")
    wait_until(lambda: waiting(service, person, "last_error") == [("the push service answered 500",)])
    assert browser.taken == []
    service.advance_clock(10)
    assert len(arrived(browser)) == 1
    gone(service, person)
    assert [status for status, *_ in browser.requests] == [500, 201]
    # It is worth less by then.
    assert [headers["TTL"] for _, headers, _ in browser.requests] == ["60", "50"]


def test_a_push_service_that_asks_for_time_gets_it(service, listen):
    person, browser = listen((429, {"Retry-After": "40"}))
    person.post("/me/push-tests")
    due = "extract(epoch FROM due - anthill_clock())::integer"
    wait_until(lambda: waiting(service, person, "last_error") == [("the push service answered 429",)])
    assert waiting(service, person, due) == [(40,)]
    service.advance_clock(40)
    assert len(arrived(browser)) == 1


@pytest.mark.parametrize("step", [(429, {"Retry-After": "61"}), 403, 413, (307, {"Location": "/send/elsewhere"})])
def test_what_will_not_be_taken_in_time_is_given_up_and_no_redirect_is_followed(service, listen, step):
    person, browser = listen(step)
    person.post("/me/push-tests")
    wait_until(lambda: browser.requests)
    gone(service, person)
    assert len(browser.requests) == 1
    assert len(person.get("/me/push-subscriptions").json()["items"]) == 1


def test_a_push_service_that_never_answers_holds_up_nobody_else(service, listen):
    stuck, hanging = listen("hang")
    stuck.post("/me/push-tests")
    wait_until(lambda: hanging.requests)
    person, browser = listen()
    person.post("/me/push-tests")
    assert len(arrived(browser)) == 1
    assert waiting(service, stuck, "attempts, last_error") == [(1, None)]
    service.push_service.release.set()
    wait_until(lambda: waiting(service, stuck, "last_error") != [(None,)])
    service.advance_clock(10)
    assert len(arrived(hanging)) == 1


def test_nothing_comes_to_a_browser_that_is_signed_out(service, listen):
    person, browser = listen(500)
    person.post("/me/push-tests")
    wait_until(lambda: waiting(service, person, "last_error") != [(None,)])
    assert person.delete("/sign-ins/current").status_code == 204
    assert waiting(service, person) == []
    assert service.cluster.sql("SELECT 1 FROM push_subscriptions WHERE uid = %s", person.uid) == []
    service.advance_clock(10)
    # Another's push that is due later comes, and this one does not.
    other, others = listen()
    other.post("/me/push-tests")
    arrived(others)
    assert len(browser.requests) == 1


def test_quiet_hours_are_kept_and_changed(service, people):
    person = people(service)
    assert person.get("/me").json()["quiet_hours"] is None
    hours = {"from": "22:00", "to": "07:30"}
    assert person.patch("/me", {"quiet_hours": hours}).json()["quiet_hours"] == hours
    assert person.patch("/me", {"passed_push": True}).json()["quiet_hours"] == hours
    same = person.patch("/me", {"quiet_hours": {"from": "22:00", "to": "22:00"}})
    assert (same.status_code, same.json()["code"], same.json()["field"]) == (422, "invalid_quiet_hours", "quiet_hours.to")
    assert person.patch("/me", {"quiet_hours": {"from": "22:00"}}).json()["code"] == "missing_field"
    no_time = person.patch("/me", {"quiet_hours": {"from": "24:00", "to": "07:00"}})
    assert (no_time.status_code, no_time.json()["code"], no_time.json()["field"]) == (422, "invalid_quiet_hours", "quiet_hours.from")
    assert person.patch("/me", {"quiet_hours": None}).json()["quiet_hours"] is None


def test_a_browser_of_nobody_is_not_found(service, people):
    assert people(service).delete(f"/me/push-subscriptions/{uuid.uuid4()}").status_code == 404
