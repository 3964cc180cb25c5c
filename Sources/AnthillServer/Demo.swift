import Postgres

/// Users by the number, for measuring: each is on the global board with one stretch of timer time in the present month.
/// Their addresses end in `.invalid` and they have no password, so nobody can sign in as one.
struct Demo {
    let database: Database
    let users: Int

    /// The database has users already, and it was not said that this is meant.
    struct NotEmpty: Error, CustomStringConvertible {
        let description = "there are users in this database already; --force adds the others all the same"
    }

    /// The month began only just now.
    struct TooEarly: Error, CustomStringConvertible {
        let description = "the month of the global board began less than an hour ago: there is no time yet to fill"
    }

    /// Throws ``NotEmpty`` unless `force`, and ``TooEarly``. Tells `progress` how many there are.
    func fill(force: Bool, progress: (Int) -> Void) async throws {
        if !force, try await !database.read("SELECT FROM users LIMIT 1").isEmpty { throw NotEmpty() }
        let room = try await database.read(
            "SELECT extract(epoch FROM server_time - starts_at)::integer FROM global_board_period()")
        guard let seconds = try room.first?.decode(Int.self), seconds >= 3600 else { throw TooEarly() }
        for first in stride(from: 1, through: users, by: Demo.batch) {
            let last = min(users, first + Demo.batch - 1)
            // The deltas are folded as they come: a million would wait otherwise.
            for query in [insert(first, last), "SELECT fold_rank_deltas()"] {
                try await database.slowTransaction { _ = try await database.write(query) }
            }
            progress(last)
        }
    }

    private static let batch = 5_000

    /// Lengths up to the longest interval, begun anywhere in the month so far; by hashes, so that two databases are alike.
    /// UIDs are as far apart as random ones, and ascend: each index is written at its end, however large it is.
    private func insert(_ first: Int, _ last: Int) -> Query {
        """
        WITH board AS (SELECT * FROM global_board_period()),
        people AS MATERIALIZED (
          SELECT overlay(gen_random_uuid()::text PLACING lpad(to_hex((n - 1) * 4294967296 / \(users)), 8, '0') FROM 1)::uuid AS uid,
                 gen_random_uuid() AS session_id, n, stretch.length,
                 b.starts_at + make_interval(secs => mod(hashint8(n + 77)::bigint + 2147483648,
                   extract(epoch FROM b.server_time - b.starts_at)::bigint - stretch.length)) AS started_at,
                 b.server_time, b.first_day, b.rules_id, b.time_zone, b.day_starts_at
          FROM generate_series(\(first)::bigint, \(last)::bigint) n
          CROSS JOIN board b
          CROSS JOIN LATERAL (SELECT (1 + mod(hashint8(n)::bigint + 2147483648,
            least(extract(epoch FROM longest_interval())::bigint, extract(epoch FROM b.server_time - b.starts_at)::bigint - 1)))::integer AS length) stretch
        ),
        parts AS MATERIALIZED (
          SELECT p.uid, p.rules_id, p.first_day, s.day, s.seconds
          FROM people p
          CROSS JOIN LATERAL study_parts(p.started_at, p.started_at + make_interval(secs => p.length), p.time_zone,
                                         p.day_starts_at) s
        ),
        a AS (
          INSERT INTO users (uid, nickname, global_board, created_at)
          SELECT uid, 'Ant ' || n, true, started_at FROM people
        ),
        s AS (
          INSERT INTO students (uid, time_zone, day_starts_at) SELECT uid, time_zone, day_starts_at FROM people
        ),
        b AS (
          INSERT INTO user_emails (canonical, email, uid)
          SELECT format('ant-%s-%s@demo.invalid', n, right(uid::text, 8)), format('ant-%s-%s@demo.invalid', n, right(uid::text, 8)), uid
          FROM people
        ),
        c AS (
          INSERT INTO study_sessions (uid, session_id, state, source, created_at)
          SELECT uid, session_id, 'finished', 'timer', started_at FROM people
        ),
        d AS (
          INSERT INTO study_intervals
            (uid, session_id, started_at, ended_at, source, time_zone, day_starts_at, recorded_at)
          SELECT uid, session_id, started_at, started_at + make_interval(secs => length), 'timer', time_zone,
                 day_starts_at, server_time FROM people
        ),
        e AS (
          INSERT INTO counted_under (uid, rules_id, from_month, until_month, time_zone, day_starts_at,
                                     daily_cap_seconds, manual_counts, is_global)
          SELECT uid, rules_id, first_day, 'infinity', r.time_zone, r.day_starts_at, r.daily_cap_seconds,
                 r.manual_counts, true
          FROM people JOIN ranking_rules r USING (rules_id)
        ),
        f AS (
          INSERT INTO study_days (uid, day, study_seconds, goal_seconds)
          SELECT uid, day, seconds, default_daily_goal() FROM parts
        ),
        g AS (
          INSERT INTO day_totals (rules_id, uid, day, seconds, manual_seconds, counted_seconds)
          SELECT rules_id, uid, day, seconds, 0, seconds FROM parts
        ),
        h AS (
          INSERT INTO month_totals (rules_id, uid, month, counted_seconds, manual_seconds)
          SELECT rules_id, uid, first_day, length, 0 FROM people
        ),
        i AS (
          INSERT INTO rank_totals (uid, period, first_day, seconds)
          SELECT p.uid, r.period, r.first_day, sum(p.seconds) FROM parts p CROSS JOIN LATERAL rank_periods(p.day) r
          GROUP BY 1, 2, 3
          RETURNING uid, period, first_day, seconds
        )
        INSERT INTO rank_deltas (uid, period, first_day, old, new) SELECT uid, period, first_day, 0, seconds FROM i
        """
    }
}
