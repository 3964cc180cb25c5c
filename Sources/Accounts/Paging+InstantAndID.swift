import Foundation
import HTTP
import Postgres

extension Paging {
    /// The cursor of a list that goes by an instant, then by an id among equal ones; throws `invalid_cursor`.
    package func instantAndID() throws -> (instant: Instant, id: UUID)? {
        guard let after else { return nil }
        guard after.count == 2, let instant = Instant(after[0]), let id = UUID(uuidString: after[1]) else {
            throw Paging.invalidCursor
        }
        return (instant, id)
    }
}

extension Page {
    /// A page of such a list: of the rows one more was read than the page holds, and `instant` and `id` are the columns
    /// by which the list goes.
    package init(_ rows: Rows, _ paging: Paging, by instant: String, _ id: String, item: (Row) throws -> Item) throws {
        var next: String?
        if rows.count > paging.limit {
            let last = rows[paging.limit - 1]
            next = Paging.cursor(try last[instant] as Instant, try last[id] as UUID)
        }
        self.init(items: try rows.prefix(paging.limit).map(item), next: next)
    }
}
