import Foundation

/// Who a message is from or for: an address, and perhaps a name. Never holds a control character.
package struct Mailbox: Hashable, Sendable {
    package let name: String
    package let address: String

    /// Nil unless the address is one local part, one `@` and one domain, without spaces, brackets or controls.
    package init?(name: String = "", address: String) {
        guard Self.isPlain(name), Self.isAddress(address) else { return nil }
        self.name = name
        self.address = address
    }

    /// Somebody by their nickname, if it may stand in a header. Nil for what is no address.
    package init?(of nickname: String, at address: String) {
        self.init(name: Self.isPlain(nickname) ? nickname : "", address: address)
    }

    /// Reads `address` or `Name <address>`.
    package init?(_ text: String) {
        guard text.hasSuffix(">"), let bracket = text.firstIndex(of: "<") else {
            self.init(address: text)
            return
        }
        let name = text[..<bracket].trimmed(of: " ").trimmed(of: "\"")
        self.init(name: String(name), address: String(text[text.index(after: bracket)...].dropLast()))
    }

    /// The part after the `@` in ASCII: not every mail server knows other letters.
    var asciiDomain: String {
        var site = URLComponents()
        site.host = String(address[address.index(after: at)...])
        return site.encodedHost ?? "localhost"
    }

    /// The address as it is said to mail servers and in headers.
    var onTheWire: String { "\(address[..<at])@\(asciiDomain)" }

    private var at: String.Index { address.lastIndex(of: "@")! }

    /// As it stands in a header.
    var headerText: String {
        if name.isEmpty { return onTheWire }
        if !name.isASCII || name.utf8.count > 60 { return "\(EncodedWord.text(name))\r\n <\(onTheWire)>" }
        let escaped = name.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return "\"\(escaped)\" <\(onTheWire)>"
    }

    private static func isPlain(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }

    private static func isAddress(_ text: String) -> Bool {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        return parts.count == 2 && !parts[0].isEmpty && !parts[1].isEmpty && text.utf8.count <= 254 && isPlain(text)
            && !text.unicodeScalars.contains {
                $0.properties.isWhitespace || "<>(),;:\\\"[]".unicodeScalars.contains($0)
            }
    }
}

extension StringProtocol {
    fileprivate func trimmed(of character: Character) -> SubSequence {
        var rest = self[...]
        while rest.first == character { rest.removeFirst() }
        while rest.last == character { rest.removeLast() }
        return rest
    }
}

extension String {
    var isASCII: Bool { utf8.allSatisfy { $0 < 0x80 } }
}
