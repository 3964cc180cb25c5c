"""A person in a browser, who uses the pages by the words on them."""

import os
import re
import secrets
import time

import accounts
from accounts import PASSWORD
from playwright.sync_api import expect
from service import wait_until

WORDS = {
    "ko": {
        "start_with_email": "이메일로 시작하기",
        "email": "이메일",
        "send": "확인 메일 받기",
        "check_mail": "메일을 확인해 주세요",
        "nickname": "별명",
        "password": "비밀번호",
        "begin": "계정 만들기",
        "start": "공부 시작",
        "pause": "잠깐 쉬기",
        "resume": "이어서 하기",
        "stop": "끝내기",
        "log": "직접 입력",
        "day": "날짜",
        "from": "시작",
        "to": "끝",
        "log_it": "입력하기",
        "new_group": "모임 만들기",
        "name": "이름",
        "create": "만들기",
        "invite": "초대하기",
        "make_link": "초대 링크 만들기",
        "members": "함께하는 사람",
        "link": "초대 링크",
        "close": "닫기",
        "join": "함께하기",
        "board": "순위",
        "previous": "이전",
        "month": "월",
        "sign_out": "로그아웃",
        "sign_in": "로그인",
        "have_account": "로그인하고 참여하기",
    },
    "en": {
        "start_with_email": "Sign up with email",
        "email": "Email",
        "send": "Send the link",
        "check_mail": "Check your email",
        "nickname": "Nickname",
        "password": "Password",
        "begin": "Create account",
        "start": "Start studying",
        "pause": "Take a break",
        "resume": "Resume",
        "stop": "Finish",
        "log": "Add by hand",
        "day": "Date",
        "from": "Start",
        "to": "End",
        "log_it": "Add session",
        "new_group": "New group",
        "name": "Name",
        "create": "Create group",
        "invite": "Invite",
        "make_link": "Create a link",
        "members": "Members",
        "link": "Invitation link",
        "close": "Close",
        "join": "Join",
        "board": "Board",
        "previous": "Previous",
        "month": "Month",
        "sign_out": "Sign out",
        "sign_in": "Sign in",
        "have_account": "Sign in and join",
    },
}

# Counts the answers that a page waits for or reads. The browser calls a request finished before the page has read its
# answer, and may ask the next thing.
READING = """
{
    let reading = 0;
    const counted = (own) => function (...options) {
        const promise = own.apply(this, options);
        const end = () => { reading -= 1; };
        reading += 1;
        promise.then(end, end);
        return promise;
    };
    window.fetch = counted(window.fetch);
    for (const how of ["text", "json", "blob"]) Response.prototype[how] = counted(Response.prototype[how]);
    window.isReading = () => reading > 0;
}
"""

# The window of a laptop. `examine` of test_pages ends with it.
WIDE = {"width": 1280, "height": 900}

# Whether somebody wants to look at pictures of the pages.
WANTS_PICTURES = "ANTHILL_TEST_PICTURES" in os.environ


def take_picture(of, path, **options):
    """A picture of a page, or of a part of it, if somebody wants to look at it."""
    if WANTS_PICTURES:
        of.screenshot(path=path, **options)


class Visitor:
    """One person with a browser of their own."""

    # Motion that never ends has Chromium draw all the time.
    def __init__(self, service, chromium, nickname, language, zone="Asia/Seoul", reduced_motion="reduce", **options):
        self.service = service
        self.nickname = nickname
        self.language = language
        self.zone = zone
        self.words = WORDS[language]
        self.email = f"{secrets.token_hex(4)}@example.org"
        # Each visitor has their own address, so that limits per address work as in life.
        address = f"10.{'.'.join(str(secrets.randbelow(254) + 1) for _ in range(3))}"
        # What the service takes down of their sign-ins.
        self.seen_as = {"device": "Chrome · Linux", "client": address}
        self.context = chromium.new_context(
            base_url=service.origin,
            locale={"ko": "ko-KR", "en": "en-GB"}[language],
            timezone_id=zone,
            reduced_motion=reduced_motion,
            extra_http_headers={"X-Forwarded-For": address},
            # A page is what the service just sent; what a service worker keeps is a matter of test_offline.
            **{"service_workers": "block", "viewport": WIDE, **options},
        )
        self.complaints, self.refused = [], []
        self.requests, self.under_way = 0, set()
        self.context.on("console", self._hear)
        self.context.on("response", self._miss)
        self.context.on("request", self._begin)
        self.context.on("requestfinished", self._end)
        self.context.on("requestfailed", self._end)
        self.context.on("weberror", lambda error: self.complaints.append(str(error.error)))
        self.context.add_init_script(READING)
        self.page = self.context.new_page()

    def _hear(self, message):
        # Chromium complains of every answer from 400 on; such answers are part of the tests.
        known = ("Failed to load resource", "Service Worker registration blocked")
        if message.type in ("error", "warning") and not any(each in message.text for each in known):
            self.complaints.append(message.text)

    def __repr__(self):
        # Shown beside each step of a failed test.
        return f"{self.nickname} at {self.page.url}, refused: {', '.join(self.refused[-5:]) or 'nothing'}"

    def _miss(self, response):
        if response.status >= 400:
            self.refused.append(f"{response.status} {response.url.removeprefix(self.service.origin)}")
        # Missing pages and API answers are part of the tests; missing scripts, styles and pictures are not.
        if response.status >= 400 and response.request.resource_type != "document" and "/api/" not in response.url:
            self.complaints.append(f"{response.status} for {response.url}")

    def _begin(self, request):
        self.requests += 1
        # A stream never ends.
        if request.resource_type != "eventsource":
            self.under_way.add(request)

    def _end(self, request):
        self.under_way.discard(request)

    def leave(self):
        self.context.close()
        assert self.complaints == []

    # What the visitor sees

    def button(self, name):
        return self.page.get_by_role("button", name=self.words[name], exact=True)

    def field(self, name):
        return self.page.get_by_label(self.words[name], exact=True)

    def see(self, locator):
        expect(locator).to_be_visible()
        return locator

    def settle(self):
        """Waits until no request is under way and the page is drawn. The page's clock must be running."""
        self._wait("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done())))")

    def wait_for_answers(self):
        """Waits until no request is under way, also while the page's clock stands still."""
        self._wait("new Promise(done => { const { port1, port2 } = new MessageChannel(); port2.onmessage = done; port1.postMessage(0); })")

    def let_pass(self, seconds):
        """Lets time pass for the page, whose clock stands still: all at once as while a laptop sleeps, but the last seconds
        one by one. Each second of an hour drawn by itself would take longer than the rest of a test."""
        last = min(seconds, 10)
        if seconds > last:
            self.page.clock.fast_forward((seconds - last) * 1000)
        self.page.clock.run_for(last * 1000)

    def _wait(self, turn):
        deadline = time.monotonic() + 20
        while True:
            requests = self.requests
            is_reading = self.page.evaluate(f"{turn}.then(() => globalThis.isReading?.())")
            if not is_reading and not self.under_way and requests == self.requests:
                return
            assert time.monotonic() < deadline, f"still under way: {[request.url for request in self.under_way]}"

    # Without pages; test_story and test_life do the same on them

    def ask(self, path, body):
        answer = self.context.request.post(f"/api/v1{path}", data=body, headers={"Origin": self.service.origin})
        assert answer.ok, answer.text()

    def have_account(self):
        """Has an account and is signed in, on no page yet."""
        names = {"nickname": self.nickname, "locale": self.language, "time_zone": self.zone}
        self._keep(accounts.register(self.service, self.email, **names, **self.seen_as)[1])
        return self

    def open_account(self):
        """Has an account and opens the home page."""
        self.have_account().go_home()
        return self

    def sign_in(self, email):
        self._keep(accounts.sign_in(self.service, email, **self.seen_as))

    def _keep(self, token):
        """Has the cookie of a sign-in, as the service sets it."""
        cookie = {"name": "anthill", "value": token, "url": self.service.origin, "httpOnly": True, "sameSite": "Lax"}
        self.context.add_cookies([cookie])

    def open_account_by_mail(self):
        """Registers as people do, and opens the home page."""
        self.ask("/registrations", {"email": self.email})
        token = self.service.token_from_mail(self.email)
        clock = {"time_zone": self.zone, "locale": self.language}
        self.ask("/users", {"token": token, "nickname": self.nickname, "password": PASSWORD, "delivery": "cookie", **clock})
        self.go_home()
        return self

    # What the visitor does

    def ask_to_register(self):
        self.page.get_by_role("link", name=self.words["start_with_email"]).first.click()
        self.field("email").fill(self.email)
        self.button("send").click()
        self.see(self.page.get_by_role("heading", name=self.words["check_mail"]))

    def open_link_from_mail(self, letter=1):
        """Follows the link in the letter of that number, waiting for it to come. Another service on the same database may have
        sent it, with its own address, so only the path counts."""
        letters = wait_until(lambda: found if len(found := self.service.letters(self.email)) >= letter else None, what="a letter")
        text = letters[letter - 1].get_body(("plain",)).get_content()
        self.page.goto(re.search(r"https?://[^/\s]+(/\S+#token=[A-Za-z0-9_-]+)", text)[1])

    def choose_name_and_password(self):
        self.field("nickname").fill(self.nickname)
        self.field("password").fill(PASSWORD)
        self.button("begin").click()

    def register(self, begin="/"):
        self.page.goto(begin)
        self.ask_to_register()
        self.open_link_from_mail()
        self.choose_name_and_password()
        return self

    def go_home(self):
        self.page.goto("/home")
        self.see(self.page.get_by_role("timer"))

    def log(self, day, start, end):
        self.go_home()
        self.button("log").click()
        self.field("day").fill(day)
        self.field("from").fill(start)
        self.field("to").fill(end)
        self.button("log_it").click()

    def found_group(self, name):
        self.page.goto("/groups")
        self.button("new_group").click()
        self.field("name").fill(name)
        self.button("create").click()
        self.see(self.page.get_by_role("heading", name=name, level=1))
        return self.page.url

    def invite(self):
        self.button("invite").click()
        self.button("make_link").click()
        link = self.see(self.field("link")).input_value()
        self.button("close").click()
        return link

    def board(self):
        """What the board on the page says: (rank, name, seconds, share by hand), from top to bottom; of who hides the first two."""
        table = self.see(self.page.locator("table.board"))
        return table.locator("tbody tr").evaluate_all(
            """rows => rows.map(row => [
                Number(row.cells[0].innerText.match(/[0-9]+/)[0]),
                (row.querySelector("bdi") ?? row.querySelector(".nick")).textContent,
                ...(row.matches(".someone") ? [] : [
                    Number(row.cells[2].dataset.seconds),
                    (row.querySelector(".sub")?.innerText.match(/[0-9]+(?=%)/)?.[0] ?? "0") + "%",
                ]),
            ])"""
        )
