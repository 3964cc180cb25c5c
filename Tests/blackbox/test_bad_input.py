"""What cannot be read or is against a rule: each has its own status, code and field, and no effect.

One list per area; a row is (method, path, body, status, code, field). It is Saturday 2026-11-21, 03:00 UTC, noon in
Seoul, for somebody without a timer. A path may name `{unknown}` (a UUID of nothing) and what `things` makes.
"""

import pytest
from person import Person, expect, new_id
from service import running, wait_until

NOW = "2026-11-21T03:00:00Z"
HUGE = 10**30  # beyond 64 bits: no whole number to anyone
MANY = 2**31  # a whole number, beyond what a column holds
NUL = "a\x00b"  # text, but none that can be kept

# A value of every JSON type, by the name of the type.
OF_TYPE = {"text": "x", "int": 7, "float": 1.5, "bool": True, "object": {}, "list": []}


def wrong_types(method, path, field, type, good=None):
    """Rows: the field with a value of each type but its own (a whole number is none with a fraction)."""
    whole = [HUGE, 1e3] if type == "int" else [NUL] if type == "text" else []
    for value in [value for name, value in OF_TYPE.items() if name != type] + whole:
        yield method, path, with_value(good or {}, field, value), 400, "wrong_type", field


def missing(method, path, good, *fields):
    """Rows: each of these fields left out, or null."""
    for field in fields:
        yield method, path, without(good, field), 400, "missing_field", field
        yield method, path, with_value(good, field, None), 400, "missing_field", field


def refused(method, path, field, code, *values, good=None):
    """Rows: the field with each of these values, which can be read and are against a rule."""
    for value in values:
        yield method, path, with_value(good or {}, field, value), 422, code, field


def unknown(method, path, good=None):
    """A row: a member that nobody reads."""
    return method, path, {**(good or {}), "nonsense": 1}, 400, "unknown_field", "nonsense"


def with_value(body, field, value):
    """The body with that field, which may lie in an object or a list: `study_clock.time_zone`, `intervals[0].ended_at`."""
    head, _, rest = field.partition(".")
    name, _, index = head.rstrip("]").partition("[")
    inner = body.get(name)
    if index:
        inner = list(inner)
        inner[int(index)] = with_value(inner[int(index)], rest, value) if rest else value
        return {**body, name: inner}
    return {**body, name: with_value(inner or {}, rest, value) if rest else value}


def without(body, field):
    head, _, rest = field.partition(".")
    name, _, index = head.rstrip("]").partition("[")
    if not rest:
        return {key: value for key, value in body.items() if key != name}
    inner = body[name]
    if index:
        return {**body, name: [without(item, rest) if number == int(index) else item for number, item in enumerate(inner)]}
    return {**body, name: without(inner, rest)}


NO_TIMES = (
    "",
    "now",
    "2026-11-21",
    "2026-02-30T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-11-20T24:00:00Z",
    "2026-11-20T01:00:00",
    "2026-11-20 01:00:00Z",
    "2026-11-20T01:00:00.5Z",
    "1969-12-31T23:59:59Z",
)
NO_DAYS = ("x", "", "2026-02-30", "2026-11-31", "2026-13-01", "2026-11", "20261121", "2026-11-21T00:00:00Z", "-2026-11-21")


def apart(count):
    """So many stretches of a second."""
    return [
        {"started_at": f"2026-11-20T19:{n // 30:02}:{n % 30 * 2:02}Z", "ended_at": f"2026-11-20T19:{n // 30:02}:{n % 30 * 2 + 1:02}Z"}
        for n in range(count)
    ]


# Each list that follows is an area: what is entered here is asked.
AREAS = {}

# The timer

START = "/me/timer/start"
PLAN = {"name": "a", "work_seconds": 1500, "rest_seconds": 300}
NO_PLAN_NAMES = ("", " ", "x" * 51, "a\nb", "\u200b")
NO_LENGTHS = (0, -1, 59, 86_341, MANY, 2**63 - 1, -MANY)
TIMER = AREAS["timer"] = [
    unknown("POST", START),
    *wrong_types("POST", START, "goal_seconds", "int"),
    *refused("POST", START, "goal_seconds", "invalid_goal", 0, -1, 86_401, MANY, 2**63 - 1, -MANY),
    *(row for field in ("subject_id", "task_id", "note") for row in wrong_types("POST", START, field, "text")),
    *(("POST", START, {field: text}, 400, "wrong_type", field) for field in ("subject_id", "task_id") for text in ("", "x", "0" * 33)),
    ("POST", START, {"subject_id": "00000000-0000-4000-8000-000000000000"}, 422, "unknown_subject", "subject_id"),
    ("POST", START, {"task_id": "00000000-0000-4000-8000-000000000000"}, 422, "unknown_task", "task_id"),
    *refused("POST", START, "note", "invalid_note", "x" * 2001),
    *wrong_types("POST", START, "plan", "object"),
    ("POST", START, {"plan": {**PLAN, "nonsense": 1}}, 400, "unknown_field", "plan.nonsense"),
    *missing("POST", START, {"plan": PLAN}, "plan.work_seconds", "plan.rest_seconds"),
    *wrong_types("POST", START, "plan.name", "text", {"plan": PLAN}),
    *wrong_types("POST", START, "plan.work_seconds", "int", {"plan": PLAN}),
    *wrong_types("POST", START, "plan.rest_seconds", "int", {"plan": PLAN}),
    *refused("POST", START, "plan.name", "invalid_plan_name", *NO_PLAN_NAMES, good={"plan": PLAN}),
    *refused("POST", START, "plan.work_seconds", "invalid_plan", *NO_LENGTHS, good={"plan": PLAN}),
    *refused("POST", START, "plan.rest_seconds", "invalid_plan", *NO_LENGTHS, 84_901, good={"plan": PLAN}),
    unknown("PATCH", "/me/timer", {"started_at": NOW}),
    *missing("PATCH", "/me/timer", {"started_at": NOW}, "started_at"),
    *wrong_types("PATCH", "/me/timer", "started_at", "text"),
    *refused("PATCH", "/me/timer", "started_at", "invalid_time", *NO_TIMES),
    ("PATCH", "/me/timer", {"started_at": NOW}, 409, "timer_not_running", None),
    ("PATCH", "/me/timer", {"started_at": "9999-12-31T23:59:59Z"}, 409, "timer_not_running", None),
    *((("POST", f"/me/timer/{call}", {"nonsense": 1}, 400, "unknown_field", "nonsense")) for call in ("pause", "resume", "stop", "cancel")),
    ("POST", "/me/timer/pause", None, 409, "timer_not_running", None),
    ("POST", "/me/timer/resume", None, 409, "timer_not_paused", None),
    ("POST", "/me/timer/stop", None, 409, "timer_not_running", None),
    ("POST", "/me/timer/cancel", None, 409, "timer_not_running", None),
]

# Plans of work and rest

PLANS = AREAS["plans"] = [
    unknown("PUT", "/me/plan", PLAN),
    *missing("PUT", "/me/plan", PLAN, "name", "work_seconds", "rest_seconds"),
    *wrong_types("PUT", "/me/plan", "name", "text", PLAN),
    *wrong_types("PUT", "/me/plan", "work_seconds", "int", PLAN),
    *wrong_types("PUT", "/me/plan", "rest_seconds", "int", PLAN),
    *refused("PUT", "/me/plan", "name", "invalid_plan_name", *NO_PLAN_NAMES, ".", " .. ", good=PLAN),
    *refused("PUT", "/me/plan", "work_seconds", "invalid_plan", *NO_LENGTHS, good=PLAN),
    *refused("PUT", "/me/plan", "rest_seconds", "invalid_plan", *NO_LENGTHS, 84_901, good=PLAN),
    *(("DELETE", f"/me/plans/{name}", None, 404, "not_found", None) for name in ("a", "25%2F5", "25/5", "x" * 500, "%EB%85%BC")),
    ("DELETE", "/me/plans/%00", None, 400, None, None),
]

# Sessions

LOG = "/me/sessions"
STRETCH = {"started_at": "2026-11-20T20:00:00Z", "ended_at": "2026-11-20T21:00:00Z"}
LIST = {"intervals": [STRETCH]}
END = "/me/sessions/{session}/end"
SESSIONS = AREAS["sessions"] = [
    unknown("POST", LOG, STRETCH),
    *missing("POST", LOG, STRETCH, "started_at", "ended_at"),
    *missing("POST", LOG, LIST, "intervals[0].started_at", "intervals[0].ended_at"),
    ("POST", LOG, {}, 400, "missing_field", "started_at"),
    ("POST", LOG, {"intervals": [{**STRETCH, "nonsense": 1}]}, 400, "unknown_field", "intervals[0].nonsense"),
    ("POST", LOG, {"intervals": [1]}, 400, "wrong_type", "intervals[0]"),
    *(row for field in ("id", "started_at", "ended_at", "note", "source") for row in wrong_types("POST", LOG, field, "text", STRETCH)),
    *wrong_types("POST", LOG, "intervals", "list"),
    *wrong_types("POST", LOG, "intervals[0].ended_at", "text", LIST),
    *((("POST", LOG, {**STRETCH, "id": text}, 400, "wrong_type", "id")) for text in ("", "x", "1", "0" * 33)),
    *(row for field in ("started_at", "ended_at") for row in refused("POST", LOG, field, "invalid_time", *NO_TIMES, good=STRETCH)),
    *refused("POST", LOG, "intervals[0].started_at", "invalid_time", *NO_TIMES, good=LIST),
    *refused(
        "POST", LOG, "ended_at", "empty_interval", "2026-11-20T20:00:00Z", "2026-11-20T19:00:00Z", "1970-01-01T00:00:00Z", good=STRETCH
    ),
    *refused("POST", LOG, "ended_at", "in_the_future", "2026-11-21T04:30:00Z", "9999-12-31T23:59:59Z", good=STRETCH),
    *refused("POST", LOG, "ended_at", "too_long", "2026-11-21T01:00:00Z", good={**STRETCH, "started_at": "2026-11-20T12:59:59Z"}),
    *refused("POST", LOG, "started_at", "too_old", "2026-11-19T02:50:00Z", good={**STRETCH, "ended_at": "2026-11-19T03:50:00Z"}),
    *refused("POST", LOG, "source", "invalid_source", "timer", "", "hand", good=STRETCH),
    *refused("POST", LOG, "note", "invalid_note", "x" * 2001, good=STRETCH),
    *(row for field in ("subject_id", "task_id") for row in wrong_types("POST", LOG, field, "text", STRETCH)),
    *((("POST", LOG, {**STRETCH, field: "x"}, 400, "wrong_type", field)) for field in ("subject_id", "task_id")),
    *refused("POST", LOG, "subject_id", "unknown_subject", new_id(), good=STRETCH),
    *refused("POST", LOG, "task_id", "unknown_task", new_id(), good=STRETCH),
    *refused("POST", LOG, "intervals", "invalid_intervals", [], [STRETCH] * 101),
    *refused("POST", LOG, "intervals", "empty_interval", [{**STRETCH, "ended_at": STRETCH["started_at"]}]),
    ("POST", LOG, {"intervals": [STRETCH, STRETCH]}, 409, "overlapping_interval", "intervals"),
    ("POST", LOG, {**STRETCH, **LIST}, 422, "both_forms", "started_at"),
    ("POST", LOG, {**LIST, "ended_at": STRETCH["ended_at"]}, 422, "both_forms", "ended_at"),
    ("POST", LOG, {"started_at": "2026-11-21T01:30:00Z", "ended_at": "2026-11-21T02:30:00Z"}, 409, "overlapping_interval", "started_at"),
    *(("GET", f"{LOG}?{name}={text}", None, 422, "invalid_day", name) for name in ("from", "to") for text in NO_DAYS),
    ("GET", f"{LOG}?from=2026-11-21&to=2026-11-20", None, 422, "invalid_day", "to"),
    ("GET", f"{LOG}?from=2020-01-01&to=2026-11-21", None, 422, "invalid_day", "to"),
    ("GET", f"{LOG}/x", None, 404, "not_found", None),
    ("GET", f"{LOG}/{{unknown}}", None, 404, "not_found", None),
    ("DELETE", f"{LOG}/{{unknown}}", None, 404, "not_found", None),
    unknown("PUT", END, {"ended_at": NOW}),
    *missing("PUT", END, {"ended_at": NOW}, "ended_at"),
    *wrong_types("PUT", END, "ended_at", "text"),
    *wrong_types("PUT", END, "paused", "bool", {"ended_at": NOW}),
    *refused("PUT", END, "ended_at", "invalid_time", *NO_TIMES),
    ("PUT", END, {"ended_at": NOW}, 409, "not_unconfirmed", None),
    ("PUT", "/me/sessions/{unknown}/end", {"ended_at": NOW}, 404, "not_found", None),
]

# A session that is changed: 01:00 to 02:00 today

CHANGE = "/me/sessions/{session}"
CHANGES = AREAS["changes"] = [
    unknown("PATCH", CHANGE),
    ("PATCH", CHANGE, {"id": new_id()}, 400, "unknown_field", "id"),
    ("PATCH", CHANGE, {"source": "import"}, 400, "unknown_field", "source"),
    *(row for field in ("started_at", "ended_at", "subject_id", "task_id", "note") for row in wrong_types("PATCH", CHANGE, field, "text")),
    *wrong_types("PATCH", CHANGE, "intervals", "list"),
    *wrong_types("PATCH", CHANGE, "intervals[0].started_at", "text", LIST),
    *missing("PATCH", CHANGE, LIST, "intervals[0].started_at", "intervals[0].ended_at"),
    *((("PATCH", CHANGE, {field: "x"}, 400, "wrong_type", field)) for field in ("subject_id", "task_id")),
    *(row for field in ("started_at", "ended_at") for row in refused("PATCH", CHANGE, field, "invalid_time", *NO_TIMES)),
    *refused("PATCH", CHANGE, "intervals[0].ended_at", "invalid_time", *NO_TIMES, good=LIST),
    *refused("PATCH", CHANGE, "intervals", "invalid_intervals", [], [STRETCH] * 101),
    ("PATCH", CHANGE, {"intervals": [STRETCH, STRETCH]}, 409, "overlapping_interval", "intervals"),
    ("PATCH", CHANGE, {**LIST, "started_at": NOW}, 422, "both_forms", "started_at"),
    *refused("PATCH", CHANGE, "started_at", "empty_interval", "2026-11-21T02:00:00Z", "2026-11-21T02:30:00Z"),
    *refused("PATCH", CHANGE, "ended_at", "empty_interval", "2026-11-21T01:00:00Z", "1970-01-01T00:00:00Z"),
    *refused("PATCH", CHANGE, "ended_at", "in_the_future", "2026-11-21T04:30:00Z", "9999-12-31T23:59:59Z"),
    *refused("PATCH", CHANGE, "started_at", "too_long", "2026-11-20T13:59:59Z", "1970-01-01T00:00:00Z"),
    *refused("PATCH", CHANGE, "started_at", "too_old", "2026-11-19T02:50:00Z", good={"ended_at": "2026-11-19T03:50:00Z"}),
    *refused("PATCH", CHANGE, "note", "invalid_note", "x" * 2001),
    *refused("PATCH", CHANGE, "subject_id", "unknown_subject", new_id()),
    *refused("PATCH", CHANGE, "task_id", "unknown_task", new_id(), good={"note": "x", "ended_at": "2026-11-21T02:30:00Z"}),
    ("PATCH", f"{LOG}/{{unknown}}", {"note": "x"}, 404, "not_found", None),
    ("PATCH", f"{LOG}/{{unknown}}", {"ended_at": NOW}, 404, "not_found", None),
    ("PATCH", f"{LOG}/x", {}, 404, "not_found", None),
    ("GET", f"{LOG}/{{unknown}}/history", None, 404, "not_found", None),
    ("GET", f"{LOG}/x/history", None, 404, "not_found", None),
    # Null is as if it were left out, or nothing to clear.
    *(
        ("PATCH", CHANGE, {field: None}, 200, None, None)
        for field in ("started_at", "ended_at", "intervals", "subject_id", "task_id", "note")
    ),
]

# Several sessions at once: what is wrong with one is its own verdict, what is wrong with all refuses them

BATCH = "/me/sessions/batch"
BATCHES = AREAS["batches"] = [
    unknown("POST", BATCH, {"sessions": [STRETCH]}),
    *missing("POST", BATCH, {"sessions": [STRETCH]}, "sessions"),
    *wrong_types("POST", BATCH, "sessions", "list"),
    *((("POST", BATCH, {"sessions": [STRETCH, item]}, 400, "wrong_type", "sessions[1]")) for item in (None, 1, "x", [], True)),
    *refused("POST", BATCH, "sessions", "invalid_sessions", [], [{}] * 201, [{"intervals": [STRETCH] + apart(99)}] * 11),
    *(
        ("POST", BATCH, {"sessions": [bad]}, 200, None, None)
        for bad in ({}, {**STRETCH, "id": 1}, {**STRETCH, "note": NUL}, {"intervals": []})
    ),
]

# The profile

QUIET = {"from": "22:00", "to": "07:00"}
PROFILE = AREAS["profile"] = [
    unknown("PATCH", "/me"),
    ("PATCH", "/me", {"email": "bee@example.org"}, 400, "unknown_field", "email"),
    ("PATCH", "/me", {"study_clock": {"zone": "Asia/Seoul"}}, 400, "unknown_field", "study_clock.zone"),
    *(
        row
        for field in ("nickname", "locale", "theme", "study_clock.time_zone", "study_clock.day_starts_at")
        for row in wrong_types("PATCH", "/me", field, "text")
    ),
    *wrong_types("PATCH", "/me", "study_clock", "object"),
    *wrong_types("PATCH", "/me", "daily_goal_seconds", "int"),
    *wrong_types("PATCH", "/me", "default_timer_seconds", "int"),
    *(row for field in ("global_board", "sounds", "notices", "unattended_mail") for row in wrong_types("PATCH", "/me", field, "bool")),
    *refused("PATCH", "/me", "nickname", "invalid_nickname", "", " ", "x" * 41, "a\nb", "\u200b"),
    *refused("PATCH", "/me", "locale", "unknown_locale", "", "fr", "KO", "ko-KR"),
    *refused("PATCH", "/me", "theme", "unknown_theme", "", "blue", "Dark"),
    *refused("PATCH", "/me", "daily_goal_seconds", "invalid_daily_goal", 0, -1, 59, 86_401, MANY, 2**63 - 1),
    *refused("PATCH", "/me", "default_timer_seconds", "invalid_default_timer", 0, -1, 59, 86_401, MANY, 2**63 - 1),
    *refused(
        "PATCH",
        "/me",
        "study_clock.time_zone",
        "unknown_time_zone",
        "",
        "Asia",
        "FOO5",
        "Mars/Olympus",
        "posix/Asia/Seoul",
        "localtime",
        "posixrules",
        "Factory",
        "x" * 5000,
    ),
    *refused("PATCH", "/me", "study_clock.day_starts_at", "invalid_day_start", "", "5:00", "05:00:00", "12:00", "24:00", "05:60", "-01:00"),
    *(
        row
        for field in ("quiet_hours.from", "quiet_hours.to")
        for row in (
            *missing("PATCH", "/me", {"quiet_hours": QUIET}, field),
            *wrong_types("PATCH", "/me", field, "text", {"quiet_hours": QUIET}),
            *refused(
                "PATCH", "/me", field, "invalid_quiet_hours", "", "7:00", "24:00", "07:60", "07:00:00", "noon", good={"quiet_hours": QUIET}
            ),
        )
    ),
    # Null is as if it were left out.
    *(
        ("PATCH", "/me", {field: None}, 200, None, None)
        for field in (
            "nickname",
            "locale",
            "theme",
            "study_clock",
            "daily_goal_seconds",
            "global_board",
            "default_timer_seconds",
            "sounds",
            "notices",
            "unattended_mail",
        )
    ),
]

ANNOUNCE = "/me/today/perfect-announcement"
DAYS = AREAS["days"] = [
    unknown("POST", ANNOUNCE),
    *wrong_types("POST", ANNOUNCE, "day", "text"),
    *refused("POST", ANNOUNCE, "day", "invalid_day", *NO_DAYS),
    *refused("POST", ANNOUNCE, "day", "not_today", "2026-11-19", "2026-11-22", "0001-01-01", "9999-12-31"),
    *(
        ("GET", f"/me/days?month={month}", None, 422, "invalid_month", "month")
        for month in ("", "x", "2026", "2026-13", "2026-00", "2026-1", "2026-11-21", "0000-01", "20261-1", "-2026-11")
    ),
    *(
        ("GET", f"/me/days?year={year}", None, 422, "invalid_year", "year")
        for year in ("", "x", "26", "0000", "12026", "-2026", "2026-11", "20.6", str(HUGE))
    ),
    ("GET", "/me/days?month=2026-11&year=2026", None, 422, "both_forms", "year"),
    *(("GET", f"/me/days?{first}", None, 200, None, None) for first in ("month=0001-01", "month=9999-12", "year=0001", "year=9999")),
    *(("GET", f"/me/rhythm?{name}={day}", None, 422, "invalid_day", name) for name in ("from", "to") for day in NO_DAYS),
    ("GET", "/me/rhythm?from=2026-11-21&to=2026-11-20", None, 422, "invalid_day", "to"),
    ("GET", "/me/rhythm?from=2025-11-20&to=2026-11-21", None, 422, "invalid_day", "to"),
    ("GET", "/me/rhythm?from=0001-01-01", None, 200, None, None),
    ("GET", "/me/rhythm?to=9999-12-31", None, 200, None, None),
    *((method, f"/me/rest-days/{day}", None, 422, "invalid_day", "day") for method in ("PUT", "DELETE") for day in NO_DAYS if day),
    *((method, "/me/rest-days/2026-11-20", None, 422, "not_in_the_future", "day") for method in ("PUT", "DELETE")),
    ("PUT", "/me/rest-days/2027-11-23", None, 422, "too_far_ahead", "day"),
    ("PUT", "/me/rest-days/9999-12-31", None, 422, "too_far_ahead", "day"),
    ("DELETE", "/me/rest-days/2026-11-30", None, 404, "not_found", None),
    unknown("PUT", "/me/rest-days/2026-11-30"),
]

# Subjects, projects and tasks

NO_LINES = ("", " ", "a\nb", "\u200b", "a\u202eb")
KINDS = (("/me/subjects", "/me/subjects/{subject}"), ("/me/projects", "/me/projects/{project}"))
TASK = "/me/tasks/{task}"
TOTALS = "/me/totals"
TASKS = AREAS["tasks"] = [
    *(
        row
        for path, one in KINDS
        for row in (
            unknown("POST", path, {"name": "x"}),
            unknown("PATCH", one),
            ("POST", path, {"name": "x", "archived": True}, 400, "unknown_field", "archived"),
            ("POST", path, {"id": "x", "name": "x"}, 400, "unknown_field", "id"),
            *missing("POST", path, {"name": "x"}, "name"),
            *wrong_types("POST", path, "name", "text"),
            *wrong_types("POST", path, "colour", "text", {"name": "x"}),
            *wrong_types("PATCH", one, "name", "text"),
            *wrong_types("PATCH", one, "colour", "text"),
            *wrong_types("PATCH", one, "archived", "bool"),
            *refused("POST", path, "name", "invalid_name", *NO_LINES, "x" * 61),
            *refused("POST", path, "colour", "invalid_colour", "", "red", "Leaf", "#2f6b3a", good={"name": "x"}),
            *refused("PATCH", one, "name", "invalid_name", *NO_LINES, "x" * 61),
            *refused("PATCH", one, "colour", "invalid_colour", "", "red", "Leaf", "#2f6b3a"),
            *(("PATCH", one, {field: None}, 200, None, None) for field in ("name", "colour", "archived")),
        )
    ),
    unknown("POST", "/me/tasks", {"title": "x"}),
    unknown("PATCH", TASK),
    ("POST", "/me/tasks", {"title": "x", "done": True}, 400, "unknown_field", "done"),
    ("POST", "/me/tasks", {"title": "x", "actual_seconds": 60}, 400, "unknown_field", "actual_seconds"),
    *missing("POST", "/me/tasks", {"title": "x"}, "title"),
    *wrong_types("POST", "/me/tasks", "title", "text"),
    *wrong_types("POST", "/me/tasks", "estimate_seconds", "int", {"title": "x"}),
    *wrong_types("POST", "/me/tasks", "project_ids", "list", {"title": "x"}),
    ("POST", "/me/tasks", {"title": "x", "project_ids": ["x"]}, 400, "wrong_type", "project_ids"),
    ("POST", "/me/tasks", {"title": "x", "project_ids": [None]}, 400, "wrong_type", "project_ids"),
    *wrong_types("PATCH", TASK, "title", "text"),
    *wrong_types("PATCH", TASK, "estimate_seconds", "int"),
    *wrong_types("PATCH", TASK, "project_ids", "list"),
    *(row for field in ("done", "archived") for row in wrong_types("PATCH", TASK, field, "bool")),
    *(
        row
        for method, path, good in (("POST", "/me/tasks", {"title": "x"}), ("PATCH", TASK, {}))
        for row in (
            *refused(method, path, "title", "invalid_title", *NO_LINES, "x" * 201, good=good),
            *refused(method, path, "estimate_seconds", "invalid_estimate", 0, -1, 59, 3_600_001, MANY, 2**63 - 1, good=good),
            *refused(method, path, "project_ids", "unknown_project", [new_id()], good=good),
            *refused(method, path, "project_ids", "too_many_projects", [new_id() for _ in range(21)], good=good),
        )
    ),
    *(("PATCH", TASK, {field: None}, 200, None, None) for field in ("title", "estimate_seconds", "project_ids", "done", "archived")),
    *(
        (method, f"/me/{kind}/{name}", body, 404, "not_found", None)
        for kind in ("subjects", "projects", "tasks")
        for name in ("x", "{unknown}")
        for method, body in (("GET", None), ("PATCH", {}), ("DELETE", None))
    ),
    *(
        ("GET", f"/me/{kind}?archived={text}", None, 422, "invalid_archived", "archived")
        for kind in ("subjects", "projects", "tasks")
        for text in ("", "yes", "1", "True")
    ),
    *(
        ("GET", f"/me/{kind}?limit={text}", None, 422, "invalid_limit", "limit")
        for kind in ("subjects", "projects", "tasks")
        for text in ("0", "201", "x")
    ),
    *(
        ("GET", f"/me/{kind}?after={text}", None, 400, "invalid_cursor", "after")
        for kind in ("subjects", "projects", "tasks")
        for text in ("eA", "!")
    ),
    *(("GET", f"/me/tasks?done={text}", None, 422, "invalid_done", "done") for text in ("", "yes", "True", "all")),
    *(("GET", f"/me/tasks?project={text}", None, 422, "unknown_project", "project") for text in ("", "x", "{unknown}")),
    *(
        ("POST", "/me/sessions", {**STRETCH, field: new_id()}, 422, code, field)
        for field, code in (("subject_id", "unknown_subject"), ("task_id", "unknown_task"))
    ),
    *(("GET", f"{TOTALS}?by={text}", None, 422, "invalid_by", "by") for text in ("", "day", "Subject")),
    *(("GET", f"{TOTALS}?{name}={text}", None, 422, "invalid_day", name) for name in ("from", "to") for text in NO_DAYS),
    ("GET", f"{TOTALS}?from=2026-11-21&to=2026-11-20", None, 422, "invalid_day", "to"),
    ("GET", f"{TOTALS}?from=2025-11-20&to=2026-11-21", None, 422, "invalid_day", "to"),
]

# The alarm

ALARM = "/me/alarm"
AT_SIX = {"enabled": True, "time": "06:30", "difficulty": "easy", "sound": "bell", "repeat": {"every_minutes": 5, "times": 3}}
ANSWER = {"challenge_id": "5e0ef3ae-3b83-4f5a-8c4e-2b1b2e1f0a11", "answer": 7}
ALARMS = AREAS["alarm"] = [
    unknown("PUT", ALARM, AT_SIX),
    ("PUT", ALARM, {**AT_SIX, "repeat": {"every": 5, "times": 3}}, 400, "unknown_field", "repeat.every"),
    *missing("PUT", ALARM, AT_SIX, "enabled", "time", "difficulty", "sound", "repeat", "repeat.every_minutes", "repeat.times"),
    *wrong_types("PUT", ALARM, "enabled", "bool", AT_SIX),
    *wrong_types("PUT", ALARM, "repeat", "object", AT_SIX),
    *(row for field in ("time", "difficulty", "sound") for row in wrong_types("PUT", ALARM, field, "text", AT_SIX)),
    *(row for field in ("repeat.every_minutes", "repeat.times") for row in wrong_types("PUT", ALARM, field, "int", AT_SIX)),
    *refused(
        "PUT",
        ALARM,
        "time",
        "invalid_alarm_time",
        "",
        "6:30",
        "25:00",
        "24:00",
        "06:60",
        "06:30:00",
        "-06:30",
        "06:30Z",
        "noon",
        "٠٦:٣٠",
        good=AT_SIX,
    ),
    *refused("PUT", ALARM, "difficulty", "invalid_difficulty", "", "Easy", "impossible", good=AT_SIX),
    *refused("PUT", ALARM, "sound", "invalid_sound", "", "BELL", "siren", good=AT_SIX),
    *refused("PUT", ALARM, "repeat.every_minutes", "invalid_repeat", 0, -1, 61, MANY, 2**63 - 1, -MANY, good=AT_SIX),
    *refused("PUT", ALARM, "repeat.times", "invalid_repeat", -1, 11, MANY, 2**63 - 1, -MANY, good=AT_SIX),
    unknown("POST", "/me/wake-ups/challenge"),
    ("POST", "/me/wake-ups/challenge", None, 409, "outside_alarm_window", None),
    unknown("POST", "/me/wake-ups", ANSWER),
    *missing("POST", "/me/wake-ups", ANSWER, "challenge_id", "answer"),
    *wrong_types("POST", "/me/wake-ups", "challenge_id", "text", ANSWER),
    *wrong_types("POST", "/me/wake-ups", "answer", "int", ANSWER),
    ("POST", "/me/wake-ups", {**ANSWER, "challenge_id": "x"}, 400, "wrong_type", "challenge_id"),
    *(("POST", "/me/wake-ups", {**ANSWER, "answer": answer}, 404, "not_found", None) for answer in (0, MANY, 2**63 - 1, -MANY)),
]

# Groups: founding and changing them, invitations, members. `{group}` is one's own, without anybody else.

GROUP = {"name": "Night owls"}
INVITE = "/groups/{group}/invitations"
CODE = "/invitations/abcdefghijklmnopqrstuv"
NO_RULES = [
    ("time_zone", 7, 400, "wrong_type"), ("time_zone", NUL, 400, "wrong_type"), ("time_zone", "", 422, "unknown_time_zone"),
    ("time_zone", "Mars/Olympus", 422, "unknown_time_zone"), ("time_zone", "FOO5", 422, "unknown_time_zone"),
    ("time_zone", "asia/seoul", 422, "unknown_time_zone"), ("day_starts_at", 5, 400, "wrong_type"),
    ("day_starts_at", "5:00", 422, "invalid_day_start"), ("day_starts_at", "12:00", 422, "invalid_day_start"),
    ("day_starts_at", "24:00", 422, "invalid_day_start"), ("daily_cap_seconds", "3600", 400, "wrong_type"),
    ("daily_cap_seconds", 59, 422, "invalid_daily_cap"), ("daily_cap_seconds", 86_401, 422, "invalid_daily_cap"),
    ("daily_cap_seconds", MANY, 422, "invalid_daily_cap"), ("daily_cap_seconds", -MANY, 422, "invalid_daily_cap"),
    ("daily_cap_seconds", HUGE, 400, "wrong_type"),
    ("manual_counts", 1, 400, "wrong_type"), ("cap", 1, 400, "unknown_field"),
]  # fmt: skip
NO_EMOJI = ("", "a", "7", "가", "🐜🐜", "🐜x", "🇰", "\u200d")
NO_GOALS = (0, 59, -1, 13_392_000_001, 2**63 - 1, -MANY)


def of_a_group(method, path, good):
    """Rows: what neither founding nor changing a group takes."""
    return [
        unknown(method, path, good),
        *wrong_types(method, path, "name", "text"),
        *refused(method, path, "name", "invalid_name", "", "   ", "x" * 61, "two\nlines", "a\u202eb"),
        *(row for field in ("description", "colour", "emoji") for row in wrong_types(method, path, field, "text", good)),
        *refused(method, path, "description", "invalid_description", "x" * 501, "bell\a", good=good),
        *refused(method, path, "colour", "invalid_colour", "", "Leaf", "red", "#ffffff", good=good),
        *refused(method, path, "emoji", "invalid_emoji", *NO_EMOJI, good=good),
        *wrong_types(method, path, "month_goal_seconds", "int", good),
        *refused(method, path, "month_goal_seconds", "invalid_month_goal", *NO_GOALS, good=good),
        *(row for field in ("badge_allowed", "duel") for row in wrong_types(method, path, field, "bool", good)),
        *wrong_types(method, path, "rules", "object", good),
        *((method, path, {**good, "rules": {name: value}}, status, code, f"rules.{name}") for name, value, status, code in NO_RULES),
    ]


GROUPS = AREAS["groups"] = [
    *missing("POST", "/groups", GROUP, "name"),
    *of_a_group("POST", "/groups", GROUP),
    *of_a_group("PATCH", "/groups/{group}", {}),
    ("PATCH", "/groups/{unknown}", GROUP, 404, "not_found", None),
    ("GET", "/groups/nonsense", None, 404, "not_found", None),
    unknown("POST", INVITE),
    *(row for field in ("uses", "expires_in_days") for row in wrong_types("POST", INVITE, field, "int")),
    *refused("POST", INVITE, "uses", "invalid_uses", 0, -1, 10_001, 2**63 - 1),
    *refused("POST", INVITE, "expires_in_days", "invalid_expiry", 0, -1, 366, 2**63 - 1),
    ("POST", "/groups/{unknown}/invitations", {}, 404, "not_found", None),
    ("GET", f"{INVITE}?limit=0", None, 422, "invalid_limit", "limit"),
    ("GET", f"{INVITE}?after=!!", None, 400, "invalid_cursor", "after"),
    ("GET", f"{INVITE}?after=YQ", None, 400, "invalid_cursor", "after"),
    *(("DELETE", f"{INVITE}/{id}", None, 404, "not_found", None) for id in ("{unknown}", "nonsense")),
    ("GET", CODE, None, 404, "not_found", None),
    ("GET", f"{CODE}/qr.svg", None, 404, "not_found", None),
    ("POST", f"{CODE}/acceptances", {}, 404, "not_found", None),
    unknown("POST", "/groups/{group}/transfer"),
    *missing("POST", "/groups/{group}/transfer", {"uid": "x"}, "uid"),
    *wrong_types("POST", "/groups/{group}/transfer", "uid", "text"),
    ("POST", "/groups/{group}/transfer", {"uid": "me"}, 400, "wrong_type", "uid"),
    ("POST", "/groups/{group}/transfer", {"uid": "00000000-0000-4000-8000-000000000000"}, 404, "not_found", None),
    *missing("PATCH", "/groups/{group}/members/{unknown}", {"role": "admin"}, "role"),
    *wrong_types("PATCH", "/groups/{group}/members/{unknown}", "role", "text"),
    *refused("PATCH", "/groups/{group}/members/{unknown}", "role", "invalid_role", "", "king", "Owner"),
    ("PATCH", "/groups/{group}/members/{unknown}", {"role": "admin"}, 404, "not_found", None),
    *missing("PATCH", "/groups/{group}/members/me", {"visibility": "shown"}, "visibility"),
    *wrong_types("PATCH", "/groups/{group}/members/me", "visibility", "text"),
    *refused("PATCH", "/groups/{group}/members/me", "visibility", "invalid_visibility", "", "ghost", "Hidden"),
    ("DELETE", "/groups/{group}/members/me", None, 409, "last_owner", None),
    ("DELETE", "/groups/{group}/members/{unknown}?ban=yes", None, 400, "invalid_query", "ban"),
    ("DELETE", "/groups/{group}/members/{unknown}?ban=true", None, 404, "not_found", None),
    ("GET", "/groups/{group}/members?q=a&q=b", None, 400, "invalid_query", "q"),
    ("GET", "/groups/{group}/bans?limit=201", None, 422, "invalid_limit", "limit"),
    *(("GET", f"/groups/{{group}}/badge.svg?locale={text}", None, 422, "unknown_locale", "locale") for text in ("", "de", "KO", "ko-KR")),
    *(("GET", f"/groups/{{group}}/badge.svg?theme={text}", None, 422, "unknown_theme", "theme") for text in ("", "blue", "Dark")),
    *(("GET", f"/groups/{group}/badge.svg", None, 404, "not_found", None) for group in ("{group}", "{unknown}", "nonsense")),
    *(("DELETE", f"/groups/{{group}}/bans/{uid}", None, 404, "not_found", None) for uid in ("{unknown}", "nonsense")),
]

# Fairness

SUSPENSIONS = "/groups/{group}/suspensions"
SUSPENSION = {"uid": "00000000-0000-4000-8000-000000000000", "reason": "x", "until": "2026-11-28T20:00:00Z"}
SIGNALS, AUDIT = "/groups/{group}/signals", "/groups/{group}/audit"
FAIRNESS = AREAS["fairness"] = [
    unknown("POST", SUSPENSIONS, SUSPENSION),
    *missing("POST", SUSPENSIONS, SUSPENSION, *SUSPENSION),
    *(row for field in SUSPENSION for row in wrong_types("POST", SUSPENSIONS, field, "text", SUSPENSION)),
    ("POST", SUSPENSIONS, {**SUSPENSION, "uid": "me"}, 400, "wrong_type", "uid"),
    *refused("POST", SUSPENSIONS, "reason", "invalid_reason", "", " \n ", "x" * 501, "bell\a", good=SUSPENSION),
    *refused("POST", SUSPENSIONS, "until", "invalid_time", *NO_TIMES, good=SUSPENSION),
    ("POST", SUSPENSIONS, SUSPENSION, 404, "not_found", None),
    ("POST", "/groups/{unknown}/suspensions", SUSPENSION, 404, "not_found", None),
    *((method, f"{SUSPENSIONS}/{id}", None, 404, "not_found", None) for method in ("GET", "DELETE") for id in ("{unknown}", "nonsense")),
    unknown("PUT", f"{SUSPENSIONS}/{{unknown}}/answer"),
    *missing("PUT", f"{SUSPENSIONS}/{{unknown}}/answer", {"answer": "x"}, "answer"),
    *wrong_types("PUT", f"{SUSPENSIONS}/{{unknown}}/answer", "answer", "text"),
    *refused("PUT", f"{SUSPENSIONS}/{{unknown}}/answer", "answer", "invalid_answer", "", "\n", "x" * 501),
    ("PUT", f"{SUSPENSIONS}/{{unknown}}/answer", {"answer": "x"}, 404, "not_found", None),
    *(
        ("GET", f"{path}?limit={limit}", None, 422, "invalid_limit", "limit")
        for path in (SUSPENSIONS, AUDIT, SIGNALS)
        for limit in ("0", "201", "x")
    ),
    *(
        ("GET", f"{path}?after={after}", None, 400, "invalid_cursor", "after")
        for path in (SUSPENSIONS, AUDIT, SIGNALS)
        for after in ("!!", "YQ", "eA")
    ),
    *(("GET", f"{SIGNALS}?month={month}", None, 422, "invalid_month", "month") for month in ("", "2026", "2026-13", "2026-11-21", "x")),
    ("GET", "/groups/{group}/days?month=2026-12", None, 422, "future_period", "month"),
    *(("GET", f"{SIGNALS}?month={month}", None, 422, "future_period", "month") for month in ("2026-12", "9999-12")),
    *(("GET", f"/groups/{{unknown}}/{list}", None, 404, "not_found", None) for list in ("suspensions", "audit", "signals")),
]

# Boards of groups

BOARD = "/groups/{group}/leaderboard"
BOARDS = AREAS["boards"] = [
    *(
        ("GET", f"{BOARD}{path}?order={order}", None, 422, "invalid_order", "order")
        for path in ("", ".csv", "/stream")
        for order in ("", "time", "Goal", "goal%20", "1")
    ),
    *(
        ("GET", f"{BOARD}?order={order}&after={after}", None, 400, "invalid_cursor", "after")
        for order in ("seconds", "goal")
        for after in ("x", "eA", "!", "MjAyNi0xMQ")
    ),
]

# The global board, and that of groups

ALL = "/leaderboard"
GLOBAL_BOARD = AREAS["global board"] = [
    row
    for board in (ALL, f"{ALL}/groups")
    for row in [
        *(("GET", f"{board}?period={period}", None, 422, "invalid_period", "period") for period in ("year", "", "1")),
        *(
            ("GET", f"{board}?at={at}", None, 422, "invalid_period", "at")
            for at in ("", "2026", "2026-13", "2026-00", "2026-11-21", "-2026-11", "x")
        ),
        *(("GET", f"{board}?at={at}", None, 422, "future_period", "at") for at in ("2026-12", "9999-12")),
        *(("GET", f"{board}?limit={limit}", None, 422, "invalid_limit", "limit") for limit in ("", "0", "-1", "201", "1.5", "x", HUGE)),
        *(("GET", f"{board}?after={after}", None, 400, "invalid_cursor", "after") for after in ("x", "eA", "!", "MjAyNi0xMQ")),
    ]
] + [
    *(("GET", f"{ALL}/groups?period={period}", None, 422, "invalid_period", "period") for period in ("day", "week")),
    *(("GET", f"{ALL}?period=week&at={at}", None, 422, "invalid_period", "at") for at in ("2026-11", "2026-11-21")),
    ("GET", f"{ALL}?period=day&at=2026-12-24", None, 422, "future_period", "at"),
    ("GET", f"{ALL}?as_of=2026-11-01T00:00:00Z", None, 422, "no_past_board", "as_of"),
    ("GET", f"{ALL}/explanation?period=year", None, 422, "invalid_period", "period"),
    ("GET", f"{ALL}/explanation?at=2026-12", None, 422, "future_period", "at"),
]


@pytest.fixture(scope="module")
def things():
    """Somebody, and by name what the paths speak of; after all of it everything is as it was before."""
    with running(clock=NOW, ANTHILL_API_LIMIT="0") as service, Person(service) as person:
        person.register()
        logged = expect(person.log("2026-11-21T01:00:00Z", "2026-11-21T02:00:00Z"), 201).json()
        planned = {
            one: expect(person.post(f"/me/{one}s", body), 201).json()["id"]
            for one, body in (("subject", {"name": "Korean"}), ("project", {"name": "Exam"}), ("task", {"title": "Read"}))
        }
        planned["group"] = person.found_group()["id"]
        # What the service looks up for itself: which month is the next to close.
        wait_until(lambda: not service.cluster.sql("SELECT 1 FROM groups WHERE open_month IS NULL"))
        before = state(service)
        yield {"person": person, "unknown": new_id(), "session": logged["id"], **planned}
        assert state(service) == before


# What a refusal may leave behind, and what the service writes when its minute has come.
TOUCHED = {"sign_ins", "rate_limits", "group_means_round"}


def state(service):
    """Every row of every table, but for those that any request touches."""
    sql = service.cluster.sql
    tables = sorted(row[0] for row in sql("SELECT tablename FROM pg_tables WHERE schemaname = 'public'") if row[0] not in TOUCHED)
    return {table: sorted(row for (row,) in sql(f'SELECT t::text FROM "{table}" t')) for table in tables}


@pytest.mark.parametrize(("area", "row"), [(area, row) for area, rows in AREAS.items() for row in rows])
def test_bad_input_has_its_own_answer(things, area, row):
    method, path, body, status, code, field = row
    answer = things["person"].ask(method, path.format(**things), body)
    expect(answer, status, code)
    if status >= 400:
        assert answer.json().get("field") == field, answer.text
