"""Keys for other programs: what they open, and that they open nothing else."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from person import expect
from test_conventions import concrete, operations

CLOSED_TO_READERS = {
    "/sign-ins", "/me/api-keys", "/me/calendar-feed", "/me/badge", "/me/activity", "/me/identities", "/me/export", "/me/push-subscriptions", "/me/reports",
    "/me/reports/{report}", "/me/suspensions", "/me/join-requests", "/me/join-requests/{request}", "/directory",
    "/groups/{id}/audit", "/groups/{id}/bans", "/groups/{id}/invitations", "/groups/{id}/join-requests", "/groups/{id}/signals",
    "/groups/{id}/webhooks", "/groups/{id}/webhooks/{webhook}/deliveries", "/groups/{id}/suspensions", "/groups/{id}/suspensions/{suspension}",
}  # fmt: skip
RECORDED = ("/me/timer", "/me/sessions", "/me/imports", "/me/subjects", "/me/projects", "/me/tasks")


@pytest.fixture
def owner(service, people):
    return people(service, "Jihye")


def key_of(owner, people, *scopes):
    program = people(owner.service, "Program", registered=False)
    program.token = expect(owner.post("/me/api-keys", {"name": "My clock", "scopes": scopes}), 201).json()["key"]
    return program


@pytest.mark.parametrize("scopes", [("read",), ("read", "record")], ids=" ".join)
def test_a_key_opens_what_its_scopes_say_and_nothing_else(owner, people, scopes):
    program = key_of(owner, people, *scopes)
    closed = {
        (method, path)
        for method, path, operation in operations()
        if operation.get("security") != [] and not path.endswith("/stream")
        and is_closed(program.ask(method, concrete(path), None if method == "GET" else {}))
    }  # fmt: skip
    gets = {path for method, path in closed if method == "GET"}
    assert {path for path in gets if not path.startswith("/admin")} == CLOSED_TO_READERS
    opened = {
        path for method, path, operation in operations()
        if operation.get("security") != [] and method != "GET" and (method, path) not in closed
    }  # fmt: skip
    assert all(path.startswith(RECORDED) for path in opened) and bool(opened) == ("record" in scopes)


def is_closed(answer):
    if answer.status_code != 403:
        return False
    return answer.json()["code"] == "key_not_allowed"


def test_a_key_of_an_admin_explains_only_its_owner(owner, people):
    member = people(owner.service, "Minji")
    group = owner.found_group("Owls")
    member.join(owner.invite(group)["code"])
    program = key_of(owner, people, "read")
    explanation = f"/groups/{group['id']}/leaderboard/explanation?uid="
    expect(owner.get(explanation + member.uid), 200)
    expect(program.get(explanation + owner.uid), 200)
    expect(program.get(explanation + member.uid), 403, "key_not_allowed")


def test_a_key_of_an_admin_lists_the_members_that_every_member_sees(owner, people):
    shy = people(owner.service, "Minji")
    group = owner.found_group("Owls")
    shy.join(owner.invite(group)["code"])
    expect(shy.patch(f"/groups/{group['id']}/members/me", {"visibility": "hidden"}), 200)
    members = lambda reader: {each["uid"] for each in expect(reader.get(f"/groups/{group['id']}/members"), 200).json()["items"]}  # noqa: E731
    assert members(owner) == {owner.uid, shy.uid}
    assert members(key_of(owner, people, "read")) == {owner.uid}
    assert members(key_of(shy, people, "read")) == {owner.uid, shy.uid}


def test_a_program_reads_and_records(owner, people):
    owner.service.set_clock("2026-11-20T03:00:00Z")
    program = key_of(owner, people, "read", "record")
    owner.service.advance_clock(5)
    assert expect(program.get("/me"), 200).json()["uid"] == owner.uid
    session = expect(program.log("2026-11-20T01:00:00Z", "2026-11-20T02:00:00Z"), 201).json()
    expect(owner.get(f"/me/sessions/{session['id']}"), 200)
    [key, *_] = expect(owner.get("/me/api-keys"), 200).json()["items"]
    assert key["last_used_at"] and key["client_address"] == program.address


def test_many_requests_at_once_make_no_more_keys_than_there_may_be(service, people):
    person = people(service)
    most = dict(service.cluster.sql("SELECT name, value FROM rule_numbers()"))["most_api_keys"]
    body = {"name": "My clock", "scopes": ["read"]}
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda _: person.post("/me/api-keys", body).status_code, range(most + 6)))
    assert made.count(201) == most and made.count(409) == 6
