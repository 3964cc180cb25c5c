import API
import Foundation
import HTTP
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
    /// Makes and drops the databases.
    private let owner: Database
    /// The name of the database that all migrated ones are copies of.
    private let template: Task<String, any Error>
    /// So many databases exist at once: their connections must not use up the server's.
    private let places = Places(free: 8)

    private init() throws {
        guard let url = ProcessInfo.processInfo.environment["ANTHILL_TEST_DATABASE_URL"], !url.isEmpty else {
            throw Missing()
        }
        self.url = url
        let migrations = try Schema.migrations()
        group.start()
        let owner = Database(
            url: url, group: group, lanes: .onDemand, allowUnsafeDurability: true, patience: TestCluster.patience,
            answer: TestCluster.patience)
        self.owner = owner
        template = Task { [group] in
            try await owner.start()
            let name = TestCluster.newName()
            try await owner.write("CREATE DATABASE \(unsafe: name) TEMPLATE template0")
            let test = TestDatabase(url: url, name: name, group: group)
            try await test.database.start()
            try await migrations.run(on: test.database)
            RuleNumbers.current = try RuleNumbers(await Schema.ruleNumbers(test.database))
            try await test.setClock("2026-11-21T03:00:00Z")
            await test.database.stop()
            return name
        }
    }

    private static func newName() -> String { "test_" + UUID().uuidString.lowercased().replacing("-", with: "") }

    /// Runs `body` with a new database, migrated unless `isMigrated` is false, and drops it. Its clock stands still, so
    /// that neither a second's edge nor the date of the run plays a part.
    package func withDatabase<T: Sendable>(
        isMigrated: Bool = true, _ body: @Sendable (TestDatabase) async throws -> T
    ) async throws -> T {
        let template = try await template.value
        await places.take()
        let outcome: Result<T, any Error>
        do {
            outcome = .success(try await withCopy(of: isMigrated ? template : "template0", body))
        } catch {
            outcome = .failure(error)
        }
        await places.giveBack()
        return try outcome.get()
    }

    private func withCopy<T: Sendable>(
        of template: String, _ body: @Sendable (TestDatabase) async throws -> T
    ) async throws -> T {
        let name = TestCluster.newName()
        try await owner.write("CREATE DATABASE \(unsafe: name) TEMPLATE \(unsafe: template) STRATEGY file_copy")
        let test = TestDatabase(url: url, name: name, group: group)
        let outcome: Result<T, any Error>
        do {
            try await test.database.start()
            try await test.service.start()
            outcome = .success(try await body(test))
        } catch {
            outcome = .failure(error)
        }
        await test.database.stop()
        await test.service.stop()
        // One that something still looks at stays until the cluster goes; no test fails for it.
        _ = try? await owner.write("DROP DATABASE \(unsafe: name)")
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
