"""Profile pictures in the database: what may be kept, and for whom it is there."""

import itertools

import pytest
from study_clock import utc

WEBP = b"RIFF\x00\x00\x00\x00WEBPVP8 "


def picture(schema, user, content=WEBP):
    return schema.call("INSERT INTO avatars (uid, webp) VALUES (%s, %s) RETURNING uid", user, content)


@pytest.mark.parametrize("content", [b"", b"<svg/>", b"\x89PNG\r\n\x1a\n", b"RIFF\0\0\0\0WAVE", WEBP.ljust(128 * 1024 + 1, b"x")])
def test_only_a_small_webp_can_be_kept(schema, content):
    user = schema.user()
    assert picture(schema, user, content) == "avatars_webp"
    assert picture(schema, user, WEBP.ljust(128 * 1024, b"x")) is None
    assert picture(schema, user) == "avatars_key"


def test_the_version_follows_the_content(schema):
    user, other = schema.user(), schema.user()
    picture(schema, user)
    picture(schema, other)
    [[version, same]] = schema.rows("SELECT a.version, b.version FROM avatars a, avatars b WHERE a.uid = %s AND b.uid = %s", user, other)
    assert version == same
    schema.connection.execute("UPDATE avatars SET webp = %s WHERE uid = %s", [WEBP + b"x", user])
    assert schema.value("SELECT version FROM avatars WHERE uid = %s", user) != version


def test_a_picture_goes_with_its_owner(schema):
    user = schema.user()
    picture(schema, user)
    schema.connection.execute("DELETE FROM users WHERE uid = %s", [user])
    assert schema.rows("SELECT FROM avatars WHERE uid = %s", user) == []


def test_a_change_is_told_to_the_boards(schema):
    user = schema.user()
    changes = [
        ("INSERT INTO avatars (uid, webp) VALUES (%s, %s)", [user, WEBP]),
        ("UPDATE avatars SET webp = %s WHERE uid = %s", [WEBP + b"x", user]),
        ("DELETE FROM avatars WHERE uid = %s", [user]),
    ]
    for statement, values in changes:
        schema.connection.execute("DELETE FROM board_changes")
        schema.connection.execute(statement, values)
        assert schema.rows("SELECT subject FROM board_changes") == [(user,)]


@pytest.mark.parametrize("visibility", ["shown", "nickname", "hidden", None])
@pytest.mark.parametrize("boards", list(itertools.product([False, True], repeat=2)))
def test_a_picture_is_there_for_those_to_whom_it_is_shown(schema, visibility, boards):
    """In a common group where its owner shows it, or where both are on the global board."""
    owner, viewer = schema.user(), schema.user()
    picture(schema, owner)
    for user, takes_part in zip((owner, viewer), boards):
        schema.rows("SELECT set_global_board(%s, %s)", user, takes_part)
    # Each is in a group of their own as well, and shows their picture there.
    for user in (owner, viewer):
        schema.value("SELECT create_group(%s, 'G')", user)
    if visibility:
        group = schema.value("SELECT create_group(%s, 'G')", viewer)
        schema.rows("SELECT create_invitation(%s, %s, %s)", viewer, group, f"code {owner}")
        schema.rows("SELECT accept_invitation(%s, %s)", owner, f"code {owner}")
        schema.connection.execute("UPDATE group_members SET visibility = %s WHERE uid = %s AND group_id = %s", [visibility, owner, group])
        shown = [owner] if visibility == "shown" else []
        assert [uid for (uid,) in schema.rows("SELECT uid FROM shown_avatars WHERE group_id = %s", group)] == shown
        avatars = dict(schema.rows("SELECT uid, avatar FROM board(%s, 'month')", group))
        assert [uid for uid, avatar in avatars.items() if avatar] == shown
    assert schema.value("SELECT may_see_avatar(%s, %s)", viewer, owner) is (visibility == "shown" or all(boards))
    assert schema.value("SELECT may_see_avatar(%s, %s)", owner, owner) is True


def test_who_is_kept_off_the_global_board_shows_no_picture_on_the_months_that_stay(schema):
    admin, owner, viewer = schema.user(), schema.user(), schema.user()
    schema.rows("SELECT make_site_admin(%s, 'the operator')", admin)
    for user in (owner, viewer):
        picture(schema, user)
        schema.rows("SELECT set_global_board(%s, true)", user)
        schema.rows("SELECT record_timed(%s, %s, %s)", user, utc(schema.now - 3600), utc(schema.now))
    month = utc(schema.now).date()
    schema.set_clock(schema.now + 40 * 86400)
    pictured = "SELECT uid FROM global_board(NULL, 'month', %s) WHERE avatar IS NOT NULL"
    assert {uid for (uid,) in schema.rows(pictured, month)} == {owner, viewer}
    schema.rows("SELECT suspend_from_service(%s, %s, 'why', %s)", admin, owner, utc(schema.now + 86400))
    assert schema.value("SELECT may_see_avatar(%s, %s)", viewer, owner) is False
    assert {uid for (uid,) in schema.rows(pictured, month)} == {viewer}
    assert len(schema.rows("SELECT uid FROM global_board(NULL, 'month', %s)", month)) == 2
