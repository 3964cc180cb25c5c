"""Real Chromium over the whole program on a PostgreSQL of its own."""

import datetime
import os
from pathlib import Path

import pytest
from playwright.sync_api import expect, sync_playwright

from person import Person
from service import Cluster, Service

ROOT = Path(__file__).resolve().parents[2]

# Playwright waits five seconds for what is to be seen; a busy machine is slower than that.
expect.set_options(timeout=20_000)


class Clock:
    """The service's one clock, standing still until it is moved: what a test counts is exact to the second."""

    def __init__(self, cluster):
        self.cluster = cluster
        self.now = None

    def set(self, instant: str):
        self.now = datetime.datetime.fromisoformat(instant)
        self._define(f"RETURN timestamptz '{self.now.isoformat()}';")

    def advance(self, seconds: int):
        self.set((self.now + datetime.timedelta(seconds=seconds)).isoformat())

    def release(self):
        self._define("RETURN date_trunc('second', clock_timestamp());")

    def _define(self, body):
        self.cluster.sql(
            "CREATE OR REPLACE FUNCTION anthill_clock() RETURNS timestamptz LANGUAGE plpgsql STABLE PARALLEL SAFE AS "
            f"$$ BEGIN {body} END $$"
        )


@pytest.fixture(scope="session")
def service():
    cluster = Cluster()
    try:
        service = Service(cluster.start()).migrate().start()
        yield service
        assert service.violations() == []
        assert service.stop() == 0
    finally:
        cluster.remove()


@pytest.fixture
def clock(service):
    clock = Clock(service.cluster)
    yield clock
    clock.release()


@pytest.fixture
def people(service):
    """Makes people who use the API; their connections close with the test."""
    made = []

    def make(name):
        made.append(Person(service, name))
        return made[-1].register()

    yield make
    for person in made:
        person.close()


@pytest.fixture(scope="session")
def chromium():
    with sync_playwright() as playwright:
        flags = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=flags)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def pictures():
    """Where screenshots go; git does not see it."""
    folder = ROOT / ".build/pictures"
    folder.mkdir(parents=True, exist_ok=True)
    return folder
