"""What ends with what: every event that ends sign-ins, and every kind of credential a person may hold then."""

import re
import threading
import time
from concurrent.futures import ThreadPoolExecutor, wait

import pytest
from person import PASSWORD, expect
from service import wait_until
from test_accounts import ask_for_address
from test_live import Events

NEW = "a new heron 77"

# What a person holds. "here" is the device that acts, and that asked for another address.
# "key" is a key for another program: it ends with all sign-ins, though it is no device.
DEVICES = {"here", "phone", "browser", "key"}
STREAMS = {"here's stream", "phone's stream", "browser's stream", "key's stream"}
# Pushes go to browsers that are signed in.
PUSHES = {"here's pushes", "phone's pushes", "browser's pushes"}
HERE, PHONE = {"here", "here's stream", "here's pushes"}, {"phone", "phone's stream", "phone's pushes"}
SIGNED_IN = DEVICES | STREAMS | PUSHES
OTHERS = SIGNED_IN - HERE
RESET, CHANGE, RETURN = "link to a new password", "link to the new address", "link that takes the old address back"
MAILED = {RESET, CHANGE}
# The secret addresses of a calendar and of a badge hold under the epoch in which they were made.
CALENDAR, BADGE = "calendar's address", "badge's address"
EPOCH = MAILED | {CALENDAR, BADGE}
# These are nobody's sign-in: they go on, whatever happens to the account.
REGISTRATION, OPT_OUT = "link to a registration", "link that turns a mail off"

# What ends with each event. Everything else goes on.
ENDS = {
    "signed out here": HERE | {CHANGE},
    "signed out on the phone": PHONE,
    "signed out everywhere else": OTHERS,
    "password changed": OTHERS | EPOCH,
    "password reset": SIGNED_IN | EPOCH,
    "address changed": OTHERS | EPOCH,
    "old address taken back": SIGNED_IN | EPOCH | {RETURN},
    "identity unlinked": OTHERS | EPOCH,
    # Here one may still see the account and come back; boards and pushes are not for those who leave. The link to the old address
    # takes it back: who asked may be a thief.
    "asked to leave": OTHERS | {"here's stream", "here's pushes"} | EPOCH,
    "erased": SIGNED_IN | EPOCH | {RETURN},
    "suspended": SIGNED_IN | EPOCH,
    "suspended and active again": SIGNED_IN | EPOCH,
    "epoch raised": SIGNED_IN | EPOCH,
    "sign-ins deleted": SIGNED_IN | {CHANGE},
    "phone's sign-in deleted": PHONE,
    "phone's time is over": PHONE,
    "key ended": {"key", "key's stream"},
    # A key lasts as long as it was made for.
    "unused for 30 days": (SIGNED_IN | MAILED | {RETURN, REGISTRATION}) - {"key", "key's stream"},
    "unused for a year": SIGNED_IN | MAILED | {RETURN, REGISTRATION},
}


class Watcher:
    """An open stream of a board. `over` comes true when it ends, and false when somebody else is seen to study."""

    def __init__(self, pool, device, group):
        self.opened = threading.Event()
        self.over = pool.submit(self._watch, device, f"/api/v1/groups/{group}/leaderboard/stream")

    def _watch(self, device, path):
        headers = {"Authorization": f"Bearer {device.token}"} if device.token else {}
        deadline = time.monotonic() + 90
        with device.http.stream("GET", path, headers=headers, timeout=30) as response:
            assert response.status_code == 200, response.read()
            events = Events(response)
            while event := events.next():
                assert time.monotonic() < deadline, "nothing happens"
                if event[0] == "leaderboard":
                    self.opened.set()
                    if any(each["studying"] for each in event[2]["me"]["neighbours"]):
                        return False
            return True


class Mina:
    """A member of somebody's group, with three devices that get pushes, a key for a program, four open boards and every kind of
    link."""

    def __init__(self, service, people, pool):
        self.service = service
        self.here = people(service, "Mina")
        self.opt_out = self.link_that_turns_a_mail_off()
        self.friend, self.newcomer = people(service, "Haneul"), people(service, "Sora", registered=False)
        self.group = self.friend.found_group()
        self.here.join(self.friend.invite(self.group)["code"])
        self.phone, self.browser, self.program = (people(service, "Mina", registered=False) for _ in range(3))
        self.phone.email = self.browser.email = self.email = self.here.email
        self.phone.sign_in()
        self.browser.sign_in(delivery="cookie")
        assert self.browser.token is None and len(self.browser.http.cookies) == 1

        made = expect(self.here.post("/me/api-keys", {"name": "My clock", "scopes": ["read"]}), 201).json()
        self.key, self.program.token = made["id"], made["key"]

        self.calendar = expect(self.here.post("/me/calendar-feed"), 201).json()["url"].removeprefix(service.origin)

        self.badge = expect(self.here.post("/me/badge", {"period": "day"}), 201).json()["url"].removeprefix(service.origin)

        self.pushed = {}
        for name, device in (("here", self.here), ("phone", self.phone), ("browser", self.browser)):
            sign_in = self.sign_in_of(device)
            endpoint, key = f"https://push.example.org/{sign_in}", b"\4" + bytes(64)
            subscribe = "SELECT add_push_subscription(%s, %s, %s, %s, %s)"
            service.cluster.sql(subscribe, self.here.uid, sign_in, endpoint, key, bytes(16))
            self.pushed[f"{name}'s pushes"] = endpoint

        self.registration = self.newcomer.ask_to_register()
        already = len(service.letters(self.email))
        expect(self.here.post("/password-resets", {"email": self.email}, token=None), 202)
        self.reset = service.token_from_mail(self.email, already=already)
        new = people(service, "Mina", registered=False).email
        self.change, self.back = ask_for_address(self.here, new)

        self.devices = {"here": self.here, "phone": self.phone, "browser": self.browser, "key": self.program}
        self.watchers = {f"{name}'s stream": Watcher(pool, device, self.group["id"]) for name, device in self.devices.items()}
        for watcher in self.watchers.values():
            assert watcher.opened.wait(20)

    def link_that_turns_a_mail_off(self):
        already = len(self.service.letters(self.here.email))
        expect(self.here.start(), 201)
        self.service.advance_clock(7 * 3600)
        self.service.cluster.sql("SELECT tell_of_unattended_timers()")
        letters = wait_until(lambda: self.service.letters(self.here.email)[already:], seconds=20, what="the mail about the timer")
        expect(self.here.post("/me/timer/stop"), 200)
        return re.search(r"/unsubscribe/\S+", letters[0].get_body(("plain",)).get_content())[0]

    def sql(self, text):
        return self.service.cluster.sql(text, self.here.uid)

    def sign_in_of(self, device):
        items = expect(device.get("/sign-ins"), 200).json()["items"]
        return next(each["id"] for each in items if each["current"])

    # What goes on

    def has_ended(self, device):
        answer = device.get("/me")
        if answer.status_code == 200:
            return False
        expect(answer, 401, "not_signed_in")
        return True

    def is_refused(self, answer, status):
        """Whether a link is over; if not, it did what it is for."""
        if answer.status_code == status:
            return False
        expect(answer, 410, "token_used_or_expired")
        return True

    def ended(self):
        """All that has ended. The devices come first: they are over with the next request."""
        here, devices = self.here, {name for name, device in self.devices.items() if self.has_ended(device)}
        yield from devices
        reached = {endpoint for (endpoint,) in self.sql("SELECT endpoint FROM push_devices(%s, 'test')")}
        yield from (name for name, endpoint in self.pushed.items() if endpoint not in reached)
        # A weak password is refused and uses the link up only then.
        weak = {"token": self.reset, "password": "password"}
        if self.is_refused(here.put("/password-resets", weak, token=None), 422):
            yield RESET
        newcomer = {"token": self.registration, "nickname": "Sora", "password": PASSWORD}
        if self.is_refused(self.newcomer.post("/users", newcomer, token=None), 201):
            yield REGISTRATION
        if here.http.get(self.calendar).status_code != 200:
            yield CALENDAR
        if here.http.get(self.badge).status_code != 200:
            yield BADGE
        if here.http.post(self.opt_out, data={"List-Unsubscribe": "One-Click"}).status_code != 204:
            yield OPT_OUT

    def ended_streams(self, expected):
        """Those that are to end have time to; the others show what happens next."""
        wait([self.watchers[name].over for name in self.watchers.keys() & expected], timeout=20)
        self.friend.sign_in()
        expect(self.friend.start(), 201)
        return {name for name, watcher in self.watchers.items() if watcher.over.result(20)}

    def ended_for_good(self):
        """The links whose use ends everything else."""
        if self.is_refused(self.here.post("/email-changes", {"token": self.change}, token=None), 204):
            yield CHANGE
        if self.is_refused(self.here.post("/email-changes/cancellations", {"token": self.back}, token=None), 204):
            yield RETURN

    # What happens

    def signed_out_here(self):
        expect(self.here.delete("/sign-ins/current"), 204)

    def signed_out_on_the_phone(self):
        expect(self.here.delete(f"/sign-ins/{self.sign_in_of(self.phone)}"), 204)

    def signed_out_everywhere_else(self):
        expect(self.here.delete("/sign-ins"), 204)

    def password_changed(self):
        expect(self.here.put("/me/password", {"current": PASSWORD, "new": NEW}), 204)

    def password_reset(self):
        """With another link than the one that is looked at."""
        printed = self.service.run("link", self.email)
        token = re.search(r"#token=([\w-]+)", printed.stdout)[1]
        expect(self.newcomer.put("/password-resets", {"token": token, "password": NEW}, token=None), 204)

    def address_changed(self):
        expect(self.newcomer.post("/email-changes", {"token": self.change}, token=None), 204)

    def old_address_taken_back(self):
        expect(self.newcomer.post("/email-changes/cancellations", {"token": self.back}, token=None), 204)

    def identity_unlinked(self):
        [[identity]] = self.sql(
            "INSERT INTO user_identities (issuer, subject, uid) SELECT 'https://provider.example', uid::text, uid"
            " FROM users WHERE uid = %s RETURNING id"
        )
        expect(self.here.ask("DELETE", f"/me/identities/{identity}", {"password": PASSWORD}), 204)

    def asked_to_leave(self):
        expect(self.here.ask("DELETE", "/me", {"password": PASSWORD}), 202)
        expect(self.here.get("/groups"), 401, "account_leaving")

    def erased(self):
        self.sql("SELECT quit_all_groups(%s)")
        self.sql("SELECT erase_user(%s)")

    def suspended(self):
        self.sql("UPDATE users SET status = 'suspended' WHERE uid = %s")
        expect(self.newcomer.post("/sign-ins", {"email": self.email, "password": PASSWORD}, token=None), 401, "wrong_credentials")

    def suspended_and_active_again(self):
        self.suspended()
        self.sql("UPDATE users SET status = 'active' WHERE uid = %s")

    def epoch_raised(self):
        self.sql("UPDATE users SET auth_epoch = auth_epoch + 1 WHERE uid = %s")

    def sign_ins_deleted(self):
        self.sql("DELETE FROM sign_ins WHERE uid = %s")

    def phones_sign_in_deleted(self):
        self.service.cluster.sql("DELETE FROM sign_ins WHERE id = %s", self.sign_in_of(self.phone))

    def phones_time_is_over(self):
        """A minute before its end it is good."""
        phone = self.sign_in_of(self.phone)
        self.service.cluster.sql("UPDATE sign_ins SET expires_at = anthill_clock() + interval '1 minute' WHERE id = %s", phone)
        expect(self.phone.get("/me"), 200)
        self.service.advance_clock(61)

    def key_ended(self):
        expect(self.here.delete(f"/me/api-keys/{self.key}"), 204)

    def unused_for_a_year(self):
        self.service.advance_clock(365 * 86400 + 1)

    def unused_for_30_days(self):
        self.service.advance_clock(30 * 86400 + 1)


@pytest.mark.parametrize("event", ENDS)
def test_what_must_end_is_over_and_what_must_go_on_goes_on(service, people, event):
    with ThreadPoolExecutor() as pool:
        mina = Mina(service, people, pool)
        getattr(mina, re.sub("[ -]", "_", event.replace("'", "")))()
        ended = {*mina.ended(), *mina.ended_streams(ENDS[event]), *mina.ended_for_good()}
    assert ended == ENDS[event]


def test_a_registration_ends_when_its_address_becomes_somebodys(service, people):
    person, newcomer = people(service), people(service, registered=False)
    registration = newcomer.ask_to_register()
    already = len(service.letters(newcomer.email))
    expect(person.post("/me/email-changes", {"email": newcomer.email, "password": PASSWORD}), 202)
    change = service.token_from_mail(newcomer.email, already=already)
    expect(person.post("/email-changes", {"token": change}, token=None), 204)
    expect(
        newcomer.post("/users", {"token": registration, "nickname": "Sora", "password": PASSWORD}, token=None), 410, "token_used_or_expired"
    )
