"""What you did: the timer, sessions by hand, today."""

import json
from urllib.parse import quote

import pytest
from person import expect, new_id
from service import wait_until


def test_a_timer_starts_pauses_resumes_and_stops(service, people):
    person = people(service)
    service.set_clock("2026-11-20T03:00:00Z")
    assert expect(person.get("/me/timer"), 200).json()["state"] == "idle"
    started = expect(person.start(goal_seconds=1800), 201).json()
    assert started["state"] == "running" and started["goal_seconds"] == 1800
    service.set_clock("2026-11-20T03:10:00Z")
    running = expect(person.get("/me/timer"), 200).json()
    assert running["elapsed_seconds"] == 600
    assert running["remaining_seconds"] == 1200
    assert running["session"]["id"] == started["session"]["id"]
    paused = expect(person.post("/me/timer/pause"), 200).json()
    assert paused["state"] == "paused"
    service.set_clock("2026-11-20T04:00:00Z")
    assert expect(person.get("/me/timer"), 200).json()["elapsed_seconds"] == paused["elapsed_seconds"]
    assert expect(person.post("/me/timer/resume"), 200).json()["state"] == "running"
    service.set_clock("2026-11-20T04:30:00Z")
    late = expect(person.get("/me/timer"), 200).json()
    assert (late["elapsed_seconds"], late["extra_seconds"]) == (2400, 600)
    finished = expect(person.post("/me/timer/stop"), 200).json()
    session = expect(person.get(f"/me/sessions/{started['session']['id']}"), 200).json()
    assert session["seconds"] == sum(interval["seconds"] for interval in session["intervals"])
    assert session["seconds"] == 2400 and len(session["intervals"]) == 2
    assert finished["session"]["id"] == session["id"]
    assert expect(person.get("/me/timer"), 200).json()["state"] == "idle"
    assert expect(person.get("/me/today"), 200).json()["study_seconds"] == session["seconds"]


PLAN = {"name": "논문 40/5", "work_seconds": 2400, "rest_seconds": 300}


def test_a_cycle_works_and_rests_and_rest_is_not_study(service, people):
    person = people(service)
    service.set_clock("2026-11-20T03:00:00Z")
    started = expect(person.start(plan=PLAN), 201).json()
    assert started["plan"] == PLAN
    assert started["phase"]["kind"] == "work" and started["phase"]["number"] == 1
    service.set_clock("2026-11-20T03:50:00Z")
    over = expect(person.get("/me/timer"), 200).json()
    assert over["state"] == "running" and over["phase"]["remaining_seconds"] == 0
    assert (over["phase"]["elapsed_seconds"], over["phase"]["extra_seconds"]) == (3000, 600)
    rest = expect(person.post("/me/timer/pause"), 200).json()
    assert rest["phase"]["kind"] == "rest" and rest["phase"]["length_seconds"] == 300
    service.set_clock("2026-11-20T03:52:00Z")
    resting = expect(person.get("/me/timer"), 200).json()
    assert (resting["phase"]["elapsed_seconds"], resting["phase"]["remaining_seconds"]) == (120, 180)
    assert resting["elapsed_seconds"] == rest["elapsed_seconds"]
    again = expect(person.post("/me/timer/resume"), 200).json()
    assert again["phase"]["kind"] == "work" and again["phase"]["number"] == 2
    service.set_clock("2026-11-20T04:00:00Z")
    finished = expect(person.post("/me/timer/stop"), 200).json()
    assert finished["session"]["plan"] == PLAN
    assert finished["session"]["seconds"] == finished["today"]["study_seconds"] == 3000 + 480


def test_plans_are_kept_and_deleted_by_name(service, people):
    person = people(service)
    presets = expect(person.get("/me/plans"), 200).json()["presets"]
    assert [(plan["work_seconds"], plan["rest_seconds"]) for plan in presets] == [(1500, 300), (3000, 600), (5400, 1200)]
    assert expect(person.put("/me/plan", PLAN), 200).json() == PLAN
    longer = {**PLAN, "rest_seconds": 600}
    expect(person.put("/me/plan", longer), 200)
    assert expect(person.get("/me/plans"), 200).json()["own"] == [longer]
    at = "/me/plans/" + quote(PLAN["name"], safe="")
    expect(person.delete(at), 204)
    expect(person.delete(at), 404, "not_found")
    assert expect(person.get("/me/plans"), 200).json()["own"] == []


def test_a_running_timer_begins_earlier_by_hand_and_later_by_retraction(service, people):
    person = people(service)
    service.set_clock("2026-11-20T03:00:00Z")
    started = expect(person.start(), 201).json()
    at = f"/me/sessions/{started['session']['id']}"
    service.set_clock("2026-11-20T04:00:00Z")
    moved = expect(person.patch("/me/timer", {"started_at": "2026-11-20T02:30:00Z"}), 200).json()
    assert moved["session"]["running_since"] == "2026-11-20T02:30:00Z" and moved["elapsed_seconds"] == 5400
    assert [part["source"] for part in expect(person.get(at), 200).json()["intervals"]] == ["manual", "timer"]
    moved = expect(person.patch("/me/timer", {"started_at": "2026-11-20T03:30:00Z"}), 200).json()
    assert moved["elapsed_seconds"] == 1800
    assert [part["source"] for part in expect(person.get(at), 200).json()["intervals"]] == ["timer"]
    expect(person.patch("/me/timer", {"started_at": "2026-11-20T05:00:00Z"}), 422, "in_the_future", field="started_at")
    expect(person.patch("/me/timer", {"started_at": "2026-11-19T03:00:00Z"}), 422, "too_long", field="started_at")
    expect(person.log("2026-11-20T01:00:00Z", "2026-11-20T02:00:00Z"), 201)
    over = expect(person.patch("/me/timer", {"started_at": "2026-11-20T01:30:00Z"}), 409, "overlapping_interval").json()
    assert over["overlaps"] == {"started_at": "2026-11-20T01:00:00Z", "ended_at": "2026-11-20T02:00:00Z"}
    expect(person.post("/me/timer/pause"), 200)
    expect(person.patch("/me/timer", {"started_at": "2026-11-20T03:00:00Z"}), 409, "timer_not_running")


def test_a_second_start_answers_409_and_the_running_timer(service, people):
    person = people(service)
    started = expect(person.start(), 201).json()
    conflict = expect(person.start(), 409, "timer_already_running").json()
    assert conflict["timer"]["session"]["id"] == started["session"]["id"]
    assert conflict["timer"]["state"] == "running"


@pytest.mark.parametrize("action", ["pause", "stop"])
def test_without_a_running_timer_nothing_pauses_or_stops(service, people, action):
    expect(people(service).post(f"/me/timer/{action}"), 409, "timer_not_running")


def test_only_a_paused_timer_resumes(service, people):
    person = people(service)
    expect(person.post("/me/timer/resume"), 409)
    expect(person.start(), 201)
    expect(person.post("/me/timer/resume"), 409, "timer_not_paused")


def test_a_paused_timer_stops(service, people):
    person = people(service)
    service.set_clock("2026-11-20T03:00:00Z")
    expect(person.start(), 201)
    service.set_clock("2026-11-20T03:00:30Z")
    expect(person.post("/me/timer/pause"), 200)
    expect(person.post("/me/timer/stop"), 200)
    assert expect(person.get("/me/timer"), 200).json()["state"] == "idle"


def test_a_timer_over_12_hours_is_ended_there_and_counts_for_nothing(service, people):
    person = people(service)
    service.set_clock("2026-11-20T00:00:00Z")
    expect(person.start(), 201)
    service.set_clock("2026-11-20T12:30:00Z")
    assert expect(person.get("/me/timer"), 200).json()["state"] == "idle"
    assert expect(person.get("/me/today"), 200).json()["study_seconds"] == 0
    expect(person.log("2026-11-20T01:00:00Z", "2026-11-20T02:00:00Z"), 409, "unconfirmed_timer")


@pytest.mark.parametrize("body", [{"goal_seconds": 0}, {"goal_seconds": -1}, {"goal_seconds": 10**10}])
def test_a_goal_outside_its_bounds_is_refused(service, people, body):
    expect(people(service).start(**body), 422, field="goal_seconds")


def test_a_session_logged_by_hand_counts_today(service, people):
    person = people(service)
    service.set_clock("2026-11-20T03:00:00Z")
    answer = expect(person.log("2026-11-20T01:00:00Z", "2026-11-20T02:30:00Z", note="물리 📚"), 201)
    session = answer.json()
    assert answer.headers["location"] == f"/api/v1/me/sessions/{session['id']}"
    assert session["seconds"] == 5400 and session["source"] == "manual" and session["note"] == "물리 📚"
    assert expect(person.get(f"/me/sessions/{session['id']}"), 200).json() == session
    today = expect(person.get("/me/today"), 200).json()
    assert today["day"] == "2026-11-20" and today["study_seconds"] == 5400 and today["growth"] == "seed"
    assert today["difference_seconds"] == today["study_seconds"] - today["yesterday_seconds"]
    assert today["goal_met"] is False and today["ants"]["study"] is False
    expect(person.log("2026-11-19T20:00:00Z", "2026-11-19T23:00:00Z"), 201)
    today = expect(person.get("/me/today"), 200).json()
    assert today["study_seconds"] == 16200 and today["goal_met"] is True and today["ants"]["study"] is True


def test_an_interval_across_five_in_the_morning_counts_to_both_days(service, people):
    person = people(service)
    service.set_clock("2026-11-20T21:00:00Z")  # 06:00 of the 21st in Seoul
    expect(person.log("2026-11-20T19:30:00Z", "2026-11-20T20:15:00Z"), 201)  # 04:30–05:15
    today = expect(person.get("/me/today"), 200).json()
    assert (today["day"], today["study_seconds"], today["yesterday_seconds"]) == ("2026-11-21", 900, 1800)


def test_several_intervals_are_one_session(service, people):
    person = people(service)
    service.set_clock("2026-11-20T03:00:00Z")
    intervals = [
        {"started_at": "2026-11-20T00:00:00Z", "ended_at": "2026-11-20T00:30:00Z"},
        {"started_at": "2026-11-20T01:00:00Z", "ended_at": "2026-11-20T01:10:00Z"},
    ]
    session = expect(person.post("/me/sessions", {"intervals": intervals}), 201).json()
    assert session["seconds"] == 2400 and len(session["intervals"]) == 2
    overlapping = [intervals[1], intervals[1]]
    service.set_clock("2026-11-20T05:00:00Z")
    expect(person.post("/me/sessions", {"intervals": overlapping}), 409, "overlapping_interval")


@pytest.mark.parametrize(
    ("started", "ended", "status", "code"),
    [
        ("2026-11-20T02:00:00Z", "2026-11-20T03:02:00Z", 422, "in_the_future"),
        ("2026-11-21T02:00:00Z", "2026-11-21T03:00:00Z", 422, "in_the_future"),
        ("2026-11-18T02:00:00Z", "2026-11-18T02:30:00Z", 422, "too_old"),
        ("2026-11-19T02:00:00Z", "2026-11-19T14:00:01Z", 422, "too_long"),
        ("2026-11-20T02:00:00Z", "2026-11-20T02:00:00Z", 422, "empty_interval"),
        ("2026-11-20T02:00:00Z", "2026-11-20T01:00:00Z", 422, "empty_interval"),
    ],
)
def test_each_rule_of_a_manual_interval_has_its_code(service, people, started, ended, status, code):
    person = people(service)
    service.set_clock("2026-11-20T03:00:00Z")
    expect(person.log(started, ended), status, code)
    assert expect(person.get("/me/sessions?from=2026-11-01&to=2026-11-30"), 200).json()["items"] == []


def test_an_end_a_minute_ahead_is_cut_to_now(service, people):
    person = people(service)
    service.set_clock("2026-11-20T03:00:00Z")
    session = expect(person.log("2026-11-20T02:00:00Z", "2026-11-20T03:00:50Z"), 201).json()
    assert session["seconds"] == 3600


def test_exactly_12_hours_are_allowed_and_neighbours_may_touch(service, people):
    person = people(service)
    service.set_clock("2026-11-20T15:00:00Z")
    expect(person.log("2026-11-20T00:00:00Z", "2026-11-20T12:00:00Z"), 201)
    expect(person.log("2026-11-20T12:00:00Z", "2026-11-20T13:00:00Z"), 201)
    expect(person.log("2026-11-19T23:00:00Z", "2026-11-20T00:00:01Z"), 409, "overlapping_interval")


def test_nothing_overlaps_the_running_timer(service, people):
    person = people(service)
    service.set_clock("2026-11-20T03:00:00Z")
    expect(person.start(), 201)
    service.set_clock("2026-11-20T04:00:00Z")
    expect(person.log("2026-11-20T03:30:00Z", "2026-11-20T03:45:00Z"), 409, "overlapping_interval")
    expect(person.log("2026-11-20T02:30:00Z", "2026-11-20T03:00:00Z"), 201)


def test_an_import_may_be_old(service, people):
    person = people(service)
    service.set_clock("2026-11-20T03:00:00Z")
    expect(person.log("2025-03-01T01:00:00Z", "2025-03-01T02:00:00Z", source="import"), 201)
    items = expect(person.get("/me/sessions?from=2025-03-01&to=2025-03-01"), 200).json()["items"]
    assert [item["source"] for item in items] == ["import"]
    expect(person.log("2025-03-01T03:00:00Z", "2025-03-01T04:00:00Z", source="timer"), 422, field="source")


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 400),
        ({"started_at": "2026-11-20T01:00:00Z"}, 400),
        ({"started_at": "yesterday", "ended_at": "2026-11-20T02:00:00Z"}, 422),
        ({"started_at": "2026-11-20 01:00:00", "ended_at": "2026-11-20T02:00:00Z"}, 422),
        ({"started_at": "2026-02-30T01:00:00Z", "ended_at": "2026-11-20T02:00:00Z"}, 422),
        ({"started_at": "2026-11-20T01:00:00Z", "ended_at": "2026-11-20T02:00:00Z", "end": 1}, 400),
        ({"intervals": []}, 422),
        ({"intervals": [{}]}, 400),
        ({"id": "not-a-uuid", "started_at": "2026-11-20T01:00:00Z", "ended_at": "2026-11-20T02:00:00Z"}, 400),
    ],
)
def test_what_cannot_be_read_is_no_session(service, people, body, status):
    person = people(service)
    service.set_clock("2026-11-20T03:00:00Z")
    answer = person.post("/me/sessions", body)
    assert answer.status_code == status, answer.text


def test_another_offset_names_the_same_instant(service, people):
    person = people(service)
    service.set_clock("2026-11-20T03:00:00Z")
    session = expect(person.log("2026-11-20T10:00:00+09:00", "2026-11-20T11:00:00+09:00"), 201).json()
    assert session["started_at"] == "2026-11-20T01:00:00Z" and session["ended_at"] == "2026-11-20T02:00:00Z"


def test_a_session_sent_twice_under_its_own_id_is_recorded_once(service, people):
    person = people(service)
    service.set_clock("2026-11-20T03:00:00Z")
    body = {"id": new_id(), "started_at": "2026-11-20T01:00:00Z", "ended_at": "2026-11-20T02:00:00Z"}
    first = expect(person.post("/me/sessions", body), 201).json()
    assert first["id"] == body["id"]
    assert expect(person.post("/me/sessions", body), 201).json() == first
    assert len(expect(person.get("/me/sessions?from=2026-11-20&to=2026-11-20"), 200).json()["items"]) == 1


def test_an_idempotency_key_gives_the_first_answer_again(service, people):
    person, key = people(service), new_id()
    service.set_clock("2026-11-20T03:00:00Z")
    body = {"started_at": "2026-11-20T01:00:00Z", "ended_at": "2026-11-20T02:00:00Z"}
    first = expect(person.post("/me/sessions", body, key=key), 201)
    assert "idempotency-replayed" not in first.headers
    again = expect(person.post("/me/sessions", body, key=key), 201)
    assert again.headers["idempotency-replayed"] == "true"
    assert again.json() == first.json() and again.headers["location"] == first.headers["location"]
    expect(person.post("/me/sessions", {**body, "note": "x"}, key=key), 422, "idempotency_key_reused")
    other = people(service, "Minsu")
    expect(other.post("/me/sessions", body, key=key), 201)


def test_an_error_is_not_kept_under_an_idempotency_key(service, people):
    person, key = people(service), new_id()
    service.set_clock("2026-11-20T03:00:00Z")
    body = {"started_at": "2026-11-20T03:30:00Z", "ended_at": "2026-11-20T04:00:00Z"}
    expect(person.post("/me/sessions", body, key=key), 422, "in_the_future")
    service.set_clock("2026-11-20T05:00:00Z")
    expect(person.post("/me/sessions", body, key=key), 201)


def test_an_idempotency_key_is_a_uuid(service, people):
    expect(people(service).post("/me/timer/start", {}, key="mine"), 400, "invalid_idempotency_key")


def test_sessions_are_listed_by_study_days(service, people):
    person = people(service)
    service.set_clock("2026-11-20T21:00:00Z")
    expect(person.log("2026-11-20T19:00:00Z", "2026-11-20T19:30:00Z"), 201)  # 04:00 of the 21st: still the 20th
    expect(person.log("2026-11-20T20:10:00Z", "2026-11-20T20:40:00Z"), 201)  # 05:10 of the 21st
    both = expect(person.get("/me/sessions?from=2026-11-20&to=2026-11-21"), 200).json()["items"]
    assert [item["started_at"] for item in both] == ["2026-11-20T20:10:00Z", "2026-11-20T19:00:00Z"]
    for day, started in (("2026-11-20", "2026-11-20T19:00:00Z"), ("2026-11-21", "2026-11-20T20:10:00Z")):
        items = expect(person.get(f"/me/sessions?from={day}&to={day}"), 200).json()["items"]
        assert [item["started_at"] for item in items] == [started]


@pytest.mark.parametrize(
    "query",
    [
        "?from=x&to=y",
        "?from=2026-02-30&to=2026-03-01",
        "?from=2026-11-20&to=2026-11-19",
        "?from=2020-01-01&to=2026-11-19",
        "?from=2026-11-20&from=2026-11-20&to=2026-11-20",
    ],
)
def test_a_list_without_readable_days_is_refused(service, people, query):
    assert people(service).get(f"/me/sessions{query}").status_code in (400, 422)


def test_a_list_goes_on_page_by_page(service, people):
    person = people(service)
    service.set_clock("2026-11-20T12:00:00Z")
    for hour in range(5):
        expect(person.log(f"2026-11-20T0{hour}:00:00Z", f"2026-11-20T0{hour}:30:00Z"), 201)
    seen, after = [], None
    while True:
        query = "?from=2026-11-20&to=2026-11-20&limit=2" + (f"&after={after}" if after else "")
        page = expect(person.get(f"/me/sessions{query}"), 200).json()
        assert len(page["items"]) <= 2
        seen += [item["started_at"] for item in page["items"]]
        if (after := page["next"]) is None:
            break
    assert seen == sorted(seen, reverse=True) and len(set(seen)) == 5


def test_a_session_is_taken_back_and_counts_no_more(service, people):
    person = people(service)
    service.set_clock("2026-11-20T03:00:00Z")
    body = {"id": new_id(), "started_at": "2026-11-20T01:00:00Z", "ended_at": "2026-11-20T02:00:00Z"}
    at = f"/me/sessions/{expect(person.post('/me/sessions', body), 201).json()['id']}"
    expect(person.delete(at), 204)
    expect(person.get(at), 404, "not_found")
    expect(person.delete(at), 404, "not_found")
    expect(person.post("/me/sessions", body), 409, "session_retracted")
    assert expect(person.get("/me/today"), 200).json()["study_seconds"] == 0
    expect(person.log("2026-11-20T01:30:00Z", "2026-11-20T02:30:00Z"), 201)


def test_the_owner_says_when_a_forgotten_timer_really_stopped(service, people):
    person = people(service)
    service.set_clock("2026-11-20T00:00:00Z")
    started = expect(person.start(), 201).json()
    at = f"/me/sessions/{started['session']['id']}"
    service.set_clock("2026-11-20T13:00:00Z")
    forgotten = expect(person.post("/me/timer/stop"), 200).json()["session"]
    assert forgotten["state"] == "unconfirmed" and forgotten["intervals"][0]["unconfirmed"] is True
    assert expect(person.get("/me/today"), 200).json()["study_seconds"] == 0
    expect(person.put(f"{at}/end", {"ended_at": "2026-11-20T12:30:00Z"}), 422, "too_long", field="ended_at")
    expect(person.put(f"{at}/end", {"ended_at": "2026-11-19T23:00:00Z"}), 422, "empty_interval", field="ended_at")
    answered = expect(person.put(f"{at}/end", {"ended_at": "2026-11-20T01:00:00Z"}), 200).json()
    assert answered["state"] == "finished" and answered["seconds"] == 3600
    expect(person.put(f"{at}/end", {"ended_at": "2026-11-20T01:00:00Z"}), 409, "not_unconfirmed")
    assert expect(person.get("/me/today"), 200).json()["study_seconds"] == answered["seconds"]


def test_a_device_that_was_offline_says_when_it_stopped_the_timer(service, people):
    person = people(service)
    service.set_clock("2026-11-20T00:00:00Z")
    session = expect(person.start(), 201).json()["session"]["id"]
    service.set_clock("2026-11-20T02:00:00Z")
    for at, code in [("2026-11-20T02:01:01Z", "in_the_future"), ("2026-11-19T23:59:59Z", "empty_interval")]:
        expect(person.put(f"/me/sessions/{session}/end", {"ended_at": at}), 422, code, field="ended_at")
    ended = expect(person.put(f"/me/sessions/{session}/end", {"ended_at": "2026-11-20T00:40:00Z"}), 200).json()
    assert (ended["state"], ended["source"], ended["seconds"]) == ("finished", "timer", 2400)
    assert expect(person.get("/me/timer"), 200).json()["state"] == "idle"
    expect(person.put(f"/me/sessions/{session}/end", {"ended_at": "2026-11-20T00:40:00Z"}), 409, "not_unconfirmed")


def test_a_device_that_was_offline_says_when_it_paused_the_timer(service, people):
    person = people(service)
    service.set_clock("2026-11-20T00:00:00Z")
    session = expect(person.start(), 201).json()["session"]["id"]
    service.set_clock("2026-11-20T02:00:00Z")
    end = f"/me/sessions/{session}/end"
    for at in ("2026-11-20T00:40:00Z", "2026-11-20T00:50:00Z"):
        assert expect(person.put(end, {"ended_at": at, "paused": True}), 200).json()["state"] == "paused"
        timer = expect(person.get("/me/timer"), 200).json()
        assert (timer["state"], timer["elapsed_seconds"]) == ("paused", 2400)
    assert expect(person.post("/me/timer/resume"), 200).json()["elapsed_seconds"] == 2400


def test_a_cancelled_timer_leaves_nothing(service, people):
    person = people(service)
    service.set_clock("2026-11-20T03:00:00Z")
    expect(person.start(), 201)
    service.set_clock("2026-11-20T04:00:00Z")
    assert expect(person.post("/me/timer/cancel"), 200).json()["state"] == "idle"
    assert expect(person.get("/me/today"), 200).json()["study_seconds"] == 0
    expect(person.post("/me/timer/cancel"), 409, "timer_not_running")
    expect(person.log("2026-11-20T03:10:00Z", "2026-11-20T03:40:00Z"), 201)


def test_an_overlap_names_what_is_in_the_way(service, people):
    person = people(service)
    service.set_clock("2026-11-20T03:00:00Z")
    expect(person.log("2026-11-20T01:00:00Z", "2026-11-20T02:00:00Z"), 201)
    problem = expect(person.log("2026-11-20T01:30:00Z", "2026-11-20T02:30:00Z"), 409, "overlapping_interval").json()
    assert problem["overlaps"] == {"started_at": "2026-11-20T01:00:00Z", "ended_at": "2026-11-20T02:00:00Z"}
    assert problem["field"] == "started_at"


def test_the_session_of_somebody_else_is_not_there(service, people):
    mine, other = people(service), people(service, "Minsu")
    service.set_clock("2026-11-20T03:00:00Z")
    session = expect(other.log("2026-11-20T01:00:00Z", "2026-11-20T02:00:00Z"), 201).json()
    expect(mine.get(f"/me/sessions/{session['id']}"), 404, "not_found")
    expect(mine.get("/me/sessions/not-a-uuid"), 404, "not_found")


def test_a_session_is_changed_and_its_history_keeps_both(service, people):
    person = people(service)
    service.set_clock("2026-11-20T03:00:00Z")
    at = f"/me/sessions/{expect(person.log('2026-11-20T01:00:00Z', '2026-11-20T02:00:00Z', note='law'), 201).json()['id']}"
    service.set_clock("2026-11-20T03:05:00Z")
    changed = expect(person.patch(at, {"ended_at": "2026-11-20T02:30:00Z", "note": None}), 200).json()
    assert changed["seconds"] == 5400 and "note" not in changed
    assert expect(person.get(at), 200).json() == changed
    assert expect(person.get("/me/today"), 200).json()["study_seconds"] == 5400
    first, second = expect(person.get(f"{at}/history"), 200).json()["items"]
    assert (first["seconds"], first["retracted_at"]) == (3600, "2026-11-20T03:05:00Z")
    assert (second["seconds"], second["recorded_at"]) == (5400, "2026-11-20T03:05:00Z") and "retracted_at" not in second
    expect(person.delete(at), 204)
    assert all("retracted_at" in item for item in expect(person.get(f"{at}/history"), 200).json()["items"])
    expect(person.patch(at, {"note": "x"}), 404, "not_found")


def test_48_hours_after_its_end_a_session_stays_as_it_is(service, people):
    person = people(service)
    service.set_clock("2026-11-18T03:00:00Z")
    at = f"/me/sessions/{expect(person.log('2026-11-18T01:00:00Z', '2026-11-18T03:00:00Z'), 201).json()['id']}"
    service.set_clock("2026-11-20T03:00:00Z")
    expect(person.patch(at, {"started_at": "2026-11-18T02:00:00Z"}), 200)
    service.set_clock("2026-11-20T03:00:01Z")
    for answer in (person.patch(at, {"note": "x"}), person.patch(at, {"started_at": "2026-11-18T02:30:00Z"}), person.delete(at)):
        expect(answer, 422, "too_old")
        assert "field" not in answer.json()
    assert expect(person.get("/me/today"), 200).json()["total_seconds"] == 3600


def test_a_phone_that_was_offline_sends_several_sessions_again_and_again(service, people):
    person = people(service)
    service.set_clock("2026-11-20T12:00:00Z")
    good = [{"id": new_id(), "started_at": f"2026-11-20T0{hour}:00:00Z", "ended_at": f"2026-11-20T0{hour}:30:00Z"} for hour in range(5)]
    invalid = {"id": new_id(), "started_at": "2026-11-20T11:00:00Z", "ended_at": "2026-11-20T13:00:00Z"}
    overlapping = {"id": new_id(), "started_at": "2026-11-20T00:10:00Z", "ended_at": "2026-11-20T00:20:00Z"}
    for sent, recorded in (([good[3], invalid, good[1], {"id": "x"}], 201), ([good[1], invalid, good[3], {"id": "x"}], 200)):
        results = expect(person.post("/me/sessions/batch", {"sessions": sent}), 200).json()["results"]
        assert [result["status"] for result in results] == [recorded, 422, recorded, 400]
        assert [result["id"] for result in results] == [sent[0]["id"], sent[1]["id"], sent[2]["id"], None]
        assert (results[1]["code"], results[1]["field"]) == ("in_the_future", "ended_at") and results[1]["detail"]
        assert results[3]["code"] == "wrong_type"
    sent = [*reversed(good), overlapping, *good]
    results = expect(person.post("/me/sessions/batch", {"sessions": sent}), 200).json()["results"]
    assert [result["status"] for result in results] == [201, 200, 201, 200, 201, 409] + [200] * 5
    assert results[5]["overlaps"] == {"started_at": "2026-11-20T00:00:00Z", "ended_at": "2026-11-20T00:30:00Z"}
    items = expect(person.get("/me/sessions?from=2026-11-20&to=2026-11-20"), 200).json()["items"]
    assert {item["id"] for item in items} == {session["id"] for session in good}
    assert expect(person.get("/me/today"), 200).json()["study_seconds"] == 5 * 1800


def test_200_sessions_with_long_notes_are_one_batch(service, people):
    person = people(service)
    service.set_clock("2026-11-20T12:00:00Z")
    sessions = [
        {
            "id": new_id(), "note": "공" * 2000, "started_at": f"2026-11-20T{minute // 60:02}:{minute % 60:02}:00Z",
            "ended_at": f"2026-11-20T{minute // 60:02}:{minute % 60:02}:59Z",
        }
        for minute in range(200)
    ]  # fmt: skip
    key = new_id()
    content = json.dumps({"sessions": sessions}, ensure_ascii=False).encode()
    headers = {"Content-Type": "application/json"}
    first = expect(person.post("/me/sessions/batch", content=content, headers=headers, key=key), 200)
    assert {result["status"] for result in first.json()["results"]} == {201}
    again = expect(person.post("/me/sessions/batch", content=content, headers=headers, key=key), 200)
    assert again.headers["idempotency-replayed"] == "true" and again.json() == first.json()
    assert expect(person.get("/me/today"), 200).json()["study_seconds"] == 200 * 59
    expect(person.post("/me/sessions/batch", content=b" " * (2 * 1024 * 1024 + 1), headers=headers), 413)


def test_a_timer_that_runs_on_and_on_brings_one_mail(own_service, people):
    service = own_service
    person, other = people(service), people(service, "Minsu")
    service.set_clock("2026-11-20T03:00:00Z")
    expect(other.patch("/me", {"unattended_mail": False}), 200)
    for somebody in (person, other):
        expect(somebody.start(), 201)
    already = len(service.letters(person.email))
    due = "SELECT tell_of_unattended_timers()"
    service.set_clock("2026-11-20T08:59:00Z")
    assert service.cluster.sql(due) == [(0,)]
    # What is done every minute is done at each start as well.
    assert service.stop() == 0
    service.set_clock("2026-11-20T09:00:00Z")
    service.start()
    [letter] = wait_until(lambda: service.letters(person.email)[already:], what="the letter about the timer")
    text = letter.get_body(("plain",)).get_content()
    assert f"{service.origin}/home" in text and "12:00" in text
    service.set_clock("2026-11-20T10:00:00Z")
    assert service.cluster.sql(due) == [(0,)]
    asked = service.cluster.sql("SELECT to_address FROM mail_outbox WHERE kind = 'unattended_timer'")
    assert asked == [(person.email,)]
