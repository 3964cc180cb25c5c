"""Requests that arrive together, or one right behind the other."""

import concurrent.futures
import http.client
import itertools
import json
import socket
import threading
import time

import contract
import used_secrets

_clients = itertools.count()


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def json(self):
        return json.loads(self.body)


def bearer(person):
    """The headers that say who asks."""
    return {"Authorization": f"Bearer {person.token}", "X-Forwarded-For": person.address}


def from_anywhere(person=None):
    """The headers of a request from an address of its own: limits per address are another rule."""
    number = next(_clients)
    address = f"172.{16 + (number >> 16 & 15)}.{number >> 8 & 255}.{number & 255}"
    return {**(bearer(person) if person else {}), "X-Forwarded-For": address}


def in_a_row(service, requests):
    """The statuses of the answers to (method, path, headers), which go over one connection without a wait between them."""
    with socket.create_connection(("127.0.0.1", service.port), timeout=60) as connection:

        def send():
            for method, path, headers in requests:
                lines = [f"{method} /api/v1{path} HTTP/1.1", f"Host: localhost:{service.port}"]
                lines += [f"{name}: {value}" for name, value in headers.items()]
                connection.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())

        sender = threading.Thread(target=send)
        sender.start()
        statuses = []
        with connection.makefile("rb") as stream:
            for _ in requests:
                statuses.append(int(stream.readline().split()[1]))
                head = http.client.parse_headers(stream)
                stream.read(int(head["Content-Length"]))
        sender.join()
        return statuses


def together(service, requests):
    """The answers to (method, path, body, headers), in their order; each over a connection of its own.

    All but the last byte of each is sent first, then the last bytes in one go. Those told that the service is busy come
    again, as people do."""
    answers = _at_once(service, requests)
    while again := [number for number, answer in enumerate(answers) if answer.status == 503 and answer.json()["code"] == "busy"]:
        for number, answer in zip(again, _at_once(service, [requests[number] for number in again])):
            answers[number] = answer
    return answers


def _at_once(service, requests):
    connections, heads = [], []
    for method, path, body, headers in requests:
        content = json.dumps(body).encode() if body is not None else b""
        lines = [f"{method} /api/v1{path} HTTP/1.1", f"Host: localhost:{service.port}", f"Content-Length: {len(content)}"]
        if body is not None:
            lines.append("Content-Type: application/json")
        lines += [f"{name}: {value}" for name, value in headers.items()]
        heads.append(("\r\n".join(lines) + "\r\n\r\n").encode() + content)
        connection = socket.create_connection(("127.0.0.1", service.port), timeout=30)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connections.append(connection)
    for connection, head in zip(connections, heads):
        connection.sendall(head[:-1])
    for connection, head in zip(connections, heads):
        connection.sendall(head[-1:])
    answers = []
    for connection, (method, path, body, _) in zip(connections, requests):
        response = http.client.HTTPResponse(connection, method=method)
        response.begin()
        headers = {name.lower(): value for name, value in response.getheaders()}
        answer = Answer(response.status, headers, response.read())
        connection.close()
        contract.check(method, f"/api/v1{path.split('?')[0]}", answer.status, answer.headers, answer.body)
        used_secrets.note(body, answer.status, answer.headers, answer.body)
        answers.append(answer)
    return answers


class Race:
    """Two acts at once, round after round. The one that lost begins sooner the next time, and sooner still if it loses again:
    so each wins at times, on a machine of any speed."""

    def __init__(self):
        self.lead, self.step, self.winners = 0.0, 0.001, []

    def run(self, first, second):
        """What both answer. `first` begins `lead` seconds before `second`; below zero, it begins after it."""

        def begin(act, wait):
            time.sleep(max(0, wait))
            return act()

        with concurrent.futures.ThreadPoolExecutor(2) as both:
            started = both.submit(begin, first, -self.lead), both.submit(begin, second, self.lead)
            return [each.result() for each in started]

    def won_by_first(self, won):
        self.step = 2 * self.step if self.winners and self.winners[-1] == won else 0.001
        self.lead += -self.step if won else self.step
        self.winners.append(won)

    def went_both_ways(self):
        return set(self.winners) == {True, False}
