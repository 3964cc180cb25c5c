/// The members of a JSON object, read by name and type: what is missing is `400 missing_field`, what has another
/// type is `400 wrong_type`, each naming the field. `null` counts as missing.
package struct Fields: Sendable {
    private let members: [String: JSON]
    /// What stands before a name in errors, such as `intervals[2].`.
    package let place: String

    package init(_ members: [String: JSON], place: String = "") {
        self.members = members
        self.place = place
    }

    /// Whether the member is there, also as `null`.
    package func has(_ name: String) -> Bool { members[name] != nil }

    package func string(_ name: String) throws -> String { try required(name, optionalString(name)) }
    package func int(_ name: String) throws -> Int { try required(name, optionalInt(name)) }
    package func bool(_ name: String) throws -> Bool { try required(name, optionalBool(name)) }

    /// Text without U+0000, which no PostgreSQL text can hold.
    package func optionalString(_ name: String) throws -> String? {
        try read(name) { value in
            guard case .string(let text) = value, !text.utf8.contains(0) else { return nil }
            return text
        }
    }

    /// An exact whole number: `1.5`, `1e3` and what exceeds 64 bits are of the wrong type.
    package func optionalInt(_ name: String) throws -> Int? {
        try read(name) { if case .integer(let number) = $0 { number } else { nil } }
    }

    package func optionalBool(_ name: String) throws -> Bool? {
        try read(name) { if case .bool(let flag) = $0 { flag } else { nil } }
    }

    /// Text that `convert` understands; any other is of the wrong type.
    package func text<Value>(_ name: String, as convert: (String) -> Value?) throws -> Value {
        try required(name, optionalText(name, as: convert))
    }

    package func optionalText<Value>(_ name: String, as convert: (String) -> Value?) throws -> Value? {
        try read(name) { if case .string(let text) = $0 { convert(text) } else { nil } }
    }

    /// A nested object; when names are given, any other member is `400 unknown_field`.
    package func object(_ name: String, _ allowed: String...) throws -> Fields {
        try required(name, nested(name, allowed))
    }

    package func optionalObject(_ name: String, _ allowed: String...) throws -> Fields? {
        try nested(name, allowed)
    }

    package func optionalObject(_ name: String, _ allowed: [String]) throws -> Fields? { try nested(name, allowed) }

    /// A list of objects; when names are given, any other member is `400 unknown_field`.
    package func array(_ name: String, _ allowed: String...) throws -> [Fields] {
        try required(name, list(name, allowed))
    }

    package func optionalArray(_ name: String, _ allowed: String...) throws -> [Fields]? {
        try list(name, allowed)
    }

    /// A list of texts that `convert` understands.
    package func texts<Value>(_ name: String, as convert: (String) -> Value?) throws -> [Value] {
        try required(name, optionalTexts(name, as: convert))
    }

    package func optionalTexts<Value>(_ name: String, as convert: (String) -> Value?) throws -> [Value]? {
        try read(name) { value in
            guard case .array(let values) = value else { return nil }
            let converted = values.compactMap { if case .string(let text) = $0 { convert(text) } else { nil } }
            return converted.count == values.count ? converted : nil
        }
    }

    /// A list of objects that are judged independently: an error names a field as if its object stood alone.
    package func documents(_ name: String) throws -> [Fields] { try array(name).map { Fields($0.members) } }

    /// Refuses members that nobody reads, so that a typo is never silently dropped.
    package func allowing(_ allowed: [String]) throws -> Fields {
        if let unknown = members.keys.sorted().first(where: { !allowed.contains($0) }) {
            throw Problem.unknownField(place + unknown)
        }
        return self
    }

    private func nested(_ name: String, _ allowed: [String]) throws -> Fields? {
        let object = try read(name) { value -> Fields? in
            guard case .object(let members) = value else { return nil }
            return Fields(members, place: "\(place)\(name).")
        }
        return allowed.isEmpty ? object : try object?.allowing(allowed)
    }

    private func list(_ name: String, _ allowed: [String]) throws -> [Fields]? {
        guard let values = try read(name, { if case .array(let values) = $0 { values } else { nil } }) else {
            return nil
        }
        return try values.enumerated().map { index, value in
            guard case .object(let members) = value else { throw Problem.wrongType("\(place)\(name)[\(index)]") }
            let object = Fields(members, place: "\(place)\(name)[\(index)].")
            return allowed.isEmpty ? object : try object.allowing(allowed)
        }
    }

    private func read<Value>(_ name: String, _ convert: (JSON) -> Value?) throws -> Value? {
        guard let value = members[name], value != .null else { return nil }
        guard let converted = convert(value) else { throw Problem.wrongType(place + name) }
        return converted
    }

    private func required<Value>(_ name: String, _ value: Value?) throws -> Value {
        guard let value else { throw Problem.missingField(place + name) }
        return value
    }
}
