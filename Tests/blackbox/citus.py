"""A database that Citus spreads, for script/test citus: its nodes are in ANTHILL_TEST_DATABASE_URL (the coordinator) and
ANTHILL_TEST_CITUS_WORKERS."""

import os
import pathlib
import re
import subprocess

import psycopg
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Without workers the tests run on one plain PostgreSQL.
WORKERS = os.environ.get("ANTHILL_TEST_CITUS_WORKERS", "").split()
NODES = [os.environ["ANTHILL_TEST_DATABASE_URL"], *WORKERS] if WORKERS else []


# Who runs maintenance scripts: a transaction cannot see on a worker what another role wrote.
ADMIN = "anthill_owner" if WORKERS else "anthill_admin"

# What does not wait long for a lock, and what it gets then. (lock_timeout does not reach the workers.)
IMPATIENT = "SET statement_timeout = '2s'" if WORKERS else "SET lock_timeout = '200ms'"
TooLate = psycopg.errors.QueryCanceled if WORKERS else psycopg.errors.LockNotAvailable


def not_spread(reason):
    """For a test that is about one server. The reason is said where the test is left out."""
    return pytest.mark.skipif(bool(WORKERS), reason=f"On Citus: {reason}")


def address(node, name="anthill", role="postgres"):
    """Where a database of a node is, for a login."""
    return re.sub(r"//\w+@/\w+", f"//{role}@/{name}", node)


def sockets(node):
    """The folder of a node's sockets, which is its name for other nodes."""
    return node.partition("host=")[2].partition("&")[0]


def on_each_node(statement, role="anthill_owner"):
    """Runs a statement that is about a database as a whole."""
    for node in NODES:
        with psycopg.connect(address(node, role=role), autocommit=True) as connection:
            connection.execute(statement)


def make(name):
    """Makes an empty database, one of all nodes, as docs/operate.md says."""
    on_each_node(f"CREATE DATABASE {name} TEMPLATE template0")
    for node in NODES:
        with psycopg.connect(address(node, name), autocommit=True) as connection:
            connection.execute("CREATE EXTENSION citus")
    with psycopg.connect(address(NODES[0], name), autocommit=True) as connection:
        connection.execute("SELECT citus_set_coordinator_host(%s)", [sockets(NODES[0])])
        for worker in WORKERS:
            connection.execute("SELECT citus_add_node(%s, 5432)", [sockets(worker)])


def spread(name):
    """Spreads the tables of a migrated database."""
    command = ["psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-d", address(NODES[0], name), "-f", ROOT / "sql/citus.sql"]
    # One at a time: it makes the roles of the cluster known to the workers.
    with psycopg.connect(address(NODES[0])) as turn:
        turn.execute("SELECT pg_advisory_xact_lock(1)")
        done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def copy(name, source):
    """Makes a database from another one, to which nobody is connected but Citus itself."""
    on_each_node(f"SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '{source}'", "postgres")
    on_each_node(f"CREATE DATABASE {name} TEMPLATE {source} STRATEGY file_copy")


def drop(name):
    """(Citus itself stays connected.)"""
    on_each_node(f"DROP DATABASE {name} (FORCE)", "postgres")


def clock(now):
    """A clock that shows the same second on every node: a setting of a connection does not reach the workers."""
    return f"""
CREATE OR REPLACE FUNCTION anthill_clock() RETURNS timestamptz LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN RETURN to_timestamp({now}); END $$
"""
