import Foundation
import Time

/// The name of a thing: a UUID. In text, in JSON and in the database it is in lower case, as PostgreSQL writes it and
/// RFC 9562 asks.
package struct ID: Hashable, Comparable, Sendable {
    private let high: UInt64
    private let low: UInt64

    /// A new one of random bits, version 4 of RFC 9562. Foundation's own opens /dev/urandom each time, which cost more
    /// than the rest of reading a session.
    package init() {
        var random = SystemRandomNumberGenerator()
        high = random.next() & 0xffff_ffff_ffff_0fff | 0x4000
        low = random.next() & 0x3fff_ffff_ffff_ffff | 0x8000_0000_0000_0000
    }

    package init(bytes: uuid_t) {
        let (high, low) = unsafeBitCast(bytes, to: (UInt64, UInt64).self)
        (self.high, self.low) = (UInt64(bigEndian: high), UInt64(bigEndian: low))
    }

    package var bytes: uuid_t { unsafeBitCast((high.bigEndian, low.bigEndian), to: uuid_t.self) }

    /// In PostgreSQL's order, which is that of their bytes.
    package static func < (a: ID, b: ID) -> Bool { (a.high, a.low) < (b.high, b.low) }
}

extension ID: CodableAsText {
    /// In either case; nil for anything but the 36 characters of a UUID. Foundation's own also takes signs and spaces.
    package init?(_ description: String) {
        let text = description.utf8.span
        guard text.count == 36 else { return nil }
        var (high, low) = (0 as UInt64, 0 as UInt64)
        for place in text.indices {
            let digit: UInt8
            let character = text[place]
            switch (place, character) {
            case (8, UInt8(ascii: "-")), (13, UInt8(ascii: "-")), (18, UInt8(ascii: "-")), (23, UInt8(ascii: "-")):
                continue
            case (8, _), (13, _), (18, _), (23, _): return nil
            case (_, UInt8(ascii: "0")...UInt8(ascii: "9")): digit = character - UInt8(ascii: "0")
            case (_, UInt8(ascii: "a")...UInt8(ascii: "f")): digit = character - UInt8(ascii: "a") + 10
            case (_, UInt8(ascii: "A")...UInt8(ascii: "F")): digit = character - UInt8(ascii: "A") + 10
            default: return nil
            }
            if place < 18 { high = high << 4 | UInt64(digit) } else { low = low << 4 | UInt64(digit) }
        }
        (self.high, self.low) = (high, low)
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
