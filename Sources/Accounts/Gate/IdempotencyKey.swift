import API
import HTTP
import Postgres

/// What makes a retry safe: the client's key for one request to one route, and what that request was.
struct IdempotencyKey: Sendable {
    let uid: ID
    let route: String
    let key: ID
    let fingerprint: [UInt8]

    /// nil when the request carries none. Throws ``AccountsRefusals/invalidIdempotencyKey``.
    init?(_ request: Request, of caller: Caller) throws {
        let texts = request.headers.all("Idempotency-Key")
        if texts.isEmpty { return nil }
        guard texts.count == 1, let key = ID(texts[0]) else {
            throw Refusal.accounts.invalidIdempotencyKey
        }
        uid = caller.uid
        route = "\(request.method.rawValue) \(request.route)"
        self.key = key
        // The path and the query too: the same key on another group, or a dry run, is another request.
        let asked = "\(request.path)\0\(request.query.canonical)"
        fingerprint = sha256(Array(asked.utf8) + Self.canonical(request.body))
    }

    /// The members of JSON objects in one order: a client that writes the same body again may shuffle them.
    private static func canonical(_ body: [UInt8]) -> [UInt8] {
        guard let value = JSON(text: body), let text = try? JSON.bytes(value) else { return body }
        return text
    }
}
