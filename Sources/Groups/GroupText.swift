import Accounts
import Foundation

/// The words a group shows of itself: trimmed, in Unicode's composed form, nothing invisible in them.
package enum GroupText {
    /// A group's name of 1–50 characters, made of at most 60 scalars as the schema counts them; throws `invalid_name`.
    package static func name(_ text: String) throws -> String {
        guard let name = PlainText.line(text, atMost: 60), name.count <= 50 else { throw GroupsError.invalidName }
        return name
    }

    /// What a group says about itself, at most 500 characters in any number of lines; throws `invalid_description`.
    package static func description(_ text: String) throws -> String {
        let lines = try text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { line in
            if line.allSatisfy({ $0 == " " }) { return "" }
            guard let line = PlainText.line(String(line), atMost: 500) else { throw GroupsError.invalidDescription }
            return line
        }
        let description = lines.joined(separator: "\n").trimmingCharacters(in: .newlines)
        guard description.unicodeScalars.count <= 500 else { throw GroupsError.invalidDescription }
        return description
    }
}
