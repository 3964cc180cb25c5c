"""`anthill demo --group`: a group to look around in, as somebody finds it who was told its account."""

import contextlib
import re

import pytest
from person import Person, expect
from service import running


@pytest.fixture(scope="module")
def shown():
    """A service with the group, and what was said about it."""
    with running() as service:
        done = service.run("demo", "--group")
        assert done.returncode == 0, done.stderr
        yield service, done.stdout


@contextlib.contextmanager
def owner_of(service, said):
    email, password = re.search(r"email +(\S+)\s+password +(\S+)", said).groups()
    with Person(service, "하늘") as person:
        person.email = email
        person.sign_in(password=password)
        yield person


@pytest.fixture
def owner(shown):
    with owner_of(*shown) as person:
        yield person


def test_every_invariant_holds_for_the_six_weeks(shown):
    service, _ = shown
    assert service.violations() == []


def test_the_account_is_told_again_and_nothing_else_happens(shown):
    service, said = shown
    before = service.cluster.sql("SELECT count(*), max(recorded_at) FROM study_intervals")
    again = service.run("demo", "--group")
    assert (again.returncode, again.stdout) == (0, said)
    assert service.cluster.sql("SELECT count(*), max(recorded_at) FROM study_intervals") == before
    refused = service.run("demo", "--group", ANTHILL_SECRET="short")
    assert refused.returncode == 1 and "ANTHILL_SECRET" in refused.stderr


def speaks(person, locale):
    """Whether all that there is to read of the group and its people is in that language."""
    if expect(person.get("/me"), 200).json()["locale"] != locale:
        return False
    [group] = expect(person.get("/groups"), 200).json()["items"]
    members = expect(person.get(f"/groups/{group['id']}/members"), 200).json()["items"]
    named = [group, *(expect(person.get(f"/me/{kind}"), 200).json()["items"] for kind in ("subjects", "projects", "tasks"))]
    closed = expect(person.get(f"/groups/{group['id']}/standings"), 200).json()["items"][0]["month"]
    amendments = expect(person.get(f"/groups/{group['id']}/standings/{closed}"), 200).json()["amendments"]
    read = str([members, named, amendments])
    is_korean, is_english = (bool(re.search(pattern, read)) for pattern in ("[가-힣]", "'(?:nickname|title)': '[A-Za-z]"))
    return (is_korean, is_english) == (locale == "ko", locale == "en")


def test_its_pages_names_and_words_are_all_in_english(owner):
    assert speaks(owner, "en")


def test_the_demo_is_korean_where_LANG_is(own_service):
    done = own_service.run("demo", "--group", LANG="ko_KR.UTF-8")
    assert done.returncode == 0, done.stderr
    with owner_of(own_service, done.stdout) as owner:
        assert speaks(owner, "ko")


def test_there_is_something_to_look_at_everywhere(owner):
    [group] = expect(owner.get("/groups"), 200).json()["items"]
    assert (group["my_role"], group["member_count"], group["emoji"]) == ("owner", 12, "🐜")
    path = f"/groups/{group['id']}"
    week = expect(owner.get(f"{path}/leaderboard?period=week"), 200).json()
    month = expect(owner.get(f"{path}/leaderboard?period=month"), 200).json()
    assert month["participants"] == len(month["entries"]) == 12
    assert sum("hidden" in entry for entry in month["entries"]) == 1
    assert sum(entry["studying"] is True for entry in week["entries"]) == 2

    [closed, _, *_] = expect(owner.get(f"{path}/standings"), 200).json()["items"]
    standings = expect(owner.get(f"{path}/standings/{closed['month']}"), 200).json()
    assert len(standings["entries"]) == 12 and len(standings["amendments"]) == 1

    assert expect(owner.get("/me/today"), 200).json()["total_seconds"] > 100 * 3600
    assert expect(owner.get(f"/me/days?month={closed['month']}"), 200).json()["totals"]["perfect"] > 0
    assert len(expect(owner.get("/me/subjects"), 200).json()["items"]) == 4
    tasks = expect(owner.get("/me/tasks"), 200).json()["items"]
    assert [task["done"] for task in tasks].count(True) == 1 and all(task["actual_seconds"] > 0 for task in tasks)
    assert expect(owner.get("/me/alarm"), 200).json()["enabled"] is True
    assert expect(owner.get("/leaderboard"), 200).json()["participants"] == 11
