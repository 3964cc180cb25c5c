import Glibc

/// What a connection still has to send.
struct Outbox {
    enum Progress {
        case finished
        case blocked(sentSome: Bool)
        case failed
    }

    /// A body from this size on is kept apart instead of copied.
    static let largeBody = 64 * 1024

    private var bytes: [UInt8] = []
    private var sent = 0
    private var large: [UInt8] = []
    private var largeSent = 0
    private var isLargeShared = false

    var count: Int { bytes.count - sent + large.count - largeSent }
    var isEmpty: Bool { count == 0 }

    /// How much memory it takes that no other answer shares.
    var kept: Int { bytes.capacity + (isLargeShared ? 0 : large.capacity) }

    /// Whether nothing may be added until it has been sent.
    var isClosed: Bool { !large.isEmpty }

    /// Makes room for one answer at once; several grow as arrays do.
    mutating func reserve(_ count: Int) {
        if bytes.isEmpty { bytes.reserveCapacity(count) }
    }

    mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

    mutating func append(_ more: [UInt8]) { bytes.append(contentsOf: more) }

    mutating func append(_ number: Int) {
        var divisor = 1
        while number / divisor >= 10 { divisor *= 10 }
        while divisor > 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(number / divisor % 10))
            divisor /= 10
        }
    }

    /// Adds a body after its head. `isShared`: whether it stays in memory for other answers too.
    mutating func append(body: [UInt8], isShared: Bool = false) {
        guard body.count >= Self.largeBody else { return append(body) }
        (large, isLargeShared) = (body, isShared)
    }

    /// Sends as much as the socket takes; what is sent is let go.
    mutating func send(to descriptor: Int32) -> Progress {
        let before = count
        let more = large.isEmpty ? 0 : Int32(MSG_MORE)
        guard Self.send(bytes, from: &sent, to: descriptor, more) else { return blockage(before) }
        bytes = []
        sent = 0
        guard Self.send(large, from: &largeSent, to: descriptor, 0) else { return blockage(before) }
        large = []
        largeSent = 0
        return .finished
    }

    private func blockage(_ before: Int) -> Progress {
        errno == EAGAIN ? .blocked(sentSome: count < before) : .failed
    }

    /// Whether all of it went; otherwise `errno` says why not.
    private static func send(_ bytes: [UInt8], from start: inout Int, to descriptor: Int32, _ flags: Int32) -> Bool {
        while start < bytes.count {
            let count = bytes[start...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | flags)
            }
            if count >= 0 { start += count } else if errno != EINTR { return false }
        }
        return true
    }
}
