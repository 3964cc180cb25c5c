"""Runs the scripts of sql/maintenance that change something, as an admin does: first to look, then to apply."""

import os
import re
import subprocess

import citus
from schema import ROOT, as_role

REASON = "asked by letter"
ADMIN = "Maria"


def command(schema, *scripts, **variables):
    """psql as an admin calls it, with these scripts one after the other; a variable that is None is not given."""
    given = {"reason": REASON, "by": ADMIN} | variables
    return (
        ["psql", "-X", "-d", as_role(citus.ADMIN, schema.url)]
        + [f"--set={name.rstrip('_')}={value}" for name, value in given.items() if value is not None]
        + [f"--file={ROOT / 'sql/maintenance' / script}.sql" for script in scripts]
    )


def environment(schema):
    return os.environ | {"PGOPTIONS": f"-c timezone=UTC -c anthill.now={schema.now}"}


def run(schema, *scripts, **variables):
    """The scripts in plain psql, from another folder than their own."""
    return subprocess.run(command(schema, *scripts, **variables), capture_output=True, text=True, env=environment(schema), cwd="/")


def contents(schema):
    """Every row of every table."""
    tables = schema.rows("SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'")
    return {table: schema.rows(f"SELECT t::text FROM {table} t ORDER BY 1") for (table,) in tables}


def shown(schema, script, **variables):
    """What it says without apply=1; nothing has changed then."""
    before = contents(schema)
    done = run(schema, script, **variables)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    assert done.stdout.splitlines()[-1] == "Nothing has changed: add -v apply=1."
    assert contents(schema) == before
    return done.stdout


def applied(schema, script, **variables):
    """What it says with apply=1, and the number of the change. It shows the same before, keeps every invariant, and its reason is in the audit."""
    looked = shown(schema, script, **variables)
    done = run(schema, script, apply=1, **variables)
    assert (done.returncode, done.stderr) == (0, "")
    *said, result = done.stdout.splitlines()
    assert said == looked.splitlines()[:-1]
    number = int(re.match(r"Done\. (?:This is change |undo\.sql undoes it: -v change=)(\d+)", result)[1])
    assert schema.rows(
        "SELECT details ->> 'admin', details ->> 'reason' FROM audit_events WHERE kind = %s AND details ->> 'change' = %s",
        f"admin_{script}", str(number)) == [(ADMIN, REASON)]  # fmt: skip
    assert schema.violations() == []
    return done.stdout, number


def cells(text):
    """The rows of the tables in it."""
    return [[cell.strip() for cell in line.split("|")] for line in text.splitlines() if "|" in line]


def refused(schema, script, **variables):
    """The sentence with which it refuses; nothing has changed then."""
    before = contents(schema)
    done = run(schema, script, **({"apply": 1} | variables))
    assert done.returncode != 0 and contents(schema) == before
    [line] = done.stderr.splitlines()
    return line.split("ERROR:  ")[1]
