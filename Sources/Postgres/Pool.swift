import Reactor

/// The connections of one loop: one lane for reads, a few for writes, a few for explicit transactions. Confined to its
/// loop, but for what says otherwise.
final class Pool: @unchecked Sendable {
    private struct Waiter {
        let continuation: UnsafeContinuation<Lease, any Error>
        let tenant: Lane.Tenant
        let deadline: Duration
    }

    let loop: EventLoop
    /// The servers that the address names.
    let hosts: Hosts
    private let lanes: Database.Lanes
    /// How long work may wait to be sent, and a transaction for its connection.
    private let patience: Duration
    /// How long the caller of a statement waits for its answer.
    private let answer: Duration
    private let reads: Lane
    private var writes: [Lane]
    /// One for each replica.
    private let followers: [Lane]
    /// One for each replica that this pool watches: however much the replica has to do, it can say how far it is.
    private let watchers: [Lane]
    private var transactions: [Lane]
    private var waiters = Queue<Waiter>()
    private var isStarted = false
    private var isStopping = false

    private static let waitersBound = 128

    /// Made anywhere; nothing is opened yet.
    init(
        loop: EventLoop, lanes: Database.Lanes, patience: Duration, answer: Duration, silence: Duration?,
        reading: Connector, writing: Connector, following: [Connector], isWatching: Bool
    ) {
        self.loop = loop
        self.patience = patience
        self.answer = answer
        self.lanes = lanes
        // With several servers, give up a silent one sooner so that another can take over.
        hosts = reading.hosts
        let isAlone = hosts.count == 1
        let silence = silence ?? (isAlone ? .seconds(15) : .seconds(6))
        func lane(_ connector: Connector, inFlight: Int, queued: Int) -> Lane {
            Lane(
                loop: loop,
                bounds: Lane.Bounds(
                    inFlight: inFlight, queued: queued, handshake: isAlone ? .seconds(5) : .seconds(2), answer: answer,
                    silence: silence),
                isStanding: lanes.areOpenedAtStart, connector: connector)
        }
        reads = lane(reading, inFlight: 512, queued: 2048)
        followers = following.map { lane($0, inFlight: 512, queued: 512) }
        watchers = isWatching ? following.map { lane($0, inFlight: 2, queued: 2) } : []
        writes = (0..<lanes.write).map { _ in lane(writing, inFlight: 32, queued: 256) }
        transactions = (0..<lanes.transaction).map { _ in lane(writing, inFlight: .max, queued: .max) }
        for lane in [reads] + writes + transactions { lane.settled = { [unowned self] work in settled(work) } }
        for lane in transactions { lane.opened = { [unowned self] in serveWaiters() } }
    }

    private var all: [Lane] { [reads] + followers + watchers + writes + transactions }

    /// Adds how busy its connections are.
    func add(to figures: inout [LaneFigures.Kind: LaneFigures]) {
        for (kind, lanes) in [
            (LaneFigures.Kind.read, [reads] + followers + watchers), (.write, writes), (.transaction, transactions),
        ] {
            for lane in lanes { figures[kind, default: LaneFigures()].add(lane) }
        }
        figures[.transaction, default: LaneFigures()].waiting += waiters.count
    }

    /// From any thread: runs `body` on the loop, at once if this is the loop.
    func onLoop(_ body: @escaping @Sendable () -> Void) {
        if loop.isCurrent { body() } else { loop.execute(body) }
    }

    // MARK: Beginning and end

    func start() {
        isStarted = true
        loop.beforeWaiting(self) { $0.reads.flush() }
        tick()
    }

    /// Drops the lanes that the server has no room for, and opens those that are always open.
    func open(_ fitting: Database.Lanes) {
        writes.removeSubrange(fitting.write...)
        transactions.removeSubrange(fitting.transaction...)
        if lanes.areOpenedAtStart { for lane in all { lane.open() } }
    }

    private func tick() {
        if isStopping { return }
        for lane in all { lane.tick() }
        let now = loop.now
        for waiter in waiters.removeAll(where: { $0.deadline <= now }) {
            waiter.continuation.resume(throwing: PostgresError.overloaded("waited too long for a transaction"))
        }
        loop.schedule(after: .milliseconds(250)) { [self] in tick() }
    }

    /// Refuses new work, gives what is in flight five seconds, then closes the connections and calls `body`.
    func stop(_ body: @escaping @Sendable () -> Void) {
        isStopping = true
        let deadline = loop.now + .seconds(5)
        func finish() {
            guard loop.now >= deadline || all.allSatisfy({ $0.isIdle && $0.tenant == nil }) else {
                loop.schedule(after: .milliseconds(5)) { finish() }
                return
            }
            for lane in all { lane.stop() }
            for waiter in waiters.removeAll() { waiter.continuation.resume(throwing: Pool.stopped) }
            body()
        }
        finish()
    }

    private static let stopped = PostgresError.lost("the database is being stopped")

    /// Why no work is accepted, if so.
    private var refusal: PostgresError? {
        isStopping ? Pool.stopped : isStarted ? nil : .usage("the database has not been started")
    }

    // MARK: Reads and writes

    /// Queues work; a read goes out before the loop waits, a write at once.
    func submit(_ work: Work) {
        assert(loop.isCurrent)
        if let refusal { return work.fail(refusal) }
        work.deadline = loop.now + patience
        expectAnswer(to: work)
        if work.kind == .read { return reads.submit(work) }
        guard let lane = writes.min(by: { $0.burden < $1.burden }) else { return work.fail(Pool.stopped) }
        lane.submit(work)
        lane.flush()
    }

    /// Sends work to a replica, if there is a connection to it.
    func submit(_ work: Work, toReplica number: Int) {
        assert(loop.isCurrent)
        if let refusal { return work.fail(refusal) }
        let lane = followers[number]
        guard lane.connection != nil else {
            lane.open()
            return work.fail(.lost("no connection to the replica"))
        }
        work.deadline = loop.now + patience
        expectAnswer(to: work)
        lane.submit(work)
        lane.flush()
    }

    /// Asks a replica how it is; after `limit` the caller is answered in any case.
    func submit(_ work: Work, watching number: Int, within limit: Duration) {
        assert(loop.isCurrent)
        if let refusal { return work.fail(refusal) }
        bound(work, limit)
        watchers[number].submit(work)
        watchers[number].flush()
    }

    /// A replica does not say how it is: whoever waits for it need not wait any longer.
    func leave(_ number: Int) { followers[number].connection?.end(.lost("the replica does not answer")) }

    /// Sets when the caller hears that no answer came.
    func expectAnswer(to work: Work) { work.latest = loop.now + answer }

    private func bound(_ work: Work, _ limit: Duration) {
        work.deadline = loop.now + min(patience, limit)
        work.latest = loop.now + limit
    }

    /// Asks the primary how it is; after `limit` the caller is answered in any case.
    func submit(_ work: Work, within limit: Duration) {
        assert(loop.isCurrent)
        if let refusal { return work.fail(refusal) }
        bound(work, limit)
        reads.submit(work)
    }

    /// Answers the caller, or tries again if the server rolled everything back and another attempt may succeed.
    private func settled(_ work: Work) {
        guard work.isAwaited, let fault = work.fault, work.lease == nil,
            let pause = fault.pause(beforeRetry: work.retries)
        else {
            return work.finish()
        }
        work.retries += 1
        work.isAlone = true
        // A timer also keeps the lane from being used while it is taking answers.
        loop.schedule(after: pause) { [self] in submit(work) }
    }

    // MARK: Transactions

    /// From any thread: a connection for one transaction. It has to be given back with `release`.
    func lease(_ tenant: Lane.Tenant) async throws -> Lease {
        try await withUnsafeThrowingContinuation { continuation in
            onLoop { [self] in
                if let refusal { return continuation.resume(throwing: refusal) }
                let refusals = transactions.compactMap(\.refusal)
                if !refusals.isEmpty && refusals.count == transactions.count {
                    return continuation.resume(throwing: refusals[0])
                }
                guard waiters.count < Pool.waitersBound else {
                    return continuation.resume(throwing: PostgresError.overloaded("too many transactions are waiting"))
                }
                waiters.append(
                    Waiter(continuation: continuation, tenant: tenant, deadline: loop.now + patience))
                serveWaiters()
            }
        }
    }

    /// From any thread.
    func release(_ lease: Lease) {
        onLoop { [self] in
            lease.endUnlessClean()
            lease.lane.tenant = nil
            serveWaiters()
        }
    }

    private func serveWaiters() {
        for lane in transactions where !waiters.isEmpty && lane.tenant == nil {
            guard let connection = lane.connection, connection.isOpen else { continue }
            let waiter = waiters.removeFirst()
            lane.tenant = waiter.tenant
            waiter.continuation.resume(returning: Lease(pool: self, lane: lane, connection: connection))
        }
        for lane in transactions.filter({ $0.tenant == nil }).prefix(waiters.count) { lane.open() }
    }
}

extension PostgresError {
    /// How long to wait before trying again what failed with this; nil if that would be no use or was done five times.
    func pause(beforeRetry retries: Int) -> Duration? {
        guard isRetryable, retries < 5 else { return nil }
        return isStalePlan || isUnknownStatement
            ? .zero : .seconds(Double.random(in: 0.002..<0.01) * Double(1 << retries))
    }
}
