"""The board of everyone who opted in."""

import base64
import datetime
import os
import subprocess

import pytest
from person import expect
from service import PROGRAM, Cluster, Service, migrated, wait_until

NOON = "2026-11-21T03:00:00Z"


def on_board(service, person, seconds):
    """Opts in and runs the timer for so long."""
    expect(person.patch("/me", {"global_board": True}), 200)
    noon = datetime.datetime.fromisoformat(NOON)
    service.set_clock((noon - datetime.timedelta(seconds=seconds)).isoformat())
    expect(person.start(), 201)
    service.set_clock(NOON)
    expect(person.post("/me/timer/stop"), 200)


def test_people_who_opt_in_are_ranked_with_everyone_and_those_who_opt_out_are_gone(service, people):
    service.set_clock(NOON)
    first, second, reader = people(service), people(service, "Minsu"), people(service, "Sora")
    before = expect(reader.get("/leaderboard?limit=200"), 200).json()
    assert before["me"] is None and before["group"] is None
    on_board(service, first, 40_000)
    on_board(service, second, 39_000)
    board = expect(second.get("/leaderboard?limit=200"), 200).json()
    assert board["participants"] == before["participants"] + 2
    mine, theirs = board["me"], next(entry for entry in board["entries"] if entry["uid"] == first.uid)
    assert mine["rank"] > theirs["rank"] and mine["seconds"] == 39_000 and mine["manual_seconds"] == 0
    assert mine["change"] is None
    wait_until(lambda: service.cluster.sql("SELECT count(*) FROM rank_deltas") == [(0,)], what="the deltas to be folded")
    again = expect(second.get("/leaderboard?limit=200"), 200).json()
    assert (again["entries"], again["me"]) == (board["entries"], board["me"])
    expect(second.patch("/me", {"global_board": False}), 200)
    without = expect(second.get("/leaderboard?limit=200"), 200).json()
    assert without["me"] is None and without["participants"] == board["participants"] - 1
    assert service.violations() == []


def test_its_pages_follow_one_another(service, people):
    service.set_clock(NOON)
    for seconds in (500, 500, 400, 300, 300):
        on_board(service, people(service), seconds)
    reader = people(service)
    whole = expect(reader.get("/leaderboard?limit=200"), 200).json()
    entries, after = [], ""
    while after is not None:
        page = expect(reader.get("/leaderboard?limit=2" + (f"&after={after}" if after else "")), 200).json()
        entries += page["entries"]
        after = page["next"]
    assert entries == whole["entries"]
    first = expect(reader.get("/leaderboard?limit=2"), 200).json()
    for other in ("period=week", "period=day", "at=2026-10"):
        expect(reader.get(f"/leaderboard?{other}&after={first['next']}"), 400, "invalid_cursor", field="after")


@pytest.mark.parametrize("seconds", [10**18, -(10**18), 2**31, 0])
def test_any_cursor_that_can_be_read_is_answered(service, people, seconds):
    service.set_clock(NOON)
    text = f"month 2026-11-01 {seconds} 00000000-0000-4000-8000-000000000000"
    after = base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")
    expect(people(service).get(f"/leaderboard?after={after}"), 200)


def test_the_board_is_filled_for_measuring():
    cluster = Cluster()
    try:
        service = Service(cluster.start(migrated()))

        def demo(*words):
            return subprocess.run(
                [PROGRAM, "demo", "--users", *words], env={**os.environ, "DATABASE_OWNER_URL": cluster.url}, capture_output=True, text=True
            )

        done = demo("3000")
        assert (done.returncode, done.stdout) == (0, "3000 users\n"), done.stderr
        refused = demo("5")
        assert refused.returncode == 1 and "--force" in refused.stderr
        assert demo("5", "--force").returncode == 0
        assert cluster.sql("SELECT sum(n) FROM rank_buckets WHERE level = 3 AND period = 'month'") == [(3005,)]
        assert service.violations() == []
    finally:
        cluster.remove()
