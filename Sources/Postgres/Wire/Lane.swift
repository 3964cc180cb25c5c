import Reactor

/// One place for a connection: what waits for it, and how it comes back when it is lost. Confined to its loop.
final class Lane {
    /// How much it may hold, and how long it waits for an answer.
    struct Bounds {
        /// Pieces of work sent and not answered.
        var inFlight: Int
        /// Pieces of work waiting to be sent.
        var queued: Int
        /// How long a server may take to let the program in.
        var handshake: Duration
        /// When the server has answered nothing for so long, no more work is sent to it.
        var answer: Duration
        /// Without a word from the server for so long, in spite of its statement timeout, a connection counts as lost.
        var silence: Duration
    }

    /// A transaction that has the lane to itself.
    enum Tenant {
        case usual
        /// Its statements may take any time, as those of a migration do.
        case slow
    }

    private enum State {
        case closed
        case connecting
        case resting(Timer)
        case open(Connection)
    }

    private let loop: EventLoop
    private let bounds: Bounds
    private let connector: Connector
    /// Whether it connects again by itself when it is lost.
    private let isStanding: Bool
    /// Set while a transaction has it.
    var tenant: Tenant?
    /// Called when a connection is there.
    var opened: () -> Void = {}
    /// Given work with its results or its fault.
    var settled: (Work) -> Void = { $0.finish() }

    private var state = State.closed
    /// The server of its connection, or of the one that it makes.
    private var host = 0
    /// The primary that was known when its connection was begun.
    private var homeBefore = 0
    /// The last connection that ended with work in flight. If the server's process behind it waits for a standby, it
    /// lives on, and each new connection would leave one more like it.
    private var left: (host: Int, process: Int32)?
    private var queue = Queue<Work>()
    private var failures = 0
    private var lastFailure: PostgresError?
    private var isStopping = false
    /// Whether a connection was asked for during the pause.
    private var isWanted = false

    init(loop: EventLoop, bounds: Bounds, isStanding: Bool, connector: Connector) {
        self.loop = loop
        self.bounds = bounds
        self.isStanding = isStanding
        self.connector = connector
    }

    var connection: Connection? { if case .open(let connection) = state { connection } else { nil } }

    var inFlight: Int { connection?.inFlight ?? 0 }

    /// Work that waits to be sent.
    var waiting: Int { queue.count }

    var isIdle: Bool { inFlight == 0 && queue.isEmpty }

    /// A measure for choosing a lane: the work ahead of new work, and more if there is no connection.
    var burden: Int {
        let work = queue.count + inFlight
        return switch state {
        case .open: work
        case .closed, .connecting: work + 1
        case .resting: work + 64
        }
    }

    /// The error for new work while commits wait for a standby; otherwise nil.
    var refusal: PostgresError? {
        switch state {
        case .open, .closed: nil
        case .connecting, .resting: lastFailure.flatMap { $0.isOfReplication ? $0 : nil }
        }
    }

    // MARK: Work

    /// Puts work at the end of the queue, or fails it if the queue is full. It is sent at the next `flush`.
    func submit(_ work: Work) {
        guard queue.count < bounds.queued else {
            return work.fail(.overloaded("too many statements are waiting"))
        }
        if let connection, connection.inFlight > 0, loop.now - connection.lastProgress > bounds.answer {
            return work.fail(.lost("the server does not answer"))
        }
        if let refusal { return work.fail(refusal) }
        queue.append(work)
        open()
    }

    /// Sends as much as may be in flight: reads under one Sync, other work each under its own.
    func flush() {
        guard !queue.isEmpty, let connection, !connection.isUnfit else { return }
        var batch: [Work] = []
        while !queue.isEmpty, connection.isOpen, connection.inFlight + batch.count < bounds.inFlight {
            let work = queue.removeFirst()
            if work.kind == .read && !work.isAlone {
                batch.append(work)
            } else {
                connection.send([work])
            }
        }
        if !batch.isEmpty { connection.send(batch) }
    }

    /// Four times a second: what has waited too long fails, and a connection that has fallen silent is given up.
    func tick() {
        let now = loop.now
        for work in queue.removeAll(where: { $0.deadline <= now }) {
            work.fail((connection == nil ? lastFailure : nil) ?? .overloaded("waited too long to be sent"))
        }
        guard let connection else { return }
        if host != connector.hosts.home { return connection.end(.lost("another server is the primary now")) }
        guard connection.inFlight > 0 else { return }
        connection.poke()
        let overdue = connection.overdue(now)
        // Its answer may still come, and is then nobody's. A transaction has no other use for its connection.
        for work in overdue { work.fail(.lost("no answer in time")) }
        if tenant != nil && !overdue.isEmpty { return connection.end(.lost("no answer in time")) }
        if tenant != .slow && now - connection.lastProgress > bounds.silence {
            connector.hosts.leave(host)
            connection.end(.lost("the server fell silent"))
        }
    }

    // MARK: The connection

    /// Connects, at once or after the pause, if there is no connection and none is being made.
    func open() {
        if isStopping { return }
        switch state {
        case .open, .connecting: return
        case .resting: return isWanted = true
        case .closed: state = .connecting
        }
        isWanted = false
        (host, homeBefore) = (connector.hosts.next, connector.hosts.home)
        connector.begin(host, on: loop) { [self] handle in
            // The server was not tried.
            guard let handle else { return rest(after: .overloaded("no thread is free to connect")) }
            if isStopping { return handle.finish() }
            // Until it is open or has ended, the loop keeps it alive.
            let left = left.flatMap { $0.host == host ? $0.process : nil }
            _ = Connection(handle, loop: loop, patience: bounds.handshake, left: left, listener: listener())
        }
    }

    private func listener() -> Connection.Listener {
        Connection.Listener(
            opened: { [self] connection in
                state = .open(connection)
                connector.hosts.found(host, since: homeBefore)
                // The others may not have noticed yet that theirs are lost.
                if failures > 0 { connector.hosts.beginEra() }
                failures = 0
                (lastFailure, left) = (nil, nil)
                if isStopping { return connection.end(.usage("stopped")) }
                flush()
                opened()
            },
            settled: { [self] work in
                if work.kind == .read && work.isStranded && work.isAwaited {
                    work.isAlone = true
                    queue.append(work)
                } else {
                    settled(work)
                }
            },
            progressed: { [self] in
                if let connection, connection.isUnfit, connection.inFlight == 0 {
                    connector.hosts.leave(host)
                    connection.end(.standby)
                } else {
                    flush()
                }
            },
            ended: { [self] works, error in fell(works, error) })
    }

    private func fell(_ works: [Work], _ error: PostgresError) {
        if case .open(let connection) = state {
            connector.hosts.beginEra()
            if !works.isEmpty { left = (host, connection.process) }
        } else {
            connector.hosts.leave(host)
        }
        for work in works {
            if work.kind == .read && work.isAwaited && !work.isAgain && !isStopping {
                // It changed nothing, so it can be asked again.
                work.isAgain = true
                queue.append(work)
            } else {
                work.fail(error)
            }
        }
        rest(after: error)
    }

    /// Fails what cannot be helped by waiting, and connects again after a pause.
    private func rest(after error: PostgresError) {
        state = .closed
        lastFailure = error
        if isStopping { return }
        // It does not go away by itself, or not soon.
        if error.isOfPooler || error.isOfReplication { for work in queue.removeAll() { work.fail(error) } }
        // Doubled each time up to a second, and random, so that not all lanes come back at once.
        let pause = min(1.0, 0.025 * Double(1 << min(failures, 8))) * Double.random(in: 0.5..<1.5)
        failures += 1
        state = .resting(
            loop.schedule(after: .seconds(pause)) { [self] in
                state = .closed
                if isStanding || isWanted || !queue.isEmpty { open() }
            })
    }

    /// Fails what waits and closes the connection.
    func stop() {
        isStopping = true
        let error = PostgresError.lost("the database is being stopped")
        for work in queue.removeAll() { work.fail(error) }
        switch state {
        case .open(let connection): connection.end(error)
        case .resting(let timer): timer.cancel()
        case .closed, .connecting: break
        }
        state = .closed
    }
}
