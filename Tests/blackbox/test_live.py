"""A board's stream: what comes, when nothing comes, who loses it, and how one comes back."""

import contextlib
import json
import time

import contract
import httpx
import pytest
from person import expect


class Events:
    """The events of an open stream, one after the other."""

    def __init__(self, response):
        self.lines = response.iter_lines()

    def next(self):
        """(event, id, data); nothing when the stream has ended."""
        event = {}
        for line in self.lines:
            if not line:
                return event["event"], event.get("id"), json.loads(event["data"])
            name, _, value = line.partition(": ")
            event[name] = value
        return None

    def board(self):
        while (event := self.next()) and event[0] != "leaderboard":
            pass
        return event


@contextlib.contextmanager
def watching(person, group, query="", **headers):
    path = f"/api/v1/groups/{group}/leaderboard/stream"
    headers["Authorization"] = f"Bearer {person.token}"
    with person.http.stream("GET", path + query, headers=headers, timeout=httpx.Timeout(30)) as response:
        assert response.status_code == 200, response.read()
        assert response.headers["content-type"] == "text/event-stream"
        yield Events(response)


@pytest.fixture
def pair(service, people):
    owner, friend = people(service, "Ahn"), people(service, "Baek")
    group = owner.found_group()
    friend.join(owner.invite(group)["code"])
    return group["id"], owner, friend


def test_each_watcher_sees_a_change_with_their_own_eyes(service, pair, ago):
    group, owner, friend = pair
    with watching(owner, group) as mine, watching(friend, group, "?period=day") as theirs:
        for events in (mine, theirs):
            name, version, board = events.next()
            assert name == "leaderboard" and version
            contract.validate({"$ref": "urn:anthill#/components/schemas/Leaderboard"}, board, "the first event")
        expect(owner.start(), 201)
        assert mine.board()[2]["me"]["studying"] is True
        assert [entry["studying"] for entry in theirs.board()[2]["me"]["neighbours"]] == [True]
        # Nothing changes while the timer runs on: the next is the ping.
        assert mine.next()[0] == "ping"


def test_a_removed_member_loses_the_stream_within_five_seconds(service, pair):
    group, owner, friend = pair
    with watching(friend, group) as events:
        events.board()
        expect(owner.delete(f"/groups/{group}/members/{friend.uid}"), 204)
        began = time.monotonic()
        assert events.board() is None
        # Clients on a busy machine see it a little later.
        assert time.monotonic() - began < 8
    expect(friend.get(f"/groups/{group}/leaderboard/stream"), 404, "not_found")
    for person, status in ((friend, 404), (owner, 200)):
        headers = {"Authorization": f"Bearer {person.token}"}
        assert person.http.head(f"/api/v1/groups/{group}/leaderboard/stream", headers=headers).status_code == status


def test_a_stream_ends_within_five_seconds_after_its_sign_in(service, pair):
    group, owner, _ = pair
    with watching(owner, group) as events:
        events.board()
        expect(owner.delete("/sign-ins/current"), 204)
        began = time.monotonic()
        assert events.board() is None
        # Clients on a busy machine see it a little later.
        assert time.monotonic() - began < 8


def test_who_comes_back_hears_only_what_was_missed(service, pair, ago):
    group, owner, friend = pair
    with watching(friend, group) as events:
        version = events.board()[1]
    with watching(friend, group, **{"Last-Event-ID": version}) as events:
        expect(owner.log(ago(3700), ago(100)), 201)
        # The first thing to come is the change, not the board as it was.
        assert events.next()[2]["entries"][0]["seconds"] == 3600
    with watching(friend, group, **{"Last-Event-ID": version}) as events:
        assert events.next()[2]["entries"][0]["seconds"] == 3600


@pytest.mark.parametrize("query", ["?period=year", "?at=2026-13", "?limit=0", "?after=x"])
def test_a_stream_of_nothing_is_refused(service, pair, query):
    group, owner, _ = pair
    assert owner.get(f"/groups/{group}/leaderboard/stream{query}").status_code in (400, 422)


def test_a_stopping_service_says_so(own_service, people):
    owner = people(own_service)
    group = owner.found_group()["id"]
    with watching(owner, group) as events:
        events.board()
        assert own_service.stop() == 0
        assert events.next()[0] == "bye"
        assert events.next() is None
