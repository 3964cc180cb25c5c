"""The scripts that change accounts and members, run as an admin does: shown, applied, undone, and refused."""

import unicodedata

import pytest
from maintenance import REASON, applied, cells, refused, run, shown
from study_clock import utc
from whole_person import ADDRESS, NAME, WholePerson
from world_admin import HOUR, NOBODY, NOW

BOARD = {"Ada": (1, 4), "Bo": (2, 3), "Cy": (3, 2)}


def access(world, uid):
    """Whether they may sign in, and how many sign-ins and links they have that work."""
    return world.rows(
        "SELECT may_sign_in(u), (SELECT count(*) FROM sign_ins s WHERE s.uid = u.uid AND s.auth_epoch = u.auth_epoch),"
        "  (SELECT count(*) FROM auth_tokens t WHERE t.uid = u.uid AND coalesce(t.auth_epoch, u.auth_epoch) = u.auth_epoch)"
        " FROM users u WHERE u.uid = %s", uid)[0]  # fmt: skip


def signed_in(world, name):
    uid = world.uid(name)
    for device in ("phone", "desk"):
        world.sign_in(uid, device)
    for purpose in ("password_reset", "email_return"):
        world.token(uid, purpose)
    assert access(world, uid) == (True, 2, 2)
    return uid


def test_a_suspended_account_is_closed_until_it_is_restored(world):
    ada = signed_in(world, "Ada")
    world.rows("SELECT * FROM start_timer(%s)", ada)
    world.set_clock(NOW + HOUR)
    world.connection.execute("UPDATE sign_ins SET last_seen_at = anthill_clock()")
    said, change = applied(world, "suspend_user", uid=ada)
    assert f"It touches Ada ({ada})." in said
    assert access(world, ada) == (False, 0, 0)
    assert world.value("SELECT count(*) FROM study_sessions WHERE uid = %s AND state = 'finished'", ada) == 3
    assert world.board()["Ada"] == (1, 5)
    assert refused(world, "suspend_user", uid=ada) == "the account is suspended already"

    applied(world, "undo", change=change)
    assert access(world, ada) == (True, 0, 0)
    assert refused(world, "restore_user", uid=ada) == "the account is not suspended"
    world.rows("SELECT admin_suspend_user(%s, 'why', 'Maria')", ada)
    said, _ = applied(world, "restore_user", uid=ada)
    assert [row[0] for row in cells(said)] == ["status", "suspended"] and cells(said)[1][2:] == ["Maria", "why"]
    assert access(world, ada) == (True, 0, 0) and "It cannot be undone." in said


def test_a_suspension_that_came_later_is_not_lifted_by_undoing_an_old_one(world):
    ada = world.uid("Ada")
    first, _, second = (
        world.value(f"SELECT admin_{script}(%s, 'why', 'Kim')", ada) for script in ("suspend_user", "restore_user", "suspend_user")
    )
    assert refused(world, "undo", change=first) == f"the account was suspended again since, by change {second}"
    applied(world, "undo", change=second)
    assert access(world, ada) == (True, 0, 0)
    assert refused(world, "undo", change=first) == "the account is not suspended"


def test_a_user_is_signed_out_everywhere(world):
    bo = signed_in(world, "Bo")
    shown(world, "revoke_sign_ins", uid=bo)
    assert access(world, bo) == (True, 2, 2)
    applied(world, "revoke_sign_ins", uid=bo)
    # The link that gives an address back is its owner's alone.
    assert world.rows("SELECT purpose FROM auth_tokens WHERE uid = %s", bo) == [("email_return",)]
    assert access(world, bo)[:2] == (True, 0)
    assert refused(world, "revoke_sign_ins", uid=NOBODY) == f"no user has the uid {NOBODY}"


def test_what_ends_with_the_sign_ins_is_shown_before(world):
    bo = signed_in(world, "Bo")
    run_it = world.connection.execute
    run_it("INSERT INTO sign_ins (uid, token_mac, auth_epoch, expires_at, name, scopes)"
           " SELECT uid, sha256('k'), auth_epoch, 'infinity', 'Toggl', '{read}' FROM users WHERE uid = %s", [bo])  # fmt: skip
    run_it("INSERT INTO calendar_feeds (uid, token_mac, auth_epoch) VALUES (%s, sha256('c'), 1)", [bo])
    run_it("INSERT INTO badges (uid, token_mac, auth_epoch, period) VALUES (%s, sha256('b'), 1, 'day')", [bo])
    world.sign_in(world.uid("Ada"), "another's")
    access = [
        ("API key", "Toggl"), ("badge", ""), ("calendar address", ""), ("link in a mail", "password_reset"),
        ("sign-in", "desk"), ("sign-in", "phone"),
    ]  # fmt: skip
    for script, more in (("revoke_sign_ins", {}), ("suspend_user", {}), ("change_email", {"email": "bo@example.org"})):
        rows = [tuple(row[:2]) for row in cells(shown(world, script, uid=bo, **more)) if len(row) == 4]
        assert rows == [("ends", "name"), *access], script
    [row] = [row for row in cells(shown(world, "change_email", uid=bo, email="bo@example.org")) if f"{bo}@example.org" in row]
    assert row == [f"{bo}@example.org", "bo@example.org", "mail with a link that takes it back"]
    numbers = {"sign_ins": "3", "api_keys": "1", "calendar_addresses": "1", "badges": "1", "links": "1", "trips_to_providers": "0",
               "invitations": "0"}  # fmt: skip
    assert cells(shown(world, "end_all_sign_ins")) == [["what", "number"], *map(list, numbers.items())]
    applied(world, "revoke_sign_ins", uid=bo)
    assert world.rows("SELECT FROM admin_access(%s)", bo) == []


def test_a_reason_that_is_too_long_is_said_to_be(world):
    bo = world.uid("Bo")
    assert refused(world, "revoke_sign_ins", uid=bo, reason="x" * 501) == "the reason has 501 characters, and may have 500"
    assert refused(world, "revoke_sign_ins", uid=bo, by="x" * 101) == "your name has 101 characters, and may have 100"
    assert run(world, "revoke_sign_ins", uid=bo, reason="x" * 500, by="x" * 100, apply=1).stderr == ""


def addresses(world, uid):
    return world.rows("SELECT canonical, email FROM user_emails WHERE uid = %s", uid)


def test_an_address_is_changed_and_changed_back(world):
    cy = signed_in(world, "Cy")
    [(old, _)] = addresses(world, cy)
    _, change = applied(world, "change_email", uid=cy, email="Cy.New@Example.org")
    assert addresses(world, cy) == [("cy.new@example.org", "Cy.New@Example.org")] and access(world, cy)[1] == 0
    assert world.rows("SELECT kind, to_address, parameters FROM mail_outbox") == [("email_change_notice", old, {"by": "operator"})]
    # Nobody else gets the old one for a week.
    assert refused(world, "change_email", uid=world.uid("Bo"), email=old) == "the address is held for its former owner"
    assert refused(world, "change_email", uid=world.uid("Bo"), email="CY.NEW@example.org") == "another account has this address"
    assert refused(world, "change_email", uid=cy, email="cy.new@example.org") == "this is their address already"

    world.set_clock(NOW + 120)
    applied(world, "undo", change=change)
    assert addresses(world, cy) == [(old, old)]
    assert world.rows("SELECT FROM mail_outbox WHERE created_at = anthill_clock()") == []


@pytest.mark.parametrize("then", ["undo", "change_email"])
@pytest.mark.parametrize("event, stays", [("password_reset", False), ("password_changed", False), ("signed_in", True)])
def test_a_mistyped_address_leaves_the_stranger_nothing(world, event, stays, then):
    cy, run_it = world.uid("Cy"), world.connection.execute
    [(old, _)] = addresses(world, cy)
    run_it("UPDATE users SET password_hash = 'hash' WHERE uid = %s", [cy])
    identity = "INSERT INTO user_identities (issuer, subject, uid) VALUES ('i', %s, %s)"
    run_it(identity, ["theirs", cy])
    world.set_clock(NOW + 60)
    change = world.value("SELECT admin_change_email(%s, 'stranger@example.org', 'why', 'Kim')", cy)
    world.set_clock(NOW + 120)
    world.token(cy, "password_reset")
    run_it(identity, ["a stranger's", cy])
    run_it("INSERT INTO audit_events (kind, uid, actor) VALUES (%s, %s, %s)", [event, cy, cy])
    run_it("DELETE FROM mail_outbox")
    right, more = (old, {"change": change}) if then == "undo" else ("right@example.org", {"uid": cy, "email": "right@example.org"})
    done = run(world, then, apply=1, **more)
    assert done.stderr == "" and addresses(world, cy) == [(right, right)]
    assert then == "undo" or ["stranger@example.org", right, f"nothing: change {change} gave it"] in cells(done.stdout)
    assert world.rows("SELECT canonical FROM former_emails WHERE canonical <> %s", old) == []
    assert world.rows("SELECT FROM mail_outbox") == world.rows("SELECT FROM auth_tokens WHERE uid = %s", cy) == []
    assert world.rows("SELECT subject FROM user_identities WHERE uid = %s", cy) == [("theirs",)]
    assert world.value("SELECT password_hash IS NOT NULL FROM users WHERE uid = %s", cy) is stays
    # The address is free again.
    assert run(world, "change_email", uid=world.uid("Bo"), email="stranger@example.org", apply=1).stderr == ""


def test_the_owner_of_the_first_address_takes_it_back_after_a_second_change(world):
    cy, (old, _) = world.uid("Cy"), addresses(world, world.uid("Cy"))[0]
    for email in ("wrong@example.org", "wrong.too@example.org", "right@example.org"):
        world.rows("SELECT admin_change_email(%s, %s, 'why', 'Kim')", cy, email)
        world.set_clock(NOW + 60)
    assert world.rows("SELECT canonical FROM former_emails") == [(old,)]
    assert world.rows("SELECT to_address FROM mail_outbox") == [(old,)]
    assert world.value("SELECT take_back_email(%s, %s, 'here')", cy, old) == old


@pytest.mark.parametrize("since", ["nothing", "own change", "week", "theirs before"])
def test_an_old_address_is_told_and_held_unless_a_change_just_gave_it(world, since):
    cy, (first, _) = world.uid("Cy"), addresses(world, world.uid("Cy"))[0]
    change = world.value("SELECT admin_change_email(%s, 'new@example.org', 'why', 'Kim')", cy)
    world.set_clock(NOW + (7 * 24 * HOUR if since == "week" else 60))
    if since == "own change":
        world.connection.execute("INSERT INTO audit_events (kind, uid, actor) VALUES ('email_changed', %s, %s)", [cy, cy])
    elif since == "theirs before":
        world.rows("SELECT admin_change_email(%s, %s, 'why', 'Kim')", cy, first)
        world.set_clock(NOW + 120)
    [(address, _)] = addresses(world, cy)
    world.connection.execute("DELETE FROM mail_outbox")
    said, _ = applied(world, "change_email", uid=cy, email="third@example.org")
    told = since != "nothing"
    gets = "mail with a link that takes it back" if told else f"nothing: change {change} gave it"
    assert [address, "third@example.org", gets] in cells(said)
    assert world.rows("SELECT to_address FROM mail_outbox") == [(address,)] * told
    assert ((address,) in world.rows("SELECT canonical FROM former_emails")) is told


def test_an_address_that_could_be_taken_back_before_the_change_still_can_after_its_undo(world):
    cy = world.uid("Cy")
    [(first, _)] = addresses(world, cy)
    world.rows("SELECT admin_change_email(%s, 'cy.new@example.org', 'why', 'Kim')", cy)
    world.set_clock(NOW + 60)
    _, change = applied(world, "change_email", uid=cy, email=first)
    applied(world, "undo", change=change)
    assert (first,) in world.rows("SELECT canonical FROM former_emails WHERE uid = %s", cy)


@pytest.mark.parametrize("script", ["revoke_sign_ins", "suspend_user"])
def test_an_admin_lets_nobody_take_an_old_address_back(world, script):
    cy = world.uid("Cy")
    [(old, _)] = addresses(world, cy)
    world.rows("SELECT admin_change_email(%s, 'cy.new@example.org', 'why', 'Kim')", cy)
    world.token(cy, "email_return")
    assert ["old address", old] not in [row[:2] for row in cells(shown(world, script, uid=cy))]
    said, _ = applied(world, script, uid=cy, old_addresses=1)
    assert ["old address", old] in [row[:2] for row in cells(said)]
    assert world.rows("SELECT FROM former_emails") == world.rows("SELECT FROM auth_tokens WHERE uid = %s", cy) == []
    assert world.rows("SELECT FROM mail_outbox WHERE kind = 'email_change_notice'") == []


@pytest.mark.parametrize("email", ["cy", "cy@localhost", "cy@example..org", "c y@example.org", "cy@예.한국", "a" * 65 + "@example.org",
                                   "cy@-example.org", '"cy"@example.org', "cy@example.org\nBcc: x@y.org", ".cy@example.org"])  # fmt: skip
def test_what_is_no_address_is_refused(world, email):
    assert refused(world, "change_email", uid=world.uid("Cy"), email=email) == "give the address: -v email=NAME@EXAMPLE.ORG"
    assert world.call("SELECT admin_change_email(%s, %s, 'why', 'Maria')", world.uid("Cy"), email) == "invalid_email"


def test_an_address_that_was_changed_again_stays(world):
    cy = world.uid("Cy")
    _, change = applied(world, "change_email", uid=cy, email="first@example.org")
    applied(world, "change_email", uid=cy, email="second@example.org")
    assert refused(world, "undo", change=change) == "the address was changed again since: change_email.sql sets the right one"
    assert addresses(world, cy) == [("second@example.org", "second@example.org")]


def test_an_address_that_its_owner_gave_up_and_took_again_stays(world):
    """It is no stranger's, and neither is the password that was chosen with it."""
    cy = signed_in(world, "Cy")
    _, change = applied(world, "change_email", uid=cy, email="first@example.org")
    for minutes, address in enumerate(("second@example.org", "first@example.org"), 1):
        world.set_clock(NOW + 60 * minutes)
        world.rows("SELECT replace_email(%s, %s, %s)", cy, address, address)
        world.connection.execute("INSERT INTO audit_events (kind, uid, actor) VALUES ('email_changed', %s, %s)", [cy, cy])
    assert refused(world, "undo", change=change) == "the address was changed again since: change_email.sql sets the right one"


def test_an_address_that_only_its_owner_can_set_is_not_promised_back(world):
    cy = world.uid("Cy")
    world.connection.execute("UPDATE user_emails SET canonical = 'xn--cy', email = 'cy@예.한국' WHERE uid = %s", [cy])
    said, change = applied(world, "change_email", uid=cy, email="cy@example.org")
    assert said.splitlines()[-1] == f"Done. This is change {change}. It cannot be undone."


def test_a_user_without_an_address_gets_one(world):
    cy = world.uid("Cy")
    world.connection.execute("DELETE FROM user_emails WHERE uid = %s", [cy])
    said, _ = applied(world, "change_email", uid=cy, email="cy@example.org")
    assert addresses(world, cy) == [("cy@example.org", "cy@example.org")] and "It cannot be undone." in said
    assert world.rows("SELECT FROM mail_outbox") == []


def test_a_group_gets_another_owner_and_the_old_one_back(world):
    group, bo = world.group(), world.uid("Bo")
    said, change = applied(world, "transfer_group", group=group, uid=bo)
    assert cells(said) == [["who", "uid", "role"], ["Bo", str(bo), "member → owner"], ["Ada", str(world.uid("Ada")), "owner → admin"]]
    assert world.roles() == {"Ada": "admin", "Bo": "owner", "Cy": "member"}
    assert refused(world, "transfer_group", group=group, uid=bo) == "the group is theirs already"
    assert {(kind, who) for kind, who in world.rows(
        "SELECT kind, member_name FROM group_audit(%s, %s, NULL, NULL, 9) WHERE kind <> 'member_joined'", bo, group)} == {
        ("invitation_created", None), ("admin_transfer_group", "Bo"), ("member_role_changed", "Bo"), ("member_role_changed", "Ada")}  # fmt: skip
    applied(world, "undo", change=change)
    assert world.roles() == {"Ada": "owner", "Bo": "member", "Cy": "member"}


def test_of_several_owners_the_one_who_hands_on_is_named(world):
    group, ada, bo, cy = world.group(), world.uid("Ada"), world.uid("Bo"), world.uid("Cy")
    world.rows("SELECT set_member_role(%s, %s, %s, 'owner')", ada, group, bo)
    assert "the group has several owners: say who hands it on, -v owner=UUID (" in refused(world, "transfer_group", group=group, uid=cy)
    assert refused(world, "transfer_group", group=group, uid=cy, owner=NOBODY) == f"{NOBODY} is no owner of the group"
    said, change = applied(world, "transfer_group", group=group, uid=cy, owner=ada)
    assert [row[::2] for row in cells(said)[1:]] == [["Cy", "member → owner"], ["Ada", "owner → admin"]]
    assert world.roles() == {"Ada": "admin", "Bo": "owner", "Cy": "owner"}
    world.rows("SELECT remove_member(%s, %s, %s)", ada, group, ada)
    assert refused(world, "undo", change=change) == "the previous owner is no longer a member"


def test_a_group_without_an_owner_gets_one(world):
    world.connection.execute("UPDATE group_members SET role = 'admin' WHERE role = 'owner'")
    said, _ = applied(world, "transfer_group", group=world.group(), uid=world.uid("Bo"))
    assert world.roles() == {"Ada": "admin", "Bo": "owner", "Cy": "member"} and "It cannot be undone." in said


def test_a_group_that_was_handed_on_again_keeps_its_owner(world):
    group, ada, bo, cy = world.group(), world.uid("Ada"), world.uid("Bo"), world.uid("Cy")
    _, first = applied(world, "transfer_group", group=group, uid=bo)
    _, second = applied(world, "transfer_group", group=group, uid=cy)
    overtaken = "their roles were changed again since: transfer_group.sql sets the right owner"
    assert refused(world, "undo", change=first) == overtaken
    assert world.roles() == {"Ada": "admin", "Bo": "admin", "Cy": "owner"}
    applied(world, "undo", change=second)
    world.rows("SELECT set_member_role(%s, %s, %s, 'member')", bo, group, ada)
    assert refused(world, "undo", change=first) == overtaken


def test_who_is_about_to_leave_the_service_does_not_become_the_owner(world):
    group, ada, bo = world.group(), world.uid("Ada"), world.uid("Bo")
    leaves = "SELECT ask_to_leave(%s, 1, NULL, NULL)"
    refusal = "who is about to leave the service cannot become the owner"
    world.rows(leaves, bo)
    assert refused(world, "transfer_group", group=group, uid=bo) == refusal
    _, change = applied(world, "transfer_group", group=group, uid=world.uid("Cy"))
    world.rows(leaves, ada)
    assert refused(world, "undo", change=change) == refusal


def test_only_a_member_becomes_the_owner(world):
    di = world.new_user("Di")
    assert refused(world, "transfer_group", group=world.group(), uid=di) == f"{di} is no member of the group"


def test_a_member_is_removed_and_taken_back(world):
    group, bo = world.group(), world.uid("Bo")
    world.connection.execute("UPDATE group_members SET visibility = 'nickname', role = 'admin' WHERE uid = %s", [bo])
    whom = ["Bo", "admin", "2026-10-20 05:00:00+00"]
    assert [*whom, "out"] in cells(shown(world, "remove_member", group=group, uid=bo))
    said, change = applied(world, "remove_member", group=group, uid=bo, ban=1)
    assert [*whom, "out, and banned"] in cells(said)
    assert world.board() == {"Ada": (1, 4), "Cy": (2, 2)} and world.board("2026-10-01")["Bo"] == (2, 2)
    assert [line.split("|")[3].strip() for line in said.splitlines() if "Larks" in line and "2026-11" in line] == ["2 → –", "3 → 2"]
    assert world.call("SELECT accept_invitation(%s, 'a code')", bo) in ("banned", "invitation_expired")
    assert refused(world, "remove_member", group=group, uid=bo) == f"{bo} is no member of the group"
    world.set_clock(NOW + 60)
    applied(world, "undo", change=change)
    assert world.board() == BOARD and world.roles()["Bo"] == "admin" and world.rows("SELECT FROM group_bans") == []
    assert world.value("SELECT visibility FROM group_members WHERE uid = %s", bo) == "nickname"
    assert world.value("SELECT count(*) FROM group_membership_history WHERE uid = %s", bo) == 2


def test_somebody_who_came_back_is_not_taken_back_again(world):
    group, bo = world.group(), world.uid("Bo")
    _, change = applied(world, "remove_member", group=group, uid=bo)
    world.set_clock(NOW + 60)
    world.rows("SELECT create_invitation(%s, %s, 'another')", world.uid("Ada"), group)
    world.rows("SELECT accept_invitation(%s, 'another')", bo)
    assert refused(world, "undo", change=change) == "they have joined the group again since"
    world.set_clock(NOW + 120)
    world.rows("SELECT remove_member(%s, %s, %s, true)", world.uid("Ada"), group, bo)
    assert refused(world, "undo", change=change) == "they have joined the group again since"


def test_the_only_owner_is_not_removed(world):
    assert refused(world, "remove_member", group=world.group(), uid=world.uid("Ada")) == (
        "they are its only owner: hand the group on by transfer_group.sql, or delete it by delete_group.sql"
    )
    assert refused(world, "remove_member", group=world.group(), uid=world.uid("Bo"), ban="yes") == "give 1 to ban them, too: -v ban=1"


def test_a_user_is_erased_and_the_reason_is_kept(schema):
    person = WholePerson(schema)
    said = shown(schema, "erase_user", uid=person.uid)
    told = {row[0]: (int(row[1]), row[2]) for row in cells(said) if len(row) == 3 and row[1].isdigit()}
    assert {name: rows for name, (rows, _) in told.items()} == person.rows_about()
    assert told["users.uid"] == (1, "go") and told["audit_events.uid"][1] == "stay without the name"
    [[_, nickname, uid, address, *_]] = [row for row in cells(said) if row[0] == "is erased"]
    assert (nickname, uid, address.lower()) == (NAME, str(person.uid), ADDRESS)
    said, _ = applied(schema, "erase_user", uid=str(person.uid).upper())
    assert schema.rows("SELECT FROM users WHERE uid = %s", person.uid) == []
    assert "It cannot be undone." in said
    assert schema.value("SELECT details ->> 'reason' FROM audit_events WHERE kind = 'account_erased'") == "asked by letter"


def test_erasing_shows_who_moves_up(world):
    said = shown(world, "erase_user", uid=world.uid("Bo"))
    ranks = [line.split("|")[2:4] for line in said.splitlines() if "Larks" in line and "2026-11" in line]
    assert [(who.strip(), rank.strip()) for who, rank in ranks] == [("Bo", "2 → –"), ("Cy", "3 → 2")]


def test_the_only_owner_of_a_group_is_not_erased(world):
    said = refused(world, "erase_user", uid=world.uid("Ada"))
    assert said == (f"they are the only owner of: Larks ({world.group()}): hand it on by transfer_group.sql, "
                    "or delete it by delete_group.sql")  # fmt: skip
    assert world.board() == BOARD


def test_a_group_of_one_is_deleted_with_its_member(world):
    cy = world.uid("Cy")
    own = world.value("SELECT create_group(%s, 'Cy alone')", cy)
    said, _ = applied(world, "erase_user", uid=cy)
    assert ["Cy alone", str(own)] in cells(said)
    assert world.rows("SELECT name FROM groups") == [("Larks",)] and world.rows("SELECT FROM users WHERE uid = %s", cy) == []


def test_a_group_is_deleted_and_its_members_are_told(world):
    group, cy = world.group(), world.uid("Cy")
    world.set_clock(NOW + HOUR)
    said, _ = applied(world, "delete_group", group=group)
    assert cells(said)[1][::2] == ["Larks", "3", "1"] and cells(said)[1][3] == "Ada" and "It cannot be undone." in said
    assert world.rows("SELECT FROM groups") == world.rows("SELECT FROM group_members") == []
    assert world.value("SELECT count(*) FROM study_intervals WHERE uid = %s AND retracted_at IS NULL", cy) == 2
    [(kind, details)] = world.rows("SELECT kind, details FROM own_activity(%s, NULL, NULL, 1)", cy)
    assert kind == "group_deleted" and REASON in details and "Larks" in details
    assert refused(world, "delete_group", group=group) == "no such group"
    assert refused(world, "delete_group", group=NOBODY) == f"no group has the id {NOBODY}"


def test_the_functions_refuse_a_user_who_is_not_there(world):
    for call in ("admin_suspend_user(%s, 'r', 'M')", "admin_restore_user(%s, 'r', 'M')", "admin_revoke_sign_ins(%s, 'r', 'M')",
                 "admin_change_email(%s, 'a@example.org', 'r', 'M')", "admin_erase_user(%s, 'r', 'M')"):  # fmt: skip
        assert world.call(f"SELECT {call}", NOBODY) in ("user_not_found", "not_suspended")


def test_a_removed_member_who_was_in_a_running_month_counts_again_after_the_undo(world):
    cy = world.uid("Cy")
    change = world.value("SELECT admin_remove_member(%s, %s, false, 'r', 'M')", world.group(), cy)
    world.set_clock(NOW + 24 * HOUR)
    world.rows("SELECT record_timed(%s, %s, %s)", cy, utc(NOW + HOUR), utc(NOW + 2 * HOUR))
    applied(world, "undo", change=change)
    assert world.board()["Cy"] == (2, 3)


def test_a_nickname_is_changed_and_changed_back(world):
    bo = world.uid("Bo")
    said, change = applied(world, "rename_user", uid=bo, name=" Ant 12 ")
    assert ["Bo", "Ant 12"] in cells(said)
    assert world.board("2026-10-01")["Ant 12"] == (2, 2) and "Bo" not in world.board()
    [(kind, details)] = world.rows("SELECT kind, details FROM own_activity(%s, NULL, NULL, 1)", bo)
    assert kind == "admin_rename_user" and REASON in details and "Bo" not in details
    assert refused(world, "rename_user", uid=bo, name="Ant 12") == "this is their nickname already"
    for wrong in ("x" * 41, "a\nb", "a\u200bb", "\u3164", "a\u202eb", "\u200d\ufe0f"):
        assert refused(world, "rename_user", uid=bo, name=wrong) == "the nickname is too long, or has characters that nobody sees"
    applied(world, "undo", change=change)
    assert world.board() == BOARD
    change = world.value("SELECT admin_rename_user(%s, 'Ant 12', 'why', 'Kim')", bo)
    world.connection.execute("UPDATE users SET nickname = 'Antonia' WHERE uid = %s", [bo])
    assert refused(world, "undo", change=change) == "the nickname was changed again since: rename_user.sql sets the right one"


def test_a_name_is_kept_composed(world):
    said, _ = applied(world, "rename_user", uid=world.uid("Bo"), name="Zoe\u0308")
    assert ["Bo", "Zo\u00eb"] in cells(said) and "Zo\u00eb" in world.board()


def test_what_nobody_sees_is_what_unicode_says(world):
    """Every character that Unicode has assigned, between two letters."""

    def is_seen(character):
        match unicodedata.category(character):
            case "Cc" | "Co" | "Zs" | "Zl" | "Zp":
                return character == " "
            case "Cf":
                return character in "\u200c\u200d" or "\U000e0020" <= character <= "\U000e007f"
        return character not in "\u115f\u1160\u3164\uffa0\u2800\u180e"

    assigned = [code for code in range(1, 0x110000) if unicodedata.category(chr(code)) not in ("Cn", "Cs")]
    hidden = world.rows("SELECT n FROM unnest(%s::integer[]) n WHERE plain_line('a' || chr(n) || 'b') IS NULL ORDER BY n", assigned)
    assert [code for (code,) in hidden] == [code for code in assigned if not is_seen(chr(code))]


def test_a_picture_is_removed(world):
    bo = world.uid("Bo")
    assert refused(world, "remove_picture", uid=bo) == "they have no picture"
    world.connection.execute("INSERT INTO avatars (uid, webp) VALUES (%s, 'RIFF0000WEBP')", [bo])
    said, _ = applied(world, "remove_picture", uid=bo)
    assert cells(said)[1][1] == "12" and "It cannot be undone." in said
    assert world.rows("SELECT FROM avatars") == []


def test_a_group_gets_another_name_and_the_old_one_back(world):
    group, ada = world.group(), world.uid("Ada")
    said, change = applied(world, "rename_group", group=group, name="Group 12")
    assert ["Larks", "Group 12"] in cells(said) and world.rows("SELECT name FROM groups") == [("Group 12",)]
    [(kind, details)] = world.rows("SELECT kind, details FROM group_audit(%s, %s, NULL, NULL, 1)", ada, group)
    assert kind == "admin_rename_group" and REASON in details
    assert refused(world, "rename_group", group=group, name="Group 12") == "this is its name already"
    for wrong in ("x" * 61, "a\u200bb", "\u2800"):
        said = refused(world, "rename_group", group=group, name=wrong)
        assert said == "the name is too long, or has characters that nobody sees"
    applied(world, "undo", change=change)
    assert world.rows("SELECT name FROM groups") == [("Larks",)]
    change = world.value("SELECT admin_rename_group(%s, 'Group 12', 'why', 'Kim')", group)
    world.rows("SELECT change_group(%s, %s, %s)", ada, group, '{"name": "Swifts"}')
    assert refused(world, "undo", change=change) == "the name was changed again since: rename_group.sql sets the right one"
