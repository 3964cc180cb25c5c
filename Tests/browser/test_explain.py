"""The sheet that explains my time on a board."""

import pytest
from person import Person
from playwright.sync_api import expect
from test_pages import examine, sign_in
from visitor import Visitor


@pytest.fixture
def room(service, clock):
    clock.set("2026-11-21T03:00:00Z")
    owner = Person(service, "Dodam", language="ko").register(nickname="도담", locale="ko")
    group = owner.found_group("새벽 다섯시 스터디", rules={"daily_cap_seconds": 18000})
    owner.log("2026-11-20T19:20:00Z", "2026-11-20T22:06:00Z")
    owner.log("2026-11-20T23:00:00Z", "2026-11-21T02:30:05Z")
    owner.log("2026-11-20T13:15:00Z", "2026-11-20T15:09:00Z")
    yield {"owner": owner, "group": group["id"]}
    owner.close()


@pytest.mark.parametrize("language", ["ko", "en"])
def test_my_time_is_explained_by_days_and_intervals(service, chromium, room, pictures, language):
    room["owner"].patch("/me", {"locale": language})
    visitor = Visitor(service, chromium, "도담", language)
    sign_in(visitor, room)
    page = visitor.page
    page.goto(f"/groups/{room['group']}")
    visitor.see(page.locator("#me .time button")).click()
    sheet = visitor.see(page.get_by_role("dialog"))
    # 2:46:00 and 3:30:05 on two days, of which 5:36:05 lie after 05:00 and 5:00:00 count there; 1:54:00 the day before.
    expect(sheet.locator(".sum .total dd")).to_contain_text("7:34:00")
    expect(sheet.locator(".day")).to_have_count(2)
    expect(sheet.locator(".day").first.locator("summary")).to_contain_text("5:00:00")
    expect(sheet.locator(".day").first.locator("summary .chip")).to_contain_text("0:36:05")
    told = {"ko": "그 전의 시간(0:40:00)은 전날 기록이에요.", "en": "The first 0:40:00 counts for the day before."}[language]
    expect(sheet).to_contain_text(told)
    parts = sheet.locator("td[data-seconds]").evaluate_all("all => all.map(each => Number(each.dataset.seconds))")
    assert parts == [7560, 12605, 6840, 2400]
    assert examine(visitor, f"sheet-explain-{language}", pictures) == []
    page.keyboard.press("Escape")
    expect(sheet).to_have_count(0)
    visitor.leave()


@pytest.mark.parametrize("language", ["ko", "en"])
def test_hours_between_two_clocks_are_told_beside_the_board_and_in_the_sheet(service, chromium, room, clock, language):
    owner, at = room["owner"], f"/groups/{room['group']}"
    owner.patch("/me", {"locale": language})
    owner.patch(at, {"rules": {"time_zone": "America/New_York"}})
    clock.set("2026-12-01T12:00:00Z")
    visitor = Visitor(service, chromium, "도담", language)
    sign_in(visitor, room)
    page = visitor.page
    page.goto(f"{at}?period=month&at=2026-11")
    # November ended at 05:00 in Seoul, and December begins at 05:00 in New York, 14 hours later.
    title, told = {
        "ko": ("이 순위의 규칙", "12월 1일 05:00부터 12월 1일 19:00까지의 공부는 어느 달에도 들어가지 않아요."),
        "en": ("The rules of this board", "study from 1 December at 05:00 to 1 December at 19:00 counts in neither month."),
    }[language]
    expect(page.get_by_role("region", name=title)).to_contain_text(told)
    visitor.see(page.locator("#me .time button")).click()
    expect(page.get_by_role("dialog")).to_contain_text(told)
    visitor.leave()
