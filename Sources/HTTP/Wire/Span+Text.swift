extension Span<UInt8> {
    /// A copy of these bytes.
    func bytes(_ range: Range<Int>) -> [UInt8] {
        extracting(range).withUnsafeBufferPointer { Array($0) }
    }

    /// These bytes as text; what is not UTF-8 is replaced.
    func text(_ range: Range<Int>) -> String {
        extracting(range).withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }

    /// The first place of a byte inside a range.
    func firstIndex(of byte: UInt8, in range: Range<Int>) -> Int? {
        for index in range where self[index] == byte { return index }
        return nil
    }

    /// Whether these bytes are this word in lower case, whatever their own case.
    func equals(_ range: Range<Int>, lowercased word: StaticString) -> Bool {
        guard range.count == word.utf8CodeUnitCount else { return false }
        return word.withUTF8Buffer { letters in
            for (index, letter) in zip(range, letters) where ASCII.lower(self[index]) != letter { return false }
            return true
        }
    }
}

extension [UInt8] {
    mutating func append(_ span: Span<UInt8>) { span.withUnsafeBufferPointer { append(contentsOf: $0) } }
}

extension Span<UInt8> {
    /// The ranges between the separators, empty ones included.
    func split(_ range: Range<Int>, at separator: UInt8) -> [Range<Int>] {
        var parts: [Range<Int>] = []
        var start = range.lowerBound
        while let end = firstIndex(of: separator, in: start..<range.upperBound) {
            parts.append(start..<end)
            start = end + 1
        }
        parts.append(start..<range.upperBound)
        return parts
    }
}
