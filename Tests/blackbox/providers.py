"""Providers of OpenID Connect for the tests, on loopback ports: a real one, and one that says whatever a test wants."""

import base64
import hashlib
import hmac
import json
import secrets
import subprocess
import sys
import threading
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from service import free_port, wait_until

CLIENT, SECRET = "anthill", "a secret of the client"


def base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def from_base64url(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def number(value: int) -> str:
    return base64url(value.to_bytes((value.bit_length() + 7) // 8, "big"))


class Key:
    """A key pair of RS256 or ES256."""

    def __init__(self, kid, algorithm="RS256"):
        self.kid, self.algorithm = kid, algorithm
        if algorithm == "RS256":
            self.private = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        else:
            self.private = ec.generate_private_key(ec.SECP256R1())

    @property
    def jwk(self):
        numbers = self.private.public_key().public_numbers()
        about = {"kid": self.kid, "alg": self.algorithm, "use": "sig"}
        if self.algorithm == "RS256":
            return {**about, "kty": "RSA", "n": number(numbers.n), "e": number(numbers.e)}
        x, y = (base64url(part.to_bytes(32, "big")) for part in (numbers.x, numbers.y))
        return {**about, "kty": "EC", "crv": "P-256", "x": x, "y": y}

    @property
    def public_pem(self):
        return self.private.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)

    @property
    def private_pem(self):
        return self.private.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())

    def sign(self, text, algorithm=None):
        data, algorithm = text.encode(), algorithm or self.algorithm
        if algorithm == "ES256":
            r, s = decode_dss_signature(self.private.sign(data, ec.ECDSA(hashes.SHA256())))
            return r.to_bytes(32, "big") + s.to_bytes(32, "big")
        if algorithm == "PS256":
            return self.private.sign(data, padding.PSS(padding.MGF1(hashes.SHA256()), 32), hashes.SHA256())
        digest = {"RS256": hashes.SHA256(), "RS384": hashes.SHA384(), "RS512": hashes.SHA512()}[algorithm]
        return self.private.sign(data, padding.PKCS1v15(), digest)


def token(header, claims, sign):
    """A token in the compact form; header and claims are values or the very text."""
    parts = [value if isinstance(value, str) else json.dumps(value) for value in (header, claims)]
    head = ".".join(base64url(part.encode()) for part in parts)
    return f"{head}.{base64url(sign(head))}"


def hs256(secret: bytes):
    return lambda head: hmac.new(secret, head.encode(), hashlib.sha256).digest()


class Liar:
    """A provider that answers as a test tells it: by default the truth, as RS256 with its first key."""

    def __init__(self, now):
        self.now = now
        self.key, self.ec_key = Key("first"), Key("curve", "ES256")
        self.keys = [self.key, self.ec_key]
        self.port = free_port()
        self.issuer = f"http://127.0.0.1:{self.port}"
        self.discovery = {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "userinfo_endpoint": f"{self.issuer}/userinfo",
            "jwks_uri": f"{self.issuer}/keys",
            "token_endpoint_auth_methods_supported": ["client_secret_post"],
        }
        self.codes = {}
        self.fetched = []
        # What must never be found in a log or in the database.
        self.secrets = set()
        self.forms = []
        self.lock = threading.Lock()
        self.tell_the_truth()
        liar = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                liar.get(self)

            def do_POST(self):
                liar.post(self)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", self.port), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def tell_the_truth(self):
        self.forge = lambda claims, header: token(header, claims, self.key.sign)
        # Replaces the whole answer of the token endpoint: (status, body).
        self.answer = None
        self.userinfo = {}
        return self

    # What the browser does there

    def allow(self, address, **claims):
        """The query with which the provider sends a browser back that came by this address. The claims are what the ID
        token says of the person, over what it says anyway."""
        asked = {name: values[0] for name, values in urllib.parse.parse_qs(urllib.parse.urlsplit(address).query).items()}
        assert asked["response_type"] == "code" and asked["code_challenge_method"] == "S256"
        code = secrets.token_urlsafe(24)
        self.codes[code] = (asked, claims)
        self.secrets |= {code, asked["state"], asked["nonce"]}
        return {"code": code, "state": asked["state"]}

    # What the service asks

    def send(self, handler, status, body, media="application/json", **headers):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        handler.send_response(status)
        for name, value in {"Content-Type": media, "Content-Length": str(len(data)), **headers}.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(data)

    def get(self, handler):
        with self.lock:
            self.fetched.append(handler.path)
        if handler.path == "/.well-known/openid-configuration":
            return self.send(handler, 200, self.discovery)
        if handler.path == "/keys":
            return self.send(handler, 200, {"keys": [key.jwk for key in self.keys]})
        if handler.path == "/userinfo" and handler.headers["Authorization"].removeprefix("Bearer ") in self.secrets:
            return self.send(handler, 200, self.userinfo)
        return self.send(handler, 404, {})

    def post(self, handler):
        body = handler.rfile.read(int(handler.headers["Content-Length"])).decode()
        form = dict(urllib.parse.parse_qsl(body, strict_parsing=True))
        with self.lock:
            self.forms.append(form)
            asked, claims = self.codes.pop(form["code"], (None, None))
        self.secrets |= {form["code_verifier"], form["client_secret"]}
        challenge = base64url(hashlib.sha256(form["code_verifier"].encode()).digest())
        if not asked or challenge != asked["code_challenge"] or form["redirect_uri"] != asked["redirect_uri"]:
            return self.send(handler, 400, {"error": "invalid_grant"})
        if self.answer:
            return self.send(handler, *self.answer)
        said = {
            "iss": self.issuer,
            "aud": asked["client_id"],
            "exp": self.now + 300,
            "iat": self.now,
            "nonce": asked["nonce"],
            **claims,
        }
        said = {name: value for name, value in said.items() if value is not None}
        signed = self.forge(said, {"alg": "RS256", "kid": "first", "typ": "JWT"})
        access = secrets.token_urlsafe(24)
        self.secrets |= {access, signed} if isinstance(signed, str) else {access}
        return self.send(handler, 200, {"access_token": access, "token_type": "Bearer", "id_token": signed})


class Canaille:
    """The real provider, as a process."""

    script = Path(__file__).with_name("canaille_provider.py")
    password = "the ants walk at 5"

    def __init__(self):
        self.port = free_port()
        self.issuer = f"http://127.0.0.1:{self.port}"
        self.process = None

    def start(self, redirect_uri, *names):
        self.process = subprocess.Popen(
            [sys.executable, self.script, str(self.port), redirect_uri, *names],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )
        wait_until(lambda: self.process.stdout.readline() == "ready\n", what="Canaille to start")
        return self

    def stop(self):
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()
