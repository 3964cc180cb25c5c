"""What grows elsewhere, or in years, makes nothing slower: counted in pages read, which are the same on any machine."""

import datetime
import json

import citus
import pytest
from study_clock import utc

pytestmark = citus.not_spread("the pages that a worker reads are not counted")

NOW = int(datetime.datetime(2026, 11, 21, 5, tzinfo=datetime.timezone.utc).timestamp())


def pages(schema, sql, *values):
    """How many pages of tables and indexes a statement touches on a connection like the service's."""
    schema.connection.execute("SET enable_seqscan = off")
    schema.rows(sql, *values)
    [(plan,)] = schema.rows("EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) " + sql, *values)
    plan = plan if isinstance(plan, list) else json.loads(plan)
    return plan[0]["Plan"]["Shared Hit Blocks"] + plan[0]["Plan"]["Shared Read Blocks"]


def many(schema, count):
    """So many users, made at once; their uids."""
    rows = schema.rows("INSERT INTO users (nickname) SELECT 'n' || n FROM generate_series(1, %s) n RETURNING uid", count)
    return [uid for (uid,) in rows]


@pytest.fixture
def everyone(schema):
    """A global board of a hundred."""
    schema.set_clock(NOW)
    for uid in many(schema, 100):
        schema.rows("SELECT set_global_board(%s, true)", uid)
    schema.rows("SELECT record_timed(uid, %s, %s) FROM users", utc(NOW - 7200), utc(NOW - 3600))
    schema.rows("SELECT fold_rank_deltas()")
    schema.connection.execute("ANALYZE")
    return schema


def test_a_page_of_the_global_board_reads_nothing_of_the_timers_that_run_elsewhere(everyone):
    page = "SELECT * FROM global_board(%s)", everyone.value("SELECT uid FROM users LIMIT 1")
    many(everyone, 20000)
    read = []
    for count in (2000, 18000):
        everyone.connection.execute(
            """
            WITH sessions AS (
              INSERT INTO study_sessions (uid, state, source)
              SELECT u.uid, 'running', 'timer' FROM users u
              WHERE NOT u.global_board AND NOT EXISTS (SELECT FROM study_sessions s WHERE s.uid = u.uid) LIMIT %s
              RETURNING uid, session_id
            )
            INSERT INTO study_intervals (uid, session_id, started_at, source, time_zone, day_starts_at, recorded_at)
              SELECT uid, session_id, anthill_clock(), 'timer', 'UTC', '05:00', anthill_clock() FROM sessions
            """,
            [count],
        )
        everyone.connection.execute("ANALYZE")
        read.append(pages(everyone, *page))
    # (Each of the 57 on the page is looked up in two indexes, each of which may have grown by a level.)
    assert read[1] <= read[0] + 2 * 57


def test_changes_that_were_folded_cost_nothing_while_a_backup_keeps_them(everyone):
    page = "SELECT * FROM global_board(%s)", everyone.value("SELECT uid FROM users LIMIT 1")
    before = pages(everyone, *page)
    backup = everyone.connect()
    backup.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
    backup.execute("SELECT count(*) FROM rank_deltas")
    everyone.connection.execute(
        "INSERT INTO rank_deltas (uid, period, first_day, old, new) SELECT gen_random_uuid(), 'month', '2026-11-01', 0, 0 FROM generate_series(1, 30000)")  # fmt: skip
    while everyone.value("SELECT fold_rank_deltas()") > 0:
        pass
    assert everyone.value("SELECT count(*) FROM rank_deltas") == 0
    everyone.connection.execute("VACUUM ANALYZE rank_deltas")
    assert pages(everyone, *page) <= before + 150
    backup.execute("COMMIT")


def test_declaring_rules_touches_the_months_that_are_open_and_no_other(schema):
    schema.set_clock(NOW)
    owner, member = schema.user(), schema.user()
    group = schema.value("SELECT create_group(%s, 'G')", owner)
    schema.rows("SELECT create_invitation(%s, %s, 'a code')", owner, group)
    schema.rows("SELECT accept_invitation(%s, 'a code')", member)
    declared = []
    for month in range(30):
        schema.rows("SELECT change_group_rules(%s, %s, cap => %s)", owner, group, 3600 + 60 * month)
        declared.append(schema.value("SELECT cardinality(open_rules_of(%s))", group))
        schema.set_clock(schema.now + 31 * 86400)
    assert schema.value("SELECT count(*) FROM group_rules") == 31
    assert max(declared) <= 3


@pytest.fixture
def decade(schema):
    """A group of twenty with a hundred and twenty closed months, and one with twelve; both amended here and there."""
    people = many(schema, 20)
    groups = {}
    for years in (1, 10):
        group = groups[years] = schema.value("SELECT create_group(%s, 'G')", people[0])
        for person in people[1:]:
            schema.rows("SELECT enter_group(%s, %s, 'member')", person, group)
        for months in range(12 * years):
            month = datetime.date(2026 - months // 12, 12 - months % 12, 1)
            schema.connection.execute(
                """
                INSERT INTO standings (group_id, month, person, rank, counted_seconds, manual_seconds, seal_salt, uid, salt, nickname)
                SELECT %(group)s, %(month)s, sha256(uuid_send(m.uid)), row_number() OVER (ORDER BY m.uid),
                       1000 - row_number() OVER (ORDER BY m.uid), 0, uuid_send(gen_random_uuid()), m.uid, '', 'n'
                FROM group_members m WHERE m.group_id = %(group)s
                """,
                {"group": group, "month": month},
            )
            schema.connection.execute(
                "INSERT INTO month_closes SELECT %(group)s, %(month)s, 'G', anthill_clock(), 20,"
                " sha256(convert_to(standings_text(%(group)s, %(month)s), 'UTF8'))", {"group": group, "month": month})  # fmt: skip
            schema.rows("SELECT renew_fame(%s, %s)", group, month)
    schema.connection.execute("ANALYZE")
    return schema, people[0], groups


def test_the_hall_of_fame_reads_no_more_after_ten_years_than_after_one(decade):
    schema, person, groups = decade
    one, ten = (pages(schema, "SELECT * FROM hall_of_fame(%s, %s)", person, groups[years]) for years in (1, 10))
    assert ten <= 2 * one


def test_a_closed_month_reads_no_more_after_ten_years_than_after_one(decade):
    schema, person, groups = decade
    one, ten = (pages(schema, "SELECT * FROM closed_scores(%s, '2026-10-01')", groups[years]) for years in (1, 10))
    assert ten <= 2 * one


def test_tasks_and_projects_read_nothing_of_the_sessions_on_them(schema):
    user = schema.user()
    task, project = schema.value("INSERT INTO tasks (uid, title) VALUES (%s, 'T') RETURNING id", user), None
    project = schema.value("INSERT INTO projects (uid, name) VALUES (%s, 'P') RETURNING id", user)
    schema.connection.execute("INSERT INTO task_projects VALUES (%s, %s, %s)", [user, task, project])
    lists = ["SELECT * FROM tasks_of(%s, NULL, NULL, NULL, NULL, NULL, 50)", "SELECT * FROM projects_of(%s, NULL, NULL, NULL, NULL, 50)"]
    before = [pages(schema, sql, user) for sql in lists]
    for hour in range(47):
        schema.rows("SELECT record_session(%s, NULL, %s, %s, task_id => %s)", user, [utc(schema.now - 3600 * (hour + 1) + n * 60)
                    for n in range(40)], [utc(schema.now - 3600 * (hour + 1) + n * 60 + 30) for n in range(40)], task)  # fmt: skip
    schema.connection.execute("ANALYZE")
    for sql, few in zip(lists, before):
        assert pages(schema, sql, user) <= few + 20
    assert schema.value("SELECT actual_seconds FROM tasks") == 47 * 40 * 30


def test_refused_import_rows_add_no_work_to_later_batches(schema):
    user = schema.user()
    schema.rows("INSERT INTO subjects (uid, name) SELECT %s, 's' || n FROM generate_series(1, 500) n RETURNING 1", user)

    def batch(first):
        """200 hours, each on a subject of its own that there is no room for."""
        days = [(place, datetime.date(2016, 1, 1) + datetime.timedelta(days=place)) for place in range(first, first + 200)]
        return json.dumps(
            [{"place": place, "local_start": f"{day} 09:00", "local_end": f"{day} 10:00", "subject": f"new {place}"} for place, day in days]
        )

    schema.connection.execute("BEGIN")
    read = [pages(schema, "SELECT * FROM import_sessions(%s, %s, NULL)", user, batch(first)) for first in range(0, 2000, 200)]
    assert read[-1] <= read[0] + 200
    outcomes = schema.rows("SELECT DISTINCT outcome FROM import_sessions(%s, %s, NULL)", user, batch(2000))
    assert outcomes == [("too_many_subjects",)]


def test_mending_this_month_reads_no_more_after_ten_years_than_after_one(schema):
    schema.set_clock(NOW)
    read = {}
    for years in (1, 10):
        [user] = many(schema, 1)
        schema.rows(
            "SELECT count(record_session(%s, NULL, ARRAY[d], ARRAY[d + interval '1 h'], 'import'))"
            " FROM generate_series(%s - make_interval(years => %s), %s, '1 day') d",
            user, utc(NOW - 86400), years, utc(NOW - 86400),
        )  # fmt: skip
        schema.connection.execute("VACUUM ANALYZE study_intervals, study_days, study_sessions")
        read[years] = pages(schema, "SELECT * FROM rebuild_totals(%s, '2026-11-01')", user)
    assert read[10] <= 2 * read[1]


def test_one_person_reads_nothing_of_the_totals_of_the_others(schema):
    schema.set_clock(NOW)
    schema.rows("SELECT find_rules('UTC', '05:00', 3600, true)")
    others, few = many(schema, 100), many(schema, 6)
    read = []
    for year in range(2020, 2023):
        schema.connection.execute(
            "INSERT INTO day_totals SELECT rules_id, uid, %s::date + n, 60, 0, 60"
            " FROM unnest(%s::uuid[]) uid, ranking_rules, generate_series(0, 364) n WHERE NOT is_global",
            [datetime.date(year, 1, 1), others])  # fmt: skip
        schema.connection.execute(
            "INSERT INTO month_totals SELECT rules_id, uid, month_of(day), sum(seconds), 0 FROM day_totals"
            " WHERE day >= %s GROUP BY 1, 2, 3", [datetime.date(year, 1, 1)])  # fmt: skip
        schema.connection.execute("VACUUM ANALYZE day_totals, month_totals")
        recount = pages(schema, "SELECT * FROM admin_total_differences(%s, '-infinity', 'infinity')", max(few))
        erase = pages(schema, "SELECT erase_user(uid) FROM users WHERE uid = ANY (%s) ORDER BY uid LIMIT 1", few)
        read.append((recount, erase))
    for measured in zip(*read):
        assert max(measured) <= measured[0] + 20


def test_the_figures_read_nothing_of_the_sessions_and_mails_of_other_days(schema):
    schema.set_clock(NOW)
    [user] = many(schema, 1)
    figures, read = "SELECT * FROM service_overview(NULL)", []
    for days in (range(1, 400), range(400, 1600)):
        schema.connection.execute(
            "INSERT INTO study_sessions (uid, state, source, created_at)"
            " SELECT %s, 'finished', 'import', %s::timestamptz - make_interval(days => d) FROM unnest(%s::integer[]) d, generate_series(1, 50)",
            [user, utc(NOW), list(reversed(days))])  # fmt: skip
        schema.connection.execute("INSERT INTO mail_outbox (kind, to_address, sent_at)"
                                  " SELECT 'x', 'somebody@example.org', anthill_clock() FROM generate_series(1, 20000)")  # fmt: skip
        schema.connection.execute("VACUUM ANALYZE study_sessions, mail_outbox")
        read.append(pages(schema, figures))
    assert read[1] <= read[0] + 20


def test_a_calendar_feed_reads_no_more_after_ten_years_than_after_one(schema):
    schema.set_clock(NOW)
    users = many(schema, 20)
    # By day, so that everybody's study lies among that of the others; the first has studied for one year.
    schema.connection.execute(
        """
        WITH days AS MATERIALIZED (
          SELECT u.uid, gen_random_uuid() AS session_id, d AS began
          FROM generate_series(%(now)s::timestamptz - interval '10 y', %(now)s::timestamptz - interval '1 d', '1 d') d
          CROSS JOIN unnest(%(users)s::uuid[]) u (uid)
          WHERE u.uid <> %(new)s OR d > %(now)s::timestamptz - interval '1 y'
        ), sessions AS (
          INSERT INTO study_sessions (uid, session_id, state, source, created_at)
            SELECT uid, session_id, 'finished', 'import', began FROM days
        )
        INSERT INTO study_intervals (uid, session_id, started_at, ended_at, source, time_zone, day_starts_at, recorded_at)
          SELECT uid, session_id, began, began + interval '1 h', 'import', 'UTC', '05:00', began + interval '1 h' FROM days
        """,
        {"now": utc(NOW), "users": users, "new": users[0]},
    )
    schema.connection.execute("VACUUM ANALYZE study_intervals, study_sessions")
    feed = "SELECT * FROM calendar_sessions(%s)"
    assert [len(schema.rows(feed, user)) for user in users[:2]] == [90, 90]
    one, ten = (pages(schema, feed, user) for user in users[:2])
    assert ten <= one + 40


def test_a_group_that_is_deleted_reads_nothing_of_what_others_have(schema):
    schema.set_clock(NOW)
    owner, other = schema.user(), schema.user()
    for _ in range(6):
        schema.rows("SELECT create_group(%s, 'G')", owner)
    kept = schema.value("SELECT create_group(%s, 'G')", other)
    delete, read = "SELECT delete_group(%s, group_id) FROM groups WHERE group_id <> %s ORDER BY group_id LIMIT 1", []
    for _ in range(3):
        for statement in (
            "INSERT INTO group_bans (uid, group_id) SELECT gen_random_uuid(), %s FROM generate_series(1, 10000)",
            "INSERT INTO join_requests (uid, group_id, accepted, answered_at)"
            " SELECT gen_random_uuid(), %s, false, anthill_clock() FROM generate_series(1, 10000)",
            "INSERT INTO cheers (uid, group_id, day, receiver)"
            " SELECT gen_random_uuid(), %s, '2026-11-21', gen_random_uuid() FROM generate_series(1, 10000)",
        ):
            schema.connection.execute(statement, [kept])
        schema.connection.execute("VACUUM ANALYZE group_bans, join_requests, cheers")
        read.append(pages(schema, delete, owner, kept))
    assert max(read) <= read[0] + 20
