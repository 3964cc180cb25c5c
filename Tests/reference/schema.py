"""A migrated database in the cluster of ANTHILL_TEST_DATABASE_URL, and a way to call its functions."""

import datetime
import functools
import os
import pathlib
import re
import subprocess
import uuid

import citus
import psycopg

ROOT = pathlib.Path(__file__).resolve().parents[2]

# The clock of a test is a setting of the connection. It stands still, and the date of the run plays no part.
CLOCK = """
CREATE OR REPLACE FUNCTION anthill_clock() RETURNS timestamptz LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN RETURN to_timestamp(current_setting('anthill.now')::bigint); END $$
"""
START = int(datetime.datetime.fromisoformat("2026-11-21T12:00:00Z").timestamp())

# What a timer that began then and was stopped then has recorded; only for tests, which cannot wait that long.
TIMED = """
CREATE FUNCTION record_timed(user_id uuid, began timestamptz, finished timestamptz) RETURNS uuid LANGUAGE plpgsql AS $$
DECLARE
  owner students := lock_student(user_id);
  i study_intervals;
BEGIN
  i.uid := user_id;
  i.interval_id := gen_random_uuid();
  INSERT INTO study_sessions (uid, state, source) VALUES (user_id, 'finished', 'timer') RETURNING session_id INTO i.session_id;
  i.started_at := began;
  i.ended_at := finished;
  i.source := 'timer';
  i.time_zone := owner.time_zone;
  i.day_starts_at := owner.day_starts_at;
  i.recorded_at := anthill_clock();
  i.unconfirmed := false;
  PERFORM add_interval(i, owner, clock_of(owner));
  RETURN i.interval_id;
END $$
"""


class Refused(Exception):
    """A rule that the database kept, by the name of its constraint."""


CLUSTER = os.environ["ANTHILL_TEST_DATABASE_URL"]


def rule_of(error):
    """The name of the rule that a statement broke, if it broke one. Citus passes on the hint and the message alone, and the
    name of a constraint may have the number of a shard there."""
    name = error.diag.constraint_name
    if citus.WORKERS and not name:
        told = re.search(r'constraint "(\w+)"', error.diag.message_primary or "")
        name = told[1] if told else error.diag.message_hint
    return re.sub(r"_\d+$", "", name) if name and re.fullmatch(r"\w+", name) else None


def database_url(name):
    """Where a database of the cluster is."""
    return f"{CLUSTER}&dbname={name}"


def as_role(role, url):
    """The same database, for another login."""
    return re.sub(r"//\w+@", f"//{role}@", url)


def files():
    """The files of the schema, in the order in which the program applies them."""
    first = re.findall(r'"(\w+\.sql)"', (ROOT / "sql/Schema.swift").read_text())
    functions = sorted((ROOT / "sql/functions").glob("*.sql"))
    return (
        [ROOT / "sql/functions" / name for name in first]
        + sorted((ROOT / "sql/tables").glob("*.sql"))
        + [file for file in functions if file.name not in first]
    )


@functools.cache
def template():
    """The name of a database with the schema, to which nobody is connected."""
    name = f"reference_{uuid.uuid4().hex[:12]}"
    if citus.WORKERS:
        citus.make(name)
    else:
        with psycopg.connect(CLUSTER, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name} TEMPLATE template0")
    with psycopg.connect(database_url(name)) as connection:
        for file in files():
            connection.execute(file.read_text())
        connection.execute(citus.clock(START) if citus.WORKERS else CLOCK)
        connection.execute(TIMED)
        connection.execute("SELECT grant_rights()")
    if citus.WORKERS:
        citus.spread(name)
    return name


class Schema:
    def __init__(self, source=None, now=START):
        self.name = f"reference_{uuid.uuid4().hex[:12]}"
        self.url = database_url(self.name)
        if citus.WORKERS:
            citus.copy(self.name, source or template())
        else:
            with psycopg.connect(CLUSTER, autocommit=True) as connection:
                connection.execute(f"CREATE DATABASE {self.name} TEMPLATE {source or template()} STRATEGY file_copy")
        self.connections = []
        self.now = now
        self.connection = self.connect()
        if citus.WORKERS:
            self.set_clock(now)

    def connect(self, role=None):
        """One more connection, with the clock as it is now on the main one; for another login if need be."""
        settings = f"-c timezone=UTC -c anthill.now={self.now}"
        url = as_role(role, self.url) if role else self.url
        connection = psycopg.connect(url, autocommit=True, options=settings)
        self.connections.append(connection)
        return connection

    def disconnect(self):
        for connection in self.connections:
            connection.close()

    def drop(self):
        self.disconnect()
        if citus.WORKERS:
            citus.drop(self.name)
        else:
            with psycopg.connect(CLUSTER, autocommit=True) as connection:
                connection.execute(f"DROP DATABASE {self.name}")

    def set_clock(self, now):
        """Puts the clock of the main connection to an instant, in seconds."""
        self.now = now
        if citus.WORKERS:
            self.connection.execute(citus.clock(now))
        self.connection.execute("SELECT set_config('anthill.now', %s, false)", [str(now)])

    def rows(self, sql, *values, on=None):
        """All rows of a query; a kept rule is raised as Refused."""
        try:
            return (on or self.connection).execute(sql, values).fetchall()
        except psycopg.Error as error:
            if (rule := rule_of(error)) is None:
                raise
            raise Refused(rule) from error

    def value(self, sql, *values, on=None):
        return self.rows(sql, *values, on=on)[0][0]

    def call(self, sql, *values, on=None):
        """Runs a query for its effect: nothing, or the name of the rule that refused it."""
        try:
            self.rows(sql, *values, on=on)
        except Refused as refused:
            return str(refused)

    def user(self, zone="Asia/Seoul", starts="05:00", goal=14400):
        """A user with an address, so that check.sql has nothing to say about them."""
        uid = self.value("INSERT INTO users (nickname) VALUES ('u') RETURNING uid")
        self.connection.execute(
            "UPDATE students SET time_zone = %s, day_starts_at = %s, daily_goal_seconds = %s WHERE uid = %s",
            [zone, starts, goal, uid],
        )
        self.connection.execute("INSERT INTO user_emails (canonical, email, uid) VALUES (%s, %s, %s)", [f"{uid}@example.org"] * 2 + [uid])
        return uid

    def maintenance(self, script, **variables):
        """Runs a script of sql/maintenance with psql; its rows, as text."""
        done = self.psql(script, variables)
        assert done.returncode == 0, done.stderr
        return [line.split("|") for line in done.stdout.splitlines()]

    def violations(self):
        """What check.sql finds, but for mail that is late: nobody sends it here."""
        return self.maintenance("check.sql", mail_late="400000 days")

    def refused(self, script, **variables):
        """What such a script says when it refuses to run."""
        done = self.psql(script, variables)
        assert done.returncode != 0 and done.stdout == ""
        return done.stderr

    def psql(self, script, variables):
        return subprocess.run(
            ["psql", "-XAt", "-v", "ON_ERROR_STOP=1", "-d", as_role(citus.ADMIN, self.url)]
            + [f"--set={name}={value}" for name, value in variables.items()]
            + ["-f", ROOT / "sql/maintenance" / script],
            capture_output=True,
            text=True,
            env=os.environ | {"PGOPTIONS": f"-c anthill.now={self.now}"},
        )
