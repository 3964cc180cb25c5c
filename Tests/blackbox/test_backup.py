"""Backups: made while people study, brought back somewhere else, and what must not come back with them."""

import json
import os
import re
import subprocess
import threading
from pathlib import Path

import pytest
from person import PASSWORD, Person, expect
from service import ROOT, Cluster, Service, running, wait_until
from test_standings import OCTOBER_CLOSES, closed

SEALS = "SELECT group_id, month, encode(sha256, 'hex') FROM month_closes ORDER BY 1, 2"


class Restored(Cluster):
    """The PostgreSQL that script/restore has made in a data folder."""

    def __init__(self, home):
        super().__init__()
        self.folder.rmdir()
        self.folder = home


class Site:
    """A service with a closed month, people, and scripts that run on its data."""

    def __init__(self, service):
        self.service, self.cluster = service, service.cluster
        self.folder = self.cluster.folder / "site"
        self.folder.mkdir(mode=0o755)

    def let_the_clock_run(self):
        """From where it stands, so that there is time to study."""
        self.cluster.sql(
            "DO $do$ BEGIN EXECUTE format($f$CREATE OR REPLACE FUNCTION anthill_clock() RETURNS timestamptz LANGUAGE plpgsql STABLE"
            " PARALLEL SAFE AS $$ BEGIN RETURN date_trunc('second', timestamptz %L + (clock_timestamp() - timestamptz %L)); END $$ $f$,"
            " anthill_clock(), clock_timestamp()); END $do$"
        )
        self.cluster.clock = None

    def script(self, name, *arguments, **environment):
        wanted = {**self.service.environment, "HOME": os.environ.get("HOME", "/"), **environment}
        return subprocess.run(
            [ROOT / "script" / name, *map(str, arguments)],
            env={name: value for name, value in wanted.items() if value is not None},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=180,
        )

    def backup(self, *arguments, **environment):
        done = self.script("backup", *arguments, **environment)
        assert done.returncode == 0, done.stdout + done.stderr
        return Path(done.stdout.strip())

    def restore(self, backup, name, *arguments):
        done = self.script("restore", backup, "--to", self.folder / name, *arguments, DATABASE_URL=None, DATABASE_OWNER_URL=None)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "WARNING" not in done.stderr, done.stderr
        return self.folder / name

    def doctor(self, check):
        found = json.loads(self.service.run("admin", "doctor", "--quick", "--json").stdout)
        return {finding["check"]: finding for finding in found["checks"]}[check]


@pytest.fixture(scope="module")
def site():
    with running(clock="2026-10-20T03:00:00Z", ANTHILL_API_LIMIT="0") as service:
        yield Site(service)
        service.set_clock(OCTOBER_CLOSES)


@pytest.fixture(scope="module")
def key(site):
    """A key of age, in a file, and the public part of it."""
    file = site.folder / "key"
    said = subprocess.run(["age-keygen", "-o", file], capture_output=True, text=True, check=True)
    return file, re.search(r"age1\w+", said.stderr)[0]


class Load(threading.Thread):
    """Somebody who starts and stops the timer as long as it lasts."""

    def __init__(self, person):
        super().__init__()
        self.person, self.stopping, self.times = person, threading.Event(), 0

    def run(self):
        while not self.stopping.is_set():
            expect(self.person.start(), 201)
            expect(self.person.post("/me/timer/stop"), 200)
            self.times += 1


def test_the_drill(site, key, people):
    service = site.service
    owner, friend, third = (people(service, name) for name in ("Ahn", "Baek", "Choi"))
    group = owner.found_group()
    code = owner.invite(group)["code"]
    friend.join(code)
    expect(owner.log("2026-10-19T22:00:00Z", "2026-10-20T00:00:00Z"), 201)
    service.set_clock(OCTOBER_CLOSES)
    closed(owner, group["id"])
    owner.invite(group)
    expect(third.post("/password-resets", {"email": third.email}, token=None), 202)
    reset = service.token_from_mail(third.email)
    seals, sessions = service.cluster.sql(SEALS), service.cluster.sql("SELECT count(*) FROM study_sessions")[0][0]
    assert seals
    assert site.doctor("backup") == {
        "check": "backup", "status": "warning", "message": "none was made yet: script/backup makes one", "details": []}  # fmt: skip

    site.let_the_clock_run()
    loads = [Load(owner), Load(friend)]
    for load in loads:
        load.start()
    wait_until(lambda: all(load.times > 3 for load in loads), what="people to study")
    before = [load.times for load in loads]
    backup = site.backup("--recipient", key[1])
    assert all(load.times > times for load, times in zip(loads, before)), "nobody could study meanwhile"
    for load in loads:
        load.stopping.set()
        load.join()
    assert site.doctor("backup")["status"] == "ok"
    assert {file.name for file in backup.iterdir()} == {"database.dump.age", "secret.age", "SHA256SUMS"}
    assert backup.parent == service.home / "backups" and backup.stat().st_mode & 0o77 == 0
    assert service.environment["ANTHILL_SECRET"].encode() not in (backup / "secret.age").read_bytes()

    # What ends after the backup must not work again.
    ended = friend.token
    expect(friend.delete("/sign-ins/current"), 204)
    expect(third.put("/password-resets", {"token": reset, "password": "a new heron 77"}, token=None), 204)

    home = site.restore(backup, "elsewhere", "--identity", key[0])
    alone = {name: None for name in site.service.environment if name.startswith(("DATABASE_", "ANTHILL_"))}
    looked = site.script("anthill", "admin", "doctor", "--json", **{**alone, "ANTHILL_HOME": str(home)})
    found = {one["check"]: one["status"] for one in json.loads(looked.stdout)["checks"]}
    assert found["schema"] == found["rows"] == "ok", looked.stdout
    assert (home / "secret").read_text() == service.environment["ANTHILL_SECRET"]
    cluster = Restored(home).start()
    again = Service(cluster, ANTHILL_SECRET=(home / "secret").read_text())
    try:
        again.start()
        assert again.violations() == []
        assert cluster.sql(SEALS) == seals
        assert cluster.sql("SELECT count(*) FROM study_sessions")[0][0] >= sessions
        for person, token in ((owner, owner.token), (friend, ended)):
            with Person(again) as back:
                expect(back.get("/me", token=token), 401)
                expect(back.put("/password-resets", {"token": reset, "password": "thief of herons 7"}, token=None), 410)
                expect(back.post("/sign-ins", {"email": person.email, "password": PASSWORD}, token=None), 201)
        [[details]] = cluster.sql("SELECT details FROM audit_events WHERE kind = 'admin_end_all_sign_ins'")
        assert details["sign_ins"] == 3 and details["invitations"] == 1
    finally:
        again.kill()
        cluster.stop()

    # Asked otherwise, everybody stays signed in, also somebody who had signed out.
    kept = Restored(site.restore(backup, "kept", "--identity", key[0], "--keep-sign-ins")).start()
    try:
        assert kept.sql("SELECT count(*) FROM sign_ins") == [(3,)]
        assert kept.sql("SELECT count(*) FROM audit_events WHERE kind = 'admin_end_all_sign_ins'") == [(0,)]
    finally:
        kept.stop()


def test_a_backup_leaves_out_the_extensions_of_a_superuser(site):
    superuser = site.cluster.url_of("postgres")
    subprocess.run(["psql", "-XAtq", "-d", superuser, "-c", "CREATE EXTENSION pg_stat_statements"], check=True)
    try:
        home = site.restore(site.backup("--to", site.folder / "counted"), "uncounted")
    finally:
        subprocess.run(["psql", "-XAtq", "-d", superuser, "-c", "DROP EXTENSION pg_stat_statements"], check=True)
    cluster = Restored(home).start()
    try:
        assert cluster.sql("SELECT extname FROM pg_extension ORDER BY 1") == [("btree_gist",), ("plpgsql",)]
    finally:
        cluster.stop()


def test_a_restored_dump_is_noticed_however_it_was_restored(site, people):
    person = people(site.service, "Doh")
    backup = site.backup()
    [[oid]] = site.cluster.sql("SELECT oid FROM pg_database WHERE datname = current_database()")
    superuser = site.cluster.url_of("postgres")
    subprocess.run(["psql", "-XAtq", "-d", superuser, "-c", "CREATE DATABASE copy OWNER anthill_owner"], check=True)
    url = site.cluster.url.replace("/anthill?", "/copy?")
    for more in ([], ["--clean"]):
        # The second time over itself: nothing has changed but the tables, which are made again.
        subprocess.run(["pg_restore", "--no-owner", *more, "-d", url, backup / "database.dump"], check=True)
        refused = site.service.run("serve", DATABASE_URL=url.replace("anthill_owner", "anthill_service"), ANTHILL_LISTEN="127.0.0.1:0")
        assert refused.returncode == 1 and "--keep-sign-ins" in refused.stderr, refused.stderr
        assert len(refused.stderr.splitlines()) == 1
        migrated = site.service.run("migrate", DATABASE_OWNER_URL=url)
        assert migrated.returncode == 0 and "all sign-ins" in migrated.stdout, migrated.stdout + migrated.stderr
        assert "all sign-ins" not in site.service.run("migrate", DATABASE_OWNER_URL=url).stdout
    assert oid and expect(person.get("/me"), 200)
    assert "all sign-ins" not in site.service.run("migrate").stdout
    expect(person.get("/me"), 200)


def test_restoring_overwrites_nothing_and_leaves_nothing_half_done(site, key):
    backup = site.backup("--to", site.folder / "some", "--recipient", key[1])
    there = site.folder / "there"
    there.mkdir()
    (there / "precious").write_text("x")

    def refused(*arguments, says, to="new", **environment):
        done = site.script(
            "restore", *arguments, "--to", site.folder / to, DATABASE_URL=None, DATABASE_OWNER_URL=environment.get("DATABASE_OWNER_URL")
        )
        assert done.returncode == 1 and says in done.stderr and len(done.stderr.splitlines()) == 1, done.stderr
        assert not (site.folder / "new").exists() and [file.name for file in there.iterdir()] == ["precious"]

    refused(backup, "--identity", key[0], to="there", says="something in")
    refused(backup, says="--identity")
    other = site.folder / "other-key"
    subprocess.run(["age-keygen", "-o", other], capture_output=True, check=True)
    refused(backup, "--identity", other, says="cannot be decrypted")
    refused(backup, "--identity", "/nowhere/key.txt", says="There is no /nowhere/key.txt, or ")
    refused(site.folder / "gone", says=f"There is no {site.folder}/gone, or ")
    refused(backup, "--identity", key[0], says="not empty", DATABASE_OWNER_URL=site.cluster.url)
    refused(site.folder, says="no backup")
    dump = backup / "database.dump.age"
    content = dump.read_bytes()
    dump.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    refused(backup, "--identity", key[0], says="damaged")
    # Whole files of a dump that does not restore: the folder that was begun is gone again.
    broken = site.folder / "broken"
    broken.mkdir()
    (broken / "secret").write_text("x" * 32)
    (broken / "database.dump").write_bytes(b"PGDMP, but not for long")
    subprocess.run("sha256sum database.dump secret > SHA256SUMS", shell=True, cwd=broken, check=True)
    done = site.script("restore", broken, "--to", site.folder / "new", DATABASE_URL=None, DATABASE_OWNER_URL=None)
    assert done.returncode != 0 and not (site.folder / "new").exists()


def test_a_backup_has_its_name_only_when_it_is_complete(site):
    folder = site.folder / "unfinished"
    failed = site.script("backup", "--to", folder, DATABASE_OWNER_URL="postgresql://anthill@/nowhere?host=" + str(folder))
    assert failed.returncode != 0 and [file.name for file in folder.iterdir()] == [".lock"]
    (folder / ".unfinished-2026-11-20T030000Z").mkdir()
    made = site.backup("--to", folder)
    assert sorted(file.name for file in folder.iterdir()) == [".lock", made.name]
    subprocess.run(["sha256sum", "--check", "--strict", "--status", "SHA256SUMS"], cwd=made, check=True)
    assert (made / "secret").read_text() == site.service.environment["ANTHILL_SECRET"]
    assert subprocess.run(["pg_restore", "--list", made / "database.dump"], capture_output=True).returncode == 0


def test_the_newest_backups_are_kept(site):
    folder = site.folder / "many"
    folder.mkdir()
    for day in range(1, 6):
        (folder / f"2026-01-0{day}T030000Z").mkdir()
    (folder / "notes").write_text("mine")
    made = site.backup("--to", folder, "--keep", "3")
    assert sorted(file.name for file in folder.iterdir()) == [
        ".lock", "2026-01-04T030000Z", "2026-01-05T030000Z", made.name, "notes"]  # fmt: skip


def test_without_a_secret_no_backup_is_made(site):
    done = site.script("backup", "--to", site.folder / "none", ANTHILL_SECRET=None, ANTHILL_HOME=str(site.folder / "nobody"))
    assert done.returncode == 1 and "secret" in done.stderr and not (site.folder / "none").exists()


def test_the_doctor_warns_when_the_last_backup_is_old(site):
    site.backup("--to", site.folder / "aging")
    assert site.doctor("backup")["status"] == "ok"
    site.service.advance_clock(27 * 3600)
    assert site.doctor("backup") == {
        "check": "backup", "status": "warning", "message": "the last one was made 27 h ago", "details": []}  # fmt: skip
    site.service.advance_clock(7 * 86400)
    assert site.doctor("backup")["status"] == "critical"


@pytest.mark.parametrize("name", ["backup", "restore"])
def test_help_prints_the_usage_and_what_cannot_be_read_prints_it_to_stderr(site, name):
    told = site.script(name, "--help")
    assert told.returncode == 0 and told.stdout.startswith(f"usage: script/{name}") and told.stderr == ""
    for wrong in (["--nonsense"], ["--to"], ["--keep", "0"]):
        done = site.script(name, *wrong)
        assert done.returncode == 2 and done.stdout == "" and done.stderr == told.stdout
