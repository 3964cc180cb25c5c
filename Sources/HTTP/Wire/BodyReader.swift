/// Collects the body of one request, by its length or from its chunks, never more than the limit.
struct BodyReader {
    private enum State {
        case length(remaining: Int)
        case chunked(ChunkedDecoder)
    }

    private(set) var bytes: [UInt8] = []
    /// How much memory it takes.
    var kept: Int { bytes.capacity }
    /// Whether it may be larger than what anybody may send.
    let isLarge: Bool
    private var state: State
    private let limit: Int

    /// Nil when the request has no body; a declared length above the limit is refused at once.
    init?(_ framing: RequestHead.Framing, limit: Int) throws(Problem) {
        self.limit = limit
        isLarge = framing.isLarge(limit: limit)
        switch framing {
        case .none: return nil
        case .length(let length):
            guard length <= limit else { throw .contentTooLarge }
            state = .length(remaining: length)
        case .chunked: state = .chunked(ChunkedDecoder())
        }
    }

    var isComplete: Bool {
        switch state {
        case .length(let remaining): remaining == 0
        case .chunked(let decoder): decoder.isComplete
        }
    }

    /// Takes what belongs to the body; answers how many bytes that was.
    mutating func read(_ input: Span<UInt8>) throws(Problem) -> Int {
        switch state {
        case .length(let remaining):
            let count = min(remaining, input.count)
            grow(by: count, atMost: remaining)
            bytes.append(input.extracting(0..<count))
            state = .length(remaining: remaining - count)
            return count
        case .chunked(var decoder):
            defer { state = .chunked(decoder) }
            return try decoder.decode(input, into: &bytes, limit: limit)
        }
    }

    /// Makes room for what has come, not for what was only declared. One that comes whole is allocated once.
    private mutating func grow(by count: Int, atMost remaining: Int) {
        guard bytes.count + count > bytes.capacity else { return }
        let wanted = max(bytes.count + count, 2 * bytes.capacity, 4096)
        bytes.reserveCapacity(min(wanted, bytes.count + remaining))
    }
}

/// `Transfer-Encoding: chunked` without extensions and without trailers. RFC 9112 (7.1.1, 7.1.2) would have a server
/// ignore them; we answer 400. Where an extension ends is what proxies and servers disagree about, which lets one
/// request hide in another, and no client of the API has a use for either.
struct ChunkedDecoder {
    private enum State {
        case size(Int, digits: Int)
        case sizeEnd(Int)
        case data(remaining: Int)
        case dataReturn
        case dataEnd
        case lastReturn
        case lastEnd
        case complete
    }

    private var state = State.size(0, digits: 0)

    var isComplete: Bool { if case .complete = state { true } else { false } }

    /// Decodes as far as the body goes; answers how many bytes of the input it took.
    mutating func decode(_ input: Span<UInt8>, into body: inout [UInt8], limit: Int) throws(Problem) -> Int {
        var at = 0
        while at < input.count, !isComplete {
            if case .data(let remaining) = state {
                let count = min(remaining, input.count - at)
                body.append(input.extracting(at..<(at + count)))
                at += count
                state = count == remaining ? .dataReturn : .data(remaining: remaining - count)
            } else {
                state = try next(input[at], room: limit - body.count)
                at += 1
            }
        }
        return at
    }

    private func next(_ byte: UInt8, room: Int) throws(Problem) -> State {
        switch state {
        case .size(let size, let digits):
            if let digit = ASCII.hexadecimal(byte), digits < 8 { return .size(size << 4 | digit, digits: digits + 1) }
            if byte == 0x0D, digits > 0 { return .sizeEnd(size) }
        case .sizeEnd(let size):
            guard byte == 0x0A else { break }
            guard size <= room else { throw .contentTooLarge }
            return size == 0 ? .lastReturn : .data(remaining: size)
        case .dataReturn: if byte == 0x0D { return .dataEnd }
        case .dataEnd: if byte == 0x0A { return .size(0, digits: 0) }
        case .lastReturn: if byte == 0x0D { return .lastEnd }
        case .lastEnd: if byte == 0x0A { return .complete }
        case .data, .complete: break
        }
        throw .badRequest
    }
}
