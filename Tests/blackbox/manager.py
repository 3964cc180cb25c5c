"""What systemd does for the service, done by the test: it holds the listening socket, keeps the connections that the
program hands over while it restarts, and hears when it is ready. The protocols: sd_listen_fds(3), sd_notify(3)."""

import os
import socket
import subprocess

from service import PROGRAM, Service


class ManagedService(Service):
    """The service with its socket held for it."""

    def __init__(self, cluster, name="home", **environment):
        super().__init__(cluster, name, **environment)
        self.listener = socket.create_server(("127.0.0.1", self.port), backlog=4096)
        self.notifications = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.notifications.settimeout(60)
        self.notifications.bind(str(self.home / "notify"))
        self.environment["NOTIFY_SOCKET"] = str(self.home / "notify")
        self.stored = []

    def start(self):
        handed = [self.listener.fileno(), *self.stored]
        # The shell puts them where the program looks for them, and leaves no other copy open.
        places = " ".join(f"{place}<&{fd} {fd}<&-" for place, fd in enumerate(handed, 3))
        names = ":".join(["anthill.socket"] + ["connections"] * len(self.stored))
        with open(self.log_file, "ab") as log, open(self.console_file, "ab") as console:
            self.process = subprocess.Popen(
                ["bash", "-c", f'LISTEN_PID=$$ exec "$0" serve {places}', PROGRAM],
                env={**self.environment, "LISTEN_FDS": str(len(handed)), "LISTEN_FDNAMES": names},
                stdin=subprocess.DEVNULL,
                stdout=console,
                stderr=log,
                pass_fds=handed,
                start_new_session=True,
            )
        self.hear("READY=1")
        return self

    def hear(self, wanted):
        """Reads notifications until one says this."""
        while not self.hear_one(wanted):
            pass

    def hear_one(self, wanted=None) -> bool:
        text, descriptors, _, _ = socket.recv_fds(self.notifications, 4096, 8)
        lines = text.decode().splitlines()
        if "FDSTOREREMOVE=1" in lines:
            while self.stored:
                os.close(self.stored.pop())
        if "FDSTORE=1" in lines:
            assert "FDNAME=connections" in lines and "FDPOLL=0" in lines
            self.stored += descriptors
        return wanted in lines

    def restart(self):
        """As `systemctl restart` does."""
        assert self.stop() == 0
        self.notifications.setblocking(False)
        try:
            while True:
                self.hear_one()
        except BlockingIOError:
            self.notifications.settimeout(60)
        return self.start()

    def remove(self):
        """Ends what holds the socket."""
        self.listener.close()
        self.notifications.close()
        for descriptor in self.stored:
            os.close(descriptor)
