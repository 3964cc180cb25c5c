"""Many clients that never try a request again: every request must be answered. They send on connections that stay open,
on new ones, after pauses, and in two pieces."""

import asyncio
import contextlib
import datetime
import itertools
import json
import random
import threading
import time

from person import new_id

BEGAN = datetime.datetime(2026, 11, 18, 4, tzinfo=datetime.UTC)


class SteadyLoad:
    """Sends `total` requests in all, from a thread of its own."""

    def __init__(self, port, people, total, clients=32, host="localhost", tls=None, spread=False):
        self.port, self.people, self.total = port, people, total
        # Whether each client has an address of its own.
        self.host, self.tls, self.spread = host, tls, spread
        self.sent = self.answered = self.connections = 0
        self.failures, self.recorded, self.longest = [], set(), 0.0
        self.steps = [itertools.count() for _ in people]
        self.thread = threading.Thread(target=lambda: asyncio.run(self._run(clients)))
        self.thread.start()

    def join(self):
        self.thread.join()

    async def _run(self, clients):
        await asyncio.gather(*(self._client(number) for number in range(clients)))

    async def _client(self, number):
        style = ("busy", "busy", "pausing", "fresh", "halting")[number % 5]
        chance = random.Random(number)
        reader = writer = None
        while self.sent < self.total:
            self.sent += 1
            request, session = self._request(number % len(self.people), chance, style == "fresh")
            began = time.monotonic()
            try:
                if writer is None:
                    name = {"ssl": self.tls, "server_hostname": self.host} if self.tls else {}
                    if self.spread:
                        name["local_addr"] = (f"127.0.1.{number + 1}", 0)
                    reader, writer = await asyncio.open_connection("127.0.0.1", self.port, **name)
                    self.connections += 1
                halt = len(request) // 3 if style == "halting" else len(request)
                writer.write(request[:halt])
                if halt < len(request):
                    await asyncio.sleep(0.005)
                    writer.write(request[halt:])
                status, ends = await asyncio.wait_for(answer(reader), 60)
            except (OSError, EOFError, TimeoutError) as error:
                self.failures.append(f"{style}: {error!r}")
                ends = True
            else:
                self.answered += 1
                self.longest = max(self.longest, time.monotonic() - began)
                if status not in (200, 201):
                    self.failures.append(f"{style}: {status}")
                elif session:
                    self.recorded.add(session)
            if ends and writer:
                writer.close()
                with contextlib.suppress(OSError):
                    await writer.wait_closed()
                writer = None
            if style == "pausing":
                await asyncio.sleep(chance.random() / 4)
        if writer:
            writer.close()

    def _request(self, owner, chance, ends):
        """The bytes of a request, and the session that it records, if it does."""
        person, session, body = self.people[owner], None, b""
        line = "GET /api/v1/me/today"
        if chance.random() < 0.2:
            session = new_id()
            line = "POST /api/v1/me/sessions"
            start = BEGAN + datetime.timedelta(seconds=5 * next(self.steps[owner]))
            body = json.dumps(
                {"id": session, "started_at": f"{start:%FT%TZ}", "ended_at": f"{start + datetime.timedelta(seconds=5):%FT%TZ}"}
            ).encode()
        fields = [f"Host: {self.host}", f"Authorization: Bearer {person.token}", f"X-Forwarded-For: {person.address}"]
        if body:
            fields += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
        if ends:
            fields.append("Connection: close")
        return "\r\n".join([f"{line} HTTP/1.1", *fields, "", ""]).encode() + body, session


async def answer(reader):
    """The status of one whole answer, and whether the connection ends with it."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
    lines = head.split("\r\n")
    fields = dict(line.split(": ", 1) for line in lines[1:] if line)
    await reader.readexactly(int(fields["content-length"]))
    return int(lines[0].split()[1]), fields.get("connection") == "close"
