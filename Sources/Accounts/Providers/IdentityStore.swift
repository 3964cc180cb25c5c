import API
import HTTP
import Postgres
import Time

/// An account at a provider through which somebody signs in, as its owner sees it.
struct LinkedIdentity: Encodable, Sendable {
    let id: ID
    /// nil when the provider is not configured any more.
    @OrNull var provider: String?
    let name: String
    @OrNull var email: String?
    let createdAt: Instant
}

/// The accounts at providers through which people sign in. The key is issuer and subject, never an address.
struct IdentityStore: Sendable {
    let database: Database

    /// Whose identity this is, and its id.
    func find(_ identity: ProvidedIdentity) async throws -> (uid: ID, id: ID)? {
        let rows = try await database.read(
            "SELECT uid, id FROM user_identities WHERE issuer = \(identity.issuer) AND subject = \(identity.subject)")
        return try rows.first.map { (try $0["uid"], try $0["id"]) }
    }

    func list(of uid: ID, _ providers: [Provider]) async throws -> [LinkedIdentity] {
        let rows = try await database.read(
            "SELECT id, issuer, email, created_at FROM user_identities WHERE uid = \(uid) ORDER BY created_at, id")
        return try rows.map { row in
            let issuer: String = try row["issuer"]
            let provider = providers.first { $0.issuer == issuer }
            return LinkedIdentity(
                id: try row["id"], provider: provider?.id, name: provider?.name ?? issuer, email: try row["email"],
                createdAt: try row["created_at"])
        }
    }

    func hasPassword(_ uid: ID) async throws -> Bool {
        try await !database.read("SELECT FROM users WHERE uid = \(uid) AND password_hash IS NOT NULL").isEmpty
    }

    /// Gives somebody an identity, in the running transaction. Throws ``AccountsRefusals/identityTaken`` when it is
    /// somebody's, also their own.
    func link(_ identity: ProvidedIdentity, id: ID, to uid: ID) async throws {
        try await Refusal.accounts.mapConstraints {
            _ = try await database.write(
                """
                INSERT INTO user_identities (issuer, subject, uid, id, email)
                VALUES (\(identity.issuer), \(identity.subject), \(uid), \(id), \(identity.email?.written))
                """)
        }
    }

    /// Takes an identity away, in the running transaction, and raises the epoch; false if the person has no such one.
    /// Throws ``AccountsRefusals/lastWayIn``.
    func unlink(_ id: ID, of uid: ID, _ providers: [Provider]) async throws -> Bool {
        try await Refusal.accounts.mapConstraints {
            try await database.write("SELECT unlink_identity(\(uid), \(id), \(providers.map(\.issuer)))")[0].decode(
                Bool.self)
        }
    }
}
