import Postgres
import Reactor
import Synchronization
import Time

/// A value that can be kept in memory.
package protocol Keepable: Sendable {
    /// Whether it is still right at that time of the database's clock if nobody has changed anything.
    func holds(at time: Instant) -> Bool
    /// Whether one of these changes of users, groups and sign-ins may change the value.
    func isConcerned(by news: ChangeFeed.News) -> Bool
    /// How much room it takes.
    var size: Int { get }
}

/// Values from the database, each kept in memory while the database would answer the same. However many ask for one at
/// once, it is loaded once.
package final class Kept<Key: Hashable & Sendable, Value: Keepable>: Sendable {
    /// Its number is only used under the lock.
    private final class Entry: @unchecked Sendable {
        let value: Value
        /// The value includes all changes up to this answer of the feed.
        var number: Int

        init(_ value: Value, number: Int) {
            self.value = value
            self.number = number
        }
    }

    private struct Load {
        let task: Task<Value, any Error>
        /// The load started after this answer of the feed, so it reads all changes up to it.
        let number: Int
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        var size = 0
        var loads: [Key: Load] = [:]
        var loadCount = 0
    }

    private enum Found {
        case value(Value)
        case loading(Load)
    }

    private let changes: ChangeFeed
    private let most: Int
    private let state = Mutex(State())

    /// `most` limits the total size of all values.
    package init(_ changes: ChangeFeed, most: Int) {
        self.changes = changes
        self.most = most
    }

    /// How many loads have begun.
    package var loadCount: Int { state.withLock(\.loadCount) }

    /// Returns the value, including all changes up to `position` that concern it or are changes of `own`. Calls `load`
    /// if the kept value is missing or outdated; errors of `load` are not kept.
    package func value(
        _ key: Key, at position: ChangeFeed.Position, own: Set<ID> = [],
        load: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        while true {
            let found: Found = state.withLock { state in
                if let value = kept(key, at: position, own, &state) { return .value(value) }
                return .loading(state.loads[key] ?? begin(key, load, &state))
            }
            switch found {
            case .value(let value): return value
            case .loading(let load) where load.number >= position.number: return try await load.task.value
            // This load started before `position`: wait for it, then check its value again.
            case .loading(let load): _ = await load.task.result
            }
        }
    }

    private func kept(
        _ key: Key, at position: ChangeFeed.Position, _ own: Set<ID>, _ state: inout State
    ) -> Value? {
        guard let entry = state.entries[key], entry.value.holds(at: position.time),
            !changes.hasNews(
                after: entry.number,
                { news in entry.value.isConcerned(by: news) || own.contains { news.contains($0) } })
        else { return nil }
        // With `own`, only this caller's changes were checked, so the entry's number must not advance.
        if own.isEmpty { entry.number = max(entry.number, position.number) }
        return entry.value
    }

    private func begin(
        _ key: Key, _ load: @escaping @Sendable () async throws -> Value, _ state: inout State
    ) -> Load {
        let number = changes.number
        // Not part of anybody's transaction, and not cancelled with the first who asked.
        let task = Task.detached(executorPreference: EventLoop.current) {
            defer { self.state.withLock { _ = $0.loads.removeValue(forKey: key) } }
            let value = try await load()
            self.state.withLock { self.keep(Entry(value, number: number), key, &$0) }
            return value
        }
        let begun = Load(task: task, number: number)
        state.loads[key] = begun
        state.loadCount += 1
        return begun
    }

    private func keep(_ entry: Entry, _ key: Key, _ state: inout State) {
        state.size += entry.value.size - (state.entries[key]?.value.size ?? 0)
        if state.size > most { (state.entries, state.size) = ([:], entry.value.size) }
        state.entries[key] = entry
    }
}
