import Foundation
import Postgres
import Reactor
import Schema

/// The PostgreSQL of the tests, and one loop for all their connections.
package final class TestCluster: Sendable {
    struct Missing: Error, CustomStringConvertible {
        let description = "ANTHILL_TEST_DATABASE_URL is not set: run the tests with script/test"
    }

    /// Fails, and with it each test that needs it, when there is no PostgreSQL.
    package static let shared = Result<TestCluster, any Error> { try TestCluster() }

    /// Many tests share few cores: what waits here is late, not lost.
    static let patience: Duration = .seconds(60)

    package let url: String
    package let group = EventLoopGroup(count: 1)
    /// Makes and drops the schemas.
    private let owner: Database
    private let opening: Task<Void, any Error>
    private let migrations: Migrations
    /// So many schemas exist at once: their connections must not use up the server's.
    private let places = Places(free: 8)

    private init() throws {
        guard let url = ProcessInfo.processInfo.environment["ANTHILL_TEST_DATABASE_URL"], !url.isEmpty else {
            throw Missing()
        }
        self.url = url
        migrations = try Migrations(folder: Schema.migrations)
        group.start()
        let owner = Database(
            url: url, group: group, lanes: .onDemand, allowUnsafeDurability: true, patience: TestCluster.patience)
        self.owner = owner
        opening = Task { try await owner.start() }
    }

    /// Runs `body` with a new schema, migrated unless `isMigrated` is false, and drops it. Its clock stands still, so
    /// that neither a second's edge nor the date of the run plays a part.
    package func withDatabase<T: Sendable>(
        isMigrated: Bool = true, _ body: @Sendable (TestDatabase) async throws -> T
    ) async throws -> T {
        try await opening.value
        await places.take()
        let outcome: Result<T, any Error>
        do {
            outcome = .success(try await withSchema(isMigrated, body))
        } catch {
            outcome = .failure(error)
        }
        await places.giveBack()
        return try outcome.get()
    }

    private func withSchema<T: Sendable>(
        _ isMigrated: Bool, _ body: @Sendable (TestDatabase) async throws -> T
    ) async throws -> T {
        let schema = "test_" + UUID().uuidString.lowercased().replacing("-", with: "")
        try await owner.write("CREATE SCHEMA \(unsafe: schema)")
        let test = TestDatabase(url: url, schema: schema, group: group)
        let outcome: Result<T, any Error>
        do {
            try await test.database.start()
            if isMigrated {
                try await migrations.run(on: test.database)
                try await test.setClock("2026-11-21T03:00:00Z")
            }
            outcome = .success(try await body(test))
        } catch {
            outcome = .failure(error)
        }
        await test.database.stop()
        try await owner.write("DROP SCHEMA \(unsafe: schema) CASCADE")
        return try outcome.get()
    }
}

/// A number of places, and who waits for one.
private actor Places {
    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(free: Int) { self.free = free }

    func take() async {
        if free > 0 { free -= 1 } else { await withCheckedContinuation { waiting.append($0) } }
    }

    func giveBack() {
        if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
    }
}
