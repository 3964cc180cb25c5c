internal import CPostgres
import Glibc
import Reactor

/// One connection to the server, non-blocking from its first byte on. Confined to its loop.
final class Connection {
    /// What it reports to its lane.
    struct Listener {
        let opened: (Connection) -> Void
        let settled: (Work) -> Void
        /// After answers have been taken: there may be room for more work.
        let progressed: () -> Void
        /// Once, at the end; with the work that was in flight and why.
        let ended: ([Work], PostgresError) -> Void
    }

    private let loop: EventLoop
    private let handle: OpaquePointer
    private let listener: Listener
    private let pipeline: Pipeline
    /// A process of the server that may still wait for a standby.
    private let left: Int32?
    private var source: EventSource?
    private var patience: Timer?
    private(set) var isOpen = false
    private var isEnded = false
    /// Whether libpq is connected and the server has not named itself yet.
    private var isGreeting = false
    /// On the loop's clock: when the server last said something, or was last asked after silence.
    private(set) var lastProgress: Duration

    /// Whether it is open, with nothing in flight and no transaction open.
    var isClean: Bool { isOpen && pipeline.isClean }

    /// Whether the server has become one that takes no writes.
    var isUnfit: Bool { pipeline.isUnfit }

    /// The server's process behind it, once it is open.
    private(set) var process: Int32 = 0

    /// The number of pieces of work in flight.
    var inFlight: Int { pipeline.count }

    /// Takes over a connection that was begun elsewhere, and closes it in the end. While the process `left` waits for a
    /// standby, it does not open.
    init(_ handle: Handle, loop: EventLoop, patience: Duration, left: Int32?, listener: Listener) {
        self.loop = loop
        self.left = left
        self.handle = handle.pointer
        self.listener = listener
        lastProgress = loop.now
        pipeline = Pipeline(handle.pointer, settle: listener.settled)
        // By default libpq prints what the server remarks.
        PQsetNoticeReceiver(handle.pointer, { _, _ in }, nil)
        self.patience = loop.schedule(after: patience) { [weak self] in
            self?.end(PostgresError(.connection, "08001", "the server did not answer in time"))
        }
        if PQstatus(handle.pointer) == CONNECTION_BAD { end(refusal()) } else { watch(.writable) }
    }

    // MARK: The socket

    /// Watches a duplicate of libpq's descriptor: libpq closes its own whenever it likes, and opens another while it connects.
    private func watch(_ interest: Events) {
        unwatch()
        let descriptor = fcntl(PQsocket(handle), F_DUPFD_CLOEXEC, 0)
        guard descriptor >= 0 else { return end(.lost("no descriptor left for a connection")) }
        let source = EventSource(descriptor: descriptor) { events in self.ready(events) }
        loop.add(source, interest)
        self.source = source
    }

    private func unwatch() {
        guard let source else { return }
        loop.remove(source)
        close(source.descriptor)
        self.source = nil
    }

    private func ready(_ events: Events) {
        guard isOpen else { return handshake() }
        if events.contains(.writable) { flush() }
        if isEnded { return }
        // What arrived before a loss still counts, so it is taken before the loss is told.
        let isAlive = PQconsumeInput(handle) == 1
        if events.contains(.readable) { lastProgress = loop.now }
        let isSound = pipeline.receive()
        if isAlive && isSound { listener.progressed() } else { end(loss()) }
    }

    private func handshake() {
        if isGreeting { return greeted() }
        unwatch()
        switch PQconnectPoll(handle) {
        case PGRES_POLLING_READING: watch(.readable)
        case PGRES_POLLING_WRITING: watch(.writable)
        case PGRES_POLLING_OK:
            let question = "SELECT pg_backend_pid()\(left.map { ", \(Self.waits($0))" } ?? "")"
            guard PQsetnonblocking(handle, 1) == 0, PQsendQuery(handle, question) == 1 else { return end(refusal()) }
            isGreeting = true
            watch([.readable, .writable])
        default: end(refusal())
        }
    }

    /// Whether that process has committed and waits for a standby to have it.
    private static func waits(_ process: Int32) -> String {
        "EXISTS (SELECT FROM pg_stat_activity WHERE pid = \(process) AND wait_event = 'SyncRep')"
    }

    /// The server names its process. A pooler in between has told libpq another number, which it made up.
    private func greeted() {
        guard let source, PQflush(handle) >= 0, PQconsumeInput(handle) == 1 else { return end(refusal()) }
        loop.change(source, .readable)
        while PQisBusy(handle) == 0 {
            guard let result = PQgetResult(handle) else { return begin() }
            defer { PQclear(result) }
            guard PQresultStatus(result) == PGRES_TUPLES_OK else { return end(refusal()) }
            guard String(cString: PQgetvalue(result, 0, 0)) == String(PQbackendPID(handle)) else { return end(.pooler) }
            if left != nil, String(cString: PQgetvalue(result, 0, 1)) == "t" { return end(.unreplicated) }
        }
    }

    private func begin() {
        guard PQenterPipelineMode(handle) == 1 else { return end(refusal()) }
        patience?.cancel()
        isGreeting = false
        process = PQbackendPID(handle)
        isOpen = true
        listener.opened(self)
    }

    private func flush() {
        guard let source else { return }
        switch PQflush(handle) {
        case 0: loop.change(source, .readable)
        case 1: loop.change(source, [.readable, .writable])
        default: end(loss())
        }
    }

    /// Reads what a TLS library may hold back: the descriptor does not become readable for that.
    func poke() {
        if isOpen && PQsslInUse(handle) == 1 { ready([]) }
    }

    // MARK: Work

    /// Sends `batch` under one Sync. Work that cannot be sent fails like work that is in flight when a connection is lost.
    func send(_ batch: [Work]) {
        if pipeline.count == 0 { lastProgress = loop.now }
        if !isEnded && pipeline.send(batch) { flush() } else { abandon(batch) }
    }

    /// Sends raw text of several statements; the connection must be idle.
    func send(script: Work, _ text: String) {
        lastProgress = loop.now
        if !isEnded && pipeline.send(script: script, text) { flush() } else { abandon([script]) }
    }

    /// The work in flight whose callers have waited long enough.
    func overdue(_ now: Duration) -> [Work] { pipeline.overdue(now) }

    private func abandon(_ batch: [Work]) {
        let error = loss()
        end(error)
        for work in batch { work.fail(error) }
    }

    /// Closes the connection and fails what is in flight with `error`.
    func end(_ error: PostgresError) {
        if isEnded { return }
        isEnded = true
        isOpen = false
        patience?.cancel()
        unwatch()
        PQfinish(handle)
        listener.ended(pipeline.abandon(), error)
    }

    private func loss() -> PostgresError {
        .lost(pipeline.lastWords.map { "connection lost: \($0)" } ?? "connection lost")
    }

    private func refusal() -> PostgresError {
        // What PgBouncer says to the timeouts; PostgreSQL never says it.
        if String(cString: PQerrorMessage(handle)).contains("unsupported startup parameter") { return .pooler }
        let said = String(cString: PQerrorMessage(handle)).split(whereSeparator: \.isNewline).joined(separator: " ")
        return PostgresError(.connection, "08001", said)
    }
}
