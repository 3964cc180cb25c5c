import Foundation

/// A JSON value. Whole numbers within 64 bits are exact.
package enum JSON: Sendable, Hashable {
    case null
    case bool(Bool)
    case integer(Int)
    case number(Double)
    case string(String)
    case array([JSON])
    case object([String: JSON])
}

extension JSON: Codable {
    package init(from decoder: any Decoder) throws {
        let single = try decoder.singleValueContainer()
        // The common kinds first: a wrong guess costs an error.
        if let value = try? single.decode(String.self) {
            self = .string(value)
        } else if let value = try? single.decode(Int.self) {
            self = .integer(value)
        } else if single.decodeNil() {
            self = .null
        } else if let value = try? single.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? single.decode([String: JSON].self) {
            self = .object(value)
        } else if let value = try? single.decode([JSON].self) {
            self = .array(value)
        } else {
            self = .number(try single.decode(Double.self))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var single = encoder.singleValueContainer()
        switch self {
        case .null: try single.encodeNil()
        case .bool(let value): try single.encode(value)
        case .integer(let value): try single.encode(value)
        case .number(let value): try single.encode(value)
        case .string(let value): try single.encode(value)
        case .array(let values): try single.encode(values)
        case .object(let members): try single.encode(members)
        }
    }

    /// The members of a text that is an object; nil for any other text.
    static func members(of text: [UInt8]) -> [String: JSON]? {
        try? JSONDecoder().decode([String: JSON].self, from: Data(text))
    }

    /// A value as text with snake_case names in alphabetical order: equal values have equal bytes, and so equal ETags.
    static func bytes(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(value))
    }
}

// UUIDs are written in lower case, as PostgreSQL writes them and RFC 9562 asks; Foundation's own way is upper case.
extension KeyedEncodingContainer {
    package mutating func encode(_ value: UUID, forKey key: Key) throws {
        try encode(value.uuidString.lowercased(), forKey: key)
    }

    package mutating func encodeIfPresent(_ value: UUID?, forKey key: Key) throws {
        try encodeIfPresent(value?.uuidString.lowercased(), forKey: key)
    }
}

/// A member name that is known only at run time.
struct MemberName: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
}

/// Further members of a JSON object, in order, such as what an error adds to its problem document.
package struct JSONMembers: Sendable, ExpressibleByDictionaryLiteral {
    let members: [(name: String, value: any Encodable & Sendable)]

    package init(dictionaryLiteral elements: (String, any Encodable & Sendable)...) {
        members = elements.map { (name: $0.0, value: $0.1) }
    }
}

/// An optional that is written as `null` when it is empty, where a plain optional is left out.
@propertyWrapper
package struct OrNull<Value: Encodable & Sendable>: Encodable, Sendable {
    package var wrappedValue: Value?

    package init(wrappedValue: Value?) { self.wrappedValue = wrappedValue }

    package func encode(to encoder: any Encoder) throws {
        var single = encoder.singleValueContainer()
        if let wrappedValue { try single.encode(wrappedValue) } else { try single.encodeNil() }
    }
}

/// One page of a list: its items and the cursor of the next page, `null` on the last.
package struct Page<Item: Encodable & Sendable>: Encodable, Sendable {
    package var items: [Item]
    @OrNull package var next: String?

    package init(items: [Item], next: String?) {
        self.items = items
        self.next = next
    }
}
