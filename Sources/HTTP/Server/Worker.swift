import Glibc
import Reactor
import Synchronization

/// The connections of one loop. Everything but `load` is confined to the loop's thread.
final class Worker: @unchecked Sendable {
    let loop: EventLoop
    let configuration: ServerConfiguration
    let router: Router
    private(set) var isStopping = false
    /// Whether idle connections stay open for another process when this one stops.
    private(set) var keepsIdle = false
    /// What stays open.
    private var kept: [Int32] = []
    /// Whether an answer is the last one of its connection.
    var isLeaving: Bool { isStopping && !keepsIdle }
    /// The number of connections that it has or is about to get.
    let load = Atomic(0)

    let occupancy: Occupancy
    private let log: @Sendable (AccessRecord) -> Void
    private var socket: ListeningSocket?
    private var listener: EventSource?
    private var everyone: [Worker] = []
    private var connections: [Connection] = []
    private var unflushed: [Connection] = []
    private var stopped: (([Int32]) -> Void)?
    private var isSweeping = false
    private var dateLine = DateLine()
    private var requestIDs = RequestIDs()
    /// By the number of the route.
    private var tallies: [Tally]
    private var refused = 0

    /// What the last `receive` has read.
    private(set) var received = [UInt8](repeating: 0, count: 64 * 1024)

    init(
        loop: EventLoop, configuration: ServerConfiguration, router: Router, occupancy: Occupancy,
        log: @escaping @Sendable (AccessRecord) -> Void
    ) {
        self.loop = loop
        self.configuration = configuration
        self.router = router
        self.occupancy = occupancy
        self.log = log
        tallies = Array(repeating: Tally(), count: router.names.count)
    }

    func start(_ socket: ListeningSocket, among everyone: [Worker]) {
        self.socket = socket
        self.everyone = everyone
        loop.beforeWaiting(self) { $0.flush() }
        listen()
    }

    // MARK: Accepting

    private func listen() {
        guard let socket, !isStopping else { return }
        let listener = EventSource(descriptor: socket.descriptor) { [unowned self] _ in accept(from: socket) }
        loop.add(listener, [.readable, .exclusive])
        self.listener = listener
    }

    private func accept(from socket: ListeningSocket) {
        for _ in 0..<32 {
            switch socket.accept() {
            case .connection(let descriptor, let peer): place(descriptor, peer)
            case .gone: break
            case .nobody: return
            case .exhausted: return pause()
            }
        }
    }

    /// Without a descriptor for it, a waiting connection would wake the loop again and again.
    private func pause() {
        if let listener { loop.remove(listener) }
        listener = nil
        loop.schedule(after: configuration.acceptPause) { [weak self] in self?.listen() }
    }

    /// Gives a connection to the loop that has the fewest, so that all cores work.
    private func place(_ descriptor: Int32, _ peer: ClientAddress, isIdle: Bool = false) {
        guard occupancy.enter(peer) else {
            refused += 1
            close(descriptor)
            return
        }
        var worker = self
        for other in everyone where other.count + 1 < worker.count { worker = other }
        worker.load.add(1, ordering: .relaxed)
        if worker === self {
            adopt(descriptor, peer, isIdle)
        } else {
            worker.loop.execute { [worker] in worker.adopt(descriptor, peer, isIdle) }
        }
    }

    /// Goes on with idle connections that another process has kept.
    func resume(_ descriptors: [Int32]) {
        for descriptor in descriptors {
            if let peer = ListeningSocket.peer(of: descriptor) {
                place(descriptor, peer, isIdle: true)
            } else {
                close(descriptor)
            }
        }
    }

    private var count: Int { load.load(ordering: .relaxed) }

    private func adopt(_ descriptor: Int32, _ peer: ClientAddress, _ isIdle: Bool) {
        let silence = isIdle ? configuration.idleDeadline : configuration.headDeadline
        let connection = Connection(self, descriptor: descriptor, peer: peer, silence: silence)
        connection.index = connections.count
        connections.append(connection)
        if isStopping { connection.stop() }
        if !isSweeping { sweepLater() }
    }

    func remove(_ connection: Connection, peer: ClientAddress) {
        let last = connections.removeLast()
        if last !== connection {
            connections[connection.index] = last
            last.index = connection.index
        }
        load.subtract(1, ordering: .relaxed)
        occupancy.leave(peer)
        if isStopping, connections.isEmpty { finishStopping() }
    }

    /// Leaves an idle connection open.
    func keep(_ descriptor: Int32) { kept.append(descriptor) }

    // MARK: For the connections

    enum Received {
        /// The number of bytes now in `received`.
        case bytes(Int)
        case end
        case nothing
        case failed
    }

    func receive(from descriptor: Int32) -> Received {
        let count = received.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
        if count > 0 { return .bytes(count) }
        if count == 0 { return .end }
        return errno == EAGAIN || errno == EINTR ? .nothing : .failed
    }

    /// Has the connection flushed once, at the end of this turn.
    func flushSoon(_ connection: Connection) {
        guard !connection.isFlushDue else { return }
        connection.isFlushDue = true
        unflushed.append(connection)
    }

    private func flush() {
        while let connection = unflushed.popLast() {
            connection.isFlushDue = false
            connection.flush()
        }
    }

    var date: DateLine {
        dateLine.refresh()
        return dateLine
    }

    func nextRequestID() -> String { requestIDs.next() }

    func nextTrace() -> TraceID { requestIDs.nextTrace() }

    /// Counts and logs an answer; without an exchange, it answers a request that could not be read.
    func record(_ exchange: Connection.Exchange?, _ response: Response, peer: ClientAddress, id: String) {
        let duration = exchange.map { SuspendingClock.now - $0.start } ?? .zero
        tallies[exchange?.admission.number ?? 0].count(response.status, duration)
        log(
            AccessRecord(
                method: exchange?.head.method.rawValue ?? "-", route: exchange?.admission.route ?? "-",
                status: response.status, duration: duration, bytes: response.body.count,
                client: exchange?.client ?? peer, id: id, trace: exchange?.trace ?? nextTrace()))
    }

    /// Adds this loop's figures to those of the other loops.
    func add(to figures: inout ServerFigures) {
        for (number, tally) in tallies.enumerated() { figures.requests[number].tally.add(tally) }
        figures.connections += connections.count
        figures.streams += connections.count { if case .streaming = $0.phase { true } else { false } }
        figures.refusedConnections += refused
    }

    private func sweepLater() {
        isSweeping = true
        loop.schedule(after: configuration.sweepInterval) { [weak self] in self?.sweep() }
    }

    /// Ends the connections whose deadline has passed.
    private func sweep() {
        for connection in connections.reversed() { connection.check(loop.now) }
        occupancy.giveMemoryBack()
        if connections.isEmpty { isSweeping = false } else { sweepLater() }
    }

    // MARK: Stopping

    /// Takes no more connections.
    func stopListening(keepingIdle: Bool) {
        isStopping = true
        keepsIdle = keepingIdle
        if let listener { loop.remove(listener) }
        listener = nil
    }

    /// Lets running requests finish, and calls `done` when no connection is left or the deadline has passed, with the
    /// idle ones that are kept.
    func drain(_ done: @escaping ([Int32]) -> Void) {
        stopped = done
        for connection in connections.reversed() { connection.stop() }
        if connections.isEmpty { return finishStopping() }
        loop.schedule(after: configuration.stopDeadline) { [weak self] in
            for connection in self?.connections.reversed() ?? [] { connection.close() }
        }
    }

    /// Gives the kept connections to the caller of `drain`; does nothing before `drain` is called.
    private func finishStopping() {
        guard let stopped else { return }
        self.stopped = nil
        stopped(kept)
        kept = []
        everyone = []
    }
}
