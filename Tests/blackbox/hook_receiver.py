"""A receiver of webhooks, for the tests: it answers as it was told, and checks signatures with an implementation that has nothing
to do with ours."""

import base64
import contextlib
import hashlib
import hmac
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Hook:
    """One address: what it answers in turn, and what has arrived."""

    def __init__(self, receiver, name):
        self.url = f"{receiver.origin}/hooks/{name}"
        self.plan, self.requests = [], []

    @property
    def taken(self):
        return [json.loads(body) for status, _, body in self.requests if status == 204]


class Receiver:
    def __init__(self):
        self.hooks = {}
        self.release = threading.Event()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                hook = receiver.hooks[self.path.rpartition("/")[2]]
                step = hook.plan.pop(0) if hook.plan else 204
                status, headers, *said = step if isinstance(step, tuple) else (step, {})
                hook.requests.append((status, dict(self.headers), body))
                if status == "hang":
                    receiver.release.wait()
                    status = 500
                with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                    self.send_response(status)
                    for name, value in headers.items():
                        self.send_header(name, value)
                    self.send_header("Content-Length", str(len(b"".join(said))))
                    self.end_headers()
                    self.wfile.write(b"".join(said))

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.origin = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def hook(self, *plan):
        made = Hook(self, f"h{len(self.hooks)}")
        made.plan = list(plan)
        self.hooks[made.url.rpartition("/")[2]] = made
        return made

    def stop(self):
        self.release.set()
        self.server.shutdown()
        self.server.server_close()


def is_signed(headers, body, secret):
    """Standard Webhooks, as its specification says: HMAC-SHA256 over id, time and body."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    return f"v1,{expected}" in headers["webhook-signature"].split(" ")
