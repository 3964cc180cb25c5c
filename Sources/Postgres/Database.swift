import Reactor

/// The database, reached through a few pipelined connections per loop.
package final class Database: Sendable {
    /// How many connections each loop holds.
    package struct Lanes: Sendable {
        package var write: Int
        package var transaction: Int
        /// Whether all of them are opened at the start, or each when it is first needed.
        package var areOpenedAtStart: Bool

        package static let standard = Lanes(write: 4, transaction: 2, areOpenedAtStart: true)
        package static let minimal = Lanes(write: 2, transaction: 1, areOpenedAtStart: false)
    }

    package init(
        url: String, group: EventLoopGroup, lanes: Lanes = .standard, searchPath: String? = nil,
        allowUnsafeDurability: Bool = false
    ) {
    }

    /// Connects and checks the server. Throws ``PostgresError`` if it cannot be reached or may lose what it acknowledged.
    package func start() async throws {}

    /// Closes the connections after what is in flight.
    package func stop() async {}

    /// Whether the server answers.
    package func isReady() async -> Bool { false }

    /// Runs a statement that changes nothing, on this loop's read lane, under one Sync with the other reads of the turn.
    package func read(_ query: Query) async throws -> Rows { throw PostgresError.lost("not started") }

    /// Runs a statement as a transaction of its own.
    package func write(_ query: Query) async throws -> Rows { throw PostgresError.lost("not started") }

    /// Runs statements as one transaction in one round trip.
    package func write(_ queries: [Query]) async throws -> [Rows] { throw PostgresError.lost("not started") }

    /// Runs `body` in a transaction that every `read` and `write` of this database inside it joins; commits when it
    /// returns, rolls back when it throws. `body` is run again, at most five times, if the server asks for it (a
    /// deadlock, a failed serialisation): what it does outside the database must bear that. A nested call joins.
    package func transaction<T: Sendable>(_ body: @Sendable () async throws -> T) async throws -> T {
        try await body()
    }
}
