"""Accounts as a registration leaves them, and sign-ins, written into the database: a tenth of a second for each password's
hash would be a large part of the tests' time. test_accounts.py compares them with real ones."""

import base64
import hmac
import secrets
import time
import uuid

import used_secrets
from psycopg.sql import SQL, Literal

PASSWORD = "three calm herons 42"
# Of this password, as the service makes it.
HASH = "$argon2id$v=19$m=65536,t=2,p=1$kyl/M6Nn+0pR6wXFv01fjQ$hjDVuSpgvtVc0JNty0+XGv/Ah5QumLIzll2F38xPtY0"

ACCOUNT = """
    INSERT INTO users (uid, nickname, locale, password_hash) VALUES ({uid}, {nickname}, {locale}, {hash});
    SELECT set_study_clock({uid}, {time_zone}, NULL);
    INSERT INTO user_emails (canonical, email, uid) VALUES (lower({email}), {email}, {uid});
"""
SIGN_IN = """
    INSERT INTO sign_ins (uid, id, token_mac, auth_epoch, device, client, expires_at)
    SELECT uid, {id}, {mac}, auth_epoch, {device}, {client}, anthill_clock() + interval '30 days'
    FROM user_emails JOIN users USING (uid) WHERE canonical = lower({email});
    INSERT INTO audit_events (kind, uid, actor, client, details)
    SELECT {kind}, uid, uid, {client}, '{{}}' FROM user_emails WHERE canonical = lower({email});
"""


def register(service, email, *, nickname, locale, time_zone, device, client):
    """Makes an account and signs in with it; its uid, and the token of the sign-in."""
    uid = str(uuid.uuid4())
    account = {"uid": uid, "nickname": nickname, "locale": locale, "hash": HASH, "time_zone": time_zone}
    return uid, begin(service, ACCOUNT + SIGN_IN, kind="registered", email=email, device=device, client=client, **account)


def sign_in(service, email, *, device, client):
    """The token of one more sign-in."""
    return begin(service, SIGN_IN, kind="signed_in", email=email, device=device, client=client)


def begin(service, text, **values):
    key = hmac.digest(service.environment["ANTHILL_SECRET"].encode(), b"anthill/sign_in", "sha256")
    token = secrets.token_bytes(32)
    # Ordered by time, as version 7 is.
    id = uuid.UUID(int=int(time.time() * 1000) << 80 | 7 << 76 | 2 << 62 | secrets.randbits(62))
    values |= {"id": id, "mac": hmac.digest(key, token, "sha256")}
    service.cluster.sql(SQL(text).format(**{name: Literal(value) for name, value in values.items()}))
    written = base64.urlsafe_b64encode(token).decode().rstrip("=")
    used_secrets.used.update((PASSWORD, written))
    return written
