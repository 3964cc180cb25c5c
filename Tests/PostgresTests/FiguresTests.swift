import Postgres
import TestSupport
import Testing

@Suite(.database) struct FiguresTests {
    @Test func `it tells which connections are open and in use`() async throws {
        let lanes = Database.Lanes(write: 2, transaction: 3, areOpenedAtStart: false)
        try await TestDatabase.current.withAnother(lanes: lanes) { database in
            try await database.transaction {
                _ = try await database.read("SELECT 1")
                let figures = await database.figures()
                let loops = figures[.read]?.lanes ?? 0
                #expect(figures[.write]?.lanes == 2 * loops && figures[.transaction]?.lanes == 3 * loops)
                #expect(figures[.transaction]?.busy == 1 && figures[.write]?.busy == 0)
                #expect((1...3).contains(figures[.transaction]?.connections ?? 0))
            }
            #expect(await database.figures()[.transaction]?.busy == 0)
        }
    }

    @Test func `it tells how many transactions wait for a connection`() async throws {
        let lanes = Database.Lanes(write: 1, transaction: 1, areOpenedAtStart: false)
        try await TestDatabase.current.withAnother(lanes: lanes) { database in
            let other = try await database.transaction {
                _ = try await database.read("SELECT 1")
                // Outside of this transaction, which a child task would join.
                let other = Task.detached {
                    try await database.transaction { try await database.read("SELECT 2").count }
                }
                let latest = ContinuousClock.now + .seconds(60)
                while await database.figures()[.transaction]?.waiting != 1, .now < latest { await Task.yield() }
                #expect(await database.figures()[.transaction]?.waiting == 1)
                return other
            }
            #expect(try await other.value == 1)
            #expect(await database.figures()[.transaction]?.waiting == 0)
        }
    }

    @Test func `what fails is counted once, by why`() async throws {
        try await TestDatabase.current.withAnother { database in
            try await database.write("CREATE TABLE ants (legs integer CONSTRAINT ants_legs CHECK (legs = 6))")
            #expect(database.failed.isEmpty)
            await #expect(throws: PostgresError.self) { try await database.write("INSERT INTO ants VALUES (8)") }
            #expect(database.failed == [.refused: 1])
            await #expect(throws: PostgresError.self) { try await database.read("SELECT wings FROM ants") }
            #expect(database.failed == [.refused: 1, .other: 1])
            await #expect(throws: PostgresError.self) {
                try await database.transaction {
                    try await database.write("SET LOCAL statement_timeout = '20ms'")
                    _ = try await database.read("SELECT pg_sleep(3)")
                }
            }
            #expect(database.failed == [.refused: 1, .other: 1, .timeout: 1])
        }
    }

    @Test func `a server that cannot be reached counts as that`() async throws {
        try await TestDatabase.current.withAnother { database in
            await #expect(throws: PostgresError.self) {
                try await database.read("SELECT pg_terminate_backend(pg_backend_pid())")
            }
            #expect(database.failed == [.connection: 1])
        }
    }
}
