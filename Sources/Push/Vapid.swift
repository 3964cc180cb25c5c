import API
import Accounts
import HTTP
import Time

/// How push services know that it is always us who send (RFC 8292). The key comes from the service's secret, as all its
/// keys do: every instance has the same, and there is nothing else to keep.
package struct Vapid: Sendable {
    private static let tokenLife = 3600

    private let key: P256Key
    private let signing: SigningKey
    /// Whom a push service can write to.
    private let contact: String

    /// `contact`: an address of the web or `mailto:`.
    package init(_ secret: Secret, contact: String) {
        let numbers = (0...UInt8.max).lazy.compactMap { P256Key(secret: secret.mac(.push, [$0])) }
        guard let key = numbers.first else { preconditionFailure("256 numbers in a row are no key") }
        self.key = key
        signing = SigningKey(secret: key.secret, point: key.point)
        self.contact = contact
    }

    /// The `applicationServerKey` with which browsers subscribe.
    package var publicKey: String { base64url(key.point) }

    /// The header `Authorization` for a push to that address; nil when it has no origin.
    func authorization(for endpoint: String, at now: Instant) -> String? {
        guard let origin = SiteAddress.origin(of: endpoint) else { return nil }
        let claims: [String: JSON] = [
            "aud": .string(origin), "exp": .integer(now.secondsSince1970 + Self.tokenLife), "sub": .string(contact),
        ]
        return signing.token(header: ["typ": "JWT"], claims: claims).map { "vapid t=\($0), k=\(publicKey)" }
    }
}
