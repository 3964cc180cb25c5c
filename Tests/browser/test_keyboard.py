"""An account from the registration to its end, and everything in between, without a mouse."""

import re

import pytest
from keyboard import press, write
from playwright.sync_api import expect
from service import wait_until
from visitor import PASSWORD, Visitor

NEW = "five loud magpies 17"


@pytest.fixture
def mina(service, chromium):
    visitor = Visitor(service, chromium, "Mina", "en")
    yield visitor
    visitor.leave()


def test_an_account_is_used_by_keyboard_alone(mina, service, clock):
    page, link, button = mina.page, lambda name: role("link", name), lambda name: role("button", name)
    role = lambda kind, name: page.get_by_role(kind, name=name, exact=True)
    dialog = page.get_by_role("dialog")
    heading = lambda name: mina.see(page.get_by_role("heading", name=name))

    # Registration
    page.goto("/")
    press(link("Sign up with email").first)
    write(mina.field("email"), mina.email)
    page.keyboard.press("Enter")
    heading("Check your email")
    mina.open_link_from_mail()
    write(mina.field("nickname"), "Mina")
    write(mina.field("password"), PASSWORD)
    page.keyboard.press("Enter")
    mina.see(page.get_by_role("timer"))

    # Another password; the sheet holds the focus and gives it back.
    press(page.get_by_role("link", name=re.compile("Mina")))
    press(button("Change password"))
    mina.see(dialog)
    for _ in range(12):
        page.keyboard.press("Tab")
        assert dialog.evaluate("it => it.contains(document.activeElement) || document.activeElement === document.body")
    page.keyboard.press("Escape")
    expect(button("Change password")).to_be_focused()
    page.keyboard.press("Enter")
    write(dialog.get_by_label("Current password", exact=True), PASSWORD)
    write(dialog.get_by_label("New password", exact=True), NEW)
    page.keyboard.press("Enter")
    mina.see(page.get_by_text("Your password is changed"))

    # Another address, withdrawn
    press(button("Change email"))
    write(dialog.get_by_label("New address", exact=True), f"new.{mina.email}")
    write(dialog.get_by_label("Current password", exact=True), NEW)
    page.keyboard.press("Enter")
    expect(dialog).to_have_count(0)
    press(button("Withdraw the change of email"))
    mina.see(page.get_by_text("Your email stays as it is."))

    # Devices and activity
    other = Visitor(service, mina.context.browser, "Mina", "en")
    other.ask("/sign-ins", {"email": mina.email, "password": NEW, "delivery": "cookie"})
    page.reload()
    press(button("Sign out all other devices"))
    press(button("Sign out").first)
    expect(page.get_by_role("status").filter(has_text="All other devices are signed out.")).to_have_count(1)
    other.leave()
    press(page.get_by_role("region", name="Devices").get_by_role("link"))
    heading("Recent activity")
    page.go_back()

    # Out, and in again
    press(button("Sign out").last)
    expect(page).to_have_url(re.compile("/$"))
    press(link("Sign in").first)
    press(link("Not sure which address you used?"))
    write(mina.field("email"), mina.email)
    page.keyboard.press("Enter")
    heading("Check your email")
    page.goto("/sign-in")
    press(link("Forgot your password?"))
    write(mina.field("email"), mina.email)
    already = len(service.letters(mina.email))
    page.keyboard.press("Enter")
    heading("Check your email")
    wait_until(lambda: any("/new-password#" in text(letter) for letter in service.letters(mina.email)), what=f"letter {already}")
    page.goto(next(found[0] for letter in service.letters(mina.email) if (found := re.search(r"http\S+/new-password#\S+", text(letter)))))
    write(page.get_by_role("textbox", name="New password", exact=True), PASSWORD)
    page.keyboard.press("Enter")
    heading("Your password is changed")
    page.goto("/sign-in")
    write(mina.field("email"), mina.email)
    write(mina.field("password"), NEW)
    press(button("Sign in"))
    mina.see(page.get_by_role("alert").filter(has_text="password"))
    expect(button("Sign in")).to_be_focused()
    write(mina.field("password"), PASSWORD)
    page.keyboard.press("Enter")
    mina.see(page.get_by_role("timer"))

    # Leaving, and staying after all
    page.goto("/settings")
    press(link("Delete account"))
    write(mina.field("password"), PASSWORD)
    press(page.get_by_label("Delete my account and all my records"), "Space")
    press(button("Delete my account"))
    press(button("Keep my account"))
    mina.see(page.get_by_role("timer"))


def text(letter):
    return letter.get_body(("plain",)).get_content()


# The cards of home in the order of the document: their left and upper edges.
CARDS = """all => all.filter((each) => each.checkVisibility())
    .map((each) => each.getBoundingClientRect()).map(({ left, top }) => [left, top])"""


def test_the_keyboard_goes_through_home_as_the_eye_does(mina):
    mina.have_account()
    mina.ask("/groups", {"name": "Larks"})
    cards = mina.page.locator(".home .hero, .home .card")
    mina.go_home()
    for width, columns in ((1280, 2), (390, 1), (1280, 2)):
        mina.page.set_viewport_size({"width": width, "height": 844})
        mina.settle()
        places = cards.evaluate_all(CARDS)
        assert places == sorted(places) and len({left for left, _ in places}) == columns
