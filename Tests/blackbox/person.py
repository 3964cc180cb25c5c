"""A person with a device: asks the service over HTTP, and every answer is checked against openapi.yaml."""

import itertools
import secrets
import uuid
from urllib.parse import urlsplit

import accounts
import contract
import httpx
import used_secrets
from accounts import PASSWORD

_numbers = itertools.count(1)


class Person:
    def __init__(self, service, name="Jihye", language="en"):
        number = next(_numbers)
        self.service = service
        self.name = name
        self.language = language
        self.email = f"{name.lower()}.{number}.{secrets.token_hex(3)}@example.org"
        # An address of their own, as people at home have; the service trusts the loopback peer to say it.
        self.address = f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
        self.token = None
        self.uid = None
        self.http = httpx.Client(
            base_url=service.origin,
            headers={"X-Forwarded-For": self.address, "Accept-Language": language},
            timeout=30,
            trust_env=False,
            # It speaks HTTP alone; reading all certificates takes longer than most tests.
            verify=False,
            transport=service.way(number),
        )

    def close(self):
        self.http.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def ask(self, method, path, body=None, *, token=..., key=None, headers=None, content=None, params=None):
        """One request; `path` is under /api/v1 unless it begins with two slashes."""
        wanted = dict(headers or {})
        token = self.token if token is ... else token
        if token:
            wanted["Authorization"] = f"Bearer {token}"
        if key:
            wanted["Idempotency-Key"] = str(key)
        if body is not None:
            response = self.http.request(method, self._url(path), json=body, headers=wanted, params=params)
        else:
            response = self.http.request(method, self._url(path), content=content, headers=wanted, params=params)
        contract.check(method, urlsplit(str(response.url)).path, response.status_code, response.headers, response.content)
        used_secrets.note(body, response.status_code, response.headers, response.content)
        return response

    @staticmethod
    def _url(path):
        return path[1:] if path.startswith("//") else f"/api/v1{path}"

    def get(self, path, **options):
        return self.ask("GET", path, **options)

    def post(self, path, body=None, **options):
        return self.ask("POST", path, body, **options)

    def put(self, path, body=None, **options):
        return self.ask("PUT", path, body, **options)

    def patch(self, path, body=None, **options):
        return self.ask("PATCH", path, body, **options)

    def delete(self, path, **options):
        return self.ask("DELETE", path, **options)

    # The way in

    def ask_to_register(self, **more):
        """Asks for the mail and gives its token."""
        already = len(self.service.letters(self.email))
        expect(self.post("/registrations", {"email": self.email, **more}, token=None), 202)
        return self.service.token_from_mail(self.email, already=already)

    def ask_for_reset(self):
        """Asks for a new password and gives the token of the mail."""
        already = len(self.service.letters(self.email))
        expect(self.post("/password-resets", {"email": self.email}, token=None), 202)
        return self.service.token_from_mail(self.email, already=already)

    def register(self, time_zone="Asia/Seoul", nickname=None, locale=None):
        """Has an account and is signed in, as after `register_by_mail`."""
        self.uid, self.token = accounts.register(
            self.service,
            self.email,
            nickname=nickname or self.name,
            locale=locale or self.language,
            time_zone=time_zone,
            device="python-httpx",
            client=self.address,
        )
        return self

    def register_by_mail(self, time_zone="Asia/Seoul", **more):
        """Registers as people do, and is signed in then."""
        token = self.ask_to_register()
        body = {"token": token, "nickname": self.name, "password": PASSWORD, "time_zone": time_zone, **more}
        return self._signed_in(expect(self.post("/users", body, token=None), 201))

    def sign_in(self, **more):
        return self._signed_in(expect(self.post("/sign-ins", {"email": self.email, "password": PASSWORD, **more}, token=None), 201))

    def _signed_in(self, answer):
        self.uid = answer.json()["user"]["uid"]
        self.token = answer.json()["sign_in"].get("token")
        return self

    # What one does

    def start(self, **body):
        return self.post("/me/timer/start", body)

    def log(self, started_at, ended_at, **more):
        return self.post("/me/sessions", {"started_at": started_at, "ended_at": ended_at, **more})

    def found_group(self, name="Night owls", **more):
        return expect(self.post("/groups", {"name": name, **more}), 201).json()

    def invite(self, group, **more):
        return expect(self.post(f"/groups/{group['id']}/invitations", more), 201).json()

    def join(self, code):
        return expect(self.post(f"/invitations/{code}/acceptances"), 201).json()


def expect(response, status, code=None, field=None):
    """The response, if it is what is expected."""
    assert response.status_code == status, f"{response.request.method} {response.request.url}: {response.status_code} {response.text}"
    if code:
        assert response.json()["code"] == code, response.text
    if field:
        assert response.json().get("field") == field, response.text
    return response


def new_id():
    return str(uuid.uuid4())
