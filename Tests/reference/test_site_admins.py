"""Site admins: who makes them, and what is written about it."""

import pytest
from schema import Refused


def events(schema, uid):
    return schema.rows("SELECT kind, details FROM audit_events WHERE uid = %s AND kind LIKE 'site_admin%%' ORDER BY id", uid)


def test_making_a_site_admin_and_taking_it_back_is_in_the_audit(schema):
    uid = schema.user()
    assert not schema.value("SELECT is_site_admin(%s)", uid)
    assert schema.value("SELECT make_site_admin(%s, 'Kim')", uid)
    assert schema.value("SELECT is_site_admin(%s)", uid)
    assert schema.value("SELECT end_site_admin(%s, 'Lee')", uid)
    assert not schema.value("SELECT is_site_admin(%s)", uid)
    assert events(schema, uid) == [("site_admin_made", {"by": "Kim"}), ("site_admin_ended", {"by": "Lee"})]


def test_doing_it_twice_changes_nothing(schema):
    uid = schema.user()
    assert not schema.value("SELECT end_site_admin(%s, 'Kim')", uid)
    assert schema.value("SELECT make_site_admin(%s, 'Kim')", uid)
    assert not schema.value("SELECT make_site_admin(%s, 'Lee')", uid)
    assert events(schema, uid) == [("site_admin_made", {"by": "Kim"})]


def test_nobody_becomes_one_who_has_no_account(schema):
    with pytest.raises(Refused, match="user_not_found"):
        schema.rows("SELECT make_site_admin(gen_random_uuid(), 'Kim')")


def test_each_change_reaches_the_memory_of_every_instance(schema):
    """A sign-in that is kept in memory is read again."""
    uid = schema.user()
    sign_in = schema.value(
        "INSERT INTO sign_ins (uid, token_mac, auth_epoch, expires_at) VALUES (%s, sha256('x'), 1, 'infinity') RETURNING id", uid
    )
    for act in ("make_site_admin", "end_site_admin"):
        schema.connection.execute("DELETE FROM board_changes")
        schema.rows(f"SELECT {act}(%s, 'Kim')", uid)
        assert sign_in in [row[0] for row in schema.rows("SELECT subject FROM board_changes")]
