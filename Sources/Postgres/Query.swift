/// A statement whose interpolated values are bound, never spliced: `"… WHERE uid = \(uid)"`.
///
/// The text with its placeholders is what a connection prepares, so the same source line is prepared once.
package struct Query: ExpressibleByStringInterpolation, Sendable {
    /// The statement with `$1`, `$2` … in place of the values.
    let text: String
    let parameters: Parameters

    package init(stringLiteral text: String) {
        self.text = text
        parameters = Parameters()
    }

    package init(stringInterpolation: StringInterpolation) {
        text = stringInterpolation.text
        parameters = stringInterpolation.parameters
    }

    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""
        fileprivate var parameters = Parameters()

        package init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + 3 * interpolationCount)
        }

        package mutating func appendLiteral(_ literal: String) { text += literal }

        /// Binds `value`; the server infers its type from where it stands.
        package mutating func appendInterpolation(_ value: some PostgresEncodable) {
            value.bind(to: &parameters)
            text += "$\(parameters.count)"
        }

        /// Binds NULL for nil. A declaration of its own, because the compiler warns of an optional that becomes generic.
        package mutating func appendInterpolation<Value: PostgresEncodable>(_ value: Value?) {
            value.bind(to: &parameters)
            text += "$\(parameters.count)"
        }

        /// Splices raw text. Only for names that the program itself has made, in Postgres and TestSupport.
        package mutating func appendInterpolation(unsafe raw: String) { text += raw }
    }
}

/// A query prints its text and never its values.
extension Query: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { text }
    package var debugDescription: String { text }
    package var customMirror: Mirror { Mirror(self, children: ["text": text]) }
}
