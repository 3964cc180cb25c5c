"""Real Chromium over the whole program on a PostgreSQL of its own."""

import os
import signal
from pathlib import Path

import pytest
from person import Person
from playwright.sync_api import expect, sync_playwright
from service import START, running

# Told to end, pytest stops what it started, as after Ctrl-C.
signal.signal(signal.SIGTERM, signal.default_int_handler)

ROOT = Path(__file__).resolve().parents[2]

# Playwright's own five seconds are too short on a busy machine.
expect.set_options(timeout=20_000)


def pytest_collection_modifyitems(config, items):
    """In the ring of CI, tests that exist in both languages run in one of them, by turns from file to file. By hand and in
    the long ring they run in both."""
    if os.environ.get("ANTHILL_TEST_RING") != "all":
        return
    # All files count, so that a test that runs again by itself runs in the same language.
    files = sorted(Path(__file__).parent.glob("test_*.py"))
    left_out = []
    for item in items:
        spoken = {"ko", "en"}.intersection(map(str, item.callspec.params.values())) if hasattr(item, "callspec") else ()
        if not spoken or item.get_closest_marker("both_languages"):
            continue
        if ("ko", "en")[files.index(item.path) % 2] not in spoken:
            left_out.append(item)
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in left_out]


def pytest_terminal_summary(terminalreporter):
    """Prints what tests measured; what a process of xdist prints is not seen."""
    for report in terminalreporter.getreports("passed"):
        for row in dict(report.user_properties).get("measured", ()):
            terminalreporter.write_line(row)


class Clock:
    """The service's clock; it stands still until a test moves it."""

    def __init__(self, service):
        self.set, self.advance = service.set_clock, service.advance_clock


@pytest.fixture(scope="session")
def service():
    with running() as service:
        yield service


@pytest.fixture
def clock(service):
    service.set_clock(START)
    yield Clock(service)
    service.set_clock(START)


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
        # Each visitor's pages are of one site; isolating sites keeps one more process ready for each.
        flags = ["--disable-site-isolation-trials", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium-headless-shell", args=flags)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def pictures():
    """Where pictures of the pages go; git does not see it."""
    folder = ROOT / ".build/pictures"
    folder.mkdir(parents=True, exist_ok=True)
    return folder
