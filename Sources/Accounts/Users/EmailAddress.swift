import API
import Foundation

/// An email address: as its owner wrote it, and in the one form by which two spellings are the same.
package struct EmailAddress: Hashable, Sendable {
    /// Trimmed, otherwise as written. Mail goes here.
    package let written: String
    /// Lower case, NFC, its domain in ASCII. No two users share one.
    package let canonical: String

    /// nil when no mail could go there: not `local@domain.tld`, too long, or with blanks or controls in it.
    package init?(_ text: String) {
        let written = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard written.utf8.count <= 254, let at = written.lastIndex(of: "@") else { return nil }
        let local = String(written[..<at]).precomposedStringWithCanonicalMapping
        let domain = String(written[written.index(after: at)...])
        guard Self.isLocalPart(local), let ascii = Self.asciiDomain(domain) else { return nil }
        self.written = written
        canonical = local.lowercased().precomposedStringWithCanonicalMapping + "@" + ascii
    }

    /// A dot-atom of RFC 5321 and RFC 6531; the quoted form is refused, nobody has it and it hides controls.
    private static func isLocalPart(_ local: String) -> Bool {
        guard (1...64).contains(local.utf8.count) else { return false }
        return local.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { atom in
            !atom.isEmpty && atom.unicodeScalars.allSatisfy { isAtomText($0) }
        }
    }

    private static func isAtomText(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII {
            return scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
                || "!#$%&'*+-/=?^_`{|}~".unicodeScalars.contains(scalar)
        }
        return PlainText.isVisible(scalar)
    }

    private static func asciiDomain(_ domain: String) -> String? {
        // The full-width and half-width full stops separate labels as well (RFC 3490, 3.1); NFKC maps all but one.
        let mapped = domain.precomposedStringWithCompatibilityMapping.lowercased()
            .precomposedStringWithCompatibilityMapping.replacing("\u{3002}", with: ".")
        let labels = mapped.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard labels.count >= 2, labels.allSatisfy(isLabel) else { return nil }
        var site = URLComponents()
        site.host = mapped
        guard let ascii = site.encodedHost, ascii.utf8.count <= 253,
            ascii.split(separator: ".").allSatisfy({ $0.utf8.count <= 63 })
        else { return nil }
        return ascii
    }

    private static func isLabel(_ label: String) -> Bool {
        guard !label.isEmpty, !label.hasPrefix("-"), !label.hasSuffix("-") else { return false }
        return label.unicodeScalars.allSatisfy { scalar in
            if scalar.isASCII {
                return ("a"..."z").contains(scalar) || ("0"..."9").contains(scalar) || scalar == "-"
            }
            let category = scalar.properties.generalCategory
            return scalar.properties.isAlphabetic || category == .decimalNumber || category == .nonspacingMark
                || category == .spacingMark
        }
    }
}
