import Foundation
import Groups
import HTTP
import Postgres

/// Boards from the database; those of large groups through the cache.
struct BoardStore: Sendable {
    let database: Database
    let cache: BoardCache
    private let past = PastBoards()

    init(database: Database, cache: BoardCache) {
        self.database = database
        self.cache = cache
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
    /// `future_instant`, `instant_before_period` and `too_many_past_boards`. Begun later than that moment of the cache, if
    /// one is given. A board that is shared, because others ask for it in the same moment, is computed once for them all.
    func board(
        of group: UUID, _ period: Period, _ order: Leaderboard.Order, for reader: UUID, _ paging: Paging,
        later moment: Int? = nil, isShared: Bool = false
    ) async throws -> Leaderboard {
        let cursor = try Cursor(paging)
        guard cursor == nil || cursor?.order == order else { throw Paging.invalidCursor }
        if isShared || cache.isLarge(group), period.knownAt == nil {
            guard try await isMember(reader, of: group) else { throw RankingError.groupNotFound }
            let key = BoardCache.Key(
                group: group, order: order, length: period.length, firstDay: period.firstDay)
            if let cursor {
                if let whole = cache.kept(key), cursor.goesOn(whole) { return cut(whole, key, cursor, reader, paging) }
            } else {
                let whole = try await cache.board(key, later: moment) { try await self.whole(key) }
                return cut(whole, key, nil, reader, paging)
            }
        }
        return try await page(of: group, period, order, cursor, for: reader, paging)
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

    private func cut(
        _ whole: WholeBoard, _ key: BoardCache.Key, _ cursor: Cursor?, _ reader: UUID, _ paging: Paging
    ) -> Leaderboard {
        let places = whole.places(for: reader, below: cursor.map { ($0.score, $0.uid) }, limit: paging.limit)
        return Leaderboard(
            group: whole.group, key.order, key.length, whole.frame, places, asOf: whole.asOf, days: whole.days,
            entriesText: cursor == nil ? whole.firstPage(for: reader, limit: paging.limit) : nil
        ) {
            Cursor(whole.frame.firstDay, isPast: false, key.order, below: $0).text
        }
    }
}

extension BoardStore.Cursor {
    fileprivate init?(_ paging: Paging) throws {
        guard let after = paging.after else { return nil }
        guard after.count == 6, let firstDay = Day(after[0]), let asOf = Instant(after[1]),
            let isPast = Bool(after[2]), let order = Leaderboard.Order(rawValue: after[3]), let score = Int(after[4]),
            let uid = UUID(uuidString: after[5])
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
