"""Mail on the pages: a kind of mail that is turned off by its link, and an address that takes no mail."""

import os
import re

import pytest
from playwright.sync_api import expect
from service import wait_until
from test_pages import examine, violations
from visitor import Visitor

WORDS = {
    "ko": {
        "kind": "켜 둔 타이머 알림 메일",
        "stop": "이 메일 그만 받기",
        "done": "이 메일은 더 보내지 않아요",
        "gone": "이 링크는 쓸 수 없어요",
        "refused": "주소로 메일이 가지 않아요",
        "again": "다시 시도",
        "arrives": "이제 메일이 잘 도착해요.",
    },
    "en": {
        "kind": "Email about a forgotten timer",
        "stop": "Stop this mail",
        "done": "You will get no more of this mail",
        "gone": "This link does not work",
        "refused": "Mail does not reach",
        "again": "Try again",
        "arrives": "Mail arrives again.",
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


def test_the_link_in_a_mail_turns_that_mail_off_without_a_sign_in(visitor, service, clock, pictures):
    words = WORDS[visitor.language]
    visitor.open_account()
    visitor.button("start").click()
    visitor.see(visitor.button("pause"))
    clock.advance(7 * 3600)
    service.cluster.sql("SELECT mail_about_unattended_timers()")
    letters = wait_until(lambda: found if len(found := service.letters(visitor.email)) == 2 else None)
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


def test_letters_are_well_made_on_phones_and_wide_screens_light_and_dark(visitor, service, clock, pictures):
    visitor.open_account()
    visitor.button("start").click()
    visitor.see(visitor.button("pause"))
    clock.advance(7 * 3600)
    service.cluster.sql("SELECT mail_about_unattended_timers()")
    letters = wait_until(lambda: found if len(found := service.letters(visitor.email)) == 2 else None)
    page = visitor.page
    for number, letter in enumerate(letters):
        page.goto("about:blank")
        page.set_content(letter.get_body(("html",)).get_content())
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            for width in (320, 390, 1280):
                page.set_viewport_size({"width": width, "height": 800})
                assert page.evaluate("document.documentElement.scrollWidth") <= width
            if "ANTHILL_TEST_PICTURES" in os.environ:
                page.screenshot(path=pictures / f"letter-{number}-{visitor.language}-{scheme}.png", full_page=True)
            assert violations(page, {"runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa"]}}) == []
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
