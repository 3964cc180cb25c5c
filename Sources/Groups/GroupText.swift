import Foundation

/// The words a group shows of itself, made fit to show: no controls, trimmed, in Unicode's composed form.
package enum GroupText {
    /// A group's name of 1–50 characters, made of at most 60 scalars as the schema counts them; throws `invalid_name`.
    package static func name(_ text: String) throws -> String {
        guard let name = tidy(text, allowing: []), (1...50).contains(name.count), name.unicodeScalars.count <= 60
        else { throw GroupsError.invalidName }
        return name
    }

    /// What a group says about itself, at most 500 characters, line breaks allowed; throws `invalid_description`.
    package static func description(_ text: String) throws -> String {
        guard let description = tidy(text, allowing: ["\n"]), description.unicodeScalars.count <= 500
        else { throw GroupsError.invalidDescription }
        return description
    }

    private static func tidy(_ text: String, allowing allowed: Set<Unicode.Scalar>) -> String? {
        let refused: Set<Unicode.GeneralCategory> = [.control, .lineSeparator, .paragraphSeparator, .surrogate]
        let isFit = text.unicodeScalars.allSatisfy {
            allowed.contains($0) || !(refused.contains($0.properties.generalCategory) || directions.contains($0))
        }
        guard isFit else { return nil }
        return text.trimmingCharacters(in: .whitespacesAndNewlines).precomposedStringWithCanonicalMapping
    }

    /// Scalars that turn the direction of all that follows, the page around the name included.
    private static let directions: Set<Unicode.Scalar> = [
        "\u{202A}", "\u{202B}", "\u{202C}", "\u{202D}", "\u{202E}", "\u{2066}", "\u{2067}", "\u{2068}", "\u{2069}",
    ]
}
