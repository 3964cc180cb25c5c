import Synchronization

/// A response that goes on: Server-Sent Events to one client. Any thread may send.
///
/// A client that leaves more than `limit` bytes unread is dropped; it connects again with `Last-Event-ID`.
package final class EventStream: Sendable {
    private struct State {
        var waiting: [UInt8] = []
        /// Handed to the connection and not yet known to be sent.
        var handedOver = 0
        var isClosed = false
        var isOverfull = false
        var wake: (@Sendable () -> Void)?
        var closed: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())
    private let limit: Int

    package init(limit: Int = 64 * 1024) { self.limit = limit }

    /// Whether one side has ended it.
    package var isClosed: Bool { state.withLock(\.isClosed) }

    /// Sends one event; false when the stream is closed or has just been dropped for being full.
    @discardableResult
    package func send(_ data: String, event: String? = nil, id: String? = nil) -> Bool {
        send(Array(data.utf8), event: event, id: id)
    }

    /// The same with text that is in UTF-8 already.
    @discardableResult
    package func send(_ data: [UInt8], event: String? = nil, id: String? = nil) -> Bool {
        let (cr, lf) = (UInt8(ascii: "\r"), UInt8(ascii: "\n"))
        var bytes: [UInt8] = []
        bytes.reserveCapacity(data.count + 128)
        if let id { bytes += "id: \(id.filter { !$0.isNewline })\n".utf8 }
        if let event { bytes += "event: \(event.filter { !$0.isNewline })\n".utf8 }
        var rest = data[...]
        while let end = rest.firstIndex(where: { $0 == lf || $0 == cr }) {
            bytes += "data: ".utf8
            bytes += rest[..<end]
            bytes.append(lf)
            rest = rest[(end + 1)...]
            if data[end] == cr, rest.first == lf { rest.removeFirst() }
        }
        bytes += "data: ".utf8
        bytes += rest
        bytes += "\n\n".utf8
        let (isSent, wake) = state.withLock { state -> (Bool, (@Sendable () -> Void)?) in
            guard !state.isClosed else { return (false, nil) }
            let wasEmpty = state.waiting.isEmpty
            if state.waiting.count + state.handedOver + bytes.count <= limit {
                state.waiting += bytes
                return (true, wasEmpty ? state.wake : nil)
            }
            state.isClosed = true
            state.isOverfull = true
            return (false, state.wake)
        }
        wake?()
        return isSent
    }

    /// Ends the stream after what has been sent.
    package func close() {
        let wake = state.withLock { state in
            state.isClosed = true
            return state.wake
        }
        wake?()
    }

    /// Calls `body` once when the connection has gone, at once if it already has.
    package func onClose(_ body: @escaping @Sendable () -> Void) {
        let hasGone = state.withLock { state in
            if state.isClosed, state.wake == nil { return true }
            state.closed = body
            return false
        }
        if hasGone { body() }
    }

    // MARK: For the connection

    /// `wake` is called on any thread when there is something to take.
    func attach(wake: @escaping @Sendable () -> Void) {
        state.withLock { $0.wake = wake }
    }

    enum Next {
        case bytes([UInt8])
        case nothing
        case end
        case dropped
    }

    /// What to send next. Call it only when all that it returned before has been sent.
    func take() -> Next {
        state.withLock { state in
            state.handedOver = 0
            if state.isOverfull { return .dropped }
            if state.waiting.isEmpty { return state.isClosed ? .end : .nothing }
            let bytes = state.waiting
            state.handedOver = bytes.count
            state.waiting = []
            return .bytes(bytes)
        }
    }

    /// Whether the client has left too much unread.
    var isOverfull: Bool { state.withLock(\.isOverfull) }

    /// The connection has gone.
    func detach() {
        let closed = state.withLock { state in
            state.isClosed = true
            state.wake = nil
            state.waiting = []
            defer { state.closed = nil }
            return state.closed
        }
        closed?()
    }
}
