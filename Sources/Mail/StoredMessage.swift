import Foundation

/// A message of the mail folder, decoded for reading; it understands what ``Message`` writes, not all of MIME.
package struct StoredMessage: Sendable {
    package let name: String
    package let subject: String
    package let to: String
    package let date: String
    package let text: String

    init(name: String, source: String) {
        self.name = name
        let (head, body) = Self.split(source)
        let headers = Self.headers(head)
        subject = Self.decodedWords(headers["subject"] ?? "")
        to = Self.decodedWords(headers["to"] ?? "")
        date = headers["date"] ?? ""
        text = Self.plainText(body, type: headers["content-type"] ?? "")
    }

    /// The first address in the text, which is what the mail asks its reader to open.
    package var link: String? {
        text.split(whereSeparator: \.isWhitespace).first { $0.hasPrefix("http://") || $0.hasPrefix("https://") }
            .map(String.init)
    }

    private static func split(_ text: String) -> (head: String, body: String) {
        guard let blank = text.range(of: "\r\n\r\n") else { return (text, "") }
        return (String(text[..<blank.lowerBound]), String(text[blank.upperBound...]))
    }

    private static func headers(_ head: String) -> [String: String] {
        var headers: [String: String] = [:]
        let unfolded = head.replacingOccurrences(of: "\r\n ", with: " ")
        for line in unfolded.components(separatedBy: "\r\n") {
            guard let colon = line.firstIndex(of: ":") else { continue }
            headers[line[..<colon].lowercased()] =
                line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        }
        return headers
    }

    private static func decodedWords(_ text: String) -> String {
        text.replacingOccurrences(of: "?= =?", with: "?==?")
            .replacing(#/=\?UTF-8\?B\?([A-Za-z0-9+\/=]*)\?=/#) { word in
                Data(base64Encoded: String(word.1)).map { String(decoding: $0, as: UTF8.self) } ?? String(word.0)
            }
    }

    private static func plainText(_ body: String, type: String) -> String {
        guard let boundary = type.firstMatch(of: #/boundary="([^"]+)"/#)?.1 else { return body }
        let parts = "\r\n\(body)".components(separatedBy: "\r\n--\(boundary)")
        guard let plain = parts.first(where: { $0.contains("Content-Type: text/plain") }) else { return "" }
        return QuotedPrintable.decode(split(plain).body)
    }
}

extension QuotedPrintable {
    static func decode(_ text: String) -> String {
        var octets: [UInt8] = []
        var rest = Array(
            text.replacingOccurrences(of: "=\r\n", with: "").replacingOccurrences(of: "\r\n", with: "\n").utf8)[...]
        while let octet = rest.popFirst() {
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            if octet == UInt8(ascii: "="), let value = UInt8(digits, radix: 16) {
                octets.append(value)
                rest = rest.dropFirst(2)
            } else {
                octets.append(octet)
            }
        }
        return String(decoding: octets, as: UTF8.self)
    }
}
