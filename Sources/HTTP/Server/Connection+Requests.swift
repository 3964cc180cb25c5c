import Glibc
import Reactor

// Requests: bytes in, one request at a time to its handler, its answer out.
extension Connection {
    func receive() {
        switch phase {
        case .closed: return
        case .checking, .handling, .downloading, .finishing: return watch(source.interest.subtracting(.readable))
        case .idle where isCongested: return watch(source.interest.subtracting(.readable))
        default: break
        }
        switch worker.receive(from: descriptor) {
        case .bytes(let count):
            take(count)
            if !countKept() { refuseAsBusy() }
        case .end: peerFinished()
        case .nothing: break
        case .failed: close()
        }
    }

    /// Handles what has just been received, after the bytes left over from before.
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
            input.removeFirst(inputStart)
            inputStart = 0
            input += worker.received[0..<count]
            consumeInput()
        }
    }

    /// Handles the bytes left over from before.
    private func consumeInput() {
        let bytes = input
        input = []
        inputStart += consume(bytes.span.extracting(inputStart...))
        if inputStart < bytes.count, isOpen { input = bytes } else { inputStart = 0 }
    }

    private var isOpen: Bool {
        switch phase {
        case .finishing, .lingering, .closed: false
        default: true
        }
    }

    /// Whether so much is unsent that no further request is read.
    private var isCongested: Bool { outbox.isClosed || outbox.count > configuration.maxUnsent }

    /// Handles as much as it can, and returns how many bytes that was.
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
                    guard countKept() else { throw .busy }
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
        let client = configuration.client(peer: peer, headers: head.headers)
        count(for: client)
        exchange = Exchange(
            head: head, admission: admission, client: client, id: worker.nextRequestID(),
            trace: TraceID(head.headers) ?? worker.nextTrace(), start: .now, size: head.size)
        body = try BodyReader(head.framing, limit: admission.maxBody)
        guard countKept() else { throw .busy }
        guard body != nil else { return handle() }
        if admission.checksHead(before: head.framing) { checkHead() } else { readBody() }
    }

    /// Asks the route whether the sender of this head may send a large body.
    private func checkHead() {
        guard let exchange else { return }
        phase = .checking
        deadline = nil
        let request = request(exchange, body: [])
        Task(executorPreference: worker.loop) { [self] in
            let refusal = await worker.router.refusal(of: request, admission: exchange.admission)
            assert(worker.loop.isCurrent)
            guard case .checking = phase else {
                self.exchange = nil
                countKept()
                return
            }
            if let refusal { return refuse(refusal) }
            readBody()
            readOn()
        }
    }

    private func readBody() {
        phase = .body
        deadline = worker.loop.now + configuration.bodyDeadline
        if exchange?.head.expectsContinue == true {
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
        let request = request(exchange, body: body?.bytes ?? [])
        self.exchange?.size += body?.kept ?? 0
        body = nil
        Task(executorPreference: worker.loop) { [self] in
            let response = await worker.router.respond(to: request, admission: exchange.admission)
            answer(response, exchange)
        }
    }

    private func request(_ exchange: Exchange, body: [UInt8]) -> Request {
        Request(
            exchange.head.method, exchange.head.target, headers: exchange.head.headers, body: body,
            client: exchange.client, peerIsLoopback: peer.isLoopback, id: exchange.id, trace: exchange.trace)
    }

    private func answer(_ response: Response, _ exchange: Exchange) {
        assert(worker.loop.isCurrent)
        worker.record(exchange, response, peer: peer, id: exchange.id)
        self.exchange = nil
        countKept()
        guard case .handling = phase else {
            if case .stream(let stream) = response.body { stream.detach() }
            return
        }
        var framing = Outbox.Framing(omitsBody: exchange.head.method == .head, isHTTP11: exchange.head.isHTTP11)
        framing.keepsAlive = exchange.head.keepsAlive && !worker.isLeaving
        if case .stream = response.body { framing.keepsAlive = false }
        if case .download = response.body, !framing.isHTTP11 { framing.keepsAlive = false }
        outbox.append(response, framing, date: worker.date)
        worker.flushSoon(self)
        if case .stream(let stream) = response.body {
            if framing.omitsBody { stream.detach() } else { return begin(stream) }
        }
        if case .download(let download) = response.body, !framing.omitsBody { return begin(download, framing) }
        phase = framing.keepsAlive ? .idle : .finishing
        if framing.keepsAlive { goOn() }
    }

    /// Reads the next request, beginning with the bytes that are already here.
    func goOn() {
        if !isCongested { readOn() }
    }

    private func readOn() {
        if !input.isEmpty { consumeInput() }
        if !countKept() { refuseAsBusy() }
        switch phase {
        case .idle, .head, .body: watch(source.interest.union(.readable))
        default: break
        }
    }

    /// Answers a request that cannot be read, and ends the connection.
    private func refuse(_ problem: Problem) {
        let id = exchange?.id ?? worker.nextRequestID()
        let language = Language(accepting: exchange?.head.headers["Accept-Language"])
        refuse(worker.router.finished(.problem(problem, language: language, requestID: id)), id: id)
    }

    /// Answers 503 to a request that is being read. While an earlier request is being answered, it only closes the
    /// connection.
    private func refuseAsBusy() {
        switch phase {
        case .idle, .head, .checking, .body: refuse(.busy)
        default: close()
        }
    }

    private func refuse(_ response: Response, id: String? = nil) {
        worker.record(exchange, response, peer: peer, id: id ?? exchange?.id ?? worker.nextRequestID())
        outbox.append(
            response, .init(omitsBody: exchange?.head.method == .head, keepsAlive: false), date: worker.date)
        exchange = nil
        body = nil
        input = []
        inputStart = 0
        phase = .finishing
        deadline = nil
        worker.flushSoon(self)
    }
}
