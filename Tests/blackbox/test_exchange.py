"""Study from files and into files: what is imported counts for its owner alone, and comes out as it went in."""

import csv
import datetime
import io
import time
from pathlib import Path

import pytest
from person import expect, new_id

NOW = "2026-11-21T03:00:00Z"
TOGGL = "User,Email,Client,Project,Task,Description,Billable,Start date,Start time,End date,End time,Duration,Tags,Amount ()"
CLOCKIFY = (
    "Project,Client,Description,Task,User,Group,Email,Tags,Billable,Start Date,Start Time,End Date,End Time,Duration (h),Duration (decimal)"
)
CSV = {"Content-Type": "text/csv"}


@pytest.fixture
def jihye(service, people):
    service.set_clock(NOW)
    return people(service)


def upload(who, text, headers=CSV, **params):
    content = text if isinstance(text, bytes) else text.encode()
    return who.ask("POST", "/me/imports", content=content, headers=headers, params=params)


def toggl(*rows):
    """A file of Toggl; each row is (date, start, end)."""
    return "\r\n".join([TOGGL, *(f"Jihye,j@x,,Maths,,note,No,{day},{start},{day},{end},,," for day, start, end in rows)])


def test_a_dry_run_says_what_the_import_then_does(jihye):
    text = toggl(("2026-03-02", "09:00:00", "10:00:00"), ("2026-03-02", "09:30:00", "10:30:00"), ("2026-03-03", "9:00", "8:00"))
    dry = expect(upload(jihye, text, dry_run="true"), 200).json()
    assert jihye.get("/me/sessions", params={"from": "2026-03-02"}).json()["items"] == []
    real = expect(upload(jihye, text), 200).json()
    assert {**dry, "dry_run": False} == real
    assert [(row["line"], row["code"]) for row in real["refused"]] == [(3, "overlapping_interval"), (4, "empty_interval")]
    assert real["recorded"] == 1 and real["seconds"] == 3600 and real["subjects_created"] == ["Maths"]
    again = expect(upload(jihye, text), 200).json()
    assert (again["recorded"], again["already_recorded"], again["refused_total"]) == (0, 1, 2)


def test_a_dry_run_and_its_import_are_two_requests(jihye):
    text, key = toggl(("2026-03-02", "09:00:00", "10:00:00")), {**CSV, "Idempotency-Key": new_id()}
    dry = expect(upload(jihye, text, key, dry_run="true", format="toggl"), 200)
    again = expect(upload(jihye, text, key, format="toggl", dry_run="true"), 200)
    assert again.headers["Idempotency-Replayed"] == "true" and again.json() == dry.json()
    expect(upload(jihye, text, key, format="toggl"), 422, "idempotency_key_reused")
    assert expect(upload(jihye, text, format="toggl"), 200).json()["recorded"] == 1


def test_what_is_imported_is_on_no_board(jihye):
    group = jihye.found_group()
    expect(upload(jihye, toggl(("2026-11-20", "09:00:00", "10:00:00"))), 200)
    board = expect(jihye.get(f"/groups/{group['id']}/leaderboard"), 200).json()
    assert [entry["seconds"] for entry in board["entries"]] == [0]
    assert jihye.get("/me/today").json()["total_seconds"] == 3600


def test_ambiguous_dates_and_several_people_are_asked_about(jihye):
    row = "Maths,,note,,{who},,{who}@x,,No,{day},09:00:00 AM,{day},10:00:00 AM,01:00:00,1.00"
    text = "\n".join([CLOCKIFY, row.format(who="ara", day="03/04/2026"), row.format(who="bora", day="03/04/2026")])
    problem = expect(upload(jihye, text), 422, "several_people", field="person").json()
    assert problem["people"] == ["ara@x", "bora@x"]
    problem = expect(upload(jihye, text, person="ara@x"), 422, "ambiguous_dates", field="date_format").json()
    assert problem["date_formats"] == ["MM/DD/YYYY", "DD/MM/YYYY"]
    answer = expect(upload(jihye, text, person="ara@x", date_format="DD/MM/YYYY", time_zone="UTC"), 200).json()
    assert (answer["format"], answer["recorded"]) == ("clockify", 1)
    [session] = jihye.get("/me/sessions", params={"from": "2026-04-03"}).json()["items"]
    assert session["started_at"] == "2026-04-03T09:00:00Z"


@pytest.mark.parametrize(
    ("text", "headers", "params", "status", "code", "field"),
    [
        ("a,b", {}, {}, 415, "not_csv", None),
        ("{}", {"Content-Type": "application/json"}, {}, 415, "not_csv", None),
        ("a,b", {"Content-Type": "text/csv; charset=euc-kr"}, {}, 415, "not_csv", None),
        (b"\xbc\xf6\xc7\xd0", CSV, {}, 400, "wrong_encoding", None),
        (TOGGL + "\0", CSV, {}, 400, "wrong_encoding", None),
        ('a,"b', CSV, {}, 400, "malformed_csv", None),
        ("", CSV, {}, 422, "unknown_columns", None),
        ("a,b\n1,2", CSV, {}, 422, "unknown_columns", None),
        (TOGGL, CSV, {"format": "csv"}, 422, "invalid_format", "format"),
        (TOGGL, CSV, {"format": ""}, 422, "invalid_format", "format"),
        (TOGGL, CSV, {"dry_run": "1"}, 422, "invalid_dry_run", "dry_run"),
        (TOGGL, CSV, {"date_format": "DDMMYY"}, 422, "invalid_date_format", "date_format"),
        (toggl(("2026-03-02", "9:00", "10:00")), CSV, {"time_zone": "Asia/Seul"}, 422, "unknown_time_zone", "time_zone"),
        (TOGGL, CSV, {"time_zone": "FOO5"}, 422, "unknown_time_zone", "time_zone"),
        (toggl(("2026-03-02", "9:00", "10:00")), CSV, {"person": "ara"}, 422, "unknown_person", "person"),
        (TOGGL + "\nx" * 20_001, CSV, {}, 413, "too_many_rows", None),
        ("x" * (5 * 1024 * 1024 + 1), CSV, {}, 413, "content_too_large", None),
    ],
)
def test_a_file_that_cannot_be_taken_says_why(jihye, text, headers, params, status, code, field):
    problem = expect(upload(jihye, text, headers, **params), status, code).json()
    assert problem.get("field") == field


@pytest.mark.parametrize(
    ("row", "code", "field"),
    [
        (",,,,,,,2026-02-30,09:00,2026-02-30,10:00,,,", "invalid_date", "Start date"),
        (",,,,,,,2026-03-02,09:00,2026-03-32,10:00,,,", "invalid_date", "End date"),
        (",,,,,,,2026-03-02,24:00,2026-03-02,10:00,,,", "invalid_time", "Start time"),
        (",,,,,,,2026-03-02,09:00,2026-03-02,noon,,,", "invalid_time", "End time"),
        (",,,,,,,,09:00,2026-03-02,10:00,,,", "missing_field", "Start date"),
        (",,,,,,,2026-03-02,,2026-03-02,10:00,,,", "missing_field", "Start time"),
        (",,,,,,,2026-03-02,09:00,2026-03-02,,,,", "missing_field", "End time"),
        (",,,,,,,1969-03-02,09:00,1969-03-02,10:00,,,", "invalid_date", "Start date"),
        (",,,,,,,9999-12-31,09:00,9999-12-31,10:00,,,", "in_the_future", "End time"),
        (",,,,,,,2026-03-02,09:00,2026-03-02,21:00:01,,,", "too_long", "End time"),
        (",,,,,,,2026-03-02,09:00,2026-03-02,09:00,,,", "empty_interval", "End time"),
        (",,,,,,,2026-03-02,09:00,,,999:00:00,,", "too_long", "End time"),
        (",,,,,%s,,2026-03-02,09:00,2026-03-02,10:00,,," % ("n" * 2001), "invalid_note", "Description"),
        (",,,,,,,2026-03-02,09:00,2026-03-02,10:00,,,,,", "too_many_fields", None),
    ],
)
def test_a_row_that_cannot_be_recorded_says_why(jihye, row, code, field):
    answer = expect(upload(jihye, f"{TOGGL}\n{row}"), 200).json()
    [refused] = answer["refused"]
    assert (refused["line"], refused["code"], refused.get("field")) == (2, code, field)
    assert (answer["rows"], answer["recorded"], answer["seconds"]) == (1, 0, 0)


def memory(service):
    """The most memory that the service has had since it was last asked, and what it has now, in bytes."""
    process = Path(f"/proc/{service.process.pid}")
    fields = dict(line.split(":", 1) for line in (process / "status").read_text().splitlines())
    (process / "clear_refs").write_text("5")
    return [1024 * int(fields[name].split()[0]) for name in ("VmHWM", "VmRSS")]


@pytest.mark.parametrize(
    ("line", "code"), [("\n", "unknown_columns"), (",", "unknown_columns"), ("\n,", "unknown_columns"), ("\nx", "too_many_rows")]
)
def test_five_megabytes_of_nothing_take_little_memory(service, jihye, line, code):
    _, before = memory(service)
    start = TOGGL if code == "too_many_rows" else ""
    answer = upload(jihye, start + line * ((5 * 1024 * 1024 - len(start)) // len(line)))
    expect(answer, 413 if code == "too_many_rows" else 422, code)
    most, _ = memory(service)
    print(f"{(most - before) / 2**20:.0f} MiB more")
    assert most - before < 64 * 2**20


def test_a_large_file_is_one_import(jihye):
    day = datetime.date(2016, 1, 1)
    rows = []
    while len(rows) < 20_000:
        rows += [(day, f"{hour:02}:00:00", f"{hour:02}:45:00") for hour in range(8, 18)]
        day += datetime.timedelta(days=1)
    began = time.monotonic()
    jihye.http.timeout = 120  # other tests run beside this one
    answer = expect(upload(jihye, toggl(*rows)), 200).json()
    print(f"20,000 rows in {time.monotonic() - began:.1f} s")
    assert (answer["recorded"], answer["refused_total"], answer["seconds"]) == (20_000, 0, 20_000 * 2700)


def table(who, path):
    """A table that was exported, as a spreadsheet's reader sees it."""
    answer = expect(who.get(path), 200)
    assert answer.content.startswith(b"\xef\xbb\xbf")
    return list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"), newline="")))


def test_what_was_exported_comes_back_as_it_was(service, jihye, people):
    text = "\n".join(
        [
            TOGGL,
            *(f'J,,,=Maths,,"-1, ""two""\n{day}",No,2026-03-{day:02},22:00:00,2026-03-{day + 1:02},06:30:00,,,' for day in range(1, 29)),
        ]
    )
    assert expect(upload(jihye, text), 200).json()["recorded"] == 28
    rows = table(jihye, "/me/intervals.csv")
    assert [row["note"] for row in rows[:2]] == ['\'-1, "two"\n1', '\'-1, "two"\n2']
    assert {row["subject"] for row in rows} == {"'=Maths"} and {row["seconds"] for row in rows} == {"30600"}
    days = service.cluster.sql("SELECT day, study_seconds FROM study_days WHERE uid = %s ORDER BY day", jihye.uid)

    for path in ("/me/intervals.csv", "/me/sessions.csv"):
        file = expect(jihye.get(path), 200).content
        other = people(service, "Minsu")
        assert expect(upload(other, file, dry_run="true"), 200).json()["recorded"] == 28
        answer = expect(upload(other, file), 200).json()
        assert (answer["format"], answer["recorded"], answer["subjects_created"]) == ("anthill", 28, ["=Maths"])
        assert days == service.cluster.sql("SELECT day, study_seconds FROM study_days WHERE uid = %s ORDER BY day", other.uid)
        notes = [session["note"] for session in expect(other.get("/me/sessions.json"), 200).json()["sessions"]]
        assert notes == [f'-1, "two"\n{day}' for day in range(1, 29)]
    assert expect(upload(jihye, file), 200).json()["already_recorded"] == 28


def test_everything_of_mine_leaves_in_one_file(jihye, ago):
    group = jihye.found_group("Night owls")
    session = expect(jihye.log(ago(7200), ago(3600)), 201).json()
    expect(jihye.delete(f"/me/sessions/{session['id']}"), 204)
    answer = expect(jihye.get("/me/export"), 200)
    export = answer.json()
    assert export["profile"]["email"] == jihye.email and export["groups"][0]["id"] == group["id"]
    assert [(each["id"], each["state"]) for each in export["sessions"]] == [(session["id"], "discarded")]
    for secret in ("password_hash", "argon2", "token_mac", jihye.token):
        assert secret not in answer.text


@pytest.mark.parametrize("path", ["/me/sessions.csv", "/me/intervals.csv", "/me/sessions.json"])
@pytest.mark.parametrize(
    ("params", "field"),
    [({"from": "x"}, "from"), ({"to": "2026-02-30"}, "to"), ({"from": "2026-11-21", "to": "2026-11-20"}, "to"), ({"from": ""}, "from")],
)
def test_days_that_are_none_are_refused(jihye, path, params, field):
    expect(jihye.get(path, params=params), 422, "invalid_day", field=field)


def test_a_file_is_kept_by_nobody_and_HEAD_tells_its_name(jihye):
    for path in ("/me/sessions.csv", "/me/intervals.csv", "/me/sessions.json", "/me/export"):
        answer = expect(jihye.get(path), 200)
        assert answer.headers["cache-control"] == "no-store" and "etag" not in answer.headers
        head = jihye.ask("HEAD", path)
        assert head.content == b"" and head.headers["content-disposition"] == answer.headers["content-disposition"]
