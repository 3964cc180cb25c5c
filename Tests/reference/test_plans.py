"""What a board reads, whatever else is in the database."""

import citus
import pytest

pytestmark = citus.not_spread("the pages that a worker reads are not counted")

MANY = 3000


def blocks(schema, group, order, known_at):
    """How many blocks a board touches once it is planned, on a connection like the service's."""
    connection = schema.connect()
    connection.execute("SET jit = off")
    connection.execute("SET enable_seqscan = off")
    board = "SELECT * FROM board(%s, 'month', sorting => %s, known_at => %s)"
    rows = connection.execute(board, [group, order, known_at]).fetchall()
    assert len(rows) == 4  # what stands above it, and three members
    [[[plan]]] = connection.execute("EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) " + board, [group, order, known_at]).fetchall()
    return plan["Plan"]["Shared Hit Blocks"] + plan["Plan"]["Shared Read Blocks"]


@pytest.mark.parametrize("past", [False, True])
@pytest.mark.parametrize("order", ["seconds", "goal", "consistency"])
def test_the_board_of_three_reads_no_more_when_the_groups_around_are_large(schema, order, past):
    users = [schema.user() for _ in range(3)]
    group = schema.value("SELECT create_group(%s, 'three')", users[0])
    crowd = schema.value("SELECT create_group(%s, 'crowd')", schema.user())
    for user in users[1:]:
        schema.rows("SELECT lock_group(%s)", group)
        schema.rows("SELECT enter_group(%s, %s, 'member')", user, group)
    for user in users:
        schema.rows("SELECT record_interval(%s, anthill_clock() - interval '2 hours', anthill_clock() - interval '1 hour')", user)
    schema.connection.execute("ANALYZE")
    known_at = schema.value("SELECT anthill_clock()") if past else None
    before = blocks(schema, group, order, known_at)

    schema.connection.execute(
        f"""
        WITH people AS MATERIALIZED (SELECT gen_random_uuid() AS uid FROM generate_series(1, {MANY})),
        a AS (INSERT INTO users (uid, nickname) SELECT uid, 'u' FROM people),
        s AS (INSERT INTO students (uid) SELECT uid FROM people),
        b AS (INSERT INTO group_membership_history (uid, group_id, joined_at)
                SELECT uid, '{crowd}', anthill_clock() FROM people),
        c AS (INSERT INTO day_totals SELECT t.rules_id, p.uid, t.day, t.seconds, t.manual_seconds, t.counted_seconds
                FROM people p, day_totals t WHERE t.uid = '{users[0]}')
        INSERT INTO month_totals SELECT t.rules_id, p.uid, t.month, t.counted_seconds, t.manual_seconds
          FROM people p, month_totals t WHERE t.uid = '{users[0]}'
        """
    )
    schema.connection.execute(  # what each of them took back
        f"""
        INSERT INTO study_sessions (uid, state, source)
          SELECT uid, 'discarded', 'manual' FROM group_membership_history WHERE group_id = '{crowd}';
        INSERT INTO study_intervals (uid, session_id, started_at, ended_at, source, time_zone, day_starts_at, recorded_at,
                                     retracted_at)
          SELECT s.uid, s.session_id, c.clock - interval '2 hours', c.clock, 'manual', 'UTC', '05:00', c.clock, c.clock
          FROM study_sessions s, anthill_clock() c (clock) WHERE s.state = 'discarded'
        """
    )
    schema.connection.execute(
        f"INSERT INTO group_members (uid, group_id, role) SELECT uid, '{crowd}', 'member' FROM group_membership_history"
        f" WHERE group_id = '{crowd}' ON CONFLICT DO NOTHING"
    )
    schema.connection.execute("ANALYZE")
    assert blocks(schema, group, order, known_at) < 2 * before
