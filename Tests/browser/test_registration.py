"""Who may come, on the pages: registration that is open, by invitation or closed, and a service without mail."""

import re

import pytest
from person import Person
from playwright.sync_api import expect
from service import Service
from test_pages import examine
from visitor import Visitor

WORDS = {
    "ko": {
        "closed": "지금은 새로 가입할 수 없어요",
        "need": "초대를 받아야 가입할 수 있어요",
        "paste": "열기",
        "joins": "모임에 바로 들어가요.",
        "to_service": "공부 개미의 초대를 받았어요",
        "member": "이미 계정이 있어요",
        "no_mail": "이 서비스는 메일을 보내지 않아요",
        "alone": "계정을 만들었어요",
        "home": "공부하러 가기",
        "friend": "친구 초대하기",
        "get_link": "링크 보기",
        "anyone": "누구나 가입할 수 있어요.",
        "by_invitation": "초대를 받은 사람만 가입할 수 있어요.",
        "nobody": "지금은 새로 가입할 수 없어요.",
        "ask_link": "비밀번호를 다시 정할 링크를 부탁해 주세요.",
        "ask_new_link": "이 서비스를 운영하는 분께 새 링크를 부탁해 주세요.",
        "ask_change": "바꾸려면 이 서비스를 운영하는 분께 부탁해 주세요",
        "change_email": "이메일 바꾸기",
        "date_next": "날짜는 다음 화면에 나와요.",
    },
    "en": {
        "closed": "Nobody can join at the moment",
        "need": "You need an invitation",
        "paste": "Open",
        "joins": "You will be a member of",
        "to_service": "You've been invited to Anthill",
        "member": "You already have an account",
        "no_mail": "This service sends no email",
        "alone": "Your account is ready",
        "home": "Go to my timer",
        "friend": "Invite a friend",
        "get_link": "Get the link",
        "anyone": "Anyone can join this service.",
        "by_invitation": "People join this service by invitation.",
        "nobody": "Nobody can join this service at the moment.",
        "ask_link": "Ask the person who runs it for a link to choose a new password.",
        "ask_new_link": "Ask the person who runs this service for a new one.",
        "ask_change": "To change it, ask the person who runs this service",
        "change_email": "Change email",
        "date_next": "The next page shows the date.",
    },
}


@pytest.fixture(params=["ko", "en"])
def language(request):
    return request.param


@pytest.fixture
def door(service, chromium, language):
    """A visitor at a service with these settings, on the same database as the others."""
    opened = []

    def open_with(**settings):
        secret = service.environment["ANTHILL_SECRET"]
        other = Service(service.cluster, ANTHILL_SECRET=secret, **settings).start() if settings else service
        visitor = Visitor(other, chromium, "Friend", language)
        opened.append((other, visitor))
        return visitor

    yield open_with
    for other, visitor in opened:
        visitor.leave()
        if other is not service:
            assert other.stop() == 0


@pytest.fixture
def owner(service, language):
    with Person(service, "Owner") as owner:
        yield owner.register(locale=language)


def see_heading(visitor, name):
    visitor.see(visitor.page.get_by_role("heading", level=1, name=name))


def look_at(visitor, name, pictures):
    visitor.settle()
    assert examine(visitor, f"{name}-{visitor.language}", pictures) == []


def test_a_closed_service_says_so(door, owner, language, pictures):
    words, visitor = WORDS[language], door(ANTHILL_REGISTRATION="closed")
    visitor.page.goto("/")
    visitor.page.get_by_role("link", name=visitor.words["start_with_email"]).first.click()
    see_heading(visitor, words["closed"])
    look_at(visitor, "register-closed", pictures)
    # Of the people with an invitation, only those with an account come in.
    invitation = owner.invite(owner.found_group("Night owls"))["code"]
    visitor.page.goto(f"/join/{invitation}")
    see_heading(visitor, "Night owls")
    expect(visitor.page.get_by_role("link", name=visitor.words["have_account"])).to_have_count(1)
    expect(visitor.page.get_by_role("link", name=visitor.words["start_with_email"])).to_have_count(0)
    look_at(visitor, "join-closed", pictures)
    visitor.sign_in(owner.email)
    visitor.page.goto("/invite")
    visitor.see(visitor.page.get_by_text(words["nobody"]))
    look_at(visitor, "invite-closed", pictures)


def test_by_invitation_a_friend_pastes_the_link_and_becomes_a_member(door, owner, language, pictures):
    words, visitor = WORDS[language], door(ANTHILL_REGISTRATION="invitation")
    group = owner.found_group("Night owls")
    link = owner.invite(group)["url"]
    visitor.page.goto("/register")
    see_heading(visitor, words["need"])
    look_at(visitor, "register-invitation", pictures)
    visitor.field("link").fill(link)
    visitor.page.get_by_role("button", name=words["paste"], exact=True).click()
    see_heading(visitor, "Night owls")
    visitor.page.get_by_role("link", name=visitor.words["start_with_email"]).click()
    expect(visitor.page.locator(".notice")).to_contain_text(words["joins"])
    expect(visitor.page.locator(".notice")).to_contain_text("Night owls")
    look_at(visitor, "register-invited", pictures)
    visitor.field("email").fill(visitor.email)
    visitor.button("send").click()
    see_heading(visitor, visitor.words["check_mail"])
    visitor.open_link_from_mail()
    visitor.choose_name_and_password()
    expect(visitor.page).to_have_url(re.compile(f"/groups/{group['id']}$"))
    see_heading(visitor, "Night owls")
    visitor.page.goto("/groups")
    visitor.see(visitor.page.get_by_role("link", name="Night owls"))
    expect(visitor.page.get_by_role("link", name=words["friend"])).to_have_count(0)
    visitor.page.goto("/invite")
    visitor.see(visitor.page.get_by_text(words["by_invitation"]))
    look_at(visitor, "invite-by-invitation", pictures)


def test_the_operators_invitation_leads_to_an_account(door, language, pictures):
    words, visitor = WORDS[language], door(ANTHILL_REGISTRATION="invitation")
    link = visitor.service.run("invite").stdout.splitlines()[0]
    visitor.page.goto(link)
    see_heading(visitor, words["to_service"])
    look_at(visitor, "join-service", pictures)
    visitor.ask_to_register()
    visitor.open_link_from_mail()
    visitor.choose_name_and_password()
    visitor.see(visitor.page.get_by_role("timer"))
    visitor.page.goto(link)
    see_heading(visitor, words["member"])
    look_at(visitor, "join-service-member", pictures)


def test_an_invitation_that_ended_meanwhile_leaves_an_account_without_the_group(door, owner, language, pictures):
    words, visitor = WORDS[language], door()
    group = owner.found_group("Night owls")
    invitation = owner.invite(group)
    visitor.page.goto(invitation["url"])
    visitor.ask_to_register()
    owner.delete(f"/groups/{group['id']}/invitations/{invitation['id']}")
    visitor.open_link_from_mail()
    visitor.choose_name_and_password()
    see_heading(visitor, words["alone"])
    look_at(visitor, "welcome-alone", pictures)
    visitor.page.get_by_role("button", name=words["home"]).click()
    visitor.see(visitor.page.get_by_role("timer"))


def test_without_mail_the_pages_say_whom_to_ask(door, language, pictures):
    words, visitor = WORDS[language], door(ANTHILL_SMTP_URL="none")
    for path, text in [("/register", words["no_mail"]), ("/reset", words["ask_link"])]:
        visitor.page.goto(path)
        see_heading(visitor, words["no_mail"])
        visitor.see(visitor.page.get_by_text(text))
        look_at(visitor, f"no-mail{path.replace('/', '-')}", pictures)
    link = visitor.service.run("link", visitor.email).stdout.splitlines()[0]
    visitor.page.goto(link)
    visitor.choose_name_and_password()
    visitor.see(visitor.page.get_by_role("timer"))
    visitor.page.goto("/settings")
    visitor.see(visitor.page.locator("#sounds"))
    expect(visitor.page.locator("#unattended_mail, #digest_mail")).to_have_count(0)
    visitor.see(visitor.page.get_by_text(words["ask_change"]))
    expect(visitor.page.get_by_role("button", name=words["change_email"])).to_have_count(0)
    look_at(visitor, "no-mail-settings", pictures)
    visitor.page.goto("/leave")
    visitor.see(visitor.page.get_by_text(words["date_next"]))
    visitor.page.goto("/new-password")
    visitor.see(visitor.page.get_by_text(words["ask_new_link"]))
    look_at(visitor, "no-mail-new-password", pictures)
    visitor.page.goto("/welcome")
    visitor.see(visitor.page.get_by_text(words["ask_new_link"]))
    look_at(visitor, "no-mail-welcome", pictures)


def test_while_all_may_come_a_member_sends_a_friend_the_link(door, owner, language, pictures):
    words, visitor = WORDS[language], door()
    visitor.sign_in(owner.email)
    visitor.page.goto("/settings")
    visitor.page.get_by_role("link", name=words["get_link"]).click()
    see_heading(visitor, words["friend"])
    # From the page of one's groups, too, without a group and with one.
    visitor.page.goto("/groups")
    visitor.see(visitor.page.get_by_role("link", name=words["friend"]))
    look_at(visitor, "groups-none-open", pictures)
    owner.found_group("Night owls")
    visitor.page.reload()
    visitor.see(visitor.page.get_by_role("link", name="Night owls"))
    look_at(visitor, "groups-open", pictures)
    visitor.page.get_by_role("link", name=words["friend"]).click()
    see_heading(visitor, words["friend"])
    visitor.see(visitor.page.get_by_text(words["anyone"]))
    assert visitor.field("link").input_value() == f"{visitor.service.origin}/register"
    visitor.page.wait_for_function("document.querySelector('img.qr').naturalWidth > 0")
    look_at(visitor, "invite-open", pictures)
