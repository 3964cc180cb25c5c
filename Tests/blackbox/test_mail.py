"""Mail to a real mail server: what can be turned off by one click, addresses that are refused, and where no secret is."""

import base64
import re
import subprocess

import pytest
from aiosmtpd.controller import Controller
from mail_server import MailServer
from person import PASSWORD, expect
from service import free_port, wait_until


@pytest.fixture
def post_office(own_service):
    """A service that sends its mail to a mail server, and that server."""
    office = MailServer(own_service.mail)
    controller = Controller(office, hostname="127.0.0.1", port=free_port())
    controller.start()
    assert own_service.stop() == 0
    own_service.environment["ANTHILL_SMTP_URL"] = f"smtp://127.0.0.1:{controller.port}?tls=none"
    own_service.environment["ANTHILL_MAIL_FROM"] = "Anthill <anthill@example.org>"
    own_service.start()
    yield own_service, office
    controller.stop()


def leave_a_timer_running(service, person):
    """Brings the mail about a timer that runs on and on."""
    expect(person.start(), 201)
    service.advance_clock(7 * 3600)
    service.cluster.sql("SELECT tell_of_unattended_timers()")
    wait_until(service.all_mail_is_sent)


def test_one_click_in_a_mail_program_turns_a_kind_of_mail_off(post_office, people):
    service, _ = post_office
    person = people(service, "Jihye", registered=False).register_by_mail()
    leave_a_timer_running(service, person)
    letter = service.letters(person.email)[-1]
    assert letter["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert letter["Auto-Submitted"] == "auto-generated"
    link = re.fullmatch(rf"<{service.origin}(/unsubscribe/unattended_mail/[\w-]+)>", letter["List-Unsubscribe"].strip())[1]
    assert f"{service.origin}{link}" in letter.get_body(("plain",)).get_content()
    assert all(mail["List-Unsubscribe"] is None for mail in service.letters(person.email)[:-1]), "not mail about security"

    assert person.get("/me").json()["unattended_mail"]
    # Mail scanners follow links: looking changes nothing.
    assert person.http.get(link).status_code == 200
    assert person.get("/me").json()["unattended_mail"]
    for _ in range(2):
        assert person.http.post(link, data={"List-Unsubscribe": "One-Click"}).status_code == 204
    assert not person.get("/me").json()["unattended_mail"]
    assert person.http.post(link[:-1], data={"List-Unsubscribe": "One-Click"}).status_code == 404
    assert link.rpartition("/")[2] not in service.log()


def test_a_letter_tells_of_the_week_to_those_who_want_it(post_office, people):
    service, _ = post_office
    jihye, other = (people(service, name, registered=False).register_by_mail(locale="en") for name in ("Jihye", "Other"))
    expect(jihye.patch("/me", {"weekly_mail": True}), 200)
    # On Friday; the week before holds nothing.
    expect(jihye.log("2026-11-20T00:00:00Z", "2026-11-20T02:30:00Z"), 201)
    expect(other.log("2026-11-20T00:00:00Z", "2026-11-20T02:30:00Z"), 201)
    # On Monday at noon in Seoul. Instances share the work: only one letter comes.
    service.advance_clock(3 * 86400)
    for _ in range(2):
        service.cluster.sql("SELECT send_weekly_letters()")
    wait_until(service.all_mail_is_sent)
    [_, letter] = service.letters(jihye.email)
    assert len(service.letters(other.email)) == 1, "the registration alone"
    assert letter["Subject"] == "Your week: 2 h 30 min"
    assert letter["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    for kind in ("plain", "html"):
        text = letter.get_body((kind,)).get_content()
        assert "In the week from 2026-11-16 you studied 2 h 30 min on 1 day." in text
        assert "That is 2 h 30 min more than in the week before." in text

    link = re.fullmatch(rf"<{service.origin}(/unsubscribe/weekly_mail/[\w-]+)>", letter["List-Unsubscribe"].strip())[1]
    expect(jihye.http.post(link, data={"List-Unsubscribe": "One-Click"}), 204)
    service.advance_clock(7 * 86400)
    service.cluster.sql("SELECT send_weekly_letters()")
    wait_until(service.all_mail_is_sent)
    assert len(service.letters(jihye.email)) == 2


def test_a_refused_address_is_shown_to_its_owner_until_mail_arrives(post_office, people):
    service, office = post_office
    person = people(service, "Jihye", registered=False).register_by_mail()
    office.refused.add(person.email)
    service.advance_clock(120)
    expect(person.post("/me/mail-tests"), 202)
    for attempt in (1, 2, 3):
        done = "SELECT 1 FROM mail_outbox WHERE kind = 'mail_test' AND attempts = %s AND lease_until IS NULL"
        wait_until(lambda sql=done, count=attempt: service.cluster.sql(sql, count), what=f"attempt {attempt}")
        service.advance_clock(120)
    refused = person.get("/me").json()["mail_refused"]
    assert refused["reply"] == 550

    leave_a_timer_running(service, person)
    assert len(service.letters(person.email)) == 1, "the registration alone"

    office.refused.clear()
    expect(person.post("/me/mail-tests"), 202)
    wait_until(lambda: len(service.letters(person.email)) == 2)
    wait_until(lambda: person.get("/me").json()["mail_refused"] is None)
    exported = service.cluster.sql("SELECT content::jsonb FROM exported_account(%s) WHERE part = 'profile'", person.uid)
    assert exported[0][0]["mail_refused_since"] is None


def came_back(letter, status="5.1.1", action="failed"):
    """The report that a mail server sends about this mail (RFC 3464), as Postfix writes it."""
    return f"""\
Return-Path: <>
From: MAILER-DAEMON@relay.example (Mail Delivery System)
To: anthill@example.org
Message-ID: <20261121@relay.example>
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status; boundary="=_report"

--=_report
Content-Type: text/plain; charset=us-ascii

I'm sorry to have to inform you that your message could not be delivered.

--=_report
Content-Description: Delivery report
Content-Type: message/delivery-status

Reporting-MTA: dns; relay.example
Arrival-Date: Sat, 21 Nov 2026 09:00:00 +0000

Final-Recipient: rfc822; {letter["To"]}
Action: {action}
Status: {status}
Diagnostic-Code: smtp; 554 {status} <{letter["To"]}>: Recipient address rejected:
    User unknown in local recipient table

--=_report
Content-Type: text/rfc822-headers

To: {letter["To"]}
Message-ID: {letter["Message-ID"]}
Subject: {letter["Subject"]}

--=_report--
"""


def test_a_mail_that_comes_back_is_told_to_its_owner(post_office, people):
    service, _ = post_office
    person, other = (people(service, name, registered=False).register_by_mail() for name in ("Jihye", "Other"))
    [letter] = service.letters(person.email)
    another = came_back(letter).replace(letter["Message-ID"], "<00000000-0000-0000-0000-000000000000@example.org>")
    unchanged = [
        ("Subject: hello\n\nhello", 3),
        (came_back(letter, status="4.4.1", action="delayed"), 3),
        (came_back(letter, status="5.7.1"), 3),
        (another, 0),
    ]
    for mail, status in unchanged:
        done = service.run("bounce", read=mail)
        assert (done.returncode, "Nothing has changed." in done.stdout) == (status, True), done
        assert person.get("/me").json()["mail_refused"] is None

    done = service.run("bounce", read=came_back(letter))
    assert done.returncode == 0 and "came back" in done.stdout, done
    assert person.get("/me").json()["mail_refused"]["reply"] == 554
    assert other.get("/me").json()["mail_refused"] is None
    # Links go to the canonical form of an address, whatever its owner wrote.
    service.cluster.sql("UPDATE user_emails SET email = upper(email) WHERE uid = %s", other.uid)
    assert service.run("bounce", read=came_back(service.letters(other.email)[0])).returncode == 0
    assert other.get("/me").json()["mail_refused"]["reply"] == 554
    leave_a_timer_running(service, person)
    assert len(service.letters(person.email)) == 1, "the registration alone"


def test_no_secret_is_in_the_log_the_outbox_or_a_dump(post_office, people):
    service, office = post_office
    person, other = (people(service, name, registered=False) for name in ("Jihye", "Other"))
    person.register_by_mail()
    group = person.found_group()
    codes = {person.invite(group)["code"], service.run("invite").stdout.split("/join/")[1].split()[0]}
    other.ask_to_register(invitation=min(codes))
    service.advance_clock(120)
    expect(person.post("/password-resets", {"email": person.email}), 202)
    leave_a_timer_running(service, person)
    # A mail that is still waiting.
    office.refused.add(other.email)
    expect(other.post("/registrations", {"email": other.email}), 202)
    wait_until(lambda: service.cluster.sql("SELECT 1 FROM mail_outbox WHERE last_error IS NOT NULL"))
    printed = service.run("link", "new@example.org").stdout

    letters = [mail.get_body(("plain",)).get_content() for mail in service.letters("@")]
    tokens = set(re.findall(r"#token=([\w-]+)", "\n".join([*letters, printed])))
    clicks = set(re.findall(r"/unsubscribe/\w+/([\w-]+)", "\n".join(letters)))
    assert (len(tokens), len(clicks)) == (4, 1)
    secrets = tokens | clicks | codes | {person.token, PASSWORD, service.environment["ANTHILL_SECRET"]}

    dump = subprocess.run(["pg_dump", service.cluster.url], capture_output=True, text=True, check=True).stdout
    assert "COPY public.mail_outbox" in dump and person.email in dump
    places = {"dump": dump, "log": service.log(), "console": service.console()}
    for secret in secrets:
        raw = base64.urlsafe_b64decode(secret + "=" * (-len(secret) % 4)).hex() if secret in tokens | {person.token} else secret
        assert [name for name, text in places.items() if secret in text or raw in text] == []
