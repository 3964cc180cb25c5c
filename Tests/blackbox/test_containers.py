"""The commands of docs/operate.md for containers, without a container engine: the files lie as the Dockerfile and
package/image put them, and each command runs with the variables of docker-compose.yml."""

import os
import re
import shlex
import shutil
import subprocess

import pytest
import yaml
from person import Person, expect
from service import PROGRAM, ROOT, START, Cluster, Service, running

COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
# The database's socket is a volume of both.
SOCKET = "/var/run/postgresql"


def documented():
    """The commands of the section, block by block."""
    section = (ROOT / "docs/operate.md").read_text().split("\n## Containers\n")[1].split("\n## ")[0]
    blocks = re.findall(r"```sh\n(.*?)```", section, re.DOTALL)
    return [[line for line in block.splitlines() if " exec " in line or " run " in line] for block in blocks]


class Containers:
    """Both services on one cluster; their folders are in a folder of its own."""

    def __init__(self, cluster, folder):
        self.folder = folder
        self.sockets = re.search(r"host=([^&]*)", cluster.url)[1]
        for name in ("home", "backups", "bin"):
            (folder / name).mkdir(parents=True)
        stage = re.split("^FROM ", (ROOT / "Dockerfile").read_text(), flags=re.MULTILINE)[1]
        assert "AS database" in stage
        for copied in re.findall("^COPY (.*)", stage, re.MULTILINE):
            *files, to = copied.split()
            place = folder / "postgres" / to.strip("/")
            place.parent.mkdir(parents=True, exist_ok=True)
            for file in files:
                if (ROOT / file).is_dir():
                    shutil.copytree(ROOT / file, place)
                else:
                    place.mkdir(exist_ok=True)
                    shutil.copy(ROOT / file, place)
        self.workdir = folder / "postgres" / re.search("^WORKDIR /(.*)", stage, re.MULTILINE)[1]
        # The program in the image is a script around the program.
        wrapper = (ROOT / "package/image").read_text().split("bin/anthill\" <<'END'\n")[1].split("\nEND\n")[0]
        (folder / "bin/anthill").write_text(wrapper.replace("/opt/anthill/anthill", str(PROGRAM)))
        (folder / "bin/anthill").chmod(0o755)

    def environment(self, service):
        named = COMPOSE[service]["environment"]
        own = {name: re.sub(r"\$\{\w+:-(.*)\}", r"\1", value).replace(SOCKET, self.sockets) for name, value in named.items()}
        path = f"{self.folder / 'bin'}:{os.environ['PATH']}" if service == "anthill" else os.environ["PATH"]
        # The image has its home in a variable; psql finds the socket where it was built to look.
        return {"PATH": path, "PGHOST": self.sockets} | own | {"ANTHILL_HOME": str(self.folder / "home")}

    def run(self, line, **instead):
        """What such a line does in its container."""
        for name, value in instead.items():
            line = line.replace(name, str(value))
        line, _, given = line.partition(" <")
        docker, compose, verb, *words = shlex.split(line.split("  #")[0])
        assert (docker, compose) == ("docker", "compose")
        entry = []
        while words[0].startswith("-"):
            option = words.pop(0)
            if option == "--entrypoint":
                entry = [words.pop(0)]
        service, *words = words
        assert verb == ("run" if entry else "exec")
        # Of the paths in a container, these two are elsewhere here.
        words = [re.sub("^/opt/", f"{self.folder}/postgres/opt/", word) for word in words]
        words = [str(self.folder / "backups") if word == "/backups" else word for word in words]
        done = subprocess.run(
            entry + words,
            cwd=self.workdir if service == "postgres" else self.folder,
            env=self.environment(service),
            stdin=open(self.folder / given, "rb") if given else subprocess.DEVNULL,
            capture_output=True,
        )
        return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.fixture
def used():
    with running() as service, Person(service) as person:
        person.register()
        containers = Containers(service.cluster, service.cluster.folder / "containers")
        (containers.folder / "home/secret").write_text(service.environment["ANTHILL_SECRET"])
        yield containers, service, person


@pytest.fixture
def fresh():
    cluster = Cluster()
    try:
        yield cluster.start()
    finally:
        cluster.remove()


def test_an_operator_looks_after_the_containers_by_the_commands_of_the_guide(used, fresh):
    containers, service, person = used
    _, looking, restoring = documented()
    link, doctor, check, revoke, vacuum, backup = looking
    status, said, _ = containers.run(link)
    assert (status, "/welcome#token=" in said) == (0, True)
    status, said, _ = containers.run(doctor)
    assert status == 1 and "backup        none was made yet" in said and "critical" not in said
    assert containers.run(check) == (0, "", "")
    status, said, errors = containers.run(revoke, UUID=person.uid)
    assert (status, errors) == (0, "") and "sign-in" in said and said.endswith("Nothing has changed: add -v apply=1.\n")
    assert containers.run(vacuum) == (0, "VACUUM\n", "")
    status, said, errors = containers.run(backup)
    assert (status, errors) == (0, "") and said.startswith(f"{containers.folder}/backups/2")

    [made] = (containers.folder / "backups").glob("2*")
    new = Containers(fresh, service.cluster.folder / "new")
    shutil.copytree(made, new.folder / "backups" / made.name)
    for line in restoring:
        assert containers is not new and new.run(line, TIME=made.name) == (0, "", "")
    assert (new.folder / "home/secret").read_text() == service.environment["ANTHILL_SECRET"]
    assert (new.folder / "home/secret").stat().st_mode & 0o777 == 0o600
    restored = Service(fresh, ANTHILL_SECRET=service.environment["ANTHILL_SECRET"])
    assert "all sign-ins" in restored.run("migrate").stdout.lower()
    restored.set_clock(START).start()
    try:
        with Person(restored) as same:
            same.email, same.token = person.email, person.token
            expect(same.get("/me"), 401)
            expect(same.sign_in().get("/me"), 200)
    finally:
        assert restored.stop() == 0
