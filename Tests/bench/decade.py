"""A database in which people have studied for ten years, and others in the same groups' manner for one, by the same clock
and rules. All rows are real ones: check.sql finds nothing in them. The intervals are written set by set, because a hundred
million calls would take a week; the totals are what maintenance recounts from them, and the months are closed by the
functions that always close them.
"""

import json
import pathlib
import shutil
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from statistics import median

import people
import statements
from database import filled
from figures import Value
from service import Service

TEAM = 20  # people of a group; the first group has studied for one year only
MOST_A_DAY = 3  # sessions, at least one
YOUNG_YEARS, YEARS = 1, 10
BYTES = 7_000_000  # on the disk for each of them, with the write-ahead log

PREPARE = """
CREATE FUNCTION bench_uid(n bigint) RETURNS uuid LANGUAGE sql IMMUTABLE RETURN md5('bench ' || n)::uuid;
-- Looks random, and is the same each time.
CREATE FUNCTION bench_dice(a bigint, b bigint, c bigint, sides integer) RETURNS integer LANGUAGE sql IMMUTABLE
  RETURN (hashint8extended(a * 1000003 + b * 4001 + c, 7) & 1073741823)::integer % sides;
CREATE TABLE bench_people AS
  SELECT n, bench_uid(n) AS uid, (n - 1) / {team} AS team,
         month_of((now() - make_interval(years => CASE WHEN n <= {team} THEN {young} ELSE {years} END))::date) AS since
  FROM generate_series(1, {count}) n;
ALTER TABLE bench_people ADD PRIMARY KEY (n);
BEGIN; -- who is a member must at each commit have joined
INSERT INTO users (uid, nickname, locale, created_at) SELECT uid, 'Ant ' || n, 'ko', since FROM bench_people;
INSERT INTO user_emails (canonical, email, uid)
  SELECT format('ant-%s@bench.invalid', n), format('ant-%s@bench.invalid', n), uid FROM bench_people;
CREATE TABLE bench_teams AS
  SELECT team, create_group(bench_uid(team * {team} + 1), 'bench ' || team) AS group_id FROM (SELECT DISTINCT team FROM bench_people) t;
INSERT INTO group_members (uid, group_id, role)
  SELECT uid, group_id, 'member' FROM bench_people JOIN bench_teams USING (team) WHERE (n - 1) % {team} > 0;
INSERT INTO group_membership_history (uid, group_id, joined_at)
  SELECT uid, group_id, joined_at FROM group_members WHERE role = 'member';
INSERT INTO counted_under (uid, rules_id, from_month, until_month, time_zone, day_starts_at, daily_cap_seconds, manual_counts, is_global)
  SELECT p.uid, c.rules_id, c.from_month, c.until_month, c.time_zone, c.day_starts_at, c.daily_cap_seconds, c.manual_counts, c.is_global
  FROM bench_people p JOIN counted_under c ON c.uid = bench_uid(p.team * {team} + 1) WHERE (p.n - 1) % {team} > 0;
-- A fifth is on the global board.
SELECT count(set_global_board(uid, true)) FROM bench_people WHERE n % 5 = 0;
-- They have all been there since they began.
UPDATE groups g SET created_at = p.since, open_month = NULL, open_month_closes_at = NULL
  FROM bench_teams t JOIN bench_people p ON p.n = t.team * {team} + 1 WHERE g.group_id = t.group_id;
UPDATE group_rules r SET from_month = p.since
  FROM bench_teams t JOIN bench_people p ON p.n = t.team * {team} + 1 WHERE r.group_id = t.group_id;
UPDATE group_members m SET joined_at = p.since FROM bench_people p WHERE m.uid = p.uid;
UPDATE group_membership_history h SET joined_at = p.since FROM bench_people p WHERE h.uid = p.uid;
UPDATE counted_under c SET from_month = p.since FROM bench_people p WHERE c.uid = p.uid;
COMMIT;
"""

# What they studied: each day one to three sessions of 20 to 140 minutes, four hours apart, by the timer.
STUDY = """
SET session_replication_role = replica; -- their sessions and students are there: no need to look for each
WITH sittings AS MATERIALIZED (
  SELECT p.uid, gen_random_uuid() AS session_id, s.time_zone, s.day_starts_at,
         (d.day + time '08:00') AT TIME ZONE s.time_zone + make_interval(hours => 4 * k, mins => bench_dice(p.n, d.day - '2000-01-01', k, 60))
           AS started_at,
         1200 + bench_dice(p.n, d.day - '2000-01-01', k + 10, 7200) AS length
  FROM bench_people p
  JOIN students s USING (uid)
  CROSS JOIN LATERAL (SELECT x::date AS day FROM generate_series(p.since + 1, current_date - 3, interval '1 day') x) d
  CROSS JOIN LATERAL generate_series(0, bench_dice(p.n, d.day - '2000-01-01', 99, {most})) k
  WHERE p.n BETWEEN {first} AND {last}
  ORDER BY p.uid, started_at
),
sessions AS (
  INSERT INTO study_sessions (uid, session_id, state, source, created_at)
    SELECT uid, session_id, 'finished', 'timer', started_at FROM sittings
)
INSERT INTO study_intervals (uid, session_id, started_at, ended_at, source, time_zone, day_starts_at, recorded_at)
  SELECT uid, session_id, started_at, started_at + make_interval(secs => length), 'timer', time_zone, day_starts_at,
         started_at + make_interval(secs => length)
  FROM sittings;
INSERT INTO study_days (uid, day, study_seconds, goal_seconds)
  SELECT r.uid, r.day, r.study_seconds, default_daily_goal()
  FROM bench_people p CROSS JOIN LATERAL recounted_study_days(p.uid, p.uid, '-infinity') r WHERE p.n BETWEEN {first} AND {last};
CREATE TEMPORARY TABLE counted AS
  SELECT r.* FROM bench_people p CROSS JOIN LATERAL recounted_day_totals(p.uid, p.uid, '-infinity') r
  WHERE p.n BETWEEN {first} AND {last};
INSERT INTO day_totals (rules_id, uid, day, seconds, manual_seconds, counted_seconds)
  SELECT rules_id, uid, day, seconds, manual_seconds, counted_seconds FROM counted;
INSERT INTO month_totals (rules_id, uid, month, counted_seconds, manual_seconds)
  SELECT rules_id, uid, month_of(day), sum(counted_seconds), sum(counted_manual_seconds) FROM counted GROUP BY 1, 2, 3;
INSERT INTO rank_totals (uid, period, first_day, seconds)
  SELECT c.uid, p.period, p.first_day, sum(c.counted_seconds)
  FROM counted c JOIN ranking_rules r USING (rules_id) CROSS JOIN LATERAL rank_periods(c.day) p WHERE r.is_global GROUP BY 1, 2, 3;
"""

# Closes what is due of half of the groups, oldest months first, and notes how many milliseconds each took.
CLOSE = """
SET enable_seqscan = off; -- as the service does: the first plans are made while the tables are empty
DO $$
DECLARE
  others uuid[] := ARRAY(SELECT group_id FROM bench_teams WHERE team % 2 <> {half});
  due record;
  began timestamptz;
  more boolean := true;
BEGIN
  WHILE more LOOP
    more := false;
    FOR due IN SELECT * FROM months_due(others) LOOP
      began := clock_timestamp();
      PERFORM lock_to_close(due.group_id, due.month);
      PERFORM close_month(due.group_id, due.month);
      INSERT INTO bench_closes (took) VALUES (extract(epoch FROM clock_timestamp() - began) * 1000);
      more := true;
    END LOOP;
    COMMIT;
  END LOOP;
END $$;
"""


def fill(database, count):
    """Makes all of it for so many people, a group at a time: each whole, or not at all, and once more if it fails."""
    needed, free = count * BYTES, shutil.disk_usage(database.postgres).free
    if free < needed:
        raise SystemExit(f"decade: {count:,} people take {needed / 1e9:.0f} GB in {database.postgres}, where {free / 1e9:.0f} GB are free")
    numbers = {"team": TEAM, "most": MOST_A_DAY, "young": YOUNG_YEARS, "years": YEARS, "count": count}
    database.sql(PREPARE.format(**numbers))
    batches = [f"BEGIN; {STUDY.format(first=first, last=first + TEAM - 1, **numbers)} COMMIT;" for first in range(1, count + 1, TEAM)]

    def study(batch):
        try:
            database.sql(batch)
        except SystemExit as error:
            print(f"decade: once more, after {error}", flush=True)
            database.sql(batch)

    with ThreadPoolExecutor(2) as both:
        for number, _ in enumerate(both.map(study, batches), 1):
            if number % max(1, len(batches) // 10) == 0:
                print(f"decade: {number * TEAM:,} of {count:,} people, {time.strftime('%H:%M')}", flush=True)
    database.sql("SELECT recount_ranks()")
    database.sql("SELECT count(sum_up_days(s, sum_up_until(now()))) FROM students s")  # as their next day of study would
    database.sql("VACUUM ANALYZE")
    database.sql("CREATE TABLE bench_closes (n serial, took float8)")
    # Whoever closes first holds the groups while it looks for their open months; the other would find nothing due, and end.
    database.sql("SELECT count(find_open_month(group_id)) FROM bench_teams")
    with ThreadPoolExecutor(2) as both:
        list(both.map(database.sql, (CLOSE.format(half=half) for half in range(2))))
    database.sql("VACUUM ANALYZE")
    people.sign_in(database, {number: people.uid(number) for number in range(1, count + 1)})


CHECK = pathlib.Path(__file__).parents[2] / "sql/maintenance/check.sql"
RUNS = 7  # of a statement: PostgreSQL plans some anew for the first five times
MOST = 2  # times the pages after one year


def decade(bench):
    """What is asked most often, by somebody with ten years of study and by somebody with one."""
    [count] = bench.sizes
    began = time.monotonic()
    database = bench.database.another("decade")
    database.migrate()
    fill(database, count)
    [intervals] = database.sql("SELECT count(*) FROM study_intervals")
    [size] = database.sql("SELECT pg_database_size(current_database())")
    took = time.monotonic() - began
    values = []

    def add(*figure):
        values.append(Value(*figure))
        print(values[-1].row(), flush=True)

    add("people; intervals; database", f"{count:,}; {int(intervals):,}; {int(size) / 1e9:.1f} GB, filled in {took / 60:.0f} min")

    service = Service(database, database.folder / "decade")
    groups = database.sql("SELECT group_id FROM bench_teams ORDER BY team")
    [now, old] = (time.localtime().tm_year - years for years in (0, YEARS - 1))
    recent = now - 1
    asked = {  # by the path's words: the path, with the group and a year, and the functions that answer
        "a board": ("/groups/{group}/leaderboard", statements.BOARD),
        "a board of a month long ago": ("/groups/{group}/leaderboard?at={year}-12", statements.BOARD),
        "a board as it was known long ago": ("/groups/{group}/leaderboard?as_of={year}-12-20T00:00:00Z", statements.BOARD),
        "today": ("/me/today", statements.TODAY),
        "the calendar": ("/me/days", statements.CALENDAR_MONTH),
        "the calendar of a month long ago": ("/me/days?month={year}-12", statements.CALENDAR_MONTH),
        "a year of the calendar": ("/me/days?year={year}", statements.CALENDAR_YEAR),
        "the own rank on the global board": ("/leaderboard?limit=1", statements.GLOBAL_PLACE),
    }
    for name, (path, functions) in asked.items():
        young = spent(database, service, path.format(group=groups[0], year=recent), functions, 5)
        aged = spent(database, service, path.format(group=groups[-1], year=old), functions, count)
        words = f"{aged[0]:.1f} ms, {aged[1]:,} pages; {young[0]:.1f} ms, {young[1]:,} pages after one year"
        add(name, words, aged[1] / young[1], MOST, " × the pages")
    service.stop()

    [first, last, most] = map(
        float,
        database.sql(
            "SELECT avg(took) FILTER (WHERE n <= 100), avg(took) FILTER (WHERE n > most - 100), max(took)"
            " FROM bench_closes, (SELECT max(n) AS most FROM bench_closes) m"
        )[0].split("|"),
    )
    add("closing a month of 20 people", f"{first:.1f} ms for the oldest, {last:.1f} ms for the latest, at most {most:.0f} ms")
    [month] = database.sql("SELECT month_of(current_date - 40)")
    # All sixteen, two at once, take most of an hour.
    for name, variables in {
        "check.sql, a sixteenth of the people": ["-v", "uid=0"],
        "check.sql, a sixteenth of the people, totals of the last two months": ["-v", "uid=0", "-v", f"since={month}"],
    }.items():
        began = time.monotonic()
        check(database, variables)
        add(name, f"{time.monotonic() - began:.0f} s, nothing found")
    return values


def check(database, variables):
    """Runs check.sql, which must find nothing."""
    command = ["psql", "-XAtq", "-v", "ON_ERROR_STOP=1", *variables, "-d", database.admin, "-f", CHECK]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode or done.stdout:
        raise SystemExit(f"check.sql: {done.stdout[:2000]} {done.stderr}")


def spent(database, service, path, functions, person):
    """Milliseconds and pages of PostgreSQL for the statements of one request, on a connection that has run them before."""
    times, pages = [], 0
    # The page of the global board that all see is asked for by the same function.
    having = people.uid(person) if functions == statements.GLOBAL_PLACE else ""
    for statement in database.statements(lambda: service.call("GET", path, person=person), *functions, having=having):
        explained = "EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) " + filled(statement)
        text = "\n".join(database.sql("SET jit = off; SET enable_seqscan = off;" + explained * RUNS))
        plans = [json.loads(plan + "]")[0] for plan in text.split("\n]")[:RUNS]]
        times.append(median(plan["Execution Time"] for plan in plans[2:]))
        pages += plans[-1]["Plan"]["Shared Hit Blocks"] + plans[-1]["Plan"]["Shared Read Blocks"]
    return sum(times), pages
