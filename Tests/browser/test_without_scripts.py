"""What is read without JavaScript: what Anthill is, the help, and a group's final months."""

import json
import re
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from person import Person
from playwright.sync_api import expect
from service import wait_until
from visitor import Visitor, take_picture

VERIFY = Path(__file__).resolve().parents[2] / "Sources/AnthillServer/Web/verify.py"
LONG = "Bartholomew-Featherstonehaugh-of-Slaught"
ARABIC = "ليلى العمري"


@pytest.fixture(scope="module")
def months(service):
    """The final October of a group: a long name, a name from right to left, somebody hidden, and an amendment."""
    service.set_clock("2026-10-20T03:00:00Z")
    people = [Person(service, "Ant").register(nickname=name) for name in (LONG, ARABIC, "Haru", "Minji", "Bom")]
    owner, _, hidden, minji, _ = people
    group = owner.found_group("Grad Exam Room")
    code = owner.invite(group)["code"]
    for person in people[1:]:
        person.join(code)
    owner.patch(f"/groups/{group['id']}", {"rules": {"time_zone": "America/New_York"}})
    for person, hours in zip(people, (6, 4, 3, 2, 4)):
        person.log("2026-10-19T00:00:00Z", f"2026-10-19T{hours:02}:00:00Z")
    hidden.patch(f"/groups/{group['id']}/members/me", {"visibility": "hidden"})
    service.set_clock("2026-11-02T20:00:00Z")
    closed = "SELECT 1 FROM month_closes WHERE group_id = %s AND month = '2026-10-01'"
    wait_until(lambda: service.cluster.sql(closed, group["id"]), what="October to be closed")
    service.cluster.sql("SELECT amend_standing(%s, %s, '2026-10-01', %s, 1440000, 'A month on paper.')", owner.uid, group["id"], minji.uid)
    owner.patch(f"/groups/{group['id']}", {"months_public": True})
    yield {"owner": owner, "group": group["id"], "path": f"/groups/{group['id']}/months"}
    for person in people:
        person.close()


@pytest.fixture(params=["ko", "en"])
def reader(request, service, chromium):
    visitor = Visitor(service, chromium, "Nobody", request.param, java_script_enabled=False, viewport={"width": 320, "height": 640})
    yield visitor
    visitor.leave()


def test_strangers_learn_what_it_is_and_how_it_works(reader, pictures):
    page, korean = reader.page, reader.language == "ko"
    page.goto("/")
    expect(page.locator("html")).to_have_attribute("lang", reader.language)
    expect(page.get_by_role("row")).to_have_count(5)
    take_picture(page, pictures / f"without-scripts-first-{reader.language}.png", full_page=True)
    page.get_by_role("link", name="어떻게 쓰나요?" if korean else "See how it works").click()
    page.get_by_role("link", name="기상 알람" if korean else "The morning alarm").click()
    expect(page).to_have_url(re.compile("/help#alarm$"))
    expect(page.get_by_role("region", name="기상 알람" if korean else "The morning alarm")).to_be_in_viewport()
    # The other language is a link, which every page remembers.
    page.get_by_role("banner").get_by_role("link", name="English" if korean else "한국어").click()
    page.goto("/")
    expect(page.locator("html")).to_have_attribute("lang", "en" if korean else "ko")
    # What needs a script says so, and where to go.
    page.goto("/register")
    expect(page.locator("noscript a[href='/help']")).to_be_visible()


def test_strangers_read_a_final_month_and_check_it(service, months, reader, pictures):
    page, korean = reader.page, reader.language == "ko"
    page.goto(months["path"])
    page.get_by_role("link", name="2026년 10월" if korean else "October 2026").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Grad Exam Room")
    rows = page.locator("table.board tbody tr")
    # Minji was amended to 400 hours; Haru hides, and keeps the place. Two have the same time.
    names = rows.locator(".nick").all_inner_texts()
    assert names[:2] == ["Minji", LONG] and {*names[2:4]} == {ARABIC, "Bom"} and names[4] == ("비공개 멤버" if korean else "Someone")
    board = months["owner"].get(f"/groups/{months['group']}/leaderboard?at=2026-10").json()
    assert names[:4] == [entry["nickname"] for entry in board["entries"]][:4]
    expect(rows.locator(".time span[aria-hidden]")).to_have_text(["400:00", "6:00", "4:00", "4:00", "–"])
    expect(rows.filter(has_text="공동" if korean else "tied").locator(".nick")).to_have_text(names[2:4])
    expect(page.get_by_text("A month on paper.")).to_be_visible()
    rules = page.get_by_role("region", name="이 달의 규칙" if korean else "The rules of this month")
    expect(rules).to_contain_text("Asia/Seoul 시각 05:00" if korean else "05:00 Asia/Seoul")
    expect(rules).to_contain_text("하루 최대 16시간" if korean else "Up to 16 h a day")
    till = "2026년 11월 1일 19:00까지의 공부는 어느 달에도" if korean else "1 November 2026, 19:00 counts in neither month"
    expect(rules).to_contain_text(till)
    since = "확정: 2026년 11월 3일 05:00" if korean else "Final since 3 November 2026, 05:00"
    expect(page.locator(".card.flat")).to_contain_text(f"{since} Asia/Seoul")
    take_picture(page, pictures / f"without-scripts-month-{reader.language}.png", full_page=True)
    for path in (months["path"], f"{months['path']}/2026-10", "/", "/help"):
        page.goto(path)
        assert page.evaluate("document.documentElement.scrollWidth") <= 320, path

    # The page's own data tells that nothing was changed.
    page.goto(f"{months['path']}/2026-10")
    shown = re.sub(r"\s", "", page.locator(".hash").inner_text())
    data = service.origin + page.locator("a[download]").get_attribute("href")
    month = urllib.request.urlopen(data).read()
    verified = subprocess.run([sys.executable, VERIFY], input=month, capture_output=True).stdout.decode().split()
    assert verified == ["sealed", shown]
    # Nothing leads from a name to an account.
    assert {entry["uid"] for entry in json.loads(month)["entries"]} == {None}


def test_a_final_month_is_kept_by_caches_and_by_no_search_engine_and_gone_when_it_is_no_longer_public(service, months, reader):
    ask = lambda path, **headers: reader.context.request.get(path, headers=headers)
    for path in (months["path"], f"{months['path']}/2026-10"):
        answer = ask(path)
        assert answer.headers["cache-control"] == "public, no-cache" and answer.headers["x-robots-tag"] == "noindex"
        assert '<meta name="robots" content="noindex">' in answer.text()
        assert ask(path, **{"If-None-Match": answer.headers["etag"]}).status == 304
    for missing in ("/groups/00000000-0000-4000-8000-000000000000/months", f"{months['path']}/2026-09", f"{months['path']}/x"):
        assert ask(missing).status == 404
    at, owner = f"/groups/{months['group']}", months["owner"]
    owner.patch(at, {"months_public": False})
    assert [ask(path).status for path in (months["path"], f"{months['path']}/2026-10")] == [404, 404]
    owner.patch(at, {"months_public": True})
    assert ask(months["path"]).status == 200
