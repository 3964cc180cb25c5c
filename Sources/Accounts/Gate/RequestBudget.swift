import API
import Foundation
import Postgres
import Synchronization

/// How many API requests each sign-in and each client address may make in a window of time, counted in this process.
final class RequestBudget: Sendable {
    enum Subject: Hashable, Sendable {
        case signIn(ID)
        case client(String)
    }

    private struct Window {
        var begin: ContinuousClock.Instant
        var counts: [Subject: Int] = [:]
    }

    private let rate: Limits.Rate
    private let now: @Sendable () -> ContinuousClock.Instant
    private let window: Mutex<Window>

    init(_ rate: Limits.Rate, now: @escaping @Sendable () -> ContinuousClock.Instant) {
        self.rate = rate
        self.now = now
        window = Mutex(Window(begin: now()))
    }

    /// Counts one request. Throws ``AccountsRefusals/tooManyRequests`` when it is one too many.
    func spend(_ subject: Subject) throws {
        let now = now()
        let left: Duration? = window.withLock { window in
            // All begin anew together, so what is kept is never more than one window's subjects.
            if now - window.begin >= .seconds(rate.seconds) { window = Window(begin: now) }
            window.counts[subject, default: 0] += 1
            return window.counts[subject]! > rate.most ? .seconds(rate.seconds) - (now - window.begin) : nil
        }
        if let left {
            throw Refusal.accounts.tooManyRequests.until(seconds: max(1, Int((left / .seconds(1)).rounded(.up))))
        }
    }
}
