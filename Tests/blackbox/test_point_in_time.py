"""Back to a point in time with pgBackRest, by the settings and commands of docs/operate.md."""

import os
import re
import shlex
import shutil
import subprocess

from service import ROOT, Cluster, Service, migrated, wait_until
from test_backup import Restored

GUIDE = (ROOT / "docs/operate.md").read_text()


def test_the_settings_of_the_guide_bring_a_database_back_to_a_point_in_time():
    settings = re.search(r"```ini\n# /etc/pgbackrest.conf\n(.*?)```", GUIDE, re.DOTALL)[1]
    archiving = dict(re.findall(r"^(archive_\w+) = '?([^'\n]*)'?$", GUIDE, re.MULTILINE))
    assert archiving.keys() == {"archive_mode", "archive_command"}

    cluster = Cluster()
    folder = cluster.folder
    data, config = folder / "postgres/data", folder / "pgbackrest.conf"
    run = folder / "pgbackrest"
    as_owner = ["setpriv", "--reuid", "postgres", "--regid", "postgres", "--init-groups"] if os.getuid() == 0 else []
    here = [f"--config={config}"]

    def pgbackrest(*arguments):
        """A command of the guide with the paths of this test."""
        done = subprocess.run([*as_owner, "pgbackrest", *here, *arguments], capture_output=True, text=True, cwd="/")
        assert done.returncode == 0, done.stdout + done.stderr

    back = None
    try:
        for name in ("", "lock", "log", "spool", "repo"):
            (run / name).mkdir()
        if as_owner:
            subprocess.run(["chown", "-R", "postgres:", run], check=True)
        # Only where things are differs from the guide.
        for path, instead in {"/var/lib/pgbackrest": run / "repo", "/var/lib/postgresql/15/main": data}.items():
            assert path in settings
            settings = settings.replace(path, str(instead))
        paths = "".join(f"{name}-path={run}/{name}\n" for name in ("lock", "log", "spool"))
        settings = settings.replace("[global]\n", f"[global]\n{paths}")
        config.write_text(settings + f"pg1-socket-path={folder}/postgres/run\npg1-user=postgres\n")
        config.chmod(0o644)
        command = archiving["archive_command"].replace("pgbackrest", " ".join(["pgbackrest", *here]), 1)
        cluster.settings = (f"archive_mode={archiving['archive_mode']}", f"archive_command={command}")
        service = Service(cluster.start(migrated()))
        sql = cluster.sql
        for deed in ("stanza-create", "check", "backup"):
            assert f"pgbackrest --stanza=anthill {deed}\n" in GUIDE
            pgbackrest("--stanza=anthill", deed)
        sql("SELECT pg_sleep(1)")  # pgBackRest keeps the end of a backup in whole seconds
        sql("INSERT INTO users (nickname) VALUES ('before')")
        sql(
            "INSERT INTO sign_ins (uid, token_mac, auth_epoch, expires_at)"
            " SELECT uid, sha256('a'), auth_epoch, anthill_clock() + interval '1 day' FROM users"
        )
        [[target]] = sql("SELECT clock_timestamp()::text")
        sql("INSERT INTO users (nickname) VALUES ('after')")
        superuser = cluster.url_of("postgres")
        subprocess.run(["psql", "-XAtq", "-d", superuser, "-c", "SELECT pg_switch_wal()"], check=True, capture_output=True)
        cluster.stop()

        elsewhere = folder / "elsewhere"
        (elsewhere / "postgres/data").mkdir(parents=True, mode=0o700)
        if as_owner:
            subprocess.run(["chown", "-R", "postgres:", elsewhere], check=True)
        elsewhere.chmod(0o755)
        options = re.search(r"pgbackrest --stanza=anthill (--type=time .*) restore\n", GUIDE)[1]
        instead = {"--target": target, "--pg1-path": f"{elsewhere}/postgres/data"}
        options = [option.partition("=")[::2] for option in shlex.split(options)]
        assert instead.keys() < dict(options).keys()
        pgbackrest("--stanza=anthill", *[f"{name}={instead.get(name, value)}" for name, value in options], "restore")
        back = Restored(elsewhere).start()
        wait_until(lambda: back.sql("SELECT NOT pg_is_in_recovery()") == [(True,)], what="the database to open")
        assert back.sql("SELECT nickname FROM users") == [("before",)]
        # The files are the same wherever they are: only the admin knows that time was turned back.
        assert service.run("migrate", DATABASE_OWNER_URL=back.url).stdout == "The schema is current.\n"
        assert back.sql("SELECT count(*) FROM sign_ins") == [(1,)]
        arguments = re.search(r"anthill psql (-v .* -f end_all_sign_ins.sql)\n", GUIDE)[1]
        psql = ["psql", "-Xq", "-d", back.url, *shlex.split(arguments)]
        subprocess.run(psql, cwd=ROOT / "sql/maintenance", check=True, capture_output=True)
        assert back.sql("SELECT count(*) FROM sign_ins") == [(0,)]
        back.sql(re.search(r"SELECT admin_note_backup\([^)]*\)", GUIDE)[0])
    finally:
        for one in (back, cluster):
            if one:
                one.stop()
        shutil.rmtree(folder)
