import Glibc
import Reactor

/// One client's connection: requests in, answers out, in order. Only its loop's thread touches it, and the tasks of
/// its requests stay on that thread; that makes `@unchecked Sendable` honest.
final class Connection: @unchecked Sendable {
    private enum Phase {
        /// Between two requests.
        case idle
        case head
        case body
        /// A handler works on the request; nothing is read meanwhile.
        case handling
        case streaming(EventStream)
        /// The last answer is being sent.
        case finishing
        /// Nothing is sent any more, and what comes is thrown away, so that the client can read the last answer.
        case lingering
        case closed
    }

    /// What is known of the request being read or answered.
    private struct Exchange {
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

    private let worker: Worker
    private let descriptor: Int32
    private let peer: ClientAddress
    private var source: EventSource!

    private var phase = Phase.idle
    private var parser = HeadParser()
    private var exchange: Exchange?
    private var body: BodyReader?
    /// Received and not yet understood.
    private var input: [UInt8] = []
    private var outbox = Outbox()
    private var peerHasFinished = false
    private var deadline: Duration?
    private var writeDeadline: Duration?

    init(_ worker: Worker, descriptor: Int32, peer: ClientAddress) {
        self.worker = worker
        self.descriptor = descriptor
        self.peer = peer
        source = EventSource(descriptor: descriptor) { [unowned self] in ready($0) }
        deadline = worker.loop.now + configuration.headDeadline
        worker.loop.add(source, .readable)
    }

    private var configuration: ServerConfiguration { worker.configuration }

    private func ready(_ events: Events) {
        if events.contains(.error) || events.contains(.hangup) { return close() }
        if events.contains(.writable) { flush() }
        if events.contains(.readable) { receive() }
    }

    // MARK: Reading

    private func receive() {
        switch phase {
        case .closed: return
        case .handling, .finishing: return watch(source.interest.subtracting(.readable))
        case .idle where isCongested: return watch(source.interest.subtracting(.readable))
        default: break
        }
        switch worker.receive(from: descriptor) {
        case .bytes(let count): take(count)
        case .end: peerFinished()
        case .nothing: break
        case .failed: close()
        }
    }

    /// Handles what has just been received, behind what was left over.
    private func take(_ count: Int) {
        switch phase {
        case .idle, .head, .body: break
        default: return
        }
        if input.isEmpty {
            let received = worker.received
            let used = consume(received.span.extracting(0..<count))
            if used < count, isOpen { input = Array(received[used..<count]) }
        } else {
            input += worker.received[0..<count]
            consumeInput()
        }
    }

    private func consumeInput() {
        let bytes = input
        input = []
        let used = consume(bytes.span)
        if used < bytes.count, isOpen { input = used == 0 ? bytes : Array(bytes[used...]) }
    }

    private var isOpen: Bool {
        switch phase {
        case .finishing, .lingering, .closed: false
        default: true
        }
    }

    /// Whether the client reads so little that it must not ask for more.
    private var isCongested: Bool { outbox.isClosed || outbox.count > configuration.maxUnsent }

    /// Goes on as far as it can; answers how many bytes are done with.
    private func consume(_ bytes: Span<UInt8>) -> Int {
        var at = 0
        do throws(Problem) {
            while at < bytes.count {
                switch phase {
                case .idle:
                    if isCongested { return at }
                    parser = HeadParser()
                    phase = .head
                    deadline = worker.loop.now + configuration.headDeadline
                case .head:
                    guard let head = try parser.parse(bytes.extracting(at...)) else { return at }
                    at += parser.length
                    try begin(head)
                case .body:
                    at += try body?.read(bytes.extracting(at...)) ?? 0
                    if body?.isComplete != false { handle() }
                default: return at
                }
            }
        } catch {
            refuse(error)
        }
        return at
    }

    private func begin(_ head: RequestHead) throws(Problem) {
        let admission = worker.router.admit(head.method, head.target)
        exchange = Exchange(
            head: head, admission: admission, client: configuration.client(peer: peer, headers: head.headers),
            id: worker.nextRequestID(), start: .now)
        body = try BodyReader(head.framing, limit: admission.maxBody)
        guard body != nil else { return handle() }
        phase = .body
        deadline = worker.loop.now + configuration.bodyDeadline
        if head.expectsContinue {
            outbox.append("HTTP/1.1 100 Continue\r\n\r\n")
            worker.flushSoon(self)
        }
    }

    private func peerFinished() {
        peerHasFinished = true
        switch phase {
        case .idle where !outbox.isEmpty:
            phase = .finishing
            watch(source.interest.subtracting(.readable))
        default: close()
        }
    }

    // MARK: Answering

    private func handle() {
        guard let exchange else { return }
        phase = .handling
        deadline = nil
        let request = Request(
            exchange.head.method, exchange.head.target, headers: exchange.head.headers, body: body?.bytes ?? [],
            client: exchange.client, peerIsLoopback: peer.isLoopback, id: exchange.id)
        body = nil
        Task(executorPreference: worker.loop) { [self] in
            let response = await worker.router.respond(to: request, admission: exchange.admission)
            answer(response, exchange)
        }
    }

    private func answer(_ response: Response, _ exchange: Exchange) {
        assert(worker.loop.isCurrent)
        worker.record(
            method: exchange.head.method.rawValue, route: exchange.admission.route, response, exchange.client,
            id: exchange.id, start: exchange.start)
        self.exchange = nil
        guard case .handling = phase else {
            if case .stream(let stream) = response.body { stream.detach() }
            return
        }
        var framing = Outbox.Framing(omitsBody: exchange.head.method == .head, isHTTP11: exchange.head.isHTTP11)
        framing.keepsAlive = exchange.head.keepsAlive && !worker.isStopping
        if case .stream = response.body { framing.keepsAlive = false }
        outbox.append(response, framing, date: worker.date)
        worker.flushSoon(self)
        if case .stream(let stream) = response.body {
            if framing.omitsBody { stream.detach() } else { return begin(stream) }
        }
        phase = framing.keepsAlive ? .idle : .finishing
        if framing.keepsAlive { goOn() }
    }

    /// Reads on between two requests, beginning with what has already been received.
    private func goOn() {
        if isCongested { return }
        if !input.isEmpty { consumeInput() }
        switch phase {
        case .idle, .head, .body: watch(source.interest.union(.readable))
        default: break
        }
    }

    /// Answers what cannot be read, and ends the connection.
    private func refuse(_ problem: Problem) {
        let id = exchange?.id ?? worker.nextRequestID()
        let language = Language(accepting: exchange?.head.headers["Accept-Language"])
        let response = Response.problem(problem, language: language, requestID: id).withDefaults()
        worker.record(
            method: exchange?.head.method.rawValue ?? "-", route: exchange?.admission.route ?? "-", response,
            exchange?.client ?? peer, id: id, start: exchange?.start ?? .now)
        outbox.append(
            response, .init(omitsBody: exchange?.head.method == .head, keepsAlive: false), date: worker.date)
        exchange = nil
        body = nil
        phase = .finishing
        deadline = nil
        worker.flushSoon(self)
    }

    // MARK: Event streams

    private func begin(_ stream: EventStream) {
        phase = .streaming(stream)
        let loop = worker.loop
        stream.attach { loop.execute { [weak self] in self?.pump() } }
        input = []
        watch(source.interest.union(.readable))
        pump()
        if worker.isStopping { stream.close() }
    }

    /// Sends what the stream has, once all before it has left.
    private func pump() {
        guard case .streaming(let stream) = phase else { return }
        guard outbox.isEmpty else {
            if stream.isOverfull { close() }
            return
        }
        switch stream.take() {
        case .bytes(let bytes):
            outbox.append(bytes)
            worker.flushSoon(self)
        case .nothing: break
        case .end:
            stream.detach()
            finish()
        case .dropped: close()
        }
    }

    // MARK: Writing and ending

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
        default: break
        }
    }

    /// Shuts the sending side down and waits for the client to do the same.
    private func finish() {
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
        worker.remove(self, peer: peer)
    }

    private func watch(_ interest: Events) {
        if case .closed = phase { return }
        worker.loop.change(source, interest)
    }
}
