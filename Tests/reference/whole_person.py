"""A person with data in every table: what erasing them must find, and what their export must hold."""

import datetime
import hashlib
import uuid

from study_clock import utc

OCTOBER = int(datetime.datetime(2026, 10, 20, 5, tzinfo=datetime.timezone.utc).timestamp())
NOW = int(datetime.datetime(2026, 11, 21, 5, tzinfo=datetime.timezone.utc).timestamp())

# No other row has these words, so that each can be looked for everywhere.
NAME = "Marmalade"
ADDRESS = "marmalade@ants.example"
WORD = "zephyrine"  # in whatever they write about themselves
CLIENT = "203.0.113.77"

# Tables without a line about any one person, and why.
ABOUT_NOBODY = {
    "time_zones": "names of zones",
    "database_home": "where the database is",
    "ranking_rules": "rules that groups share",
    "groups": "what a group is called stays",
    "group_rules": "which rules a group has",
    "group_cycles": "in which cycle a group studies",
    "month_closes": "the seal of a month, which names nobody",
    "group_means": "means of groups",
    "group_means_round": "how far the worker is",
    "rank_buckets": "how many people have how much",
    "rank_folding": "how far the worker is",
    "rate_limits": "keyed digests and client addresses, until their time is over or the program forgets them",
    "change_horizons": "where snapshots stood",
    "provider_tickets": "identities that have no account yet, for half an hour",
}


class WholePerson:
    """`uid`, in a group with `other`, who owns it as well, and `third`, a member."""

    def __init__(self, schema):
        self.schema = schema
        schema.set_clock(OCTOBER)
        self.other, self.third = schema.user(), schema.user()
        self.uid = schema.value("INSERT INTO users (nickname, password_hash) VALUES (%s, 'h') RETURNING uid", NAME)
        run = schema.connection.execute
        run("INSERT INTO user_emails (canonical, email, uid) VALUES (%s, %s, %s)", [ADDRESS, ADDRESS.title(), self.uid])
        run("UPDATE users SET digest_mail = true, weekly_mail = true WHERE uid = %s", [self.uid])
        schema.rows("SELECT make_site_admin(%s, 'the operator')", self.uid)
        schema.rows("SELECT set_global_board(%s, true)", self.uid)
        self._groups()
        for user in (self.uid, self.other, self.third):
            schema.rows("SELECT record_timed(%s, %s, %s)", user, utc(OCTOBER - 7200), utc(OCTOBER))
        schema.set_clock(NOW)
        self._closed_month()
        self._study()
        self._days()
        self._account()
        self._deeds()
        assert schema.maintenance("check.sql") == []

    def _join(self, user, group, code):
        self.schema.rows("SELECT accept_invitation(%s, %s)", user, code)

    def _groups(self):
        schema = self.schema
        self.group = schema.value("SELECT create_group(%s, 'Night owls', duels => true)", self.other)
        schema.rows("SELECT create_invitation(%s, %s, 'one code')", self.other, self.group)
        for user in (self.uid, self.third):
            self._join(user, self.group, "one code")
        schema.rows("SELECT set_member_role(%s, %s, %s, 'owner')", self.other, self.group, self.uid)
        left = schema.value("SELECT create_group(%s, 'Larks')", self.other)
        schema.rows("SELECT create_invitation(%s, %s, 'two code')", self.other, left)
        self._join(self.uid, left, "two code")
        schema.set_clock(OCTOBER + 60)
        schema.rows("SELECT remove_member(%s, %s, %s, true)", self.other, left, self.uid)
        schema.set_clock(OCTOBER)

    def _closed_month(self):
        schema = self.schema
        for group in [row[0] for row in schema.rows("SELECT group_id FROM groups")]:
            schema.rows("SELECT lock_to_close(%s, '2026-10-01')", group)
            assert schema.value("SELECT close_month(%s, '2026-10-01')", group)
        amend = "SELECT amend_standing(%s, %s, '2026-10-01', %s, %s, %s)"
        schema.rows(amend, self.other, self.group, self.uid, 7300, f"{NAME} told {WORD}")
        schema.rows(amend, self.uid, self.group, self.third, 7000, "the third one slept")

    def _study(self):
        schema, uid = self.schema, self.uid
        subject = schema.value("INSERT INTO subjects (uid, name) VALUES (%s, %s) RETURNING id", uid, WORD)
        project = schema.value("INSERT INTO projects (uid, name) VALUES (%s, %s) RETURNING id", uid, WORD)
        task = schema.value("INSERT INTO tasks (uid, title) VALUES (%s, %s) RETURNING id", uid, WORD)
        schema.rows("INSERT INTO task_projects VALUES (%s, %s, %s) RETURNING uid", uid, task, project)
        for hours in (3, 13, 23):
            schema.rows(
                "SELECT record_session(%s, NULL, %s, %s, subject_id => %s, task_id => %s, note => %s)",
                uid, [utc(NOW - hours * 3600)], [utc(NOW - hours * 3600 + 5400)], subject, task, f"{WORD} {hours}")  # fmt: skip
        taken_back = schema.value("SELECT session_id FROM study_sessions WHERE uid = %s AND note LIKE '%% 13'", uid)
        schema.rows("SELECT retract_session(%s, %s)", uid, taken_back)
        mistaken = schema.value("SELECT record_timed(%s, %s, %s)", uid, utc(NOW - 18000), utc(NOW - 17400))
        schema.rows("SELECT admin_retract_interval(%s, %s, %s, 'Maria')", uid, mistaken, f"{NAME} told {WORD}")
        schema.rows("SELECT record_timed(%s, %s, %s)", uid, utc(NOW - 3000), utc(NOW - 600))
        schema.rows("SELECT save_plan(%s, %s, 1500, 300)", uid, WORD)
        schema.rows("SELECT * FROM start_timer(%s, remark => %s)", uid, WORD)

    def _days(self):
        schema, uid = self.schema, self.uid
        schema.rows("SELECT set_daily_goal(%s, 3600)", uid)
        run = schema.connection.execute
        schema.rows("SELECT set_period_goals(%s, 72000, 288000)", uid)
        schema.rows("SELECT add_target_date(%s, %s, '2026-12-24')", uid, WORD)
        run("INSERT INTO rest_days (uid, day) VALUES (%s, '2026-11-29')", [uid])
        run("INSERT INTO perfect_announcements (uid, day) VALUES (%s, '2026-11-21')", [uid])
        run("INSERT INTO wake_ups (uid, day) VALUES (%s, '2026-11-21')", [uid])
        run("INSERT INTO wake_up_challenges (uid, day, ring, puzzle, answer, asked_at, expires_at, solved_at)"
            " SELECT uid, day, 0, jsonb_build_object('text', %s::text), 0, earned_at, earned_at, earned_at FROM wake_ups", [WORD])  # fmt: skip
        schema.rows("SELECT set_alarm(%s, true, '06:30', 'easy', 'bell', 5, 3)", uid)

    def _account(self):
        uid, run = self.uid, self.schema.connection.execute
        mac = [hashlib.sha256(bytes([number])).digest() for number in range(5)]
        sign_in = self.schema.value(
            "INSERT INTO sign_ins (uid, token_mac, auth_epoch, device, client, provider, expires_at, fresh_until)"
            " VALUES (%s, %s, 1, %s, %s, 'google', anthill_clock() + interval '1 day', anthill_clock()) RETURNING id",
            uid, mac[0], WORD, CLIENT)  # fmt: skip
        self.schema.rows(
            "SELECT add_push_subscription(%s, %s, %s, %s, %s)",
            uid, sign_in, f"https://push.example/{WORD}", b"\4" + bytes(64), bytes(16))  # fmt: skip
        self.schema.rows("SELECT make_calendar_feed(%s, %s, %s, %s)", uid, sign_in, mac[2], CLIENT)
        self.schema.rows("SELECT make_badge(%s, %s, %s, 'month', %s)", uid, sign_in, mac[4], CLIENT)
        self.schema.rows(
            "SELECT add_api_key(%s, %s, gen_random_uuid(), %s, %s, '{read,record}', 90, %s)", uid, sign_in, mac[3], WORD, CLIENT
        )
        self.schema.rows("SELECT enqueue_push(%s, 'alarm', 'alarm', anthill_clock() + interval '1 minute')", uid)
        run("UPDATE users SET passed_push = true, quiet_from = '22:00', quiet_to = '07:00' WHERE uid = %s", [uid])
        self.schema.rows("SELECT push_who_was_passed()")
        identity = self.schema.value(
            "INSERT INTO user_identities (issuer, subject, uid, email) VALUES ('https://id.example', %s, %s, %s) RETURNING id",
            WORD, uid, ADDRESS)  # fmt: skip
        run("INSERT INTO provider_flows (flow_mac, provider, purpose, uid, sign_in_id, expires_at)"
            " VALUES (%s, 'google', 'link', %s, %s, anthill_clock() + interval '1 minute')", [mac[0], uid, sign_in])  # fmt: skip
        new, old = f"{WORD}@new.example", f"{WORD}@old.example"
        run("INSERT INTO email_changes (uid, sign_in, auth_epoch, canonical, email) VALUES (%s, %s, 1, %s, %s)", [uid, sign_in, new, new])
        run("INSERT INTO former_emails (uid, canonical, email, held_until)"
            " VALUES (%s, %s, %s, anthill_clock() + interval '1 day')", [uid, old, old])  # fmt: skip
        run("INSERT INTO avatars (uid, webp) VALUES (%s, %s)", [uid, b"RIFF1234WEBP" + WORD.encode()])
        token = (
            "INSERT INTO auth_tokens (token_mac, purpose, uid, target, address, auth_epoch, expires_at)"
            " VALUES (%s, %s, %s, %s, %s, %s, anthill_clock() + interval '1 hour')"
        )
        run(token, [mac[1], "password_reset", uid, ADDRESS, ADDRESS.title(), 1])
        run(token, [mac[2], "registration", None, ADDRESS, ADDRESS.title(), None])
        key = "INSERT INTO idempotency_keys (uid, route, key, body_sha256, status, answer) VALUES (%s, 'POST /x', %s, %s, 201, %s)"
        for whose in (uid, self.other):
            run(key, [whose, uuid.uuid4(), mac[3], f'{{"uid":"{uid}","nickname":"{NAME}"}}'.encode()])
        run(token, [mac[3], "registration", None, old, old, None])
        for address in (ADDRESS, old):
            self.schema.rows("SELECT enqueue_mail('password_reset', %s, '{}')", address)
        run("INSERT INTO mail_outbox (kind, to_address, parameters) VALUES ('old', 'elsewhere@ants.example', %s)", [f'{{"uid":"{uid}"}}'])
        event = "INSERT INTO audit_events (kind, uid, actor, client, details) VALUES (%s, %s, %s, %s, %s)"
        run(event, ["signed_in", uid, uid, CLIENT, "{}"])
        run(event, ["identity_linked", uid, uid, CLIENT, f'{{"identity":"{identity}"}}'])
        run(event, ["wrong_password", uid, None, CLIENT, "{}"])
        run(event, ["email_changed", uid, uid, CLIENT, f'{{"from":"{ADDRESS}","to":"{WORD}@ants.example"}}'])

    def _deeds(self):
        """What they did to others, and others to them."""
        schema = self.schema
        stranger = schema.user()
        schema.rows("SELECT create_invitation(%s, %s, 'three code')", self.uid, self.group)
        self._join(stranger, self.group, "three code")
        schema.set_clock(NOW + 60)
        schema.rows("SELECT remove_member(%s, %s, %s, true)", self.uid, self.group, stranger)
        suspend = "SELECT suspend_member(%s, %s, %s, %s, %s)"
        schema.rows(suspend, self.uid, self.group, self.third, "too late", utc(NOW + 7200))
        schema.rows(suspend, self.other, self.group, self.uid, f"{NAME} is {WORD}", utc(NOW + 3660))
        mine = schema.value("SELECT suspension_id FROM suspensions WHERE uid = %s", self.uid)
        schema.rows("SELECT answer_suspension(%s, %s, %s, %s)", self.uid, self.group, mine, f"I am {WORD}")
        theirs = schema.value("SELECT suspension_id FROM suspensions WHERE uid = %s", self.third)
        schema.set_clock(NOW + 120)
        schema.rows("SELECT lift_suspension(%s, %s, %s)", self.uid, self.group, theirs)
        self._moderation()
        self._life()

    def _life(self):
        """A notice by them, cheers in both directions, and requests to join: theirs, and one that they answered."""
        schema = self.schema
        schema.rows("SELECT set_notice(%s, %s, %s)", self.uid, self.group, "The library at nine")
        for giver, receiver in ((self.uid, self.third), (self.third, self.uid)):
            schema.rows("SELECT give_cheer(%s, %s, %s)", giver, self.group, receiver)
        new = "SELECT add_webhook(%s, %s, gen_random_uuid(), 'json', '{new_member}', 'hooks.example', 'sealed', 'en')"
        schema.rows(new, self.uid, self.group)
        schema.rows("SELECT enqueue_webhooks(%s, 'new_member', NULL, %s)", self.group, self.uid)
        schema.connection.execute("UPDATE webhook_deliveries SET sent_at = anthill_clock()")
        schema.connection.execute("UPDATE groups SET listed = true")
        elsewhere = schema.value("SELECT create_group(%s, 'Swifts', is_listed => true)", self.other)
        schema.rows("SELECT ask_to_join(%s, %s, %s)", self.uid, elsewhere, f"{NAME} is {WORD}")
        asked = schema.value("SELECT ask_to_join(%s, %s, NULL)", schema.user(), self.group)
        schema.rows("SELECT answer_join_request(%s, %s, %s, false)", self.uid, self.group, asked)

    def _moderation(self):
        """What they did as a site admin, and what another one did to them; reports by them and about them."""
        schema = self.schema
        schema.rows("SELECT make_site_admin(%s, 'the operator')", self.other)
        suspend = "SELECT suspend_from_service(%s, %s, %s, %s)"
        schema.rows(suspend, self.uid, self.third, "too late again", utc(NOW + 7200))
        mine = schema.value(suspend, self.other, self.uid, f"{NAME} is {WORD} everywhere", utc(NOW + 3660))
        schema.rows("SELECT answer_service_suspension(%s, %s, %s)", self.uid, mine, f"I am still {WORD}")
        report = "SELECT make_report(%s, %s, %s, %s)"
        made = schema.value(report, self.uid, self.third, self.group, "never sleeps")
        schema.rows(report, self.other, self.uid, self.group, f"{NAME} is {WORD}")
        answered = schema.value(report, self.third, self.other, self.group, "never sleeps either")
        schema.rows("SELECT lift_service_suspension(%s, %s)", self.other, mine)
        schema.rows("SELECT answer_report(%s, %s, 'We looked')", self.other, made)
        schema.rows("SELECT answer_report(%s, %s, 'Looked at it')", self.uid, answered)

    def rows_about(self):
        """In how many rows which columns name them."""
        return dict(self.schema.rows("SELECT named_in, row_count FROM rows_about(%s)", self.uid))

    def traces(self):
        """Each table, and the row of it, in which a word of theirs stands, in any column and any form."""
        words = [str(self.uid), self.uid.hex, NAME, ADDRESS, WORD, CLIENT]
        words += [word.encode().hex() for word in words]
        found = []
        for (table,) in self.schema.rows("SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'"):
            for (row,) in self.schema.rows(f"SELECT to_jsonb(t)::text FROM {table} t"):
                found += [(table, row) for word in words if word.lower() in row.lower()]
        return found
