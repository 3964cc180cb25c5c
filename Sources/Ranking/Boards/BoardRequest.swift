import API
import Accounts
import HTTP
import Postgres
import Time

/// A group's board, or one page of it, that somebody asks for.
struct BoardRequest: Sendable {
    let group: ID
    let period: Period
    let order: Leaderboard.Order
    let reader: ID
    let limit: Int
    /// nil for the first page.
    let cursor: BoardCursor?

    /// The board as it was known then; nil for now.
    var knownAt: Instant? { period.knownAt }

    /// Who asks for the same board has the same key.
    struct Key: Hashable, Sendable {
        let group: ID
        let order: Leaderboard.Order
        let length: Period.Length
        /// nil for the period that is under way.
        let firstDay: Day?
        /// The instant of an earlier page; nil for now.
        let instant: Instant?
    }

    var key: Key {
        Key(
            group: group, order: order, length: period.length, firstDay: period.firstDay,
            instant: cursor?.asOf)
    }
}

extension BoardRequest {
    /// Reads the group's id and the order from a request. Without `paging` the whole board is asked for. Throws `not_found`,
    /// `invalid_order` and `invalid_cursor`.
    init(_ request: Request, _ caller: Caller, _ period: Period, _ paging: Paging?) throws {
        let group = try request.uuid("id")
        let order = try Leaderboard.Order(query: request.query["order"])
        let cursor = try paging.flatMap { try BoardCursor($0, of: group, by: order) }
        let asked = try cursor.map { cursor in
            try period.of(cursor: cursor.length, cursor.firstDay, knownAt: cursor.isPast ? cursor.asOf : nil)
        }
        self.init(
            group: group, period: asked ?? period, order: order, reader: caller.uid,
            limit: paging?.limit ?? .max, cursor: cursor)
    }
}
