"""Thousands of connections at once, in one asyncio loop."""

import asyncio
import resource
import time

from service import token

AT_ONCE = 64  # connections that wait for their first answer at the same time


def raise_limit(wanted):
    """Raises the limit of open descriptors for this process and the services it starts."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most != resource.RLIM_INFINITY and most < wanted:
        raise SystemExit(f"this needs {wanted} descriptors (ulimit -n), and the system gives {most}")
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))


class Client(asyncio.Protocol):
    """One connection with one request. It keeps the times of the answer and of the events after it."""

    def __init__(self, request):
        self.request = request
        self.answered = asyncio.get_running_loop().create_future()
        self.boards = 0
        self.board_at = None
        self.tail = b""

    def connection_made(self, transport):
        self.transport = transport
        transport.write(self.request)

    def data_received(self, data):
        if not self.answered.done():
            if not data.startswith(b"HTTP/1.1 200 "):
                return self.answered.set_exception(SystemExit(f"not served: {data[:200]!r}"))
            self.answered.set_result(None)
        text = self.tail + data
        count = text.count(b"event: leaderboard\n")
        if count:
            self.boards += count
            self.board_at = time.monotonic()
        # The beginning of this line may come in the next piece.
        self.tail = text[text.rfind(b"\n") + 1 :][:20]

    def connection_lost(self, _):
        if not self.answered.done():
            self.answered.set_exception(SystemExit("a connection was lost"))


async def opened(port, paths):
    """Opens a connection for each (path, person), and waits until all are answered."""
    loop, door = asyncio.get_running_loop(), asyncio.Semaphore(AT_ONCE)

    async def one(path, person):
        request = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token(person)}\r\n\r\n"
        async with door:
            _, client = await loop.create_connection(lambda: Client(request.encode()), "127.0.0.1", port)
            await client.answered
            return client

    return await asyncio.gather(*(one(path, person) for path, person in paths))


async def until(condition, seconds):
    """Waits until the condition holds, at most so many seconds; returns whether it does."""
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        await asyncio.sleep(0.05)
    return condition()
