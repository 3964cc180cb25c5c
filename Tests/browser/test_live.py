"""A board that is open while others study: it follows without being loaded again, with and without the stream."""

import re

import pytest
from playwright.sync_api import expect

from person import Person
from test_pages import sign_in
from visitor import Visitor


@pytest.fixture
def room(service, clock):
    clock.set("2026-11-19T03:00:00Z")
    owner = Person(service, "Dodam").register(nickname="Dodam")
    friend = Person(service, "Haneul").register(nickname="Haneul")
    group = owner.found_group("Night owls")["id"]
    friend.join(owner.invite({"id": group})["code"])
    owner.log("2026-11-18T22:00:00Z", "2026-11-18T23:00:00Z")
    yield {"owner": owner, "friend": friend, "group": group}
    owner.close()
    friend.close()


def seconds(visitor, *values):
    for row, value in enumerate(values):
        expect(visitor.page.locator("table.board tbody tr").nth(row).locator("[data-seconds]")).to_have_attribute(
            "data-seconds", str(value)
        )


def test_two_open_boards_follow_what_a_third_hand_changes(service, chromium, room):
    mine = Visitor(service, chromium, "Dodam", "en")
    theirs = Visitor(service, chromium, "Haneul", "en", reduced_motion="reduce")
    sign_in(mine, room)
    sign_in(theirs, {"owner": room["friend"]})
    asked = []
    for visitor in (mine, theirs):
        with visitor.page.expect_response(re.compile("/leaderboard/stream")) as stream:
            visitor.page.goto(f"/groups/{room['group']}?period=month")
        assert stream.value.status == 200
        seconds(visitor, 3600, 0)
        visitor.page.on("request", lambda request: asked.append(request.url) if "/leaderboard?" in request.url else None)
    room["friend"].log("2026-11-18T21:00:00Z", "2026-11-18T23:00:00Z")
    for visitor in (mine, theirs):
        seconds(visitor, 7200, 3600)
        assert [row[1] for row in visitor.board()] == ["Haneul", "Dodam"]
    # It came by the stream: nobody had to ask.
    assert asked == []
    mine.leave()
    theirs.leave()


def test_without_the_stream_the_page_asks(service, chromium, room):
    visitor = Visitor(service, chromium, "Dodam", "en")
    sign_in(visitor, room)
    visitor.page.route("**/leaderboard/stream*", lambda route: route.fulfill(status=503))
    visitor.page.goto(f"/groups/{room['group']}?period=month")
    seconds(visitor, 3600, 0)
    with visitor.page.expect_response(re.compile(r"/leaderboard\?"), timeout=30_000):
        room["friend"].log("2026-11-18T21:00:00Z", "2026-11-18T23:00:00Z")
    seconds(visitor, 7200, 3600)
    visitor.page.unroute_all()
    visitor.leave()
