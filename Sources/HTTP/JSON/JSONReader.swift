/// Reads one JSON text strictly by RFC 8259, with a bound on nesting.
///
/// Foundation's decoder cannot tell `1e3` from `1000`, and a field must be exactly what the caller meant.
struct JSONReader {
    struct Malformed: Error {}

    private static let maxDepth = 32

    private let bytes: [UInt8]
    private var at = 0

    /// The value of the whole text; the last of equal member names counts.
    static func read(_ bytes: [UInt8]) throws(Malformed) -> JSON {
        var reader = JSONReader(bytes: bytes)
        let value = try reader.value(depth: 0)
        reader.skipSpace()
        guard reader.at == bytes.count else { throw Malformed() }
        return value
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private var next: UInt8? { at < bytes.count ? bytes[at] : nil }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { at += 1 }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        at += 1
        return true
    }

    private mutating func expect(_ character: Unicode.Scalar) throws(Malformed) {
        guard take(character) else { throw Malformed() }
    }

    private mutating func value(depth: Int) throws(Malformed) -> JSON {
        guard depth < Self.maxDepth else { throw Malformed() }
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try array(depth: depth)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try literal("true", .bool(true))
        case UInt8(ascii: "f"): return try literal("false", .bool(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        default: return try number()
        }
    }

    private mutating func literal(_ word: String, _ value: JSON) throws(Malformed) -> JSON {
        guard bytes[at...].starts(with: word.utf8) else { throw Malformed() }
        at += word.utf8.count
        return value
    }

    private mutating func object(depth: Int) throws(Malformed) -> JSON {
        at += 1
        var members: [String: JSON] = [:]
        skipSpace()
        if take("}") { return .object(members) }
        repeat {
            skipSpace()
            let name = try string()
            skipSpace()
            try expect(":")
            members[name] = try value(depth: depth + 1)
            skipSpace()
        } while take(",")
        try expect("}")
        return .object(members)
    }

    private mutating func array(depth: Int) throws(Malformed) -> JSON {
        at += 1
        var values: [JSON] = []
        skipSpace()
        if take("]") { return .array(values) }
        repeat {
            values.append(try value(depth: depth + 1))
            skipSpace()
        } while take(",")
        try expect("]")
        return .array(values)
    }

    private mutating func digits() throws(Malformed) {
        let start = at
        while let byte = next, ASCII.isDigit(byte) { at += 1 }
        guard at > start else { throw Malformed() }
    }

    private mutating func number() throws(Malformed) -> JSON {
        let start = at
        var whole = true
        _ = take("-")
        let first = at
        try digits()
        if bytes[first] == UInt8(ascii: "0"), at > first + 1 { throw Malformed() }
        if take(".") {
            whole = false
            try digits()
        }
        if take("e") || take("E") {
            whole = false
            if !take("+") { _ = take("-") }
            try digits()
        }
        let text = String(decoding: bytes[start..<at], as: UTF8.self)
        if whole, let integer = Int(text) { return .integer(integer) }
        guard let double = Double(text), double.isFinite else { throw Malformed() }
        return .number(double)
    }

    private mutating func string() throws(Malformed) -> String {
        try expect("\"")
        let start = at
        while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 { at += 1 }
        if next == UInt8(ascii: "\"") {
            defer { at += 1 }
            return try Self.text(bytes[start..<at])
        }
        var unescaped = Array(bytes[start..<at])
        while let byte = next, byte >= 0x20 {
            at += 1
            switch byte {
            case UInt8(ascii: "\""): return try Self.text(unescaped[...])
            case UInt8(ascii: "\\"): try escape(into: &unescaped)
            default: unescaped.append(byte)
            }
        }
        throw Malformed()
    }

    private static func text(_ bytes: ArraySlice<UInt8>) throws(Malformed) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw Malformed() }
        return text
    }

    private mutating func escape(into text: inout [UInt8]) throws(Malformed) {
        guard let byte = next else { throw Malformed() }
        at += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"): text.append(contentsOf: String(try scalar()).utf8)
        default: throw Malformed()
        }
    }

    /// The scalar after `\u`, joining a surrogate pair; a surrogate alone is no character.
    private mutating func scalar() throws(Malformed) -> Unicode.Scalar {
        let unit = try codeUnit()
        var value = UInt32(unit)
        if UTF16.isLeadSurrogate(unit) {
            try expect("\\")
            try expect("u")
            let trail = try codeUnit()
            guard UTF16.isTrailSurrogate(trail) else { throw Malformed() }
            value = 0x10000 + (UInt32(unit - 0xD800) << 10) + UInt32(trail - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(value) else { throw Malformed() }
        return scalar
    }

    private mutating func codeUnit() throws(Malformed) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = next.flatMap(ASCII.hexadecimal) else { throw Malformed() }
            unit = unit << 4 | UInt16(digit)
            at += 1
        }
        return unit
    }
}
