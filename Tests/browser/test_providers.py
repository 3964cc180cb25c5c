"""Sign-in through a real provider, in Chromium: there and back, with the pages that tell what happened."""

import re
import time
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect
from providers import CLIENT, SECRET, Canaille, Liar
from service import Service, running, wait_until
from test_mail import look_at_letters
from test_pages import examine
from visitor import PASSWORD, Visitor

# Nobody sets the clock of this service: the provider has a clock of its own.


@pytest.fixture(scope="module")
def provider():
    canaille = Canaille()
    yield canaille
    if canaille.process:
        canaille.stop()


@pytest.fixture(scope="module")
def service(provider):
    with running(
        clock=None,
        ANTHILL_OIDC_CANAILLE_ISSUER=provider.issuer,
        ANTHILL_OIDC_CANAILLE_CLIENT_ID=CLIENT,
        ANTHILL_OIDC_CANAILLE_CLIENT_SECRET=SECRET,
    ) as service:
        provider.start(f"{service.api}/oidc/canaille/callback", "mina", "dodam", "sora", "bora", "jiu")
        yield service
        log = service.log()
        assert "code=" not in log and "state=" not in log


class Guest(Visitor):
    """A visitor with an account at the provider."""

    def __init__(self, service, chromium, name, language):
        super().__init__(service, chromium, name, language)
        # The provider's own pages may complain of what they like.
        self.context.remove_listener("console", self._hear)
        self.context.on("console", lambda message: service.origin in message.location.get("url", "") and self._hear(message))

    def _miss(self, response):
        if response.url.startswith(self.service.origin):
            super()._miss(response)

    def sign_in_there(self):
        self.page.locator("input[name=login]").fill(self.nickname)
        self.page.keyboard.press("Enter")
        self.type_password_there()

    def type_password_there(self):
        self.page.locator("input[name=password]").fill(Canaille.password)
        self.page.keyboard.press("Enter")

    def agree_there(self):
        """Canaille asks once; then it sends people back at once."""
        asked = self.page.locator("button[value=accept]")
        self.see(asked.or_(self.page.locator("#gate, .setgrid")).first)
        if asked.count() > 0:
            asked.click()

    def go_there(self, page):
        self.page.goto(page)
        self.see(self.page.get_by_role("link", name=re.compile("Canaille"))).click()


@pytest.fixture
def guest(service, chromium):
    made = []

    def make(name, language="en"):
        made.append(Guest(service, chromium, name, language))
        return made[-1]

    yield make
    for visitor in made:
        visitor.leave()


def open_account(visitor):
    """The whole way from the page of registration, with a mail since Canaille vouches for no address."""
    visitor.go_there("/register")
    visitor.sign_in_there()
    visitor.agree_there()
    visitor.see(visitor.page.get_by_role("heading", level=1))
    expect(visitor.page).to_have_url(re.compile("/welcome"))
    visitor.field("email").fill(visitor.email)
    visitor.button("send").click()
    visitor.see(visitor.page.get_by_role("heading", name=visitor.words["check_mail"]))
    expect(visitor.page.get_by_role("status").filter(has_text=visitor.words["check_mail"])).to_have_count(1)
    expect(visitor.page.get_by_role("main")).to_be_focused()
    visitor.open_link_from_mail()
    visitor.field("nickname").fill(visitor.nickname)
    expect(visitor.field("password")).to_have_count(0)
    visitor.button("begin").click()
    visitor.see(visitor.page.get_by_role("timer"))


def test_cancelling_at_the_provider_explains_and_leads_back(guest, pictures):
    visitor = guest("bora")
    visitor.go_there("/sign-in")
    visitor.sign_in_there()
    visitor.page.locator("button[value=deny]").click()
    visitor.see(visitor.page.get_by_text("You stopped before it was done."))
    assert examine(visitor, "provider-cancelled", pictures) == []
    visitor.page.get_by_role("link", name="Back to sign-in").click()
    visitor.see(visitor.page.get_by_role("heading", name="Sign in"))
    assert examine(visitor, "sign-in-providers", pictures) == []


@pytest.mark.parametrize("language, name", [("ko", "dodam"), ("en", "mina")])
def test_somebody_new_comes_in_and_comes_back(guest, language, name):
    visitor = guest(name, language)
    open_account(visitor)
    visitor.page.goto("/settings")
    visitor.button("sign_out").click()
    expect(visitor.page).to_have_url(re.compile("/$"))
    # They are still signed in at the provider and have agreed before, so one click is all.
    visitor.go_there("/sign-in?next=/groups")
    expect(visitor.page).to_have_url(re.compile("/groups$"))


def ways(visitor, name):
    return visitor.page.get_by_role("region", name=name)


def test_the_last_way_in_stays(guest):
    visitor = guest("sora")
    open_account(visitor)
    visitor.page.goto("/settings")
    card = ways(visitor, "Ways to sign in")
    visitor.see(card.get_by_text("Not set."))
    card.get_by_role("button", name="Unlink Canaille").click()
    visitor.see(visitor.page.get_by_text("This is your last way to sign in. Set a password first."))


def test_who_has_no_password_shows_through_the_provider_who_they_are(guest, service):
    visitor = guest("jiu")
    open_account(visitor)
    # As if the sign-in were an hour old.
    service.cluster.sql("UPDATE sign_ins SET fresh_until = NULL")
    visitor.page.goto("/settings")
    ways(visitor, "Ways to sign in").get_by_role("button", name="Unlink Canaille").click()
    visitor.page.get_by_role("dialog").get_by_role("button", name="Sign in through Canaille again").click()
    # A new sign-in was asked for, although the provider knows them.
    visitor.type_password_there()
    visitor.see(visitor.page.get_by_text("Canaille has confirmed that it is you."))
    ways(visitor, "Ways to sign in").get_by_role("button", name="Unlink Canaille").click()
    visitor.see(visitor.page.get_by_text("This is your last way to sign in."))


def test_an_owner_links_and_unlinks_in_the_settings_and_gets_a_letter_about_each(guest, service, pictures):
    visitor = guest("bora")
    visitor.have_account()
    visitor.page.goto("/settings")
    card = ways(visitor, "Ways to sign in")
    card.get_by_role("button", name="Link Canaille").click()
    sheet = visitor.page.get_by_role("dialog")
    sheet.get_by_label("Password").fill("not my password")
    sheet.get_by_role("button", name="Link", exact=True).click()
    visitor.see(sheet.get_by_text("The current password is wrong."))
    assert examine(visitor, "sheet-link", pictures) == []
    # By keyboard alone.
    sheet.get_by_label("Password").fill(PASSWORD)
    visitor.page.keyboard.press("Enter")
    visitor.sign_in_there()
    visitor.agree_there()
    visitor.see(visitor.page.get_by_text("Canaille is linked. You can sign in through it from now on."))
    assert examine(visitor, "settings-linked", pictures) == []

    # The second letter is in the other language.
    visitor.context.request.patch("/api/v1/me", data={"locale": "ko"}, headers={"Origin": service.origin})
    card.get_by_role("button", name="Unlink Canaille").click()
    sheet.get_by_label("Password").fill(PASSWORD)
    visitor.page.keyboard.press("Enter")
    expect(card.get_by_role("button", name="Link Canaille")).to_be_focused()
    letters = wait_until(lambda: found if len(found := service.letters(visitor.email)) == 2 else None, what="both letters")
    assert [letter["subject"] for letter in letters] == [
        "Canaille was linked to your Anthill account",
        "공부 개미 계정에서 Canaille 계정 연결이 해제됐어요",
    ]
    look_at_letters(visitor, letters, pictures)


@pytest.fixture
def without_mail(service):
    """The same service without mail, and a provider that says what a test wants."""
    liar = Liar(int(time.time()))
    other = Service(
        service.cluster,
        ANTHILL_SECRET=service.environment["ANTHILL_SECRET"],
        ANTHILL_SMTP_URL="none",
        ANTHILL_OIDC_ACME_ISSUER=liar.issuer,
        ANTHILL_OIDC_ACME_CLIENT_ID=CLIENT,
        ANTHILL_OIDC_ACME_CLIENT_SECRET=SECRET,
    ).start()
    yield other, liar
    assert other.stop() == 0
    liar.close()


@pytest.mark.parametrize("language", ["ko", "en"])
def test_without_mail_a_provider_lets_those_in_whose_address_it_verified(without_mail, chromium, language, pictures):
    service, liar = without_mail
    visitor = Visitor(service, chromium, "Dodam", language)

    def come_through(**claims):
        visitor.page.goto("/register")
        way = visitor.see(visitor.page.get_by_role("link", name=re.compile("Acme"))).get_attribute("href")
        there = visitor.context.request.get(way, max_redirects=0).headers["location"]
        visitor.page.goto(f"{service.api}/oidc/acme/callback?{urlencode(liar.allow(there, **claims))}")

    come_through(sub=f"unknown-{language}")
    visitor.see(visitor.page.get_by_role("heading", name={"ko": "메일을 보내지 않아요", "en": "sends no email"}[language]))
    assert examine(visitor, f"welcome-no-mail-{language}", pictures) == []
    visitor.page.goto("/register")
    visitor.see(visitor.page.get_by_role("link", name=re.compile("Acme")))
    assert examine(visitor, f"register-no-mail-{language}", pictures) == []

    come_through(sub=f"known-{language}", email=visitor.email, email_verified=True)
    visitor.field("nickname").fill("Dodam")
    visitor.button("begin").click()
    visitor.see(visitor.page.get_by_role("timer"))
    visitor.page.goto("/settings")
    devices = visitor.page.get_by_role("region", name={"ko": "로그인한 기기", "en": "Devices"}[language])
    expect(devices).to_contain_text({"ko": "Acme 계정으로 로그인", "en": "through Acme"}[language])
    visitor.leave()


PROBLEMS = [
    "cancelled", "expired", "refused", "provider_unavailable", "address_taken", "identity_taken", "another_identity",
    "wrong_credentials", "not_signed_in", "too_many_attempts", "fault", "something_new",
]  # fmt: skip


def test_every_problem_has_words_in_both_languages(guest):
    for language in ("ko", "en"):
        visitor = guest("nobody", language)
        seen = set()
        for problem in PROBLEMS:
            # The fragment alone would not load the page again.
            visitor.page.goto("about:blank")
            visitor.page.goto(f"/provider#problem={problem}&provider=canaille")
            visitor.see(visitor.page.get_by_role("heading", level=1))
            seen.add(visitor.page.locator(".card.form p.muted").inner_text())
        assert len(seen) == len(PROBLEMS) - 1, "what is not known is told as a fault"


def test_an_answer_from_another_browser_is_told_as_expired(guest, service):
    visitor = guest("nobody")
    visitor.page.goto(f"{service.api}/oidc/canaille/callback?code=x&state=y")
    visitor.see(visitor.page.get_by_text("begun in another browser"))


def test_a_provider_that_is_down_is_told(guest, provider, service, pictures):
    visitor = guest("nobody")
    provider.stop()
    try:
        service.stop()
        service.start()
        visitor.go_there("/sign-in")
        visitor.see(visitor.page.get_by_text("Canaille cannot be reached right now."))
        assert examine(visitor, "provider-down", pictures) == []
    finally:
        provider.process = None
