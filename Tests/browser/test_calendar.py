"""The calendar: study days instead of midnights; keys, swipes and screen readers; and the perfect ant."""

import re

import pytest
from person import expect as expect_answer
from playwright.sync_api import expect
from test_pages import violations
from visitor import Visitor

# Whether each text of a cell is on one line, and inside the cell.
UNBROKEN_AND_INSIDE = """cell => {
    const { left, right, top, bottom } = cell.getBoundingClientRect();
    return [...cell.querySelectorAll("span")].every((text) => {
        const range = document.createRange();
        range.selectNodeContents(text);
        const rects = [...range.getClientRects()];
        return rects.length === 1 && rects.every((at) => at.left >= left && at.right <= right && at.top >= top && at.bottom <= bottom);
    });
}"""
# Counts how often an element is written from now on.
WRITTEN = """(selector) => {
    window.written = 0;
    const written = new MutationObserver((changes) => { window.written += changes.length; });
    written.observe(document.querySelector(selector), { childList: true, subtree: true, characterData: true });
}"""
NOON = "2026-11-21T05:00:00Z"  # Saturday, 14:00 in Seoul


@pytest.fixture
def dodam(people, clock):
    """Has studied on four days of November and one of October, once across 05:00."""
    clock.set("2026-10-31T12:00:00Z")
    person = people("Dodam")
    expect_answer(person.patch("/me", {"daily_goal_seconds": 7200, "locale": "ko"}), 200)
    for now, start, end in [
        ("2026-10-31T12:00:00Z", "2026-10-31T01:00:00Z", "2026-10-31T01:30:00Z"),
        ("2026-11-02T15:00:00Z", "2026-11-02T00:00:00Z", "2026-11-02T08:33:00Z"),
        ("2026-11-03T15:00:00Z", "2026-11-03T00:00:00Z", "2026-11-03T06:55:00Z"),
        (NOON, "2026-11-20T12:00:00Z", "2026-11-20T13:00:00Z"),
        (NOON, "2026-11-20T19:00:00Z", "2026-11-20T21:30:00Z"),
    ]:
        clock.set(now)
        expect_answer(person.log(start, end), 201)
    return person


def device(service, chromium, person, language="ko", **options):
    visitor = Visitor(service, chromium, person.name, language, **options)
    visitor.sign_in(person.email)
    return visitor


@pytest.fixture
def at_calendar(service, chromium, dodam):
    """Dodam with the calendar open."""
    visitor = device(service, chromium, dodam)
    visitor.page.goto("/calendar")
    visitor.see(visitor.page.locator("table.cal .today"))
    yield visitor
    visitor.leave()


def month(visitor):
    return visitor.page.get_by_role("navigation", name="달 고르기").locator("strong")


def cell(visitor, day):
    return visitor.page.locator(f"table.cal button[data-day='{day}']")


def test_each_study_day_shows_time_growth_and_one_stamp(at_calendar):
    labels = {
        "2026-11-02": "11월 2일 월요일, 8시간 33분, 사과나무, 공부 개미",
        "2026-11-03": "11월 3일 화요일, 6시간 55분, 사과, 공부 개미",
        "2026-11-04": "11월 4일 수요일, 쉰 날",
        # From 04:00 to 06:30: an hour belongs to the 20th, the rest to the 21st.
        "2026-11-20": "11월 20일 금요일, 2시간, 씨앗, 공부 개미",
        "2026-11-21": "11월 21일 토요일, 1시간 30분, 씨앗, 오늘",
        "2026-11-22": "11월 22일 일요일, 아직 오지 않은 날",
    }
    for day, label in labels.items():
        expect(cell(at_calendar, day)).to_have_attribute("aria-label", label)
    expect(cell(at_calendar, "2026-11-02").locator(".hm")).to_have_text("8:33")
    expect(at_calendar.page.locator("table.cal button")).to_have_count(30)
    column = cell(at_calendar, "2026-11-21").evaluate(
        "button => button.closest('table').tHead.rows[0].cells[button.parentElement.cellIndex].abbr"
    )
    assert column == "토요일"

    totals = at_calendar.page.locator(".tot")
    expect(totals.locator("dd").first).to_contain_text("18시간 58분")
    expect(totals).to_contain_text("19:28")  # October's half hour is in the total of all time
    expect(totals).to_contain_text("1그루")


def test_tapping_a_day_shows_its_sessions(at_calendar):
    card = at_calendar.page.get_by_role("region", name="11월 21일 토요일")
    expect(card).to_contain_text("04:00 – 06:30")
    expect(card).to_contain_text("05:00 이전(1시간)은 전날 기록이에요.")
    cell(at_calendar, "2026-11-20").click()
    card = at_calendar.page.get_by_role("region", name="11월 20일 금요일")
    expect(card).to_contain_text("05:00 이후(1시간 30분)는 다음 날 기록이에요.")
    expect(card).not_to_contain_text("자정이 지났지만")
    cell(at_calendar, "2026-11-02").click()
    expect(cell(at_calendar, "2026-11-02")).to_have_attribute("aria-pressed", "true")
    expect(at_calendar.page.locator("table.cal [aria-pressed=true]")).to_have_count(1)
    card = at_calendar.see(at_calendar.page.get_by_role("region", name="11월 2일 월요일"))
    expect(card).to_contain_text("8시간 33분 · 목표 2시간, 채웠어요")
    expect(card.locator("table.parts tbody tr")).to_have_count(1)
    expect(card).to_contain_text("09:00 – 17:33")


def test_a_chosen_day_is_read_aloud_and_not_the_minutes_of_a_running_timer(service, chromium, clock, dodam):
    dodam.start()
    visitor = device(service, chromium, dodam)
    page = visitor.page
    page.clock.install()
    page.goto("/calendar")
    head = page.locator(".daycard .head")
    expect(head).to_contain_text("1시간 30분")
    page.evaluate(WRITTEN, "nav.months strong")
    clock.advance(60)
    page.clock.fast_forward(61_000)
    expect(head).to_contain_text("1시간 31분")
    expect(head).to_have_attribute("aria-live", "off")
    assert page.evaluate("written") == 0
    cell(visitor, "2026-11-02").click()
    expect(head).to_contain_text("8시간 33분")
    expect(head).to_have_attribute("aria-live", "polite")
    visitor.leave()


def test_keys_move_between_days_and_months(at_calendar):
    page = at_calendar.page
    cell(at_calendar, "2026-11-21").focus()
    for key, day in [
        ("ArrowLeft", "2026-11-20"),
        ("ArrowUp", "2026-11-13"),
        ("Home", "2026-11-09"),
        ("End", "2026-11-15"),
        ("ArrowDown", "2026-11-22"),
        ("PageUp", "2026-10-22"),
        ("ArrowDown", "2026-10-29"),
        ("ArrowDown", "2026-11-05"),
        ("PageDown", "2026-12-05"),
        ("PageUp", "2026-11-05"),
    ]:
        page.keyboard.press(key)
        page.wait_for_function("day => document.activeElement.dataset.day === day", arg=day)
    expect(month(at_calendar)).to_have_text("11월")
    expect(page.locator("table.cal button[tabindex='0']")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(cell(at_calendar, "2026-11-05")).to_have_attribute("aria-pressed", "true")


def test_month_arrows_keep_the_focus_and_back_goes_back(at_calendar):
    page = at_calendar.page
    back = page.get_by_role("link", name="이전, 10월")
    back.press("Enter")
    expect(month(at_calendar)).to_have_text("10월")
    expect(month(at_calendar)).to_have_attribute("aria-live", "polite")
    expect(page.get_by_role("link", name="이전, 9월")).to_be_focused()
    expect(cell(at_calendar, "2026-10-31")).to_have_attribute("aria-label", "10월 31일 토요일, 30분, 씨앗")
    page.reload()
    expect(month(at_calendar)).to_have_text("10월")
    page.go_back()
    expect(month(at_calendar)).to_have_text("11월")
    # A rest day of the next month is planned ahead.
    page.get_by_role("link", name="다음, 12월").click()
    expect(month(at_calendar)).to_have_text("12월")
    cell(at_calendar, "2026-12-05").click()
    page.get_by_role("button", name="쉬는 날로 정하기").click()
    expect(page.get_by_role("button", name="쉬는 날 취소")).to_be_visible()


def test_a_link_within_the_page_loads_nothing_and_leaves_the_chosen_day(at_calendar):
    page = at_calendar.page
    cell(at_calendar, "2026-11-03").click()
    at_calendar.settle()
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.locator("a.skip").press("Enter")
    expect(page.locator("main")).to_be_focused()
    expect(page).to_have_url(re.compile("/calendar#main$"))
    at_calendar.settle()
    expect(page.locator("table.cal [aria-pressed=true]")).to_have_attribute("data-day", "2026-11-03")
    assert asked == []


def test_the_calendar_ends_where_rest_days_can_be_planned(at_calendar):
    page = at_calendar.page
    page.goto("/calendar?month=2027-10")
    forth = page.get_by_role("link", name="다음, ")
    expect(forth).to_have_attribute("aria-disabled", "false")
    forth.click()
    expect(month(at_calendar)).to_have_text("2027년 11월")
    cell(at_calendar, "2027-11-22").click()
    page.get_by_role("button", name="쉬는 날로 정하기").click()
    expect(page.get_by_role("button", name="쉬는 날 취소")).to_be_visible()
    expect(forth).to_have_attribute("aria-disabled", "true")
    forth.click(force=True)
    cell(at_calendar, "2027-11-23").click()
    expect(page.get_by_role("button", name="쉬는 날로 정하기")).to_be_hidden()
    cell(at_calendar, "2027-11-30").press("ArrowDown")
    expect(cell(at_calendar, "2027-11-30")).to_be_focused()
    expect(month(at_calendar)).to_have_text("2027년 11월")
    assert page.url.endswith("?month=2027-11")


def test_a_swipe_changes_the_month(service, chromium, dodam):
    phone = device(service, chromium, dodam, has_touch=True, viewport={"width": 390, "height": 844})
    phone.page.goto("/calendar")
    phone.see(phone.page.locator("table.cal .today"))
    fingers = phone.context.new_cdp_session(phone.page)

    def draw(from_x, to_x, from_y=300, to_y=310):
        fingers.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": from_x, "y": from_y}]})
        fingers.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [{"x": to_x, "y": to_y}]})
        fingers.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})

    draw(80, 300)
    expect(phone.page).to_have_url(re.compile("month=2026-10$"))
    phone.see(cell(phone, "2026-10-31"))
    draw(300, 80)
    expect(phone.page).to_have_url(re.compile("month=2026-11$"))
    phone.see(cell(phone, "2026-11-21"))
    draw(200, 220)
    draw(100, 180, 200, 400)
    expect(phone.page).to_have_url(re.compile("month=2026-11$"))
    phone.leave()


def figures(table):
    return dict(table.locator("tbody tr").evaluate_all("rows => rows.map(row => [...row.cells].map(cell => cell.firstChild?.textContent))"))


def test_the_charts_have_the_same_numbers_in_tables(at_calendar):
    page = at_calendar.page
    year = page.get_by_role("region", name="한 해의 기록")
    expect(year.locator("svg.heat rect")).to_have_count(325)  # 1 January to today
    expect(year.locator("svg.heat .y4")).to_have_count(1)
    expect(year.locator("rect", has=page.locator("title", has_text="11월 2일 월요일 8:33"))).to_have_class("y4")
    year.get_by_text("표로 보기").click()
    table = at_calendar.see(year.get_by_role("table"))
    of_second = table.locator("tbody tr").nth(1).locator("td")
    expect(of_second.nth(10)).to_contain_text("8:33")
    expect(table.locator("tfoot td").nth(9)).to_contain_text("0:30")
    expect(table.locator("tfoot td").nth(10)).to_contain_text("18:58")

    rhythm = page.get_by_role("region", name="언제 공부하나요")
    expect(rhythm.get_by_role("img", name="요일별. 월요일에 가장 많이 했어요: 8시간 33분")).to_be_visible()
    weekdays = figures(rhythm.locator("table").first)
    assert weekdays == {
        "월요일": "8:33",
        "화요일": "6:55",
        "수요일": "0:00",
        "목요일": "0:00",
        "금요일": "2:00",
        "토요일": "1:30",
        "일요일": "0:00",
    }
    hours = figures(rhythm.locator("table").last)
    assert list(hours)[0] == "5시" and hours["21시"] == "1:00" and hours["4시"] == "1:00" and hours["17시"] == "0:33"
    rhythm.get_by_text("이 해").click()
    expect(rhythm.locator("table").first).to_contain_text("2:00")
    expect(rhythm.get_by_role("img", name="요일별")).to_be_visible()


def test_two_rest_days_a_month_can_be_planned_and_no_third(at_calendar):
    page = at_calendar.page
    plan = page.get_by_role("button", name="쉬는 날로 정하기")
    for day in ("2026-11-25", "2026-11-29"):
        cell(at_calendar, day).click()
        plan.click()
        expect(page.get_by_role("button", name="쉬는 날 취소")).to_be_focused()
        expect(cell(at_calendar, day)).to_have_accessible_name(re.compile("쉬기로 한 날$"))
    cell(at_calendar, "2026-11-30").click()
    plan.click()
    expect(page.locator(".daycard [role=alert]")).to_contain_text("한 달에 2일까지")
    expect(cell(at_calendar, "2026-11-30")).to_have_accessible_name(re.compile("아직 오지 않은 날$"))
    cell(at_calendar, "2026-11-25").click()
    page.get_by_role("button", name="쉬는 날 취소").click()
    expect(cell(at_calendar, "2026-11-25")).to_have_accessible_name(re.compile("아직 오지 않은 날$"))
    cell(at_calendar, "2026-11-04").click()
    expect(plan).to_be_hidden()


def test_a_planned_rest_day_fits_in_its_cell_in_english_too(service, chromium, dodam):
    # The 30th of November is alone in its week, which has not begun: a low row.
    expect_answer(dodam.patch("/me", {"locale": "en"}), 200)
    expect_answer(dodam.put("/me/rest-days/2026-11-30", {}), 204)
    visitor = device(service, chromium, dodam, "en")
    visitor.page.goto("/calendar")
    day = visitor.see(cell(visitor, "2026-11-30"))
    for width in (1280, 390, 320):
        visitor.page.set_viewport_size({"width": width, "height": 640})
        expect(day).to_have_text("30rest")
        assert day.evaluate(UNBROKEN_AND_INSIDE), width
    visitor.leave()


def test_a_past_month_is_not_called_this_one(service, chromium, dodam):
    expect_answer(dodam.patch("/me", {"locale": "en"}), 200)
    visitor = device(service, chromium, dodam, "en")
    visitor.page.goto("/calendar?month=2026-10")
    rhythm = visitor.see(visitor.page.get_by_role("region", name="When you study"))
    expect(rhythm.locator(".seg label")).to_have_text(["Month", "Year"])
    visitor.leave()


def test_deleting_a_session_updates_the_shown_day(at_calendar):
    page = at_calendar.page
    page.get_by_role("button", name="04:00 – 06:30 기록 수정").click()
    for _ in ("the sheet", "the question"):
        page.get_by_role("dialog").get_by_role("button", name="기록 삭제").click()
    expect(cell(at_calendar, "2026-11-21")).to_have_attribute("aria-label", "11월 21일 토요일, 아직 심지 않았어요, 오늘")
    expect(cell(at_calendar, "2026-11-20")).to_have_attribute("aria-label", "11월 20일 금요일, 1시간, 씨앗")
    expect(page.get_by_role("heading", name="11월 21일 토요일")).to_be_focused()


def test_who_edited_a_session_is_back_at_its_button(at_calendar):
    page = at_calendar.page
    pencil = page.get_by_role("button", name="04:00 – 06:30 기록 수정")
    # The day as it was just chosen, asked again, and chosen again.
    for note in ("3장", "4장", "5장"):
        pencil.click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("메모").fill(note)
        dialog.get_by_role("button", name="저장").click()
        at_calendar.see(page.get_by_role("region", name="11월 21일 토요일").get_by_text(note))
        expect(pencil).to_be_focused()
        if note == "4장":
            cell(at_calendar, "2026-11-04").click()
            at_calendar.see(page.get_by_role("region", name="11월 4일 수요일"))
            cell(at_calendar, "2026-11-21").click()


def test_today_is_compared_with_yesterday_and_continues_the_streak(service, chromium, dodam):
    # Yesterday two hours, which meets the goal; today an hour and a half so far.
    visitor = device(service, chromium, dodam)
    visitor.go_home()
    sky, streak = visitor.page.locator(".sky"), visitor.page.get_by_role("region", name="연속 공부")
    expect(sky).to_contain_text("어제보다 30분 덜 했어요")
    expect(sky.get_by_role("img", name="씨앗")).to_be_visible()
    expect(sky).to_contain_text("/ 2:00")
    expect(sky.locator(".chip")).to_have_text("1일 연속")
    expect(streak).to_contain_text("오늘도 이어 가요")
    expect(streak).to_contain_text("이번 달 사과나무 1그루")
    expect(streak).to_contain_text("누적 19시간 28분")
    week = streak.get_by_role("listitem").get_by_role("img")
    names = lambda: week.evaluate_all("pictures => pictures.map(picture => picture.getAttribute('aria-label'))")
    assert names() == ["쉰 날", "쉰 날", "쉰 날", "쉰 날", "씨앗", "씨앗", "아직"]

    expect_answer(dodam.log("2026-11-21T00:00:00Z", "2026-11-21T00:30:00Z"), 201)
    visitor.page.reload()
    expect(sky).to_contain_text("어제와 같아요")
    expect(sky.locator(".chip")).to_have_text("2일 연속")
    expect(sky).not_to_contain_text("/ 2:00")
    expect(streak).to_contain_text("오늘 목표를 채웠어요")

    expect_answer(dodam.log("2026-11-21T00:30:00Z", "2026-11-21T03:00:00Z"), 201)
    visitor.page.reload()
    expect(sky).to_contain_text("어제보다 2시간 30분 더 했어요")
    expect(sky.get_by_role("img", name="새싹")).to_be_visible()
    visitor.leave()


def get_up(service, person, day):
    service.cluster.sql(
        f"INSERT INTO wake_ups VALUES ('{person.uid}', '{day}', anthill_clock());"
        "INSERT INTO wake_up_challenges (uid, day, ring, puzzle, answer, asked_at, expires_at, solved_at)"
        f" SELECT uid, day, 0, '{{}}', 0, earned_at, earned_at, earned_at FROM wake_ups WHERE uid = '{person.uid}' AND day = '{day}'"
    )


def test_the_perfect_ant_is_announced_once_on_the_first_device(service, chromium, dodam):
    laptop = device(service, chromium, dodam)
    phone = device(service, chromium, dodam, viewport={"width": 390, "height": 844})
    laptop.page.goto("/settings")
    laptop.see(laptop.page.get_by_role("heading", level=1))
    get_up(service, dodam, "2026-11-21")
    expect_answer(dodam.log("2026-11-21T00:00:00Z", "2026-11-21T03:00:00Z"), 201)

    phone.page.goto("/groups")
    told = phone.see(phone.page.get_by_role("complementary", name="오늘의 퍼펙트 개미"))
    expect(told).to_contain_text("목표 2시간도 채웠어요. 이번 달 1번째예요.")
    expect(phone.page.get_by_role("status").filter(has_text="퍼펙트 개미")).to_have_count(1)
    assert violations(phone.page) == []
    phone.complaints.clear()
    assert dodam.get("/me/today").json()["perfect_announced"] is True
    told.get_by_role("button", name="닫기").click()
    expect(told).to_have_count(0)
    expect(phone.page.get_by_role("main")).to_be_focused()

    for visitor, path in [(laptop, "/settings"), (laptop, "/home"), (phone, "/home")]:
        visitor.page.goto(path)
        visitor.see(visitor.page.get_by_role("link", name=visitor.words["board"], exact=True))
        visitor.settle()
        expect(visitor.page.locator(".perfect")).to_have_count(0)
    phone.page.goto("/calendar")
    expect(cell(phone, "2026-11-21")).to_have_attribute("aria-label", re.compile("퍼펙트 개미, 오늘$"))
    expect(cell(phone, "2026-11-21").locator("svg.st.sm")).to_have_count(1)
    laptop.leave()
    phone.leave()
