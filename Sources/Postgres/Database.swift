import Reactor
import Synchronization

/// The database, reached through a few pipelined connections per loop.
///
/// Called on a loop it uses that loop's connections; called elsewhere, those of the first loop.
package final class Database: Sendable {
    /// How many connections each loop holds besides the one for reads; fewer if the server has not so many.
    package struct Lanes: Sendable {
        package var write: Int
        package var transaction: Int
        /// Whether all of them are opened at the start and kept open, or each when it is first needed.
        package var areOpenedAtStart: Bool

        package init(write: Int, transaction: Int, areOpenedAtStart: Bool) {
            self.write = write
            self.transaction = transaction
            self.areOpenedAtStart = areOpenedAtStart
        }

        package static let standard = Lanes(write: 4, transaction: 8, areOpenedAtStart: true)
        package static let onDemand = Lanes(write: 4, transaction: 4, areOpenedAtStart: false)
    }

    @TaskLocal private static var joined: Lease?
    /// Set while the reads of this task may go to a replica.
    @TaskLocal package static var reading: Reading?
    /// Whether nobody but a replica is to be asked.
    @TaskLocal static var isReplicaNeeded = false

    let pools: Result<[Pool], PostgresError>
    private let lanes: Lanes
    private let allowUnsafeDurability: Bool
    private let failures = Failures()
    let replicas: Replicas
    private let watching = Mutex<Task<Void, Never>?>(nil)

    /// `url`: as libpq takes it. `replicas`: the same for standbys; each of its hosts is one.
    /// `allowUnsafeDurability`: for tests, to accept a server that may lose what it has acknowledged. `patience`: how
    /// long a statement may wait to be sent. `statement`: whole seconds after which the server undoes it; it waits
    /// half of that for a lock. `idle`: whole seconds after which it ends a transaction that asks nothing. `answer`: how
    /// long the caller of a statement waits, however long the server takes; more than `statement`, and as long again for
    /// each attempt that the server undid. `silence`: how long the server may say nothing while a statement is in flight
    /// until its connection is given up; 15 s, or 6 s where the URL names several servers.
    package init(
        url: String, replicas: String? = nil, group: EventLoopGroup, lanes: Lanes = .standard,
        allowUnsafeDurability: Bool = false, patience: Duration = .seconds(2),
        answer: Duration = .milliseconds(4250), silence: Duration? = nil, statement: Duration = .seconds(4),
        idle: Duration = .seconds(10)
    ) {
        self.lanes = lanes
        self.allowUnsafeDurability = allowUnsafeDurability
        let workers = WorkerPool(threads: 2, queue: 1024, patience: .seconds(5))
        let standbys = Result { () throws(PostgresError) -> [Session.Standby] in
            if let replicas {
                try Session(url: replicas, readOnly: true, statement: statement, idle: idle).standbys
            } else {
                []
            }
        }
        self.replicas = Replicas(names: ((try? standbys.get()) ?? []).map(\.name))
        pools = Result { () throws(PostgresError) in
            let following = try standbys.get()
                .map { Connector(session: $0.session, hosts: Hosts(count: 1), workers: workers) }
            let session = try Session(url: url, readOnly: false, statement: statement, idle: idle)
            let hosts = Hosts(count: session.hostCount)
            let reading = Connector(
                session: try Session(url: url, readOnly: true, statement: statement, idle: idle), hosts: hosts,
                workers: workers)
            let writing = Connector(session: session, hosts: hosts, workers: workers)
            return group.loops.map {
                Pool(
                    loop: $0, lanes: lanes, patience: patience, answer: answer, silence: silence, reading: reading,
                    writing: writing, following: following, isWatching: $0 === group.loops[0])
            }
        }
    }

    /// How many servers an address names. Throws ``PostgresError`` if it is none; its words follow the address's name.
    package static func serverCount(of url: String) throws(PostgresError) -> Int {
        try Session(url: url, readOnly: true).hostCount
    }

    // MARK: Beginning and end

    /// Connects and checks the server. Throws ``PostgresError`` if it cannot be reached, has too few connections or may
    /// lose what it has acknowledged, and ``PooledReplica``.
    package func start() async throws {
        let pools = try pools.get()
        for pool in pools { pool.onLoop { pool.start() } }
        do {
            let fitting = try ServerSettings(try await settings())
                .check(lanes, loops: pools.count, allowUnsafeDurability: allowUnsafeDurability)
            for pool in pools { pool.onLoop { pool.open(fitting) } }
            if hasReplicas {
                try await checkReplicas(pools[0])
                watching.withLock { $0 = watchReplicas(pools[0]) }
            }
        } catch {
            await stop()
            throw error
        }
    }

    /// What the server is like. Where the first of several does not answer, another one may.
    private func settings() async throws -> Rows {
        var others = try pool().hosts.count - 1
        while true {
            do { return try await read(ServerSettings.query) } catch {
                if others == 0 { throw error }
                others -= 1
            }
        }
    }

    /// Refuses new work, waits a few seconds for what is in flight and closes the connections.
    package func stop() async {
        watching.withLock { $0?.cancel() }
        await everyPool { pool, done in pool.stop(done) }
    }

    /// Runs `body` on each pool's loop, and waits until all are done.
    func everyPool(_ body: @escaping @Sendable (Pool, @escaping @Sendable () -> Void) -> Void) async {
        await withDiscardingTaskGroup { group in
            for pool in (try? pools.get()) ?? [] {
                group.addTask {
                    await withCheckedContinuation { continuation in
                        pool.onLoop { body(pool) { continuation.resume() } }
                    }
                }
            }
        }
    }

    /// Whether the server answers within a second.
    package func isReady() async -> Bool {
        guard let pool = try? pool() else { return false }
        let work = Work(.read, ["SELECT 1"])
        return await (try? work.result { work in pool.onLoop { pool.submit(work, within: .seconds(1)) } }) != nil
    }

    // MARK: Statements

    /// Runs a statement that changes nothing, under one Sync with the other reads of this turn of the loop.
    package func read(_ query: Query) async throws -> Rows { try await run(.read, [query])[0] }

    /// Runs a statement in a transaction of its own. A deadlock or a failed serialisation is tried again.
    @discardableResult
    package func write(_ query: Query) async throws -> Rows { try await run(.write, [query])[0] }

    /// Runs statements in one transaction and one round trip. A deadlock or a failed serialisation is tried again.
    @discardableResult
    package func write(_ queries: [Query]) async throws -> [Rows] { try await run(.write, queries) }

    private func run(_ kind: Work.Kind, _ queries: [Query]) async throws -> [Rows] {
        for query in queries { if let fault = query.parameters.fault { throw fault } }
        let pool = try pool()
        let lease = try lease()
        try Task.checkCancellation()
        if kind == .read, hasReplicas, lease == nil, let reading = Database.reading {
            if let rows = await askReplica(queries[0], reading, pool) { return [rows] }
            if Database.isReplicaNeeded { throw NoReplica() }
            reading.leaveReplica()
        }
        return try await failures.counting {
            if let lease { return try await lease.run(queries) }
            return try await Work(kind, queries).result { work in pool.onLoop { pool.submit(work) } }
        }
    }

    // MARK: Transactions

    /// Runs `body` in a transaction that every `read` and `write` of this database inside it joins; commits when it
    /// returns, rolls back when it throws or is cancelled. `body` is run again, at most five times, after a deadlock or
    /// a failed serialisation: what it does outside the database must bear that. A nested call joins the outer one. The
    /// transaction has a connection to itself, so whatever is slow belongs outside.
    @discardableResult
    package func transaction<T: Sendable>(_ body: @Sendable () async throws -> T) async throws -> T {
        try await transaction(of: .usual, body)
    }

    private func transaction<T: Sendable>(
        of tenant: Lane.Tenant, _ body: @Sendable () async throws -> T
    ) async throws -> T {
        if try lease() != nil { return try await body() }
        let pool = try pool()
        var retries = 0
        while true {
            try Task.checkCancellation()
            let lease = try await failures.counting { try await pool.lease(tenant) }
            do {
                let value = try await attempt(body, lease)
                pool.release(lease)
                return value
            } catch {
                // The body may have turned the server's error into its own: what counts is what the server said.
                let fault = await lease.rollback() ?? error as? PostgresError
                pool.release(lease)
                guard let pause = fault?.pause(beforeRetry: retries) else { throw error }
                retries += 1
                try await Task.sleep(for: pause)
            }
        }
    }

    private func attempt<T: Sendable>(_ body: @Sendable () async throws -> T, _ lease: Lease) async throws -> T {
        let value = try await Database.$joined.withValue(lease) { try await body() }
        try Task.checkCancellation()
        try await failures.counting { try await lease.commit() }
        return value
    }

    /// As above, for maintenance: its statements, and the locks that they wait for, may take any time.
    @discardableResult
    package func slowTransaction<T: Sendable>(_ body: @Sendable () async throws -> T) async throws -> T {
        try await transaction(of: .slow) {
            try await write(["SET LOCAL lock_timeout = 0", "SET LOCAL statement_timeout = 0"])
            return try await body()
        }
    }

    /// Runs raw text of several statements in a transaction. For migrations and tests.
    package func script(unsafe text: String) async throws {
        try await transaction { try await Database.joined?.run(script: text) }
    }

    // MARK: Figures

    /// How busy the connections are, asked of each loop on its own thread.
    package func figures() async -> [LaneFigures.Kind: LaneFigures] {
        let figures = Mutex<[LaneFigures.Kind: LaneFigures]>([:])
        await everyPool { pool, done in
            figures.withLock { pool.add(to: &$0) }
            done()
        }
        return figures.withLock { $0 }
    }

    /// Changes when a connection to the primary is lost or restored. After a crash or a failover, the server may reuse
    /// ids of transactions that an earlier answer counts as ended.
    package var era: Int { (try? pool().hosts.era) ?? 0 }

    /// How many statements and transactions have failed since the start.
    package var failed: [FailureKind: Int] { failures.all }

    // MARK: Where

    private func pool() throws -> Pool {
        let pools = try pools.get()
        guard let loop = EventLoop.current, loop.index < pools.count, pools[loop.index].loop === loop else {
            return pools[0]
        }
        return pools[loop.index]
    }

    /// The transaction of this database that the task is in.
    private func lease() throws -> Lease? {
        guard let lease = Database.joined else { return nil }
        return try pools.get().contains { $0 === lease.pool } ? lease : nil
    }
}
