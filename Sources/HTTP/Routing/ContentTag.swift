/// A strong ETag from the content itself, the same in every process.
enum ContentTag {
    /// 128 bits in quotes, eight bytes of content at a time: this runs for every board that is served. It is fast and not
    /// cryptographic: a client that makes two contents collide only gets a stale page itself.
    static func of(_ bytes: [UInt8]) -> String {
        var (first, second) = (0x9E37_79B9_7F4A_7C15 as UInt64, 0xBF58_476D_1CE4_E5B9 as UInt64)
        func add(_ word: UInt64) {
            first = fold(first ^ word, 0xA076_1D64_78BD_642F)
            second = fold(second &+ word, 0xE703_7ED1_A0B4_28DB)
        }
        bytes.withUnsafeBytes { content in
            let whole = content.count / 8 * 8
            for offset in stride(from: 0, to: whole, by: 8) {
                add(UInt64(littleEndian: content.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
            }
            add(content[whole...].reduce(UInt64(content.count) << 8) { $0 << 8 ^ UInt64($1) })
        }
        return "\"\(String(first, radix: 36))\(String(second, radix: 36))\""
    }

    /// The product of two words, its halves laid over each other.
    private static func fold(_ word: UInt64, _ factor: UInt64) -> UInt64 {
        let (high, low) = word.multipliedFullWidth(by: factor)
        return high ^ low
    }
}
