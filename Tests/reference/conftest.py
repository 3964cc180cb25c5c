import pytest
from schema import Schema


@pytest.fixture
def schema():
    """A migrated database of its own, with a clock that stands where it is put; dropped afterwards."""
    made = Schema()
    try:
        yield made
    finally:
        made.drop()
