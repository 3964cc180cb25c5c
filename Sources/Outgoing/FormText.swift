import Foundation

/// `application/x-www-form-urlencoded`, as the query of an address and the body of a form have it.
package enum FormText {
    /// What needs no escape (RFC 3986, 2.3).
    private static let plain = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

    package static func encode(_ pairs: [(name: String, value: String)]) -> String {
        pairs.map { "\(encode($0.name))=\(encode($0.value))" }.joined(separator: "&")
    }

    package static func encode(_ text: String) -> String { text.addingPercentEncoding(withAllowedCharacters: plain)! }
}
