import HTTP

// JSON as it is written in a test, `["name": "Ant", "size": 3]`, and read back, `json["items"][0]["name"].string`.

extension JSON: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringInterpolation, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral
{
    package init(nilLiteral: ()) { self = .null }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(integerLiteral value: Int) { self = .integer(value) }
    package init(floatLiteral value: Double) { self = .number(value) }
    package init(stringLiteral value: String) { self = .string(value) }
    package init(arrayLiteral elements: JSON...) { self = .array(elements) }
    package init(dictionaryLiteral elements: (String, JSON)...) {
        self = .object(Dictionary(uniqueKeysWithValues: elements))
    }
}

extension JSON {
    /// The member of that name; null if there is none.
    package subscript(_ name: String) -> JSON {
        if case .object(let members) = self { members[name] ?? .null } else { .null }
    }

    /// The element at that place; null if there is none.
    package subscript(_ index: Int) -> JSON {
        let elements = array ?? []
        return elements.indices.contains(index) ? elements[index] : .null
    }

    package var string: String? { if case .string(let value) = self { value } else { nil } }
    package var int: Int? { if case .integer(let value) = self { value } else { nil } }
    package var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    package var array: [JSON]? { if case .array(let values) = self { values } else { nil } }
    package var isNull: Bool { self == .null }
    /// The names of the members.
    package var names: Set<String> { if case .object(let members) = self { Set(members.keys) } else { [] } }
}
