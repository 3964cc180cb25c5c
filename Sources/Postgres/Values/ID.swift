import Foundation
import Time

/// The name of a thing: a UUID. In text, in JSON and in the database it is in lower case, as PostgreSQL writes it and
/// RFC 9562 asks.
package struct ID: Hashable, Comparable, Sendable {
    private let uuid: UUID

    /// A new one.
    package init() { uuid = UUID() }

    package init(bytes: uuid_t) { uuid = UUID(uuid: bytes) }

    package var bytes: uuid_t { uuid.uuid }

    /// In PostgreSQL's order, which is that of their bytes.
    package static func < (a: ID, b: ID) -> Bool { a.uuid < b.uuid }
}

extension ID: CodableAsText {
    /// In either case; nil for anything but the 36 characters of a UUID.
    package init?(_ description: String) {
        guard let uuid = UUID(uuidString: description) else { return nil }
        self.uuid = uuid
    }

    package var description: String { uuid.uuidString.lowercased() }
}

extension ID: PostgresEncodable {
    package func bind(to parameters: inout Parameters) { parameters.append(text: description) }
}

extension ID: PostgresDecodable {
    package init(_ cell: Cell) throws {
        guard cell.type == .uuid, cell.bytes.count == 16 else { throw Cell.Mismatch() }
        self.init(bytes: cell.bytes.loadUnaligned(as: uuid_t.self))
    }
}
