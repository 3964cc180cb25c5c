"""The global board: joining it in the settings, my rank among many, and leaving it."""

import pytest
from person import Person
from playwright.sync_api import expect
from test_pages import examine, sign_in
from visitor import Visitor

NOON = "2026-11-19T03:00:00Z"
WORDS = {
    "ko": {"join": "설정 열기", "not_on_it": "아직 참여하지 않았어요", "more": "더 보기"},
    "en": {"join": "Open the settings", "not_on_it": "You are not on it", "more": "Show more"},
}


@pytest.fixture
def crowd(service, clock):
    """Forty others, once."""
    clock.set(NOON)
    if len(counted(service)) >= 40:
        return
    done = service.run("demo", "--users", "40", "--force")
    assert done.returncode == 0, done.stderr


def studied(service, clock, language, seconds):
    """A person with that much timer time who is not on the board yet."""
    clock.set(NOON)
    person = Person(service, "Dodam", language=language).register(nickname="도담", locale=language)
    person.start()
    clock.advance(seconds)
    person.post("/me/timer/stop")
    return person


def counted(service):
    """The seconds of everyone on the board, most first."""
    rows = service.cluster.sql(
        "SELECT counted_seconds FROM month_totals JOIN ranking_rules USING (rules_id)"
        " WHERE is_global AND month = '2026-11-01' AND counted_seconds > 0 ORDER BY 1 DESC"
    )
    return [seconds for [seconds] in rows]


@pytest.mark.both_languages
@pytest.mark.parametrize("language, width", [("ko", 1280), ("en", 390)])
def test_a_person_joins_the_global_board_sees_their_rank_and_leaves(service, clock, chromium, crowd, pictures, language, width):
    words = WORDS[language]
    person = studied(service, clock, language, 20_000)
    visitor = Visitor(service, chromium, "도담", language, viewport={"width": width, "height": 844})
    sign_in(visitor, {"owner": person})
    page = visitor.page
    page.goto("/board")
    visitor.see(page.get_by_role("heading", name=words["not_on_it"]))
    expect(page.locator("#me")).to_have_count(0)

    page.get_by_role("link", name=words["join"]).click()
    switch = page.locator("#global_board")
    with page.expect_response(lambda answer: answer.url.endswith("/me") and answer.request.method == "PATCH") as saved:
        switch.click()
    assert saved.value.ok

    page.goto("/board")
    all_seconds = counted(service)
    rank = 1 + sum(seconds > 20_000 for seconds in all_seconds)
    assert 25 < rank < len(all_seconds) - 4  # not on the first page, and not at the end
    me = visitor.see(page.locator("#me"))
    expect(me.locator(".rank")).to_contain_text(str(rank))
    shown = page.locator("table.board tr:not(.gap) [data-seconds]").evaluate_all("all => all.map(each => Number(each.dataset.seconds))")
    assert shown == all_seconds[:20] + all_seconds[rank - 4 : rank + 3]
    expect(page.locator("tr.gap")).to_have_count(2)
    expect(page.locator("tr.gap button").last).to_have_text(words["more"])
    expect(page.locator("table.board")).not_to_contain_text("%")  # time added by hand is not on it
    assert examine(visitor, f"everyone-{language}", pictures) == []

    page.locator("tr.gap button").first.click()
    expect(page.locator("tr.gap")).to_have_count(0)
    shown = page.locator("table.board [data-seconds]").evaluate_all("all => all.map(each => Number(each.dataset.seconds))")
    assert shown == all_seconds

    page.goto("/settings#global_board")
    with page.expect_response(lambda answer: answer.url.endswith("/me") and answer.request.method == "PATCH"):
        switch.click()
    page.goto("/board")
    visitor.see(page.get_by_role("heading", name=words["not_on_it"]))
    expect(page.locator("#me")).to_have_count(0)
    assert len(counted(service)) == len(all_seconds) - 1
    visitor.leave()
    person.close()


def test_a_link_within_the_page_loads_nothing(service, clock, chromium, crowd):
    person = studied(service, clock, "en", 20_000)
    person.patch("/me", {"global_board": True})
    visitor = Visitor(service, chromium, "도담", "en", viewport={"width": 390, "height": 844})
    sign_in(visitor, {"owner": person})
    page = visitor.page
    page.goto("/board")
    visitor.settle()
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.locator(".pin").click()
    expect(page.locator("#me")).to_be_in_viewport()
    visitor.settle()
    assert asked == []
    visitor.leave()
    person.close()


def test_more_of_the_board_that_cannot_be_had_is_told_in_words(service, clock, chromium, crowd):
    person = studied(service, clock, "ko", 20_000)
    visitor = Visitor(service, chromium, "도담", "ko")
    sign_in(visitor, {"owner": person})
    page = visitor.page
    page.goto("/board")
    visitor.settle()
    page.route("**/leaderboard?*", lambda route: route.abort())
    page.locator("tr.gap button").last.click()
    expect(page.locator(".toast")).to_contain_text("서버에 연결할 수 없어요")
    visitor.leave()
    person.close()


def test_no_gap_is_shown_if_the_neighbours_follow_the_first_page(service, clock, chromium, crowd):
    others = counted(service)
    person = studied(service, clock, "en", others[22] - 1)
    person.patch("/me", {"global_board": True})
    all_seconds = counted(service)
    assert all_seconds[23] == others[22] - 1
    visitor = Visitor(service, chromium, "도담", "en")
    sign_in(visitor, {"owner": person})
    visitor.page.goto("/board")
    visitor.see(visitor.page.locator("#me"))
    shown = visitor.page.locator("tbody tr").evaluate_all(
        "all => all.map(row => row.matches('.gap') ? 'gap' : Number(row.querySelector('[data-seconds]').dataset.seconds))"
    )
    assert shown == [*all_seconds[:27], "gap"]
    person.patch("/me", {"global_board": False})
    visitor.leave()
    person.close()


# Ranks of the loaded entries; of three neighbours above, me, and three below; and whether there is a gap between.
@pytest.mark.parametrize(
    "top, around, between",
    [
        ([1, 2, 3], [4, 5, 6, 7, 8, 9, 10], False),
        ([1, 2, 3], [5, 6, 7, 8, 9, 10, 11], True),
        ([1, 2, 2], [4, 4, 6, 7, 8, 9, 10], False),
        ([1, 2, 2], [2, 2, 6, 7, 8, 9, 10], False),
        ([1, 2, 2], [2, 2, 7, 8, 9, 10, 11], True),
        ([1, 2, 3], [4, 4, 4, 4, 4, 4, 4], True),
        ([1, 2, 3], [2, 3, 4, 5, 6, 7, 8], None),
        # A hidden member's rank is their position, which tells the others'.
        ([1, 2, -3], [-4, 4, 4, 4, 4, 4, 4], False),
        ([1, -2, 3], [-2, 3, 4, 5, 6, 7, 8], None),
        ([1, 2, -3], [4, 4, -10, 11, 12, 13, 14], True),
    ],
)
def test_the_gap_between_the_first_page_and_my_neighbours(service, chromium, top, around, between):
    """With `None` the first two neighbours are the last two of the top. Negative ranks are those of hidden members."""

    def entry(place, rank):
        if rank < 0:
            return {"uid": None, "hidden": True, "rank": -rank, "seconds": None, "manual_seconds": None}
        return {"uid": f"{999 - place:03}", "rank": rank, "seconds": 1000 - rank, "manual_seconds": 0}

    first = len(top) + 5 if between else len(top) - 1 if between is None else len(top) + 1
    near = [entry(first + index, rank) for index, rank in enumerate(around)]
    board = {
        "order": "seconds", "participants": 40, "next": "more", "entries": [entry(index + 1, rank) for index, rank in enumerate(top)],
        "me": {**near[3], "neighbours": near[:3] + near[4:], "above": 3},
    }  # fmt: skip
    page = chromium.new_page()
    page.goto(service.origin + "/help")
    rows = page.evaluate("async board => (await import('/js/boards/board.js')).rows(board)", board)
    page.close()
    told = lambda entry: (entry["rank"], entry["uid"])
    shown = [told(row["entry"]) if "entry" in row else "gap" for row in rows]
    overlap = 2 if between is None else 0
    below = map(told, near[overlap:])
    assert shown == [*map(told, board["entries"]), *(["gap"] if between else []), *below, "gap"]


def test_no_gap_is_shown_below_the_last(service, clock, chromium, crowd):
    person = studied(service, clock, "en", 30)
    person.patch("/me", {"global_board": True})
    assert counted(service)[-1] == 30
    visitor = Visitor(service, chromium, "도담", "en")
    sign_in(visitor, {"owner": person})
    visitor.page.goto("/board")
    visitor.see(visitor.page.locator("#me"))
    expect(visitor.page.locator("tr.gap")).to_have_count(1)
    expect(visitor.page.locator("tbody tr").last).to_have_id("me")
    person.patch("/me", {"global_board": False})
    visitor.leave()
    person.close()
