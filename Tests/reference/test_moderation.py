"""Moderation: somebody who is suspended from the service leaves its boards with exact ranks for all others and comes back
with every second; and reports."""

import datetime
import random
import threading

import citus
import psycopg
import pytest
from schema import Refused
from study_clock import utc
from test_global_board import CHECKED, people
from test_group_means import groups, kept, take_part
from test_races import at_once
from test_races import well as all_well

NOW = int(datetime.datetime(2026, 11, 21, 5, tzinfo=datetime.timezone.utc).timestamp())
DAY = 86400
SUSPEND = "SELECT suspend_from_service(%s, %s, 'Twelve hours each day', %s)"
LIFT = "SELECT lift_service_suspension(%s, %s)"


@pytest.fixture
def admin(schema):
    schema.set_clock(NOW)
    uid = schema.user()
    schema.rows("SELECT make_site_admin(%s, 'the operator')", uid)
    return uid


def well(schema):
    """All is well once the mails about suspensions are sent, as the program does within seconds."""
    schema.connection.execute("UPDATE mail_outbox SET sent_at = anthill_clock() WHERE sent_at IS NULL")
    all_well(schema)


def studies(schema, user, seconds, ago=0):
    """An hour or so with the timer that ended that long ago."""
    end = schema.now - ago
    schema.rows("SELECT record_timed(%s, %s, %s)", user, utc(end - seconds), utc(end))


def board(schema, month=None):
    """Everybody on the global board, as pages of three tell it."""
    found, after = [], (None, None)
    while True:
        page = schema.rows("SELECT rank, uid, seconds, more, participants FROM global_board(NULL, 'month', %s, %s, %s, 3)", month, *after)
        found += page
        if not page or not page[-1][3]:
            assert {row[4] for row in found} <= {len(found)}
            return [row[:3] for row in found]
        after = page[-1][2], page[-1][1]


def ranked(totals):
    """The same from {user: seconds}, by sorting."""
    order = sorted(((s, u) for u, s in totals.items() if s > 0), key=lambda x: (x[0], x[1].bytes), reverse=True)
    return [(1 + sum(other > s for other, _ in order), u, s) for s, u in order]


def events(schema, user, kind):
    return [details for (details,) in schema.rows("SELECT details FROM audit_events WHERE uid = %s AND kind = %s ORDER BY id", user, kind)]


def test_somebody_suspended_is_off_the_board_and_back_on_it_with_every_second(schema, admin):
    users = people(schema, 5)
    totals = {user: 1000 * number for number, user in enumerate(users, 1)}
    for user, seconds in totals.items():
        studies(schema, user, seconds)
    schema.rows("SELECT fold_rank_deltas()")
    first = users[-1]
    made = schema.value(SUSPEND, admin, first, utc(NOW + DAY))
    without = {user: seconds for user, seconds in totals.items() if user != first}
    assert board(schema) == ranked(without)
    # What is studied meanwhile is on no board, and not lost.
    schema.set_clock(NOW + 7200)
    studies(schema, first, 600)
    assert board(schema) == ranked(without)
    well(schema)
    schema.rows(LIFT, admin, made)
    totals[first] += 600
    assert board(schema) == ranked(totals)
    schema.rows("SELECT fold_rank_deltas()")
    assert board(schema) == ranked(totals)
    assert schema.call(LIFT, admin, made) == "suspension_over"
    assert events(schema, first, "service_suspended") == [
        {"suspension_id": str(made), "reason": "Twelve hours each day", "until": "2026-11-22T05:00:00Z"}
    ]
    assert events(schema, first, "service_suspension_lifted") == [{"suspension_id": str(made)}]
    assert schema.rows("SELECT kind, to_address, parameters FROM mail_outbox") == [
        ("suspension", f"{first}@example.org", {"suspension": str(made)})]  # fmt: skip
    well(schema)


def test_a_suspension_runs_out_and_a_worker_puts_the_person_back(schema, admin):
    [user] = people(schema, 1)
    studies(schema, user, 3600)
    schema.rows(SUSPEND, admin, user, utc(NOW + 60))
    schema.set_clock(NOW + 59)
    assert schema.value("SELECT return_after_suspensions()") == 0
    assert board(schema) == []
    schema.set_clock(NOW + 60)
    assert schema.value("SELECT return_after_suspensions()") == 1
    assert schema.value("SELECT return_after_suspensions()") == 0
    assert board(schema) == [(1, user, 3600)]
    well(schema)


def test_one_who_is_suspended_again_before_they_were_put_back_stays_off(schema, admin):
    [user] = people(schema, 1)
    studies(schema, user, 3600)
    schema.rows(SUSPEND, admin, user, utc(NOW + 60))
    schema.set_clock(NOW + 60)
    schema.rows(SUSPEND, admin, user, utc(NOW + 120))
    assert schema.value("SELECT return_after_suspensions()") == 0
    assert board(schema) == []
    well(schema)
    schema.set_clock(NOW + 120)
    assert schema.value("SELECT return_after_suspensions()") == 1
    assert board(schema) == [(1, user, 3600)]
    well(schema)


def test_choosing_the_board_or_leaving_it_while_suspended_counts_afterwards(schema, admin):
    comes, goes = schema.user(), *people(schema, 1)
    for user in (comes, goes):
        studies(schema, user, 3600)
        schema.rows(SUSPEND, admin, user, utc(NOW + 60))
    schema.rows("SELECT set_global_board(%s, true)", comes)
    schema.rows("SELECT set_global_board(%s, false)", goes)
    assert board(schema) == []
    well(schema)
    schema.set_clock(NOW + 60)
    assert schema.value("SELECT return_after_suspensions()") == 2
    assert board(schema) == [(1, comes, 3600)]
    well(schema)


def test_a_month_that_closes_meanwhile_stays_without_them_and_one_closed_before_keeps_them(schema, admin):
    schema.set_clock(NOW - 60 * DAY)
    [user] = people(schema, 1)
    studies(schema, user, 1200)
    schema.set_clock(NOW)
    studies(schema, user, 2400)
    schema.rows(SUSPEND, admin, user, utc(NOW + 20 * DAY))
    schema.set_clock(NOW + 15 * DAY)
    studies(schema, user, 3600)
    schema.set_clock(NOW + 20 * DAY)
    assert schema.value("SELECT return_after_suspensions()") == 1
    assert board(schema, "2026-09-22") == [(1, user, 1200)]
    assert board(schema, "2026-11-01") == []
    assert board(schema, "2026-12-01") == [(1, user, 3600)]
    well(schema)


@citus.not_spread("totals and ranks are on different nodes and not in one snapshot")
def test_ranks_are_exact_while_people_are_suspended_put_back_and_study(schema, admin):
    users = people(schema, 48)
    month = schema.value("SELECT first_day FROM global_board_period()")
    until, writers, moderators, done = utc(NOW + DAY), 12, 4, threading.Event()
    checked, suspended = [], [0] * 4

    def call(n, connection):
        chance = random.Random(n)
        if n < writers:
            own = users[n * 4 : n * 4 + 4]
            for turn in range(60):
                if done.is_set():
                    return
                start = NOW - (turn + 2) * 7200
                user = chance.choice(own)
                try:
                    schema.call(
                        "SELECT record_timed(%s, %s, %s)", user, utc(start), utc(start + chance.choice([59, 60, 600, 3600])), on=connection
                    )
                except (psycopg.errors.DeadlockDetected, psycopg.errors.SerializationFailure):
                    pass
        elif n < writers + moderators:
            while not done.is_set():
                user = chance.choice(users[n - writers :: moderators])
                made = schema.rows("SELECT suspension_id FROM suspensions WHERE uid = %s AND returned_at IS NULL", user, on=connection)
                if made:
                    schema.call(LIFT, admin, made[0][0], on=connection)
                elif schema.call(SUSPEND, admin, user, until, on=connection) is None:
                    suspended[n - writers] += 1
        elif n == writers + moderators:
            while not done.is_set():
                connection.execute("SELECT fold_rank_deltas()")
                done.wait(0.1)
        else:
            while len(checked) < 150:
                checked.extend(connection.execute(CHECKED, {"period": "month", "day": month, "uid": chance.choice(users)}).fetchall())
                done.wait(0.01)
            done.set()

    at_once(schema, writers + moderators + 2, call)
    for rank, participants, seconds, counted_rank, counted_participants, total, _ in checked:
        assert (rank, participants, seconds) == (counted_rank, counted_participants, total)
    assert len({row[1] for row in checked}) > 3, "the number of people on the board never changed"
    assert sum(suspended) > 10
    well(schema)


def test_32_who_suspend_at_once_leave_one_suspension(schema, admin):
    [user] = people(schema, 1)
    verdicts = at_once(schema, 32, lambda n, c: schema.call(SUSPEND, admin, user, utc(NOW + DAY), on=c))
    assert verdicts.count(None) == 1 and set(verdicts) == {None, "suspensions_one_of_service"}
    made = schema.value("SELECT suspension_id FROM suspensions")
    verdicts = at_once(schema, 32, lambda n, c: schema.call(LIFT, admin, made, on=c))
    assert verdicts.count(None) == 1 and set(verdicts) == {None, "suspension_over"}
    well(schema)


def test_only_a_site_admin_suspends_and_nobody_themselves(schema, admin):
    [user] = people(schema, 1)
    assert schema.call(SUSPEND, user, admin, utc(NOW + DAY)) == "needs_site_admin"
    assert schema.call(SUSPEND, admin, admin, utc(NOW + DAY)) == "suspensions_not_oneself"
    other = schema.user()
    schema.rows("SELECT make_site_admin(%s, 'the operator')", other)
    made = schema.value(SUSPEND, other, admin, utc(NOW + DAY))
    assert schema.call(LIFT, admin, made) == "own_suspension"
    assert schema.call(LIFT, user, made) == "needs_site_admin"
    assert schema.call(SUSPEND, admin, "00000000-0000-0000-0000-000000000001", utc(NOW + DAY)) == "user_not_found"


def test_an_operator_does_the_same_in_sql_under_a_name(schema, admin):
    [user] = people(schema, 1)
    studies(schema, user, 3600)
    schema.rows("SELECT admin_suspend_from_boards(%s, %s, 'why', 'Kim')", user, utc(NOW + DAY))
    made = schema.value("SELECT suspension_id FROM suspensions")
    assert board(schema) == []
    schema.rows("SELECT admin_return_to_boards(%s, 'a mistake', 'Lee')", user)
    assert board(schema) == [(1, user, 3600)]
    assert events(schema, user, "service_suspended")[0]["by"] == "Kim"
    assert events(schema, user, "service_suspension_lifted") == [{"suspension_id": str(made), "by": "Lee", "reason": "a mistake"}]
    report = schema.value("SELECT make_report(%s, %s, NULL, 'too much')", admin, user)
    schema.rows("SELECT admin_answer_report(%s, 'We looked', 'why', 'Kim')", report)
    assert schema.rows("SELECT answer, answered_by FROM reports") == [("We looked", None)]
    assert events(schema, admin, "report_answered") == [{"report_id": str(report), "by": "Kim"}]
    well(schema)


def test_the_figures_count_the_accounts_that_are_in_use(schema, admin):
    figures = "SELECT users, users_new_today FROM service_overview(NULL)"
    leaving, suspended, _ = people(schema, 3)
    assert schema.rows(figures) == [(4, 4)]
    schema.connection.execute("UPDATE users SET leaves_at = anthill_clock() + interval '7 days' WHERE uid = %s", [leaving])
    schema.rows("SELECT admin_suspend_user(%s, 'why', 'Kim')", suspended)
    assert schema.rows(figures) == [(2, 2)]


def test_the_figures_count_the_sessions_that_began_today_and_the_timers_that_run(schema, admin):
    user, morning = schema.user(), int(datetime.datetime.fromisoformat("2026-11-21T20:00:00Z").timestamp())
    figures = "SELECT sessions_today, timers_running FROM service_overview(NULL)"
    for start, counted in ((morning - 1, (0, 1)), (morning, (1, 1))):
        schema.set_clock(start)
        schema.rows("SELECT start_timer(%s)", user)
        schema.set_clock(morning + 60)
        assert schema.rows(figures) == [counted]
        schema.rows("SELECT cancel_timer(%s)", user)


def test_means_of_groups_leave_out_who_is_suspended_also_in_a_month_that_closes_meanwhile(schema, admin):
    [group] = groups(schema, 1)
    extra = schema.user()
    schema.rows("SELECT create_invitation(uid, group_id, 'another code') FROM group_members WHERE role = 'owner'")
    schema.rows("SELECT accept_invitation(%s, 'another code')", extra)
    studies(schema, extra, 9000)
    take_part(schema, group, True)
    assert kept(schema) == {group: 4000}
    schema.rows("SELECT lock_to_close(%s, '2026-10-01')", group)
    assert schema.value("SELECT close_month(%s, '2026-10-01')", group)
    suspension = schema.value(SUSPEND, admin, extra, utc(NOW + 20 * DAY))
    while schema.value("SELECT renew_group_means('0 seconds')"):
        pass
    assert kept(schema) == {group: 3000}
    # The group's own board is its admins' matter.
    assert extra in [row[0] for row in schema.rows("SELECT uid FROM board(%s, 'month')", group)]
    schema.set_clock(NOW + 15 * DAY)
    schema.rows("SELECT lock_to_close(%s, '2026-11-01')", group)
    assert schema.value("SELECT close_month(%s, '2026-11-01')", group)
    assert kept(schema) == {group: 3000}
    schema.rows(LIFT, admin, suspension)
    schema.connection.execute("SELECT count_closed_mean(%s, '2026-11-01')", [group])
    assert kept(schema) == {group: 3000}
    well(schema)
    # Nobody knows any more that an erased user was suspended, so what is left of them counts.
    schema.rows("SELECT quit_all_groups(%s)", extra)
    schema.rows("SELECT erase_user(%s, 'asked for it')", extra)
    assert kept(schema) == {group: 4000}
    well(schema)


REPORT = "SELECT make_report(%s, %s, %s, 'never sleeps')"


def room(schema):
    owner, member, stranger = schema.user(), schema.user(), schema.user()
    group = schema.value("SELECT create_group(%s, 'G')", owner)
    schema.rows("SELECT create_invitation(%s, %s, 'a code')", owner, group)
    schema.rows("SELECT accept_invitation(%s, 'a code')", member)
    return owner, member, stranger, group


def hide(schema, member, visibility):
    schema.connection.execute("UPDATE group_members SET visibility = %s WHERE uid = %s", [visibility, member])


def test_only_who_sees_somebody_by_name_on_that_board_reports_them(schema, admin):
    owner, member, stranger, group = room(schema)
    assert schema.call(REPORT, stranger, member, group) == "person_not_found"
    assert schema.call(REPORT, owner, stranger, group) == "person_not_found"
    assert schema.call(REPORT, owner, member, None) == "person_not_found"
    hide(schema, member, "hidden")
    assert schema.call(REPORT, owner, member, group) == "person_not_found"
    hide(schema, member, "nickname")
    assert schema.call(REPORT, owner, member, group) is None
    assert schema.call(REPORT, owner, owner, group) == "reports_not_oneself"
    schema.rows("SELECT set_global_board(%s, true)", member)
    assert schema.call(REPORT, stranger, member, None) == "person_not_found", "nobody is on the board without a second"
    studies(schema, member, 60)
    assert schema.call(REPORT, stranger, member, None) is None


def test_who_has_left_is_reported_unless_they_hid(schema, admin):
    owner, member, _, group = room(schema)
    schema.set_clock(NOW + 60)
    schema.rows("SELECT remove_member(%s, %s, %s)", member, group, member)
    assert schema.call(REPORT, owner, member, group) is None
    schema.rows("SELECT accept_invitation(%s, 'a code')", member)
    schema.rows("SELECT answer_report(%s, report_id, 'We looked') FROM reports", admin)
    hide(schema, member, "hidden")
    schema.connection.execute("UPDATE group_membership_history SET visibility = 'hidden' WHERE uid = %s", [member])
    assert schema.call(REPORT, owner, member, group) == "person_not_found"


def test_one_report_is_open_at_a_time_and_ten_a_day_are_the_most(schema, admin):
    owner, member, _, group = room(schema)
    verdicts = at_once(schema, 8, lambda n, c: schema.call(REPORT, owner, member, group, on=c))
    assert verdicts.count(None) == 1 and set(verdicts) == {None, "reports_one_open"}
    answer = "SELECT answer_report(%s, report_id, 'We looked') FROM reports WHERE answer IS NULL"
    for _ in range(9):
        schema.rows(answer, admin)
        assert schema.call(REPORT, owner, member, group) is None
    schema.rows(answer, admin)
    assert schema.call(REPORT, owner, member, group) == "too_many_reports"
    schema.set_clock(NOW + DAY)
    assert schema.call(REPORT, owner, member, group) is None
    well(schema)


def test_the_person_reported_learns_nothing_of_it_and_the_reporter_the_answer(schema, admin):
    owner, member, _, group = room(schema)
    activity = "SELECT kind, about_me, details FROM own_activity(%s, NULL, NULL, 50)"
    before = schema.rows(activity, member)
    report = schema.value(REPORT, owner, member, group)
    schema.rows("SELECT answer_report(%s, %s, 'We looked')", admin, report)
    assert schema.rows(activity, member) == before
    for part, content in schema.rows("SELECT part, content FROM exported_account(%s)", member):
        assert str(report) not in content and "never sleeps" not in content, part
    assert ("report_answered", True, '{"answer": "We looked"}') in schema.rows(activity, owner)
    assert ("report_made", True, '{"reason": "never sleeps"}') in schema.rows(activity, owner)
    assert schema.call("SELECT answer_report(%s, %s, 'again')", admin, report) == "report_closed"
    assert schema.call("SELECT answer_report(%s, %s, 'me')", member, report) == "needs_site_admin"
    with pytest.raises(Refused, match="report_not_found"):
        schema.rows("SELECT answer_report(%s, gen_random_uuid(), 'x')", admin)


def test_a_site_admin_who_is_reported_does_not_learn_it_either(schema, admin):
    schema.rows("SELECT set_global_board(%s, true)", admin)
    studies(schema, admin, 60)
    reporter, other = schema.user(), schema.user()
    schema.rows("SELECT make_site_admin(%s, 'the operator')", other)
    report = schema.value(REPORT, reporter, admin, None)
    seen = "SELECT report_id FROM made_reports(%s, NULL, true, NULL, NULL, 50)"
    audit = "SELECT kind FROM service_audit(%s, 'report_made', NULL, NULL, NULL, 50)"
    people = "SELECT report_count FROM found_people(%s, %s, 50)"
    assert (schema.rows(seen, admin), schema.rows(seen, other)) == ([], [(report,)])
    assert (schema.rows(audit, admin), schema.rows(audit, other)) == ([], [("report_made",)])
    assert (schema.rows(people, admin, str(admin)), schema.rows(people, other, str(admin))) == ([(0,)], [(1,)])
    open_ones = "SELECT reports_open FROM service_overview(%s)"
    assert [schema.value(open_ones, viewer) for viewer in (admin, other, None)] == [0, 1, 1]
    assert schema.call("SELECT answer_report(%s, %s, 'No')", admin, report) == "report_not_found"
    assert schema.call("SELECT answer_report(%s, %s, 'We looked')", other, report) is None


def test_a_report_about_somebody_erased_goes_and_one_by_them_stays_without_their_name(schema, admin):
    owner, member, third, group = room(schema)
    schema.rows("SELECT accept_invitation(%s, 'a code')", third)
    schema.rows(REPORT, member, third, group)
    schema.rows(REPORT, owner, member, group)
    schema.rows("SELECT quit_all_groups(%s)", member)
    schema.rows("SELECT erase_user(%s, 'asked for it')", member)
    assert schema.rows("SELECT uid, about, reason FROM reports") == [(None, third, "never sleeps")]
    assert schema.call("SELECT answer_report(%s, report_id, 'We looked') FROM reports", admin) is None
    well(schema)
