import Foundation

/// Short text that people show one another: one line, nothing invisible in it.
package enum PlainText {
    /// `text` trimmed and in NFC, if that leaves something, has at most `limit` code points and hides nothing; else nil.
    package static func line(_ text: String, atMost limit: Int) -> String? {
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !isTooLong(trimmed, for: limit) else { return nil }
        let line = trimmed.precomposedStringWithCanonicalMapping
        let scalars = line.unicodeScalars
        guard !scalars.isEmpty, scalars.count <= limit else { return nil }
        guard scalars.contains(where: { isVisible($0) && standsAlone($0) }) else { return nil }
        return scalars.allSatisfy { $0 == " " || isVisible($0) } ? line : nil
    }

    /// Whether `text` has more than `limit` code points in NFC and NFKC, too, which make at most four into one. Ask this
    /// before composing what comes from outside: the time for a row of accents grows with the square of its length.
    package static func isTooLong(_ text: String, for limit: Int) -> Bool {
        text.unicodeScalars.prefix(4 * limit + 1).count > 4 * limit
    }

    /// Not a control, a separator, an unassigned code point, or a format character that turns text around or hides in
    /// it. Joiners stay: emoji and some scripts are spelt with them.
    package static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator, .spaceSeparator: false
        case .format: isJoiner(scalar) || (0xE0020...0xE007F).contains(scalar.value)
        default: !invisibleLetters.contains(scalar.value)
        }
    }

    /// Not a joiner, a variation selector or an accent, which only change what stands before them.
    private static func standsAlone(_ scalar: Unicode.Scalar) -> Bool {
        !scalar.properties.isDefaultIgnorableCodePoint
            && ![.nonspacingMark, .enclosingMark].contains(scalar.properties.generalCategory)
    }

    private static func isJoiner(_ scalar: Unicode.Scalar) -> Bool { scalar == "\u{200C}" || scalar == "\u{200D}" }

    /// Hangul fillers, the Braille blank and the Mongolian separator: letters to Unicode, nothing to the eye.
    private static let invisibleLetters: Set<UInt32> = [0x115F, 0x1160, 0x3164, 0xFFA0, 0x2800, 0x180E]
}
