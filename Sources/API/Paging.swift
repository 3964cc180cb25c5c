import HTTP
import Postgres
import Time

/// Which part of a list is asked for: `?limit=` (default 50, at most 200) and `?after=`, the cursor of an earlier
/// answer.
package struct Paging: Sendable {
    /// The names of both, for the routes that read them.
    package static let parameters: Set = ["limit", "after"]

    package let limit: Int
    /// What the list wrote into its cursor; nil for the first page.
    package let after: [String]?

    /// A cursor's text: the parts as opaque base64url. No part may hold a space.
    package static func cursor(_ parts: any CustomStringConvertible...) -> String {
        base64url(Array(parts.map(\.description).joined(separator: " ").utf8))
    }

    /// For a cursor that the list did not write.
    package static let invalidCursor = Refusal(
        .badRequest, "invalid_cursor", field: "after", ko: "이 목록의 커서가 아니에요. 처음부터 다시 받아 주세요.",
        en: "This cursor is not of this list. Start again from the first page.")

    fileprivate static let invalidLimit = Refusal(
        .unprocessable, "invalid_limit", field: "limit", ko: "limit은 1에서 200 사이의 수예요.",
        en: "The limit is a number from 1 to 200.")

    fileprivate init(firstPageOf query: QueryParameters) throws {
        guard let limit = Int(query["limit"] ?? "50"), (1...200).contains(limit) else { throw Self.invalidLimit }
        self.limit = limit
        after = nil
    }

    fileprivate init(_ query: QueryParameters) throws {
        limit = try Paging(firstPageOf: query).limit
        after = try query["after"].map { text in
            guard let bytes = bytes(base64url: text), let parts = String(validating: bytes, as: UTF8.self) else {
                throw Self.invalidCursor
            }
            return parts.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        }
    }
}

extension Request {
    /// The page that the query asks for: `422 invalid_limit`, `400 invalid_cursor`.
    package func paging() throws -> Paging { try Paging(query) }

    /// The first page, by `?limit=` alone: `422 invalid_limit`.
    package func firstPage() throws -> Paging { try Paging(firstPageOf: query) }
}

extension Paging {
    /// The cursor of a list ordered by instant and id; throws `invalid_cursor`.
    package func instantAndID() throws -> (instant: Instant, id: ID)? {
        guard let after else { return nil }
        guard after.count == 2, let instant = Instant(after[0]), let id = ID(after[1]) else {
            throw Paging.invalidCursor
        }
        return (instant, id)
    }
}

/// One page of a list: its items and the cursor of the next page, `null` on the last.
package struct Page<Item: Encodable & Sendable>: Encodable, Sendable {
    package var items: [Item]
    @OrNull package var next: String?

    package init(items: [Item], next: String?) {
        self.items = items
        self.next = next
    }
}

extension Page {
    /// A page of a list ordered by the columns `instant` and `id`. `rows` has one row more than the page, if there is a
    /// next page.
    package init(_ rows: Rows, _ paging: Paging, by instant: String, _ id: String, item: (Row) throws -> Item) throws {
        var next: String?
        if rows.count > paging.limit {
            let last = rows[paging.limit - 1]
            next = Paging.cursor(try last[instant] as Instant, try last[id] as ID)
        }
        self.init(items: try rows.prefix(paging.limit).map(item), next: next)
    }
}
