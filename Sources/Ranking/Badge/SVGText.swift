/// Text in pictures. They need nothing but themselves, so what a text measures is a guess.
enum SVGText {
    static let fonts = "system-ui, 'Noto Sans KR', 'Noto Sans CJK KR', sans-serif"

    /// Text as content or as an attribute in quotes. Characters that XML does not allow are left out, and so are those that
    /// change the direction of the text around them: names come from people.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "\u{200E}", "\u{200F}", "\u{061C}", "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}": break
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{FFFE}"..."\u{FFFF}": break
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// The text, truncated to `most` em with an ellipsis.
    static func cut(_ text: String, toEms most: Double) -> String {
        var (width, kept) = (0.0, text.startIndex)
        for index in text.indices {
            width += ems(text[index])
            if width > most { return text[..<kept] + "…" }
            if width <= most - 1 { kept = text.index(after: index) }
        }
        return String(text)
    }

    /// About the width of the character, bold and in a wide font.
    private static func ems(_ character: Character) -> Double {
        guard let scalar = character.unicodeScalars.first else { return 0 }
        if scalar.properties.isEmojiPresentation || character.unicodeScalars.contains("\u{FE0F}") { return 1.4 }
        if scalar.value >= 0x1100 { return 1 }
        if " .,:;'!|ijlIt()[]".contains(character) { return 0.4 }
        if "mwMW@%".contains(character) { return 1 }
        return character.isUppercase ? 0.8 : 0.68
    }
}
