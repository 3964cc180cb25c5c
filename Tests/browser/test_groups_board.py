"""The board of groups: joining it in a group's settings, my groups among many, other months, and leaving it."""

import pytest
from playwright.sync_api import expect
from test_groups import enter, look_at, named, press  # noqa: F401
from visitor import Visitor

NOW = "2026-11-21T03:00:00Z"
KO = {
    "settings": "모임 설정", "duel": "다른 모임과 비교", "title": "모임 대항 순위", "none": "아직 참여하는 내 모임이 없어요",
    "nothing": "11월에는 기록이 없어요", "tab": "전체", "groups": "모임", "more": "더 보기", "standing": "1위 · 1인 평균 1시간", "last": "25위 · 1인 평균 1시간",
    "previous": "이전, 10월", "october": "10월에는 기록이 없어요", "ours": "우리", "own": "우리 모임",
    "unreached": "서버에 연결할 수 없어요",
}  # fmt: skip
EN = {
    "settings": "Group settings", "duel": "Compare with other groups", "title": "Group ranking", "none": "None of your groups is on it yet",
    "nothing": "November: no study", "tab": "Everyone", "groups": "Groups", "more": "Show more", "standing": "Rank 1 · 1 h per member", "last": "Rank 25 · 1 h per member",
    "previous": "October", "october": "October: no study", "ours": "ours", "own": "My groups",
    "unreached": "Can't reach the server",
}  # fmt: skip
OTHERS = [
    "밤새워 논문을 쓰는 대학원생들의 서로 응원하는 조용한 모임",
    "Night owls",
    "A group whose name goes on for very much longer",
    "여섯시",
    "Larks & Co.",
]


@pytest.fixture(params=["ko", "en"])
def crew(request, service, clock, named, chromium):  # noqa: F811
    """A group of five with an hour of the timer each, its owner at its page, and the words they read."""
    service.cluster.sql("UPDATE groups SET duel = false WHERE duel")
    clock.set(NOW)
    words = {"ko": KO, "en": EN}[request.param]
    members = [named(nickname, request.param) for nickname in ("도담", "하늘", "민서", "Sora", "Jun")]
    group = members[0].found_group("새벽 다섯시 스터디", emoji="🐜", colour="plum")
    code = members[0].invite(group)["code"]
    for member in members[1:]:
        member.join(code)
    for member in members:
        member.start()
    clock.advance(3600)
    for member in members:
        member.post("/me/timer/stop")
    visitor = enter(Visitor(service, chromium, "도담", request.param), members[0], group)
    visitor.look = request.param
    yield visitor, words, group, members
    service.cluster.sql("DELETE FROM groups g WHERE NOT EXISTS (SELECT FROM group_members m WHERE m.group_id = g.group_id)")
    visitor.leave()


def others(service):
    """Twenty-four other groups that are ahead, as the worker would count them; it does nothing while the clock stands."""
    service.cluster.sql("UPDATE group_means_round SET began_at = anthill_clock(), reached = NULL")
    service.cluster.sql(
        "WITH made AS (INSERT INTO groups (name, emoji, colour, duel) SELECT (%s::text[])[n %% 5 + 1], CASE WHEN n %% 3 = 0 THEN '🦉' END,"
        " (ARRAY['leaf', 'honey', 'sky', 'moss'])[n %% 4 + 1], true FROM generate_series(1, 24) n RETURNING group_id)"
        " INSERT INTO group_means (month, group_id, rules_id, member_count, mean_seconds)"
        " SELECT '2026-11-01', group_id, (SELECT max(rules_id) FROM ranking_rules WHERE NOT is_global), 5 + n, 3600 + 3000 * (1 + n / 2)"
        " FROM (SELECT group_id, row_number() OVER () AS n FROM made) m",
        OTHERS,
    )


def test_a_group_joins_the_ranking_and_leaves_it(service, crew, pictures):
    visitor, words, group, members = crew
    page = visitor.page
    page.goto("/board/groups")
    visitor.see(page.get_by_role("heading", name=words["nothing"]))
    look_at(visitor, "groups-board-empty", pictures)

    page.goto(f"/groups/{group['id']}")
    press(page, words["settings"])
    page.get_by_role("switch", name=words["duel"]).check()
    look_at(visitor, "sheet-group-duel", pictures)
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name=words["settings"], exact=True)).to_be_focused()
    expect(page.locator(".among")).to_contain_text(words["standing"])
    look_at(visitor, "group-among", pictures)
    page.get_by_role("link", name=words["title"]).click()
    expect(page.get_by_role("heading", level=1, name=words["title"])).to_be_visible()
    expect(page.locator("tr.me")).to_have_count(1)
    expect(page.locator("tr.me .chip")).to_have_text(words["ours"])
    expect(page.locator("tr.me td.time")).to_contain_text("1:00")

    page.get_by_role("link", name=words["previous"]).click()
    visitor.see(page.get_by_role("heading", name=words["october"]))
    page.go_back()
    expect(page.locator("tr.me")).to_have_count(1)
    assert page.url.endswith("/board/groups")

    members[0].patch(f"/groups/{group['id']}", {"duel": False})
    page.reload()
    visitor.see(page.get_by_role("heading", name=words["nothing"]))


def test_my_group_is_shown_among_many(service, crew, pictures):
    visitor, words, group, members = crew
    page = visitor.page
    others(service)
    page.goto("/board/groups")
    visitor.see(page.get_by_role("heading", name=words["none"]))
    members[0].patch(f"/groups/{group['id']}", {"duel": True})
    page.goto("/board")
    tabs = page.locator(".tools nav.seg")
    expect(tabs.locator("[aria-current]")).to_have_text(words["tab"])
    tabs.get_by_role("link", name=words["groups"]).click()
    lines = page.locator("table.board tbody tr")
    expect(lines).to_have_count(22)
    expect(lines.last).to_have_class("me")
    ranks = lines.locator(".rank .vh").evaluate_all("all => all.map(said => Number(said.textContent.match(/[0-9]+/)[0]))")
    assert ranks == sorted(ranks) and len(set(ranks)) == 12 and ranks[-1] == 25
    mine = page.locator("section", has=page.get_by_role("heading", name=words["own"]))
    expect(mine).to_contain_text("25")
    look_at(visitor, "groups-board", pictures)
    visitor.context.set_offline(True)
    press(page, words["more"], exact=False)
    expect(page.locator(".toast")).to_contain_text(words["unreached"])
    visitor.context.set_offline(False)
    press(page, words["more"], exact=False)
    expect(lines).to_have_count(25)
    expect(page.get_by_role("button", name=words["more"])).to_have_count(0)
    expect(lines.nth(20)).to_be_focused()
    page.goto(f"/groups/{group['id']}")
    expect(page.locator(".among")).to_contain_text(words["last"])
