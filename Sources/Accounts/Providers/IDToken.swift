import HTTP
import Time

/// The person that a provider vouches for.
struct ProvidedIdentity: Hashable, Sendable {
    let issuer: String
    let subject: String
    /// Only if the provider says that it is verified.
    var email: EmailAddress?
}

/// The checks of an ID token's claims (OpenID Connect Core 1.0, 3.1.3.7).
struct IDTokenCheck: Sendable {
    /// Why a token is refused: for the log, without anything of the token.
    struct Refused: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) { self.description = description }
    }

    /// How far the clocks may be apart.
    private static let slack = 60

    let issuer: String
    let clientID: String
    let nonce: String
    let now: Instant

    /// The person in the token, whose signature has been verified. Throws ``Refused``.
    func identity(in claims: [String: JSON]) throws -> ProvidedIdentity {
        guard claims["iss"] == .string(issuer) else { throw Refused("another issuer") }
        try checkAudience(claims)
        try checkTimes(claims)
        guard claims["nonce"] == .string(nonce) else { throw Refused("another nonce") }
        guard case .string(let subject)? = claims["sub"], (1...255).contains(subject.utf8.count),
            subject.utf8.allSatisfy({ (0x20..<0x7F).contains($0) })
        else { throw Refused("no subject") }
        return ProvidedIdentity(issuer: issuer, subject: subject, email: Self.verifiedEmail(claims))
    }

    private func checkAudience(_ claims: [String: JSON]) throws {
        let audience: [JSON]
        switch claims["aud"] {
        case .string(let text)?: audience = [.string(text)]
        case .array(let texts)?: audience = texts
        default: throw Refused("no audience")
        }
        guard audience.contains(.string(clientID)) else { throw Refused("another audience") }
        // A token that others may use as well has to say that it was made for us.
        let party = claims["azp"] ?? (audience.count == 1 ? .string(clientID) : .null)
        guard party == .string(clientID) else { throw Refused("another authorized party") }
    }

    private func checkTimes(_ claims: [String: JSON]) throws {
        guard let end = Self.seconds(claims["exp"]), now.secondsSince1970 < end + Self.slack else {
            throw Refused("expired")
        }
        guard let made = Self.seconds(claims["iat"]), made <= now.secondsSince1970 + Self.slack else {
            throw Refused("made in the future")
        }
        guard let start = claims["nbf"] else { return }
        guard let start = Self.seconds(start), start <= now.secondsSince1970 + Self.slack else {
            throw Refused("not yet valid")
        }
    }

    /// Dates of tokens; nil for what is no number or beyond any calendar.
    private static func seconds(_ value: JSON?) -> Int? {
        switch value {
        case .integer(let seconds) where (0..<1 << 40).contains(seconds): seconds
        case .number(let seconds) where (0..<1e12).contains(seconds): Int(seconds)
        default: nil
        }
    }

    /// Apple writes the flag as text.
    static func verifiedEmail(_ claims: [String: JSON]) -> EmailAddress? {
        guard claims["email_verified"] == .bool(true) || claims["email_verified"] == .string("true"),
            case .string(let text)? = claims["email"]
        else { return nil }
        return EmailAddress(text)
    }
}
