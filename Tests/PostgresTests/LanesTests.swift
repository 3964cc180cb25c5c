import Foundation
import Postgres
import Reactor
import TestSupport
import Testing

@Suite(.database) struct LanesTests {
    let database = TestDatabase.current.database

    /// Runs `body` so often in one turn of the loop that has the connections, and collects the outcomes in order.
    private func together<T: Sendable>(
        _ count: Int, _ body: @escaping @Sendable (Int) async throws -> T
    ) async throws -> [Result<T, any Error>] {
        await Task(executorPreference: try TestCluster.shared.get().group.loops[0]) {
            await withTaskGroup { group in
                for index in 0..<count {
                    group.addTask {
                        do { return (index, Result<T, any Error>.success(try await body(index))) } catch {
                            return (index, .failure(error))
                        }
                    }
                }
                var outcomes: [Int: Result<T, any Error>] = [:]
                for await (index, outcome) in group { outcomes[index] = outcome }
                return (0..<count).compactMap { outcomes[$0] }
            }
        }.value
    }

    @Test func `statements under one Sync succeed or fail together`() async throws {
        try await TestDatabase.current.sql("CREATE TABLE t (n int CONSTRAINT positive CHECK (n > 0))")
        let error = await #expect(throws: PostgresError.self) {
            try await database.write([
                "INSERT INTO t VALUES (\(1))", "INSERT INTO t VALUES (\(-1))", "INSERT INTO t VALUES (\(2))",
            ])
        }
        #expect(error?.constraint == "positive")
        #expect(try await database.read("SELECT n FROM t").isEmpty)
        let rows = try await database.write(["INSERT INTO t VALUES (\(3))", "SELECT n FROM t"])
        #expect(try rows[1].decode(Int.self) == [3])
        #expect(try await database.write([]).isEmpty)
    }

    @Test func `a constraint that is checked at the commit fails its own work only`() async throws {
        try await TestDatabase.current.sql(
            "CREATE TABLE t (n int CONSTRAINT once UNIQUE DEFERRABLE INITIALLY DEFERRED); INSERT INTO t VALUES (7)")
        let outcomes = try await together(20) { index in
            try await database.write("INSERT INTO t VALUES (\(index))").affected
        }
        for (index, outcome) in outcomes.enumerated() {
            switch outcome {
            case .success: #expect(index != 7)
            case .failure(let error): #expect(index == 7 && (error as? PostgresError)?.constraint == "once")
            }
        }
        #expect(try await database.read("SELECT n FROM t").count == 20)
    }

    @Test func `the reads of a turn share a transaction and each write has its own`() async throws {
        // The first use prepares, which ends a batch.
        for _ in 0..<2 {
            let reads = try await together(50) { _ in try await database.read("SELECT now()::text").decode(String.self)
            }
            #expect(Set(try reads.map { try $0.get() }).count == 1)
        }
        let writes = try await together(50) { _ in
            try await database.write("SELECT pg_current_xact_id()::text").decode(String.self)
        }
        #expect(Set(try writes.map { try $0.get() }).count == 50)
    }

    @Test func `a read that fails does no harm to its neighbours`() async throws {
        for round in 0..<3 {
            let outcomes = try await together(60) { index in
                try await database.read("SELECT 100 / \(index % 20 == 7 ? 0 : 1 + index)::int").decode(Int.self)
            }
            for (index, outcome) in outcomes.enumerated() {
                switch outcome {
                case .success(let value): #expect(value == [100 / (1 + index)] && index % 20 != 7)
                case .failure(let error):
                    #expect(
                        index % 20 == 7 && (error as? PostgresError)?.sqlstate == "22012", "round \(round): \(error)")
                }
            }
        }
    }

    @Test func `a read that the server cannot even parse does no harm either`() async throws {
        let outcomes = try await together(30) { index in
            try await index == 11
                ? database.read("SELEC \(unsafe: "oops")").count
                : database.read("SELECT \(index)::int WHERE \(unsafe: "\(index)") >= 0").count
        }
        for (index, outcome) in outcomes.enumerated() {
            switch outcome {
            case .success(let count): #expect(count == 1 && index != 11)
            case .failure(let error): #expect(index == 11 && (error as? PostgresError)?.sqlstate == "42601")
            }
        }
    }

    @Test func `the read lane refuses to write`() async throws {
        try await TestDatabase.current.sql("CREATE TABLE t (n int)")
        let error = await #expect(throws: PostgresError.self) { try await database.read("INSERT INTO t VALUES (1)") }
        #expect(error?.sqlstate == "25006")
    }

    @Test func `more work than the queue holds is refused at once and the rest is done`() async throws {
        let lanes = Database.Lanes(write: 1, transaction: 1, areOpenedAtStart: false)
        try await TestDatabase.current.withAnother(lanes: lanes) { database in
            try await database.write("SELECT 1")
            let outcomes = try await together(400) { index in
                try await database.write("SELECT pg_sleep(\(index == 0 ? 0.2 : 0)::float8)").count
            }
            let refused = outcomes.compactMap { outcome -> PostgresError? in
                if case .failure(let error) = outcome { error as? PostgresError } else { nil }
            }
            #expect(refused.count == 400 - 32 - 256)
            #expect(refused.allSatisfy { $0.kind == .overloaded && $0.sqlstate == "53300" })
            #expect(try await database.write("SELECT 1").count == 1)
        }
    }

    @Test func `a thousand different statements leave no more than the cache holds`() async throws {
        let lanes = Database.Lanes(write: 1, transaction: 1, areOpenedAtStart: false)
        try await TestDatabase.current.withAnother(lanes: lanes) { database in
            for number in 0..<1000 {
                #expect(try await database.write("SELECT \(unsafe: "\(number)")").decode(Int.self) == [number])
            }
            let kept = try await database.write("SELECT count(*) FROM pg_prepared_statements").decode(Int.self)
            #expect(kept[0] < 300)
        }
    }

    @Test func `a table that changes its shape is prepared anew without an error`() async throws {
        try await TestDatabase.current.sql("CREATE TABLE t (n int); INSERT INTO t VALUES (1)")
        let lanes = Database.Lanes(write: 1, transaction: 1, areOpenedAtStart: false)
        try await TestDatabase.current.withAnother(lanes: lanes) { database in
            let query: Query = "SELECT * FROM t"
            for _ in 0..<3 {
                let outcomes = try await together(9) { index in
                    switch index % 3 {
                    case 0: try await database.read(query).count
                    case 1: try await database.write(query).count
                    default: try await database.transaction { try await database.read(query).count }
                    }
                }
                #expect(try outcomes.map { try $0.get() } == Array(repeating: 1, count: 9))
                try await TestDatabase.current.sql("ALTER TABLE t ADD COLUMN c\(UInt32.random(in: 0 ..< .max)) int")
            }
        }
    }

    @Test func `statements that somebody deallocated are prepared anew`() async throws {
        let lanes = Database.Lanes(write: 1, transaction: 1, areOpenedAtStart: false)
        try await TestDatabase.current.withAnother(lanes: lanes) { database in
            try await database.write("SELECT 1")
            try await database.write("DEALLOCATE ALL")
            #expect(try await database.write("SELECT 1").count == 1)
        }
    }

    @Test func `a failed serialisation is tried five times more and then told`() async throws {
        try await TestDatabase.current.sql(
            """
            CREATE SEQUENCE tries;
            CREATE FUNCTION fail_until(attempt bigint) RETURNS bigint LANGUAGE plpgsql AS $$
            DECLARE n bigint := nextval('tries');
            BEGIN
              IF n < attempt THEN RAISE EXCEPTION 'again' USING ERRCODE = '40001'; END IF;
              RETURN n;
            END $$
            """)
        #expect(try await database.write("SELECT fail_until(\(4))").decode(Int.self) == [4])
        let error = await #expect(throws: PostgresError.self) { try await database.write("SELECT fail_until(\(99))") }
        #expect(error?.sqlstate == "40001")
        #expect(try await database.write("SELECT nextval('tries')").decode(Int.self) == [11])
    }

    @Test func `the server is refused while it may lose what it acknowledged`() async throws {
        let rows = try await database.read("SELECT current_setting('fsync') = 'off'")
        guard try rows.decode(Bool.self) == [true] else { return }
        try await TestDatabase.current.withAnother(isStarted: false, allowUnsafeDurability: false) { database in
            let error = await #expect(throws: PostgresError.self) { try await database.start() }
            #expect(error?.description.contains("fsync is off") == true)
        }
    }

    @Test func `connections have the settings that bound them`() async throws {
        let names = [
            "statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout", "TimeZone", "client_encoding",
            "application_name", "jit",
        ]
        let query: Query = "SELECT current_setting(name) FROM unnest(\(names)::text[]) AS name"
        let expected = ["6s", "3s", "10s", "UTC", "UTF8", "anthill", "off"]
        try await TestDatabase.current.withAnother(statement: .seconds(6), idle: .seconds(10)) { database in
            #expect(try await database.read(query).decode(String.self) == expected)
            #expect(try await database.write(query).decode(String.self) == expected)
            let inside = try await database.transaction { try await database.read(query) }
            #expect(try inside.decode(String.self) == expected)
        }
    }
}
