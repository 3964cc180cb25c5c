import API
import Accounts
import HTTP
import Postgres
import Reactor
import Synchronization

/// The global board for those who watch it. A round once a second sends a reader's own changes; those of all others are
/// looked at every few seconds, because on a large board there is always one. It runs only while somebody watches.
final class LiveGlobalBoard: Sendable {
    private struct Watcher: Watching {
        let stream: EventStream
        let reader: ID
        let signIn: ID
        let period: Period
        let paging: Paging
        /// Fingerprint of the board that was sent last.
        var shown: Int
    }

    private let database: Database
    private let changes: ChangeFeed
    private let board: GlobalBoardStore
    private let rhythm: LiveBoards.Rhythm
    private let failed: @Sendable (any Error) -> Void
    private let watchers = Mutex(Watchers<Watcher>())

    init(
        database: Database, changes: ChangeFeed, board: GlobalBoardStore, rhythm: LiveBoards.Rhythm,
        failed: @escaping @Sendable (any Error) -> Void
    ) {
        self.database = database
        self.changes = changes
        self.board = board
        self.rhythm = rhythm
        self.failed = failed
    }

    var count: Int { watchers.withLock(\.all.count) }

    /// Sends everybody a last event and ends their streams; from now on there are no new ones.
    func stop() {
        for stream in watchers.withLock({ $0.leave() }) { stream.sayGoodbye() }
    }

    /// A stream that begins with the board. Throws what asking for the board throws, and
    /// ``RankingRefusals/tooManyStreams``.
    func watch(_ period: Period, by caller: Caller, _ paging: Paging) async throws -> EventStream {
        let stream = EventStream(limit: 128 * 1024)
        let first = try await board.board(in: period, for: caller.uid, at: caller.position, paging)
        let watcher = Watcher(
            stream: stream, reader: caller.uid, signIn: caller.signIn, period: period, paging: paging,
            shown: first.fingerprint)
        stream.send(first.json, event: "leaderboard")
        let number = try watchers.withLock { watchers in
            let number = try watchers.add(watcher)
            if watchers.task == nil {
                watchers.task = Task(executorPreference: EventLoop.current) { await self.run(after: caller.position) }
            }
            return number
        }
        stream.onClose { [weak self] in self?.drop(number) }
        return stream
    }

    private func drop(_ number: Int) { watchers.withLock { _ = $0.all.removeValue(forKey: number) } }

    // MARK: The rounds

    private func run(after position: ChangeFeed.Position) async {
        var told = position
        var (checkedAt, pingedAt, lookedAt) = (SuspendingClock.now, SuspendingClock.now, SuspendingClock.now)
        while !Task.isCancelled {
            try? await Task.sleep(for: rhythm.changes)
            let all = watchers.withLock { watchers in
                if watchers.all.isEmpty { watchers.task = nil }
                return watchers.all
            }
            if all.isEmpty { return }
            let now = SuspendingClock.now
            if now - pingedAt >= rhythm.ping {
                pingedAt = now
                for watcher in all.values { watcher.stream.send("{}", event: "ping") }
            }
            do {
                let position = try await changes.position()
                let isLook = now - lookedAt >= rhythm.others
                let due = all.filter { _, watcher in
                    isLook || changes.hasNews(after: told.number) { $0.contains(watcher.reader) }
                }
                if now - checkedAt >= rhythm.access {
                    try await turnAway(all)
                    checkedAt = now
                } else if !due.isEmpty {
                    try await turnAway(due)
                }
                try await renew(due, at: position)
                told = position
                if isLook { lookedAt = now }
            } catch {
                if !Task.isCancelled { failed(error) }
            }
        }
    }

    /// Sends these what has changed for them, a few at a time: the others' requests come first.
    private func renew(_ watchers: [Int: Watcher], at position: ChangeFeed.Position) async throws {
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for (index, number) in watchers.keys.enumerated() {
                if index >= 4 { try await tasks.next() }
                tasks.addTask { try await self.renew(number, watchers[number]!, at: position) }
            }
            try await tasks.waitForAll()
        }
    }

    private func renew(_ number: Int, _ watcher: Watcher, at position: ChangeFeed.Position) async throws {
        let board = try await board.board(in: watcher.period, for: watcher.reader, at: position, watcher.paging)
        let shown = board.fingerprint
        guard shown != watchers.withLock({ $0.all[number]?.shown }) else { return }
        watcher.stream.send(board.json, event: "leaderboard")
        watchers.withLock { $0.all[number]?.shown = shown }
    }

    /// Ends the streams of those among these whose sign-in has ended.
    private func turnAway(_ watchers: [Int: Watcher]) async throws {
        let list = Array(watchers)
        let rows = try await database.read(
            """
            SELECT w.place::integer
            FROM unnest(\(list.map(\.value.reader))::uuid[], \(list.map(\.value.signIn))::uuid[])
              WITH ORDINALITY w (uid, sign_in, place)
            WHERE NOT is_signed_in(w.uid, w.sign_in)
            """)
        for place in try rows.decode(Int.self) {
            let number = list[place - 1].key
            self.watchers.withLock { $0.all.removeValue(forKey: number) }?.stream.close()
        }
    }
}
