import API
import HTTP
import Postgres
import Time

/// One page of a board, as one reader sees it.
struct BoardPage: Sendable {
    let request: BoardRequest
    let whole: WholeBoard

    var board: Leaderboard {
        let (entries, next) = whole.page(for: request.reader, from: request.cursor?.place, limit: request.limit)
        let frame = whole.frame
        return Leaderboard(
            group: whole.group, order: request.order, period: request.period.length,
            at: request.period.length.name(frame.firstDay), rules: frame.rules, startsAt: frame.startsAt,
            endsAt: frame.endsAt, clockChanges: frame.clockChanges, state: frame.state, asOf: whole.asOf,
            participants: whole.count, days: whole.days, entries: entries,
            next: next.map { place in
                BoardCursor(
                    group: whole.group.id, length: request.period.length, firstDay: frame.firstDay, asOf: whole.asOf,
                    isPast: request.knownAt != nil, order: request.order, place: place
                ).text
            },
            me: request.cursor == nil ? whole.mine(request.reader) : nil)
    }

    /// The same as JSON. What nearly all readers of a first page share is written once.
    func response(to asking: Request) -> Response {
        guard request.cursor == nil,
            let shared = whole.firstPage(for: request.reader, limit: request.limit, written: { board.shared })
        else { return board.response(to: asking) }
        return .json(shared, Leaderboard.rest(whole.mine(request.reader), request.order), for: asking)
    }
}

/// Where the next page of a board goes on: at this place, at the first page's instant. It says nothing about hidden members.
struct BoardCursor: Sendable {
    let group: ID
    let length: Period.Length
    let firstDay: Day
    let asOf: Instant
    /// Whether the board is of a past instant.
    let isPast: Bool
    let order: Leaderboard.Order
    let place: WholeBoard.Place
}

extension BoardCursor {
    /// nil for the first page. Throws `invalid_cursor`.
    init?(_ paging: Paging, of wantedGroup: ID, by wanted: Leaderboard.Order) throws {
        guard let after = paging.after else { return nil }
        guard after.count == 9, let group = ID(after[0]), group == wantedGroup,
            let length = Period.Length(rawValue: after[1]), let firstDay = Day(after[2]),
            let asOf = Instant(after[3]), let isPast = Bool(after[4]),
            let order = Leaderboard.Order(rawValue: after[5]), order == wanted,
            let skipped = Int(after[8]), (0...100_000).contains(skipped)
        else { throw Paging.invalidCursor }
        var below: WholeBoard.Place.Anchor?
        if after[6] != "-" || after[7] != "-" {
            guard let score = Int(after[6]), let uid = ID(after[7]) else { throw Paging.invalidCursor }
            below = .init(score: score, uid: uid)
        }
        self.init(
            group: group, length: length, firstDay: firstDay, asOf: asOf, isPast: isPast, order: order,
            place: .init(below: below, skipped: skipped))
    }

    var text: String {
        Paging.cursor(
            group, length.rawValue, firstDay, asOf, isPast, order.rawValue, place.below.map { "\($0.score)" } ?? "-",
            place.below.map { $0.uid.description } ?? "-", place.skipped)
    }
}
