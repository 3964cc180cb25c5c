"""Days: the calendar, goals that were, ants, streaks and rest days, and when one studies."""

from person import expect

NOON = "2026-11-21T03:00:00Z"  # Saturday, in Seoul


def wake_up(service, person, day):
    """As if the alarm of that day had been answered in time, at seven in the morning in Seoul."""
    service.cluster.sql(
        f"INSERT INTO wake_ups (uid, day, earned_at) VALUES ('{person.uid}', '{day}', '{day}T07:00:00+09:00');"
        "INSERT INTO wake_up_challenges (uid, day, ring, puzzle, answer, asked_at, expires_at, solved_at)"
        f" SELECT uid, day, 0, '{{}}', 0, earned_at, earned_at, earned_at FROM wake_ups WHERE uid = '{person.uid}' AND day = '{day}'",
    )


def day(person, date):
    return expect(person.get(f"/me/days?month={date[:7]}"), 200).json()["days"][int(date[8:]) - 1]


def test_a_perfect_day_is_stamped_in_the_calendar_and_announced_once(service, people):
    person = people(service)
    service.set_clock(NOON)
    wake_up(service, person, "2026-11-21")
    assert expect(person.get("/me/today"), 200).json()["ants"] == {"wake_up": True, "study": False, "perfect": False}
    session = expect(person.log("2026-11-20T22:00:00Z", "2026-11-21T02:00:00Z"), 201).json()
    today = expect(person.get("/me/today"), 200).json()
    assert today["ants"] == {"wake_up": True, "study": True, "perfect": True}
    assert (today["perfect_announced"], today["rest"]) == (False, False)
    assert (today["month"], today["streaks"]) == ({"trees": 0, "perfect": 1}, {"current": 1, "longest": 1})
    expect(person.post("/me/today/perfect-announcement"), 204)
    expect(person.post("/me/today/perfect-announcement", {"day": "2026-11-21"}), 409, "already_announced")
    assert expect(person.get("/me/today"), 200).json()["perfect_announced"] is True
    month = expect(person.get("/me/days"), 200).json()
    assert month["month"] == "2026-11" and len(month["days"]) == 30
    assert month["days"][20] == {
        "day": "2026-11-21", "study_seconds": 14400, "goal_seconds": 14400, "growth": "sprout",
        "wake_up": True, "study": True, "perfect": True, "rest": False,
    }  # fmt: skip
    assert month["totals"] == {"study_seconds": 14400, "perfect": 1, "trees": 0}
    expect(person.delete(f"/me/sessions/{session['id']}"), 204)
    assert day(person, "2026-11-21")["perfect"] is False
    assert expect(person.get("/me/days?year=2026"), 200).json()["days"][0]["wake_up"] is True


def test_a_changed_goal_leaves_the_days_before_as_they_were(service, people):
    person = people(service)
    service.set_clock(NOON)
    expect(person.patch("/me", {"daily_goal_seconds": 3600}), 200)
    expect(person.log("2026-11-20T02:00:00Z", "2026-11-20T04:00:00Z"), 201)
    yesterday, today = day(person, "2026-11-20"), day(person, "2026-11-21")
    assert (yesterday["goal_seconds"], yesterday["study"]) == (14400, False)
    assert (today["goal_seconds"], today["study_seconds"]) == (3600, 0)
    assert day(person, "2026-11-01")["goal_seconds"] == 14400
    assert day(person, "2026-12-24")["goal_seconds"] == 3600


def test_two_rest_days_a_month_keep_a_streak(service, people):
    person = people(service)
    service.set_clock(NOON)
    expect(person.patch("/me", {"daily_goal_seconds": 60}), 200)
    expect(person.log("2026-11-21T02:00:00Z", "2026-11-21T02:10:00Z"), 201)
    for date in ("2026-11-22", "2026-11-23", "2026-11-22"):
        expect(person.put(f"/me/rest-days/{date}"), 204)
    expect(person.put("/me/rest-days/2026-11-24"), 422, "too_many_rest_days")
    assert day(person, "2026-11-22")["rest"] is True
    service.set_clock("2026-11-24T03:00:00Z")
    assert expect(person.get("/me/today"), 200).json()["streaks"] == {"current": 1, "longest": 1}
    expect(person.log("2026-11-24T02:00:00Z", "2026-11-24T02:10:00Z"), 201)
    assert expect(person.get("/me/days"), 200).json()["streaks"] == {"current": 2, "longest": 2}
    expect(person.delete("/me/rest-days/2026-11-23"), 422, "not_in_the_future")
    expect(person.put("/me/rest-days/2026-12-31"), 204)
    expect(person.delete("/me/rest-days/2026-12-31"), 204)
    expect(person.delete("/me/rest-days/2026-12-31"), 404)


def test_the_rhythm_adds_up_to_the_calendar(service, people):
    person = people(service)
    service.set_clock(NOON)
    for started, ended in (("2026-11-19T14:10:00Z", "2026-11-19T21:05:00Z"), ("2026-11-21T01:00:00Z", "2026-11-21T02:30:00Z")):
        expect(person.log(started, ended), 201)
    rhythm = expect(person.get("/me/rhythm?from=2026-11-01&to=2026-11-30"), 200).json()
    total = expect(person.get("/me/days?month=2026-11"), 200).json()["totals"]["study_seconds"]
    assert sum(row["seconds"] for row in rhythm["weekdays"]) == sum(row["seconds"] for row in rhythm["hours"]) == total
    assert [row["seconds"] for row in rhythm["weekdays"]] == [0, 0, 0, 21000, 3900, 5400, 0]
    assert rhythm["hours"][23]["seconds"] == 3000 and rhythm["hours"][6]["seconds"] == 300


def test_days_that_have_not_changed_are_not_sent_again(service, people):
    person = people(service)
    service.set_clock(NOON)
    for path in ("/me/days", "/me/days?year=2026", "/me/rhythm"):
        tag = expect(person.get(path), 200).headers["etag"]
        assert person.get(path, headers={"If-None-Match": tag}).status_code == 304
