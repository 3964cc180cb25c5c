import API
import Foundation
import HTTP
import Postgres
import Time

/// A key for another program, as its owner sees it. The key itself is seen once, when it is made.
struct APIKey: Encodable, Sendable {
    let id: ID
    let name: String
    let scopes: [String]
    let createdAt: Instant
    /// To within ten minutes; nil if it was never used.
    @OrNull var lastUsedAt: Instant?
    /// From where it was last used, as limits count it.
    @OrNull var clientAddress: String?
    let expiresAt: Instant
}

/// The keys of other programs: sign-ins with a name and scopes.
struct KeyStore: Sendable {
    let database: Database
    let secret: Secret

    /// The answer to a new key.
    struct Made: Encodable, Sendable {
        let id: ID
        let key: String
        let expiresAt: Instant
    }

    func list(of caller: Caller) async throws -> [APIKey] {
        let rows = try await database.read(
            """
            SELECT s.id, s.name, s.scopes, s.created_at, nullif(s.last_seen_at, s.created_at) AS last_used_at, s.client,
              s.expires_at
            FROM sign_ins s JOIN users u ON u.uid = s.uid AND u.auth_epoch = s.auth_epoch
            WHERE s.uid = \(caller.uid) AND s.scopes IS NOT NULL AND s.expires_at > anthill_clock()
            ORDER BY s.created_at DESC, s.id DESC
            """)
        return try rows.map { row in
            APIKey(
                id: try row["id"], name: try row["name"], scopes: try row["scopes"], createdAt: try row["created_at"],
                lastUsedAt: try row["last_used_at"], clientAddress: try row["client"],
                expiresAt: try row["expires_at"])
        }
    }

    func add(_ wanted: WantedKey, for caller: Caller, from client: ClientAddress) async throws -> Made {
        let (id, token) = (ID.ordered(at: Date()), Token())
        let end = try await Refusal.accounts.mapConstraints {
            try await database.write(
                """
                SELECT add_api_key(\(caller.uid), \(caller.signIn), \(id), \(token.mac(.signIn, secret)),
                  \(wanted.name), \(wanted.scopes.map(\.rawValue)), \(wanted.days), \(client.limitKey))
                """
            ).one.decode(Instant.self)
        }
        return Made(id: id, key: token.text, expiresAt: end)
    }

    /// false if the person has no such key.
    func end(_ id: ID, of uid: ID, from client: ClientAddress) async throws -> Bool {
        try await database.write("SELECT end_api_key(\(uid), \(id), \(client.limitKey))").one.decode(Bool.self)
    }
}
