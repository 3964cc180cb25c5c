import Foundation

/// A password as somebody typed it. It has no description, so it cannot get into a log.
struct Password: Sendable, CustomStringConvertible {
    /// NFKC, so that the same keys give the same password on every system.
    let normalised: String

    init(_ typed: String) { normalised = typed.precomposedStringWithCompatibilityMapping }

    var description: String { "•••" }
}
