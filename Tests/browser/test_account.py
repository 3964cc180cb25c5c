"""One's own account on the pages: devices, password, address, activity, and the first page of who is signed in."""

import re

import pytest
from playwright.sync_api import expect
from service import wait_until
from test_pages import examine
from visitor import PASSWORD, Visitor

NEW = "five loud magpies 17"
TEXT = {
    "en": {
        "devices": "Devices", "this": "This one", "others": "Sign out all other devices", "ended": "All other devices are signed out.", "out": "You were signed out on this device.",
        "change_password": "Change password", "current": "Current password", "new_password": "New password",
        "use_password": "Use this password", "wrong": "The current password is wrong.", "changed": "Your password is changed",
        "change_email": "Change email", "new_email": "New address", "send": "Send the link", "sent": "Check your email",
        "use_email": "Use this address", "email_changed": "Your address is changed", "keep": "Keep my address",
        "kept": "The account has your address", "activity": "Recent activity", "which": "Not sure which address you used?",
        "withdraw": "Withdraw the change of email", "withdrawn": "Your email stays as it is.",
        "ask": "Ask by email", "gone": "This link no longer works", "unknown": "Chrome",
        "too_long": "A password has at most 128 characters.", "unreached": "Can't reach the server",
    },
    "ko": {
        "devices": "로그인한 기기", "this": "이 기기", "others": "다른 기기 모두 로그아웃", "ended": "다른 기기에서 모두 로그아웃했어요.", "out": "이 기기에서 로그아웃됐어요.",
        "change_password": "비밀번호 바꾸기", "current": "지금 비밀번호", "new_password": "새 비밀번호",
        "use_password": "비밀번호 바꾸기", "wrong": "지금 비밀번호가 맞지 않아요.", "changed": "비밀번호를 바꿨어요",
        "change_email": "이메일 바꾸기", "new_email": "새 주소", "send": "링크 받기", "sent": "메일을 확인해 주세요",
        "use_email": "이 주소로 바꾸기", "email_changed": "주소를 바꿨어요", "keep": "내 주소 지키기",
        "kept": "주소를 지켰어요", "activity": "최근 활동", "which": "어느 주소로 가입했는지 모르겠어요",
        "withdraw": "이메일 바꾸기 취소", "withdrawn": "이메일을 그대로 두었어요.",
        "ask": "메일로 확인하기", "gone": "이 링크는 이제 쓸 수 없어요", "unknown": "Chrome",
        "too_long": "비밀번호는 128자까지예요.", "unreached": "서버에 연결할 수 없어요",
    },
}  # fmt: skip


@pytest.fixture(params=["en", "ko"])
def mina(service, chromium, request):
    visitor = Visitor(service, chromium, "Mina", request.param)
    visitor.text = TEXT[request.param]
    visitor.have_account()
    yield visitor
    visitor.leave()


@pytest.fixture
def elsewhere(service, chromium, mina):
    """The same person on another device."""
    visitor = Visitor(service, chromium, "Mina", mina.language)
    visitor.sign_in(mina.email)
    yield visitor
    visitor.leave()


def link_to(service, address, page, already=0):
    """The link to that page in the newest letter to an address."""
    letters = wait_until(lambda: found if len(found := service.letters(address)) > already else None, what="a letter")
    return re.search(rf"https?://\S+/{page}#token=\S+", letters[-1].get_body(("plain",)).get_content())[0]


def button(visitor, name):
    return visitor.page.get_by_role("button", name=visitor.text[name], exact=True)


def heading(visitor, name):
    return visitor.page.get_by_role("heading", name=visitor.text[name])


def test_a_theme_that_is_not_saved_is_neither_chosen_nor_worn(mina):
    page = mina.page
    page.goto("/settings")
    page.route("**/api/v1/me", lambda route: route.abort())
    page.locator("input[name=theme][value=dark]").click(force=True)
    # It is told in view, wherever on the page the setting stands.
    expect(page.locator(".toast")).to_be_in_viewport(ratio=1)
    expect(page.locator("input[name=theme][value=system]")).to_be_checked()
    expect(page.locator("html[data-theme]")).to_have_count(0)


def test_the_nickname_is_changed_and_a_refusal_stands_at_its_field(mina):
    page = mina.page
    page.goto("/settings")
    field = mina.field("nickname")
    save = page.get_by_role("button", name={"en": "Save", "ko": "저장"}[mina.language], exact=True)
    lacking = {"en": "Please fill this in.", "ko": "내용을 입력해 주세요."}[mina.language]
    field.fill("")
    save.click()
    expect(field).to_have_accessible_description(re.compile(re.escape(lacking)))
    expect(field).to_be_focused()
    field.fill(" ")
    save.click()
    expect(field).to_have_attribute("aria-invalid", "true")
    field.fill("Mina <3")
    save.click()
    mina.see(page.locator(".card", has=page.locator("#you")).get_by_text("Mina <3"))
    expect(page.locator(".err:visible")).to_have_count(0)


def test_a_change_of_the_clock_leaves_the_rest_of_it_as_it_is(mina, service):
    page = mina.page
    page.goto("/settings")
    start = mina.see(page.locator("#start"))
    moved = {"study_clock": {"time_zone": "Europe/Berlin"}}
    page.request.patch("/api/v1/me", data=moved, headers={"Origin": service.origin})
    start.select_option("06:00")
    mina.see(page.locator(".toast"))
    assert page.request.get("/api/v1/me").json()["study_clock"] == {"time_zone": "Europe/Berlin", "day_starts_at": "06:00"}


def test_the_devices_say_where_they_were_seen_and_all_others_are_signed_out(mina, elsewhere, pictures):
    elsewhere.go_home()
    mina.page.goto("/settings")
    card = mina.page.get_by_role("region", name=mina.text["devices"])
    rows = card.locator("li", has=mina.page.locator("bdi"))
    expect(rows).to_have_count(2)
    expect(rows.filter(has_text=mina.text["this"])).to_have_count(1)
    expect(rows.first).to_contain_text(mina.text["unknown"])
    expect(rows.first).to_contain_text(re.compile(r"10\.\d+\.\d+\.\d+"))
    button(mina, "others").click()
    mina.settle()
    assert examine(mina, "devices-asked", pictures) == []
    card.get_by_role("button", name=mina.words["sign_out"], exact=True).click()
    expect(mina.page.get_by_role("status").filter(has_text=mina.text["ended"])).to_have_count(1)
    expect(rows).to_have_count(1)
    expect(mina.page.get_by_role("heading", name=mina.text["devices"])).to_be_focused()
    elsewhere.page.goto("/home")
    expect(elsewhere.page).to_have_url(re.compile("/sign-in"))
    elsewhere.see(elsewhere.page.get_by_text(mina.text["out"]))
    # It is said once.
    elsewhere.page.reload()
    elsewhere.see(elsewhere.page.get_by_role("heading", level=1))
    expect(elsewhere.page.get_by_text(mina.text["out"])).to_have_count(0)


def test_one_device_is_signed_out_by_keyboard(mina, elsewhere):
    mina.page.goto("/settings")
    out = mina.page.get_by_role("button", name=re.compile(re.escape(mina.text["unknown"])))
    out.focus()
    mina.page.keyboard.press("Enter")
    with mina.page.expect_response(lambda answer: answer.request.method == "DELETE"):
        mina.page.keyboard.press("Enter")
    expect(out).to_have_count(0)
    elsewhere.page.goto("/home")
    expect(elsewhere.page).to_have_url(re.compile("/sign-in"))
    mina.go_home()


def test_the_password_is_changed_with_the_old_one(mina, elsewhere, pictures):
    mina.page.goto("/settings")
    button(mina, "change_password").click()
    dialog = mina.see(mina.page.get_by_role("dialog"))
    dialog.get_by_label(mina.text["current"], exact=True).fill("not this one 1")
    dialog.get_by_label(mina.text["new_password"], exact=True).fill(NEW)
    dialog.get_by_role("button", name=mina.text["use_password"], exact=True).click()
    mina.see(dialog.get_by_text(mina.text["wrong"]))
    assert examine(mina, "sheet-password", pictures) == []
    dialog.get_by_label(mina.text["current"], exact=True).fill(PASSWORD)
    dialog.get_by_role("button", name=mina.text["use_password"], exact=True).click()
    expect(dialog).to_have_count(0)
    mina.see(mina.page.get_by_text(mina.text["changed"]))
    elsewhere.page.goto("/home")
    expect(elsewhere.page).to_have_url(re.compile("/sign-in"))
    mina.go_home()


def ask_for_address(mina, address):
    mina.page.goto("/settings")
    button(mina, "change_email").click()
    dialog = mina.see(mina.page.get_by_role("dialog"))
    dialog.get_by_label(mina.text["new_email"], exact=True).fill(address)
    dialog.get_by_label(mina.text["current"], exact=True).fill(PASSWORD)
    dialog.get_by_role("button", name=mina.text["send"], exact=True).click()
    expect(dialog).to_have_count(0)
    mina.see(mina.page.get_by_text(mina.text["sent"]))


def test_the_address_is_changed_and_taken_back_with_the_links(mina, service, clock, pictures):
    old, new = mina.email, mina.email.replace("@", "-new@")
    already = len(service.letters(old))
    ask_for_address(mina, new)
    mina.page.goto(link_to(service, new, "new-email"))
    button(mina, "use_email").click()
    mina.see(heading(mina, "email_changed"))
    assert examine(mina, "new-email-done", pictures) == []
    mina.page.goto("/settings")
    mina.see(mina.page.get_by_text(new))

    back = link_to(service, old, "keep-email", already)
    clock.advance(6 * 86400)
    mina.page.goto("/help")
    mina.page.goto(back)
    button(mina, "keep").click()
    mina.see(heading(mina, "kept"))
    assert examine(mina, "keep-email-done", pictures) == []
    mina.page.goto("/help")
    mina.page.goto(back)
    button(mina, "keep").click()
    mina.see(heading(mina, "gone"))
    mina.page.goto("/home")
    expect(mina.page).to_have_url(re.compile("/sign-in"))

    mina.page.goto(link_to(service, old, "new-password", already + 1))
    password = mina.page.get_by_role("textbox", name=mina.text["new_password"], exact=True)
    password.focus()
    pasted = "a quiet heron " * 10
    mina.page.keyboard.insert_text(pasted)
    expect(password).to_have_value(pasted)
    button(mina, "use_password").click()
    mina.see(mina.page.get_by_text(mina.text["too_long"]))
    expect(password).to_be_focused()
    expect(password).to_have_value(pasted)
    password.fill(NEW)
    button(mina, "use_password").click()
    mina.see(heading(mina, "changed"))
    mina.page.get_by_role("link", name=mina.words["sign_in"]).last.click()
    mina.field("email").fill(old)
    mina.field("password").fill(NEW)
    mina.button("sign_in").click()
    mina.see(mina.page.get_by_role("timer"))


def test_a_mailed_link_survives_a_reload_and_another_language_and_leaves_no_trace(mina, service):
    sent = []
    mina.page.on("request", lambda request: sent.append(f"{request.url} {request.headers.get('referer')}"))
    mina.context.request.post("/api/v1/password-resets", data={"email": mina.email}, headers={"Origin": service.origin})
    link = link_to(service, mina.email, "new-password")
    other = TEXT["ko" if mina.language == "en" else "en"]
    field = lambda text: mina.page.get_by_role("textbox", name=text["new_password"], exact=True)

    mina.page.goto(link)
    mina.see(field(mina.text))
    expect(mina.field("email")).to_have_value(mina.email)
    mina.page.reload()
    mina.see(field(mina.text))
    mina.page.get_by_role("button", name="한국어" if mina.language == "en" else "English").first.click()
    mina.see(field(other))
    mina.page.goto("/help")
    mina.page.go_back()
    field(other).fill(NEW)
    mina.page.get_by_role("button", name=other["use_password"], exact=True).click()
    mina.see(mina.page.get_by_role("heading", name=other["changed"]))
    # What was used is gone from the browser, too.
    mina.page.reload()
    mina.see(mina.page.get_by_role("heading", name=other["gone"]))
    # And whoever opens the mail again need not type a password first.
    mina.page.goto(link)
    mina.see(mina.page.get_by_role("heading", name=other["gone"]))
    token = link.split("#token=")[1]
    assert len(sent) > 5 and not any(token in each for each in sent)
    assert mina.page.evaluate("JSON.stringify([location.href, history.state, {...localStorage}, {...sessionStorage}])").count(token) == 0


def test_the_change_of_the_address_says_when_nothing_can_be_asked(mina):
    mina.page.goto("/settings")
    change = mina.see(button(mina, "change_email"))
    mina.settle()
    mina.context.set_offline(True)
    change.click()
    expect(mina.page.locator(".toast")).to_contain_text(mina.text["unreached"])
    mina.context.set_offline(False)
    change.click()
    mina.see(mina.page.get_by_role("dialog"))


def test_a_change_of_address_that_waits_is_shown_and_withdrawn(mina, service, pictures):
    new = mina.email.replace("@", "-new@")
    ask_for_address(mina, new)
    link = link_to(service, new, "new-email")
    mina.page.goto("/settings")
    mina.see(mina.page.get_by_text(new))
    mina.settle()
    assert examine(mina, "settings-new-email", pictures) == []
    withdraw = button(mina, "withdraw")
    withdraw.focus()
    mina.page.keyboard.press("Enter")
    expect(mina.page.get_by_role("status").filter(has_text=mina.text["withdrawn"])).to_have_count(1)
    expect(button(mina, "change_email")).to_be_focused()
    expect(withdraw).to_be_hidden()
    mina.page.reload()
    mina.see(mina.page.get_by_text(mina.email))
    expect(mina.page.get_by_text(new)).to_have_count(0)
    mina.page.goto(link)
    button(mina, "use_email").click()
    mina.see(heading(mina, "gone"))


def test_which_address_one_has_is_asked_beside_the_password(mina, service):
    already = len(service.letters(mina.email))
    mina.page.goto("/settings")
    mina.button("sign_out").click()
    expect(mina.page).to_have_url(re.compile("/$"))
    mina.page.goto("/sign-in")
    mina.page.get_by_role("link", name=mina.text["which"]).click()
    mina.field("email").fill(mina.email)
    button(mina, "ask").click()
    mina.see(heading(mina, "sent"))
    letters = wait_until(lambda: service.letters(mina.email)[already:], what="the answer")
    assert "Mina" in letters[0].get_body(("plain",)).get_content()


def test_the_recent_activity_is_told_in_words(mina, elsewhere):
    mina.page.goto("/settings")
    mina.page.get_by_role("region", name=mina.text["devices"]).get_by_role("link").click()
    mina.see(heading(mina, "activity"))
    rows = mina.page.locator("main .set li")
    expect(rows).to_have_count(2)
    told = mina.page.evaluate(
        "import('/js/words/events/i18n.js').then(({ events }) => ['signed_in', 'registered'].map((kind) => events[kind]({})))"
    )
    for row, sentence in zip(rows.all(), told):
        expect(row).to_contain_text(sentence)
        expect(row).to_contain_text(re.compile(r"10\.\d+\.\d+\.\d+"))


def test_the_first_page_redirects_signed_in_users_home_without_a_flash(mina):
    mina.go_home()
    shown = []
    mina.page.on("framenavigated", lambda frame: shown.append(frame.url))
    mina.page.evaluate("localStorage.clear()")
    mina.page.goto("/")
    mina.see(mina.page.get_by_role("timer"))
    assert [url.rsplit("/", 1)[1] for url in shown] == ["home"]
