internal import CSodium

/// The service's secret (`ANTHILL_SECRET`): every key that secrets are stored under comes from it, one per purpose.
package struct Secret: Sendable {
    /// What a key is for. A MAC made for one purpose never matches for another.
    package enum Purpose: String, Sendable, CaseIterable {
        case signIn = "sign_in"
        case registration
        case passwordReset = "password_reset"
        case emailChange = "email_change"
        case emailReturn = "email_return"
        case account
        case password
        case optOut = "opt_out"
        // Sign-in through a provider: the MAC of its cookie, three values derived from the cookie, and the ticket.
        case providerFlow = "provider_flow"
        case providerState = "provider_state"
        case providerNonce = "provider_nonce"
        case providerVerifier = "provider_verifier"
        case providerTicket = "provider_ticket"
        /// The private key by which push services know us.
        case push
        case calendarFeed = "calendar_feed"
        case badge
        /// What addresses of webhooks are encrypted with, and what webhooks sign with.
        case webhookAddress = "webhook_address"
        case webhookSigning = "webhook_signing"
    }

    private let keys: [Purpose: Key]

    /// Any text; its whole length counts. How long it must be is the configuration's business.
    package init(_ text: String) {
        precondition(sodium_init() >= 0, "libsodium could not be initialised")
        let master = Array(text.utf8)
        keys = Dictionary(
            uniqueKeysWithValues: Purpose.allCases.map {
                ($0, Key(hmacSHA256(key: master, Array("anthill/\($0.rawValue)".utf8))))
            })
    }

    /// HMAC-SHA256 over `message` with the key of `purpose`: what is stored in the place of anything secret.
    package func mac(_ purpose: Purpose, _ message: [UInt8]) -> [UInt8] { keys[purpose]!.mac(message) }

    /// `text` encrypted with the key of `purpose`, for what has to be read again.
    package func seal(_ purpose: Purpose, _ text: [UInt8]) -> [UInt8] {
        var nonce = [UInt8](repeating: 0, count: Int(crypto_secretbox_noncebytes()))
        randombytes_buf(&nonce, nonce.count)
        var sealed = [UInt8](repeating: 0, count: text.count + Int(crypto_secretbox_macbytes()))
        crypto_secretbox_easy(&sealed, text, UInt64(text.count), nonce, keys[purpose]!.bytes)
        return nonce + sealed
    }

    /// What was sealed; nil if it was changed, or sealed with another secret.
    package func open(_ purpose: Purpose, _ sealed: [UInt8]) -> [UInt8]? {
        let nonce = Array(sealed.prefix(Int(crypto_secretbox_noncebytes())))
        let box = Array(sealed.dropFirst(nonce.count))
        let length = box.count - Int(crypto_secretbox_macbytes())
        guard length >= 0 else { return nil }
        var text = [UInt8](repeating: 0, count: length)
        return crypto_secretbox_open_easy(&text, box, UInt64(box.count), nonce, keys[purpose]!.bytes) == 0 ? text : nil
    }
}

/// HMAC-SHA256, with a key of any length.
package func hmacSHA256(key: [UInt8], _ message: [UInt8]) -> [UInt8] { Key(key).mac(message) }

/// A key, of any length. Making one for HMAC-SHA256 is half of the work, so a key that is used often is kept.
private struct Key: Sendable {
    let bytes: [UInt8]
    private let begun: crypto_auth_hmacsha256_state

    init(_ bytes: [UInt8]) {
        var state = crypto_auth_hmacsha256_state()
        crypto_auth_hmacsha256_init(&state, bytes, bytes.count)
        (self.bytes, begun) = (bytes, state)
    }

    func mac(_ message: [UInt8]) -> [UInt8] {
        var state = begun
        var mac = [UInt8](repeating: 0, count: Int(crypto_auth_hmacsha256_bytes()))
        crypto_auth_hmacsha256_update(&state, message, UInt64(message.count))
        crypto_auth_hmacsha256_final(&state, &mac)
        return mac
    }
}

/// SHA-256, for what need not be secret.
package func sha256(_ message: [UInt8]) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: Int(crypto_hash_sha256_bytes()))
    crypto_hash_sha256(&digest, message, UInt64(message.count))
    return digest
}
