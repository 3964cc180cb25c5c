import API
import Groups
import Postgres
import Time

/// What stands above a board: the group's name, the period and its state, the rules.
struct BoardFrame: Sendable {
    let name: String
    let firstDay: Day
    let rules: Rules
    let startsAt: Instant
    let endsAt: Instant
    let state: Leaderboard.State
    let now: Instant

    /// Asks for the period that begins on `firstDay`, or the one of now; throws `not_found` where there is no such group, and
    /// `future_period`.
    init(of group: ID, _ length: Period.Length, _ firstDay: Day?, in database: Database) async throws {
        let rows = try await database.read(
            """
            SELECT name, first_day, starts_at, ends_at, state, server_time, time_zone, day_starts_at, daily_cap_seconds,
              manual_counts
            FROM group_period(\(group), \(length.rawValue), \(firstDay))
            """)
        guard let row = rows.first else { throw Refusal.ranking.groupNotFound }
        try self.init(row)
    }

    /// A period of the global board; throws `future_period`.
    init(ofEveryoneIn period: Period, in database: Database) async throws {
        let rows = try await database.read(
            """
            SELECT '' AS name, first_day, starts_at, ends_at, state, server_time, time_zone, day_starts_at, daily_cap_seconds,
              manual_counts
            FROM global_board_period(\(period.length.rawValue), \(period.firstDay))
            """)
        guard let row = rows.first else { throw Refusal.ranking.futurePeriod }
        try self.init(row)
    }

    /// Reads it from a row that has these columns and those of rules; throws `future_period`.
    init(_ row: Row) throws {
        name = try row["name"]
        firstDay = try row["first_day"]
        startsAt = try row["starts_at"]
        endsAt = try row["ends_at"]
        state = try row["state"]
        now = try row["server_time"]
        if startsAt > now { throw Refusal.ranking.futurePeriod }
        rules = try Rules(row)
    }
}
