"""Mail on the pages: a kind of mail that is turned off by its link, and an address that takes no mail."""

import re

import pytest
from playwright.sync_api import expect
from service import wait_until
from test_pages import examine, violations
from visitor import Visitor, take_picture

WORDS = {
    "ko": {
        "kind": "켜 둔 타이머 알림 메일",
        "stop": "이 메일 그만 받기",
        "done": "이 메일은 더 보내지 않아요",
        "gone": "이 링크는 쓸 수 없어요",
        "refused": "주소로 메일이 가지 않아요",
        "again": "다시 시도",
        "arrives": "메일 서버가 메일을 받았어요. 메일함을 확인해 주세요.",
    },
    "en": {
        "kind": "Email about a forgotten timer",
        "stop": "Stop this email",
        "done": "You will get no more of this email",
        "gone": "This link does not work",
        "refused": "Email does not reach",
        "again": "Try again",
        "arrives": "The mail server took the email. Look for it in your mailbox.",
    },
}


@pytest.fixture(params=["ko", "en"])
def visitor(request, service, chromium):
    visitor = Visitor(service, chromium, "Dodam", request.param)
    yield visitor
    visitor.leave()


def look_at(visitor, name, pictures):
    visitor.settle()
    assert examine(visitor, f"{name}-{visitor.language}", pictures) == []


def letters_about_a_timer(visitor, service, clock):
    """The letters of somebody who registers and then leaves a timer running."""
    visitor.open_account_by_mail()
    visitor.button("start").click()
    visitor.see(visitor.button("pause"))
    clock.advance(7 * 3600)
    service.cluster.sql("SELECT tell_of_unattended_timers()")
    return wait_until(lambda: found if len(found := service.letters(visitor.email)) == 2 else None)


def test_the_link_in_a_mail_turns_that_mail_off_without_a_sign_in(visitor, service, clock, pictures):
    words = WORDS[visitor.language]
    letters = letters_about_a_timer(visitor, service, clock)
    link = re.search(r"\S+/unsubscribe/\S+", letters[1].get_body(("plain",)).get_content())[0]
    visitor.context.clear_cookies()
    visitor.page.goto(link)
    visitor.see(visitor.page.get_by_role("heading", level=1, name=words["kind"]))
    look_at(visitor, "unsubscribe", pictures)
    visitor.page.get_by_role("button", name=words["stop"]).press("Enter")
    visitor.see(visitor.page.get_by_role("heading", level=1, name=words["done"]))
    look_at(visitor, "unsubscribe-done", pictures)
    visitor.sign_in(visitor.email)
    visitor.page.goto("/settings")
    expect(visitor.page.get_by_role("switch", name=words["kind"])).not_to_be_checked()


def look_at_letters(visitor, letters, pictures):
    """Shows the letters on phones and wide screens, light and dark."""
    page = visitor.page
    for letter in letters:
        page.goto("about:blank")
        page.set_content(letter.get_body(("html",)).get_content())
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            for width in (320, 390, 1280):
                page.set_viewport_size({"width": width, "height": 800})
                assert page.evaluate("document.documentElement.scrollWidth") <= width
            take_picture(page, pictures / f"letter-{letter['subject']}-{scheme}.png".replace("/", "-"), full_page=True)
            assert violations(page, {"runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa"]}}) == []


def test_letters_are_well_made(visitor, service, clock, pictures):
    look_at_letters(visitor, letters_about_a_timer(visitor, service, clock), pictures)
    visitor.go_home()


def test_a_link_that_is_not_whole_says_so(visitor, pictures):
    words = WORDS[visitor.language]
    visitor.page.goto("/unsubscribe/digest_mail/abc")
    visitor.page.get_by_role("button", name=words["stop"]).click()
    visitor.see(visitor.page.get_by_role("heading", name=words["gone"]))
    # The server's answer is what the page is about.
    visitor.complaints.clear()
    look_at(visitor, "unsubscribe-gone", pictures)


def test_an_address_that_takes_no_mail_is_told_and_tried_again(visitor, service, clock, pictures):
    words = WORDS[visitor.language]
    visitor.open_account()
    clock.advance(120)
    service.cluster.sql("SELECT note_refused_address(%s, 550)", visitor.email)
    for path in ("/home", "/settings"):
        visitor.page.goto(path)
        visitor.see(visitor.page.get_by_text(words["refused"]))
        look_at(visitor, f"mail-refused{path.replace('/', '-')}", pictures)
    visitor.page.get_by_role("button", name=words["again"]).click()
    visitor.see(visitor.page.locator(".notice").get_by_text(words["arrives"]))
    visitor.page.reload()
    visitor.see(visitor.page.locator("main h1"))
    expect(visitor.page.get_by_text(words["refused"])).to_have_count(0)
