"""Sign-in through providers: what is believed and what is not, how people get in, and what is left behind. The browser's part
is played by a client with cookies; Tests/browser goes the whole way in Chromium."""

import calendar
import json
import re
import time
import urllib.parse
from concurrent.futures import ThreadPoolExecutor

import pytest
from person import PASSWORD, Person, expect
from providers import CLIENT, SECRET, Key, Liar, base64url, from_base64url, hs256, token
from service import START, running, wait_until

NOW = calendar.timegm(time.strptime(START, "%Y-%m-%dT%H:%M:%SZ"))


@pytest.fixture(scope="module")
def liar():
    liar = Liar(NOW)
    yield liar
    liar.close()


@pytest.fixture(scope="module")
def apple(liar):
    liar = Liar(NOW)
    yield liar
    liar.close()


@pytest.fixture(scope="module")
def with_providers(liar, apple, tmp_path_factory):
    apple.signing = Key("apple-key", "ES256")
    key = tmp_path_factory.mktemp("apple") / "apple.p8"
    key.write_bytes(apple.signing.private_pem)
    with running(
        ANTHILL_OIDC_ACME_ISSUER=liar.issuer,
        ANTHILL_OIDC_ACME_CLIENT_ID=CLIENT,
        ANTHILL_OIDC_ACME_CLIENT_SECRET=SECRET,
        ANTHILL_OIDC_APPLE_ISSUER=apple.issuer,
        ANTHILL_OIDC_APPLE_CLIENT_ID="org.example.anthill",
        ANTHILL_OIDC_APPLE_TEAM_ID="TEAM",
        ANTHILL_OIDC_APPLE_KEY_ID="apple-key",
        ANTHILL_OIDC_APPLE_KEY_FILE=str(key),
    ) as service:
        yield service
        nothing_secret_is_left(service, liar, apple)


def nothing_secret_is_left(service, *liars):
    """No code, state, nonce, verifier, token or secret of a client in a log, on the console or in the database."""
    tables = service.cluster.sql("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
    rows = [
        row
        for (table,) in tables
        for (row,) in service.cluster.sql(f"SELECT t::text FROM {table} t")  # noqa: S608
    ]
    left = "\n".join([service.log(), service.console(), *rows])
    assert "provider_flows" in str(tables) and len(rows) > 100
    told = set().union(*(liar.secrets for liar in liars))
    assert len(told) > 5
    for secret in told:
        assert secret not in left, f"{secret[:12]}… was left behind"
        assert secret.encode().hex() not in left


@pytest.fixture
def service(with_providers, liar, apple):
    liar.tell_the_truth()
    apple.tell_the_truth()
    with_providers.cluster.sql("DELETE FROM rate_limits")
    yield with_providers.set_clock(START)
    assert with_providers.violations() == []


@pytest.fixture
def visitor(service):
    """Makes browsers: clients that keep cookies."""
    made = []

    def make(name="Mina"):
        made.append(Person(service, name))
        return made[-1]

    yield make
    for person in made:
        person.close()


def begin(person, provider="acme"):
    """The address at the provider that a browser is sent to."""
    return expect(person.get(f"/oidc/{provider}", token=None), 303).headers["location"]


def come_back(person, query, provider="acme"):
    """Where a browser is sent when the provider has sent it back."""
    return expect(person.get(f"/oidc/{provider}/callback", token=None, params=query), 303).headers["location"]


def sign_in(person, liar, provider="acme", **claims):
    return come_back(person, liar.allow(begin(person, provider), **claims), provider)


def same_origin(person):
    return {"Origin": person.service.origin}


def open_account(person, provider="acme", **more):
    body = {"provider": provider, "nickname": person.name, "delivery": "bearer", **more}
    answer = person.post("/users", body, token=None, headers=same_origin(person))
    if answer.status_code == 201:
        person._signed_in(answer)
    return answer


def with_ticket(person):
    """Headers of a request from our pages, in which anybody can bring a copy of the person's ticket."""
    return {**same_origin(person), "Cookie": f"anthill-ticket={person.http.cookies['anthill-ticket']}"}


def join(person, liar, subject, email=None):
    """Somebody new who signs in through the provider and opens an account."""
    email = email or person.email
    assert sign_in(person, liar, sub=subject, email=email, email_verified=True) == "/welcome#provider"
    expect(open_account(person), 201)
    return person


def signed_in_by_cookie(person):
    """Takes the token of the cookie for its own; the API then knows who asks."""
    person.token = person.http.cookies["anthill"]
    return person


# The way there and back


def test_somebody_new_opens_an_account_with_the_verified_address(visitor, liar, service):
    mina = visitor()
    address = begin(mina)
    asked = urllib.parse.parse_qs(urllib.parse.urlsplit(address).query)
    assert asked["redirect_uri"] == [f"{service.origin}/api/v1/oidc/acme/callback"]
    assert asked["scope"] == ["openid email"] and asked["client_id"] == [CLIENT]
    back = liar.allow(address, sub="new-1", email=mina.email, email_verified=True)
    assert come_back(mina, back) == "/welcome#provider"
    ticket = expect(mina.get("/provider-ticket", token=None), 200).json()["ticket"]
    assert ticket == {"provider": "acme", "name": "Acme", "email": mina.email}
    assert service.cluster.sql("SELECT FROM user_emails WHERE email = %s", mina.email) == []

    user = expect(open_account(mina), 201).json()["user"]
    assert user["email"] == mina.email
    assert mina.get("/provider-ticket", token=None).json() == {"ticket": None}
    expect(mina.get("/me"), 200)
    ways = mina.get("/me/identities").json()
    assert [(item["provider"], item["email"]) for item in ways["items"]] == [("acme", mina.email)]
    assert ways["has_password"] is False
    kinds = service.cluster.sql("SELECT kind, details ->> 'provider' FROM audit_events WHERE uid = %s ORDER BY kind", mina.uid)
    assert kinds == [("identity_linked", "acme"), ("registered", "acme")]

    # And the next time they are simply signed in, also under another address.
    again = visitor()
    assert sign_in(again, liar, sub="new-1", email="other@example.org", email_verified=True) == "/provider#signed-in"
    assert expect(signed_in_by_cookie(again).get("/me"), 200).json()["uid"] == user["uid"]
    devices = expect(again.get("/sign-ins"), 200).json()["items"]
    assert [device["provider_name"] for device in devices] == ["Acme", "Acme"]
    [[count]] = service.cluster.sql(
        "SELECT count(*) FROM audit_events WHERE uid = %s AND kind = 'signed_in' AND details ->> 'provider' = 'acme'", mina.uid
    )
    assert count == 1


def test_who_comes_through_a_provider_may_choose_a_password_as_well(visitor, liar):
    mina = visitor()
    assert sign_in(mina, liar, sub="both-1", email=mina.email, email_verified=True) == "/welcome#provider"
    expect(open_account(mina, password="short"), 422, "weak_password", "password")
    expect(open_account(mina, password=PASSWORD), 201)
    assert mina.get("/me/identities").json()["has_password"] is True
    assert mina.sign_in().uid == mina.uid


def test_without_a_verified_address_a_mail_verifies_one(visitor, liar, service):
    mina = visitor()
    assert sign_in(mina, liar, sub="bare-1", email=mina.email, email_verified=False) == "/welcome#provider"
    assert mina.get("/provider-ticket", token=None).json()["ticket"]["email"] is None
    expect(open_account(mina), 400, "missing_field", "token")
    expect(open_account(mina, token="A" * 43), 410, "token_used_or_expired")
    link = mina.ask_to_register()
    expect(open_account(mina, token=link), 201)
    assert mina.get("/me").json()["email"] == mina.email
    # The ticket's cookie is gone.
    expect(open_account(mina, token=link), 410, "ticket_used_or_expired")
    assert sign_in(visitor(), liar, sub="bare-1") == "/provider#signed-in"


def test_the_address_may_come_from_the_userinfo(visitor, liar):
    mina = visitor()
    liar.userinfo = {"sub": "info-1", "email": mina.email, "email_verified": True}
    assert sign_in(mina, liar, sub="info-1") == "/welcome#provider"
    assert mina.get("/provider-ticket", token=None).json()["ticket"]["email"] == mina.email
    # Of another subject it says nothing.
    other = visitor()
    liar.userinfo = {"sub": "info-1", "email": other.email, "email_verified": True}
    assert sign_in(other, liar, sub="info-2") == "/welcome#provider"
    assert other.get("/provider-ticket", token=None).json()["ticket"]["email"] is None


def test_apple_is_shown_a_secret_that_our_key_signed_and_asked_for_no_address(visitor, apple):
    mina = visitor()
    address = begin(mina, "apple")
    asked = urllib.parse.parse_qs(urllib.parse.urlsplit(address).query)
    assert asked["scope"] == ["openid"] and "response_mode" not in asked
    assert come_back(mina, apple.allow(address, sub="apple-1"), "apple") == "/welcome#provider"
    head, claims, signature = apple.forms[-1]["client_secret"].split(".")
    assert json.loads(from_base64url(head)) == {"alg": "ES256", "kid": "apple-key"}
    said = json.loads(from_base64url(claims))
    assert said == {"iss": "TEAM", "sub": "org.example.anthill", "aud": apple.issuer, "iat": NOW, "exp": NOW + 300}
    raw = from_base64url(signature)
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

    der = encode_dss_signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
    apple.signing.private.public_key().verify(der, f"{head}.{claims}".encode(), ec.ECDSA(hashes.SHA256()))


def test_the_flow_cookie_is_the_browsers_alone(visitor):
    answer = visitor().get("/oidc/acme", token=None)
    cookie = answer.headers["set-cookie"]
    assert re.fullmatch(r"anthill-oidc=[\w-]{43}; Path=/; HttpOnly; SameSite=Lax; Max-Age=\d+", cookie)
    assert answer.headers["cache-control"] == "no-store"


# Other people's accounts


def test_an_equal_address_links_nothing(visitor, liar, service):
    """Somebody registers with a password; a provider then vouches for the same address: nobody gets in."""
    owner = visitor("Owner").register()
    guest = visitor("Guest")
    problem = "/provider#problem=address_taken&provider=acme"
    assert sign_in(guest, liar, sub="same-1", email=owner.email.upper(), email_verified=True) == problem
    assert "anthill-ticket" not in guest.http.cookies and "anthill" not in guest.http.cookies
    assert service.cluster.sql("SELECT FROM user_identities WHERE subject = 'same-1'") == []


def test_the_owner_of_a_provider_account_does_not_get_what_a_stranger_prepared(visitor, liar, service):
    """A stranger opens the account with an unverified address of their victim: they would have to read the victim's mail."""
    stranger, victim = visitor("Stranger"), visitor("Victim")
    assert sign_in(stranger, liar, sub="evil", email=victim.email, email_verified=False) == "/welcome#provider"
    expect(open_account(stranger), 400, "missing_field")
    expect(stranger.post("/registrations", {"email": victim.email}, token=None), 202)
    join(victim, liar, "victim", victim.email)
    assert sign_in(visitor(), liar, sub="evil") == "/welcome#provider"
    assert service.cluster.sql("SELECT FROM user_identities WHERE subject = 'evil'") == []


def test_of_two_who_take_the_same_address_at_once_one_gets_it(visitor, liar, service):
    first, second = visitor("First"), visitor("Second")
    for person, subject in ((first, "race-1"), (second, "race-2")):
        assert sign_in(person, liar, sub=subject, email=first.email, email_verified=True) == "/welcome#provider"
    with ThreadPoolExecutor(2) as threads:
        answers = list(threads.map(open_account, [first, second]))
    assert sorted(answer.status_code for answer in answers) == [201, 409]
    assert [answer.json()["code"] for answer in answers if answer.status_code == 409] == ["address_taken"]


def test_who_is_suspended_is_not_let_in(visitor, liar, service):
    mina = join(visitor(), liar, "suspended-1")
    service.cluster.sql("UPDATE users SET status = 'suspended' WHERE uid = %s", mina.uid)
    assert sign_in(visitor(), liar, sub="suspended-1") == "/provider#problem=wrong_credentials&provider=acme"


# Linking and unlinking


def link(person, liar, subject, password=PASSWORD, **claims):
    body = {"provider": "acme"} | ({"password": password} if password else {})
    answer = expect(person.post("/me/identities", body), 200)
    return come_back(person, liar.allow(answer.json()["url"], sub=subject, **claims))


def test_an_owner_links_and_unlinks(visitor, liar, service):
    mina = visitor().register()
    expect(mina.post("/me/identities", {"provider": "acme"}), 403, "confirmation_required")
    expect(mina.post("/me/identities", {"provider": "acme", "password": "wrong"}), 403, "wrong_password", "password")
    assert link(mina, liar, "link-1", email="mina@work.example", email_verified=True) == "/settings#linked=acme"
    [item] = mina.get("/me/identities").json()["items"]
    assert item["email"] == "mina@work.example"
    told = lambda: [str(letter["subject"]) for letter in service.letters(mina.email)]
    wait_until(lambda: "Acme was linked to your Anthill account" in told(), what="the notice")
    assert sign_in(visitor(), liar, sub="link-1") == "/provider#signed-in"

    # It cannot be linked again, by them or by others.
    assert link(mina, liar, "link-1") == "/provider#problem=identity_taken&provider=acme"
    other = visitor("Other").register()
    assert link(other, liar, "link-1") == "/provider#problem=identity_taken&provider=acme"

    expect(other.ask("DELETE", f"/me/identities/{item['id']}", {"password": PASSWORD}), 404)
    expect(mina.ask("DELETE", f"/me/identities/{item['id']}", {"password": PASSWORD}), 204)
    assert sign_in(visitor(), liar, sub="link-1") == "/welcome#provider"
    kinds = [kind for (kind,) in service.cluster.sql("SELECT kind FROM audit_events WHERE uid = %s ORDER BY at, id", mina.uid)]
    assert kinds.count("identity_linked") == 1 and kinds[-1] == "identity_unlinked"
    wait_until(lambda: "Acme was unlinked from your Anthill account" in told(), what="the notice")
    assert not any("linked" in str(letter["subject"]) for letter in service.letters(other.email))


def test_linking_ends_with_the_sign_in_that_began_it(visitor, liar, service):
    mina = visitor().register()
    url = expect(mina.post("/me/identities", {"provider": "acme", "password": PASSWORD}), 200).json()["url"]
    expect(mina.delete("/sign-ins/current"), 204)
    mina.token = None
    assert come_back(mina, liar.allow(url, sub="late-1")) == "/provider#problem=not_signed_in&provider=acme"
    assert service.cluster.sql("SELECT FROM user_identities WHERE subject = 'late-1'") == []


def test_a_linked_account_confirms_who_one_is(visitor, liar, service):
    mina = join(visitor(), liar, "confirm-1")
    service.advance_clock(301)
    expect(mina.put("/me/password", {"new": "a quite new one 8"}), 403, "confirmation_required")

    def confirm(subject, **claims):
        url = expect(mina.post("/me/confirmations", {"provider": "acme"}), 200).json()["url"]
        assert "prompt=login" in url
        return come_back(mina, liar.allow(url, sub=subject, iat=NOW + 301, exp=NOW + 600, **claims))

    assert confirm("somebody-else") == "/provider#problem=another_identity&provider=acme"
    expect(mina.put("/me/password", {"new": "a quite new one 8"}), 403, "confirmation_required")
    assert confirm("confirm-1") == "/settings#confirmed=acme"
    expect(mina.put("/me/password", {"new": "a quite new one 8"}), 204)
    # Where there is a password, it alone confirms.
    expect(mina.ask("DELETE", "/me", {}), 403, "confirmation_required", "password")


def test_the_owner_who_takes_their_address_back_shuts_the_thief_out(visitor, liar, service):
    """The thief knew the password, linked an account, took another address and password, and prepared all there is."""
    owner, thief = visitor("Owner").register(), visitor("Thief")
    thiefs, owner_letters = thief.email, len(service.letters(owner.email))
    thief.email = owner.email
    thief.sign_in()
    assert link(thief, liar, "thief-1") == "/settings#linked=acme"
    expect(thief.post("/me/email-changes", {"email": thiefs, "password": PASSWORD}), 202)
    expect(thief.post("/email-changes", {"token": service.token_from_mail(thiefs)}), 204)
    back = service.token_from_mail(owner.email, already=owner_letters)
    expect(owner.get("/me"), 401, "not_signed_in")
    stolen = "a stolen heron 5"
    expect(thief.put("/me/password", {"current": PASSWORD, "new": stolen}), 204)
    tokens = [thief.token, expect(thief.post("/sign-ins", {"email": thiefs, "password": stolen}), 201).json()["sign_in"]["token"]]
    browser = visitor("Thief")
    assert sign_in(browser, liar, sub="thief-1") == "/provider#signed-in"
    tokens.append(browser.http.cookies["anthill"])

    def asked(path, body, to):
        """The token of the mail that it brings."""
        service.advance_clock(61)
        wait_until(service.all_mail_is_sent, what="the mail of what was done before")
        already = len(service.letters(to))
        expect(thief.post(path, body), 202)
        return service.token_from_mail(to, already=already)

    reset, next_one = asked("/password-resets", {"email": thiefs}, thiefs), visitor("Accomplice").email
    already = len(service.letters(thiefs))
    kept = [
        ("PUT", "/password-resets", {"token": reset, "password": "one more heron 6"}),
        ("POST", "/email-changes", {"token": asked("/me/email-changes", {"email": next_one, "password": stolen}, next_one)}),
        ("POST", "/email-changes/cancellations", {"token": service.token_from_mail(thiefs, already=already)}),
    ]

    already = len(service.letters(owner.email))
    expect(owner.post("/email-changes/cancellations", {"token": back}, token=None), 204)
    for token_of_thief in tokens:
        expect(thief.get("/me", token=token_of_thief), 401, "not_signed_in")
    for method, path, body in kept:
        expect(thief.ask(method, path, body, token=None), 410, "token_used_or_expired")
    for address in (owner.email, thiefs, next_one):
        for password in (PASSWORD, stolen):
            expect(visitor("Thief").post("/sign-ins", {"email": address, "password": password}, token=None), 401)
    assert sign_in(visitor("Thief"), liar, sub="thief-1") == "/welcome#provider"

    reset = service.token_from_mail(owner.email, already=already)
    expect(owner.put("/password-resets", {"token": reset, "password": "a new heron 77"}, token=None), 204)
    owner._signed_in(expect(owner.post("/sign-ins", {"email": owner.email, "password": "a new heron 77"}, token=None), 201))
    assert expect(owner.get("/me"), 200).json()["email"] == owner.email
    assert expect(owner.get("/me/identities"), 200).json()["items"] == []
    [device] = expect(owner.get("/sign-ins"), 200).json()["items"]
    assert device["current"]


# Once, here, and in time


def test_an_answer_is_taken_in_the_browser_that_asked_and_in_no_other(visitor, liar):
    """The attacker sends a victim their own code and state, to sign the victim in to the attacker's account."""
    attacker, victim = visitor("Attacker"), visitor("Victim")
    back = liar.allow(begin(attacker), sub="fixed-1", email=attacker.email, email_verified=True)
    expired = "/provider#problem=expired&provider=acme"
    assert come_back(victim, back) == expired
    begin(victim)
    assert come_back(victim, back) == expired
    assert {"anthill", "anthill-ticket"}.isdisjoint(victim.http.cookies)
    # The attacker's own way is still open, since nobody has gone it.
    assert come_back(attacker, back) == "/welcome#provider"


@pytest.mark.parametrize("state", [None, "", "x", "A" * 43])
def test_a_wrong_state_is_refused_and_uses_nothing_up(visitor, liar, state):
    mina = visitor()
    back = liar.allow(begin(mina), sub="state-1")
    wrong = {**back, "state": state} if state is not None else {"code": back["code"]}
    assert come_back(mina, wrong) == "/provider#problem=expired&provider=acme"
    assert come_back(mina, back) == "/welcome#provider"


def test_an_answer_is_taken_once(visitor, liar):
    mina = visitor()
    back = liar.allow(begin(mina), sub="once-1")
    cookies = dict(mina.http.cookies)
    assert come_back(mina, back) == "/welcome#provider"
    for name, value in cookies.items():
        mina.http.cookies.set(name, value)
    assert come_back(mina, back) == "/provider#problem=expired&provider=acme"


def test_of_32_at_once_one_is_taken(visitor, liar, service):
    mina = join(visitor(), liar, "many-1")
    browser = visitor()
    back = liar.allow(begin(browser), sub="many-1")
    cookie = {"Cookie": f"anthill-oidc={browser.http.cookies['anthill-oidc']}"}
    before = len(liar.forms)
    copies = [visitor() for _ in range(32)]

    def use(person):
        return person.get("/oidc/acme/callback", token=None, params=back, headers=cookie).headers["location"]

    with ThreadPoolExecutor(32) as threads:
        places = list(threads.map(use, copies))
    assert sorted(places) == ["/provider#problem=expired&provider=acme"] * 31 + ["/provider#signed-in"]
    assert len(liar.forms) == before + 1
    [[count]] = service.cluster.sql("SELECT count(*) FROM sign_ins WHERE uid = %s", mina.uid)
    assert count == 2


def test_of_32_accounts_with_one_ticket_one_is_opened(visitor, liar, service):
    mina = visitor()
    assert sign_in(mina, liar, sub="tickets-1", email=mina.email, email_verified=True) == "/welcome#provider"
    headers = with_ticket(mina)
    copies = [visitor() for _ in range(32)]

    def use(person):
        return person.post("/users", {"provider": "acme", "nickname": "Mina"}, token=None, headers=headers).status_code

    with ThreadPoolExecutor(32) as threads:
        statuses = sorted(threads.map(use, copies))
    assert statuses[0] == 201 and set(statuses[1:]) <= {409, 410}
    [[count]] = service.cluster.sql("SELECT count(*) FROM user_identities WHERE subject = 'tickets-1'")
    assert count == 1


def test_a_copy_of_a_ticket_opens_no_second_account(visitor, liar, service):
    mina, other = visitor(), visitor()
    assert sign_in(mina, liar, sub="copied-1", email=mina.email, email_verified=False) == "/welcome#provider"
    headers = with_ticket(mina)
    expect(open_account(mina, token=mina.ask_to_register()), 201)
    # Neither the identity nor the address is in the way of a second account.
    service.cluster.sql("DELETE FROM user_identities WHERE subject = 'copied-1' RETURNING 1")
    body = {"provider": "acme", "nickname": "Mina", "token": other.ask_to_register()}
    expect(other.post("/users", body, token=None, headers=headers), 410, "ticket_used_or_expired")


def test_the_way_and_the_ticket_run_out(visitor, liar, service):
    mina = visitor()
    back = liar.allow(begin(mina), sub="slow-1", iat=NOW + 601, exp=NOW + 900)
    service.advance_clock(601)
    assert come_back(mina, back) == "/provider#problem=expired&provider=acme"
    back = liar.allow(begin(mina), sub="slow-1", iat=NOW + 601, exp=NOW + 900, email=mina.email, email_verified=True)
    assert come_back(mina, back) == "/welcome#provider"
    service.advance_clock(1801)
    expect(open_account(mina), 410, "ticket_used_or_expired")


def test_a_ticket_is_good_on_our_own_pages_alone_and_for_its_own_provider(visitor, liar):
    mina = visitor()
    assert sign_in(mina, liar, sub="foreign-1", email=mina.email, email_verified=True) == "/welcome#provider"
    body = {"provider": "acme", "nickname": "Mina"}
    for headers in ({}, {"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
        expect(mina.post("/users", body, token=None, headers=headers), 403, "cross_origin")
    expect(open_account(mina, "apple"), 410, "ticket_used_or_expired")
    expect(open_account(mina), 201)


def test_an_answer_of_one_provider_is_no_answer_of_another(visitor, liar, apple):
    mina = visitor()
    back = liar.allow(begin(mina), sub="mixed-1")
    assert come_back(mina, back, "apple") == "/provider#problem=expired&provider=apple"
    assert come_back(mina, {**back, "iss": apple.issuer}) == "/provider#problem=refused&provider=acme"


@pytest.mark.parametrize(
    "error, problem", [("access_denied", "cancelled"), ("user_cancelled_authorize", "cancelled"), ("server_error", "refused")]
)
def test_who_stops_at_the_provider_is_told_so(visitor, liar, error, problem):
    mina = visitor()
    back = liar.allow(begin(mina))
    answer = come_back(mina, {"state": back["state"], "error": error, "error_description": "x", "more": "y"})
    assert answer == f"/provider#problem={problem}&provider=acme"


# Tokens that lie

STRANGER, CURVE = Key("first"), Key("curve", "ES256")


def raw(header=None, claims=None, key=None, algorithm=None):
    """A forger that changes header and claims, and signs by whatever key."""

    def forge(liar):
        def make(said, head):
            changed = {**said, **(claims or {})}
            changed = {name: value for name, value in changed.items() if value is not None}
            changed_head = {**head, **(header or {})}
            changed_head = {name: value for name, value in changed_head.items() if value is not None}
            return token(changed_head, changed, lambda text: (key or liar.key).sign(text, algorithm))

        return make

    return forge


def altered(change):
    """A forger that takes a good token and changes its text."""
    return lambda liar: lambda said, head: change(token(head, said, liar.key.sign))


def unsigned(algorithm):
    return lambda liar: lambda said, head: token({**head, "alg": algorithm}, said, lambda text: b"")


def symmetric(secret):
    return lambda liar: lambda said, head: token({**head, "alg": "HS256"}, said, hs256(secret(liar)))


def flip(text):
    head, signature = text.rsplit(".", 1)
    data = bytearray(from_base64url(signature))
    data[10] ^= 1
    return f"{head}.{base64url(bytes(data))}"


def twice(name, value):
    """A claim that stands there twice: a good one for one reader, a bad one for another."""
    return lambda liar: lambda said, head: token(head, json.dumps(said)[:-1] + f', "{name}": {json.dumps(value)}}}', liar.key.sign)


def flattened(liar):
    def make(said, head):
        protected, payload, signature = token(head, said, liar.key.sign).split(".")
        return json.dumps({"protected": protected, "payload": payload, "signature": signature})

    return make


FORGERIES = {
    "no algorithm": unsigned("none"),
    "no algorithm, in capitals": unsigned("NONE"),
    "HS256 with the public key": symmetric(lambda liar: liar.key.public_pem),
    "HS256 with the modulus": symmetric(lambda liar: from_base64url(liar.key.jwk["n"])),
    "HS256 with the client's secret": symmetric(lambda liar: SECRET.encode()),
    "another key under the same name": raw(key=STRANGER),
    "a key that nobody knows": raw({"kid": "second"}),
    "the name of a key of another algorithm": raw({"kid": "curve"}),
    "another algorithm of the same key": raw({"alg": "RS384"}, algorithm="RS384"),
    "a probabilistic signature": raw({"alg": "PS256"}, algorithm="PS256"),
    "RS256 that says ES256": raw({"alg": "ES256"}),
    "ES256 with a stranger's key": raw({"alg": "ES256", "kid": "curve"}, key=CURVE),
    "a name of a key that is a number": raw({"kid": 1}),
    "something critical": raw({"crit": ["exp"]}),
    "a key that it brings along": raw({"jwk": STRANGER.jwk}, key=STRANGER),
    "a key under an address": lambda liar: raw({"jku": f"{liar.issuer}/stolen", "kid": "stolen"}, key=STRANGER)(liar),
    "a certificate under an address": lambda liar: raw({"x5u": f"{liar.issuer}/stolen"}, key=STRANGER)(liar),
    "a certificate that it brings along": raw({"x5c": ["MIIB"]}, key=STRANGER),
    "another issuer": raw(claims={"iss": "https://accounts.google.com"}),
    "an issuer with a slash": lambda liar: raw(claims={"iss": f"{liar.issuer}/"})(liar),
    "no issuer": raw(claims={"iss": None}),
    "another audience": raw(claims={"aud": "somebody"}),
    "no audience": raw(claims={"aud": None}),
    "several audiences": raw(claims={"aud": [CLIENT, "somebody"]}),
    "another authorized party": raw(claims={"azp": "somebody"}),
    "several audiences, made for another": raw(claims={"aud": [CLIENT, "somebody"], "azp": "somebody"}),
    "another nonce": raw(claims={"nonce": "A" * 43}),
    "no nonce": raw(claims={"nonce": None}),
    "expired": raw(claims={"exp": NOW - 61}),
    "no expiry": raw(claims={"exp": None}),
    "an expiry in words": raw(claims={"exp": "2099"}),
    "made in the future": raw(claims={"iat": NOW + 61}),
    "no date": raw(claims={"iat": None}),
    "not yet valid": raw(claims={"nbf": NOW + 61}),
    "no subject": raw(claims={"sub": None}),
    "an empty subject": raw(claims={"sub": ""}),
    "a subject that is a number": raw(claims={"sub": 7}),
    "a subject with a line break": raw(claims={"sub": "a\nb"}),
    "a huge subject": raw(claims={"sub": "a" * 256}),
    "a huge token": raw(claims={"more": "a" * 20_000}),
    "a second subject": twice("sub", "victim"),
    "a second algorithm": lambda liar: lambda said, head: token(json.dumps(head)[:-1] + ', "alg": "none"}', said, liar.key.sign),
    "a flipped bit": altered(flip),
    "a truncated signature": altered(lambda text: text[:-20]),
    "a signature that is only begun": altered(lambda text: text.rsplit(".", 1)[0] + ".AA"),
    "no signature": altered(lambda text: text.rsplit(".", 1)[0] + "."),
    "two parts": altered(lambda text: text.rsplit(".", 1)[0]),
    "four parts": altered(lambda text: text + ".AAAA"),
    "padding": altered(lambda text: text + "=="),
    "a blank before it": altered(lambda text: " " + text),
    "the flattened form": flattened,
    "an object": lambda liar: lambda said, head: {"token": 1},
    "nothing": lambda liar: lambda said, head: None,
    "claims that are a list": lambda liar: lambda said, head: token(head, "[1]", liar.key.sign),
    "claims that are no JSON": lambda liar: lambda said, head: token(head, "claims", liar.key.sign),
    "another person's claims": altered(lambda text: ".".join([text.split(".")[0], base64url(b'{"sub":"victim"}'), text.split(".")[2]])),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_a_token_that_lies_is_not_believed(visitor, liar, service, name):
    mina = visitor()
    liar.forge = FORGERIES[name](liar)
    before = len(liar.fetched)
    assert sign_in(mina, liar, sub="honest") == "/provider#problem=refused&provider=acme"
    assert {"anthill", "anthill-ticket"}.isdisjoint(mina.http.cookies)
    assert not [path for path in liar.fetched[before:] if "stolen" in path]
    assert service.cluster.sql("SELECT FROM provider_tickets WHERE subject IN ('honest', 'victim')") == []


TRUTHS = {
    "as it is": raw(),
    "ES256": lambda liar: raw({"alg": "ES256", "kid": "curve"}, key=liar.ec_key)(liar),
    "no name of a key, while one fits": raw({"kid": None}),
    "an address of keys that nobody looks at": raw({"jku": "https://evil.example/keys"}),
    "a list of us alone": raw(claims={"aud": [CLIENT]}),
    "several audiences, made for us": raw(claims={"aud": [CLIENT, "somebody"], "azp": CLIENT}),
    "a clock that is a minute slow": raw(claims={"iat": NOW - 120, "exp": NOW - 59}),
    "a clock that is a minute fast": raw(claims={"iat": NOW + 60, "nbf": NOW + 60}),
}


@pytest.mark.parametrize("name", TRUTHS)
def test_a_token_that_is_true_is_believed(visitor, liar, name):
    liar.forge = TRUTHS[name](liar)
    assert sign_in(visitor(), liar, sub="true-1") == "/welcome#provider"


# Providers that are out of order


def test_a_code_needs_the_verifier_of_its_own_way(visitor, liar):
    """The code of one way in the other: the provider refuses it by PKCE."""
    mina, other = visitor(), visitor("Other")
    stolen = liar.allow(begin(other), sub="stolen")["code"]
    back = liar.allow(begin(mina), sub="honest")
    assert come_back(mina, {**back, "code": stolen}) == "/provider#problem=refused&provider=acme"


ANSWERS = {
    "an error": ((400, {"error": "invalid_client"}), "refused"),
    "no JSON": ((200, b"<html>"), "refused"),
    "no token": ((200, {}), "refused"),
    "a fault": ((500, {}), "provider_unavailable"),
    "a redirect": ((302, {}, "text/plain"), "refused"),
    "too much": ((200, b"[" + b"1," * 200_000 + b"1]"), "provider_unavailable"),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_an_invalid_answer_of_a_provider_leads_to_the_right_problem(visitor, liar, name):
    liar.answer, problem = ANSWERS[name]
    assert sign_in(visitor(), liar, sub="honest") == f"/provider#problem={problem}&provider=acme"


def test_a_new_key_is_fetched_but_not_for_every_token(visitor, liar):
    assert sign_in(visitor(), liar, sub="rotation") == "/welcome#provider"
    new = Key("rotated")
    liar.forge = raw({"kid": "rotated"}, key=new)(liar)
    before = liar.fetched.count("/keys")
    for _ in range(5):
        assert sign_in(visitor(), liar, sub="rotation").startswith("/provider#problem=refused")
    assert liar.fetched.count("/keys") <= before + 1
    liar.keys.append(new)
    try:
        wait_until(lambda: sign_in(visitor(), liar, sub="rotation") == "/welcome#provider", what="the new key to be known")
        liar.tell_the_truth()
        assert sign_in(visitor(), liar, sub="rotation") == "/welcome#provider"
    finally:
        liar.keys.remove(new)


def test_a_provider_that_is_away_is_told_so(with_providers):
    """A service of its own: what a provider says of itself is kept for an hour."""
    liar = Liar(NOW)
    with_providers.stop()
    names = {name: value for name, value in with_providers.environment.items() if name.startswith("ANTHILL_OIDC_ACME")}
    try:
        with_providers.environment["ANTHILL_OIDC_ACME_ISSUER"] = liar.issuer
        with_providers.start()
        with Person(with_providers) as mina:
            away = "/provider#problem=provider_unavailable&provider=acme"
            for wrong in (
                {"issuer": "https://accounts.google.com"},
                {"token_endpoint": "http://example.org/token"},
                {"jwks_uri": None},
                {"authorization_endpoint": "file:///etc/passwd"},
            ):
                right = dict(liar.discovery)
                liar.discovery.update(wrong)
                assert begin(mina) == away, wrong
                liar.discovery = right
            assert begin(mina).startswith(liar.issuer)
            back = liar.allow(begin(mina), sub="away")
            mina.register()
            liar.close()
            assert come_back(mina, back) == away
            expect(mina.post("/me/confirmations", {"provider": "apple"}), 200)
    finally:
        with_providers.stop()
        with_providers.environment.update(names)
        with_providers.start()


@pytest.mark.parametrize(
    "name, value, told",
    [
        ("ANTHILL_OIDC_ACME_ISSUER", "http://example.org", "ANTHILL_OIDC_ACME_ISSUER"),
        ("ANTHILL_OIDC_ACME_CLIENT_ID", "", "ANTHILL_OIDC_ACME_CLIENT_ID"),
        ("ANTHILL_OIDC_ACME_KLIENT_ID", "hunter2", "ANTHILL_OIDC_ACME_KLIENT_ID"),
        ("ANTHILL_OIDC_APPLE_KEY_FILE", "/nowhere", "ANTHILL_OIDC_APPLE_KEY_FILE"),
    ],
)
def test_a_wrong_variable_is_refused_by_its_name(with_providers, name, value, told):
    done = with_providers.run("serve", **{name: value})
    assert done.returncode != 0 and told in done.stderr and "hunter2" not in done.stderr


def test_too_many_attempts_are_told_on_a_page(visitor, liar):
    mina = visitor()
    for _ in range(200):
        begin(mina)
    assert begin(mina) == "/provider#problem=too_many_attempts&provider=acme"
