"""check.sql finds what is broken on purpose, and rebuild_totals.sql mends totals."""

import datetime

import pytest

from study_clock import utc

NOW = int(datetime.datetime(2026, 11, 21, 5, tzinfo=datetime.timezone.utc).timestamp())


@pytest.fixture
def study(schema):
    """Two members of a group with a few days of study, one of them on the global board and with a running timer."""
    schema.set_clock(NOW)
    owner, friend = schema.user(), schema.user("Europe/London")
    group = schema.value("SELECT create_group(%s, 'G')", owner)
    schema.rows("SELECT create_invitation(%s, %s, 'a code')", owner, group)
    schema.rows("SELECT accept_invitation(%s, 'a code')", friend)
    schema.rows("SELECT set_global_board(%s, true)", owner)
    for user in (owner, friend):
        for hours in (3, 13, 23, 33):
            began = NOW - hours * 3600
            schema.rows("SELECT record_interval(%s, %s, %s)", user, utc(began), utc(began + 7200))
    schema.rows("SELECT record_timed(%s, %s, %s)", owner, utc(NOW - 3000), utc(NOW - 600))
    schema.rows("SELECT * FROM start_timer(%s)", owner)
    assert schema.maintenance("check.sql") == []
    assert schema.maintenance("rebuild_totals.sql") == []
    return schema


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
    "ranks differ from the totals": [
        "DELETE FROM rank_deltas",
        "SELECT fold_rank_deltas(); UPDATE rank_buckets SET n = n + 1 WHERE level = 1",
        "SELECT fold_rank_deltas(); DELETE FROM rank_buckets WHERE level = 3",
    ],
}


@pytest.mark.parametrize("found, damage", [(found, damage) for found, all in BREAKS.items() for damage in all])
def test_a_damaged_total_is_found_and_mended(study, found, damage):
    study.connection.execute(damage)
    assert found in [row[0] for row in study.maintenance("check.sql")]
    assert study.maintenance("rebuild_totals.sql") != []
    assert study.maintenance("check.sql") == []
    assert study.maintenance("rebuild_totals.sql") == []


def test_one_user_can_be_mended_alone(study):
    study.connection.execute("UPDATE study_days SET study_seconds = study_seconds + 1")
    uid = study.value("SELECT uid FROM study_days LIMIT 1")
    assert {row[1] for row in study.maintenance("rebuild_totals.sql", uid=uid)} == {str(uid)}
    left = {row[1] for row in study.maintenance("check.sql")}
    assert len(left) == 1 and str(uid) not in left


def test_rebuilding_gives_each_day_the_goal_of_its_time(study):
    study.set_clock(NOW + 86400)
    study.rows("SELECT set_daily_goal(uid, 7200) FROM users")
    study.connection.execute("UPDATE study_days SET goal_seconds = 1234, study_seconds = 0")
    assert study.maintenance("rebuild_totals.sql") != []
    assert study.rows("SELECT DISTINCT goal_seconds FROM study_days") == [(14400,)]


@pytest.mark.parametrize(
    "found, damage",
    [
        ("overlapping intervals", "ALTER TABLE study_intervals DROP CONSTRAINT study_intervals_no_overlap;"
         " UPDATE study_intervals SET started_at = started_at - interval '9 h' WHERE ended_at IS NOT NULL"),
        ("more plans than anybody may keep",
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
        ("more than 500 of a kind that are not archived", "INSERT INTO projects (uid, name)"
         " SELECT uid, 'x' FROM users, generate_series(1, 501)"),
        ("interval too long or not in whole seconds", "ALTER TABLE study_intervals"
         " DROP CONSTRAINT study_intervals_whole_seconds;"
         " UPDATE study_intervals SET started_at = started_at + interval '0.5 s' WHERE ended_at IS NOT NULL"),
        ("day longer than it was", "ALTER TABLE study_intervals DROP CONSTRAINT study_intervals_no_overlap,"
         " DROP CONSTRAINT study_intervals_length;"
         " UPDATE study_intervals SET started_at = started_at - interval '30 h' WHERE ended_at IS NOT NULL"),
        ("goal of a day differs from the goal of its time", "UPDATE study_days SET goal_seconds = 3600"),
        ("change of goal that changed nothing", "INSERT INTO past_goals"
         " SELECT uid, '2026-01-01', daily_goal_seconds FROM users"),
        ("more than two rest days in a month", "INSERT INTO rest_days"
         " SELECT uid, date '2026-12-29' + n FROM users, generate_series(0, 2) n"),
        ("wake-up ant of another day", "INSERT INTO wake_ups SELECT uid, '2026-11-23' FROM users"),
        ("day of a board longer than it was", "UPDATE day_totals SET seconds = 86401"),
        ("suspension without its trace in the audit", "INSERT INTO suspensions (group_id, uid, reason, until, suspended_by)"
         " SELECT group_id, uid, 'why', anthill_clock() + interval '1 h', gen_random_uuid() FROM group_members"),
        ("suspended when the month was closed, and yet in it", "INSERT INTO month_closes"
         " SELECT group_id, '2026-10-01', name, anthill_clock() + interval '1 s', 1, sha256('') FROM groups;"
         " INSERT INTO standings (group_id, month, person, rank, counted_seconds, manual_seconds, uid, salt, nickname)"
         " SELECT group_id, '2026-10-01', sha256('p'), 1, 0, 0, uid, '', 'u' FROM group_members WHERE role = 'member';"
         " INSERT INTO suspensions (group_id, uid, reason, until, suspended_by)"
         " SELECT group_id, uid, 'why', anthill_clock() + interval '1 h', gen_random_uuid() FROM group_members"),
        ("mean of a group that does not take part", "INSERT INTO group_means"
         " SELECT '2026-11-01', group_id, 2, 5, 60 FROM groups"),
        ("mean of a closed month differs from its standings", "UPDATE groups SET duel = true;"
         " INSERT INTO month_closes SELECT group_id, '2026-10-01', name, anthill_clock(), 0, sha256('') FROM groups;"
         " INSERT INTO group_means SELECT '2026-10-01', group_id, 2, 5, 60 FROM groups"),
        ("group without an owner", "UPDATE group_members SET role = 'member'"),
        ("group without rules", "DELETE FROM group_rules"),
        ("members and their history disagree", "DELETE FROM group_members WHERE role = 'member'"),
        ("stays in a group overlap", "INSERT INTO group_membership_history"
         " SELECT uid, group_id, joined_at - interval '1 d', joined_at + interval '1 h' FROM group_membership_history"),
        ("member not counted under the rules of their group", "DELETE FROM counted_under WHERE rules_id <> 1"),
        ("choice about the global board not followed", "UPDATE users SET global_board = NOT global_board"),
        ("counted twice under the same rules", "INSERT INTO counted_under"
         " SELECT uid, rules_id, '2026-12-01' FROM counted_under"),
        ("user that nobody can sign in as", "DELETE FROM user_emails"),
        ("user with two addresses", "INSERT INTO user_emails SELECT 'x' || canonical, email, uid FROM user_emails"),
        ("address or identity of nobody", "INSERT INTO user_emails VALUES ('x', 'x', gen_random_uuid())"),
        ("sign-in ahead of its user", "INSERT INTO sign_ins (uid, token_mac, auth_epoch, expires_at)"
         " SELECT uid, sha256('x'), 7, 'infinity' FROM users LIMIT 1"),
        ("token used without effect", "INSERT INTO auth_tokens (token_mac, purpose, target, address, expires_at, used_at)"
         " VALUES (sha256('x'), 'registration', 'a', 'a', 'infinity', anthill_clock())"),
        ("request kept without its answer", "INSERT INTO idempotency_keys (uid, route, key, body_sha256)"
         " SELECT uid, '/', gen_random_uuid(), sha256('') FROM users"),
        ("stuck mail", "INSERT INTO mail_outbox (kind, to_address, due)"
         " VALUES ('k', 'a', anthill_clock() - interval '2 h')"),
    ],
)  # fmt: skip
def test_what_is_broken_is_found(study, found, damage):
    study.connection.execute(damage)
    assert found in [row[0] for row in study.maintenance("check.sql")]


def test_what_counts_as_stuck_mail_can_be_said(study):
    study.connection.execute(
        "INSERT INTO mail_outbox (kind, to_address, due) VALUES ('k', 'a', anthill_clock() - interval '20 min')"
    )
    assert study.maintenance("check.sql") == []
    assert study.maintenance("check.sql", mail_late="10 minutes")[0][0] == "stuck mail"
