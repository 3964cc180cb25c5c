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
