"""A PostgreSQL with standbys that follow it, made by the test; one of them takes over when the test says so."""

import itertools
import os
import subprocess

from service import Cluster, migrated, wait_until

AS_OWNER = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"] if os.geteuid() == 0 else []


class Replicated:
    """`primary` and its `standbys`. Once `synchronous`, nothing is acknowledged that a standby does not have. The `reader`, if
    there is one, follows whoever is the primary, as docs/operate.md says; nothing waits for it, and it never takes over."""

    def __init__(self, standbys=1, synchronous=True, reader=False):
        self.synchronous = synchronous
        self.numbers = itertools.count(1)
        self.members = [Cluster() for _ in range(standbys + 1)]
        self.primary, self.standbys = self.members[0], []
        self.reader = Cluster() if reader else None

    def start(self):
        self.primary.start(migrated())
        for member in self.members[1:]:
            self.follow(member)
        if self.reader:
            self.make_reader()
        return self

    @staticmethod
    def sockets(member) -> str:
        return member.url.partition("host=")[2]

    def url(self, role="anthill_service") -> str:
        """Of all members, the first one first."""
        return f"postgresql://{role}@/anthill?host=" + ",".join(map(self.sockets, self.members))

    def follow(self, member):
        """Makes a standby."""
        self.copy(member, "standby", f"standby_{next(self.numbers)}")
        self.standbys.append(member)
        # pg_basebackup is in pg_stat_replication, too.
        try:
            self.wait_for(
                self.primary,
                "SELECT 1 FROM pg_stat_replication WHERE application_name = 'standby' AND state = 'streaming' HAVING count(*) >= %s",
                len(self.standbys),
            )
        except AssertionError as error:
            error.add_note("The standby's log ends with:\n" + (member.folder / "postgres/log").read_text()[-2000:])
            raise
        self.wait_for_standbys("standby" if self.synchronous else "")

    def make_reader(self):
        """Makes the reader, and lets it follow whichever of the members is the primary."""
        self.reader.stop()
        self.copy(self.reader, "reader", "reader")
        hosts = ",".join(map(self.sockets, self.members))
        address = f"host={hosts} user=postgres application_name=reader target_session_attrs=primary"
        self.reader.sql(f"ALTER SYSTEM SET primary_conninfo = '{address}'", role="postgres")
        self.reader.sql("SELECT pg_reload_conf()", role="postgres")

    def keep_for_reader(self) -> bool:
        """After a failover the reader needs its slot on the new primary. False if it had got more than the standby that took
        over, and was made anew."""
        self.primary.sql("SELECT pg_create_physical_replication_slot('reader', true)", role="postgres")
        follows = "SELECT 1 FROM pg_stat_replication WHERE application_name = 'reader' AND state = 'streaming'"
        try:
            wait_until(lambda: self.primary.sql(follows, role="postgres"), 30)
            return True
        except AssertionError:
            assert "forked off" in (self.reader.folder / "postgres/log").read_text()
        self.primary.sql("SELECT pg_drop_replication_slot('reader')", role="postgres")
        self.make_reader()
        return False

    def copy(self, member, name, slot):
        """A copy of the primary that follows it. Its slot keeps the WAL that it has not got yet, from the copy on."""
        folder = member.folder / "postgres"
        member.url = self.primary.url.replace(str(self.primary.folder), str(member.folder))
        subprocess.run([*AS_OWNER, "rm", "-rf", folder / "data"], check=True)
        folder.mkdir(exist_ok=True)
        folder.chmod(0o777)
        subprocess.run(
            [*AS_OWNER, "pg_basebackup", f"--dbname=host={self.sockets(self.primary)} user=postgres application_name={name}"]
            + ["--checkpoint=fast", "--create-slot", "--slot", slot, "--write-recovery-conf", "--no-sync", "--pgdata", folder / "data"],
            cwd="/",
            check=True,
        )
        if AS_OWNER:
            subprocess.run(["chown", "postgres:", folder], check=True)
        folder.chmod(0o700)
        member.start()

    def wait_for_standbys(self, names):
        """As a manager of failovers does: only while there is a standby do commits wait for one."""
        self.primary.sql(f"ALTER SYSTEM SET synchronous_standby_names = '{names}'", role="postgres")
        self.primary.sql("SELECT pg_reload_conf()", role="postgres")
        if names:
            self.wait_for(self.primary, "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync' AND state = 'streaming'")

    @staticmethod
    def wait_for(member, text, *values):
        wait_until(lambda: member.sql(text, *values, role="postgres"), what=text)

    def promote(self):
        """The first standby becomes the primary; the old one is no member of anything any more."""
        old, self.primary = self.primary, self.standbys.pop(0)
        # What the copy has of the settings of the old one: it has no standby of its own.
        self.primary.sql("ALTER SYSTEM SET synchronous_standby_names = ''", role="postgres")
        self.primary.sql("SELECT pg_reload_conf()", role="postgres")
        binary = next(path for path in sorted(os.listdir("/usr/lib/postgresql"), key=int, reverse=True))
        subprocess.run(
            [*AS_OWNER, f"/usr/lib/postgresql/{binary}/bin/pg_ctl", "promote", "--no-wait"]
            + ["--pgdata", self.primary.folder / "postgres/data"],
            cwd="/",
            check=True,
            stdout=subprocess.DEVNULL,
        )
        return old

    def remove(self):
        for member in [*self.members, self.reader]:
            if member:
                member.remove()
