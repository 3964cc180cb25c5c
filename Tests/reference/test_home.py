"""A database that was restored or copied notices it, and ends what signs people in."""

import maintenance
import pytest

NOW = "anthill_clock()"


@pytest.fixture
def signed_in(schema):
    """A settled database with a user who holds one of everything that lets somebody in."""
    assert schema.value("SELECT settle_at_home(false)") == "new"
    uid = schema.user()
    later = f"{NOW} + interval '1 hour'"
    schema.connection.execute(
        f"INSERT INTO sign_ins (uid, token_mac, auth_epoch, expires_at) SELECT uid, sha256('a'), auth_epoch, {later} FROM users"
    )
    for purpose in ("registration", "password_reset", "email_change", "email_return"):
        schema.connection.execute(
            "INSERT INTO auth_tokens (token_mac, purpose, uid, target, address, expires_at)"
            f" VALUES (sha256(%s::bytea), %s, %s, 'a@example.org', 'a@example.org', {later})",
            [purpose, purpose, None if purpose == "registration" else uid],
        )
    schema.connection.execute(
        f"INSERT INTO provider_flows (flow_mac, provider, purpose, expires_at) VALUES (sha256('f'), 'p', 'sign_in', {later})"
    )
    schema.connection.execute(
        "INSERT INTO provider_tickets (ticket_mac, provider, issuer, subject, expires_at)"
        f" VALUES (sha256('t'), 'p', 'https://p.example', 's', {later})"
    )
    group = schema.value("SELECT create_group(%s, 'G')", uid)
    schema.rows("SELECT create_invitation(%s, %s, 'a code')", uid, group)
    return schema


def live(schema):
    """What still lets somebody in."""
    return {
        name
        for name, query in {
            "sign-in": "SELECT FROM sign_ins",
            "flow": "SELECT FROM provider_flows",
            "ticket": "SELECT FROM provider_tickets",
            "invitation": "SELECT FROM invitations WHERE revoked_at IS NULL",
        }.items()
        if schema.rows(query)
    } | {purpose for (purpose,) in schema.rows("SELECT purpose FROM auth_tokens WHERE used_at IS NULL")}


ALL = {"sign-in", "flow", "ticket", "invitation", "registration", "password_reset", "email_change", "email_return"}

# What a dump says of its home is somewhere else than where it is restored.
MOVES = {
    "in another cluster": "UPDATE database_home SET place = regexp_replace(place, '^[0-9]+', '1')",
    "in another database": "UPDATE database_home SET place = regexp_replace(place, '/[0-9]+/', '/1/')",
    "over itself": "CREATE TABLE t (LIKE database_home INCLUDING ALL); INSERT INTO t TABLE database_home;"
    " DROP TABLE database_home; ALTER TABLE t RENAME TO database_home",
}


@pytest.mark.parametrize("move", MOVES)
def test_a_dump_that_was_restored_ends_everything_that_lets_somebody_in(signed_in, move):
    signed_in.connection.execute(MOVES[move])
    assert not signed_in.value("SELECT is_at_home()")
    assert signed_in.value("SELECT settle_at_home(false)") == "sign_ins_ended"
    # What a thief did can be undone by this alone.
    assert live(signed_in) == {"email_return"}
    assert signed_in.value("SELECT is_at_home()")
    assert signed_in.rows("SELECT kind, details FROM audit_events WHERE kind IN ('database_moved', 'admin_end_all_sign_ins') ORDER BY id") == [
        ("database_moved", {"sign_ins_kept": False}),
        ("admin_end_all_sign_ins", {"reason": "the database was restored or copied", "admin": "anthill migrate", "change": 1,
                                    "operator": True, "sign_ins": 1, "api_keys": 0, "calendar_addresses": 0, "badges": 0,
                                    "links": 3, "trips_to_providers": 2, "invitations": 1}),
    ]  # fmt: skip
    assert signed_in.maintenance("check.sql") == []


def test_a_database_that_stays_where_it_is_keeps_everything(signed_in):
    assert signed_in.value("SELECT settle_at_home(false)") == "same"
    signed_in.connection.execute("VACUUM FULL database_home")
    assert signed_in.value("SELECT settle_at_home(false)") == "same"
    assert live(signed_in) == ALL
    assert signed_in.rows("SELECT FROM audit_events WHERE kind = 'database_moved'") == []


def test_sign_ins_are_kept_if_that_is_wanted(signed_in):
    signed_in.connection.execute(MOVES["in another cluster"])
    assert signed_in.value("SELECT settle_at_home(true)") == "sign_ins_kept"
    assert live(signed_in) == ALL
    assert signed_in.rows("SELECT details FROM audit_events WHERE kind = 'database_moved'") == [({"sign_ins_kept": True},)]
    assert signed_in.value("SELECT settle_at_home(false)") == "same"


def test_the_last_backup_is_the_last_that_was_noted(schema):
    assert schema.value("SELECT last_backup()") is None
    schema.rows("SELECT admin_note_backup('/backups/a', 5, true, 'root')")
    schema.set_clock(schema.now + 60)
    schema.rows("SELECT admin_note_backup('pgbackrest', NULL, false, 'postgres')")
    assert schema.value("SELECT extract(epoch FROM last_backup())") == schema.now
    assert schema.value("SELECT details FROM audit_events WHERE kind = 'backup_made' ORDER BY id LIMIT 1") == {
        "place": "/backups/a",
        "bytes": 5,
        "is_encrypted": True,
        "by": "root",
    }


def test_the_script_ends_all_sign_ins_where_the_files_were_set_back(signed_in):
    assert ["links", "3"] in maintenance.cells(maintenance.shown(signed_in, "end_all_sign_ins"))
    assert live(signed_in) == ALL
    maintenance.applied(signed_in, "end_all_sign_ins")
    assert live(signed_in) == {"email_return"}
