"""Goals of the week and the month, days left until a date, and the day in cells of ten minutes, also as a picture."""

import pytest
from person import expect as expect_answer
from playwright.sync_api import expect
from test_calendar import device
from test_pages import examine

NOON = "2026-11-21T05:00:00Z"  # Saturday, 14:00 in Seoul

WORDS = {
    "ko": {
        "goals": "목표", "daily": "하루 목표 바꾸기", "goal": "하루 목표", "edit": "바꾸기", "week": "일주일에 몇 시간", "month": "한 달에 몇 시간", "save": "저장", "what": "무슨 날",
        "date": "날짜", "add": "디데이 추가", "left": "D-30", "day": "D-Day", "half": "2시간 30분 중 1시간 15분 (50%)", "drop": "기말 삭제",
        "change": "기말 수정", "changed": "디데이를 수정했어요.", "back": "그대로 두기", "close": "닫기", "strip": "10분 기록", "share": "그림으로 공유", "saved": "그림으로 저장했어요.", "line": "09:00부터 10:00까지: 수학, 1시간",
        "no_subject": "과목 없음", "added": "디데이를 추가했어요.", "none": "이번 주나 이번 달의 목표를 정하거나, 디데이를 만들어 보세요.",
    },
    "en": {
        "goals": "Goals", "daily": "Change the daily goal", "goal": "Daily goal", "edit": "Edit", "week": "Hours a week", "month": "Hours a month", "save": "Save", "what": "What for",
        "date": "Date", "add": "Add the date", "left": "30 days left", "day": "D-Day", "half": "1 h 15 min of 2 h 30 min (50%)",
        "drop": "Delete 기말", "change": "Edit 기말", "changed": "Date changed.", "back": "Go back", "close": "Close", "strip": "The day in 10-minute blocks", "share": "Share as a picture",
        "saved": "Saved as a picture.", "line": "09:00 to 10:00: 수학, 1 h",
        "no_subject": "No subject", "added": "Date added.", "none": "Set a goal for the week or the month, or count down to a date.",
    },
}  # fmt: skip


@pytest.mark.parametrize("language", ["ko", "en"])
def test_goals_and_dates_are_set_on_home_and_seen_on_the_calendar(service, chromium, clock, people, pictures, language):
    words = WORDS[language]
    clock.set(NOON)
    person = people("Dodam")
    expect_answer(person.patch("/me", {"locale": language}), 200)
    subject = expect_answer(person.post("/me/subjects", {"name": "수학", "colour": "sky"}), 201).json()["id"]
    for start, end, on in [("00:00", "01:00", subject), ("02:05", "02:20", None)]:
        body = {"intervals": [{"started_at": f"2026-11-21T{start}:00Z", "ended_at": f"2026-11-21T{end}:00Z"}], "subject_id": on}
        expect_answer(person.post("/me/sessions", body), 201)
    visitor = device(service, chromium, person, language)
    visitor.go_home()
    page = visitor.page
    card = page.get_by_role("region", name=words["goals"])
    expect(card).to_contain_text(words["none"])

    card.get_by_role("button", name=words["edit"]).click()
    sheet = page.get_by_role("dialog")
    sheet.get_by_label(words["what"]).fill("기말")
    sheet.get_by_label(words["date"]).fill("2026-12-20")
    sheet.get_by_role("button", name=words["add"]).click()
    # What is said is seen and heard in the sheet that is open.
    expect(sheet.get_by_role("status")).to_have_text(words["added"])
    expect(sheet.locator(".toast")).to_be_in_viewport(ratio=1)
    # The wrong day is put right where it stands.
    dates = sheet.locator(".dates")
    change = dates.get_by_role("button", name=words["change"])
    change.click()
    expect(dates.get_by_label(words["what"])).to_be_focused()
    dates.get_by_label(words["what"]).fill("중간")
    dates.get_by_role("button", name=words["back"]).click()
    expect(change).to_be_focused()
    change.click()
    expect(dates.get_by_label(words["what"])).to_have_value("기말")
    dates.get_by_label(words["date"]).fill("2026-12-21")
    assert examine(visitor, f"sheet-goals-date-{language}", pictures) == []
    dates.get_by_role("button", name=words["save"]).click()
    expect(sheet.get_by_role("status")).to_have_text(words["changed"])
    expect(dates).to_contain_text(words["left"])
    expect(change).to_be_focused()
    page.set_viewport_size({"width": 390, "height": 844})
    left, cross = (dates.locator(each).bounding_box() for each in ("b", "button >> nth=-1"))
    assert cross["y"] < left["y"] + left["height"]
    assert examine(visitor, f"sheet-goals-{language}", pictures) == []
    # A program may set a goal of any length.
    sheet.get_by_label(words["week"]).fill("2.3")
    sheet.get_by_role("button", name=words["save"]).click()
    expect(sheet).to_have_count(0)
    card.get_by_role("button", name=words["edit"]).click()
    sheet.get_by_label(words["week"]).fill("2.5")
    sheet.get_by_role("button", name=words["save"]).click()
    expect(sheet).to_have_count(0)
    expect(card).to_contain_text(words["half"])
    expect(card).to_contain_text(words["left"])

    strip = page.get_by_role("region", name=words["strip"])
    expect(strip.locator(".tens .hue-sky")).to_have_count(6)
    expect(strip.locator(".tens .hue-plain")).to_have_count(2)
    expect(strip.locator(".tens rect")).to_have_count(144)
    expect(strip.get_by_role("listitem").filter(has_text=words["line"])).to_have_count(1)
    expect(strip.locator(".facts")).to_contain_text(words["no_subject"])
    assert examine(visitor, f"home-goals-{language}", pictures) == []
    with page.expect_download() as saved:
        strip.get_by_role("button", name=words["share"]).click()
    picture = pictures / f"strip-{language}.png"
    saved.value.save_as(picture)
    assert saved.value.suggested_filename == "2026-11-21.png"
    assert picture.read_bytes().startswith(b"\x89PNG") and picture.stat().st_size > 5_000
    expect(strip).to_contain_text(words["saved"])

    # The day itself lasts until five in the night. (A sign-in lasts for 30 days without use.)
    clock.set("2026-12-10T05:00:00Z")
    page.goto("/home")
    expect(card).to_be_visible()
    clock.set("2026-12-21T19:59:00Z")
    page.goto("/calendar")
    expect(page.get_by_role("region", name=words["goals"])).to_contain_text(words["day"])
    page.goto("/calendar?month=2026-11")
    expect(page.get_by_role("region", name=words["goals"])).to_have_count(0)
    page.locator("button[data-day='2026-11-21']").click()
    expect(page.locator(".daycard .tens .hue-sky")).to_have_count(6)
    assert examine(visitor, f"calendar-goals-{language}", pictures) == []

    page.goto("/home")
    card.get_by_role("button", name=words["edit"]).click()
    sheet.get_by_role("button", name=words["drop"]).click()
    expect(sheet.locator(".dates li")).to_have_count(0)
    expect(sheet.get_by_role("heading", level=2)).to_be_focused()
    sheet.get_by_role("button", name=words["close"], exact=True).click()
    expect(card).not_to_contain_text(words["day"])

    card.get_by_role("button", name=words["edit"]).click()
    sheet.get_by_role("link", name=words["daily"]).click()
    expect(page.get_by_role("combobox", name=words["goal"], exact=True)).to_be_focused()
    visitor.leave()
