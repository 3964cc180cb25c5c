"""One's own badge: made, changed and turned off in the settings, and shown without a script."""

import httpx
import pytest
from playwright.sync_api import expect
from test_pages import examine
from visitor import Visitor

WORDS = {
    "en": {"card": "Your badge", "make": "Make a badge", "address": "Address", "week": "Week", "today": "Today", "saved": "Saved",
           "change": "Change the address", "end": "Turn off", "ended": "The badge is off.", "copy": "Copy the HTML", "copied": "Copied.",
           "alt": "Badge of Dodam", "html": "HTML"},
    "ko": {"card": "내 배지", "make": "배지 만들기", "address": "주소", "week": "이번 주", "today": "오늘", "saved": "저장",
           "change": "주소 바꾸기", "end": "끄기", "ended": "배지를 껐어요.", "copy": "HTML 복사", "copied": "복사했어요.",
           "alt": "Dodam 배지", "html": "HTML"},
}  # fmt: skip
SHOWN = {"en": ["of study this week", "of study today"], "ko": ["이번 주에 공부한 시간", "오늘 공부한 시간"]}


def picture(address, language):
    return httpx.get(address, params={"locale": language}, trust_env=False)


@pytest.mark.parametrize("language", ["ko", "en"])
def test_a_badge_is_made_chosen_copied_and_turned_off(service, chromium, pictures, language):
    words = WORDS[language]
    visitor = Visitor(service, chromium, "Dodam", language, permissions=["clipboard-read", "clipboard-write"]).open_account()
    page = visitor.page
    page.goto("/settings")
    card = page.get_by_role("region", name=words["card"])
    visitor.see(card.get_by_role("button", name=words["make"]))
    assert examine(visitor, f"own-badge-none-{language}", pictures) == []
    expect(card.get_by_role("radio")).to_have_count(3)
    # What is chosen before there is a badge is what it is made with.
    card.get_by_text(words["week"], exact=True).click()
    card.get_by_role("button", name=words["make"]).click()
    address = visitor.see(card.get_by_label(words["address"], exact=True))
    first = address.input_value()
    assert SHOWN[language][0] in picture(first, language).text
    shown = card.get_by_role("img", name=words["alt"])
    expect(shown).to_have_js_property("naturalWidth", 400)
    assert examine(visitor, f"own-badge-{language}", pictures) == []
    card.get_by_role("button", name=words["copy"], exact=True).click()
    expect(card.get_by_text(words["copied"])).to_be_visible()
    html = page.evaluate("navigator.clipboard.readText()")
    assert html == f'<img src="{first}" alt="Dodam" width="400">' == card.get_by_label(words["html"], exact=True).input_value()
    # The address stays while it shows something else.
    card.get_by_text(words["today"], exact=True).click()
    expect(page.locator(".toast")).to_contain_text(words["saved"])
    assert SHOWN[language][1] in picture(first, language).text
    page.reload()
    expect(card.get_by_role("radio", name=words["today"])).to_be_checked()
    for _ in range(2):
        card.get_by_role("button", name=words["change"]).last.click()
    second = visitor.see(address).input_value()
    assert (picture(first, language).status_code, picture(second, language).status_code) == (404, 200)
    for _ in range(2):
        card.get_by_role("button", name=words["end"], exact=True).last.click()
    expect(page.get_by_role("status").filter(has_text=words["ended"])).to_have_count(1)
    expect(shown).to_have_count(0)
    assert picture(second, language).status_code == 404
    visitor.leave()
