"""A key for another program: made in the settings, used, and ended."""

import httpx
import pytest
from playwright.sync_api import expect
from service import START
from test_pages import examine
from visitor import Visitor

WORDS = {
    "en": {
        "card": "Keys for other programs", "make": "Make a key", "name": "Name", "may": "What it can do", "record": "Can read and record study",
        "key": "Key", "uncopied": "Copy it first", "close": "Close", "used": "last used", "never": "never used", "end": "End", "ended": "has ended",
    },
    "ko": {
        "card": "다른 프로그램에서 쓰는 키", "make": "키 만들기", "name": "이름", "may": "할 수 있는 일", "record": "읽고 공부 기록까지",
        "key": "키", "uncopied": "먼저 복사해 주세요", "close": "닫기", "used": "마지막 사용", "never": "쓴 적 없음", "end": "삭제", "ended": "키를 삭제했어요",
    },
}  # fmt: skip


@pytest.mark.parametrize("language", ["ko", "en"])
def test_a_key_is_made_seen_once_used_and_ended(service, clock, chromium, pictures, language):
    words, visitor = WORDS[language], Visitor(service, chromium, "Dodam", language).open_account()
    page = visitor.page
    page.goto("/settings")
    card = page.get_by_role("region", name=words["card"])
    card.get_by_role("button", name=words["make"]).click()
    sheet = page.get_by_role("dialog")
    sheet.get_by_label(words["name"]).fill("Desk clock")
    sheet.get_by_label(words["may"]).select_option(label=words["record"])
    sheet.get_by_role("button", name=words["make"]).click()
    shown = sheet.get_by_label(words["key"], exact=True)
    visitor.see(shown)
    assert examine(visitor, "keys-made", pictures) == []
    key = shown.input_value()
    # It is not lost by a tap beside it, nor by the first press.
    page.mouse.click(10, 10)
    page.keyboard.press("Escape")
    visitor.see(page.get_by_text(words["uncopied"]))
    expect(shown).to_have_value(key)
    page.keyboard.press("Escape")
    expect(sheet).to_have_count(0)
    expect(card).to_contain_text("Desk clock")
    expect(card).to_contain_text(words["never"])
    # It ends in a year.
    expect(card).to_contain_text(str(int(START[:4]) + 1))

    def ask():
        return httpx.get(f"{service.origin}/api/v1/me", headers={"Authorization": f"Bearer {key}"}, trust_env=False).status_code

    clock.advance(5)
    assert ask() == 200
    page.reload()
    expect(card).to_contain_text(words["used"])
    assert examine(visitor, "keys-card", pictures) == []
    card.get_by_role("button", name="Desk clock").click()
    card.get_by_role("button", name=words["end"], exact=True).click()
    expect(page.get_by_role("status").filter(has_text=words["ended"])).to_have_count(1)
    expect(card).not_to_contain_text("Desk clock")
    assert ask() == 401
    visitor.leave()
