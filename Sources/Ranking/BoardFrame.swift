import Foundation
import Groups
import Postgres

/// What stands above a board: whose it is, which period, by which rules, and how far that period has come.
struct BoardFrame: Sendable {
    let name: String
    let firstDay: Day
    let rules: Rules
    let startsAt: Instant
    let endsAt: Instant
    let state: Leaderboard.State
    let now: Instant

    /// Asks for the period that begins on `firstDay`, or the one of now; throws `not_found` for who is not in the group,
    /// and `future_period`. As of `knownAt` it throws `future_instant` and `instant_before_period`.
    init(
        of group: UUID, _ length: Period.Length, _ firstDay: Day?, asOf knownAt: Instant? = nil, for reader: UUID,
        in database: Database
    ) async throws {
        let rows = try await RankingError.naming {
            try await database.read(
                """
                SELECT name, first_day, starts_at, ends_at, state, server_time, time_zone, day_starts_at, daily_cap_seconds,
                  manual_counts
                FROM board_period(\(reader), \(group), \(length.rawValue), \(firstDay), \(knownAt))
                """)
        }
        guard let row = rows.first else { throw RankingError.groupNotFound }
        try self.init(row)
    }

    /// The same for everybody, at the instant of now; throws `not_found` where there is no such group, and `future_period`.
    init(ofWhole group: UUID, _ length: Period.Length, _ firstDay: Day?, in database: Database) async throws {
        let rows = try await database.read(
            """
            SELECT name, first_day, starts_at, ends_at, state, server_time, time_zone, day_starts_at, daily_cap_seconds,
              manual_counts
            FROM group_period(\(group), \(length.rawValue), \(firstDay))
            """)
        guard let row = rows.first else { throw RankingError.groupNotFound }
        try self.init(row)
    }

    /// The month of the global board that begins on `firstDay`, or the one of now; throws `future_period`.
    init(ofEveryoneIn firstDay: Day?, in database: Database) async throws {
        let rows = try await database.read(
            """
            SELECT '', first_day, starts_at, ends_at, state, server_time, time_zone, day_starts_at, daily_cap_seconds,
              manual_counts
            FROM global_board_period(\(firstDay))
            """)
        guard let row = rows.first else { throw RankingError.futurePeriod }
        try self.init(row)
    }

    private init(_ row: Row) throws {
        (name, self.firstDay, startsAt, endsAt, state, now) = try row.decode(
            String.self, Day.self, Instant.self, Instant.self, Leaderboard.State.self, Instant.self)
        if startsAt > now { throw RankingError.futurePeriod }
        rules = try Rules(row)
    }
}
