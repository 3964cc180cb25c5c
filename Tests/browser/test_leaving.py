"""Leaving the service on the pages: what it says, what it asks, and coming back."""

import re

import pytest
from playwright.sync_api import expect
from test_pages import examine
from visitor import PASSWORD, Visitor

TEXT = {
    "en": {
        "open": "Delete account", "goes": "What is deleted", "stays": "What stays", "next": "What happens then", "sure": "Delete my account and all my records",
        "submit": "Delete my account", "owner": "Some groups need another owner first", "due": "Your account will be deleted",
        "keep": "Keep my account", "kept": "Your account stays", "go_on": "Continue", "gone": "The email address or the password is wrong.",
        "wrong": "The current password is wrong.", "first": "Please turn this on first.", "at": re.compile(r"27 November at 12:01"),
    },
    "ko": {
        "open": "계정 삭제", "goes": "삭제되는 것", "stays": "남는 것", "next": "그다음에는", "sure": "내 계정과 모든 기록을 삭제할게요",
        "submit": "내 계정 삭제", "owner": "먼저 모임장을 정해 주세요", "due": "계정이 곧 삭제돼요",
        "keep": "계정 그대로 두기", "kept": "계정이 그대로 남았어요", "go_on": "계속하기", "gone": "이메일이나 비밀번호가 맞지 않아요.",
        "wrong": "지금 비밀번호가 맞지 않아요.", "first": "먼저 켜서 확인해 주세요.", "at": re.compile("11월 27일 12:01"),
    },
}  # fmt: skip


@pytest.fixture(params=["en", "ko"])
def leaver(request, service, clock, chromium):
    visitor = Visitor(service, chromium, "하늘", request.param).have_account()
    yield visitor
    visitor.leave()


def heading(visitor, name):
    return visitor.see(visitor.page.get_by_role("heading", name=name, exact=True))


def ask(visitor, text, password=PASSWORD):
    """Fills the form in and sends it with the keyboard alone."""
    visitor.field("password").focus()
    keys = visitor.page.keyboard
    keys.type(password)
    keys.press("Tab")
    if not visitor.page.get_by_label(text["sure"]).is_checked():
        keys.press("Space")
    keys.press("Tab")
    expect(visitor.page.get_by_role("button", name=text["submit"], exact=True)).to_be_focused()
    keys.press("Enter")


def sign_in(visitor, password=PASSWORD):
    visitor.page.goto("/sign-in")
    visitor.field("email").fill(visitor.email)
    visitor.field("password").fill(password)
    visitor.button("sign_in").click()


def test_leaving_and_coming_back_by_the_button_and_by_signing_in(leaver, clock, service, pictures):
    text, page = TEXT[leaver.language], leaver.page
    leaver.go_home()
    leaver.button("start").click()
    leaver.see(leaver.button("stop"))
    page.goto("/settings")
    page.get_by_role("link", name=text["open"], exact=True).click()
    heading(leaver, text["open"])
    for part in ("goes", "stays", "next"):
        heading(leaver, text[part])
    leaver.settle()
    assert examine(leaver, f"leave-{leaver.language}", pictures) == []

    leaver.field("password").fill(PASSWORD)
    page.get_by_role("button", name=text["submit"], exact=True).click()
    leaver.see(page.get_by_text(text["first"]))
    ask(leaver, text, "not my password")
    leaver.see(page.get_by_text(text["wrong"]))
    leaver.field("password").fill("")
    clock.advance(60)
    ask(leaver, text)
    heading(leaver, text["due"])
    leaver.see(page.get_by_text(text["at"]))
    assert examine(leaver, f"leave-due-{leaver.language}", pictures) == []
    page.goto("/home")
    heading(leaver, text["due"])
    page.get_by_role("button", name=text["keep"], exact=True).click()
    leaver.see(page.get_by_role("timer"))
    leaver.see(leaver.button("start"))

    clock.advance(120)
    page.goto("/leave")
    ask(leaver, text)
    heading(leaver, text["due"])
    leaver.button("sign_out").click()
    page.wait_for_url("**/")
    sign_in(leaver)
    heading(leaver, text["kept"])
    assert examine(leaver, f"leave-kept-{leaver.language}", pictures) == []
    page.get_by_role("button", name=text["go_on"], exact=True).click()
    leaver.see(page.get_by_role("timer"))

    clock.advance(120)
    page.goto("/leave")
    ask(leaver, text)
    heading(leaver, text["due"])
    clock.advance(7 * 86400)
    page.goto("/home")
    page.wait_for_url("**/sign-in?next=*")
    sign_in(leaver)
    leaver.see(page.get_by_text(text["gone"]))


def test_the_only_owner_is_led_to_the_group(leaver, pictures):
    text, page = TEXT[leaver.language], leaver.page
    group = leaver.found_group("Larks")
    page.goto("/leave")
    ask(leaver, text)
    leaver.see(page.get_by_text(text["owner"]))
    leaver.settle()
    assert examine(leaver, f"leave-owner-{leaver.language}", pictures) == []
    page.get_by_role("link", name="Larks").click()
    page.wait_for_url(group)
