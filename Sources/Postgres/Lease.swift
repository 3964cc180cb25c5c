import Reactor

/// One explicit transaction: a connection for itself until it is committed or rolled back.
final class Lease: @unchecked Sendable {
    private enum State { case fresh, begun, ended }

    let pool: Pool
    let lane: Lane
    private let connection: Connection
    private var state = State.fresh
    /// The first error of the transaction, which the server then refuses to commit. Written on the loop before the end,
    /// read after it.
    private var fault: PostgresError?

    init(pool: Pool, lane: Lane, connection: Connection) {
        self.pool = pool
        self.lane = lane
        self.connection = connection
    }

    /// Runs statements in the transaction in one round trip; the first of all takes its BEGIN along.
    func run(_ queries: [Query]) async throws -> [Rows] {
        try Task.checkCancellation()
        return try await result(Work(.joined, queries, lease: self), ends: false).suffix(queries.count)
    }

    /// Runs raw text of several statements in the transaction.
    func run(script: String) async throws {
        _ = try await run([])
        _ = try await result(Work(.script, [Query(stringLiteral: script)], lease: self), ends: false)
    }

    /// Commits. Throws the error of an earlier statement if the server rolled back because of it.
    func commit() async throws {
        guard let answer = try await end(with: "COMMIT") else { return }
        if answer.command != "COMMIT" { throw fault ?? .usage("the transaction was rolled back") }
    }

    /// Rolls back what was not committed, and answers what the server said first.
    func rollback() async -> PostgresError? {
        _ = try? await end(with: "ROLLBACK")
        return fault
    }

    /// Called on the loop for each error of its work.
    func note(_ error: PostgresError) { if fault == nil && state != .ended { fault = error } }

    /// Closes its connection unless that can serve the next transaction; the lane may have a new one by now. Call it on
    /// the loop, after the end.
    func endUnlessClean() {
        if !connection.isClean { connection.end(.lost("a transaction was left open")) }
    }

    private func end(with command: Query) async throws -> Rows? {
        try await result(Work(.joined, [command], lease: self), ends: true).first
    }

    private func result(_ work: Work, ends: Bool) async throws -> [Rows] {
        try await work.result { work in pool.onLoop { [self] in submit(work, ends: ends) } }
    }

    private func submit(_ work: Work, ends: Bool) {
        assert(pool.loop.isCurrent)
        switch state {
        case .ended where ends, .fresh where ends:
            state = .ended
            return work.finish()
        case .ended: return work.fail(.usage("a transaction was used after its end"))
        case .fresh:
            work.queries.insert("BEGIN", at: 0)
            state = .begun
        case .begun: if ends { state = .ended }
        }
        guard connection.isOpen else { return work.fail(.lost("connection lost")) }
        if lane.tenant != .slow { pool.expectAnswer(to: work) }
        if work.kind == .script { connection.send(script: work, work.queries[0].text) } else { connection.send([work]) }
    }
}
