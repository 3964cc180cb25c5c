"""A user who leaves is gone from every table, and what others need stays without a name."""

import datetime
import hashlib
import time

import citus
import psycopg
import pytest
from schema import rule_of
from study_clock import Clock, month_closes, utc
from whole_person import ABOUT_NOBODY, ADDRESS, NOW, WholePerson

DAY = 86400


@pytest.fixture
def person(schema):
    return WholePerson(schema)


def erase(person):
    """As the service does, and then lets its workers forget what they need for minutes only."""
    schema = person.schema
    schema.rows("SELECT quit_all_groups(%s)", person.uid)
    schema.rows("SELECT erase_user(%s, 'asked for it')", person.uid)
    schema.rows("SELECT fold_rank_deltas()")
    for minutes in (1, 4, 7):
        schema.set_clock(NOW + 120 + minutes * 60)
        schema.rows("SELECT forget_changes()")


def test_every_table_is_about_the_person_or_about_nobody(person):
    """A new table is to be filled in whole_person.py, or named there as one that is about nobody."""
    tables = {
        row[0] for row in person.schema.rows("SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'")
    }
    about = {table for table, _ in person.traces()}
    assert about == tables - ABOUT_NOBODY.keys()
    assert about == {column.split(".")[0] for column in person.rows_about()}


def test_nothing_of_an_erased_person_is_left_in_any_table(person):
    erase(person)
    assert person.traces() == []
    assert person.rows_about() == {}
    assert person.schema.maintenance("check.sql") == []
    assert person.schema.maintenance("rebuild_totals.sql", reason="why") == []


def test_erasing_leaves_the_rows_of_which_admins_are_told_so(person):
    """erase_user.sql says of each column that names the user whether its rows go or stay."""
    rows = person.schema.rows

    def stays(named):
        table, column = named.split(".")
        key = ", ".join(name for (name,) in rows(
            "SELECT a.attname FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)"
            " WHERE i.indrelid = %s::regclass AND i.indisprimary ORDER BY a.attnum", table)) or column  # fmt: skip
        return rows(f"SELECT {key} FROM {table} WHERE {column} = %s", person.uid), f"SELECT {key} FROM {table}"

    before = {named: stays(named) for named in person.rows_about() if named != "mail_outbox.to_address"}
    told = dict(rows("SELECT named_in, stays_without_name(named_in) FROM rows_about(%s)", person.uid))
    assert not told.pop("mail_outbox.to_address")
    erase(person)
    assert {named: bool(set(keys) & set(rows(left))) for named, (keys, left) in before.items()} == told


def test_a_table_that_erasing_forgets_is_found(person):
    person.schema.connection.execute("CREATE TABLE diaries (uid uuid, line text)")
    person.schema.connection.execute("INSERT INTO diaries VALUES (%s, %s)", [person.uid, ADDRESS])
    erase(person)
    assert {table for table, _ in person.traces()} == {"diaries"}


def test_a_mail_to_an_address_that_is_somebody_elses_by_now_is_theirs(schema):
    """One that the user only wished for, and one that was theirs until its hold ended."""
    schema.set_clock(NOW)
    run, leaver, owner = schema.connection.execute, schema.user(), schema.user()
    run("INSERT INTO auth_tokens (token_mac, purpose, uid, target, address, expires_at)"
        " VALUES (sha256(''), 'email_change', %s, 'wish@ants.example', 'wish@ants.example', anthill_clock())", [leaver])  # fmt: skip
    run("INSERT INTO former_emails (uid, canonical, email, held_until)"
        " VALUES (%s, 'former@ants.example', 'Former@ants.example', anthill_clock())", [leaver])  # fmt: skip
    run("UPDATE user_emails SET canonical = 'wish@ants.example', email = 'wish@ants.example' WHERE uid = %s", [owner])
    mail = "INSERT INTO mail_outbox (kind, to_address, parameters, created_at) VALUES (%s, %s, %s, anthill_clock() + %s * interval '1 s')"
    run(mail, ["asked", "wish@ants.example", f'{{"uid":"{leaver}"}}', 0])
    run(mail, ["theirs", "wish@ants.example", "{}", 0])
    run(mail, ["held", "former@ants.example", "{}", -1])
    run(mail, ["later", "former@ants.example", "{}", 0])
    of_leaver = "SELECT kind FROM mails_of(%s) ORDER BY kind"
    assert schema.rows(of_leaver, leaver) == [("asked",), ("held",)]
    schema.rows("SELECT erase_user(%s)", leaver)
    assert schema.rows("SELECT kind FROM mail_outbox ORDER BY kind") == [("later",), ("theirs",)]


@pytest.mark.parametrize("stays", [True, False])
def test_who_was_hidden_stays_hidden_in_closed_standings(person, stays):
    schema = person.schema
    hide = "UPDATE group_members SET visibility = 'hidden' WHERE uid = %s AND group_id = %s"
    schema.connection.execute(hide, [person.uid, person.group])
    if not stays:
        schema.rows("SELECT remove_member(%s, %s, %s)", person.uid, person.group, person.uid)
    erase(person)
    entry = "SELECT rank, seconds FROM closed_scores(%s, '2026-10-01') WHERE visibility = 'hidden' AND uid IS NULL"
    assert schema.rows(entry, person.group) == [(1, 7300)]
    for hidden in ("true", "false"):
        with pytest.raises(psycopg.Error) as caught:
            schema.connection.execute(f"UPDATE standings SET hidden = {hidden} WHERE hidden <> {hidden}")
        assert rule_of(caught.value) == "final"


def test_closed_standings_keep_rank_and_seconds_and_their_seal(person):
    schema = person.schema
    sealed = "SELECT month, group_id, sha256, sha256(convert_to(standings_text(group_id, month), 'UTF8')) FROM month_closes ORDER BY 1, 2"
    before, lines = schema.rows(sealed), "SELECT rank, seconds, manual_seconds FROM closed_scores(%s, '2026-10-01') ORDER BY person"
    scores = schema.rows(lines, person.group)
    erase(person)
    after = schema.rows(sealed)
    assert after == before and all(kept == counted for _, _, kept, counted in after)
    assert schema.rows(lines, person.group) == scores
    [gone] = schema.rows("SELECT uid, nickname, rank, seconds FROM closed_scores(%s, '2026-10-01') WHERE visibility = 'gone'", person.group)
    assert gone == (None, None, 1, 7300)
    text = schema.value("SELECT standings_text(%s, '2026-10-01')", person.group)
    digest = schema.value("SELECT encode(sha256, 'hex') FROM month_closes WHERE group_id = %s", person.group)
    assert hashlib.sha256(text.encode()).hexdigest() == digest


def test_decisions_about_others_stay_without_the_erased_name(person):
    schema = person.schema
    erase(person)
    assert schema.rows("SELECT actor, reason FROM amendments ORDER BY amendment_id") == [
        (person.other, None),
        (None, "the third one slept"),
    ]
    assert schema.rows("SELECT uid, suspended_by, lifted_by, lifted_at IS NOT NULL, reason FROM suspensions ORDER BY reason") == [
        (person.third, None, None, True, "too late"),
        (person.third, None, None, False, "too late again"),
    ]
    assert schema.rows("SELECT uid, about, reason, answered_by FROM reports ORDER BY reason") == [
        (None, person.third, "never sleeps", person.other),
        (person.third, person.other, "never sleeps either", None),
    ]
    assert [row[0] for row in schema.rows("SELECT banned_by FROM group_bans WHERE group_id = %s", person.group)] == [None]
    assert schema.rows("SELECT name FROM groups ORDER BY name") == [("Larks",), ("Night owls",), ("Swifts",)]


def test_the_audit_keeps_kinds_and_times_and_the_reason(person):
    schema = person.schema
    events = "SELECT id, at, kind FROM audit_events WHERE kind <> 'account_erased' ORDER BY id"
    before = schema.rows(events)
    erase(person)
    *kept, (_, _, last) = schema.rows(events)
    assert kept == before and last == "webhook_off"
    assert schema.rows("SELECT uid, actor, details FROM audit_events WHERE kind = 'account_erased'") == [
        (None, None, {"reason": "asked for it"})
    ]
    of_group = schema.rows(
        "SELECT kind, actor_uid, member_uid, details FROM group_audit(%s, %s, NULL, NULL, 99)", person.other, person.group
    )
    assert {kind for kind, actor, _, _ in of_group if actor is None} >= {"member_banned", "member_suspended", "standing_amended"}
    assert {kind for kind, _, member, _ in of_group if member is None} >= {"member_joined", "suspension_answered"}


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE audit_events SET kind = 'x' WHERE kind = 'signed_in'",
        "UPDATE audit_events SET at = at + interval '1 second'",
        "UPDATE audit_events SET client = NULL WHERE kind = 'signed_in'",
        "UPDATE audit_events SET uid = NULL WHERE kind = 'signed_in'",
        "UPDATE audit_events SET uid = NULL, actor = NULL, client = NULL WHERE kind = 'signed_in'",
        "UPDATE audit_events SET actor = NULL WHERE kind = 'member_banned'",
        "UPDATE audit_events SET actor = uid WHERE kind = 'wrong_password'",
        "UPDATE audit_events SET details = '{}' WHERE kind = 'email_changed'",
        "DELETE FROM audit_events",
        "TRUNCATE audit_events",
    ],
)
def test_events_of_people_who_are_there_cannot_be_changed(person, change):
    assert person.schema.call(change + " RETURNING id" if change.startswith("UPDATE") else change) == "audit_events_append_only"


@pytest.mark.parametrize("change", ["actor = NULL", "reason = NULL", "reason = 'x'", "new_seconds = 5", "at = now()"])
def test_amendments_of_people_who_are_there_cannot_be_changed(person, change):
    assert person.schema.call(f"UPDATE amendments SET {change} RETURNING person") == "amendments_append_only"


def test_an_event_that_was_emptied_gets_nobody_again(person):
    erase(person)
    emptied = "UPDATE audit_events SET {} WHERE kind = 'signed_in' RETURNING id"
    for change in ("uid = gen_random_uuid()", "client = 'x'", "details = '{\"a\": 1}'"):
        assert person.schema.call(emptied.format(change)) == "audit_events_append_only"


def ask(person, epoch=1, sign_in=None):
    return person.schema.call("SELECT ask_to_leave(%s, %s, %s, 'here')", person.uid, epoch, sign_in)


def test_asking_to_leave_stops_the_timer_and_ends_all_other_sign_ins(person):
    schema = person.schema
    [kept] = schema.rows("SELECT id FROM sign_ins WHERE uid = %s", person.uid)[0]
    schema.connection.execute(
        "INSERT INTO sign_ins (uid, token_mac, auth_epoch, expires_at) VALUES (%s, sha256('x'), 1, 'infinity')", [person.uid]
    )
    assert ask(person, sign_in=kept) is None
    now = NOW + 120
    assert schema.value("SELECT leaves_at FROM users WHERE uid = %s", person.uid) == utc(now + 7 * DAY)
    assert schema.rows("SELECT id, auth_epoch FROM sign_ins WHERE uid = %s", person.uid) == [(kept, 2)]
    assert schema.value("SELECT state FROM timer_state(%s)", person.uid) == "idle"
    assert schema.rows("SELECT to_address, parameters ->> 'at' FROM mail_outbox WHERE kind = 'account_leaving'") == [
        (ADDRESS.title(), "2026-11-28 14:02")
    ]
    assert schema.maintenance("check.sql") == []
    schema.set_clock(now + 60)
    assert ask(person, epoch=2) is None
    assert schema.value("SELECT leaves_at FROM users WHERE uid = %s", person.uid) == utc(now + 7 * DAY)
    assert schema.value("SELECT count(*) FROM audit_events WHERE kind = 'account_leaving'") == 1
    assert schema.value("SELECT come_back(%s, 'here')", person.uid) == utc(now + 7 * DAY)
    assert schema.value("SELECT come_back(%s, 'here')", person.uid) is None
    assert schema.value("SELECT leaves_at FROM users WHERE uid = %s", person.uid) is None


def test_a_confirmation_from_before_a_new_password_is_invalid(person):
    person.schema.connection.execute("UPDATE users SET auth_epoch = 2 WHERE uid = %s", [person.uid])
    assert ask(person) == "proof_outdated"


def test_nobody_comes_back_once_the_account_is_due(person):
    schema = person.schema
    assert ask(person) is None
    due = NOW + 120 + 7 * DAY
    schema.set_clock(due - 1)
    assert schema.rows("SELECT uid FROM accounts_due()") == []
    assert schema.value("SELECT may_sign_in(u) FROM users u WHERE uid = %s", person.uid)
    schema.set_clock(due)
    assert schema.rows("SELECT uid, canonical FROM accounts_due()") == [(person.uid, ADDRESS)]
    assert schema.rows("SELECT uid FROM accounts_due(%s)", [person.uid]) == []
    assert not schema.value("SELECT may_sign_in(u) FROM users u WHERE uid = %s", person.uid)
    assert schema.call("SELECT come_back(%s, 'here')", person.uid) == "account_gone"


@pytest.mark.parametrize("left", [False, True])
def test_nobody_is_erased_between_the_end_of_a_month_and_its_standings(schema, left):
    """They were on the final board by the clock, whenever the program writes it."""
    closes = month_closes(datetime.date(2026, 10, 1), Clock("Asia/Seoul", datetime.time(5)))
    schema.set_clock(closes - 5 * DAY)
    owner, leaver = schema.user(), schema.user()
    group = schema.value("SELECT create_group(%s, 'G')", owner)
    schema.rows("SELECT enter_group(%s, %s, 'member')", leaver, group)
    schema.rows("SELECT record_timed(%s, %s, %s)", leaver, utc(schema.now - 3600), utc(schema.now))
    schema.rows("SELECT months_due()")
    schema.connection.execute("UPDATE users SET leaves_at = %s WHERE uid = %s", [utc(closes - 1), leaver])
    if left:
        schema.set_clock(closes - DAY)
        schema.rows("SELECT remove_member(%s, %s, %s)", leaver, group, leaver)
    schema.set_clock(closes - 1)
    assert schema.value("SELECT count(*) FROM accounts_due()") == 1
    schema.set_clock(closes)
    assert schema.value("SELECT count(*) FROM accounts_due()") == 0
    with pytest.raises(psycopg.Error, match=rf"2026-10 of G \({group}\)"):
        schema.connection.execute("SELECT quit_all_groups(%s)", [leaver])
    assert schema.call("SELECT erase_user(%s)", leaver) == "month_due"
    other = schema.user()
    assert schema.call("SELECT admin_merge_users(%s, %s, 'r', 'M')", other, leaver) == "month_due"
    assert schema.call("SELECT delete_group(%s, %s)", owner, group) == "month_due"
    assert schema.call("SELECT admin_delete_group(%s, 'r', 'M')", group) == "month_due"
    schema.rows("SELECT lock_to_close(%s, '2026-10-01')", group)
    assert schema.value("SELECT close_month(%s, '2026-10-01')", group)
    [(due, _)] = schema.rows("SELECT * FROM accounts_due()")
    schema.rows("SELECT erase_user(%s)", due)
    assert schema.rows("SELECT rank, counted_seconds, uid FROM standings ORDER BY rank") == [(1, 3600, None), (2, 0, owner)]
    assert schema.maintenance("check.sql") == []


def test_the_only_owner_who_stays_cannot_leave_a_group_or_the_service(person):
    """An owner who is about to leave does not count."""
    schema = person.schema
    assert ask(person) is None
    leave = "SELECT ask_to_leave(%s, 1, NULL, 'here')"
    larks = schema.value("SELECT group_id FROM groups WHERE name = 'Larks'")
    try:
        schema.connection.execute(leave, [person.other])
        raise AssertionError("the last owner left")
    except psycopg.Error as error:
        assert rule_of(error) == "leaves_groups_ownerless"
        for group, name in ((person.group, "Night owls"), (larks, "Larks")):
            assert str(group) in error.diag.message_detail and name in error.diag.message_detail
    assert schema.call("SELECT remove_member(%s, %s, %s)", person.other, person.group, person.other) == "last_owner"
    assert schema.call("SELECT transfer_group(%s, %s, %s)", person.other, person.group, person.uid) == "last_owner"
    schema.rows("SELECT set_member_role(%s, %s, %s, 'owner')", person.other, person.group, person.third)
    for name in ("Larks", "Swifts"):
        schema.rows("SELECT delete_group(%s, (SELECT group_id FROM groups WHERE name = %s))", person.other, name)
    assert schema.call(leave, person.other) is None
    assert schema.maintenance("check.sql") == []


def test_erasing_somebody_with_100_000_intervals_takes_no_longer_than_making_them(schema):
    uid, began = schema.user(), time.monotonic()
    schema.connection.execute(
        "WITH s AS (INSERT INTO study_sessions (uid, state, source) SELECT %s, 'finished', 'timer' FROM generate_series(1, 50000) RETURNING session_id),"
        " n AS (SELECT session_id, row_number() OVER () AS number FROM s)"
        " INSERT INTO study_intervals (uid, session_id, started_at, ended_at, source, time_zone, day_starts_at, recorded_at)"
        " SELECT %s, session_id, b, b + interval '25 minutes', 'timer', 'Asia/Seoul', '05:00', b + interval '25 minutes'"
        " FROM n CROSS JOIN LATERAL (SELECT timestamptz '2020-01-01' + make_interval(mins => 30 * (2 * number + half)::integer) AS b"
        " FROM generate_series(0, 1) half) t",
        [uid, uid],
    )
    making = time.monotonic() - began
    group = schema.value("SELECT create_group(%s, 'G')", schema.user())
    schema.rows("SELECT create_invitation((SELECT uid FROM group_members), %s, 'a code')", group)
    schema.rows("SELECT accept_invitation(%s, 'a code')", uid)
    began = time.monotonic()
    schema.rows("SELECT quit_all_groups(%s)", uid)
    quitting = time.monotonic() - began
    schema.rows("SELECT erase_user(%s)", uid)
    erasing = time.monotonic() - began
    print(f"made in {making:.2f} s, groups locked for {quitting:.3f} s, all erased in {erasing:.2f} s")
    assert quitting < making / 4 and erasing < making
    assert schema.value("SELECT count(*) FROM study_intervals") == 0


def test_erasing_while_somebody_else_writes_waits_for_them(schema):
    """A month that closes, and a timer that stops, come first or not at all."""
    uid = schema.user()
    schema.rows("SELECT * FROM start_timer(%s)", uid)
    other = schema.connect()
    other.autocommit = False
    other.execute("SELECT * FROM pause_timer(%s)", [uid])
    third = schema.connect()
    third.execute(citus.IMPATIENT)
    with pytest.raises(citus.TooLate):
        third.execute("SELECT erase_user(%s)", [uid])
    other.commit()
    schema.rows("SELECT erase_user(%s)", uid)
    assert schema.maintenance("check.sql") == []


def test_nobody_is_mailed_about_a_timer_whose_account_is_due_to_be_deleted(schema):
    user = schema.user()
    session = schema.value("SELECT session_id FROM start_timer(%s)", user)
    schema.set_clock(schema.now + 7 * 3600)
    schema.connection.execute("UPDATE users SET leaves_at = anthill_clock()")
    assert schema.rows("SELECT FROM unattended_timer(%s, %s)", user, session) == []
    assert schema.value("SELECT tell_of_unattended_timers()") == 0
    schema.connection.execute("UPDATE users SET leaves_at = NULL")
    assert schema.value("SELECT tell_of_unattended_timers()") == 1
