/// Names a request and all that follows from it, also in other programs (W3C Trace Context).
package struct TraceID: Sendable, Hashable {
    private let bits: UInt128

    init(bits: UInt128) { self.bits = bits }

    /// The one that the client or a proxy sent; nil when there is none, or it is not as the standard says.
    init?(_ headers: Headers) {
        let sent = headers.all("traceparent")
        guard sent.count == 1 else { return nil }
        self.init(traceparent: sent[0])
    }

    /// Reads `00-TRACE-PARENT-FLAGS`; a version from the future may have more behind it.
    init?(traceparent text: String) {
        let bytes = Array(text.utf8)
        let dash = UInt8(ascii: "-")
        guard bytes.count >= 55, bytes[2] == dash, bytes[35] == dash, bytes[52] == dash,
            let version = Self.number(bytes[0..<2]), version != 0xFF,
            bytes.count == 55 || version > 0 && bytes[55] == dash,
            let trace = Self.number(bytes[3..<35]), trace != 0,
            let parent = Self.number(bytes[36..<52]), parent != 0,
            Self.number(bytes[53..<55]) != nil
        else { return nil }
        bits = trace
    }

    /// Hexadecimal digits in lower case, and nothing else.
    private static func number(_ digits: ArraySlice<UInt8>) -> UInt128? {
        var number: UInt128 = 0
        for digit in digits {
            guard let value = ASCII.hexadecimal(digit), ASCII.lower(digit) == digit else { return nil }
            number = number << 4 | UInt128(value)
        }
        return number
    }

    /// 32 hexadecimal digits.
    package var text: String {
        String(unsafeUninitializedCapacity: 32) { buffer in
            let digits: StaticString = "0123456789abcdef"
            var rest = bits
            for place in (0..<32).reversed() {
                buffer[place] = digits.utf8Start[Int(rest & 15)]
                rest >>= 4
            }
            return 32
        }
    }
}
