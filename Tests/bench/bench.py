"""The figures of bench.md. Run it through script/bench, which starts the database and the service.

Every figure is measured in rounds; in each round the service and pgbench take turns, so that both meet the same
machine. pgbench runs the very statements that the service sent for that request, in one pipeline, prepared, over
eight connections. The table shows medians.
"""

import argparse
import json
import os
import pathlib
import platform
import re
import statistics
import subprocess
import time
import urllib.request

HERE = pathlib.Path(__file__).parent
TICKS = os.sysconf("SC_CLK_TCK")
CONNECTIONS = 64  # of HTTP clients
USERS = 128  # who log sessions through the service; as many again log through pgbench


class Service:
    def __init__(self, pid, folder):
        self.pid, self.folder = pid, folder
        self.base = self.wait_for_address()

    def wait_for_address(self):
        for _ in range(200):
            found = re.search(r"listening on [0-9.]+:(\d+)", (self.folder / "server.out").read_text())
            if found:
                return f"http://127.0.0.1:{found[1]}"
            time.sleep(0.05)
        raise SystemExit("the service did not start: " + (self.folder / "server.log").read_text()[-2000:])

    def call(self, method, path, body=None, token=None, address="10.0.0.1"):
        headers = {"Content-Type": "application/json", "X-Forwarded-For": address}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.base}/api/v1{path}", data, headers, method=method)
        with urllib.request.urlopen(request) as response:
            return json.load(response) if response.status in (200, 201) else None

    def cpu(self):
        """Seconds of CPU the process has used."""
        fields = pathlib.Path(f"/proc/{self.pid}/stat").read_text().rsplit(") ", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def rss(self):
        return int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{self.pid}/status").read_text())[1]) / 1024

    def load(self, seconds, script=None, path="/", arguments=()):
        """Requests a second and CPU microseconds a request, over 64 connections; no request may fail."""
        command = ["wrk", "-t2", f"-c{CONNECTIONS}", f"-d{seconds}s"]
        if script:
            command += ["-s", str(HERE / script)]
        command += [self.base + path, "--", *map(str, arguments)]
        before = self.cpu()
        output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        used = self.cpu() - before
        if "Non-2xx" in output or "Socket errors" in output or re.search(r"FAILED [1-9]", output):
            raise SystemExit("requests failed:\n" + output)
        requests = int(re.search(r"(\d+) requests in", output)[1])
        return float(re.search(r"Requests/sec:\s+([\d.]+)", output)[1]), used / requests * 1e6


class Database:
    def __init__(self, folder, postgres):
        self.url = os.environ["DATABASE_URL"]
        self.admin = self.url.replace("//anthill@/anthill", "//postgres@/anthill")
        self.folder = folder
        self.log = postgres / "log"

    def sql(self, text):
        output = subprocess.run(
            ["psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-d", self.admin], input=text, capture_output=True, text=True)
        if output.returncode:
            raise SystemExit(output.stderr)
        return output.stdout.splitlines()

    def statements(self, call, *functions):
        """What the service sends during `call`: the statement with each function, its parameters as literals by number."""
        self.sql("ALTER SYSTEM SET log_min_duration_statement = 0; SELECT pg_reload_conf()")
        time.sleep(0.3)
        position = self.log.stat().st_size
        call()
        time.sleep(0.3)
        self.sql("ALTER SYSTEM RESET log_min_duration_statement; SELECT pg_reload_conf()")
        with self.log.open() as log:
            log.seek(position)
            entries = re.split(r"^\d{4}-\d\d-\d\d [\d:.]+ UTC \[\d+\] ", log.read(), flags=re.M)
        return [self.statement(entries, function) for function in functions]

    @staticmethod
    def statement(entries, function):
        for entry, detail in zip(entries, entries[1:]):
            found = re.match(r"LOG:  duration: [\d.]+ ms  execute [^:]*: (.*)", entry, flags=re.S)
            if found and f" {function}(" in found[1] and detail.startswith("DETAIL:  parameters: "):
                pairs = re.findall(r"\$(\d+) = ('(?:[^']|'')*'|NULL)", detail)
                return found[1].strip(), {int(number): literal for number, literal in pairs}
        raise SystemExit(f"no statement with {function} was logged")

    def limit(self, seconds, script, connections, **variables):
        """Transactions a second that pgbench reaches with `script`."""
        file = self.folder / "script.sql"
        file.write_text(script)
        command = ["pgbench", "-n", "-M", "prepared", "-f", str(file), "-c", str(connections), "-j", "2",
                   "-T", str(seconds), *(f"-D{name}={value}" for name, value in variables.items()), self.url]
        # As the service's own connections.
        environment = os.environ | {"PGOPTIONS": "-c jit=off -c enable_seqscan=off"}
        output = subprocess.run(command, capture_output=True, text=True, env=environment)
        if output.returncode or "aborted" in output.stderr or not re.search(r"tps = ([\d.]+)", output.stdout):
            raise SystemExit(output.stdout + output.stderr)
        failed = re.search(r"number of failed transactions: (\d+)", output.stdout)
        if failed and failed[1] != "0":
            raise SystemExit(output.stdout)
        return float(re.search(r"tps = ([\d.]+)", output.stdout)[1])


def replay(statements, replacements=(), prelude=""):
    """A script for pgbench: the statements in one pipeline, as the service sends them, with expressions for some literals."""
    lines = [prelude, "\\startpipeline"]
    for statement, literals in statements:
        for number, literal in literals.items():
            for text, expression in replacements:
                if text in literal:
                    literals[number] = expression
        lines.append(re.sub(r"\$(\d+)", lambda found: literals[int(found[1])], statement) + ";")
    return "\n".join(lines + ["\\endpipeline", ""])


def people(service, database):
    """Signs in USERS people, makes them groups of twenty with some study each; tokens of all, and one full group."""
    # Their accounts by one INSERT and one password hash, for hashing 128 passwords proves nothing here.
    first = register(service, database)
    database.sql(f"""
        INSERT INTO users (nickname, locale, password_hash)
          SELECT 'bench ' || n, 'ko', (SELECT password_hash FROM users WHERE uid = '{first}')
          FROM generate_series(2, {USERS}) n;
        INSERT INTO user_emails (canonical, email, uid)
          SELECT replace(nickname, ' ', '') || '@example.org', replace(nickname, ' ', '') || '@example.org', uid
          FROM users WHERE nickname LIKE 'bench %' AND uid <> '{first}';
        CREATE TABLE bench_users AS SELECT gen_random_uuid() AS uid, n FROM generate_series(0, {USERS - 1}) n;
        INSERT INTO users (uid, nickname) SELECT uid, 'pgbench ' || n FROM bench_users;
        GRANT SELECT ON bench_users TO anthill;
        ALTER TABLE bench_users ADD PRIMARY KEY (n);""")
    tokens = []
    for number in range(1, USERS + 1):
        tokens.append(service.call("POST", "/sign-ins", {
            "email": f"bench{number}@example.org", "password": "a long enough passphrase"},
            address=f"10.0.1.{number}")["sign_in"]["token"])
    (service.folder / "tokens").write_text("".join(token + "\n" for token in tokens))
    board = None
    for start in range(0, USERS, 20):
        group = service.call("POST", "/groups", {"name": f"bench {start}"}, tokens[start])["id"]
        code = service.call("POST", f"/groups/{group}/invitations", {}, tokens[start])["code"]
        for token in tokens[start + 1:start + 20]:
            service.call("POST", f"/invitations/{code}/acceptances", {}, token)
        if board is None:
            board = group
        # The same for pgbench's people, so that their recording keeps as many totals.
        database.sql(f"SELECT accept_invitation(uid, '{code}') FROM bench_users WHERE n BETWEEN {start} AND {start + 19}"
                     if start else f"SELECT create_group(uid, 'pgbench', '', NULL, NULL, NULL, NULL) FROM bench_users WHERE n < 20")
    (service.folder / "members").write_text("".join(token + "\n" for token in tokens[:20]))
    now = int(time.time())
    for number, token in enumerate(tokens[:20]):
        for hour in range(1, 13):
            begin = now - hour * 7200
            service.call("POST", "/me/sessions", {
                "started_at": stamp(begin), "ended_at": stamp(begin + 1800 + 60 * number)}, token)
    for token in tokens[:5]:
        service.call("POST", "/me/timer/start", {}, token)
    # And a year of days behind them, as imports, with rest days in between; and behind as many of pgbench's people.
    settled = f"(SELECT uid FROM group_members WHERE group_id = '{board}' UNION SELECT uid FROM bench_users WHERE n < 20) m"
    database.sql(f"""
        SELECT count(record_interval(m.uid, d, d + interval '5 hours', 'import'))
          FROM {settled}, generate_series(date_trunc('day', now()) - interval '370 days', now() - interval '4 days', '1 day') d
          WHERE extract(day FROM d) <> 13;
        INSERT INTO rest_days (uid, day)
          SELECT m.uid, d FROM {settled}, generate_series(now() - interval '370 days', now(), '1 day') d
          WHERE extract(day FROM d) = 13;""")
    database.sql("VACUUM ANALYZE")
    return tokens, board


def register(service, database):
    service.call("POST", "/registrations", {"email": "bench1@example.org", "locale": "ko"})
    for _ in range(100):
        mails = list((service.folder / "mail").glob("*.eml"))
        if mails:
            break
        time.sleep(0.1)
    import email
    import email.policy
    text = email.message_from_bytes(mails[0].read_bytes(), policy=email.policy.default).get_body(("plain",)).get_content()
    token = re.search(r"#token=([A-Za-z0-9_-]+)", text)[1]
    return service.call("POST", "/users", {
        "token": token, "nickname": "bench 1", "password": "a long enough passphrase"})["user"]["uid"]


def stamp(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def in_log(seconds):
    """As PostgreSQL's log writes an instant."""
    return time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(seconds))


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--pid", type=int)
    options.add_argument("--folder", type=pathlib.Path)
    options.add_argument("--postgres", type=pathlib.Path)
    options.add_argument("--seconds", type=int)
    options.add_argument("--rounds", type=int)
    options.add_argument("--table", type=pathlib.Path)
    options = options.parse_args()
    service = Service(options.pid, options.folder)
    database = Database(options.folder, options.postgres)
    print(f"seeding {USERS} people …", flush=True)
    tokens, group = people(service, database)

    board_path = f"/api/v1/groups/{group}/leaderboard"
    board = replay(database.statements(
        lambda: service.call("GET", f"/groups/{group}/leaderboard", token=tokens[0]), "board_period", "board"))

    reads = {
        "today": ("/me/today", ["study_today"]),
        "days": (f"/me/days?month={time.strftime('%Y-%m')}", ["study_streaks"]),
    }
    replays = {name: replay(database.statements(lambda: service.call("GET", path, token=tokens[0]), *functions))
               for name, (path, functions) in reads.items()}

    # One session by hand tells how the service records; pgbench then does the same for its own people.
    first = int(time.time()) - 47 * 3600
    uid = service.call("GET", "/me", token=tokens[-1])["uid"]
    session = "00000000-0000-4000-8000-00000000be7c"
    record = replay(
        database.statements(
            lambda: service.call("POST", "/me/sessions", {
                "id": session, "started_at": stamp(first - 60), "ended_at": stamp(first - 59)}, tokens[-1]),
            "record_session", "session_details"),
        [
            (uid, "(SELECT uid FROM bench_users WHERE n = :client_id)"),
            (session, "md5(:client_id || '-' || :i)::uuid"),
            (in_log(first - 60), "ARRAY[to_timestamp(:first::bigint + :i::bigint)]"),
            (in_log(first - 59), "ARRAY[to_timestamp(:first::bigint + :i::bigint + 1)]"),
        ], prelude="\\set i :i + 2")

    figures = {"static": [], "board": [], "today": [], "days": [], "record": []}
    limits = {"board": [], "today": [], "days": [], "record": []}
    position = {"wrk": first, "pgbench": 0}
    for turn in range(options.rounds):
        print(f"round {turn + 1} of {options.rounds}", flush=True)
        figures["static"].append(service.load(options.seconds, path="/tokens.css"))
        figures["board"].append(service.load(
            options.seconds, "read.lua", arguments=[service.folder / "members", board_path]))
        limits["board"].append(database.limit(options.seconds, board, 8))
        for name, (path, _) in reads.items():
            figures[name].append(service.load(
                options.seconds, "read.lua", arguments=[service.folder / "members", f"/api/v1{path}"]))
            limits[name].append(database.limit(options.seconds, replays[name], 8))
        # wrk's people go on where the last round ended; a user's share of a round is far below 3,000 sessions.
        figures["record"].append(service.load(
            options.seconds, "record.lua", arguments=[service.folder / "tokens", position["wrk"]]))
        position["wrk"] += 2 * 6000
        limits["record"].append(database.limit(
            options.seconds, record, 8, i=position["pgbench"], first=first))
        position["pgbench"] += 2 * 20000

    table = report(options, service, database, figures, limits)
    options.table.write_text(table)
    print(table)


def report(options, service, database, figures, limits):
    median = statistics.median
    names = {
        "static": "static route", "board": "group board, 20 members, uncached",
        "today": "today, with a year of days", "days": "a month of the calendar, with a year of days",
        "record": "log a session, all totals kept"}
    needs = {"static": "", "board": "≥ 0.65", "today": "", "days": "", "record": "≥ 0.80"}
    rows = []
    for key, runs in figures.items():
        speed, cpu = median(run[0] for run in runs), median(run[1] for run in runs)
        if key in limits:
            limit = median(limits[key])
            ratio = median(run[0] / other for run, other in zip(runs, limits[key]))
            rows.append(f"| {names[key]} | {speed:,.0f} | {limit:,.0f} | {ratio:.2f} | {needs[key]} | {cpu:,.0f} |")
        else:
            rows.append(f"| {names[key]} | {speed:,.0f} | | | | {cpu:,.0f} |")
    model = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    version = database.sql("SHOW server_version")[0]
    return f"""# Measured

`script/bench` on {os.cpu_count()} cores ({model[1] if model else platform.machine()}), PostgreSQL {version}, both in default
durability; load, service and database share the machine. {CONNECTIONS} HTTP connections, {options.rounds} interleaved rounds of
{options.seconds} s, medians. pgbench runs the same statements in one pipeline, prepared, over 8 connections.

| figure | requests/s | pgbench/s | ratio | must reach | server CPU, µs a request |
|---|---|---|---|---|---|
{chr(10).join(rows)}

Memory of the service after the runs: {service.rss():.0f} MB.
"""


if __name__ == "__main__":
    main()
