"""A group's board in its other orders: share of the daily goals, and days on which they were met."""

import pytest
from person import Person
from playwright.sync_api import expect
from test_pages import examine, sign_in
from visitor import Visitor

NAMES = {"ko": ("시간", "목표 달성률", "꾸준함"), "en": ("Time", "Goal", "Consistency")}


@pytest.fixture
def room(service, clock):
    clock.set("2026-11-21T03:00:00Z")
    owner = Person(service, "Dodam", language="ko").register(nickname="도담", locale="ko")
    friend = Person(service, "Haneul").register(nickname="김하늘")
    group = owner.found_group("새벽 다섯시 스터디")
    friend.join(owner.invite(group)["code"])
    friend.patch("/me", {"daily_goal_seconds": 1800})
    owner.log("2026-11-21T00:00:00Z", "2026-11-21T02:00:00Z")
    friend.log("2026-11-21T00:00:00Z", "2026-11-21T01:00:00Z")
    yield {"owner": owner, "friend": friend, "group": group["id"]}
    owner.close()
    friend.close()


def names(visitor):
    return visitor.page.locator("table.board tbody bdi")


@pytest.mark.parametrize("language", ["ko", "en"])
def test_a_board_can_be_ranked_in_another_order(service, chromium, room, pictures, language):
    room["owner"].patch("/me", {"locale": language})
    time, goal, days = NAMES[language]
    visitor = Visitor(service, chromium, "도담", language)
    sign_in(visitor, room)
    page = visitor.page
    page.goto(f"/groups/{room['group']}?period=day")
    expect(names(visitor)).to_have_text(["도담", "김하늘"])
    expect(page.get_by_role("radio", name=time, exact=True)).to_be_checked()

    page.get_by_role("radio", name=goal, exact=True).check(force=True)
    expect(names(visitor)).to_have_text(["김하늘", "도담"])
    cells = page.locator("table.board td.time")
    expect(cells.nth(0)).to_contain_text("200%")
    expect(cells.nth(1)).to_contain_text("50%")
    expect(cells.nth(1).locator(".also")).to_contain_text("2:00")
    expect(page).to_have_url(f"{service.origin}/groups/{room['group']}?period=day&order=goal")
    assert examine(visitor, f"order-goal-{language}", pictures) == []

    # The stream, the CSV and a reload keep the order.
    room["owner"].log("2026-11-20T21:00:00Z", "2026-11-21T00:00:00Z")
    expect(cells.nth(1)).to_contain_text("125%")
    expect(page.get_by_role("link", name="CSV")).to_have_attribute(
        "href", f"/api/v1/groups/{room['group']}/leaderboard.csv?period=day&at=2026-11-21&order=goal"
    )
    page.reload()
    expect(page.get_by_role("radio", name=goal, exact=True)).to_be_checked()

    page.goto(f"/groups/{room['group']}?period=month&order=consistency")
    expect(page.get_by_role("radio", name=days, exact=True)).to_be_checked()
    expect(page.locator("table.board thead")).to_contain_text("21")
    expect(cells.nth(0)).to_contain_text({"ko": "1일", "en": "1 day"}[language])
    assert examine(visitor, f"order-days-{language}", pictures) == []
    page.go_back()
    expect(page.get_by_role("radio", name=goal, exact=True)).to_be_checked()
    expect(cells.nth(0)).to_contain_text("%")

    # My time is still explained.
    page.locator("tr.me .also button").click()
    visitor.see(page.get_by_role("dialog"))
    visitor.leave()


@pytest.mark.parametrize("order", ["seconds", "goal", "consistency"])
def test_bars_are_drawn_in_each_order_with_a_hidden_member(service, chromium, room, order):
    room["friend"].patch(f"/groups/{room['group']}/members/me", {"visibility": "hidden"})
    visitor = Visitor(service, chromium, "도담", "en")
    sign_in(visitor, room)
    visitor.page.goto(f"/groups/{room['group']}?period=month&order={order}")
    expect(visitor.page.locator("table.board tbody tr")).to_have_count(2)
    bars = visitor.page.locator("tr.me .tunnel line").evaluate_all("all => all.map(line => parseFloat(line.getAttribute('x2')))")
    assert bars[0] == 100 and all(0 <= bar <= 100 for bar in bars)
    visitor.leave()
