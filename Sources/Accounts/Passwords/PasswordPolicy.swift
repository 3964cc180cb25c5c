import API
import Foundation

/// Which passwords are good enough (NIST 800-63B): long, not common, not the person's own name in disguise. No rules
/// about kinds of characters.
package struct PasswordPolicy: Sendable {
    private let common: Set<String>

    /// `common`: passwords in lower case, one a line; lines that begin with `#` are comments.
    package init(common list: String) {
        common = Set(list.split(separator: "\n").filter { !$0.hasPrefix("#") }.map(String.init))
    }

    /// With the list that comes with the program.
    package static func standard() throws -> PasswordPolicy {
        let list = Bundle.module.url(forResource: "common-passwords", withExtension: "txt")!
        return PasswordPolicy(common: try String(contentsOf: list, encoding: .utf8))
    }

    /// Why `password` is too weak for a user with this address and nickname; nil if it is not.
    func weakness(of password: Password, email: EmailAddress, nickname: String) -> Refusal? {
        let points = password.normalised.unicodeScalars.count
        if points < 10 { return Refusal.accounts.passwordTooShort }
        if points > Password.mostCharacters || password.normalised.utf8.count > 1024 {
            return Refusal.accounts.passwordTooLong
        }
        let lower = password.normalised.lowercased()
        if common.contains(lower) { return Refusal.accounts.passwordCommon }
        if Set(lower.unicodeScalars).count < 4 { return Refusal.accounts.passwordMonotonous }
        let local = email.canonical.prefix { $0 != "@" }
        let domain = email.canonical.dropFirst(local.count + 1).prefix { $0 != "." }
        let words = [email.canonical, String(local), String(domain), nickname, "anthill", "개미"]
        return words.contains { Self.isDisguise(lower, of: $0) } ? Refusal.accounts.passwordPredictable : nil
    }

    /// Throws what ``weakness(of:email:nickname:)`` finds, about that field of the request.
    func check(_ password: Password, email: EmailAddress, nickname: String, field: String) throws {
        if let weakness = weakness(of: password, email: email, nickname: nickname) { throw weakness.at(field) }
    }

    /// Whether `password` is little more than `word`: fewer than eight characters remain once digits and signs that
    /// look like letters are read as those and every occurrence of `word` is removed.
    private static func isDisguise(_ password: String, of word: String) -> Bool {
        let word = plain(word.precomposedStringWithCompatibilityMapping.lowercased())
        guard word.unicodeScalars.count >= (word.utf8.allSatisfy { $0 < 128 } ? 3 : 2) else { return false }
        let folded = plain(password)
        let rest = folded.replacing(word, with: "").replacing(String(word.reversed()), with: "")
        return rest != folded && rest.unicodeScalars.count < 8
    }

    /// The letters that digits and signs stand for; blanks and punctuation between them dropped.
    private static func plain(_ text: String) -> String {
        var plain = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            let letter = lookalikes[scalar] ?? scalar
            if letter.properties.isAlphabetic || letter.properties.numericType != nil { plain.append(letter) }
        }
        return String(plain)
    }

    private static let lookalikes: [Unicode.Scalar: Unicode.Scalar] = [
        "0": "o", "1": "i", "l": "i", "!": "i", "|": "i", "3": "e", "4": "a", "@": "a", "5": "s", "$": "s", "7": "t",
    ]
}
