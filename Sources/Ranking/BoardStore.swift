import Foundation
import Groups
import HTTP
import Postgres

/// Boards from the database.
struct BoardStore: Sendable {
    let database: Database

    /// Where the next page of a board goes on: below this place, at the first page's instant.
    struct Cursor {
        let firstDay: Day
        let asOf: Instant
        /// Whether the board is of a past instant.
        let isPast: Bool
        let seconds: Int
        let uid: UUID
    }

    /// One page of a group's board; throws `not_found` for who is not in the group, `future_period`,
    /// `future_instant` and `instant_before_period`.
    func board(
        of group: UUID, _ period: Period, for reader: UUID, _ paging: Paging
    ) async throws -> Leaderboard {
        let cursor = try Cursor(paging)
        let (length, firstDay) = (period.length, period.firstDay ?? cursor?.firstDay)
        let knownAt = cursor.map { $0.isPast ? $0.asOf : nil } ?? period.knownAt
        // Both are asked for at once and travel together.
        async let frame = BoardFrame(of: group, length, firstDay, asOf: knownAt, for: reader, in: database)
        async let rows = database.read(
            """
            SELECT section, rank, uid, nickname, seconds, manual_seconds, studying, change, participants,
              gap_to_next_seconds, more, as_of
            FROM board(\(reader), \(group), \(length.rawValue), \(firstDay), \(cursor?.asOf),
              \(cursor?.seconds), \(cursor?.uid), \(paging.limit), \(knownAt))
            """)
        let heading = try await frame
        let places = try await rows.map(Place.init)
        return Leaderboard(
            group: Leaderboard.Group(id: group, name: heading.name), length, heading, places,
            asOf: places.first?.asOf ?? cursor?.asOf ?? heading.now
        ) { Cursor(heading.firstDay, isPast: knownAt != nil, below: $0).text }
    }
}

extension BoardStore.Cursor {
    fileprivate init?(_ paging: Paging) throws {
        guard let after = paging.after else { return nil }
        guard after.count == 5, let firstDay = Day(after[0]), let asOf = Instant(after[1]),
            let isPast = Bool(after[2]), let seconds = Int(after[3]), let uid = UUID(uuidString: after[4])
        else { throw Paging.invalidCursor }
        self.init(firstDay: firstDay, asOf: asOf, isPast: isPast, seconds: seconds, uid: uid)
    }

    fileprivate init(_ firstDay: Day, isPast: Bool, below place: Place) {
        self.init(
            firstDay: firstDay, asOf: place.asOf, isPast: isPast, seconds: place.entry.seconds, uid: place.entry.uid)
    }

    fileprivate var text: String { Paging.cursor(firstDay, asOf, isPast, seconds, uid) }
}
