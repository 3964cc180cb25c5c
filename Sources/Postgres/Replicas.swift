import Reactor
import Synchronization

/// How far the database has come: whatever was acknowledged before somebody asked for it lies behind it.
package typealias Position = Int

/// A standby that is asked for what may be a few seconds old.
package struct ReplicaFigures: Sendable {
    package let name: String
    /// At most so much it lags; nil while it is not to be reached, or lags more than anybody remembers.
    package internal(set) var lag: Duration?
    /// The reads that it answered.
    package internal(set) var reads = 0

    /// One that lags more is left out.
    package static let mostLag: Duration = .seconds(5)
    package var isFit: Bool { lag.map { $0 <= Self.mostLag } ?? false }
}

/// All of them, and what is known about how far they have come.
final class Replicas: Sendable {
    private struct State {
        /// Where the primary was, and when it was asked.
        var primary: [(position: Position, at: ContinuousClock.Instant)] = []
        var all: [ReplicaFigures]
    }

    let count: Int
    private let state: Mutex<State>

    init(names: [String]) {
        count = names.count
        state = Mutex(State(all: names.map { ReplicaFigures(name: $0) }))
    }

    var all: [ReplicaFigures] { state.withLock(\.all) }

    /// Those that may be asked.
    var fit: [Int] { state.withLock { state in state.all.indices.filter { state.all[$0].isFit } } }

    /// The primary was there at that time.
    func primary(was position: Position, at time: ContinuousClock.Instant) {
        state.withLock { state in
            state.primary.removeAll { time - $0.at > .seconds(120) }
            state.primary.append((position, time))
        }
    }

    /// A replica is there now; nil when it does not say. It lags at most as long as it is ago that the primary was there.
    func replica(_ number: Int, is position: Position?, at now: ContinuousClock.Instant) {
        state.withLock { state in
            state.all[number].lag = position.flatMap { position in
                state.primary.last { $0.position <= position }.map { now - $0.at }
            }
        }
    }

    func countRead(of number: Int) { state.withLock { $0.all[number].reads += 1 } }
}
