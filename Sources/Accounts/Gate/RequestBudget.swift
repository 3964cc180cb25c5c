import API
import Foundation
import Postgres
import Synchronization

/// How many API requests each sign-in and each client address may make in a window of time, counted in this process.
///
/// The first ``most`` subjects of a window have a count each. Later ones share a fixed number of counts, so that many
/// addresses cannot fill the memory. Sharing never lets a subject make more requests than it could alone.
final class RequestBudget: Sendable {
    enum Subject: Hashable, Sendable {
        case signIn(ID)
        case client(String)
    }

    private struct Window {
        var begin: ContinuousClock.Instant
        var counts: [Subject: Int] = [:]
        var shared = [Int](repeating: 0, count: 1024)

        /// How many requests it made in this window, this one included.
        mutating func count(_ subject: Subject, most: Int) -> Int {
            if counts.count < most || counts[subject] != nil {
                return Self.raised(&counts[subject, default: 0])
            }
            return Self.raised(&shared[share(of: subject)])
        }

        /// How many requests it made in this window.
        func count(of subject: Subject) -> Int { counts[subject] ?? shared[share(of: subject)] }

        private func share(of subject: Subject) -> Int {
            Int(UInt(bitPattern: subject.hashValue) % UInt(shared.count))
        }

        private static func raised(_ count: inout Int) -> Int {
            count += 1
            return count
        }
    }

    private let rate: Limits.Rate
    private let most: Int
    private let now: @Sendable () -> ContinuousClock.Instant
    private let window: Mutex<Window>

    init(_ rate: Limits.Rate, most: Int = 50_000, now: @escaping @Sendable () -> ContinuousClock.Instant) {
        self.rate = rate
        self.most = most
        self.now = now
        window = Mutex(Window(begin: now()))
    }

    /// Counts one request. Throws ``AccountsRefusals/tooManyRequests`` when it is one too many.
    func spend(_ subject: Subject) throws {
        try refuse { $0.count(subject, most: most) > rate.most }
    }

    /// Counts nothing. Throws ``AccountsRefusals/tooManyRequests`` when the next request will be one too many.
    func check(_ subject: Subject) throws {
        try refuse { $0.count(of: subject) >= rate.most }
    }

    private func refuse(if isTooMany: (inout Window) -> Bool) throws {
        let now = now()
        let left: Duration? = window.withLock { window in
            // All counts are reset together, so memory holds the subjects of one window only.
            if now - window.begin >= .seconds(rate.seconds) { window = Window(begin: now) }
            return isTooMany(&window) ? .seconds(rate.seconds) - (now - window.begin) : nil
        }
        if let left {
            throw Refusal.accounts.tooManyRequests.until(seconds: max(1, Int((left / .seconds(1)).rounded(.up))))
        }
    }
}
