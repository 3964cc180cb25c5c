"""Keyboard shortcuts: what each does, when they are silent, the list of all, and the switch that turns them off."""

import pytest
from playwright.sync_api import expect
from test_pages import examine
from visitor import Visitor


@pytest.fixture
def mina(service, chromium, clock):
    visitor = Visitor(service, chromium, "Mina", "en")
    visitor.open_account()
    yield visitor
    visitor.leave()


def press_hangul(page, code):
    """Presses a key as a Korean keyboard does, which writes another letter with it."""
    page.evaluate(
        "code => document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'ㄴ', code, bubbles: true, cancelable: true }))", code
    )


def test_one_key_starts_rests_and_finishes(mina, pictures):
    keys, page = mina.page.keyboard, mina.page
    mina.see(mina.button("start"))
    # Where there is nothing to do, the space bar scrolls.
    page.set_viewport_size({"width": 1280, "height": 400})
    keys.press("Space")
    page.wait_for_function("scrollY > 0")
    keys.press("s")
    mina.see(mina.button("pause"))
    keys.press("s")
    keys.press("Space")
    mina.see(mina.button("resume"))
    keys.press("Space")
    mina.see(mina.button("pause"))
    keys.press("f")
    mina.see(mina.button("start"))
    press_hangul(page, "KeyS")
    mina.see(mina.button("pause"))

    keys.press("l")
    mina.see(page.get_by_role("dialog", name=mina.words["log"]))
    # A sheet is open, and then somebody types.
    keys.press("f")
    keys.press("Escape")
    mina.settle()
    mina.see(mina.button("pause"))
    page.goto("/settings")
    mina.field("nickname").press("3")
    assert page.url.endswith("/settings")
    page.locator("main").press("4")
    page.wait_for_url("**/tasks")


def test_all_are_in_a_list_and_can_be_turned_off(mina, pictures):
    keys, page = mina.page.keyboard, mina.page
    page.goto("/settings")
    page.get_by_role("button", name="Show", exact=True).click()
    sheet = mina.see(page.get_by_role("dialog", name="Keyboard shortcuts"))
    expect(sheet.get_by_role("listitem")).to_have_count(11)
    mina.settle()
    assert examine(mina, "sheet-shortcuts", pictures) == []
    sheet.get_by_role("switch", name="Use shortcuts").uncheck()
    keys.press("Escape")
    keys.press("4")
    keys.press("?")
    page.go_back()
    mina.see(mina.button("start"))
    keys.press("s")
    mina.settle()
    mina.see(mina.button("start"))

    page.goto("/settings")
    page.get_by_role("button", name="Show", exact=True).click()
    sheet.get_by_role("switch", name="Use shortcuts").check()
    keys.press("Escape")
    keys.press("?")
    # A shortcut of the list can be pressed there, too.
    sheet.get_by_role("button", name="Calendar").click()
    page.wait_for_url("**/calendar")
