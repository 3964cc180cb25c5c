"""The service against its own description: schemathesis makes requests, right and wrong ones, and judges the answers."""

import os
import secrets
from http.cookiejar import DefaultCookiePolicy

import contract
import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from person import Person
from service import running

LONG = os.environ.get("ANTHILL_TEST_RING") == "long"

# What a schema cannot say is said by 422 (read, but against a rule) and 410 (a link that was used or ran out).
RULES = {"expected-statuses": ["2xx", "304", "401", "403", "404", "409", "410", "422"]}
CONFIG = schemathesis.Config.from_dict({"checks": {"positive_data_acceptance": RULES}})

# A file is sent as the text that it is, or as its bytes.
schemathesis.serializer("text/csv")(lambda context, value: str(value).encode(errors="replace"))
for media in ("image/png", "image/jpeg", "image/webp"):
    schemathesis.serializer(media)(lambda context, value: value if isinstance(value, bytes) else str(value).encode(errors="replace"))

# A stream does not end by itself; test_live.py reads one.
description = schemathesis.openapi.from_path(contract.DOCUMENT, config=CONFIG).exclude(path_regex="/leaderboard/stream$")


@pytest.fixture(scope="module")
def fuzzed():
    """A service without the limit on requests, which would answer all others."""
    with running(ANTHILL_API_LIMIT="0") as service:
        yield service


@pytest.fixture(scope="module")
def caller(fuzzed):
    with Person(fuzzed) as person:
        person.register()
        yield person


@pytest.fixture(scope="module")
def group(caller):
    return caller.found_group()


@pytest.fixture(scope="module")
def session():
    """Connections that stay open. It keeps no cookie: each request stands by itself."""
    with requests.Session() as session:
        session.trust_env = False
        session.headers.clear()
        session.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))
        yield session


def as_a_client_would(case):
    """What a schema cannot say: a cursor is one that a list gave, a whole number is written without a fraction, in a
    file quotes match."""
    (case.query or {}).pop("after", None)
    if isinstance(case.body, dict):
        case.body = whole(case.body)
    elif case.media_type == "text/csv":
        case.body = case.body.replace('"', "").replace("\0", "")


def whole(value):
    if isinstance(value, dict):
        return {name: whole(member) for name, member in value.items()}
    if isinstance(value, list):
        return [whole(member) for member in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def examples(count):
    """How many requests are made up for an operation, besides those at the bounds of each parameter."""
    return settings(
        max_examples=1000 if LONG else count,
        # The same requests each time, but for the long ring, which looks for new ones.
        derandomize=not LONG,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.explicit, Phase.generate],
    )


# They have few parameters and no body.
@description.include(method="GET").parametrize()
@examples(8)
def test_every_get_answers_as_it_is_described(case, fuzzed, caller, group, session):
    judge(case, fuzzed, caller, group, session)


@description.exclude(method="GET").parametrize()
@examples(25)
def test_every_other_operation_answers_as_it_is_described(case, fuzzed, caller, group, session):
    judge(case, fuzzed, caller, group, session)


def judge(case, fuzzed, caller, group, session):
    if case.meta.generation.mode.is_positive:
        as_a_client_would(case)
        if case.path.startswith("/groups/{id}") and case.method != "DELETE":
            case.path_parameters["id"] = group["id"]
    # Limits hold for an address; each request comes from another.
    address = ".".join(str(secrets.randbelow(256)) for _ in range(4))
    base = fuzzed.origin if case.path in ("/healthz", "/readyz") else fuzzed.api
    headers = {"Authorization": f"Bearer {caller.token}", "X-Forwarded-For": address}
    case.call_and_validate(base_url=base, session=session, headers=headers)
    if case.path == "/me/avatar":
        fuzzed.cluster.sql("DELETE FROM rate_limits")
    if case.method == "DELETE" and case.path.startswith("/sign-ins/"):
        fuzzed.cluster.sql("DELETE FROM rate_limits")
        caller.sign_in()
