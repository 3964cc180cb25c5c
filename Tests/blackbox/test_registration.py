"""Who may come: the modes of registration, invitations that travel with one, and a service without mail."""

import re

import pytest
from person import PASSWORD, expect
from service import wait_until


@pytest.fixture
def restarted(own_service):
    """Starts the service again with other settings."""

    def again(**settings):
        assert own_service.stop() == 0
        own_service.environment.update(settings)
        return own_service.start()

    return again


def create(person, token):
    body = {"token": token, "nickname": person.name, "password": PASSWORD}
    return person.post("/users", body, token=None)


def test_a_groups_invitation_makes_the_new_user_a_member_at_once(service, people):
    owner = people(service, "Dodam")
    group = owner.found_group()
    code = owner.invite(group)["code"]
    friend = people(service, "Haneul", registered=False)
    made = expect(create(friend, friend.ask_to_register(invitation=code)), 201).json()
    assert made["group"] == {"id": group["id"], "joined": True}
    assert expect(friend.get(f"/groups/{group['id']}", token=made["sign_in"]["token"]), 200).json()["member_count"] == 2


def test_the_mail_to_somebody_invited_names_the_group_and_who_invited(service, people):
    owner = people(service, "Dodam")

    def told(name, **more):
        group = owner.found_group(name)
        code = owner.invite(group)["code"]
        if more:
            expect(owner.patch(f"/groups/{group['id']}/members/me", more), 200)
        friend = people(service, "Haneul", registered=False)
        friend.ask_to_register(invitation=code)
        return service.letters(friend.email)[-1].get_body(("plain",)).get_content()

    assert "Dodam invited you to the group “Night owls”." in told("Night owls")
    # Who hides in the group is not named, and no name becomes a link in a mail that anybody can ask for.
    for text in (told("Early birds", visibility="hidden"), told("win.example now")):
        assert "Dodam" not in text and "Early birds" not in text and "win.example" not in text


def test_an_invitation_that_ended_meanwhile_costs_the_group_and_not_the_account(service, people):
    owner = people(service, "Dodam")
    group = owner.found_group()
    invitation = owner.invite(group)
    late = people(service, "Late", registered=False)
    token = late.ask_to_register(invitation=invitation["code"])
    expect(owner.delete(f"/groups/{group['id']}/invitations/{invitation['id']}"), 204)
    assert expect(create(late, token), 201).json()["group"] == {"id": None, "joined": False}


def test_the_page_to_register_on_has_a_qr_code(service, people):
    stranger = people(service, registered=False)
    terms = expect(stranger.get("/registration"), 200).json()
    assert terms == {"mode": "open", "sends_mail": True, "url": f"{service.origin}/register"}
    picture = expect(stranger.get("/registration/qr.svg"), 200)
    assert picture.headers["Content-Type"] == "image/svg+xml"


def test_by_invitation_only_the_operators_link_and_a_groups_open_the_door(own_service, people, restarted):
    owner = people(own_service, "Dodam")
    code = owner.invite(owner.found_group())["code"]
    service = restarted(ANTHILL_REGISTRATION="invitation")

    stranger = people(service, "Stranger", registered=False)
    assert stranger.get("/registration").json()["mode"] == "invitation"
    expect(stranger.post("/registrations", {"email": stranger.email}), 403, "invitation_required")
    expect(create(stranger, stranger.ask_to_register(invitation=code)), 201)

    printed = service.run("invite", "--uses", "1")
    assert printed.returncode == 0, printed.stderr
    link = re.match(rf"{service.origin}/join/(\S+)\n", printed.stdout)
    assert "one person" in printed.stdout
    friend, second = (people(service, name, registered=False) for name in ("Friend", "Second"))
    preview = expect(friend.get(f"/invitations/{link[1]}"), 200).json()
    assert (preview["group"], preview["uses_left"]) == (None, 1)
    expect(owner.post(f"/invitations/{link[1]}/acceptances"), 404, "not_found")
    first, late = (person.ask_to_register(invitation=link[1]) for person in (friend, second))
    assert "group" not in expect(create(friend, first), 201).json()
    expect(create(second, late), 403, "invitation_required")
    expect(friend.get(f"/invitations/{link[1]}"), 410, "invitation_expired")
    assert link[1] not in service.log() + service.console()

    # The one that is used up does not count any more, and a group's goes on.
    for much, says in (
        (("--days", "366"), "an invitation lasts 1 to 365 days"),
        (("--days", "0"), "an invitation lasts 1 to 365 days"),
        (("--uses", "10001"), "an invitation has 1 to 10000 uses"),
    ):
        refused = service.run("invite", *much)
        assert (refused.returncode, refused.stdout, refused.stderr) == (1, "", f"anthill: {says}\n")
    link = re.match(rf"{service.origin}/join/(\S+)\n", service.run("invite").stdout)
    expect(friend.get(f"/invitations/{link[1]}"), 200)
    assert service.run("invite", "--end").stdout == "One invitation to the service has ended.\n"
    expect(friend.get(f"/invitations/{link[1]}"), 410, "invitation_expired")
    expect(second.post("/registrations", {"email": second.email, "invitation": link[1]}), 403, "invitation_required")
    expect(friend.get(f"/invitations/{code}"), 200)
    assert service.run("invite", "--end").stdout == "No invitation to the service was open.\n"
    [[count]] = service.cluster.sql("SELECT count(*) FROM audit_events WHERE kind = 'invitation_revoked' AND NOT details ? 'group_id'")
    assert count == 1


def test_without_mail_and_newcomers_only_the_operators_links_work(own_service, people, restarted):
    service = restarted(ANTHILL_REGISTRATION="closed", ANTHILL_SMTP_URL="none")
    wait_until(lambda: "No mail is sent" in service.console(), what="the words about mail")
    person = people(service, "Jihye", registered=False)
    assert person.get("/registration").json() == {"mode": "closed", "sends_mail": False, "url": f"{service.origin}/register"}
    expect(person.post("/registrations", {"email": person.email}), 403, "registration_closed")
    expect(person.post("/password-resets", {"email": person.email}), 403, "no_mail")

    printed = service.run("link", person.email)
    token = re.match(rf"{service.origin}/welcome#token=([\w-]+)\n.* within 24 hours\.", printed.stdout)[1]
    expect(create(person, token), 201)
    printed = service.run("link", person.email)
    token = re.match(rf"{service.origin}/new-password#token=([\w-]+)\n.* within 30 minutes\.", printed.stdout)[1]
    expect(person.put("/password-resets", {"token": token, "password": PASSWORD + " too"}), 204)
    # The notice of the new password counts as done: there is nobody to send it.
    wait_until(service.all_mail_is_sent)
    assert service.letters("@") == []

    refused = service.run("link", "no address")
    assert refused.returncode == 1
    assert refused.stderr == "anthill: that is not an email address\n"
    assert service.cluster.sql("SELECT count(*) FROM audit_events WHERE kind = 'link_made'") == [(2,)]
