"""The schema as a piece of writing: one text for each function, nothing in the database that no file has, and what the
checkers of PL/pgSQL and of migrations say."""

import pathlib
import re
import subprocess
import sys

import citus
import psycopg
from schema import ROOT, as_role

# What a test has made itself.
OF_TESTS = {"anthill_clock", "record_timed"}


def made_by_files(kind):
    """(name, file) of each CREATE of that kind in sql/functions."""
    pattern = rf"CREATE (?:OR REPLACE |CONSTRAINT )?{kind} (\w+)"
    return [
        (name, file.name)
        for file in sorted((ROOT / "sql/functions").glob("*.sql"))
        for name in re.findall(pattern, file.read_text(), re.MULTILINE | re.IGNORECASE)
    ]


def test_each_function_has_one_text():
    for kind in ("FUNCTION", "VIEW", "TRIGGER"):
        places = {}
        for name, file in made_by_files(kind):
            places.setdefault(name, []).append(file)
        assert places, kind
        assert {name: files for name, files in places.items() if len(files) > 1} == {}


def test_tables_and_functions_stay_in_their_rooms():
    for file in (ROOT / "sql/tables").glob("*.sql"):
        assert not re.search(r"CREATE (OR REPLACE |CONSTRAINT )?(FUNCTION|VIEW|TRIGGER)", file.read_text()), file.name
    for file in (ROOT / "sql/functions").glob("*.sql"):
        assert not re.search(r"^(CREATE|ALTER) (UNLOGGED )?(TABLE|TYPE|INDEX)", file.read_text(), re.MULTILINE), file.name


def test_citus_has_a_place_for_each_table(schema):
    places = re.findall(r"\('(copied|spread|coordinator)', '\{([^}]+)\}", (ROOT / "sql/citus.sql").read_text())
    placed = {place: re.findall(r"\w+", names) for place, names in places}
    tables = {name for (name,) in schema.rows("SELECT name FROM our_relations WHERE is_table")}
    # The first is made by the program itself.
    assert sorted(sum(placed.values(), [])) == sorted({"schema_migrations", *tables})
    # What is spread refers to nothing but what is spread or copied.
    for name in placed["spread"]:
        others = schema.rows("SELECT confrelid::regclass::text FROM pg_constraint WHERE contype = 'f' AND conrelid = %s::regclass", name)
        assert {other for (other,) in others} <= {*placed["spread"], *placed["copied"]}, name


def test_nothing_is_in_the_database_that_no_file_has(schema):
    functions = schema.rows(
        "SELECT proname FROM pg_proc p WHERE pronamespace = 'public'::regnamespace AND NOT EXISTS ("
        "  SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')"
    )
    assert {name for (name,) in functions} - OF_TESTS == {name for name, _ in made_by_files("FUNCTION")} - OF_TESTS
    views = schema.rows(
        "SELECT relname FROM pg_class c WHERE relkind = 'v' AND relnamespace = 'public'::regnamespace AND NOT EXISTS ("
        "  SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')"
    )
    assert {name for (name,) in views} == {name for name, _ in made_by_files("VIEW")}
    triggers = schema.rows(
        "SELECT tgname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid"
        " WHERE NOT tgisinternal AND c.relnamespace = 'public'::regnamespace"
    )
    made = {name for (name,) in triggers}
    if citus.WORKERS:
        # A copied table has them on each node, with a number, and Citus has one of its own.
        made = {re.sub(r"_\d+$", "", name) for name in made} - {"truncate_trigger"}
    assert made == {name for name, _ in made_by_files("TRIGGER")}


def test_every_function_has_the_same_search_path(schema):
    """Or none to have: the body of an SQL function with RETURN or BEGIN ATOMIC is bound when it is made."""
    loose = schema.rows(
        "SELECT proname FROM pg_proc p WHERE pronamespace = 'public'::regnamespace AND prosqlbody IS NULL"
        "  AND NOT coalesce(proconfig, '{}') @> ARRAY['search_path=public, pg_temp'] AND NOT EXISTS ("
        "    SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')"
    )
    assert {name for (name,) in loose} - OF_TESTS == set()


@citus.not_spread("plpgsql_check ends the server there")
def test_plpgsql_check_has_nothing_to_say(schema):
    with psycopg.connect(as_role("postgres", schema.url), autocommit=True, options=f"-c anthill.now={schema.now}") as connection:
        connection.execute("CREATE SCHEMA checker")
        connection.execute("CREATE EXTENSION plpgsql_check SCHEMA checker")
        found = connection.execute(
            """
            SELECT p.oid::regprocedure::text, c.lineno, c.level, c.message
            FROM pg_proc p
            JOIN pg_language l ON l.oid = p.prolang AND l.lanname = 'plpgsql'
            -- A trigger's function is checked with each table that it has a trigger on.
            LEFT JOIN (SELECT DISTINCT tgfoid, tgrelid, tgoldtable, tgnewtable FROM pg_trigger WHERE NOT tgisinternal) t
              ON t.tgfoid = p.oid
            CROSS JOIN LATERAL checker.plpgsql_check_function_tb(
              p.oid, coalesce(t.tgrelid, 0), oldtable => t.tgoldtable, newtable => t.tgnewtable,
              fatal_errors => false, performance_warnings => false, extra_warnings => true, security_warnings => true) c
            WHERE p.pronamespace = 'public'::regnamespace
              -- It runs statements, in which PostgreSQL itself has quoted the names.
              AND NOT (p.proname = 'grant_rights' AND c.message = 'text type variable is not sanitized')
            """
        ).fetchall()
    assert "\n".join(" ".join(map(str, row)) for row in found) == ""


def test_squawk_has_nothing_to_say_about_the_tables():
    files = sorted((ROOT / "sql/tables").glob("*.sql"))
    squawk = pathlib.Path(sys.executable).parent / "squawk"
    done = subprocess.run([squawk, *files], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


# Files of tables that are in force: they are never edited.
LONG = {"groups", "days", "ranking", "registration", "providers", "maintenance", "moderation"}


def test_no_line_of_sql_is_longer_than_120_characters():
    files = [file for file in (ROOT / "sql").rglob("*.sql") if file.parent.name != "tables" or file.stem[4:] not in LONG]
    assert len(files) > 50
    long = [f"{file.name}:{n}" for file in files for n, line in enumerate(file.read_text().splitlines(), 1) if len(line) > 120]
    assert long == []
