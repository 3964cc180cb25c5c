import Foundation
import Reactor
import TestSupport
import Testing

@testable import Postgres

@Suite(.database) struct HostsTests {
    /// The address of the test's database with servers that do not exist around it.
    private func database(_ hosts: String) throws -> Database {
        let url = TestDatabase.current.url.replacing(/host=([^&]*)/) {
            "host=" + hosts.replacing("HERE", with: $0.output.1)
        }
        let cluster = try TestCluster.shared.get()
        return Database(url: url, group: cluster.group, lanes: .onDemand, allowUnsafeDurability: true)
    }

    @Test(arguments: ["HERE,/nonexistent", "/nonexistent,HERE", "/nowhere,/nonexistent,HERE"])
    func `of several servers the one that answers is used`(hosts: String) async throws {
        let database = try database(hosts)
        try await database.start()
        #expect(try await database.read("SELECT 1").count == 1)
        #expect(try await database.write("SELECT 1").count == 1)
        #expect(try await database.transaction { try await database.write("SELECT 1").count } == 1)
        await database.stop()
    }

    @Test(arguments: [
        ("postgresql://me@db1,db2:5433/anthill", 2), ("postgresql://me@/anthill?host=/a,/b,/c", 3),
        ("postgresql://me@db1/anthill", 1), ("postgresql:///anthill", 1),
    ])
    func `an address may name several servers`(url: String, count: Int) throws {
        #expect(try Session(url: url, readOnly: false).hostCount == count)
    }

    @Test(arguments: [
        "postgresql://me@db1:5432,db2:5433/anthill?port=1,2,3", "postgresql://me@/anthill?host=a,b,c&port=1,2",
        "postgresql://me@/anthill?host=a,b&hostaddr=127.0.0.1,127.0.0.2,127.0.0.3",
    ])
    func `an address with more servers than ports is refused`(url: String) {
        let refusal = #expect(throws: PostgresError.self) { try Session(url: url, readOnly: false) }
        #expect(refusal?.kind == .usage && refusal?.description.contains("different numbers") == true)
    }

    @Test func `only the current server can be left, and a late answer of an older one changes nothing`() {
        let hosts = Hosts(count: 3)
        hosts.leave(0)
        hosts.leave(0)
        #expect(hosts.next == 1 && hosts.home == 0)
        hosts.found(1, since: 0)
        #expect(hosts.next == 1 && hosts.home == 1)
        // Another connection to the old primary, begun before.
        hosts.found(0, since: 0)
        #expect(hosts.next == 1 && hosts.home == 1)
        hosts.leave(1)
        hosts.leave(2)
        hosts.found(0, since: 1)
        #expect(hosts.next == 0 && hosts.home == 0)
    }

    @Test func `a server that could not be tried is not left`() async throws {
        let loop = try TestCluster.shared.get().group.loops[0]
        let hosts = Hosts(count: 2)
        // It has no room for any work, as when the names of all servers are being looked up.
        let none = WorkerPool(threads: 1, queue: 0, patience: .zero)
        let session = try Session(url: "postgresql://me@/anthill?host=/nonexistent,/nowhere", readOnly: false)
        let error = await #expect(throws: PostgresError.self) {
            try await Work(.write, ["SELECT 1"]).result { work in
                loop.execute {
                    let bounds = Lane.Bounds(
                        inFlight: 1, queued: 1, handshake: .seconds(5), answer: .seconds(5), silence: .seconds(5))
                    let lane = Lane(
                        loop: loop, bounds: bounds, isStanding: false,
                        connector: Connector(session: session, hosts: hosts, workers: none))
                    work.deadline = loop.now + .milliseconds(20)
                    lane.submit(work)
                    loop.schedule(after: .milliseconds(50)) {
                        lane.tick()
                        lane.stop()
                    }
                }
            }
        }
        #expect(error?.kind == .overloaded && hosts.next == 0)
    }

    @Test func `a server that takes no writes is left, and what it refused is passing trouble`() async throws {
        let owner = TestDatabase.current.database
        try await owner.script(unsafe: "CREATE TABLE t (n int)")
        let name = try await owner.read("SELECT current_database()").decode(String.self)[0]
        try await owner.write("ALTER DATABASE \(unsafe: name) SET default_transaction_read_only = on")
        try await TestDatabase.current.withAnother { database in
            let refusal = await #expect(throws: PostgresError.self) {
                try await database.write("INSERT INTO t VALUES (1)")
            }
            #expect(refusal?.isOfStandby == true)
            let joined = await #expect(throws: PostgresError.self) {
                try await database.transaction { try await database.write("INSERT INTO t VALUES (1)") }
            }
            #expect(joined?.isOfStandby == true)
            // What holds for a session is told at its beginning: only new connections write again.
            try await owner.write("ALTER DATABASE \(unsafe: name) RESET default_transaction_read_only")
            try await database.write("INSERT INTO t VALUES (2)")
            try await database.transaction { try await database.write("INSERT INTO t VALUES (3)") }
        }
        #expect(try await owner.read("SELECT n FROM t ORDER BY n").decode(Int.self) == [2, 3])
    }
}
