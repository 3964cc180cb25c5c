internal import CSodium

/// 32 random bytes that prove something to us, written as 43 characters of base64url. Only ``mac(_:)`` is ever stored.
package struct Token: Sendable {
    let bytes: [UInt8]

    /// A new one, from the system's generator.
    init() {
        var bytes = [UInt8](repeating: 0, count: 32)
        randombytes_buf(&bytes, bytes.count)
        self.bytes = bytes
    }

    /// One that somebody shows; nil if it cannot be a token of ours.
    init?(_ text: String) {
        guard let bytes = Accounts.bytes(base64url: text, count: 32) else { return nil }
        self.bytes = bytes
    }

    /// As it travels.
    package var text: String { base64url(bytes) }

    /// What is stored of it.
    func mac(_ purpose: Secret.Purpose, _ secret: Secret) -> [UInt8] { secret.mac(purpose, bytes) }
}

/// RFC 4648, 5, without padding.
func base64url(_ bytes: [UInt8]) -> String {
    let variant = sodium_base64_VARIANT_URLSAFE_NO_PADDING
    var text = [CChar](repeating: 0, count: sodium_base64_encoded_len(bytes.count, variant))
    sodium_bin2base64(&text, text.count, bytes, bytes.count, variant)
    return String(decoding: text.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
}

/// Decodes base64url; nil unless it holds exactly `count` bytes.
func bytes(base64url text: String, count: Int) -> [UInt8]? {
    guard let bytes = bytes(base64url: text), bytes.count == count else { return nil }
    return bytes
}

/// Decodes base64url without padding; nil for anything else.
func bytes(base64url text: some StringProtocol) -> [UInt8]? {
    let text = String(text)
    var bytes = [UInt8](repeating: 0, count: text.utf8.count)
    var count = 0
    let result = sodium_base642bin(
        &bytes, bytes.count, text, text.utf8.count, nil, &count, nil, sodium_base64_VARIANT_URLSAFE_NO_PADDING)
    return result == 0 ? Array(bytes.prefix(count)) : nil
}

/// Whether two secrets are the same, in a time that does not tell where they differ.
func areEqual(_ a: [UInt8], _ b: [UInt8]) -> Bool { a.count == b.count && sodium_memcmp(a, b, a.count) == 0 }
