import Accounts
import Foundation
import Groups
import HTTP
import Postgres

/// Boards from the database; those of large groups, and those that many look at, through the cache.
struct BoardStore: Sendable {
    let database: Database
    let cache: BoardCache
    private let past = PastBoards()

    init(database: Database, cache: BoardCache) {
        self.database = database
        self.cache = cache
    }

    /// One page of a board: out of the database, or out of a board that is kept.
    enum Page {
        case read(Leaderboard)
        case kept(KeptPage)
    }

    /// Where the next page of a board goes on: below this place, at the first page's instant.
    struct Cursor {
        let firstDay: Day
        let asOf: Instant
        /// Whether the board is of a past instant.
        let isPast: Bool
        let order: Leaderboard.Order
        let score: Int
        let uid: UUID
    }

    /// One page of a group's board; throws `not_found` for who is not in the group, `future_period`,
    /// `future_instant`, `instant_before_period` and `too_many_past_boards`. `changes` are those the caller was let in by.
    func page(
        of group: UUID, _ period: Period, _ order: Leaderboard.Order, for caller: Caller, _ paging: Paging,
        _ changes: Changes
    ) async throws -> Page {
        let cursor = try Cursor(paging, order)
        let key = BoardCache.Key(group: group, order: order, length: period.length, firstDay: period.firstDay)
        if period.knownAt == nil, cache.isLarge(group) {
            try await admit(caller, to: group, changes)
            if let page = try await keptPage(key, cursor, for: caller.uid, paging, later: nil) { return .kept(page) }
        } else if period.knownAt == nil, cursor == nil, cache.isInDemand(key) {
            let moment = if let moment = caller.moment { moment } else { try await changes.moment() }
            try await admit(caller, to: group, changes)
            let whole = try await cache.board(key, at: moment, changes) { try await self.whole(key) }
            return .kept(KeptPage(whole: whole, key: key, cursor: nil, reader: caller.uid, paging: paging))
        }
        return .read(try await page(of: group, period, order, cursor, for: caller.uid, paging))
    }

    /// The first page for somebody who watches, begun later than that moment of the cache; computed once for all of them
    /// if it is shared.
    func board(
        _ key: BoardCache.Key, for reader: UUID, _ paging: Paging, later moment: Int, isShared: Bool
    ) async throws -> Leaderboard {
        if isShared || cache.isLarge(key.group) {
            guard try await isMember(reader, of: key.group) else { throw RankingError.groupNotFound }
            if let page = try await keptPage(key, nil, for: reader, paging, later: moment) { return page.board }
        }
        return try await page(
            of: key.group, key.length, key.firstDay, key.order, asOf: nil, nil, for: reader, paging)
    }

    private func keptPage(
        _ key: BoardCache.Key, _ cursor: Cursor?, for reader: UUID, _ paging: Paging, later moment: Int?
    ) async throws -> KeptPage? {
        let whole: WholeBoard
        if let cursor {
            guard let kept = cache.kept(key), cursor.goesOn(kept) else { return nil }
            whole = kept
        } else {
            whole = try await cache.board(key, later: moment) { try await self.whole(key) }
        }
        return KeptPage(whole: whole, key: key, cursor: cursor, reader: reader, paging: paging)
    }

    /// Throws `not_found` for who is not in the group, which is remembered of who is.
    private func admit(_ caller: Caller, to group: UUID, _ changes: Changes) async throws {
        if caller.moment != nil, cache.isMember(caller.uid, of: group, changes) { return }
        let heard = changes.number
        guard try await isMember(caller.uid, of: group) else { throw RankingError.groupNotFound }
        cache.note(caller.uid, in: group, heard: heard)
    }

    private func page(
        of group: UUID, _ period: Period, _ order: Leaderboard.Order, _ cursor: Cursor?, for reader: UUID,
        _ paging: Paging
    ) async throws -> Leaderboard {
        let (length, firstDay) = (period.length, period.firstDay ?? cursor?.firstDay)
        let knownAt = cursor.map { $0.isPast ? $0.asOf : nil } ?? period.knownAt
        let page = { @Sendable in
            try await self.page(of: group, length, firstDay, order, asOf: knownAt, cursor, for: reader, paging)
        }
        return knownAt != nil && cache.isLarge(group) ? try await past.alone(in: database, page) : try await page()
    }

    private func page(
        of group: UUID, _ length: Period.Length, _ firstDay: Day?, _ order: Leaderboard.Order, asOf knownAt: Instant?,
        _ cursor: Cursor?, for reader: UUID, _ paging: Paging
    ) async throws -> Leaderboard {
        // Both are asked for at once and travel together.
        async let frame = BoardFrame(of: group, length, firstDay, asOf: knownAt, for: reader, in: database)
        async let rows = database.read(
            """
            SELECT section, rank, uid, nickname, seconds, manual_seconds, studying, change, participants,
              gap_to_next, more, as_of, goal_permille, days_met, days
            FROM board(\(reader), \(group), \(length.rawValue), \(firstDay), \(cursor?.asOf),
              \(cursor?.score), \(cursor?.uid), \(paging.limit), \(knownAt), \(order.rawValue))
            """)
        let heading = try await frame
        let places = try await rows.map(Place.init)
        let board = Leaderboard(
            group: Leaderboard.Group(id: group, name: heading.name), order, length, heading, places,
            asOf: places.first?.asOf ?? cursor?.asOf ?? heading.now, days: places.first?.days
        ) { Cursor(heading.firstDay, isPast: knownAt != nil, order, below: $0).text }
        cache.note(group, has: board.participants)
        return board
    }

    private func isMember(_ reader: UUID, of group: UUID) async throws -> Bool {
        try await !database.read("SELECT 1 FROM group_members WHERE uid = \(reader) AND group_id = \(group)").isEmpty
    }

    /// The board of now with everybody on it.
    func whole(_ key: BoardCache.Key) async throws -> WholeBoard {
        let frame = try await BoardFrame(ofWhole: key.group, key.length, key.firstDay, in: database)
        let rows = try await database.read(
            """
            SELECT w.visibility = 'hidden', w.rank, w.uid, u.nickname, w.seconds, w.manual_seconds, w.studying, w.change,
              w.score, w.goal_permille, w.days_met, w.days
            FROM whole_board(\(key.group), \(key.length.rawValue), \(frame.firstDay), \(frame.now),
              sorting => \(key.order.rawValue)) w
            LEFT JOIN users u USING (uid)
            ORDER BY w.score DESC, w.uid DESC
            """)
        return try WholeBoard(of: key.group, frame, rows)
    }
}

/// What one reader sees of a board that is kept.
struct KeptPage: Sendable {
    fileprivate let whole: WholeBoard
    fileprivate let key: BoardCache.Key
    fileprivate let cursor: BoardStore.Cursor?
    fileprivate let reader: UUID
    fileprivate let paging: Paging

    var board: Leaderboard { board(isWritten: false) }

    /// The same as JSON. What nearly everybody sees alike is not written again.
    var json: [UInt8] { board(isWritten: true).json }

    private func board(isWritten: Bool) -> Leaderboard {
        let text = cursor == nil ? whole.firstPage(for: reader, limit: paging.limit) : nil
        let places = whole.places(
            for: reader, below: cursor.map { ($0.score, $0.uid) }, limit: paging.limit,
            isWritten: isWritten && text != nil)
        return Leaderboard(
            group: whole.group, key.order, key.length, whole.frame, places, asOf: whole.asOf, days: whole.days,
            entriesText: text
        ) {
            BoardStore.Cursor(whole.frame.firstDay, isPast: false, key.order, below: $0).text
        }
    }

    /// The ETag that ``note(_:)`` was told.
    var tag: String? { cursor == nil ? whole.tag(for: reader, limit: paging.limit) : nil }

    func note(_ tag: String) { if cursor == nil { whole.note(tag, for: reader, limit: paging.limit) } }
}

extension BoardStore.Cursor {
    fileprivate init?(_ paging: Paging, _ wanted: Leaderboard.Order) throws {
        guard let after = paging.after else { return nil }
        guard after.count == 6, let firstDay = Day(after[0]), let asOf = Instant(after[1]),
            let isPast = Bool(after[2]), let order = Leaderboard.Order(rawValue: after[3]), let score = Int(after[4]),
            let uid = UUID(uuidString: after[5]), order == wanted
        else { throw Paging.invalidCursor }
        self.init(firstDay: firstDay, asOf: asOf, isPast: isPast, order: order, score: score, uid: uid)
    }

    fileprivate init(_ firstDay: Day, isPast: Bool, _ order: Leaderboard.Order, below place: Place) {
        self.init(
            firstDay: firstDay, asOf: place.asOf, isPast: isPast, order: order, score: order.score(place.entry),
            uid: place.entry.uid)
    }

    fileprivate var text: String { Paging.cursor(firstDay, asOf, isPast, order.rawValue, score, uid) }

    /// Whether the page before was of that very board.
    fileprivate func goesOn(_ whole: WholeBoard) -> Bool {
        !isPast && firstDay == whole.frame.firstDay && asOf == whole.asOf
    }
}
