import Foundation
import Postgres
import Synchronization
import TestSupport
import Testing

@Suite(.database) struct LossTests {
    let database = TestDatabase.current.database

    /// Runs `body` while statements that ask for a lock wait, kills their backends when so many wait, and lets go.
    private func killingBackends(waiting count: Int, _ body: @Sendable () async throws -> Void) async throws {
        let one = Database.Lanes(write: 1, transaction: 1, areOpenedAtStart: false)
        try await TestDatabase.current.withAnother(lanes: one) { other in
            _ = try await other.write("SELECT pg_advisory_lock(1)")
            async let outcome: Void = body()
            var killed = 0
            while killed == 0 {
                killed = try await other.write(
                    """
                    WITH victims AS (SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
                      AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))
                    SELECT pg_terminate_backend(pid) FROM victims WHERE (SELECT count(*) FROM victims) = \(count)
                    """
                ).count
                try await Task.sleep(for: .milliseconds(5))
            }
            #expect(killed == count)
            _ = try await other.write("SELECT pg_advisory_unlock(1)")
            try await outcome
        }
    }

    @Test func `a write in flight when a connection is lost fails as 08006, a read is sent again`() async throws {
        let first = database
        let waiting: Query = "SELECT pg_advisory_xact_lock(1)"
        try await killingBackends(waiting: 3) {
            async let read = outcome { try await first.read(waiting) }
            async let write = outcome { try await first.write(waiting) }
            async let joined = outcome { try await first.transaction { try await first.write(waiting) } }
            for outcome in await [write, joined] {
                #expect(outcome?.sqlstate == "08006" && outcome?.kind == .connection)
            }
            let failure = await read
            #expect(failure == nil, "\(String(describing: failure))")
        }
        #expect(try await database.read("SELECT 1").count == 1)
        #expect(try await database.write("SELECT 1").count == 1)
        #expect(try await database.transaction { try await database.write("SELECT 1").count } == 1)
        while await !database.isReady() {}
    }

    private func outcome(_ body: @Sendable () async throws -> Rows) async -> PostgresError? {
        do {
            _ = try await body()
            return nil
        } catch { return error as? PostgresError }
    }

    @Test func `a server that falls silent is given up`() async throws {
        let lanes = Database.Lanes(write: 1, transaction: 1, areOpenedAtStart: false)
        try await TestDatabase.current.withAnother(lanes: lanes, silence: .seconds(5)) { database in
            let stopped = try await database.write("SELECT pg_backend_pid()").decode(Int.self)[0]
            kill(pid_t(stopped), SIGSTOP)
            defer { kill(pid_t(stopped), SIGCONT) }
            let error = await #expect(throws: PostgresError.self) { try await database.write("SELECT 1") }
            #expect(error?.sqlstate == "08006" && error?.description.contains("silent") == true)
            let next = try await database.write("SELECT pg_backend_pid()").decode(Int.self)
            #expect(next != [stopped])
        }
    }

    @Test func `a caller hears within five seconds that no answer came, and a late answer is discarded`() async throws {
        let lanes = Database.Lanes(write: 1, transaction: 1, areOpenedAtStart: false)
        try await TestDatabase.current.sql("CREATE TABLE late (n int)")
        try await TestDatabase.current.withAnother(lanes: lanes, answer: .seconds(2)) { database in
            let stopped = try await database.write("SELECT pg_backend_pid()").decode(Int.self)[0]
            kill(pid_t(stopped), SIGSTOP)
            defer { kill(pid_t(stopped), SIGCONT) }
            let time = await ContinuousClock().measure {
                let error = await #expect(throws: PostgresError.self) {
                    try await database.write("INSERT INTO late VALUES (1)")
                }
                #expect(error?.sqlstate == "08006" && error?.description.contains("no answer in time") == true)
            }
            #expect(time >= .seconds(2) && time < .seconds(60))
            // Those who come now need not wait to learn it.
            let again = await #expect(throws: PostgresError.self) { try await database.write("SELECT 1") }
            #expect(again?.description.contains("the server does not answer") == true)
            kill(pid_t(stopped), SIGCONT)
            while (try? await database.write("SELECT 1")) == nil {}
            // The connection is as good as before, and what was late is done.
            let next = try await database.write("SELECT pg_backend_pid()").decode(Int.self)
            let late = try await database.write("SELECT n FROM late").decode(Int.self)
            #expect(next == [stopped] && late == [1])
        }
    }

    @Test func `a transaction without an answer is given up with its connection`() async throws {
        let lanes = Database.Lanes(write: 1, transaction: 1, areOpenedAtStart: false)
        try await TestDatabase.current.withAnother(lanes: lanes, answer: .seconds(2)) { database in
            let stopped = try await database.transaction { try await database.read("SELECT pg_backend_pid()") }
                .decode(Int.self)[0]
            kill(pid_t(stopped), SIGSTOP)
            defer { kill(pid_t(stopped), SIGCONT) }
            let error = await #expect(throws: PostgresError.self) {
                try await database.transaction { try await database.write("SELECT 1") }
            }
            #expect(error?.sqlstate == "08006" && error?.description.contains("no answer in time") == true)
            let next = try await database.transaction { try await database.read("SELECT pg_backend_pid()") }
                .decode(Int.self)
            #expect(next != [stopped])
        }
    }

    @Test func `a server that does not answer is not ready, and soon again`() async throws {
        let lanes = Database.Lanes(write: 1, transaction: 1, areOpenedAtStart: false)
        try await TestDatabase.current.withAnother(lanes: lanes) { database in
            let stopped = try await database.read("SELECT pg_backend_pid()").decode(Int.self)[0]
            kill(pid_t(stopped), SIGSTOP)
            #expect(await database.isReady() == false)
            kill(pid_t(stopped), SIGCONT)
            while await !database.isReady() {}
        }
    }

    @Test func `the end of a transaction that lost its connection leaves the next one alone`() async throws {
        let lanes = Database.Lanes(write: 1, transaction: 1, areOpenedAtStart: true)
        let owner = database
        try await TestDatabase.current.withAnother(lanes: lanes) { database in
            // Now its other connections are there, too.
            try await database.write("SELECT 1")
            let next = Mutex<Int?>(nil)
            await #expect(throws: PostgresError.self) {
                try await database.transaction {
                    let lost = try await database.read("SELECT pg_backend_pid()").one.decode(Int.self)
                    let lostAt = try await owner.read("SELECT extract(epoch FROM clock_timestamp())::float8")
                        .one.decode(Double.self)
                    _ = try await owner.read("SELECT pg_terminate_backend(\(lost))")
                    for _ in 1...1000 where next.withLock({ $0 }) == nil {
                        let new = try await owner.read(
                            """
                            SELECT pid FROM pg_stat_activity
                            WHERE datname = current_database() AND backend_type = 'client backend'
                              AND extract(epoch FROM backend_start)::float8 > \(lostAt)
                            """
                        ).decode(Int.self).first
                        next.withLock { $0 = new }
                        try await Task.sleep(for: .milliseconds(10))
                    }
                    _ = try await database.read("SELECT 1")
                }
            }
            let process = try await database.transaction { try await database.read("SELECT pg_backend_pid()") }
            #expect(try process.decode(Int.self)[0] == next.withLock { $0 })
        }
    }

    @Test func `an acknowledged write survives the loss of its connection and an aborted one leaves nothing`()
        async throws
    {
        try await TestDatabase.current.sql("CREATE TABLE t (n int)")
        try await database.write("INSERT INTO t VALUES (1)")
        let error = await #expect(throws: PostgresError.self) {
            try await database.write(["INSERT INTO t VALUES (2)", "SELECT pg_terminate_backend(pg_backend_pid())"])
        }
        #expect(error?.sqlstate == "08006")
        #expect(try await database.read("SELECT n FROM t").decode(Int.self) == [1])
    }

    @Test func `a connection lost in COMMIT is 08006 and is not tried again`() async throws {
        try await TestDatabase.current.sql(
            """
            CREATE SEQUENCE tries;
            CREATE TABLE t (n int);
            CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$;
            CREATE CONSTRAINT TRIGGER last_moment AFTER INSERT ON t DEFERRABLE INITIALLY DEFERRED
              FOR EACH ROW EXECUTE FUNCTION die();
            """)
        let error = await #expect(throws: PostgresError.self) {
            try await database.transaction {
                try await database.write("SELECT nextval('tries')")
                try await database.write("INSERT INTO t VALUES (1)")
            }
        }
        #expect(error?.sqlstate == "08006")
        #expect(try await database.write("SELECT nextval('tries')").decode(Int.self) == [2])
    }

    @Test func `a server that is not there is told within the patience of a start`() async throws {
        let cluster = try TestCluster.shared.get()
        let nowhere = Database(url: "postgresql://anthill@/anthill?host=/nonexistent", group: cluster.group)
        let error = await #expect(throws: PostgresError.self) { try await nowhere.start() }
        #expect(error?.sqlstate == "08001" && error?.description.contains("/nonexistent") == true)
        #expect(await nowhere.isReady() == false)
        await nowhere.stop()
        let nonsense = Database(url: "postgresql://anthill:secret@:x:y/", group: cluster.group)
        let refusal = await #expect(throws: PostgresError.self) { try await nonsense.start() }
        #expect(refusal?.description.contains("secret") == false)
    }

    @Test func `after the stop everything is refused`() async throws {
        try await TestDatabase.current.withAnother { other in
            try await other.write("SELECT 1")
            await other.stop()
            await #expect(throws: PostgresError.self) { try await other.read("SELECT 1") }
            await #expect(throws: PostgresError.self) { try await other.write("SELECT 1") }
            await #expect(throws: PostgresError.self) { try await other.transaction {} }
        }
    }
}
