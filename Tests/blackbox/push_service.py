"""A push service and the browsers behind it, for the tests: it answers as it was told, and reads what it got as a browser
does, with an implementation that has nothing to do with ours."""

import base64
import contextlib
import json
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import http_ece
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from joserfc import jwt
from joserfc.jwk import ECKey


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def unbase64url(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


class Browser:
    """One subscription: its keys, and what has arrived."""

    def __init__(self, service, name):
        self.service, self.name = service, name
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.authentication = os.urandom(16)
        self.endpoint = f"{service.origin}/send/{name}"
        self.requests = []
        self.plan = []

    def subscription(self):
        """As PushSubscription.toJSON gives it."""
        point = self.key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        keys = {"p256dh": base64url(point), "auth": base64url(self.authentication)}
        return {"endpoint": self.endpoint, "expirationTime": None, "keys": keys}

    def read(self, body):
        return json.loads(http_ece.decrypt(body, private_key=self.key, auth_secret=self.authentication, version="aes128gcm"))

    @property
    def taken(self):
        """What was answered 201, read."""
        return [self.read(body) for status, _, body in self.requests if status == 201]


class PushService:
    def __init__(self):
        self.browsers = {}
        self.release = threading.Event()
        push_service = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                browser = push_service.browsers[self.path.rpartition("/")[2]]
                step = browser.plan.pop(0) if browser.plan else 201
                status, headers = step if isinstance(step, tuple) else (step, {})
                browser.requests.append((status, dict(self.headers), body))
                if status == "hang":
                    push_service.release.wait()
                    status = 500
                with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                    self.send_response(status)
                    for name, value in headers.items():
                        self.send_header(name, value)
                    self.send_header("Content-Length", "0")
                    self.end_headers()

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.origin = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def browser(self):
        made = Browser(self, f"b{len(self.browsers)}")
        self.browsers[made.name] = made
        return made

    def stop(self):
        self.release.set()
        self.server.shutdown()
        self.server.server_close()


def verified(authorization):
    """The claims of a VAPID header (RFC 8292), and the key that signed them."""
    scheme, _, rest = authorization.partition(" ")
    parts = dict(part.strip().split("=", 1) for part in rest.split(","))
    assert scheme == "vapid" and parts.keys() == {"t", "k"}
    point = unbase64url(parts["k"])
    key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)
    token = jwt.decode(
        parts["t"], ECKey.import_key(key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)), algorithms=["ES256"]
    )
    return token.claims, parts["k"]
