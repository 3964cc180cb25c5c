/// A JSON value. Integers are exact; a number with a fraction or an exponent, or beyond 64 bits, is a `number`.
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
        case .array(let values):
            var array = encoder.unkeyedContainer()
            for value in values { try array.encode(value) }
        case .object(let members):
            var object = encoder.container(keyedBy: MemberName.self)
            for (name, value) in members.sorted(by: { $0.key < $1.key }) {
                try object.encode(value, forKey: MemberName(name))
            }
        }
    }
}

/// A member name that is written as it is, without turning it to snake_case.
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
