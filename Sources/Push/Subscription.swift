import Accounts
import API
import HTTP
import Outgoing

/// A browser's `PushSubscription`, as it describes itself: where pushes go, and the keys that only it can read with.
struct Subscription: Sendable {
    let endpoint: String
    let deviceKey: [UInt8]
    let authentication: [UInt8]

    init(_ request: Request, _ web: WebClient) throws {
        // Browsers send expirationTime, but none of them sets it; a subscription that has ended is answered as gone.
        let fields = try request.json("endpoint", "expirationTime", "keys")
        endpoint = try fields.string("endpoint")
        let keys = try fields.object("keys", "p256dh", "auth")
        deviceKey = try Self.bytes(keys.string("p256dh"))
        authentication = try Self.bytes(keys.string("auth"))
        guard endpoint.utf8.count <= 2000, web.mayAsk(endpoint) else { throw Refusal.push.invalidEndpoint }
        guard P256Key.isPoint(deviceKey), authentication.count == 16 else { throw Refusal.push.invalidPushKeys }
    }

    /// Of base64url with or without padding; none of anything else.
    private static func bytes(_ text: String) -> [UInt8] { API.bytes(base64url: text.prefix { $0 != "=" }) ?? [] }
}
