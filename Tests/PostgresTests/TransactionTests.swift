import Postgres
import TestSupport
import Testing

@Suite(.database) struct TransactionTests {
    let database = TestDatabase.current.database

    init() async throws { try await TestDatabase.current.sql("CREATE TABLE t (n int CONSTRAINT once UNIQUE)") }

    private struct Refused: Error {}

    private func numbers() async throws -> [Int] {
        try await database.read("SELECT n FROM t ORDER BY n").decode(Int.self)
    }

    @Test func `what happens inside is seen inside at once and outside after the end`() async throws {
        let other = TestDatabase.current
        try await database.transaction {
            try await database.write("INSERT INTO t VALUES (1)")
            #expect(try await numbers() == [1])
            try await other.withAnother { other in
                let rows = try await other.read("SELECT n FROM t")
                #expect(rows.isEmpty)
            }
        }
        #expect(try await numbers() == [1])
    }

    @Test func `a thrown error undoes everything, also what a nested call did`() async throws {
        await #expect(throws: Refused.self) {
            try await database.transaction {
                try await database.write("INSERT INTO t VALUES (1)")
                try await database.transaction { try await database.write("INSERT INTO t VALUES (2)") }
                throw Refused()
            }
        }
        #expect(try await numbers() == [])
    }

    @Test func `children of the body join it too`() async throws {
        try await database.transaction {
            async let first = database.write("INSERT INTO t VALUES (1)")
            async let others = database.write(["INSERT INTO t VALUES (2)", "INSERT INTO t VALUES (3)"])
            _ = try await (first, others)
        }
        #expect(try await numbers() == [1, 2, 3])
    }

    @Test func `an empty transaction asks the server nothing and a value comes back`() async throws {
        let value = try await database.transaction { 7 }
        #expect(value == 7)
    }

    @Test func `an error that the body swallowed is told at the end, since nothing was committed`() async throws {
        try await database.write("INSERT INTO t VALUES (1)")
        let error = await #expect(throws: PostgresError.self) {
            try await database.transaction {
                try await database.write("INSERT INTO t VALUES (2)")
                _ = try? await database.write("INSERT INTO t VALUES (1)")
            }
        }
        #expect(error?.constraint == "once")
        #expect(try await numbers() == [1])
    }

    @Test func `cancellation rolls back`() async throws {
        let database = database
        let task = Task {
            try await database.transaction {
                try await database.write("INSERT INTO t VALUES (1)")
                withUnsafeCurrentTask { $0?.cancel() }
            }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await numbers() == [])
    }

    @Test func `a task that outlives the transaction cannot write into the next one`() async throws {
        let database = database
        let (stream, end) = AsyncStream.makeStream(of: Void.self)
        let escaped = try await database.transaction {
            try await database.write("INSERT INTO t VALUES (1)")
            return Task {
                for await _ in stream {}
                _ = try await database.write("INSERT INTO t VALUES (2)")
            }
        }
        end.finish()
        await #expect(throws: PostgresError.self) { try await escaped.value }
        #expect(try await numbers() == [1])
    }

    @Test func `of two that deadlock both are carried out in the end`() async throws {
        try await database.write(["INSERT INTO t VALUES (1)", "INSERT INTO t VALUES (2)"])
        try await TestDatabase.current.sql("ALTER TABLE t ADD COLUMN touched int NOT NULL DEFAULT 0")
        // Each holds one row and waits until both do, which the sequence shows them; then each asks for the other's.
        try await TestDatabase.current.sql("CREATE SEQUENCE runs")
        try await withThrowingTaskGroup { group in
            for order in [[1, 2], [2, 1]] {
                group.addTask {
                    try await database.transaction {
                        try await touch(order[0])
                        try await database.write("SELECT nextval('runs')")
                        while try await database.write("SELECT last_value FROM runs").decode(Int.self)[0] < 2 {}
                        try await touch(order[1])
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await database.read("SELECT touched FROM t").decode(Int.self) == [2, 2])
        #expect(try await database.write("SELECT nextval('runs')").decode(Int.self)[0] > 3)
    }

    private func touch(_ number: Int) async throws {
        try await database.write("UPDATE t SET touched = touched + 1 WHERE n = \(number)")
    }

    @Test func `a retry is decided by what the server said, even if the body says something else`() async throws {
        try await TestDatabase.current.sql("CREATE SEQUENCE tries")
        try await database.transaction {
            do {
                try await database.write(
                    """
                    DO $$ BEGIN
                      IF nextval('tries') < 3 THEN RAISE EXCEPTION 'again' USING ERRCODE = '40P01'; END IF;
                    END $$
                    """)
            } catch { throw Refused() }
            try await database.write("INSERT INTO t VALUES (1)")
        }
        #expect(try await numbers() == [1])
    }

    @Test func `a constraint that is checked at the commit fails the transaction`() async throws {
        try await TestDatabase.current.sql(
            "CREATE TABLE d (n int CONSTRAINT late UNIQUE DEFERRABLE INITIALLY DEFERRED)")
        let error = await #expect(throws: PostgresError.self) {
            try await database.transaction {
                try await database.write("INSERT INTO d VALUES (1)")
                try await database.write("INSERT INTO d VALUES (1)")
            }
        }
        #expect(error?.constraint == "late")
        #expect(try await database.read("SELECT 1 FROM d").isEmpty)
    }

    @Test func `more transactions than connections wait for each other`() async throws {
        try await withThrowingTaskGroup { group in
            for number in 0..<40 {
                group.addTask {
                    try await database.transaction { try await database.write("INSERT INTO t VALUES (\(number))") }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await numbers() == Array(0..<40))
    }
}
