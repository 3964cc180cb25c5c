import Time

/// A value that can be interpolated into a ``Query``.
package protocol PostgresEncodable: Sendable {
    /// Appends exactly one parameter.
    func bind(to parameters: inout Parameters)
    /// Appends an array of these as one parameter.
    static func bind(_ array: [Self], to parameters: inout Parameters)
}

extension PostgresEncodable {
    package static func bind(_ array: [Self], to parameters: inout Parameters) { parameters.append(array: array) }
}

extension String: PostgresEncodable {
    package func bind(to parameters: inout Parameters) { parameters.append(text: self) }
}

extension Bool: PostgresEncodable {
    package func bind(to parameters: inout Parameters) { parameters.append(text: self ? "true" : "false") }
}

extension Int: PostgresEncodable {
    package func bind(to parameters: inout Parameters) { parameters.append(text: description) }
}

extension Int32: PostgresEncodable {
    package func bind(to parameters: inout Parameters) { parameters.append(text: description) }
}

extension Double: PostgresEncodable {
    package func bind(to parameters: inout Parameters) { parameters.append(text: description) }
}

extension Instant: PostgresEncodable {
    package func bind(to parameters: inout Parameters) { parameters.append(text: description) }
}

extension Day: PostgresEncodable {
    package func bind(to parameters: inout Parameters) { parameters.append(text: description) }
}

extension TimeOfDay: PostgresEncodable {
    package func bind(to parameters: inout Parameters) { parameters.append(text: textToTheSecond) }
}

/// One byte is a number; an array of them is a `bytea`.
extension UInt8: PostgresEncodable {
    package func bind(to parameters: inout Parameters) { parameters.append(text: description) }
    package static func bind(_ array: [UInt8], to parameters: inout Parameters) { parameters.append(binary: array) }
}

extension Array: PostgresEncodable where Element: PostgresEncodable {
    package func bind(to parameters: inout Parameters) { Element.bind(self, to: &parameters) }
}

extension Optional: PostgresEncodable where Wrapped: PostgresEncodable {
    package func bind(to parameters: inout Parameters) {
        if let self { self.bind(to: &parameters) } else { parameters.appendNull() }
    }
}
