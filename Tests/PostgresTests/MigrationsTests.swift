import Foundation
import Postgres
import TestSupport
import Testing

@Suite struct MigrationsTests {
    /// A folder with these files, there as long as `body` runs.
    private func withFolder<T>(_ files: [String: String], _ body: (URL) async throws -> T) async throws -> T {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("migrations-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, text) in files {
            try text.write(to: folder.appendingPathComponent(name), atomically: true, encoding: .utf8)
        }
        return try await body(folder)
    }

    private func migrations(_ files: [String: String]) async throws -> Migrations {
        try await withFolder(files) { try Migrations(folder: $0) }
    }

    private func withSchema(_ body: @Sendable (Database) async throws -> Void) async throws {
        try await TestCluster.shared.get().withDatabase(isMigrated: false) { try await body($0.database) }
    }

    private let first = ["001_notes.sql": "CREATE TABLE notes (n int); INSERT INTO notes VALUES (1);"]
    private var both: [String: String] {
        first.merging(["002_more.sql": "INSERT INTO notes SELECT n + 1 FROM notes;"]) { old, _ in old }
    }

    @Test func `each file is applied once, in order`() async throws {
        let (first, both) = (try await migrations(first), try await migrations(both))
        try await withSchema { database in
            await #expect(throws: PostgresError.self) { try await first.check(database) }
            for _ in 0..<2 { try await first.run(on: database) }
            try await first.check(database)
            await #expect(throws: PostgresError.self) { try await both.check(database) }
            for _ in 0..<2 { try await both.run(on: database) }
            try await both.check(database)
            #expect(try await database.read("SELECT n FROM notes ORDER BY n").decode(Int.self) == [1, 2])
        }
    }

    @Test func `a newer schema and an edited file are refused`() async throws {
        let (first, both) = (try await migrations(first), try await migrations(both))
        let edited = try await migrations(["001_notes.sql": "CREATE TABLE notes (n bigint);"])
        try await withSchema { database in
            try await both.run(on: database)
            for refused in [first, edited] {
                var error = await #expect(throws: PostgresError.self) { try await refused.check(database) }
                #expect(error?.kind == .schema)
                error = await #expect(throws: PostgresError.self) { try await refused.run(on: database) }
                #expect(error?.kind == .schema)
            }
        }
    }

    @Test func `a file that fails leaves nothing half done and names its line`() async throws {
        let broken = try await migrations(
            first.merging(["002_broken.sql": "CREATE TABLE half (n int);\n\nINSERT INTO nowhere VALUES (1);\n"]) {
                old, _ in old
            })
        let both = try await migrations(both)
        try await withSchema { database in
            let error = await #expect(throws: PostgresError.self) { try await broken.run(on: database) }
            #expect(error?.description.contains("002_broken.sql line 3: 42P01, relation \"nowhere\"") == true)
            #expect(try await database.read("SELECT to_regclass('half') IS NULL").decode(Bool.self) == [true])
            try await both.run(on: database)
        }
    }

    @Test func `a file cannot end the transaction it runs in`() async throws {
        let cheating = try await migrations(["001_cheat.sql": "CREATE TABLE a (n int); COMMIT; CREATE TABLE b (n int);"]
        )
        try await withSchema { database in
            await #expect(throws: PostgresError.self) { try await cheating.run(on: database) }
        }
    }

    @Test func `programs that start at once apply each file once`() async throws {
        let both = try await migrations(both)
        try await TestCluster.shared.get().withDatabase(isMigrated: false) { test in
            try await withThrowingTaskGroup { group in
                for _ in 0..<4 {
                    group.addTask {
                        try await test.withAnother { database in
                            try await both.run(on: database)
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await test.database.read("SELECT n FROM notes ORDER BY n").decode(Int.self) == [1, 2])
        }
    }

    @Test func `killed in the middle, it goes on where it was`() async throws {
        let slow = try await migrations(
            first.merging(["002_slow.sql": "CREATE TABLE slow (n int); SELECT pg_sleep(60);"]) { old, _ in old })
        let both = try await migrations(both)
        try await TestCluster.shared.get().withDatabase(isMigrated: false) { test in
            async let run: Void = slow.run(on: test.database)
            var killed = 0
            while killed == 0 {
                try await Task.sleep(for: .milliseconds(10))
                killed = try await test.withAnother { other in
                    try await other.write(
                        """
                        SELECT pg_terminate_backend(l.pid) FROM pg_locks l JOIN pg_stat_activity a USING (pid)
                        WHERE l.locktype = 'advisory' AND a.query LIKE '%pg_sleep(60)%' AND a.wait_event = 'PgSleep'
                        """
                    ).count
                }
            }
            do {
                try await run
                Issue.record("the run outlived its connection")
            } catch { #expect((error as? PostgresError)?.sqlstate == "08006") }
            #expect(try await test.database.read("SELECT to_regclass('slow') IS NULL").decode(Bool.self) == [true])
            try await both.run(on: test.database)
        }
    }

    @Test func `a file may take its time`() async throws {
        let slow = try await migrations(["001_slow.sql": "SELECT pg_sleep(6);"])
        try await TestCluster.shared.get().withDatabase(isMigrated: false) { test in
            try await test.withAnother(silence: .seconds(4)) { try await slow.run(on: $0) }
        }
    }

    @Test func `names must count up without a gap`() async throws {
        for names in [["002_a.sql"], ["001_a.sql", "003_b.sql"], ["001_a.sql", "001_b.sql"], ["a.sql"]] {
            await #expect(throws: PostgresError.self) {
                try await migrations(Dictionary(uniqueKeysWithValues: names.map { ($0, "SELECT 1") }))
            }
        }
    }

    @Test func `the schema of the program itself is complete and can be checked`() async throws {
        try await TestCluster.shared.get().withDatabase { test in
            try await test.setClock("2026-11-21T05:00:00Z")
            try await test.advance(90)
            let now = try await test.database.read("SELECT anthill_clock()").decode(Instant.self)
            #expect(now == [Instant(rfc3339: "2026-11-21T05:01:30Z")])
        }
    }
}
