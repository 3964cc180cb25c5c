"""Many at once: callers released together, each on a connection of its own, and what must be true afterwards."""

import collections
import contextlib
import datetime
import random
import threading
import time

import citus
import psycopg
import pytest
from study_clock import Clock, day_start, month_closes, utc

SEOUL = Clock("Asia/Seoul", datetime.time(5))
NOON = int(datetime.datetime(2026, 11, 21, 12, tzinfo=datetime.timezone.utc).timestamp())


def at_once(schema, count, call):
    """Runs call(n, connection) in threads that start together; all their answers."""
    connections = [schema.connect() for _ in range(count)]
    gate, answers = threading.Barrier(count), [None] * count

    def run(n):
        gate.wait()
        answers[n] = call(n, connections[n])

    threads = [threading.Thread(target=run, args=[n]) for n in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


def well(schema):
    assert schema.maintenance("check.sql") == []


@contextlib.contextmanager
def held(connection):
    """A transaction of somebody who takes their time."""
    connection.execute("BEGIN")
    yield
    connection.execute("COMMIT")


def wait_for_lock(schema, connection):
    """Returns once the connection's backend waits for a lock."""
    waits = "SELECT wait_event_type = 'Lock' FROM pg_stat_activity WHERE pid = %s"
    if citus.WORKERS:
        # Or what it asked of a worker does; there a backend's number follows that of its node.
        waits = "SELECT EXISTS (SELECT FROM citus_lock_waits WHERE waiting_gpid %% 10000000000 = %s)"
    for _ in range(6000):
        if schema.value(waits, connection.info.backend_pid):
            return
        time.sleep(0.01)
    raise AssertionError("nobody waits")


def test_32_starts_of_a_timer_are_one_timer(schema):
    user = schema.user()
    sql = "SELECT started, session_id FROM start_timer(%s)"
    answers = at_once(schema, 32, lambda n, c: schema.rows(sql, user, on=c)[0])
    assert sum(started for started, _ in answers) == 1
    assert len({session for _, session in answers}) == 1
    assert schema.value("SELECT count(*) FROM study_intervals") == 1
    well(schema)


def test_32_stops_finish_one_session(schema):
    schema.set_clock(NOON)
    user = schema.user()
    schema.rows("SELECT * FROM start_timer(%s)", user)
    schema.set_clock(NOON + 600)
    verdicts = at_once(schema, 32, lambda n, c: schema.call("SELECT * FROM stop_timer(%s)", user, on=c))
    assert collections.Counter(verdicts) == {None: 1, "timer_not_running": 31}
    assert schema.rows("SELECT study_seconds FROM study_days") == [(600,)]
    well(schema)


def test_16_callers_who_move_pause_and_end_a_timer_leave_totals_that_add_up(schema):
    schema.set_clock(NOON - 3600)
    user = schema.user()
    schema.rows("SELECT create_group(%s, 'G')", user)
    schema.rows("SELECT * FROM start_timer(%s)", user)
    schema.set_clock(NOON)
    # What is cancelled is out of the way of later moves; what is stopped stays, so that comes last.
    calls = ["start_timer"] * 4 + ["resume_timer"] * 2 + ["pause_timer", "cancel_timer"]

    def act(n, connection):
        chance, verdicts = random.Random(n), collections.Counter()
        for _ in range(40):
            call, values = chance.choice(calls), [user]
            if chance.random() < 0.5:
                call, values = "move_timer_start", [user, utc(NOON - chance.randrange(-60, 4 * 3600))]
            marks = ", ".join(["%s"] * len(values))
            verdicts[call, schema.call(f"SELECT {call}({marks})", *values, on=connection)] += 1
        verdicts["stop_timer", schema.call("SELECT stop_timer(%s)", user, on=connection)] += 1
        return verdicts

    verdicts = sum(at_once(schema, 16, act), collections.Counter())
    assert {verdict for _, verdict in verdicts} <= {
        None, "timer_not_running", "timer_not_paused", "study_intervals_no_overlap"
    }  # fmt: skip
    assert verdicts["move_timer_start", None] >= 16, verdicts
    well(schema)


def test_overlapping_logs_of_16_clients_never_overlap(schema):
    user = schema.user()
    owner = schema.user()
    group = schema.value("SELECT create_group(%s, 'G')", owner)
    schema.rows("SELECT create_invitation(%s, %s, 'a code')", owner, group)
    schema.rows("SELECT accept_invitation(%s, 'a code')", user)
    now = schema.now

    def log(n, connection):
        chance = random.Random(n)
        recorded = 0
        for _ in range(40):
            began = now - chance.randrange(600, 40 * 3600)
            ended = began + chance.randrange(1, 600)
            verdict = schema.call("SELECT record_interval(%s, %s, %s)", user, utc(began), utc(ended), on=connection)
            assert verdict in (None, "study_intervals_no_overlap")
            recorded += verdict is None
        return recorded

    recorded = sum(at_once(schema, 16, log))
    assert schema.value("SELECT count(*) FROM study_intervals") == recorded
    assert schema.value(
        "SELECT count(*) FROM study_intervals a JOIN study_intervals b ON a.uid = b.uid AND a.interval_id < b.interval_id"
        " AND tstzrange(a.started_at, a.ended_at) && tstzrange(b.started_at, b.ended_at)"
    ) == 0  # fmt: skip
    well(schema)


def test_one_session_sent_16_times_at_once_is_recorded_once(schema):
    schema.set_clock(NOON)
    user = schema.user()
    session = schema.value("SELECT gen_random_uuid()")
    sql = "SELECT created FROM record_session(%s, %s, ARRAY[%s], ARRAY[%s])"
    values = user, session, utc(NOON - 600), utc(NOON)
    answers = at_once(schema, 16, lambda n, c: schema.rows(sql, *values, on=c))
    assert sorted(answers) == [[(False,)]] * 15 + [[(True,)]]
    well(schema)


def test_the_last_use_of_an_invitation_has_one_taker(schema):
    owner = schema.user()
    group = schema.value("SELECT create_group(%s, 'G')", owner)
    schema.rows("SELECT create_invitation(%s, %s, 'a code', 3)", owner, group)
    people = [schema.user() for _ in range(16)]
    verdicts = at_once(schema, 16, lambda n, c: schema.call("SELECT accept_invitation(%s, 'a code')", people[n], on=c))
    assert collections.Counter(verdicts) == {None: 3, "invitation_expired": 13}
    assert schema.value("SELECT count(*) FROM group_members") == 4
    well(schema)


def test_16_joins_of_one_person_are_one_membership(schema):
    owner, friend = schema.user(), schema.user()
    group = schema.value("SELECT create_group(%s, 'G')", owner)
    schema.rows("SELECT create_invitation(%s, %s, 'a code', 16)", owner, group)
    verdicts = at_once(schema, 16, lambda n, c: schema.call("SELECT accept_invitation(%s, 'a code')", friend, on=c))
    assert collections.Counter(verdicts) == {None: 1, "already_member": 15}
    assert schema.value("SELECT uses_left FROM invitations") == 15
    well(schema)


def test_of_two_owners_who_leave_at_once_one_stays(schema):
    for _ in range(5):
        owners = [schema.user(), schema.user()]
        group = schema.value("SELECT create_group(%s, 'G')", owners[0])
        code = f"code of {group}"
        schema.rows("SELECT create_invitation(%s, %s, %s)", owners[0], group, code)
        schema.rows("SELECT accept_invitation(%s, %s)", owners[1], code)
        schema.rows("SELECT set_member_role(%s, %s, %s, 'owner')", owners[0], group, owners[1])
        verdicts = at_once(schema, 2, lambda n, c: schema.call("SELECT remove_member(%s, %s, %s)", owners[n], group, owners[n], on=c))
        assert sorted(verdicts, key=str) == [None, "last_owner"]
    well(schema)


def test_16_who_join_leave_kick_promote_and_hand_on_never_leave_a_group_without_an_owner(schema):
    people = [schema.user() for _ in range(16)]
    group = schema.value("SELECT create_group(%s, 'G')", people[0])
    schema.rows("SELECT create_invitation(%s, %s, 'a code', 10000)", people[0], group)
    for person in people[1:8]:
        schema.rows("SELECT accept_invitation(%s, 'a code')", person)
    for person in people[1:4]:
        schema.rows("SELECT set_member_role(%s, %s, %s, 'owner')", people[0], group, person)
    owners = "SELECT count(*) FROM group_members WHERE role = 'owner'"

    def call(n, connection):
        chance, verdicts = random.Random(n), collections.Counter()
        for _ in range(20):
            other = chance.choice(people)
            sql, *values = chance.choice([
                ("SELECT accept_invitation(%s, 'a code')", people[n]),
                ("SELECT remove_member(%s, %s, %s)", people[n], group, people[n]),
                ("SELECT remove_member(%s, %s, %s)", people[n], group, other),
                ("SELECT set_member_role(%s, %s, %s, %s)", people[n], group, other, chance.choice(["member", "admin", "owner"])),
                ("SELECT transfer_group(%s, %s, %s)", people[n], group, other),
            ])  # fmt: skip
            verdicts[sql, schema.call(sql, *values, on=connection)] += 1
            assert schema.rows(owners, on=connection)[0][0] >= 1
        return verdicts

    verdicts = sum(at_once(schema, 16, call), collections.Counter())
    assert {verdict for _, verdict in verdicts} <= {
        None, "already_member", "group_not_found", "member_not_found", "needs_admin", "needs_owner", "last_owner", "already_owner",
        "invitation_expired",  # while the one who made it may not invite
    }  # fmt: skip
    joined = verdicts["SELECT accept_invitation(%s, 'a code')", None]
    assert schema.value("SELECT uses_left FROM invitations") == 10000 - 7 - joined
    assert schema.value("SELECT count(*) FROM group_membership_history WHERE left_at IS NULL") == schema.value(
        "SELECT count(*) FROM group_members"
    )
    well(schema)


def test_of_16_who_want_the_5000th_place_of_a_group_one_gets_it(schema):
    owner, *guests = (schema.user() for _ in range(17))
    group = schema.value("SELECT create_group(%s, 'G')", owner)
    schema.rows("SELECT create_invitation(%s, %s, 'a code')", owner, group)
    schema.connection.execute(
        """
        WITH made AS (
          INSERT INTO users (uid, nickname, password_hash)
            SELECT gen_random_uuid(), 'Ant ' || n, '-' FROM generate_series(1, 4998) n RETURNING uid
        ), placed AS (INSERT INTO group_members (uid, group_id, role) SELECT uid, %s, 'member' FROM made RETURNING uid, group_id, joined_at)
        INSERT INTO group_membership_history (uid, group_id, joined_at) SELECT uid, group_id, joined_at FROM placed
        """,
        [group],
    )
    verdicts = at_once(schema, 16, lambda n, c: schema.call("SELECT accept_invitation(%s, 'a code')", guests[n], on=c))
    assert collections.Counter(verdicts) == {None: 1, "group_full": 15}
    assert schema.value("SELECT count(*) FROM group_members") == 5000


def test_nobody_comes_in_after_an_invitation_was_taken_back(schema):
    for _ in range(5):
        owner, *guests = (schema.user() for _ in range(16))
        group = schema.value("SELECT create_group(%s, 'G')", owner)
        code = f"code of {group}"
        invitation = schema.rows("SELECT invitation_id FROM create_invitation(%s, %s, %s, 100)", owner, group, code)[0][0]

        def call(n, connection):
            if n == 0:
                verdict = schema.call("SELECT revoke_invitation(%s, %s, %s)", owner, group, invitation, on=connection)
                return verdict, schema.rows("SELECT count(*) FROM group_members WHERE group_id = %s", group, on=connection)[0][0]
            return schema.call("SELECT accept_invitation(%s, %s)", guests[n - 1], code, on=connection), None

        (revoked, members), *verdicts = at_once(schema, 16, call)
        assert revoked is None
        counts = collections.Counter(verdict for verdict, _ in verdicts)
        assert set(counts) <= {None, "invitation_expired"}
        # Nobody came in later than the taking back was answered, and each who did took one use.
        assert members == 1 + counts[None]
        assert schema.value("SELECT uses_left FROM invitations WHERE invitation_id = %s", invitation) == 100 - counts[None]
    well(schema)


def test_joining_and_leaving_while_recording_keeps_the_totals(schema):
    owner, friend = schema.user(), schema.user()
    group = schema.value("SELECT create_group(%s, 'G', NULL, 'Europe/London', '03:00')", owner)
    schema.rows("SELECT create_invitation(%s, %s, 'a code')", owner, group)
    now = schema.now

    def call(n, connection):
        for turn in range(25):
            if n == 0:
                schema.rows("SELECT accept_invitation(%s, 'a code')", friend, on=connection)
                schema.rows("SELECT remove_member(%s, %s, %s)", friend, group, friend, on=connection)
            elif n == 1:
                schema.rows("SELECT set_global_board(%s, %s)", friend, turn % 2 == 0, on=connection)
            elif n == 2:
                values = owner, group, 3600 + turn
                schema.rows("SELECT change_group_rules(%s, %s, NULL, NULL, %s)", *values, on=connection)
            else:
                began = now - (n * 25 + turn) * 900
                values = friend, utc(began), utc(began + 899)
                interval = schema.value("SELECT record_interval(%s, %s, %s)", *values, on=connection)
                if turn % 3 == 0:
                    schema.rows("SELECT retract_interval(%s, %s)", friend, interval, on=connection)

    at_once(schema, 7, call)
    well(schema)


def test_a_founder_and_an_admin_who_declare_the_same_new_rules_do_not_wait_for_each_other(schema):
    owner, member = schema.user(), schema.user()
    group = schema.value("SELECT create_group(%s, 'G')", owner)
    schema.rows("SELECT create_invitation(%s, %s, 'a code')", owner, group)
    schema.rows("SELECT accept_invitation(%s, 'a code')", member)
    founding, declaring = schema.connect(), schema.connect()
    with held(founding):
        schema.rows("SELECT lock_student(%s)", member, on=founding)
        thread = threading.Thread(target=lambda: schema.rows("SELECT change_group_rules(%s, %s, cap => 7260)", owner, group, on=declaring))
        thread.start()
        wait_for_lock(schema, declaring)
        schema.rows("SELECT create_group(%s, 'H', cap => 7260)", member, on=founding)
    thread.join()
    assert schema.value("SELECT count(*) FROM group_rules g JOIN ranking_rules r USING (rules_id) WHERE r.daily_cap_seconds = 7260") == 2
    well(schema)


def test_admins_who_declare_different_rules_at_once_both_get_theirs(schema):
    owner = schema.user()
    group = schema.value("SELECT create_group(%s, 'G')", owner)
    declare = ["zone => 'Europe/London'", "starts => '04:00'", "cap => 36000", "manual => false"]
    at_once(schema, 4, lambda n, c: schema.rows(f"SELECT change_group_rules(%s, %s, {declare[n]})", owner, group, on=c))
    assert schema.rows("SELECT x.time_zone, x.day_starts_at, x.daily_cap_seconds, x.manual_counts"
                       " FROM jsonb_to_recordset(coming_rules(%s)) x (time_zone text, day_starts_at text, daily_cap_seconds int,"
                       " manual_counts bool)", group) == [("Europe/London", "04:00", 36000, False)]  # fmt: skip
    well(schema)


def test_a_timer_counts_the_same_however_its_owner_joins_meanwhile(schema):
    schema.set_clock(NOON)
    owner, friend = schema.user(), schema.user()
    group = schema.value("SELECT create_group(%s, 'G')", owner)
    schema.rows("SELECT create_invitation(%s, %s, 'a code')", owner, group)
    schema.rows("SELECT * FROM start_timer(%s)", friend)
    schema.set_clock(NOON + 3600)
    calls = ["SELECT * FROM stop_timer(%s)", "SELECT * FROM accept_invitation(%s, 'a code')"]
    at_once(schema, 2, lambda n, c: schema.rows(calls[n], friend, on=c))
    assert schema.rows("SELECT counted_seconds FROM month_totals WHERE uid = %s", friend) == [(3600,)]
    well(schema)


class EndOfMonth:
    """A member whose November ends in a group, and the lock that the closer of that month takes alone."""

    def __init__(self, schema):
        self.schema = schema
        self.ends = day_start(datetime.date(2026, 12, 1), SEOUL)
        self.closes = month_closes(datetime.date(2026, 11, 1), SEOUL)
        schema.set_clock(self.ends - 86400)
        self.user = schema.user()
        self.group = schema.value("SELECT create_group(%s, 'G')", self.user)
        schema.set_clock(self.ends + 47 * 3600)
        self.writer = schema.connect()
        self.closer = schema.connect()
        self.set_clock(self.ends + 47 * 3600)

    def set_clock(self, now):
        self.writer.execute("SELECT set_config('anthill.now', %s, false)", [str(now)])

    def write(self, began):
        return self.schema.call("SELECT record_interval(%s, %s, %s)", self.user, utc(began), utc(began + 600), on=self.writer)

    def lock(self):
        """What closing does first, when it is due: it holds the rows of all members, in a statement of its own."""
        self.closer.execute("SELECT set_config('anthill.now', %s, false)", [str(self.closes)])
        self.closer.execute("SELECT lock_to_close(%s, %s)", [self.group, datetime.date(2026, 11, 1)])


def test_a_writer_waits_while_its_month_is_closed_and_reads_the_clock_after_that(schema):
    month = EndOfMonth(schema)
    # The clock of this test moves while the writer waits.
    schema.connection.execute("CREATE TABLE moved (now timestamptz)")
    schema.connection.execute("INSERT INTO moved VALUES (%s)", [utc(month.ends + 47 * 3600)])
    schema.connection.execute(
        "CREATE OR REPLACE FUNCTION anthill_clock() RETURNS timestamptz LANGUAGE plpgsql VOLATILE AS"
        " $$ BEGIN RETURN (SELECT now FROM moved); END $$"
    )
    verdict = []
    thread = threading.Thread(target=lambda: verdict.append(month.write(month.ends - 600)))
    with held(month.closer):
        # With the one clock that this test has, the month is not due yet: the lock alone.
        month.closer.execute("SELECT lock_students(ARRAY[%s]::uuid[], %s)", [month.user, utc(month.closes)])
        thread.start()
        wait_for_lock(schema, month.writer)
        schema.connection.execute("UPDATE moved SET now = %s", [utc(month.closes)])
    thread.join()
    assert verdict == ["month_closed"]
    assert schema.value("SELECT count(*) FROM study_intervals") == 0
    assert schema.value("SELECT count(*) FROM month_totals") == 0


def test_closing_locks_everybody_also_in_the_second_before_the_month_is_due(schema):
    """The next statement, which closes it, can read a later clock."""
    month = EndOfMonth(schema)
    with held(month.closer):
        month.closer.execute("SELECT set_config('anthill.now', %s, false)", [str(month.closes - 1)])
        month.closer.execute("SELECT lock_to_close(%s, '2026-11-01')", [month.group])
        schema.set_clock(month.closes - 1)
        writer = schema.connect()
        writer.execute(citus.IMPATIENT)
        with pytest.raises(citus.TooLate):
            writer.execute("SELECT lock_student(%s)", [month.user])
    assert schema.value("SELECT clock_of(s) FROM students s WHERE s.uid = %s", month.user) == utc(month.closes - 1)


def closed_with_a_leaver(schema):
    """A month that is closed, and the one who studied in it, who has left the group."""
    month = EndOfMonth(schema)
    schema.set_clock(month.ends - 3600)
    leaver = schema.user()
    schema.rows("SELECT enter_group(%s, %s, 'member')", leaver, month.group)
    schema.rows("SELECT record_timed(%s, %s, %s)", leaver, utc(month.ends - 3600), utc(month.ends))
    month.lock()
    assert schema.value("SELECT close_month(%s, '2026-11-01')", month.group, on=month.closer)
    schema.set_clock(month.closes)
    schema.rows("SELECT quit_all_groups(%s)", leaver)
    return month, leaver


AMEND = "SELECT amend_standing(%s, %s, '2026-11-01', %s, 60, 'they were ill')"


def test_who_is_erased_while_somebody_elses_month_is_amended_leaves_the_hall_of_fame(schema):
    """Every amendment of a month writes the hall of fame anew."""
    month, leaver = closed_with_a_leaver(schema)
    one, two = schema.connect(), schema.connect()
    thread = threading.Thread(target=lambda: two.execute("SELECT erase_user(%s)", [leaver]))
    with held(one):
        one.execute(AMEND, [month.user, month.group, month.user])
        thread.start()
        wait_for_lock(schema, two)
    thread.join()
    assert schema.rows("SELECT FROM fame WHERE uid = %s", leaver) == []
    well(schema)


def test_nobodys_month_is_amended_while_they_are_erased(schema):
    """Otherwise the amendment and the audit kept who it was, and why."""
    month, leaver = closed_with_a_leaver(schema)
    one, two = schema.connect(), schema.connect()
    verdicts = []
    thread = threading.Thread(target=lambda: verdicts.append(schema.call(AMEND, month.user, month.group, leaver, on=two)))
    with held(one):
        one.execute("SELECT erase_user(%s)", [leaver])
        thread.start()
        wait_for_lock(schema, two)
    thread.join()
    assert verdicts == ["member_not_found"]
    assert schema.rows("SELECT FROM amendments") == []
    well(schema)


@citus.not_spread("each worker chooses its own way through the rows")
def test_many_are_locked_in_the_order_of_their_uids(schema):
    """Whoever waits for the first holds none of the others, in whatever order their rows lie and they are named."""
    people = [f"{n:08x}-0000-4000-8000-000000000000" for n in range(300, 0, -1)]
    schema.connection.execute("INSERT INTO users (uid, nickname) SELECT p, 'Ant' FROM unnest(%s::uuid[]) WITH ORDINALITY u (p, n) ORDER BY n",
                              [people])  # fmt: skip
    schema.connection.execute("ANALYZE students")
    one, many = schema.connect(), schema.connect()
    thread = threading.Thread(target=lambda: many.execute("SELECT lock_students(%s)", [people]))
    with held(one):
        one.execute("SELECT lock_student(%s)", [people[-1]])
        thread.start()
        wait_for_lock(schema, many)
        one.execute("SELECT FROM students WHERE uid <> %s FOR NO KEY UPDATE NOWAIT", [people[-1]])
    thread.join()


def test_who_accepts_a_request_locks_the_asker_before_the_request(schema):
    """As erasing the asker does, so neither waits for what the other holds."""
    owner, asker = schema.user(), schema.user()
    group = schema.value("SELECT create_group(%s, 'G', is_listed => true)", owner)
    request = schema.value("SELECT ask_to_join(%s, %s, NULL)", asker, group)
    one, two = schema.connect(), schema.connect()
    verdicts = []
    answer = "SELECT answer_join_request(%s, %s, %s, true)"
    thread = threading.Thread(target=lambda: verdicts.append(schema.call(answer, owner, group, request, on=two)))
    with held(one):
        one.execute("SELECT lock_student(%s)", [asker])
        thread.start()
        wait_for_lock(schema, two)
        one.execute("SELECT FROM join_requests WHERE uid = %s FOR UPDATE NOWAIT", [asker])
        one.execute("SELECT erase_user(%s)", [asker])
    thread.join()
    assert verdicts == ["join_request_not_found"]
    well(schema)


def test_who_undoes_a_change_locks_what_it_changed_before_the_change(schema):
    """As erasing somebody does whom the change names, so neither waits for what the other holds."""
    owner, heir = schema.user(), schema.user()
    group = schema.value("SELECT create_group(%s, 'G')", owner)
    schema.rows("SELECT enter_group(%s, %s, 'member')", heir, group)
    change = schema.value("SELECT admin_transfer_group(%s, %s, NULL, 'why', 'Kim')", group, heir)
    one, two = schema.connect(), schema.connect()
    verdicts = []
    thread = threading.Thread(target=lambda: verdicts.append(schema.call("SELECT admin_undo(%s, 'why', 'Kim')", change, on=two)))
    with held(one):
        one.execute("SELECT lock_group(%s)", [group])
        thread.start()
        wait_for_lock(schema, two)
        one.execute("SELECT FROM admin_changes FOR UPDATE NOWAIT")
        one.execute("SELECT erase_user(%s)", [owner])
    thread.join()
    assert verdicts == ["member_not_found"]
    well(schema)


def answered_report(schema):
    """Its reporter, and the change that answered it."""
    by, about = schema.user(), schema.user()
    group = schema.value("SELECT create_group(%s, 'G')", about)
    schema.rows("SELECT enter_group(%s, %s, 'member')", by, group)
    report = schema.value("SELECT make_report(%s, %s, %s, 'why')", by, about, group)
    return by, schema.value("SELECT admin_answer_report(%s, 'We looked', 'why', 'Kim')", report)


def test_an_answer_is_taken_back_while_its_reporter_is_erased(schema):
    by, change = answered_report(schema)
    one, two = schema.connect(), schema.connect()
    thread = threading.Thread(target=lambda: two.execute("SELECT erase_user(%s)", [by]))
    with held(one):
        one.execute("SELECT FROM reports FOR UPDATE")
        thread.start()
        wait_for_lock(schema, two)
        one.execute("SELECT admin_undo(%s, 'why', 'Kim')", [change])
    thread.join()
    assert schema.rows("SELECT uid, answer FROM reports") == [(None, None)]
    well(schema)


def test_of_two_who_undo_a_change_at_once_one_does(schema):
    _, change = answered_report(schema)
    undo = "SELECT admin_undo(%s, 'why', 'Kim')"
    one, two = schema.connect(), schema.connect()
    verdicts = []
    thread = threading.Thread(target=lambda: verdicts.append(schema.call(undo, change, on=two)))
    with held(one):
        one.execute(undo, [change])
        thread.start()
        wait_for_lock(schema, two)
    thread.join()
    assert verdicts == ["change_overtaken"]
    well(schema)


@citus.not_spread("lock_timeout does not reach the workers")
def test_closing_a_month_waits_for_its_writers(schema):
    month = EndOfMonth(schema)
    with held(month.writer):
        assert month.write(month.ends - 600) is None
        with pytest.raises(psycopg.errors.LockNotAvailable), month.closer.transaction():
            month.closer.execute("SET LOCAL lock_timeout = '100ms'")
            month.lock()
    month.lock()
    assert schema.value("SELECT counted_seconds FROM month_totals") == 600
    well(schema)


def test_who_is_not_in_the_group_that_is_closed_waits_for_nobody(schema):
    month = EndOfMonth(schema)
    stranger = schema.user()
    with held(month.closer):
        month.lock()
        month.user = stranger
        assert month.write(month.ends + 600) is None
    well(schema)


def test_the_end_of_a_sign_in_that_commits_late_is_told_however_often_others_tidy_up(schema):
    user = schema.user()
    schema.connection.execute(
        "INSERT INTO sign_ins (uid, token_mac, auth_epoch, expires_at) VALUES (%s, sha256('x'), 1, 'infinity')", [user])  # fmt: skip
    other = schema.connect()
    with held(other):
        other.execute("DELETE FROM sign_ins")
        for _ in range(5):
            schema.set_clock(schema.now + 130)
            schema.rows("SELECT forget_changes()")
        seen = schema.value("SELECT pg_current_snapshot()::text")
    schema.rows("SELECT forget_changes()")
    news = ("SELECT count(*) FROM board_changes"
            " WHERE changed_in >= pg_snapshot_xmin(%s) AND NOT pg_visible_in_snapshot(changed_in, %s)")  # fmt: skip
    assert schema.value(news, seen, seen) == 1
    for _ in range(3):
        schema.set_clock(schema.now + 130)
        schema.rows("SELECT forget_changes()")
    assert schema.value("SELECT count(*) FROM board_changes") == 0


def test_two_who_change_the_study_clock_at_once_lose_nothing(schema):
    for attempt in range(20):
        user = schema.user("UTC", "04:00")
        parts = ["SELECT set_study_clock(%s, 'Asia/Seoul', NULL)", "SELECT set_study_clock(%s, NULL, '06:00')"]
        at_once(schema, 2, lambda n, connection: schema.call(parts[n], user, on=connection))
        assert schema.rows("SELECT time_zone, day_starts_at::text FROM students WHERE uid = %s", user) == [("Asia/Seoul", "06:00:00")]


def test_ranks_counted_anew_while_others_record_are_right(schema):
    schema.set_clock(NOON)
    users = [schema.user() for _ in range(12)]
    for user in users:
        schema.rows("SELECT set_global_board(%s, true)", user)

    def call(n, connection):
        if n < 6:
            for step in range(40):
                end = NOON - 400 * step
                schema.call("SELECT record_timed(%s, %s, %s)", users[n + 6 * (step % 2)], utc(end - 300), utc(end), on=connection)
        else:
            for _ in range(10):
                connection.execute("SELECT recount_ranks()")

    at_once(schema, 7, call)
    well(schema)
    while schema.value("SELECT fold_rank_deltas()") > 0:
        pass
    well(schema)


def test_one_overdue_timer_that_is_held_keeps_no_other_waiting_and_each_round_ends_so_many(schema):
    users = [schema.user() for _ in range(5)]
    for user in users:
        schema.rows("SELECT start_timer(%s)", user)
    schema.set_clock(schema.now + 13 * 3600)
    schema.connection.execute("SET lock_timeout = '100ms'")
    other = schema.connect()
    left = "SELECT count(*) FROM study_intervals WHERE ended_at IS NULL"
    with held(other):
        other.execute("SELECT FROM students WHERE uid = %s FOR UPDATE", [users[0]])
        rounds = [schema.value("SELECT end_overdue_timers(2)") for _ in range(4)]
        assert max(rounds) <= 2 and schema.value(left) == 1
    assert schema.value("SELECT end_overdue_timers(2)") == 1 and schema.value(left) == 0
    well(schema)
