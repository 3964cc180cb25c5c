import HTTP
import Postgres
import Reactor
import Synchronization

/// A cache for public requests about groups: each value is computed at most once per `life`.
final class Remembered<Value: Sendable>: Sendable {
    private struct Known {
        let value: Task<Value, any Error>
        let askedAt: ContinuousClock.Instant
    }

    private let life: Duration
    private let most: Int
    private let known = Mutex<[ID: Known]>([:])

    /// Remembers values for `life`, those of `most` groups at once.
    init(for life: Duration, most: Int) {
        self.life = life
        self.most = most
    }

    func value(of group: ID, work: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let (now, loop) = (ContinuousClock.now, EventLoop.current)
        let value = known.withLock { known in
            if let found = known[group], now - found.askedAt < life { return found.value }
            if known.count >= most { known = known.filter { now - $0.value.askedAt < life } }
            if known.count >= most { known = [:] }
            let value = Task(executorPreference: loop) { try await work() }
            known[group] = Known(value: value, askedAt: now)
            return value
        }
        do {
            return try await value.value
        } catch {
            known.withLock { known in if known[group]?.value == value { known[group] = nil } }
            throw error
        }
    }
}
