"""check.sql finds what is broken on purpose, and rebuild_totals.sql mends totals."""

import datetime
import os
import re
import threading
import time

import citus
import maintenance
import psycopg
import pytest
from schema import ROOT, Schema
from study_clock import utc

NOW = int(datetime.datetime(2026, 11, 21, 5, tzinfo=datetime.timezone.utc).timestamp())


OCTOBER = int(datetime.datetime(2026, 10, 20, 5, tzinfo=datetime.timezone.utc).timestamp())

# Undoes what keeps an admin from changing what is final.
UNSEALED = "".join(
    f"ALTER TABLE {table} DISABLE TRIGGER USER; "
    for table in ("standings", "month_closes", "amendments", "group_members", "ranking_rules", "group_rules", "audit_events")
    if table != "ranking_rules" or not citus.WORKERS  # a copied table is sealed for good
)

# A browser for everybody who has an alarm, though nobody notes when it rings.
BROWSERS = """
    SELECT set_alarm(uid, true, '06:30', 'easy', 'bell', 5, 3) FROM users;
    WITH signed_in AS (
      INSERT INTO sign_ins (uid, token_mac, auth_epoch, expires_at)
        SELECT uid, sha256(uuid_send(uid)), 1, 'infinity' FROM alarms WHERE until = 'infinity' RETURNING uid, id),
    browsers AS (
      INSERT INTO push_subscriptions (uid, sign_in, endpoint, device_key, authentication)
        SELECT uid, id, uid::text, decode(repeat('00', 65), 'hex'), decode(repeat('00', 16), 'hex') FROM signed_in
        RETURNING uid, id)
"""


def do(schema, damage):
    """Breaks something by hand."""
    try:
        schema.connection.execute(damage)
    except (psycopg.errors.FeatureNotSupported, psycopg.errors.SyntaxError):
        if not citus.WORKERS:
            raise
        pytest.skip("On Citus: nobody can break it in this way")


def rebuild(schema, **variables):
    """Mends totals; the differences."""
    said = schema.maintenance("rebuild_totals.sql", **{"reason": "why", "apply": 1} | variables)
    return said[:-1] if said and said[-1][0].startswith("Repaired ") else said


WEBHOOK = (
    "INSERT INTO webhooks (group_id, kind, events, host, sealed_address, locale, week_ends_at)"
    " SELECT group_id, 'json', '{new_member}', 'a.example', 'x', 'en', 'infinity' FROM groups"
)


@pytest.fixture(scope="module")
def lived():
    """A database to be copied, to which nobody is connected: two members of a group with a closed month, which was amended, and a few days of study; one of them on the global
    board and with a running timer, the other suspended for an hour and with an alarm they have answered."""
    schema = Schema()
    schema.set_clock(OCTOBER)
    owner, friend = schema.user(), schema.user("Europe/London")
    group = schema.value("SELECT create_group(%s, 'G')", owner)
    schema.rows("SELECT create_invitation(%s, %s, 'a code')", owner, group)
    schema.rows("SELECT accept_invitation(%s, 'a code')", friend)
    schema.rows("SELECT set_global_board(%s, true)", owner)
    for user in (owner, friend):
        schema.rows("SELECT record_timed(%s, %s, %s)", user, utc(OCTOBER - 7200), utc(OCTOBER))
    schema.set_clock(NOW)
    schema.rows("SELECT lock_to_close(%s, '2026-10-01')", group)
    assert schema.value("SELECT close_month(%s, '2026-10-01')", group)
    schema.rows("SELECT amend_standing(%s, %s, '2026-10-01', %s, 3600, 'why')", owner, group, friend)
    schema.set_clock(NOW + 60)
    schema.rows("SELECT amend_standing(%s, %s, '2026-10-01', %s, 7300, 'no')", owner, group, friend)
    for user in (owner, friend):
        task = schema.value("INSERT INTO tasks (uid, title) VALUES (%s, 'T') RETURNING id", user)
        for hours in (3, 13, 23, 33):
            began = NOW - hours * 3600
            schema.rows("SELECT record_session(%s, NULL, %s, %s, task_id => %s)",
                        user, [utc(began)], [utc(began + 7200)], task)  # fmt: skip
    schema.rows("SELECT record_timed(%s, %s, %s)", owner, utc(NOW - 3000), utc(NOW - 600))
    schema.rows("SELECT * FROM start_timer(%s)", owner)
    schema.rows("SELECT suspend_member(%s, %s, %s, 'why', %s)", owner, group, friend, utc(NOW + 3660))
    schema.connection.execute("INSERT INTO wake_ups (uid, day) VALUES (%s, '2026-11-21')", [friend])
    schema.connection.execute(
        "INSERT INTO wake_up_challenges (uid, day, ring, puzzle, answer, asked_at, expires_at, solved_at)"
        " SELECT uid, day, 0, '{}', 0, earned_at, earned_at, earned_at FROM wake_ups")  # fmt: skip
    assert schema.maintenance("check.sql") == []
    assert rebuild(schema) == []
    schema.disconnect()
    yield schema.name
    schema.drop()


@pytest.fixture
def study(lived):
    """A copy of it, with its clock where that stood."""
    schema = Schema(lived, NOW + 60)
    yield schema
    schema.drop()


BREAKS = {
    "study day differs from its intervals": [
        "UPDATE study_days SET study_seconds = study_seconds + 1 WHERE ctid = (SELECT min(ctid) FROM study_days)",
        "DELETE FROM study_days WHERE ctid = (SELECT min(ctid) FROM study_days)",
        "INSERT INTO study_days SELECT uid, '2026-01-01', 5, 600 FROM users",
    ],
    "day total differs from its intervals": [
        "UPDATE day_totals SET seconds = seconds - 1, manual_seconds = 0, counted_seconds = 0",
        "DELETE FROM day_totals WHERE rules_id = 1",
        "INSERT INTO day_totals SELECT 2, uid, '2026-01-01', 5, 5, 5 FROM users",
    ],
    "month total differs from its intervals": [
        "UPDATE month_totals SET counted_seconds = counted_seconds + 1",
        "DELETE FROM month_totals WHERE rules_id <> 1",
        "INSERT INTO month_totals SELECT 2, uid, '2026-01-01', 5, 5 FROM users",
    ],
    "total on the global board differs from its intervals": [
        "UPDATE rank_totals SET seconds = seconds + 1",
        "DELETE FROM rank_totals WHERE period = 'week'",
        "INSERT INTO rank_totals SELECT uid, 'day', '2026-01-01', 5 FROM users",
    ],
    "time of a task differs from its intervals": [
        "UPDATE tasks SET actual_seconds = actual_seconds + 1",
    ],
    "ranks differ from the totals": [
        "INSERT INTO rank_deltas (uid, period, first_day, old, new) SELECT uid, 'week', '2026-11-02', 0, 5 FROM users",
        "SELECT fold_rank_deltas(); UPDATE rank_buckets SET n = n + 1 WHERE level = 1",
        "SELECT fold_rank_deltas(); DELETE FROM rank_buckets WHERE level = 3",
    ],
}


@pytest.mark.parametrize("found, damage", [(found, damage) for found, all in BREAKS.items() for damage in all])
def test_a_damaged_total_is_found_and_mended(study, found, damage):
    do(study, damage)
    assert found in [row[0] for row in study.maintenance("check.sql")]
    assert rebuild(study) != []
    assert study.maintenance("check.sql") == []
    assert rebuild(study) == []


def test_the_numbers_of_a_total_have_names(study):
    uid = study.value("SELECT uid FROM students WHERE time_zone = 'Europe/London'")
    do(study, f"UPDATE day_totals SET counted_seconds = counted_seconds - 60 WHERE uid = '{uid}' AND day = '2026-10-20'")
    do(study, f"DELETE FROM study_days WHERE uid = '{uid}' AND day = '2026-10-20'")
    do(study, f"UPDATE tasks SET actual_seconds = 60 WHERE uid = '{uid}'")
    told = {total: (kept, recounted) for total, _, _, kept, recounted in rebuild(study, apply=0)[:-1]}
    assert told["day_totals"] == ("all 7200 s, by hand 0 s, counted 7140 s", "all 7200 s, by hand 0 s, counted 7200 s")
    assert told["tasks"] == ("60 s", "28800 s")
    kept, recounted = told["study_days"]
    assert kept == "none" and re.fullmatch(r"study 3600 s, goal \d+ s", recounted)
    assert all(f"kept {kept}; recounted {recounted}" in str(study.maintenance("check.sql")) for kept, recounted in told.values())


def test_what_differs_is_only_shown_without_apply(study):
    study.connection.execute("UPDATE month_totals SET counted_seconds = counted_seconds + 1")
    before = maintenance.contents(study)
    *differences, last = rebuild(study, apply=0)
    assert last == ["Nothing has changed: add -v apply=1."] and maintenance.contents(study) == before
    *repaired, last = study.maintenance("rebuild_totals.sql", reason="why", apply=1)
    assert sorted(differences) == sorted(repaired) != [] and last == [f"Repaired {len(repaired)}."]
    assert study.rows("SELECT reason FROM admin_changes WHERE script = 'rebuild_totals'") == [("why",)]
    assert rebuild(study) == []


@pytest.mark.parametrize(
    ("variables", "sentence"),
    [
        ({"reason": ""}, "give the reason: -v reason='…'"),
        ({"uid": "marmalade"}, "give the user: -v uid=UUID"),
        ({"group": "3f0e4a52-0000-4000-8000-000000000000"}, "no group has the id 3f0e4a52-0000-4000-8000-000000000000"),
        ({"month": "2026-13"}, "give the month: -v month=2026-10"),
        ({"since": "2026-02-30"}, "give the first day: -v since=2026-10-01"),
        (
            {"month": "2026-10", "since": "2026-10-01"},
            "give a month or a first day: -v month=2026-10 or -v since=2026-10-01",
        ),
        ({"seconds": "3"}, "rebuild_totals takes no variable seconds"),
    ],
)
def test_totals_are_not_mended_by_wrong_variables(study, variables, sentence):
    assert study.refused("rebuild_totals.sql", **({"reason": "why", "apply": 1} | variables)).strip().endswith(f"ERROR:  {sentence}")


def test_the_people_of_one_group_can_be_mended_alone(study):
    stranger = study.user()
    study.rows("SELECT record_interval(%s, %s, %s)", stranger, utc(NOW - 7200), utc(NOW - 3600))
    study.connection.execute("UPDATE study_days SET study_seconds = study_seconds + 1")
    members = {str(uid) for (uid,) in study.rows("SELECT uid FROM group_members")}
    assert {row[1] for row in rebuild(study, group=study.value("SELECT group_id FROM groups"))} == members
    assert {row[1] for row in study.maintenance("check.sql")} == {str(stranger)}


def test_one_month_can_be_mended_alone(study):
    study.connection.execute("UPDATE month_totals SET counted_seconds = counted_seconds + 1")
    study.connection.execute("UPDATE study_days SET study_seconds = study_seconds + 1")
    # Ranks belong to no user, so they are mended with every step.
    assert {row[2][-7:] for row in rebuild(study, month="2026-10") if row[0] == "month_totals"} == {"2026-10"}
    assert {row[2][-7:] for row in rebuild(study, month="2026-11") if row[0] == "month_totals"} == {"2026-11"}
    assert study.maintenance("check.sql") == []


@pytest.fixture
def years(study):
    """Somebody with three years of study, 20,000 intervals on one task, of whom nothing was counted."""
    [uid, *_] = [uid for (uid,) in study.rows("SELECT uid FROM students ORDER BY uid")]
    study.rows("SELECT set_global_board(%s, true)", uid)
    study.connection.execute(
        """
        WITH made AS (
          INSERT INTO study_sessions (uid, task_id, state, source, created_at)
            SELECT t.uid, t.id, 'finished', 'timer', timestamptz '2023-11-01T00:00Z' + n * interval '75 minutes'
            FROM tasks t CROSS JOIN generate_series(1, 20000) n WHERE t.uid = %s RETURNING *
        )
        INSERT INTO study_intervals (uid, session_id, started_at, ended_at, source, time_zone, day_starts_at, recorded_at)
          SELECT uid, session_id, created_at, created_at + interval '5 minutes', 'timer', 'Asia/Seoul', '05:00',
                 created_at + interval '5 minutes' FROM made
        """,
        [uid],
    )
    study.connection.execute("VACUUM ANALYZE")
    return uid


@citus.not_spread("the pages that a worker reads are not counted")
def test_a_step_reads_little_however_much_somebody_has_studied(study, years):
    """Mending them at once reads ten times as much. A page takes some 50 µs, so that 1,500 are less than 100 ms."""
    steps = study.rows("SELECT DISTINCT d.month, d.task_id FROM admin_total_differences(%s, '-infinity', 'infinity') d", years)
    assert len(steps) > 30
    for month, task in steps:
        pages, times = [], []
        for _ in range(3):
            with study.connection.transaction(force_rollback=True):
                [[[explained]]] = study.rows(
                    "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT * FROM admin_rebuild_step(%s, %s, %s)", years, month, task
                )
            pages.append(explained["Plan"]["Shared Hit Blocks"] + explained["Plan"]["Shared Read Blocks"])
            times.append(explained["Plan"]["Actual Total Time"])
        assert min(pages) < 1500, (month, task, pages)
        # How long it takes depends on the machine, and on what it does besides.
        assert os.environ.get("ANTHILL_TEST_RING") != "long" or min(times) < 100, (month, task, times)


def test_people_get_their_turn_while_their_totals_are_mended(study, years):
    waiting, done = [], threading.Event()

    def write():
        with psycopg.connect(study.url, autocommit=True, options=f"-c anthill.now={study.now}") as other:
            while not done.is_set():
                began = time.monotonic()
                other.execute("SELECT FROM lock_student(%s)", [years])
                waiting.append(time.monotonic() - began)

    writer = threading.Thread(target=write)
    writer.start()
    began = time.monotonic()
    try:
        assert len(rebuild(study)) > 800
    finally:
        done.set()
        writer.join()
    print(f"the longest wait: {max(waiting) * 1000:.0f} ms of {len(waiting)}")
    # Each month and the task is a step of its own.
    assert max(waiting) < (time.monotonic() - began) / 4
    assert study.maintenance("check.sql") == []


def test_one_user_can_be_mended_alone(study):
    study.connection.execute("UPDATE study_days SET study_seconds = study_seconds + 1")
    uid = study.value("SELECT uid FROM study_days LIMIT 1")
    assert {row[1] for row in rebuild(study, uid=uid)} == {str(uid)}
    left = {row[1] for row in study.maintenance("check.sql")}
    assert len(left) == 1 and str(uid) not in left


@pytest.mark.parametrize(
    "damage",
    [
        "DELETE FROM counted_under WHERE rules_id <> 1",
        "UPDATE counted_under SET from_month = '2026-11-01' WHERE rules_id <> 1",
    ],
)
def test_rebuilding_takes_nothing_off_somebody_who_is_no_longer_counted_by_mistake(study, damage):
    do(study, damage)
    kept = study.rows("SELECT * FROM month_totals ORDER BY 1, 2, 3")
    with pytest.raises(AssertionError, match="is not counted under the rules of their group"):
        rebuild(study)
    assert study.rows("SELECT * FROM month_totals ORDER BY 1, 2, 3") == kept


def test_while_one_user_is_mended_all_others_go_on(study):
    mended, other = [uid for (uid,) in study.rows("SELECT uid FROM students ORDER BY uid")]
    waiting = study.connect()
    waiting.execute(citus.IMPATIENT)
    with study.connection.transaction():
        study.rows("SELECT * FROM rebuild_totals(%s)", mended)
        waiting.execute("SELECT record_interval(%s, %s, %s)", [other, utc(NOW - 86400), utc(NOW - 86340)])
        waiting.execute("INSERT INTO sign_ins (uid, token_mac, auth_epoch, expires_at)"
                        " VALUES (%s, sha256('x'), 1, 'infinity')", [mended])  # fmt: skip
        waiting.execute("INSERT INTO idempotency_keys (uid, route, key, body_sha256, status)"
                        " VALUES (%s, '/', gen_random_uuid(), sha256(''), 204)", [mended])  # fmt: skip
        waiting.execute("INSERT INTO users (nickname) VALUES ('n')")
        with pytest.raises(citus.TooLate):
            waiting.execute("SELECT record_interval(%s, %s, %s)", [mended, utc(NOW - 86400), utc(NOW - 86340)])


def test_checking_in_steps_finds_what_checking_at_once_finds(study):
    study.connection.execute("UPDATE study_days SET study_seconds = study_seconds + 1")
    study.connection.execute("UPDATE groups SET open_month = '2026-12-01'")
    study.connection.execute("SELECT fold_rank_deltas(); DELETE FROM rank_buckets WHERE level = 3")
    whole = study.maintenance("check.sql")
    assert len(whole) > 2 and "ranks differ from the totals" in {row[0] for row in whole}
    digits = {str(uid)[0] for (uid,) in study.rows("SELECT uid FROM users UNION SELECT group_id FROM groups")}
    assert sorted(whole) == sorted(row for digit in digits for row in study.maintenance("check.sql", uid=digit))
    uid = max(row[1] for row in whole if row[0].startswith("study day"))
    assert {row[1] for row in study.maintenance("check.sql", uid=uid)} == {uid}


@pytest.mark.parametrize(
    ("variables", "sentence"),
    [
        ({"uid": "Ada"}, "give the user: -v uid=UUID"),
        ({"uid": "3f0e4a52"}, "give the user: -v uid=UUID"),
        ({"uid": "3f0e4a52-0000-4000-8000-000000000000"}, "no user has the uid 3f0e4a52-0000-4000-8000-000000000000"),
        ({"since": "2026-13-01"}, "give the first day: -v since=2026-10-01"),
        ({"since": "0000-01-01"}, "give the first day: -v since=2026-10-01"),
        ({"mail_late": "soon"}, "give how long a message may be due: -v mail_late='10 minutes'"),
        ({"mail_late": "-1 hour"}, "give how long a message may be due: -v mail_late='10 minutes'"),
        ({"month": "2026-10"}, "check takes no variable month"),
    ],
)
def test_a_check_that_would_miss_something_is_refused(study, variables, sentence):
    assert study.refused("check.sql", **variables).strip().endswith(f"ERROR:  {sentence}")


def test_a_step_of_nobody_finds_what_somebody_erased_left(study):
    digits = {f"{n:02x}" for n in range(256)}
    there = {str(uid)[:2] for (uid,) in study.rows("SELECT uid FROM users UNION SELECT group_id FROM groups")}
    erased = f"{min(digits - there)}000000-0000-4000-8000-000000000000"
    study.connection.execute("INSERT INTO group_bans SELECT %s, group_id FROM groups LIMIT 1", [erased])
    for digit in (erased[:2], erased[0]):
        assert [row[:2] for row in study.maintenance("check.sql", uid=digit)] == [["trace of an erased user", erased]]
    assert study.maintenance("check.sql", uid=min(there - {erased[:2]})) == []


def test_a_check_of_one_user_or_group_finds_nothing_of_others_and_nothing_that_is_nobodys(study):
    everybody = [uid for (uid,) in study.rows("SELECT uid FROM users ORDER BY uid")]
    for damage in (
        f"{WEBHOOK}; INSERT INTO webhook_deliveries (group_id, webhook, event, due) SELECT group_id, id, 'test', '2026-11-01' FROM webhooks",
        "UPDATE webhooks w SET uid = m.uid FROM group_members m WHERE m.group_id = w.group_id",
        "INSERT INTO mail_outbox (kind, to_address, due) VALUES ('k', 'a', anthill_clock() - interval '2 h')",
        "INSERT INTO auth_tokens (token_mac, purpose, target, address, expires_at, used_at)"
        " VALUES (sha256('x'), 'registration', 'a', 'a', 'infinity', anthill_clock())",
        "INSERT INTO auth_tokens (token_mac, purpose, uid, target, address, expires_at, used_at)"
        f" VALUES (sha256('y'), 'password_reset', '{everybody[-1]}', 'a', 'a', 'infinity', anthill_clock())",
    ):
        study.connection.execute(damage)
    whole = study.maintenance("check.sql")
    assert sorted(row[0] for row in whole) == [
        "stuck delivery to a webhook",
        "stuck mail",
        "token used without effect",
        "token used without effect",
    ]
    group = study.value("SELECT group_id FROM webhook_deliveries")
    found = {uid: study.maintenance("check.sql", uid=uid) for uid in (everybody[0], everybody[-1], group)}
    assert {uid: [row[:2] for row in rows] for uid, rows in found.items()} == {
        everybody[0]: [], everybody[-1]: [["token used without effect", str(everybody[-1])]],
        group: [["stuck delivery to a webhook", str(group)]],
    }  # fmt: skip
    steps = [row for digit in "0123456789abcdef" for row in study.maintenance("check.sql", uid=digit)]
    assert sorted(steps) == sorted(whole)


def test_only_the_months_since_one_can_be_checked_and_mended(study):
    study.connection.execute("UPDATE day_totals SET seconds = 1, manual_seconds = 0, counted_seconds = 0 WHERE day < '2026-11-01'")
    study.connection.execute("UPDATE study_days SET study_seconds = 1 WHERE day = '2026-11-20'")
    assert {row[0] for row in study.maintenance("check.sql", since="2026-11-15")} == {"study day differs from its intervals"}
    assert {row[0] for row in rebuild(study, since="2026-11-15")} == {"study_days"}
    assert study.maintenance("check.sql", since="2026-11-15") == []
    assert {row[0] for row in study.maintenance("check.sql")} == {"day total differs from its intervals"}


def test_rebuilding_gives_each_day_the_goal_of_its_time(study):
    study.set_clock(NOW + 86400)
    study.rows("SELECT set_daily_goal(uid, 7200) FROM users")
    study.connection.execute("UPDATE study_days SET goal_seconds = 1234, study_seconds = 0")
    assert rebuild(study) != []
    assert study.rows("SELECT DISTINCT goal_seconds FROM study_days") == [(14400,)]


BROKEN = [
    ("overlapping intervals", "ALTER TABLE study_intervals DROP CONSTRAINT study_intervals_no_overlap;"
     " UPDATE study_intervals SET started_at = started_at - interval '9 h' WHERE ended_at IS NOT NULL"),
    ("more of a kind than anybody may keep",
     "INSERT INTO plans (uid, name, work_seconds, rest_seconds)"
     " SELECT u.uid, n::text, 60, 60 FROM users u, generate_series(1, 21) n"),
    ("two running timers", "DROP INDEX study_intervals_one_running;"
     " ALTER TABLE study_intervals DROP CONSTRAINT study_intervals_no_overlap;"
     " INSERT INTO study_intervals SELECT uid, gen_random_uuid(), session_id, started_at, NULL, source, time_zone,"
     " day_starts_at, recorded_at FROM study_intervals WHERE ended_at IS NULL"),
    ("two sessions with a timer", "DROP INDEX study_sessions_one_timer; UPDATE study_sessions SET state = 'paused'"),
    ("session and its intervals disagree", "UPDATE study_sessions SET state = 'finished' WHERE state = 'running'"),
    ("session and its intervals disagree", "UPDATE study_sessions SET state = 'discarded' WHERE state = 'finished'"),
    ("session on a subject or task that its owner lacks", "ALTER TABLE study_sessions"
     " DROP CONSTRAINT study_sessions_subject; UPDATE study_sessions SET subject_id = gen_random_uuid()"),
    ("session on a subject or task that its owner lacks", "INSERT INTO tasks (uid, title)"
     " SELECT uid, 'x' FROM users; ALTER TABLE study_sessions DROP CONSTRAINT study_sessions_task;"
     " UPDATE study_sessions s SET task_id = t.id FROM tasks t WHERE t.uid <> s.uid"),
    ("more of a kind than anybody may keep", "INSERT INTO projects (uid, name)"
     " SELECT uid, 'x' FROM users, generate_series(1, 501)"),
    ("more of a kind than anybody may keep", "INSERT INTO target_dates (uid, title, day)"
     " SELECT uid, 'x', '2027-01-01' FROM users, generate_series(1, 11)"),
    ("interval too long or not in whole seconds", "ALTER TABLE study_intervals"
     " DROP CONSTRAINT study_intervals_whole_seconds;"
     " UPDATE study_intervals SET started_at = started_at + interval '0.5 s' WHERE ended_at IS NOT NULL"),
    ("day longer than it was", "ALTER TABLE study_intervals DROP CONSTRAINT study_intervals_no_overlap,"
     " DROP CONSTRAINT study_intervals_length;"
     " UPDATE study_intervals SET started_at = started_at - interval '30 h' WHERE ended_at IS NOT NULL"),
    ("goal of a day differs from the goal of its time", "UPDATE study_days SET goal_seconds = 3600"),
    ("change of goal that changed nothing", "INSERT INTO past_goals"
     " SELECT uid, '2026-01-01', daily_goal_seconds FROM students"),
    ("sum of past days", "UPDATE past_streaks SET longest_streak = 1"),
    ("more rest days in a month than anybody may plan", "INSERT INTO rest_days"
     " SELECT uid, date '2026-12-29' + n FROM users, generate_series(0, 2) n"),
    ("wake-up ant of another day", "INSERT INTO wake_ups SELECT uid, '2026-11-23' FROM users"),
    ("day of a board longer than it was", "UPDATE day_totals SET seconds = 86401"),
    ("suspension without its trace in the audit", "INSERT INTO suspensions"
     " (group_id, uid, reason, since, until, suspended_by) SELECT group_id, uid, 'why', anthill_clock() - interval '2 h',"
     " anthill_clock() - interval '1 h', gen_random_uuid() FROM group_members"),
    ("suspension without its trace in the audit", "INSERT INTO suspensions (uid, reason, until, suspended_by)"
     " SELECT uid, 'why', anthill_clock() + interval '1 h', gen_random_uuid() FROM users"),
    ("suspension over and the user not back", "INSERT INTO suspensions (uid, reason, since, until)"
     " SELECT uid, 'why', anthill_clock() - interval '3 h', anthill_clock() - interval '2 h' FROM users"),
    ("back before the suspension is over", "INSERT INTO suspensions (uid, reason, until, returned_at)"
     " SELECT uid, 'why', anthill_clock() + interval '1 h', anthill_clock() FROM users"),
    ("report without its trace in the audit", "INSERT INTO reports (uid, about, reason)"
     " SELECT a.uid, b.uid, 'why' FROM users a JOIN users b ON a.uid <> b.uid"),
    ("trace of an erased user", "INSERT INTO reports (uid, about, reason) VALUES (gen_random_uuid(), gen_random_uuid(), 'why')"),
    ("suspended when the month was closed, and yet in it", "INSERT INTO suspensions"
     " (group_id, uid, reason, since, until, suspended_by) SELECT m.group_id, m.uid, 'why',"
     " c.closed_at - interval '1 h', c.closed_at + interval '1 h', gen_random_uuid()"
     " FROM group_members m JOIN month_closes c USING (group_id)"),
    ("mean of a group that does not take part", "INSERT INTO group_means"
     " SELECT '2026-11-01', group_id, 2, 5, 60 FROM groups"),
    ("mean of a closed month differs from its standings", "UPDATE groups SET duel = true;"
     " INSERT INTO group_means SELECT '2026-10-01', group_id, 2, 5, 60 FROM groups"),
    ("group without an owner", "UPDATE group_members SET role = 'member'"),
    ("group without rules", UNSEALED + "DELETE FROM group_rules"),
    ("members and their history disagree", UNSEALED + "DELETE FROM group_members WHERE role = 'member'"),
    ("members and their history disagree", UNSEALED + "UPDATE group_members SET joined_at = joined_at - interval '1 d'"),
    ("stays in a group overlap", "INSERT INTO group_membership_history"
     " SELECT uid, group_id, joined_at - interval '1 d', joined_at + interval '1 h' FROM group_membership_history"),
    ("member not counted under the rules of their group", "DELETE FROM counted_under WHERE rules_id <> 1"),
    ("choice about the global board not followed", "UPDATE users SET global_board = NOT global_board"),
    ("counted twice under the same rules", "INSERT INTO counted_under"
     " SELECT uid, rules_id, '2026-12-01', until_month, time_zone, day_starts_at, daily_cap_seconds, manual_counts,"
     " is_global FROM counted_under"),
    ("member not counted under the rules of their group",
     "UPDATE counted_under SET from_month = '2026-11-01' WHERE rules_id <> 1"),
    ("counted without being a member", "INSERT INTO ranking_rules (time_zone, day_starts_at, daily_cap_seconds,"
     " manual_counts) VALUES ('UTC', '00:00', 3600, true); INSERT INTO counted_under"
     " SELECT uid, currval('ranking_rules_ids'), '2026-11-01', 'infinity', 'UTC', '00:00', 3600, true, false FROM users"),
    ("counted under another copy of the rules", "UPDATE counted_under SET daily_cap_seconds = 3600"),
    ("interval of another source than its session", "UPDATE study_intervals SET source = 'timer'"),
    ("session and its intervals disagree", "DELETE FROM study_intervals WHERE source = 'manual'"),
    ("timer ahead of the clock", "SELECT FROM users u CROSS JOIN LATERAL start_timer(u.uid);"
     " UPDATE study_intervals SET started_at = started_at + interval '2 min', recorded_at = recorded_at + interval '2 min'"
     " WHERE ended_at IS NULL"),
    ("interval recorded before its session", "UPDATE study_intervals"
     " SET recorded_at = ended_at WHERE source = 'manual'"),
    # A timer that was stopped within its first second has no interval either: what lost its own is seen by the totals.
    ("study day differs from its intervals", "DELETE FROM study_intervals WHERE source = 'timer' AND ended_at IS NOT NULL"),
    ("settings of an alarm overlap", "SELECT set_alarm(uid, true, '06:30', 'easy', 'bell', 5, 3) FROM users; INSERT INTO alarms"
     " SELECT uid, set_at - interval '1 h', set_at + interval '1 h', counts_from, silent_from, enabled, rings_at, time_zone,"
     " difficulty, sound, every_minutes, times FROM alarms"),
    ("problem solved without its ant", "DELETE FROM wake_ups"),
    ("ant without a solved problem", "DELETE FROM wake_up_challenges"),
    ("ant without a solved problem", "UPDATE wake_up_challenges SET solved_at = NULL"),
    ("suspension without its trace in the audit", "UPDATE suspensions SET until = until + interval '1 d'"),
    ("closed month is missing", UNSEALED + "ALTER TABLE amendments DROP CONSTRAINT amendments_standing;"
     " DELETE FROM standings; DELETE FROM month_closes"),
    ("closed month is missing", "UPDATE groups SET open_month = '2026-12-01'"),
    ("month to be closed next is another", "UPDATE groups SET open_month = '2026-10-01'"),
    ("month closed late", "UPDATE groups SET open_month_closes_at = anthill_clock() - interval '2 h'"),
    ("month to be closed next is another",
     "UPDATE groups SET open_month_closes_at = open_month_closes_at + interval '1 d'"),
    ("standings differ from their digest", UNSEALED + "UPDATE standings SET manual_seconds = 5"),
    ("standings differ from their digest", UNSEALED + "UPDATE standings SET counted_seconds = 7201"),
    ("standings differ from the totals", "UPDATE month_totals SET counted_seconds = counted_seconds + 1"),
    ("standings without a close", UNSEALED + "DELETE FROM month_closes"),
    ("standing of nobody", UNSEALED + "UPDATE standings SET uid = gen_random_uuid()"),
    ("person of a standing is not who they are", UNSEALED + "UPDATE standings SET salt = 'x'"),
    ("amendment does not follow from the standings before it", UNSEALED + "UPDATE amendments SET old_seconds = 5"),
    ("amendment does not follow from the standings before it", UNSEALED + "UPDATE amendments SET new_rank = 2"),
    ("amendment does not follow from the standings before it", UNSEALED + "INSERT INTO amendments (group_id, month,"
     " person, actor, at, reason, old_seconds, new_seconds, old_rank, new_rank) SELECT group_id, month, person, actor,"
     " anthill_clock(), reason, 1, 2, old_rank, new_rank FROM amendments LIMIT 1"),
    ("standings differ from their amendments", UNSEALED + "UPDATE standings SET amended_seconds = 5"),
    ("standings differ from their amendments", UNSEALED + "DELETE FROM amendments"),
    ("amendment without its trace in the audit", UNSEALED + "DELETE FROM audit_events WHERE kind = 'standing_amended'"),
    ("amendment without its trace in the audit", UNSEALED + "UPDATE amendments SET new_seconds = new_seconds + 1"),
    ("amendment in the audit that is not there", UNSEALED + "DELETE FROM amendments"),
    ("hall of fame differs from the standings", "UPDATE fame SET firsts = firsts + 1"),
    ("hall of fame differs from the standings", "DELETE FROM fame"),
    ("user without a student, or the reverse", "DELETE FROM students"),
    ("user without a student, or the reverse", "INSERT INTO students (uid) VALUES (gen_random_uuid())"),
    ("user that nobody can sign in as", "DELETE FROM user_emails"),
    ("user with two addresses", "INSERT INTO user_emails SELECT 'x' || canonical, email, uid FROM user_emails"),
    ("address or identity of nobody", "INSERT INTO user_emails VALUES ('x', 'x', gen_random_uuid())"),
    ("address held for another user", "INSERT INTO former_emails (uid, canonical, email, held_until)"
     " SELECT u.uid, e.canonical, e.email, 'infinity' FROM users u, user_emails e WHERE e.uid <> u.uid"),
    ("change of address ahead of its user", "INSERT INTO sign_ins (uid, token_mac, auth_epoch, expires_at)"
     " SELECT uid, sha256('x'), 1, 'infinity' FROM users; INSERT INTO email_changes"
     " (uid, sign_in, auth_epoch, canonical, email) SELECT uid, id, 2, 'a', 'a' FROM sign_ins"),
    ("token used without effect", "INSERT INTO auth_tokens (token_mac, purpose, target, address, expires_at, used_at)"
     " VALUES (sha256('x'), 'email_change', 'a', 'a', 'infinity', anthill_clock())"),
    ("address or identity of nobody", "INSERT INTO user_identities (issuer, subject, uid) VALUES ('x', 'x', gen_random_uuid())"),
    ("identity linked without its trace in the audit", "INSERT INTO user_identities (issuer, subject, uid)"
     " SELECT 'x', 'x', uid FROM users LIMIT 1"),
    ("sign-in ahead of its user", "INSERT INTO sign_ins (uid, token_mac, auth_epoch, expires_at)"
     " SELECT uid, sha256('x'), 7, 'infinity' FROM users LIMIT 1"),
    ("account due to be deleted and still there", "UPDATE users SET leaves_at = anthill_clock() - interval '2 h'"),
    ("weekly letter that nobody wants, or wanted and never due", "INSERT INTO weekly_letters (uid, due) SELECT uid, 'infinity' FROM users"),
    ("more keys than anybody may have", "INSERT INTO sign_ins (uid, token_mac, auth_epoch, expires_at, name, scopes)"
     " SELECT uid, sha256(n::text::bytea), auth_epoch, 'infinity', 'k', '{read}' FROM users, generate_series(0, most_api_keys()) n"),
    ("calendar address ahead of its user", "INSERT INTO calendar_feeds (uid, token_mac, auth_epoch)"
     " SELECT uid, sha256('x'), auth_epoch + 1 FROM users"),
    ("badge ahead of its user", "INSERT INTO badges (uid, token_mac, auth_epoch, period)"
     " SELECT uid, sha256('x'), auth_epoch + 1, 'day' FROM users"),
    ("more sign-ins than the one that may come back", "INSERT INTO sign_ins (uid, token_mac, auth_epoch, expires_at)"
     " SELECT uid, sha256(n), 1, anthill_clock() FROM users, (VALUES (bytea 'x'), ('y')) v (n);"
     " UPDATE users SET leaves_at = 'infinity'"),
    ("timer of somebody who leaves", "UPDATE users SET leaves_at = 'infinity'"),
    ("group whose owners all leave", "UPDATE users SET leaves_at = 'infinity'"),
    ("change by an admin without its trace in the audit", "INSERT INTO admin_changes (script, by, reason, uid)"
     " SELECT 'undo', 'Maria', 'why', uid FROM users"),
    ("open request of somebody who is in the group", "INSERT INTO join_requests (uid, group_id)"
     " SELECT uid, group_id FROM group_members"),
    ("more open requests than anybody may have", "INSERT INTO groups (name) SELECT 'G' FROM generate_series(0, most_join_requests());"
     " INSERT INTO join_requests (uid, group_id) SELECT u.uid, g.group_id FROM users u CROSS JOIN groups g"),
    ("trace of an erased user", "INSERT INTO join_requests (uid, group_id) SELECT gen_random_uuid(), group_id FROM groups"),
    ("cheer between people who are not both in the group", "INSERT INTO cheers (uid, group_id, day, receiver)"
     " SELECT uid, group_id, '2026-11-21', gen_random_uuid() FROM group_members"),
    ("more cheers on a day than anybody may give", "INSERT INTO cheers (uid, group_id, day, receiver)"
     " SELECT uid, group_id, '2026-11-21', gen_random_uuid()"
     " FROM group_members CROSS JOIN generate_series(0, most_cheers_a_day())"),
    ("trace of an erased user", "INSERT INTO group_notices (group_id, uid, words) SELECT group_id, gen_random_uuid(), 'x' FROM groups"),
    ("trace of an erased user", f"{WEBHOOK}; UPDATE webhooks SET uid = gen_random_uuid()"),
    ("trace of an erased user", f"{WEBHOOK}; INSERT INTO webhook_deliveries (group_id, webhook, event, member)"
     " SELECT group_id, id, 'new_member', gen_random_uuid() FROM webhooks"),
    ("webhook tells a maker who is not in the group", WEBHOOK),
    ("stuck delivery to a webhook", f"{WEBHOOK}; INSERT INTO webhook_deliveries (group_id, webhook, event, due)"
     " SELECT group_id, id, 'test', '2026-11-01' FROM webhooks"),
    ("trace of an erased user", "INSERT INTO admin_changes (script, by, reason, uid)"
     " VALUES ('undo', 'Maria', 'why', gen_random_uuid())"),
    ("trace of an erased user", "INSERT INTO audit_events (kind, uid) VALUES ('x', gen_random_uuid())"),
    ("trace of an erased user", "INSERT INTO audit_events (kind, actor) VALUES ('x', gen_random_uuid())"),
    ("trace of an erased user", "UPDATE suspensions SET suspended_by = gen_random_uuid()"),
    ("trace of an erased user", "UPDATE invitations SET created_by = gen_random_uuid()"),
    ("trace of an erased user", UNSEALED + "UPDATE amendments SET actor = gen_random_uuid()"),
    ("trace of an erased user", "INSERT INTO group_bans SELECT gen_random_uuid(), group_id FROM groups"),
    ("trace of an erased user", "INSERT INTO group_membership_history (uid, group_id, joined_at, left_at)"
     " SELECT gen_random_uuid(), group_id, anthill_clock() - interval '1 h', anthill_clock() FROM groups"),
    ("trace of an erased user", "INSERT INTO auth_tokens (token_mac, purpose, uid, target, address, expires_at)"
     " VALUES (sha256('x'), 'password_reset', gen_random_uuid(), 'a', 'a', 'infinity')"),
    ("token used without effect", "INSERT INTO auth_tokens (token_mac, purpose, target, address, expires_at, used_at)"
     " VALUES (sha256('x'), 'registration', 'a', 'a', 'infinity', anthill_clock())"),
    ("request kept without its answer", "INSERT INTO idempotency_keys (uid, route, key, body_sha256)"
     " SELECT uid, '/', gen_random_uuid(), sha256('') FROM users"),
    ("missing reminder", BROWSERS + "SELECT FROM browsers"),
    ("stuck push", BROWSERS + "INSERT INTO push_outbox (uid, subscription, topic, kind, due, expires_at)"
     " SELECT uid, id, 'alarm', 'alarm', anthill_clock() - interval '2 h', anthill_clock() FROM browsers"),
    ("stuck mail", "INSERT INTO mail_outbox (kind, to_address, due)"
     " VALUES ('k', 'a', anthill_clock() - interval '2 h')"),
]  # fmt: skip


@pytest.mark.parametrize("found, damage", BROKEN)
def test_what_is_broken_is_found(study, found, damage):
    do(study, damage)
    assert found in [row[0] for row in study.maintenance("check.sql")]


def test_every_rule_is_broken_by_a_test():
    text = (ROOT / "sql/maintenance/check.sql").read_text()
    # The name of a rule has several words.
    rules = re.findall(r"(?:^SELECT|THEN|ELSE) '(\w[\w-]*,? [^']+)'", text, re.MULTILINE)
    assert set(rules) == BREAKS.keys() | {found for found, _ in BROKEN}


def test_what_counts_as_stuck_mail_can_be_said(study):
    study.connection.execute("INSERT INTO mail_outbox (kind, to_address, due) VALUES ('k', 'a', anthill_clock() - interval '20 min')")
    assert study.maintenance("check.sql") == []
    assert study.maintenance("check.sql", mail_late="10 minutes")[0][0] == "stuck mail"
