"""The calendar feed as a calendar reads it: with an implementation of RFC 5545 that has nothing to do with ours."""

import datetime
import re

import icalendar
from person import expect
from service import START

BEGAN = datetime.datetime.fromisoformat(START)
LONG = "Rechnungswesen; Kapitel 3, 4\n" + "가나다라" * 30 + "\nEND:VEVENT\\"


def stamp(instant):
    return instant.strftime("%Y-%m-%dT%H:%M:%SZ")


def read(person, path):
    answer = person.http.get(path)
    expect(answer, 200)
    lines = answer.content.split(b"\r\n")
    assert answer.content.endswith(b"\r\n") and all(len(line) <= 75 for line in lines) and b"\n" not in b"".join(lines)
    [calendar] = icalendar.Calendar.from_ical(answer.content, multiple=True)
    assert calendar.errors == [] and calendar["VERSION"] == "2.0" and "Anthill" in calendar["PRODID"]
    return answer, {str(event["UID"]): event for event in calendar.walk("VEVENT")}


def test_a_calendar_reads_the_sessions_and_only_finished_ones(service, people):
    service.set_clock(START)
    person, other = people(service), people(service)
    hour = datetime.timedelta(hours=1)
    subject = expect(person.post("/me/subjects", {"name": "Maths, again", "colour": "sky"}), 201).json()["id"]
    intervals = [(BEGAN - 5 * hour, BEGAN - 4 * hour), (BEGAN - 3 * hour, BEGAN - 2.5 * hour)]
    paused = expect(person.post("/me/sessions", {
        "intervals": [{"started_at": stamp(a), "ended_at": stamp(b)} for a, b in intervals], "subject_id": subject, "note": LONG,
    }), 201).json()["id"]  # fmt: skip
    plain = expect(person.log(stamp(BEGAN - 2 * hour), stamp(BEGAN - hour)), 201).json()["id"]
    gone = expect(person.log(stamp(BEGAN - 8 * hour), stamp(BEGAN - 7 * hour)), 201).json()["id"]
    expect(person.delete(f"/me/sessions/{gone}"), 204)
    expect(other.log(stamp(BEGAN - 2 * hour), stamp(BEGAN - hour)), 201)
    expect(person.start(), 201)
    url = expect(person.post("/me/calendar-feed"), 201).json()["url"]
    path = url.removeprefix(service.origin)
    assert re.fullmatch(r"/calendar/[\w-]{43}\.ics", path)

    answer, events = read(person, path)
    assert {uid.partition("@")[0] for uid in events} == {paused, plain}
    event = events[f"{paused}@localhost"]
    assert (event.decoded("DTSTART"), event.decoded("DTEND")) == (BEGAN - 5 * hour, BEGAN - 2.5 * hour)
    assert event.decoded("DTSTART").utcoffset() == datetime.timedelta()
    assert str(event["SUMMARY"]) == "Maths, again"
    assert str(event["DESCRIPTION"]) == f"1 h 30 min\n{LONG}"
    assert str(events[f"{plain}@localhost"]["SUMMARY"]) == "Study"

    again = person.http.get(path, headers={"If-None-Match": answer.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    expect(person.post("/me/timer/stop"), 200)
    service.advance_clock(60)
    expect(person.patch(f"/me/sessions/{plain}", {"note": "short"}), 200)
    changed = person.http.get(path, headers={"If-None-Match": answer.headers["ETag"]})
    assert changed.status_code == 200 and b"short" in changed.content
    # The same sessions keep their names.
    assert set(events) <= set(read(person, path)[1])


def test_a_session_leaves_the_calendar_as_a_whole(service, people):
    """90 days after its last end, not one interval after the other."""
    service.set_clock(START)
    person, hour = people(service), datetime.timedelta(hours=1)
    intervals = [(BEGAN - 5 * hour, BEGAN - 4 * hour), (BEGAN - 2 * hour, BEGAN - hour)]
    expect(person.post("/me/sessions", {"intervals": [{"started_at": stamp(a), "ended_at": stamp(b)} for a, b in intervals]}), 201)
    path = expect(person.post("/me/calendar-feed"), 201).json()["url"].removeprefix(service.origin)
    service.set_clock(stamp(BEGAN + datetime.timedelta(days=90) - hour - datetime.timedelta(seconds=1)))
    [event] = read(person, path)[1].values()
    assert (event.decoded("DTSTART"), str(event["DESCRIPTION"])) == (BEGAN - 5 * hour, "2 h")
    service.advance_clock(1)
    assert read(person, path)[1] == {}


def test_the_secret_is_neither_in_the_database_nor_in_the_log(service, people):
    person = people(service)
    url = expect(person.post("/me/calendar-feed"), 201).json()["url"]
    secret = url.rpartition("/")[2].removesuffix(".ics")
    expect(person.http.get(url.removeprefix(service.origin)), 200)
    assert secret not in service.log_file.read_text()
    [[kept]] = service.cluster.sql("SELECT to_jsonb(f)::text FROM calendar_feeds f WHERE uid = %s", person.uid)
    assert secret not in kept
