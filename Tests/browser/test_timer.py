"""The timer on the home page: what it counts, shows and announces, and that it is the same on all devices."""

import re

import pytest
from playwright.sync_api import expect
from test_pages import examine
from visitor import Visitor

MINUTE, HOUR = 60, 3600

# Records sounds, notifications and what screen readers are told, instead of playing and showing them.
LISTENER = """
window.heard = [];
window.told = [];
new MutationObserver(() => {
    const text = document.querySelector("p.vh[role=status]")?.textContent;
    if (text && text !== told.at(-1)) told.push(text);
}).observe(document, { subtree: true, childList: true, characterData: true });
window.AudioContext = class {
    currentTime = 0; state = "running"; destination = {};
    createGain() {
        const level = { setValueAtTime() {}, linearRampToValueAtTime() {}, exponentialRampToValueAtTime() {} };
        return { gain: level, connect() {} };
    }
    createOscillator() {
        const tone = { frequency: { value: 0 }, connect() {}, stop() {}, start: () => heard.push(["sound", tone.frequency.value]) };
        return tone;
    }
};
window.Notification = class {
    static permission = "granted";
    constructor(text, { tag }) { heard.push(["notice", text, tag]); }
    close() {}
};
"""


@pytest.fixture
def mina(service, chromium, clock):
    clock.set("2026-11-25T03:00:00Z")
    visitor = Visitor(service, chromium, "Mina", "en")
    visitor.have_account()
    yield visitor
    visitor.leave()


def elsewhere(mina, service, chromium):
    """The same person on a second device."""
    other = Visitor(service, chromium, "Mina", "en")
    other.sign_in(mina.email)
    other.go_home()
    return other


def choose(visitor, mode):
    visitor.page.get_by_role("radio", name=mode).check(force=True)


def still(visitor):
    """Stops the page's clock until the test moves it."""
    # It goes on until it is stopped, and cannot be stopped in the past.
    visitor.page.clock.install(time="2026-11-25T02:55:00Z")
    visitor.page.clock.pause_at("2026-11-25T03:00:00Z")


def tick(visitor, clock, seconds):
    """Lets that many seconds pass, which the page counts offline; the server's clock advances too."""
    # A late answer would set the page back to the time of its request.
    visitor.wait_for_answers()
    visitor.context.set_offline(True)
    visitor.let_pass(seconds)
    clock.advance(seconds)
    visitor.page.evaluate("() => { globalThis.isBack = new Promise(done => addEventListener('online', () => done(), { once: true })) }")
    visitor.context.set_offline(False)
    # The page asks again then, which may be late.
    visitor.page.evaluate("isBack")


def begin(visitor):
    """Starts the timer; the page's clock is then just past the whole second."""
    visitor.button("start").click()
    visitor.see(visitor.button("pause"))
    visitor.page.clock.run_for(10)


def heard(page, kind):
    """What a page has played or shown. It has asked before us whether another tab rings."""
    return [what for what, *_ in page.evaluate("navigator.locks.query().then(() => heard)") if what == kind]


def shown(visitor):
    return visitor.page.get_by_role("timer").locator(".clock")


def test_a_countdown_starts_at_its_full_length_and_signals_its_end(mina, clock):
    mina.page.add_init_script(LISTENER)
    still(mina)
    mina.go_home()
    choose(mina, "Countdown")
    expect(shown(mina)).to_have_text("30:00")
    mina.page.get_by_role("button", name="How long: 30 min").click()
    mina.page.get_by_label("Minutes", exact=True).fill("2")
    mina.page.get_by_role("button", name="Use this length").click()
    expect(shown(mina)).to_have_text("2:00")
    begin(mina)
    expect(shown(mina)).to_have_text("2:00")
    expect(mina.page).to_have_title("2:00 · Anthill")
    for second in range(1, 4):
        tick(mina, clock, 1)
        expect(shown(mina)).to_have_text(f"1:{60 - second}")
    tick(mina, clock, 116)
    expect(mina.page).to_have_title("0:01 · Anthill")
    assert heard(mina.page, "notice") == heard(mina.page, "sound") == []
    tick(mina, clock, 1)
    expect(mina.page.get_by_role("timer")).to_contain_text("Goal reached+0:00")
    assert "Goal of 2 min reached. The timer keeps running." in mina.page.evaluate("told")
    tick(mina, clock, 12)
    expect(shown(mina)).to_have_text("+0:12")
    expect(mina.page).to_have_title("+0:12 · Anthill")
    assert len(heard(mina.page, "notice")) == 1
    assert len(heard(mina.page, "sound")) == 6


def test_sounds_and_notifications_can_be_turned_off(mina, clock):
    mina.page.add_init_script(LISTENER)
    mina.page.goto("/settings")
    for name in ("Sounds", "Notifications"):
        with mina.page.expect_response(lambda answer: answer.request.method == "PATCH"):
            mina.page.get_by_role("switch", name=name).uncheck()
    still(mina)
    mina.go_home()
    choose(mina, "Countdown")
    begin(mina)
    tick(mina, clock, 30 * MINUTE)
    expect(mina.page.get_by_role("timer")).to_contain_text("Goal reached")
    assert mina.page.evaluate("heard") == []


def test_only_one_of_two_tabs_rings(mina, clock):
    mina.context.add_init_script(LISTENER)
    first = mina.page
    still(mina)
    mina.go_home()
    choose(mina, "Countdown")
    begin(mina)
    second = mina.page = mina.context.new_page()
    mina.go_home()
    mina.see(mina.button("pause"))
    tick(mina, clock, 30 * MINUTE + 1)
    for page in (first, second):
        expect(page.get_by_role("timer")).to_contain_text("Goal reached")
    assert heard(first, "notice") + heard(second, "notice") == ["notice"]


def test_the_timer_is_the_same_after_a_reload_and_on_another_device(mina, service, chromium, clock):
    mina.go_home()
    other = elsewhere(mina, service, chromium)
    mina.button("start").click()
    mina.see(mina.button("pause"))
    clock.advance(25 * MINUTE)
    mina.page.reload()
    expect(shown(mina)).to_have_text(re.compile(r"^25:\d\d$"))

    # The other device asks again when its page becomes visible.
    other.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    other.see(other.button("pause"))
    expect(shown(other)).to_have_text(re.compile(r"^25:\d\d$"))
    other.button("pause").click()
    other.see(other.button("resume"))

    # And on its own twice a minute.
    still(mina)
    mina.go_home()
    mina.button("resume").click()
    mina.see(mina.button("pause"))
    other.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    other.see(other.button("pause"))
    other.button("stop").click()
    other.see(other.button("start"))
    mina.page.clock.run_for(30_000)
    mina.see(mina.button("start"))
    other.leave()


def test_a_press_while_the_last_one_is_under_way_is_done_after_it(mina, clock):
    mina.go_home()
    mina.button("start").click()
    mina.see(mina.button("pause"))
    clock.advance(10 * MINUTE)
    held = []
    mina.page.route("**/api/v1/me/timer/pause", lambda route: held.append(route))
    with mina.page.expect_request("**/api/v1/me/timer/pause"):
        mina.button("pause").dblclick()
    mina.button("stop").click()
    held[0].continue_()
    mina.see(mina.button("start"))
    assert len(held) == 1
    expect(mina.page.get_by_role("listitem").filter(has_text="10 min").first).to_be_visible()


def test_an_answer_from_before_a_press_does_not_undo_it(mina):
    mina.go_home()
    mina.button("start").click()
    mina.see(mina.button("pause"))
    mina.settle()
    # After a break began the page asks how things are; half of the answer comes late.
    late = []
    mina.page.route("**/api/v1/me/today", lambda route: late.append(route), times=1)
    with mina.page.expect_response("**/api/v1/me/timer"):
        mina.button("pause").click()
    mina.button("resume").click()
    mina.see(mina.button("pause"))
    [route] = late
    route.continue_()
    mina.settle()
    mina.see(mina.button("pause"))


def test_the_time_is_right_after_the_laptop_slept(mina, clock):
    still(mina)
    mina.go_home()
    mina.button("start").click()
    mina.see(mina.button("pause"))
    # An answer from before the sleep that is read after it would be taken for a new one.
    mina.wait_for_answers()
    clock.advance(HOUR)
    # During sleep the wall clock runs and the monotonic clock stands still.
    mina.page.evaluate("const then = Date.now(); Date.now = () => then + 3600000")
    mina.page.clock.run_for(1100)
    expect(shown(mina)).to_have_text(re.compile(r"^1:00:0\d$"))


def test_nothing_runs_after_the_page_is_left(mina, clock):
    still(mina)
    mina.go_home()
    begin(mina)
    tick(mina, clock, 5)
    expect(shown(mina)).to_have_text("0:05")
    mina.wait_for_answers()
    asked = []
    mina.page.on("request", lambda request: "/api/" in request.url and asked.append(request.url))
    mina.page.evaluate("dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))")
    mina.page.clock.run_for(120_000)
    clock.advance(120)
    expect(shown(mina)).to_have_text("0:05")
    assert asked == []
    mina.page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
    expect(shown(mina)).to_have_text("2:05")
    tick(mina, clock, 3)
    expect(shown(mina)).to_have_text("2:08")


def test_a_page_that_comes_back_without_a_connection_counts_on(mina, clock):
    still(mina)
    mina.go_home()
    begin(mina)
    mina.wait_for_answers()
    mina.context.set_offline(True)
    mina.page.evaluate("dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))")
    mina.page.clock.run_for(120_000)
    expect(shown(mina)).to_have_text("0:00")
    mina.page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
    expect(shown(mina)).to_have_text("2:00")
    mina.page.clock.run_for(3000)
    expect(shown(mina)).to_have_text("2:03")


def test_a_hidden_tab_keeps_time_with_a_worker(mina):
    mina.go_home()
    mina.button("start").click()
    mina.see(mina.button("pause"))
    mina.page.evaluate("Object.defineProperty(document, 'hidden', { value: true })")
    expect(mina.page).to_have_title(re.compile(r"^0:(?!00)\d\d "))
    # Timers set before have fired by now; from here on the page's own timers never fire.
    mina.page.evaluate("window.setTimeout = () => 0")
    now = mina.page.title()
    expect(mina.page).not_to_have_title(now)


def test_cancelling_a_timer_asks_first_and_records_nothing(mina, clock):
    mina.go_home()
    mina.button("start").click()
    mina.see(mina.button("pause"))
    clock.advance(40 * MINUTE)
    mina.go_home()
    mina.page.get_by_role("button", name="Change the start time or cancel").click()
    dialog = mina.see(mina.page.get_by_role("dialog"))
    dialog.get_by_role("button", name="Cancel this session").click()
    expect(dialog.get_by_text("Discard the 40 min so far?")).to_be_visible()
    dialog.get_by_role("button", name="Keep going").click()
    expect(dialog.get_by_role("button", name="Cancel this session")).to_be_focused()
    dialog.get_by_role("button", name="Cancel this session").click()
    dialog.get_by_role("button", name="Discard").click()
    mina.see(mina.button("start"))
    expect(mina.page.locator("#today")).to_contain_text("0:00")
    expect(mina.page.get_by_text("Nothing recorded today yet.")).to_be_visible()


def test_a_cycle_changes_phase_by_hand_and_rest_is_not_study(mina, clock):
    mina.page.add_init_script(LISTENER)
    still(mina)
    mina.go_home()
    choose(mina, "Cycle")
    expect(shown(mina)).to_have_text("25:00")
    mina.page.get_by_role("button", name="Choose a cycle: 25/5").click()
    mina.page.get_by_role("dialog").get_by_role("button", name="50/10").click()
    expect(mina.page.get_by_role("timer")).to_contain_text("Ready to start50:0010:00 of rest")

    mina.button("start").click()
    mina.see(mina.page.get_by_role("button", name="Rest now"))
    mina.page.clock.run_for(10)
    expect(mina.page.get_by_role("timer")).to_contain_text("50/10 · round 150:00")
    tick(mina, clock, 50 * MINUTE)
    expect(mina.page.get_by_role("timer")).to_contain_text("Time to rest+0:00")
    assert "You studied for 50 min. Time to rest." in mina.page.evaluate("told")
    tick(mina, clock, 2 * MINUTE)
    expect(mina.page).to_have_title("+2:00 · Anthill")

    mina.page.get_by_role("button", name="Rest now").click()
    mina.see(mina.page.get_by_role("button", name="Back to work"))
    mina.page.clock.run_for(10)
    expect(mina.page.get_by_role("timer")).to_contain_text("50/10 rest10:00left")
    tick(mina, clock, 4 * MINUTE)
    mina.page.reload()
    expect(shown(mina)).to_have_text("6:00")
    expect(mina.page).to_have_title("Rest 6:00 · Anthill")
    expect(mina.page.locator("#today")).to_contain_text("0:52")
    mina.page.clock.run_for(10)
    tick(mina, clock, 7 * MINUTE)
    expect(mina.page.get_by_role("timer")).to_contain_text("Time to study+1:00")
    assert len(heard(mina.page, "notice")) == 1

    mina.page.get_by_role("button", name="Back to work").click()
    mina.see(mina.page.get_by_role("button", name="Rest now"))
    expect(mina.page.get_by_role("timer")).to_contain_text("50/10 · round 250:00")
    clock.advance(8 * MINUTE)
    mina.button("stop").click()
    expect(mina.page.locator(".message")).to_contain_text("You studied for 1 h.")
    expect(mina.page.locator("#today")).to_contain_text("1:00")


def test_lengths_are_as_short_as_the_rules_allow(mina):
    mina.go_home()
    choose(mina, "Cycle")
    mina.page.get_by_role("button", name="Choose a cycle: 25/5").click()
    for label, value in (("Name", "Sprint"), ("Study (min)", "1"), ("Rest (min)", "1")):
        mina.page.get_by_label(label).fill(value)
    mina.page.get_by_role("button", name="Create and use").click()
    mina.see(mina.page.get_by_role("button", name="Choose a cycle: Sprint"))

    def two_minutes(route):
        answer = route.fetch()
        route.fulfill(response=answer, body=re.sub(r"\b(shortest_length: ?)60\b", r"\g<1>120", answer.text()))

    mina.page.route(re.compile(r"\.js\b"), two_minutes)
    mina.go_home()
    mina.page.get_by_role("button", name="Choose a cycle: 25/5").click()
    for label in ("Study (min)", "Rest (min)"):
        length = mina.page.get_by_label(label)
        expect(length).to_have_attribute("min", "2")
        expect(length).to_have_attribute("max", "1438")
    mina.page.keyboard.press("Escape")
    choose(mina, "Countdown")
    mina.page.get_by_role("button", name="How long: 30 min").click()
    expect(mina.page.get_by_label("Minutes")).to_have_attribute("min", "2")
    expect(mina.page.get_by_text("From 2 to 1440 minutes.")).to_be_visible()


def test_an_own_cycle_is_on_all_devices_until_it_is_removed(mina, service, chromium):
    mina.go_home()
    choose(mina, "Cycle")
    mina.page.get_by_role("button", name="Choose a cycle: 25/5").click()
    mina.page.get_by_label("Name").fill("Long haul")
    mina.page.get_by_label("Study (min)").fill("1380")
    mina.page.get_by_label("Rest (min)").fill("61")
    mina.page.get_by_role("button", name="Create and use").click()
    expect(mina.page.get_by_label("Rest (min)")).to_have_attribute("aria-invalid", "true")
    mina.page.get_by_label("Rest (min)").fill("60")
    mina.page.get_by_role("button", name="Create and use").click()
    expect(shown(mina)).to_have_text("23:00:00")

    other = elsewhere(mina, service, chromium)
    choose(other, "Cycle")
    other.page.get_by_role("button", name="Choose a cycle: 25/5").click()
    other.page.get_by_role("dialog").get_by_role("button", name="Long haul 23 h").click()
    other.button("start").click()
    expect(other.page.get_by_role("timer")).to_contain_text("Long haul · round 1")
    other.leave()

    mina.page.get_by_role("button", name="Choose a cycle: Long haul").click()
    mina.page.get_by_role("button", name="Remove Long haul").click()
    expect(mina.page.get_by_role("dialog").get_by_text("Long haul")).to_have_count(0)
    expect(mina.page.get_by_role("dialog").get_by_role("heading", level=2)).to_be_focused()


def test_the_start_of_a_running_timer_can_be_moved_both_ways(mina, clock):
    mina.log("2026-11-25", "10:00", "11:00")
    expect(mina.page.locator("#today")).to_contain_text("1:00")
    mina.button("start").click()
    mina.see(mina.button("pause"))
    clock.advance(10 * MINUTE)
    mina.go_home()

    def move(to):
        mina.page.get_by_role("button", name="Change the start time or cancel").click()
        mina.page.get_by_label("Started at").fill(to)
        mina.page.get_by_role("button", name="Change start time").click()

    move("10:30")
    expect(mina.page.get_by_label("Started at")).to_have_attribute("aria-invalid", "true")
    mina.page.get_by_label("Started at").fill("11:40")
    mina.page.get_by_role("button", name="Change start time").click()
    expect(shown(mina)).to_have_text(re.compile(r"^30:0\d$"))
    expect(mina.page.locator("#today")).to_contain_text("1:30")
    mina.go_home()
    expect(mina.page.get_by_text("Partly added by hand")).to_have_count(1)
    move("12:05")
    expect(shown(mina)).to_have_text(re.compile(r"^5:0\d$"))
    expect(mina.page.locator("#today")).to_contain_text("1:05")
    mina.go_home()
    expect(mina.page.get_by_text("Partly added by hand")).to_have_count(0)

    mina.button("pause").click()
    mina.see(mina.button("resume"))
    mina.page.get_by_role("button", name="Change the start time or cancel").click()
    expect(mina.page.get_by_role("dialog").get_by_text("cannot change the start time during a break")).to_be_visible()


def test_a_start_that_was_not_changed_keeps_its_seconds(mina, clock):
    clock.advance(20)
    mina.go_home()
    mina.button("start").click()
    mina.see(mina.button("pause"))
    clock.advance(10 * MINUTE)
    mina.go_home()
    mina.page.get_by_role("button", name="Change the start time or cancel").click()
    mina.page.get_by_role("button", name="Change start time").click()
    expect(mina.page.get_by_role("dialog")).to_have_count(0)
    expect(shown(mina)).to_have_text(re.compile(r"^10:0\d$"))
    expect(mina.page.get_by_text("Partly added by hand")).to_have_count(0)


def test_the_first_subject_is_made_where_it_is_chosen(mina, pictures):
    page = mina.page
    mina.go_home()
    page.get_by_role("button", name="What are you studying?").click()
    dialog = mina.see(page.get_by_role("dialog"))
    name = mina.see(dialog.get_by_label("New subject"))
    assert examine(mina, "sheet-first-subject", pictures) == []
    name.fill("Chemistry")
    dialog.get_by_role("button", name="Study this").click()
    mina.see(page.get_by_role("button", name="What are you studying?: Chemistry")).click()
    expect(dialog.get_by_role("combobox", name="Subject").locator("option:checked")).to_have_text("Chemistry")
    expect(name).to_be_hidden()
    page.keyboard.press("Escape")
    page.reload()
    mina.see(page.get_by_role("button", name="What are you studying?: Chemistry"))


def test_the_subject_is_chosen_before_and_shown_while_the_timer_runs(mina, clock):
    still(mina)
    mina.go_home()
    mina.page.evaluate(
        """fetch("/api/v1/me/subjects", {
            method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ name: "Calculus" }),
        })"""
    )
    mina.page.get_by_role("button", name="What are you studying?: Subject").click()
    mina.page.get_by_role("dialog").get_by_label("Subject", exact=True).select_option(label="Calculus")
    mina.page.get_by_role("dialog").get_by_label("Note", exact=True).press_sequentially("integrals " * 30)
    mina.page.get_by_role("button", name="Study this").click()
    mina.see(mina.page.get_by_role("button", name="What are you studying?: Calculus"))
    mina.button("start").click()
    mina.see(mina.button("pause"))
    assert mina.page.request.get("/api/v1/me/timer").json()["note"] == ("integrals " * 30).strip()
    expect(mina.page.get_by_role("timer")).to_contain_text("Calculus0:00")
    clock.advance(3 * MINUTE)
    mina.page.reload()
    expect(mina.page.get_by_role("timer")).to_have_accessible_name("Calculus, 3 min so far")
    mina.button("stop").click()
    mina.see(mina.page.get_by_role("button", name="What are you studying?: Calculus"))


def test_a_timer_past_12_hours_asks_when_it_ended(mina, clock):
    mina.go_home()
    mina.button("start").click()
    mina.see(mina.button("pause"))
    clock.advance(12 * HOUR + MINUTE)
    mina.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    card = mina.see(mina.page.get_by_role("region", name="A stopped timer"))
    mina.see(mina.button("start"))
    expect(mina.page.locator("#today")).to_contain_text("0:00")
    card.get_by_label("Finished at").fill("")
    # What is typed stays while the page shows something new.
    mina.button("start").click()
    mina.see(mina.button("pause"))
    mina.settle()
    card.get_by_role("button", name="I finished then").click()
    expect(card.locator(".err")).to_have_text("Please fill this in.")
    card.get_by_label("Finished at").fill("00:30")
    card.get_by_role("button", name="I finished at 00:30").click()
    expect(card.get_by_label("Finished at")).to_have_attribute("aria-invalid", "true")
    card.get_by_label("Finished at").fill("15:20")
    card.get_by_role("button", name="I finished at 15:20").click()
    expect(card).to_have_count(0)
    expect(mina.page.get_by_role("main")).to_be_focused()
    expect(mina.page.locator("#today")).to_contain_text("3:20")


def test_a_forgotten_timer_without_study_is_dropped(mina, clock):
    mina.go_home()
    mina.button("start").click()
    mina.see(mina.button("pause"))
    clock.advance(12 * HOUR + MINUTE)
    mina.page.reload()
    card = mina.see(mina.page.get_by_role("region", name="A stopped timer"))
    card.get_by_role("button", name="I did not study").click()
    mina.see(card.get_by_text("It will no longer count for the day"))
    card.get_by_role("button", name="I did not study").click()
    expect(card).to_have_count(0)
    expect(mina.page.get_by_role("main")).to_be_focused()
    mina.page.reload()
    mina.see(mina.button("start"))
    expect(mina.page.get_by_role("region", name="A stopped timer")).to_have_count(0)
    expect(mina.page.locator("#today")).to_contain_text("0:00")


def test_the_timer_is_well_made_in_all_its_states(service, chromium, clock, pictures):
    clock.set("2026-11-25T03:00:00Z")
    sora = Visitor(service, chromium, "소라", "ko")
    sora.open_account()
    found = []

    def look(name):
        sora.settle()
        found.extend(examine(sora, name, pictures))

    def sheet(name, opener):
        opener.click()
        sora.see(sora.page.get_by_role("dialog"))
        look(f"sheet-timer-{name}")
        sora.page.keyboard.press("Escape")
        expect(opener).to_be_focused()

    choose(sora, "카운트다운")
    look("timer-countdown")
    sheet("length", sora.page.get_by_role("button", name="얼마나 할까요"))
    sheet("purpose", sora.page.get_by_role("button", name="무엇을 공부하나요"))
    choose(sora, "사이클")
    look("timer-cycle")
    sheet("plan", sora.page.get_by_role("button", name="사이클 고르기"))
    sora.button("start").click()
    sora.see(sora.page.get_by_role("button", name="지금 쉬기"))
    sheet("correct", sora.page.get_by_role("button", name="시작 시각 바꾸기"))
    clock.advance(26 * MINUTE)
    sora.go_home()
    expect(sora.page.get_by_role("timer")).to_contain_text("쉴 시간이에요+1:0")
    look("timer-over")
    sora.page.get_by_role("button", name="지금 쉬기").click()
    sora.see(sora.page.get_by_role("button", name="바로 공부"))
    look("timer-rest")
    sora.page.get_by_role("button", name="바로 공부").click()
    sora.see(sora.page.get_by_role("button", name="지금 쉬기"))
    clock.advance(13 * HOUR)
    sora.go_home()
    sora.see(sora.page.get_by_role("region", name="멈춘 타이머"))
    look("timer-stopped")
    assert found == []
    sora.leave()


def test_the_essentials_fit_on_a_phone_without_scrolling(mina, people):
    mina.found_group("Night owls")
    code = mina.invite().rsplit("/", 1)[1]
    for name in ("Jun", "Ara", "Bo"):
        friend = people(name)
        friend.join(code)
        friend.start()
    mina.page.set_viewport_size({"width": 390, "height": 844})
    for mode in ("Stopwatch", "Countdown", "Cycle", None):
        mina.go_home()
        if mode:
            choose(mina, mode)
        else:
            mina.button("start").click()
            mina.see(mina.page.get_by_role("button", name="Rest now"))
        bar = mina.page.get_by_role("navigation").bounding_box()["y"]
        for part in (".sky", ".acts", "tr.me", ".nowcard"):
            box = mina.see(mina.page.locator(part)).bounding_box()
            assert box["y"] + box["height"] <= bar, (mode, part)


SWITCHES = ["Sounds", "Notifications", "Email about a forgotten timer"]
# The goal comes last: it applies from today on, and moving west may lead back into yesterday.
CHOICES = {"Countdown length": "45 min", "Day starts at": "04:30", "Time zone": "Europe/Berlin", "Daily goal": "6 h 30 min"}


def test_settings_apply_on_another_device(mina, service, chromium):
    mina.page.goto("/settings")
    save = lambda: mina.page.expect_response(lambda answer: answer.request.method == "PATCH" and answer.ok)
    for name in SWITCHES:
        with save():
            mina.page.get_by_role("switch", name=name).uncheck()
    for name, value in CHOICES.items():
        with save():
            mina.page.get_by_label(name, exact=True).select_option(label=value)
    with save():
        mina.page.get_by_role("radio", name="Dark").check(force=True)

    other = elsewhere(mina, service, chromium)
    choose(other, "Countdown")
    expect(shown(other)).to_have_text("45:00")
    expect(other.page.locator(".sky")).to_contain_text("/ 6:30")
    other.page.goto("/settings")
    for name in SWITCHES:
        expect(other.page.get_by_role("switch", name=name)).not_to_be_checked()
    for name, value in CHOICES.items():
        expect(other.page.get_by_label(name, exact=True).locator("option:checked")).to_have_text(value)
    expect(other.page.locator("html")).to_have_attribute("data-theme", "dark")
    other.leave()


def test_a_length_chosen_as_default_is_saved_in_the_account(mina):
    mina.go_home()
    choose(mina, "Countdown")
    mina.page.get_by_role("button", name="How long: 30 min").click()
    mina.page.get_by_label("Minutes", exact=True).fill("1441")
    mina.page.get_by_role("button", name="Use this length").click()
    expect(mina.page.locator(".err:visible")).to_have_count(1)
    mina.page.get_by_label("Minutes", exact=True).fill("80")
    mina.page.get_by_role("switch", name="Start with this length from now on").check()
    mina.page.get_by_role("button", name="Use this length").click()
    expect(shown(mina)).to_have_text("1:20:00")
    mina.page.reload()
    expect(shown(mina)).to_have_text("1:20:00")
