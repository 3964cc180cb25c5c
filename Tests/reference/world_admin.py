"""A group with a closed month, for the scripts that admins run: Ada owns Larks, Bo and Cy are members."""

import datetime
import hashlib

from schema import Schema
from study_clock import utc

# A Saturday at noon in Seoul; October closed long ago.
NOW = int(datetime.datetime(2026, 11, 21, 3, tzinfo=datetime.timezone.utc).timestamp())
OCTOBER = int(datetime.datetime(2026, 10, 20, 5, tzinfo=datetime.timezone.utc).timestamp())
HOUR = 3600
NOBODY = "3f0e4a52-0000-4000-8000-000000000000"


class World(Schema):
    """A copy of the database that `lived` has made."""

    def __init__(self, source):
        super().__init__(source, NOW)

    def uid(self, name):
        return self.value("SELECT uid FROM users WHERE nickname = %s", name)

    def group(self):
        return self.value("SELECT group_id FROM groups WHERE name = 'Larks'")

    def interval(self, name):
        """The last interval of somebody that counts or runs."""
        return self.value("SELECT interval_id FROM study_intervals WHERE uid = %s AND retracted_at IS NULL"
                          " ORDER BY started_at DESC LIMIT 1", self.uid(name))  # fmt: skip

    def new_user(self, name):
        uid = self.user()
        self.connection.execute("UPDATE users SET nickname = %s WHERE uid = %s", [name, uid])
        return uid

    def board(self, month="2026-11-01"):
        """Rank and hours of each, on the board of the group."""
        return {name: (rank, seconds / HOUR) for name, rank, seconds in self.rows(
            "SELECT nickname, rank, seconds FROM board(%s, 'month', %s) WHERE uid IS NOT NULL", self.group(), month)}  # fmt: skip

    def roles(self):
        return dict(
            self.rows("SELECT u.nickname, m.role FROM group_members m JOIN users u USING (uid) WHERE m.group_id = %s", self.group())
        )

    def sign_in(self, uid, device):
        mac = hashlib.sha256(device.encode()).digest()
        self.connection.execute(
            "INSERT INTO sign_ins (uid, token_mac, auth_epoch, device, expires_at)"
            " SELECT uid, %s, auth_epoch, %s, anthill_clock() + interval '30 days' FROM users WHERE uid = %s", [mac, device, uid])  # fmt: skip

    def token(self, uid, purpose):
        mac = hashlib.sha256(f"{uid}{purpose}".encode()).digest()
        self.connection.execute(
            "INSERT INTO auth_tokens (token_mac, purpose, uid, target, address, auth_epoch, expires_at)"
            " SELECT %s, %s, u.uid, e.canonical, e.email, u.auth_epoch, anthill_clock() + interval '30 minutes'"
            " FROM users u JOIN user_emails e USING (uid) WHERE u.uid = %s", [mac, purpose, uid])  # fmt: skip


def lived():
    """The name of a database to be copied, to which nobody is connected."""
    schema = Schema(now=OCTOBER)
    people = [schema.user() for _ in range(3)]
    for uid, name in zip(people, ("Ada", "Bo", "Cy")):
        schema.connection.execute("UPDATE users SET nickname = %s WHERE uid = %s", [name, uid])
    ada, bo, cy = people
    group = schema.value("SELECT create_group(%s, 'Larks')", ada)
    schema.rows("SELECT create_invitation(%s, %s, 'a code')", ada, group)
    for uid in (bo, cy):
        schema.rows("SELECT accept_invitation(%s, 'a code')", uid)
    for uid in (ada, bo):
        schema.rows("SELECT set_global_board(%s, true)", uid)
    for hours, uid in enumerate(people, 1):
        schema.rows("SELECT record_timed(%s, %s, %s)", uid, utc(OCTOBER - hours * HOUR), utc(OCTOBER))
    schema.set_clock(NOW)
    schema.rows("SELECT lock_to_close(%s, '2026-10-01')", group)
    assert schema.value("SELECT close_month(%s, '2026-10-01')", group)
    for hours, uid in ((4, ada), (3, bo), (2, cy)):
        schema.rows("SELECT record_timed(%s, %s, %s)", uid, utc(NOW - 20 * HOUR), utc(NOW - (20 - hours) * HOUR))
    assert schema.maintenance("check.sql") == []
    schema.disconnect()
    return schema
