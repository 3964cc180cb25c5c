"""The morning alarm: set on its page, ringing on every page, and the problem that earns the wake-up ant."""

import pytest
from playwright.sync_api import expect
from test_log import api
from test_pages import examine
from test_timer import LISTENER
from visitor import Visitor, take_picture

LOOK_AGAIN = "dispatchEvent(new Event('online'))"


@pytest.fixture
def mina(service, chromium, clock):
    """Somebody in Seoul whose alarm rings at 06:30, 21:30 UTC, and twice more."""
    yield from sleeper(service, chromium, clock, "Mina", "en")


@pytest.fixture
def sora(service, chromium, clock):
    yield from sleeper(service, chromium, clock, "소라", "ko")


def sleeper(service, chromium, clock, name, language):
    clock.set("2026-11-25T03:00:00Z")
    visitor = Visitor(service, chromium, name, language)
    visitor.context.add_init_script(LISTENER)
    visitor.have_account()
    set_alarm(visitor)
    yield visitor
    visitor.leave()


def set_alarm(visitor, **more):
    wanted = {"enabled": True, "time": "06:30", "difficulty": "easy", "sound": "bell", "repeat": {"every_minutes": 5, "times": 2}}
    api(visitor, "PUT", "/me/alarm", {**wanted, **more})


def strip(visitor):
    return visitor.page.locator("#ringing")


def uid(visitor):
    [[found]] = visitor.service.cluster.sql("SELECT uid FROM user_emails WHERE email = %s", visitor.email)
    return found


def right_answer(visitor):
    """What only the database knows."""
    expect(visitor.context.pages[-1].get_by_label("Your answer")).to_be_visible()
    sql = "SELECT answer FROM wake_up_challenges WHERE uid = %s ORDER BY expires_at DESC LIMIT 1"
    [[number]] = visitor.service.cluster.sql(sql, uid(visitor))
    return number


def answer(visitor, number):
    visitor.page.get_by_label("Your answer").fill(str(number))
    visitor.page.get_by_role("button", name="Answer", exact=True).click()


def test_the_alarm_is_set_and_saved(mina, clock):
    page = mina.page
    page.goto("/settings")
    page.get_by_role("link", name="Set alarm").click()
    expect(page.locator("#next-ring")).to_have_text("Next alarm: 26 November at 06:30, then 2 more")
    page.get_by_label("Rings at").fill("07:10")
    page.get_by_role("radio", name="Hard").check(force=True)
    page.get_by_role("radio", name="Birds").check(force=True)
    page.get_by_role("combobox", name="How often").select_option(label="Only once")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#next-ring")).to_have_text("Next alarm: 26 November at 07:10")
    page.reload()
    expect(page.get_by_label("Rings at")).to_have_value("07:10")
    expect(page.get_by_role("radio", name="Hard")).to_be_checked()
    expect(page.get_by_role("radio", name="Birds")).to_be_checked()
    page.get_by_label("Rings at").fill("")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_label("Rings at")).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_label("Rings at")).to_have_accessible_description("Please fill this in.")
    expect(page.get_by_label("Rings at")).to_be_focused()


def test_the_switch_of_the_alarm_applies_at_once(mina, clock):
    page = mina.page
    page.goto("/alarm")
    switch = page.get_by_role("switch", name="Wake me")
    page.get_by_label("Rings at").fill("07:10")
    for is_on, said in ((False, "The alarm is off."), (True, "Alarm saved.")):
        switch.set_checked(is_on)
        expect(page.locator(".toast")).to_have_text(said)
    expect(page.locator("#next-ring")).to_have_text("Next alarm: 26 November at 07:10, then 2 more")
    # What cannot be saved puts it back and says why.
    page.get_by_label("Rings at").fill("")
    switch.click()
    expect(page.get_by_label("Rings at")).to_be_focused()
    expect(page.get_by_label("Rings at")).to_have_accessible_description("Please fill this in.")
    expect(switch).to_be_checked()
    page.get_by_label("Rings at").fill("07:10")
    page.context.set_offline(True)
    switch.click()
    expect(page.locator(".toast")).to_have_text("Can't reach the server. Try again when you are online.")
    expect(switch).to_be_checked()
    page.context.set_offline(False)


def test_the_alarm_rings_on_an_open_page_and_is_solved(mina, clock):
    page = mina.page
    clock.set("2026-11-25T21:29:56Z")
    mina.go_home()
    # Browsers allow sound only after a click.
    page.mouse.click(5, 5)
    mina.settle()
    expect(strip(mina)).to_have_count(0)
    clock.set("2026-11-25T21:30:00Z")
    mina.see(strip(mina))
    page.wait_for_function("heard.filter(([kind]) => kind === 'sound').length > 3")
    assert ["notice", "Time to get up", "alarm 2026-11-25T21:30:00Z"] in page.evaluate("heard")

    page.get_by_role("link", name="Solve it").click()
    expect(page.get_by_label("Your answer")).to_be_focused()
    answer(mina, "abc")
    expect(page.get_by_role("alert").filter(has_text="Enter a number.")).to_be_visible()
    expect(page.get_by_text("5 tries left.")).to_be_visible()
    answer(mina, right_answer(mina) + 1)
    expect(page.get_by_role("alert").filter(has_text="That's not right.")).to_be_visible()
    expect(page.get_by_text("4 tries left.")).to_be_visible()
    answer(mina, right_answer(mina))
    mina.see(page.get_by_role("heading", name="You earned the wake-up ant"))
    expect(page.locator("#next-ring")).to_have_text("Next alarm: 27 November at 06:30, then 2 more")
    mina.go_home()
    mina.settle()
    expect(strip(mina)).to_have_count(0)
    assert page.evaluate("heard") == []


def test_after_five_wrong_answers_one_waits_for_the_next_ring(mina, clock):
    page = mina.page
    clock.set("2026-11-25T21:30:00Z")
    page.goto("/alarm")
    for left in ("4 tries left.", "3 tries left.", "2 tries left.", "1 try left."):
        expect(page.get_by_label("Your answer")).to_be_enabled()
        answer(mina, -1)
        expect(page.get_by_text(left)).to_be_visible()
    answer(mina, -1)
    expect(page.get_by_text("You have used all 5 tries for this ring.")).to_be_visible()
    expect(page.locator("#next-ring")).to_contain_text("06:35, then 1 more")
    expect(page.get_by_label("Your answer")).to_have_count(0)
    clock.set("2026-11-25T21:35:00Z")
    page.evaluate(LOOK_AGAIN)
    expect(page.get_by_text("Ring 2 of 3.")).to_be_visible()
    expect(page.get_by_text("5 tries left.")).to_be_visible()
    # If the goal is met before the alarm rings, solving it makes a perfect day at once.
    api(mina, "PATCH", "/me", {"daily_goal_seconds": 1800})
    api(mina, "POST", "/me/sessions", {"started_at": "2026-11-25T20:30:00Z", "ended_at": "2026-11-25T21:30:00Z"})
    answer(mina, right_answer(mina))
    mina.see(page.get_by_role("heading", name="You earned the wake-up ant"))
    expect(page.get_by_text("You already reached today's goal")).to_be_visible()
    mina.see(page.get_by_role("heading", name="A perfect ant today"))


def test_the_alarm_rings_for_two_minutes_only(mina, clock):
    page = mina.page
    clock.set("2026-11-25T21:31:59Z")
    page.goto("/groups")
    mina.see(strip(mina))
    clock.set("2026-11-25T21:32:01Z")
    page.evaluate(LOOK_AGAIN)
    expect(strip(mina)).to_have_count(0)
    page.goto("/alarm")
    expect(page.locator("#next-ring")).to_contain_text("06:35, then 1 more")
    expect(page.get_by_label("Your answer")).to_have_count(0)
    # A problem whose time has run out no longer accepts an answer.
    clock.set("2026-11-25T21:36:00Z")
    page.reload()
    mina.see(page.get_by_label("Your answer"))
    clock.set("2026-11-25T21:38:00Z")
    answer(mina, 1)
    expect(page.locator("#next-ring")).to_contain_text("06:40")


def test_solving_the_problem_silences_other_devices(mina, clock):
    clock.set("2026-11-25T21:30:00Z")
    mina.go_home()
    mina.see(strip(mina))
    other = mina.context.new_page()
    other.goto("/alarm")
    other.get_by_label("Your answer").fill(str(right_answer(mina)))
    other.get_by_role("button", name="Answer", exact=True).click()
    expect(other.get_by_role("heading", name="You earned the wake-up ant")).to_be_visible()
    expect(strip(mina)).to_have_count(0)


def test_the_alarm_page_is_well_made_while_it_rings_too(mina, sora, clock, pictures):
    found = []
    for visitor, language in ((mina, "en"), (sora, "ko")):
        clock.set("2026-11-25T04:00:00Z")
        visitor.page.goto("/alarm")
        visitor.see(visitor.page.locator("#next-ring"))
        found += examine(visitor, f"alarm-{language}", pictures)
    clock.set("2026-11-25T21:30:10Z")
    for visitor, language in ((mina, "en"), (sora, "ko")):
        visitor.page.goto("/home")
        visitor.see(strip(visitor))
        found += examine(visitor, f"alarm-strip-{language}", pictures)
        put_on(visitor, CLOCK if language == "en" else NUMBERS)
        visitor.page.goto("/alarm")
        visitor.see(visitor.page.locator("#answer"))
        found += examine(visitor, f"alarm-rings-{language}", pictures)
    assert found == []


def test_a_sum_stays_on_one_line_of_a_small_phone(mina, clock, pictures):
    mina.page.set_viewport_size({"width": 360, "height": 740})
    clock.set("2026-11-25T21:30:10Z")
    put_on(mina, SUM)
    mina.page.goto("/alarm")
    formula = mina.see(mina.page.get_by_text("8 × 15 + 89", exact=True))
    height = formula.evaluate("element => element.getBoundingClientRect().height / parseFloat(getComputedStyle(element).lineHeight)")
    assert round(height, 1) == 1
    take_picture(mina.page, pictures / "alarm-sum.png")


SUM = '{"kind": "arithmetic", "parts": {"numbers": [8, 15, 89], "operators": ["×", "+"]}}'
# The longest questions there are.
CLOCK = '{"kind": "clock", "parts": {"shown": {"hour": 10, "minute": 47}, "fast": -17, "until": {"hour": 12, "minute": 38}}}'
NUMBERS = '{"kind": "comparison", "parts": {"numbers": [815, 237, 934, 561, 408, 772, 129, 690, 353], "asked": "difference"}}'


def put_on(visitor, puzzle):
    """Sets the problem of a visitor's current ring, which is random otherwise."""
    visitor.service.cluster.sql(
        "INSERT INTO wake_up_challenges (uid, day, ring, puzzle, answer, asked_at, expires_at)"
        " SELECT %s, day, ring, %s::jsonb, 0, rings_at, ends_at FROM alarm_ring_at(%s, anthill_clock())",
        uid(visitor), puzzle, uid(visitor),
    )  # fmt: skip
