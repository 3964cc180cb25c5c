import Foundation
import Postgres
import TestSupport
import Testing
import Time

@Suite struct MigrationsTests {
    /// The migrations of a folder with these files, `tables/001_notes.sql` or `functions/notes.sql`.
    private func migrations(
        _ files: [String: String], first: [String] = [], rights: Query? = nil
    ) throws -> Migrations {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("migrations-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let folders = ["tables", "functions"].map { folder.appendingPathComponent($0) }
        for folder in folders { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }
        for (name, text) in files {
            try text.write(to: folder.appendingPathComponent(name), atomically: true, encoding: .utf8)
        }
        return try Migrations(tables: folders[0], functions: folders[1], first: first, rights: rights)
    }

    /// What a program may try with a database.
    private func attempts(_ migrations: Migrations) -> [@Sendable (Database) async throws -> Void] {
        [{ try await migrations.check($0) }, { _ = try await migrations.run(on: $0) }]
    }

    private func withEmpty(_ body: @Sendable (Database) async throws -> Void) async throws {
        try await TestCluster.shared.get().withDatabase(isMigrated: false) { try await body($0.database) }
    }

    private let first = ["tables/001_notes.sql": "CREATE TABLE notes (n int); INSERT INTO notes VALUES (1);"]
    private var both: [String: String] { first + ["tables/002_more.sql": "INSERT INTO notes SELECT n + 1 FROM notes;"] }

    /// A file of functions, with a view and a trigger, whose function answers `type`.
    private func functions(_ type: String) -> [String: String] {
        [
            "functions/answer.sql": """
            CREATE OR REPLACE FUNCTION answer() RETURNS \(type) LANGUAGE sql RETURN 42;
            CREATE OR REPLACE VIEW answers AS SELECT answer() AS answer;
            CREATE OR REPLACE FUNCTION noted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN new; END';
            CREATE OR REPLACE TRIGGER noted BEFORE INSERT ON notes FOR EACH ROW EXECUTE FUNCTION noted();
            """
        ]
    }

    private func names(_ database: Database) async throws -> [String] {
        try await database.read(
            """
            SELECT proname::text FROM pg_proc WHERE pronamespace = 'public'::regnamespace
            UNION ALL SELECT viewname::text FROM pg_views WHERE schemaname = 'public'
            UNION ALL SELECT 'trigger ' || tgname FROM pg_trigger ORDER BY 1
            """
        ).decode(String.self)
    }

    // MARK: Tables

    @Test func `each file of tables is applied once, in order`() async throws {
        let (first, both) = (try migrations(first), try migrations(both))
        try await withEmpty { database in
            await #expect(throws: PostgresError.self) { try await first.check(database) }
            for _ in 0..<2 { try await first.run(on: database) }
            try await first.check(database)
            await #expect(throws: PostgresError.self) { try await both.check(database) }
            for _ in 0..<2 { try await both.run(on: database) }
            try await both.check(database)
            #expect(try await database.read("SELECT n FROM notes ORDER BY n").decode(Int.self) == [1, 2])
        }
    }

    @Test func `a newer program's database and an edited file of tables are refused`() async throws {
        let (first, both) = (try migrations(first), try migrations(both))
        let edited = try migrations(["tables/001_notes.sql": "CREATE TABLE notes (n bigint);"])
        try await withEmpty { database in
            try await both.run(on: database)
            for (refused, reason) in [(first, "of a newer program"), (edited, "never edited")] {
                for attempt in attempts(refused) {
                    let error = await #expect(throws: PostgresError.self) { try await attempt(database) }
                    #expect(error?.kind == .schema && error?.description.contains(reason) == true)
                }
            }
        }
    }

    @Test func `a database from before the first release is refused`() async throws {
        let first = try migrations(first)
        try await withEmpty { database in
            try await database.script(
                unsafe: """
                    CREATE TABLE schema_migrations (name text PRIMARY KEY, sha256 text NOT NULL);
                    INSERT INTO schema_migrations VALUES ('001_clock.sql', 'x'), ('042_changes.sql', 'x');
                    """)
            for attempt in attempts(first) {
                let error = await #expect(throws: PostgresError.self) { try await attempt(database) }
                #expect(error?.description.contains("before Anthill's first release") == true)
            }
            #expect(try await database.read("SELECT to_regclass('notes') IS NULL").decode(Bool.self) == [true])
        }
    }

    @Test func `a file that fails leaves nothing half done and names its line`() async throws {
        let broken = try migrations(
            first + ["tables/002_broken.sql": "CREATE TABLE half (n int);\n\nINSERT INTO nowhere VALUES (1);\n"])
        let both = try migrations(both)
        try await withEmpty { database in
            let error = await #expect(throws: PostgresError.self) { try await broken.run(on: database) }
            #expect(error?.description.contains("002_broken.sql line 3: 42P01, relation \"nowhere\"") == true)
            #expect(try await database.read("SELECT to_regclass('notes') IS NULL").decode(Bool.self) == [true])
            try await both.run(on: database)
        }
    }

    @Test func `a file cannot end the transaction it runs in`() async throws {
        let cheating = try migrations([
            "tables/001_cheat.sql": "CREATE TABLE a (n int); COMMIT; CREATE TABLE b (n int);"
        ])
        try await withEmpty { database in
            await #expect(throws: PostgresError.self) { try await cheating.run(on: database) }
        }
    }

    @Test func `programs that start at once apply each file once`() async throws {
        let both = try migrations(both)
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

    // MARK: Functions

    @Test func `a changed file of functions is applied again, also with other types`() async throws {
        let (old, new) = (try migrations(first + functions("int")), try migrations(first + functions("text")))
        try await withEmpty { database in
            try await old.run(on: database)
            try await old.check(database)
            await #expect(throws: PostgresError.self) { try await new.check(database) }
            try await new.run(on: database)
            try await new.check(database)
            #expect(try await database.read("SELECT answer FROM answers").decode(String.self) == ["42"])
            #expect(try await names(database) == ["answer", "answers", "noted", "trigger noted"])
        }
    }

    @Test func `what no file makes any more is dropped`() async throws {
        let old = try migrations(first + functions("int"))
        let less = try migrations(
            first + [
                "functions/answer.sql": "CREATE OR REPLACE FUNCTION answer(n int) RETURNS int LANGUAGE sql RETURN n;"
            ])
        let none = try migrations(first)
        try await withEmpty { database in
            try await old.run(on: database)
            try await less.run(on: database)
            #expect(try await names(database) == ["answer"])
            #expect(try await database.read("SELECT answer(7)").decode(Int.self) == [7])
            try await none.run(on: database)
            #expect(try await names(database) == [])
            try await none.check(database)
        }
    }

    @Test func `functions that tables call come before them, and can be replaced under them`() async throws {
        let table = ["tables/001_days.sql": "CREATE TABLE days (hours int CHECK (hours <= longest()));"]
        func longest(_ hours: Int) -> [String: String] {
            [
                "functions/numbers.sql":
                    "CREATE OR REPLACE FUNCTION longest() RETURNS int LANGUAGE sql IMMUTABLE RETURN \(hours);"
            ]
        }
        let old = try migrations(table + longest(12), first: ["numbers.sql"])
        let new = try migrations(table + longest(13), first: ["numbers.sql"])
        let none = try migrations(table)
        try await withEmpty { database in
            try await old.run(on: database)
            await #expect(throws: PostgresError.self) { try await database.write("INSERT INTO days VALUES (13)") }
            try await new.run(on: database)
            try await database.write("INSERT INTO days VALUES (13)")
            await #expect(throws: PostgresError.self) { try await none.run(on: database) }
            try await new.check(database)
        }
    }

    @Test func `a file of functions that fails leaves those in force`() async throws {
        let old = try migrations(first + functions("int"))
        let broken = try migrations(
            first + ["functions/answer.sql": "CREATE FUNCTION other() RETURNS int LANGUAGE sql RETURN x;"])
        try await withEmpty { database in
            try await old.run(on: database)
            await #expect(throws: PostgresError.self) { try await broken.run(on: database) }
            #expect(try await database.read("SELECT answer FROM answers").decode(Int.self) == [42])
            try await old.check(database)
        }
    }

    // MARK: Both

    @Test func `rights are given at the end of each run, which answers what they lack`() async throws {
        let rights: [String: String] = [
            "functions/rights.sql": """
            CREATE FUNCTION give_rights() RETURNS SETOF text LANGUAGE sql BEGIN ATOMIC
              INSERT INTO notes SELECT max(n) + 1 FROM notes;
              SELECT 'note ' || n FROM notes ORDER BY n;
            END
            """
        ]
        let granting = try migrations(first + rights, rights: "SELECT give_rights()")
        try await withEmpty { database in
            let lacking = [try await granting.run(on: database), try await granting.run(on: database)]
            #expect(lacking == [["note 1", "note 2"], ["note 1", "note 2", "note 3"]])
        }
    }

    @Test func `killed in the middle, it goes on where it was`() async throws {
        let slow = try migrations(first + ["tables/002_slow.sql": "CREATE TABLE slow (n int); SELECT pg_sleep(60);"])
        let both = try migrations(both)
        try await TestCluster.shared.get().withDatabase(isMigrated: false) { test in
            async let run = slow.run(on: test.database)
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
                _ = try await run
                Issue.record("the run outlived its connection")
            } catch { #expect((error as? PostgresError)?.sqlstate == "08006") }
            #expect(try await test.database.read("SELECT to_regclass('slow') IS NULL").decode(Bool.self) == [true])
            try await both.run(on: test.database)
        }
    }

    @Test func `a file may take its time`() async throws {
        let slow = try migrations(["tables/001_slow.sql": "SELECT pg_sleep(6);"])
        try await TestCluster.shared.get().withDatabase(isMigrated: false) { test in
            try await test.withAnother(silence: .seconds(4)) { _ = try await slow.run(on: $0) }
        }
    }

    @Test func `names must count up without a gap`() async throws {
        for names in [["002_a.sql"], ["001_a.sql", "003_b.sql"], ["001_a.sql", "001_b.sql"], ["a.sql"]] {
            #expect(throws: PostgresError.self) {
                try migrations(Dictionary(uniqueKeysWithValues: names.map { ("tables/\($0)", "SELECT 1") }))
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

extension [String: String] {
    fileprivate static func + (one: Self, other: Self) -> Self { one.merging(other) { _, new in new } }
}
