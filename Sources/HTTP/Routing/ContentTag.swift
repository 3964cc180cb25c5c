/// A strong ETag from the content itself, the same in every process.
enum ContentTag {
    /// 128 bits of FNV-1a in quotes.
    static func of(_ bytes: [UInt8]) -> String {
        var hash: UInt128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d
        let prime: UInt128 = 0x0000_0000_0100_0000_0000_0000_0000_013b
        for byte in bytes {
            hash ^= UInt128(byte)
            hash &*= prime
        }
        let digits = String(hash, radix: 32)
        return "\"\(digits)\""
    }
}
