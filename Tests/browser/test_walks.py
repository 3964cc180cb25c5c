"""Four people use the pages for a while, each as they are: on the underground, as a group's owner, without seeing the
screen, and without ever having heard of Anthill."""

import re

import pytest
from keyboard import press
from person import Person
from playwright.sync_api import expect
from service import wait_until
from visitor import Visitor

HOUR, MINUTE = 3600, 60
# About what a train in a tunnel leaves of a connection.
SLOW = {"offline": False, "latency": 400, "downloadThroughput": 50_000, "uploadThroughput": 25_000}
# Every text that a screen reader would say by itself.
LISTEN = """
    globalThis.heard = [];
    const live = "[aria-live]:not([aria-live=off]), [role=status], [role=alert], [role=log]";
    new MutationObserver((changes) => {
        for (const { target } of changes) {
            const region = (target.nodeType === 1 ? target : target.parentElement)?.closest(live);
            if (region?.textContent.trim()) heard.push(region.textContent.trim());
        }
    }).observe(document, { subtree: true, childList: true, characterData: true });
"""


@pytest.fixture
def walker(service, chromium):
    """Makes somebody with a browser."""
    made = []

    def make(nickname, language="en", **options):
        made.append(Visitor(service, chromium, nickname, language, **options))
        return made[-1]

    yield make
    for visitor in made:
        visitor.leave()


def role(page):
    return lambda kind, name, **more: page.get_by_role(kind, name=name, exact=True, **more)


def targets_too_small(page):
    """What a thumb would miss on a phone: buttons and links of their own below 36 px."""
    return page.evaluate(
        """() => [...document.querySelectorAll("main button, main a.btn, .nav a, .top a, .top button, main input, main select")]
            .filter((each) => each.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && each.offsetHeight > 1)
            .map((each) => [each.outerHTML.slice(0, 80), each.closest("label")?.offsetHeight ?? each.offsetHeight])
            .filter(([html, height]) => height < 36 && !/type="(checkbox|radio)"/.test(html))"""
    )


def test_a_student_on_the_underground(service, clock, walker):
    """A cheap phone, a slow line, and tunnels without any."""
    clock.set("2026-11-20T03:00:00Z")
    student = walker("지하철공부", "ko", viewport={"width": 320, "height": 568}, has_touch=True, is_mobile=True)
    page, see = student.page, student.see
    student.open_account()
    cdp = student.context.new_cdp_session(page)
    cdp.send("Network.enable")
    cdp.send("Network.emulateNetworkConditions", SLOW)
    cdp.send("Emulation.setCPUThrottlingRate", {"rate": 4})
    page.reload()
    student.button("start").tap()
    see(student.button("pause"))
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    assert targets_too_small(page) == []

    # The first tunnel: what is on the page stays, the timer goes on, and it says that the line is gone.
    student.context.set_offline(True)
    page.evaluate("dispatchEvent(new Event('focus'))")
    clock.advance(25 * MINUTE)
    before = page.get_by_role("timer").inner_text()
    expect(page.get_by_role("timer")).not_to_have_text(before)
    student.context.set_offline(False)
    cdp.send("Network.emulateNetworkConditions", SLOW)

    # Out of it the server's time shows: no minute is lost.
    page.reload()
    expect(page.get_by_role("timer")).to_contain_text(re.compile(r"25:\d\d"))
    student.button("pause").tap()
    see(student.button("resume"))
    student.button("stop").tap()
    expect(page.locator("#today")).to_contain_text("0:25")

    # The rest of the app fits the phone, too, however fast it comes.
    cdp.send("Emulation.setCPUThrottlingRate", {"rate": 1})
    cdp.send("Network.emulateNetworkConditions", {**SLOW, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1})
    for path in ("/groups", "/calendar", "/tasks", "/settings", "/help", "/alarm"):
        page.goto(path)
        see(page.locator("main h1").first)
        student.settle()
        assert page.evaluate("document.documentElement.scrollWidth") <= 320, path
        assert targets_too_small(page) == [], path


def test_an_owner_runs_a_group(service, clock, walker):
    """A laptop: founds, invites, sets rules, looks into figures, moderates, closes a month, and shows it to everybody."""
    clock.set("2026-10-20T03:00:00Z")
    owner = walker("Dodam", viewport={"width": 1366, "height": 768})
    page, see = owner.page, owner.see
    the = role(page)
    owner.open_account()
    group = owner.found_group("Grad Exam Room")
    code = owner.invite().rsplit("/", 1)[1]
    people = [Person(service, name).register(nickname=name) for name in ("Minji", "Haru", "Sol")]
    for person in people:
        person.join(code)
    minji, haru, sol = people
    minji.log("2026-10-19T00:00:00Z", "2026-10-19T04:00:00Z")
    haru.log("2026-10-19T00:00:00Z", "2026-10-19T11:00:00Z")

    # Rules: ten hours a day, timer only, from the next month on.
    page.goto(group)
    the("button", "Group settings").click()
    the("button", "Change the rules").click()
    sheet = page.get_by_role("dialog")
    sheet.get_by_label("Hours that count per day, at most").select_option("36000")
    sheet.get_by_role("button", name="Announce for November").click()
    see(page.get_by_text("New rules from November"))

    # A figure worth a look, and what follows from it.
    the("link", "Fair play").click()
    the("button", "Suspend Haru").click()
    sheet.get_by_label("Reason", exact=True).fill("Eleven hours at once: what happened?")
    sheet.get_by_role("button", name="Suspend", exact=True).click()
    expect(page.locator("[aria-labelledby=suspensions] .nick")).to_contain_text("Haru")
    the("button", "Reinstate Haru").click()
    page.locator(".ask").get_by_role("button", name="Reinstate").click()
    expect(page.locator("[aria-labelledby=suspensions] .chip")).to_have_text("ended")

    # Somebody is sent away.
    page.goto(group)
    owner.button("members").click()
    sheet.get_by_role("button", name="Manage Sol").click()
    sheet.locator("li", has_text="Sol").get_by_role("button", name="Remove", exact=True).click()
    sheet.locator(".ask").get_by_role("button", name="Remove").click()
    expect(sheet.get_by_role("listitem").filter(has_text="Sol")).to_have_count(0)
    page.keyboard.press("Escape")

    # The month closes by itself, is amended in the open, and shown to everybody.
    clock.set("2026-11-03T03:00:00Z")
    closed = "SELECT 1 FROM month_closes WHERE group_id = %s"
    wait_until(lambda: service.cluster.sql(closed, group.rsplit("/", 1)[1]), what="October to be closed")
    owner.sign_in(owner.email)
    page.goto(f"{group}?period=month&at=2026-10")
    the("button", "Amend").click()
    sheet.get_by_label("Whose").select_option(minji.uid)
    sheet.locator("[name=hours]").fill("12")
    sheet.locator("[name=reason]").fill("A day on paper")
    sheet.locator("form button.btn.wide").click()
    see(page.get_by_text("A day on paper"))
    the("button", "Group settings").click()
    sheet.get_by_role("switch", name="Public final months").check()
    page.keyboard.press("Escape")
    the("link", "See the final months").click()
    the("link", "October 2026").click()
    expect(page.locator("table.board .nick")).to_have_text(["Minji", "Haru", "Dodam"])
    for person in people:
        person.close()


def test_somebody_who_cannot_see_the_screen(service, clock, walker):
    """Only the keyboard, and what the accessibility tree tells."""
    clock.set("2026-11-20T03:00:00Z")
    listener = walker("Mina")
    page = listener.page
    the = role(page)
    page.add_init_script(LISTEN)
    listener.open_account()
    other = Person(service, "Haru").register(nickname="Haru")
    group = other.found_group("Night owls")
    code = other.invite(group)["code"]
    listener.context.request.post(f"/api/v1/invitations/{code}/acceptances", headers={"Origin": service.origin})
    other.log("2026-11-20T00:00:00Z", "2026-11-20T02:05:00Z")
    page.reload()

    # The page says where one is, and the timer what it does.
    expect(page.get_by_role("main")).to_have_count(1)
    expect(page.get_by_role("navigation", name="Main").get_by_role("link", name="Home")).to_have_attribute("aria-current", "page")
    press(the("button", "Start studying"))
    expect(page.get_by_role("status").filter(has_text="The timer is running.")).to_have_count(1)
    expect(the("button", "Take a break")).to_be_focused()

    # While it runs nothing is said by itself: not a second, not a minute.
    listener.settle()
    page.evaluate("heard.length = 0")
    ticks = page.get_by_role("timer").inner_text()
    expect(page.get_by_role("timer")).not_to_have_text(ticks)
    after = page.get_by_role("timer").inner_text()
    expect(page.get_by_role("timer")).not_to_have_text(after)
    assert page.evaluate("heard") == []

    clock.advance(35 * MINUTE)
    page.reload()
    press(the("button", "Take a break"))
    expect(the("button", "Resume")).to_be_focused()
    press(the("button", "Resume"))
    expect(the("button", "Take a break")).to_be_focused()
    page.evaluate("heard.length = 0")
    press(the("button", "Finish"))
    expect(the("button", "Start studying")).to_be_visible()
    # One sentence, not several for the same.
    wait_until(lambda: page.evaluate("heard.length"), what="the end to be said")
    assert len(set(page.evaluate("heard"))) == 1

    # The board is a table: each row says rank, name and time in words.
    press(page.get_by_role("navigation", name="Main").get_by_role("link", name="Board"))
    board = page.get_by_role("table").filter(has=page.get_by_role("columnheader", name="Rank")).first
    expect(board.get_by_role("row")).to_have_count(3)
    expect(board).to_match_aria_snapshot(
        """
        - table:
          - rowgroup:
            - row:
              - columnheader "Rank"
              - columnheader "Member"
          - rowgroup:
            - row /Rank 1 .*Haru.*2 h 5 min/:
              - rowheader /Haru/
            - row /Rank 2 .*Mina.*35 min/:
              - rowheader /Mina/
        """
    )
    other.close()


def test_somebody_who_has_never_heard_of_it(service, clock, walker):
    """From the first page through the help to an account, the first minute and the first group."""
    clock.set("2026-11-20T03:00:00Z")
    newcomer = walker("Jules", viewport={"width": 390, "height": 844})
    page, see = newcomer.page, newcomer.see
    the = role(page)
    page.goto("/")
    see(page.get_by_role("heading", level=1))
    the("link", "See how it works").click()
    the("link", "How to begin").click()
    see(page.get_by_role("region", name="How to begin"))
    # Every picture is there, in the size that was kept free for it.
    for picture in page.locator(".help img").all():
        picture.scroll_into_view_if_needed()
        expect(picture).to_have_js_property("complete", True)
        wide, high, kept = picture.evaluate("it => [it.naturalWidth, it.naturalHeight, it.width / it.height]")
        assert wide > 0 and abs(wide / high - kept) < 0.02, picture.get_attribute("src")
    page.get_by_role("banner").get_by_role("link", name="Anthill").click()
    newcomer.ask_to_register()
    newcomer.open_link_from_mail()
    newcomer.choose_name_and_password()
    see(page.get_by_role("timer"))

    # The first minute.
    newcomer.button("start").click()
    see(newcomer.button("pause"))
    clock.advance(MINUTE)
    newcomer.button("stop").click()
    expect(page.locator("#today")).to_contain_text("0:01")

    # The first group, and how to fill it.
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Board").click()
    newcomer.button("new_group").click()
    newcomer.field("name").fill("Library corner")
    newcomer.button("create").click()
    see(page.get_by_role("heading", name="Library corner", level=1))
    assert newcomer.invite().startswith(f"{service.origin}/join/")
