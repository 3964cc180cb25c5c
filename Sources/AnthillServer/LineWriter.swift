import Foundation
import Glibc

/// Writes lines to a descriptor on a thread of its own, so that a slow reader holds up nobody. The thread gathers lines
/// for a moment and writes them together: waking it for each would cost a request more than its line. When a pipe is
/// full, lines wait, up to a bound; further ones are dropped, and counted in a line of their own once there is room
/// again.
final class LineWriter: @unchecked Sendable {
    private let descriptor: Int32
    private let most: Int
    /// How long lines are gathered, in microseconds.
    private let moment: UInt32 = 5_000
    /// The line that tells how many were dropped.
    private let gap: @Sendable (Int) -> String

    /// Guards what follows, and wakes the thread and who waits for it.
    private let condition = NSCondition()
    private var waiting: [UInt8] = []
    private var dropped = 0
    private var everDropped = 0
    private var isWriting = false
    private var isStarted = false

    /// Keeps at most so many bytes of lines that wait.
    init(_ descriptor: Int32, most: Int = 256 * 1024, gap: @escaping @Sendable (Int) -> String) {
        self.descriptor = descriptor
        self.most = most
        self.gap = gap
    }

    /// How many lines were dropped since the start.
    var allDropped: Int { condition.withLock { everDropped } }

    /// Takes a line, which ends with its line feed.
    func write(_ line: String) {
        condition.withLock {
            guard waiting.count + line.utf8.count <= most else {
                dropped += 1
                everDropped += 1
                return
            }
            waiting += line.utf8
            if !isStarted {
                isStarted = true
                Thread.detachNewThread { [self] in while true { writeNext() } }
            }
            condition.broadcast()
        }
    }

    /// Waits until all lines are written, or the time is over.
    func finish(within seconds: TimeInterval = 1) {
        let latest = Date(timeIntervalSinceNow: seconds)
        condition.withLock {
            while isWriting || !waiting.isEmpty || dropped > 0, condition.wait(until: latest) {}
        }
    }

    private func writeNext() {
        condition.withLock { while waiting.isEmpty, dropped == 0 { condition.wait() } }
        usleep(moment)
        let bytes = condition.withLock {
            if dropped > 0 { waiting += gap(dropped).utf8 }
            dropped = 0
            defer { waiting = [] }
            isWriting = true
            return waiting
        }
        writeAll(bytes)
        condition.withLock {
            isWriting = false
            condition.broadcast()
        }
    }

    /// Writes all it can; drops the rest if the reader has gone.
    private func writeAll(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                // A terminal that another program has made non-blocking.
                var event = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&event, 1, -1)
            } else if errno != EINTR {
                return
            }
        }
    }
}
