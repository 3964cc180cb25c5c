"""Many at once: each rule holds as if they had come one after another."""

import collections
import datetime
import itertools
import os
import random
import threading

import pytest
from person import Person, expect, new_id
from race import bearer, together

ROUNDS = 500 if os.environ.get("ANTHILL_TEST_RING") == "long" else 3


@pytest.mark.parametrize("_", range(ROUNDS))
def test_32_simultaneous_starts_give_one_timer(service, people, _):
    person = people(service)
    answers = together(service, [("POST", "/me/timer/start", {}, bearer(person))] * 32)
    assert collections.Counter(answer.status for answer in answers) == {201: 1, 409: 31}
    [started] = [answer.json() for answer in answers if answer.status == 201]
    for answer in answers:
        if answer.status == 409:
            assert answer.json()["code"] == "timer_already_running"
            assert answer.json()["timer"]["session"]["id"] == started["session"]["id"]
    [[running]] = service.cluster.sql(
        "SELECT count(*) FROM study_intervals WHERE uid = %s AND ended_at IS NULL AND retracted_at IS NULL", person.uid
    )
    assert running == 1


def test_32_simultaneous_stops_end_one_session(service, people):
    person = people(service)
    service.set_clock("2026-11-20T03:00:00Z")
    expect(person.start(), 201)
    service.set_clock("2026-11-20T03:10:00Z")
    answers = together(service, [("POST", "/me/timer/stop", None, bearer(person))] * 32)
    assert collections.Counter(answer.status for answer in answers) == {200: 1, 409: 31}


@pytest.mark.parametrize("_", range(ROUNDS))
@pytest.mark.parametrize(
    "calls",
    [("pause", "stop"), ("pause", "resume"), ("pause", "cancel"), ("move", "stop"), ("move", "pause"), ("move", "cancel"),
     ("move", "start", "pause", "resume", "stop")],
    ids="-".join,
)  # fmt: skip
def test_16_concurrent_calls_on_one_timer_act_as_if_in_sequence(service, people, calls, _):
    """Each call answers by what it met; in the end there is one timer or none, and what it recorded adds up."""
    person = people(service)
    service.set_clock("2026-11-20T03:00:00Z")
    began = expect(person.start(), 201).json()["session"]["id"]
    service.set_clock("2026-11-20T03:30:00Z")
    moments = itertools.cycle(["2026-11-20T02:30:00Z", "2026-11-20T03:10:00Z", "2026-11-20T02:50:00Z"])

    def request(call):
        if call == "move":
            return "PATCH", "/me/timer", {"started_at": next(moments)}, bearer(person)
        return "POST", f"/me/timer/{call}", None, bearer(person)

    order = [call for call, _ in zip(itertools.cycle(calls), range(16))]
    random.shuffle(order)
    answers = together(service, [request(call) for call in order])
    done = collections.Counter(call for call, answer in zip(order, answers) if answer.status < 300)
    for call, answer in zip(order, answers):
        if answer.status >= 300:
            assert answer.status == 409, (call, answer.body)
            assert answer.json()["code"] in {
                "start": {"timer_already_running"}, "resume": {"timer_not_paused"}, "move": {"timer_not_running", "overlapping_interval"}
            }.get(call, {"timer_not_running"})  # fmt: skip
    assert done["stop"] + done["cancel"] <= 1 + done["start"]
    assert abs(done["pause"] - done["resume"]) <= 1 + done["stop"] + done["cancel"]
    timer = expect(person.get("/me/timer"), 200).json()
    assert (timer["state"] == "idle") == (done["stop"] + done["cancel"] == 1 + done["start"])
    if timer["state"] != "idle":
        expect(person.post("/me/timer/stop"), 200)
    sessions = expect(person.get("/me/sessions"), 200).json()["items"]
    assert done["cancel"] or began in {session["id"] for session in sessions}
    assert expect(person.get("/me/today"), 200).json()["study_seconds"] == sum(session["seconds"] for session in sessions)


def test_one_place_in_an_invitation_is_taken_once(service, people):
    owner = people(service)
    group = owner.found_group()
    code = owner.invite(group, uses=1)["code"]
    guests = [people(service, f"G{number}") for number in range(16)]
    answers = together(service, [("POST", f"/invitations/{code}/acceptances", None, bearer(guest)) for guest in guests])
    assert collections.Counter(answer.status for answer in answers) == {201: 1, 410: 15}
    assert expect(owner.get(f"/groups/{group['id']}"), 200).json()["member_count"] == 2


@pytest.mark.parametrize("_", range(ROUNDS))
def test_16_who_leave_kick_and_hand_on_leave_one_owner_at_least(service, people, _):
    everyone = [people(service, f"M{number}") for number in range(8)]
    group = everyone[0].found_group()
    at = f"/groups/{group['id']}"
    code = everyone[0].invite(group, uses=7)["code"]
    for person in everyone[1:]:
        person.join(code)
    for person in everyone[1:4]:
        expect(everyone[0].patch(f"{at}/members/{person.uid}", {"role": "owner"}), 200)
    requests = []
    for person, other in zip(everyone, everyone[3:] + everyone[:3]):
        transfer = ("POST", f"{at}/transfer", {"uid": other.uid}, bearer(person))
        requests += [("DELETE", f"{at}/members/me", None, bearer(person)), random.choice([
            transfer,
            transfer,
            ("DELETE", f"{at}/members/{other.uid}", None, bearer(person)),
            ("PATCH", f"{at}/members/{other.uid}", {"role": "member"}, bearer(person)),
        ])]  # fmt: skip
    random.shuffle(requests)
    answers = collections.Counter(answer.status for answer in together(service, requests))
    assert set(answers) <= {200, 204, 403, 404, 409}
    [[owners]] = service.cluster.sql("SELECT count(*) FROM group_members WHERE group_id = %s AND role = 'owner'", group["id"])
    assert owners >= 1
    assert service.violations() == []


def test_32_twins_of_one_idempotency_key_have_one_effect(service, people):
    person, key = people(service), new_id()
    answers = together(service, [("POST", "/groups", {"name": "Twins"}, {**bearer(person), "Idempotency-Key": key})] * 32)
    assert {answer.status for answer in answers} <= {201, 409}
    assert len({answer.json()["id"] for answer in answers if answer.status == 201}) == 1
    assert len(expect(person.get("/groups"), 200).json()["items"]) == 1


def test_overlapping_logs_from_16_clients_never_overlap(service, people):
    service.set_clock("2026-11-20T12:00:00Z")
    person = people(service)
    clients = [person]
    for _ in range(15):
        client = Person(service, person.name)
        client.email = person.email
        clients.append(client.sign_in())
    start = datetime.datetime(2026, 11, 19, tzinfo=datetime.UTC)
    recorded, failures, lock = {}, [], threading.Lock()

    def log(client, seed):
        dice = random.Random(seed)
        try:
            for _ in range(20 * ROUNDS):
                began = start + datetime.timedelta(seconds=dice.randrange(30 * 3600))
                ended = began + datetime.timedelta(seconds=dice.randrange(1, 3 * 3600))
                answer = client.log(began.strftime("%Y-%m-%dT%H:%M:%SZ"), ended.strftime("%Y-%m-%dT%H:%M:%SZ"))
                if answer.status_code == 201:
                    with lock:
                        recorded[answer.json()["id"]] = (began, ended)
                else:
                    expect(answer, 409, "overlapping_interval")
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=log, args=(client, number)) for number, client in enumerate(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for client in clients[1:]:
        client.close()
    assert failures == []
    stretches = sorted(recorded.values())
    assert all(earlier[1] <= later[0] for earlier, later in zip(stretches, stretches[1:]))
    rows = service.cluster.sql(
        "SELECT session_id::text, started_at, ended_at FROM study_intervals WHERE uid = %s AND retracted_at IS NULL", person.uid
    )
    assert {row[0]: row[1:] for row in rows} == recorded


@pytest.mark.parametrize("_", range(ROUNDS))
def test_one_batch_sent_16_times_at_once_is_recorded_once(service, people, _):
    service.set_clock("2026-11-20T12:00:00Z")
    person = people(service)
    sessions = [
        {"id": new_id(), "started_at": f"2026-11-20T{hour:02}:00:00Z", "ended_at": f"2026-11-20T{hour:02}:20:00Z"} for hour in range(10)
    ]
    requests = []
    for _ in range(16):
        random.shuffle(sessions)
        requests.append(("POST", "/me/sessions/batch", {"sessions": list(sessions)}, bearer(person)))
    statuses = collections.Counter()
    for answer in together(service, requests):
        assert answer.status == 200
        statuses.update((result["id"], result["status"]) for result in answer.json()["results"])
    assert statuses == {(session["id"], status): count for session in sessions for status, count in ((201, 1), (200, 15))}
    assert expect(person.get("/me/today"), 200).json()["study_seconds"] == 10 * 1200


@pytest.mark.parametrize("_", range(ROUNDS))
def test_16_changes_and_a_taking_back_at_once_leave_one_whole_history(service, people, _):
    service.set_clock("2026-11-20T12:00:00Z")
    person = people(service)
    at = f"/me/sessions/{expect(person.log('2026-11-20T01:00:00Z', '2026-11-20T02:00:00Z'), 201).json()['id']}"
    requests = [("PATCH", at, {"ended_at": f"2026-11-20T02:{minute}:00Z"}, bearer(person)) for minute in range(10, 26)]
    requests.insert(8, ("DELETE", at, None, bearer(person)))
    answers = collections.Counter(answer.status for answer in together(service, requests))
    assert answers[204] == 1 and answers[200] + answers[404] == 16
    history = expect(person.get(f"{at}/history"), 200).json()["items"]
    assert len(history) == answers[200] + 1 and all("retracted_at" in item for item in history)
    assert expect(person.get("/me/today"), 200).json()["study_seconds"] == 0
