"""Fair play: an admin sees signals and suspends a member, who reads why and replies; the admin reinstates them."""

import re

import pytest
from person import Person
from playwright.sync_api import expect
from test_groups import enter
from test_pages import examine
from visitor import Visitor

WORDS = {
    "ko": {
        "page": "공정한 순위", "share": "100%를 직접 입력했어요.", "look": "김하늘 님의 시간 살펴보기", "number": "김하늘 님의 시간 계산 내역",
        "suspend": "김하늘 님 순위 정지", "choose": "순위 정지", "who": "누구를", "reason": "사유", "until": "언제까지", "three": "3일", "back": "11월 24일 05:00에 순위로 돌아와요.",
        "submit": "순위 정지", "off": "이 모임의 순위에서 정지됐어요", "until_then": "11월 24일 05:00에 순위로 돌아와요.", "by": "도담 님이 적은 사유:", "answer": "답하기", "change": "답 수정",
        "chip": "순위 정지 중", "say": "하고 싶은 말", "send": "보내기", "mine": "내 시간 보기", "unranked": "이 순위에는 없어요.", "lift": "김하늘 님 정지 해제", "sure": "정지 해제",
        "over": "끝남", "done": "도담 님이 김하늘 님의 정지를 해제했어요.", "none": "10월에는 눈에 띄는 것이 없어요.", "before": "10월",
        "find": "별명으로 찾기", "found": "11명을 찾았어요.", "nobody": "그런 별명을 가진 사람이 없어요.", "members": "함께하는 사람", "manage": "김하늘 님 관리",
    },
    "en": {
        "page": "Fair play", "share": "100% was added by hand.", "look": "Look closer at 김하늘", "number": "How 김하늘's time adds up",
        "suspend": "Suspend 김하늘", "choose": "Suspend", "who": "Who", "reason": "Reason", "until": "Until", "three": "3 days", "back": "Back on the boards on 24 November at 05:00.",
        "submit": "Suspend", "off": "You are suspended from this group's boards", "until_then": "You are back on 24 November at 05:00.", "by": "Reason given by 도담:", "answer": "Reply", "change": "Edit reply",
        "chip": "Suspended from the boards", "say": "Your reply", "send": "Send", "mine": "See my time", "unranked": "Not on this board", "lift": "Reinstate 김하늘", "sure": "Reinstate",
        "over": "ended", "done": "도담 reinstated 김하늘.", "none": "Nothing stands out in October 2026.", "before": "October",
        "find": "Find by nickname", "found": "11 members found.", "nobody": "Nobody has that nickname.", "members": "Members", "manage": "Manage 김하늘",
    },
}  # fmt: skip


@pytest.fixture(params=["ko", "en"])
def both(request, service, clock, chromium):
    """An owner and a member of a group with eleven hours by hand, each at the group's page."""
    language = request.param
    clock.set("2026-11-21T03:00:00Z")
    with Person(service) as owner, Person(service) as member, Person(service) as third:
        for person, nickname in ((owner, "도담"), (member, "김하늘"), (third, "민서")):
            person.register(nickname=nickname, locale=language)
        group = owner.found_group("새벽 다섯시 스터디")
        code = owner.invite(group)["code"]
        for person in (member, third):
            person.join(code)
        owner.log("2026-11-20T20:00:00Z", "2026-11-20T23:00:00Z")
        member.log("2026-11-20T12:00:00Z", "2026-11-20T23:00:00Z")
        admin = enter(Visitor(service, chromium, "도담", language), owner, group)
        reader = enter(Visitor(service, chromium, "김하늘", language), member, group)
        yield admin, reader, WORDS[language], group, language
        admin.leave()
        reader.leave()


def names(visitor):
    return [row[1] for row in visitor.board()]


def look_at(visitor, name, pictures):
    visitor.settle()
    assert examine(visitor, name, pictures) == []


def test_a_suspended_member_replies_and_is_reinstated(both, clock, pictures):
    admin, reader, words, group, language = both
    page = admin.page
    assert names(reader) == ["김하늘", "도담", "민서"]
    page.get_by_role("link", name=words["page"]).click()
    expect(page.get_by_role("heading", level=1, name=words["page"])).to_be_visible()
    expect(page.get_by_text(words["share"])).to_be_visible()
    look_at(admin, f"fairness-signals-{language}", pictures)
    page.get_by_role("button", name=words["look"]).click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("heading", name=words["number"])).to_be_visible()
    expect(dialog.locator(".sum .total")).to_contain_text("11:00:00")
    page.keyboard.press("Escape")

    page.get_by_role("button", name=words["suspend"]).click()
    expect(dialog.get_by_label(words["who"])).to_have_value(re.compile("."))
    assert dialog.get_by_label(words["who"]).evaluate("list => list.selectedOptions[0].text") == "김하늘"
    dialog.get_by_role("button", name=words["three"]).click()
    expect(dialog.get_by_role("button", name=words["three"])).to_have_attribute("aria-pressed", "true")
    expect(dialog.get_by_text(words["back"])).to_be_visible()
    dialog.get_by_role("button", name=words["submit"]).click()
    expect(dialog.get_by_label(words["reason"])).to_have_attribute("aria-invalid", "true")
    dialog.get_by_label(words["reason"]).fill("하루 열한 시간을 한꺼번에 적었어요.\n어떻게 된 일인가요?")
    look_at(admin, f"sheet-suspend-{language}", pictures)
    dialog.get_by_role("button", name=words["submit"]).click()
    expect(dialog).to_have_count(0)
    expect(page.locator("#suspensions")).to_be_focused()
    expect(page.locator("[aria-labelledby=suspensions] blockquote")).to_have_text(
        "하루 열한 시간을 한꺼번에 적었어요.\n어떻게 된 일인가요?"
    )

    # The member's open page shows it without a reload.
    clock.advance(60)
    mine = reader.page
    expect(mine.get_by_role("heading", name=words["off"])).to_be_visible()
    expect(mine.locator(".suspended")).to_contain_text(words["until_then"])
    expect(mine.locator(".suspended")).to_contain_text(words["by"])
    expect(mine.locator("table.board tbody tr")).to_have_count(2)
    assert names(reader) == ["도담", "민서"]
    look_at(reader, f"suspended-{language}", pictures)
    mine.goto("/home")
    mine.get_by_role("link", name=words["chip"]).click()
    mine.get_by_role("button", name=words["mine"]).click()
    expect(mine.get_by_role("dialog")).to_contain_text(words["unranked"])
    expect(mine.get_by_role("dialog").locator(".sum .total")).to_contain_text("11:00:00")
    mine.keyboard.press("Escape")
    mine.get_by_role("button", name=words["answer"], exact=True).click()
    mine.get_by_label(words["say"]).fill("캠프에 있었어요.\n선생님께 물어봐 주세요.")
    look_at(reader, f"sheet-answer-{language}", pictures)
    mine.get_by_role("button", name=words["send"]).click()
    expect(mine.get_by_role("button", name=words["change"])).to_be_visible()
    expect(mine.locator("#suspended")).to_be_focused()
    expect(mine.locator(".suspended blockquote").nth(1)).to_have_text("캠프에 있었어요.\n선생님께 물어봐 주세요.")

    clock.advance(60)
    page.reload()
    expect(page.locator("[aria-labelledby=suspensions] blockquote").nth(1)).to_have_text("캠프에 있었어요.\n선생님께 물어봐 주세요.")
    look_at(admin, f"fairness-{language}", pictures)
    page.get_by_role("button", name=words["lift"]).click()
    page.locator(".ask").get_by_role("button", name=words["sure"]).click()
    expect(page.locator("[aria-labelledby=suspensions] .chip")).to_have_text(words["over"])
    expect(page.locator("[aria-labelledby=audit] li").first).to_contain_text(words["done"])
    # An invitation and two who joined by it; suspended, answered, let back.
    expect(page.locator("[aria-labelledby=audit] li")).to_have_count(6)
    expect(mine.get_by_role("heading", name=words["off"])).to_have_count(0)
    expect(mine.locator("table.board tbody tr")).to_have_count(3)
    assert names(reader) == ["김하늘", "도담", "민서"]

    page.get_by_role("link", name=re.compile(words["before"])).click()
    expect(page.get_by_text(words["none"])).to_be_visible()


def test_the_list_of_members_leads_to_the_suspension_of_one(both, pictures):
    admin, _, words, group, language = both
    page = admin.page
    page.get_by_role("button", name=words["members"], exact=True).click()
    page.get_by_role("button", name=words["manage"]).click()
    look_at(admin, f"sheet-manage-{language}", pictures)
    page.get_by_role("link", name=words["choose"], exact=True).click()
    sheet = admin.see(page.get_by_role("dialog", name=words["choose"]))
    assert sheet.get_by_label(words["who"]).evaluate("list => list.selectedOptions[0].text") == "김하늘"
    # Coming back here does not open it again.
    page.reload()
    admin.see(page.get_by_role("heading", level=1, name=words["page"]))
    admin.settle()
    expect(sheet).to_have_count(0)


def test_a_member_cannot_see_the_fairness_page(both, pictures):
    _, reader, words, group, language = both
    expect(reader.page.get_by_role("link", name=words["page"])).to_have_count(0)
    reader.page.goto(f"/groups/{group['id']}/fairness")
    expect(reader.page.locator("main .empty h1")).to_be_visible()
    expect(reader.page.get_by_text(words["page"])).to_have_count(0)
    look_at(reader, f"fairness-member-{language}", pictures)


def test_members_of_a_large_group_are_found_by_nickname(service, clock, both, pictures):
    admin, _, words, group, language = both
    clock.advance(60)
    service.cluster.sql(
        f"""
        WITH people AS MATERIALIZED (SELECT gen_random_uuid() AS uid, n FROM generate_series(1, 219) n),
        made AS (INSERT INTO users (uid, nickname) SELECT uid, 'Ant ' || n FROM people),
        studying AS (INSERT INTO students (uid) SELECT uid FROM people),
        mail AS (INSERT INTO user_emails (canonical, email, uid) SELECT uid || '@x.invalid', uid || '@x.invalid', uid FROM people),
        placed AS (INSERT INTO group_members (uid, group_id, role) SELECT uid, '{group["id"]}', 'member' FROM people RETURNING *),
        counted AS (
          INSERT INTO counted_under (uid, rules_id, from_month, until_month, time_zone, day_starts_at, daily_cap_seconds,
                                     manual_counts, is_global)
          SELECT p.uid, c.rules_id, c.from_month, c.until_month, c.time_zone, c.day_starts_at, c.daily_cap_seconds,
                 c.manual_counts, c.is_global
          FROM people p, group_members m JOIN counted_under c USING (uid) WHERE m.group_id = '{group["id"]}' AND m.role = 'owner'
        )
        INSERT INTO group_membership_history (uid, group_id, joined_at) SELECT uid, group_id, joined_at FROM placed
        """
    )
    page = admin.page
    page.goto(f"/groups/{group['id']}/fairness")
    asked = []
    page.on("request", lambda request: asked.append(request.url) if "/members" in request.url else None)
    page.get_by_role("button", name=words["choose"], exact=True).click()
    dialog = page.get_by_role("dialog")
    who = dialog.get_by_label(words["who"])
    expect(who.locator("option:enabled")).to_have_count(199)
    assert len(asked) == 1
    expect(who).to_have_value("")
    dialog.get_by_label(words["find"]).fill("ANT 21")
    expect(dialog.get_by_role("status").first).to_have_text(words["found"])
    expect(who.locator("option:enabled")).to_have_count(11)
    who.select_option(label="Ant 217")
    # The chosen member stays chosen while one types on.
    dialog.get_by_label(words["find"]).fill("217")
    expect(who.locator("option:enabled")).to_have_text(["Ant 217"])
    dialog.get_by_label(words["find"]).fill("17")
    expect(who.locator("option:checked")).to_have_text("Ant 217")
    look_at(admin, f"sheet-suspend-many-{language}", pictures)
    dialog.get_by_label(words["find"]).fill("nobody")
    expect(dialog.get_by_role("status").first).to_have_text(words["nobody"])
    dialog.get_by_label(words["reason"]).fill("x")
    dialog.get_by_role("button", name=words["submit"]).click()
    expect(who).to_have_attribute("aria-invalid", "true")
    dialog.get_by_label(words["find"]).fill("217")
    expect(who.locator("option:enabled")).to_have_count(1)
    who.select_option(label="Ant 217")
    dialog.get_by_role("button", name=words["submit"]).click()
    expect(dialog).to_have_count(0)
    expect(page.locator("[aria-labelledby=suspensions] .nick")).to_contain_text("Ant 217")

    page.goto(f"/groups/{group['id']}")
    page.get_by_role("button", name=words["members"]).click()
    expect(dialog.locator(".people > li")).to_have_count(100)
    listed = page.request.get(f"/api/v1/groups/{group['id']}/members?limit=100").json()["items"]
    # Sorted by nickname, each page of a hundred would begin with A again.
    expect(dialog.locator(".people .nick bdi")).to_have_text([each["nickname"] for each in listed])
    dialog.get_by_label(words["find"]).fill("nt 20")
    expect(dialog.locator(".people > li")).to_have_count(11)
    expect(dialog.get_by_role("status").first).to_have_text(words["found"])
    look_at(admin, f"sheet-members-many-{language}", pictures)
    dialog.get_by_label(words["find"]).fill("nobody")
    expect(dialog.get_by_role("status").first).to_have_text(words["nobody"])


def test_times_are_those_of_the_reader(service, clock, people, chromium):
    clock.set("2026-11-21T03:00:00Z")
    owner, member = people("Dodam"), people("Haneul")
    group = owner.found_group()
    member.join(owner.invite(group)["code"])
    body = {"uid": member.uid, "reason": "why", "until": "2026-11-27T20:00:00Z"}
    assert owner.post(f"/groups/{group['id']}/suspensions", body).status_code == 201
    abroad = Visitor(service, chromium, "Dodam", "en", zone="America/New_York")
    abroad.sign_in(owner.email)
    page = abroad.page
    page.goto(f"/groups/{group['id']}/fairness")
    expect(page.locator("[aria-labelledby=suspensions] li")).to_contain_text("27 November at 15:00")
    expect(page.locator("[aria-labelledby=audit] li").first).to_contain_text("20 November at 22:00")
    abroad.leave()
    suspended = enter(Visitor(service, chromium, "Haneul", "en", zone="America/New_York"), member, group)
    expect(suspended.page.locator(".suspended")).to_contain_text("27 November at 15:00")
    suspended.leave()
