"""Boards of past periods show nothing of the present."""

import pytest
from person import Person
from playwright.sync_api import expect
from service import wait_until
from test_pages import examine, sign_in
from visitor import Visitor

ENDS = {
    "Dodam": "2026-10-14T01:00:00Z",
    "Haneul": "2026-10-14T00:00:00Z",
    "Minji": "2026-10-13T23:00:00Z",
    "Jun": "2026-10-13T22:00:00Z",
}


@pytest.fixture
def room(service, clock):
    """Four people who studied on one day of October, an hour less each; the third is hidden."""
    clock.set("2026-10-14T03:00:00Z")
    people = {name: Person(service, name).register(nickname=name) for name in ENDS}
    owner = people["Dodam"]
    group = owner.found_group("Night owls")
    code = owner.invite(group)["code"]
    for name, person in people.items():
        if person is not owner:
            person.join(code)
        person.log("2026-10-13T21:00:00Z", ENDS[name])
    people["Minji"].patch(f"/groups/{group['id']}/members/me", {"visibility": "hidden"})

    def close():
        clock.set("2026-11-05T03:00:00Z")
        standings = f"/groups/{group['id']}/standings/2026-10"
        wait_until(lambda: owner.get(standings).status_code == 200, what="October to be closed")

    yield {"owner": owner, "people": people, "group": group["id"], "close": close}
    close()
    for person in people.values():
        person.close()


def test_a_hidden_member_is_someone_on_the_podium(service, chromium, room):
    room["close"]()
    visitor = Visitor(service, chromium, "Dodam", "en")
    sign_in(visitor, room)
    visitor.page.goto(f"/groups/{room['group']}?period=month&at=2026-10")
    assert [row[:2] for row in visitor.board()] == [[1, "Dodam"], [2, "Haneul"], [3, "Someone"], [4, "Jun"]]
    expect(visitor.page.locator(".podium li")).to_have_text(["Rank 1Dodam4:004 h", "Rank 2Haneul3:003 h", "Rank 3Someone–not shown"])
    visitor.leave()


def test_a_past_day_shows_no_changes_and_nobody_studying(service, clock, chromium, room):
    clock.set("2026-10-14T19:40:00Z")
    room["people"]["Haneul"].start()
    clock.set("2026-10-14T21:00:00Z")
    visitor = Visitor(service, chromium, "Dodam", "en")
    sign_in(visitor, room)
    visitor.page.goto(f"/groups/{room['group']}?period=day")
    expect(visitor.page.locator("table.board .live").first).to_be_attached()
    now = visitor.see(visitor.page.get_by_role("region", name="1 studying now"))
    visitor.page.get_by_role("link", name="Previous, 14 October").click()
    expect(visitor.page.locator("table.board tbody tr").first).to_contain_text("Dodam")
    assert [row[:2] for row in visitor.board()] == [[1, "Dodam"], [2, "Haneul"], [3, "Someone"], [4, "Jun"]]
    expect(visitor.page.locator("table.board .move")).to_have_count(0)
    expect(visitor.page.locator("table.board .live")).to_have_count(0)
    expect(now).to_be_hidden()
    # A day is never final on its own, so the board does not say when.
    expect(visitor.page.get_by_text("not yet final")).to_have_count(0)
    visitor.leave()


def test_a_single_winner_stands_in_the_middle(service, chromium, room):
    for name in ("Haneul", "Minji", "Jun"):
        body = {"uid": room["people"][name].uid, "reason": "why", "until": "2026-12-01T03:00:00Z"}
        assert room["owner"].post(f"/groups/{room['group']}/suspensions", body).status_code == 201
    room["close"]()
    visitor = Visitor(service, chromium, "Dodam", "en", viewport={"width": 390, "height": 844})
    sign_in(visitor, room)
    visitor.page.goto(f"/groups/{room['group']}?period=month&at=2026-10")
    expect(visitor.page.locator(".podium li")).to_have_count(1)
    # Nobody knows how many members the group had then.
    expect(visitor.page.locator(".head p").first).to_have_text("1 on the board")
    # Asked in the page: an answer of the server may draw the podium anew at any moment.
    visitor.page.wait_for_function("""() => {
        const box = document.querySelector(".podium li .medal")?.getBoundingClientRect()
        return box?.width > 0 && Math.abs(box.x + box.width / 2 - 195) < 2
    }""")
    visitor.leave()


@pytest.mark.parametrize("language", ["en", "ko"])
def test_a_board_is_shown_as_it_stood_earlier(service, clock, chromium, room, pictures, language):
    clock.set("2026-10-14T05:00:00Z")
    who = {"en": "Someone", "ko": "비공개 멤버"}[language]
    room["owner"].patch("/me", {"locale": language})
    room["people"]["Jun"].log("2026-10-14T02:00:00Z", "2026-10-14T04:59:00Z")
    visitor = Visitor(service, chromium, "Dodam", language)
    sign_in(visitor, room)
    page = visitor.page
    page.goto(f"/groups/{room['group']}?period=month")
    assert [row[:2] for row in visitor.board()] == [[1, "Dodam"], [2, "Jun"], [3, "Haneul"], [4, who]]
    page.get_by_role("button", name={"en": "The board at an earlier time", "ko": "특정 시점의 순위"}[language]).click()
    sheet = page.get_by_role("dialog")
    day, time = sheet.locator("input[name=day]"), sheet.locator("input[name=as_of]")
    show = sheet.get_by_role("button", name={"en": "Show", "ko": "보기"}[language], exact=True)
    # The board's clock is Seoul's.
    expect(day).to_have_value("2026-10-14")
    expect(time).to_have_value("14:00")
    time.fill("13:00")
    show.click()
    expect(sheet.locator("li .nick")).to_have_text(["Dodam", "Haneul", who, "Jun"])
    expect(sheet.locator("li").last).to_contain_text({"en": "Rank 4", "ko": "4위"}[language])
    expect(sheet.locator("li").last).to_contain_text("1:00")
    assert examine(visitor, f"sheet-earlier-{language}", pictures) == []
    time.fill("14:00")
    show.click()
    expect(sheet.locator("li .nick")).to_have_text(["Dodam", "Jun", "Haneul", who])
    # An impossible time is refused at its field.
    day.fill("2026-10-15")
    show.click()
    expect(time).to_have_attribute("aria-invalid", "true")
    visitor.leave()
