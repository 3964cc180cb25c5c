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
        case body
        /// A handler works on the request; nothing is read meanwhile.
        case handling
        case streaming(EventStream)
        /// A long answer is being made and sent.
        case downloading
        /// The last answer is being sent.
        case finishing
        /// Nothing is sent any more, and what comes is thrown away, so that the client can read the last answer.
        case lingering
        case closed
    }

    /// What is known of the request being read or answered.
    struct Exchange {
        let head: RequestHead
        let admission: Router.Admission
        let client: ClientAddress
        let id: String
        let start: SuspendingClock.Instant
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
    var peerHasFinished = false
    var deadline: Duration?
    var writeDeadline: Duration?

    init(_ worker: Worker, descriptor: Int32, peer: ClientAddress) {
        self.worker = worker
        self.descriptor = descriptor
        self.peer = peer
        source = EventSource(descriptor: descriptor) { [unowned self] in ready($0) }
        deadline = worker.loop.now + configuration.headDeadline
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
            flushed()
        case .blocked(let sentSome):
            if sentSome || writeDeadline == nil { writeDeadline = worker.loop.now + configuration.writeDeadline }
            watch(source.interest.union(.writable))
        case .failed: close()
        }
    }

    private func flushed() {
        switch phase {
        case .idle:
            deadline = worker.loop.now + configuration.idleDeadline
            goOn()
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

    /// Ends it if a deadline has passed.
    func check(_ now: Duration) {
        if let deadline, deadline < now { return close() }
        if let writeDeadline, writeDeadline < now { close() }
    }

    /// Lets the request at hand be answered, and ends the connection after it.
    func stop() {
        switch phase {
        case .idle where outbox.isEmpty, .head where outbox.isEmpty: finish()
        case .idle, .head:
            phase = .finishing
            deadline = nil
        case .streaming(let stream): stream.close()
        default: break
        }
    }

    func close() {
        if case .closed = phase { return }
        if case .streaming(let stream) = phase { stream.detach() }
        phase = .closed
        worker.loop.remove(source)
        Glibc.close(descriptor)
        input = []
        outbox = Outbox()
        exchange = nil
        body = nil
        download = nil
        worker.remove(self, peer: peer)
    }

    func watch(_ interest: Events) {
        if case .closed = phase { return }
        worker.loop.change(source, interest)
    }
}
