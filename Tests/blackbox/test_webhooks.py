"""Webhooks from end to end: a receiver on loopback takes what a group tells."""

import datetime

import pytest
from hook_receiver import Receiver, is_signed
from person import expect
from service import START, Service, running, wait_until

BEGAN = int(datetime.datetime.fromisoformat(START).timestamp())
ALL = ["month_closed", "weekly_standing", "new_member"]


@pytest.fixture(scope="module")
def telling():
    """A service and a receiver."""
    receiver = Receiver()
    with running() as service:
        service.receiver = receiver
        yield service
        receiver.stop()


@pytest.fixture
def service(telling):
    return telling.set_clock(START)


@pytest.fixture
def owls(service, people):
    """A group of one with its owner, who adds webhooks."""
    owner = people(service, "Owner")
    owner.group = owner.found_group("Owls")["id"]
    owner.hooks = f"/groups/{owner.group}/webhooks"

    def add(hook, kind="json", events=ALL, **more):
        made = expect(owner.post(owner.hooks, {"url": hook.url, "kind": kind, "events": events, "locale": "en", **more}), 201).json()
        hook.path = f"{owner.hooks}/{made['id']}"
        hook.secret = made.get("secret")
        return hook

    owner.add = add
    return owner


def arrived(hook, count=1):
    return wait_until(lambda: found if len(found := hook.taken) >= count else None, what="the delivery")


def log(owner, hook):
    return expect(owner.get(f"{hook.path}/deliveries"), 200).json()["items"]


def logged(owner, hook, **wanted):
    """A delivery of which the log says that, once it does. Two of one second may come in any order."""

    def found():
        return next((each for each in log(owner, hook) if each.items() >= wanted.items()), None)

    return wait_until(found, what=f"{wanted} in the log")


def look(owner, hook):
    [found] = [each for each in expect(owner.get(owner.hooks), 200).json()["items"] if hook.path.endswith(each["id"])]
    return found


def test_a_new_member_event_is_signed_delivered_and_logged(service, owls, people):
    hook = owls.add(service.receiver.hook())
    member = people(service, "Mina")
    member.join(owls.invite({"id": owls.group})["code"])
    [told] = arrived(hook)
    assert (told["type"], told["data"]) == (
        "new_member", {"group": {"id": owls.group, "name": "Owls"}, "nickname": "Mina", "member_count": 2})  # fmt: skip
    [(_, headers, body)] = hook.requests
    assert headers["Content-Type"] == "application/json" and headers["webhook-timestamp"] == str(BEGAN)
    assert is_signed(headers, body, hook.secret) and not is_signed(headers, body + b" ", hook.secret)
    delivery = logged(owls, hook, state="sent")
    assert delivery["id"] == headers["webhook-id"]
    assert (delivery["status"], delivery["attempts"], delivery["next_at"]) == (204, 1, None)
    assert (delivery["failure"], delivery["answer"]) == (None, None)


def test_the_week_is_told_when_it_ends_by_two_instances_once(service, owls, people):
    hook = owls.add(service.receiver.hook(), events=["weekly_standing"])
    discord = owls.add(service.receiver.hook(), "discord", ["weekly_standing"])
    slack = owls.add(service.receiver.hook(), "slack", ["weekly_standing"], locale="ko")
    hidden = people(service, "Hidden")
    hidden.join(owls.invite({"id": owls.group})["code"])
    expect(hidden.patch(f"/groups/{owls.group}/members/me", {"visibility": "hidden"}), 200)
    for person, minutes in [(hidden, 90), (owls, 30)]:
        end = BEGAN - 3600
        expect(person.log(stamp(end - 60 * minutes), stamp(end)), 201)
    second = Service(service.cluster, ANTHILL_SECRET=service.environment["ANTHILL_SECRET"]).start()
    try:
        service.set_clock("2026-11-22T20:00:00Z")
        [told] = arrived(hook)
        assert told["data"]["week"] == "2026-11-16" and told["data"]["participants"] == 2
        assert told["data"]["entries"] == [
            {"rank": 1, "hidden": True, "nickname": None, "seconds": None},
            {"rank": 2, "hidden": False, "nickname": "Owner", "seconds": 1800},
        ]
        [said] = arrived(discord)
        assert said["content"].split("\n")[:3] == ["**Owls: the week from 2026-11-16**", "1. someone", "2. Owner, 30 min"]
        assert said["allowed_mentions"] == {"parse": []}
        assert "webhook-signature" not in discord.requests[0][1]
        assert "2위 Owner, 30분" in arrived(slack)[0]["text"]
        # What comes later comes after anything that was still on its way.
        expect(owls.post(f"{hook.path}/tests"), 202)
        assert [each["type"] for each in arrived(hook, 2)] == ["weekly_standing", "test"]
    finally:
        assert second.stop() == 0


def stamp(seconds):
    return datetime.datetime.fromtimestamp(seconds, datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def test_a_closed_month_is_told_with_its_seal(service, owls):
    expect(owls.log(stamp(BEGAN - 7200), stamp(BEGAN - 3600)), 201)
    hook = owls.add(service.receiver.hook(), events=["month_closed"])
    service.set_clock("2026-12-02T20:00:01Z")
    [told] = arrived(hook)
    closed = expect(owls.sign_in().get(f"/groups/{owls.group}/standings/2026-11"), 200).json()
    assert (told["data"]["month"], told["data"]["sha256"]) == ("2026-11", closed["sha256"])
    assert told["data"]["entries"] == [{"rank": 1, "hidden": False, "nickname": "Owner", "seconds": 3600}]


def test_a_failure_is_tried_again_under_the_same_id_and_said_in_the_log(service, owls):
    hook = owls.add(service.receiver.hook((500, {}, b"out of\norder"), (429, {"Retry-After": "300"})))
    hook.plan.append((302, {"Location": f"{service.receiver.origin}/hooks/elsewhere"}))
    expect(owls.post(f"{hook.path}/tests"), 202)
    # A test is an attempt and no more.
    delivery = logged(owls, hook, state="failed")
    assert (delivery["status"], delivery["failure"], delivery["answer"]) == (500, None, "out of order")
    service.cluster.sql("SELECT enqueue_webhooks(%s, 'new_member', NULL, %s)", owls.group, owls.uid)
    delivery = logged(owls, hook, state="waiting", status=429)
    assert 300 <= datetime.datetime.fromisoformat(delivery["next_at"]).timestamp() - BEGAN <= 310
    service.advance_clock(310)
    assert logged(owls, hook, status=302)["failure"] == "redirect"
    service.advance_clock(120)
    assert arrived(hook)[0]["type"] == "new_member"
    assert logged(owls, hook, state="sent")["attempts"] == 3
    ids, times = zip(*[(headers["webhook-id"], headers["webhook-timestamp"]) for _, headers, _ in hook.requests[1:]], strict=True)
    assert len(set(ids)) == 1 and len(set(times)) == 3
    assert all(is_signed(headers, body, hook.secret) for _, headers, body in hook.requests)


def test_a_long_answer_is_an_answer(service, owls):
    hook = owls.add(service.receiver.hook((200, {}, b"thanks " * 100_000)))
    expect(owls.post(f"{hook.path}/tests"), 202)
    assert logged(owls, hook, status=200)["state"] == "sent"
    assert len(hook.requests) == 1


def test_an_address_that_is_gone_is_off_until_an_admin_turns_it_on(service, owls):
    hook = owls.add(service.receiver.hook(410))
    expect(owls.post(f"{hook.path}/tests"), 202)
    wait_until(lambda: look(owls, hook)["off_because"] == "gone")
    [kind, *_] = [each["kind"] for each in expect(owls.get(f"/groups/{owls.group}/audit"), 200).json()["items"]]
    assert kind == "webhook_off"
    service.cluster.sql("SELECT enqueue_webhooks(%s, 'new_member', NULL, %s)", owls.group, owls.uid)
    assert len(log(owls, hook)) == 1
    expect(owls.patch(hook.path, {"active": True}), 204)
    service.advance_clock(11)
    expect(owls.post(f"{hook.path}/tests"), 202)
    assert arrived(hook)[0]["type"] == "test"


def test_a_webhook_is_off_when_the_secret_of_the_service_has_changed(service, owls):
    """As what a webhook's address was sealed with another secret looks like."""
    hook = owls.add(service.receiver.hook())
    service.cluster.sql("UPDATE webhooks SET sealed_address = decode(repeat('ab', 80), 'hex') WHERE id = %s", hook.path.rpartition("/")[2])
    expect(owls.post(f"{hook.path}/tests"), 202)
    wait_until(lambda: look(owls, hook)["off_because"] == "secret_changed")
    assert log(owls, hook)[0]["failure"] == "secret_changed" and hook.requests == []


def test_an_address_that_fails_for_a_day_is_off_and_says_so(service, owls):
    hook = owls.add(service.receiver.hook(*[500] * 20))
    service.cluster.sql("SELECT enqueue_webhooks(%s, 'new_member', NULL, %s)", owls.group, owls.uid)
    now = BEGAN

    def later():
        """When it is due next, once an attempt has failed at this time."""
        due = datetime.datetime.fromisoformat(log(owls, hook)[0]["next_at"]).timestamp()
        return due if due > now else None

    for _ in range(11):
        now = wait_until(later, what="the next attempt") + 1
        service.set_clock(stamp(now))
    assert logged(owls, hook, state="failed")["attempts"] == 12
    assert look(owls, hook)["off_because"] == "failing"
    assert 15 * 3600 < now - BEGAN < 40 * 3600


def test_a_receiver_that_never_answers_holds_up_nobody_else(service, owls):
    hanging, hook = owls.add(service.receiver.hook("hang")), owls.add(service.receiver.hook())
    expect(owls.post(f"{hanging.path}/tests"), 202)
    wait_until(lambda: hanging.requests)
    for _ in range(3):
        service.cluster.sql("SELECT enqueue_webhooks(%s, 'new_member', NULL, %s)", owls.group, owls.uid)
    assert len(arrived(hook, 3)) == 3
    service.receiver.release.set()
    wait_until(lambda: len(hanging.taken) == 3, seconds=30, what="what waited for it")


def test_no_private_address_is_asked_whatever_its_name_is(service, people):
    """A service that others reach asks only the public network: the name that leads to this machine is refused after resolving."""
    receiver = service.receiver
    with running(ANTHILL_BASE_URL="https://anthill.example", ANTHILL_MAIL_FROM="a@anthill.example") as public:
        owner = people(public, "Owner")
        group = owner.found_group()["id"]
        path = f"/groups/{group}/webhooks"
        for url in ("https://127.0.0.1/", "https://10.1.2.3/", "https://[fd00::1]/", receiver.hook().url):
            expect(owner.post(path, {"url": url, "kind": "json", "events": ALL}), 422, "invalid_webhook_url")
        made = expect(owner.post(path, {"url": "https://localhost:9/x", "kind": "json", "events": ALL}), 201).json()
        expect(owner.post(f"{path}/{made['id']}/tests"), 202)

        def failure():
            return expect(owner.get(f"{path}/{made['id']}/deliveries"), 200).json()["items"][0]["failure"]

        assert wait_until(failure) == "private_network"


def test_neither_address_nor_secret_is_in_the_database(service, owls):
    hook = owls.add(service.receiver.hook())
    [[kept]] = service.cluster.sql("SELECT to_jsonb(w)::text FROM webhooks w WHERE group_id = %s", owls.group)
    assert hook.url not in kept and "/hooks/" not in kept and hook.secret not in kept
    assert hook.url.encode().hex() not in kept
