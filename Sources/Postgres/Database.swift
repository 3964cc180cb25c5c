import Reactor

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

    private let pools: Result<[Pool], PostgresError>
    private let lanes: Lanes
    private let allowUnsafeDurability: Bool

    /// `url`: as libpq takes it. `allowUnsafeDurability`: for tests, to accept
    /// a server that may lose what it has acknowledged. `patience`: how long a statement may wait to be sent.
    /// `answer`: how long its caller waits in all, however long the server takes; above the server's own statement timeout
    /// of 4 s, which undoes what is late. `silence`: how long the server may say nothing while a statement is in flight
    /// until its connection is given up.
    package init(
        url: String, group: EventLoopGroup, lanes: Lanes = .standard,
        allowUnsafeDurability: Bool = false, patience: Duration = .seconds(2),
        answer: Duration = .milliseconds(4250), silence: Duration = .seconds(15)
    ) {
        self.lanes = lanes
        self.allowUnsafeDurability = allowUnsafeDurability
        let workers = WorkerPool(threads: 2, queue: 1024, patience: .seconds(5))
        pools = Result { () throws(PostgresError) in
            let reading = Connector(
                session: try Session(url: url, readOnly: true), workers: workers)
            let writing = Connector(
                session: try Session(url: url, readOnly: false), workers: workers)
            return group.loops.map {
                Pool(
                    loop: $0, lanes: lanes, patience: patience, answer: answer, silence: silence, reading: reading,
                    writing: writing)
            }
        }
    }

    // MARK: Beginning and end

    /// Connects and checks the server. Throws ``PostgresError`` if it cannot be reached, has too few connections or may
    /// lose what it has acknowledged.
    package func start() async throws {
        let pools = try pools.get()
        for pool in pools { pool.onLoop { pool.start() } }
        do {
            let fitting = try ServerSettings(try await read(ServerSettings.query))
                .check(lanes, loops: pools.count, allowUnsafeDurability: allowUnsafeDurability)
            for pool in pools { pool.onLoop { pool.open(fitting) } }
        } catch {
            await stop()
            throw error
        }
    }

    /// Refuses new work, waits a few seconds for what is in flight and closes the connections.
    package func stop() async {
        guard let pools = try? pools.get() else { return }
        await withTaskGroup { group in
            for pool in pools {
                group.addTask {
                    await withCheckedContinuation { continuation in
                        pool.onLoop { pool.stop { continuation.resume() } }
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
        if let lease = try lease() { return try await lease.run(queries) }
        try Task.checkCancellation()
        return try await Work(kind, queries).result { work in pool.onLoop { pool.submit(work) } }
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

    /// As above; a slow tenant's statements may take any time.
    func transaction<T: Sendable>(
        of tenant: Lane.Tenant, _ body: @Sendable () async throws -> T
    ) async throws -> T {
        if try lease() != nil { return try await body() }
        let pool = try pool()
        var retries = 0
        while true {
            try Task.checkCancellation()
            let lease = try await pool.lease(tenant)
            do {
                let value = try await Database.attempt(body, lease)
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

    private static func attempt<T: Sendable>(_ body: @Sendable () async throws -> T, _ lease: Lease) async throws -> T {
        let value = try await $joined.withValue(lease) { try await body() }
        try Task.checkCancellation()
        try await lease.commit()
        return value
    }

    /// Runs raw text of several statements in a transaction. For migrations and tests.
    package func script(unsafe text: String) async throws {
        try await transaction { try await Database.joined?.run(script: text) }
    }

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
