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
        let top = places.filter { $0.section == .top }
        return Leaderboard(
            group: Leaderboard.Group(id: group, name: heading.name), period: length,
            at: length.name(heading.firstDay), rules: heading.rules, startsAt: heading.startsAt,
            endsAt: heading.endsAt, state: heading.state, asOf: places.first?.asOf ?? cursor?.asOf ?? heading.now,
            participants: places.first?.participants ?? 0, entries: top.map(\.entry),
            me: places.first { $0.section == .me }.map { mine in
                Leaderboard.Mine(
                    entry: mine.entry, gapToNextSeconds: mine.gapToNext,
                    neighbours: places.filter { $0.section == .neighbour }.map(\.entry))
            },
            next: top.last.flatMap { $0.more ? Cursor(heading.firstDay, isPast: knownAt != nil, below: $0).text : nil })
    }
}

/// One row of a board as the schema answers it.
private struct Place {
    enum Section: String, PostgresDecodable {
        case top, me, neighbour
    }

    let section: Section
    let entry: Leaderboard.Entry
    let participants: Int
    let gapToNext: Int?
    let more: Bool
    let asOf: Instant

    init(_ row: Row) throws {
        let (
            section, rank, uid, nickname, seconds, manualSeconds, studying, change, participants, gapToNext, more,
            asOf
        ) = try row.decode(
            Section.self, Int.self, UUID.self, String.self, Int.self, Int.self, Bool.self, Int?.self,
            Int.self, Int?.self, Bool?.self, Instant.self)
        self.section = section
        entry = Leaderboard.Entry(
            rank: rank, uid: uid, nickname: nickname, avatarURL: nil, seconds: seconds, manualSeconds: manualSeconds,
            studying: studying, change: change)
        self.participants = participants
        self.gapToNext = gapToNext
        self.more = more ?? false
        self.asOf = asOf
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
