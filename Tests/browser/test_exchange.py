"""A file of another service is previewed and imported; records are exported."""

import csv
import re

import pytest
from playwright.sync_api import expect
from visitor import Visitor, take_picture

CLOCKIFY = (
    "Project,Client,Description,Task,User,Group,Email,Tags,Billable,Start Date,Start Time,End Date,End Time,Duration (h),Duration (decimal)"
)
TEXT = {
    "en": {
        "file": "CSV file",
        "check": "Preview",
        "whose": "Whose records",
        "dates": "Date format",
        "can": "2 rows can be imported",
        "cannot": "3 rows that cannot be imported",
        "import": "Import 2 rows",
        "done": "2 rows imported",
        "csv": "Sessions, CSV",
        "all": "Everything, JSON",
        "overlap": re.compile(r"This overlaps 2026-04-03 09:00 – 10:00\."),
    },
    "ko": {
        "file": "CSV 파일",
        "check": "미리 보기",
        "whose": "누구의 기록인가요",
        "dates": "날짜 형식",
        "can": "2줄을 가져올 수 있어요",
        "cannot": "가져올 수 없는 3줄",
        "import": "2줄 가져오기",
        "done": "2줄을 가져왔어요",
        "csv": "공부 기록, CSV",
        "all": "전체, JSON",
        "overlap": re.compile("2026-04-03 09:00 – 10:00 공부와 겹쳐요"),
    },
}


def file(*rows):
    lines = [
        CLOCKIFY,
        *(f"{project},,{note},,{who},,{who}@x,,No,{day},{start},{day},{end},," for who, project, note, day, start, end in rows),
    ]
    return {"name": "clockify.csv", "mimeType": "text/csv", "buffer": "\r\n".join(lines).encode()}


FILE = file(
    ("mina", "Maths", "limits", "03/04/2026", "09:00:00 AM", "10:00:00 AM"),
    ("mina", "Maths", "series", "03/04/2026", "09:30:00 AM", "11:00:00 AM"),
    ("mina", "수학", "", "04/04/2026", "01:00:00 PM", "03:20:00 PM"),
    ("mina", "Maths", "night", "05/04/2026", "08:00:00 AM", "09:00:00 PM"),
    ("mina", "Maths", "", "06/04/2026", "08:00:00 AM", "08:00:00 AM"),
    ("jun", "Art", "", "06/04/2026", "08:00:00 AM", "09:00:00 AM"),
)


@pytest.fixture(params=["en", "ko"])
def mina(service, chromium, clock, request):
    clock.set("2026-11-25T03:00:00Z")
    visitor = Visitor(service, chromium, "Mina", request.param, viewport={"width": 390, "height": 844})
    visitor.have_account()
    visitor.text = TEXT[request.param]
    yield visitor
    visitor.leave()


def test_a_file_is_previewed_and_imported(mina, service, pictures):
    page, text = mina.page, mina.text
    page.goto("/settings")
    page.get_by_label(text["file"]).set_input_files(FILE)
    check = page.get_by_role("button", name=text["check"])
    whose, dates = page.get_by_label(text["whose"]), page.get_by_label(text["dates"])
    expect(whose).to_be_hidden()
    check.click()
    expect(whose).to_have_attribute("aria-invalid", "true")
    whose.select_option("mina@x")
    check.click()
    expect(dates).to_have_attribute("aria-invalid", "true")
    dates.select_option("DD/MM/YYYY")
    check.click()

    expect(page.get_by_role("heading", name=text["can"])).to_be_focused()
    table = page.get_by_role("table", name=text["cannot"])
    rows = table.locator("tbody tr")
    expect(rows.locator("td:first-child")).to_have_text(["3", "5", "6"])
    expect(rows.first).to_contain_text(text["overlap"])
    expect(rows.first).to_contain_text("(Start Time)")
    assert service.cluster.sql(
        "SELECT count(*) FROM study_sessions s JOIN users u USING (uid) WHERE u.nickname = 'Mina' AND source = 'import' AND s.uid = (SELECT uid FROM user_emails WHERE email = %s)",
        mina.email,
    ) == [(0,)]
    for theme in ("light", "dark"):
        page.evaluate("theme => document.documentElement.dataset.theme = theme", theme)
        for width in (320, 390, 1280):
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            take_picture(page, pictures / f"exchange-{mina.language}-{theme}-{width}.png", full_page=True)

    page.get_by_role("button", name=text["import"]).click()
    expect(page.get_by_role("heading", name=text["done"])).to_be_focused()
    expect(page.get_by_role("button", name=text["import"])).to_have_count(0)
    [[seconds]] = service.cluster.sql(
        "SELECT sum(study_seconds) FROM study_days WHERE uid = (SELECT uid FROM user_emails WHERE email = %s)", mina.email
    )
    assert seconds == 3600 + 8400

    page.get_by_label(text["file"]).set_input_files({"name": "x.csv", "mimeType": "text/csv", "buffer": b'a,"b'})
    expect(page.locator("#import-result")).to_be_empty()
    check.click()
    expect(page.locator("form .notice")).to_be_visible()


def test_records_are_exported_as_files(mina, tmp_path):
    page, text = mina.page, mina.text
    page.goto("/settings")
    for name, ending in ((text["csv"], "csv"), (text["all"], "json")):
        with page.expect_download() as download:
            page.get_by_role("link", name=name).click()
        assert re.fullmatch(rf"anthill-[a-z]+-2026-11-25\.{ending}", download.value.suggested_filename)
        download.value.save_as(tmp_path / f"file.{ending}")
    rows = list(csv.reader((tmp_path / "file.csv").open(encoding="utf-8-sig", newline="")))
    assert rows[0][:3] == ["session_id", "started_at", "ended_at"] and len(rows) == 1
