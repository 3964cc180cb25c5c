import Mail

/// HTML. Text that is interpolated into it is escaped, so a name can never be markup.
struct Markup: Sendable, ExpressibleByStringInterpolation {
    let html: String

    /// Text that is HTML already.
    init(html: String) { self.html = html }

    init(stringLiteral html: String) { self.html = html }

    init(stringInterpolation: Interpolation) { html = stringInterpolation.html }

    struct Interpolation: StringInterpolationProtocol {
        fileprivate var html = ""

        init(literalCapacity: Int, interpolationCount: Int) { html.reserveCapacity(2 * literalCapacity) }

        mutating func appendLiteral(_ literal: String) { html += literal }

        mutating func appendInterpolation(_ markup: Markup) { html += markup.html }

        mutating func appendInterpolation(_ markup: [Markup]) {
            for each in markup { html += each.html }
        }

        mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            html += value.description.escapedForHTML
        }
    }
}
