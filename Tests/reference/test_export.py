"""The export holds all data of a person, as openapi.yaml describes it: read back, and compared with the tables."""

import datetime
import json

import pytest
import yaml
from jsonschema import Draft202012Validator, FormatChecker
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012
from schema import ROOT
from whole_person import ABOUT_NOBODY, WholePerson

SPEC = yaml.load((ROOT / "Sources/AnthillServer/openapi.yaml").read_text(), Loader=yaml.CSafeLoader)

# Where rows of a table are, if not under its name; and which columns name the person whose rows they are.
PLACES = {
    "users": ("profile", ["uid"]),
    "students": ("profile", ["uid"]),
    "user_emails": ("profile", ["uid"]),
    "group_members": ("groups", ["uid"]),
    "group_membership_history": ("groups", ["uid"]),
    "study_sessions": ("sessions", ["uid"]),
    "study_intervals": ("sessions", ["uid"]),
    "audit_events": ("security_events", ["uid", "actor"]),
    "invitations": ("invitations", ["created_by"]),
    "amendments": ("amendments", ["actor"]),
    "mail_outbox": ("mails", []),
    "cheers": ("cheers", ["uid", "receiver"]),
}

# Tables whose rows are nowhere in it, and why.
LEFT_OUT = {
    "day_totals": "follows from the intervals",
    "month_totals": "follows from the intervals",
    "past_streaks": "follows from the intervals",
    "rank_totals": "follows from the intervals",
    "rank_deltas": "follows from the intervals",
    "counted_under": "follows from the stays in groups",
    "fame": "follows from the standings",
    "board_changes": "that something changed, for minutes",
    "provider_flows": "a trip to a provider, for minutes",
    "auth_tokens": "a link to a new address would tell that it has no account",
    "idempotency_keys": "answers that the person has got, for a day",
    "weekly_letters": "follows from the settings and the clock",
    "webhook_deliveries": "what other services of a group were told, for a month",
    "push_outbox": "what is to be pushed, for hours",
    "push_reminders": "follows from the alarm and the timer",
    "push_places": "follows from the boards",
    "admin_changes": "their events say what an admin changed; this is what undoing it needs",
}

# Columns that are in no export: secrets, what is kept twice, and who else had a part in it.
HIDDEN = {
    "password_hash", "sealed_address", "auth_epoch", "not_before", "token_mac", "code_sha256", "actual_seconds", "unattended_mail_at",
    "receiver", "suspended_by", "lifted_by", "banned_by", "about", "answered_by", "actor", "uid", "canonical", "parameters", "lease_until", "attempts", "due", "dead_at", "last_error",
}  # fmt: skip
HIDDEN_IN = {
    "audit_events": {"id"},
    "amendments": {"amendment_id", "person"},
    "mail_outbox": {"id"},
    "wake_up_challenges": {"answer"},
    # The picture is exported in another form, and its version follows from it.
    "avatars": {"webp", "version"},
    "push_subscriptions": {"authentication", "device_key"},
}


@pytest.fixture
def person(schema):
    return WholePerson(schema)


def export(person):
    """What GET /me/export puts together."""
    rows = person.schema.rows
    parts = {part: json.loads(content) for part, content in rows("SELECT part, content FROM exported_account(%s)", person.uid)}
    sessions = [row[0] for row in rows("SELECT session_id FROM exported_sessions(%s, NULL, NULL, true)", person.uid)]
    documents = rows("SELECT document FROM exported_documents(%s, %s)", person.uid, sessions)
    return {"exported_at": "2026-11-21T05:00:00Z", **parts, "sessions": [json.loads(document) for (document,) in documents]}


def plain(value):
    """One form for a value, whatever wrote it: instants to the second, times of day to the minute, bytes in hexadecimal."""
    if isinstance(value, str):
        try:
            instant = datetime.datetime.fromisoformat(value)
        except ValueError:
            pass
        else:
            if len(value) > 10:
                return int(instant.timestamp())
        if value.startswith("\\x"):
            return value[2:]
        if len(value) == 8 and value[2] == value[5] == ":":
            return value[:5]
    return value


def values(thing):
    """All values in it, however deep."""
    if isinstance(thing, dict):
        return set().union(*map(values, thing.values()))
    if isinstance(thing, list):
        return set().union(*map(values, thing))
    return {plain(thing)}


def rows_of(person, table):
    """The person's rows of a table, without what is in no export."""
    column = PLACES.get(table, (table, ["uid"]))[1]
    whose = " OR ".join(f"t.{name} = %(uid)s" for name in column) or "t.id IN (SELECT m.id FROM mails_of(%(uid)s) m)"
    operator = "'{details,admin}' #- CASE WHEN to_jsonb(t) #> '{details,group_id}' IS NULL THEN '{details,by}' ELSE '{}' END::text[]"
    found = person.schema.connection.execute(f"SELECT to_jsonb(t) #- {operator} FROM {table} t WHERE {whose}", {"uid": person.uid})
    hidden = HIDDEN | HIDDEN_IN.get(table, set())
    return [{name: value for name, value in row.items() if name not in hidden and value != str(person.uid)} for (row,) in found]


def lacking(person):
    """What the tables have about the person and the export has not."""
    exported = export(person)
    about = {table for table, _ in person.traces()} - LEFT_OUT.keys()
    found = []
    for table in sorted(about):
        part = PLACES.get(table, (table, None))[0]
        if part not in exported:
            found.append(f"{table} is not exported")
            continue
        rows = rows_of(person, table)
        assert rows, table
        for row in rows:
            # Months are written without a day.
            lost = {name for name, value in row.items() if name != "month" and not values(value) - {None} <= values(exported[part])}
            found += [f"{table} lacks {name}" for name in lost]
    return found


def test_every_row_about_a_person_is_in_their_export(person):
    assert {table for table, _ in person.traces()}.isdisjoint(ABOUT_NOBODY)
    assert lacking(person) == []


def test_what_is_left_out_is_no_part_of_it(person):
    assert LEFT_OUT.keys() & export(person).keys() == set()


def test_a_table_or_a_value_that_the_export_forgets_is_found(person):
    run = person.schema.connection.execute
    run("CREATE TABLE diaries (uid uuid, line text)")
    run("INSERT INTO diaries VALUES (%s, 'x')", [person.uid])
    run("ALTER TABLE study_sessions ADD COLUMN mood text")
    run("UPDATE study_sessions SET mood = 'fine'")
    assert set(lacking(person)) == {"diaries is not exported", "study_sessions lacks mood"}


def test_the_export_is_as_openapi_describes_it(person):
    registry = Registry().with_resource("urn:anthill", Resource.from_contents(SPEC, default_specification=DRAFT202012))
    schema = {"$ref": "urn:anthill#/components/schemas/Export"}
    errors = Draft202012Validator(schema, registry=registry, format_checker=FormatChecker()).iter_errors(export(person))
    assert [f"{error.json_path}: {error.message}" for error in errors] == []


def test_each_part_of_the_description_is_filled(person):
    """So that the description of no part goes untested."""
    assert [name for name, part in export(person).items() if not part] == []


def test_the_export_holds_no_secret_and_nobody_else(person):
    text = json.dumps(export(person))
    for other in (person.other, person.third, "the operator", "Maria"):
        assert str(other) not in text
    secrets = person.schema.rows("SELECT encode(token_mac, 'hex') FROM sign_ins UNION SELECT encode(code_sha256, 'hex') FROM invitations")
    for (secret,) in secrets:
        assert secret not in text
