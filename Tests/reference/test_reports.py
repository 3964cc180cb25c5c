"""The reports for admins say what is there, and change nothing."""

import contextlib
import csv
import io
import pathlib
import re
import shutil
import subprocess
import tempfile
import threading
import types
import uuid

import citus
import psycopg
import pytest
from maintenance import cells, contents, run
from schema import ROOT, as_role, files
from service import wait_until
from study_clock import utc
from world_admin import HOUR, NOBODY, NOW


def report(world, script, **variables):
    """What it prints; nothing has changed then."""
    before = contents(world)
    done = run(world, script, **({"reason": ""} | variables))
    assert (done.returncode, done.stderr) == (0, "")
    assert contents(world) == before
    return done.stdout


def refusal(world, script, **variables):
    done = run(world, script, **({"reason": ""} | variables))
    assert done.returncode != 0
    [line] = done.stderr.splitlines()
    return line.split("ERROR:  ")[1]


def test_an_open_month_is_a_table_with_hidden_members(world):
    world.connection.execute("UPDATE group_members SET visibility = 'hidden' WHERE uid = %s", [world.uid("Bo")])
    world.connection.execute("UPDATE users SET nickname = '=Cy, \"who\"' WHERE uid = %s", [world.uid("Cy")])
    text = report(world, "report_month", group=world.group(), month="2026-11")
    assert text.startswith("\ufeffrank,nickname,uid,seconds,time,manual_seconds,visibility,sealed_rank,sealed_seconds\n")
    rows = list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"))))
    assert [(row["rank"], row["nickname"], row["seconds"], row["time"], row["visibility"], row["sealed_rank"]) for row in rows] == [
        ("1", "Ada", "14400", "04:00:00", "shown", ""),
        ("2", "Bo", "10800", "03:00:00", "hidden", ""),
        ("3", '\'=Cy, "who"', "7200", "02:00:00", "shown", ""),
    ]


def test_the_closed_months_of_a_group_that_is_gone_are_told(world):
    group = world.group()
    before = report(world, "report_month", group=group, month="2026-10")
    world.rows("SELECT delete_group(%s, %s)", world.uid("Ada"), group)
    assert report(world, "report_month", group=group, month="2026-10") == before
    assert refusal(world, "report_month", group=group, month="2026-11") == f"no group {group} has a board of 2026-11"
    assert refusal(world, "report_month", group=NOBODY, month="2026-10") == f"no group has the id {NOBODY}"


def test_a_closed_month_is_told_as_sealed_and_as_amended(world):
    world.rows("SELECT amend_standing(%s, %s, '2026-10-01', %s, %s, 'why')", world.uid("Ada"), world.group(), world.uid("Ada"), 4 * HOUR)
    world.rows("SELECT erase_user(%s)", world.uid("Bo"))
    rows = list(csv.reader(io.StringIO(report(world, "report_month", group=world.group(), month="2026-10"))))[1:]
    assert [(row[:2], row[3], row[7:]) for row in rows] == [
        (["1", "Ada"], str(4 * HOUR), ["3", str(HOUR)]),
        (["2", "Cy"], str(3 * HOUR), ["1", str(3 * HOUR)]),
        (["3", ""], str(2 * HOUR), ["2", str(2 * HOUR)]),
    ]


def test_a_month_without_a_board_is_refused(world):
    assert refusal(world, "report_month", group=world.group(), month="2026-12") == "2026-12 lies ahead"
    assert refusal(world, "report_month", group=world.group()) == "give the month: -v month=2026-10"
    assert refusal(world, "report_month", group=NOBODY, month="2026-11") == f"no group has the id {NOBODY}"


def suspicions(world, **variables):
    return {(row[1], row[2]): row[3] for row in cells(report(world, "report_suspicious", **variables))[1:]}


def test_nothing_is_suspicious_in_ordinary_study(world):
    assert suspicions(world) == {} and suspicions(world, group=world.group(), month="2026-10") == {}


def test_days_near_the_cap_are_told_when_they_come_again_and_again(world):
    for days_ago in (3, 4, 5):
        began = NOW - days_ago * 24 * HOUR
        for part in (0, 8 * HOUR):
            world.rows(
                "SELECT record_timed(%s, %s, %s)",
                world.uid("Ada"),
                utc(began - 6 * HOUR + part),
                utc(began - 6 * HOUR + part + 8 * HOUR - 600),
            )
    told = {("Ada", "near_cap"): "3 of 4 days count at least 90 % of the cap of 16:00:00; the longest lasted 15:40:00"}
    assert suspicions(world) == told and suspicions(world, often=4) == {} and suspicions(world, group=world.group()) == told


def test_the_report_lists_time_added_by_hand_and_in_bulk(world):
    for n in range(10):
        began = NOW - 46 * HOUR + n * 2 * HOUR
        world.rows("SELECT record_interval(%s, %s, %s)", world.uid("Cy"), utc(began), utc(began + 6600))
    assert suspicions(world) == {
        ("Cy", "high_manual_share"): "18:20:00 of 20:20:00 only because of time added by hand",
        ("Cy", "recorded_in_bulk"): "10 sessions added by hand in the ten minutes from 2026-11-21T03:00:00Z on",
    }


def test_equal_and_round_lengths_are_told(world):
    for n in range(12):
        began = NOW - 100 * HOUR + n * 2 * HOUR
        world.rows("SELECT record_timed(%s, %s, %s)", world.uid("Bo"), utc(began), utc(began + (1500 if n < 7 else 1800 + 300 * n)))
    assert suspicions(world) == {
        ("Bo", "regular_lengths"): "7 of 13 timed intervals last exactly 00:25:00",
        ("Bo", "round_lengths"): "13 of 13 timed intervals last a multiple of five minutes",
    }


def test_the_suspicions_of_a_group_are_those_of_its_people_of_that_month(world):
    """Also of somebody who has left since; not of somebody who had left before, and is on another board by the same rules."""
    past, left = world.new_user("Past"), world.new_user("Left")
    for user in (past, left):
        world.rows("SELECT lock_group(%s)", world.group())
        world.rows("SELECT enter_group(%s, %s, 'member')", user, world.group())
        world.rows("SELECT create_group(%s, 'Other')", user)
    world.connection.execute(
        "UPDATE group_membership_history SET joined_at = joined_at - interval '60 d' WHERE uid = ANY (%s)", [[past, left]])  # fmt: skip
    for user in (past, left):
        world.rows("SELECT record_interval(%s, %s, %s)", user, utc(NOW - 11 * HOUR), utc(NOW - HOUR))
        world.rows("SELECT remove_member(%s, %s, %s)", user, world.group(), user)
    world.connection.execute(
        "UPDATE group_membership_history SET left_at = left_at - interval '40 d' WHERE uid = %s AND left_at IS NOT NULL", [past]
    )
    assert {name for name, _ in suspicions(world, group=world.group())} == {"Left"}
    assert {name for name, _ in suspicions(world)} == {"Left", "Past"}


def test_timers_that_nobody_stopped_are_told(world):
    di = world.new_user("Di")
    world.rows("SELECT set_global_board(%s, true)", di)
    for days_ago in (9, 7, 5):
        world.set_clock(NOW - days_ago * 24 * HOUR)
        world.rows("SELECT * FROM start_timer(%s)", di)
        world.set_clock(NOW - days_ago * 24 * HOUR + 13 * HOUR)
        world.rows("SELECT lock_student(%s)", di)
    session = world.value("SELECT session_id FROM study_sessions WHERE uid = %s AND state = 'unconfirmed' LIMIT 1", di)
    world.set_clock(NOW)
    world.rows(
        "SELECT confirm_session(%s, %s, (SELECT started_at + interval '1 hour' FROM study_intervals WHERE session_id = %s))",
        di,
        session,
        session,
    )
    assert suspicions(world) == {("Di", "long_timers"): "3 timers ran until they were ended after 12:00:00"}
    assert suspicions(world, often=4) == {}


def test_sizes_follow_what_is_in_the_tables(world):
    with world.connection.cursor() as cursor:
        cursor.execute("INSERT INTO mail_outbox (kind, to_address, created_at, sent_at) SELECT 'x', 'somebody@example.org',"
                       " anthill_clock() - n * interval '1 minute', anthill_clock() FROM generate_series(1, 40000) n")  # fmt: skip
    size = lambda: {
        row[0]: row[1:] for row in world.rows("SELECT relation, row_count, bytes, unused_bytes, daily_bytes FROM admin_sizes()")
    }
    rows, table, unused, daily = size()["mail_outbox"]
    whole = world.value("SELECT pg_total_relation_size('mail_outbox')")
    assert rows == 40000 and table == world.value("SELECT pg_table_size('mail_outbox')") and unused < 0.3 * table
    # 40,000 minutes are 27.8 days.
    assert abs(daily - whole / (40000 / 1440)) < 0.01 * daily
    world.connection.execute("DELETE FROM mail_outbox WHERE extract(minute FROM created_at)::integer % 4 <> 0")
    world.connection.execute("VACUUM mail_outbox")
    rows, table, unused, _ = size()["mail_outbox"]
    assert rows == 10000 and 0.7 * table < unused < 0.85 * table
    key = size()["mail_outbox_key"]
    assert 0.6 * key[1] < key[2] < key[1]
    sampled = world.rows("SELECT row_count, unused_bytes FROM admin_sizes(30, 100) WHERE relation = 'mail_outbox'")[0]
    assert 0.3 < sampled[0] / rows < 3


def test_the_days_until_the_disk_is_full_follow_from_the_growth(world):
    # The server may write to its own tables meanwhile.
    size = "SELECT pg_size_pretty(pg_database_size(current_database()))"
    per_day, before = world.value("SELECT sum(daily_bytes) FROM admin_sizes(7)"), world.value(size)
    *_, (database, shown, days) = cells(report(world, "sizes", free="2 GB", days=7))
    assert database in (before, world.value(size))
    assert (int(days), shown) == (2 * 1024**3 // per_day, world.value("SELECT pg_size_pretty(%s::numeric)", per_day))
    # As df -h writes it.
    for free in ("2G", "2.0G"):
        assert cells(report(world, "sizes", free=free, days=7))[-1][2] == days
    assert "give free space: -v free=40G" in report(world, "sizes")
    for wrong in ("much", "1234567TB", "2B"):
        assert refusal(world, "sizes", free=wrong) == "give the free space of the disk: -v free=40G"
    for wrong in (999999999, 0):
        assert refusal(world, "sizes", days=wrong) == "give the days: -v days=30"


def test_the_growth_of_a_table_is_told_by_whatever_tells_when_its_rows_were_made(world):
    world.rows("SELECT fold_rank_deltas()")
    grows = "SELECT relation FROM admin_sizes(60) WHERE daily_bytes > 0"
    assert {(name,) for name in ("rank_totals", "rank_buckets", "counted_under", "group_rules")} <= set(world.rows(grows))


def test_a_service_without_study_does_not_grow(schema):
    assert "it does not grow" in run(schema, "sizes", reason="", free="1GB").stdout


def test_statements_that_are_not_counted_and_those_that_run_for_long_are_told(world):
    other = world.connect()
    with other.transaction():
        other.execute("SELECT 'a long one'")
        said = report(world, "slow_statements", seconds=0)
    assert "Statements are not counted: a superuser of PostgreSQL turns that on" in said
    [row] = [row for row in cells(said) if row[-1] == "SELECT 'a long one'"]
    assert row[0] == str(other.info.backend_pid) and row[4] == "idle in transaction"
    assert "a long one" not in report(world, "slow_statements")


@pytest.fixture
def counting():
    """A PostgreSQL of its own that counts statements, with the schema."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="anthill-reference-", dir="/tmp"))
    folder.chmod(0o755)
    settings = ["shared_preload_libraries=pg_stat_statements", "max_prepared_transactions=2", "fsync=off"]
    process = subprocess.Popen([ROOT / "script/cluster", folder / "postgres", *settings], stdout=subprocess.PIPE, text=True)
    try:
        url = next(line.strip() for line in process.stdout if line.startswith("postgresql://"))
        with psycopg.connect(url) as connection:
            for file in files():
                connection.execute(file.read_text())
            connection.execute("SELECT grant_rights()")
        yield types.SimpleNamespace(url=url, now=NOW)
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()
        shutil.rmtree(folder)


def test_the_statements_that_took_the_most_time_are_told(counting):
    said = run(counting, "slow_statements", reason="").stdout
    [chapter] = re.findall(r'Statements are not counted: .*"([^"]+)" of operate\.md\.', said, re.DOTALL)
    assert f"\n### {chapter}\n" in (ROOT / "docs/operate.md").read_text()
    with psycopg.connect(as_role("postgres", counting.url), autocommit=True) as admin:
        admin.execute("CREATE EXTENSION pg_stat_statements")
    with psycopg.connect(counting.url, autocommit=True) as connection:
        for _ in range(3):
            connection.execute("SELECT pg_sleep(0.1)")
    said = run(counting, "slow_statements", reason="").stdout
    [row] = [row for row in cells(said) if row[-1] == "SELECT pg_sleep($1)"]
    assert row[0] == "3" and float(row[1].split(":")[-1]) >= 0.3 and float(row[2]) >= 100
    assert "Statements are not counted" not in said


def waits(said):
    """The first table of locks."""
    return [row for row in cells(said) if len(row) == 11 and row[0] != "waits"]


def test_who_waits_for_whom_is_told(world):
    first, second, third = (world.connect() for _ in range(3))
    lock = "SELECT FROM users WHERE nickname = 'Ada' FOR UPDATE"
    assert waits(report(world, "locks")) == []
    waiting = []
    with first.transaction():
        first.execute(lock)
        for connection in (second, third):
            waiting.append(threading.Thread(target=connection.execute, args=[lock]))
            waiting[-1].start()
            while not world.value("SELECT cardinality(pg_blocking_pids(%s))", connection.info.backend_pid):
                pass
        rows = waits(report(world, "locks"))
    for thread in waiting:
        thread.join()
    pids = [str(connection.info.backend_pid) for connection in (first, second, third)]
    assert {(row[0], row[5], row[10]) for row in rows} >= {(pids[1], pids[0], "t"), (pids[2], pids[1], "f")}
    assert {row[7] for row in rows if row[5] == pids[0]} == {"idle in transaction"}


def advised(said):
    """The second table of locks: what to run, and as whom."""
    return [tuple(row[:2]) for row in cells(said) if len(row) == 3 and row[0] != "run"]


def test_an_admin_may_end_what_keeps_others_waiting(world):
    """As locks.sql says: first somebody who does nothing, then somebody who works."""
    idle, busy, third = (world.connect() for _ in range(3))
    lock = "BEGIN; SELECT FROM users WHERE nickname = 'Ada' FOR UPDATE; "
    idle.execute(lock)
    threads = []
    for connection, statement, ends in ((busy, lock + "SELECT pg_sleep(60)", True), (third, lock + "COMMIT", False)):
        ended = pytest.raises(psycopg.errors.QueryCanceled) if ends else contextlib.nullcontext()
        threads.append(threading.Thread(target=executed, args=[connection, statement, ended]))
        threads[-1].start()
        wait_until(lambda connection=connection: world.value("SELECT cardinality(pg_blocking_pids(%s))", connection.info.backend_pid))
    for first, how in ((idle, "terminate"), (busy, "cancel")):
        wanted = (f"SELECT pg_{how}_backend({first.info.backend_pid});", "anthill_admin")
        wait_until(lambda wanted=wanted: advised(report(world, "locks")) == [wanted])
        assert world.rows(wanted[0], on=world.connect(wanted[1])) == [(True,)]
    for thread in threads:
        thread.join()
    assert waits(report(world, "locks")) == advised(report(world, "locks")) == []


def executed(connection, statement, ended):
    with ended:
        connection.execute(statement)


def test_a_prepared_transaction_that_keeps_others_waiting_is_told(counting):
    """It belongs to no session."""
    with psycopg.connect(counting.url) as one, psycopg.connect(counting.url) as other:
        one.execute("LOCK users")
        one.execute("PREPARE TRANSACTION 'forgotten'")
        waiting = threading.Thread(target=other.execute, args=["LOCK users"])
        waiting.start()
        # locks.sql needs no table itself.
        with psycopg.connect(as_role("postgres", counting.url), autocommit=True) as superuser:
            blocked = "SELECT pg_blocking_pids(%s)"
            wait_until(lambda: superuser.execute(blocked, [other.info.backend_pid]).fetchone() == ([0],))
            said = run(counting, "locks", reason="").stdout
            assert [row[5:8] + row[10:] for row in waits(said)] == [["0", "", "prepared", "t"]]
            assert advised(said) == [("ROLLBACK PREPARED 'forgotten';", "a superuser")]
            superuser.execute("ROLLBACK PREPARED 'forgotten'")
        waiting.join()


def test_an_admin_who_may_not_end_sessions_is_told_what_to_ask_for(world):
    name = f"reports_{uuid.uuid4().hex[:12]}"
    postgres = world.connect("postgres")
    postgres.execute(f"CREATE ROLE {name} LOGIN IN ROLE pg_monitor")
    try:
        told = subprocess.run(["psql", "-Xd", as_role(name, world.url), "-f", ROOT / "sql/maintenance/locks.sql"],
                              capture_output=True, text=True)  # fmt: skip
        assert told.stdout.splitlines()[-1].endswith(" A superuser lets admins do it: GRANT pg_signal_backend TO anthill_admin")
        assert "GRANT" not in report(world, "locks")
    finally:
        postgres.execute(f"DROP ROLE {name}")


def test_a_vacuum_is_advised_where_rows_are_dead(world):
    assert cells(report(world, "vacuum_advice"))[1:] == []
    run_it = world.connection.execute
    run_it("ALTER TABLE mail_outbox SET (autovacuum_enabled = off)")
    run_it("INSERT INTO mail_outbox (kind, to_address) SELECT 'x', 'somebody@example.org' FROM generate_series(1, 3000)")
    run_it("DELETE FROM mail_outbox WHERE id IN (SELECT id FROM mail_outbox LIMIT 2000)")
    run_it("SELECT pg_stat_force_next_flush()")
    run_it("SELECT 1")
    [[statement, role, reason]] = cells(report(world, "vacuum_advice"))[1:]
    assert (statement, role, reason) == ("VACUUM (ANALYZE) mail_outbox;", "anthill_owner", "2000 of 3000 rows are dead")
    world.connect(role).execute(statement)
    run_it("SELECT pg_stat_force_next_flush()")
    run_it("SELECT 1")
    assert cells(report(world, "vacuum_advice"))[1:] == []


def test_only_a_transaction_that_holds_a_vacuum_back_is_told(world):
    """Neither a VACUUM nor a transaction of another database does. No test can wait until one is advised to end them."""
    text = (ROOT / "sql/maintenance/vacuum_advice.sql").read_text()
    advice = text[text.index("WITH tables") :].replace("interval '15 minutes'", "interval '0'").rstrip("\n;")
    world.connection.execute("CREATE TABLE held AS SELECT 1 AS n")
    own, vacuum = (world.connect() for _ in range(2))
    with psycopg.connect(re.sub(r"dbname=\w+", "dbname=postgres", as_role("postgres", world.url)), autocommit=True) as elsewhere:
        elsewhere.execute("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1")
        # The VACUUM stands still at a page that somebody else reads.
        own.execute("BEGIN; DECLARE reading CURSOR FOR SELECT FROM held; FETCH reading")
        cleaning = threading.Thread(target=vacuum.execute, args=["VACUUM (FREEZE) held"])
        cleaning.start()
        wait_until(lambda: world.rows("SELECT FROM pg_stat_activity WHERE pid = %s AND wait_event = 'BufferPin'", vacuum.info.backend_pid))
        told = world.connect(citus.ADMIN).execute(advice).fetchall()
        own.execute("COMMIT")
        cleaning.join()
    ends = [row[:2] for row in told if row[0].startswith("SELECT pg_terminate")]
    assert ends == [(f"SELECT pg_terminate_backend({own.info.backend_pid});", "anthill_admin")]


def test_a_report_refuses_what_is_not_its_variable(world):
    for script in ("locks", "vacuum_advice", "sizes", "slow_statements", "report_suspicious", "report_month"):
        given = {"group": world.group(), "month": "2026-10"} if script == "report_month" else {}
        assert refusal(world, script, interval=NOBODY, **given) == f"{script} takes no variable interval"


def test_no_report_needs_more_than_reading(world):
    world.connection.execute("SET default_transaction_read_only = on")
    for function in ("admin_suspicions()", "admin_sizes()", f"admin_month('{world.group()}', '2026-11-01')"):
        world.rows(f"SELECT * FROM {function}")
    with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
        world.connection.execute("DELETE FROM users")
