/// Header fields in order, kept as they look on the wire; names compare without case.
package struct Headers: Sendable {
    /// `Name: value` lines, each with its CRLF, so that writing them to a connection is one copy.
    package private(set) var wire: [UInt8] = []
    private var fields: [Field] = []

    struct Field: Sendable {
        var name: Range<Int>
        var value: Range<Int>
    }

    package init() {}

    /// Takes the header section of a parsed head; the ranges must lie inside it.
    init(wire: [UInt8], fields: [Field]) {
        self.wire = wire
        self.fields = fields
    }

    package var isEmpty: Bool { fields.isEmpty }
    package var count: Int { fields.count }

    /// The first value under this name.
    package subscript(_ name: String) -> String? {
        fields.first { matches($0, name) }.map(text)
    }

    /// Every value under this name, in the order of the message.
    package func all(_ name: String) -> [String] {
        fields.filter { matches($0, name) }.map(text)
    }

    package func contains(_ name: String) -> Bool {
        fields.contains { matches($0, name) }
    }

    /// Adds a line; a control character in the value becomes a space, so a value can never split a response.
    package mutating func add(_ name: String, _ value: String) {
        if fields.isEmpty {
            wire.reserveCapacity(256)
            fields.reserveCapacity(8)
        }
        let nameStart = wire.count
        wire.append(contentsOf: name.utf8)
        let nameEnd = wire.count
        wire.append(UInt8(ascii: ":"))
        wire.append(UInt8(ascii: " "))
        let valueStart = wire.count
        wire.append(contentsOf: value.utf8)
        for index in valueStart..<wire.count where wire[index] < 0x20 || wire[index] == 0x7F { wire[index] = 0x20 }
        fields.append(Field(name: nameStart..<nameEnd, value: valueStart..<wire.count))
        wire.append(0x0D)
        wire.append(0x0A)
    }

    /// Replaces every line under this name by one.
    package mutating func set(_ name: String, _ value: String) {
        remove(name)
        add(name, value)
    }

    /// Removes every line under this name.
    package mutating func remove(_ name: String) {
        guard contains(name) else { return }
        let kept = fields.filter { !matches($0, name) }.map {
            (String(decoding: wire[$0.name], as: UTF8.self), text($0))
        }
        self = Headers()
        for (name, value) in kept { add(name, value) }
    }

    private func text(_ field: Field) -> String {
        String(decoding: wire[field.value], as: UTF8.self)
    }

    private func matches(_ field: Field, _ name: String) -> Bool {
        let other = name.utf8
        guard field.name.count == other.count else { return false }
        return zip(wire[field.name], other).allSatisfy { ASCII.lower($0) == ASCII.lower($1) }
    }
}

extension Headers: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements { add(name, value) }
    }
}

extension Headers: Sequence {
    package func makeIterator() -> some IteratorProtocol<(name: String, value: String)> {
        fields.lazy.map { (name: String(decoding: wire[$0.name], as: UTF8.self), value: text($0)) }.makeIterator()
    }
}
