/// A strong ETag from the content itself, the same in every process: 128 bits, eight bytes of content at a time, because
/// this runs for every board that is served. It is fast and not cryptographic: a client that makes two contents collide
/// only gets a stale page itself.
package struct ContentTag: Sendable {
    private var first = 0x9E37_79B9_7F4A_7C15 as UInt64
    private var second = 0xBF58_476D_1CE4_E5B9 as UInt64

    package init(_ content: [UInt8]) { add(content) }

    static func of(_ content: [UInt8]) -> String { ContentTag(content).text }

    /// Goes on with what follows. The same content in other parts has another tag.
    package mutating func add(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { content in
            let whole = content.count / 8 * 8
            for offset in stride(from: 0, to: whole, by: 8) {
                add(UInt64(littleEndian: content.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
            }
            add(content[whole...].reduce(UInt64(content.count) << 8) { $0 << 8 ^ UInt64($1) })
        }
    }

    /// In quotes, as a header has it.
    package var text: String { "\"\(String(first, radix: 36))\(String(second, radix: 36))\"" }

    private mutating func add(_ word: UInt64) {
        first = Self.fold(first ^ word, 0xA076_1D64_78BD_642F)
        second = Self.fold(second &+ word, 0xE703_7ED1_A0B4_28DB)
    }

    /// The product of two words, its halves laid over each other.
    private static func fold(_ word: UInt64, _ factor: UInt64) -> UInt64 {
        let (high, low) = word.multipliedFullWidth(by: factor)
        return high ^ low
    }
}

/// The beginning of many answers, written and digested once.
package struct SharedText: Sendable {
    package let bytes: [UInt8]
    fileprivate let tag: ContentTag

    package init(_ bytes: [UInt8]) { (self.bytes, tag) = (bytes, ContentTag(bytes)) }
}

extension Response {
    /// JSON in two parts; nothing is put together for a client that already has it.
    package static func json(_ shared: SharedText, _ rest: [UInt8], for request: Request) -> Response {
        var tag = shared.tag
        tag.add(rest)
        let text = tag.text
        guard !request.hasNewest(text) else { return Response(.notModified, headers: ["ETag": text]) }
        return Response(
            headers: ["Content-Type": "application/json", "ETag": text], body: .shared(shared, rest: rest))
    }
}
