"""Looking after the service: a report on a board, the site admins' pages, and what a suspended person reads."""

import re

import pytest
from person import Person
from playwright.sync_api import expect
from test_pages import examine
from visitor import Visitor

WORDS = {
    "ko": {
        "flag": "김하늘 님 신고하기", "reason": "무엇이 이상한가요", "send": "신고 보내기", "sent": "신고를 보냈어요.",
        "twice": "이미 신고한 사람이에요.", "admin": "관리", "answer": "김하늘 님에 대한 신고에 답하기", "say": "답", "give": "답하기",
        "none": "답을 기다리는 신고가 없어요.", "all": "모두", "suspend": "김하늘 님 순위 정지", "why": "사유", "submit": "순위 정지",
        "off": "전체 순위에서 정지됐어요", "reply": "답하기", "mine": "하고 싶은 말", "post": "보내기", "again": "답 수정",
        "people": "사람", "find": "사람 찾기", "one": "1명", "lift": "김하늘 님 정지 해제", "sure": "정지 해제", "over": "끝남", "mail": "메일",
        "audit": "활동 기록", "figures": "통계", "failed": "실패", "try": "지금 다시 보내기", "letin": "가입·로그인 돕기", "address": "이메일 주소",
        "onway": "링크가 담긴 메일을 보내고 있어요.", "in": "링크 만들기", "kind": "무슨 일", "missing": "여기에는 아무것도 없어요", "told": "관리자가 내 신고에 답했어요: “확인했어요”",
    },
    "en": {
        "flag": "Report 김하늘", "reason": "What is wrong", "send": "Send report", "sent": "Report sent.",
        "twice": "You have reported this person already.", "admin": "Admin", "answer": "Answer the report about 김하늘", "say": "Your answer", "give": "Answer",
        "none": "No reports are waiting for an answer.", "all": "All", "suspend": "Suspend 김하늘", "why": "Reason", "submit": "Suspend",
        "off": "You are suspended from the global board", "reply": "Reply", "mine": "Your reply", "post": "Send", "again": "Edit reply",
        "people": "People", "find": "Find someone", "one": "1 person", "lift": "Reinstate 김하늘", "sure": "Reinstate", "over": "ended", "mail": "Email",
        "audit": "Activity log", "figures": "Figures", "failed": "Failed", "try": "Try again now", "letin": "Let someone in", "address": "Email address",
        "onway": "An email with the link is on its way", "in": "Let in", "kind": "What", "missing": "There is nothing here", "told": "An admin answered your report: “확인했어요”",
    },
}  # fmt: skip


@pytest.fixture(params=["ko", "en"])
def town(request, service, clock, chromium):
    """A site admin, a reader, and somebody on the global board; each with a browser."""
    language = request.param
    clock.set("2026-11-21T03:00:00Z")
    with Person(service) as warden, Person(service) as reader, Person(service) as leader:
        for person, nickname in ((warden, "지킴이"), (reader, "도담"), (leader, "김하늘")):
            person.register(nickname=nickname, locale=language)
        service.cluster.sql("SELECT make_site_admin(%s, 'the operator') IS NULL", warden.uid)
        for person in (reader, leader):
            person.patch("/me", {"global_board": True})
            person.start()
        clock.advance(3600)
        reader.post("/me/timer/stop")
        clock.advance(36000 if language == "ko" else 37000)
        leader.post("/me/timer/stop")
        visitors = []
        for nickname, person in (("지킴이", warden), ("도담", reader), ("김하늘", leader)):
            visitors.append(Visitor(service, chromium, nickname, language))
            visitors[-1].sign_in(person.email)
        yield *visitors, WORDS[language], language, leader
        for visitor in visitors:
            visitor.leave()


def look_at(visitor, name, pictures):
    visitor.settle()
    assert examine(visitor, name, pictures) == []


def test_a_report_is_made_answered_and_leads_to_a_suspension_that_is_told(town, pictures):
    warden, reader, leader, words, language, _ = town
    page = reader.page
    page.goto("/board")
    flag = page.get_by_role("button", name=words["flag"]).first
    look_at(reader, f"report-board-{language}", pictures)
    flag.focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name=words["send"]).click()
    expect(dialog.get_by_label(words["reason"])).to_have_attribute("aria-invalid", "true")
    dialog.get_by_label(words["reason"]).fill("하루 종일 타이머가 켜져 있어요.")
    look_at(reader, f"sheet-report-{language}", pictures)
    dialog.get_by_role("button", name=words["send"]).click()
    expect(dialog).to_have_count(0)
    expect(page.get_by_role("status").filter(has_text=words["sent"])).to_have_count(1)
    flag.click()
    dialog.get_by_label(words["reason"]).fill("또요")
    dialog.get_by_role("button", name=words["send"]).click()
    expect(dialog.get_by_text(words["twice"])).to_be_visible()

    page = warden.page
    page.goto("/home")
    page.get_by_role("link", name=words["admin"], exact=True).click()
    expect(page.get_by_text("하루 종일 타이머가 켜져 있어요.")).to_be_visible()
    leader.page.goto("/board")
    expect(leader.page.locator("#me")).to_be_visible()
    look_at(warden, f"admin-reports-{language}", pictures)
    page.get_by_role("button", name=words["answer"]).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label(words["say"], exact=True).fill("확인했어요")
    dialog.get_by_role("button", name=words["give"]).click()
    expect(page.get_by_text(words["none"])).to_be_visible()
    expect(page.locator("#reports")).to_be_focused()
    page.get_by_text(words["all"], exact=True).click()
    expect(page.locator("blockquote").filter(has_text="확인했어요").first).to_be_visible()
    page.get_by_role("button", name=words["suspend"]).first.click()
    dialog.get_by_label(words["why"], exact=True).fill("쉬지 않고 열 시간이에요.\n어떻게 된 일인가요?")
    look_at(warden, f"sheet-service-suspension-{language}", pictures)
    dialog.get_by_role("button", name=words["submit"], exact=True).click()
    expect(dialog).to_have_count(0)

    page = reader.page
    page.goto("/activity")
    expect(page.get_by_text(words["told"])).to_be_visible()

    # The board is open meanwhile, and asks for news every few seconds.
    page = leader.page
    page.evaluate("dispatchEvent(new Event('online'))")
    expect(page.get_by_role("heading", name=words["off"])).to_be_visible(timeout=20_000)
    expect(page.locator("#me")).to_have_count(0)
    look_at(leader, f"service-suspended-{language}", pictures)
    page.get_by_role("button", name=words["reply"], exact=True).click()
    page.get_by_role("dialog").get_by_label(words["mine"]).fill("시험 기간이었어요.")
    page.get_by_role("dialog").get_by_role("button", name=words["post"], exact=True).click()
    expect(page.get_by_role("button", name=words["again"])).to_be_visible()
    expect(page.locator("#suspended")).to_be_focused()

    page = warden.page
    page.get_by_role("link", name=words["people"], exact=True).click()
    expect(page.locator("blockquote").filter(has_text="시험 기간이었어요.").first).to_be_visible()
    look_at(warden, f"admin-people-{language}", pictures)
    page.get_by_role("button", name=words["lift"]).first.click()
    page.get_by_role("button", name=words["sure"], exact=True).click()
    expect(page.locator("#suspensions")).to_be_focused()
    expect(page.get_by_role("button", name=words["lift"])).to_have_count(0)
    leader.page.evaluate("dispatchEvent(new Event('online'))")
    expect(leader.page.get_by_role("heading", name=words["off"])).to_have_count(0, timeout=20_000)
    expect(leader.page.locator("#me")).to_be_visible(timeout=20_000)


def test_the_other_parts_find_people_let_them_in_and_show_mails_the_audit_and_figures(town, service, pictures):
    warden, _, _, words, language, leader = town
    page = warden.page
    service.cluster.sql(
        "INSERT INTO mail_outbox (kind, to_address, attempts, dead_at, last_error)"
        " VALUES ('password_changed', %s, 8, anthill_clock(), '550 no such mailbox')", leader.email)  # fmt: skip
    page.goto("/admin/people")
    page.get_by_label(words["find"]).fill(leader.email)
    expect(page.get_by_text(words["one"], exact=True)).to_be_visible()
    page.get_by_role("button", name=words["letin"]).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label(words["address"]).fill("newcomer@example.org")
    dialog.get_by_role("button", name=words["in"], exact=True).click()
    expect(dialog.get_by_text(words["onway"]).first).to_be_visible()
    page.keyboard.press("Escape")

    page.get_by_role("link", name=words["mail"], exact=True).click()
    page.get_by_text(words["failed"], exact=True).click()
    expect(page.get_by_text("550 no such mailbox").first).to_be_visible()
    look_at(warden, f"admin-mail-{language}", pictures)
    page.get_by_role("button", name=words["try"]).first.click()
    expect(page.get_by_text("550 no such mailbox")).to_have_count(0)

    page.get_by_role("link", name=words["audit"], exact=True).click()
    events = page.locator("[aria-labelledby=audit] .set > li")
    expect(events.first).to_be_visible()
    look_at(warden, f"admin-audit-{language}", pictures)
    page.get_by_label(words["kind"], exact=True).select_option("mail_sent_again")
    expect(events.first).to_contain_text("지킴이")
    assert "undefined" not in page.locator("main").inner_text()

    page.get_by_role("link", name=words["figures"], exact=True).click()
    expect(page.locator(".figures dd")).to_have_count(11)
    expect(page.locator(".figures dd").first).to_have_text(re.compile(r"^[\d,.]+$"))
    look_at(warden, f"admin-figures-{language}", pictures)

    # On a phone the parts are one row, which scrolls to the one that is open.
    page.set_viewport_size({"width": 320, "height": 640})
    page.reload()
    parts = page.locator(".admin-parts a")
    expect(parts).to_have_count(5)
    assert len(set(parts.evaluate_all("(all) => all.map((each) => each.offsetTop)"))) == 1
    expect(page.locator(".admin-parts [aria-current]")).to_be_in_viewport(ratio=0.9)


def test_nobody_else_finds_the_pages(town):
    _, reader, _, words, _, _ = town
    page = reader.page
    page.goto("/home")
    expect(page.get_by_role("link", name=words["admin"], exact=True)).to_have_count(0)
    for path in ("/admin", "/admin/people", "/admin/nothing"):
        page.goto(path)
        expect(page.get_by_role("heading", name=words["missing"])).to_be_visible()
