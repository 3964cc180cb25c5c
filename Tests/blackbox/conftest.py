import datetime

import pytest

from person import Person
from service import Cluster, Service


@pytest.fixture(scope="session")
def shared_service():
    """One service for all tests that do it no harm."""
    cluster = Cluster()
    try:
        service = Service(cluster.start()).migrate().start()
        yield service
        assert service.stop() == 0
    finally:
        cluster.remove()


@pytest.fixture
def service(shared_service):
    """The shared service with its clock set right; afterwards every invariant holds."""
    shared_service.advance_clock(0)
    yield shared_service
    shared_service.advance_clock(0)
    assert shared_service.violations() == []


@pytest.fixture
def own_service():
    """A service and PostgreSQL for one test alone, which may kill them."""
    cluster = Cluster()
    service = None
    try:
        service = Service(cluster.start()).migrate().start()
        yield service
        if cluster.process.poll() is None:
            assert service.violations() == []
    finally:
        if service and service.process:
            service.kill()
        cluster.remove()


@pytest.fixture
def people(request):
    """Makes people; their connections close with the test."""
    made = []

    def make(service, name="Jihye", *, registered=True, **more):
        person = Person(service, name, **more)
        made.append(person)
        return person.register() if registered else person

    yield make
    for person in made:
        person.close()


@pytest.fixture
def ago(service):
    """RFC 3339 for an instant this many seconds before the service's now."""
    [[now]] = service.cluster.sql("SELECT anthill_clock()")

    def instant(seconds):
        return (now - datetime.timedelta(seconds=seconds)).astimezone(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

    return instant
