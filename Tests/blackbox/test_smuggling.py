"""Raw bytes on a socket: whatever could be read in two ways is refused, and the connection closed."""

import re
import socket

import pytest

HOST = b"Host: localhost\r\n"
NEXT = b"GET /api/v1/smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n"


def send(service, *pieces, wait=30):
    """All that comes back until the server closes, or falls silent."""
    with socket.create_connection(("127.0.0.1", service.port), timeout=wait) as connection:
        received = b""
        try:
            for piece in pieces:
                connection.sendall(piece)
            while chunk := connection.recv(65536):
                received += chunk
        except TimeoutError:
            return received, False
        except (ConnectionResetError, BrokenPipeError):
            pass
        return received, True


def statuses(received):
    return re.findall(rb"HTTP/1\.1 ([0-9]{3}) ", received)


AMBIGUOUS = {
    "two different lengths": b"POST /api/v1/registrations HTTP/1.1\r\n"
    + HOST
    + b"Content-Length: 5\r\nContent-Length: 0\r\n\r\n"
    + b"hello",
    "two equal lengths": b"POST /api/v1/registrations HTTP/1.1\r\n" + HOST + b"Content-Length: 0\r\nContent-Length: 0\r\n\r\n",
    "a list of lengths": b"POST /api/v1/registrations HTTP/1.1\r\n" + HOST + b"Content-Length: 0, 0\r\n\r\n",
    "length and chunks": b"POST /api/v1/registrations HTTP/1.1\r\n"
    + HOST
    + b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "chunks and length": b"POST /api/v1/registrations HTTP/1.1\r\n"
    + HOST
    + b"Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n",
    "a signed length": b"POST /api/v1/registrations HTTP/1.1\r\n" + HOST + b"Content-Length: +0\r\n\r\n",
    "a negative length": b"POST /api/v1/registrations HTTP/1.1\r\n" + HOST + b"Content-Length: -1\r\n\r\n",
    "a hexadecimal length": b"POST /api/v1/registrations HTTP/1.1\r\n" + HOST + b"Content-Length: 0x0\r\n\r\n",
    "an enormous length": b"POST /api/v1/registrations HTTP/1.1\r\n" + HOST + b"Content-Length: 99999999999999999999999\r\n\r\n",
    "an unknown coding": b"POST /api/v1/registrations HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
    "two codings": b"POST /api/v1/registrations HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
    "a coding after chunks": b"POST /api/v1/registrations HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n",
    "a coding twice": b"POST /api/v1/registrations HTTP/1.1\r\n"
    + HOST
    + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n",
    "a space before the colon": b"POST /api/v1/registrations HTTP/1.1\r\n" + HOST + b"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
    "a vertical tab in the coding": b"POST /api/v1/registrations HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n",
    "a folded header": b"POST /api/v1/registrations HTTP/1.1\r\n" + HOST + b"Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n",
    "a coding in 1.0": b"POST /api/v1/registrations HTTP/1.0\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "a chunk extension": b"POST /api/v1/registrations HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n0;a=b\r\n\r\n",
    "a signed chunk size": b"POST /api/v1/registrations HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n+0\r\n\r\n",
    "a chunk size with 0x": b"POST /api/v1/registrations HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n0x0\r\n\r\n",
    "an enormous chunk size": b"POST /api/v1/registrations HTTP/1.1\r\n"
    + HOST
    + b"Transfer-Encoding: chunked\r\n\r\n10000000000000000\r\n",
    "a chunk longer than it says": b"POST /api/v1/registrations HTTP/1.1\r\n"
    + HOST
    + b"Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n",
    "a trailer": b"POST /api/v1/registrations HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n0\r\nContent-Length: 5\r\n\r\n",
    "chunks ended by LF": b"POST /api/v1/registrations HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n0\n\n",
    "bare LF": b"GET /healthz HTTP/1.1\nHost: localhost\n\n",
    "bare LF in the headers": b"GET /healthz HTTP/1.1\r\nHost: localhost\nX: y\r\n\r\n",
    "bare CR in a value": b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: a\rb\r\n\r\n",
    "NUL in a value": b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: a\x00b\r\n\r\n",
    "no Host": b"GET /healthz HTTP/1.1\r\n\r\n",
    "two Hosts": b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: example.org\r\n\r\n",
    "an empty Host": b"GET /healthz HTTP/1.1\r\nHost:\r\n\r\n",
    "a Host of rubbish": b"GET /healthz HTTP/1.1\r\nHost: a b\r\n\r\n",
    "two spaces": b"GET  /healthz HTTP/1.1\r\n" + HOST + b"\r\n",
    "a tab": b"GET\t/healthz HTTP/1.1\r\n" + HOST + b"\r\n",
    "no version": b"GET /healthz\r\n" + HOST + b"\r\n",
    "a leading space": b" GET /healthz HTTP/1.1\r\n" + HOST + b"\r\n",
    "a space at the start of a header": b"GET /healthz HTTP/1.1\r\n X: y\r\n" + HOST + b"\r\n",
    "a header without a colon": b"GET /healthz HTTP/1.1\r\n" + HOST + b"nonsense\r\n\r\n",
    "an empty header name": b"GET /healthz HTTP/1.1\r\n" + HOST + b": x\r\n\r\n",
    "NUL in the path": b"GET /healthz%00 HTTP/1.1\r\n" + HOST + b"\r\n",
    "half an escape in the path": b"GET /healthz%2 HTTP/1.1\r\n" + HOST + b"\r\n",
    "no UTF-8 in the path": b"GET /healthz%ff HTTP/1.1\r\n" + HOST + b"\r\n",
    "a raw byte in the path": b"GET /h\xc3\xa9 HTTP/1.1\r\n" + HOST + b"\r\n",
    "a fragment": b"GET /healthz#x HTTP/1.1\r\n" + HOST + b"\r\n",
    "a backslash": b"GET \\healthz HTTP/1.1\r\n" + HOST + b"\r\n",
    "a TLS hello": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 64,
    "the preface of HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
}


@pytest.mark.parametrize("name", AMBIGUOUS)
def test_what_could_be_read_in_two_ways_is_refused_and_the_connection_closed(service, name):
    received, closed = send(service, AMBIGUOUS[name] + NEXT)
    assert received.startswith(b"HTTP/1.1 4") or received.startswith(b"HTTP/1.1 5"), received[:200]
    assert len(statuses(received)) == 1, received
    assert closed


@pytest.mark.parametrize("name", AMBIGUOUS)
def test_what_is_refused_whole_is_refused_byte_by_byte(service, name):
    message = AMBIGUOUS[name]
    received, closed = send(service, *[message[index : index + 1] for index in range(len(message))], NEXT)
    assert len(statuses(received)) <= 1 and b"smuggled" not in received and closed


@pytest.mark.parametrize(
    ("message", "status"),
    [
        (b"GET /" + b"a" * 20_000 + b" HTTP/1.1\r\n" + HOST + b"\r\n", b"414"),
        (b"GET /healthz HTTP/1.1\r\n" + HOST + b"X: " + b"a" * 20_000 + b"\r\n\r\n", b"431"),
        (b"GET /healthz HTTP/1.1\r\n" + HOST + b"X: a\r\n" * 101 + b"\r\n", b"431"),
        (b"POST /api/v1/registrations HTTP/1.1\r\n" + HOST + b"Content-Length: 70000\r\n\r\n" + b"a" * 70_000, b"413"),
        (b"GET /healthz HTTP/2.0\r\n" + HOST + b"\r\n", b"505"),
    ],
)
def test_each_bound_has_its_status(service, message, status):
    received, closed = send(service, message)
    assert received.split(b" ")[1] == status and closed, received[:200]


def test_pipelined_requests_are_answered_in_order(service):
    ask = b"GET /healthz HTTP/1.1\r\n" + HOST + b"\r\nGET /api/v1/me HTTP/1.1\r\n" + HOST + b"\r\n"
    received, closed = send(service, ask * 20 + b"GET /healthz HTTP/1.1\r\nConnection: close\r\n" + HOST + b"\r\n")
    assert statuses(received) == [b"200", b"401"] * 20 + [b"200"] and closed


def test_expect_100_continue_is_heard(service):
    head = (
        b"POST /api/v1/sign-ins HTTP/1.1\r\n"
        + HOST
        + b"Content-Type: application/json\r\nContent-Length: 2\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n"
    )
    received, closed = send(service, head, b"{}")
    assert received.startswith(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 400 ") and closed


def test_a_request_of_http_1_0_is_answered_and_closed(service):
    received, closed = send(service, b"GET /healthz HTTP/1.0\r\n\r\n")
    assert received.startswith(b"HTTP/1.1 200 ") and closed


def test_a_slow_head_does_not_hold_its_connection_for_ever(service):
    with socket.create_connection(("127.0.0.1", service.port), timeout=60) as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: local")
        received = b""
        while chunk := connection.recv(4096):
            received += chunk
    assert received == b"" or received.startswith(b"HTTP/1.1 408 ")
