"""The picture of the board in README.md: three weeks of a group, recorded with the timer."""

import shutil

import pytest
from conftest import ROOT
from person import Person
from visitor import Visitor, take_picture

# Who, minutes from the 1st to the 20th, how many of them by hand, and minutes so far on the 21st.
PEOPLE = [
    ("Haneul", 9480, 0, 395),
    ("tiny_but_steady", 9500, 290, 350),
    ("새벽네시의도토리", 9100, 0, 300),
    ("Bartholomew-Featherstonehaugh III", 9180, 1290, 120),
    ("민서", 8700, 0, 240),
    ("Dodam", 8610, 540, 372),
    ("Okonkwo", 8650, 0, 60),
    ("물리학개론🌱", 7900, 160, 200),
    ("Priya S.", 7810, 0, 290),
    ("ليلى العمري", 7200, 360, 0),
]
STUDYING = ["Haneul", "tiny_but_steady", "민서", "Dodam"]


@pytest.fixture
def group(service, clock):
    clock.set("2026-10-31T20:00:00Z")
    people = [Person(service, f"p{number}") for number in range(len(PEOPLE))]
    for person, (nickname, *_) in zip(people, PEOPLE):
        person.register(nickname=nickname)
    owner = people[5]
    group = owner.found_group("Grad Exam Room")
    code = owner.invite(group)["code"]
    for person in people:
        if person is not owner:
            person.join(code)
    for person in people:
        person.close()
    by_name = {nickname: person for person, (nickname, *_) in zip(people, PEOPLE)}
    live_through(service, clock, [(by_name[nickname].uid, minutes) for nickname, *minutes in PEOPLE])
    for nickname in STUDYING:
        service.cluster.sql("SELECT start_timer(%s, NULL, NULL, NULL, NULL, NULL)", by_name[nickname].uid)
    clock.advance(45 * 60)
    return {"id": group["id"], "owner": owner}


def live_through(service, clock, people):
    """From the 1st to the 20th everyone starts at 9 in Seoul and stops after their minutes; then this morning."""

    def study(day, minutes_of):
        plan = sorted((minutes, uid) for uid, minutes in minutes_of.items() if minutes > 0)
        clock.set(f"2026-11-{day:02}T00:00:00Z")
        for _, uid in plan:
            service.cluster.sql("SELECT start_timer(%s, NULL, NULL, NULL, NULL, NULL)", uid)
        for minutes, uid in plan:
            clock.set(f"2026-11-{day:02}T{minutes // 60:02}:{minutes % 60:02}:00Z")
            service.cluster.sql("SELECT stop_timer(%s)", uid)

    for day in range(1, 21):
        timed = {uid: total - by_hand for uid, (total, by_hand, _) in people}
        study(day, {uid: minutes // 20 + (minutes % 20 if day == 20 else 0) for uid, minutes in timed.items()})
        clock.set(f"2026-11-{day:02}T14:00:00Z")
        for uid, (_, by_hand, _) in people:
            if by_hand and day % 2:
                start, end = f"2026-11-{day:02}T11:00:00Z", f"2026-11-{day:02}T{11 + by_hand // 600}:{by_hand // 10 % 60:02}:00Z"
                service.cluster.sql("SELECT record_interval(%s, %s::timestamptz, %s::timestamptz)", uid, start, end)
    study(21, {uid: today for uid, (_, _, today) in people})


def test_the_picture_of_the_board_for_the_readme(service, chromium, group, pictures):
    visitor = Visitor(service, chromium, "Dodam", "en", color_scheme="light")
    visitor.sign_in(group["owner"].email)
    visitor.page.goto(f"/groups/{group['id']}")
    board = visitor.board()
    now = {name: (total + today + (45 if name in STUDYING else 0)) * 60 for name, total, _, today in PEOPLE}
    assert {name: seconds for _, name, seconds, _ in board} == now
    assert [rank for rank, *_ in board] == [1, 2, 3, 4, 5, 6, 7, 8, 8, 10]
    moves = visitor.page.locator(".move").evaluate_all("all => all.map(each => each.querySelector('.vh').textContent)")
    assert moves[0] == "up 1 today" and moves[4] == "up 2 today" and moves[9] == "no change today"
    visitor.settle()
    visitor.see(visitor.page.locator(".running"))
    take_picture(visitor.page, pictures / "board.png", caret="initial")
    # An existing picture is kept, so that no run changes the repository; delete it to get a new one.
    kept = ROOT / "docs/board.png"
    if not kept.exists():
        kept.parent.mkdir(exist_ok=True)
        shutil.copy(pictures / "board.png", kept)
    visitor.leave()
