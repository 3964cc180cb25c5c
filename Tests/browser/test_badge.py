"""A group's badge: turned on in its settings, copied, and shown on other sites."""

import http.server
import threading

import pytest
from playwright.sync_api import expect
from test_groups import enter, look_at, named, press  # noqa: F401
from visitor import Visitor, take_picture

NOW = "2026-11-21T03:00:00Z"
KO = {
    "settings": "모임 설정", "badge": "배지 공개", "save": "저장", "title": "모임 배지", "alt": "새벽 다섯시 스터디 배지", "html": "HTML", "markdown": "마크다운",
    "copy": "HTML 복사", "copied": "복사했어요.", "dark": "어둡게", "show": "배지 붙이기",
}  # fmt: skip
EN = {
    "settings": "Group settings", "badge": "Public badge", "save": "Save", "title": "The group's badge", "alt": "Badge of 새벽 다섯시 스터디",
    "html": "HTML", "markdown": "Markdown", "copy": "Copy the HTML", "copied": "Copied.", "dark": "Dark", "show": "Use the badge",
}  # fmt: skip

# Group names in both languages, with and without emoji and goal.
LOOKS = [
    ("새벽 다섯시 스터디", {"emoji": "🐜", "colour": "leaf", "month_goal_seconds": 36_000}),
    ("Night owls", {"emoji": "🦉", "colour": "sky"}),
    ("밤새워 논문을 쓰는 대학원생들의 서로 응원하는 아주 조용한 모임", {"colour": "plum", "month_goal_seconds": 7200}),
    ("Wide Minds With Many Ways To Mean Something", {"colour": "honey", "month_goal_seconds": 7_200_000}),
    ("iiiiillllliiiiilllll 1111 공부", {"emoji": "👩‍👩‍👧‍👦", "colour": "apple"}),
    ('<b>R&D</b> "quotes"', {"colour": "stone", "emoji": "🇰🇷"}),
]


@pytest.fixture(params=["ko", "en"])
def admin(request, service, clock, named, chromium):  # noqa: F811
    """The owner of a group at its page, and the words they read."""
    clock.set(NOW)
    owner = named("Dodam", request.param)
    group = owner.found_group("새벽 다섯시 스터디", emoji="🐜")
    owner.log("2026-11-20T20:00:00Z", "2026-11-20T23:00:00Z")
    visitor = enter(Visitor(service, chromium, "Dodam", request.param, permissions=["clipboard-read", "clipboard-write"]), owner, group)
    visitor.look = request.param
    yield visitor, {"ko": KO, "en": EN}[request.param], group
    visitor.leave()


def test_an_admin_turns_on_the_badge_and_copies_it(admin, pictures):
    visitor, words, group = admin
    page = visitor.page
    press(page, words["settings"])
    page.get_by_role("switch", name=words["badge"]).check()
    press(page, words["show"])
    dialog = page.get_by_role("dialog", name=words["title"])
    picture = visitor.see(dialog.get_by_role("img", name=words["alt"]))
    expect(picture).to_have_js_property("naturalWidth", 400)
    look_at(visitor, "sheet-badge", pictures)
    dialog.get_by_text(words["dark"], exact=True).click()
    press(dialog, words["copy"])
    expect(dialog.get_by_text(words["copied"])).to_be_visible()
    address = f"{visitor.service.origin}/api/v1/groups/{group['id']}/badge.svg?locale={visitor.look}&theme=dark"
    html = f'<img src="{address.replace("&", "&amp;")}" alt="새벽 다섯시 스터디" width="400">'
    assert page.evaluate("navigator.clipboard.readText()") == html
    assert dialog.get_by_label(words["html"], exact=True).input_value() == html
    assert dialog.get_by_label(words["markdown"], exact=True).input_value() == f"![새벽 다섯시 스터디]({address})"
    expect(picture).to_have_js_property("naturalWidth", 400)
    page.keyboard.press("Escape")
    press(page, words["settings"])
    press(page.get_by_role("dialog"), words["show"])
    expect(dialog).to_be_visible()


@pytest.fixture
def foreign(chromium):
    """Shows pages of another site to a visitor who is not signed in, and collects the browser's complaints."""
    bodies = {}

    class Site(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(bodies.get(self.path, "").encode())

        def log_message(self, *_):
            pass

    site = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=site.serve_forever).start()
    context = chromium.new_context(device_scale_factor=2)

    def show(body):
        path = f"/{len(bodies)}"
        bodies[path] = f"<!doctype html><title>Blog</title><link rel=icon href=data:>{body}"
        complaints = []
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text) if message.type in ("error", "warning") else None)
        page.goto(f"http://127.0.0.1:{site.server_port}{path}")
        return page, complaints

    yield show
    context.close()
    site.shutdown()
    site.server_close()


def test_the_badge_works_on_other_sites(service, clock, people, foreign, pictures):
    clock.set(NOW)
    owner, friend = people("Dodam"), people("Haneul")
    owner.log("2026-11-20T20:00:00Z", "2026-11-20T23:00:00Z")
    friend.start()
    groups = [owner.found_group(name, badge_allowed=True, **look) for name, look in LOOKS]
    friend.join(owner.invite(groups[0])["code"])
    at = [f"{service.origin}/api/v1/groups/{group['id']}/badge.svg" for group in groups]
    shown = "".join(f'<p><img src="{address}?locale={locale}" alt=""></p>' for address in at for locale in ("ko", "en"))
    page, complaints = foreign(f"<style>body{{margin:1rem;background:Canvas;color-scheme:light dark}}p{{margin:.5rem}}</style>{shown}")
    page.set_viewport_size({"width": 460, "height": 900})
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        sizes = page.locator("img").evaluate_all(
            "all => Promise.all(all.map(image => image.decode().then(() => [image.complete, image.naturalWidth])))"
        )
        assert sizes == [[True, 400]] * (2 * len(at))
        take_picture(page, pictures / f"badges-{theme}.png", full_page=True)
    assert complaints == []

    page, complaints = foreign(f'<iframe src="{at[0]}?locale=en" width="420" height="140"></iframe>')
    expect(page.frame_locator("iframe").locator("text", has_text="together in November")).to_be_visible()
    assert page.frames[1].evaluate("getComputedStyle(document.querySelector('.card')).fill") == "rgb(255, 253, 247)"
    assert complaints == []

    page, complaints = foreign(f'<iframe src="{service.origin}/groups" width="420" height="140"></iframe>')
    page.wait_for_load_state("networkidle")
    assert any("frame-ancestors" in complaint for complaint in complaints)


def test_an_admin_makes_the_board_public_and_another_site_shows_it(admin, foreign, pictures):
    visitor, words, group = admin
    page, korean = visitor.page, visitor.look == "ko"
    press(page, words["settings"])
    page.get_by_role("switch", name="이번 달 순위 공개" if korean else "Public board").check()
    press(page, "순위표 붙이기" if korean else "Show the board elsewhere")
    dialog = page.get_by_role("dialog", name="다른 웹사이트에 넣는 순위표" if korean else "The board on other websites")
    visitor.see(dialog)
    look_at(visitor, "sheet-frame", pictures)
    press(dialog, words["copy"])
    expect(dialog.get_by_text(words["copied"])).to_be_visible()
    html = page.evaluate("navigator.clipboard.readText()")
    address = f"{visitor.service.origin}/groups/{group['id']}/embed"
    assert html == f'<iframe src="{address}" title="새벽 다섯시 스터디" width="400" height="480"></iframe>'
    page.keyboard.press("Escape")
    expect(page.get_by_text("누구나 이번 달 순위를 볼 수 있어요." if korean else "Anyone can read this month's board.")).to_be_visible()
    other, complaints = foreign(html)
    for theme in ("light", "dark"):
        other.emulate_media(color_scheme=theme)
        frame = other.frame_locator("iframe")
        expect(frame.get_by_role("heading", level=1)).to_have_text("새벽 다섯시 스터디")
        expect(frame.get_by_role("row").nth(1)).to_contain_text("3:00")
        other.screenshot(path=pictures / f"framed-board-{visitor.look}-{theme}.png")
    assert complaints == []
    page.get_by_role("link", name="이번 달 순위 보기" if korean else "See the public board").click()
    expect(page.get_by_role("row")).to_have_count(2)
    look_at(visitor, "framed-board", pictures)
    # The largest group's last rank is one line.
    [before, after] = (
        page.get_by_role("row")
        .nth(1)
        .evaluate("row => ['1', '5000'].map((rank) => { row.cells[0].textContent = rank; return row.offsetHeight; })")
    )
    assert before == after


def test_texts_fit_into_the_badge(service, clock, people, chromium):
    clock.set(NOW)
    owner = people("Dodam")
    visitor = Visitor(service, chromium, "Guest", "en")
    for name, look in LOOKS:
        group = owner.found_group(name, badge_allowed=True, **look)
        for locale in ("ko", "en"):
            visitor.page.goto(f"/api/v1/groups/{group['id']}/badge.svg?locale={locale}")
            boxes = visitor.page.locator("text").evaluate_all(
                "all => all.map(text => text.getBBox()).map(({ x, width }) => [x, x + width])"
            )
            assert max(right for _, right in boxes) <= 390, (name, locale, boxes)
            bars = visitor.page.locator(".tunnel").evaluate_all("all => all.map(bar => bar.getBBox()).map(({ x, width }) => x + width)")
            assert all(bar < boxes[-1][0] for bar in bars), (name, locale, bars, boxes)
    visitor.leave()


@pytest.mark.parametrize("language", ["ko", "en"])
def test_a_public_board_ranks_nobody_before_anybody_has_studied(service, clock, people, chromium, pictures, language):
    clock.set(NOW)
    owner, friend = people("Dodam"), people("Haneul")
    group = owner.found_group()
    assert owner.patch(f"/groups/{group['id']}", {"board_public": True}).status_code == 200
    friend.join(owner.invite(group)["code"])
    reader = Visitor(service, chromium, "Stranger", language)
    reader.page.goto(f"/groups/{group['id']}/embed")
    reader.see(reader.page.get_by_text({"ko": "11월에는 아직 기록이 없어요", "en": "November: no study yet"}[language]))
    expect(reader.page.get_by_role("table")).to_have_count(0)
    reader.look = language
    look_at(reader, "framed-board-fresh", pictures)
    reader.leave()
