import API
import Foundation

/// A password as somebody typed it. It has no description, so it cannot get into a log.
struct Password: Sendable, CustomStringConvertible {
    static let mostCharacters = 128
    /// NFKC, so that the same keys give the same password on every system; as typed where it is too long anyway.
    let normalised: String

    init(_ typed: String) {
        normalised =
            PlainText.isTooLong(typed, for: Self.mostCharacters)
            ? typed : typed.precomposedStringWithCompatibilityMapping
    }

    var description: String { "•••" }
}
