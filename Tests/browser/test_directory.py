"""A group is listed, found, asked to take somebody in, and answers."""

import pytest
from person import Person
from playwright.sync_api import expect
from test_pages import examine
from visitor import Visitor

KO = {
    "settings": "모임 설정", "list": "모임 공개", "search": "이름이나 소개에 있는 말", "ask": "수능 새벽반 모임에 가입 신청",
    "words": "하고 싶은 말 (선택)", "send": "보내기", "asked": "에 신청함", "requests": "가입 신청 2개", "own": "내 가입 신청", "alone": "아직 혼자예요", "invite": "초대하기", "accept": "하늘 님의 신청 수락",
    "decline": "민서 님의 신청 거절", "sure": "거절", "pause": "30일 동안 다시 신청할 수 없어요.", "again": "12월 21일 12:05부터 다시 신청할 수 있어요.", "member": "함께하는 모임", "declined": "에 거절됨", "none": "찾은 모임이 없어요", "find": "모임 찾기",
    "withdraw": "신청 취소", "withdraw_ask": "신청을 취소할까요?", "withdrawn": "신청을 취소했어요.",
    "none_heard": "이 단어가 모두 들어간 모임이 없어요. 단어를 줄여 보세요.", "found": "모임 1개를 보여 드려요.",
}  # fmt: skip
EN = {
    "settings": "Group settings", "list": "List the group", "search": "Words in the name or description",
    "ask": "Ask to join 수능 새벽반", "words": "Message (optional)", "send": "Send", "asked": "Asked on", "requests": "2 requests to join",
    "own": "Your requests to join", "alone": "Nobody else is here yet", "invite": "Invite",
    "accept": "Accept 하늘", "decline": "Decline 민서", "sure": "Decline", "pause": "They can't ask again for 30 days.",
    "again": "You can ask again from 21 December at 12:05.", "member": "You are in this group", "declined": "Declined on",
    "none": "No group found", "find": "Find a group",
    "withdraw": "Withdraw", "withdraw_ask": "Withdraw your request?", "withdrawn": "Your request is withdrawn.",
    "none_heard": "No listed group has all of these words. Try fewer.", "found": "1 group shown.",
}  # fmt: skip


@pytest.fixture(params=["ko", "en"])
def town(request, service, clock, chromium):
    """A group's owner and somebody without a group at their pages, and one more who uses the API."""
    clock.set("2026-11-21T03:05:00Z")
    people, visitors = [], []
    for nickname in ("도담", "하늘", "민서"):
        people.append(Person(service, "Ant"))
        people[-1].register(nickname=nickname, locale=request.param)
    for person, nickname in zip(people[:2], ("도담", "하늘"), strict=True):
        visitors.append(Visitor(service, chromium, nickname, request.param))
        visitors[-1].sign_in(person.email)
    people[0].log("2026-11-20T22:00:00Z", "2026-11-20T23:00:00Z")
    group = people[0].found_group("수능 새벽반", description="국어와 수학을 함께해요")
    yield visitors, people, group, {"ko": KO, "en": EN}[request.param], request.param
    # After a month the owner would be signed out.
    clock.set("2026-11-21T03:05:00Z")
    assert people[0].delete(f"/groups/{group['id']}").status_code == 204
    for each in visitors:
        each.leave()
    for each in people:
        each.close()


def test_a_listed_group_is_found_and_takes_somebody_in(town, pictures):
    (mine, theirs), (_, _, third), group, words, language = town
    page = mine.page
    page.goto(f"/groups/{group['id']}")
    alone = mine.see(page.get_by_role("region", name=words["alone"]))
    assert examine(mine, f"group-alone-{language}", pictures) == []
    alone.get_by_role("button", name=words["invite"]).click()
    mine.see(page.get_by_role("dialog")).get_by_role("button", name=mine.words["close"]).click()
    page.get_by_role("button", name=words["settings"]).click()
    with page.expect_response(lambda answer: answer.request.method == "PATCH"):
        page.get_by_role("dialog").get_by_role("switch", name=words["list"]).check()

    page = theirs.page
    page.goto("/groups")
    page.get_by_role("link", name=words["find"]).click()
    search = page.get_by_label(words["search"])
    search.fill("zzzz")
    theirs.see(page.get_by_text(words["none"]))
    told = page.locator(".finding > [role=status]")
    expect(told).to_have_text(words["none_heard"])
    search.fill("국어 새벽")
    expect(told).to_have_text(words["found"])
    page.get_by_role("button", name=words["ask"]).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label(words["words"]).fill("매일 <다섯 시>에 올게요")
    dialog.get_by_role("button", name=words["send"]).click()
    theirs.see(page.get_by_text(words["asked"]))
    theirs.settle()
    assert examine(theirs, f"directory-{language}", pictures) == []

    # Whoever asked sees it among their groups; the admins see it there and on home.
    page.goto("/groups")
    theirs.see(page.get_by_role("region", name=words["own"]).get_by_text(words["asked"]))
    assert examine(theirs, f"own-requests-{language}", pictures) == []
    page.go_back()
    third.post(f"/groups/{group['id']}/join-requests", {})
    page = mine.page
    for path in ("/groups", "/home"):
        page.goto(path)
        mine.see(page.get_by_role("link", name=words["requests"]))
        mine.settle()
    page.get_by_role("link", name=words["requests"]).click()
    card = mine.see(page.get_by_role("region", name=words["requests"]))
    expect(card).to_contain_text("매일 <다섯 시>에 올게요")
    mine.settle()
    assert examine(mine, f"join-requests-{language}", pictures) == []
    card.get_by_role("button", name=words["accept"]).click()
    expect(page.get_by_role("button", name=words["accept"])).to_have_count(0)
    mine.settle()
    page.get_by_role("button", name=words["decline"]).click()
    mine.see(page.get_by_text(words["pause"]))
    assert examine(mine, f"decline-{language}", pictures) == []
    page.get_by_role("button", name=words["sure"], exact=True).click()
    expect(page.get_by_text(words["pause"])).to_have_count(0)
    expect(page.locator("table.board")).to_contain_text("하늘")
    page.reload()
    expect(page.locator("table.board")).to_contain_text("하늘")
    expect(alone).to_be_hidden()

    theirs.page.reload()
    theirs.see(theirs.page.get_by_text(words["member"]))
    assert third.get("/me/join-requests").json()["items"][0]["state"] == "declined"


def test_a_request_that_another_admin_answered_goes_away(town):
    (mine, _), (owner, asker, _), group, words, _ = town
    owner.patch(f"/groups/{group['id']}", {"listed": True})
    asked = asker.post(f"/groups/{group['id']}/join-requests", {}).json()
    mine.page.goto(f"/groups/{group['id']}")
    accept = mine.see(mine.page.get_by_role("button", name=words["accept"]))
    owner.put(f"/groups/{group['id']}/join-requests/{asked['id']}/answer", {"accepted": False})
    accept.click()
    mine.see(mine.page.locator(".toast"))
    expect(accept).to_have_count(0)


def test_a_request_that_comes_while_the_page_is_open_is_seen(town):
    (mine, _), (owner, asker, third), group, words, _ = town
    owner.patch(f"/groups/{group['id']}", {"listed": True})
    page = mine.page
    page.clock.install(time="2026-11-21T03:05:00Z")
    page.goto(f"/groups/{group['id']}")
    mine.see(page.locator("table.board"))
    third.post(f"/groups/{group['id']}/join-requests", {})
    page.clock.run_for(61_000)
    decline = mine.see(page.get_by_role("button", name=words["decline"]))
    # Another one leaves the focus where it is, and an open question open.
    decline.focus()
    page.keyboard.press("Enter")
    sure = page.get_by_role("button", name=words["sure"], exact=True)
    expect(sure).to_be_focused()
    asker.post(f"/groups/{group['id']}/join-requests", {})
    page.clock.run_for(61_000)
    mine.see(page.get_by_role("button", name=words["accept"]))
    expect(sure).to_be_focused()
    mine.see(page.get_by_text(words["pause"]))
    # Whoever withdraws is gone; the others stay.
    asker.delete(f"/me/join-requests/{asker.get('/me/join-requests').json()['items'][0]['id']}")
    page.clock.run_for(61_000)
    expect(page.get_by_role("button", name=words["accept"])).to_have_count(0)
    expect(sure).to_be_focused()
    sure.press("Enter")
    expect(page.get_by_role("region", name=words["requests"])).to_have_count(0)
    assert third.get("/me/join-requests").json()["items"][0]["state"] == "declined"


def test_somebody_who_was_declined_reads_when_they_may_ask_again(town, clock, pictures):
    (_, theirs), (owner, asker, _), group, words, language = town
    owner.patch(f"/groups/{group['id']}", {"listed": True})
    asked = asker.post(f"/groups/{group['id']}/join-requests", {}).json()
    owner.put(f"/groups/{group['id']}/join-requests/{asked['id']}/answer", {"accepted": False})
    page = theirs.page
    page.goto("/groups/find")
    theirs.see(page.get_by_text(words["again"]))
    expect(page.get_by_role("button", name=words["ask"])).to_have_count(0)
    theirs.settle()
    assert examine(theirs, f"declined-{language}", pictures) == []
    # Whoever is away for a month is signed out.
    for now in ("2026-12-10T03:05:00Z", "2026-12-21T03:05:01Z"):
        clock.set(now)
        page.reload()
        theirs.settle()
    theirs.see(page.get_by_role("button", name=words["ask"]))


def test_a_request_is_withdrawn_also_when_the_group_is_no_longer_listed(town, pictures):
    (_, theirs), (owner, asker, _), group, words, language = town
    owner.patch(f"/groups/{group['id']}", {"listed": True})
    page = theirs.page
    for path in ("/groups/find", "/groups"):
        asker.post(f"/groups/{group['id']}/join-requests", {})
        if path == "/groups":
            owner.patch(f"/groups/{group['id']}", {"listed": False})
        page.goto(path)
        page.get_by_role("button", name=words["withdraw"]).click()
        theirs.see(page.get_by_text(words["withdraw_ask"]))
        assert examine(theirs, f"withdraw-{path.rsplit('/', maxsplit=1)[-1]}-{language}", pictures) == []
        page.get_by_role("button", name=words["withdraw"]).click()
        theirs.see(page.get_by_text(words["withdrawn"]))
        expect(page.get_by_text(words["asked"])).to_be_hidden()
        expect(page.get_by_role("main")).to_be_focused()
        assert asker.get("/me/join-requests").json()["items"] == []
