import pytest
import world_admin
from schema import Schema


@pytest.fixture
def schema():
    """A migrated database of its own, with a clock that stands where it is put; dropped afterwards."""
    made = Schema()
    try:
        yield made
    finally:
        made.drop()


@pytest.fixture(scope="session")
def lived():
    """The name of a database to be copied: a group with a closed month, see world_admin.py."""
    made = world_admin.lived()
    yield made.name
    made.drop()


@pytest.fixture
def world(lived):
    """A copy of it; dropped afterwards."""
    made = world_admin.World(lived)
    yield made
    made.drop()
