"""Groups beside groups: who takes part, by how long each of them studied on average."""

import base64
import datetime

import pytest
from person import expect
from service import wait_until

NOON = datetime.datetime.fromisoformat("2026-11-21T03:00:00Z")
BOARD = "/leaderboard/groups"


def crew(service, people, name, seconds, size=5, **more):
    """A group of that size; its first members run the timer for these times. Its owner comes first."""
    service.set_clock(NOON.isoformat())
    members = [people(service, f"{name}{number}") for number in range(size)]
    group = members[0].found_group(name, **more)
    code = members[0].invite(group)["code"]
    for member in members[1:]:
        member.join(code)
    for member, length in zip(members, seconds):
        service.set_clock((NOON - datetime.timedelta(seconds=length)).isoformat())
        expect(member.start(), 201)
        service.set_clock(NOON.isoformat())
        expect(member.post("/me/timer/stop"), 200)
    return group, members


def count_anew(service):
    """What the service does by itself once a minute."""
    service.cluster.sql("UPDATE group_means_round SET began_at = NULL, reached = NULL")
    while service.cluster.sql("SELECT renew_group_means('0 seconds')") == [(True,)]:
        pass


def entry(board, group):
    return next((each for each in board["entries"] if each["group"]["id"] == group["id"]), None)


def test_groups_that_take_part_are_compared_by_timer_time_per_member(service, people):
    first, ones = crew(service, people, "Owls", [40_000, 10_000], duel=True, emoji="🦉", colour="sky")
    second, others = crew(service, people, "Larks", [30_000], size=6, rules={"daily_cap_seconds": 18_000}, duel=True)
    expect(ones[2].log("2026-11-20T21:00:00Z", "2026-11-20T23:00:00Z"), 201)
    expect(others[1].patch(f"/groups/{second['id']}/members/me", {"visibility": "hidden"}), 200)
    count_anew(service)
    stranger = people(service, "Sora")
    answer = expect(stranger.get(f"{BOARD}?limit=200"), 200)
    board = answer.json()
    assert board["at"] == "2026-11" and board["mine"] == [] and board["as_of"].startswith("2026-11-21T03:0")
    owls, larks = entry(board, first), entry(board, second)
    assert owls["group"] == {"id": first["id"], "name": "Owls", "colour": "sky", "emoji": "🦉"}
    assert owls["mean_seconds"] == 10_000 and owls["member_count"] == 5 and owls["mine"] is False
    # 80 minutes of the day before, and of the day itself what the cap of 5 h leaves; the five who show themselves share it.
    assert larks["mean_seconds"] == 4560 and larks["member_count"] == 5 and larks["rules"]["daily_cap_seconds"] == 18_000
    assert owls["rank"] < larks["rank"]
    assert not any(person.uid in answer.text or person.name in answer.text for person in ones + others)
    [mine] = expect(others[5].get(BOARD), 200).json()["mine"]
    assert mine["group"]["id"] == second["id"] and mine["mine"] and 0 < mine["gap_to_next_seconds"] <= 6300
    expect(stranger.get(f"{BOARD}?limit=200", headers={"If-None-Match": answer.headers["etag"]}), 304)


def test_a_group_is_on_it_by_its_admins_choice_and_with_five_members(service, people):
    group, members = crew(service, people, "Finches", [20_000])
    at = f"/groups/{group['id']}"
    count_anew(service)
    assert entry(expect(members[1].get(f"{BOARD}?limit=200"), 200).json(), group) is None
    expect(members[1].patch(at, {"duel": True}), 403, "not_allowed")
    expect(members[0].patch(at, {"duel": True}), 200)
    assert entry(expect(members[1].get(f"{BOARD}?limit=200"), 200).json(), group)["mean_seconds"] == 4000
    expect(members[4].delete(f"{at}/members/me"), 204)
    count_anew(service)
    board = expect(members[1].get(f"{BOARD}?limit=200"), 200).json()
    assert entry(board, group) is None and board["mine"] == []
    members[4].join(members[0].invite(group)["code"])
    count_anew(service)
    assert entry(expect(members[1].get(f"{BOARD}?limit=200"), 200).json(), group)["mine"] is True
    expect(members[0].patch(at, {"duel": False}), 200)
    assert entry(expect(members[1].get(f"{BOARD}?limit=200"), 200).json(), group) is None


def test_a_closed_month_is_shown_as_it_was_closed(service, people):
    group, members = crew(service, people, "Herons", [25_000, 25_000], duel=True)
    service.set_clock("2026-12-05T03:00:00Z")
    wait_until(lambda: service.cluster.sql("SELECT 1 FROM month_closes WHERE group_id = %s", group["id"]), what="the month to close")
    expect(members[4].delete(f"/groups/{group['id']}/members/me"), 204)
    count_anew(service)
    november = entry(expect(members[1].get(f"{BOARD}?at=2026-11&limit=200"), 200).json(), group)
    assert november["mean_seconds"] == 10_000 and november["member_count"] == 5
    assert entry(expect(members[1].get(f"{BOARD}?limit=200"), 200).json(), group) is None
    assert entry(expect(members[1].get(f"{BOARD}?at=2026-10&limit=200"), 200).json(), group) is None
    # A group that no longer takes part is not shown, however long ago it was.
    expect(members[0].patch(f"/groups/{group['id']}", {"duel": False}), 200)
    assert entry(expect(members[1].get(f"{BOARD}?at=2026-11&limit=200"), 200).json(), group) is None


def test_its_pages_follow_one_another(service, people):
    for number in range(4):
        crew(service, people, f"Crew{number}", [1000 * (number % 2 + 1)], duel=True)
    count_anew(service)
    reader = people(service)
    whole = expect(reader.get(f"{BOARD}?limit=200"), 200).json()
    entries, after = [], ""
    while after is not None:
        page = expect(reader.get(f"{BOARD}?limit=2" + (f"&after={after}" if after else "")), 200).json()
        entries += page["entries"]
        after = page["next"]
    assert entries == whole["entries"] and len(entries) >= 4
    ranks = [each["rank"] for each in entries]
    means = [each["mean_seconds"] for each in entries]
    assert ranks == [1 + sum(other > mean for other in means) for mean in means]


def test_the_service_counts_by_itself(own_service, people):
    service = own_service
    group, members = crew(service, people, "Cranes", [15_000], duel=True)
    assert entry(expect(members[0].get(BOARD), 200).json(), group) is None
    # A round is begun each minute and at the start; one that another instance left is gone on with.
    service.cluster.sql("UPDATE group_means_round SET reached = '00000000-0000-0000-0000-000000000000'")
    assert service.stop() == 0
    service.start()
    found = wait_until(lambda: entry(expect(members[0].get(BOARD), 200).json(), group), 180, "the means to be counted")
    assert found["mean_seconds"] == 3000


@pytest.mark.parametrize("mean", [10**18, -(10**18), 2**31, 0])
def test_any_cursor_that_can_be_read_is_answered(service, people, mean):
    service.set_clock(NOON.isoformat())
    text = f"month 2026-11-01 {mean} 00000000-0000-4000-8000-000000000000"
    after = base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")
    expect(people(service).get(f"{BOARD}?after={after}"), 200)
