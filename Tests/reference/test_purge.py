"""requeue_mail.sql sends again what was given up, and purge.sql removes what nobody needs any more, by its rules."""

import hashlib
import subprocess

import citus
from maintenance import applied, cells, command, contents, environment, refused, run, shown
from service import wait_until
from world_admin import HOUR, NOBODY, NOW

pytestmark = citus.not_spread("purge.sql does not run there")

DAY = 24 * HOUR


def dead_mail(world, kind, days_ago=0):
    return world.value(
        "INSERT INTO mail_outbox (kind, to_address, created_at, due, dead_at, attempts, last_error)"
        " SELECT %s, 'ada@example.org', t, t, t, 12, 'no route' FROM (SELECT anthill_clock() - make_interval(days => %s) AS t) x"
        " RETURNING id", kind, days_ago)  # fmt: skip


def waiting(world):
    return world.rows(
        "SELECT id FROM mail_outbox WHERE dead_at IS NULL AND sent_at IS NULL AND attempts = 0 AND due = anthill_clock() ORDER BY id"
    )


def test_mail_that_was_given_up_is_sent_again(world):
    reset, digest, other = dead_mail(world, "password_reset"), dead_mail(world, "month_digest", 3), dead_mail(world, "password_reset", 5)
    said = shown(world, "requeue_mail")
    assert [line.split("|")[1].strip() for line in said.splitlines() if "no route" in line] == [
        "password_reset",
        "month_digest",
        "password_reset",
    ]
    said, _ = applied(world, "requeue_mail", kind="month_digest")
    assert waiting(world) == [(digest,)] and "It cannot be undone." in said
    applied(world, "requeue_mail", mail=reset)
    assert waiting(world) == sorted([(digest,), (reset,)])
    applied(world, "requeue_mail")
    assert waiting(world) == sorted([(digest,), (reset,), (other,)])
    assert world.value("SELECT sum((details ->> 'mails')::integer) FROM audit_events WHERE kind = 'admin_requeue_mail'") == 3
    for nothing in ({}, {"mail": NOBODY}, {"kind": "password_reset"}):
        waits = "waits or " if "mail" in nothing else ""
        assert refused(world, "requeue_mail", **nothing) == f"no such mail {waits}was given up"


def test_a_mail_that_waits_for_its_next_attempt_is_tried_at_once(world):
    mail, other = dead_mail(world, "password_reset"), dead_mail(world, "month_digest")
    world.connection.execute("UPDATE mail_outbox SET dead_at = NULL, attempts = 3, due = due + interval '1 hour'")
    # Without its number, only what was given up is sent again.
    waits = "; 2 wait for their next attempt: -v waiting=1"
    assert refused(world, "requeue_mail") == f"no such mail was given up{waits}"
    assert refused(world, "requeue_mail", kind="account_leaving") == "no such mail was given up"
    said, _ = applied(world, "requeue_mail", mail=mail)
    assert [row[0] for row in cells(said)] == ["mail", str(mail)]
    due = "SELECT id FROM mail_outbox WHERE due <= anthill_clock()"
    assert world.rows(due) == [(mail,)] and mail != other
    world.connection.execute("UPDATE mail_outbox SET sent_at = anthill_clock()")
    assert refused(world, "requeue_mail", mail=mail) == "no such mail waits or was given up"


def test_all_mails_that_wait_are_tried_at_once(world):
    reset, digest, dead = (dead_mail(world, kind) for kind in ("password_reset", "month_digest", "password_reset"))
    world.connection.execute(
        "UPDATE mail_outbox SET dead_at = NULL, attempts = 3, due = due + interval '1 hour' WHERE id <> %s", [dead])  # fmt: skip
    due = "SELECT id FROM mail_outbox WHERE dead_at IS NULL AND due <= anthill_clock() ORDER BY id"
    applied(world, "requeue_mail", waiting=1, kind="month_digest")
    assert world.rows(due) == [(digest,)]
    applied(world, "requeue_mail", waiting=1)
    assert world.rows(due) == sorted([(digest,), (reset,)])
    assert refused(world, "requeue_mail", waiting=1) == "no such mail waits for its next attempt"


def test_a_link_is_sent_to_who_may_sign_in_or_register(world):
    bo = world.uid("Bo")
    address = f"{bo}@example.org"
    said, _ = applied(world, "send_link", email=address.upper())
    assert cells(said) == [["mail", "nickname", "uid"], ["password_reset", "Bo", str(bo)]]
    sent = "SELECT kind, to_address, parameters ->> 'locale' FROM mail_outbox ORDER BY created_at DESC, kind LIMIT 1"
    assert world.rows(sent) == [("password_reset", address, "en")]
    assert world.rows("SELECT uid FROM admin_changes WHERE script = 'send_link'") == [(bo,)]
    often = "this address had such a mail within the last minute, or many of them today"
    assert refused(world, "send_link", email=address) == often
    world.set_clock(NOW + 60)
    applied(world, "send_link", email="new@example.org", language="ko")
    assert world.rows(sent) == [("registration", "new@example.org", "ko")]
    assert world.value("SELECT parameters ->> 'from_operator' FROM mail_outbox WHERE kind = 'registration'") == "true"

    world.rows("SELECT admin_suspend_user(%s, 'why', 'Kim')", bo)
    assert refused(world, "send_link", email=address) == "the account of this address is suspended: restore_user.sql ends that"
    world.connection.execute("UPDATE users SET status = 'active', leaves_at = anthill_clock() WHERE uid = %s", [bo])
    assert refused(world, "send_link", email=address) == "the account of this address is due to be deleted"
    world.rows("SELECT admin_change_email(%s, 'cy.new@example.org', 'why', 'Kim')", world.uid("Cy"))
    assert refused(world, "send_link", email=f"{world.uid('Cy')}@example.org") == "this address is held for somebody who had it before"
    assert refused(world, "send_link", email="bo@예.한국") == "give the address: -v email=NAME@EXAMPLE.ORG"
    assert refused(world, "send_link", email=address, language="de") == "give the language of the mail, ko or en: -v language=ko"


def test_a_mail_that_is_sent_again_has_all_its_attempts_once_more(world):
    ada, dead = world.uid("Ada"), dead_mail(world, "password_reset", 1)
    world.rows("SELECT make_site_admin(%s, 'Kim')", ada)
    world.rows("SELECT send_mail_again(%s, %s)", ada, dead)
    assert waiting(world) == [(dead,)]


def test_a_mail_that_somebody_sends_now_keeps_the_number_that_tells_who(world):
    ada, mail = world.uid("Ada"), dead_mail(world, "password_reset")
    world.rows("SELECT make_site_admin(%s, 'Kim')", ada)
    world.connection.execute("UPDATE mail_outbox SET dead_at = NULL, attempts = 3, lease_until = due + interval '1 minute'")
    world.rows("SELECT send_mail_again(%s, %s)", ada, mail)
    assert world.rows("SELECT attempts, lease_until > due FROM mail_outbox") == [(3, True)]


def removed(said):
    rows = [[cell.strip() for cell in line.split("|")] for line in said.splitlines() if "|" in line]
    return {what: int(count) for what, count in rows[1:] if count != "0"}


def test_nothing_is_purged_that_somebody_needs(world):
    said, _ = applied(world, "purge")
    assert removed(said) == {} and "It cannot be undone." in said


def test_what_has_expired_is_purged_and_the_rest_stays(world):
    uid, run = world.uid("Ada"), world.connection.execute
    for n, days in enumerate((-1, 1, 31)):
        mac = [hashlib.sha256(bytes([n])).digest()]
        ended = "anthill_clock() - make_interval(days => %s)"
        run(f"INSERT INTO sign_ins (uid, token_mac, auth_epoch, expires_at) VALUES (%s, %s, 1, {ended})", [uid, *mac, days])
        run(
            f"INSERT INTO auth_tokens (token_mac, purpose, uid, target, address, expires_at) VALUES (%s, 'x', %s, 'a', 'a', {ended})",
            [*mac, uid, days],
        )
        run(f"INSERT INTO idempotency_keys (uid, route, key, body_sha256, status, created_at)"
            f" VALUES (%s, 'POST /x', gen_random_uuid(), %s, 200, {ended})", [uid, *mac, days])  # fmt: skip
        run(
            f"INSERT INTO invitations (code_sha256, group_id, created_by, expires_at) VALUES (%s, %s, %s, {ended})",
            [*mac, world.group(), uid, days],
        )
        run(
            f"INSERT INTO provider_tickets (ticket_mac, provider, issuer, subject, expires_at) VALUES (%s, 'p', 'i', 's', {ended})",
            [*mac, days],
        )
        run(f"INSERT INTO former_emails (uid, canonical, email, held_until) VALUES (%s, %s, 'x', {ended})", [uid, f"{n}@example.org", days])
        run(f"INSERT INTO rate_limits VALUES ('k', %s, 1, now(), now(), {ended})", [str(n), days])
    for days in (89, 91):
        dead_mail(world, "month_digest", days)
    run("INSERT INTO rank_buckets (period, first_day, level, bucket, n) VALUES ('month', '2026-09-01', 1, 7, 0)")
    said, _ = applied(world, "purge")
    assert removed(said) == {"sign_ins": 2, "auth_tokens": 1, "idempotency_keys": 2, "provider_tickets": 2, "former_emails": 2, "rate_limits": 2,
                             "invitations": 1, "mail_outbox": 1, "rank_buckets": 1}  # fmt: skip
    assert removed(shown(world, "purge")) == {}


def event(world, months_ago, details="{}", kind="signed_in", uid=None):
    return world.value("INSERT INTO audit_events (kind, uid, details, at) VALUES (%s, %s, %s, anthill_clock() - make_interval(months => %s))"
                       " RETURNING id", kind, uid, details, months_ago)  # fmt: skip


def events(world, *ids):
    return {id for (id,) in world.rows("SELECT id FROM audit_events WHERE id = ANY (%s)", list(ids))}


def test_old_events_go_and_those_that_prove_something_stay(world):
    ada = world.uid("Ada")
    world.rows("SELECT suspend_member(%s, %s, %s, 'why', anthill_clock() + interval '1 day')", ada, world.group(), world.uid("Bo"))
    suspension = world.value("SELECT suspension_id FROM suspensions")
    world.rows("SELECT amend_standing(%s, %s, '2026-10-01', %s, 60, 'why')", ada, world.group(), world.uid("Bo"))
    amendment = world.value("SELECT amendment_id FROM amendments")
    identity = world.value("INSERT INTO user_identities (issuer, subject, uid) VALUES ('i', 's', %s) RETURNING id", ada)
    change = world.value("SELECT admin_revoke_sign_ins(%s, 'r', 'M')", ada)
    old, young = event(world, 25), event(world, 23)
    proofs = [event(world, 30, f'{{"suspension_id": "{suspension}"}}'), event(world, 30, f'{{"amendment_id": "{amendment}"}}'),
              event(world, 30, f'{{"identity": "{identity}"}}', "identity_linked", ada), event(world, 30, f'{{"change": {change}}}')]  # fmt: skip
    over = [event(world, 30, f'{{"suspension_id": "{NOBODY}"}}'), event(world, 30, f'{{"identity": "{NOBODY}"}}', "identity_linked", ada)]
    assert removed(applied(world, "purge")[0]) == {"audit_events": 3}
    assert events(world, old, young, *proofs, *over) == {young, *proofs}
    assert removed(applied(world, "purge", audit_months=12)[0]) == {"audit_events": 1}
    assert events(world, young) == set()


def test_old_changes_by_admins_go_with_their_events(world):
    change = world.value("SELECT admin_revoke_sign_ins(%s, 'r', 'M')", world.uid("Ada"))
    world.set_clock(NOW + 11 * 30 * DAY)
    young = world.value("SELECT admin_revoke_sign_ins(%s, 'r', 'M')", world.uid("Ada"))
    world.set_clock(NOW + 13 * 31 * DAY)
    gone = removed(run(world, "purge", audit_months=12, apply=1).stdout)
    assert gone["admin_changes"] == 1 and "audit_events" in gone
    told = "SELECT count(*) FROM audit_events WHERE (details ->> 'change')::bigint = %s"
    assert (world.value(told, change), world.value(told, young)) == (0, 1)
    assert [row for row in world.maintenance("check.sql") if "admin" in row[0]] == []


def test_changes_of_ranks_are_folded_while_a_purge_takes_long(world):
    old = event(world, 25)
    holding, folding = world.connect(), world.connect()
    with holding.transaction():
        holding.execute("SELECT FROM audit_events WHERE id = %s FOR UPDATE", [old])
        waits = "SELECT FROM pg_stat_activity WHERE %s = ANY (pg_blocking_pids(pid))"
        done = subprocess.Popen(command(world, "purge", apply=1), env=environment(world), stdout=subprocess.PIPE, text=True)
        wait_until(lambda: world.rows(waits, holding.info.backend_pid))
        assert world.value("SELECT pg_try_advisory_xact_lock(rank_folding_key())", on=folding)
    assert "Done. " in done.communicate()[0]


def test_the_audit_is_kept_for_a_year_whatever_rights_somebody_has(world):
    assert refused(world, "purge", audit_months=11) == "the audit is kept for 12 months at least"
    for wrong in ("all", 999999999):
        assert refused(world, "purge", audit_months=wrong) == "give for how many months the audit is kept: -v audit_months=24"
    event(world, 11)
    before = contents(world)
    for statement in (
        "DELETE FROM audit_events",
        "DELETE FROM audit_events WHERE at < anthill_clock() - interval '10 months'",
        "TRUNCATE audit_events",
    ):
        assert world.call(statement) == "audit_events_append_only"
    assert contents(world) == before


def test_what_was_counted_in_a_group_that_is_gone_goes_a_year_later(world):
    ada, cy = world.uid("Ada"), world.uid("Cy")
    gone = world.value("SELECT create_group(%s, 'Owls', starts => '06:00')", ada)
    rules = world.value("SELECT rules_id FROM group_rules WHERE group_id = %s", gone)
    world.rows("SELECT create_invitation(%s, %s, 'owls')", ada, gone)
    world.rows("SELECT accept_invitation(%s, 'owls')", cy)
    world.set_clock(NOW + DAY)
    world.rows("SELECT delete_group(%s, %s)", ada, gone)
    world.set_clock(NOW + 365 * DAY)
    assert removed(shown(world, "purge")) == {"invitations": 1}
    world.set_clock(NOW + 400 * DAY)
    while due := world.rows("SELECT group_id, month FROM months_due()"):
        for closing in due:
            world.rows("SELECT lock_to_close(%s, %s)", *closing)
            world.rows("SELECT close_month(%s, %s)", *closing)
    totals = "SELECT count(*) FROM day_totals WHERE rules_id = %s"
    kept = world.rows("SELECT * FROM day_totals WHERE rules_id <> %s ORDER BY 1, 2, 3", rules)
    assert world.value(totals, rules) == 2
    said, _ = applied(world, "purge")
    assert removed(said) == {"counted_under": 2, "stays": 2, "invitations": 1}
    assert world.value(totals, rules) == 0 and world.rows("SELECT * FROM day_totals WHERE rules_id <> %s ORDER BY 1, 2, 3", rules) == kept
