"""The Debian package, from its first installation to its last trace, under a systemd that runs."""

import io
import re
import shlex
import subprocess

import psycopg
import pytest
import yaml
from machine import InstalledService, Machine, package, successor
from person import Person, expect
from PIL import Image
from service import ROOT, START
from steady_load import SteadyLoad

FIRST, NEXT = "0.1.1", "0.1.2"
IMAGE = 150


@pytest.fixture(scope="module")
def deb():
    return package(FIRST)


@pytest.fixture(scope="module")
def machine(deb):
    machine = Machine(deb)
    try:
        yield machine.boot()
    finally:
        machine.remove()


@pytest.fixture(scope="module")
def service(machine, deb):
    machine.install(deb)
    service = InstalledService(machine, ANTHILL_API_LIMIT="0").start()
    with machine.network():
        yield service.set_clock(START)


def test_a_user_can_register_in_the_installed_service(service, machine):
    with Person(service) as person:
        expect(person.register_by_mail().get("/me"), 200)
        expect(person.log("2026-11-20T01:00:00Z", "2026-11-20T02:00:00Z"), 201)
    state = machine.run("systemctl", "show", "--property=User,NRestarts,StatusErrno", "anthill").stdout
    assert "User=anthill_service\n" in state and "NRestarts=0\n" in state


def test_a_picture_is_decoded_inside_the_confined_service(service):
    with Person(service) as person:
        person.register_by_mail()
        picture = io.BytesIO()
        Image.new("RGB", (300, 200), "teal").save(picture, "PNG")
        expect(person.put("/me/avatar", content=picture.getvalue(), headers={"Content-Type": "image/png"}), 200)


def test_the_secret_is_made_once_and_only_root_reads_it(service, machine, deb):
    files = subprocess.run(["dpkg-deb", "--contents", deb], capture_output=True, text=True, check=True).stdout
    assert "secret.env" not in files
    secret = machine.root / "etc/anthill/secret.env"
    assert re.search(r"^ANTHILL_SECRET=[0-9a-f]{64}$", secret.read_text(), re.M)
    for file in (secret, service.settings, service.owners):
        assert (file.stat().st_mode & 0o777, file.stat().st_uid) == (0o600, 0)
    for folder in ("var/lib/anthill", "var/backups/anthill"):
        assert (machine.root / folder).stat().st_mode & 0o777 == 0o700


def test_the_service_cannot_become_the_owner_of_the_database(service, machine):
    """Debian's PostgreSQL lets a system user in as the role of its name; the cluster of the tests lets everybody in."""
    main = machine.run("systemctl", "show", "--property=MainPID", "--value", "anthill").stdout.strip()
    environment = machine.run("cat", f"/proc/{main}/environ").stdout
    assert "DATABASE_URL=postgresql://anthill_service@" in environment
    assert "anthill_owner" not in environment and "anthill_admin" not in environment
    user = machine.run("stat", "--format=%U", f"/proc/{main}").stdout.strip()
    for path in ("/etc/anthill/owner.env", "/var/backups/anthill/version"):
        assert machine.run("setpriv", f"--reuid={user}", "--clear-groups", "cat", path, check=False).returncode == 1
    said = machine.run("anthill", "psql", "-XAtqc", "SELECT current_user").stdout
    assert said == "anthill_admin\n"


def test_the_manual_has_no_mistake_and_every_command(service, machine):
    page = machine.run("man", "--warnings", "--encoding=utf8", "--local-file", "/usr/share/man/man1/anthill.1.gz")
    assert page.stderr == ""
    for word in ("anthill migrate", "ANTHILL_SECRET", "anthill link EMAIL", "/etc/anthill/secret.env"):
        assert word in page.stdout


def test_commands_run_with_the_user_and_the_variables_of_the_service(service, machine):
    assert "http://localhost:8080/welcome#token=" in machine.run("anthill", "link", "friend@example.org").stdout
    for check in ("check.sql", "/usr/share/anthill/maintenance/check.sql"):
        assert machine.run("anthill", "psql", "-XAtq", "-f", check).stdout == ""
    owner = machine.run("anthill", "psql", "--owner", "-XAtq", "-c", "ANALYZE users", "-c", "SELECT current_user")
    assert owner.stdout == "anthill_owner\n"
    refused = machine.run("setpriv", "--reuid=nobody", "--clear-groups", "anthill", "link", "x@example.org", check=False)
    assert refused.returncode == 1 and refused.stderr == "anthill: run this as root; it then goes on as the user anthill_service.\n"


def test_the_container_image_has_what_the_program_needs_and_is_small(service, machine):
    """No container engine is needed: the Dockerfile's last step before the image runs here, on the same packages."""
    machine.run("cp", "--recursive", "/usr/lib/anthill", "/opt/anthill")
    (machine.root / "root/image").write_bytes((ROOT / "package/image").read_bytes())
    machine.run("sh", "/root/image", "/image")
    size = int(machine.run("du", "--summarize", "--bytes", "/image").stdout.split()[0])
    assert size < IMAGE * 1_000_000, size
    # What an engine gives every container, and the database's socket.
    folders = ("proc", "dev", "srv")
    for folder in folders:
        machine.run("mkdir", f"/image/{folder}")
        machine.run("mount", "--rbind", "--make-rprivate", f"/{folder}", f"/image/{folder}")
    # As the compose file starts it, but beside the service; it makes the secret, migrates and serves.
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]["anthill"]
    variables = {name: value.replace("/var/run/", "/srv/") for name, value in compose["environment"].items() if name.startswith("DATABASE")}
    variables |= {
        "ANTHILL_SECRET": "",
        "PATH": "/bin",
        "ANTHILL_HOME": "/var/lib/anthill",
        "ANTHILL_LISTEN": "127.0.0.1:8081",
        "ANTHILL_SMTP_URL": "none",
    }
    start = shlex.join(word.replace("$$", "$") for word in compose["entrypoint"])
    script = f"{start} & until wget -q -O /dev/null http://127.0.0.1:8081/readyz 2>/dev/null; do kill -0 $!; done"
    # A command finds the secret that was made.
    script += "; anthill link friend@example.org; anthill admin doctor --quick || [ $? = 1 ]; kill $!; wait $!"
    named = [f"{name}={value}" for name, value in variables.items()]
    said = machine.run("chroot", "--userspec=10001:10001", "/image", "/bin/env", *named, "/bin/sh", "-euc", script)
    assert "The schema is current." in said.stdout and '"message":"stopping"' in said.stderr
    assert "/welcome#token=" in said.stdout and "critical" not in said.stdout
    secret = machine.root / "image/var/lib/anthill/secret"
    assert re.fullmatch("[0-9a-f]{64}", secret.read_text()) and secret.stat().st_mode & 0o777 == 0o600
    for folder in folders:
        machine.run("umount", "--lazy", f"/image/{folder}")
    machine.run("rm", "-r", "--one-file-system", "/image", "/opt/anthill")
    print(f"\nThe files of the image take {size / 1_000_000:.0f} MB.")


def test_a_restart_under_load_fails_no_request(service, machine):
    people = [Person(service, f"Steady{number}").register_by_mail() for number in range(4)]
    load = SteadyLoad(service.port, people, 2_000)
    for _ in range(2):
        service.restart()
    load.join()
    assert load.failures == [] and load.answered == load.sent
    for person in people:
        person.close()


def test_an_update_makes_a_backup_then_migrates_and_fails_no_request(service, machine, deb):
    backups = machine.root / "var/backups/anthill/updates"
    kept = set(backups.glob("2*"))
    people = [Person(service, f"Update{number}").register_by_mail() for number in range(2)]
    load = SteadyLoad(service.port, people, 1_000, clients=8)
    machine.install(successor(deb, NEXT))
    load.join()
    assert load.failures == [] and load.answered == load.sent
    [made] = set(backups.glob("2*")) - kept
    assert {file.name for file in made.iterdir()} == {"database.dump", "secret", "SHA256SUMS"}
    assert service.cluster.sql("SELECT count(*) FROM pg_class WHERE relname = 'later_table'") == [(1,)]
    saved = subprocess.run(["pg_restore", "--list", made / "database.dump"], capture_output=True, text=True, check=True).stdout
    assert " TABLE public users " in saved and "later_table" not in saved
    assert (made / "secret").read_text() in (machine.root / "etc/anthill/secret.env").read_text()
    for person in people:
        expect(person.get("/me"), 200)
        person.close()
    assert machine.run("systemctl", "is-active", "anthill").stdout == "active\n"


def test_an_update_without_a_backup_does_not_happen(service, machine, deb):
    right = service.owners.read_text()
    service.owners.write_text(right.replace("host=/srv/postgresql", "host=/nowhere"))
    done = machine.install(successor(deb, "0.1.3"), check=False)
    assert done.returncode != 0 and "could not be backed up" in done.stderr
    with Person(service) as person:
        expect(person.get("//readyz"), 200)
    service.owners.write_text(right)
    machine.run("dpkg", "--configure", "--pending")
    assert (machine.root / "var/backups/anthill/version").read_text() == "0.1.3\n"


def test_a_backup_can_be_restored_into_a_new_database(service, machine):
    with Person(service) as person:
        person.register_by_mail()
        backup = machine.run("anthill", "backup").stdout.strip()
        machine.run("systemctl", "stop", "anthill.socket", "anthill.service")
        superuser = service.cluster.url_of("postgres").replace("/anthill?", "/postgres?")
        with psycopg.connect(superuser, autocommit=True) as database:
            database.execute("DROP DATABASE anthill WITH (FORCE)")
            database.execute("CREATE DATABASE anthill OWNER anthill_owner")
        machine.run("anthill", "restore", backup, "--to", "/var/backups/anthill/restored", "--keep-sign-ins")
        secret = (machine.root / "var/backups/anthill/restored/secret").read_text()
        assert secret in (machine.root / "etc/anthill/secret.env").read_text()
        machine.run("systemctl", "start", "anthill.socket", "anthill.service")
        expect(person.get("/me"), 200)


def test_a_removal_keeps_the_settings_and_a_purge_keeps_nothing(service, machine):
    def traces():
        found = machine.run("find", "/", "-xdev", "-iname", "*anthill*", "-not", "-path", "/proc/*", "-not", "-path", "/sys/*")
        return {line for line in found.stdout.split() if not line.startswith(("/root/", "/tmp/", "/run/", "/var/log/journal"))}

    machine.run("dpkg", "--remove", "anthill")
    assert service.settings.exists() and (machine.root / "etc/anthill/secret.env").exists()
    assert not (machine.root / "usr/lib/anthill").exists()
    assert machine.run("systemctl", "list-unit-files", "--no-legend", "anthill*", check=False).stdout == ""
    machine.run("dpkg", "--purge", "anthill")
    assert traces() == set()
    assert "anthill" not in machine.run("getent", "passwd").stdout
    # The database is not the package's.
    [[count]] = service.cluster.sql("SELECT count(*) FROM users")
    assert count > 0
