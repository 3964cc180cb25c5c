"""The roles of the database, as an operator meets them."""

import threading

import psycopg
import pytest
from service import Cluster, Service


@pytest.fixture(scope="module")
def bare():
    """A PostgreSQL of its own that knows no role of Anthill but the owner."""
    cluster = Cluster()
    try:
        as_superuser(cluster.start(), "DROP ROLE anthill_service, anthill_admin, anthill_reader")
        yield cluster
    finally:
        cluster.remove()


def as_superuser(cluster, text):
    with psycopg.connect(cluster.url_of("postgres"), autocommit=True) as connection:
        cursor = connection.execute(text)
        return cursor.fetchall() if cursor.description else []


def warnings(service):
    return [line for line in service.log().splitlines() if "rights in the database that it does not need" in line]


def test_without_the_roles_migrate_says_who_must_make_them_and_the_service_says_that_it_owns_the_tables(bare):
    service = Service(bare, DATABASE_URL=bare.url)
    done = service.run("migrate")
    roles = ["anthill_service LOGIN", "anthill_admin LOGIN IN ROLE pg_monitor, pg_signal_backend", "anthill_reader LOGIN"]
    making = "; ".join(f"CREATE ROLE {role}" for role in roles)
    assert (done.returncode, done.stdout.splitlines()) == (0, [
        f'Roles are missing, and anthill_owner may not make them: let a superuser run "{making}", then migrate again.',
        "The schema is current.",
    ])  # fmt: skip
    service.start()
    assert service.stop() == 0
    [line] = warnings(service)
    assert '"login":"owns the tables"' in line


def test_migrates_that_may_make_the_roles_make_them_at_the_same_time(bare):
    as_superuser(bare, "ALTER ROLE anthill_owner CREATEROLE CREATEDB")
    names = ["anthill", *(f"other_{number}" for number in range(3))]
    for name in names[1:]:
        bare.sql(f"CREATE DATABASE {name}")
    done = {}

    def migrate(name):
        done[name] = Service(bare, DATABASE_OWNER_URL=bare.url.replace("/anthill?", f"/{name}?")).run("migrate")

    threads = [threading.Thread(target=migrate, args=[name]) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {name: (run.returncode, run.stdout) for name, run in done.items()} == dict.fromkeys(names, (0, "The schema is current.\n"))
    service = Service(bare)
    logged = len(service.log())
    service.start()
    assert service.stop() == 0
    assert "does not need" not in service.log()[logged:]


def test_a_service_that_may_write_a_seal_says_so(bare):
    as_superuser(bare, "CREATE ROLE too_much LOGIN IN ROLE anthill_service")
    bare.sql("GRANT INSERT, UPDATE ON standings TO too_much")
    service = Service(bare, DATABASE_URL=bare.url_of("too_much"))
    logged = len(warnings(service))
    service.start()
    assert service.stop() == 0
    [line] = warnings(service)[logged:]
    assert '"login":"may INSERT standings, may UPDATE standings"' in line
