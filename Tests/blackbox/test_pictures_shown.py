"""Who sees whose picture: on boards, in lists of members, and at its address."""

import pytest
from drawing import QUARTERS, corners, encoded, quarters
from person import expect
from service import wait_until
from test_global_board import NOON, on_board
from test_live import watching
from test_pictures import picture, upload


def pictured(service, people, name):
    """Somebody with a picture."""
    person = people(service, name)
    person.picture = expect(upload(person, encoded(quarters())), 200).json()["avatar_url"]
    return person


def sees(viewer, url):
    """Whether the picture is there for that person; otherwise nothing tells that it exists."""
    answer = picture(viewer, url)
    if answer.status_code == 404:
        nobody = picture(viewer, "/api/v1/users/00000000-0000-4000-8000-000000000000/avatar?v=x").json()
        assert {**answer.json(), "request_id": 0} == {**nobody, "request_id": 0}
        return False
    assert corners(expect(answer, 200).content) == QUARTERS
    return True


def on_board_of(viewer, group, uid, query=""):
    """What the group's board says of somebody's picture; 'absent' where they are not named."""
    board = expect(viewer.get(f"/groups/{group}/leaderboard{query}"), 200).json()
    return next((entry["avatar_url"] for entry in board["entries"] if entry["uid"] == uid), "absent")


def among_members(viewer, group, uid):
    members = expect(viewer.get(f"/groups/{group}/members"), 200).json()["items"]
    return next((member["avatar_url"] for member in members if member["uid"] == uid), "absent")


@pytest.fixture
def room(service, people):
    """A group: its owner, a member with a picture, and another member."""
    owner, member, other = people(service, "Ahn"), pictured(service, people, "Baek"), people(service, "Choi")
    group = owner.found_group()
    for person in (member, other):
        person.join(owner.invite(group)["code"])
    return group["id"], owner, member, other


# What is told on the board and in the list of members, to another member and to the owner; and who gets the picture.
MATRIX = {
    "shown": {"board": True, "list": True, "owner": True, "sees": True},
    "nickname": {"board": False, "list": False, "owner": False, "sees": False},
    "hidden": {"board": "absent", "list": "absent", "owner": False, "sees": False},
}


@pytest.mark.parametrize("visibility", MATRIX)
def test_a_group_sees_the_picture_of_who_shows_it_there(room, service, people, visibility):
    group, owner, member, other = room
    expect(member.patch(f"/groups/{group}/members/me", {"visibility": visibility}), 200)
    wanted = {key: {True: member.picture, False: None}.get(value, value) for key, value in MATRIX[visibility].items()}
    for query in ("", "?period=day", "?period=week", "?order=goal", "?order=consistency"):
        assert on_board_of(other, group, member.uid, query) == wanted["board"]
    assert among_members(other, group, member.uid) == wanted["list"]
    # An admin knows who hides, and sees no more of them than their name.
    assert among_members(owner, group, member.uid) == wanted["owner"]
    for viewer in (other, owner):
        assert sees(viewer, member.picture) is MATRIX[visibility]["sees"]
    # On this board one sees oneself as the others do, and one's own picture elsewhere.
    mine = expect(member.get(f"/groups/{group}/leaderboard"), 200).json()["me"]
    assert mine["avatar_url"] == (member.picture if visibility == "shown" else None)
    assert member.get("/me").json()["avatar_url"] == member.picture
    assert sees(member, member.picture) and not sees(people(service), member.picture)


def test_no_answer_of_a_group_has_the_picture_of_who_shows_only_their_name(room, service):
    group, owner, member, other = room
    version = member.picture[-36:]
    assert version in other.get(f"/groups/{group}/members").text
    for visibility in ("nickname", "hidden"):
        expect(member.patch(f"/groups/{group}/members/me", {"visibility": visibility}), 200)
        for viewer in (owner, other):
            for path in ("", "/members", "/leaderboard", "/leaderboard?period=day", "/signals?month=2026-11", "/audit", "/hall-of-fame"):
                assert version not in viewer.get(f"/groups/{group}{path}").text
            with watching(viewer, group) as events:
                assert version not in str(events.board())


def test_one_group_does_not_tell_another(room, service, people):
    group, owner, member, other = room
    second = owner.found_group("Early birds")
    for person in (member, other):
        person.join(owner.invite(second)["code"])
    expect(member.patch(f"/groups/{second['id']}/members/me", {"visibility": "nickname"}), 200)
    # Who is in both sees the picture where it is shown.
    assert on_board_of(other, group, member.uid) == member.picture and sees(other, member.picture)
    assert on_board_of(other, second["id"], member.uid) is None
    # Who shares only the second has no way to it.
    newcomer = people(service)
    newcomer.join(owner.invite(second)["code"])
    assert on_board_of(newcomer, second["id"], member.uid) is None and not sees(newcomer, member.picture)
    expect(other.delete(f"/groups/{group}/members/{other.uid}"), 204)
    assert not sees(other, member.picture)


@pytest.mark.parametrize("leave", ["leaves", "is removed", "is banned"])
def test_who_is_no_longer_in_the_group_is_neither_seen_nor_sees(room, service, people, leave):
    group, owner, member, other = room
    expect(upload(other, encoded(quarters())), 200)
    theirs = other.get("/me").json()["avatar_url"]
    assert sees(other, member.picture) and sees(member, theirs)
    service.advance_clock(1)
    who = member if leave == "leaves" else owner
    expect(who.delete(f"/groups/{group}/members/{member.uid}{'?ban=true' if leave == 'is banned' else ''}"), 204)
    assert not sees(other, member.picture) and not sees(member, theirs)
    # They stay on the boards of the time when they were members, by their name alone.
    service.set_clock("2026-12-10T00:00:00Z")
    assert on_board_of(other, group, member.uid, "?period=month&at=2026-11") in (None, "absent")


def test_a_closed_month_shows_the_pictures_of_today(room, service):
    group, owner, member, other = room
    service.set_clock("2026-12-10T00:00:00Z")
    standings = f"/groups/{group}/standings/2026-11"
    wait_until(lambda: other.get(standings).status_code == 200, what="November to be closed")

    def shown():
        entries = {entry["uid"]: entry["avatar_url"] for entry in expect(other.get(standings), 200).json()["entries"]}
        assert entries[member.uid] == on_board_of(other, group, member.uid, "?at=2026-11")
        return entries[member.uid]

    assert shown() == member.picture
    expect(member.patch(f"/groups/{group}/members/me", {"visibility": "nickname"}), 200)
    assert shown() is None
    expect(member.patch(f"/groups/{group}/members/me", {"visibility": "shown"}), 200)
    assert shown() == member.picture
    expect(member.delete("/me/avatar"), 204)
    assert shown() is None


@pytest.mark.parametrize("viewer_is_on_it", [True, False])
@pytest.mark.parametrize("owner_is_on_it", [True, False])
def test_on_the_global_board_those_who_take_part_see_each_other(service, people, viewer_is_on_it, owner_is_on_it):
    service.set_clock(NOON)
    owner, viewer = pictured(service, people, "Ara"), people(service, "Bora")
    on_board(service, owner, 41_000)
    if viewer_is_on_it:
        on_board(service, viewer, 40_999)
    if not owner_is_on_it:
        expect(owner.patch("/me", {"global_board": False}), 200)
    service.advance_clock(2)

    def entries():
        top = expect(viewer.get("/leaderboard?limit=200"), 200).json()
        after, listed = "", top["entries"]
        for _ in range(3):
            page = expect(viewer.get("/leaderboard?limit=1" + (f"&after={after}" if after else "")), 200).json()
            listed, after = listed + page["entries"], page["next"]
            if not after:
                break
        return [entry for entry in listed + (top["me"] or {}).get("neighbours", []) if entry["uid"] == owner.uid]

    both = viewer_is_on_it and owner_is_on_it
    assert {entry["avatar_url"] for entry in entries()} == ({owner.picture if both else None} if owner_is_on_it else set())
    assert sees(viewer, owner.picture) is both
    if both:
        # Off the board, the viewer sees it at once no more.
        expect(viewer.patch("/me", {"global_board": False}), 200)
        assert {entry["avatar_url"] for entry in entries()} == {None} and not sees(viewer, owner.picture)


def test_a_changed_picture_is_on_the_board_at_once(room, service):
    """The clock stands still, so that a board that was kept would be served again."""
    group, owner, member, other = room
    assert on_board_of(other, group, member.uid) == member.picture
    second = expect(upload(member, encoded(quarters(colours=QUARTERS[::-1]))), 200).json()["avatar_url"]
    assert second != member.picture
    assert on_board_of(other, group, member.uid) == second and among_members(other, group, member.uid) == second
    expect(member.delete("/me/avatar"), 204)
    assert on_board_of(other, group, member.uid) is None and among_members(other, group, member.uid) is None
    expect(upload(member, encoded(quarters())), 200)
    assert on_board_of(other, group, member.uid) == member.picture
    expect(member.patch(f"/groups/{group}/members/me", {"visibility": "nickname"}), 200)
    assert on_board_of(other, group, member.uid) is None


def test_who_watches_a_board_sees_a_new_picture_come(room, service):
    group, owner, member, other = room
    with watching(other, group) as events:
        events.board()
        expect(member.delete("/me/avatar"), 204)
        board = events.board()[2]
        assert [entry["avatar_url"] for entry in board["entries"] if entry["uid"] == member.uid] == [None]
        url = expect(upload(member, encoded(quarters())), 200).json()["avatar_url"]
        board = events.board()[2]
        assert [entry["avatar_url"] for entry in board["entries"] if entry["uid"] == member.uid] == [url]


def test_an_admin_sees_pictures_beside_the_signals(room):
    group, owner, member, other = room
    figures = {each["uid"]: each["avatar_url"] for each in expect(owner.get(f"/groups/{group}/signals"), 200).json()["items"]}
    assert figures == {owner.uid: None, member.uid: member.picture, other.uid: None}


def test_a_person_without_a_picture_has_none(room):
    group, owner, member, other = room
    assert on_board_of(member, group, other.uid) is None and among_members(member, group, other.uid) is None
    assert other.get("/me").json()["avatar_url"] is None
    expect(other.get(f"/users/{other.uid}/avatar"), 404)
