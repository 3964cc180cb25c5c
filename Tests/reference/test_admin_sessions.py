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
from maintenance import command, environment, run
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
    watching = world.connect(citus.ADMIN)
    running = subprocess.Popen(retracting(world), env=environment(world), stdout=theirs)
    try:
        # It prints a hundred new ranks, and nobody reads them.
        wait_until(
            lambda: world.rows(
                "SELECT FROM pg_stat_activity WHERE application_name = 'psql' AND datname = current_database()"
                " AND state LIKE 'idle%%' AND state_change < clock_timestamp() - interval '1 s'",
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
        ({}, citus.ADMIN),
    ],
)
def test_an_admin_is_named_by_their_login_also_under_sudo(world, logins, name):
    names = {key: value for key, value in environment(world).items() if key not in ("SUDO_USER", "USER", "LOGNAME")}
    done = subprocess.run(
        command(world, "revoke_sign_ins", uid=world.uid("Bo"), apply=1, by=None), env=names | logins, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert world.value("SELECT by FROM admin_changes ORDER BY number DESC LIMIT 1") == name


def test_scripts_run_one_after_the_other_in_one_session(world):
    applying = {"uid": world.uid("Bo"), "apply": 1}
    done = run(world, "revoke_sign_ins", "suspend_user", "restore_user", **applying)
    assert (done.returncode, done.stderr, done.stdout.count("Done. ")) == (0, "", 3)
    done = run(world, "sizes", "sizes", reason=None, by=None)
    assert (done.returncode, done.stderr, done.stdout.count("it does not grow") + done.stdout.count("give free space")) == (0, "", 2)


def test_a_script_goes_on_after_one_that_refused_in_the_same_session(world):
    calls = [f"\\set name '{name}'\n\\i {ROOT}/sql/maintenance/rename_user.sql\n" for name in ("\u200b", "Robin", "Kim")]
    psql = command(world, uid=world.uid("Bo"), apply=1)
    done = subprocess.run(psql, input="".join(calls), env=environment(world), capture_output=True, text=True)
    [error] = done.stderr.splitlines()
    assert error.endswith("the nickname is too long, or has characters that nobody sees")
    assert done.stdout.count("Done. ") == 2 and world.uid("Kim")


def test_an_empty_apply_only_shows(world):
    for script in ("revoke_sign_ins", "rebuild_totals"):
        done = run(world, script, uid=world.uid("Bo"), apply="")
        assert (done.returncode, done.stderr) == (0, "")
    assert world.rows("SELECT FROM admin_changes") == []


def test_totals_are_mended_after_a_refusal_in_the_same_session(world):
    """And keep what they mend, although the admin's psql does not commit by itself."""
    counted = "counted_under WHERE NOT is_global"
    world.connection.execute(f"CREATE TABLE kept AS SELECT * FROM {counted}; DELETE FROM {counted}")
    world.connection.execute("UPDATE study_days SET study_seconds = study_seconds + 1")
    rebuild = f"\\i {ROOT}/sql/maintenance/rebuild_totals.sql\n"
    psql = subprocess.Popen(
        command(world, apply=1, AUTOCOMMIT="off"), env=environment(world), text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip
    # A script sets that an error ends psql; whoever goes on in a session takes that back.
    psql.stdin.write(f"{rebuild}\\echo refused\n")
    psql.stdin.flush()
    assert psql.stdout.readline() == "refused\n"
    world.connection.execute("INSERT INTO counted_under SELECT * FROM kept; DROP TABLE kept")
    said, errors = psql.communicate(rebuild)
    assert "is not counted under the rules of their group" in errors and errors.count("ERROR") == 1
    assert "study_days" in said and world.violations() == []
