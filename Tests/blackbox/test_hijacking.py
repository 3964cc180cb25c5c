"""Stories of people who prepare somebody else's account, or hold a part of it: they end with nothing in their hands."""

import pytest
from person import PASSWORD, Person, expect
from service import wait_until

NEW_PASSWORD = "a new heron 77"
GUESS = "what the attacker chose 1"


def sign_in(person, address, password):
    """The status of the answer."""
    return person.post("/sign-ins", {"email": address, "password": password}, token=None).status_code


def let_in_elsewhere(person):
    """The same person on another device, as it is for somebody who has stolen their password."""
    other = Person(person.service, person.name)
    other.email = person.email
    return other.sign_in()


def ask_for_address(person, address, password=PASSWORD):
    already = len(person.service.letters(address))
    expect(person.post("/me/email-changes", {"email": address, "password": password}), 202)
    return person.service.token_from_mail(address, already=already)


def test_asking_for_a_registration_of_somebody_else_prepares_nothing(service, people):
    """The attacker asks first, with an invitation of their own; the owner of the address asks for a mail of their own."""
    attacker, victim = people(service, "Mallory"), people(service, "Jihye", registered=False)
    group = attacker.found_group()
    code = attacker.invite(group)["code"]
    expect(attacker.post("/registrations", {"email": victim.email.upper(), "invitation": code}, token=None), 202)
    prepared = service.token_from_mail(victim.email.upper())
    assert sign_in(attacker, victim.email, GUESS) == 401
    assert service.cluster.sql("SELECT FROM user_emails WHERE canonical = %s", victim.email) == []

    service.advance_clock(61)
    victim.register_by_mail()
    body = {"token": prepared, "nickname": "Mallory", "password": GUESS}
    expect(attacker.post("/users", body, token=None), 410, "token_used_or_expired")
    assert (sign_in(attacker, victim.email, GUESS), sign_in(victim, victim.email, PASSWORD)) == (401, 201)
    assert expect(victim.get("/groups"), 200).json()["items"] == []
    assert len(expect(victim.get("/sign-ins"), 200).json()["items"]) == 2, "both are the victim's"


def test_asking_for_the_address_of_somebody_who_is_not_there_yet_prepares_nothing(service, people):
    """The attacker wants the address for their own account; its owner registers, and both use a link that came by mail."""
    attacker, victim = people(service, "Mallory"), people(service, "Jihye", registered=False)
    prepared = ask_for_address(attacker, victim.email)
    victim.register_by_mail()
    expect(attacker.post("/email-changes", {"token": prepared}, token=None), 410, "token_used_or_expired")
    assert expect(attacker.get("/me"), 200).json()["email"] == attacker.email
    assert expect(victim.get("/me"), 200).json()["email"] == victim.email
    # Nor does the attacker find out by asking once more.
    service.advance_clock(61)
    already = len(service.letters(victim.email))
    expect(attacker.post("/me/email-changes", {"email": victim.email, "password": PASSWORD}), 202)
    letters = wait_until(lambda: service.letters(victim.email)[already:], what="the letter to a taken address")
    assert "#token=" not in letters[0].get_body(("plain",)).get_content()


@pytest.mark.parametrize("way", ["change", "reset"])
def test_a_change_of_address_asked_for_on_a_stolen_sign_in_dies_with_the_password(service, people, way):
    owner, accomplice = people(service), people(service, registered=False)
    thief = let_in_elsewhere(owner)
    expect(thief.post("/me/email-changes", {"email": accomplice.email, "password": GUESS}), 403, "wrong_password")
    change = ask_for_address(thief, accomplice.email)
    if way == "change":
        expect(owner.put("/me/password", {"current": PASSWORD, "new": NEW_PASSWORD}), 204)
    else:
        reset = owner.ask_for_reset()
        expect(owner.put("/password-resets", {"token": reset, "password": NEW_PASSWORD}, token=None), 204)

    expect(thief.post("/email-changes", {"token": change}), 410, "token_used_or_expired")
    expect(thief.post("/email-changes", {"token": change}, token=None), 410, "token_used_or_expired")
    expect(thief.get("/me"), 401, "not_signed_in")
    assert [sign_in(thief, address, PASSWORD) for address in (owner.email, accomplice.email)] == [401, 401]
    assert sign_in(owner, owner.email, NEW_PASSWORD) == 201
    thief.close()


def test_the_old_address_keeps_an_account_that_a_thief_wants_deleted(service, people):
    """The thief knows the password, takes another address, and asks for the deletion to end every link of the owner's."""
    owner, accomplice = people(service), people(service, registered=False)
    thief, already = let_in_elsewhere(owner), len(service.letters(owner.email))
    change = ask_for_address(thief, accomplice.email)
    back = service.token_from_mail(owner.email, already=already)
    expect(thief.post("/email-changes", {"token": change}, token=None), 204)
    expect(thief.ask("DELETE", "/me", {"password": PASSWORD}), 202)

    service.advance_clock(6 * 86400)
    already = len(service.letters(owner.email))
    expect(owner.post("/email-changes/cancellations", {"token": back}, token=None), 204)
    reset = service.token_from_mail(owner.email, already=already)
    expect(owner.put("/password-resets", {"token": reset, "password": NEW_PASSWORD}, token=None), 204)
    assert [sign_in(thief, address, PASSWORD) for address in (owner.email, accomplice.email)] == [401, 401]
    expect(thief.get("/me"), 401, "not_signed_in")
    service.advance_clock(2 * 86400)
    owner._signed_in(expect(owner.post("/sign-ins", {"email": owner.email, "password": NEW_PASSWORD}, token=None), 201))
    me = expect(owner.get("/me"), 200).json()
    assert (me["email"], me["leaves_at"]) == (owner.email, None)
    thief.close()


def test_the_old_address_is_taken_back_from_a_suspended_account_and_lets_nobody_in_until_it_is_restored(service, people):
    """A suspension may last longer than the address is held."""
    owner, accomplice = people(service), people(service, registered=False)
    thief, already = let_in_elsewhere(owner), len(service.letters(owner.email))
    change = ask_for_address(thief, accomplice.email)
    back = service.token_from_mail(owner.email, already=already)
    expect(thief.post("/email-changes", {"token": change}, token=None), 204)
    service.cluster.sql("SELECT admin_suspend_user(%s, 'a stolen password', 'Kim')", owner.uid)

    already = len(service.letters(owner.email))
    expect(owner.post("/email-changes/cancellations", {"token": back}, token=None), 204)
    [letter] = wait_until(lambda: service.letters(owner.email)[already:], what="the letter to the old address")
    assert "#token=" not in letter.get_body(("plain",)).get_content()
    assert [sign_in(thief, address, PASSWORD) for address in (owner.email, accomplice.email)] == [401, 401]

    service.advance_clock(8 * 86400)
    service.cluster.sql("SELECT admin_restore_user(%s, 'it is theirs again', 'Kim')", owner.uid)
    reset = owner.ask_for_reset()
    expect(owner.put("/password-resets", {"token": reset, "password": NEW_PASSWORD}, token=None), 204)
    assert [sign_in(thief, owner.email, password) for password in (PASSWORD, NEW_PASSWORD)] == [401, 201]
    thief.close()


def test_a_reset_asked_for_by_a_thief_is_worth_nothing_after_the_owners(service, people):
    """Who can read the mail for a moment keeps a link for later."""
    owner = people(service)
    tokens = []
    for _ in range(2):
        tokens.append(owner.ask_for_reset())
        service.advance_clock(61)
    kept, used = tokens
    expect(owner.put("/password-resets", {"token": used, "password": NEW_PASSWORD}, token=None), 204)
    expect(owner.put("/password-resets", {"token": kept, "password": GUESS}, token=None), 410, "token_used_or_expired")
    assert [sign_in(owner, owner.email, password) for password in (GUESS, NEW_PASSWORD)] == [401, 201]
