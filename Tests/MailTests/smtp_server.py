"""A real mail server for the tests: speaks SMTP on loopback and does with each message what it was told to.

    smtp_server.py --record FILE [--tls starttls|implicit|none] [--certificate PEM --key PEM] [--user U --password P] PLAN...

The plan names what becomes of the first message, the second and so on; the last entry holds for all that follow:
accept; refuse (451 at RCPT); reject (550 at RCPT: no such address); forbid (550 at RCPT: we may not); spurn (554 for the
message); stall (take the message, never answer); hang up (after the message); closed (554 instead of a greeting, always).
Prints its port once it listens. Each accepted message is a line of JSON in the record, as Python's own e-mail package
reads it. Ends when its standard input does.
"""

import argparse
import asyncio
import email
import email.policy
import json
import logging
import ssl
import sys

from aiosmtpd.smtp import SMTP, AuthResult


class Handler:
    def __init__(self, record, plan):
        self.record = record
        self.plan = plan
        self.count = 0

    def next_step(self):
        step = self.plan[min(self.count, len(self.plan) - 1)]
        self.count += 1
        return step

    async def handle_RCPT(self, server, session, envelope, address, options):
        envelope.step = self.next_step()
        if envelope.step == "refuse":
            return "451 4.7.1 not now, " + address
        if envelope.step == "reject":
            return "550 5.1.1 nobody here is called " + address
        if envelope.step == "forbid":
            return "550 5.7.1 relaying denied for " + address
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        if envelope.step == "stall":
            await asyncio.sleep(3600)
        if envelope.step == "spurn":
            return "554 5.6.0 not such a message"
        if envelope.step == "hangup":
            server.transport.abort()
            return "421 gone"
        message = email.message_from_bytes(envelope.content, policy=email.policy.default)
        parts = {part.get_content_type(): part.get_content() for part in message.walk() if not part.is_multipart()}
        entry = {
            "mail_from": envelope.mail_from,
            "rcpt_tos": envelope.rcpt_tos,
            "greeting": session.host_name,
            "encrypted": server.transport.get_extra_info("sslcontext") is not None,
            "user": session.auth_data.decode() if session.auth_data else "",
            "subject": str(message["Subject"]),
            "from": str(message["From"]),
            "to": str(message["To"]),
            "message_id": str(message["Message-ID"]),
            "date": message["Date"].datetime.isoformat(),
            "text": parts.get("text/plain", ""),
            "html": parts.get("text/html", ""),
            "longest_line": max(len(line) for line in envelope.content.split(b"\r\n")),
            "is_ascii": envelope.content.isascii(),
            "defects": [str(defect) for part in message.walk() for defect in part.defects]
            + [str(defect) for value in message.values() for defect in getattr(value, "defects", [])],
        }
        with open(self.record, "a", encoding="utf-8") as record:
            record.write(json.dumps(entry, ensure_ascii=False) + "\n")
        return "250 OK"


class Closed(asyncio.Protocol):
    def connection_made(self, transport):
        transport.write(b"554 5.7.1 no service here\r\n")


async def main():
    options = argparse.ArgumentParser()
    options.add_argument("--record", required=True)
    options.add_argument("--tls", choices=["starttls", "implicit", "none"], default="none")
    options.add_argument("--certificate")
    options.add_argument("--key")
    options.add_argument("--user")
    options.add_argument("--password")
    options.add_argument("plan", nargs="+", choices=["accept", "refuse", "reject", "forbid", "spurn", "stall", "hangup", "closed"])
    options = options.parse_args()

    context = None
    if options.tls != "none":
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(options.certificate, options.key)

    def authenticate(server, session, envelope, mechanism, data):
        login, password = data.login.decode(), data.password.decode()
        success = (login, password) == (options.user, options.password)
        return AuthResult(success=success, handled=False, auth_data=data.login if success else None)

    handler = Handler(options.record, options.plan)

    def connection():
        if "closed" in options.plan:
            return Closed()
        return SMTP(
            handler,
            hostname="localhost",
            tls_context=context if options.tls == "starttls" else None,
            require_starttls=options.tls == "starttls",
            authenticator=authenticate if options.user else None,
            auth_required=options.user is not None,
            auth_require_tls=options.tls == "starttls",
        )

    loop = asyncio.get_running_loop()
    server = await loop.create_server(connection, "127.0.0.1", 0, ssl=context if options.tls == "implicit" else None)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)
    sys.stdin.close()


if __name__ == "__main__":
    logging.disable()
    try:
        asyncio.run(asyncio.wait_for(main(), 600))
    except (TimeoutError, KeyboardInterrupt):
        pass
