/// The header fields of one head, as they come in line by line, and what they say about the message itself.
struct FieldSection {
    /// Where the section begins in the buffer.
    var start = 0

    private var fields: [Headers.Field] = []
    private var hosts = 0
    private var contentLength: Int?
    private var transferCodings = 0
    private var isChunked = false
    private var namesChunked = false
    private var expectsContinue = false
    private var expectsOther = false
    private var saysClose = false
    private var saysKeepAlive = false

    /// Reads `name: value`. A name that is no token refuses folded lines, empty names and space before the colon.
    mutating func add(_ line: Range<Int>, _ bytes: Span<UInt8>) throws(Problem) {
        var colon = line.lowerBound
        while colon < line.upperBound, ASCII.isToken(bytes[colon]) { colon += 1 }
        guard colon > line.lowerBound, colon < line.upperBound, bytes[colon] == UInt8(ascii: ":") else {
            throw .badRequest
        }
        for index in colon..<line.upperBound where !ASCII.isFieldContent(bytes[index]) { throw .badRequest }
        var value = (colon + 1)..<line.upperBound
        while let first = value.first, ASCII.isBlank(bytes[first]) { value.removeFirst() }
        while let last = value.last, ASCII.isBlank(bytes[last]) { value.removeLast() }
        let name = line.lowerBound..<colon
        guard fields.count < HeadParser.maxFields else { throw .headTooLarge }
        fields.append(.init(name: shifted(name), value: shifted(value)))
        try interpret(name, value, bytes)
    }

    private func shifted(_ range: Range<Int>) -> Range<Int> {
        (range.lowerBound - start)..<(range.upperBound - start)
    }

    private mutating func interpret(_ name: Range<Int>, _ value: Range<Int>, _ bytes: Span<UInt8>) throws(Problem) {
        switch name.count {
        case 4 where bytes.equals(name, lowercased: "host"):
            hosts += 1
            guard let first = value.first, bytes[first] != UInt8(ascii: ":") else { throw .badRequest }
            for index in value where !ASCII.isHostCharacter(bytes[index]) { throw .badRequest }
        case 6 where bytes.equals(name, lowercased: "expect"):
            if bytes.equals(value, lowercased: "100-continue") { expectsContinue = true } else { expectsOther = true }
        case 10 where bytes.equals(name, lowercased: "connection"):
            for option in bytes.text(value).lowercased().split(separator: ",") {
                if option.trimmed == "close" { saysClose = true }
                if option.trimmed == "keep-alive" { saysKeepAlive = true }
            }
        case 14 where bytes.equals(name, lowercased: "content-length"):
            guard contentLength == nil else { throw .badRequest }
            contentLength = try Self.length(value, bytes)
        case 17 where bytes.equals(name, lowercased: "transfer-encoding"):
            for coding in bytes.text(value).lowercased().split(separator: ",", omittingEmptySubsequences: false) {
                transferCodings += 1
                isChunked = coding.trimmed == "chunked"
                if isChunked { namesChunked = true }
            }
        default: break
        }
    }

    /// Digits only; numbers that could overflow are refused.
    private static func length(_ value: Range<Int>, _ bytes: Span<UInt8>) throws(Problem) -> Int {
        guard (1...18).contains(value.count) else { throw .badRequest }
        var length = 0
        for index in value {
            guard ASCII.isDigit(bytes[index]) else { throw .badRequest }
            length = length * 10 + Int(bytes[index] - 0x30)
        }
        return length
    }

    /// The whole head, once the empty line at `end` has come.
    func head(_ line: RequestLine, end: Int, _ bytes: Span<UInt8>) throws(Problem) -> RequestHead {
        guard hosts == 1 || (hosts == 0 && !line.isHTTP11) else { throw .badRequest }
        let framing = try framing(line)
        if expectsOther { throw .expectationFailed }
        var headers = Headers(wire: bytes.bytes(start..<end), fields: fields)
        if let authority = line.authority { headers.set("Host", authority) }
        return RequestHead(
            method: line.method, target: line.target, headers: headers, framing: framing,
            expectsContinue: expectsContinue && line.isHTTP11, isHTTP11: line.isHTTP11,
            keepsAlive: !saysClose && (line.isHTTP11 || saysKeepAlive))
    }

    /// A message with two opinions about its length is refused: the way requests are smuggled.
    private func framing(_ line: RequestLine) throws(Problem) -> RequestHead.Framing {
        guard transferCodings > 0 else { return contentLength.map { $0 == 0 ? .none : .length($0) } ?? .none }
        guard line.isHTTP11, contentLength == nil else { throw .badRequest }
        // Chunks inside another coding: nobody can tell where they end (RFC 9112, 6.3).
        if namesChunked, !isChunked { throw .badRequest }
        guard transferCodings == 1, isChunked else { throw .notImplemented }
        return .chunked
    }
}
