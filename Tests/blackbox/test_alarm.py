"""The morning alarm: when its problem can be had, and what solving it earns."""

import collections

import pytest
from person import expect
from race import together

AT_SIX = {"enabled": True, "time": "06:30", "difficulty": "hard", "sound": "bell", "repeat": {"every_minutes": 5, "times": 2}}


@pytest.fixture
def sleeper(service, people):
    """Somebody in Seoul whose alarm rings at 21:30, 21:35 and 21:40 UTC."""
    service.set_clock("2026-11-20T12:00:00Z")
    person = people(service)
    expect(person.put("/me/alarm", AT_SIX), 200)
    return person


def ask(person):
    return expect(person.post("/me/wake-ups/challenge"), 200).json()


def answer(person, challenge, number):
    return person.post("/me/wake-ups", {"challenge_id": challenge["challenge_id"], "answer": number})


def right_answer(service, challenge):
    [[number]] = service.cluster.sql("SELECT answer FROM wake_up_challenges WHERE challenge_id = %s", challenge["challenge_id"])
    return number


def test_a_solved_problem_earns_the_ant_of_the_day(service, sleeper):
    assert expect(sleeper.get("/me/alarm"), 200).json()["rings_at"] == [f"2026-11-20T21:{minute}:00Z" for minute in (30, 35, 40)]
    expect(sleeper.post("/me/wake-ups/challenge"), 409, "outside_alarm_window")
    service.set_clock("2026-11-20T21:30:10Z")
    ringing = expect(sleeper.get("/me/alarm"), 200).json()
    assert ringing["window"]["day"] == "2026-11-21" and ringing["window"]["closes_at"] == "2026-11-20T21:32:00Z"
    challenge = ask(sleeper)
    assert "answer" not in challenge and "answer" not in challenge["parts"]
    right = right_answer(service, challenge)
    assert expect(answer(sleeper, challenge, right + 1), 200).json() == {"correct": False, "wake_up": False, "tries_left": 4}
    assert expect(answer(sleeper, challenge, right), 200).json() == {"correct": True, "wake_up": True, "tries_left": 3}
    assert expect(answer(sleeper, challenge, right), 200).json()["wake_up"] is True
    expect(sleeper.post("/me/wake-ups/challenge"), 409, "wake_up_already_earned")
    earned = expect(sleeper.get("/me/alarm"), 200).json()
    assert earned["earned_today"] and earned["window"] is None and earned["rings_at"][0] == "2026-11-21T21:30:00Z"
    assert expect(sleeper.get("/me/today"), 200).json()["ants"]["wake_up"] is True
    days = expect(sleeper.get("/me/days?month=2026-11"), 200).json()["days"]
    assert [day["day"] for day in days if day["wake_up"]] == ["2026-11-21"]


def test_a_ring_has_five_tries_and_the_next_a_new_problem(service, sleeper):
    service.set_clock("2026-11-20T21:30:10Z")
    challenge = ask(sleeper)
    for left in (4, 3, 2, 1, 0):
        assert expect(answer(sleeper, challenge, -1), 200).json()["tries_left"] == left
    expect(answer(sleeper, challenge, right_answer(service, challenge)), 409, "too_many_tries")
    expect(sleeper.post("/me/wake-ups/challenge"), 409, "too_many_tries")
    service.set_clock("2026-11-20T21:35:00Z")
    expect(answer(sleeper, challenge, 1), 409, "outside_alarm_window")
    assert ask(sleeper)["tries_left"] == 5


@pytest.mark.parametrize("language", ["ko", "en"])
def test_the_question_is_in_ones_language(service, sleeper, language):
    service.set_clock("2026-11-20T21:30:10Z")
    question = expect(sleeper.post("/me/wake-ups/challenge", headers={"Accept-Language": language}), 200).json()["question"]
    assert any("가" <= letter <= "힣" for letter in question) == (language == "ko")


def test_set_to_ring_in_a_moment_it_does_not_count(service, sleeper):
    service.set_clock("2026-11-21T02:45:00Z")
    rings = expect(sleeper.put("/me/alarm", {**AT_SIX, "time": "12:00"}), 200).json()["rings_at"]
    assert rings[0] == "2026-11-22T03:00:00Z"
    service.set_clock("2026-11-21T03:00:00Z")
    expect(sleeper.post("/me/wake-ups/challenge"), 409, "outside_alarm_window")


def test_16_guesses_at_once_are_five_tries(service, sleeper):
    service.set_clock("2026-11-20T21:30:10Z")
    challenge = ask(sleeper)
    headers = {"Authorization": f"Bearer {sleeper.token}", "X-Forwarded-For": sleeper.address}
    body = {"challenge_id": challenge["challenge_id"], "answer": -1}
    answers = together(service, [("POST", "/me/wake-ups", body, headers)] * 16)
    assert collections.Counter(each.status for each in answers) == {200: 5, 409: 11}
    assert sorted(each.json()["tries_left"] for each in answers if each.status == 200) == [0, 1, 2, 3, 4]


def test_anothers_problem_is_not_there(service, sleeper, people):
    other = people(service, "Minji")
    service.set_clock("2026-11-20T21:30:10Z")
    challenge = ask(sleeper)
    expect(answer(other, challenge, right_answer(service, challenge)), 404, "not_found")
