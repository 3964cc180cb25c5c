"""A PostgreSQL with standbys that follow it, made by the test; one of them takes over when the test says so."""

import itertools
import os
import subprocess

from service import Cluster, migrated, wait_until

AS_OWNER = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"] if os.geteuid() == 0 else []


class Replicated:
    """`primary` and its `standbys`. Once `synchronous`, nothing is acknowledged that a standby does not have."""

    def __init__(self, standbys=1, synchronous=True):
        self.synchronous = synchronous
        self.numbers = itertools.count(1)
        self.members = [Cluster() for _ in range(standbys + 1)]
        self.primary, self.standbys = self.members[0], []

    def start(self):
        self.primary.start(migrated())
        for member in self.members[1:]:
            self.follow(member)
        return self

    @staticmethod
    def sockets(member) -> str:
        return member.url.partition("host=")[2]

    def url(self, role="anthill_service") -> str:
        """Of all members, the first one first."""
        return f"postgresql://{role}@/anthill?host=" + ",".join(map(self.sockets, self.members))

    def follow(self, member):
        """A copy of the primary that follows it. Its slot keeps the WAL that it has not got yet, from the copy on."""
        folder = member.folder / "postgres"
        member.url = self.primary.url.replace(str(self.primary.folder), str(member.folder))
        subprocess.run([*AS_OWNER, "rm", "-rf", folder / "data"], check=True)
        folder.mkdir(exist_ok=True)
        folder.chmod(0o777)
        subprocess.run(
            [*AS_OWNER, "pg_basebackup", f"--dbname=host={self.sockets(self.primary)} user=postgres", "--checkpoint=fast"]
            + ["--create-slot", "--slot", f"standby_{next(self.numbers)}", "--write-recovery-conf", "--no-sync", "--pgdata", folder / "data"],
            cwd="/",
            check=True,
        )
        if AS_OWNER:
            subprocess.run(["chown", "postgres:", folder], check=True)
        folder.chmod(0o700)
        member.start()
        self.standbys.append(member)
        # pg_basebackup is in pg_stat_replication, too.
        try:
            self.wait_for(
                self.primary,
                "SELECT 1 FROM pg_stat_replication WHERE application_name <> 'pg_basebackup' AND state = 'streaming' HAVING count(*) >= %s",
                len(self.standbys),
            )
        except AssertionError as error:
            error.add_note("The standby's log ends with:\n" + (folder / "log").read_text()[-2000:])
            raise
        self.wait_for_standbys("*" if self.synchronous else "")

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
        for member in self.members:
            member.remove()
