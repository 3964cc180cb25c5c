import datetime
import os
import signal

import citus
import pytest
import used_secrets
from person import Person
from service import START, Cluster, Service, migrated, running, wait_until

# Told to end, pytest stops what it started, as after Ctrl-C.
signal.signal(signal.SIGTERM, signal.default_int_handler)

# They take minutes, or an hour.
collect_ignore = [] if os.environ.get("ANTHILL_TEST_RING") == "long" else ["test_endurance.py", "test_managed_failover.py"]


def pytest_collection_modifyitems(items):
    """The file that takes longest comes first, so that no process works on it alone at the end. On Citus only those run that
    use the shared service, which is on it."""
    items.sort(key=lambda item: item.path.name != "test_scripts.py")
    if citus.WORKERS:
        items[:] = [item for item in items if "shared_service" in item.fixturenames]


@pytest.fixture(scope="session")
def shared_service():
    """One service for all tests that do it no harm."""
    with running() as service:
        yield service
        if not citus.WORKERS:
            assert used_secrets.left_behind(service) == []


@pytest.fixture(scope="module")
def checked_service(shared_service):
    """The shared service; after the tests of a file every invariant holds."""
    yield shared_service
    # What was written at another time of the clock must not look late at this one.
    wait_until(shared_service.all_mail_is_sent, what="the mail to be sent")
    assert shared_service.set_clock(START).violations() == []


@pytest.fixture
def service(checked_service):
    """The shared service with its clock at START."""
    return checked_service.set_clock(START)


@pytest.fixture
def own_service():
    """A service and PostgreSQL for one test alone, which may kill them."""
    cluster = Cluster()
    service = None
    try:
        service = Service(cluster.start(migrated())).set_clock(START).start()
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
