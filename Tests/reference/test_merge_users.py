"""merge_users.sql makes one account of a person's two; whatever the second had comes along, or is said to stay."""

import threading

import citus
import pytest
import world_admin
from maintenance import applied, cells, refused, run
from study_clock import utc
from test_races import held, wait_for_lock
from whole_person import ADDRESS, WORD, WholePerson
from world_admin import HOUR, NOBODY, NOW, World

pytestmark = citus.not_spread("merge_users.sql does not run there")


@pytest.fixture(scope="module")
def lived(lived):
    """As the world of admins, with Di, who studied in October and November as well and is in no group yet."""
    world = World(lived)
    di = world.new_user("Di")
    world.set_clock(world_admin.OCTOBER)
    world.rows("SELECT record_timed(%s, %s, %s)", di, utc(world_admin.OCTOBER - 20 * HOUR), utc(world_admin.OCTOBER - 15 * HOUR))
    world.set_clock(NOW)
    world.disconnect()
    yield world.name
    world.drop()


def study(world, uid, hours_ago, hours, note=None, task=None):
    world.rows("SELECT record_session(%s, NULL, %s, %s, note => %s, task_id => %s)",
               uid, [utc(NOW - hours_ago * HOUR)], [utc(NOW - (hours_ago - hours) * HOUR)], note, task)  # fmt: skip


def join(world, uid):
    world.rows("SELECT create_invitation(%s, %s, %s)", world.uid("Ada"), world.group(), f"for {uid}")
    world.rows("SELECT accept_invitation(%s, %s)", uid, f"for {uid}")


def global_hours(world):
    """Hours and rank on the global board of November."""
    world.rows("SELECT fold_rank_deltas()")
    return {name: (rank, seconds / HOUR) for name, rank, seconds in world.rows(
        "SELECT nickname, rank, seconds FROM global_board(%s, 'month', '2026-11-01') WHERE section = 'top'", world.uid("Ada"))}  # fmt: skip


def days(world, uid):
    """The personal calendar, in hours."""
    return {str(day): seconds / HOUR for day, seconds in world.rows(
        "SELECT day, study_seconds FROM study_days WHERE uid = %s AND study_seconds > 0", uid)}  # fmt: skip


def test_study_comes_along_and_what_is_closed_stays(world):
    bo, di = world.uid("Bo"), world.uid("Di")
    task = world.value("INSERT INTO tasks (uid, title) VALUES (%s, 'Essay') RETURNING id", di)
    study(world, di, 10, 2, "mine", task)
    world.rows("SELECT record_timed(%s, %s, %s)", di, utc(NOW - 6 * HOUR), utc(NOW - 4 * HOUR))
    standings = world.rows("SELECT * FROM standings ORDER BY person")
    assert global_hours(world) == {"Ada": (1, 4), "Bo": (2, 3)} and days(world, bo) == {"2026-10-20": 2, "2026-11-20": 3}

    said, _ = applied(world, "merge_users", uid=bo, second=di)
    assert f"It touches Bo ({bo}), Di ({di})." in said and "It cannot be undone." in said
    assert [row[:4] + row[5:] for row in cells(said)[1:3]] == [
        ["stays", "Bo", str(bo), f"{bo}@example.org", "1", "2"], ["is erased", "Di", str(di), f"{di}@example.org", "0", "3"]]  # fmt: skip
    assert world.rows("SELECT FROM users WHERE nickname = 'Di'") == []
    # By hand it counts in the group, and not on the global board.
    assert world.board() == {"Bo": (1, 7), "Ada": (2, 4), "Cy": (3, 2)} and global_hours(world) == {"Bo": (1, 5), "Ada": (2, 4)}
    assert days(world, bo)["2026-10-19"] == 5
    assert sum(days(world, bo).values()) == 2 + 3 + 5 + 4
    assert world.rows("SELECT * FROM standings ORDER BY person") == standings
    assert world.rows("SELECT t.actual_seconds, s.note FROM tasks t JOIN study_sessions s ON s.task_id = t.id WHERE t.uid = %s", bo) == [
        (2 * HOUR, "mine")
    ]
    assert world.rows("SELECT recounted FROM rebuild_totals(%s)", bo) == []


def test_places_in_groups_come_along_with_the_higher_role(world):
    di, cy, ada = world.uid("Di"), world.uid("Cy"), world.uid("Ada")
    join(world, di)
    other = world.value("SELECT create_group(%s, 'Owls')", di)
    study(world, di, 10, 1)
    world.rows("SELECT set_member_role(%s, %s, %s, 'admin')", ada, world.group(), di)
    world.connection.execute("UPDATE group_members SET visibility = 'hidden' WHERE uid = %s", [di])
    world.rows("SELECT create_invitation(%s, %s, 'by Di')", di, world.group())
    world.rows("SELECT remove_member(%s, %s, %s, true)", di, world.group(), world.uid("Bo"))
    applied(world, "merge_users", uid=cy, second=di)
    assert world.roles() == {"Ada": "owner", "Cy": "admin"}
    assert world.rows("SELECT uid, role, visibility FROM group_members WHERE group_id = %s", other) == [(cy, "owner", "hidden")]
    assert world.rows("SELECT banned_by FROM group_bans") == [(cy,)]
    assert world.value("SELECT works FROM invitation_of('by Di')") and world.board()["Cy"] == (2, 3)
    assert world.value("SELECT visibility FROM group_members WHERE uid = %s AND group_id = %s", cy, world.group()) == "shown"


def test_a_place_in_a_full_group_comes_along(world):
    bo, di = world.uid("Bo"), world.uid("Di")
    full = world.value("SELECT create_group(%s, 'Owls')", di)
    world.connection.execute("CREATE OR REPLACE FUNCTION most_members() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 1")
    world.rows("SELECT admin_merge_users(%s, %s, 'r', 'M')", bo, di)
    assert world.rows("SELECT uid, role FROM group_members WHERE group_id = %s", full) == [(bo, "owner")]


def test_a_member_comes_along_with_the_open_month(world):
    di = world.uid("Di")
    applied(world, "merge_users", uid=di, second=world.uid("Bo"))
    assert world.board() == {"Ada": (1, 4), "Di": (2, 3), "Cy": (3, 2)}
    assert world.board("2026-10-01") == {"Cy": (1, 3), "Ada": (3, 1)}
    # Bo was on the global board; Di has not chosen it.
    assert global_hours(world) == {"Ada": (1, 4)}


@pytest.mark.parametrize(("zone", "hours", "place"), [("America/Los_Angeles", 2, None), ("Pacific/Kiritimati", -2, (1, 6))])
def test_a_member_comes_along_with_a_month_that_is_open_by_its_own_clock(world, zone, hours, place):
    """The group has another clock from December on. By that one November would close later, or earlier."""
    di, ed, group = world.uid("Di"), world.new_user("Ed"), world.group()
    join(world, di)
    study(world, di, 10, 6)
    world.rows("SELECT change_group_rules(%s, %s, %s)", world.uid("Ada"), group, zone)
    closes = int(world.value("SELECT closes_at FROM group_period(%s, 'month', '2026-11-01')", group).timestamp())
    world.set_clock(closes + hours * HOUR)
    if hours > 0:
        world.rows("SELECT lock_to_close(%s, '2026-11-01')", group)
        assert world.value("SELECT close_month(%s, '2026-11-01')", group)
    applied(world, "merge_users", uid=ed, second=di)
    assert world.board().get("Ed") == place


def test_providers_sign_in_to_the_account_that_stays_and_the_address_is_free(schema):
    person = WholePerson(schema)
    schema.rows("SELECT * FROM stop_timer(%s)", person.uid)
    first = schema.user()
    schema.set_clock(schema.now + 4 * HOUR)  # The suspensions are over.
    schema.rows("SELECT return_after_suspensions()")
    schema.connection.execute("DELETE FROM email_changes")
    applied(schema, "merge_users", uid=first, second=person.uid)
    assert schema.rows("SELECT subject, uid FROM user_identities") == [(WORD, first)]
    assert schema.rows("SELECT FROM user_emails WHERE canonical = %s", ADDRESS) == []
    counted = "SELECT count(*) FROM {} WHERE uid = %s"
    for table, rows in {"subjects": 1, "projects": 1, "tasks": 1, "task_projects": 1, "plans": 1, "wake_ups": 1, "wake_up_challenges": 1,
                        "rest_days": 1, "period_goals": 2, "target_dates": 1, "perfect_announcements": 1, "avatars": 1, "standings": 0, "alarms": 0}.items():  # fmt: skip
        assert schema.value(counted.format(table), first) == rows, table
    assert schema.rows("SELECT FROM audit_events WHERE uid = %s AND kind = 'identity_linked'", first)
    assert schema.value("SELECT count(*) FROM standings WHERE uid IS NULL") == 1


def test_what_the_first_account_has_is_kept(world):
    bo, di = world.uid("Bo"), world.uid("Di")
    run_it = world.connection.execute
    for uid, seconds in ((bo, 1500), (di, 3000)):
        world.rows("SELECT set_period_goals(%s, %s, NULL)", uid, seconds)
        run_it("INSERT INTO plans (uid, name, work_seconds, rest_seconds) VALUES (%s, 'both', %s, 300)", [uid, seconds])
        run_it("INSERT INTO rest_days (uid, day) VALUES (%s, '2026-12-24')", [uid])
        run_it("INSERT INTO perfect_announcements (uid, day) VALUES (%s, '2026-11-20')", [uid])
        run_it("INSERT INTO wake_ups (uid, day) VALUES (%s, '2026-11-21')", [uid])
        run_it("INSERT INTO wake_up_challenges (uid, day, ring, puzzle, answer, asked_at, expires_at, solved_at)"
               " SELECT uid, day, 0, '{}', 0, earned_at, earned_at, earned_at FROM wake_ups WHERE uid = %s", [uid])  # fmt: skip
    run_it("INSERT INTO rest_days (uid, day) VALUES (%s, '2026-12-25'), (%s, '2027-01-01')", [di, di])
    applied(world, "merge_users", uid=bo, second=di)
    assert world.rows("SELECT work_seconds FROM plans") == [(1500,)]
    assert world.rows("SELECT goal_seconds FROM period_goals") == [(1500,)]
    assert [str(day) for (day,) in world.rows("SELECT day FROM rest_days ORDER BY 1")] == ["2026-12-24", "2027-01-01"]
    assert world.value("SELECT count(*) FROM wake_up_challenges") == world.value("SELECT count(*) FROM perfect_announcements") == 1


def test_reports_come_along_unless_they_would_be_about_oneself_or_twice(world):
    ada, bo, cy, di = (world.uid(name) for name in ("Ada", "Bo", "Cy", "Di"))
    join(world, di)
    report, answer = "SELECT make_report(%s, %s, %s, %s)", "SELECT admin_answer_report(%s, 'We looked', 'why', 'Kim')"
    for by, about, why in (
        (di, ada, "by Di"),
        (di, bo, "about Bo"),
        (bo, di, "by Bo"),
        (ada, di, "about Di"),
        (di, cy, "twice"),
        (bo, cy, "once"),
    ):
        made = world.value(report, by, about, world.group(), why)
        if why == "by Di":
            world.rows(answer, made)
    applied(world, "merge_users", uid=bo, second=di)
    assert set(world.rows("SELECT uid, about, reason FROM reports")) == {
        (bo, ada, "by Di"), (ada, bo, "about Di"), (bo, cy, "once")}  # fmt: skip
    assert [kind for (kind,) in world.rows("SELECT kind FROM own_activity(%s, NULL, NULL, 9) WHERE details LIKE '%%by Di%%'", bo)] == [
        "report_made"
    ]


def test_amendments_lose_the_second_name_and_the_first_is_no_site_admin(world):
    ada, di = world.uid("Ada"), world.uid("Di")
    join(world, di)
    world.rows("SELECT set_member_role(%s, %s, %s, 'admin')", ada, world.group(), di)
    world.rows("SELECT amend_standing(%s, %s, '2026-10-01', %s, 60, 'counted twice')", di, world.group(), ada)
    world.rows("SELECT make_site_admin(%s, 'Kim')", di)
    applied(world, "merge_users", uid=world.uid("Cy"), second=di)
    assert world.rows("SELECT actor, reason FROM amendments") == [(None, "counted twice")] and world.rows("SELECT FROM site_admins") == []


def test_overlapping_study_is_listed_and_refused(world):
    ada, di = world.uid("Ada"), world.uid("Di")
    study(world, di, 19, 1)
    said = refused(world, "merge_users", uid=ada, second=di)
    assert said == "times at which both studied: 1. Take back one of each first, by retract_interval.sql"
    listed = run(world, "merge_users", uid=ada, second=di).stdout
    interval = world.value("SELECT interval_id FROM study_intervals WHERE uid = %s ORDER BY started_at DESC LIMIT 1", di)
    assert str(interval) in listed and "2026-11-20 08:00:00+00 | 2026-11-20 09:00:00+00" in listed
    world.rows("SELECT retract_interval(%s, %s)", di, interval)
    applied(world, "merge_users", uid=ada, second=di)


def test_study_that_overlaps_in_a_closed_month_counts_once(world):
    """Nobody can take either back any more. The standings keep both."""
    bo, cy = world.uid("Bo"), world.uid("Cy")
    study_of_both = world.rows("SELECT both_closed, interval_of_second FROM overlapping_study(%s, %s)", bo, cy)
    [(_, in_october), (_, in_november)] = study_of_both
    assert [closed for closed, _ in study_of_both] == [True, False]
    assert world.call("SELECT retract_interval(%s, %s)", cy, in_october) == "month_closed"
    said = refused(world, "merge_users", uid=bo, second=cy)
    assert said == "times at which both studied: 1. Take back one of each first, by retract_interval.sql"
    world.rows("SELECT retract_interval(%s, %s)", cy, in_november)

    def october(hour):
        return world.rows("SELECT nickname, seconds FROM board(%s, 'month', '2026-10-01', instant => %s) WHERE nickname <> 'Cy' ORDER BY 1",
                          world.group(), utc(world_admin.OCTOBER + hour * HOUR))  # fmt: skip

    before = october(1)
    assert before == [("Ada", HOUR), ("Bo", 2 * HOUR)]
    final = world.rows("SELECT person, rank, amended_seconds FROM standings ORDER BY person")
    applied(world, "merge_users", uid=bo, second=cy)
    assert days(world, bo) == {"2026-10-20": 2, "2026-11-20": 3}
    assert world.rows("SELECT state, count(*) FROM study_sessions WHERE uid = %s GROUP BY 1 ORDER BY 1", bo) == [
        ("discarded", 2), ("finished", 2)]  # fmt: skip
    assert world.rows("SELECT person, rank, amended_seconds FROM standings ORDER BY person") == final
    assert world.board() == {"Ada": (1, 4), "Bo": (2, 3)}
    assert october(1) == before
    assert world.rows("SELECT recounted FROM rebuild_totals(%s)", bo) == []
    assert world.maintenance("check.sql") == []


def test_what_cannot_be_merged_is_refused(world):
    ada, bo, di = world.uid("Ada"), world.uid("Bo"), world.uid("Di")
    assert refused(world, "merge_users", uid=ada, second=ada) == "both are the same account"
    assert refused(world, "merge_users", uid=ada, second=NOBODY) == f"no user has the uid {NOBODY}"
    world.rows("SELECT * FROM start_timer(%s)", di)
    assert refused(world, "merge_users", uid=ada, second=di) == "one of them has a timer: stop it first, by stop_timer.sql"
    world.rows("SELECT * FROM stop_timer(%s)", di)
    join(world, di)
    world.rows("SELECT suspend_member(%s, %s, %s, 'why', anthill_clock() + interval '1 day')", ada, world.group(), di)
    said = refused(world, "merge_users", uid=bo, second=di)
    assert said == f"the second account is suspended from the boards of Larks ({world.group()}): its admins end that"
    world.rows("SELECT admin_suspend_from_boards(%s, anthill_clock() + interval '1 day', 'r', 'M')", bo)
    said = refused(world, "merge_users", uid=ada, second=bo)
    assert said == "the second account is suspended from the global board: return_to_boards.sql ends that"
    world.rows("SELECT admin_suspend_user(%s, 'r', 'M')", ada)
    assert refused(world, "merge_users", uid=di, second=ada) == "the second account is suspended: restore_user.sql ends that"


def test_nothing_is_merged_into_an_account_that_is_banned_where_the_second_is_a_member(world):
    bo, di, group = world.uid("Bo"), world.uid("Di"), world.group()
    join(world, di)
    world.rows("SELECT remove_member(%s, %s, %s, true)", world.uid("Ada"), group, bo)
    assert refused(world, "merge_users", uid=bo, second=di) == f"the first account is banned from groups of the second: Larks ({group})"


def test_nothing_is_merged_into_an_account_that_is_about_to_be_deleted(world):
    bo, di = world.uid("Bo"), world.uid("Di")
    world.rows("SELECT ask_to_leave(%s, 1, NULL, NULL)", bo)
    said = "the first account is about to be deleted: its owner keeps it by signing in"
    assert refused(world, "merge_users", uid=bo, second=di) == said
    world.rows("SELECT come_back(%s, NULL)", bo)
    world.rows("SELECT ask_to_leave(%s, 1, NULL, NULL)", di)
    applied(world, "merge_users", uid=bo, second=di)


def test_more_than_anybody_may_have_is_refused(world):
    bo, di = world.uid("Bo"), world.uid("Di")
    for uid, number in ((bo, 300), (di, 201)):
        world.connection.execute("INSERT INTO subjects (uid, name) SELECT %s, n::text FROM generate_series(1, %s) n", [uid, number])
    assert refused(world, "merge_users", uid=bo, second=di) == "at most 500 subjects that are not archived"
    world.connection.execute("DELETE FROM subjects")
    for uid, number in ((bo, 6), (di, 5)):
        world.connection.execute("INSERT INTO target_dates (uid, title, day) SELECT %s, 'Exam', '2027-01-01' FROM generate_series(1, %s)",
                                 [uid, number])  # fmt: skip
    assert refused(world, "merge_users", uid=bo, second=di) == "at most 10 dates"
    world.connection.execute("DELETE FROM target_dates")
    for number in range(20):
        world.rows("SELECT create_group(%s, %s)", bo if number < 10 else di, f"G{number}")
    assert refused(world, "merge_users", uid=bo, second=di) == "nobody is in more than 20 groups"


def test_who_joins_a_group_meanwhile_is_not_merged_without_its_lock(world):
    bo, di, one, two = world.uid("Bo"), world.uid("Di"), world.connect(), world.connect()
    owls = world.value("SELECT create_group(%s, 'Owls')", world.uid("Ada"))
    verdicts = []
    merge = "SELECT admin_merge_users(%s, %s, 'r', 'M')"
    thread = threading.Thread(target=lambda: verdicts.append(world.call(merge, bo, di, on=two)))
    with held(one):
        one.execute("SELECT FROM groups WHERE group_id = %s FOR NO KEY UPDATE", [owls])
        one.execute("SELECT enter_group(%s, %s, 'member')", [di, owls])
        thread.start()
        wait_for_lock(world, two)
    thread.join()
    assert verdicts == ["joined_meanwhile"] and world.value("SELECT count(*) FROM group_members WHERE uid = %s", di) == 1
    world.rows(merge, bo, di)
    assert world.value("SELECT role FROM group_members WHERE (uid, group_id) = (%s, %s)", bo, owls) == "member"
