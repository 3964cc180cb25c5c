internal import CSodium

/// The service's secret (`ANTHILL_SECRET`): every key that secrets are stored under comes from it, one per purpose.
package struct Secret: Sendable {
    /// What a key is for; what was stored for one purpose is nothing for another.
    enum Purpose: String, Sendable, CaseIterable {
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
    }

    private let keys: [Purpose: [UInt8]]

    /// Any text; its whole length counts. How long it must be is the configuration's business.
    package init(_ text: String) {
        precondition(sodium_init() >= 0, "libsodium could not be initialised")
        let master = Array(text.utf8)
        keys = Dictionary(
            uniqueKeysWithValues: Purpose.allCases.map {
                ($0, Self.hmac(key: master, Array("anthill/\($0.rawValue)".utf8)))
            })
    }

    /// HMAC-SHA256 over `message` with the key of `purpose`: what is stored in the place of anything secret.
    func mac(_ purpose: Purpose, _ message: [UInt8]) -> [UInt8] { Self.hmac(key: keys[purpose]!, message) }

    private static func hmac(key: [UInt8], _ message: [UInt8]) -> [UInt8] {
        var state = crypto_auth_hmacsha256_state()
        var mac = [UInt8](repeating: 0, count: Int(crypto_auth_hmacsha256_bytes()))
        crypto_auth_hmacsha256_init(&state, key, key.count)
        crypto_auth_hmacsha256_update(&state, message, UInt64(message.count))
        crypto_auth_hmacsha256_final(&state, &mac)
        return mac
    }
}

/// SHA-256, for what need not be secret.
func sha256(_ message: [UInt8]) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: Int(crypto_hash_sha256_bytes()))
    crypto_hash_sha256(&digest, message, UInt64(message.count))
    return digest
}
