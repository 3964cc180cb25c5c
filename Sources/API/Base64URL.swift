internal import CSodium

/// RFC 4648, 5, without padding.
package func base64url(_ bytes: [UInt8]) -> String {
    let variant = sodium_base64_VARIANT_URLSAFE_NO_PADDING
    var text = [CChar](repeating: 0, count: sodium_base64_encoded_len(bytes.count, variant))
    sodium_bin2base64(&text, text.count, bytes, bytes.count, variant)
    return String(decoding: text.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
}

/// Decodes base64url; nil unless it holds exactly `count` bytes.
package func bytes(base64url text: String, count: Int) -> [UInt8]? {
    guard let bytes = bytes(base64url: text), bytes.count == count else { return nil }
    return bytes
}

/// Decodes base64url without padding; nil for anything else.
package func bytes(base64url text: some StringProtocol) -> [UInt8]? {
    let text = String(text)
    var bytes = [UInt8](repeating: 0, count: text.utf8.count)
    var count = 0
    let result = sodium_base642bin(
        &bytes, bytes.count, text, text.utf8.count, nil, &count, nil, sodium_base64_VARIANT_URLSAFE_NO_PADDING)
    return result == 0 ? Array(bytes.prefix(count)) : nil
}
