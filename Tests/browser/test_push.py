"""Notifications while no page is open: turned on, seen, quieted and turned off in the settings. Chromium has no push service
here, so ours takes its place; what the service sends it is read there and handed to the service worker."""

import json
import re

import pytest
from person import Person
from playwright.sync_api import expect
from push_service import PushService
from service import wait_until
from test_pages import examine
from visitor import PASSWORD, Visitor, take_picture

# The subscription that a browser with a push service would have; it lives as long as that would. The headless shell always
# says "denied" here, whatever it was granted.
SUBSCRIBING = """
  Object.defineProperty(Notification, "permission", { get: () => "granted" });
  const there = () => localStorage.getItem("subscribed") ? {
    toJSON: () => (%s),
    unsubscribe: async () => { localStorage.removeItem("subscribed"); return true; },
  } : null;
  PushManager.prototype.getSubscription = async () => there();
  PushManager.prototype.subscribe = async (options) => {
    localStorage.setItem("subscribed", options.applicationServerKey.length);
    return there();
  };
"""

WORDS = {
    "en": {
        "here": "On this device",
        "send": "Send one now",
        "title": "Notifications arrive",
        "quiet": "Quiet hours",
        "from": "From",
        "to": "To",
        "passed": "Somebody passed you",
        "blocked": "This browser blocks notifications",
    },
    "ko": {
        "here": "이 기기에서 받기",
        "send": "지금 하나 보내기",
        "title": "알림이 잘 와요",
        "quiet": "조용한 시간",
        "from": "시작",
        "to": "끝",
        "passed": "누가 나를 앞질렀을 때",
        "blocked": "이 브라우저가 공부 개미의 알림을 막고 있어요",
    },
}


@pytest.fixture(scope="module")
def push_service():
    made = PushService()
    yield made
    made.stop()


@pytest.fixture(params=["ko", "en"])
def visitor(request, service, chromium):
    visitor = Visitor(service, chromium, "Dodam", request.param, service_workers="allow")
    yield visitor
    visitor.leave()


def hand_over(visitor, push):
    """Gives the push to the service worker, as the browser would."""
    session = visitor.context.new_cdp_session(visitor.page)
    registrations = []
    session.on("ServiceWorker.workerRegistrationUpdated", lambda event: registrations.extend(event["registrations"]))
    session.send("ServiceWorker.enable")
    visitor.page.evaluate("navigator.serviceWorker.ready.then(() => {})")
    wait_until(lambda: registrations or visitor.page.evaluate("0"), what="the service worker")
    session.send(
        "ServiceWorker.deliverPushMessage",
        {"origin": visitor.service.origin, "registrationId": registrations[0]["registrationId"], "data": json.dumps(push)},
    )


def worker(visitor):
    """The service worker. The headless shell shows no notifications: what the worker would show is kept in it."""
    [worker] = wait_until(lambda: visitor.context.service_workers or visitor.page.evaluate("0"), what="the service worker")
    worker.evaluate(
        """() => { self.shown = []; self.registration.showNotification = async (title, { body, tag, data }) =>
             void self.shown.push([title, body, tag, data.address]); }"""
    )
    return worker


def press(worker, address):
    """Presses a notification. The headless shell shows none, and lets nothing come to the front that nobody has pressed: the
    worker's choice is kept in it."""
    return worker.evaluate(
        """async (address) => {
             const chosen = [];
             WindowClient.prototype.focus = async function () { chosen.push(["to the front", new URL(this.url).pathname]); };
             self.clients.openWindow = async (url) => void chosen.push(["opened", new URL(url).pathname]);
             let done;
             const notification = { data: { address }, close: () => chosen.push(["closed"]) };
             const waitUntil = (promise) => { done = promise; };
             self.dispatchEvent(Object.assign(new Event("notificationclick"), { notification, waitUntil }));
             await done;
             return chosen;
           }""",
        address,
    )


def test_a_press_on_a_notification_leads_to_its_page(visitor):
    visitor.have_account()
    visitor.page.goto("/settings")
    visitor.page.evaluate("navigator.serviceWorker.ready.then(() => {})")
    presses = worker(visitor)
    assert press(presses, "/settings") == [["closed"], ["to the front", "/settings"]]
    # The page on which somebody may be writing stays as it is.
    assert press(presses, "/alarm") == [["closed"], ["opened", "/alarm"]]


def test_notifications_are_turned_on_seen_and_quieted(visitor, push_service, pictures):
    words, page = WORDS[visitor.language], visitor.page
    browser = push_service.browser()
    visitor.context.grant_permissions(["notifications"])
    visitor.context.add_init_script(f"{{ {SUBSCRIBING % json.dumps(browser.subscription())} }}")
    visitor.have_account()
    page.goto("/settings")
    here = page.get_by_role("switch", name=words["here"])
    expect(here).not_to_be_checked()
    here.press("Space")
    expect(here).to_be_checked()
    page.get_by_role("button", name=words["send"]).press("Enter")
    [push] = wait_until(lambda: browser.taken, what="the push")
    shows = worker(visitor)
    hand_over(visitor, push)
    wait_until(lambda: shows.evaluate("self.shown.length"), what="the notification")
    assert shows.evaluate("self.shown") == [[words["title"], push["text"], "test", "/settings"]]

    page.get_by_role("switch", name=words["passed"]).check()
    quiet = page.get_by_role("switch", name=words["quiet"])
    quiet.check()
    start = page.get_by_label(words["from"], exact=True)
    expect(start).to_have_value("22:00")
    with page.expect_response(lambda answer: answer.url.endswith("/me") and "23:30" in (answer.request.post_data or "")):
        start.fill("2330")
        start.blur()
    start.fill("24:10")
    start.blur()
    expect(page.get_by_role("status").filter(has_text="17:30")).to_have_count(1)
    expect(start).to_have_value("24:10")
    expect(start).to_have_accessible_description(re.compile("17:30"))
    # The service names the field, too.
    start.fill("07:00")
    start.blur()
    end = page.get_by_label(words["to"], exact=True)
    expect(end).to_have_attribute("aria-invalid", "true")
    visitor.settle()
    take_picture(page.locator(".card", has=start), pictures / f"quiet-hours-{visitor.language}.png")
    page.reload()
    expect(start).to_have_value("23:30")
    expect(page.get_by_role("switch", name=words["passed"])).to_be_checked()
    expect(here).to_be_checked()
    visitor.settle()
    assert examine(visitor, f"push-on-{visitor.language}", pictures) == []

    here.uncheck()
    expect(page.get_by_role("button", name=words["send"])).to_have_count(0)
    assert page.evaluate("localStorage.getItem('subscribed')") is None


def test_the_service_learns_of_a_subscription_that_the_browser_replaced(visitor, push_service):
    page = visitor.page
    visitor.have_account()
    page.goto("/settings")
    [worker] = wait_until(lambda: visitor.context.service_workers or page.evaluate("0"), what="the service worker")
    replace = """async ({ made, more }) => {
        const wanted = [];
        PushManager.prototype.subscribe = async (options) => {
            wanted.push([options.userVisibleOnly, options.applicationServerKey]);
            return made;
        };
        let done;
        const waitUntil = (promise) => { done = promise; };
        self.dispatchEvent(Object.assign(new Event("pushsubscriptionchange"), { waitUntil, ...more }));
        await done;
        return wanted;
    }"""

    def arrives_at(browser):
        page.request.post("/api/v1/me/push-tests", data={}, headers={"Origin": visitor.service.origin})
        return wait_until(lambda: browser.taken, what="the push")

    # As Firefox tells of it, and as the standard has it.
    first, second = push_service.browser(), push_service.browser()
    key = page.request.get("/api/v1/push/key").json()["public_key"]
    assert worker.evaluate(replace, {"made": first.subscription(), "more": {}}) == [[True, key]]
    assert arrives_at(first)
    assert worker.evaluate(replace, {"made": None, "more": {"newSubscription": second.subscription()}}) == []
    assert arrives_at(second)


def test_somebody_else_who_signs_in_there_sees_nothing_of_it(visitor, service, push_service):
    words, page = WORDS[visitor.language], visitor.page
    visitor.context.grant_permissions(["notifications"])
    visitor.context.add_init_script(f"{{ {SUBSCRIBING % json.dumps(push_service.browser().subscription())} }}")
    visitor.have_account()
    page.goto("/settings")
    page.get_by_role("switch", name=words["here"]).check()
    expect(page.get_by_role("button", name=words["send"])).to_be_visible()

    def sign_in(email):
        visitor.context.clear_cookies()
        page.goto("/sign-in?next=/settings")
        visitor.field("email").fill(email)
        visitor.field("password").fill(PASSWORD)
        visitor.button("sign_in").click()
        page.wait_for_url("**/settings")

    # The same person goes on getting them: the new sign-in has the subscription.
    sign_in(visitor.email)
    expect(page.get_by_role("switch", name=words["here"])).to_be_checked()
    with Person(service, "Other").register() as other:
        sign_in(other.email)
    # Their language may be another.
    expect(page.locator("#push-here")).not_to_be_checked()
    assert page.evaluate("localStorage.getItem('subscribed')") is None


def test_a_browser_that_refuses_says_so(visitor, pictures):
    words, page = WORDS[visitor.language], visitor.page
    visitor.have_account()
    page.goto("/settings")
    here = page.get_by_role("switch", name=words["here"])
    expect(here).not_to_be_checked()
    if here.is_enabled():
        here.check(force=True)
    expect(page.get_by_text(words["blocked"]).first).to_be_visible()
    expect(here).not_to_be_checked()
    visitor.settle()
    assert examine(visitor, f"push-blocked-{visitor.language}", pictures) == []
