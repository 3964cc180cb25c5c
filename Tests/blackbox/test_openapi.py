"""The service against its own description: schemathesis makes requests, right and wrong ones, and judges the answers."""

import os

import schemathesis
from hypothesis import HealthCheck, Phase, settings

import contract
import pytest
from person import PASSWORD, Person, expect
from service import Cluster, Service

EXAMPLES = 1000 if os.environ.get("ANTHILL_TEST_RING") == "long" else 25

description = schemathesis.openapi.from_path(contract.DOCUMENT)


@pytest.fixture(scope="module")
def fuzzed():
    """A service without the limit on requests, which would answer all others."""
    cluster = Cluster()
    service = None
    try:
        service = Service(cluster.start(), ANTHILL_API_LIMIT="0").migrate().start()
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


@description.parametrize()
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.explicit, Phase.generate])
def test_every_operation_answers_as_it_is_described(case, fuzzed, caller, group):
    if case.operation.label in ("DELETE /sign-ins/current", "DELETE /sign-ins/{id}") or caller.get("/me").status_code == 401:
        caller.sign_in()
    if "id" in (case.path_parameters or {}) and case.path.startswith("/groups/") and case.method != "DELETE":
        case.path_parameters["id"] = group["id"]
    base = fuzzed.origin if case.path in ("/healthz", "/readyz") else fuzzed.api
    case.call_and_validate(base_url=base, headers={"Authorization": f"Bearer {caller.token}"})
