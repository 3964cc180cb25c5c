"""A month that is over: closed once, whatever happens meanwhile, and checked by the script that the service publishes."""

import json
import subprocess
import sys
import threading
import urllib.request

import citus
import psycopg
import pytest
from drawing import encoded, quarters
from person import expect
from service import wait_until
from test_pictures import upload

OCTOBER_CLOSES = "2026-11-02T20:00:00Z"


@pytest.fixture
def october(service, people):
    """A group with three people in October of Seoul, two of them tied."""
    service.set_clock("2026-10-20T03:00:00Z")
    owner, second, third = (people(service, name) for name in ("Ahn", "Baek", "Choi"))
    group = owner.found_group()
    code = owner.invite(group)["code"]
    for person in (second, third):
        person.join(code)
    expect(owner.log("2026-10-19T22:00:00Z", "2026-10-20T00:00:00Z"), 201)
    expect(second.log("2026-10-19T22:00:00Z", "2026-10-19T23:00:00Z"), 201)
    expect(third.log("2026-10-19T23:00:00Z", "2026-10-20T00:00:00Z"), 201)
    return group["id"], owner, second, third


def closed(person, group, month="2026-10"):
    def ask():
        answer = person.get(f"/groups/{group}/standings/{month}")
        return answer.json() if answer.status_code == 200 else None

    return wait_until(ask, what="the close of a month")


def test_the_service_closes_a_month_by_itself_and_the_published_script_checks_it(service, october, tmp_path):
    group, owner, second, _ = october
    service.set_clock(OCTOBER_CLOSES)
    standings = closed(second, group)
    assert [(entry["rank"], entry["seconds"]) for entry in standings["entries"]] == [(1, 7200), (2, 3600), (2, 3600)]
    script = tmp_path / "verify.py"
    script.write_bytes(urllib.request.urlopen(f"{service.origin}/verify.py").read())

    def verify(document, *uid):
        run = subprocess.run([sys.executable, script, *uid], input=json.dumps(document), capture_output=True, text=True)
        return run.stdout.split()

    assert verify(standings, second.uid) == ["sealed", standings["sha256"], "this", "is", "me"]
    assert verify(standings, owner.uid)[2:] == ["this", "is", "NOT", "me"]
    standings["entries"][1]["seconds"] += 1
    assert verify(standings)[0] == "CHANGED"


def test_a_closed_month_is_amended_in_the_open(service, october):
    group, owner, second, third = october
    service.set_clock(OCTOBER_CLOSES)
    sealed = closed(second, group)
    at = f"/groups/{group}/standings/2026-10/amendments"
    expect(second.post(at, {"uid": second.uid, "seconds": 8000, "reason": "mine"}), 403, "not_allowed")
    amended = expect(owner.post(at, {"uid": third.uid, "seconds": 7200, "reason": "서버 장애"}), 201).json()
    assert amended["sha256"] == sealed["sha256"]
    assert [(a["old_rank"], a["new_rank"], a["reason"], a["by"]) for a in amended["amendments"]] == [(2, 1, "서버 장애", "Ahn")]
    board = expect(second.get(f"/groups/{group}/leaderboard?at=2026-10"), 200).json()
    assert [entry["rank"] for entry in board["entries"]] == [1, 1, 3] and board["state"] == "closed"
    assert expect(second.get("/me/standings"), 200).json()["items"][0]["rank"] == 3
    face = expect(upload(third, encoded(quarters())), 200).json()["avatar_url"]
    fame = expect(second.get(f"/groups/{group}/hall-of-fame"), 200).json()["items"]
    assert sorted(one["nickname"] for one in fame if one["firsts"]) == ["Ahn", "Choi"]
    assert {one["uid"]: one["avatar_url"] for one in fame}[third.uid] == face
    picture = expect(second.get(f"/groups/{group}/standings/2026-10/podium.svg"), 200)
    assert picture.headers["content-type"].startswith("image/svg+xml") and "Choi" in picture.text
    assert service.violations() == []


CLOSE = [
    "SELECT lock_to_close(%(group)s, '2026-10-01')",
    "SELECT close_month(%(group)s, '2026-10-01')",
    "COMMIT",
]


@pytest.mark.parametrize("statement", range(len(CLOSE)))
@citus.not_spread("pg_terminate_backend has another type there")
def test_a_close_that_is_killed_at_any_statement_is_done_by_the_next(service, october, statement):
    group, _, second, _ = october
    service.set_clock("2026-11-02T19:59:58Z")
    # Somebody else's closer, which holds what it has done so far and then dies.
    with psycopg.connect(service.cluster.url) as other:
        service.set_clock(OCTOBER_CLOSES)
        for text in CLOSE[:statement]:
            other.execute(text, {"group": group})
        pid = other.info.backend_pid
        service.cluster.sql("SELECT pg_terminate_backend(%s)", pid)
        with pytest.raises(psycopg.Error):
            other.execute(CLOSE[statement], {"group": group})
    standings = closed(second, group)
    assert len(standings["entries"]) == 3
    assert service.violations() == []


def test_a_stop_during_the_close_is_in_the_month_or_told_that_it_is_closed(service, october):
    """Sixteen people write down October's last minutes while it is being closed over and over."""
    group, owner, second, third = october
    service.set_clock("2026-11-02T19:59:00Z")
    answers, go = [], threading.Event()

    def late(person, minute):
        go.wait()
        answers.append(person.log(f"2026-10-31T19:{minute:02}:00Z", f"2026-10-31T19:{minute:02}:30Z"))

    writers = [threading.Thread(target=late, args=(person, minute)) for minute in range(5, 59, 3) for person in (owner, second, third)]
    for writer in writers:
        writer.start()
    clock = threading.Timer(0.05, service.set_clock, [OCTOBER_CLOSES])
    clock.start()
    go.set()
    for writer in writers:
        writer.join()
    clock.join()
    standings = closed(owner, group)
    recorded = sum(answer.status_code == 201 for answer in answers)
    assert {answer.status_code for answer in answers} <= {201, 409, 422}
    assert {answer.json()["code"] for answer in answers if answer.status_code != 201} <= {"month_closed", "too_old"}
    assert sum(entry["seconds"] for entry in standings["entries"]) == 14400 + 30 * recorded
    assert service.violations() == []
