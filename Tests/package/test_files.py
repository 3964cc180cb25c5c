"""What is in the Debian package, without installing it. test_package.py installs it."""

import re
import subprocess

import pytest
from machine import PACKAGES, field, package
from service import ROOT

SECURITY = 2.0


@pytest.fixture(scope="module")
def deb():
    return package()


@pytest.fixture(scope="module")
def files(deb):
    folder = PACKAGES / "files"
    subprocess.run(["rm", "-rf", folder], check=True)
    subprocess.run(["dpkg-deb", "--extract", deb, folder], check=True)
    return folder


def said(*command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_lintian_finds_no_error(deb):
    said("lintian", "--allow-root", "--fail-on=error", deb)


def test_the_units_have_no_mistake(files):
    unit = (files / "lib/systemd/system/anthill.service").read_text()
    for program in re.findall("^Exec[^=]*=[+]?(/[^ ]*)", unit, re.M):
        assert (files / program[1:]).stat().st_mode & 0o111, program
    # Of the other units of a system, only these are named; they are empty here.
    units = files / "lib/systemd/system"
    for name in ("sysinit", "basic", "shutdown", "sockets", "network-online", "multi-user"):
        (units / f"{name}.target").write_text("[Unit]\nDescription=empty\n")
    (files / "etc/passwd").write_text("anthill_service:x:100:100::/nonexistent:/usr/sbin/nologin\n")
    assert said("systemd-analyze", "verify", f"--root={files}", "--man=no", "anthill.service", "anthill.socket") == ""


def test_little_is_allowed_to_the_service(files):
    exposure = said("systemd-analyze", "security", "--no-pager", "--offline=true", files / "lib/systemd/system/anthill.service")
    assert float(re.search(r"exposure level for anthill.service: ([\d.]+)", exposure)[1]) < SECURITY


def test_the_program_in_the_package_runs(files):
    assert "anthill migrate" in said(files / "usr/lib/anthill/anthill", "--help")


def test_settings_and_scripts_are_there_and_no_secret(deb, files):
    contents = said("dpkg-deb", "--contents", deb)
    assert not re.search("/secret$", contents, re.M)
    for name in ("anthill.env", "owner.env"):
        assert re.search(rf"^-rw------- root/root .* ./etc/anthill/{name}$", contents, re.M)
    for script in ("usr/bin/anthill", "usr/lib/anthill/prepare", "usr/lib/anthill/script/backup", "usr/lib/anthill/script/restore"):
        assert (files / script).stat().st_mode & 0o777 == 0o755
    assert "DATABASE_OWNER_URL" not in (files / "etc/anthill/anthill.env").read_text()


def test_the_documents_link_to_each_other(files):
    documents = files / "usr/share/doc/anthill"
    texts = sorted(documents.glob("**/*.md"))
    assert documents / "docs/operate.md" in texts
    for text in texts:
        for link in re.findall(r"\]\(([^)#:]+)[#)]", text.read_text()):
            # The sources are not in the package.
            if re.match(r"(\.\./)?docs/|(\.\./)?[a-z]+\.md|(\.\./)?README\.md|proxies/|monitoring/", link):
                assert (text.parent / link).resolve().exists(), f"{text.name}: {link}"


def test_the_image_has_the_libraries_that_the_package_depends_on(deb):
    """They are there twice: the package's are looked up in the program, the image's are written in the Dockerfile."""
    stages = re.split("^FROM ", (ROOT / "Dockerfile").read_text(), flags=re.M)
    [installed] = [set(re.findall(r"\bz?lib[\w.+-]+", stage)) for stage in stages if "AS files" in stage]
    needed = {re.split(r"[ (|]", one.strip())[0] for one in field(deb, "Depends").split(",")}
    # The first two are in every Debian, and the third comes with libjose0.
    assert {name for name in needed if name.startswith(("lib", "zlib"))} - {"libc6", "libgcc-s1", "libjansson4"} == installed
    [build] = [set(re.findall(r"\bz?lib[\w.+-]+-dev\b", stage)) for stage in stages if "AS build" in stage]
    setup = (ROOT / "script/setup").read_text()
    assert build == set(re.findall(r"\bz?lib[\w.+-]+-dev\b", setup.split("packages=(")[1].split(")")[0])) - {"libc6-dev"}
