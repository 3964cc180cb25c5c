"""Single rules, each told as the story that it is about."""

import datetime
import json

import psycopg
import pytest
from schema import rule_of
from study_clock import Clock, day_start, month_closes, utc

SEOUL = Clock("Asia/Seoul", datetime.time(5))
NOVEMBER, DECEMBER = datetime.date(2026, 11, 1), datetime.date(2026, 12, 1)
DECEMBER_BEGINS = day_start(DECEMBER, SEOUL)
HOUR = 3600


@pytest.fixture
def pair(schema):
    """Two members of a group, noon on 21 November."""
    schema.set_clock(day_start(datetime.date(2026, 11, 21), SEOUL) + 7 * HOUR)
    owner, friend = schema.user(), schema.user()
    group = schema.value("SELECT create_group(%s, 'G')", owner)
    schema.rows("SELECT create_invitation(%s, %s, 'a code')", owner, group)
    schema.rows("SELECT accept_invitation(%s, 'a code')", friend)
    return owner, friend, group


def test_a_mail_tells_of_every_suspension_however_soon_it_follows_another(schema, pair):
    owner, friend, group = pair
    suspend, made = "SELECT suspend_member(%s, %s, %s, 'why', anthill_clock() + interval '1 day')", []
    for _ in range(12):
        made.append(str(schema.value(suspend, owner, group, friend)))
        schema.rows("SELECT lift_suspension(%s, %s, %s)", owner, group, made[-1])
        schema.set_clock(schema.now + 1)
    waits = "SELECT parameters ->> 'suspension', extract(epoch FROM due - created_at)::integer FROM mail_outbox ORDER BY created_at"
    assert schema.rows(waits) == [(made[0], 0)] + [(suspension, 59) for suspension in made[1:]]
    schema.set_clock(schema.now + 59)
    last = str(schema.value(suspend, owner, group, friend))
    assert schema.rows(waits)[-1] == (last, 0)


@pytest.fixture
def closed(schema, pair):
    """The same two, of whom the second studied for an hour, and their month closed."""
    _, friend, group = pair
    schema.rows("SELECT record_timed(%s, %s, %s)", friend, utc(schema.now - HOUR), utc(schema.now))
    schema.set_clock(schema.now + 40 * 86400)
    schema.rows("SELECT lock_to_close(%s, %s)", group, NOVEMBER)
    assert schema.value("SELECT close_month(%s, %s)", group, NOVEMBER)
    return pair


def test_a_closed_month_is_told_to_those_who_may_read_its_board(schema, pair):
    owner, friend, group = pair
    gone, suspended, leaving = (schema.user() for _ in range(3))
    for user in (gone, suspended, leaving):
        schema.rows("SELECT accept_invitation(%s, 'a code')", user)
    schema.connection.execute("UPDATE users SET digest_mail = true WHERE uid <> %s", [owner])
    for number, user in enumerate((friend, gone, suspended, leaving)):
        sign_in = schema.value(
            "INSERT INTO sign_ins (uid, token_mac, auth_epoch, expires_at)"
            " SELECT uid, sha256(uuid_send(uid)), auth_epoch, 'infinity' FROM users WHERE uid = %s RETURNING id", user)  # fmt: skip
        add = "SELECT add_push_subscription(%s, %s, %s, %s, %s)"
        schema.rows(add, user, sign_in, f"https://push.example/{number}", b"\4" + bytes(64), bytes(16))
    schema.set_clock(DECEMBER_BEGINS + HOUR)
    schema.rows("SELECT remove_member(%s, %s, %s)", owner, group, gone)
    schema.rows("SELECT admin_suspend_user(%s, 'why', 'Kim')", suspended)
    schema.rows("SELECT ask_to_leave(%s, 1, NULL, 'here')", leaving)
    schema.set_clock(DECEMBER_BEGINS + 3 * 86400)
    schema.rows("SELECT lock_to_close(%s, %s)", group, NOVEMBER)
    assert schema.value("SELECT close_month(%s, %s)", group, NOVEMBER)
    assert schema.value("SELECT count(*) FROM standings") == 5
    assert schema.rows("SELECT parameters ->> 'user' FROM mail_outbox WHERE kind = 'month_digest'") == [(str(friend),)]
    assert schema.rows("SELECT uid FROM push_outbox WHERE kind = 'month'") == [(friend,)]


def board(schema, group, period="month", day=None):
    sql = "SELECT uid, seconds, studying FROM board(%s, %s, %s) WHERE uid IS NOT NULL"
    return {uid: (seconds, studying) for uid, seconds, studying in schema.rows(sql, group, period, day)}


def test_a_night_over_the_end_of_a_month_counts_to_both_months(schema, pair):
    owner, friend, group = pair
    schema.set_clock(DECEMBER_BEGINS - 2 * HOUR)
    schema.rows("SELECT * FROM start_timer(%s)", owner)
    schema.set_clock(DECEMBER_BEGINS + HOUR)
    assert board(schema, group, day=DECEMBER)[owner] == (HOUR, True)
    assert board(schema, group, day=NOVEMBER)[owner] == (2 * HOUR, False)
    schema.rows("SELECT * FROM stop_timer(%s)", owner)
    assert board(schema, group, day=DECEMBER)[owner] == (HOUR, False)
    assert board(schema, group, day=NOVEMBER)[owner] == (2 * HOUR, False)
    assert schema.rows("SELECT day, study_seconds FROM study_days ORDER BY day") == [
        (datetime.date(2026, 11, 30), 2 * HOUR), (DECEMBER, HOUR),
    ]  # fmt: skip


def test_who_leaves_in_the_second_in_which_a_month_ends_is_on_its_board_and_who_joins_then_is_not(schema, pair):
    owner, friend, group = pair
    schema.set_clock(DECEMBER_BEGINS)
    schema.rows("SELECT remove_member(%s, %s, %s)", friend, group, friend)
    late = schema.user()
    schema.rows("SELECT create_invitation(%s, %s, 'a late code')", owner, group)
    schema.rows("SELECT accept_invitation(%s, 'a late code')", late)
    schema.set_clock(month_closes(NOVEMBER, SEOUL))
    past = "SELECT uid FROM board(%s, %s, %s, known_at => %s) WHERE uid IS NOT NULL"
    for period, day in (("month", NOVEMBER), ("day", datetime.date(2026, 11, 30))):
        assert set(board(schema, group, period, day)) == {owner, friend}
        for known_at in (DECEMBER_BEGINS, DECEMBER_BEGINS + 1):
            assert {uid for (uid,) in schema.rows(past, group, period, day, utc(known_at))} == {owner, friend}
    schema.rows("SELECT lock_to_close(%s, %s)", group, NOVEMBER)
    assert schema.value("SELECT close_month(%s, %s)", group, NOVEMBER)
    assert {uid for (uid,) in schema.rows("SELECT uid FROM standings")} == {owner, friend}


def test_admins_read_no_figures_of_months_that_closed_before_somebody_joined(schema, pair):
    owner, _, group = pair
    early, late = schema.user(), schema.user()
    for user in (early, late):
        schema.rows("SELECT record_timed(%s, %s, %s)", user, utc(schema.now - HOUR), utc(schema.now))
    for user, joins in ((early, month_closes(NOVEMBER, SEOUL) - 1), (late, month_closes(NOVEMBER, SEOUL))):
        schema.set_clock(joins)
        schema.rows("SELECT lock_group(%s)", group)
        schema.rows("SELECT enter_group(%s, %s, 'member')", user, group)
    sql = "SELECT uid, seconds, intervals FROM group_signals(%s, %s, %s)"
    figures = {uid: rest for uid, *rest in schema.rows(sql, owner, group, NOVEMBER)}
    assert (figures[early], figures[late]) == ([HOUR, 1], [0, 0])


def test_another_member_sees_the_rest_days_that_have_come_and_not_those_that_are_planned(schema, pair):
    owner, friend, group = pair
    schema.connection.execute("UPDATE users SET days_shown = true WHERE uid = %s", [friend])
    for day in ("2026-11-21", "2026-11-22"):
        schema.rows("SELECT plan_rest_day(%s, %s)", friend, day)
    theirs = schema.value("SELECT calendar_month(%s, NULL)", friend)
    assert [day["day"] for day in theirs["days"] if day["rest"]] == ["2026-11-21", "2026-11-22"]
    for month in (None, NOVEMBER):
        seen = schema.value("SELECT member_month(%s, %s, %s, %s)", owner, group, friend, month)
        assert [day["day"] for day in seen["days"]] == [day["day"] for day in theirs["days"]]
        assert [day["day"] for day in seen["days"] if day["rest"]] == ["2026-11-21"]


@pytest.mark.parametrize("visibility", ["hidden", "nickname", "shown"])
def test_who_comes_back_appears_as_when_they_left(schema, closed, visibility):
    owner, friend, group = closed
    schema.connection.execute("UPDATE group_members SET visibility = %s WHERE uid = %s", [visibility, friend])
    schema.rows("SELECT remove_member(%s, %s, %s)", friend, group, friend)
    schema.set_clock(schema.now + 60)
    schema.rows("SELECT create_invitation(%s, %s, 'another code')", owner, group)
    told = schema.rows("SELECT role, visibility FROM accept_invitation(%s, 'another code')", friend)
    assert told == [("member", visibility)]
    for month in (NOVEMBER, None):
        assert schema.rows("SELECT visibility FROM board(%s, 'month', %s) WHERE uid = %s", group, month, friend) == [(visibility,)]
    assert schema.violations() == []


def test_a_timer_past_12_hours_counts_for_nothing_until_its_owner_says_when_it_stopped(schema, pair):
    owner, friend, group = pair
    schema.rows("SELECT * FROM start_timer(%s)", owner)
    schema.set_clock(schema.now + 12 * HOUR - 1)
    assert board(schema, group)[owner] == (12 * HOUR - 1, True)
    schema.set_clock(schema.now + 1)
    assert board(schema, group)[owner] == (0, False)
    assert schema.rows("SELECT state FROM timer_state(%s)", owner) == [("idle",)]
    [(session, *earned)] = schema.rows("SELECT * FROM stop_timer(%s)", owner)
    assert earned == [False, False]
    assert schema.rows("SELECT state, seconds FROM session_details(%s, %s)", owner, session) == [("unconfirmed", 0)]
    began = schema.now - 12 * HOUR
    assert schema.rows("SELECT started_at, ended_at FROM study_intervals") == [(utc(began), utc(schema.now))]
    assert schema.call("SELECT record_interval(%s, %s, %s)", owner, utc(began), utc(began + 60)) == "unconfirmed_timer"
    late = utc(began + 12 * HOUR + 1)
    assert schema.call("SELECT confirm_session(%s, %s, %s)", owner, session, late) == "too_long"
    schema.rows("SELECT confirm_session(%s, %s, %s)", owner, session, utc(began + HOUR))
    assert board(schema, group)[owner] == (HOUR, False)
    assert schema.call("SELECT confirm_session(%s, %s, %s)", owner, session, utc(began)) == "not_unconfirmed"


def test_a_timer_that_was_stopped_offline_ends_then_and_not_later(schema, pair):
    owner, friend, group = pair
    began = schema.now
    [(session,)] = schema.rows("SELECT session_id FROM start_timer(%s)", owner)
    schema.set_clock(began + 2 * HOUR)
    stop = "SELECT confirm_session(%s, %s, %s)"
    assert schema.call(stop, owner, session, utc(began - 1)) == "empty_interval"
    assert schema.call(stop, owner, session, utc(began + 2 * HOUR + 61)) == "in_the_future"
    assert schema.call(stop, friend, session, utc(began + HOUR)) == "session_not_found"
    schema.rows(stop, owner, session, utc(began + HOUR))
    assert schema.rows("SELECT state FROM timer_state(%s)", owner) == [("idle",)]
    assert board(schema, group)[owner] == (HOUR, False)
    assert schema.call(stop, owner, session, utc(began + 60)) == "not_unconfirmed"

    # A paused one ended when it was paused.
    [(paused,)] = schema.rows("SELECT session_id FROM start_timer(%s)", owner)
    schema.set_clock(schema.now + 60)
    schema.rows("SELECT pause_timer(%s)", owner)
    schema.set_clock(schema.now + 60)
    schema.rows(stop, owner, paused, utc(schema.now))
    assert schema.rows("SELECT state, seconds FROM session_details(%s, %s)", owner, paused) == [("finished", 60)]
    assert schema.violations() == []


@pytest.mark.parametrize(("pauses", "state"), [(False, "idle"), (True, "paused")])
def test_a_timer_that_was_stopped_offline_in_its_first_second_has_no_time(schema, pair, pauses, state):
    owner, friend, group = pair
    [(session,)] = schema.rows("SELECT session_id FROM start_timer(%s)", owner)
    began = schema.now
    schema.set_clock(began + HOUR)
    schema.rows("SELECT confirm_session(%s, %s, %s, %s)", owner, session, utc(began), pauses)
    assert schema.rows("SELECT state FROM timer_state(%s)", owner) == [(state,)]
    assert schema.rows("SELECT seconds FROM session_details(%s, %s)", owner, session) == [(0,)]
    assert schema.violations() == []


def test_a_timer_that_was_paused_offline_is_paused_since_then(schema, pair):
    owner, friend, group = pair
    began = schema.now
    [(session,)] = schema.rows("SELECT session_id FROM start_timer(%s)", owner)
    schema.set_clock(began + 2 * HOUR)
    pause = "SELECT confirm_session(%s, %s, %s, true)"
    for _ in range(2):
        schema.rows(pause, owner, session, utc(began + HOUR))
        assert schema.rows("SELECT state, elapsed_seconds, phase_started_at FROM timer_state(%s)", owner) == [
            ("paused", HOUR, utc(began + HOUR))
        ]
    assert board(schema, group)[owner] == (HOUR, False)
    schema.rows("SELECT FROM resume_timer(%s)", owner)
    schema.set_clock(schema.now + HOUR)
    assert board(schema, group)[owner] == (2 * HOUR, True)

    # A finished one stays finished, and one that was ended at 12 hours is not paused: another may run by now.
    schema.rows("SELECT FROM stop_timer(%s)", owner)
    assert schema.call(pause, owner, session, utc(schema.now)) == "not_unconfirmed"
    began = schema.now
    [(forgotten,)] = schema.rows("SELECT session_id FROM start_timer(%s)", owner)
    schema.set_clock(began + 13 * HOUR)
    schema.rows("SELECT FROM start_timer(%s)", owner)
    schema.rows(pause, owner, forgotten, utc(began + HOUR))
    assert schema.rows("SELECT state, seconds FROM session_details(%s, %s)", owner, forgotten) == [("finished", HOUR)]
    assert schema.violations() == []


def test_an_end_confirmed_after_the_month_closed_counts_in_the_personal_calendar_only(schema, pair):
    owner, friend, group = pair
    schema.set_clock(DECEMBER_BEGINS - 20 * HOUR)
    schema.rows("SELECT * FROM start_timer(%s)", owner)
    schema.set_clock(month_closes(NOVEMBER, SEOUL))
    [(session,)] = schema.rows("SELECT session_id FROM stop_timer(%s)", owner)
    schema.rows("SELECT confirm_session(%s, %s, %s)", owner, session, utc(DECEMBER_BEGINS - 19 * HOUR))
    assert board(schema, group, day=NOVEMBER)[owner] == (0, False)
    assert schema.rows("SELECT study_seconds FROM study_days WHERE study_seconds > 0") == [(HOUR,)]
    schema.rows("SELECT retract_session(%s, %s)", owner, session)
    assert schema.rows("SELECT study_seconds FROM study_days WHERE study_seconds > 0") == []
    assert schema.violations() == []


def test_a_closed_month_takes_nothing_and_gives_nothing_back(schema, pair):
    owner, _, _ = pair
    schema.set_clock(DECEMBER_BEGINS)
    began = DECEMBER_BEGINS - HOUR
    first, second = (
        schema.value("SELECT record_interval(%s, %s, %s)", owner, utc(began + n * 60), utc(began + n * 60 + 60)) for n in range(2)
    )
    schema.set_clock(month_closes(NOVEMBER, SEOUL) - 1)
    assert schema.call("SELECT retract_interval(%s, %s)", owner, first) is None
    schema.set_clock(month_closes(NOVEMBER, SEOUL))
    assert schema.call("SELECT retract_interval(%s, %s)", owner, second) == "month_closed"
    refused = schema.call("SELECT record_interval(%s, %s, %s)", owner, utc(began + 900), utc(began + 960))
    assert refused == "month_closed"
    stranger = schema.user()
    refused = schema.call("SELECT record_interval(%s, %s, %s)", stranger, utc(began - HOUR), utc(began))
    assert refused == "too_old"


def test_study_is_logged_and_changed_until_48_hours_later_to_the_second(schema):
    user, began = schema.user(), schema.now
    schema.set_clock(began + HOUR)
    record = "SELECT session_id FROM record_session(%s, NULL, ARRAY[%s], ARRAY[%s])"
    session = schema.value(record, user, utc(began), utc(began + HOUR))
    calls = [
        ("SELECT describe_session(%s, %s, '{}')", user, session),
        ("SELECT move_session(%s, %s, %s, NULL)", user, session, utc(began + 60)),
        ("SELECT withdraw_session(%s, %s)", user, session),
    ]
    schema.set_clock(began + 49 * HOUR + 1)
    assert [schema.call(*call) for call in calls] == ["session_too_old"] * 3
    schema.set_clock(began + 49 * HOUR)
    assert [schema.call(*call) for call in calls] == [None] * 3
    assert schema.call(record, user, utc(began + HOUR - 1), utc(began + HOUR + 60)) == "too_old"
    assert schema.call(record, user, utc(began + HOUR), utc(began + HOUR + 60)) is None


def test_a_stretch_lasts_12_hours_at_most_to_the_second(schema):
    user, now = schema.user(), schema.now
    log = "SELECT record_interval(%s, %s, %s)"
    assert schema.call(log, user, utc(now - 12 * HOUR - 1), utc(now)) == "too_long"
    assert schema.call(log, user, utc(now - 12 * HOUR), utc(now)) is None


def test_imported_time_counts_in_the_personal_calendar_only(schema, pair):
    owner, friend, group = pair
    began = schema.now - 90 * 24 * HOUR
    for start in (began, schema.now - HOUR):
        schema.rows("SELECT record_session(%s, NULL, %s, %s, 'import')", owner, [utc(start)], [utc(start + HOUR)])
    assert board(schema, group)[owner] == (0, False)
    assert schema.value("SELECT total_seconds FROM study_today(%s)", owner) == 2 * HOUR


def test_a_goal_follows_its_owner_until_the_day_ends(schema, pair):
    owner, _, _ = pair

    def goals():
        return [goal for (goal,) in schema.rows("SELECT goal_seconds FROM study_days ORDER BY day")]

    schema.rows("SELECT record_interval(%s, %s, %s)", owner, utc(schema.now - HOUR), utc(schema.now))
    schema.rows("SELECT set_daily_goal(%s, 3600)", owner)
    assert goals() == [3600]
    schema.set_clock(schema.now + 24 * HOUR)
    schema.rows("SELECT set_daily_goal(%s, 7200)", owner)
    schema.rows("SELECT record_interval(%s, %s, %s)", owner, utc(schema.now - HOUR), utc(schema.now))
    assert goals() == [3600, 7200]
    assert schema.call("SELECT set_daily_goal(%s, 5)", owner) == "students_daily_goal_seconds"


def test_a_stop_leaves_the_goal_of_a_day_that_a_move_to_the_west_has_brought_back(schema, pair):
    owner, _, _ = pair
    schema.rows("SELECT set_study_clock(%s, 'Pacific/Kiritimati', NULL)", owner)
    schema.rows("SELECT * FROM start_timer(%s)", owner)
    schema.rows("SELECT set_daily_goal(%s, 3600)", owner)
    schema.rows("SELECT set_study_clock(%s, 'Pacific/Honolulu', NULL)", owner)
    schema.set_clock(schema.now + 60)
    [today] = schema.rows("SELECT day, goal_seconds FROM study_today(%s)", owner)
    schema.rows("SELECT * FROM stop_timer(%s)", owner)
    assert schema.rows("SELECT day, goal_seconds FROM study_today(%s)", owner) == [today] and today[1] == 14400


def test_the_stop_that_meets_the_goal_earns_the_study_ant_and_no_other(schema, pair):
    owner, _, _ = pair
    schema.rows("SELECT set_daily_goal(%s, 3600)", owner)
    earned = []
    for _ in range(3):
        schema.rows("SELECT * FROM start_timer(%s)", owner)
        schema.set_clock(schema.now + 1800)
        earned.append(schema.value("SELECT earned_study FROM stop_timer(%s)", owner))
    assert earned == [False, True, False]


def test_the_shortest_work_and_rest_of_a_plan_are_one_number(schema):
    user = schema.user()
    schema.connection.execute("CREATE OR REPLACE FUNCTION shortest_length() RETURNS integer LANGUAGE sql IMMUTABLE RETURN 120")
    later = schema.connect()
    for work, rest, fits in ((119, 120, False), (120, 119, False), (120, 86281, False), (120, 86280, True), (120, 120, True)):
        saved = schema.call("SELECT save_plan(%s, 'p', %s, %s)", user, work, rest, on=later)
        plan = json.dumps({"work_seconds": work, "rest_seconds": rest})
        started = schema.call("SELECT start_timer(%s, cycle => %s)", user, plan, on=later)
        assert (saved, started) == ((None, None) if fits else ("plans_length", "study_sessions_plan"))
        if fits:
            schema.rows("SELECT stop_timer(%s)", user)


def test_a_zone_that_nobody_knows_is_refused_everywhere(schema, pair):
    owner, _, group = pair
    assert schema.call("SELECT set_study_clock(%s, 'FOO5', '05:00')", owner) == "unknown_time_zone"
    assert schema.call("SELECT set_study_clock(%s, 'posix/UTC', '05:00')", owner) == "unknown_time_zone"
    assert schema.call("SELECT create_group(%s, 'H', NULL, 'FOO5')", owner) == "unknown_time_zone"
    assert schema.call("SELECT change_group_rules(%s, %s, 'FOO5')", owner, group) == "unknown_time_zone"
    assert schema.call("INSERT INTO students (uid, time_zone) VALUES (gen_random_uuid(), 'FOO5') RETURNING uid") == "unknown_time_zone"
    assert schema.call("SELECT set_study_clock(%s, 'Asia/Seoul', '12:00')", owner) == "students_day_starts_at"


def test_what_a_member_may_do_goes_by_their_role(schema, pair):
    owner, member, group = pair
    admin, other, stranger = schema.user(), schema.user(), schema.user()
    for user in (admin, other):
        schema.rows("SELECT accept_invitation(%s, 'a code')", user)
    schema.rows("SELECT set_member_role(%s, %s, %s, 'admin')", owner, group, admin)

    remove, promote = "SELECT remove_member(%s, %s, %s)", "SELECT set_member_role(%s, %s, %s, 'admin')"
    invite, rules = "SELECT create_invitation(%s, %s, 'x')", "SELECT change_group_rules(%s, %s)"
    assert schema.call(remove, stranger, group, member) == "group_not_found"
    assert schema.call(remove, member, group, other) == "needs_admin"
    assert schema.call(remove, admin, group, owner) == "needs_owner"
    assert schema.call(remove, admin, group, stranger) == "member_not_found"
    assert schema.call(promote, admin, group, member) == "needs_owner"
    assert schema.call(promote, owner, group, owner) == "last_owner"
    assert schema.call(promote, owner, group, stranger) == "member_not_found"
    assert schema.call(invite, member, group) == "needs_admin"
    assert schema.call(invite, stranger, group) == "group_not_found"
    assert schema.call(rules, member, group) == "needs_admin"
    assert schema.call("SELECT delete_group(%s, %s)", admin, group) == "needs_owner"
    assert schema.rows("SELECT * FROM group_details(%s, %s)", stranger, group) == []

    assert schema.call("SELECT remove_member(%s, %s, %s, true)", admin, group, other) is None
    assert schema.call("SELECT accept_invitation(%s, 'a code')", other) == "banned"
    assert schema.call("SELECT delete_group(%s, %s)", owner, group) is None
    assert schema.call("SELECT invitation_preview('a code')") == "invitation_not_found"
    kinds = {kind for (kind,) in schema.rows("SELECT kind FROM audit_events")}
    assert kinds == {"invitation_created", "member_joined", "member_role_changed", "member_banned", "group_deleted"}
    assert schema.violations() == []


def test_everybody_in_a_group_is_told_that_its_owner_has_deleted_it(schema, pair):
    owner, member, group = pair
    assert schema.call("SELECT delete_group(%s, %s)", owner, group) is None
    told = "SELECT by_me, about_me, details::jsonb FROM own_activity(%s, NULL, NULL, 9) WHERE kind = 'group_deleted'"
    assert schema.rows(told, owner) == [(True, True, {"old_name": "G"})]
    assert schema.rows(told, member) == [(False, True, {"old_name": "G"})]


def test_an_invitation_ends_with_its_days_and_its_uses(schema, pair):
    owner, _, group = pair
    schema.rows("SELECT create_invitation(%s, %s, 'for one', 1, 2)", owner, group)
    schema.rows("SELECT accept_invitation(%s, 'for one')", schema.user())
    assert schema.call("SELECT accept_invitation(%s, 'for one')", schema.user()) == "invitation_expired"
    assert schema.call("SELECT accept_invitation(%s, 'for nobody')", schema.user()) == "invitation_not_found"
    schema.set_clock(schema.now + 7 * 24 * HOUR)
    assert schema.call("SELECT accept_invitation(%s, 'a code')", schema.user()) == "invitation_expired"
    assert schema.call("SELECT create_invitation(%s, %s, 'x', 1, 0)", owner, group) == "invitation_days"
    assert schema.call("SELECT create_invitation(%s, %s, 'x', 0, 1)", owner, group) == "invitation_uses"


def test_an_invitation_to_the_service_opens_no_group(schema, pair):
    schema.rows("SELECT create_service_invitation('to all', 1, 2)")
    assert schema.rows("SELECT group_id, uses_left FROM invitation_preview('to all')") == [(None, 1)]
    assert schema.call("SELECT accept_invitation(%s, 'to all')", schema.user()) == "invitation_not_found"
    [(invitation, works)] = schema.rows("SELECT invitation_id, works FROM invitation_of('to all')")
    assert works
    assert schema.rows("SELECT * FROM welcome_newcomer(%s, %s, true)", schema.user(), invitation) == [(False, None)]
    assert schema.rows("SELECT works FROM invitation_of('to all')") == [(False,)]
    assert schema.call("SELECT welcome_newcomer(%s, %s, true)", schema.user(), invitation) == "invitation_required"
    assert schema.call("SELECT welcome_newcomer(%s, NULL, true)", schema.user()) == "invitation_required"
    assert schema.rows("SELECT * FROM welcome_newcomer(%s, %s, false)", schema.user(), invitation) == [(False, None)]
    assert schema.call("SELECT create_service_invitation('x', 1, 0)") == "invitation_days"
    assert schema.violations() == []


def test_a_newcomer_is_a_member_unless_the_invitation_has_ended_or_the_group_is_full(schema, pair):
    owner, _, group = pair
    [(invitation, _)] = schema.rows("SELECT invitation_id, works FROM invitation_of('a code')")
    newcomer = schema.user()
    assert schema.rows("SELECT * FROM welcome_newcomer(%s, %s, false)", newcomer, invitation) == [(True, group)]
    assert schema.value("SELECT count(*) FROM group_members WHERE uid = %s", newcomer) == 1
    schema.rows("SELECT revoke_invitation(%s, %s, %s)", owner, group, invitation)
    assert schema.rows("SELECT * FROM welcome_newcomer(%s, %s, false)", schema.user(), invitation) == [(True, None)]
    assert schema.call("SELECT welcome_newcomer(%s, %s, true)", schema.user(), invitation) == "invitation_required"
    assert schema.value("SELECT count(*) FROM invitation_of('no code')") == 0


def test_nobody_is_in_more_than_20_groups(schema):
    user = schema.user()
    for _ in range(20):
        schema.rows("SELECT create_group(%s, 'G')", user)
    assert schema.call("SELECT create_group(%s, 'G')", user) == "too_many_groups"


def test_audit_events_are_only_ever_added(schema):
    schema.connection.execute("INSERT INTO audit_events (kind) VALUES ('k')")
    for change in ("UPDATE audit_events SET kind = 'x'", "DELETE FROM audit_events", "TRUNCATE audit_events"):
        assert schema.call(change) == "audit_events_append_only"


def test_learning_time_zones_adds_what_is_missing(schema):
    schema.connection.execute("DELETE FROM time_zones WHERE name = 'Asia/Kathmandu'")
    assert schema.value("SELECT learn_time_zones()") == 1
    assert schema.value("SELECT learn_time_zones()") == 0


@pytest.mark.parametrize("suspended, ends, is_on", [
    (-10, None, False),  # still off the boards
    (-10, -1, True),  # let back in time
    (-10, 0, False),  # in the second of the close, before or after it is written down
    (-1, None, False),
    (0, None, True),  # too late for that month
])  # fmt: skip
@pytest.mark.parametrize("late", [0, 1, 86400])
def test_who_is_kept_off_a_closed_month_is_decided_the_second_before(schema, pair, suspended, ends, is_on, late):
    owner, friend, group = pair
    closes = month_closes(NOVEMBER, SEOUL)

    def close():
        schema.set_clock(closes + late)
        assert schema.value("SELECT close_month(%s, %s)", group, NOVEMBER) is True

    def suspend():
        schema.set_clock(closes + suspended)
        return schema.value("SELECT suspend_member(%s, %s, %s, 'why', %s)", owner, group, friend, utc(closes + 5 * 86400))

    # What happens in the second of the close happens once with the standings written, once before.
    if suspended == 0 == late:
        close()
        suspend()
    else:
        made = suspend()
        if ends == 0 == late:
            close()
        if ends is not None:
            schema.set_clock(closes + ends)
            schema.rows("SELECT lift_suspension(%s, %s, %s)", owner, group, made)
        if not ends == 0 == late:
            close()
    standings = {uid for (uid,) in schema.rows("SELECT uid FROM standings")}
    assert standings == ({owner, friend} if is_on else {owner})
    assert set(board(schema, group, day=NOVEMBER)) == standings
    # So it is on its days.
    assert set(board(schema, group, "day", datetime.date(2026, 11, 21))) == standings
    assert schema.violations() == []


@pytest.mark.parametrize(
    "statement, rule",
    [
        ("UPDATE ranking_rules SET daily_cap_seconds = 3600", "ranking_rules_append_only"),
        ("DELETE FROM ranking_rules", None),
        ("UPDATE group_rules SET rules_id = 1", "group_rules_final"),
        ("UPDATE group_rules SET from_month = from_month - interval '1 month'", "group_rules_final"),
        ("SELECT create_group(uid, 'Other') FROM users LIMIT 1;"
         " UPDATE group_rules SET group_id = (SELECT group_id FROM groups WHERE name = 'Other') WHERE from_month = '2026-11-01'",
         "group_rules_final"),
        ("DELETE FROM group_rules", "group_rules_final"),
        ("TRUNCATE group_rules", "group_rules_final"),
        ("DELETE FROM group_members WHERE role = 'member'", "group_members_history"),
        ("UPDATE group_members SET joined_at = joined_at - interval '1 d'", "group_members_history"),
        ("INSERT INTO group_members (uid, group_id, role) SELECT gen_random_uuid(), group_id, 'member' FROM groups", None),
        ("INSERT INTO standings (group_id, month, person, rank, counted_seconds, manual_seconds, seal_salt)"
         " SELECT group_id, month, sha256('x'), 9, 0, 0, seal_salt FROM standings LIMIT 1", "final"),
        ("UPDATE standings SET counted_seconds = 5", "final"),
        ("UPDATE standings SET nickname = 'x'", "final"),
        ("UPDATE standings SET amended_seconds = 5", "final"),
        ("DELETE FROM standings", "standings_append_only"),
        ("TRUNCATE standings CASCADE", "standings_append_only"),
        ("UPDATE month_closes SET participants = 9", "month_closes_append_only"),
        ("DELETE FROM month_closes", "month_closes_append_only"),
        ("INSERT INTO amendments (group_id, month, person, actor, at, reason, old_seconds, new_seconds, old_rank, new_rank)"
         " SELECT group_id, month, person, uid, anthill_clock(), 'x', 1, 2, 1, 1 FROM standings LIMIT 1", "amendments_chain"),
        ("DELETE FROM audit_events", "audit_events_append_only"),
        ("UPDATE study_intervals SET recorded_at = timestamptz '2020-01-01'", "study_intervals_recorded"),
        ("UPDATE study_intervals SET retracted_at = timestamptz '2020-01-01'", "study_intervals_recorded"),
    ],
)  # fmt: skip
def test_what_must_stay_cannot_be_changed_by_hand(schema, closed, statement, rule):
    with pytest.raises(psycopg.Error) as refused:
        schema.connection.execute(statement)
    assert rule is None or rule_of(refused.value) == rule


def test_who_is_deleted_leaves_closed_standings_without_a_name_and_the_seal_holds(schema, closed):
    owner, friend, group = closed
    schema.rows("SELECT remove_member(%s, %s, %s)", friend, group, friend)
    schema.connection.execute("DELETE FROM user_emails WHERE uid = %s", [friend])
    schema.connection.execute("DELETE FROM users WHERE uid = %s", [friend])
    assert schema.rows("SELECT counted_seconds, nickname IS NULL FROM standings WHERE uid IS DISTINCT FROM %s", owner) == [(3600, True)]
    assert {row[0] for row in schema.maintenance("check.sql")} <= {"month closed late"}


@pytest.mark.parametrize("end", ["demoted", "removed", "banned"])
def test_an_invitation_ends_with_the_right_to_invite(schema, pair, end):
    owner, admin, group = pair
    schema.rows("SELECT set_member_role(%s, %s, %s, 'admin')", owner, group, admin)
    schema.rows("SELECT create_invitation(%s, %s, 'of the admin')", admin, group)
    assert schema.call("SELECT invitation_preview('of the admin')") is None
    if end == "demoted":
        schema.rows("SELECT set_member_role(%s, %s, %s, 'member')", owner, group, admin)
    else:
        schema.rows("SELECT remove_member(%s, %s, %s, %s)", owner, group, admin, end == "banned")
    late = schema.user()
    assert schema.call("SELECT accept_invitation(%s, 'of the admin')", late) == "invitation_expired"
    assert schema.call("SELECT invitation_preview('of the admin')") == "invitation_expired"
    assert schema.call("SELECT accept_invitation(%s, 'a code')", late) is None


def test_equals_share_a_rank_of_a_closed_month_and_the_next_rank_is_left_out(schema, pair):
    owner, friend, group = pair
    third = schema.user()
    schema.rows("SELECT accept_invitation(%s, 'a code')", third)
    for user, seconds in ((owner, HOUR), (friend, HOUR), (third, 60)):
        schema.rows("SELECT record_timed(%s, %s, %s)", user, utc(schema.now - seconds), utc(schema.now))
    schema.set_clock(month_closes(NOVEMBER, SEOUL))
    assert schema.value("SELECT close_month(%s, %s)", group, NOVEMBER)
    assert set(schema.rows("SELECT uid, rank FROM standings")) == {(owner, 1), (friend, 1), (third, 3)}


def test_who_was_suspended_signs_in_anew(schema, pair):
    owner, _, _ = pair
    before = schema.value("SELECT auth_epoch FROM users WHERE uid = %s", owner)
    for status, epoch in (("suspended", 1), ("suspended", 1), ("active", 2)):
        schema.connection.execute("UPDATE users SET status = %s WHERE uid = %s", [status, owner])
        assert schema.value("SELECT auth_epoch FROM users WHERE uid = %s", owner) == before + epoch
