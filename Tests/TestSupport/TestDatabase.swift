import Foundation
import Postgres
import Reactor
import Schema
import Testing
import Time

/// A database of its own in the test cluster, migrated; there for one test case.
package final class TestDatabase: Sendable {
    /// The one of the running test. Needs `@Suite(.database)`.
    package static var current: TestDatabase {
        guard let database = running else { preconditionFailure("the suite lacks the trait .database") }
        return database
    }

    @TaskLocal static var running: TestDatabase?

    /// The database for its owner, who may do everything.
    package let database: Database
    /// The database for the service's role: what the routes of a test are made with.
    package let service: Database
    /// Where it is, for programs and connections of their own.
    package let url: String
    private let group: EventLoopGroup

    /// `url`: of any database of the cluster, with parameters.
    init(url: String, name: String, group: EventLoopGroup) {
        self.url = "\(url)&dbname=\(name)"
        self.group = group
        (database, service) = (
            TestDatabase.open(self.url, group),
            TestDatabase.open(self.url.replacing(/\/\/\w+@/, with: "//anthill_service@"), group)
        )
    }

    private static func open(_ url: String, _ group: EventLoopGroup) -> Database {
        Database(
            url: url, group: group, lanes: .onDemand, allowUnsafeDurability: true, patience: TestCluster.patience,
            answer: TestCluster.patience, statement: TestCluster.patience, idle: TestCluster.patience)
    }

    /// Runs `body` with a second program's view of the same database, and stops it.
    package func withAnother<T: Sendable>(
        lanes: Database.Lanes = .onDemand, group: EventLoopGroup? = nil, isStarted: Bool = true,
        allowUnsafeDurability: Bool = true, answer: Duration = TestCluster.patience, silence: Duration? = nil,
        statement: Duration = TestCluster.patience, idle: Duration = TestCluster.patience,
        _ body: @Sendable (Database) async throws -> T
    ) async throws -> T {
        let other = Database(
            url: url, group: group ?? self.group, lanes: lanes, allowUnsafeDurability: allowUnsafeDurability,
            patience: TestCluster.patience, answer: answer, silence: silence, statement: statement, idle: idle)
        let outcome: Result<T, any Error>
        do {
            if isStarted { try await other.start() }
            outcome = .success(try await body(other))
        } catch {
            outcome = .failure(error)
        }
        await other.stop()
        return try outcome.get()
    }

    /// Runs raw text, several statements if need be, in one transaction.
    package func sql(_ text: String) async throws { try await database.script(unsafe: text) }

    /// Makes `anthill_clock()` stand still at `time`, which is RFC 3339.
    package func setClock(_ time: String) async throws {
        guard let instant = Instant(rfc3339: time) else { preconditionFailure("\(time) is not RFC 3339") }
        try await sql(
            """
            CREATE OR REPLACE FUNCTION anthill_clock() RETURNS timestamptz
            LANGUAGE sql STABLE AS $$ SELECT timestamptz '\(instant)' $$
            """)
    }

    /// Makes `anthill_clock()` the real one, for what waits by it.
    package func releaseClock() async throws {
        try await sql(
            """
            CREATE OR REPLACE FUNCTION anthill_clock() RETURNS timestamptz
            LANGUAGE sql STABLE AS $$ SELECT date_trunc('second', clock_timestamp()) $$
            """)
    }

    /// Moves the clock on from where it stands; from now on it stands still.
    package func advance(_ seconds: Int) async throws {
        guard let row = try await database.read("SELECT anthill_clock()").first else { return }
        try await setClock("\(try row.decode(Instant.self) + seconds)")
    }
}
