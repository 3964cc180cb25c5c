"""Study moves to another disk, as docs/capacity.md says, and people go on."""

import re
import subprocess

import pytest
from person import Person, expect
from replicated import AS_OWNER
from service import ROOT
from test_backup import Site


@pytest.fixture
def disk(own_service):
    """A folder that belongs to PostgreSQL's user."""
    folder = own_service.cluster.folder / "postgres/large"
    subprocess.run([*AS_OWNER, "mkdir", folder], cwd="/", check=True)
    return folder


def test_study_moves_to_another_disk_and_back(own_service, disk):
    section = (ROOT / "docs/capacity.md").read_text().partition("\n## Old study on another disk\n")[2].partition("\n## ")[0]
    commands = re.search(r"```sql\n(.*?)```", section, re.S)[1].replace("/mnt/large/study", str(disk))
    back = re.search(r"`(ALTER TABLE .* pg_default)`", section)[1]
    with Person(own_service) as person:
        person.register()
        expect(person.log("2026-11-19T01:00:00Z", "2026-11-19T02:00:00Z"), 201)
        expect(person.start(), 201)
        for command in commands.split(";\n")[:-1]:
            own_service.cluster.sql(command, role="postgres")
        moved = own_service.cluster.sql(
            "SELECT relname FROM pg_class c JOIN pg_tablespace t ON t.oid = c.reltablespace"
            " WHERE spcname = 'study' AND relnamespace = 'public'::regnamespace ORDER BY 1"
        )
        assert moved == [("study_intervals",), ("study_intervals_key",), ("study_sessions",)]
        own_service.advance_clock(60)
        expect(person.post("/me/timer/stop"), 200)
        expect(person.log("2026-11-19T03:00:00Z", "2026-11-19T04:00:00Z"), 201)
        days = expect(person.get("/me/days?month=2026-11"), 200).json()["days"]
        assert sum(day["study_seconds"] for day in days) == 2 * 3600 + 60
        # A backup of it is restored where there is no such disk.
        site = Site(own_service)
        site.restore(site.backup(), "restored")
        own_service.cluster.sql(back, role="postgres")
        expect(person.get("/me/sessions"), 200)
