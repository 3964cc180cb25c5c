import Accounts
import Postgres
import Reactor
import Synchronization
import Time

/// Boards with everybody on them, each kept for a second at most. However many look at one, it is computed once.
///
/// Those of large groups may be as old as that; but whoever changed something, or heard of it from here, never gets one
/// from before. Those of all other groups are kept only while they are what the database would answer in that moment.
package final class BoardCache: Sendable {
    /// What is asked of a board by everybody alike.
    struct Key: Hashable, Sendable {
        let group: ID
        let order: Leaderboard.Order
        let length: Period.Length
        /// nil for the period that is under way.
        let firstDay: Day?
    }

    private struct Kept {
        let board: WholeBoard
        /// Of this number was the load that brought it.
        let number: Int
        let begunAt: ContinuousClock.Instant
        /// It has all that so many answers of ``Changes`` told of.
        var heard: Int
    }

    private struct Load {
        let task: Task<WholeBoard, any Error>
        let number: Int
        /// How many answers of ``Changes`` had come when it began.
        let heard: Int
        /// What was changed since it began: the board has it or not.
        var changed: Set<ID> = []
    }

    private enum Found {
        case kept(WholeBoard)
        case loading(Load)
    }

    private struct State {
        var kept: [Key: Kept] = [:]
        var loads: [Key: Load] = [:]
        /// How many loads have begun.
        var number = 0
        /// The groups above the size, as far as their boards have been seen.
        var large: Set<ID> = []
        /// When a board was last asked for.
        var askedAt: [Key: ContinuousClock.Instant] = [:]
        /// Who was in which group, and how many answers of ``Changes`` had come before that was read.
        var members: [Member: Int] = [:]
    }

    private struct Member: Hashable {
        let uid: ID
        let group: ID
    }

    private let size: Int
    private let life: Duration
    private let mostSeats: Int
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = Mutex(State())

    /// Keeps the boards of groups above `size` members for `life`, and never more than `mostSeats` of all of them.
    package init(
        above size: Int = 500, for life: Duration = .seconds(1), mostSeats: Int = 50_000,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.size = size
        self.life = life
        self.mostSeats = mostSeats
        self.now = now
    }

    // MARK: Which groups

    func isLarge(_ group: ID) -> Bool { state.withLock { $0.large.contains(group) } }

    /// Learns how many are on a board of that group.
    func note(_ group: ID, has members: Int) {
        guard members > size else { return }
        state.withLock { state in
            // (A set of so many would be of no use to anybody; it fills again.)
            if state.large.count >= 10_000 { state.large = [] }
            state.large.insert(group)
        }
    }

    // MARK: Boards

    /// So many boards have been begun: one that is asked for as later than this began after this moment.
    var moment: Int { state.withLock(\.number) }

    /// The board if it is kept.
    func kept(_ key: Key) -> WholeBoard? {
        let now = now()
        return state.withLock { state in state.kept[key].flatMap { now - $0.begunAt < life ? $0.board : nil } }
    }

    /// A board that is at most a second old and has every change that ``drop(_:)`` was told of; one that was begun later
    /// than that moment, if one is given.
    func board(
        _ key: Key, later moment: Int? = nil, load: @escaping @Sendable () async throws -> WholeBoard
    ) async throws -> WholeBoard {
        let asked = self.moment
        while true {
            let found: Found = state.withLock { state in
                let now = now()
                if let kept = state.kept[key], now - kept.begunAt < life, kept.number > moment ?? 0 {
                    // The next one is begun before this one is too old, so that hardly anybody waits.
                    let isDue = now - kept.begunAt >= life * 0.75
                    if isDue, state.loads[key] == nil { _ = begin(key, load, &state) }
                    return .kept(kept.board)
                }
                return .loading(state.loads[key] ?? begin(key, load, &state))
            }
            switch found {
            case .kept(let board): return board
            case .loading(let load):
                let board = try await load.task.value
                if load.number > moment ?? asked || moment == nil && !board.concerns(load.changed) { return board }
            }
        }
    }

    /// Whether it is worth while to keep this board: somebody asked for it within the second before.
    func isInDemand(_ key: Key) -> Bool {
        let now = now()
        return state.withLock { state in
            if state.askedAt.count >= 10_000 { state.askedAt = state.askedAt.filter { now - $0.value < life } }
            return state.askedAt.updateValue(now, forKey: key).map { now - $0 < life } ?? false
        }
    }

    /// The board as the database has it in that moment, or later.
    func board(
        _ key: Key, at moment: Changes.Moment, _ changes: Changes,
        load: @escaping @Sendable () async throws -> WholeBoard
    ) async throws -> WholeBoard {
        while true {
            if let kept = state.withLock({ $0.kept[key] }), holds(kept.board, since: kept.heard, at: moment, changes) {
                if moment.number > kept.heard {
                    state.withLock { if $0.kept[key]?.number == kept.number { $0.kept[key]?.heard = moment.number } }
                }
                return kept.board
            }
            let number = changes.number
            let load = state.withLock { $0.loads[key] ?? begin(key, load, &$0, heard: number) }
            let board = try await load.task.value
            // What has begun since then is later, whatever was heard of meanwhile.
            if load.heard >= moment.number || holds(board, since: load.heard, at: moment, changes) { return board }
        }
    }

    /// Whether it is of that second, and nothing was heard of anybody on it that it may lack.
    private func holds(_ board: WholeBoard, since heard: Int, at moment: Changes.Moment, _ changes: Changes) -> Bool {
        board.asOf >= moment.time && changes.heard(since: heard).map { !board.concerns($0) } ?? false
    }

    private func begin(
        _ key: Key, _ load: @escaping @Sendable () async throws -> WholeBoard, _ state: inout State, heard: Int = -1
    ) -> Load {
        state.number += 1
        let (number, begunAt) = (state.number, now())
        let task = Task(executorPreference: EventLoop.current) {
            do {
                let board = try await load()
                self.state.withLock { state in
                    let changed = state.loads.removeValue(forKey: key)?.changed ?? []
                    guard !board.concerns(changed) else { return }
                    self.keep(Kept(board: board, number: number, begunAt: begunAt, heard: heard), key, &state)
                }
                return board
            } catch {
                self.state.withLock { _ = $0.loads.removeValue(forKey: key) }
                throw error
            }
        }
        let begun = Load(task: task, number: number, heard: heard)
        state.loads[key] = begun
        return begun
    }

    private func keep(_ board: Kept, _ key: Key, _ state: inout State) {
        let now = now()
        state.kept = state.kept.filter { now - $0.value.begunAt < life }
        state.kept[key] = board
        var seats = state.kept.values.reduce(0) { $0 + $1.board.count }
        while seats > mostSeats, let oldest = state.kept.min(by: { $0.value.number < $1.value.number }) {
            seats -= oldest.value.board.count
            state.kept[oldest.key] = nil
        }
    }

    /// Lets go of each board that one of these ids is on or is the group of; to be told before the answer to whatever
    /// may have changed something.
    package func drop(_ changed: Set<ID>) {
        let now = now()
        state.withLock { state in
            for key in state.loads.keys { state.loads[key]?.changed.formUnion(changed) }
            state.kept = state.kept.filter { now - $0.value.begunAt < life && !$0.value.board.concerns(changed) }
        }
    }

    // MARK: Members

    /// Whether they are known to be in that group, and nothing was heard of it since.
    func isMember(_ uid: ID, of group: ID, _ changes: Changes) -> Bool {
        guard let heard = state.withLock({ $0.members[Member(uid: uid, group: group)] }) else { return false }
        return changes.isSilent(about: group, since: heard)
    }

    /// Learns that they are, from what was read after so many answers of `changes` had come.
    func note(_ uid: ID, in group: ID, heard: Int) {
        state.withLock { state in
            if state.members.count >= 50_000 { state.members = [:] }
            state.members[Member(uid: uid, group: group)] = heard
        }
    }
}
