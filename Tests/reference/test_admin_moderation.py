"""The scripts of service-wide moderation, run as an admin does: shown, applied, undone, and refused."""

import pytest
from maintenance import ADMIN, REASON, applied, cells, refused, run
from world_admin import HOUR, NOBODY, NOW

UNTIL = "2026-11-28T12:00+09:00"
SUSPENDED = "SELECT reason, until = %s::timestamptz, lifted_at IS NULL FROM suspensions WHERE uid = %s ORDER BY since"


def global_board(world):
    world.rows("SELECT fold_rank_deltas()")
    return {
        name: rank
        for name, rank in world.rows("SELECT nickname, rank FROM global_board(NULL, 'month', '2026-11-01') WHERE section = 'top'")
    }


def test_a_user_is_suspended_from_the_boards_and_put_back(world):
    ada = world.uid("Ada")
    said, change = applied(world, "suspend_from_boards", uid=ada, until=UNTIL)
    assert cells(said)[1] == ["2026-11-28 03:00:00+00", "7 days"]
    assert f"It touches Ada ({ada})." in said and "the global board | 2026-11 | Ada | 1 → –" in said
    assert global_board(world) == {"Bo": 1} and world.board()["Ada"] == (1, 4)
    assert world.rows(SUSPENDED, UNTIL, ada) == [(REASON, True, True)]
    assert refused(world, "suspend_from_boards", uid=ada, until=UNTIL) == "they are suspended from the boards already"
    world.set_clock(NOW + HOUR)
    applied(world, "undo", change=change)
    assert global_board(world) == {"Ada": 1, "Bo": 2} and world.rows(SUSPENDED, UNTIL, ada) == [(REASON, True, False)]
    assert refused(world, "undo", change=change).startswith(f"change {change} was undone at ")


def test_a_time_is_written_with_a_zone_that_there_is(world):
    for until in ("2026-11-28T12:00", "2026-11-28T12:00+99:00", "2026-02-30T12:00Z"):
        said = refused(world, "suspend_from_boards", uid=world.uid("Ada"), until=until)
        assert said == "give the time until which they are suspended: -v until=2026-12-05T09:00+09:00"


@pytest.mark.parametrize("until", ["2026-11-21T12:00+09:00", "2027-11-23T12:00+09:00"])
def test_a_suspension_ends_in_the_future_and_within_a_year(world, until):
    said = refused(world, "suspend_from_boards", uid=world.uid("Ada"), until=until)
    assert said == "a suspension ends in the future, and within 366 days"


def test_a_user_returns_to_the_boards_and_is_suspended_anew(world):
    ada = world.uid("Ada")
    assert refused(world, "return_to_boards", uid=ada) == "they are not suspended from the boards"
    world.rows("SELECT suspend_member(%s, %s, %s, 'why', %s)", ada, world.group(), world.uid("Bo"), UNTIL)
    assert refused(world, "return_to_boards", uid=world.uid("Bo")) == "they are not suspended from the boards"
    world.rows("SELECT admin_suspend_from_boards(%s, %s, 'day and night', 'Kim')", ada, UNTIL)
    world.set_clock(NOW + HOUR)
    said, change = applied(world, "return_to_boards", uid=ada)
    assert cells(said)[1] == ["2026-11-21 03:00:00+00", "2026-11-28 03:00:00+00", "the operator", "day and night", ""]
    assert "Ada | – → 1" in said and global_board(world)["Ada"] == 1
    world.set_clock(NOW + 2 * HOUR)
    applied(world, "undo", change=change)
    assert world.rows(SUSPENDED, UNTIL, ada) == [("day and night", True, False), ("day and night", True, True)]
    assert world.rows("SELECT details ->> 'by' FROM audit_events WHERE uid = %s AND kind = 'service_suspended' ORDER BY at", ada) == [
        ("Kim",),
        (ADMIN,),
    ]


def test_a_return_that_came_late_is_not_undone(world):
    ada = world.uid("Ada")
    world.rows("SELECT admin_suspend_from_boards(%s, %s, 'why', 'Kim')", ada, UNTIL)
    world.set_clock(NOW + HOUR)
    change = world.value("SELECT admin_return_to_boards(%s, 'why', 'Kim')", ada)
    world.rows("SELECT admin_suspend_from_boards(%s, %s, 'again', 'Kim')", ada, UNTIL)
    assert refused(world, "undo", change=change) == "they are suspended from the boards again already"
    world.set_clock(NOW + 8 * 24 * HOUR)
    assert refused(world, "undo", change=change) == "the suspension would have ended at 2026-11-28T03:00:00Z"


def report(world):
    return world.value("SELECT make_report(%s, %s, %s, 'never sleeps')", world.uid("Bo"), world.uid("Ada"), world.group())


def test_a_report_is_listed_answered_and_opened_again(world):
    made, bo = report(world), world.uid("Bo")
    listed = run(world, "open_reports", reason="").stdout
    assert str(made) in listed and "Larks" in listed and "never sleeps" in listed
    said, change = applied(world, "answer_report", report=made, answer="We looked")
    assert cells(said)[1][1:] == ["Bo", "Ada", "Larks", "never sleeps", "", "We looked"] and "No rank changes." in said
    assert world.rows("SELECT answer, answered_by FROM reports") == [("We looked", None)]
    assert str(made) not in run(world, "open_reports", reason="").stdout
    told = dict(world.rows("SELECT kind, details FROM own_activity(%s, NULL, NULL, 2)", bo))
    assert "We looked" in told["report_answered"] and REASON in told["admin_answer_report"]
    assert refused(world, "answer_report", report=made, answer="Again") == "the report is closed"
    assert refused(world, "answer_report", report=NOBODY, answer="x") == "no such report"

    applied(world, "undo", change=change)
    assert world.rows("SELECT answer, answered_at FROM reports") == [(None, None)]
    applied(world, "answer_report", report=made, answer="We looked again")


def test_an_answer_is_not_taken_back_when_the_person_was_reported_again(world):
    made = report(world)
    change = world.value("SELECT admin_answer_report(%s, 'We looked', 'why', 'Kim')", made)
    report(world)
    assert refused(world, "undo", change=change) == "the reporter has reported this person again since"
    world.rows("SELECT erase_user(%s)", world.uid("Cy"))
    world.connection.execute("DELETE FROM reports")
    assert refused(world, "undo", change=change) == "the report is gone"


def test_a_site_admin_learns_nothing_of_a_report_about_themselves(world):
    ada = world.uid("Ada")
    world.rows("SELECT make_site_admin(%s, 'Kim')", ada)
    world.rows("SELECT admin_answer_report(%s, 'We looked', 'why', 'Kim')", report(world))
    kinds = [kind for (kind,) in world.rows("SELECT kind FROM service_audit(%s, NULL, NULL, NULL, NULL, 50)", ada)]
    assert "site_admin_made" in kinds and "admin_answer_report" not in kinds
