"""erase_user.sql shows what is about a user, erases them when told to, and refuses what it cannot do."""

import pytest
from whole_person import WholePerson

SCRIPT = "erase_user.sql"


@pytest.fixture
def person(schema):
    return WholePerson(schema)


def test_the_script_shows_what_would_go_and_changes_nothing(person):
    shown = {column: int(count) for column, count in person.schema.maintenance(SCRIPT, uid=person.uid, reason="a letter")}
    assert shown == person.rows_about() and shown["users.uid"] == 1
    assert person.schema.maintenance("check.sql") == []


def test_the_script_erases_and_keeps_the_reason(person):
    person.schema.maintenance(SCRIPT, uid=str(person.uid).upper(), reason="a letter", apply=1)
    assert person.schema.rows("SELECT FROM users WHERE uid = %s", person.uid) == []
    assert person.schema.value("SELECT details ->> 'reason' FROM audit_events WHERE kind = 'account_erased'") == "a letter"
    assert person.schema.maintenance("check.sql") == []


NOBODY = "3f0e4a52-0000-4000-8000-000000000000"


@pytest.mark.parametrize(
    ("variables", "words"),
    [
        ({}, "name the user: -v uid=UUID"),
        ({"uid": "marmalade", "reason": "x"}, "name the user: -v uid=UUID"),
        ({"uid": NOBODY}, "give the reason"),
        ({"uid": NOBODY, "reason": " "}, "give the reason"),
        ({"uid": NOBODY, "reason": "x", "apply": "yes"}, "apply is 1, or is left out"),
        ({"uid": NOBODY, "reason": "x"}, f"no user has the uid {NOBODY}"),
    ],
)
def test_the_script_refuses_wrong_variables_in_one_sentence(schema, variables, words):
    said = schema.refused(SCRIPT, **variables)
    assert words in said and len(said.strip().splitlines()) == 1


def test_the_script_refuses_the_only_owner_of_a_group(schema):
    owner = schema.user()
    group = schema.value("SELECT create_group(%s, 'Larks')", owner)
    said = schema.refused(SCRIPT, uid=owner, reason="x", apply=1)
    assert f"they are the only owner of: Larks ({group})" in said
    assert schema.value("SELECT count(*) FROM users") == 1
