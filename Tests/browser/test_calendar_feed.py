"""The secret address for a calendar: made, changed and turned off in the settings."""

import httpx
import pytest
from playwright.sync_api import expect
from test_pages import examine
from visitor import Visitor

WORDS = {
    "en": {"card": "Your sessions in a calendar", "make": "Make an address", "address": "Address", "change": "Change the address",
           "end": "Turn off", "ended": "The address is off."},
    "ko": {"card": "캘린더에서 보는 내 공부", "make": "주소 만들기", "address": "주소", "change": "주소 바꾸기",
           "end": "끄기", "ended": "주소를 껐어요."},
}  # fmt: skip


def status(address):
    return httpx.get(address, trust_env=False).status_code


@pytest.mark.parametrize("language", ["ko", "en"])
def test_an_address_is_made_changed_and_turned_off(service, chromium, pictures, language):
    words, visitor = WORDS[language], Visitor(service, chromium, "Dodam", language).have_account()
    page = visitor.page
    page.goto("/settings")
    card = page.get_by_role("region", name=words["card"])
    visitor.see(card.get_by_role("button", name=words["make"]))
    expect(card).not_to_contain_text("false")
    card.get_by_role("button", name=words["make"]).click()
    shown = visitor.see(card.get_by_label(words["address"], exact=True))
    first = shown.input_value()
    assert status(first) == 200
    assert examine(visitor, "calendar-feed", pictures) == []
    for _ in range(2):
        card.get_by_role("button", name=words["change"]).last.click()
    expect(shown).not_to_have_value(first)
    second = shown.input_value()
    assert (status(first), status(second)) == (404, 200)
    for _ in range(2):
        card.get_by_role("button", name=words["end"], exact=True).last.click()
    expect(page.get_by_role("status").filter(has_text=words["ended"])).to_have_count(1)
    expect(shown).to_have_count(0)
    assert status(second) == 404
    visitor.leave()
