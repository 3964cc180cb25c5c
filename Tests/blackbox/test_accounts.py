"""Who you are: registration by mail, sign-ins, passwords, the profile."""

import json

import accounts
import citus
import httpx
import pytest
from person import PASSWORD, expect, new_id
from service import wait_until


def test_a_person_registers_through_the_mail_and_is_signed_in(service, people):
    person = people(service, "Jihye", registered=False)
    token = person.ask_to_register(locale="ko")
    body = {"token": token, "nickname": "지혜", "password": PASSWORD, "time_zone": "Asia/Seoul", "locale": "ko"}
    answer = expect(person.post("/users", body), 201).json()
    person.token = answer["sign_in"]["token"]
    me = expect(person.get("/me"), 200).json()
    assert me == answer["user"]
    assert me["email"] == person.email and me["nickname"] == "지혜" and me["locale"] == "ko"
    assert me["study_clock"] == {"time_zone": "Asia/Seoul", "day_starts_at": "05:00"}
    assert me["daily_goal_seconds"] == 14400 and me["global_board"] is False and me["theme"] == "system"


def traces(service, person):
    """What the database has of somebody, but for what is made by chance. The mail to newcomers is not part of an account."""
    names = {named.split(".")[0] for named, _ in service.cluster.sql("SELECT * FROM rows_about(%s)", person.uid)}
    dropped, found = ["id", "token_mac", "password_hash"], []
    for table in sorted(names - {"mail_outbox"}):
        for [row] in service.cluster.sql(f"SELECT to_jsonb(t) - %s::text[] FROM {table} t WHERE uid = %s", dropped, person.uid):
            text = json.dumps(row, sort_keys=True)
            for word, value in {"uid": person.uid, "email": person.email, "address": person.address}.items():
                text = text.replace(value, f"their {word}")
            found.append((table, text))
    return found


@citus.not_spread("two texts of one row are compared")
def test_the_accounts_of_the_tests_are_as_registration_leaves_them(service, people):
    registered, made = people(service, registered=False).register_by_mail(), people(service)
    assert traces(service, made) == traces(service, registered)
    for person in (made, registered):
        person.sign_in()
        person.token = accounts.sign_in(service, person.email, device="python-httpx", client=person.address)
    assert traces(service, made) == traces(service, registered)
    # It costs what hashes cost today: otherwise the sign-in would have made it anew.
    assert service.cluster.sql("SELECT password_hash FROM users WHERE uid = %s", made.uid) == [(accounts.HASH,)]
    expect(made.get("/me"), 200)


def test_a_registration_is_answered_alike_whether_the_address_is_known_or_not(service, people):
    known, stranger = people(service), people(service, registered=False)
    service.advance_clock(120)
    answers = []
    for address in (known.email, known.email.upper(), stranger.email):
        answer = expect(stranger.post("/registrations", {"email": address}), 202)
        assert answer.content == b""
        answers.append({name: value for name, value in answer.headers.items() if name not in ("date", "x-request-id")})
    assert answers[0] == answers[1] == answers[2]
    service.token_from_mail(stranger.email)
    letters = wait_until(lambda: service.letters(known.email), what="the letter to a known address")
    assert "#token=" not in letters[0].get_body(("plain",)).get_content()


def test_a_registration_token_works_once(service, people):
    person = people(service, registered=False)
    token = person.ask_to_register()
    body = {"token": token, "nickname": "Jihye", "password": PASSWORD}
    expect(person.post("/users", body), 201)
    expect(person.post("/users", body), 410, "token_used_or_expired")


def test_a_registration_token_ends_after_24_hours(service, people):
    person = people(service, registered=False)
    token = person.ask_to_register()
    service.advance_clock(24 * 3600)
    body = {"token": token, "nickname": "Jihye", "password": PASSWORD}
    expect(person.post("/users", body), 410, "token_used_or_expired")


@pytest.mark.parametrize("password", ["short", "password123", "1234567890", "anthill anthill"])
def test_a_weak_password_is_refused_and_the_token_stays_good(service, people, password):
    person = people(service, registered=False)
    token = person.ask_to_register()
    body = {"token": token, "nickname": "Jihye", "password": password}
    expect(person.post("/users", body), 422, "weak_password", field="password")
    expect(person.post("/users", {**body, "password": PASSWORD}), 201)


@pytest.mark.parametrize(
    ("change", "status", "field"),
    [
        ({"nickname": ""}, 422, "nickname"),
        ({"nickname": "x" * 500}, 422, "nickname"),
        ({"nickname": "a\nb"}, 422, "nickname"),
        ({"time_zone": "FOO5"}, 422, "time_zone"),
        ({"locale": "fr"}, 422, "locale"),
        ({"delivery": "pigeon"}, 422, "delivery"),
        ({"nickname": 5}, 400, "nickname"),
        ({"nick_name": "x"}, 400, "nick_name"),
    ],
)
def test_a_wrong_field_of_a_new_user_is_named(service, people, change, status, field):
    person = people(service, registered=False)
    body = {"token": person.ask_to_register(), "nickname": "Jihye", "password": PASSWORD, **change}
    expect(person.post("/users", body), status, field=field)


@pytest.mark.parametrize("address", ["", "nobody", "a@b@c", "x@localhost\r\nBcc: y@example.org", "a b@example.org", "@example.org"])
def test_what_is_no_address_is_refused(service, people, address):
    expect(people(service, registered=False).post("/registrations", {"email": address}), 422, field="email")


def test_wrong_address_and_wrong_password_get_the_same_answer(service, people):
    person = people(service)
    wrong = [
        expect(person.post("/sign-ins", {"email": person.email, "password": "not this one 1"}, token=None), 401),
        expect(person.post("/sign-ins", {"email": "nobody@example.org", "password": PASSWORD}, token=None), 401),
    ]
    bodies = [{name: value for name, value in answer.json().items() if name != "request_id"} for answer in wrong]
    assert bodies[0] == bodies[1] and bodies[0]["code"] == "wrong_credentials"


def test_after_five_wrong_passwords_one_has_to_wait(service, people):
    person = people(service)
    for _ in range(5):
        expect(person.post("/sign-ins", {"email": person.email, "password": "not this one 1"}, token=None), 401)
    statuses = [person.post("/sign-ins", {"email": person.email, "password": "not this one 1"}, token=None).status_code for _ in range(3)]
    assert 429 in statuses
    expect(person.get("/me"), 200)
    service.advance_clock(16 * 60)
    expect(person.post("/sign-ins", {"email": person.email, "password": PASSWORD}, token=None), 201)


def test_a_sign_in_is_listed_and_can_be_ended_from_another_device(service, people):
    person = people(service)
    phone = person.token
    person.sign_in(device="Laptop")
    devices = expect(person.get("/sign-ins"), 200).json()["items"]
    assert len(devices) == 2 and [device["current"] for device in devices].count(True) == 1
    assert next(device for device in devices if device["current"])["device"] == "Laptop"
    other = next(device for device in devices if not device["current"])
    expect(person.delete(f"/sign-ins/{other['id']}"), 204)
    expect(person.get("/me", token=phone), 401, "not_signed_in")
    expect(person.delete(f"/sign-ins/{other['id']}"), 404, "not_found")
    expect(person.delete("/sign-ins/current"), 204)
    expect(person.get("/me"), 401, "not_signed_in")


def test_nobody_can_end_the_sign_in_of_somebody_else(service, people):
    mine, other = people(service), people(service, "Minsu")
    theirs = expect(other.get("/sign-ins"), 200).json()["items"][0]
    expect(mine.delete(f"/sign-ins/{theirs['id']}"), 404, "not_found")
    expect(other.get("/me"), 200)


def test_a_cookie_signs_in_and_its_changes_must_come_from_the_same_origin(service, people):
    person = people(service)
    answer = expect(person.post("/sign-ins", {"email": person.email, "password": PASSWORD, "delivery": "cookie"}, token=None), 201)
    assert "token" not in answer.json()["sign_in"]
    flags = {part.strip().lower() for part in answer.headers["set-cookie"].split(";")[1:]}
    assert {"httponly", "samesite=lax", "path=/"} <= flags
    cookie = {"Cookie": answer.headers["set-cookie"].split(";")[0]}
    person.http.cookies.clear()
    change = {"nickname": "Jihye"}
    expect(person.get("/me", token=None, headers=cookie), 200)
    expect(person.patch("/me", change, token=None, headers=cookie), 403, "cross_origin")
    for foreign in (
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site", "Origin": service.origin},
    ):
        expect(person.patch("/me", change, token=None, headers={**cookie, **foreign}), 403, "cross_origin")
    for own in ({"Sec-Fetch-Site": "same-origin"}, {"Origin": service.origin}):
        expect(person.patch("/me", change, token=None, headers={**cookie, **own}), 200)


def test_a_password_reset_by_mail_ends_every_sign_in(service, people):
    person = people(service)
    token = person.ask_for_reset()
    expect(person.put("/password-resets", {"token": token, "password": "qwertyuiop"}, token=None), 422, "weak_password")
    expect(person.put("/password-resets", {"token": token, "password": "a new heron 77"}, token=None), 204)
    expect(person.put("/password-resets", {"token": token, "password": "a new heron 78"}, token=None), 410)
    expect(person.get("/me"), 401, "not_signed_in")
    expect(person.post("/sign-ins", {"email": person.email, "password": PASSWORD}, token=None), 401)
    expect(person.post("/sign-ins", {"email": person.email, "password": "a new heron 77"}, token=None), 201)


def test_a_mails_token_tells_its_address_and_works_until_it_is_used(service, people):
    newcomer, person = people(service, registered=False), people(service)
    already = len(service.letters(person.email))
    expect(person.post("/password-resets", {"email": person.email}, token=None), 202)
    registration, reset = newcomer.ask_to_register(), service.token_from_mail(person.email, already=already)
    checks = lambda path, token: newcomer.post(f"/{path}/checks", {"token": token}, token=None)
    for _ in "twice":
        for path, token, owner in (("registrations", registration, newcomer), ("password-resets", reset, person)):
            answer = expect(checks(path, token), 200)
            assert answer.json() == {"email": owner.email} and answer.headers["Cache-Control"] == "no-store"
    for path, token in (("registrations", reset), ("password-resets", registration), ("registrations", "x"), ("password-resets", "")):
        expect(checks(path, token), 410, "token_used_or_expired")
    body = {"token": registration, "nickname": "Mina", "password": PASSWORD}
    expect(newcomer.post("/users", body, token=None), 201)
    expect(person.put("/password-resets", {"token": reset, "password": "a new heron 77"}, token=None), 204)
    for path, token in (("registrations", registration), ("password-resets", reset)):
        expect(checks(path, token), 410, "token_used_or_expired")
    for path in ("registrations", "password-resets"):
        expect(newcomer.post(f"/{path}/checks", {}, token=None), 400, "missing_field", field="token")
        expect(newcomer.post(f"/{path}/checks", {"token": 1}, token=None), 400, "wrong_type", field="token")
        expect(newcomer.post(f"/{path}/checks", {"token": "x", "password": "y"}, token=None), 400, "unknown_field", field="password")


def test_a_reset_for_an_unknown_address_is_answered_alike_and_the_mail_says_so(service, people):
    unknown, known = people(service, registered=False), people(service)
    answers = [person.post("/password-resets", {"email": person.email}, token=None) for person in (unknown, known)]
    assert [(answer.status_code, answer.content) for answer in answers] == [(202, b""), (202, b"")]
    letters = wait_until(lambda: service.letters(unknown.email), what="the letter to an unknown address")
    assert "#token=" not in letters[0].get_body(("plain",)).get_content()


def test_a_reset_token_ends_after_30_minutes(service, people):
    person = people(service)
    token = person.ask_for_reset()
    service.advance_clock(30 * 60)
    expect(person.put("/password-resets", {"token": token, "password": "a new heron 77"}, token=None), 410)


def test_a_registration_token_is_no_reset_token(service, people):
    person = people(service, registered=False)
    token = person.ask_to_register()
    expect(person.put("/password-resets", {"token": token, "password": "a new heron 77"}), 410, "token_used_or_expired")


def test_a_changed_password_ends_the_other_sign_ins_only(service, people):
    person = people(service)
    first = person.token
    person.sign_in()
    wrong = {"current": "not this one 1", "new": "a new heron 77"}
    expect(person.put("/me/password", wrong), 403, "wrong_password", field="current")
    expect(person.put("/me/password", {"current": PASSWORD, "new": "short"}), 422, "weak_password", field="new")
    expect(person.put("/me/password", {"current": PASSWORD, "new": "a new heron 77"}), 204)
    expect(person.get("/me"), 200)
    expect(person.get("/me", token=first), 401, "not_signed_in")
    expect(person.post("/sign-ins", {"email": person.email, "password": "a new heron 77"}, token=None), 201)


def test_the_profile_changes_field_by_field(service, people):
    person = people(service)
    before = expect(person.get("/me"), 200).json()
    for change in (
        {"nickname": "지혜 🐜"},
        {"locale": "ko"},
        {"theme": "dark"},
        {"daily_goal_seconds": 7200},
        {"global_board": True},
        {"default_timer_seconds": 3000},
        {"sounds": False},
        {"notices": False},
        {"unattended_mail": False},
        {"study_clock": {"time_zone": "Europe/Berlin", "day_starts_at": "04:30"}},
    ):
        after = expect(person.patch("/me", change), 200).json()
        assert after == {**before, **change}
        assert expect(person.get("/me"), 200).json() == after
        before = after


# From the tables of PlainTextTests.swift, and those who rename somebody by a script.
@pytest.mark.parametrize("nickname", [
    "  공부하는 개미 ", "🐜", "👨\u200d👩\u200d👧", "e\u0301", "Zoë O'Neil-Ant", "🏴\U000e0067\U000e0062\U000e007f", "x" * 40, "ก็", "a\u034fb",
    "", "   ", "a\nb", "a\u0007b", "a\u0085b", "a\u202eb", "a\u200bb", "\u3164", "\u200d", "a\u2028b", "a\ue000b", "a\ufeffb", "\u2800",
    "a\u00a0b", "\ufe0f", "a\U000e0041b", "\u034f", "\u17b4", "\u0301", "\U000e0061\U000e007f", "a\u061cb", "a\u2066b", "a\u00adb", "a\ufffeb",
])  # fmt: skip
def test_program_and_database_take_the_same_names(service, people, nickname):
    person = people(service)
    [[line]] = service.cluster.sql("SELECT plain_line(%s)", nickname)
    if line is None:
        expect(person.patch("/me", {"nickname": nickname}), 422, "invalid_nickname", field="nickname")
    else:
        assert expect(person.patch("/me", {"nickname": nickname}), 200).json()["nickname"] == line


@pytest.mark.parametrize(
    ("change", "status", "field"),
    [
        ({"nickname": ""}, 422, "nickname"),
        ({"locale": "xx"}, 422, "locale"),
        ({"theme": "pink"}, 422, "theme"),
        ({"daily_goal_seconds": 0}, 422, "daily_goal_seconds"),
        ({"daily_goal_seconds": 10**12}, 422, "daily_goal_seconds"),
        ({"daily_goal_seconds": "many"}, 400, "daily_goal_seconds"),
        ({"daily_goal_seconds": 1.5}, 400, "daily_goal_seconds"),
        ({"study_clock": {"time_zone": "Mars/Olympus"}}, 422, "study_clock.time_zone"),
        ({"study_clock": {"day_starts_at": "25:00"}}, None, "study_clock.day_starts_at"),
        ({"study_clock": {"hour": 5}}, 400, "study_clock.hour"),
        ({"uid": new_id()}, 400, "uid"),
        ({"email": "x@example.org"}, 400, "email"),
    ],
)
def test_a_wrong_change_of_the_profile_names_its_field_and_changes_nothing(service, people, change, status, field):
    person = people(service)
    before = expect(person.get("/me"), 200).json()
    answer = person.patch("/me", change)
    assert answer.status_code == (status or answer.status_code) and answer.status_code in (400, 422), answer.text
    assert answer.json()["field"] == field
    assert expect(person.get("/me"), 200).json() == before


@pytest.mark.parametrize("token", ["x", "x" * 43, "", "é" * 10, "a" * 2000])
def test_a_forged_token_opens_nothing(service, token):
    for path in ("/me", "/me/timer", "/me/today", "/groups", "/sign-ins"):
        answer = httpx.get(service.api + path, headers={"Authorization": f"Bearer {token}".strip().encode()}, trust_env=False)
        assert answer.status_code == 401 and answer.json()["code"] == "not_signed_in"
        assert answer.headers["www-authenticate"].startswith("Bearer")


def test_a_sign_in_ends_after_30_idle_days(service, people):
    person = people(service)
    service.advance_clock(29 * 86400)
    expect(person.get("/me"), 200)
    service.advance_clock(30 * 86400 + 1)
    expect(person.get("/me"), 401, "not_signed_in")


def test_a_device_tells_its_name_and_from_where_and_all_others_are_signed_out(service, people):
    person = people(service)
    phone = person.token
    browser = "Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0"
    sign_in = {"email": person.email, "password": PASSWORD}
    laptop = expect(person.post("/sign-ins", sign_in, token=None, headers={"User-Agent": browser}), 201).json()["sign_in"]["token"]
    devices = expect(person.get("/sign-ins", token=laptop), 200).json()["items"]
    mine = next(device for device in devices if device["current"])
    assert mine["device"] == "Firefox · Linux" and mine["client_address"] == person.address
    expect(person.delete("/sign-ins", token=laptop), 204)
    expect(person.get("/me", token=phone), 401, "not_signed_in")
    assert [device["id"] for device in expect(person.get("/sign-ins", token=laptop), 200).json()["items"]] == [mine["id"]]


def ask_for_address(person, address, password=PASSWORD):
    """Asks for another address, and gives the tokens that come to it and to the old one."""
    service = person.service
    already = len(service.letters(person.email))
    expect(person.post("/me/email-changes", {"email": address, "password": password}), 202)
    return service.token_from_mail(address), service.token_from_mail(person.email, already=already)


def test_an_address_is_changed_with_the_link_to_the_new_one(service, people):
    person, new = people(service), people(service, registered=False).email
    expect(person.post("/me/email-changes", {"email": new, "password": "not this one 1"}), 403, "wrong_password", field="password")
    expect(person.post("/me/email-changes", {"email": person.email, "password": PASSWORD}), 422, "email_unchanged", field="email")
    phone = person.token
    person.sign_in()
    token, _ = ask_for_address(person, new)
    expect(person.post("/email-changes", {"token": token}, token=None), 204)
    expect(person.post("/email-changes", {"token": token}, token=None), 410, "token_used_or_expired")
    assert expect(person.get("/me"), 200).json()["email"] == new
    expect(person.get("/me", token=phone), 401, "not_signed_in")
    expect(person.post("/sign-ins", {"email": person.email, "password": PASSWORD}, token=None), 401)
    expect(person.post("/sign-ins", {"email": new, "password": PASSWORD}, token=None), 201)


def test_the_old_address_takes_everything_back_for_seven_days(service, people):
    person, thief = people(service), people(service, registered=False)
    change, back = ask_for_address(person, thief.email)
    expect(thief.post("/email-changes", {"token": change}), 204)
    service.advance_clock(6 * 86400)
    already = len(service.letters(person.email))
    expect(person.post("/email-changes/cancellations", {"token": back}, token=None), 204)
    expect(person.post("/email-changes/cancellations", {"token": back}, token=None), 410, "token_used_or_expired")
    expect(person.get("/me"), 401, "not_signed_in")
    for address in (person.email, thief.email):
        expect(person.post("/sign-ins", {"email": address, "password": PASSWORD}, token=None), 401)
    reset = service.token_from_mail(person.email, already=already)
    expect(person.put("/password-resets", {"token": reset, "password": "a new heron 77"}, token=None), 204)
    expect(person.post("/sign-ins", {"email": person.email, "password": "a new heron 77"}, token=None), 201)


def test_a_change_to_a_taken_address_is_answered_alike_and_its_owner_is_told(service, people):
    wishing, other, free = [people(service), people(service)], people(service, "Minsu"), people(service, registered=False)
    service.advance_clock(120)
    already = len(service.letters(other.email))
    wishes = [{"email": address, "password": PASSWORD} for address in (other.email, free.email)]
    answers = [person.post("/me/email-changes", wish) for person, wish in zip(wishing, wishes, strict=True)]
    assert [(answer.status_code, answer.content) for answer in answers] == [(202, b""), (202, b"")]
    letters = wait_until(lambda: service.letters(other.email)[already:], what="the letter to a taken address")
    assert "#token=" not in letters[0].get_body(("plain",)).get_content()


def test_which_address_one_has_is_answered_by_mail_alone(service, people):
    known, unknown = people(service), people(service, registered=False)
    service.advance_clock(120)
    already = len(service.letters(known.email))
    answers = [known.post("/email-reminders", {"email": person.email}, token=None) for person in (known, unknown)]
    assert [(answer.status_code, answer.content) for answer in answers] == [(202, b""), (202, b"")]
    told = wait_until(lambda: service.letters(known.email)[already:], what="the letter to a known address")
    assert known.name in told[0].get_body(("plain",)).get_content()
    told = wait_until(lambda: service.letters(unknown.email), what="the letter to an unknown address")
    assert "/find-email" in told[0].get_body(("plain",)).get_content()


def test_the_recent_activity_tells_what_happened_and_from_where(service, people):
    person = people(service)
    expect(person.post("/sign-ins", {"email": person.email, "password": "not this one 1"}, token=None), 401)
    group = person.found_group()
    friend = people(service, "Minsu")
    friend.join(person.invite(group)["code"])
    expect(person.delete(f"/groups/{group['id']}/members/{friend.uid}"), 204)
    mine = expect(person.get("/me/activity"), 200).json()
    kinds = [event["kind"] for event in mine["items"]]
    assert kinds == ["member_removed", "invitation_created", "wrong_password", "registered"]
    assert mine["items"][0] | {"at": None} == {
        "at": None, "kind": "member_removed", "by_me": True, "about_me": False, "client_address": None,
        "group": "Night owls", "details": {},
    }  # fmt: skip
    assert mine["items"][-1]["client_address"] == person.address
    theirs = expect(friend.get("/me/activity?limit=1"), 200).json()
    assert [(event["kind"], event["by_me"], event["about_me"]) for event in theirs["items"]] == [("member_removed", False, True)]
    assert theirs["next"]


def test_the_first_page_leads_home_who_is_signed_in(service, people):
    person = people(service)
    answer = expect(person.post("/sign-ins", {"email": person.email, "password": PASSWORD, "delivery": "cookie"}, token=None), 201)
    cookie = answer.headers["set-cookie"].split(";")[0]
    person.http.cookies.clear()
    first = httpx.get(service.origin + "/", headers={"Cookie": cookie}, trust_env=False)
    assert (first.status_code, first.headers["location"]) == (303, "/home")
    expect(person.delete("/sign-ins"), 204)
    assert httpx.get(service.origin + "/", headers={"Cookie": cookie}, trust_env=False).status_code == 200
