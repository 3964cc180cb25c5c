"""An open board follows the others' study without a reload, with and without the stream."""

import re

import pytest
from person import Person
from playwright.sync_api import expect
from test_calendar import WRITTEN
from test_pages import sign_in
from test_timer import still
from visitor import Visitor


@pytest.fixture
def room(service, clock):
    clock.set("2026-11-19T03:00:00Z")
    owner = Person(service, "Dodam").register(nickname="Dodam")
    friend = Person(service, "Haneul").register(nickname="Haneul")
    group = owner.found_group("Night owls")["id"]
    friend.join(owner.invite({"id": group})["code"])
    owner.log("2026-11-18T22:00:00Z", "2026-11-18T23:00:00Z")
    yield {"owner": owner, "friend": friend, "group": group}
    owner.close()
    friend.close()


def seconds(visitor, *values):
    for row, value in enumerate(values):
        expect(visitor.page.locator("table.board tbody tr").nth(row).locator("[data-seconds]")).to_have_attribute(
            "data-seconds", str(value)
        )


def test_open_boards_follow_changes_from_another_device(service, chromium, room):
    # Rows glide to their places for one of them.
    mine = Visitor(service, chromium, "Dodam", "en", reduced_motion="no-preference")
    theirs = Visitor(service, chromium, "Haneul", "en")
    sign_in(mine, room)
    sign_in(theirs, {"owner": room["friend"]})
    asked = []
    for visitor in (mine, theirs):
        visitor.page.clock.install()
        with visitor.page.expect_response(re.compile("/leaderboard/stream")) as stream:
            visitor.page.goto(f"/groups/{room['group']}?period=month")
        assert stream.value.status == 200
        seconds(visitor, 3600, 0)
        # Rows change places at most every five seconds.
        visitor.page.clock.fast_forward(5_000)
        visitor.page.on("request", lambda request: asked.append(request.url) if "/leaderboard?" in request.url else None)
    room["friend"].log("2026-11-18T21:00:00Z", "2026-11-18T23:00:00Z")
    for visitor in (mine, theirs):
        seconds(visitor, 7200, 3600)
        assert [row[1] for row in visitor.board()] == ["Haneul", "Dodam"]
    # It came by the stream: no page polled.
    assert asked == []
    mine.leave()
    theirs.leave()


def test_without_the_stream_the_page_polls(service, chromium, room):
    visitor = Visitor(service, chromium, "Dodam", "en")
    sign_in(visitor, room)
    visitor.page.route("**/leaderboard/stream*", lambda route: route.fulfill(status=503))
    visitor.page.clock.install()
    visitor.page.goto(f"/groups/{room['group']}?period=month")
    seconds(visitor, 3600, 0)
    room["friend"].log("2026-11-18T21:00:00Z", "2026-11-18T23:00:00Z")
    with visitor.page.expect_response(re.compile(r"/leaderboard\?")):
        visitor.page.clock.fast_forward(15_000)
    seconds(visitor, 7200, 3600)
    visitor.page.unroute_all()
    visitor.leave()


def figures(visitor, uid):
    """The hours and minutes in the row of a studying member, and the seconds below them."""
    return [visitor.page.locator(f"table.board [data-live='{uid}'][data-as={form}]") for form in ("hm", "rest")]


def set_hidden(visitor, is_hidden):
    visitor.page.evaluate(
        "hidden => { Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });"
        " document.dispatchEvent(new Event('visibilitychange')); }",
        is_hidden,
    )


def test_seconds_of_studying_members_count_while_the_page_is_visible(service, clock, chromium, room):
    room["friend"].start()
    clock.advance(3_650)
    visitor = Visitor(service, chromium, "Dodam", "en")
    sign_in(visitor, room)
    still(visitor)
    page = visitor.page
    # The stream's first board may arrive after the page's clock was moved, and is by the service's clock, which stands still.
    page.route("**/leaderboard/stream*", lambda route: route.fulfill(status=503))
    page.goto(f"/groups/{room['group']}?period=month")
    seconds(visitor, 3650, 3600)
    asked = []
    page.on("request", lambda request: asked.append(request.url) if "/leaderboard" in request.url else None)
    hm, rest = figures(visitor, room["friend"].uid)
    row = page.locator("table.board tbody tr").first.element_handle()
    page.clock.run_for(3_010)
    expect(rest).to_have_text("53 s")
    expect(page.locator(".room [data-as=hms]")).to_have_text("1:00:53")
    assert hm.inner_text() == "1:00"
    page.clock.run_for(7_000)
    expect(hm).to_have_text("1:01")  # the text changes with the minute, the row stays
    assert row.evaluate("row => row.isConnected && row.cells[2].dataset.seconds") == "3650"
    assert asked == []

    set_hidden(visitor, True)
    shown = rest.inner_text()
    page.clock.run_for(2_500)
    assert rest.inner_text() == shown
    set_hidden(visitor, False)
    expect(rest).not_to_have_text(shown)
    page.evaluate("dispatchEvent(new PageTransitionEvent('pagehide'))")
    shown = rest.inner_text()
    page.clock.run_for(2_500)
    assert rest.inner_text() == shown
    visitor.leave()


def test_a_board_that_changes_leaves_the_focus_where_it_is(service, chromium, room):
    visitor = Visitor(service, chromium, "Dodam", "en")
    sign_in(visitor, room)
    page = visitor.page
    page.goto(f"/groups/{room['group']}?period=month")
    seconds(visitor, 3600, 0)
    # What says the period is heard when it is written.
    page.evaluate(WRITTEN, ".tools strong")
    stops = [
        page.get_by_role("link", name="Haneul", exact=True),
        page.get_by_role("button", name="Report Haneul"),
        page.get_by_role("region", name="My rank").get_by_role("button", name="How this adds up"),
        page.get_by_role("link", name="How are ranks counted?"),
    ]
    for minutes, stop in enumerate(stops, 1):
        stop.focus()
        room["friend"].log(f"2026-11-19T01:{minutes}0:00Z", f"2026-11-19T01:{minutes}1:00Z")
        seconds(visitor, 3600, minutes * 60)
        expect(stop).to_be_focused()
    assert page.evaluate("written") == 0
    visitor.leave()


def test_the_own_rank_at_the_foot_of_a_phone_keeps_the_focus(service, chromium, room):
    visitor = Visitor(service, chromium, "Haneul", "en", viewport={"width": 390, "height": 320})
    sign_in(visitor, {"owner": room["friend"]})
    page = visitor.page
    page.goto(f"/groups/{room['group']}?period=month")
    seconds(visitor, 3600, 0)
    pin = visitor.see(page.locator(".pin"))
    pin.focus()
    room["friend"].log("2026-11-19T01:10:00Z", "2026-11-19T01:11:00Z")
    seconds(visitor, 3600, 60)
    expect(pin).to_be_focused()
    visitor.leave()


def test_a_member_at_the_cap_stops_counting_with_the_next_board(service, clock, chromium, room):
    friend = room["friend"]
    group = friend.found_group("An hour a day", rules={"daily_cap_seconds": 3600})["id"]
    friend.start()
    clock.advance(4_000)
    visitor = Visitor(service, chromium, "Haneul", "en")
    sign_in(visitor, {"owner": friend})
    still(visitor)
    visitor.page.route("**/leaderboard/stream*", lambda route: route.fulfill(status=503))
    visitor.page.goto(f"/groups/{group}?period=month")
    hm, rest = figures(visitor, friend.uid)
    seconds(visitor, 3600)
    visitor.page.clock.run_for(2_010)
    expect(rest).to_have_text("02 s")
    clock.advance(60)
    with visitor.page.expect_response(re.compile(r"/leaderboard\?")):
        set_hidden(visitor, False)
    expect(rest).to_have_text("00 s")
    visitor.page.clock.run_for(2_500)
    expect(rest).to_have_text("00 s")
    visitor.page.unroute_all()
    visitor.leave()


def test_a_removed_member_is_told_on_the_open_page(service, clock, chromium, room):
    visitor = Visitor(service, chromium, "Haneul", "en")
    sign_in(visitor, {"owner": room["friend"]})
    visitor.page.clock.install()
    visitor.page.goto(f"/groups/{room['group']}?period=month")
    seconds(visitor, 3600, 0)
    assert room["owner"].delete(f"/groups/{room['group']}/members/{room['friend'].uid}").status_code == 204
    visitor.page.clock.fast_forward(45_000)
    visitor.see(visitor.page.get_by_role("heading", name="You are no longer in this group"))
    expect(visitor.page.locator("table.board")).to_have_count(0)
    visitor.page.get_by_role("main").get_by_role("link", name="All groups").click()
    expect(visitor.page.get_by_role("heading", name="No group yet")).to_be_visible()
    visitor.leave()


def test_more_of_the_board_that_cannot_be_had_is_told_in_words(service, chromium, room):
    code = room["owner"].invite({"id": room["group"]})["code"]
    for number in range(20):
        with Person(service, f"Ant {number}").register() as member:
            member.join(code)
    visitor = Visitor(service, chromium, "Dodam", "en")
    sign_in(visitor, room)
    visitor.page.goto(f"/groups/{room['group']}?period=month")
    more = visitor.see(visitor.page.locator("tr.gap button"))
    visitor.context.set_offline(True)
    more.click()
    expect(visitor.page.locator(".toast")).to_contain_text("Can't reach the server")
    visitor.leave()


def test_a_removed_member_is_told_on_home_and_the_rest_of_it_goes_on(service, clock, chromium, room):
    visitor = Visitor(service, chromium, "Haneul", "en")
    sign_in(visitor, {"owner": room["friend"]})
    page = visitor.page
    page.clock.install()
    visitor.go_home()
    visitor.see(page.get_by_role("heading", name="Night owls"))
    assert room["owner"].delete(f"/groups/{room['group']}/members/{room['friend'].uid}").status_code == 204
    room["friend"].log("2026-11-19T01:00:00Z", "2026-11-19T01:10:00Z")
    page.clock.fast_forward(31_000)
    expect(page.get_by_role("status").filter(has_text="You are no longer in this group")).to_have_count(1)
    expect(page.get_by_role("heading", name="Night owls")).to_have_count(0)
    expect(page.locator(".nowcard")).to_have_count(0)
    visitor.see(page.get_by_role("heading", name="No group yet"))
    expect(page.locator("#today")).to_contain_text("0:10")
    visitor.leave()


def test_a_timer_in_its_first_second_starts_a_new_board(service, clock, chromium, room):
    group = room["owner"].found_group("Larks")["id"]
    visitor = Visitor(service, chromium, "Dodam", "en")
    sign_in(visitor, room)
    clock.set("2026-12-02T03:00:00Z")
    visitor.page.goto(f"/groups/{group}?period=month")
    expect(visitor.page.get_by_role("heading", name="December: no study yet")).to_be_visible()
    mine = visitor.page.get_by_role("region", name="My rank")
    expect(mine).to_contain_text("Study for a minute to get a rank.")
    expect(mine.get_by_text("Rank 1")).to_have_count(0)
    room["owner"].start()
    seconds(visitor, 0)
    expect(mine.get_by_text("Rank 1")).to_be_visible()
    visitor.leave()


def test_a_month_that_has_not_begun_leads_on(service, chromium, room):
    visitor = Visitor(service, chromium, "Dodam", "en")
    sign_in(visitor, room)
    visitor.page.goto(f"/groups/{room['group']}?period=month&at=2099-01")
    visitor.see(visitor.page.get_by_text("This period has not begun."))
    # To ask again would not help.
    expect(visitor.page.get_by_role("button", name="Try again now")).to_have_count(0)
    visitor.page.get_by_role("link", name="Back to the start").click()
    visitor.see(visitor.page.get_by_role("timer"))
    visitor.leave()


def test_a_new_month_renews_what_the_page_says_of_the_group(service, clock, chromium, room):
    changes = {"month_goal_seconds": 36_000, "rules": {"daily_cap_seconds": 36_000}}
    assert room["owner"].patch(f"/groups/{room['group']}", changes).status_code == 200
    clock.set("2026-11-30T19:59:00Z")
    visitor = Visitor(service, chromium, "Dodam", "en")
    sign_in(visitor, room)
    visitor.page.goto(f"/groups/{room['group']}?period=month")
    expect(visitor.page.locator(".aim")).to_contain_text("Together this month 1 h")
    visitor.see(visitor.page.get_by_text("New rules from December"))
    clock.set("2026-11-30T20:00:10Z")
    room["friend"].start()
    expect(visitor.page.locator(".aim")).to_contain_text("Together this month 0 s")
    expect(visitor.page.get_by_text("New rules from December")).to_have_count(0)
    visitor.leave()


@pytest.mark.parametrize("nickname", ["Wolfeschlegelsteinhausen", "가나다라마바사아자차카타파하"])
def test_of_a_long_name_the_beginning_is_read_on_the_smallest_phone(service, chromium, room, nickname):
    room["friend"].patch("/me", {"nickname": nickname})
    room["friend"].start()
    visitor = Visitor(service, chromium, "Dodam", "en", viewport={"width": 320, "height": 640})
    sign_in(visitor, room)
    visitor.go_home()
    name = visitor.see(visitor.page.locator("table.board .nick", has_text=nickname))
    top, end = name.evaluate("it => [it.querySelector('bdi').getClientRects()[0].top, it.getBoundingClientRect().bottom]")
    assert top < end - 10
    visitor.leave()
