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

extension JSON {
    private static let maxDepth = 32

    /// The value of a JSON text; nil when it is none, or nested deeper than 32.
    ///
    /// Foundation's decoder would have to guess the type of each value, and every wrong guess throws: 1 KB of nested
    /// brackets held a loop for 0.7 s. It also cannot tell `1e3` from `1000`.
    package init?(text: [UInt8]) {
        guard let value = try? JSONSerialization.jsonObject(with: Data(text), options: .fragmentsAllowed) else {
            return nil
        }
        self.init(value, depth: 0)
    }

    private init?(_ value: Any, depth: Int) {
        guard depth <= Self.maxDepth else { return nil }
        switch value {
        case is NSNull: self = .null
        case let number as NSNumber: self.init(number)
        case let text as String: self = .string(text)
        case let values as [Any]:
            let array = values.compactMap { JSON($0, depth: depth + 1) }
            guard array.count == values.count else { return nil }
            self = .array(array)
        case let members as [String: Any]:
            let object = members.compactMapValues { JSON($0, depth: depth + 1) }
            guard object.count == members.count else { return nil }
            self = .object(object)
        default: return nil
        }
    }

    /// A number is whole when it was written so.
    private init(_ number: NSNumber) {
        switch UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "c"): self = .bool(number.boolValue)
        case UInt8(ascii: "i"), UInt8(ascii: "l"), UInt8(ascii: "q"): self = .integer(number.intValue)
        default: self = .number(number.doubleValue)
        }
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
