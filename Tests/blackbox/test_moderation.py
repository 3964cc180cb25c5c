"""A site admin looks after the service: suspensions from the global board, reports, people, mails, the audit, figures."""

import pytest
from person import expect
from service import wait_until

NOW = "2026-11-21T03:00:00Z"
UNTIL = "2026-11-28T20:00:00Z"


@pytest.fixture
def town(service, people):
    """A site admin and two people on the global board, in a group together."""
    service.set_clock(NOW)
    warden, first, second = people(service, "Warden"), people(service, "Ahn"), people(service, "Baek")
    service.cluster.sql("SELECT make_site_admin(%s, 'the operator')", warden.uid)
    group = first.found_group()
    second.join(first.invite(group)["code"])
    for person in (first, second):
        expect(person.patch("/me", {"global_board": True}), 200)
        person.start()
    service.advance_clock(3600)
    expect(second.post("/me/timer/stop"), 200)
    service.advance_clock(3600)
    expect(first.post("/me/timer/stop"), 200)
    return warden, first, second, group


def on_board(reader, *whom):
    """Which of these people are on the global board, from the top."""
    uids = {person.uid: person for person in whom}
    board = expect(reader.get("/leaderboard?limit=200"), 200).json()
    return [uids[entry["uid"]] for entry in board["entries"] if entry["uid"] in uids]


def test_a_site_admin_suspends_somebody_who_answers_and_comes_back(service, town):
    warden, first, second, group = town
    assert on_board(second, first, second) == [first, second]
    rank = expect(second.get("/leaderboard"), 200).json()["me"]["rank"]
    made = expect(warden.post("/admin/suspensions", {"uid": first.uid, "reason": "All night?", "until": UNTIL}), 201)
    path = made.headers["location"].removeprefix("/api/v1")
    service.advance_clock(1)  # the top is read again each second
    assert on_board(second, first, second) == [second]
    assert expect(second.get("/leaderboard"), 200).json()["me"]["rank"] == rank - 1
    assert expect(first.get("/leaderboard"), 200).json()["me"] is None
    told = lambda: [mail for mail in service.letters(first.email) if "suspended from the global board" in mail["subject"]]
    [letter] = wait_until(told, what="the letter to the person")
    text = letter.get_body(("plain",)).get_content()
    assert "All night?" in text and "2026-11-29 05:00 (Asia/Seoul)" in text and "Warden" not in text
    # The boards of their groups stay as they are.
    board = expect(second.get(f"/groups/{group['id']}/leaderboard"), 200).json()
    assert [entry["uid"] for entry in board["entries"]][:2] == [first.uid, second.uid]

    [mine] = expect(first.get("/me/suspensions"), 200).json()["items"]
    assert (mine["reason"], mine["until"], mine["in_force"], mine["suspended_by"]) == ("All night?", UNTIL, True, None)
    expect(second.put(f"/me/suspensions/{mine['id']}/answer", {"answer": "not mine"}), 404, "not_found")
    expect(first.put(f"/me/suspensions/{mine['id']}/answer", {"answer": "Exam week"}), 200)
    assert expect(warden.get(path), 200).json()["answer"] == "Exam week"
    expect(warden.post("/admin/suspensions", {"uid": first.uid, "reason": "x", "until": UNTIL}), 409, "already_suspended")
    expect(warden.delete(path), 204)
    expect(warden.delete(path), 409, "suspension_over")
    service.advance_clock(1)
    assert on_board(second, first, second) == [first, second]
    kinds = [event["kind"] for event in expect(warden.get(f"/admin/audit?uid={first.uid}&limit=3"), 200).json()["items"]]
    assert kinds == ["service_suspension_lifted", "service_suspension_answered", "service_suspended"]


def test_a_suspension_that_runs_out_ends_by_itself(service, town):
    warden, first, second, _ = town
    until = "2026-11-21T06:00:00Z"
    expect(warden.post("/admin/suspensions", {"uid": first.uid, "reason": "All night?", "until": until}), 201)
    service.set_clock(until)
    back = "SELECT returned_at IS NOT NULL FROM suspensions WHERE uid = %s ORDER BY since DESC LIMIT 1"
    wait_until(lambda: service.cluster.sql(back, first.uid) == [(True,)], what="the person to be back")
    service.advance_clock(1)
    assert on_board(second, first, second) == [first, second]


def test_a_report_reaches_the_site_admins_and_its_answer_the_reporter_alone(town):
    warden, first, second, group = town
    said = {"uid": first.uid, "group_id": group["id"], "reason": "The timer never stops"}
    made = expect(second.post("/reports", said), 201)
    report = made.json()
    expect(second.post("/reports", said), 409, "already_reported")
    expect(second.post("/reports", said | {"uid": second.uid}), 422, "not_yourself")
    expect(second.post("/reports", said | {"uid": warden.uid}), 404, "not_found")
    expect(first.patch(f"/groups/{group['id']}/members/me", {"visibility": "hidden"}), 200)
    expect(second.post("/reports", said), 404, "not_found")
    [found] = [each for each in expect(warden.get("/admin/reports?open=true"), 200).json()["items"] if each["id"] == report["id"]]
    assert (found["reporter"]["uid"], found["about"]["uid"], found["group_id"]) == (second.uid, first.uid, group["id"])
    expect(warden.put(f"/admin/reports/{report['id']}/answer", {"answer": "We asked them"}), 200)
    expect(warden.put(f"/admin/reports/{report['id']}/answer", {"answer": "again"}), 409, "report_closed")
    assert expect(second.get(made.headers["location"].removeprefix("/api/v1")), 200).json()["answer"] == "We asked them"
    assert expect(second.get("/me/activity"), 200).json()["items"][0]["details"] == {"answer": "We asked them"}
    everything = expect(first.get("/me/activity"), 200).text + expect(first.get("/me/export"), 200).text
    assert "never stops" not in everything and "We asked them" not in everything and report["id"] not in everything


def test_ten_reports_a_day_are_the_most(service, town):
    warden, first, second, _ = town
    for _ in range(10):
        report = expect(second.post("/reports", {"uid": first.uid, "reason": "again"}), 201).json()
        expect(warden.put(f"/admin/reports/{report['id']}/answer", {"answer": "no"}), 200)
    expect(second.post("/reports", {"uid": first.uid, "reason": "again"}), 429, "too_many_reports")
    service.advance_clock(86400)
    expect(second.post("/reports", {"uid": first.uid, "reason": "again"}), 201)


def test_for_anybody_else_there_are_no_such_routes(service, town):
    warden, first, *_ = town
    routes = ["/admin/suspensions", "/admin/reports", "/admin/people?q=a", "/admin/mails", "/admin/audit", "/admin/figures"]
    for route in routes:
        expect(first.get(route), 404, "not_found")
        expect(first.get(route, token=None), 401, "not_signed_in")
        expect(warden.get(route), 200)
    expect(first.post("/admin/links", {"email": warden.email}), 404, "not_found")
    expect(first.post("/admin/suspensions", {"nonsense": 1}), 404, "not_found")
    service.cluster.sql("SELECT end_site_admin(%s, 'the operator')", warden.uid)
    for route in routes:
        expect(warden.get(route), 404, "not_found")


def test_somebody_is_let_in_by_mail_whatever_their_state(service, town, people):
    warden, first, *_ = town
    newcomer = people(service, "Choi", registered=False)
    assert expect(warden.post("/admin/links", {"email": newcomer.email}), 200).json()["kind"] == "registration"
    token = service.token_from_mail(newcomer.email)
    account = {"token": token, "nickname": "Choi", "password": "three calm herons 42", "delivery": "bearer"}
    expect(newcomer.post("/users", account, token=None), 201)
    before = len(service.letters(first.email))
    assert expect(warden.post("/admin/links", {"email": first.email.upper()}), 200).json()["kind"] == "password_reset"
    wait_until(lambda: len(service.letters(first.email)) > before, what="the mail")
    [person] = expect(warden.get("/admin/people", params={"q": first.email}), 200).json()["items"]
    assert (person["uid"], person["group_count"], person["site_admin"]) == (first.uid, 1, False)


def test_the_mail_queue_holds_no_address_and_a_failed_mail_is_sent_again(service, town):
    warden, first, *_ = town
    service.cluster.sql(
        "INSERT INTO mail_outbox (kind, to_address, attempts, dead_at, last_error)"
        " VALUES ('password_changed', %s, 8, anthill_clock(), %s)", first.email, f"550 {first.email} unknown")  # fmt: skip
    answer = expect(warden.get("/admin/mails?state=failed"), 200)
    assert first.email not in answer.text
    [mail] = answer.json()["items"]
    before = len(service.letters(first.email))
    expect(warden.post(f"/admin/mails/{mail['id']}/attempts"), 204)
    wait_until(lambda: len(service.letters(first.email)) > before, what="the mail")
    wait_until(lambda: expect(warden.get("/admin/mails?state=failed"), 200).json()["items"] == [], what="the queue")
    expect(warden.post(f"/admin/mails/{mail['id']}/attempts"), 409, "mail_sent")


def test_the_figures_add_up(town):
    warden, *_ = town
    before = expect(warden.get("/admin/figures"), 200).json()
    assert before["users"] >= 3 and before["users_on_global_board"] >= 2 and before["sessions_today"] >= 2
    _, first, second, _ = town
    expect(second.post("/reports", {"uid": first.uid, "reason": "again"}), 201)
    expect(warden.post("/admin/suspensions", {"uid": first.uid, "reason": "x", "until": UNTIL}), 201)
    after = expect(warden.get("/admin/figures"), 200).json()
    changed = {name: after[name] - before[name] for name in ("reports_open", "suspensions_in_force", "users_on_global_board")}
    assert changed == {"reports_open": 1, "suspensions_in_force": 1, "users_on_global_board": -1}
