import API
import Accounts
import Foundation
import HTTP
import Postgres
import Reactor
import Synchronization
import Time

/// The boards that somebody watches. While there are watchers, one task asks once a second what has changed, and sends
/// each changed board to those who watch it. While nothing changes, a watcher costs only pings and access checks. What
/// hidden people do reaches others only with a ping, whose time tells nothing; at each ping, boards with hidden people
/// are computed again.
package final class LiveBoards: Sendable {
    /// Polling intervals.
    package struct Rhythm: Sendable {
        package var changes = Duration.seconds(1)
        package var access = Duration.seconds(3)
        /// How often others' changes of the global board are looked at.
        package var others = Duration.seconds(5)
        package var ping = Duration.seconds(15)

        package init() {}
    }

    private struct State {
        var watchers = Watchers<BoardWatcher>()
        /// What the watched boards were when they were last read.
        var boards: [BoardRequest.Key: Watched] = [:]
    }

    private struct Watched {
        let whole: WholeBoard
        /// When the board next changes without a write.
        let turnsAt: Instant
    }

    private let database: Database
    private let changes: ChangeFeed
    private let boards: BoardStore
    let everyone: LiveGlobalBoard
    private let rhythm: Rhythm
    private let failed: @Sendable (any Error) -> Void
    private let state = Mutex(State())

    /// `failed` learns why a round came to nothing; the next one makes up for it.
    init(
        database: Database, changes: ChangeFeed, boards: BoardStore, everyone: GlobalBoardStore,
        rhythm: Rhythm = Rhythm(),
        failed: @escaping @Sendable (any Error) -> Void
    ) {
        self.database = database
        self.changes = changes
        self.boards = boards
        self.everyone = LiveGlobalBoard(
            database: database, changes: changes, board: everyone, rhythm: rhythm, failed: failed)
        self.rhythm = rhythm
        self.failed = failed
    }

    /// How many streams are open.
    package var count: Int { state.withLock(\.watchers.all.count) + everyone.count }

    /// Removes the changes that nobody can ask for any more; to be called every minute.
    package func forget() async throws { try await database.write("SELECT forget_changes()") }

    /// Sends everybody a last event and ends their streams; from now on there are no new ones.
    package func stop() {
        everyone.stop()
        for stream in state.withLock({ $0.watchers.leave() }) { stream.sayGoodbye() }
    }

    // MARK: Coming and going

    /// A stream of one board as one reader sees it, which begins with the board unless `lastID` says that the reader
    /// has it. Throws what asking for the board throws, and ``RankingRefusals/tooManyStreams``.
    func watch(_ request: BoardRequest, by caller: Caller, lastID: String?) async throws -> EventStream {
        let stream = EventStream(limit: 128 * 1024)
        let number = try state.withLock { try $0.watchers.add(BoardWatcher(request, caller, stream)) }
        do {
            let page = try await boards.page(request, at: caller.position)
            let watched = Watched(whole: page.whole, turnsAt: try await turn(of: request.group))
            let board = page.board
            let version = BoardVersion(request, changes, at: caller.position, turnsAt: watched.turnsAt)
            if !hasSeen(lastID, watched, version, request.reader, at: caller.position) {
                send(board, version, to: stream)
            }
            let shown = board.fingerprint
            state.withLock { state in
                state.watchers.all[number]?.shown = shown
                state.watchers.all[number]?.isReady = true
                // A round may have told the others meanwhile of what this page lacks.
                let isBehind = hasNews(for: request.reader, of: page.whole, after: caller.position.number)
                state.watchers.all[number]?.isDue = isBehind
                if state.boards[request.key] == nil { state.boards[request.key] = watched }
                begin(at: caller.position, &state)
            }
        } catch {
            drop(number)
            throw error
        }
        stream.onClose { [weak self] in self?.drop(number) }
        return stream
    }

    private func drop(_ number: Int) { state.withLock { _ = $0.watchers.all.removeValue(forKey: number) } }

    /// Whether the client that comes back with this event's id has the board.
    private func hasSeen(
        _ id: String?, _ watched: Watched, _ latest: BoardVersion, _ reader: ID, at position: ChangeFeed.Position
    ) -> Bool {
        guard let seen = id.flatMap(BoardVersion.init), (seen.feed, seen.view) == (latest.feed, latest.view),
            position.time < seen.turnsAt
        else { return false }
        return !hasNews(for: reader, of: watched.whole, after: seen.number)
    }

    /// Whether something has changed that this reader may see at once.
    private func hasNews(for reader: ID, of whole: WholeBoard, after number: Int) -> Bool {
        changes.hasNews(after: number) { whole.isSeenToChange(by: $0) || whole.hides(reader) && $0.contains(reader) }
    }

    private func begin(at position: ChangeFeed.Position, _ state: inout State) {
        guard state.watchers.task == nil, !state.watchers.areGone else { return }
        state.watchers.task = Task(executorPreference: EventLoop.current) { await self.run(after: position) }
    }

    // MARK: The rounds

    private func run(after position: ChangeFeed.Position) async {
        var told = position
        var (checkedAt, pingedAt) = (SuspendingClock.now, SuspendingClock.now)
        while !Task.isCancelled {
            try? await Task.sleep(for: rhythm.changes)
            let isOver = state.withLock { state in
                guard state.watchers.all.isEmpty else { return false }
                (state.watchers.task, state.boards) = (nil, [:])
                return true
            }
            if isOver { return }
            let now = SuspendingClock.now
            let isPing = now - pingedAt >= rhythm.ping
            if isPing {
                pingedAt = now
                for watcher in state.withLock({ $0.watchers.all.values }) where watcher.isReady {
                    watcher.stream.send("{}", event: "ping")
                }
            }
            do {
                let position = try await changes.position()
                let due = due(at: position, after: told, isPing: isPing)
                if now - checkedAt >= rhythm.access {
                    try await turnAway(state.withLock(\.watchers.all))
                    checkedAt = now
                } else {
                    try await turnAway(due)
                }
                await renew(due, at: position)
                told = position
            } catch {
                if !Task.isCancelled { failed(error) }
            }
        }
    }

    /// The watchers whose board has changed, or could not be sent in an earlier round. With a ping also those of boards
    /// with hidden people, whatever has changed.
    private func due(
        at position: ChangeFeed.Position, after told: ChangeFeed.Position, isPing: Bool
    ) -> [Int: BoardWatcher] {
        state.withLock { state in
            let watched = Set(state.watchers.all.values.map(\.request.key))
            state.boards = state.boards.filter { watched.contains($0.key) }
            let due = state.boards.filter { _, board in
                position.time >= board.turnsAt || isPing && board.whole.hidesSomebody
                    || changes.hasNews(after: told.number, board.whole.isSeenToChange)
            }
            return state.watchers.all.filter { _, watcher in
                guard watcher.isReady else { return false }
                if watcher.isDue || due[watcher.request.key] != nil { return true }
                let (reader, whole) = (watcher.reader, state.boards[watcher.request.key]?.whole)
                return whole?.hides(reader) == true && changes.hasNews(after: told.number) { $0.contains(reader) }
            }
        }
    }

    /// Sends their board to these.
    private func renew(_ watchers: [Int: BoardWatcher], at position: ChangeFeed.Position) async {
        let boards = Dictionary(grouping: watchers.keys) { watchers[$0]!.request.key }
        // A few at a time: the others' requests come first.
        await withTaskGroup(of: Void.self) { tasks in
            for (index, numbers) in boards.values.enumerated() {
                if index >= 4 { await tasks.next() }
                tasks.addTask { await self.renew(numbers, of: watchers[numbers[0]]!.request, at: position) }
            }
        }
    }

    /// Sends these watchers of one board what they see of it.
    private func renew(_ numbers: [Int], of request: BoardRequest, at position: ChangeFeed.Position) async {
        do {
            async let turnsAt = turn(of: request.group)
            let whole = try await boards.whole(request, at: position)
            let watched = Watched(whole: whole, turnsAt: try await turnsAt)
            state.withLock { $0.boards[request.key] = watched }
            for number in numbers {
                guard let watcher = state.withLock({ $0.watchers.all[number] }) else { continue }
                let board = BoardPage(request: watcher.request, whole: whole).board
                let shown = board.fingerprint
                if shown != watcher.shown {
                    let version = BoardVersion(watcher.request, changes, at: position, turnsAt: watched.turnsAt)
                    send(board, version, to: watcher.stream)
                }
                state.withLock { state in
                    state.watchers.all[number]?.shown = shown
                    state.watchers.all[number]?.isDue = false
                }
                await Task.yield()
            }
        } catch is Refusal {
            for number in numbers { close(number) }
        } catch {
            state.withLock { state in for number in numbers { state.watchers.all[number]?.isDue = true } }
            if !Task.isCancelled { failed(error) }
        }
    }

    private func send(_ board: Leaderboard, _ version: BoardVersion, to stream: EventStream) {
        stream.send(board.json, event: "leaderboard", id: version.description)
    }

    /// When the board changes though nobody writes: its study day ends, or a suspension.
    private func turn(of group: ID) async throws -> Instant {
        let turnsAt: Instant? = try await database.read("SELECT board_turns_at(\(group)) AS at")[0]["at"]
        guard let turnsAt else { throw Refusal.ranking.groupNotFound }
        return turnsAt
    }

    // MARK: Access

    /// Ends the streams of those among these who left the group or whose sign-in has ended.
    private func turnAway(_ watchers: [Int: BoardWatcher]) async throws {
        if watchers.isEmpty { return }
        let list = Array(watchers)
        let rows = try await database.read(
            """
            SELECT w.place::integer
            FROM unnest(\(list.map(\.value.request.reader))::uuid[], \(list.map(\.value.signIn))::uuid[],
              \(list.map(\.value.request.group))::uuid[]) WITH ORDINALITY w (uid, sign_in, group_id, place)
            WHERE NOT is_signed_in(w.uid, w.sign_in)
              OR NOT EXISTS (SELECT FROM group_members m WHERE m.uid = w.uid AND m.group_id = w.group_id)
            """)
        for place in try rows.decode(Int.self) { close(list[place - 1].key) }
    }

    private func close(_ number: Int) {
        let watcher = state.withLock { $0.watchers.all.removeValue(forKey: number) }
        watcher?.stream.close()
    }
}
