import Foundation

/// Writes values as JSON with snake_case names in their declared order, so that equal values have equal bytes
/// (and equal ETags), which Foundation's encoder promises only for sorted names.
struct JSONWriter {
    /// The JSON text of a value; UUIDs are written in lower case.
    static func bytes(_ value: some Encodable) throws -> [UInt8] {
        let output = JSONOutput()
        try output.write(value, depth: 0, path: [])
        return output.bytes
    }
}

/// The text so far and the objects and arrays still open in it. A container is closed when one further out goes on.
final class JSONOutput {
    private enum Open { case object, array }

    fileprivate(set) var bytes: [UInt8] = []
    private var open: [(kind: Open, isEmpty: Bool)] = []

    func write(_ value: some Encodable, depth: Int, path: [any CodingKey]) throws {
        if let uuid = value as? UUID { return write(uuid.uuidString.lowercased()) }
        let start = bytes.count
        try value.encode(to: JSONValueEncoder(output: self, depth: depth, codingPath: path))
        if bytes.count == start { raw("{}") }
        close(to: depth)
    }

    func openObject(depth: Int) { enter(.object, "{", depth: depth) }
    func openArray(depth: Int) { enter(.array, "[", depth: depth) }

    private func enter(_ kind: Open, _ bracket: StaticString, depth: Int) {
        // A value that asks twice for its container goes on in the same one.
        guard open.count <= depth else { return close(to: depth + 1) }
        open.append((kind, true))
        raw(bracket)
    }

    func close(to depth: Int) {
        while open.count > depth { raw(open.removeLast().kind == .object ? "}" : "]") }
    }

    /// Goes on in the container at `depth - 1`, with a comma where one is due.
    func element(depth: Int) {
        close(to: depth)
        if !open[depth - 1].isEmpty { raw(",") }
        open[depth - 1].isEmpty = false
    }

    func name(_ key: some CodingKey, depth: Int) {
        element(depth: depth)
        if key is MemberName { write(key.stringValue) } else { writeSnakeCase(key.stringValue) }
        raw(":")
    }

    func raw(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    func write(_ value: some BinaryInteger) { bytes.append(contentsOf: String(value).utf8) }

    func write(_ value: Bool) { raw(value ? "true" : "false") }

    func write(_ value: Double) throws {
        guard value.isFinite else {
            throw EncodingError.invalidValue(value, .init(codingPath: [], debugDescription: "JSON has no \(value)"))
        }
        bytes.append(contentsOf: value.description.utf8)
    }

    func write(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): raw("\\\"")
            case UInt8(ascii: "\\"): raw("\\\\")
            case 0x0A: raw("\\n")
            case 0x0D: raw("\\r")
            case 0x09: raw("\\t")
            case 0..<0x20:
                raw(byte < 0x10 ? "\\u000" : "\\u00")
                bytes.append(contentsOf: String(byte, radix: 16).utf8)
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// `avatarURL` → `"avatar_url"`: a capital opens a word after a small letter, or before one.
    private func writeSnakeCase(_ name: String) {
        bytes.append(UInt8(ascii: "\""))
        let letters = Array(name.utf8)
        for (index, letter) in letters.enumerated() {
            let capital = ASCII.lower(letter) != letter
            if capital, index > 0 {
                let afterSmall = ASCII.lower(letters[index - 1]) == letters[index - 1]
                let beforeSmall = index + 1 < letters.count && ASCII.lower(letters[index + 1]) == letters[index + 1]
                if letters[index - 1] != UInt8(ascii: "_"), afterSmall || beforeSmall {
                    bytes.append(UInt8(ascii: "_"))
                }
            }
            bytes.append(ASCII.lower(letter))
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
