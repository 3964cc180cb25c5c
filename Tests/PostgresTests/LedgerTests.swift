import Foundation
import Postgres
import Reactor
import Synchronization
import TestSupport
import Testing

@Suite(.database) struct LedgerTests {
    /// What a writer was told of each number it tried to insert.
    private struct Ledger: Sendable {
        var acknowledged: [Int] = []
        var uncertain: [Int] = []
        var failures: Set<String> = []
    }

    /// What all have seen so far; enough of it is the end.
    private final class Progress: Sendable {
        private let counts = Mutex((acknowledged: 0, failed: 0))
        private let latest = ContinuousClock.now + .seconds(60)

        func acknowledge() { counts.withLock { $0.acknowledged += 1 } }
        func fail() { counts.withLock { $0.failed += 1 } }
        var isEnough: Bool { counts.withLock { $0.acknowledged > 2000 && $0.failed > 20 } || .now > latest }
    }

    /// Inserts numbers one after another in every way there is, reading in between, until it is enough.
    private func work(_ writer: Int, on database: Database, _ progress: Progress) async -> Ledger {
        var ledger = Ledger()
        var number = writer * 1_000_000
        while !progress.isEnough {
            number += 1
            let next = number
            do {
                switch number % 3 {
                case 0: try await database.write("INSERT INTO ledger VALUES (\(next))")
                case 1: try await database.write(["SELECT 1", "INSERT INTO ledger VALUES (\(next))"])
                default:
                    try await database.transaction {
                        try await database.write("INSERT INTO ledger VALUES (\(next))")
                        _ = try await database.read("SELECT count(*) FROM ledger WHERE n = \(next)")
                    }
                }
                ledger.acknowledged.append(next)
                progress.acknowledge()
                _ = try await database.read("SELECT n FROM ledger WHERE n = \(next)")
            } catch {
                if ledger.acknowledged.last != next { ledger.uncertain.append(next) }
                progress.fail()
                ledger.failures.insert((error as? PostgresError)?.sqlstate ?? "\(error)")
            }
        }
        return ledger
    }

    @Test func `while backends are killed every acknowledged write is there once and no other twice`() async throws {
        try await TestDatabase.current.sql("CREATE TABLE ledger (n int)")
        let group = EventLoopGroup(count: 2)
        group.start()
        let progress = Progress()
        try await TestDatabase.current.withAnother(group: group) { database in
            let ledgers = await withTaskGroup { tasks in
                for writer in 0..<24 {
                    // A third of the writers is not on a loop.
                    let loop = writer % 3 == 2 ? nil : group.loops[writer % 3]
                    tasks.addTask(executorPreference: loop) { await work(writer, on: database, progress) }
                }
                tasks.addTask {
                    while !progress.isEnough {
                        try? await Task.sleep(for: .milliseconds(60))
                        _ = try? await TestDatabase.current.database.write(
                            """
                            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                            WHERE query LIKE '%ledger%' AND pid <> pg_backend_pid() ORDER BY random() LIMIT 2
                            """)
                    }
                    return Ledger()
                }
                return await tasks.reduce(into: []) { $0.append($1) }
            }
            // On a connection that cannot have been killed: a backend dies some time after it is told to.
            let counts = Dictionary(
                try await TestDatabase.current.database.read("SELECT n FROM ledger").decode(Int.self).map { ($0, 1) },
                uniquingKeysWith: +)
            let acknowledged = ledgers.flatMap(\.acknowledged)
            #expect(acknowledged.count > 100)
            #expect(acknowledged.filter { counts[$0] != 1 } == [])
            #expect(ledgers.flatMap(\.uncertain).filter { counts[$0, default: 0] > 1 } == [])
            let failures = ledgers.reduce(into: Set()) { $0.formUnion($1.failures) }
            #expect(failures.isSubset(of: ["08006", "08001", "53300"]) && failures.contains("08006"), "\(failures)")
        }
        await Task.detached { group.stop() }.value
    }
}
