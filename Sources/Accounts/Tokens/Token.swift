import API
internal import CSodium

/// 32 random bytes that prove something to us, written as 43 characters of base64url. Only ``mac(_:)`` is ever stored.
package struct Token: Sendable {
    let bytes: [UInt8]

    /// A new one, from the system's generator.
    package init() {
        var bytes = [UInt8](repeating: 0, count: 32)
        randombytes_buf(&bytes, bytes.count)
        self.bytes = bytes
    }

    /// One that somebody shows; nil if it cannot be a token of ours.
    package init?(_ text: String) {
        guard let bytes = API.bytes(base64url: text, count: 32) else { return nil }
        self.bytes = bytes
    }

    /// The token as it is sent.
    package var text: String { base64url(bytes) }

    /// The MAC under which it is stored.
    package func mac(_ purpose: Secret.Purpose, _ secret: Secret) -> [UInt8] { secret.mac(purpose, bytes) }
}

/// Whether two secrets are the same, in a time that does not tell where they differ.
func areEqual(_ a: [UInt8], _ b: [UInt8]) -> Bool { a.count == b.count && sodium_memcmp(a, b, a.count) == 0 }

/// The answer to a check of a mail's token: who got the mail.
struct LinkOwner: Encodable {
    let email: String
}
