"""The directory of listed groups, and requests to join one."""

import pytest
from schema import START, Refused
from study_clock import utc

HOUR = 3600


@pytest.fixture
def town(schema):
    return Town(schema)


class Town:
    def __init__(self, schema):
        self.schema = schema
        self.owner, self.asker = schema.user(), schema.user()

    def group(self, name="Larks", about="", listed=True):
        return self.schema.value("SELECT create_group(%s, %s, %s, is_listed => %s)", self.owner, name, about, listed)

    def find(self, words="", most=50, after=(None, None)):
        sql = "SELECT name FROM find_groups(%s, %s, %s, %s, %s)"
        return [name for (name,) in self.schema.rows(sql, self.asker, words, *after, most)]

    def ask(self, group, user=None, words=None):
        return self.schema.value("SELECT ask_to_join(%s, %s, %s)", user or self.asker, group, words)

    def answer(self, group, request, accepts, actor=None):
        self.schema.rows("SELECT answer_join_request(%s, %s, %s, %s)", actor or self.owner, group, request, accepts)

    def members(self, group):
        return {uid for (uid,) in self.schema.rows("SELECT uid FROM group_members WHERE group_id = %s", group)}

    def refused(self, rule, act, *arguments, **more):
        with pytest.raises(Refused, match=f"^{rule}$"):
            act(*arguments, **more)


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("", ["Night Owls 야행성", "수능 새벽반"]),
        ("수능", ["수능 새벽반"]),
        ("NIGHT owl", ["Night Owls 야행성"]),
        ("국어 수학", ["수능 새벽반"]),
        ("국어 owls", []),
        ("능", ["수능 새벽반"]),
        ("능 새", ["수능 새벽반"]),
        # The letters of a word stand side by side.
        ("능새", []),
        ("%", []),
        ("hidden", []),
    ],
)
def test_words_find_groups_that_have_all_of_them_and_are_listed(town, words, found):
    town.group("수능 새벽반", "국어와 수학을 함께해요")
    town.schema.set_clock(START + 1)
    town.group("Night Owls 야행성", "Law")
    town.group("Hidden", listed=False)
    assert town.find(words) == found


def test_pages_go_on_where_the_last_one_ended(town):
    for n in range(5):
        town.schema.set_clock(START + n // 2)
        town.group(f"G {n}")
    seen, after = [], (None, None)
    while page := town.find(most=2, after=after):
        seen += page
        after = town.schema.rows("SELECT created_at, group_id FROM groups WHERE name = %s", page[-1])[0]
    assert sorted(seen) == [f"G {n}" for n in range(5)] and seen == town.find()


def test_a_search_reads_the_index(town):
    town.group("Larks")
    town.schema.connection.execute("SET enable_seqscan = off; SET enable_indexscan = off")
    plan = "EXPLAIN SELECT FROM groups g WHERE g.listed AND letter_pairs(g.name || ' ' || g.description) @> letter_pairs('larks')"
    assert "groups_listed_words" in str(town.schema.rows(plan))


def test_hours_per_member_are_told_of_groups_in_which_nobody_can_be_told_apart(town):
    group = town.group()
    town.schema.rows("SELECT create_invitation(%s, %s, 'code')", town.owner, group)
    mean = "SELECT member_count, mean_seconds FROM find_groups(%s, '', NULL, NULL, 1)"
    people = [town.schema.user() for _ in range(4)]
    for user in people:
        assert town.schema.rows(mean, town.asker)[0][1] is None
        town.schema.rows("SELECT accept_invitation(%s, 'code')", user)
    town.schema.rows("SELECT record_interval(%s, %s, %s)", town.owner, utc(START - HOUR), utc(START))
    assert town.schema.rows(mean, town.asker) == [(5, HOUR // 5)]
    town.schema.connection.execute("UPDATE group_members SET visibility = 'hidden' WHERE uid = %s", [people[0]])
    assert town.schema.rows(mean, town.asker) == [(5, None)]


def test_an_accepted_person_is_a_member_and_a_declined_one_waits(town):
    group, other = town.group(), town.group()
    town.answer(group, town.ask(group), True)
    assert town.members(group) == {town.owner, town.asker}
    town.refused("already_member", town.ask, group)
    town.answer(other, town.ask(other, words="Please"), False)
    assert town.members(other) == {town.owner}
    town.refused("declined_lately", town.ask, other)
    town.schema.set_clock(START + 30 * 24 * HOUR)
    town.ask(other)
    told = town.schema.rows("SELECT kind, uid, actor FROM audit_events WHERE kind ~ '^join_' ORDER BY id")
    asked = ("join_requested", town.asker, town.asker)
    assert told == [asked, ("join_accepted", town.asker, town.owner), asked, ("join_declined", town.asker, town.owner), asked]
    assert town.schema.maintenance("check.sql") == []


def test_requests_are_refused_as_joining_is(town):
    group = town.group()
    unlisted = town.group(listed=False)
    town.refused("group_not_found", town.ask, unlisted)
    request = town.ask(group)
    town.refused("join_requests_one_open", town.ask, group)
    # Somebody who joins by an invitation asks no longer.
    town.schema.rows("SELECT create_invitation(%s, %s, 'code')", town.owner, group)
    town.schema.rows("SELECT accept_invitation(%s, 'code')", town.asker)
    town.refused("join_request_not_found", town.answer, group, request, True)
    town.schema.set_clock(START + 1)
    town.schema.rows("SELECT remove_member(%s, %s, %s, true)", town.owner, group, town.asker)
    town.refused("banned", town.ask, group)


def test_somebody_has_only_so_many_open_requests(town):
    most = town.schema.value("SELECT most_join_requests()")
    groups = [town.group() for _ in range(most + 1)]
    requests = [town.ask(group) for group in groups[:most]]
    town.refused("too_many_join_requests", town.ask, groups[most])
    stranger = town.schema.user()
    withdraw = "SELECT withdraw_join_request(%s, %s)"
    town.refused("join_request_not_found", town.schema.rows, withdraw, stranger, requests[0])
    town.schema.rows(withdraw, town.asker, requests[0])
    town.ask(groups[most])
    town.refused("join_request_not_found", town.answer, groups[0], requests[0], True)


def test_only_admins_read_and_answer_requests_and_only_owners_list_a_group(town):
    group = town.group()
    town.schema.rows("SELECT create_invitation(%s, %s, 'code')", town.owner, group)
    admin, member = town.schema.user(), town.schema.user()
    for user in (admin, member):
        town.schema.rows("SELECT accept_invitation(%s, 'code')", user)
    town.schema.rows("SELECT set_member_role(%s, %s, %s, 'admin')", town.owner, group, admin)
    request = town.ask(group)
    of = "SELECT uid FROM join_requests_of(%s, %s, NULL, NULL, 10)"
    town.refused("needs_admin", town.schema.rows, of, member, group)
    town.refused("needs_admin", town.answer, group, request, True, actor=member)
    town.refused("group_not_found", town.answer, group, request, True, actor=town.asker)
    town.refused("join_request_not_found", town.answer, town.group(), request, True)
    assert town.schema.rows(of, admin, group) == [(town.asker,)]
    change = "SELECT change_group(%s, %s, %s)"
    town.refused("needs_owner", town.schema.rows, change, admin, group, '{"listed": false}')
    # An admin saves the other settings with the list as it is.
    town.schema.rows(change, admin, group, '{"listed": true, "name": "Owls"}')
    town.schema.rows(change, town.owner, group, '{"listed": false}')
    assert town.find() == ["Larks"]
    town.answer(group, request, True, actor=admin)
    assert town.asker in town.members(group)


def test_somebody_in_too_many_groups_is_not_let_in(town):
    group = town.group()
    request = town.ask(group)
    for _ in range(town.schema.value("SELECT most_groups()")):
        town.schema.rows("SELECT create_group(%s, 'Own')", town.asker)
    town.refused("asker_has_too_many_groups", town.answer, group, request, True)
    assert town.schema.rows("SELECT accepted FROM join_requests") == [(None,)]
