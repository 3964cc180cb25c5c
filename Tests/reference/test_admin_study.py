"""The scripts that change a user's study, run as an admin does: shown, applied, undone, and refused."""

import pytest
from maintenance import REASON, applied, cells, refused, run, shown
from study_clock import utc
from world_admin import HOUR, NOBODY, NOW

BOARD = {"Ada": (1, 4), "Bo": (2, 3), "Cy": (3, 2)}


def test_an_interval_is_taken_back_and_recorded_anew(world):
    assert world.board() == BOARD
    variables = {"uid": world.uid("Ada"), "interval": world.interval("Ada")}
    said, change = applied(world, "retract_interval", **variables)
    assert said.splitlines()[0] == f"It touches Ada ({world.uid('Ada')})."
    assert cells(said)[:2] == [
        ["started_at", "ended_at", "length", "source", "session"],
        ["2026-11-20 07:00:00+00", "2026-11-20 11:00:00+00", "04:00:00", "timer", "finished"],
    ]
    rows = [[cell.strip() for cell in line.split("|")] for line in said.splitlines() if "| 2026-11 |" in line]
    assert rows == [
        ["Larks", "2026-11", "Bo", "2 → 1", "03:00:00"],
        ["Larks", "2026-11", "Cy", "3 → 2", "02:00:00"],
        ["Larks", "2026-11", "Ada", "1 → 3", "04:00:00 → 00:00:00"],
        ["the global board", "2026-11", "Ada", "1 → –", "04:00:00 → –"],
    ]
    assert world.board() == {"Bo": (1, 3), "Cy": (2, 2), "Ada": (3, 0)}
    assert refused(world, "retract_interval", **variables) == "it was taken back already, at 2026-11-21T03:00:00Z"
    assert refused(world, "retract_interval", **(variables | {"interval": NOBODY})) == "no such interval"

    world.set_clock(NOW + 60)
    said, _ = applied(world, "undo", change=change)
    assert "Ada | 3 → 1" in said and world.board() == BOARD
    assert cells(said)[1] == ["2026-11-21 03:00:00+00", "retract_interval", "Maria", REASON]
    assert world.value("SELECT count(*) FROM study_intervals WHERE uid = %s AND retracted_at IS NOT NULL", world.uid("Ada")) == 1
    assert refused(world, "undo", change=change) == f"change {change} was undone at 2026-11-21T03:01:00Z"


def test_ranks_of_a_month_are_shown_while_it_is_open_by_its_own_clock(world):
    """By the clock that the group has from December on, November would be closed."""
    world.rows("SELECT change_group_rules(%s, %s, 'Pacific/Kiritimati')", world.uid("Ada"), world.group())
    world.set_clock(int(world.value("SELECT closes_at FROM group_period(%s, 'month', '2026-11-01')", world.group()).timestamp()) - HOUR)
    said = shown(world, "retract_interval", uid=world.uid("Ada"), interval=world.interval("Ada"))
    assert ["Larks", "2026-11", "Ada", "1 → 3", "04:00:00 → 00:00:00"] in cells(said)


def test_an_interval_of_a_closed_month_is_not_taken_back(world):
    october = world.value("SELECT interval_id FROM study_intervals WHERE uid = %s ORDER BY started_at LIMIT 1", world.uid("Bo"))
    assert refused(world, "retract_interval", uid=world.uid("Bo"), interval=october) == "the month 2026-10 is closed"


def test_a_month_that_closed_meanwhile_stays_without_the_interval(world):
    _, change = applied(world, "retract_interval", uid=world.uid("Ada"), interval=world.interval("Ada"))
    world.set_clock(NOW + 20 * 24 * HOUR)
    assert refused(world, "undo", change=change) == "the month has closed since: only amend_standing changes it"


def test_the_interval_of_a_running_timer_is_not_taken_back(world):
    world.rows("SELECT * FROM start_timer(%s)", world.uid("Cy"))
    assert refused(world, "retract_interval", uid=world.uid("Cy"), interval=world.interval("Cy")) == "it still runs: stop_timer.sql ends it"


def test_study_is_recorded_for_a_user_and_taken_back(world):
    times = {"uid": world.uid("Cy"), "from_": "2026-11-20T18:00+09:00", "to": "2026-11-20T21:00+09:00"}
    said, change = applied(world, "record_interval_for", **times)
    assert ["2026-11-20 09:00:00+00", "2026-11-20 12:00:00+00", "03:00:00"] in cells(said)
    assert "Cy  | 3 → 1 | 02:00:00 → 05:00:00" in said and world.board()["Cy"] == (1, 5)
    assert world.value("SELECT source FROM study_intervals WHERE interval_id = %s", world.interval("Cy")) == "manual"
    assert refused(world, "record_interval_for", **times) == "the interval overlaps another"
    applied(world, "undo", change=change)
    assert world.board() == BOARD


@pytest.mark.parametrize(
    ("began", "ended", "sentence"),
    [
        ("2026-11-20T18:00+09:00", "2026-11-20T18:00+09:00", "the end of the interval is not after its start"),
        ("2026-11-18T18:00+09:00", "2026-11-18T19:00+09:00", "the interval began more than 48 h ago"),
        ("2026-10-18T18:00+09:00", "2026-10-18T19:00+09:00", "the month is closed: only amend_standing changes it"),
        ("2026-11-20T18:00+09:00", "2026-11-21T06:01+09:00", "the interval is longer than 12 h"),
        ("2026-11-21T12:30+09:00", "2026-11-21T13:00+09:00", "the interval ends in the future"),
    ],
)
def test_an_admin_keeps_the_rules_of_time_added_by_hand(world, began, ended, sentence):
    assert refused(world, "record_interval_for", uid=world.uid("Cy"), from_=began, to=ended) == sentence


def test_a_timer_is_stopped_now(world):
    world.rows("SELECT * FROM start_timer(%s)", world.uid("Cy"))
    world.set_clock(NOW + 3 * HOUR)
    said, change = applied(world, "stop_timer", uid=world.uid("Cy"))
    # The running timer was on the board already.
    assert "the global board" not in said and world.board()["Cy"] == (1, 5)
    assert cells(said)[1] == ["running", "2026-11-21 03:00:00+00", "2026-11-21 03:00:00+00", "03:00:00", "2026-11-21 06:00:00+00"]
    assert refused(world, "stop_timer", uid=world.uid("Cy")) == "no timer is running or paused"
    assert refused(world, "undo", change=change) == f"change {change}, by stop_timer.sql, cannot be undone"


def test_a_timer_is_stopped_at_an_earlier_time(world):
    world.rows("SELECT * FROM start_timer(%s)", world.uid("Cy"))
    world.set_clock(NOW + 3 * HOUR)
    for at in ("2026-11-21T12:00+09:00", "2026-11-21T15:00:01+09:00"):
        said = refused(world, "stop_timer", uid=world.uid("Cy"), at=at)
        assert said == "the timer has run since 2026-11-21T03:00:00Z: give a later time, but none in the future"
    said, _ = applied(world, "stop_timer", uid=world.uid("Cy"), at="2026-11-21T12:30+09:00")
    assert cells(said)[1][-1] == "2026-11-21 03:30:00+00"
    assert "Cy  | 1 → 3 | 05:00:00 → 02:30:00" in said and world.board()["Cy"] == (3, 2.5)


def test_past_boards_still_show_a_timer_that_was_stopped_at_an_earlier_time(world):
    world.rows("SELECT * FROM start_timer(%s)", world.uid("Cy"))
    world.set_clock(NOW + 3 * HOUR)
    applied(world, "stop_timer", uid=world.uid("Cy"), at="2026-11-21T12:30+09:00")
    for hours, score, studying in ((2, 4, True), (3, 2.5, False)):
        assert world.rows("SELECT seconds, studying FROM board(%s, 'month', '2026-11-01', known_at => %s) WHERE nickname = 'Cy'",
                          world.group(), utc(NOW + hours * HOUR)) == [(score * HOUR, studying)]  # fmt: skip


def test_a_paused_timer_is_stopped_where_it_paused(world):
    world.rows("SELECT * FROM start_timer(%s)", world.uid("Cy"))
    world.set_clock(NOW + HOUR)
    world.rows("SELECT pause_timer(%s)", world.uid("Cy"))
    world.set_clock(NOW + 3 * HOUR)
    assert refused(world, "stop_timer", uid=world.uid("Cy"), at="2026-11-21T12:30+09:00") == "the timer is paused: leave out at"
    applied(world, "stop_timer", uid=world.uid("Cy"))
    assert world.board()["Cy"] == (2, 3)


def test_a_forgotten_timer_is_confirmed_and_waits_again(world):
    cy = world.uid("Cy")
    world.rows("SELECT * FROM start_timer(%s)", cy)
    world.set_clock(NOW + 2 * HOUR)
    session = world.value("SELECT session_id FROM study_sessions WHERE uid = %s AND state = 'running'", cy)
    variables = {"uid": cy, "session": session, "at": "2026-11-21T15:00+09:00"}
    assert refused(world, "confirm_session", **variables) == "the timer of this session has not been stopped"
    world.set_clock(NOW + 20 * HOUR)
    # The first to lock their study ends the overdue timer; this is nothing that the script has to show.
    world.rows("SELECT FROM lock_student(%s)", cy)
    assert refused(world, "confirm_session", **(variables | {"at": "2026-11-22T15:00+09:00"})) == "it had been ended before that"
    said, change = applied(world, "confirm_session", **variables)
    assert "Cy  | 3 → 1" in said and world.board()["Cy"] == (1, 5)
    assert cells(said)[1] == ["2026-11-21 03:00:00+00", "2026-11-21 15:00:00+00", "2026-11-21 06:00:00+00", "unconfirmed"]
    assert refused(world, "confirm_session", **variables) == "this session has no end to confirm"
    applied(world, "undo", change=change)
    assert world.board() == BOARD
    assert world.value("SELECT state FROM study_sessions WHERE session_id = %s", session) == "unconfirmed"
    world.rows("SELECT confirm_session(%s, %s, %s)", cy, session, utc(NOW + HOUR))
    assert world.board()["Cy"] == (2, 3) and world.maintenance("check.sql") == []


def test_a_user_gets_another_clock_and_the_old_one_again(world):
    ada = world.uid("Ada")
    clock = "SELECT time_zone, to_char(day_starts_at, 'HH24:MI') FROM students WHERE uid = %s"
    said, change = applied(world, "change_clock", uid=ada, zone="Europe/London")
    assert "No rank changes." in said and world.rows(clock, ada) == [("Europe/London", "05:00")]
    assert cells(said) == [["from", "time_zone", "day_starts"], ["now", "Asia/Seoul → Europe/London", "05:00 → 05:00"]]
    _, again = applied(world, "change_clock", uid=ada, starts="04:30")
    assert world.rows(clock, ada) == [("Europe/London", "04:30")]
    assert refused(world, "undo", change=change) == "the clock was changed again since: change_clock.sql sets the right one"
    applied(world, "undo", change=again)
    applied(world, "undo", change=change)
    assert world.rows(clock, ada) == [("Asia/Seoul", "05:00")]


def test_a_group_gets_another_clock_from_the_next_month_on(world):
    rules = "SELECT to_char(g.from_month, 'YYYY-MM'), r.time_zone, r.daily_cap_seconds FROM group_rules g JOIN ranking_rules r USING (rules_id) ORDER BY 1"
    before = world.rows(rules)
    said, change = applied(world, "change_clock", group=world.group(), zone="Europe/London")
    assert said.splitlines()[0] == f"It touches the group Larks ({world.group()}, members: 3)."
    assert cells(said)[1] == ["2026-12", "Asia/Seoul → Europe/London", "05:00 → 05:00"]
    assert world.rows(rules) == [*before, ("2026-12", "Europe/London", before[0][2])]
    [event] = world.rows("SELECT details FROM group_audit(%s, %s, NULL, NULL, 1)", world.uid("Ada"), world.group())
    assert '"operator": true' in event[0]
    applied(world, "undo", change=change)
    assert world.rows(rules) == before


def test_undoing_a_clock_keeps_what_the_group_has_declared_since(world):
    rules = "SELECT to_char(g.from_month, 'YYYY-MM'), r.time_zone, r.daily_cap_seconds FROM group_rules g JOIN ranking_rules r USING (rules_id) ORDER BY 1"
    [(first, _, cap)] = world.rows(rules)
    _, change = applied(world, "change_clock", group=world.group(), zone="Europe/London")
    # In the last hours of November, when the rules of December stand.
    world.set_clock(NOW + 9 * 24 * HOUR)
    world.rows("SELECT change_group_rules(%s, %s, cap => 36000)", world.uid("Ada"), world.group())
    announced = [(first, "Asia/Seoul", cap), ("2026-12", "Europe/London", cap)]
    assert world.rows(rules) == [*announced, ("2027-01", "Europe/London", 36000)]
    applied(world, "undo", change=change)
    assert world.rows(rules) == [*announced, ("2027-01", "Asia/Seoul", 36000)]


def test_the_clock_that_a_group_has_declared_since_stays(world):
    _, change = applied(world, "change_clock", group=world.group(), zone="Europe/London")
    world.rows("SELECT change_group_rules(%s, %s, starts => '06:00')", world.uid("Ada"), world.group())
    assert refused(world, "undo", change=change) == "the clock was changed again since: change_clock.sql sets the right one"


@pytest.mark.parametrize(
    ("variables", "sentence"),
    [
        ({"zone": "Europe/London"}, "give a user or a group: -v uid=UUID or -v group=UUID"),
        ({"uid": "Ada", "group": "Larks", "zone": "Europe/London"}, "give a user or a group: -v uid=UUID or -v group=UUID"),
        ({"uid": "Ada"}, "give what changes: -v zone=Asia/Seoul or -v starts=05:00"),
        ({"uid": "Ada", "zone": "Asia/Seoul"}, "this is their clock already"),
        ({"group": "Larks", "zone": "Asia/Seoul", "starts": "05:00"}, "this is the clock of the group already"),
        ({"uid": "Ada", "zone": "FOO5"}, "give the time zone: -v zone=Asia/Seoul"),
        ({"uid": "Ada", "starts": "24:00"}, "give the time before 12:00 at which a study day begins: -v starts=05:00"),
        ({"uid": "Ada", "starts": "12:00"}, "give the time before 12:00 at which a study day begins: -v starts=05:00"),
    ],
)
def test_a_clock_is_refused_that_is_none(world, variables, sentence):
    given = variables | {name: {"uid": world.uid("Ada"), "group": world.group()}[name] for name in ("uid", "group") if name in variables}
    assert refused(world, "change_clock", **given) == sentence
    assert cells(run(world, "change_clock", **given).stdout) == []


OCTOBERS = {"Ada": (3, 1), "Bo": (2, 2), "Cy": (1, 3)}


def test_a_standing_is_amended_and_amended_back(world):
    assert world.board("2026-10-01") == OCTOBERS
    amended = {"group": world.group(), "month": "2026-10", "uid": world.uid("Ada"), "seconds": 4 * HOUR}
    said, change = applied(world, "amend_standing", **amended)
    rows = [[cell.strip() for cell in line.split("|")] for line in said.splitlines() if "2026-10" in line]
    assert [row[2:4] for row in rows] == [["Ada", "3 → 1"], ["Cy", "1 → 2"], ["Bo", "2 → 3"]]
    assert world.board("2026-10-01") == {"Ada": (1, 4), "Cy": (2, 3), "Bo": (3, 2)}
    applied(world, "undo", change=change)
    assert world.board("2026-10-01") == OCTOBERS
    assert world.value("SELECT count(*) FROM amendments") == 2


def test_a_standing_that_was_amended_again_is_not_amended_back(world):
    amended = {"group": world.group(), "month": "2026-10", "uid": world.uid("Ada")}
    _, change = applied(world, "amend_standing", **amended, seconds=4 * HOUR)
    applied(world, "amend_standing", **amended, seconds=5 * HOUR)
    assert refused(world, "undo", change=change) == "it was amended again since: amend_standing sets what is right"


def test_only_standings_are_amended(world):
    amended = {"group": world.group(), "month": "2026-10", "uid": world.uid("Ada"), "seconds": 60}
    assert refused(world, "amend_standing", **(amended | {"month": "2026-11"})) == "the month is not closed"
    assert refused(world, "amend_standing", **(amended | {"uid": world.user()})) == "not on these standings"
    assert refused(world, "amend_standing", **(amended | {"seconds": 32 * 86400})) == "nobody studies longer in a month"
    now = world.value("SELECT amended_seconds FROM standings WHERE uid = %s AND month = '2026-10-01'", amended["uid"])
    assert refused(world, "amend_standing", **(amended | {"seconds": now})) == "this is their time already"
    assert refused(world, "amend_standing", **(amended | {"month": "0000-12"})) == "give the month: -v month=2026-10"


def test_a_month_is_closed_that_is_due_and_no_other(world):
    month = {"group": world.group(), "month": "2026-11"}
    assert refused(world, "close_month", **month) == "this month can be closed from 2026-12-02T20:00:00Z on"
    assert refused(world, "close_month", **(month | {"month": "2026-10"})) == "the next month of this group to close is 2026-11"
    world.set_clock(NOW + 20 * 24 * HOUR)
    said, change = applied(world, "close_month", **month)
    assert said.splitlines()[1:4:2] == [" people_on_the_final_board ", "                         3"]
    assert "No rank changes." in said and world.board("2026-11-01") == BOARD
    assert world.value("SELECT participants FROM month_closes WHERE month = '2026-11-01'") == 3
    assert refused(world, "close_month", **month) == "the next month of this group to close is 2026-12"
    assert refused(world, "undo", change=change) == f"change {change}, by close_month.sql, cannot be undone"


def test_a_deleted_group_has_no_month_to_close(world):
    group = world.group()
    world.rows("SELECT delete_group(%s, %s)", world.uid("Ada"), group)
    assert refused(world, "close_month", group=group, month="2026-11") == "no such group"


def test_a_group_learns_what_was_done_to_it_and_why(world):
    """Its own admins, and those of the service who look at the events of this group."""
    ada, group = world.uid("Ada"), world.group()
    world.rows("SELECT make_site_admin(%s, 'Kim')", ada)
    _, amended = applied(world, "amend_standing", group=group, month="2026-10", uid=ada, seconds=60)
    _, clock = applied(world, "change_clock", group=group, zone="Europe/London")
    applied(world, "undo", change=amended)
    applied(world, "undo", change=clock)
    world.set_clock(NOW + 20 * 24 * HOUR)
    applied(world, "close_month", group=group, month="2026-11")
    expected = [
        ("admin_close_month", None, "2026-11"),
        ("admin_undo", None, None),
        ("admin_undo", "Ada", "2026-10"),
        ("admin_change_clock", None, "2026-12"),
        ("admin_amend_standing", "Ada", "2026-10"),
    ]
    month = "left(details::jsonb ->> 'month', 7)"
    seen = world.rows(f"SELECT kind, member_name, {month} FROM service_audit(%s, NULL, NULL, %s, NULL, 50)", ada, group)
    assert [event for event in seen if event[0].startswith("admin_")] == expected
    told = world.rows(f"SELECT kind, member_name, {month}, details::jsonb - 'month' FROM group_audit(%s, %s, NULL, NULL, 50)", ada, group)
    told = [event for event in told if event[0].startswith("admin_")]
    assert all(details == {"operator": True, "reason": REASON} for *_, details in told)
    assert {event[:3] for event in told} == set(expected)


def test_a_script_names_the_user_or_the_change_that_is_not_there(world):
    assert refused(world, "retract_interval", uid=NOBODY, interval=NOBODY) == f"no user has the uid {NOBODY}"
    assert refused(world, "undo", change=99) == "there is no change 99"


def test_a_script_that_only_shows_says_what_it_would_do(world):
    said = shown(world, "retract_interval", uid=str(world.uid("Ada")).upper(), interval=world.interval("Ada"))
    assert "1 → 3" in said and world.board() == BOARD
