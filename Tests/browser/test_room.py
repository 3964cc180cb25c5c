"""Today on a group's page: who studies, the notice, the cycle, cheers, and the calendar of the month."""

import re

import pytest
from person import Person
from playwright.sync_api import expect
from test_pages import examine
from visitor import Visitor, take_picture

NOW = "2026-11-21T03:05:00Z"
KO = {
    "write": "공지 쓰기", "edit": "공지 수정", "notice": "공지", "save": "저장", "cycle": "함께하는 사이클 정하기", "next": "12:50에 쉬어요", "step": "맞춰서 시작",
    "cheer": "하늘 님 응원하기", "cheered": "응원함", "received": "오늘 도담 님에게 응원을 받았어요", "all": "5명 모두 보기", "hidden": "비공개 멤버 1명은 보이지 않아요.",
    "now": "지금 1명이 공부 중", "together": "2026년 11월, 함께한 공부", "pause": "잠시 멈춤", "switch": "공부하는 과목 보여 주기",
}  # fmt: skip
EN = {
    "write": "Write a notice", "edit": "Edit the notice", "notice": "Notice", "save": "Save", "cycle": "Set a shared cycle", "next": "next rest at 12:50",
    "step": "Start in step", "cheer": "Cheer 하늘", "cheered": "Cheered", "received": "Cheered today by 도담", "all": "Show all 5",
    "hidden": "1 member is hidden.", "now": "1 studying now", "together": "Together in November 2026", "pause": "Pause",
    "switch": "Show my subject to my groups",
}  # fmt: skip


@pytest.fixture(params=["ko", "en"])
def room(request, service, clock, chromium):
    """A group of six, of whom one hides; its owner and a friend who studies are at the page."""
    clock.set(NOW)
    people = []
    for nickname in ("도담", "하늘", "민서", "Shy", "Eve", "Jun"):
        people.append(Person(service, "Ant"))
        people[-1].register(nickname=nickname, locale=request.param)
    owner, friend, *others = people
    group = owner.found_group("새벽 다섯시 스터디")
    code = owner.invite(group)["code"]
    for person in [friend, *others]:
        person.join(code)
    others[1].patch(f"/groups/{group['id']}/members/me", {"visibility": "hidden"})
    others[0].log("2026-11-20T22:00:00Z", "2026-11-21T01:30:00Z")
    visitors = []
    for person, nickname in ((owner, "도담"), (friend, "하늘")):
        visitors.append(Visitor(service, chromium, nickname, request.param))
        visitors[-1].sign_in(person.email)
    yield visitors, {"ko": KO, "en": EN}[request.param], group, people, request.param
    for visitor in visitors:
        visitor.leave()
    for person in people:
        person.close()


def test_a_group_studies_together(room, clock, pictures):
    (mine, theirs), words, group, (_, friend, *_), language = room
    page = theirs.page
    page.goto("/settings")
    with page.expect_response(lambda answer: answer.url.endswith("/me") and answer.request.method == "PATCH"):
        page.get_by_role("switch", name=words["switch"]).check()
    subject = friend.post("/me/subjects", {"name": "미적분", "colour": "sky"}).json()["id"]
    friend.start(subject_id=subject)
    clock.advance(600)

    page = mine.page
    page.goto(f"/groups/{group['id']}")
    here = mine.see(page.get_by_role("region", name=words["now"]))
    tile = here.get_by_role("listitem").first
    expect(tile).to_contain_text("하늘")
    expect(tile).to_contain_text("미적분")
    expect(tile).to_contain_text("12:05")
    expect(tile.locator(".num")).to_have_text(re.compile(r"^0:10:\d\d$"))
    expect(here.get_by_role("listitem")).to_have_count(4)
    page.get_by_role("button", name=words["all"]).click()
    expect(here.get_by_role("listitem")).to_have_count(5)
    expect(here.get_by_text(words["hidden"])).to_be_visible()
    expect(here).not_to_contain_text("Shy")

    page.get_by_role("button", name=words["cheer"]).click()
    expect(tile.locator(".chip", has_text=words["cheered"])).to_be_visible()
    expect(tile.locator(".chip", has_text=words["cheered"])).to_be_focused()

    page.get_by_role("button", name=words["write"]).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label(words["notice"], exact=True).fill("토요일 아홉 시, 도서관 2층\n<b>Bring</b> the שיעור sheets")
    dialog.get_by_role("button", name=words["save"]).click()
    expect(here.locator(".notice")).to_contain_text("<b>Bring</b>")
    expect(page.get_by_role("button", name=words["edit"])).to_be_focused()
    page.get_by_role("button", name=words["cycle"]).click()
    dialog.get_by_role("button", name=words["save"]).click()
    expect(here).to_contain_text(words["next"])
    mine.see(page.get_by_role("table", name=words["together"])).scroll_into_view_if_needed()
    mine.settle()
    assert examine(mine, f"room-{language}", pictures) == []

    page = theirs.page
    page.goto(f"/groups/{group['id']}")
    expect(page.get_by_text(words["received"])).to_be_visible()
    # Somebody who is studying starts nothing.
    expect(page.get_by_role("button", name=words["step"])).to_have_count(0)

    page = mine.page
    with page.expect_navigation():
        page.get_by_role("button", name=words["step"]).click()
    # It is 12:15, and the rest begins at 12:50. The page's own clock has gone on.
    expect(page.get_by_role("timer")).to_contain_text(re.compile(r"35:00|34:\d\d"))


def test_a_double_click_cheers_once(room):
    (mine, _), words, group, (_, friend, *_), _ = room
    friend.start()
    page = mine.page
    page.goto(f"/groups/{group['id']}")
    held = []
    page.route("**/cheers", lambda route: held.append(route))
    page.get_by_role("button", name=words["cheer"]).dblclick()
    mine.page.wait_for_function("isReading()")
    held[0].continue_()
    expect(page.get_by_text(words["cheered"], exact=True)).to_be_focused()
    assert len(held) == 1


@pytest.mark.parametrize("language", ["ko", "en"])
def test_who_is_alone_in_a_group_is_shown_without_a_button_for_all(service, clock, chromium, pictures, language):
    clock.set(NOW)
    with Person(service) as owner:
        owner.register(nickname="도담", locale=language)
        group = owner.found_group("새벽 다섯시 스터디")
        visitor = Visitor(service, chromium, "도담", language, viewport={"width": 390, "height": 844})
        visitor.sign_in(owner.email)
        visitor.page.goto(f"/groups/{group['id']}")
        here = visitor.page.locator("section[aria-labelledby=room]")
        expect(here.get_by_role("listitem")).to_contain_text("도담")
        expect(here.locator("[aria-expanded]")).to_have_count(0)
        visitor.settle()
        take_picture(visitor.page, pictures / f"room-alone-{language}.png")
        visitor.leave()


def test_on_the_smallest_phone_the_hours_of_a_day_stay_in_its_cell(room):
    (mine, _), words, group, people, _ = room
    for person in people:
        person.log("2026-11-19T20:30:00Z", "2026-11-20T07:30:00Z")
    page = mine.page
    page.set_viewport_size({"width": 320, "height": 640})
    page.goto(f"/groups/{group['id']}")
    month = mine.see(page.get_by_role("table", name=words["together"]))
    away = month.locator(".hm").evaluate_all("""all => all.filter((each) => each.textContent.length > 4).map((each) => {
        const [inner, outer] = [each, each.parentElement].map((box) => box.getBoundingClientRect());
        return [inner.left - outer.left, outer.right - inner.right];
    })""")
    assert away and min(map(min, away)) >= 0


def test_on_a_phone_the_board_begins_on_the_first_screen(room, clock):
    (mine, _), words, group, (_, friend, *_), _ = room
    friend.start()
    clock.advance(600)
    page = mine.page
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"/groups/{group['id']}")
    here = mine.see(page.get_by_role("region", name=words["now"]))
    expect(here.get_by_role("listitem")).to_have_count(0)
    third = page.locator(".board tbody tr").nth(2)
    expect(third).to_be_in_viewport(ratio=1)
    top = page.locator(".nav").bounding_box()["y"]
    assert third.bounding_box()["y"] + third.bounding_box()["height"] <= top
    # What an owner may do does not wait for the others to be shown.
    mine.see(here.get_by_role("button", name=words["write"]))
    page.get_by_role("button", name=words["all"]).click()
    expect(here.get_by_role("listitem")).to_have_count(5)
