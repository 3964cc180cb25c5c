"""A group's webhooks: added with a secret that is seen once, tested, read in the log, turned off and removed."""

import pytest
from hook_receiver import Receiver, is_signed
from playwright.sync_api import expect
from service import wait_until
from test_groups import enter, look_at, named, press  # noqa: F401
from visitor import Visitor

WORDS = {
    "en": {"settings": "Group settings", "open": "Webhooks", "none": "No webhooks yet.", "url": "Address", "add": "Add a webhook",
           "secret": "Secret", "test": "Send a test", "sent": "The test is on its way", "log": "Log", "arrived": "Arrived", "failed": "Failed",
           "off": "off", "on": "on", "turn": "Turn {} 127.0.0.1", "is_off": "An admin turned it off", "remove": "Remove", "week": "Ranking of the week",
           "refuses": "The server refuses the connection.", "change": "Change what 127.0.0.1 is told", "save": "Save", "saved": "Saved.", "more": "Show more",
           "test_name": "Test"},
    "ko": {"settings": "모임 설정", "open": "웹훅", "none": "아직 웹훅이 없어요.", "url": "주소", "add": "웹훅 추가하기",
           "secret": "비밀 값", "test": "테스트 보내기", "sent": "테스트를 보내고 있어요", "log": "기록", "arrived": "도착", "failed": "실패",
           "off": "끄기", "on": "켜기", "turn": "127.0.0.1 {}", "is_off": "관리자가 껐어요", "remove": "삭제", "week": "한 주의 순위",
           "refuses": "서버가 연결을 받지 않아요.", "change": "127.0.0.1에 알릴 일 바꾸기", "save": "저장", "saved": "저장했어요.", "more": "더 보기",
           "test_name": "테스트"},
}  # fmt: skip


@pytest.fixture(scope="module")
def receiver():
    made = Receiver()
    yield made
    made.stop()


@pytest.mark.parametrize("language", ["ko", "en"])
def test_an_admin_adds_tests_and_removes_a_webhook(service, clock, chromium, pictures, receiver, named, language):  # noqa: F811
    words, hook = WORDS[language], receiver.hook(204, (500, {}, b"Nobody home"))
    owner = named("Dodam", language)
    group = owner.found_group("Owls")
    visitor = enter(Visitor(service, chromium, "Dodam", language), owner, group)
    visitor.look, page = language, visitor.page
    press(page, words["settings"])
    page.get_by_role("button", name=words["open"], exact=True).click()
    sheet = page.get_by_role("dialog", name=words["open"])
    expect(sheet).to_contain_text(words["none"])
    sheet.get_by_label(words["url"], exact=True).fill("example.kr")
    sheet.get_by_role("button", name=words["add"], exact=True).click()
    expect(sheet.locator(".err:visible")).to_contain_text("https://example.kr")
    sheet.get_by_label(words["url"], exact=True).fill("http://example.org/")
    sheet.get_by_role("button", name=words["add"], exact=True).click()
    expect(sheet.get_by_label(words["url"], exact=True)).to_have_attribute("aria-invalid", "true")
    sheet.get_by_label(words["url"], exact=True).fill(hook.url)
    sheet.get_by_role("switch", name=words["week"]).uncheck()
    sheet.get_by_role("button", name=words["add"], exact=True).click()
    secret = visitor.see(sheet.get_by_label(words["secret"], exact=True)).input_value()
    look_at(visitor, "sheet-webhooks", pictures)

    row = sheet.get_by_role("listitem").filter(has_text="127.0.0.1").first
    row.get_by_role("button", name=words["test"]).click()
    expect(page.get_by_text(words["sent"])).to_have_count(1)
    wait_until(lambda: hook.taken)
    [(_, headers, body)] = hook.requests
    assert is_signed(headers, body, secret)
    clock.advance(11)
    row.get_by_role("button", name=words["test"]).click()
    wait_until(lambda: len(hook.requests) == 2)
    expect(row.get_by_role("button", name=words["test"])).to_be_focused()
    wait_until(lambda: service.cluster.sql("SELECT 1 FROM webhook_deliveries WHERE dead_at IS NOT NULL AND group_id = %s", group["id"]))
    row.get_by_role("button", name=words["log"]).click()
    log = page.get_by_role("dialog", name=words["log"])
    expect(log.get_by_role("listitem")).to_have_count(2)
    expect(log).to_contain_text("Nobody home")
    expect(log).to_contain_text(words["failed"])
    expect(log).to_contain_text(words["arrived"])
    look_at(visitor, "sheet-webhook-log", pictures)
    page.keyboard.press("Escape")
    row.get_by_role("button", name=words["turn"].format(words["off"])).click()
    expect(row).to_contain_text(words["is_off"])
    expect(row.get_by_role("button", name=words["turn"].format(words["on"]))).to_be_focused()
    row.get_by_role("button", name=words["turn"].format(words["on"])).click()
    expect(row).not_to_contain_text(words["is_off"])
    row.get_by_role("button", name=words["remove"]).click()
    row.get_by_role("button", name=words["remove"], exact=True).click()
    expect(sheet).to_contain_text(words["none"])

    # Nobody listens there.
    sheet.get_by_label(words["url"], exact=True).fill("http://127.0.0.1:9/")
    sheet.get_by_role("button", name=words["add"], exact=True).click()
    clock.advance(11)
    row.get_by_role("button", name=words["test"]).click()
    failed = "SELECT 1 FROM webhook_deliveries WHERE failure IS NOT NULL AND group_id = %s"
    wait_until(lambda: service.cluster.sql(failed, group["id"]))
    row.get_by_role("button", name=words["log"]).click()
    expect(page.get_by_role("dialog").last).to_contain_text(words["refuses"])
    visitor.leave()


@pytest.mark.parametrize("language", ["ko", "en"])
def test_an_admin_changes_what_a_webhook_is_told_and_reads_its_log(service, clock, chromium, pictures, receiver, named, language):  # noqa: F811
    words, owner = WORDS[language], named("Dodam", language)
    group = owner.found_group("Owls")
    path = f"/groups/{group['id']}/webhooks"
    hook = {"kind": "json", "url": receiver.hook().url, "locale": language, "events": ["month_closed", "new_member"]}
    made = owner.post(path, hook).json()["id"]
    # Those of three weeks; a page of the log has 20.
    service.cluster.sql(
        "INSERT INTO webhook_deliveries (group_id, webhook, event, created_at, attempts, status, sent_at) SELECT %s, %s,"
        " CASE WHEN n < 20 THEN 'new_member' ELSE 'test' END, anthill_clock() - n * interval '1 day', 1, 204, anthill_clock()"
        " FROM generate_series(0, 20) n RETURNING 1",
        group["id"],
        made,
    )
    visitor = enter(Visitor(service, chromium, "Dodam", language), owner, group)
    visitor.look, page = language, visitor.page
    press(page, words["settings"])
    page.get_by_role("button", name=words["open"], exact=True).click()
    change = page.get_by_role("button", name=words["change"])
    change.click()
    sheet = page.get_by_role("dialog", name=words["change"])
    week = sheet.get_by_role("switch", name=words["week"])
    expect(week).not_to_be_checked()
    expect(sheet.get_by_role("switch", checked=True)).to_have_count(2)
    look_at(visitor, "sheet-webhook-change", pictures)
    for switch in sheet.get_by_role("switch").all():
        switch.uncheck()
    press(sheet, words["save"])
    visitor.see(sheet.locator(".notice"))
    week.check()
    press(sheet, words["save"])
    expect(sheet).to_have_count(0)
    visitor.see(page.get_by_text(words["saved"]))
    expect(page.get_by_role("listitem").filter(has_text="127.0.0.1").first).to_contain_text(words["week"])
    expect(change).to_be_focused()
    assert owner.get(path).json()["items"][0]["events"] == ["weekly_standing"]

    page.get_by_role("dialog").get_by_role("button", name=words["log"]).click()
    log = page.get_by_role("dialog", name=words["log"])
    expect(log.get_by_role("listitem")).to_have_count(20)
    expect(log.get_by_text(words["test_name"])).to_have_count(0)
    press(log, words["more"])
    expect(log.get_by_role("listitem").last).to_contain_text(words["test_name"])
    expect(log.get_by_role("listitem")).to_have_count(21)
    expect(log.get_by_role("listitem").last).to_be_focused()
    expect(log.get_by_role("button", name=words["more"])).to_have_count(0)
    visitor.leave()
