"""The sheet about a member: their calendar and closed months beside mine, if they want that seen."""

import pytest
from person import Person
from playwright.sync_api import expect
from service import wait_until
from test_pages import examine
from visitor import Visitor

KO = {
    "switch": "달력 보여 주기", "not_shown": "달력을 보여 주지 않아요", "mine": "여기까지만 보여요", "before": "이전 달", "after": "다음 달",
    "beside": "나와 김하늘 님", "ahead": "함께한 1개월 중 내가 더 공부한 달은 0개월, 상대가 더 공부한 달은 1개월", "since": "10월 14일부터 함께해요", "gone": "지금은 이 모임에 없거나",
    "hiding": "아무도 내 달력을 볼 수 없어요",
}  # fmt: skip
EN = {
    "switch": "Show my calendar to my groups", "not_shown": "does not show a calendar to this group", "mine": "see only this",
    "before": "Previous month", "after": "Next month", "beside": "You and 김하늘",
    "ahead": "Of 1 month together, you studied more in 0 and they in 1.", "since": "Member since 14 October", "gone": "no longer in this group",
    "hiding": "nobody sees your calendar",
}  # fmt: skip


@pytest.fixture(params=["ko", "en"])
def group(request, service, clock, chromium):
    """Two who studied together in October and study in November, both at their pages."""
    clock.set("2026-10-14T03:00:00Z")
    people = [Person(service, "Ant").register(nickname=name, locale=request.param) for name in ("도담", "김하늘")]
    owner, friend = people
    found = owner.found_group("새벽 다섯시 스터디")["id"]
    friend.join(owner.invite({"id": found})["code"])
    owner.log("2026-10-13T22:00:00Z", "2026-10-14T00:00:00Z")
    friend.log("2026-10-13T21:00:00Z", "2026-10-14T00:00:00Z")
    clock.set("2026-11-05T03:00:00Z")
    wait_until(lambda: owner.get(f"/groups/{found}/standings/2026-10").status_code == 200, what="October to be closed")
    for person in people:
        person.log("2026-11-04T22:00:00Z", "2026-11-05T01:30:00Z")
    visitors = [Visitor(service, chromium, name, request.param) for name in ("도담", "김하늘")]
    for visitor, person in zip(visitors, people, strict=True):
        visitor.sign_in(person.email)
    yield visitors, {"ko": KO, "en": EN}[request.param], found, people, request.param
    for visitor in visitors:
        visitor.leave()
    for person in people:
        person.close()


def test_a_member_shows_their_calendar(group, pictures):
    (mine, theirs), words, found, (owner, friend), language = group
    page = mine.page
    page.goto(f"/groups/{found}")
    name = page.get_by_role("table").get_by_role("link", name="김하늘")
    name.click()
    sheet = mine.see(page.get_by_role("dialog", name="김하늘"))
    expect(sheet).to_contain_text(words["since"])
    expect(sheet).to_contain_text(words["not_shown"])
    page.keyboard.press("Escape")
    expect(name).to_be_focused()
    page.get_by_role("table").get_by_role("link", name="도담").click()
    expect(page.get_by_role("dialog", name="도담")).to_contain_text(words["mine"])
    page.keyboard.press("Escape")

    theirs.page.goto("/settings")
    with theirs.page.expect_response(lambda answer: answer.url.endswith("/me") and answer.request.method == "PATCH"):
        theirs.page.get_by_role("switch", name=words["switch"]).check()

    # The name's address opens the sheet, too, and all of its cell is the name.
    page.goto("about:blank")
    page.goto(f"/groups/{found}#{friend.uid}")
    mine.see(sheet)
    page.keyboard.press("Escape")
    name.locator("xpath=ancestor::th").locator(".face").click(force=True)
    expect(sheet.locator("[data-day='2026-11-05']")).to_contain_text("3:30")
    expect(sheet.locator(".tot")).to_contain_text("3:30")
    mine.see(sheet.get_by_role("heading", name=words["beside"]))
    expect(sheet).to_contain_text(words["ahead"])
    expect(sheet.get_by_role("row", name="2026")).to_contain_text("3:00")
    mine.settle()
    found_wrong = examine(mine, f"sheet-member-{language}", pictures)
    expect(sheet.get_by_role("button", name=words["after"])).to_be_disabled()
    sheet.get_by_role("button", name=words["before"]).click()
    sheet.get_by_role("button", name=words["after"]).click()
    expect(sheet.get_by_role("button", name=words["after"])).to_be_disabled()
    expect(sheet.get_by_role("button", name=words["after"])).to_be_focused()
    sheet.get_by_role("button", name=words["before"]).click()
    day = sheet.locator("[data-day='2026-10-14']")
    expect(day).to_contain_text("3:00")
    day.click()
    expect(day).to_have_attribute("aria-pressed", "true")
    day.press("PageDown")
    expect(sheet.locator("[data-day='2026-11-14']")).to_be_focused()
    assert found_wrong == []

    # It holds at once when they do not want it any more, or have gone.
    friend.patch("/me", {"days_shown": False})
    sheet.get_by_role("button", name=words["before"]).click()
    expect(sheet.get_by_role("alert")).to_contain_text("달력" if language == "ko" else "calendar")
    friend.delete(f"/groups/{found}/members/me")
    page.keyboard.press("Escape")
    name.click()
    expect(sheet).to_contain_text(words["gone"])

    # Who hides is told why nobody sees more.
    owner.patch(f"/groups/{found}/members/me", {"visibility": "nickname"})
    page.goto("about:blank")
    page.goto(f"/groups/{found}#{owner.uid}")
    expect(page.get_by_role("dialog", name="도담")).to_contain_text(words["hiding"])
