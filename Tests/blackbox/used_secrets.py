"""What the tests have used that must stay secret, and the search for it in what a service leaves behind."""

import base64
import os
import re
import subprocess

used = set()

# Tokens of sign-ins in answers; tokens, signatures and codes of invitations in links; tokens in cookies.
SHOWN = re.compile(
    r'"(?:token|key)":"([\w-]{43})"|#token=([\w-]+)|/join/([\w-]{10,})|/unsubscribe/\w+/([\w-]{43,})|"whsec_([\w+/=]{44})"|/calendar/([\w-]{43})\.ics|\banthill[\w-]*=([\w-]{43});'
)
# What a request says in confidence. What is shorter than any password may stand anywhere by chance.
TOLD = ("password", "current", "new", "token")
SHORTEST = 10


def note_text(text):
    """Of an answer, a letter, or what the program printed."""
    used.update(each for found in SHOWN.findall(text) for each in found if each)


def note(body, status, headers, answer):
    """Of a request and its answer. A password that was refused by a rule may be an address or a nickname."""
    note_text(answer.decode(errors="replace"))
    note_text(headers.get("set-cookie", "") + ";")
    if isinstance(body, dict) and (status < 300 or status in (401, 403)):
        used.update(value for name in TOLD if isinstance(value := body.get(name), str) and len(value) >= SHORTEST)


def forms(secret):
    """How it may be written: as it is, as the bytes of the text, and, of a token, as the bytes that it stands for."""
    yield secret
    yield secret.encode().hex()
    if re.fullmatch(r"[\w-]{43}", secret, re.ASCII):
        yield base64.urlsafe_b64decode(secret + "=").hex()


def left_behind(service):
    """The secrets that stand in the service's log, in the database's or in the database itself. The console is for the
    operator: it prints the links of mails that are files."""
    for name in service.mail.glob("*.eml"):
        service.letters(name.stem)
    for letter in service.read.values():
        note_text(letter.get_body(("plain",)).get_content())
    written = {form: secret for secret in used | {service.environment["ANTHILL_SECRET"]} for form in forms(secret)}
    folder = service.cluster.folder
    dump, patterns = folder / "dump.sql", folder / "patterns"
    patterns.write_text("".join(f"{form}\n" for form in written))
    subprocess.run(["pg_dump", "--data-only", "--file", dump, service.cluster.url], check=True)
    places = [dump, service.log_file, folder / "postgres/log"]
    found = subprocess.run(
        ["grep", "-haoFf", patterns, *places], env={**os.environ, "LC_ALL": "C"}, capture_output=True, text=True, errors="replace"
    )
    assert found.returncode in (0, 1), found.stderr
    return sorted({written[form] for form in found.stdout.splitlines()})
