extension JSON {
    /// Parses a JSON text; nil if it is not valid by RFC 8259. It also refuses what parsers treat differently:
    /// encodings other than UTF-8, duplicate names, half a surrogate pair, numbers beyond a double's range, and more
    /// than 32 levels.
    package init?(text: [UInt8]) {
        var reader = JSONReader(text)
        guard let value = try? reader.wholeText() else { return nil }
        self = value
    }
}

/// Reads one JSON text from its first byte to its last.
private struct JSONReader {
    struct Malformed: Error {}

    private static let maxDepth = 32

    private let bytes: [UInt8]
    private var at = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func wholeText() throws(Malformed) -> JSON {
        // A byte order mark is not JSON; RFC 8259 lets parsers ignore it.
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { at = 3 }
        let value = try value(depth: 0)
        skipBlanks()
        guard at == bytes.count else { throw Malformed() }
        return value
    }

    private mutating func value(depth: Int) throws(Malformed) -> JSON {
        guard depth <= Self.maxDepth else { throw Malformed() }
        skipBlanks()
        switch peek {
        case UInt8(ascii: "{"): return .object(try members(depth: depth))
        case UInt8(ascii: "["): return .array(try elements(depth: depth))
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    private mutating func members(depth: Int) throws(Malformed) -> [String: JSON] {
        var members: [String: JSON] = [:]
        try list(upTo: UInt8(ascii: "}")) { (reader) throws(Malformed) in
            reader.skipBlanks()
            let name = try reader.string()
            reader.skipBlanks()
            guard reader.take(UInt8(ascii: ":")) else { throw Malformed() }
            let value = try reader.value(depth: depth + 1)
            guard members.updateValue(value, forKey: name) == nil else { throw Malformed() }
        }
        return members
    }

    private mutating func elements(depth: Int) throws(Malformed) -> [JSON] {
        var elements: [JSON] = []
        try list(upTo: UInt8(ascii: "]")) { (reader) throws(Malformed) in
            elements.append(try reader.value(depth: depth + 1))
        }
        return elements
    }

    /// What stands between two brackets, with commas between the items and none after the last.
    private mutating func list(
        upTo end: UInt8, _ item: (inout JSONReader) throws(Malformed) -> Void
    ) throws(Malformed) {
        at += 1
        skipBlanks()
        if take(end) { return }
        repeat {
            try item(&self)
            skipBlanks()
        } while take(UInt8(ascii: ","))
        guard take(end) else { throw Malformed() }
    }

    private mutating func word(_ word: StaticString, _ value: JSON) throws(Malformed) -> JSON {
        for index in 0..<word.utf8CodeUnitCount where !take(word.utf8Start[index]) { throw Malformed() }
        return value
    }

    // MARK: Numbers

    private mutating func number() throws(Malformed) -> JSON {
        let start = at
        _ = take(UInt8(ascii: "-"))
        if !take(UInt8(ascii: "0")) { try digits() }
        var isWhole = true
        if take(UInt8(ascii: ".")) {
            isWhole = false
            try digits()
        }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            isWhole = false
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            try digits()
        }
        let text = String(decoding: bytes[start..<at], as: UTF8.self)
        if isWhole, let integer = Int(text) { return .integer(integer) }
        guard let number = Double(text), number.isFinite else { throw Malformed() }
        return .number(number)
    }

    private mutating func digits() throws(Malformed) {
        let start = at
        while let byte = peek, ASCII.isDigit(byte) { at += 1 }
        guard at > start else { throw Malformed() }
    }

    // MARK: Strings

    private mutating func string() throws(Malformed) -> String {
        guard take(UInt8(ascii: "\"")) else { throw Malformed() }
        let start = at
        while let byte = peek, byte >= 0x20 {
            at += 1
            if byte == UInt8(ascii: "\\") { return try escapedString(from: start) }
            if byte == UInt8(ascii: "\"") { return try text(bytes[start..<(at - 1)]) }
        }
        throw Malformed()
    }

    /// A string from its first byte on, read again with the escapes that it turned out to hold.
    private mutating func escapedString(from start: Int) throws(Malformed) -> String {
        at = start
        var decoded: [UInt8] = []
        while let byte = peek, byte >= 0x20 {
            at += 1
            switch byte {
            case UInt8(ascii: "\""): return try text(decoded[...])
            case UInt8(ascii: "\\"): decoded.append(contentsOf: try escape().utf8)
            default: decoded.append(byte)
            }
        }
        throw Malformed()
    }

    private func text(_ bytes: ArraySlice<UInt8>) throws(Malformed) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw Malformed() }
        return text
    }

    /// What an escape stands for; its backslash has been read.
    private mutating func escape() throws(Malformed) -> Unicode.Scalar {
        guard let byte = peek else { throw Malformed() }
        at += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{08}"
        case UInt8(ascii: "f"): return "\u{0C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            let unit = try fourDigits()
            if let scalar = Unicode.Scalar(unit) { return scalar }
            guard UTF16.isLeadSurrogate(UInt16(unit)), take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else {
                throw Malformed()
            }
            let next = try fourDigits()
            guard UTF16.isTrailSurrogate(UInt16(next)),
                let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (next - 0xDC00))
            else { throw Malformed() }
            return scalar
        default: throw Malformed()
        }
    }

    private mutating func fourDigits() throws(Malformed) -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = peek, let digit = ASCII.hexadecimal(byte) else { throw Malformed() }
            unit = unit << 4 | UInt32(digit)
            at += 1
        }
        return unit
    }

    // MARK: Bytes

    private var peek: UInt8? { at < bytes.count ? bytes[at] : nil }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard peek == byte else { return false }
        at += 1
        return true
    }

    private mutating func skipBlanks() {
        while let byte = peek, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { at += 1 }
    }
}
