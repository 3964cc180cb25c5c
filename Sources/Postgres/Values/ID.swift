import Foundation
import Time

/// The name of a thing: a UUID. In text, in JSON and in the database it is in lower case, as PostgreSQL writes it and
/// RFC 9562 asks.
package struct ID: Hashable, Comparable, Sendable {
    private let uuid: UUID

    /// A new one of random bits, version 4 of RFC 9562. Foundation's own opens /dev/urandom each time, which cost more
    /// than the rest of reading a session.
    package init() {
        var random = SystemRandomNumberGenerator()
        let high = random.next() & 0xffff_ffff_ffff_0fff | 0x4000
        let low = random.next() & 0x3fff_ffff_ffff_ffff | 0x8000_0000_0000_0000
        self.init(bytes: unsafeBitCast((high.bigEndian, low.bigEndian), to: uuid_t.self))
    }

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

    package var description: String {
        let characters = characters
        return String(unsafeUninitializedCapacity: 36) { text in
            for index in characters.indices { text.initializeElement(at: index, to: characters[index]) }
            return 36
        }
    }

    /// The description in ASCII.
    package var characters: InlineArray<36, UInt8> {
        var characters = InlineArray<36, UInt8>(repeating: UInt8(ascii: "-"))
        var place = 0
        withUnsafeBytes(of: bytes) { bytes in
            for (index, byte) in bytes.enumerated() {
                if index == 4 || index == 6 || index == 8 || index == 10 { place += 1 }
                characters[place] = Self.digits[Int(byte >> 4)]
                characters[place + 1] = Self.digits[Int(byte & 15)]
                place += 2
            }
        }
        return characters
    }

    private static let digits = Array("0123456789abcdef".utf8)
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
