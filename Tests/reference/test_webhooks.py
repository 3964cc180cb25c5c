"""What webhooks are told and when: weeks by the group's clock, and nothing of people who hide."""

import concurrent.futures
import datetime

import pytest
from schema import ROOT
from study_clock import utc
from test_races import held

DAY = 86400


class Told:
    def __init__(self, schema):
        self.schema = schema
        self.owner, self.member = schema.user(), schema.user()
        self.group = schema.value("SELECT create_group(%s, 'Owls', is_listed => true)", self.owner)
        schema.rows("SELECT create_invitation(%s, %s, 'a code')", self.owner, self.group)
        self.hook = self.add()

    def add(self, events="{month_closed,weekly_standing,new_member}", kind="json"):
        made = self.schema.value("SELECT gen_random_uuid()")
        self.schema.rows("SELECT add_webhook(%s, %s, %s, %s, %s, 'a.example', 'sealed', 'en')", self.owner, self.group, made, kind, events)
        return made

    def made_by(self, hook, user):
        self.schema.connection.execute("UPDATE webhooks SET uid = %s WHERE id = %s", [user, hook])

    def join(self, user, visibility="shown"):
        self.schema.rows("SELECT accept_invitation(%s, 'a code')", user)
        self.schema.connection.execute("UPDATE group_members SET visibility = %s WHERE uid = %s", [visibility, user])

    def waiting(self):
        return self.schema.rows(
            "SELECT event, day::text FROM webhook_deliveries WHERE sent_at IS NULL AND dead_at IS NULL ORDER BY due, id"
        )

    def data(self, event, day=None, member=None):
        return self.schema.value("SELECT webhook_data(%s, %s, %s, %s)", self.group, event, day, member)

    def claim(self, most=10, on=None):
        return self.schema.rows("SELECT id, event, attempt FROM claim_webhooks(%s, '40 seconds')", most, on=on)

    def end(self, id, attempt, taken=False, gone=False, wait="5 seconds", status=500):
        self.schema.rows("SELECT end_webhook_attempt(%s, %s, %s, %s, %s, %s, %s::interval, NULL, %s, NULL)",
                         self.group, self.hook, id, attempt, taken, gone, wait, status)  # fmt: skip

    def off(self):
        return self.schema.value("SELECT off_because FROM webhooks WHERE id = %s", self.hook)


@pytest.fixture
def told(schema):
    return Told(schema)


def test_the_week_ends_on_monday_at_the_start_of_the_group_s_day(told):
    end = told.schema.value("SELECT week_ends_at FROM webhooks")
    local = end.astimezone(datetime.timezone(datetime.timedelta(hours=9)))
    assert (local.weekday(), local.hour, local.minute) == (0, 5, 0)
    told.schema.set_clock(int(end.timestamp()) - 1)
    assert told.schema.value("SELECT enqueue_weekly_standings()") == 0
    told.schema.set_clock(int(end.timestamp()))
    assert told.schema.value("SELECT enqueue_weekly_standings()") == 1
    assert told.schema.value("SELECT enqueue_weekly_standings()") == 0
    monday = (local - datetime.timedelta(days=7)).date()
    assert told.waiting() == [("weekly_standing", monday.isoformat())]
    # After a long pause only the last whole week is told.
    told.schema.set_clock(int(end.timestamp()) + 24 * DAY)
    told.schema.rows("SELECT enqueue_weekly_standings()")
    assert told.waiting()[1:] == [("weekly_standing", (monday + datetime.timedelta(days=21)).isoformat())]


@pytest.mark.parametrize("declared", ["2026-11-20", "2026-12-29", "2027-01-20"])
@pytest.mark.parametrize(("before", "after"), [("Asia/Seoul", "America/Los_Angeles"), ("America/Los_Angeles", "Asia/Seoul")])
def test_each_week_is_told_once_at_its_end_when_the_group_changes_its_clock(told, before, after, declared):
    """The clock changes on a Tuesday, on the Friday of the week in which that is declared, or between two weeks."""
    schema, day = told.schema, datetime.date.fromisoformat(declared)
    schema.set_clock(int(datetime.datetime.fromisoformat(declared + "T12:00:00+00:00").timestamp()))
    group = schema.value("SELECT create_group(%s, 'Larks', zone => %s)", told.owner, before)
    schema.rows("SELECT add_webhook(%s, %s, gen_random_uuid(), 'json', '{weekly_standing}', 'a.example', 'sealed', 'en')",
                told.owner, group)  # fmt: skip
    schema.rows("SELECT change_group_rules(%s, %s, %s)", told.owner, group, after)
    weeks = [day + datetime.timedelta(days=7 * n - day.weekday()) for n in range(4)]
    for n, week in enumerate(weeks):
        ends = int(schema.value("SELECT ends_at FROM group_period(%s, 'week', %s)", group, week).timestamp())
        for seconds, told_of in ((-1, weeks[:n]), (0, weeks[: n + 1]), (DAY, weeks[: n + 1])):
            schema.set_clock(ends + seconds)
            schema.rows("SELECT enqueue_weekly_standings()")
            days = schema.rows("SELECT day FROM webhook_deliveries WHERE group_id = %s ORDER BY day", group)
            assert [day for [day] in days] == told_of


def test_only_webhooks_that_want_it_and_are_on_are_told(told):
    other = told.add("{month_closed}")
    told.join(told.member)
    assert told.waiting() == [("new_member", None)]
    told.schema.rows("SELECT change_webhook(%s, %s, %s, NULL, false)", told.owner, told.group, told.hook)
    assert told.waiting() == []
    told.schema.rows("SELECT change_webhook(%s, %s, %s, '{new_member}', NULL)", told.owner, told.group, other)
    told.join(told.schema.user())
    assert told.schema.rows("SELECT webhook FROM webhook_deliveries WHERE dead_at IS NULL") == [(other,)]


@pytest.mark.parametrize("ends", ["remove_member({by}, {group}, {who}, true)", "remove_member({who}, {group}, {who})",
                                  "admin_remove_member({group}, {who}, false, 'why', 'Kim')", "erase_user({who})"])  # fmt: skip
def test_a_webhook_tells_nothing_to_a_maker_who_is_no_longer_in_the_group(told, ends):
    schema = told.schema
    told.join(told.member)
    schema.rows("SELECT set_member_role(%s, %s, %s, 'admin')", told.owner, told.group, told.member)
    theirs = schema.value("SELECT gen_random_uuid()")
    schema.rows("SELECT add_webhook(%s, %s, %s, 'json', '{new_member}', 'b.example', 'sealed', 'en')", told.member, told.group, theirs)
    told.join(schema.user())
    schema.rows("SELECT " + ends.format(by=f"'{told.owner}'", group=f"'{told.group}'", who=f"'{told.member}'"))
    assert schema.rows("SELECT off_because FROM webhooks ORDER BY id = %s", theirs) == [(None,), ("maker_left",)]
    assert schema.rows("SELECT FROM webhook_deliveries WHERE webhook = %s AND dead_at IS NULL", theirs) == []
    assert schema.rows("SELECT details ->> 'host' FROM audit_events WHERE kind = 'webhook_off'") == [("b.example",)]
    # Who turns it on again is its maker from then on.
    schema.rows("SELECT change_webhook(%s, %s, %s, NULL, true)", told.owner, told.group, theirs)
    assert schema.value("SELECT uid FROM webhooks WHERE id = %s", theirs) == told.owner
    assert schema.maintenance("check.sql") == []


def test_with_the_update_webhooks_of_makers_who_left_before_are_off(told):
    other = told.add()
    told.schema.connection.execute("UPDATE webhooks SET uid = %s WHERE id = %s", [told.member, other])
    update = (ROOT / "sql/tables/042_webhook_makers.sql").read_text().split(";")[1]
    told.schema.connection.execute(update)
    assert told.schema.rows("SELECT off_because FROM webhooks ORDER BY id = %s", other) == [(None,), ("maker_left",)]


def test_a_merged_maker_keeps_their_webhooks(told):
    first, heir = told.schema.user(), told.schema.user()
    told.join(heir)
    told.schema.rows("SELECT admin_merge_users(%s, %s, 'why', 'Kim')", first, told.owner)
    assert told.schema.rows("SELECT uid, off_because FROM webhooks") == [(first, None)]


def test_who_joins_is_a_new_member_and_who_is_put_back_or_merged_is_not(told):
    schema, asker, first = told.schema, told.schema.user(), told.schema.user()
    told.join(told.member)
    request = schema.value("SELECT ask_to_join(%s, %s, 'Hello')", asker, told.group)
    schema.rows("SELECT answer_join_request(%s, %s, %s, true)", told.owner, told.group, request)
    schema.set_clock(schema.now + 60)
    change = schema.value("SELECT admin_remove_member(%s, %s, false, 'why', 'Kim')", told.group, told.member)
    schema.rows("SELECT admin_undo(%s, 'a mistake', 'Kim')", change)
    schema.rows("SELECT admin_merge_users(%s, %s, 'why', 'Kim')", first, asker)
    members = schema.rows("SELECT uid FROM group_members WHERE group_id = %s", told.group)
    assert {uid for (uid,) in members} == {told.owner, told.member, first}
    assert sorted(schema.rows("SELECT member FROM webhook_deliveries")) == sorted([(told.member,), (first,)])


def test_nothing_is_told_of_who_hides_or_has_left(told):
    told.join(told.member, "hidden")
    assert told.data("new_member", member=told.member) == {
        "group": {"id": str(told.group), "name": "Owls"}, "nickname": None, "member_count": 2}  # fmt: skip
    equal = told.schema.user()
    told.schema.connection.execute("UPDATE users SET nickname = 'Equal' WHERE uid = %s", [equal])
    told.join(equal)
    now = told.schema.now
    for user, seconds in ((told.member, 3600), (equal, 3600), (told.owner, 60)):
        told.schema.rows("SELECT record_timed(%s, %s, %s)", user, utc(now - seconds), utc(now))
    day = told.schema.value("SELECT anthill_clock()::date")
    entries = told.data("weekly_standing", day)["entries"]
    assert entries[0] == {"rank": 1, "hidden": False, "nickname": "Equal", "seconds": 3600}
    # Its rank is the place: an equal rank would tell the seconds.
    assert entries[1] == {"rank": 2, "hidden": True, "nickname": None, "seconds": None}
    assert (entries[2]["rank"], entries[2]["seconds"]) == (3, 60)
    told.schema.rows("SELECT remove_member(%s, %s, %s)", equal, told.group, equal)
    assert told.data("new_member", member=equal)["nickname"] is None


def test_a_webhook_has_one_attempt_at_a_time_even_with_several_workers(told):
    for _ in range(5):
        told.schema.rows("SELECT enqueue_webhooks(%s, 'new_member', NULL, %s)", told.group, told.owner)
    [(first, _, attempt)] = told.claim()
    assert (attempt, told.claim()) == (1, [])
    told.end(first, attempt, taken=True)
    [(second, *_)] = told.claim()
    assert second != first
    # The lease runs out by itself, and what the earlier holder says counts no more.
    told.schema.set_clock(told.schema.now + 41)
    [(again, _, attempt)] = told.claim()
    assert (again, attempt) == (second, 2)
    told.end(second, 1, taken=True)
    assert told.schema.value("SELECT sent_at FROM webhook_deliveries WHERE id = %s", second) is None


def test_two_instances_claim_each_delivery_once(told):
    hooks = [told.hook, *[told.add() for _ in range(4)]]
    for hook in hooks:
        told.made_by(hook, told.schema.user())
    told.schema.rows("SELECT enqueue_webhooks(%s, 'new_member', NULL, %s)", told.group, told.owner)
    connections = [told.schema.connect() for _ in range(4)]
    with concurrent.futures.ThreadPoolExecutor() as pool:
        claimed = [row for rows in pool.map(lambda on: told.claim(2, on), connections) for row in rows]
    claimed += told.claim()
    assert len(claimed) == len({id for id, *_ in claimed}) == len(hooks)


def test_silent_receivers_of_one_person_hold_up_nobody_else_s(told):
    silent, other = [told.hook, *[told.add() for _ in range(3)]], told.add()
    told.made_by(other, told.schema.user())
    enqueue = (
        "INSERT INTO webhook_deliveries (group_id, webhook, event, due) VALUES (%s, %s, 'test', anthill_clock() + %s * interval '1 s')"
    )
    for hook, later in [*[(hook, -9) for hook in silent], (other, 0)]:
        told.schema.connection.execute(enqueue, [told.group, hook, later])
    webhooks = "SELECT webhook FROM claim_webhooks(8, '40 seconds')"
    first = [hook for (hook,) in told.schema.rows(webhooks)]
    assert other in first and len(set(first) & set(silent)) == len(first) - 1 == 2
    assert told.schema.rows(webhooks) == []
    # With fewer free workers than messages of that person wait, the other's comes with the next look.
    told.schema.set_clock(told.schema.now + 41)
    assert all(hook in silent for (hook,) in told.schema.rows("SELECT webhook FROM claim_webhooks(2, '40 seconds')"))
    assert told.schema.rows("SELECT webhook FROM claim_webhooks(1, '40 seconds')") == [(other,)]


def test_another_instance_leaves_a_webhook_alone_that_is_being_claimed(told):
    for _ in range(2):
        told.schema.rows("SELECT enqueue_webhooks(%s, 'new_member', NULL, %s)", told.group, told.owner)
    one, other = told.schema.connect(), told.schema.connect()
    with held(one):
        assert len(told.claim(1, one)) == 1
        assert told.claim(1, other) == []
    assert told.claim(1, other) == []


def test_a_webhook_is_off_when_it_is_gone_or_when_nothing_arrives(told):
    enqueue = "SELECT enqueue_webhooks(%s, 'new_member', NULL, %s)"
    told.schema.rows(enqueue, told.group, told.owner)
    told.schema.set_clock(told.schema.now + 10)
    told.schema.rows(enqueue, told.group, told.owner)
    [(first, _, attempt)] = told.claim()
    told.end(first, attempt)
    assert told.off() is None
    [(second, _, attempt)] = told.claim()
    told.end(second, attempt, taken=True, wait=None, status=204)
    told.schema.set_clock(told.schema.now + 10)
    [(third, _, attempt)] = told.claim()
    # It is given up, but another arrived since.
    told.end(third, attempt, wait=None)
    assert (third, told.off()) == (first, None)
    for gone, why in ((False, "failing"), (True, "gone")):
        told.schema.rows("SELECT change_webhook(%s, %s, %s, NULL, true)", told.owner, told.group, told.hook)
        told.schema.set_clock(told.schema.now + 10)
        told.schema.rows(enqueue, told.group, told.owner)
        told.schema.rows(enqueue, told.group, told.owner)
        [(last, _, attempt)] = told.claim()
        told.end(last, attempt, gone=gone, wait=None)
        assert (told.off(), told.waiting()) == (why, [])
    kinds = [kind for (kind,) in told.schema.rows("SELECT kind FROM audit_events WHERE kind = 'webhook_off'")]
    assert len(kinds) == 2


def test_a_test_is_one_attempt_and_turns_a_webhook_off_only_when_it_is_gone(told):
    for gone, why in ((False, None), (True, "gone")):
        told.schema.rows("SELECT test_webhook(%s, %s, %s)", told.owner, told.group, told.hook)
        [(sent, _, attempt)] = told.claim()
        told.end(sent, attempt, gone=gone)
        assert (told.off(), told.waiting()) == (why, [])
        told.schema.set_clock(told.schema.now + 10)


def test_the_log_is_kept_for_thirty_days(told):
    told.schema.rows("SELECT enqueue_webhooks(%s, 'new_member', NULL, %s)", told.group, told.owner)
    [(first, _, attempt)] = told.claim()
    told.end(first, attempt, taken=True)
    told.schema.set_clock(told.schema.now + 30 * DAY - 1)
    removed = "SELECT removed FROM remove_expired() WHERE what = 'webhook_deliveries'"
    assert told.schema.value(removed) == 0
    told.schema.set_clock(told.schema.now + 1)
    assert told.schema.value(removed) == 1
