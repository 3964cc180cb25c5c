"""Many at once: what proves who somebody is works once, and an address has one owner."""

import collections
import os
import random

import pytest
from person import PASSWORD, expect
from race import Race, from_anywhere, together

# Of a race between two kinds of requests, which may end in many ways; and of one that ends in one way.
ROUNDS, FEW_ROUNDS = (500, 500) if os.environ.get("ANTHILL_TEST_RING") == "long" else (50, 3)
NEW_PASSWORD = "a new heron 77"


@pytest.fixture
def sound(service):
    """The service; after the test nothing has failed in it and every invariant holds."""
    before = len(service.log())
    yield service
    assert '"status":500' not in service.log()[before:]
    assert service.violations() == []


def outcome(answer):
    return answer.status if answer.status < 300 else (answer.status, answer.json()["code"])


def outcomes(service, requests):
    """How the requests end that arrive together."""
    return [outcome(answer) for answer in together(service, requests)]


def owners(service, *addresses):
    """Who has these addresses, in their order."""
    found = {
        email: str(uid)
        for (email, uid) in service.cluster.sql("SELECT email, uid FROM user_emails WHERE email = ANY (%s)", list(addresses))
    }
    return [found.get(address) for address in addresses]


def ask_for_address(person, address):
    """The token that comes to the new address."""
    already = len(person.service.letters(address))
    answer = person.post("/me/email-changes", {"email": address, "password": PASSWORD}, headers=from_anywhere())
    expect(answer, 202)
    return person.service.token_from_mail(address, already=already)


# 32 uses of one token


def uses_of_a_registration(service, people):
    stranger = people(service, registered=False)
    token = stranger.ask_to_register()
    return [("POST", "/users", {"token": token, "nickname": f"N{number}", "password": PASSWORD}) for number in range(32)], 201


def uses_of_a_reset(service, people):
    token = people(service).ask_for_reset()
    return [("PUT", "/password-resets", {"token": token, "password": f"heron number {number}"}) for number in range(32)], 204


def uses_of_a_change_of_address(service, people):
    change = ask_for_address(people(service), people(service, registered=False).email)
    return [("POST", "/email-changes", {"token": change})] * 32, 204


def uses_of_a_taking_back(service, people):
    person = people(service)
    ask_for_address(person, people(service, registered=False).email)
    back = service.token_from_mail(person.email)
    return [("POST", "/email-changes/cancellations", {"token": back})] * 32, 204


def uses_of_a_late_taking_back(service, people):
    """The change is done by then."""
    person = people(service)
    change = ask_for_address(person, people(service, registered=False).email)
    back = service.token_from_mail(person.email)
    expect(person.post("/email-changes", {"token": change}, token=None), 204)
    return [("POST", "/email-changes/cancellations", {"token": back})] * 32, 204


@pytest.mark.parametrize("_", range(FEW_ROUNDS))
@pytest.mark.parametrize(
    "uses",
    [uses_of_a_registration, uses_of_a_reset, uses_of_a_change_of_address, uses_of_a_taking_back, uses_of_a_late_taking_back],
    ids=lambda uses: uses.__name__,
)
def test_of_32_uses_of_one_token_one_wins(sound, people, uses, _):
    requests, done = uses(sound, people)
    found = collections.Counter(outcomes(sound, [(*request, from_anywhere()) for request in requests]))
    assert found == {done: 1, (410, "token_used_or_expired"): 31}


def test_of_32_new_passwords_the_one_of_the_winner_is_set(sound, people):
    person = people(sound)
    token = person.ask_for_reset()
    requests = [
        ("PUT", "/password-resets", {"token": token, "password": f"heron number {number}"}, from_anywhere()) for number in range(32)
    ]
    winner = outcomes(sound, requests).index(204)
    for number, status in ((winner, 201), ((winner + 1) % 32, 401)):
        expect(person.post("/sign-ins", {"email": person.email, "password": f"heron number {number}"}, token=None), status)


# One against another


def test_no_sign_in_with_the_old_password_survives_a_reset(sound, people):
    race = Race()
    for _ in range(ROUNDS):
        person = people(sound)
        reset = ("PUT", "/password-resets", {"token": person.ask_for_reset(), "password": NEW_PASSWORD}, from_anywhere())
        sign_ins = [("POST", "/sign-ins", {"email": person.email, "password": PASSWORD}, from_anywhere()) for _ in range(4)]
        answers, [done] = race.run(lambda: together(sound, sign_ins), lambda: together(sound, [reset]))
        assert done.status == 204
        for answer in answers:
            assert outcome(answer) in (201, (401, "wrong_credentials"))
            if answer.status == 201:
                expect(person.get("/me", token=answer.json()["sign_in"]["token"]), 401, "not_signed_in")
        race.won_by_first(201 in [answer.status for answer in answers])
        expect(person.get("/me"), 401, "not_signed_in")
        expect(person.post("/sign-ins", {"email": person.email, "password": PASSWORD}, token=None), 401)
        expect(person.post("/sign-ins", {"email": person.email, "password": NEW_PASSWORD}, token=None), 201)
        person.close()
    assert race.went_both_ways()


def test_of_two_people_who_confirm_one_address_at_once_one_gets_it(sound, people):
    rivals, stranger = [people(sound), people(sound, "Minsu")], people(sound, registered=False)
    seen = collections.Counter()
    for number in range(ROUNDS):
        new, before, tokens = f"r{number}.{stranger.email}", [rival.email for rival in rivals], []
        for rival in rivals:
            tokens.append(ask_for_address(rival, new))
            sound.advance_clock(61)
        requests = [("POST", "/email-changes", {"token": token}, from_anywhere()) for token in tokens for _ in range(16)]
        random.shuffle(requests)
        first = 0
        if number < 2:  # each of them comes first once
            requests.sort(key=lambda request: request[2]["token"] != tokens[number])
            first = 1
        found = collections.Counter(outcomes(sound, requests[:first]) + outcomes(sound, requests[first:]))
        assert found == {204: 1, (410, "token_used_or_expired"): 31}
        [winner] = [rival for rival in rivals if expect(rival.get("/me"), 200).json()["email"] == new]
        seen[winner.name] += 1
        winner.email = new
        [loser] = [rival for rival in rivals if rival is not winner]
        assert owners(sound, new, loser.email) == [winner.uid, loser.uid]
        # The address that was given up is held: nobody has it.
        assert set(owners(sound, *before)) == {None, loser.uid}
    assert len(seen) == 2


def test_of_two_changes_of_ones_address_at_once_the_address_is_one_of_both(sound, people):
    """One change is confirmed while another is asked for. What comes later sees what came before it."""
    person, stranger = people(sound), people(sound, registered=False)
    race = Race()
    for number in range(ROUNDS):
        first, second, old = f"a{number}.{stranger.email}", f"b{number}.{stranger.email}", person.email
        confirm = ("POST", "/email-changes", {"token": ask_for_address(person, first)}, from_anywhere())
        ask = ("POST", "/me/email-changes", {"email": second, "password": PASSWORD}, from_anywhere(person))
        [confirmed], [asked] = race.run(lambda: together(sound, [confirm]), lambda: together(sound, [ask]))
        found = outcome(confirmed), outcome(asked)
        assert found in ((204, 202), (204, (403, "wrong_password")), ((410, "token_used_or_expired"), 202))
        race.won_by_first(confirmed.status == 204)
        now = first if confirmed.status == 204 else old
        assert expect(person.get("/me"), 200).json()["email"] == now
        assert owners(sound, old, first, second) == [person.uid if address == now else None for address in (old, first, second)]
        if asked.status == 202:
            later = sound.token_from_mail(second)
            [answer] = together(sound, [("POST", "/email-changes", {"token": later}, from_anywhere())])
            assert answer.status == 204 and owners(sound, now, second) == [None, person.uid]
            now = second
        person.email = now
    assert race.went_both_ways()
