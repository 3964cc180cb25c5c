/// Short names for requests, unique in practice and without a system call for each.
struct RequestIDs {
    private var state = UInt64.random(in: .min ... .max)

    /// SplitMix64: every state once, well mixed.
    private mutating func word() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    /// 13 characters, which a `String` holds without an allocation.
    mutating func next() -> String {
        var mixed = word()
        return String(unsafeUninitializedCapacity: 13) { buffer in
            let digits: StaticString = "0123456789abcdefghjkmnpqrstvwxyz"
            for place in buffer.indices.prefix(13) {
                buffer[place] = digits.utf8Start[Int(mixed & 31)]
                mixed >>= 5
            }
            return 13
        }
    }

    /// For a request that brought none.
    mutating func nextTrace() -> TraceID { TraceID(bits: UInt128(word()) << 64 | UInt128(word())) }
}
