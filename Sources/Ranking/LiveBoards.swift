import API
import Accounts
import Foundation
import HTTP
import Postgres
import Reactor
import Synchronization
import Time

/// The boards that somebody watches. One task asks once a second what has changed and sends each changed board to those
/// who watch it; it runs only while somebody does, and no watcher costs anything while nothing happens.
package final class LiveBoards: Sendable {
    /// How often what is done.
    package struct Rhythm: Sendable {
        package var changes = Duration.seconds(1)
        package var membership = Duration.seconds(3)
        package var ping = Duration.seconds(15)

        package init() {}
    }

    private struct State {
        var watchers: [Int: BoardWatcher] = [:]
        var lastNumber = 0
        /// The history up to here has been told; nil while nobody asks.
        var told: BoardVersion?
        var task: Task<Void, Never>?
        var isStopped = false
    }

    /// A person may have so many streams at once: more than anybody has tabs.
    static let mostPerPerson = 20
    /// From so many who need a board at once it is computed once, with everybody on it, instead of page by page.
    private static let many = 4

    private let boards: BoardStore
    private let changes: BoardChanges
    private let rhythm: Rhythm
    private let failed: @Sendable (any Error) -> Void
    private let state = Mutex(State())

    /// `failed` learns why a round came to nothing; the next one makes up for it.
    package init(
        database: Database, cache: BoardCache = BoardCache(), rhythm: Rhythm = Rhythm(),
        failed: @escaping @Sendable (any Error) -> Void = { _ in }
    ) {
        boards = BoardStore(database: database, cache: cache)
        changes = BoardChanges(database: database)
        self.rhythm = rhythm
        self.failed = failed
    }

    /// How many streams are open.
    package var count: Int { state.withLock(\.watchers.count) }

    /// Removes what nobody can ask for any more; to be called every minute.
    package func forget() async throws { try await changes.database.write("SELECT forget_changes()") }

    /// Sends everybody a last event and ends their streams; from now on there are no new ones.
    package func stop() {
        let (watchers, task) = state.withLock { state in
            state.isStopped = true
            defer { state.watchers = [:] }
            return (state.watchers.values, state.task)
        }
        task?.cancel()
        for watcher in watchers {
            watcher.stream.send("{}", event: "bye")
            watcher.stream.close()
        }
    }

    // MARK: Coming and going

    /// A stream of one board as one reader sees it, which begins with the board unless `lastID` says that the reader
    /// has it. Throws what asking for the board throws, and ``RankingRefusals/tooManyStreams``.
    func watch(
        _ group: ID, _ period: Period, _ order: Leaderboard.Order, _ paging: Paging, by caller: Caller,
        lastID: String?
    ) async throws -> EventStream {
        let stream = EventStream(limit: 128 * 1024)
        let (number, key, isShared) = try state.withLock { state in
            let own = state.watchers.values.count { $0.reader == caller.uid }
            guard own < Self.mostPerPerson, !state.isStopped else { throw Refusal.ranking.tooManyStreams }
            state.lastNumber += 1
            let watcher = BoardWatcher(
                stream: stream, reader: caller.uid, signIn: caller.signIn, group: group, period: period,
                order: order, paging: paging)
            state.watchers[state.lastNumber] = watcher
            // They may all have come in this moment, after a restart say.
            let isShared = state.watchers.values.count { $0.key == watcher.key } >= Self.many
            return (state.lastNumber, watcher.key, isShared)
        }
        do {
            let moment = try await changes.moment(of: group, since: lastID.flatMap(BoardVersion.init))
            begin(from: moment.version, apart: number)
            let board = try await boards.board(
                key, for: caller.uid, paging, later: boards.cache.moment, isShared: isShared)
            if moment.hasChanged { send(board, moment.version, to: stream) }
            let shown = board.fingerprint
            state.withLock { state in
                state.watchers[number]?.dayEndsAt = moment.dayEndsAt
                state.watchers[number]?.shown = shown
                state.watchers[number]?.isReady = true
            }
        } catch {
            drop(number)
            throw error
        }
        stream.onClose { [weak self] in self?.drop(number) }
        return stream
    }

    private func drop(_ number: Int) { state.withLock { _ = $0.watchers.removeValue(forKey: number) } }

    /// Starts to ask if nobody does yet. Who came in the same moment may have seen less than that version holds.
    private func begin(from version: BoardVersion, apart number: Int) {
        let loop = EventLoop.current
        state.withLock { state in
            guard state.task == nil, !state.isStopped else { return }
            state.told = version
            for other in state.watchers.keys where other != number { state.watchers[other]?.isDue = true }
            state.task = Task(executorPreference: loop) { await self.run() }
        }
    }

    // MARK: The rounds

    private func run() async {
        var (askedAt, checkedAt, pingedAt) = (SuspendingClock.now, SuspendingClock.now, SuspendingClock.now)
        while !Task.isCancelled {
            try? await Task.sleep(for: rhythm.changes)
            let isOver = state.withLock { state in
                guard state.watchers.isEmpty else { return false }
                (state.task, state.told) = (nil, nil)
                return true
            }
            if isOver { return }
            let now = SuspendingClock.now
            if now - pingedAt >= rhythm.ping {
                pingedAt = now
                for watcher in state.withLock({ $0.watchers.values }) where watcher.isReady {
                    watcher.stream.send("{}", event: "ping")
                }
            }
            do {
                // Longer than this, and what happened meanwhile may have been forgotten.
                try await tell(all: now - askedAt > .seconds(60))
                askedAt = now
                if now - checkedAt >= rhythm.membership {
                    try await turnAway()
                    checkedAt = now
                }
            } catch {
                if !Task.isCancelled { failed(error) }
            }
        }
    }

    /// Sends their board to all whose board changed.
    private func tell(all: Bool) async throws {
        guard let told = state.withLock(\.told) else { return }
        let (version, groups) = try await changes.since(told)
        // What is begun from here on has these changes.
        let moment = boards.cache.moment
        let due = state.withLock { state in
            state.told = version
            var due: [(number: Int, watcher: BoardWatcher)] = []
            for (number, watcher) in state.watchers {
                let isDue = all || watcher.isDue(at: version.time) || groups.contains(watcher.group)
                guard isDue else { continue }
                state.watchers[number]?.isDue = !watcher.isReady
                if watcher.isReady { due.append((number, watcher)) }
            }
            return due
        }
        var numbers: [BoardCache.Key: Int] = [:]
        for one in due { numbers[one.watcher.key, default: 0] += 1 }
        // A few at a time: the others' requests come first.
        await withTaskGroup(of: Void.self) { tasks in
            for (index, one) in due.enumerated() {
                if index >= 4 { await tasks.next() }
                let isShared = numbers[one.watcher.key]! >= Self.many
                tasks.addTask { await self.renew(one.number, one.watcher, version, later: moment, isShared: isShared) }
            }
        }
    }

    private func renew(
        _ number: Int, _ watcher: BoardWatcher, _ version: BoardVersion, later moment: Int, isShared: Bool
    ) async {
        do {
            let board = try await boards.board(
                watcher.key, for: watcher.reader, watcher.paging, later: moment, isShared: isShared)
            var dayEndsAt = watcher.dayEndsAt
            if version.time >= watcher.dayEndsAt {
                dayEndsAt = try await changes.moment(of: watcher.group, since: nil).dayEndsAt
            }
            let shown = board.fingerprint
            if shown != watcher.shown { send(board, version, to: watcher.stream) }
            state.withLock { state in
                state.watchers[number]?.shown = shown
                state.watchers[number]?.dayEndsAt = dayEndsAt
            }
        } catch is Refusal {
            watcher.stream.close()
            drop(number)
        } catch {
            state.withLock { $0.watchers[number]?.isDue = true }
            if !Task.isCancelled { failed(error) }
        }
    }

    /// Ends the streams of those who left the group or whose sign-in has ended.
    private func turnAway() async throws {
        let watchers = state.withLock { Array($0.watchers) }
        if watchers.isEmpty { return }
        let lost = try await changes.lost(watchers.map { ($0.value.reader, $0.value.signIn, $0.value.group) })
        for place in lost {
            watchers[place].value.stream.close()
            drop(watchers[place].key)
        }
    }

    private func send(_ board: Leaderboard, _ version: BoardVersion, to stream: EventStream) {
        stream.send(board.json, event: "leaderboard", id: version.description)
    }
}
