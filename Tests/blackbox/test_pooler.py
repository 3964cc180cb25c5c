"""A pooler between the program and PostgreSQL: the program says so and does not start. With Debian's PgBouncer."""

import contextlib
import os
import socket
import subprocess

import citus
import psycopg
import pytest
from service import free_port, wait_until

AS_OWNER = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"] if os.geteuid() == 0 else []


@contextlib.contextmanager
def pooled(cluster, settings):
    """The URL of its database through PgBouncer."""
    folder, port = cluster.folder, free_port()
    sockets = cluster.url.partition("host=")[2]
    (folder / "users").write_text('"anthill_service" ""\n')
    (folder / "pgbouncer.ini").write_text(
        f"[databases]\nanthill = host={sockets} port=5432\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\n"
        f"unix_socket_dir =\nauth_type = trust\nauth_file = {folder}/users\n{settings}\n"
    )
    process = subprocess.Popen([*AS_OWNER, "/usr/sbin/pgbouncer", "--quiet", folder / "pgbouncer.ini"], stdin=subprocess.DEVNULL)

    def answers():
        assert process.poll() is None, "PgBouncer ended"
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return True

    try:
        wait_until(answers, what="PgBouncer to answer")
        yield f"postgresql://anthill_service@127.0.0.1:{port}/anthill"
    finally:
        process.terminate()
        process.wait()


@pytest.mark.parametrize("mode", ["transaction", "session"])
@pytest.mark.parametrize("more", ["", "ignore_startup_parameters = options"], ids=["as-installed", "with-options-ignored"])
@citus.not_spread("the pooler stands before another database")
def test_a_pooler_is_refused_in_one_sentence(service, mode, more):
    with pooled(service.cluster, f"pool_mode = {mode}\n{more}") as url:
        # It works as such, so what is refused is the pooler, and not a mistake in its settings.
        with psycopg.connect(url) as connection:
            assert connection.execute("SELECT count(*) FROM users").fetchone()
        for command in (["serve"], ["admin", "user", "show", "nobody@example.org"]):
            done = service.run(*command, DATABASE_URL=url, DATABASE_ADMIN_URL=url, ANTHILL_LISTEN=f"127.0.0.1:{free_port()}")
            variable = "DATABASE_URL" if command == ["serve"] else "DATABASE_ADMIN_URL"
            assert done.returncode == 1 and done.stderr.splitlines() == [
                f"anthill: {variable} leads to a connection pooler such as PgBouncer, behind which timeouts do not hold"
                " and statements get mixed up: name the PostgreSQL server itself"
            ]
