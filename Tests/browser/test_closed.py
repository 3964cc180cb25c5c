"""A closed month: podium, seal, amendment, hall of fame and my ranks."""

import re

import pytest
from person import Person
from playwright.sync_api import expect
from service import wait_until
from test_pages import examine, sign_in
from visitor import Visitor


@pytest.fixture
def room(service, clock):
    clock.set("2026-09-20T03:00:00Z")
    owner = Person(service, "Dodam", language="ko").register(nickname="도담", locale="ko")
    friend = Person(service, "Haneul").register(nickname="김하늘")
    group = owner.found_group("새벽 다섯시 스터디")
    friend.join(owner.invite(group)["code"])
    owner.log("2026-09-19T22:00:00Z", "2026-09-20T01:00:00Z")
    clock.set("2026-10-14T03:00:00Z")
    owner.log("2026-10-13T22:00:00Z", "2026-10-14T00:00:00Z")
    friend.log("2026-10-13T21:00:00Z", "2026-10-14T00:00:00Z")
    clock.set("2026-11-05T03:00:00Z")
    standings = f"/groups/{group['id']}/standings/2026-10"
    wait_until(lambda: owner.get(standings).status_code == 200, what="October to be closed")
    yield {"owner": owner, "friend": friend, "group": group["id"]}
    owner.close()
    friend.close()


# A device that refuses the clipboard, and can share pictures with other apps, once that is said; it keeps what was shared.
SHARING = """
navigator.clipboard.writeText = async () => { throw new DOMException("", "NotAllowedError"); };
navigator.canShare = ({ files }) => globalThis.shares && files.every(({ type }) => type === "image/png");
navigator.share = async ({ files: [file] }) => {
    const { width, height } = await createImageBitmap(file);
    globalThis.shared = [file.name, file.type, width, height];
};
"""


def test_a_board_that_is_not_the_sealed_one_is_noticed(service, chromium, room):
    room["owner"].patch("/me", {"locale": "en"})
    visitor = Visitor(service, chromium, "도담", "en")
    sign_in(visitor, room)

    def changed(route):
        answer = route.fetch()
        standings = answer.json()
        standings["entries"][0]["seconds"] += 1
        route.fulfill(response=answer, json=standings)

    visitor.context.route("**/standings/2026-10", changed)
    visitor.page.goto(f"/groups/{room['group']}?period=month&at=2026-10")
    visitor.page.get_by_role("button", name="Check the board").click()
    expect(visitor.page.locator(".seal [role=status]")).to_contain_text("not the one that was sealed")
    visitor.leave()


def test_the_first_of_a_final_month_is_not_told_that_they_are_first_now(service, chromium, room):
    room["owner"].patch("/me", {"locale": "en"})
    visitor = Visitor(service, chromium, "도담", "en")
    sign_in(visitor, room)
    visitor.page.goto(f"/groups/{room['group']}?period=month&at=2026-09")
    expect(visitor.page.get_by_role("region", name="My rank")).to_contain_text("You studied 3 h. This is final.")
    visitor.leave()


@pytest.mark.parametrize("language", ["ko", "en"])
def test_a_closed_month_shows_its_seal_and_its_amendments(service, chromium, room, pictures, language):
    room["owner"].patch("/me", {"locale": language})
    visitor = Visitor(service, chromium, "도담", language)
    visitor.context.add_init_script(SHARING)
    sign_in(visitor, room)
    page = visitor.page
    page.goto(f"/groups/{room['group']}?period=month&at=2026-10")
    sealed = room["owner"].get(f"/groups/{room['group']}/standings/2026-10").json()["sha256"]
    visitor.see(page.locator(".podium"))
    assert visitor.see(page.locator(".seal .hash")).inner_text().replace(" ", "").replace("\n", "") == sealed
    expect(page.locator(".strata rect")).to_have_count(32)
    assert [row[1] for row in visitor.board()] == ["김하늘", "도담"]

    check = page.get_by_role("button", name={"ko": "순위표 확인", "en": "Check the board"}[language])
    check.click()
    expect(page.locator(".seal [role=status]")).to_contain_text({"ko": "바뀐 것이 없어요", "en": "Nothing has changed"}[language])
    page.get_by_role("button", name={"ko": "지문 복사", "en": "Copy the fingerprint"}[language]).click()
    refused = {"ko": "복사하지 못했어요.", "en": "Could not be copied."}[language]
    expect(page.locator(".toast")).to_contain_text(refused)

    page.get_by_role("button", name={"ko": "정정하기", "en": "Amend"}[language]).click()
    sheet = page.get_by_role("dialog")
    whose = sheet.get_by_label({"ko": "누구의", "en": "Whose"}[language])
    expect(whose).to_have_value("")
    expect(sheet.locator("[name=hours]")).to_have_value("")
    sheet.locator("[name=reason]").fill("?")
    sheet.locator("form button.btn.wide").click()
    expect(whose).to_be_focused()
    expect(whose).to_have_attribute("aria-invalid", "true")
    whose.select_option(room["owner"].uid)
    expect(sheet.locator("[name=hours]")).to_have_value("2")
    sheet.locator("[name=hours]").fill("4")
    sheet.locator("[name=minutes]").fill("0")
    sheet.locator("[name=seconds]").fill("7")
    sheet.locator("[name=reason]").fill("10월 14일 기록이 서버 장애로 늦게 도착했어요")
    assert examine(visitor, f"sheet-amend-{language}", pictures) == []
    sheet.locator("form button.btn.wide").click()
    expect(page.locator(".amended .was").first).to_contain_text("2")
    expect(page.locator(".amended")).to_contain_text("서버 장애")
    assert [row[1:3] for row in visitor.board()] == [["도담", 14407], ["김하늘", 10800]]
    # The days below are as they were studied; their sum would be another.
    expect(visitor.see(page.locator(".together header"))).not_to_contain_text(re.compile(r"\d (h|min)|시간"))
    assert visitor.page.locator(".seal .hash").inner_text().replace(" ", "").replace("\n", "") == sealed
    assert examine(visitor, f"closed-{language}", pictures) == []

    share = page.get_by_role("button", name={"ko": "시상대 그림 공유", "en": "Share the podium"}[language])
    with page.expect_download() as download:
        share.click()
    assert download.value.suggested_filename == "anthill-2026-10.png"
    page.evaluate("globalThis.shares = true")
    share.click()
    shared = wait_until(lambda: page.evaluate("globalThis.shared"), what="the picture to be shared")
    assert shared == ["anthill-2026-10.png", "image/png", 1440, 840]

    with page.expect_download() as download:
        page.get_by_role("link", name="CSV").click()
    assert download.value.suggested_filename == "anthill-board-2026-10.csv"

    page.get_by_role("button", name={"ko": "명예의 전당", "en": "Hall of fame"}[language]).click()
    expect(page.locator(".fame li")).to_have_count(2)
    assert examine(visitor, f"sheet-fame-{language}", pictures) == []
    page.keyboard.press("Escape")
    page.get_by_role("button", name={"ko": "내 순위 기록", "en": "My ranks so far"}[language]).click()
    expect(page.get_by_role("dialog").locator("tbody tr")).to_have_count(2)
    expect(page.locator(".ranks circle")).to_have_count(2)
    assert examine(visitor, f"sheet-ranks-{language}", pictures) == []
    visitor.leave()


@pytest.mark.parametrize("language", ["ko", "en"])
def test_a_hidden_member_is_amended_without_telling_others_who_it_is(service, chromium, room, people, language):
    owner, friend, group = room["owner"], room["friend"], room["group"]
    late = people("Late")
    late.join(owner.invite({"id": group})["code"])
    for person in (friend, late):
        person.patch(f"/groups/{group}/members/me", {"visibility": "hidden"})
    owner.patch("/me", {"locale": language})
    visitor = Visitor(service, chromium, "도담", language)
    sign_in(visitor, room)
    page = visitor.page
    page.goto(f"/groups/{group}?period=month&at=2026-10")
    page.get_by_role("button", name={"ko": "정정하기", "en": "Amend"}[language]).click()
    sheet = page.get_by_role("dialog")
    whose = sheet.get_by_label({"ko": "누구의", "en": "Whose"}[language])
    # Who joined after the month is not on its board.
    whose.select_option(late.uid)
    visitor.see(sheet.get_by_text({"ko": "이 순위표에 없는 멤버예요.", "en": "This member is not on this board."}[language]))
    expect(whose).to_have_value("")
    whose.select_option(friend.uid)
    expect(sheet.locator("[name=hours]")).to_have_value("3")
    sheet.locator("[name=reason]").fill("늦게 도착한 기록")
    # As it is already, it is no amendment.
    send = sheet.locator("form button.btn.wide")
    send.click()
    visitor.see(sheet.get_by_text({"ko": "지금과 같은 시간이에요.", "en": "That is already their time."}[language]))
    expect(sheet.locator("[name=seconds]")).to_be_focused()
    sheet.locator("[name=hours]").fill("1")
    send.click()
    amended = page.locator(".amended")
    expect(amended).to_contain_text("늦게 도착한 기록")
    expect(amended).not_to_contain_text("김하늘")
    expect(amended.locator(".was")).to_have_count(0)
    assert [row[1] for row in visitor.board()][0] == "도담"
    # The next amendment begins with what it is now.
    page.get_by_role("button", name={"ko": "정정하기", "en": "Amend"}[language]).click()
    whose.select_option(friend.uid)
    expect(sheet.locator("[name=hours]")).to_have_value("1")
    visitor.leave()


@pytest.mark.parametrize("language", ["ko", "en"])
def test_who_left_a_group_sees_their_final_ranks_among_their_groups(service, chromium, room, pictures, language):
    friend = room["friend"]
    friend.patch("/me", {"locale": language})
    friend.found_group("Owls")
    visitor = Visitor(service, chromium, "김하늘", language)
    visitor.sign_in(friend.email)
    page = visitor.page
    former = page.get_by_role("region", name={"ko": "함께했던 모임", "en": "Groups you were in"}[language])
    page.goto("/groups")
    visitor.settle()
    expect(former).to_have_count(0)
    friend.delete(f"/groups/{room['group']}/members/me")
    page.reload()
    expect(former.get_by_role("listitem")).to_have_count(1)
    expect(former).to_contain_text("새벽 다섯시 스터디")
    assert examine(visitor, f"former-groups-{language}", pictures) == []
    former.get_by_role("button", name={"ko": "내 순위 기록", "en": "My ranks so far"}[language]).click()
    # Only October has them on its board and is the group's.
    rows = page.get_by_role("dialog").locator("tbody tr")
    expect(rows.first).to_contain_text({"ko": "2명 중 1위", "en": "1 of 2"}[language])
    visitor.leave()
