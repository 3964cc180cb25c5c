/// What a request asks for: the decoded segments of a path, and its query.
package struct Target: Sendable {
    /// The decoded path; a segment may hold an encoded `/`, so routes match `segments`.
    package private(set) var path: String
    package private(set) var query = QueryParameters()
    /// Set when a segment holds an encoded `/` and the path therefore does not tell the segments apart.
    private var encodedSegments: [String]?

    /// The decoded segments between the slashes; `/` has one empty segment.
    package var segments: [Substring] {
        encodedSegments?.map { $0[...] } ?? path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    }

    /// Whether `path` alone names the segments.
    var isPlain: Bool { encodedSegments == nil }

    /// Reads an origin-form target such as `/a%20b?c=d`, or the `*` of `OPTIONS`; nil when it breaks RFC 3986,
    /// is not UTF-8 when decoded, or holds U+0000.
    package init?(_ text: String) {
        self.init(Array(text.utf8)[...])
    }

    init?(_ bytes: ArraySlice<UInt8>) {
        let mark = bytes.firstIndex(of: UInt8(ascii: "?"))
        let rawPath = bytes[..<(mark ?? bytes.endIndex)]
        if rawPath.elementsEqual([UInt8(ascii: "*")]), mark == nil {
            path = "*"
            return
        }
        guard rawPath.first == UInt8(ascii: "/"),
            rawPath.allSatisfy({ ASCII.isPathCharacter($0) || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "%") })
        else { return nil }
        if rawPath.contains(UInt8(ascii: "%")) {
            var segments: [String] = []
            for raw in rawPath.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
                guard let segment = Self.decode(raw) else { return nil }
                segments.append(segment)
            }
            path = "/" + segments.joined(separator: "/")
            if segments.contains(where: { $0.utf8.contains(UInt8(ascii: "/")) }) { encodedSegments = segments }
        } else {
            path = String(decoding: rawPath, as: UTF8.self)
        }
        if let mark { guard readQuery(bytes[(mark + 1)...]) else { return nil } }
    }

    private mutating func readQuery(_ bytes: ArraySlice<UInt8>) -> Bool {
        let marks = "/?%".utf8
        guard bytes.allSatisfy({ ASCII.isPathCharacter($0) || marks.contains($0) }) else { return false }
        for pair in bytes.split(separator: UInt8(ascii: "&")) {
            let equals = pair.firstIndex(of: UInt8(ascii: "="))
            guard let name = Self.decode(pair[..<(equals ?? pair.endIndex)], plusIsSpace: true),
                let value = Self.decode(equals.map { pair[($0 + 1)...] } ?? [], plusIsSpace: true)
            else { return false }
            query.add(name, value)
        }
        return true
    }

    private static func decode(_ bytes: ArraySlice<UInt8>, plusIsSpace: Bool = false) -> String? {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var rest = bytes
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(ASCII.hexadecimal),
                    let low = rest.popFirst().flatMap(ASCII.hexadecimal), high + low > 0
                else { return nil }
                decoded.append(UInt8(high << 4 | low))
            case UInt8(ascii: "+") where plusIsSpace: decoded.append(0x20)
            default: decoded.append(byte)
            }
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
