import Synchronization

/// How many attempts to deliver something ended how, since the start.
package final class DeliveryCounts: Sendable {
    package enum Outcome: String, Sendable, CaseIterable {
        case sent
        /// It is tried again later.
        case failed
        /// It failed for the last time.
        case gaveUp = "gave_up"
    }

    private let counts = Mutex<[Outcome: Int]>([:])

    package var all: [Outcome: Int] { counts.withLock { $0 } }

    package init() {}

    package func count(_ outcome: Outcome) { counts.withLock { $0[outcome, default: 0] += 1 } }
}
