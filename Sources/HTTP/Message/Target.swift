/// What a request asks for: the decoded segments of a path, and its query.
package struct Target: Sendable {
    /// The decoded path; a segment may hold an encoded `/`, so routes match `segments`.
    package private(set) var path = "/"
    package private(set) var query = QueryParameters()
    /// Allows these names alone in the query; see ``QueryParameters/allow(_:)``.
    mutating func allowQuery(_ names: Set<String>) throws(Problem) { try query.allow(names) }

    /// Set when a segment holds an encoded `/` and the path therefore does not tell the segments apart.
    private var encodedSegments: [String]?

    /// The decoded segments between the slashes; `/` has one empty segment.
    package var segments: [String] {
        if let encodedSegments { return encodedSegments }
        let bytes = path.utf8.span
        return bytes.split(1..<bytes.count, at: UInt8(ascii: "/")).map { bytes.text($0) }
    }

    /// Whether `path` alone names the segments.
    var isPlain: Bool { encodedSegments == nil }

    /// Reads an origin-form target such as `/a%20b?c=d`, or the `*` of `OPTIONS`; nil when it breaks RFC 3986,
    /// is not UTF-8 when decoded, or holds U+0000.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        self.init(bytes.span)
    }

    /// `isAbsolute`: what is left of an absolute-form target after its host, where the path may be empty.
    init?(_ bytes: Span<UInt8>, isAbsolute: Bool = false) {
        let end = bytes.firstIndex(of: UInt8(ascii: "?"), in: bytes.indices) ?? bytes.count
        if end > 0 || !isAbsolute { guard readPath(bytes, end) else { return nil } }
        if end < bytes.count { guard readQuery(bytes, (end + 1)..<bytes.count) else { return nil } }
    }

    private mutating func readPath(_ bytes: Span<UInt8>, _ end: Int) -> Bool {
        if bytes.count == 1, bytes[0] == UInt8(ascii: "*") {
            path = "*"
            return true
        }
        guard end > 0, bytes[0] == UInt8(ascii: "/") else { return false }
        var isEncoded = false
        for index in 0..<end where !ASCII.isPathCharacter(bytes[index]) {
            if bytes[index] == UInt8(ascii: "%") {
                isEncoded = true
            } else if bytes[index] != UInt8(ascii: "/") {
                return false
            }
        }
        guard isEncoded else {
            path = bytes.text(0..<end)
            return true
        }
        var segments: [String] = []
        for raw in bytes.split(1..<end, at: UInt8(ascii: "/")) {
            guard let segment = Self.decode(bytes, raw) else { return false }
            segments.append(segment)
        }
        path = "/" + segments.joined(separator: "/")
        if segments.contains(where: { $0.utf8.contains(UInt8(ascii: "/")) }) { encodedSegments = segments }
        return true
    }

    private mutating func readQuery(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        for index in range where !ASCII.isPathCharacter(bytes[index]) {
            guard "/?%".utf8.contains(bytes[index]) else { return false }
        }
        for pair in bytes.split(range, at: UInt8(ascii: "&")) where !pair.isEmpty {
            let equals = bytes.firstIndex(of: UInt8(ascii: "="), in: pair) ?? pair.upperBound
            guard let name = Self.decode(bytes, pair.lowerBound..<equals, plusIsSpace: true),
                let value = Self.decode(bytes, min(equals + 1, pair.upperBound)..<pair.upperBound, plusIsSpace: true)
            else { return false }
            query.add(name, value)
        }
        return true
    }

    private static func decode(_ bytes: Span<UInt8>, _ range: Range<Int>, plusIsSpace: Bool = false) -> String? {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(range.count)
        var at = range.lowerBound
        while at < range.upperBound {
            switch bytes[at] {
            case UInt8(ascii: "%"):
                guard at + 2 < range.upperBound, let high = ASCII.hexadecimal(bytes[at + 1]),
                    let low = ASCII.hexadecimal(bytes[at + 2]), high + low > 0
                else { return nil }
                decoded.append(UInt8(high << 4 | low))
                at += 2
            case UInt8(ascii: "+") where plusIsSpace: decoded.append(0x20)
            case let byte: decoded.append(byte)
            }
            at += 1
        }
        return String(validating: decoded, as: UTF8.self)
    }
}

extension Target: ExpressibleByStringLiteral {
    /// A target known to be good.
    package init(stringLiteral text: String) {
        guard let target = Target(text) else { preconditionFailure("not a target: \(text)") }
        self = target
    }
}
