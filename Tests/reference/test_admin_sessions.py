"""The scripts of sql/maintenance as admins run them: at a terminal, by their own name, several in one session."""

import fcntl
import os
import pty
import select
import struct
import subprocess
import termios

import citus
import pytest
from maintenance import command, environment
from schema import ROOT
from service import wait_until


def retracting(world):
    return command(world, "retract_interval", uid=world.uid("Ada"), interval=world.interval("Ada"), apply=1)


def is_free(world, name):
    """Whether another session could write their study at once."""
    other = world.connect()
    other.execute(citus.IMPATIENT)
    try:
        other.execute("SELECT FROM lock_student(%s)", [world.uid(name)])
    except citus.TooLate:
        return False
    return True


def test_at_a_terminal_nothing_waits_for_a_key(world):
    """A pager would, and is asked for by what is longer than the terminal."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 3, 80, 0, 0))
    pager = {"TERM": "xterm", "PSQL_PAGER": "cat; echo a pager waits; read key </dev/tty"}
    running = subprocess.Popen(
        retracting(world), env=environment(world) | pager, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
    )
    os.close(theirs)
    said = b""
    try:
        while select.select([ours], [], [], 30)[0] and (more := os.read(ours, 4096)):
            said += more
            assert b"a pager waits" not in said
    except OSError:  # the terminal's other end is closed
        pass
    finally:
        os.close(ours)
        running.kill()
    assert running.wait() == 0 and b"Done. " in said, said


def test_a_terminal_that_stands_still_holds_no_lock(world):
    world.rows("SELECT create_invitation(%s, %s, 'for all')", world.uid("Ada"), world.group())
    for _ in range(100):
        world.rows("SELECT accept_invitation(%s, 'for all')", world.user())
    ours, theirs = os.pipe()
    fcntl.fcntl(theirs, fcntl.F_SETPIPE_SZ, 4096)
    # What it says before the change has room.
    os.write(theirs, b"." * 3000)
    watching = world.connect("anthill_admin")
    running = subprocess.Popen(retracting(world), env=environment(world), stdout=theirs)
    try:
        # It prints a hundred new ranks, and nobody reads them.
        wait_until(
            lambda: world.rows(
                "SELECT FROM pg_stat_activity WHERE usename = current_user AND datname = current_database()"
                " AND state LIKE 'idle%%' AND state_change < clock_timestamp() - interval '1 s' AND pid <> pg_backend_pid()",
                on=watching,
            )
        )
        assert is_free(world, "Ada")
    finally:
        running.kill()
        running.wait()
        os.close(theirs)
        os.close(ours)


def test_a_session_that_stands_still_in_a_transaction_is_ended(world):
    begin = f"\\set script undo\n\\set takes ''\n\\i {ROOT}/sql/maintenance/parts/begin.sql\n"
    script = f"{begin}SHOW idle_in_transaction_session_timeout; ROLLBACK"
    done = subprocess.run([*command(world), "-At"], input=script, env=environment(world), capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("5s\n", "")


@pytest.mark.parametrize(
    ("logins", "name"),
    [
        ({"SUDO_USER": "maria", "USER": "root", "LOGNAME": "root"}, "maria"),
        ({"USER": "kim", "LOGNAME": "root"}, "kim"),
        ({"LOGNAME": "lee"}, "lee"),
        ({}, "anthill_admin"),
    ],
)
def test_an_admin_is_named_by_their_login_also_under_sudo(world, logins, name):
    names = {key: value for key, value in environment(world).items() if key not in ("SUDO_USER", "USER", "LOGNAME")}
    done = subprocess.run(
        command(world, "revoke_sign_ins", uid=world.uid("Bo"), apply=1, by=None), env=names | logins, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert world.value("SELECT by FROM admin_changes ORDER BY number DESC LIMIT 1") == name
