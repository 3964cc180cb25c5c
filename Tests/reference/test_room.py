"""The room of a group: who is shown with what, cheers, the notice, the cycle, and the days of a month."""

import pytest
from schema import START, Refused
from study_clock import utc

HOUR = 3600


@pytest.fixture
def room(schema):
    return Room(schema)


class Room:
    """A group with its owner; Seoul's day began at 20:00 UTC."""

    def __init__(self, schema):
        self.schema = schema
        self.owner = schema.user()
        self.group = schema.value("SELECT create_group(%s, 'G')", self.owner)
        schema.rows("SELECT create_invitation(%s, %s, 'code')", self.owner, self.group)

    def join(self, visibility="shown"):
        user = self.schema.user()
        self.schema.rows("SELECT accept_invitation(%s, 'code')", user)
        self.show(user, visibility)
        return user

    def show(self, user, visibility):
        self.schema.connection.execute("UPDATE group_members SET visibility = %s WHERE uid = %s", [visibility, user])

    def today(self, user, *columns):
        """What the room tells of a member."""
        return self.schema.rows(f"SELECT {', '.join(columns)} FROM group_today(%s) WHERE uid = %s", self.group, user)[0]

    def studies(self, user, subject="Maths"):
        """Starts a timer on a subject."""
        made = self.schema.value("INSERT INTO subjects (uid, name) VALUES (%s, %s) RETURNING id", user, subject)
        self.schema.rows("SELECT * FROM start_timer(%s, subject => %s)", user, made)

    def cheer(self, giver, receiver):
        self.schema.rows("SELECT give_cheer(%s, %s, %s)", giver, self.group, receiver)

    def cheers(self, user):
        return self.schema.rows("SELECT given, received, givers FROM own_cheers(%s, %s)", user, self.group)[0]


@pytest.mark.parametrize(
    ("visibility", "wants", "told"),
    [("shown", True, "Maths"), ("shown", False, None), ("nickname", True, None), ("hidden", True, "Maths")],
)
def test_a_subject_is_told_of_those_who_want_it_and_show_more_than_their_name(room, visibility, wants, told):
    user = room.join(visibility)
    room.schema.connection.execute("UPDATE users SET subject_shown = %s WHERE uid = %s", [wants, user])
    room.studies(user)
    # The program leaves hidden members out; the row is for themselves.
    assert room.today(user, "visibility", "since IS NOT NULL", "subject") == (visibility, True, told)


@pytest.mark.parametrize(("visibility", "ants"), [("shown", True), ("nickname", False), ("hidden", True)])
def test_ants_and_pictures_are_not_told_of_somebody_who_only_shows_their_name(room, visibility, ants):
    user, run = room.join(visibility), room.schema.connection.execute
    run("INSERT INTO avatars (uid, webp) VALUES (%s, 'RIFF1234WEBP')", [user])
    room.schema.rows("SELECT set_daily_goal(%s, 3600)", user)
    room.schema.rows("SELECT record_timed(%s, %s, %s)", user, utc(START - 2 * HOUR), utc(START - HOUR))
    run("INSERT INTO wake_ups (uid, day) VALUES (%s, '2026-11-21')", [user])
    told = room.today(user, "seconds", "study", "wake_up", "avatar IS NOT NULL")
    assert told == (HOUR, ants, ants, visibility == "shown")


def test_a_sitting_is_the_session_that_runs_without_its_pauses(room):
    user = room.join()
    room.schema.rows("SELECT record_timed(%s, %s, %s)", user, utc(START - 2 * HOUR), utc(START - HOUR))
    room.studies(user)
    room.schema.set_clock(START + 600)
    room.schema.rows("SELECT * FROM pause_timer(%s)", user)
    assert room.today(user, "since", "sitting_seconds", "seconds") == (None, None, HOUR + 600)
    room.schema.set_clock(START + 1200)
    room.schema.rows("SELECT * FROM resume_timer(%s)", user)
    room.schema.set_clock(START + 1500)
    told = room.today(user, "extract(epoch FROM since)", "sitting_seconds", "seconds")
    assert told == (START, 900, HOUR + 900)


def test_those_who_study_come_first_the_longest_sitting_before_all(room):
    late, early, idle = room.join(), room.join(), room.join()
    room.schema.rows("SELECT record_timed(%s, %s, %s)", idle, utc(START - 2 * HOUR), utc(START - HOUR))
    for user, at in ((early, START), (late, START + 60)):
        room.schema.set_clock(at)
        room.studies(user)
    assert [uid for (uid,) in room.schema.rows("SELECT uid FROM group_today(%s)", room.group)] == [None, early, late, idle, room.owner]


def test_suspended_members_are_not_in_the_room(room):
    user = room.join()
    room.schema.rows("SELECT suspend_member(%s, %s, %s, 'x', %s)", room.owner, room.group, user, utc(START + HOUR))
    assert room.schema.rows("SELECT uid FROM group_today(%s) WHERE uid = %s", room.group, user) == []


@pytest.mark.parametrize(("visibility", "verdict"), [("shown", None), ("nickname", None), ("hidden", "member_not_found")])
def test_a_hidden_member_cannot_be_cheered(room, visibility, verdict):
    user = room.join(visibility)
    if verdict:
        with pytest.raises(Refused, match=verdict):
            room.cheer(room.owner, user)
    else:
        room.cheer(room.owner, user)
    assert room.cheers(user)[1:] == ((0, []) if verdict else (1, [room.owner]))


def test_cheers_of_somebody_who_hides_have_no_name(room):
    giver, user = room.join("hidden"), room.join()
    room.cheer(giver, user)
    room.cheer(room.owner, user)
    assert room.cheers(user) == ([], 2, [room.owner])
    room.show(giver, "shown")
    assert room.cheers(user)[1:] == (2, [giver, room.owner]) or room.cheers(user)[1:] == (2, [room.owner, giver])
    assert room.cheers(giver) == ([user], 0, [])


def test_cheers_are_for_others_once_a_day_and_only_so_many(room):
    most = room.schema.value("SELECT most_cheers_a_day()")
    people = [room.join() for _ in range(most + 1)]
    for user, verdict in ((room.owner, "cheers_not_oneself"), (room.schema.user(), "member_not_found")):
        with pytest.raises(Refused, match=verdict):
            room.cheer(room.owner, user)
    for user in people[:most]:
        room.cheer(room.owner, user)
    with pytest.raises(Refused, match="cheers_key"):
        room.cheer(room.owner, people[0])
    with pytest.raises(Refused, match="too_many_cheers"):
        room.cheer(room.owner, people[most])
    with pytest.raises(Refused, match="group_not_found"):
        room.cheer(room.schema.user(), room.owner)
    # The next study day begins at 20:00 UTC.
    room.schema.set_clock(START + 8 * HOUR)
    assert room.cheers(people[0])[1] == 0
    room.cheer(room.owner, people[most])
    assert room.schema.maintenance("check.sql") == []


def test_cheers_go_with_either_member_and_after_two_days(room):
    gone, stays = room.join(), room.join()
    room.cheer(gone, stays)
    room.cheer(stays, gone)
    room.cheer(stays, room.owner)
    room.schema.set_clock(START + 60)
    room.schema.rows("SELECT remove_member(%s, %s, %s)", gone, room.group, gone)
    assert room.schema.rows("SELECT uid, receiver FROM cheers") == [(stays, room.owner)]
    room.schema.set_clock(START + 48 * HOUR - 1)
    assert ("cheers", 0) in room.schema.rows("SELECT * FROM remove_expired()")
    room.schema.set_clock(START + 48 * HOUR)
    assert ("cheers", 1) in room.schema.rows("SELECT * FROM remove_expired()")


def test_only_admins_write_the_notice_and_set_the_cycle_and_the_audit_tells_who(room):
    member, run = room.join(), room.schema.rows
    calls = [("set_notice(%s, %s, 'Hi')", "notice_written"), ("set_notice(%s, %s, NULL)", "notice_removed"),
             ("set_cycle(%s, %s, 50, 10, 0)", "cycle_set"), ("set_cycle(%s, %s, NULL, NULL, NULL)", "cycle_ended")]  # fmt: skip
    for call, kind in calls:
        with pytest.raises(Refused, match="needs_admin"):
            run(f"SELECT {call}", member, room.group)
        for _ in range(2):
            run(f"SELECT {call}", room.owner, room.group)
        # What is not there is not taken away again.
        told = 1 if "NULL" in call else 2
        assert run("SELECT actor FROM audit_events WHERE kind = %s", kind) == [(room.owner,)] * told


@pytest.mark.parametrize(
    ("minutes", "at", "resting", "ends"),
    [
        ((50, 10, 0), 0, False, 3000), ((50, 10, 0), 2999, False, 3000), ((50, 10, 0), 3000, True, 3600),
        ((50, 10, 0), 3600, False, 6600), ((50, 10, 30), 0, False, 1200), ((50, 10, 30), 1200, True, 1800),
        # Not a whole hour: it goes on from where it began.
        ((90, 20, 0), 6000, True, 6600), ((90, 20, 0), 6600, False, 12000),
    ],
)  # fmt: skip
def test_a_cycle_goes_on_from_its_minute(room, minutes, at, resting, ends):
    room.schema.rows("SELECT set_cycle(%s, %s, %s, %s, %s)", room.owner, room.group, *minutes)
    room.schema.set_clock(START + at)
    told = room.schema.rows("SELECT resting, extract(epoch FROM ends_at) FROM group_cycle(%s)", room.group)
    assert told == [(resting, START + ends)]


@pytest.mark.parametrize("minutes", [(0, 10, 0), (50, 0, 0), (50, 10, 60), (1430, 11, 0)])
def test_a_cycle_that_nobody_can_follow_is_refused(room, minutes):
    with pytest.raises(Refused, match="group_cycles"):
        room.schema.rows("SELECT set_cycle(%s, %s, %s, %s, %s)", room.owner, room.group, *minutes)


def test_hidden_members_count_on_no_day(room):
    hidden = [room.join("hidden") for _ in range(3)]
    days = "SELECT day, seconds, people FROM group_days(%s) WHERE seconds > 0 ORDER BY day"
    two_days_ago, yesterday = START - 40 * HOUR, START - 16 * HOUR
    for user in (room.owner, hidden[0], hidden[1]):
        room.schema.rows("SELECT record_interval(%s, %s, %s)", user, utc(two_days_ago), utc(two_days_ago + HOUR))
    for user in hidden:
        room.schema.rows("SELECT record_interval(%s, %s, %s)", user, utc(yesterday), utc(yesterday + HOUR))
    told = [(str(day), seconds, people) for day, seconds, people in room.schema.rows(days, room.group)]
    assert told == [("2026-11-20", HOUR, 1)]
    room.show(hidden[2], "shown")
    told = [(str(day), seconds, people) for day, seconds, people in room.schema.rows(days, room.group)]
    assert told == [("2026-11-20", HOUR, 1), ("2026-11-21", HOUR, 1)]
    # A running timer counts.
    room.studies(room.owner)
    room.schema.set_clock(START + 60)
    assert room.schema.rows(days, room.group)[1][1:] == (HOUR + 60, 2)
    assert len(room.schema.rows("SELECT * FROM group_days(%s)", room.group)) == 1 + 30
