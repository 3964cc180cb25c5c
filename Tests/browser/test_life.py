"""Across pages: signing in again, being offline, forgotten passwords and timers."""

import re

import pytest
from playwright.sync_api import expect
from visitor import PASSWORD, Visitor


@pytest.fixture
def mina(service, chromium):
    visitor = Visitor(service, chromium, "Mina", "en")
    visitor.have_account()
    yield visitor
    visitor.leave()


def test_signing_in_leads_back_to_the_page_asked_for(mina):
    mina.page.goto("/settings")
    mina.button("sign_out").click()
    expect(mina.page).to_have_url(re.compile("/$"))
    mina.page.goto("/groups")
    expect(mina.page).to_have_url(re.compile(r"/sign-in\?next=%2Fgroups$"))
    mina.field("email").fill(mina.email)
    mina.field("password").fill("not the password")
    mina.button("sign_in").click()
    mina.see(mina.page.get_by_role("alert").locator(".notice"))
    mina.field("password").fill(PASSWORD)
    mina.button("sign_in").click()
    expect(mina.page).to_have_url(re.compile("/groups$"))


def test_a_sign_out_that_fails_is_told_in_words(mina):
    mina.page.goto("/settings")
    mina.page.route("**/api/v1/sign-ins/current", lambda route: route.fulfill(status=500))
    mina.button("sign_out").click()
    expect(mina.page.locator(".toast")).to_contain_text("The server could not answer")


def test_a_page_becomes_that_of_whoever_signs_in_beside_it(mina, people):
    mina.go_home()
    other = people("Other")
    me = mina.page.locator("a.me")
    expect(me).to_have_attribute("aria-label", re.compile("Mina"))
    # A brother or sister signs in, in another tab.
    mina.context.clear_cookies(name="anthill")
    tab = mina.context.new_page()
    tab.goto("/sign-in")
    tab.get_by_label(mina.words["email"], exact=True).fill(other.email)
    tab.get_by_label(mina.words["password"], exact=True).fill(PASSWORD)
    tab.get_by_role("button", name=mina.words["sign_in"], exact=True).click()
    expect(tab.get_by_role("timer")).to_be_visible()
    expect(me).to_have_attribute("aria-label", re.compile("Other"))

    # A page that is left learns of it when it comes back.
    mina.page.evaluate("localStorage.setItem('anthill.uid', 'of somebody')")
    with mina.page.expect_navigation():
        mina.page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")


def test_a_forgotten_password_is_reset_by_email(mina):
    mina.page.goto("/reset")
    mina.field("email").fill(mina.email)
    mina.page.get_by_role("button", name="Send the link").click()
    mina.see(mina.page.get_by_role("heading", name="Check your email"))
    mina.open_link_from_mail()
    mina.page.get_by_label("New password", exact=True).fill("five loud magpies 17")
    mina.page.get_by_role("button", name="Use this password").click()
    mina.see(mina.page.get_by_role("heading", name="Your password is changed"))
    mina.page.goto("/home")
    expect(mina.page).to_have_url(re.compile("/sign-in"))
    mina.field("email").fill(mina.email)
    mina.field("password").fill("five loud magpies 17")
    mina.button("sign_in").click()
    mina.see(mina.page.get_by_role("timer"))


def test_a_used_link_offers_a_new_one(mina, service):
    def cookie():
        [found] = (each for each in mina.context.cookies() if each["name"] == "anthill")
        return {name: value for name, value in found.items() if name not in ("value", "expires")}

    made = cookie()
    mina.context.clear_cookies()
    mina.email = f"another.{mina.email}"
    mina.open_account_by_mail()
    assert made == cookie(), "the cookie of the tests is as the service sets it"
    token = service.token_from_mail(mina.email)
    mina.page.goto("/help")
    mina.page.goto(f"/welcome#token={token}")
    mina.see(mina.page.get_by_role("heading", name="This link no longer works"))
    mina.see(mina.page.get_by_role("main").get_by_role("link", name="Sign in"))


def test_a_link_that_expires_before_its_button_is_pressed_says_so(mina, service):
    page = mina.page

    def press(name):
        page.get_by_role("button", name=name, exact=True).click()
        expect(page.get_by_role("status").filter(has_text="This link no longer works")).to_have_count(1)
        expect(page.get_by_role("main")).to_be_focused()

    page.goto("/new-email#token=x")
    press("Use this address")

    mina.ask("/password-resets", {"email": mina.email})
    token = service.token_from_mail(mina.email)
    page.goto(f"/new-password#token={token}")
    page.get_by_label("New password", exact=True).fill("five loud magpies 17")
    mina.context.request.put("/api/v1/password-resets", data={"token": token, "password": PASSWORD}, headers={"Origin": service.origin})
    press("Use this password")

    mina.email = f"another.{mina.email}"
    mina.ask("/registrations", {"email": mina.email})
    token = service.token_from_mail(mina.email)
    page.goto(f"/welcome#token={token}")
    mina.field("nickname").fill("Mina")
    mina.field("password").fill(PASSWORD)
    names = {"nickname": "Mina", "password": PASSWORD, "delivery": "cookie", "time_zone": mina.zone, "locale": "en"}
    mina.ask("/users", {"token": token, **names})
    press(mina.words["begin"])


def test_language_and_theme_follow_the_account(mina, service, chromium):
    mina.page.goto("/settings")
    mina.page.get_by_role("radio", name="Dark").check(force=True)
    expect(mina.page.locator("html")).to_have_attribute("data-theme", "dark")
    with mina.page.expect_navigation():
        mina.page.get_by_role("radio", name="한국어").check(force=True)
    mina.see(mina.page.get_by_role("heading", name="설정"))

    elsewhere = Visitor(service, chromium, "Mina", "en")
    elsewhere.page.goto("/sign-in")
    elsewhere.field("email").fill(mina.email)
    elsewhere.field("password").fill(PASSWORD)
    elsewhere.button("sign_in").click()
    elsewhere.see(elsewhere.page.get_by_role("button", name="공부 시작"))
    expect(elsewhere.page.locator("html")).to_have_attribute("data-theme", "dark")
    elsewhere.leave()


def test_a_countdown_is_in_the_title_and_counts_up_past_its_end(mina, clock):
    clock.set("2026-11-25T03:00:00Z")
    mina.go_home()
    mina.page.get_by_role("radio", name="Countdown").check(force=True)
    mina.page.get_by_role("button", name="How long: 30 min").click()
    mina.page.get_by_role("dialog").get_by_role("button", name="25 min").click()
    mina.button("start").click()
    mina.see(mina.button("pause"))
    clock.advance(24 * 60)
    mina.page.reload()
    expect(mina.page).to_have_title(re.compile(r"^0:[0-5]\d · Anthill$|^1:00 · Anthill$"))
    clock.advance(6 * 60)
    mina.page.reload()
    expect(mina.page.get_by_role("timer")).to_contain_text(re.compile(r"Goal reached\+5:\d\d"))
    expect(mina.page).to_have_title(re.compile(r"^\+5:\d\d · Anthill$"))


def test_a_running_timer_is_shown_on_every_page_and_in_a_second_window(mina, clock):
    clock.set("2026-11-25T05:00:00Z")
    mina.go_home()
    mina.button("start").click()
    mina.see(mina.button("pause"))
    clock.advance(3 * 3600)
    mina.page.goto("/settings")
    expect(mina.page.locator(".running")).to_contain_text(re.compile(r"3:00:\d\d"))
    first, mina.page = mina.page, mina.context.new_page()
    mina.go_home()
    expect(mina.page.get_by_role("timer")).to_contain_text(re.compile(r"3:00:\d\d"))
    mina.button("stop").click()
    mina.see(mina.button("start"))
    mina.page = first
    first.reload()
    expect(first.get_by_role("link", name="My profile: Mina")).to_be_visible()
    mina.settle()
    expect(first.locator(".running")).to_be_hidden()


def test_future_and_old_sessions_are_refused_at_the_right_field(mina, clock):
    clock.set("2026-11-25T03:00:00Z")
    mina.log("2026-11-25", "11:00", "13:00")
    expect(mina.field("to")).to_have_attribute("aria-invalid", "true")
    expect(mina.field("from")).not_to_have_attribute("aria-invalid", "true")
    mina.field("day").fill("2026-11-20")
    mina.button("log_it").click()
    expect(mina.field("from")).to_have_attribute("aria-invalid", "true")
    mina.field("day").fill("2026-11-25")
    mina.field("to").fill("")
    mina.button("log_it").click()
    expect(mina.page.locator(".err:visible")).to_have_text("Please fill this in.")
    mina.field("to").fill("11:45")
    expect(mina.page.locator(".err:visible")).to_have_count(0)
    mina.button("log_it").click()
    expect(mina.page.locator("#today")).to_contain_text("0:45")

    mina.page.get_by_role("button", name="Edit 11:00 – 11:45").click()
    mina.page.get_by_role("dialog").get_by_role("button", name="Delete session").click()
    mina.page.get_by_role("dialog").get_by_role("button", name="Delete session").click()
    expect(mina.page.locator("#today")).to_contain_text("0:00")


def test_a_forgotten_timer_counts_once_its_end_is_confirmed(mina, clock):
    clock.set("2026-11-25T03:00:00Z")
    mina.go_home()
    mina.button("start").click()
    mina.see(mina.button("pause"))
    clock.advance(13 * 3600)
    mina.go_home()
    mina.see(mina.button("start"))
    expect(mina.page.locator("#today")).to_contain_text("0:00")
    card = mina.see(mina.page.get_by_role("region", name="A stopped timer"))
    card.get_by_label("Finished at").fill("1430")
    card.get_by_label("Finished at").blur()
    card.get_by_role("button", name="I finished at 14:30").click()
    expect(mina.page.locator("#today")).to_contain_text("2:30")
    expect(card).to_have_count(0)


LOOK_AGAIN = "dispatchEvent(new Event('online'))"


def test_rows_move_once_the_pointer_leaves_the_board(mina, service, people, clock):
    clock.set("2026-11-25T03:00:00Z")
    mina.page.clock.install()
    mina.found_group("Live")
    code = mina.invite().rsplit("/", 1)[1]
    jun, ara = people("Jun"), people("Ara")
    for person in (jun, ara):
        person.join(code)
    jun.log("2026-11-25T00:00:00Z", "2026-11-25T01:00:00Z")
    names = mina.page.locator("table.board bdi")
    # Rows change places at most every five seconds.
    mina.page.clock.fast_forward(5_000)
    mina.page.evaluate(LOOK_AGAIN)
    expect(names.first).to_have_text("Jun")

    mina.page.clock.fast_forward(5_000)
    mina.page.locator("table.board").hover()
    ara.log("2026-11-25T00:00:00Z", "2026-11-25T02:00:00Z")
    expect(mina.page.locator(".gapnum")).to_contain_text("1 h")
    expect(names.first).to_have_text("Jun")
    mina.page.mouse.move(5, 5)
    expect(names.first).to_have_text("Ara")


def test_the_board_is_live_and_says_when_it_is_offline(mina, people):
    group = mina.found_group("Live")
    link = mina.invite()
    other = people("Jun")
    other.join(link.rsplit("/", 1)[1])
    other.start()
    mina.page.evaluate(LOOK_AGAIN)
    expect(mina.page.locator(".room .grid")).to_contain_text("Jun")

    mina.context.set_offline(True)
    mina.page.evaluate(LOOK_AGAIN)
    mina.see(mina.page.locator("#offline"))
    mina.context.set_offline(False)
    mina.page.evaluate(LOOK_AGAIN)
    expect(mina.page.locator("#offline")).to_be_hidden()

    mina.page.goto(group)
    mina.button("members").click()
    dialog = mina.see(mina.page.get_by_role("dialog"))
    dialog.get_by_role("button", name="Manage Jun").click()
    dialog.get_by_role("button", name="Remove", exact=True).click()
    dialog.get_by_role("button", name="Remove", exact=True).click()
    expect(dialog.get_by_role("listitem").filter(has_text="Jun")).to_have_count(0)


def test_leaving_a_group_leads_back_to_the_groups(mina, people):
    mina.go_home()
    owner = people("Bora")
    group = owner.found_group("Passing by")
    mina.page.goto(f"/join/{owner.invite(group)['code']}")
    mina.button("join").click()
    mina.see(mina.page.get_by_role("heading", name="Passing by"))
    mina.button("members").click()
    dialog = mina.see(mina.page.get_by_role("dialog"))
    dialog.get_by_role("button", name="Leave").click()
    dialog.get_by_role("button", name="Leave").click()
    expect(mina.page).to_have_url(re.compile("/groups$"))
    mina.see(mina.page.get_by_role("heading", name="No group yet"))
