"""Who you study with, and how you compare."""

import re

import pytest
from person import expect, new_id


def test_a_group_is_founded_with_its_owners_clock(service, people):
    person = people(service)
    answer = expect(person.post("/groups", {"name": "밤샘 모임", "description": "함께"}), 201)
    group = answer.json()
    assert answer.headers["location"] == f"/api/v1/groups/{group['id']}"
    assert group["rules"] == {
        "time_zone": "Asia/Seoul",
        "day_starts_at": "05:00",
        "daily_cap_seconds": 57600,
        "manual_counts": True,
    }
    assert group["my_role"] == "owner" and group["member_count"] == 1
    assert expect(person.get(f"/groups/{group['id']}"), 200).json() == group
    assert expect(person.get("/groups"), 200).json()["items"] == [group]


def test_a_group_may_have_rules_of_its_own(service, people):
    rules = {"time_zone": "Europe/London", "day_starts_at": "04:00", "daily_cap_seconds": 36000, "manual_counts": False}
    assert people(service).found_group(rules=rules)["rules"] == rules


def test_a_group_shows_itself_and_strives_for_a_goal(service, people):
    service.set_clock("2026-11-20T12:00:00Z")
    person = people(service)
    group = person.found_group(colour="plum", emoji="🐜", month_goal_seconds=7200, badge_allowed=True)
    assert (group["colour"], group["emoji"], group["badge_allowed"], group["duel"]) == ("plum", "🐜", True, False)
    expect(person.log("2026-11-20T00:00:00Z", "2026-11-20T01:00:00Z"), 201)
    at = f"/groups/{group['id']}"
    assert expect(person.get(at), 200).json()["month_goal"] == {"seconds": 7200, "reached_seconds": 3600}
    bare = expect(person.patch(at, {"emoji": None, "month_goal_seconds": None, "duel": True}), 200).json()
    assert (bare["emoji"], bare["month_goal"], bare["duel"], bare["colour"]) == (None, None, True, "plum")


def test_a_group_is_handed_on(service, people):
    owner, heir = people(service), people(service, "Minsu")
    group = owner.found_group()
    heir.join(owner.invite(group)["code"])
    at = f"/groups/{group['id']}"
    expect(owner.post(f"{at}/transfer", {"uid": owner.uid}), 409, "already_owner", field="uid")
    assert expect(owner.post(f"{at}/transfer", {"uid": heir.uid}), 200).json()["my_role"] == "admin"
    assert expect(heir.get(at), 200).json()["my_role"] == "owner"
    expect(owner.post(f"{at}/transfer", {"uid": heir.uid}), 403, "not_allowed")


def test_invitations_are_listed_drawn_and_taken_back(service, people):
    owner, friend = people(service), people(service, "Minsu")
    group = owner.found_group()
    invitation = owner.invite(group, uses=2)
    at = f"/groups/{group['id']}/invitations"
    [listed] = expect(owner.get(at), 200).json()["items"]
    assert (listed["id"], listed["uses_left"], listed["revoked"]) == (invitation["id"], 2, False)
    assert invitation["code"] not in expect(owner.get(at), 200).text
    picture = expect(friend.get(f"/invitations/{invitation['code']}/qr.svg", token=None), 200)
    assert picture.headers["content-type"] == "image/svg+xml" and picture.text.startswith("<svg ")
    friend.join(invitation["code"])
    expect(friend.get(at), 403, "not_allowed")
    expect(owner.delete(f"{at}/{invitation['id']}"), 204)
    [listed] = expect(owner.get(at), 200).json()["items"]
    assert (listed["uses_left"], listed["revoked"]) == (1, True)
    late = people(service, "Sora")
    expect(late.post(f"/invitations/{invitation['code']}/acceptances"), 410, "invitation_expired")
    expect(late.get(f"/invitations/{invitation['code']}/qr.svg"), 410, "invitation_expired")


def test_a_ban_is_listed_and_lifted(service, people):
    owner, member = people(service), people(service, "Minsu")
    group = owner.found_group()
    code = owner.invite(group)["code"]
    member.join(code)
    at = f"/groups/{group['id']}"
    expect(owner.delete(f"{at}/members/{member.uid}?ban=true"), 204)
    expect(member.post(f"/invitations/{code}/acceptances"), 403, "banned")
    [ban] = expect(owner.get(f"{at}/bans"), 200).json()["items"]
    assert (ban["uid"], ban["nickname"], ban["banned_by"]) == (member.uid, "Minsu", owner.uid)
    expect(owner.delete(f"{at}/bans/{member.uid}"), 204)
    assert expect(owner.get(f"{at}/bans"), 200).json()["items"] == []
    member.join(code)


@pytest.mark.parametrize(
    ("body", "status", "field"),
    [
        ({}, 400, "name"),
        ({"name": ""}, 422, "name"),
        ({"name": "x" * 500}, 422, "name"),
        ({"name": "x", "rules": {"time_zone": "Nowhere"}}, 422, "rules.time_zone"),
        ({"name": "x", "rules": {"daily_cap_seconds": -5}}, 422, "rules.daily_cap_seconds"),
        ({"name": "x", "rules": {"cap": 5}}, 400, "rules.cap"),
        ({"name": "x", "members": []}, 400, "members"),
    ],
)
def test_a_wrong_field_of_a_group_is_named(service, people, body, status, field):
    expect(people(service).post("/groups", body), status, field=field)


def test_an_admin_changes_a_group_and_only_its_owner_ends_it(service, people):
    service.set_clock("2026-11-10T12:00:00Z")
    owner, member = people(service), people(service, "Minsu")
    group = owner.found_group()
    at = f"/groups/{group['id']}"
    member.join(owner.invite(group)["code"])
    assert member.patch(at, {"name": "Ours"}).status_code == 403
    assert member.delete(at).status_code == 403
    expect(owner.patch(f"{at}/members/{member.uid}", {"role": "admin"}), 200)
    changed = expect(member.patch(at, {"name": "Ours", "rules": {"daily_cap_seconds": 36000}}), 200).json()
    assert changed["name"] == "Ours" and changed["rules"] == group["rules"]
    assert changed["next_rules"] == {"from_month": "2026-12", **group["rules"], "daily_cap_seconds": 36000}
    assert member.delete(at).status_code == 403
    hidden = expect(member.patch(f"{at}/members/me", {"visibility": "hidden"}), 200).json()
    assert hidden["visibility"] == "hidden"
    board = expect(owner.get(f"{at}/leaderboard"), 200).json()
    assert [entry["uid"] for entry in board["entries"]] == [owner.uid, None] and board["participants"] == 2
    expect(owner.delete(at), 204)
    expect(owner.get(at), 404, "not_found")


def test_a_friend_joins_by_link_and_leaves(service, people):
    owner, friend = people(service), people(service, "Minsu")
    group = owner.found_group()
    invitation = owner.invite(group)
    assert invitation["url"] == f"{service.origin}/join/{invitation['code']}" and invitation["uses_left"] is None
    preview = expect(friend.get(f"/invitations/{invitation['code']}", token=None), 200).json()
    assert preview["group"]["name"] == group["name"]
    expect(friend.get(f"/groups/{group['id']}"), 404, "not_found")
    membership = friend.join(invitation["code"])
    assert membership["role"] == "member"
    expect(friend.post(f"/invitations/{invitation['code']}/acceptances"), 409, "already_member")
    assert expect(friend.get(f"/groups/{group['id']}"), 200).json()["member_count"] == 2
    members = expect(owner.get(f"/groups/{group['id']}/members"), 200).json()["items"]
    assert {member["uid"]: member["role"] for member in members} == {owner.uid: "owner", friend.uid: "member"}
    named = expect(owner.get(f"/groups/{group['id']}/members?q=mINS"), 200).json()
    assert [member["uid"] for member in named["items"]] == [friend.uid] and named["next"] is None
    expect(friend.delete(f"/groups/{group['id']}/members/{friend.uid}"), 204)
    expect(friend.get(f"/groups/{group['id']}"), 404, "not_found")
    friend.join(invitation["code"])
    expect(friend.delete(f"/groups/{group['id']}/members/me"), 204)
    expect(friend.delete(f"/groups/{group['id']}/members/me"), 404, "not_found")


def test_the_last_owner_stays(service, people):
    owner = people(service)
    group = owner.found_group()
    expect(owner.delete(f"/groups/{group['id']}/members/{owner.uid}"), 409, "last_owner")


def test_an_invitation_counts_its_uses_and_its_days(service, people):
    owner, friend, third = people(service), people(service, "Minsu"), people(service, "Sora")
    group = owner.found_group()
    once = owner.invite(group, uses=1)
    assert once["uses_left"] == 1
    friend.join(once["code"])
    expect(third.post(f"/invitations/{once['code']}/acceptances"), 410, "invitation_expired")
    short = owner.invite(group, expires_in_days=1)
    service.advance_clock(86400)
    expect(third.get(f"/invitations/{short['code']}"), 410, "invitation_expired")
    expect(third.post(f"/invitations/{short['code']}/acceptances"), 410, "invitation_expired")
    expect(third.get("/invitations/nonsense"), 404, "not_found")


def test_only_those_who_may_do_things_to_a_group(service, people):
    owner, member, stranger = people(service), people(service, "Minsu"), people(service, "Sora")
    group = owner.found_group()
    member.join(owner.invite(group)["code"])
    at = f"/groups/{group['id']}"
    for path in (at, f"{at}/members", f"{at}/leaderboard"):
        expect(stranger.get(path), 404, "not_found")
        expect(stranger.get(path, token=None), 401, "not_signed_in")
        expect(member.get(path), 200)
    expect(stranger.post(f"{at}/invitations", {}), 404, "not_found")
    expect(stranger.delete(f"{at}/members/{member.uid}"), 404, "not_found")
    assert member.delete(f"{at}/members/{owner.uid}").status_code == 403
    expect(owner.delete(f"{at}/members/{new_id()}"), 404)
    expect(owner.delete(f"{at}/members/{member.uid}?ban=true"), 204)
    invitation = owner.invite(group)
    expect(member.post(f"/invitations/{invitation['code']}/acceptances"), 403, "banned")


def test_the_board_of_the_month_ranks_with_ties(service, people):
    service.set_clock("2026-11-20T12:00:00Z")
    first, second, third, idle = (people(service, name) for name in ("Ahn", "Baek", "Choi", "Do"))
    group = first.found_group()
    code = first.invite(group)["code"]
    for person in (second, third, idle):
        person.join(code)
    expect(first.log("2026-11-20T00:00:00Z", "2026-11-20T02:00:00Z"), 201)
    expect(second.log("2026-11-20T01:00:00Z", "2026-11-20T02:00:00Z"), 201)
    expect(third.log("2026-11-20T03:00:00Z", "2026-11-20T04:00:00Z"), 201)
    board = expect(second.get(f"/groups/{group['id']}/leaderboard"), 200).json()
    assert (board["period"], board["at"], board["state"], board["participants"]) == ("month", "2026-11", "open", 4)
    assert board["starts_at"] == "2026-10-31T20:00:00Z" and board["ends_at"] == "2026-11-30T20:00:00Z"
    ranks = {entry["uid"]: (entry["rank"], entry["seconds"], entry["manual_seconds"]) for entry in board["entries"]}
    assert ranks[first.uid] == (1, 7200, 7200)
    assert ranks[second.uid] == ranks[third.uid] == (2, 3600, 3600)
    assert ranks[idle.uid][:2] == (4, 0)
    assert board["me"]["rank"] == 2 and board["me"]["seconds"] == 3600 and board["me"]["gap_to_next_seconds"] == 3600
    day = expect(second.get(f"/groups/{group['id']}/leaderboard?period=day&at=2026-11-20"), 200).json()
    assert day["me"]["seconds"] == 3600 and day["at"] == "2026-11-20"
    october = expect(second.get(f"/groups/{group['id']}/leaderboard?period=month&at=2026-10"), 200).json()
    assert all(entry["seconds"] == 0 for entry in october["entries"])
    expect(second.get(f"/groups/{group['id']}/leaderboard?at=2026-12"), 422, "future_period", field="at")
    then = expect(second.get(f"/groups/{group['id']}/leaderboard?as_of={board['as_of']}"), 200).json()
    assert (then["as_of"], then["entries"]) == (board["as_of"], board["entries"])
    past = f"/groups/{group['id']}/leaderboard?at=2026-11&as_of="
    expect(second.get(f"{past}2026-10-31T00:00:00Z"), 422, "instant_before_period", field="as_of")
    expect(second.get(f"{past}2030-01-01T00:00:00Z"), 422, "future_instant", field="as_of")
    expect(second.get(f"{past}yesterday"), 422, "invalid_time", field="as_of")
    week = expect(second.get(f"/groups/{group['id']}/leaderboard?period=week"), 200).json()
    assert week["at"] == "2026-11-16" and week["me"]["seconds"] == 3600


def test_a_board_ranks_by_goal_and_by_days_too(service, people):
    service.set_clock("2026-11-20T12:00:00Z")
    first, second = (people(service, name) for name in ("Ahn", "Baek"))
    group = first.found_group()
    second.join(first.invite(group)["code"])
    expect(second.patch("/me", {"daily_goal_seconds": 1800}), 200)  # of today on; the other's is 4 h
    expect(first.log("2026-11-20T00:00:00Z", "2026-11-20T02:00:00Z"), 201)
    expect(second.log("2026-11-20T00:00:00Z", "2026-11-20T01:00:00Z"), 201)
    at = f"/groups/{group['id']}/leaderboard?period=day"
    by_goal = expect(second.get(f"{at}&order=goal"), 200).json()
    assert (by_goal["order"], by_goal["days"], by_goal["participants"]) == ("goal", 1, 2)
    assert [(e["uid"], e["rank"], e["goal_permille"], e["days_met"], e["seconds"]) for e in by_goal["entries"]] == [
        (second.uid, 1, 2000, 1, 3600), (first.uid, 2, 500, 0, 7200)]  # fmt: skip
    mine = expect(first.get(f"{at}&order=consistency"), 200).json()["me"]
    assert (mine["rank"], mine["gap_to_next_days"], mine["gap_to_next_seconds"]) == (2, 1, None)
    page = expect(first.get(f"{at}&order=goal&limit=1"), 200).json()
    board = f"/groups/{group['id']}/leaderboard?order=goal&after={page['next']}"
    others = (
        f"{at}&order=consistency&after={page['next']}", board, f"{board}&period=week", f"{board}&period=day&at=2026-11-19",
        f"{board}&period=day&as_of={by_goal['as_of']}",
        f"/groups/{first.found_group()['id']}/leaderboard?period=day&order=goal&after={page['next']}",
    )  # fmt: skip
    for other in others:
        expect(first.get(other), 400, "invalid_cursor", field="after")
    rest = expect(first.get(f"{at}&order=goal&after={page['next']}"), 200).json()
    assert [entry["uid"] for entry in rest["entries"]] == [first.uid]
    then = expect(first.get(f"{at}&order=goal&as_of={by_goal['as_of']}"), 200).json()
    assert then["entries"] == by_goal["entries"]
    table = expect(first.get(f"/groups/{group['id']}/leaderboard.csv?order=consistency"), 200).text
    assert table.splitlines()[0].endswith("change,goal_permille,days_met,days")
    expect(first.get(f"{at}&order=time"), 422, "invalid_order", field="order")
    expect(first.get(f"/groups/{group['id']}/leaderboard.csv?order=time"), 422, "invalid_order", field="order")


def test_a_running_timer_counts_live_on_the_board(service, people):
    service.set_clock("2026-11-20T03:00:00Z")
    person = people(service)
    group = person.found_group()
    expect(person.start(), 201)
    service.set_clock("2026-11-20T03:20:00Z")
    entry = expect(person.get(f"/groups/{group['id']}/leaderboard"), 200).json()["entries"][0]
    assert entry["studying"] is True and entry["seconds"] == 1200 and entry["manual_seconds"] == 0


def test_an_interval_across_the_end_of_the_month_counts_to_both_months(service, people):
    service.set_clock("2026-11-30T12:00:00Z")
    person = people(service)
    group = person.found_group()
    service.set_clock("2026-11-30T21:00:00Z")  # 06:00 of 1 December in Seoul
    expect(person.log("2026-11-30T19:00:00Z", "2026-11-30T20:45:00Z"), 201)  # 04:00–05:45
    at = f"/groups/{group['id']}/leaderboard?period=month&at="
    november = expect(person.get(at + "2026-11"), 200).json()
    december = expect(person.get(at + "2026-12"), 200).json()
    assert november["me"]["seconds"] == 3600 and november["state"] == "grace"
    assert december["me"]["seconds"] == 2700 and december["state"] == "open"


def test_time_by_hand_counts_only_where_the_rules_say_so(service, people):
    service.set_clock("2026-11-20T12:00:00Z")
    person = people(service)
    strict = person.found_group("Timers only", rules={"manual_counts": False})
    open_group = person.found_group("All")
    expect(person.log("2026-11-20T00:00:00Z", "2026-11-20T01:00:00Z"), 201)
    seconds = [expect(person.get(f"/groups/{group['id']}/leaderboard"), 200).json()["me"]["seconds"] for group in (strict, open_group)]
    assert seconds == [0, 3600]


def test_the_daily_cap_cuts(service, people):
    service.set_clock("2026-11-20T12:00:00Z")
    person = people(service)
    group = person.found_group(rules={"daily_cap_seconds": 3600})
    expect(person.log("2026-11-20T00:00:00Z", "2026-11-20T03:00:00Z"), 201)
    assert expect(person.get(f"/groups/{group['id']}/leaderboard"), 200).json()["me"]["seconds"] == 3600


@pytest.mark.parametrize(
    "query",
    [
        "?period=year",
        "?at=november",
        "?period=day&at=2026-13-01",
        "?period=month&at=2026-00",
        "?limit=0",
        "?limit=x",
        "?limit=201",
        "?after=!!",
        "?limit=1&limit=2",
        "?order=time",
        "?order=",
    ],
)
def test_a_board_of_nothing_is_refused(service, people, query):
    person = people(service)
    group = person.found_group()
    assert person.get(f"/groups/{group['id']}/leaderboard{query}").status_code in (400, 422)


def test_a_board_goes_on_page_by_page(service, people):
    service.set_clock("2026-11-20T12:00:00Z")
    owner = people(service)
    group = owner.found_group()
    code = owner.invite(group)["code"]
    others = [people(service, f"P{number}") for number in range(4)]
    for number, person in enumerate(others):
        person.join(code)
        expect(person.log("2026-11-20T00:00:00Z", f"2026-11-20T00:{10 + number // 2:02}:00Z"), 201)
    seen, after = [], None
    while True:
        page = expect(owner.get(f"/groups/{group['id']}/leaderboard?limit=2" + (f"&after={after}" if after else "")), 200).json()
        seen += [(entry["seconds"], entry["uid"]) for entry in page["entries"]]
        if (after := page["next"]) is None:
            break
    assert len(seen) == len(set(seen)) == 5 and [s for s, _ in seen] == sorted((s for s, _ in seen), reverse=True)


def test_a_number_opens_into_days_and_intervals(service, people):
    service.set_clock("2026-11-21T03:00:00Z")
    owner, member = people(service), people(service, "Minsu")
    group = owner.found_group(rules={"daily_cap_seconds": 7200})
    member.join(owner.invite(group)["code"])
    expect(member.log("2026-11-20T19:00:00Z", "2026-11-20T23:00:00Z"), 201)
    at = f"/groups/{group['id']}/leaderboard/explanation"
    mine = expect(member.get(at), 200).json()
    assert (mine["rank"], mine["seconds"], mine["manual_seconds"], mine["cut_by_cap"]) == (1, 10800, 10800, 3600)
    assert [(day["day"], day["seconds"], day["counted_seconds"]) for day in mine["days"]] == [
        ("2026-11-21", 10800, 7200),
        ("2026-11-20", 3600, 3600),
    ]
    assert {part["interval_id"] for day in mine["days"] for part in day["parts"]} == {mine["days"][0]["parts"][0]["interval_id"]}
    board = expect(member.get(f"/groups/{group['id']}/leaderboard"), 200).json()
    assert board["me"]["seconds"] == mine["seconds"]
    assert expect(owner.get(f"{at}?uid={member.uid}"), 200).json()["seconds"] == 10800
    expect(member.get(f"{at}?uid={owner.uid}"), 403, "not_allowed")
    expect(people(service, "Nobody").get(at), 404, "not_found")


@pytest.mark.parametrize(
    ("query", "status", "code", "field"),
    [
        ("?period=year", 422, "invalid_period", "period"),
        ("?at=2026-02-30&period=day", 422, "invalid_period", "at"),
        ("?at=9999-01", 422, "future_period", "at"),
        ("?uid=me", 400, "invalid_query", "uid"),
        ("?uid=00000000-0000-0000-0000-000000000000", 404, "not_found", None),
    ],
)
def test_what_no_number_explains_is_refused(service, people, query, status, code, field):
    person = people(service)
    group = person.found_group()
    expect(person.get(f"/groups/{group['id']}/leaderboard/explanation{query}"), status, code, field=field)


def test_rules_declared_while_others_are_pending_are_announced_beside_them(service, people):
    service.set_clock("2026-11-20T03:00:00Z")
    owner = people(service)
    group = owner.found_group()
    at = f"/groups/{group['id']}"
    first = {"from_month": "2026-12", **group["rules"], "daily_cap_seconds": 36000}
    assert expect(owner.patch(at, {"rules": {"daily_cap_seconds": 36000}}), 200).json()["new_rules_from"] == "2026-12"
    # Too late for December: that month keeps what was declared for it.
    service.set_clock("2026-11-30T03:00:00Z")
    assert expect(owner.get(at), 200).json()["new_rules_from"] == "2027-01"
    second = {"from_month": "2027-01", **group["rules"], "daily_cap_seconds": 7200}
    changed = expect(owner.patch(at, {"rules": {"daily_cap_seconds": 7200}}), 200).json()
    assert changed["coming_rules"] == [first, second] and changed["next_rules"] == first
    service.set_clock("2026-12-10T03:00:00Z")
    begun = expect(owner.get(at), 200).json()
    assert begun["rules"]["daily_cap_seconds"] == 36000 and begun["coming_rules"] == [second]


def test_the_title_of_an_invitation_names_the_group_while_it_works(service, people):
    owner, stranger = people(service), people(service, registered=False)
    group = owner.found_group("Night <owls>")
    invitation = owner.invite(group)
    path = f"/join/{invitation['code']}"

    def page(path):
        answer = expect(stranger.http.get(path, headers={"Accept-Language": "en"}), 200)
        return answer.text

    shown = page(path)
    assert "<title>Night &lt;owls&gt; · Anthill</title>" in shown
    assert '<meta property="og:title" content="Night &lt;owls&gt; · Anthill">' in shown
    assert '<meta property="og:description" content="A timer and a board for people who study together.">' in shown
    picture = re.search('<meta property="og:image" content="([^"]+)">', shown)[1]
    assert picture.startswith(f"{service.origin}/")
    assert expect(stranger.http.get(picture), 200).headers["Content-Type"] == "image/png"
    # Its script need not ask for what the page brings along.
    assert f'"/invitations/{invitation["code"]}":{{' in shown
    expect(owner.delete(f"/groups/{group['id']}/invitations/{invitation['id']}"), 204)
    for gone in (path, "/join/nonsense", f"/join/{invitation['code']}%2Fqr.svg", "/join/%22%3E%3Cb%3E"):
        shown = page(gone)
        assert "<title>Anthill</title>" in shown and "owls" not in shown and "og:title" not in shown and "<svg" not in shown
