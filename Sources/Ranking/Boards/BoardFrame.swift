import API
import Foundation
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
    /// Empty on the global board.
    let clockChanges: [ClockChange]

    /// Asks for the period that begins on `firstDay`, or the current one; throws `not_found` where there is no such group, and
    /// `future_period`.
    init(of group: ID, _ length: Period.Length, _ firstDay: Day?, in database: Database) async throws {
        let rows = try await database.read(
            """
            SELECT name, first_day, starts_at, ends_at, state, server_time, time_zone, day_starts_at, daily_cap_seconds,
              manual_counts, clock_changes(\(group), first_day, until_day) AS clock_changes
            FROM group_period(\(group), \(length.rawValue), \(firstDay))
            """)
        guard let row = rows.first else { throw Refusal.ranking.groupNotFound }
        try self.init(row, clockChanges: ClockChange.all(row["clock_changes"]))
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
    init(_ row: Row, clockChanges: [ClockChange] = []) throws {
        self.clockChanges = clockChanges
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

/// Hours between two clocks of a group, at the turn of a month.
package struct ClockChange: Sendable, Codable, Hashable {
    package enum Counted: String, Sendable, Codable {
        /// In neither month: the clock moved west.
        case neither
        /// In both months: the clock moved east.
        case both
    }

    package let startsAt: Instant
    package let endsAt: Instant
    package let counted: Counted

    /// As the schema writes them; nil for none.
    static func all(_ text: String?) throws -> [ClockChange] {
        guard let text else { return [] }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode([ClockChange].self, from: Data(text.utf8))
    }
}
