"""What is pushed, to which browsers, and when: quiet hours against zoneinfo, minute by minute."""

import concurrent.futures
import datetime
import random

import pytest
from study_clock import DAY, utc
from test_alarm import MINUTE, first_ring, random_alarms

KEY, AUTHENTICATION = b"\4" + bytes(64), bytes(16)


class Listener:
    """Somebody with browsers that get pushes."""

    def __init__(self, schema, uid=None, **user):
        self.schema = schema
        self.uid = uid or schema.user(**user)
        self.devices = []

    def sign_in(self):
        return self.schema.value(
            "INSERT INTO sign_ins (uid, token_mac, auth_epoch, expires_at) SELECT uid, %s, auth_epoch, anthill_clock() + interval '30 days'"
            " FROM users WHERE uid = %s RETURNING id",
            random.randbytes(32), self.uid)  # fmt: skip

    def listen(self, endpoint=None, sign_in=None):
        """One more browser; its subscription."""
        endpoint = endpoint or f"https://push.example/{random.randbytes(8).hex()}"
        sign_in = sign_in or self.sign_in()
        return self.schema.value("SELECT add_push_subscription(%s, %s, %s, %s, %s)", self.uid, sign_in, endpoint, KEY, AUTHENTICATION)

    def set(self, **columns):
        changes = ", ".join(f"{column} = %s" for column in columns)
        self.schema.connection.execute(f"UPDATE users SET {changes} WHERE uid = %s", [*columns.values(), self.uid])

    def waiting(self):
        rows = self.schema.rows("SELECT kind FROM push_outbox WHERE uid = %s ORDER BY kind", self.uid)
        return [kind for (kind,) in rows]

    def reminders(self):
        return dict(self.schema.rows("SELECT kind, due FROM push_reminders WHERE uid = %s", self.uid))


@pytest.fixture
def listener(schema):
    made = Listener(schema)
    made.listen()
    return made


def later(schema, seconds):
    schema.set_clock(schema.now + seconds)


def look(schema, on=None):
    return schema.value("SELECT push_what_is_due()", on=on)


def claim(schema, on=None):
    return schema.rows("SELECT kind, attempt, subscription FROM claim_pushes(100, '40 s')", on=on)


def send(schema):
    """Claims what is due and takes it out, as the worker does, until nothing is due: the kinds."""
    kinds, due = [], "SELECT 1 FROM push_outbox WHERE due <= anthill_clock()"
    while schema.rows(due):
        kinds += [kind for kind, *_ in claim(schema)]
        schema.connection.execute("DELETE FROM push_outbox WHERE lease_until IS NOT NULL")
    return sorted(kinds)


# --- whose turn it is


def test_browsers_that_never_answer_hold_up_nobody_else(schema):
    """However many pushes of a person are due, two are on their way at once, the oldest first."""
    many, other = Listener(schema), Listener(schema)
    oldest = []
    for index in range(5):
        oldest.append(many.listen())
        schema.value("SELECT enqueue_push(%s, 'test', 'test', anthill_clock() + interval '1 hour', only_to => %s)", many.uid, oldest[-1])
        later(schema, 1)
    last = other.listen()
    schema.value("SELECT enqueue_push(%s, 'test', 'test', anthill_clock() + interval '1 hour')", other.uid)

    assert [device for _, _, device in claim(schema)] == [*oldest[:2], last]
    assert claim(schema) == []
    schema.connection.execute("DELETE FROM push_outbox WHERE subscription = %s", [oldest[0]])
    assert [device for _, _, device in claim(schema)] == [oldest[2]]


# --- quiet hours


def test_quiet_hours_agree_with_zoneinfo(schema):
    """Also over midnight, and where clocks change within them, at their beginning or at their end."""
    chance = random.Random(13)
    asked, wanted = [], []
    for zone, around, day, begins in random_alarms(1500):
        ends = chance.choice([datetime.time(chance.randrange(24), chance.randrange(60)), datetime.time(7), datetime.time(2, 30)])
        if begins == ends:
            continue

        def hours(day):
            from_ = first_ring(zone, around, day, begins)
            return from_, first_ring(zone, around, day + (DAY if ends < begins else 0 * DAY), ends)

        edges = [edge for pair in (hours(day), hours(day - DAY)) for edge in pair]
        at = chance.choice(edges) + chance.choice([-MINUTE, -1, 0, 1, MINUTE, 3 * 3600])
        inside = [until for n in range(-3, 4) if (pair := hours(day + n * DAY))[0] <= at < (until := pair[1])]
        asked.append((utc(at), zone, begins, ends))
        wanted.append(utc(max(inside)) if inside else None)
    rows = schema.rows(
        "SELECT quiet_until(a.at, a.zone, a.begins, a.ends) FROM unnest(%s::timestamptz[], %s::text[], %s::time[], %s::time[])"
        " WITH ORDINALITY a (at, zone, begins, ends, n) ORDER BY a.n",
        *(list(column) for column in zip(*asked, strict=True)),
    )  # fmt: skip
    for question, (answer,), right in zip(asked, rows, wanted, strict=True):
        assert answer == right, question
    assert 300 < sum(right is not None for right in wanted) < len(wanted) - 300


def test_hours_over_a_change_of_clocks(schema):
    def until(at, zone, begins, ends):
        answer = schema.value("SELECT quiet_until(%s, %s, %s, %s)", at, zone, begins, ends)
        return answer and answer.strftime("%d %H:%M")

    assert until("2026-11-20 14:00Z", "Asia/Seoul", "22:00", "07:00") == "20 22:00"  # from 13:00 UTC to the next morning
    assert until("2026-11-20 21:59Z", "Asia/Seoul", "22:00", "07:00") == "20 22:00"
    assert until("2026-11-20 22:00Z", "Asia/Seoul", "22:00", "07:00") is None
    assert until("2026-11-20 12:59Z", "Asia/Seoul", "22:00", "07:00") is None
    # The clocks skip from 2 to 3 at 07:00 UTC, and go back from 2 to 1 at 06:00 UTC.
    assert until("2026-03-08 07:30Z", "America/New_York", "22:00", "02:30") is None
    assert until("2026-03-08 06:30Z", "America/New_York", "22:00", "02:30") == "08 07:00"
    assert until("2026-11-01 05:10Z", "America/New_York", "22:00", "01:30") == "01 05:30"
    assert until("2026-11-01 06:10Z", "America/New_York", "22:00", "01:30") is None
    assert until("2026-11-01 06:10Z", "America/New_York", "01:00", "03:00") == "01 08:00"


def test_what_falls_into_quiet_hours_waits_for_their_end_and_the_alarm_does_not(schema, listener):
    schema.set_clock(int(datetime.datetime.fromisoformat("2026-11-20T14:00Z").timestamp()))
    listener.set(quiet_from="22:00", quiet_to="07:00")
    enqueue = "SELECT enqueue_push(%s, %s, %s, anthill_clock() + %s::interval)"
    for kind in ("alarm", "test", "timer", "month"):
        schema.rows(enqueue, listener.uid, kind, kind, "10 minutes" if kind == "timer" else "48 hours")
    assert send(schema) == ["alarm", "test"]
    later(schema, 8 * 3600 - 1)
    assert send(schema) == []
    later(schema, 1)
    # The worker gives up what is too old by then.
    left = schema.rows("SELECT kind, expires_at <= now, attempt FROM claim_pushes(100, '40 s') ORDER BY kind")
    assert left == [("month", False, 1), ("timer", True, 1)]


# --- browsers


def test_a_push_goes_to_every_browser_that_is_signed_in_if_its_owner_wants_it(schema, listener):
    listener.listen()
    stranger = Listener(schema)
    stranger.listen()
    enqueue = "SELECT enqueue_push(%s, %s, 'a', anthill_clock() + interval '1 hour')"
    for kind, column in [("timer", "timer_push"), ("alarm", "alarm_push"), ("unattended", "unattended_push"), ("month", "month_push")]:
        schema.rows(enqueue, listener.uid, kind)
        assert send(schema) == [kind, kind]
        listener.set(**{column: False})
        schema.rows(enqueue, listener.uid, kind)
        assert send(schema) == []
    schema.rows(enqueue, listener.uid, "passed")
    assert send(schema) == []
    listener.set(passed_push=True)
    schema.rows(enqueue, listener.uid, "passed")
    assert send(schema) == ["passed", "passed"]
    assert stranger.waiting() == []


@pytest.mark.parametrize(
    "ending",
    [
        "DELETE FROM sign_ins WHERE uid = %s",
        "UPDATE users SET auth_epoch = auth_epoch + 1 WHERE uid = %s",
        "UPDATE sign_ins SET expires_at = anthill_clock() WHERE uid = %s",
        "UPDATE users SET status = 'suspended' WHERE uid = %s",
        "UPDATE users SET leaves_at = anthill_clock() + interval '1 day' WHERE uid = %s",
    ],
)
def test_nothing_goes_to_a_browser_whose_sign_in_has_ended(schema, listener, ending):
    enqueue = "SELECT enqueue_push(%s, 'timer', 'timer', anthill_clock() + interval '1 hour')"
    schema.rows(enqueue, listener.uid)
    assert listener.waiting() == ["timer"]
    schema.connection.execute(ending, [listener.uid])
    # What waited before goes, and nothing new comes.
    assert claim(schema) == [] and listener.waiting() == []
    schema.rows(enqueue, listener.uid)
    assert listener.waiting() == []


def test_a_browser_belongs_to_the_person_who_signed_in_there_last(schema):
    first, second = Listener(schema), Listener(schema)
    first.listen("https://push.example/one")
    second.listen("https://push.example/one")
    assert schema.rows("SELECT uid FROM push_subscriptions") == [(second.uid,)]


def test_a_sign_in_has_one_browser_and_a_person_ten(schema):
    listener = Listener(schema)
    sign_in = listener.sign_in()
    for _ in range(2):
        listener.listen(sign_in=sign_in)
    assert schema.value("SELECT count(*) FROM push_subscriptions") == 1
    for _ in range(9):
        listener.listen()
    eleventh = listener.sign_in()
    add = "SELECT add_push_subscription(%s, %s, 'https://push.example/eleventh', %s, %s)"
    assert schema.call(add, listener.uid, eleventh, KEY, AUTHENTICATION) == "too_many_push_devices"
    # Another address of a browser that counts is no eleventh.
    listener.listen(sign_in=sign_in)


def test_a_test_goes_to_the_browser_that_asks_and_not_too_often(schema, listener):
    sign_in = listener.sign_in()
    send_test = "SELECT send_test_push(%s, %s)"
    assert schema.call(send_test, listener.uid, sign_in) == "push_is_off"
    device = listener.listen(sign_in=sign_in)
    schema.rows(send_test, listener.uid, sign_in)
    assert claim(schema) == [("test", 1, device)]
    assert schema.call(send_test, listener.uid, sign_in) == "push_just_tested"
    later(schema, 10)
    schema.rows(send_test, listener.uid, sign_in)
    # It takes the place of the one on its way, as its first attempt.
    assert claim(schema) == [("test", 1, device)]


def test_of_a_topic_only_the_newest_waits(schema, listener):
    enqueue = "SELECT enqueue_push(%s, 'month', %s, anthill_clock() + interval '1 hour', jsonb_build_object('n', %s::text))"
    for number in ("1", "2"):
        schema.rows(enqueue, listener.uid, "month a", number)
    schema.rows(enqueue, listener.uid, "month b", "3")
    assert schema.rows("SELECT parameters ->> 'n' FROM push_outbox ORDER BY 1") == [("2",), ("3",)]


def test_a_lease_that_ran_out_is_taken_again(schema, listener):
    schema.rows("SELECT enqueue_push(%s, 'month', 'month', anthill_clock() + interval '1 hour')", listener.uid)
    assert [attempt for _, attempt, _ in claim(schema)] == [1]
    assert claim(schema) == []
    later(schema, 40)
    assert [attempt for _, attempt, _ in claim(schema)] == [2]


# --- the alarm and timers


def test_the_alarm_is_pushed_at_each_ring_until_its_ant_is_earned(schema, listener):
    schema.rows("SELECT set_alarm(%s, true, '06:30', 'easy', 'bell', 5, 3)", listener.uid)
    ring = int(datetime.datetime.fromisoformat("2026-11-21T21:30Z").timestamp())
    assert listener.reminders() == {"alarm": utc(ring)}
    schema.set_clock(ring - 1)
    assert look(schema) == 0
    schema.set_clock(ring)
    assert look(schema) == 1 and send(schema) == ["alarm"] and look(schema) == 0
    # The service was away for a while: a ring that can still be answered is pushed, one that cannot is not.
    schema.set_clock(ring + 5 * MINUTE + 119)
    assert look(schema) == 1 and send(schema) == ["alarm"]
    schema.set_clock(ring + 12 * MINUTE + 1)
    assert look(schema) == 1 and send(schema) == []
    schema.connection.execute("INSERT INTO wake_ups (uid, day) VALUES (%s, '2026-11-22')", [listener.uid])
    schema.set_clock(ring + 15 * MINUTE)
    assert look(schema) == 1 and send(schema) == []
    assert listener.reminders() == {"alarm": utc(ring + 86400)}
    schema.rows("SELECT set_alarm(%s, false, '06:30', 'easy', 'bell', 5, 3)", listener.uid)
    assert listener.reminders() == {}


def test_nobody_is_reminded_without_a_browser(schema):
    listener = Listener(schema)
    schema.rows("SELECT set_alarm(%s, true, '06:30', 'easy', 'bell', 5, 3)", listener.uid)
    schema.rows("SELECT * FROM start_timer(%s, goal => 1500)", listener.uid)
    assert listener.reminders() == {}
    listener.listen()
    assert listener.reminders().keys() == {"alarm", "timer"}
    schema.connection.execute("DELETE FROM push_subscriptions")
    later(schema, 86400)
    assert look(schema) == 2 and listener.reminders() == {}


def test_a_countdown_is_pushed_once_when_it_ends(schema, listener):
    schema.rows("SELECT * FROM start_timer(%s, goal => 1500)", listener.uid)
    later(schema, 600)
    schema.rows("SELECT pause_timer(%s)", listener.uid)
    later(schema, 3600)
    # It is paused: the reminder that was set finds nothing to say, and a stopwatch needs none.
    assert look(schema) == 1 and send(schema) == [] and listener.reminders() == {}
    schema.rows("SELECT resume_timer(%s)", listener.uid)
    assert listener.reminders() == {"timer": utc(schema.now + 900)}
    schema.rows("SELECT move_timer_start(%s, anthill_clock() - interval '5 minutes')", listener.uid)
    assert listener.reminders() == {"timer": utc(schema.now + 600)}
    later(schema, 600)
    assert look(schema) == 1 and send(schema) == ["timer"]
    later(schema, 600)
    assert look(schema) == 0 and listener.reminders() == {}


def test_a_cycle_is_pushed_at_the_end_of_work_and_of_rest(schema, listener):
    def ended():
        found = schema.rows("SELECT parameters FROM claim_pushes(9, '40 s')")
        schema.connection.execute("DELETE FROM push_outbox")
        return [parameters for (parameters,) in found]

    schema.rows('SELECT * FROM start_timer(%s, cycle => \'{"work_seconds": 1500, "rest_seconds": 300}\')', listener.uid)
    later(schema, 1500)
    assert look(schema) == 1 and ended() == ['{"ended": "work"}']
    later(schema, 60)
    schema.rows("SELECT pause_timer(%s)", listener.uid)
    later(schema, 300)
    assert look(schema) == 1 and ended() == ['{"ended": "rest"}']
    schema.rows("SELECT resume_timer(%s)", listener.uid)
    schema.rows("SELECT * FROM stop_timer(%s)", listener.uid)
    later(schema, 1500)
    assert look(schema) == 1 and ended() == [] and listener.reminders() == {}


def test_two_instances_push_each_end_once(schema):
    for _ in range(40):
        listener = Listener(schema)
        listener.listen()
        schema.rows("SELECT * FROM start_timer(%s, goal => 60)", listener.uid)
    later(schema, 60)
    instances = [schema.connect() for _ in range(4)]
    with concurrent.futures.ThreadPoolExecutor() as pool:
        seen = pool.map(lambda on: schema.rows("SELECT push_what_is_due(40)", on=on), instances)
        assert sum(count for [(count,)] in seen) == 40
        claimed = pool.map(lambda on: claim(schema, on=on), instances)
        devices = [device for rows in claimed for _, _, device in rows]
    assert len(devices) == len(set(devices)) == 40


def test_a_forgotten_timer_is_told_of_once_by_mail_and_by_push(schema, listener):
    tell = "SELECT tell_of_unattended_timers()"
    schema.rows("SELECT * FROM start_timer(%s)", listener.uid)
    later(schema, 6 * 3600)
    listener.set(unattended_mail=False)
    assert schema.value(tell) == 1
    assert schema.value(tell) == 0
    assert send(schema) == ["unattended"]
    assert schema.rows("SELECT kind FROM mail_outbox") == []
    schema.rows("SELECT * FROM stop_timer(%s)", listener.uid)
    schema.rows("SELECT * FROM start_timer(%s)", listener.uid)
    later(schema, 6 * 3600)
    listener.set(unattended_mail=True, unattended_push=False)
    assert schema.value(tell) == 1
    assert send(schema) == []
    assert schema.rows("SELECT kind FROM mail_outbox") == [("unattended_timer",)]


# --- groups


@pytest.fixture
def group(schema, listener):
    """The listener's group with two more: everybody has studied for an hour, the listener for two."""
    schema.set_clock(int(datetime.datetime.fromisoformat("2026-11-20T03:00Z").timestamp()))
    made = schema.value("SELECT create_group(%s, 'Owls')", listener.uid)
    schema.rows("SELECT create_invitation(%s, %s, 'one code')", listener.uid, made)
    others = [schema.user(), schema.user()]
    for other in others:
        schema.rows("SELECT accept_invitation(%s, 'one code')", other)
    later(schema, 2 * 3600)
    for user, hours in [(listener.uid, 2), *((other, 1) for other in others)]:
        schema.rows("SELECT record_timed(%s, %s, %s)", user, utc(schema.now - hours * 3600), utc(schema.now))
    return made, others


def study(schema, user, hours):
    later(schema, hours * 3600)
    schema.rows("SELECT record_timed(%s, %s, %s)", user, utc(schema.now - hours * 3600), utc(schema.now))


def passed(schema):
    """Looks who was passed: what is said to them."""
    schema.value("SELECT push_who_was_passed()")
    found = schema.rows("SELECT parameters::json ->> 'place' FROM claim_pushes(9, '40 s') WHERE kind = 'passed'")
    schema.connection.execute("DELETE FROM push_outbox")
    return [place for (place,) in found]


def test_who_wants_to_know_is_told_that_they_were_passed_once_a_day(schema, listener, group):
    _, others = group
    study(schema, others[0], 2)
    assert passed(schema) == [] and schema.rows("SELECT * FROM push_places") == []
    listener.set(passed_push=True)
    # From where they are now on: the one who is in front of them already does not count.
    assert passed(schema) == []
    study(schema, others[1], 2)
    assert passed(schema) == ["3"]
    assert passed(schema) == []
    study(schema, listener.uid, 2)
    assert passed(schema) == []
    study(schema, others[0], 3)
    assert passed(schema) == []
    schema.set_clock(schema.now + 86400)
    assert passed(schema) == []
    study(schema, others[1], 3)
    assert passed(schema) == ["3"]


def test_a_new_month_is_no_passing_and_nobody_is_passed_who_takes_no_part(schema, listener, group):
    _, others = group
    listener.set(passed_push=True)
    assert passed(schema) == []
    schema.set_clock(int(datetime.datetime.fromisoformat("2026-12-02T03:00Z").timestamp()))
    study(schema, others[0], 1)
    assert passed(schema) == []
    study(schema, others[1], 2)
    assert passed(schema) == []


def test_between_two_clocks_of_a_group_the_month_that_has_ended_is_looked_at(schema, listener, group):
    made, others = group
    listener.set(passed_push=True)
    assert passed(schema) == []
    schema.rows("SELECT change_group_rules(%s, %s, 'America/Los_Angeles')", listener.uid, made)
    schema.set_clock(int(datetime.datetime.fromisoformat("2026-11-30T21:00Z").timestamp()))
    for other in others:
        schema.rows("SELECT record_timed(%s, %s, %s)", other, utc(schema.now - 4 * 3600), utc(schema.now - 2 * 3600))
    assert passed(schema) == ["3"]


def test_who_left_the_group_or_has_no_browser_is_not_looked_at(schema, listener, group):
    made, others = group
    listener.set(passed_push=True)
    schema.value("SELECT push_who_was_passed()")
    assert schema.value("SELECT count(*) FROM push_places") == 1
    schema.rows("SELECT set_member_role(%s, %s, %s, 'owner')", listener.uid, made, others[0])
    schema.rows("SELECT remove_member(%s, %s, %s)", listener.uid, made, listener.uid)
    assert schema.value("SELECT count(*) FROM push_places") == 0
    study(schema, others[0], 3)
    assert passed(schema) == []


def test_a_closed_month_is_pushed_with_ones_own_place(schema, listener, group):
    made, _ = group
    schema.set_clock(int(datetime.datetime.fromisoformat("2026-12-03T03:00Z").timestamp()))
    schema.rows("SELECT lock_to_close(%s, '2026-11-01')", made)
    assert schema.value("SELECT close_month(%s, '2026-11-01')", made)
    [(parameters,)] = schema.rows("SELECT parameters::json FROM claim_pushes(9, '40 s')")
    assert parameters == {"group": str(made), "name": "Owls", "month": "2026-11", "rank": "1", "people": "3"}
