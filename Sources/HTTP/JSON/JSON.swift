import Foundation

/// A JSON value. A number written with a fraction or an exponent, or beyond 64 bits, is a `number`.
package enum JSON: Sendable, Hashable {
    case null
    case bool(Bool)
    case integer(Int)
    case number(Double)
    case string(String)
    case array([JSON])
    case object([String: JSON])
}

extension JSON: Encodable {
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

    /// A value as text with snake_case names in alphabetical order: equal values have equal bytes, and so equal ETags.
    package static func bytes(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(value))
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

    package subscript(_ name: String) -> (any Encodable & Sendable)? { members.first { $0.name == name }?.value }
}

/// An optional that is written as `null` when it is empty, where a plain optional is left out.
@propertyWrapper
package struct OrNull<Value: Encodable & Sendable>: Encodable, Sendable {
    package var wrappedValue: Value?

    package init(wrappedValue: Value?) { self.wrappedValue = wrappedValue }

    package func encode(to encoder: any Encoder) throws {
        var single = encoder.singleValueContainer()
        switch wrappedValue {
        case nil: try single.encodeNil()
        case let value?: try single.encode(value)
        }
    }
}
