"""Suspensions, their answers, what admins are shown, and the audit."""

import collections

import pytest
from person import expect
from race import bearer, together
from service import wait_until
from test_live import watching

NOW = "2026-11-21T03:00:00Z"
UNTIL = "2026-11-28T20:00:00Z"


@pytest.fixture
def group(service, people):
    """A group with its owner, an admin and a member who leads its board."""
    service.set_clock(NOW)
    owner, admin, member = people(service, "Ahn"), people(service, "Baek"), people(service, "Choi")
    founded = owner.found_group()
    code = owner.invite(founded)["code"]
    for person in (admin, member):
        person.join(code)
    at = f"/groups/{founded['id']}"
    expect(owner.patch(f"{at}/members/{admin.uid}", {"role": "admin"}), 200)
    expect(member.log("2026-11-20T22:00:00Z", "2026-11-21T00:00:00Z"), 201)
    expect(owner.log("2026-11-20T22:00:00Z", "2026-11-20T23:00:00Z"), 201)
    return at, owner, admin, member


def wanted(member, until=UNTIL):
    return {"uid": member.uid, "reason": "Sixteen hours each day.\nHow?", "until": until}


def test_a_member_is_told_answers_and_comes_back(service, group):
    at, owner, admin, member = group
    answer = expect(admin.post(f"{at}/suspensions", wanted(member)), 201)
    suspension = answer.json()
    assert answer.headers["location"] == f"/api/v1{at}/suspensions/{suspension['id']}"
    assert expect(member.get(at), 200).json()["my_suspension"] == suspension
    assert suspension["reason"] == "Sixteen hours each day.\nHow?" and suspension["suspended_by"]["nickname"] == "Baek"
    told = lambda: [mail for mail in service.letters(member.email) if "suspended from the boards" in mail["subject"]]
    [letter] = wait_until(told, what="the letter to the member")
    text = letter.get_body(("plain",)).get_content()
    assert "Choi" in text and "Sixteen hours each day." in text and "2026-11-29 05:00 (Asia/Seoul)" in text

    board = expect(member.get(f"{at}/leaderboard"), 200).json()
    assert board["me"] is None and board["participants"] == 2
    assert [(entry["rank"], entry["nickname"]) for entry in board["entries"]] == [(1, "Ahn"), (2, "Baek")]
    number = expect(member.get(f"{at}/leaderboard/explanation"), 200).json()
    assert (number["rank"], number["seconds"], len(number["days"])) == (None, 7200, 1)

    mine = f"{at}/suspensions/{suspension['id']}"
    expect(owner.put(f"{mine}/answer", {"answer": "not mine"}), 403, "not_allowed")
    said = expect(member.put(f"{mine}/answer", {"answer": "하루도 안 쉬었어요"}), 200).json()
    assert expect(owner.get(f"{at}/suspensions"), 200).json()["items"] == [said] and said["answered_at"] >= said["since"]
    expect(member.get(f"{at}/audit"), 403, "not_allowed")
    expect(member.get(f"{at}/signals"), 403, "not_allowed")
    expect(owner.delete(mine), 204)
    expect(owner.delete(mine), 409, "suspension_over")
    assert expect(member.get(at), 200).json()["my_suspension"] is None
    assert expect(member.get(f"{at}/leaderboard"), 200).json()["me"]["rank"] == 1
    audit = expect(admin.get(f"{at}/audit"), 200)
    assert collections.Counter(event["kind"] for event in audit.json()["items"]) == {
        "invitation_created": 1,
        "member_joined": 2,
        "member_role_changed": 1,
        "member_suspended": 1,
        "suspension_answered": 1,
        "suspension_lifted": 1,
    }
    assert member.address not in audit.text and "client" not in audit.text


def test_the_log_of_a_group_says_what_the_operator_did_and_not_who_that_is(service, group):
    at, owner, _, member = group
    here = at.split("/")[-1]
    service.cluster.sql("SELECT admin_change_clock(NULL, %s, 'Europe/London', NULL, 'asked by letter', 'Maria')", here)
    service.cluster.sql("SELECT admin_remove_member(%s, %s, false, 'asked by letter', 'Maria')", here, member.uid)
    audit = expect(owner.get(f"{at}/audit"), 200)
    removed, changed, declared = audit.json()["items"][:3]
    kinds = [event["kind"] for event in (removed, changed, declared)]
    assert kinds == ["admin_remove_member", "admin_change_clock", "rules_declared"]
    assert removed["details"] == {"operator": True, "reason": "asked by letter"}
    assert changed["details"] == removed["details"] | {"month": declared["details"]["from_month"]}
    assert declared["actor"] is None and declared["details"]["operator"] is True
    assert "Maria" not in audit.text


def test_a_suspension_sent_twice_under_one_key_is_one(group):
    at, owner, _, member = group
    key = "5e0ef3ae-3b83-4f5a-8c4e-2b1b2e1f0a11"
    first = expect(owner.post(f"{at}/suspensions", wanted(member), key=key), 201)
    again = expect(owner.post(f"{at}/suspensions", wanted(member), key=key), 201)
    assert again.json() == first.json() and again.headers["idempotency-replayed"] == "true"
    expect(owner.post(f"{at}/suspensions", wanted(member)), 409, "already_suspended")


def test_of_16_who_suspend_or_lift_at_once_one_does(service, group):
    at, owner, admin, member = group
    calls = [("POST", f"{at}/suspensions", wanted(member), bearer(person)) for person in (owner, admin)] * 8
    answers = together(service, calls)
    assert collections.Counter(answer.status for answer in answers) == {201: 1, 409: 15}
    [made] = [answer.json() for answer in answers if answer.status == 201]
    answers = together(service, [("DELETE", f"{at}/suspensions/{made['id']}", None, bearer(person)) for person in (owner, admin)] * 8)
    assert collections.Counter(answer.status for answer in answers) == {204: 1, 409: 15}
    kinds = collections.Counter(event["kind"] for event in expect(owner.get(f"{at}/audit"), 200).json()["items"])
    assert kinds["member_suspended"] == kinds["suspension_lifted"] == 1


def test_suspending_answering_lifting_and_leaving_at_once_leave_nothing_half_done(service, group):
    at, owner, admin, member = group
    suspension = expect(owner.post(f"{at}/suspensions", wanted(member)), 201).json()
    mine = f"{at}/suspensions/{suspension['id']}"
    calls = [
        *[("PUT", f"{mine}/answer", {"answer": f"answer {n}"}, bearer(member)) for n in range(6)],
        ("DELETE", mine, None, bearer(owner)), ("DELETE", mine, None, bearer(admin)),
        ("POST", f"{at}/suspensions", wanted(member), bearer(owner)), ("POST", f"{at}/suspensions", wanted(member), bearer(admin)),
        ("DELETE", f"{at}/members/me", None, bearer(member)),
    ]  # fmt: skip
    answers = together(service, calls)
    assert {answer.status for answer in answers} <= {200, 201, 204, 404, 409}
    assert answers[-1].status == 204
    assert collections.Counter(answer.status for answer in answers[6:8]) == {204: 1, 409: 1}
    kept = expect(owner.get(f"{at}/suspensions"), 200).json()["items"]
    assert len(kept) == 1 + sum(answer.status == 201 for answer in answers[8:10])
    assert sum(one["in_force"] for one in kept) == len(kept) - 1


def test_who_watches_sees_a_suspension_and_its_end(service, group):
    at, owner, _, member = group
    with watching(owner, at.split("/")[2]) as events:
        assert events.board()[2]["participants"] == 3
        expect(owner.post(f"{at}/suspensions", wanted(member, "2026-11-21T03:30:00Z")), 201)
        assert events.board()[2]["participants"] == 2
        service.set_clock("2026-11-21T03:30:00Z")
        assert events.board()[2]["participants"] == 3
    assert expect(member.get(at), 200).json()["my_suspension"] is None


def test_a_month_that_closes_meanwhile_is_closed_without_them(service, people):
    service.set_clock("2026-10-20T03:00:00Z")
    owner, member = people(service, "Ahn"), people(service, "Baek")
    at = f"/groups/{(founded := owner.found_group())['id']}"
    member.join(owner.invite(founded)["code"])
    expect(member.log("2026-10-19T22:00:00Z", "2026-10-20T00:00:00Z"), 201)
    expect(owner.post(f"{at}/suspensions", wanted(member, "2026-11-02T20:00:00Z")), 201)
    service.set_clock("2026-11-02T20:00:00Z")
    standings = wait_until(
        lambda: answer.json() if (answer := owner.get(f"{at}/standings/2026-10")).status_code == 200 else None,
        what="October to be closed",
    )
    assert [entry["nickname"] for entry in standings["entries"]] == ["Ahn"]
    assert expect(member.get(f"{at}/leaderboard?at=2026-10"), 200).json()["me"] is None
    assert expect(member.get(f"{at}/leaderboard"), 200).json()["me"]["rank"] == 1


def test_signals_name_who_is_worth_a_look(service, group):
    at, owner, admin, member = group
    expect(member.log("2026-11-20T01:00:00Z", "2026-11-20T11:00:00Z"), 201)
    found = expect(admin.get(f"{at}/signals"), 200).json()
    first, *others = found["items"]
    assert (first["nickname"], first["signals"], first["manual_permille"]) == ("Choi", ["high_manual_share"], 1000)
    assert [one["signals"] for one in others] == [[], []] and found["month"] == "2026-11"
    assert expect(owner.get(f"{at}/signals?month=2026-10"), 200).json()["items"][0]["signals"] == []
