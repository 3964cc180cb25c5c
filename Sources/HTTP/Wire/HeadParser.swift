/// Reads the head of a request line by line, each byte once however it arrives, as narrowly as RFC 9112 allows a
/// server to be: what it accepts, every other reader of the same bytes understands in the same way.
///
/// The same buffer is given again and again, grown at its end and never moved at its start, until a head comes out.
struct HeadParser {
    static let maxBytes = 16 * 1024
    static let maxFields = 100

    /// How many bytes of the buffer the head takes, once it has come out.
    private(set) var length = 0

    private var lineStart = 0
    private var toleratesEmptyLine = true
    private var requestLine: RequestLine?
    private var fields = FieldSection()

    /// The head, or nil when more bytes are needed.
    mutating func parse(_ bytes: Span<UInt8>) throws(Problem) -> RequestHead? {
        while length < bytes.count {
            let byte = bytes[length]
            length += 1
            guard byte == 0x0A else { continue }
            guard length <= Self.maxBytes else { break }
            let end = length - 2
            guard end >= lineStart, bytes[end] == 0x0D else { throw .badRequest }
            let line = lineStart..<end
            lineStart = length
            if let head = try take(line, bytes) { return head }
        }
        if length > Self.maxBytes { throw requestLine == nil ? .targetTooLong : .headTooLarge }
        return nil
    }

    private mutating func take(_ line: Range<Int>, _ bytes: Span<UInt8>) throws(Problem) -> RequestHead? {
        guard let requestLine else {
            // A client may send one line end too many after a body (RFC 9112, 2.2).
            if line.isEmpty, toleratesEmptyLine {
                toleratesEmptyLine = false
                return nil
            }
            requestLine = try RequestLine(line, bytes)
            fields.start = length
            return nil
        }
        guard line.isEmpty else {
            try fields.add(line, bytes)
            return nil
        }
        return try fields.head(requestLine, end: line.lowerBound, bytes)
    }
}

/// `GET /path HTTP/1.1`
struct RequestLine {
    let method: Method
    let target: Target
    /// The host of an absolute-form target, which goes before the `Host` field.
    let authority: String?
    let isHTTP11: Bool

    /// Reads a line without its CRLF.
    init(_ line: Range<Int>, _ bytes: Span<UInt8>) throws(Problem) {
        guard let methodEnd = bytes.firstIndex(of: 0x20, in: line),
            let targetEnd = bytes.firstIndex(of: 0x20, in: (methodEnd + 1)..<line.upperBound),
            methodEnd > line.lowerBound, targetEnd > methodEnd + 1
        else { throw .badRequest }
        for index in line.lowerBound..<methodEnd where !ASCII.isToken(bytes[index]) { throw .badRequest }
        isHTTP11 = try Self.version((targetEnd + 1)..<line.upperBound, bytes)
        let target = try AnyTarget((methodEnd + 1)..<targetEnd, bytes)
        guard methodEnd - line.lowerBound <= 16,
            let method = Method(rawValue: bytes.text(line.lowerBound..<methodEnd))
        else { throw .notImplemented }
        guard target.isAsterisk == false || method == .options else { throw .badRequest }
        self.method = method
        self.target = target.target
        authority = target.authority
    }

    /// Whether it is 1.1 rather than 1.0; another version is refused by name, anything else as malformed.
    private static func version(_ range: Range<Int>, _ bytes: Span<UInt8>) throws(Problem) -> Bool {
        let start = range.lowerBound
        guard range.count == 8, bytes.text(start..<(start + 5)) == "HTTP/", bytes[start + 6] == UInt8(ascii: "."),
            ASCII.isDigit(bytes[start + 5]), ASCII.isDigit(bytes[start + 7]), bytes[start + 5] != UInt8(ascii: "0")
        else { throw .badRequest }
        switch (bytes[start + 5], bytes[start + 7]) {
        case (UInt8(ascii: "1"), UInt8(ascii: "1")): return true
        case (UInt8(ascii: "1"), UInt8(ascii: "0")): return false
        default: throw .versionNotSupported
        }
    }
}

/// A target in origin-form, absolute-form or asterisk-form.
private struct AnyTarget {
    let target: Target
    var authority: String?
    var isAsterisk = false

    init(_ range: Range<Int>, _ bytes: Span<UInt8>) throws(Problem) {
        var path = range
        if bytes[range.lowerBound] != UInt8(ascii: "/") {
            if range.count == 1, bytes[range.lowerBound] == UInt8(ascii: "*") {
                isAsterisk = true
            } else {
                let host = try Self.authority(range, bytes)
                authority = bytes.text(host)
                path = host.upperBound..<range.upperBound
            }
        }
        guard let target = Target(bytes.extracting(path), isAbsolute: authority != nil) else { throw .badRequest }
        self.target = target
    }

    private static func authority(_ range: Range<Int>, _ bytes: Span<UInt8>) throws(Problem) -> Range<Int> {
        let start: Int
        if range.count > 7, bytes.equals(range.prefix(7), lowercased: "http://") {
            start = range.lowerBound + 7
        } else if range.count > 8, bytes.equals(range.prefix(8), lowercased: "https://") {
            start = range.lowerBound + 8
        } else {
            throw .badRequest
        }
        var end = start
        while end < range.upperBound, ASCII.isHostCharacter(bytes[end]) { end += 1 }
        guard end > start, end == range.upperBound || bytes[end] == UInt8(ascii: "/") || bytes[end] == UInt8(ascii: "?")
        else { throw .badRequest }
        return start..<end
    }
}
