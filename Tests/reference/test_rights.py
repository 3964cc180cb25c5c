"""Who may do what in the database, and what is refused to everybody."""

import re
import uuid

import citus
import psycopg
import pytest
from schema import ROOT
from whole_person import ADDRESS, CLIENT, WORD, WholePerson

pytestmark = citus.not_spread("the service is the owner there")

ROLES = ["anthill_service", "anthill_admin", "anthill_reader", "PUBLIC"]

# What the service writes with statements of its own. It reads every table. Neither an admin nor anybody else writes one.
SERVICE_WRITES = """
    audit_events       INSERT
    auth_tokens        INSERT DELETE UPDATE(used_at)
    avatars            INSERT DELETE UPDATE(webp changed_at)
    email_changes      INSERT UPDATE
    group_members      UPDATE(visibility)
    idempotency_keys   INSERT DELETE UPDATE(status location answer)
    mail_outbox        UPDATE(due lease_until attempts sent_at dead_at last_error)
    plans              DELETE
    provider_flows     INSERT UPDATE(used_at)
    provider_tickets   INSERT UPDATE(used_at)
    push_outbox        DELETE UPDATE(due lease_until last_error)
    push_subscriptions DELETE
    sign_ins           INSERT DELETE UPDATE(auth_epoch last_seen_at client expires_at fresh_until)
    target_dates       DELETE UPDATE(title day)
    user_emails        INSERT
    user_identities    INSERT
    users              INSERT UPDATE(nickname locale theme password_hash auth_epoch default_timer_seconds sounds notices
                                     unattended_mail digest_mail weekly_mail subject_shown days_shown alarm_push timer_push unattended_push
                                     month_push passed_push quiet_from quiet_to)
"""

# What writes and admins call, besides functions named admin_…; all else that writes and is called belongs to the program.
ADMIN_CALLS = {"end_site_admin", "learn_time_zones", "make_site_admin"}
BOTH_CALL = {"end_overdue_timers"}

# Writes any column of users that it is told, so only with the rights of the service.
AS_CALLER = {"set_switch"}

# How the program calls a function.
CALL = re.compile(r"\b(?:SELECT|FROM|THEN)\s+(\w+)\(")

# What the database took from an admin once, and ways around a refusal.
REFUSED = """
    UPDATE ranking_rules SET daily_cap_seconds = 60
    UPDATE study_intervals SET started_at = started_at - interval '1 hour'
    UPDATE study_sessions SET source = 'timer'
    INSERT INTO study_days VALUES (gen_random_uuid(), '2026-11-20', 3600, 3600)
    UPDATE group_rules SET rules_id = 1
    DELETE FROM group_members
    UPDATE group_members SET role = 'owner'
    UPDATE group_members SET joined_at = joined_at - interval '1 month'
    TRUNCATE day_totals
    TRUNCATE month_totals
    UPDATE month_totals SET counted_seconds = 1
    INSERT INTO rank_deltas (uid, period, first_day, old, new) VALUES (gen_random_uuid(), 'month', '2026-11-01', 0, 1)
    UPDATE rank_totals SET seconds = 1
    INSERT INTO standings SELECT * FROM standings
    UPDATE standings SET rank = 1
    DELETE FROM standings
    INSERT INTO month_closes SELECT * FROM month_closes
    UPDATE month_closes SET sha256 = sha256('')
    INSERT INTO amendments SELECT * FROM amendments
    UPDATE amendments SET new_seconds = 1
    UPDATE groups SET open_month = '2020-01-01'
    UPDATE suspensions SET until = until + interval '1 day'
    UPDATE audit_events SET kind = 'other'
    DELETE FROM audit_events
    TRUNCATE audit_events
    DELETE FROM users
    UPDATE users SET status = 'active'
    UPDATE users SET leaves_at = NULL
    SELECT FROM standings FOR UPDATE
    ALTER TABLE audit_events DISABLE TRIGGER ALL
    ALTER TABLE standings DISABLE TRIGGER USER
    DROP TRIGGER audit_events_stay ON audit_events
    SET session_replication_role = replica
    CREATE OR REPLACE FUNCTION anthill_clock() RETURNS timestamptz LANGUAGE sql STABLE RETURN now()
    ALTER FUNCTION close_month SECURITY INVOKER
    DROP TABLE standings
    CREATE TABLE mine (n integer)
    CREATE ROLE somebody
    SET ROLE anthill_owner
    SET SESSION AUTHORIZATION anthill_owner
    COPY users TO PROGRAM 'cat'
    SELECT note_change(gen_random_uuid())
    SELECT renew_fame(gen_random_uuid(), '2026-10-01')
    SELECT forget_in_standings(gen_random_uuid())
    SELECT refuse_change()
    SELECT grant_rights()
"""


def lines(text):
    return [line.strip() for line in text.splitlines() if line.strip()]


def written_rights():
    """SERVICE_WRITES as {(table, right or right(column))}."""
    rights = set()
    for table, words in re.findall(r"^    (\w+) +((?:.|\n {12})*)$", SERVICE_WRITES, re.MULTILINE):
        for right, columns in re.findall(r"([A-Z]+)(?:\(([^)]*)\))?", words):
            rights |= {(table, f"{right}({column})") for column in columns.split()} or {(table, right)}
    return rights


def sources():
    """The texts of the program, without what runs as the owner: test data and migrations."""
    return [file.read_text() for file in (ROOT / "Sources").rglob("*.swift") if not re.match("Demo|Migrat", file.name)]


def test_the_service_may_write_what_the_program_writes_and_nothing_else():
    writes = {
        "INSERT": r"\bINSERT INTO (\w+)",
        "DELETE": r"\bDELETE FROM (\w+)",
        "UPDATE": r"\bUPDATE (\w+)(?: \w+)?\s+SET\b|\bINSERT INTO (\w+)[^\"]*?\bDO UPDATE\b",
    }
    written = {
        (next(filter(None, found.groups())), right)
        for text in sources()
        for right, pattern in writes.items()
        for found in re.finditer(pattern, text)
    }
    assert written == {(table, right.partition("(")[0]) for table, right in written_rights()}


@pytest.fixture
def database(schema):
    """A copy has the rights in the database, but not those on it."""
    assert schema.rows("SELECT grant_rights()") == []
    return schema


def held(schema, query):
    """Rows of (grantee, …) without those of the owner."""
    return {(row[0], *row[1:]) for row in schema.rows(query) if row[0] != "anthill_owner"}


GRANTEE = "CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE pg_get_userbyid(a.grantee) END"


def test_each_role_has_the_rights_on_tables_that_are_written_here(database):
    relations = database.rows(
        "SELECT relname, relkind FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'v', 'S')"
    )
    expected = {(role, name, "SELECT") for role in ("anthill_service", "anthill_admin") for name, _ in relations}
    expected |= {("anthill_reader", name, "SELECT") for name, kind in relations if kind == "v" and name.startswith("report_")}
    expected |= {("anthill_service", *right) for right in written_rights()} | {("anthill_service", "audit_events_written", "USAGE")}
    tables = held(
        database,
        f"SELECT {GRANTEE}, c.relname, a.privilege_type FROM pg_class c, aclexplode(c.relacl) a"
        " WHERE c.relnamespace = 'public'::regnamespace AND NOT EXISTS ("
        "   SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')",
    )
    columns = held(
        database,
        f"SELECT {GRANTEE}, c.relname, format('%%s(%%s)', a.privilege_type, b.attname) FROM pg_class c JOIN pg_attribute b ON b.attrelid = c.oid,"
        " aclexplode(b.attacl) a WHERE c.relnamespace = 'public'::regnamespace",
    )
    assert tables | columns == expected


def test_each_role_may_call_what_is_written_here(database):
    functions = database.rows(
        "SELECT proname, provolatile = 'v', prorettype = 'trigger'::regtype, prosecdef, coalesce(proconfig, '{}'),"
        f" ARRAY(SELECT {GRANTEE} FROM aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a WHERE a.grantee <> p.proowner)"
        " FROM pg_proc p WHERE pronamespace = 'public'::regnamespace AND NOT EXISTS ("
        "   SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')"
    )
    program, wrong = {name for text in sources() for name in CALL.findall(text)}, []
    for name, writes, is_trigger, as_owner, settings, callers in functions:
        if is_trigger:
            expected = (True, [])
        elif name in ADMIN_CALLS or (writes and name.startswith("admin_")):
            expected = (True, ["anthill_admin"])
        elif writes and name in program - AS_CALLER:
            expected = (True, ["anthill_admin", "anthill_service"] if name in BOTH_CALL else ["anthill_service"])
        else:
            # With the rights of the caller, who can then do nothing that they cannot do anyway.
            expected = (False, ["PUBLIC"])
        if (as_owner, sorted(callers)) != expected:
            wrong.append(f"{name}: as its owner {as_owner}, by {callers}; expected {expected}. The lists are in sql/functions/rights.sql")
        if as_owner and "search_path=public, pg_temp" not in settings:
            wrong.append(f"{name} runs as its owner with the search path of its caller")
    assert wrong == []
    listed = database.value("SELECT service_functions() || admin_functions()")
    assert set(listed) - {name for name, *_ in functions} == set(), "listed, but there is no such function"


def test_each_role_has_the_rights_on_the_database_that_are_written_here(database):
    on_database = held(
        database, f"SELECT {GRANTEE}, a.privilege_type FROM pg_database d, aclexplode(d.datacl) a WHERE d.datname = current_database()"
    )
    assert on_database == {("PUBLIC", "CONNECT"), ("anthill_admin", "TEMPORARY")}
    on_schema = held(database, f"SELECT {GRANTEE}, a.privilege_type FROM pg_namespace n, aclexplode(n.nspacl) a WHERE n.nspname = 'public'")
    assert on_schema - {("pg_database_owner", "USAGE"), ("pg_database_owner", "CREATE")} == {("PUBLIC", "USAGE")}
    for role in ROLES[:3]:
        assert database.rows(
            "SELECT rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls, ARRAY("
            "  SELECT roleid::regrole::text FROM pg_auth_members m WHERE m.member = r.oid ORDER BY 1) FROM pg_roles r WHERE rolname = %s", role
        ) == [(False, False, False, False, False, ["pg_monitor", "pg_signal_backend"] if role == "anthill_admin" else [])]  # fmt: skip


@pytest.mark.parametrize("role", ROLES[:3])
def test_what_the_database_took_silently_is_refused(database, role):
    WholePerson(database)
    connection = database.connect(role)
    taken = []
    for statement in lines(REFUSED):
        try:
            with connection.transaction():
                connection.execute(statement)
            taken.append(statement)
        except psycopg.errors.InsufficientPrivilege:
            pass
    assert taken == []


def test_an_admin_does_nothing_without_a_trace(world):
    """Neither in another's name, nor by the functions that note nobody."""
    admin = world.connect("anthill_admin")
    ada, group = world.uid("Ada"), world.group()
    for call, *values in (
        ("amend_standing(%s, %s, '2026-10-01', %s, 60, 'why')", ada, group, ada),
        ("suspend_member(%s, %s, %s, 'why', anthill_clock() + interval '1 day')", ada, group, world.uid("Bo")),
        ("record_interval(%s, anthill_clock() - interval '2 hours', anthill_clock() - interval '1 hour')", ada),
        ("retract_interval(%s, %s)", ada, world.interval("Ada")),
        ("stop_timer(%s)", ada),
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            admin.execute(f"SELECT {call}", values)
    assert world.board() == {"Ada": (1, 4), "Bo": (2, 3), "Cy": (3, 2)}


def test_only_admins_have_temporary_tables(database):
    database.connect("anthill_admin").execute("CREATE TEMP TABLE kept (n integer)")
    for role in ("anthill_service", "anthill_reader"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            database.connect(role).execute("CREATE TEMP TABLE kept (n integer)")


def test_the_service_records_and_closes_through_functions_only(database):
    """Its triggers write as well, and so does what runs at the commit."""
    user = database.user()
    service = database.connect("anthill_service")
    recorded = database.rows(
        "SELECT * FROM record_session(%s, NULL, ARRAY[anthill_clock() - interval '2 hours'], ARRAY[anthill_clock() - interval '1 hour'])",
        user, on=service)  # fmt: skip
    assert recorded and database.rows("SELECT study_seconds FROM study_days WHERE uid = %s", user, on=service) == [(3600,)]
    group = database.value("SELECT create_group(%s, 'Night owls')", user, on=service)
    with service.transaction():
        service.execute("UPDATE users SET nickname = 'another' WHERE uid = %s", [user])
        service.execute("UPDATE group_members SET visibility = 'hidden' WHERE uid = %s", [user])
        service.execute("INSERT INTO audit_events (kind, uid, actor) VALUES ('renamed', %s, %s)", [user, user])
    changed = {subject for (subject,) in database.rows("SELECT subject FROM board_changes", on=service)}
    assert {user, group} <= changed


def test_the_reader_sees_study_but_no_address_no_secret_and_nobodys_words(database):
    WholePerson(database)
    reader = database.connect("anthill_reader")
    views = [name for (name,) in database.rows("SELECT viewname FROM pg_views WHERE viewname LIKE 'report%%'")]
    shown = {view: database.rows(f"SELECT v::text FROM {view} v", on=reader) for view in views}
    assert views and [view for view, rows in shown.items() if not rows] == []
    columns = database.rows("SELECT attname FROM pg_attribute WHERE attrelid::regclass::text LIKE 'report%%'")
    assert [name for (name,) in columns if re.search("password|hash|mac|email|address|client|device|note|detail", name)] == []
    for secret in (ADDRESS, WORD, CLIENT):
        assert [view for view, rows in shown.items() if any(secret in row.lower() for (row,) in rows)] == [], secret
    for table in ("users", "user_emails", "study_intervals", "audit_events"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            reader.execute(f"SELECT FROM {table}")


def test_a_login_hears_what_it_may_do_beyond_the_services_needs(database):
    beyond = "SELECT rights_beyond_need()"
    assert database.rows(beyond, on=database.connect("anthill_service")) == []
    assert database.rows(beyond) == [("owns the tables",)]
    assert database.rows(beyond, on=database.connect("postgres")) == [("is a superuser",)]
    name = f"rights_{uuid.uuid4().hex[:12]}"
    postgres = database.connect("postgres")
    postgres.execute(f"CREATE ROLE {name} LOGIN IN ROLE anthill_service")
    try:
        login = database.connect(name)
        assert database.rows(beyond, on=login) == []
        for right, said in {
            "INSERT ON standings": "may INSERT standings",
            "UPDATE (status) ON users": "may UPDATE users",
            "EXECUTE ON FUNCTION make_site_admin": "may call make_site_admin",
            "CREATE ON SCHEMA public": "may make tables",
        }.items():
            postgres.execute(f"GRANT {right} TO {name}")
            assert database.rows(beyond, on=login) == [(said,)]
            postgres.execute(f"REVOKE {right} FROM {name}")
        postgres.execute(f"ALTER ROLE {name} CREATEROLE")
        assert database.rows(beyond, on=login) == [("may make roles",)]
    finally:
        postgres.execute(f"DROP OWNED BY {name}")
        postgres.execute(f"DROP ROLE {name}")


def test_a_right_that_was_given_by_hand_is_taken_with_the_next_migrate(database):
    run = database.connection.execute
    run("GRANT UPDATE ON standings TO anthill_service")
    run("GRANT UPDATE (status) ON users TO anthill_admin")
    run("GRANT EXECUTE ON FUNCTION close_month TO PUBLIC")
    run("ALTER FUNCTION note_change SECURITY DEFINER")
    assert database.rows("SELECT grant_rights()") == []
    test_each_role_has_the_rights_on_tables_that_are_written_here(database)
    test_each_role_may_call_what_is_written_here(database)
