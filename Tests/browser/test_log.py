"""Sessions added by hand: by end or by length, today or yesterday; edited, with their history, and deleted."""

import re

import pytest
from playwright.sync_api import expect
from test_pages import examine
from visitor import Visitor

# Saturday, 21 November, 21:00 in Seoul.
NOW = "2026-11-21T12:00:00Z"


def arrive(service, chromium, clock, language):
    clock.set(NOW)
    visitor = Visitor(service, chromium, "Mina", language)
    visitor.page.clock.set_fixed_time(NOW)
    visitor.open_account()
    return visitor


@pytest.fixture
def mina(service, chromium, clock):
    visitor = arrive(service, chromium, clock, "en")
    yield visitor
    visitor.leave()


@pytest.fixture
def sora(service, chromium, clock):
    visitor = arrive(service, chromium, clock, "ko")
    yield visitor
    visitor.leave()


def api(visitor, method, path, body=None):
    """Asks the API as the page would."""
    answer = visitor.page.request.fetch(f"/api/v1{path}", method=method, data=body, headers={"Origin": visitor.service.origin})
    assert answer.ok, answer.text()
    return answer.json() if answer.status != 204 else None


def change(visitor, when):
    visitor.page.get_by_role("button", name=f"Edit {when}").click()
    return visitor.see(visitor.page.get_by_role("dialog"))


def test_what_has_just_ended_needs_only_its_length(mina):
    page = mina.page
    mina.button("log").click()
    dialog = mina.see(page.get_by_role("dialog"))
    dialog.get_by_text("By length").click()
    dialog.get_by_label("Minutes", exact=True).fill("50")
    dialog.get_by_role("button", name="Yesterday").click()
    mina.button("log_it").click()
    expect(mina.field("from")).to_have_attribute("aria-invalid", "true")
    dialog.get_by_role("button", name="Today").click()
    mina.button("log_it").click()
    expect(dialog).to_have_count(0)
    [session] = api(mina, "GET", "/me/sessions?from=2026-11-21&to=2026-11-21")["items"]
    assert session["seconds"] == 50 * 60


@pytest.mark.parametrize("who", ["mina", "sora"])
def test_without_a_subject_the_way_to_make_one_is_offered(request, who, pictures):
    visitor = request.getfixturevalue(who)
    page = visitor.page
    visitor.button("log").click()
    dialog = visitor.see(page.get_by_role("dialog"))
    link = visitor.see(dialog.get_by_role("link", name="Create a subject" if who == "mina" else "과목 만들기"))
    assert examine(visitor, f"sheet-log-no-subject-{visitor.language}", pictures) == []
    visitor.field("from").fill("14:00")
    with page.expect_popup() as tab:
        link.click()
    expect(tab.value).to_have_url(re.compile("/tasks$"))
    tab.value.close()
    api(visitor, "POST", "/me/subjects", {"name": "Biology"})
    # Back in this tab, what was typed is still there.
    page.evaluate("dispatchEvent(new Event('focus'))")
    visitor.see(dialog.get_by_label("Subject" if who == "mina" else "과목"))
    expect(link).to_be_hidden()
    expect(visitor.field("from")).to_have_value("14:00")


def test_sessions_are_added_by_length_and_for_yesterday(mina):
    page = mina.page
    biology, mathematics = [api(mina, "POST", "/me/subjects", {"name": name})["id"] for name in ("Biology", "Mathematics")]
    # The subject of the latest session is offered on every device.
    earlier = {"started_at": "2026-11-19T12:00:00Z", "ended_at": "2026-11-19T13:00:00Z"}
    api(mina, "POST", "/me/sessions", {**earlier, "subject_id": mathematics})
    mina.button("log").click()
    dialog = mina.see(page.get_by_role("dialog"))
    expect(dialog.get_by_label("Subject").locator("option:checked")).to_have_text("Mathematics")
    dialog.get_by_label("Subject").select_option("Biology")
    dialog.get_by_text("By length").click()
    expect(dialog.get_by_label("End", exact=True)).to_be_hidden()
    mina.field("from").fill("14:00")
    dialog.get_by_label("Minutes", exact=True).fill("95")
    expect(dialog.get_by_text("Until 15:35.")).to_be_visible()
    dialog.get_by_label("Note").fill("chapter 3")
    mina.button("log_it").click()
    expect(dialog).to_have_count(0)
    expect(page.locator("#today")).to_contain_text("1:35")
    row = page.get_by_role("row", name=re.compile("14:00 – 15:35"))
    expect(row).to_contain_text("Biology · chapter 3")

    # The same subject is offered, and there is a button for yesterday.
    mina.button("log").click()
    expect(dialog.get_by_label("Subject").locator("option:checked")).to_have_text("Biology")
    expect(page.get_by_role("button", name="Today", exact=True)).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="Yesterday", exact=True).click()
    expect(mina.field("day")).to_have_value("2026-11-20")
    mina.field("from").fill("22")
    mina.field("to").fill("2360")
    mina.button("log_it").click()
    mina.see(dialog.get_by_text("Enter a time like 17:30."))
    expect(mina.field("from")).to_have_value("22:00")
    mina.field("to").fill("2300")
    mina.button("log_it").click()
    expect(dialog).to_have_count(0)
    items = api(mina, "GET", "/me/sessions?from=2026-11-20&to=2026-11-20")["items"]
    assert [(item["started_at"], item["subject_id"]) for item in items] == [("2026-11-20T13:00:00Z", biology)]


def test_today_is_by_the_services_clock(mina):
    mina.page.clock.set_fixed_time("2026-11-24T12:00:00Z")  # the device's clock is three days ahead
    api(mina, "POST", "/me/timer/start", {})
    mina.page.goto("/home")
    row = mina.see(mina.page.get_by_role("row", name=re.compile("21:00 – now")))
    expect(row).not_to_contain_text("next day")
    mina.button("log").click()
    expect(mina.field("day")).to_have_value("2026-11-21")
    mina.see(mina.page.get_by_role("button", name="Today", exact=True, pressed=True))


def test_after_midnight_today_is_still_the_study_day(mina, clock):
    page = mina.page

    def log(start, end):
        mina.button("log").click()
        mina.field("from").fill(start)
        mina.field("to").fill(end)
        mina.button("log_it").click()

    # Half past midnight on the 22nd.
    clock.set("2026-11-21T15:30:00Z")
    page.clock.set_fixed_time("2026-11-21T15:30:00Z")
    mina.go_home()
    log("22:00", "23:00")
    expect(page.get_by_role("dialog")).to_have_count(0)
    mina.button("log").click()
    expect(mina.field("day")).to_have_value("2026-11-21")
    mina.see(page.get_by_role("button", name="Today", exact=True, pressed=True))
    mina.see(page.get_by_text("Times before 05:00 are the next morning."))
    mina.button("close").click()
    log("23:40", "00:20")
    expect(page.get_by_role("dialog")).to_have_count(0)
    log("00:40", "00:50")
    expect(page.locator(".err:visible")).to_have_text("This time has not come yet.")
    mina.field("from").fill("00:20")
    mina.field("to").fill("00:25")
    mina.button("log_it").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    # In the morning, the early hours that have come are meant.
    clock.set("2026-11-22T01:00:00Z")
    page.clock.set_fixed_time("2026-11-22T01:00:00Z")
    mina.go_home()
    log("01:00", "02:00")
    expect(page.get_by_role("dialog")).to_have_count(0)
    items = api(mina, "GET", "/me/sessions?from=2026-11-21&to=2026-11-21")["items"]
    starts = [item["started_at"] for item in items]
    assert starts == [f"2026-11-21T{time}:00Z" for time in ("16:00", "15:20", "14:40", "13:00")]


def test_a_sheet_with_something_typed_closes_only_at_the_second_press(mina):
    page = mina.page
    dialog, said = page.get_by_role("dialog"), page.get_by_text("What you typed will be lost.")
    beside = lambda: page.mouse.click(10, 10)
    fill_in(mina)
    beside()
    page.keyboard.press("Escape")
    mina.see(said)
    mina.field("to").fill("15:30")
    mina.button("close").click()
    expect(mina.field("to")).to_have_value("15:30")
    beside()
    expect(mina.field("from")).to_have_value("14:00")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    mina.button("log").click()
    mina.see(dialog)
    beside()
    expect(dialog).to_have_count(0)
    # So does one that leads to another.
    api(mina, "POST", "/me/sessions", {"started_at": "2026-11-21T05:00:00Z", "ended_at": "2026-11-21T06:20:00Z"})
    page.reload()
    note = change(mina, "14:00 – 15:20").get_by_label("Note")
    note.fill("acids")
    for leads in ("History", "Delete session"):
        dialog.get_by_role("button", name=leads).click()
        mina.see(said)
        expect(note).to_have_value("acids")
        note.fill("bases")
        expect(note).to_have_value("bases")
        note.fill("acids")
    dialog.get_by_role("button", name="History").dblclick()
    mina.see(page.get_by_role("table", name="History"))


def fill_in(visitor):
    """Opens the sheet and fills it in; answers the button that sends it."""
    visitor.button("log").click()
    visitor.field("from").fill("14:00")
    visitor.field("to").fill("15:00")
    return visitor.button("log_it")


def test_what_was_typed_can_be_sent_though_one_was_signed_out_elsewhere(mina):
    page = mina.page
    send = fill_in(mina)
    dialog = page.get_by_role("dialog")
    page.request.delete("/api/v1/sign-ins/current", headers={"Origin": mina.service.origin})
    told = dialog.get_by_role("alert").filter(has_text="You need to sign in.")
    # What the page asks by itself finds it out, or what is sent.
    page.evaluate("dispatchEvent(new Event('online'))")
    mina.see(told)
    send.click()
    mina.settle()
    expect(told).to_contain_text("What you typed stays here")
    with page.expect_popup() as tab:
        told.get_by_role("link", name="Sign in").click()
    expect(tab.value).to_have_url(re.compile("/sign-in"))
    mina.sign_in(mina.email)
    expect(mina.field("from")).to_have_value("14:00")
    send.click()
    expect(dialog).to_have_count(0)
    mina.see(page.get_by_role("button", name="Edit 14:00 – 15:00"))
    # With nothing typed, the page gives way.
    page.request.delete("/api/v1/sign-ins/current", headers={"Origin": mina.service.origin})
    page.evaluate("dispatchEvent(new Event('online'))")
    expect(page).to_have_url(re.compile("/sign-in"))


def test_a_sheet_asks_again_for_what_it_lacks_until_it_is_closed(mina):
    page = mina.page
    id = api(mina, "POST", "/me/sessions", {"started_at": "2026-11-21T05:00:00Z", "ended_at": "2026-11-21T06:00:00Z"})["id"]
    page.reload()
    asked = []

    def refuse(route):
        asked.append(route.request.url)
        route.abort()

    page.route(f"**/me/sessions/{id}", refuse)
    dialog = change(mina, "14:00 – 15:00")
    mina.see(dialog.get_by_role("button", name="Try again now"))
    for _ in range(2):
        before = len(asked)
        with page.expect_request(f"**/me/sessions/{id}"):
            page.clock.fast_forward(11_000)
        mina.see(dialog.get_by_role("button", name="Try again now"))
        assert len(asked) == before + 1
    mina.button("close").click()
    expect(dialog).to_have_count(0)
    before = len(asked)
    page.clock.fast_forward(30_000)
    mina.settle()
    assert len(asked) == before


def test_a_sheet_that_is_being_sent_is_not_sent_again(mina):
    held = []
    hold = lambda route: held.append(route) if route.request.method == "POST" else route.continue_()
    mina.page.route("**/api/v1/me/sessions", hold)
    send = fill_in(mina)
    with mina.page.expect_request("**/api/v1/me/sessions"):
        send.click()
    send.evaluate("button => button.click()")
    mina.field("from").press("Enter")
    held[0].continue_()
    expect(mina.page.get_by_role("dialog")).to_have_count(0)
    assert len(held) == 1


def test_a_sheet_whose_answer_is_lost_is_recorded_once(mina):
    keys = []

    def lose_the_first_answer(route):
        if route.request.method != "POST":
            return route.continue_()
        keys.append(route.request.headers["idempotency-key"])
        if len(keys) == 1:
            route.fetch()
            return route.abort()
        return route.continue_()

    mina.page.route("**/api/v1/me/sessions", lose_the_first_answer)
    fill_in(mina).click()
    expect(mina.page.get_by_role("dialog")).to_have_count(0)
    assert keys == [keys[0]] * 2
    assert len(api(mina, "GET", "/me/sessions?from=2026-11-21&to=2026-11-21")["items"]) == 1


def test_errors_are_shown_at_their_field(mina):
    page = mina.page
    api(mina, "POST", "/me/sessions", {"started_at": "2026-11-21T05:00:00Z", "ended_at": "2026-11-21T06:20:00Z"})
    mina.button("log").click()
    dialog = mina.see(page.get_by_role("dialog"))
    mina.field("from").fill("15:00")
    dialog.get_by_text("By length").click()
    minutes = dialog.get_by_label("Minutes", exact=True)
    error = page.locator(".err:visible")
    for wrong in ("", "0", "721"):
        minutes.fill(wrong)
        mina.button("log_it").click()
        expect(minutes).to_have_attribute("aria-invalid", "true")
        expect(error).to_have_text("Enter a whole number from 1 to 720.")
    minutes.fill("30")
    mina.button("log_it").click()
    expect(error).to_have_text("This overlaps 14:00 – 15:20. Change the start or the end.")
    expect(mina.field("from")).to_have_attribute("aria-invalid", "true")
    mina.field("from").fill("20:45")
    mina.button("log_it").click()
    expect(minutes).to_have_attribute("aria-invalid", "true")
    expect(error).to_have_text("This time has not come yet.")
    minutes.fill("15")
    mina.button("log_it").click()
    expect(dialog).to_have_count(0)


def test_a_session_is_edited_and_deleted_and_its_history_remains(mina, clock):
    page = mina.page
    subject = api(mina, "POST", "/me/subjects", {"name": "Chemistry"})
    session = api(mina, "POST", "/me/sessions", {"started_at": "2026-11-21T05:00:00Z", "ended_at": "2026-11-21T06:20:00Z"})
    api(mina, "POST", "/me/sessions", {"started_at": "2026-11-21T07:00:00Z", "ended_at": "2026-11-21T07:30:00Z"})
    mina.go_home()
    dialog = change(mina, "14:00 – 15:20")
    dialog.get_by_label("End", exact=True).fill("16:10")
    dialog.get_by_role("button", name="Save").click()
    expect(page.locator(".err:visible")).to_contain_text("16:00 – 16:30")
    expect(dialog.get_by_label("End", exact=True)).to_have_attribute("aria-invalid", "true")
    clock.advance(60)
    dialog.get_by_label("End", exact=True).fill("1550")
    dialog.get_by_label("Subject").select_option("Chemistry")
    dialog.get_by_label("Note").fill("acids")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_have_count(0)
    expect(page.locator("#today")).to_contain_text("2:20")
    expect(page.get_by_role("row", name=re.compile("14:00 – 15:50"))).to_contain_text("Chemistry · acids")
    told = page.locator("body > [role=status]")
    expect(told).to_have_text("Saved as 1 h 50 min. Changed: subject, note.")
    now = api(mina, "GET", f"/me/sessions/{session['id']}")
    assert (now["seconds"], now["subject_id"], now["note"]) == (6600, subject["id"], "acids")

    # What stayed as it was is not spoken of.
    dialog = change(mina, "14:00 – 15:50")
    dialog.get_by_label("Note").fill("bases")
    dialog.get_by_role("button", name="Save").click()
    expect(told).to_have_text("Changed: note.")

    dialog = change(mina, "14:00 – 15:50")
    dialog.get_by_role("button", name="History").click()
    past = mina.see(page.get_by_role("table", name="History"))
    expect(past.locator("tbody tr")).to_have_count(2)
    expect(past.locator("tbody tr").first).to_contain_text("not counted since 21 November at 21:01")
    expect(past.locator("tbody tr").last).to_contain_text("Current version")
    mina.button("close").click()

    dialog = change(mina, "14:00 – 15:50")
    dialog.get_by_role("button", name="Delete session").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete session").click()
    expect(page.locator("#today")).to_contain_text("0:30")
    assert all("retracted_at" in item for item in api(mina, "GET", f"/me/sessions/{session['id']}/history")["items"])


def test_the_focus_stays_on_a_session_while_others_are_added(mina):
    page = mina.page

    def add_elsewhere(hour):
        start, end = f"2026-11-21T{hour - 9:02}:00:00Z", f"2026-11-21T{hour - 8:02}:00:00Z"
        api(mina, "POST", "/me/sessions", {"intervals": [{"started_at": start, "ended_at": end}], "source": "manual"})
        page.evaluate("dispatchEvent(new Event('online'))")
        return mina.see(page.get_by_role("button", name=f"Edit {hour:02}:00 – {hour + 1:02}:00"))

    pencil = add_elsewhere(10)
    pencil.focus()
    add_elsewhere(12)
    expect(pencil).to_be_focused()
    page.keyboard.press("Enter")
    mina.see(page.get_by_role("dialog"))
    add_elsewhere(14)
    page.keyboard.press("Escape")
    expect(pencil).to_be_focused()


def test_a_session_is_continued_with_the_same_subject_task_and_note(mina, clock):
    page = mina.page
    subject = api(mina, "POST", "/me/subjects", {"name": "Chemistry"})["id"]
    task = api(mina, "POST", "/me/tasks", {"title": "Chapter 3"})["id"]
    about = {"subject_id": subject, "task_id": task, "note": "acids"}
    api(mina, "POST", "/me/sessions", {"started_at": "2026-11-21T05:00:00Z", "ended_at": "2026-11-21T06:20:00Z", **about})
    api(mina, "POST", "/me/sessions", {"started_at": "2026-11-21T07:00:00Z", "ended_at": "2026-11-21T07:30:00Z"})
    mina.go_home()
    page.get_by_role("button", name="Continue 14:00 – 15:20").click()
    mina.see(mina.button("pause"))
    expect(page.get_by_role("timer")).to_contain_text("Chapter 3")
    timer = api(mina, "GET", "/me/timer")
    assert {name: timer[name] for name in about} == about
    # What still runs cannot be continued; another one says that this one is on.
    clock.advance(60)
    again = page.get_by_role("button", name=re.compile("^Continue "))
    for act, then in (("pause", "resume"), ("resume", "pause")):
        expect(again).to_have_count(2)
        mina.button(act).click()
        mina.see(mina.button(then))
        mina.settle()
    expect(again).to_have_count(2)
    page.goto("/calendar")
    page.get_by_role("button", name="Continue 16:00 – 16:30").click()
    dialog = page.get_by_role("dialog", name="A timer is already on")
    expect(dialog).to_contain_text("Chapter 3")
    clock.advance(60)
    dialog.get_by_role("button", name="Finish").click()
    mina.see(mina.button("start"))
    page.get_by_role("button", name="Continue 16:00 – 16:30").click()
    mina.see(mina.button("pause"))
    timer = api(mina, "GET", "/me/timer")
    assert not about.keys() & timer.keys()


def test_a_timed_session_keeps_its_seconds_and_is_fixed_after_48_hours(mina, clock):
    page = mina.page
    mina.go_home()
    mina.button("start").click()
    mina.see(mina.button("pause"))
    clock.advance(1837)
    mina.button("stop").click()
    mina.see(mina.button("start"))
    dialog = change(mina, "21:00 – 21:30")
    dialog.get_by_label("Note").fill("essay")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_have_count(0)
    [session] = api(mina, "GET", "/me/sessions")["items"]
    assert (session["seconds"], session["note"], session["intervals"][0]["source"]) == (1837, "essay", "timer")
    # The page still shows the day, but the 48 hours are over.
    clock.advance(48 * 3600 + 1)
    dialog = change(mina, "21:00 – 21:30")
    expect(dialog).to_contain_text("for 48 hours after it ends")
    expect(dialog.get_by_role("button", name="Save")).to_have_count(0)
    expect(dialog.get_by_role("button", name="Delete session")).to_have_count(0)
    dialog.get_by_role("button", name="History").click()
    expect(page.get_by_role("table", name="History").locator("tbody tr")).to_contain_text("timed")


@pytest.mark.parametrize("name", ["mina", "sora"])
def test_the_sheets_are_well_made(request, name, pictures, clock):
    visitor = request.getfixturevalue(name)
    page, language = visitor.page, {"mina": "en", "sora": "ko"}[name]
    subject = {"mina": "Organic chemistry", "sora": "미분적분학"}[name]
    note = {"mina": "exercises of chapter 3", "sora": "3장 연습문제 다시 풀기"}[name]
    id = api(visitor, "POST", "/me/subjects", {"name": subject})["id"]
    stretches = [("05:00", "06:20"), ("06:30", "07:15")]
    intervals = [{"started_at": f"2026-11-21T{a}:00Z", "ended_at": f"2026-11-21T{b}:00Z"} for a, b in stretches]
    session = api(visitor, "POST", "/me/sessions", {"intervals": intervals, "subject_id": id, "note": note})
    clock.advance(120)
    api(visitor, "PATCH", f"/me/sessions/{session['id']}", {"ended_at": "2026-11-21T07:40:00Z"})
    visitor.go_home()
    found = []
    visitor.button("log").click()
    visitor.see(page.get_by_role("dialog"))
    page.get_by_text({"mina": "By length", "sora": "걸린 시간으로"}[name]).click()
    visitor.field("from").fill("15:00")
    page.get_by_label({"mina": "Minutes", "sora": "공부한 시간 (분)"}[name], exact=True).fill("50")
    visitor.button("log_it").click()
    visitor.see(page.locator(".err:visible"))
    found += examine(visitor, f"sheet-log-{language}", pictures) or []
    # It asks before it throws away what was typed.
    visitor.button("close").dblclick()
    change = {"mina": "Edit 14:00 – 16:40", "sora": "14:00 – 16:40 기록 수정"}[name]
    page.get_by_role("button", name=change).click()
    visitor.see(page.get_by_label({"mina": "Note", "sora": "메모"}[name]))
    found += examine(visitor, f"sheet-change-{language}", pictures) or []
    page.get_by_role("button", name={"mina": "History", "sora": "변경 기록"}[name]).click()
    visitor.see(page.locator("table.past"))
    found += examine(visitor, f"sheet-history-{language}", pictures) or []
    visitor.button("close").click()
    found += examine(visitor, f"sessions-{language}", pictures) or []
    assert found == []
