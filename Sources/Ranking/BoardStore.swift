import API
import Accounts
import Groups
import HTTP
import Postgres
import Time

/// Boards from the database; those of large groups, and those that many look at, through the cache.
struct BoardStore: Sendable {
    let database: Database
    let cache: BoardCache
    private let past = PastBoards()

    init(database: Database, cache: BoardCache) {
        self.database = database
        self.cache = cache
    }

    /// One page of a group's board; throws `not_found` for who is not in the group, `future_period`,
    /// `future_instant`, `instant_before_period` and `too_many_past_boards`. `changes` are those the caller was let in by.
    func page(
        of group: ID, _ period: Period, _ order: Leaderboard.Order, for caller: Caller, _ paging: Paging,
        _ changes: Changes
    ) async throws -> BoardPage {
        let cursor = try BoardCursor(paging, order)
        let key = BoardCache.Key(
            group: group, order: order, length: period.length, firstDay: period.firstDay ?? cursor?.firstDay)
        let knownAt = cursor.map { $0.isPast ? $0.asOf : nil } ?? period.knownAt
        let whole: WholeBoard
        if let kept = try await kept(key, knownAt, cursor, for: caller, changes) {
            whole = kept
        } else {
            let load = { @Sendable in
                try await self.whole(key, at: cursor?.asOf, knownAt: knownAt, for: caller.uid)
            }
            whole = knownAt != nil && cache.isLarge(group) ? try await past.alone(in: database, load) : try await load()
            cache.note(group, has: whole.count)
        }
        return BoardPage(
            whole: whole, order: order, length: key.length, cursor: cursor, isPast: knownAt != nil,
            reader: caller.uid, limit: paging.limit)
    }

    /// The board out of the cache, for who is in the group; nil where it is to be read.
    private func kept(
        _ key: BoardCache.Key, _ knownAt: Instant?, _ cursor: BoardCursor?, for caller: Caller, _ changes: Changes
    ) async throws -> WholeBoard? {
        guard knownAt == nil else { return nil }
        if cache.isLarge(key.group) {
            try await admit(caller, to: key.group, changes)
            if let cursor { return cache.kept(key).flatMap { $0.asOf == cursor.asOf ? $0 : nil } }
            return try await cache.board(key) { try await self.whole(key) }
        }
        guard cursor == nil, cache.isInDemand(key) else { return nil }
        let moment = if let moment = caller.moment { moment } else { try await changes.moment() }
        try await admit(caller, to: key.group, changes)
        return try await cache.board(key, at: moment, changes) { try await self.whole(key) }
    }

    /// The first page for somebody who watches, begun later than that moment of the cache; computed once for all of them
    /// if it is shared.
    func board(
        _ key: BoardCache.Key, for reader: ID, _ paging: Paging, later moment: Int, isShared: Bool
    ) async throws -> Leaderboard {
        let whole: WholeBoard
        if isShared || cache.isLarge(key.group) {
            guard try await isMember(reader, of: key.group) else { throw Refusal.ranking.groupNotFound }
            whole = try await cache.board(key, later: moment) { try await self.whole(key) }
        } else {
            whole = try await self.whole(key, for: reader)
            cache.note(key.group, has: whole.count)
        }
        return BoardPage(
            whole: whole, order: key.order, length: key.length, cursor: nil, isPast: false, reader: reader,
            limit: paging.limit
        ).board
    }

    /// Throws `not_found` for who is not in the group, which is remembered of who is.
    private func admit(_ caller: Caller, to group: ID, _ changes: Changes) async throws {
        if caller.moment != nil, cache.isMember(caller.uid, of: group, changes) { return }
        let heard = changes.number
        guard try await isMember(caller.uid, of: group) else { throw Refusal.ranking.groupNotFound }
        cache.note(caller.uid, in: group, heard: heard)
    }

    private func isMember(_ reader: ID, of group: ID) async throws -> Bool {
        try await !database.read("SELECT 1 FROM group_members WHERE uid = \(reader) AND group_id = \(group)").isEmpty
    }

    /// A board with everybody on it: of now, of the instant of an earlier page, or as it was known at a past one. Throws
    /// `not_found` also for a reader who is not in the group.
    func whole(
        _ key: BoardCache.Key, at instant: Instant? = nil, knownAt: Instant? = nil, for reader: ID? = nil
    ) async throws -> WholeBoard {
        let rows = try await Refusal.ranking.mapConstraints {
            try await database.read(
                """
                SELECT rank, score, visibility, uid, nickname, seconds, manual_seconds, studying, change, goal_permille,
                  days_met, name, first_day, starts_at, ends_at, state, server_time, time_zone, day_starts_at,
                  daily_cap_seconds, manual_counts, as_of, days
                FROM board(\(key.group), \(key.length.rawValue), \(key.firstDay), \(instant), \(knownAt),
                  \(key.order.rawValue), \(reader))
                """)
        }
        return try WholeBoard(of: key.group, rows)
    }
}
