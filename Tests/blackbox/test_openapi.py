"""The service against its own description: schemathesis makes requests, right and wrong ones, and judges the answers."""

import os
import secrets

import contract
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from person import Person
from service import START, Cluster, Service

LONG = os.environ.get("ANTHILL_TEST_RING") == "long"

# What a schema cannot say is said by 422 (read, but against a rule) and 410 (a link that was used or ran out).
RULES = {"expected-statuses": ["2xx", "304", "401", "403", "404", "409", "410", "422"]}
CONFIG = schemathesis.Config.from_dict({"checks": {"positive_data_acceptance": RULES}})

# A file is sent as the text that it is, or as its bytes.
schemathesis.serializer("text/csv")(lambda context, value: str(value).encode(errors="replace"))
for media in ("image/png", "image/jpeg", "image/webp"):
    schemathesis.serializer(media)(lambda context, value: value if isinstance(value, bytes) else str(value).encode(errors="replace"))

# A stream does not end by itself; test_live.py reads it.
description = schemathesis.openapi.from_path(contract.DOCUMENT, config=CONFIG).exclude(path="/groups/{id}/leaderboard/stream")


@pytest.fixture(scope="module")
def fuzzed():
    """A service without the limit on requests, which would answer all others."""
    cluster = Cluster()
    service = None
    try:
        service = Service(cluster.start(), ANTHILL_API_LIMIT="0").migrate().set_clock(START).start()
        yield service
        assert service.stop() == 0
        assert service.violations() == []
        assert '"status":500' not in service.log()
    finally:
        if service and service.process:
            service.kill()
        cluster.remove()


@pytest.fixture(scope="module")
def caller(fuzzed):
    with Person(fuzzed) as person:
        person.register()
        yield person


@pytest.fixture(scope="module")
def group(caller):
    return caller.found_group()


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


@description.parametrize()
@settings(
    max_examples=1000 if LONG else 25,
    # The same requests each time, but for the long ring, which looks for new ones.
    derandomize=not LONG,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.generate],
)
def test_every_operation_answers_as_it_is_described(case, fuzzed, caller, group):
    if case.meta.generation.mode.is_positive:
        as_a_client_would(case)
        if case.path.startswith("/groups/{id}") and case.method != "DELETE":
            case.path_parameters["id"] = group["id"]
    # Limits hold for an address; each request comes from another.
    address = ".".join(str(secrets.randbelow(256)) for _ in range(4))
    base = fuzzed.origin if case.path in ("/healthz", "/readyz") else fuzzed.api
    case.call_and_validate(base_url=base, headers={"Authorization": f"Bearer {caller.token}", "X-Forwarded-For": address})
    if case.path == "/me/avatar":
        fuzzed.cluster.sql("DELETE FROM rate_limits")
    if case.method == "DELETE" and case.path.startswith("/sign-ins/"):
        fuzzed.cluster.sql("DELETE FROM rate_limits")
        caller.sign_in()
