"""A global board of millions, while a tenth of its people study."""

import time
from statistics import median

import people
from database import CONNECTIONS
from figures import READERS, Value, board_of
from service import Service

# A tenth of the people starts a countdown of two hours, and has a browser that is told when it ends. Set by set: what the
# functions would write.
STUDY = """
SET session_replication_role = replica; -- they are all there: no need to look for each
CREATE TABLE bench_runners AS
  SELECT row_number() OVER () AS n, uid, gen_random_uuid() AS session_id, gen_random_uuid() AS sign_in,
         anthill_clock() AS began
  FROM (SELECT uid FROM students ORDER BY uid LIMIT {count}) s;
ALTER TABLE bench_runners ADD PRIMARY KEY (n);
GRANT SELECT ON bench_runners TO anthill_service;
INSERT INTO study_sessions (uid, session_id, state, source, goal_seconds, created_at)
  SELECT uid, session_id, 'running', 'timer', 7200, began FROM bench_runners;
INSERT INTO study_intervals (uid, session_id, started_at, source, time_zone, day_starts_at, recorded_at)
  SELECT r.uid, r.session_id, r.began, 'timer', s.time_zone, s.day_starts_at, r.began FROM bench_runners r JOIN students s USING (uid);
INSERT INTO sign_ins (uid, id, token_mac, auth_epoch, expires_at)
  SELECT uid, sign_in, sha256(uuid_send(sign_in)), 1, anthill_clock() + interval '30 days' FROM bench_runners;
INSERT INTO push_subscriptions (uid, sign_in, endpoint, device_key, authentication)
  SELECT uid, sign_in, 'https://push.bench.invalid/' || sign_in, decode(repeat('04', 65), 'hex'), uuid_send(sign_in) FROM bench_runners;
INSERT INTO push_reminders (uid, kind, due) SELECT uid, 'timer', began + interval '2 hours' FROM bench_runners;
RESET session_replication_role;
VACUUM ANALYZE
"""

QUIET = 61  # seconds: every chore of a minute comes once
DUE = 20_000
READS = {
    "top page of 50": "SELECT * FROM global_board('{reader}')",
    "one's exact rank and neighbours": "SELECT * FROM global_board((SELECT uid FROM bench_readers WHERE n = :r), page => 1)",
}


def large(bench):
    """All figures of the board, of timers, and of the chores."""
    [size] = bench.sizes
    began = time.monotonic()
    database = bench.database.another("large")
    board_of(database, size)
    filled = time.monotonic() - began
    running = size // 10
    database.sql(STUDY.format(count=running))
    print(f"large: {size:,} people in {filled:.0f} s, {running:,} timers in {time.monotonic() - began - filled:.0f} s", flush=True)
    values = [Value("people on the board; timers that run", f"{size:,}; {running:,}"), Value("the database", words_of(database))]

    for name, statement in READS.items():
        script = f"\\set r random(1, {READERS})\n{statement.format(reader=people.uid(0))};\n"
        speeds = [database.limit(bench.seconds, script) for _ in range(bench.rounds)]
        values.append(Value(f"global board: {name}", f"{CONNECTIONS / median(speeds) * 1000:.1f} ms in PostgreSQL, {CONNECTIONS} at once"))

    # Nobody asks anything, and every chore looks at what is due.
    service = Service(database, database.folder / "large")
    service.call("GET", "/leaderboard", person=1)
    time.sleep(5)
    before = service.cpu(), database.cpu()
    time.sleep(QUIET)
    used = [(after - then) / QUIET * 100 for after, then in zip((service.cpu(), database.cpu()), before)]
    values.append(Value("all chores, while nobody asks anything", f"PostgreSQL {used[1]:.1f} % of one core, the service {used[0]:.1f} %"))
    service.stop()

    # Each stops the timer of the next person; then one worker folds what came of it.
    each = running // CONNECTIONS
    script = f"\\set n :n + 1\nSELECT * FROM stop_timer((SELECT uid FROM bench_runners WHERE n = :client_id * {each} + :n));\n"
    speed = database.limit(bench.seconds, script, n=0)
    values.append(Value("timers stopped, on the global board", f"{speed:,.0f} a second, {CONNECTIONS / speed * 1000:.1f} ms each"))
    [waiting] = database.sql("SELECT count(*) FROM rank_deltas")
    began = time.monotonic()
    database.sql("DO $$ BEGIN WHILE fold_rank_deltas() > 0 LOOP COMMIT; END LOOP; END $$")
    took = time.monotonic() - began
    values.append(Value("changes folded into the counters", f"{int(waiting) / took:,.0f} a second ({int(waiting):,} in {took:.1f} s)"))

    # Many countdowns end at once. First, what it takes to find that none does.
    [none] = timed(database, "SELECT push_what_is_due()")
    ending = f"SELECT uid FROM bench_runners WHERE n > {running - min(DUE, running // 2)}"
    database.sql(f"""
        UPDATE study_sessions SET goal_seconds = 1 WHERE state = 'running' AND uid IN ({ending});
        UPDATE push_reminders SET due = anthill_clock() WHERE uid IN ({ending})""")
    began = time.monotonic()
    database.sql("DO $$ BEGIN WHILE push_what_is_due() > 0 LOOP COMMIT; END LOOP; END $$")
    took = time.monotonic() - began
    [pushed] = database.sql("SELECT count(*) FROM push_outbox")
    values.append(
        Value("ends of countdowns made into pushes", f"{int(pushed) / took:,.0f} a second; {none:.1f} ms to find that none is due")
    )
    return values


def timed(database, statement):
    """Milliseconds of a statement, the second time."""
    plan = database.sql(f"{statement};\nEXPLAIN (ANALYZE, TIMING OFF, SUMMARY ON) {statement}")
    return [float(line.split()[2]) for line in plan if line.startswith("Execution Time:")]


def words_of(database):
    [size] = database.sql("SELECT pg_database_size(current_database())")
    return f"{int(size) / 1e9:.1f} GB"
