"""Leaving the service: what is asked first, the way back, and what is left afterwards."""

import functools
import os

import psycopg
import pytest
from person import PASSWORD, expect
from race import Race, bearer, together
from service import START, running, wait_until

ROUNDS = 500 if os.environ.get("ANTHILL_TEST_RING") == "long" else 50
WEEK = 7 * 86400


def leave(person, password=PASSWORD):
    return person.ask("DELETE", "/me", {"password": password})


def is_erased(service, person):
    return not service.cluster.sql("SELECT 1 FROM users WHERE uid = %s", person.uid)


def traces(service, uid):
    return service.cluster.sql("SELECT * FROM rows_about(%s) WHERE named_in !~ '^(board_changes|rank_deltas)'", uid)


def test_leaving_takes_a_week_and_then_nobody_can_sign_in(service, people):
    person = people(service, "Haneul")
    other_device = people(service, registered=False)
    other_device.email = person.email
    other_device.sign_in()
    expect(person.start(), 201)
    already = len(service.letters(person.email))
    answer = expect(leave(person), 202).json()
    assert answer == {"leaves_at": "2026-11-27T03:00:00Z"}
    letter = wait_until(lambda: service.letters(person.email)[already:], what="the letter about leaving")[0]
    assert "2026-11-27 12:00 (Asia/Seoul)" in letter.get_body(("plain",)).get_content()

    expect(other_device.get("/me"), 401, "not_signed_in")
    assert expect(person.get("/me"), 200).json()["leaves_at"] == answer["leaves_at"]
    assert expect(person.get("/me/export"), 200).json()["profile"]["email"] == person.email
    for method, path, body in [("GET", "/me/timer", None), ("POST", "/me/timer/start", {}), ("GET", "/groups", None), ("PATCH", "/me", {})]:
        expect(person.ask(method, path, body), 401, "account_leaving")
    assert expect(leave(person), 202).json() == answer

    service.advance_clock(WEEK - 1)
    expect(person.get("/me"), 200)
    service.advance_clock(1)
    expect(person.get("/me"), 401, "not_signed_in")
    expect(person.post("/me/return"), 401, "not_signed_in")
    expect(person.post("/sign-ins", {"email": person.email, "password": PASSWORD}, token=None), 401, "wrong_credentials")
    wait_until(lambda: is_erased(service, person), what="the account to be erased")
    assert traces(service, person.uid) == []
    # The address is free again.
    service.advance_clock(3600)
    again = people(service, registered=False)
    again.email = person.email
    again.register_by_mail()
    assert again.uid != person.uid


def test_a_user_who_comes_back_finds_everything_as_it_was(service, people, ago):
    person = people(service)
    expect(person.log(ago(7200), ago(3600)), 201)
    before = expect(person.get("/me/export"), 200).json()["sessions"]
    expect(leave(person), 202)
    me = expect(person.post("/me/return"), 200).json()
    assert me["leaves_at"] is None
    expect(person.get("/me/timer"), 200)
    service.advance_clock(60)
    leaves_at = expect(leave(person), 202).json()["leaves_at"]
    service.advance_clock(WEEK - 60)
    answer = expect(person.post("/sign-ins", {"email": person.email, "password": PASSWORD}, token=None), 201).json()
    assert answer["would_have_left_at"] == leaves_at and answer["user"]["leaves_at"] is None
    person.token = answer["sign_in"]["token"]
    assert expect(person.get("/me/export"), 200).json()["sessions"] == before
    kinds = [event["kind"] for event in person.get("/me/export").json()["security_events"]]
    assert kinds.count("account_leaving") == kinds.count("account_kept") == 2
    answer = expect(person.post("/sign-ins", {"email": person.email, "password": PASSWORD}, token=None), 201).json()
    assert "would_have_left_at" not in answer


def test_leaving_needs_the_password(service, people):
    person = people(service)
    expect(leave(person, "not my password"), 403, "wrong_password", field="password")
    expect(person.ask("DELETE", "/me", {}), 403, "confirmation_required")
    expect(person.ask("DELETE", "/me", {"password": PASSWORD, "sure": True}), 400, "unknown_field")
    expect(person.ask("DELETE", "/me", {"password": PASSWORD}, token=None), 401, "not_signed_in")
    assert expect(person.get("/me"), 200).json()["leaves_at"] is None
    for _ in range(5):
        person.ask("DELETE", "/me", {"password": "guess"})
    expect(leave(person), 429, "too_many_attempts")


def test_the_only_owner_hands_the_group_on_or_deletes_it_first(service, people):
    owner, heir = people(service, "Owner"), people(service, "Heir")
    shared, alone = owner.found_group("Shared"), owner.found_group("Alone")
    heir.join(owner.invite(shared)["code"])
    problem = expect(leave(owner), 409, "last_owner").json()
    assert sorted(problem["groups"], key=lambda group: group["name"]) == [
        {"id": alone["id"], "name": "Alone", "member_count": 1},
        {"id": shared["id"], "name": "Shared", "member_count": 2},
    ]
    expect(owner.post(f"/groups/{shared['id']}/transfer", {"uid": heir.uid}), 200)
    expect(owner.delete(f"/groups/{alone['id']}"), 204)
    service.advance_clock(60)
    expect(leave(owner), 202)
    # The board shows them until they are gone.
    board = expect(heir.get(f"/groups/{shared['id']}/leaderboard"), 200).json()
    assert {entry["uid"] for entry in board["entries"]} == {owner.uid, heir.uid}
    service.advance_clock(WEEK)
    wait_until(lambda: is_erased(service, owner), what="the account to be erased")
    heir.sign_in()
    board = expect(heir.get(f"/groups/{shared['id']}/leaderboard"), 200).json()
    assert [entry["uid"] for entry in board["entries"]] == [heir.uid]
    expect(heir.get(f"/groups/{shared['id']}/audit"), 200)


def test_a_closed_month_keeps_rank_and_seconds_of_someone_who_left(service, people):
    service.set_clock("2026-10-20T03:00:00Z")
    owner, leaver = people(service, "Owner"), people(service, "Leaver")
    group = owner.found_group()
    leaver.join(owner.invite(group)["code"])
    expect(leaver.log("2026-10-19T22:00:00Z", "2026-10-20T00:00:00Z"), 201)
    service.set_clock("2026-11-02T20:00:00Z")
    at = f"/groups/{group['id']}/standings/2026-10"
    wait_until(lambda: owner.get(at).status_code == 200, what="the close of the month")
    amended = {"uid": leaver.uid, "seconds": 7000, "reason": "Leaver said so"}
    expect(owner.post(f"{at}/amendments", amended), 201)
    sealed = expect(owner.get(at), 200).json()
    expect(leave(leaver), 202)
    service.advance_clock(WEEK)
    wait_until(lambda: is_erased(service, leaver), what="the account to be erased")
    after = expect(owner.get(at), 200).json()
    assert after["sha256"] == sealed["sha256"]
    assert [entry["line"] for entry in after["entries"]] == [entry["line"] for entry in sealed["entries"]]
    [gone] = [entry for entry in after["entries"] if entry["uid"] is None]
    assert (gone["rank"], gone["seconds"], gone["amended_seconds"], gone["nickname"], gone["hidden"]) == (1, 7200, 7000, None, False)
    assert [(each["reason"], each["by"]) for each in after["amendments"]] == [(None, "Owner")]
    assert service.violations() == []


# Many at once


@pytest.fixture(scope="module")
def patient():
    """A service that answers one person as often as they ask: in these rounds that is more than people do."""
    with running(ANTHILL_API_LIMIT="0") as service:
        yield service


def leave_and_at_once(race, person, method, path):
    """The answer to the other request, which is one of somebody who is still there if the race is lost."""
    requests = [("DELETE", "/me", {"password": PASSWORD}, bearer(person)), (method, path, None, bearer(person))]
    [left], [other] = race.run(*(functools.partial(together, person.service, [request]) for request in requests))
    assert left.status == 202
    race.won_by_first(other.status in (401, 409))
    expect(person.post("/me/return"), 200)
    return other


def test_leaving_and_stopping_at_once_record_every_second(patient, people):
    service = patient.set_clock("2026-11-19T03:00:00Z")
    person = people(service)
    race = Race()
    for number in range(1, ROUNDS + 1):
        expect(person.start(), 201)
        service.advance_clock(600)
        assert leave_and_at_once(race, person, "POST", "/me/timer/stop").status in (200, 401, 409)
        assert expect(person.get("/me/timer"), 200).json()["state"] == "idle"
        assert expect(person.get("/me/today"), 200).json()["total_seconds"] == number * 600
    assert race.went_both_ways()
    # Hours have passed on its clock within seconds.
    wait_until(service.all_mail_is_sent, what="the mail to be sent")
    assert service.violations() == []


def test_leaving_and_joining_at_once_leave_nothing_half_done(patient, people):
    service = patient.set_clock(START)
    person, owner = people(service), people(service)
    group = owner.found_group()
    code = owner.invite(group)["code"]
    race = Race()
    for _ in range(ROUNDS):
        joined = leave_and_at_once(race, person, "POST", f"/invitations/{code}/acceptances")
        assert joined.status in (201, 401)
        members = {each["uid"] for each in owner.get(f"/groups/{group['id']}/members").json()["items"]}
        assert (person.uid in members) == (joined.status == 201)
        service.advance_clock(60)
        if joined.status == 201:
            expect(person.delete(f"/groups/{group['id']}/members/me"), 204)
    assert race.went_both_ways()
    assert service.violations() == []


def test_of_two_owners_who_leave_at_once_one_stays(patient, people):
    service = patient.set_clock(START)
    first, second = people(service), people(service)
    group = first.found_group()
    second.join(first.invite(group)["code"])
    expect(first.patch(f"/groups/{group['id']}/members/{second.uid}", {"role": "owner"}), 200)
    for _ in range(ROUNDS):
        answers = together(service, [("DELETE", "/me", {"password": PASSWORD}, bearer(person)) for person in (first, second)])
        assert sorted(answer.status for answer in answers) == [202, 409]
        for person, answer in zip((first, second), answers):
            if answer.status == 202:
                expect(person.post("/me/return"), 200)
        service.advance_clock(60)
    assert service.violations() == []


class Eraser:
    """Erases somebody as an admin's script does."""

    def __init__(self, service, uid):
        self.uid, self.url = uid, service.cluster.url

    def erase(self):
        """Whether they are; not while a month that is over has to be closed first."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            try:
                for statement in ("SELECT quit_all_groups(%s)", "SELECT erase_user(%s)"):
                    self.insist(connection, statement)
                return True
            except psycopg.errors.CheckViolation as error:
                assert error.diag.message_hint == "month_due"
                return False

    def insist(self, connection, statement):
        """The service tries again after such errors, too."""
        for _ in range(5):
            try:
                return connection.execute(statement, [self.uid])
            except (psycopg.errors.DeadlockDetected, psycopg.errors.SerializationFailure) as error:
                failure = error
        raise failure


def close_october(service, group_id):
    with psycopg.connect(service.cluster.url) as connection:
        connection.execute("SELECT lock_to_close(%s, '2026-10-01')", [group_id])
        connection.execute("SELECT close_month(%s, '2026-10-01')", [group_id])


@pytest.mark.parametrize("act", ["stop", "join", "close"])
def test_somebody_erased_while_they_stop_join_or_a_month_closes_is_gone_altogether(patient, people, act):
    """Either may come first: the account is gone as a whole, and the request was done or refused."""
    service = patient
    service.set_clock("2026-10-20T03:00:00Z")
    owner = people(service)
    group = owner.found_group()
    code = owner.invite(group)["code"]
    race = Race()
    for _ in range(ROUNDS):
        service.set_clock("2026-10-20T03:00:00Z")
        person = people(service)
        if act == "close":
            owner = people(service)
            group = owner.found_group()
            code = owner.invite(group)["code"]
        if act != "join":
            person.join(code)
        expect(person.start(), 201)
        service.set_clock("2026-10-20T03:10:00Z")
        eraser = Eraser(service, person.uid)
        if act == "close":
            expect(person.post("/me/timer/stop"), 200)
            service.set_clock("2026-11-02T20:00:00Z")
            is_erased_at_once, _ = race.run(eraser.erase, lambda: close_october(service, group["id"]))
            assert is_erased_at_once or eraser.erase()
            left = service.cluster.sql("SELECT counted_seconds FROM standings WHERE group_id = %s AND uid IS NULL", group["id"])
            # Until the service has looked at a new group, it does not know when its first month ends.
            assert left == [(600,)] or is_erased_at_once and left == []
            race.won_by_first(left == [] or not is_erased_at_once)
        else:
            path = "/me/timer/stop" if act == "stop" else f"/invitations/{code}/acceptances"
            _, [answer] = race.run(eraser.erase, lambda: together(service, [("POST", path, None, bearer(person))]))
            assert answer.status in (200, 201, 401), answer.body
            race.won_by_first(answer.status == 401)
        assert is_erased(service, person) and traces(service, person.uid) == []
        expect(person.get("/me"), 401, "not_signed_in")
    assert race.went_both_ways()
    service.set_clock(START)
    wait_until(lambda: service.violations() == [], what="the months to be closed and nothing else to be said")
