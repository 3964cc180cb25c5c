import Glibc
import Reactor
import Time

/// One client's connection: requests in, answers out, in order. Only its loop's thread touches it, and the tasks of
/// its requests stay on that thread; that makes `@unchecked Sendable` honest.
final class Connection: @unchecked Sendable {
    enum Phase {
        /// Between two requests.
        case idle
        case head
        /// The route decides by the head whether a large body may come; nothing is read meanwhile.
        case checking
        case body
        /// A handler works on the request; nothing is read meanwhile.
        case handling
        case streaming(EventStream)
        /// A long answer is being made and sent.
        case downloading
        /// The last answer is being sent.
        case finishing
        /// Everything is sent. What still comes is read and ignored, so that the client can read the last answer.
        case lingering
        case closed
    }

    /// The request being read or answered.
    struct Exchange {
        let head: RequestHead
        let admission: Router.Admission
        let client: ClientAddress
        let id: String
        let trace: TraceID
        let start: SuspendingClock.Instant
        /// How much memory the head takes, and the body once it is whole.
        var size: Int
    }

    /// Its place among the worker's connections.
    var index = 0
    /// Whether the worker will flush it at the end of the turn.
    var isFlushDue = false

    let worker: Worker
    let descriptor: Int32
    let peer: ClientAddress
    var source: EventSource!

    var phase = Phase.idle
    var parser = HeadParser()
    var exchange: Exchange?
    var body: BodyReader?
    var download: Transfer?
    /// Received and not yet understood, from `inputStart` on.
    var input: [UInt8] = []
    var inputStart = 0
    var outbox = Outbox()
    /// This connection's part of the bytes that all connections may keep.
    private var kept = 0
    /// For whom they count: the sender of the last head, before it the peer.
    private var client: ClientAddress
    private var share: Occupancy.Share?
    var peerHasFinished = false
    var deadline: Duration?
    var writeDeadline: Duration?

    init(_ worker: Worker, descriptor: Int32, peer: ClientAddress, silence: Duration) {
        self.worker = worker
        self.descriptor = descriptor
        self.peer = peer
        client = peer
        share = worker.occupancy.share(of: peer)
        source = EventSource(descriptor: descriptor) { [unowned self] in ready($0) }
        deadline = worker.loop.now + silence
        worker.loop.add(source, .readable)
    }

    var configuration: ServerConfiguration { worker.configuration }

    func ready(_ events: Events) {
        if events.contains(.error) || events.contains(.hangup) { return close() }
        if events.contains(.writable) { flush() }
        if events.contains(.readable) { receive() }
    }

    /// Sends what is waiting.
    func flush() {
        if case .closed = phase { return }
        switch outbox.send(to: descriptor) {
        case .finished:
            writeDeadline = nil
            watch(source.interest.subtracting(.writable))
            countKept()
            flushed()
        case .blocked(let sentSome):
            if sentSome || writeDeadline == nil { writeDeadline = worker.loop.now + configuration.writeDeadline }
            watch(source.interest.union(.writable))
            if !countKept() { close() }
        case .failed: close()
        }
    }

    private func flushed() {
        switch phase {
        case .idle:
            deadline = worker.loop.now + configuration.idleDeadline
            goOn()
            if worker.isStopping { stop() }
        case .finishing: finish()
        case .streaming: pump()
        case .downloading: sendNextPiece()
        default: break
        }
    }

    /// Shuts the sending side down and waits for the client to do the same.
    func finish() {
        guard !peerHasFinished else { return close() }
        shutdown(descriptor, Int32(SHUT_WR))
        phase = .lingering
        input = []
        deadline = worker.loop.now + configuration.lingerDeadline
        watch(source.interest.union(.readable))
    }

    /// Closes the connection if a deadline has passed.
    func check(_ now: Duration) {
        if let deadline, deadline < now { return close() }
        if let writeDeadline, writeDeadline < now { close() }
    }

    /// Leaves the connection once what was asked is answered.
    func stop() {
        switch phase {
        case .idle where outbox.isEmpty: leave()
        // It may be a request that has just been sent.
        case .head: deadline = min(deadline ?? .zero, worker.loop.now + configuration.lingerDeadline)
        case .streaming(let stream): stream.close()
        default: break
        }
    }

    /// A client may send its next request at any time: only a connection that stays open loses none.
    private func leave() {
        guard worker.keepsIdle, !peerHasFinished else { return finish() }
        worker.keep(descriptor)
        detach()
    }

    func close() {
        if case .closed = phase { return }
        detach()
        Glibc.close(descriptor)
    }

    /// Forgets the connection; its descriptor stays open.
    private func detach() {
        switch phase {
        case .streaming(let stream): stream.detach()
        // The handler still has the request.
        case .handling, .checking: break
        default: exchange = nil
        }
        phase = .closed
        worker.loop.remove(source)
        input = []
        outbox = Outbox()
        body = nil
        download = nil
        countKept()
        worker.remove(self, peer: peer)
    }

    /// Counts what it keeps in memory now; false, with the count as it was, when all connections keep too much.
    @discardableResult
    func countKept() -> Bool {
        var now = input.capacity + (body?.kept ?? 0) + (exchange?.size ?? 0)
        // Flush first: bytes that the socket takes at once need no memory.
        if writeDeadline != nil { now += outbox.kept }
        if now == kept { return true }
        let most = configuration.maxKept
        let room = body.map { $0.isLarge ? most / 2 : most / 4 * 3 } ?? most
        guard worker.occupancy.keep(now - kept, of: share, most: room) else { return false }
        kept = now
        return true
    }

    /// Has what it keeps count for this client from now on.
    func count(for client: ClientAddress) {
        guard client != self.client else { return }
        worker.occupancy.keep(-kept, of: share, most: 0)
        kept = 0
        self.client = client
        share = worker.occupancy.share(of: client)
    }

    func watch(_ interest: Events) {
        if case .closed = phase { return }
        worker.loop.change(source, interest)
    }
}
