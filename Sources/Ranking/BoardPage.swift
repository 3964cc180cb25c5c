import API
import HTTP
import Postgres
import Time

/// One page of a board, as one reader sees it.
struct BoardPage: Sendable {
    let whole: WholeBoard
    let order: Leaderboard.Order
    let length: Period.Length
    /// nil for the first page.
    let cursor: BoardCursor?
    /// Whether the board is of a past instant.
    let isPast: Bool
    let reader: ID
    let limit: Int

    var board: Leaderboard { board(entriesText: nil) }

    /// The same as JSON. What nearly everybody sees alike is not written again.
    var json: [UInt8] {
        board(entriesText: cursor == nil ? whole.firstPage(for: reader, limit: limit) : nil).json
    }

    private func board(entriesText: [UInt8]?) -> Leaderboard {
        let (entries, next) = whole.page(for: reader, from: cursor?.place, limit: limit)
        let frame = whole.frame
        return Leaderboard(
            group: whole.group, order: order, period: length, at: length.name(frame.firstDay), rules: frame.rules,
            startsAt: frame.startsAt, endsAt: frame.endsAt, state: frame.state, asOf: whole.asOf,
            participants: whole.count, days: whole.days, entries: entries, entriesText: entriesText,
            me: cursor == nil ? whole.mine(reader) : nil,
            next: next.map {
                BoardCursor(firstDay: frame.firstDay, asOf: whole.asOf, isPast: isPast, order: order, place: $0).text
            })
    }

    /// The ETag that ``note(_:)`` was told.
    var tag: String? { cursor == nil ? whole.tag(for: reader, limit: limit) : nil }

    func note(_ tag: String) { if cursor == nil { whole.note(tag, for: reader, limit: limit) } }
}

/// Where the next page of a board goes on: at this place, at the first page's instant. Nothing of who hides is in it.
struct BoardCursor: Sendable {
    let firstDay: Day
    let asOf: Instant
    /// Whether the board is of a past instant.
    let isPast: Bool
    let order: Leaderboard.Order
    let place: WholeBoard.Place
}

extension BoardCursor {
    init?(_ paging: Paging, _ wanted: Leaderboard.Order) throws {
        guard let after = paging.after else { return nil }
        guard after.count == 7, let firstDay = Day(after[0]), let asOf = Instant(after[1]),
            let isPast = Bool(after[2]), let order = Leaderboard.Order(rawValue: after[3]), order == wanted,
            let skipped = Int(after[6]), (0...100_000).contains(skipped)
        else { throw Paging.invalidCursor }
        var below: WholeBoard.Place.Anchor?
        if after[4] != "-" || after[5] != "-" {
            guard let score = Int(after[4]), let uid = ID(after[5]) else { throw Paging.invalidCursor }
            below = .init(score: score, uid: uid)
        }
        self.init(
            firstDay: firstDay, asOf: asOf, isPast: isPast, order: order,
            place: .init(below: below, skipped: skipped))
    }

    var text: String {
        Paging.cursor(
            firstDay, asOf, isPast, order.rawValue, place.below.map { "\($0.score)" } ?? "-",
            place.below.map { $0.uid.description } ?? "-", place.skipped)
    }
}
