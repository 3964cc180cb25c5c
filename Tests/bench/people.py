"""The people of the figures: 5,000 of the service's and as many of pgbench's, so that neither writes what the other does.

Persons 1 to 5,000 are signed in. They are a group; the first 500 of them are another, and the first 20 one more. Persons
5,001 to 10,000 are a group as well, so that their recording keeps as many totals. Besides, 4,000 of each half have each a
group of 20 to look at: more than are asked for twice in a second. In either half all but the first 500
are on the global board, and the first 20 have a year of days behind them. A fifth of the service's people are studying.
"""

import hashlib
import uuid

from service import token_mac

HALF = 5000
SIZES = (20, 500, 5000)
OFF_GLOBAL_BOARD = 500
WITH_A_YEAR = 20
SMALL = 4000  # groups of 20 in each half
FIRST_SMALL = 1_000_000  # their ids are those of people with numbers from here


def uid(number):
    return str(uuid.UUID(hashlib.md5(f"bench {number}".encode()).hexdigest()))


# Everybody on the global board studies.
RUN_ON = """
    SELECT count(*) FROM users u, start_timer(u.uid) WHERE global_board
      AND NOT EXISTS (SELECT FROM study_sessions s WHERE s.uid = u.uid AND s.state IN ('running', 'paused'));
    SELECT count(resume_timer(uid)) FROM study_sessions WHERE state = 'paused'"""


def sign_in(database, uids):
    """Signs people in, given as their uids by the number of their token."""
    values = ",\n".join(f"('{uid}'::uuid, '{token_mac(number)}')" for number, uid in uids.items())
    database.sql(f"""
        INSERT INTO sign_ins (uid, token_mac, auth_epoch, expires_at)
        SELECT uid, decode(mac, 'hex'), 1, anthill_clock() + interval '30 days' FROM (VALUES {values}) v (uid, mac)""")


def small_boards():
    """The paths of the small groups' boards, by the number of the owner."""
    return {n // SMALL * HALF + n % SMALL + 1: f"/api/v1/groups/{uid(FIRST_SMALL + n)}/leaderboard" for n in range(2 * SMALL)}


def seed(database):
    """Makes all people; returns the groups of the service's people by size."""
    database.sql(f"""
        CREATE FUNCTION bench_uid(n bigint) RETURNS uuid LANGUAGE sql IMMUTABLE RETURN md5('bench ' || n)::uuid;
        INSERT INTO users (uid, nickname, locale) SELECT bench_uid(n), 'Ant ' || n, 'ko' FROM generate_series(1, {2 * HALF}) n;
        INSERT INTO user_emails (canonical, email, uid)
          SELECT x.address, x.address, x.uid
          FROM (SELECT bench_uid(n) AS uid, 'ant-' || n || '@bench.invalid' AS address FROM generate_series(1, {2 * HALF}) n) x""")
    sign_in(database, {number: uid(number) for number in range(1, 2 * HALF + 1)})
    groups = {size: found(database, 1, size) for size in SIZES}
    found(database, HALF + 1, HALF)
    database.sql(f"""
        CREATE TEMP TABLE small AS
          SELECT bench_uid({FIRST_SMALL} + n) AS group_id, jsonb_build_object('group_id', bench_uid({FIRST_SMALL} + n)) AS other,
                 n / {SMALL} * {HALF} AS half, n % {SMALL} AS n FROM generate_series(0, {2 * SMALL - 1}) n;
        BEGIN;
        INSERT INTO groups SELECT (jsonb_populate_record(g, other)).* FROM groups g, small WHERE g.group_id = '{groups[20]}';
        INSERT INTO group_rules SELECT (jsonb_populate_record(r, other)).* FROM group_rules r, small WHERE r.group_id = '{groups[20]}';
        INSERT INTO group_members (uid, group_id, role)
          SELECT bench_uid(half + (n + {HALF} / 20 * k) % {HALF} + 1), group_id, CASE k WHEN 0 THEN 'owner' ELSE 'member' END
          FROM small, generate_series(0, 19) k;
        INSERT INTO group_membership_history (uid, group_id, joined_at)
          SELECT uid, group_id, joined_at FROM group_members JOIN small USING (group_id);
        COMMIT""")
    off, half, year = OFF_GLOBAL_BOARD, HALF, WITH_A_YEAR
    database.sql(f"""
        SELECT count(set_global_board(bench_uid(n), true)) FROM generate_series(1, {2 * half}) n WHERE (n - 1) % {half} >= {off};

        -- Records study as a timer that ran for this stretch would have.
        CREATE FUNCTION bench_timed(whose uuid, began timestamptz, length integer) RETURNS void LANGUAGE plpgsql AS $$
        DECLARE
          owner students := lock_student(whose);
          i study_intervals;
        BEGIN
          i.uid := whose;
          i.interval_id := gen_random_uuid();
          INSERT INTO study_sessions (uid, state, source) VALUES (whose, 'finished', 'timer') RETURNING session_id INTO i.session_id;
          i.started_at := began;
          i.ended_at := began + make_interval(secs => length);
          i.source := 'timer';
          i.time_zone := owner.time_zone;
          i.day_starts_at := owner.day_starts_at;
          i.recorded_at := anthill_clock();
          i.unconfirmed := false;
          PERFORM add_interval(i, owner, clock_of(owner));
        END $$;
        SELECT count(bench_timed(bench_uid(n), anthill_clock() - make_interval(hours => 3 * k), 600 + (n * k * 7919 % 5400)::integer))
          FROM generate_series(1, {2 * half}) n, generate_series(1, 2) k;

        INSERT INTO rest_days (uid, day)
          SELECT bench_uid(n), d FROM generate_series(1, {2 * half}) n, generate_series(now() - interval '370 days', now(), '1 day') d
          WHERE (n - 1) % {half} < {year} AND extract(day FROM d) = 13;
        SELECT count(record_session(bench_uid(n), NULL, ARRAY[d], ARRAY[d + interval '5 hours'], 'import'))
          FROM generate_series(1, {2 * half}) n,
               generate_series(date_trunc('day', now()) - interval '370 days', now() - interval '4 days', '1 day') d
          WHERE (n - 1) % {half} < {year} AND extract(day FROM d) <> 13;

        SELECT count(*) FROM generate_series(1, {half}, 5) n, start_timer(bench_uid(n))""")
    database.sql("DO $$ BEGIN WHILE fold_rank_deltas() > 0 LOOP NULL; END LOOP; END $$")
    database.sql("VACUUM ANALYZE")
    return groups


def found(database, first, size):
    """Makes a group of `size` people with consecutive numbers. The first one creates it."""
    [group] = database.sql(f"SELECT create_group(bench_uid({first}), 'bench {size}')")
    database.sql(f"""
        BEGIN;
        INSERT INTO group_members (uid, group_id, role) SELECT bench_uid(n), '{group}', 'member'
          FROM generate_series({first + 1}, {first + size - 1}) n;
        INSERT INTO group_membership_history (uid, group_id, joined_at)
          SELECT uid, group_id, joined_at FROM group_members WHERE group_id = '{group}' AND uid <> bench_uid({first});
        INSERT INTO counted_under (uid, rules_id, from_month, until_month, time_zone, day_starts_at, daily_cap_seconds,
                                   manual_counts, is_global)
          SELECT bench_uid(n), c.rules_id, c.from_month, c.until_month, c.time_zone, c.day_starts_at, c.daily_cap_seconds,
                 c.manual_counts, c.is_global
          FROM generate_series({first + 1}, {first + size - 1}) n, counted_under c WHERE c.uid = bench_uid({first})
          ON CONFLICT DO NOTHING;
        COMMIT""")
    return group
