import Foundation

/// RFC 2047 encoded words, for header text outside ASCII.
enum EncodedWord {
    /// Words of whole characters, each short enough that its line stays within 76 columns, folded.
    static func text(_ text: String) -> String {
        var words: [String] = []
        var chunk: [UInt8] = []
        for character in text.unicodeScalars {
            let bytes = Array(String(character).utf8)
            if chunk.count + bytes.count > 39 {
                words.append(word(chunk))
                chunk = []
            }
            chunk += bytes
        }
        if !chunk.isEmpty { words.append(word(chunk)) }
        return words.joined(separator: "\r\n ")
    }

    private static func word(_ bytes: [UInt8]) -> String {
        "=?UTF-8?B?\(Data(bytes).base64EncodedString())?="
    }
}

/// RFC 2045 quoted-printable: lines of at most 76 columns, so a mail's text can be read in its source.
enum QuotedPrintable {
    static func encode(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            folded(escaped(Array(line.utf8)))
        }.joined(separator: "\r\n")
    }

    /// One element per octet of the line: itself, or `=XX`.
    private static func escaped(_ line: [UInt8]) -> [String] {
        line.enumerated().map { position, octet in
            let isBlank = octet == UInt8(ascii: " ") || octet == UInt8(ascii: "\t")
            let isLiteral = (0x21...0x7e).contains(octet) && octet != UInt8(ascii: "=")
            // A leading dot is SMTP's, and a blank at the end of a line is lost on the way.
            let isLeadingDot = octet == UInt8(ascii: ".") && position == 0
            if isLiteral && !isLeadingDot || isBlank && position != line.count - 1 {
                return String(UnicodeScalar(octet))
            }
            return "=" + hexadecimal(octet)
        }
    }

    private static func folded(_ tokens: [String]) -> String {
        var result = ""
        var column = 0
        for (position, token) in tokens.enumerated() {
            let room = position == tokens.count - 1 ? 76 : 75
            if column + token.count > room {
                result += "=\r\n"
                column = 0
            }
            // After a soft break too, a dot must not come first.
            let piece = column == 0 && token == "." ? "=2E" : token
            result += piece
            column += piece.count
        }
        return result
    }

    private static func hexadecimal(_ octet: UInt8) -> String {
        let digits = String(octet, radix: 16, uppercase: true)
        return octet < 0x10 ? "0" + digits : digits
    }
}
