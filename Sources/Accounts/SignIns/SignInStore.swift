import API
import HTTP
import Postgres
import Time

/// The signed-in devices, and the keys of other programs. A device stays signed in until it is unused for
/// `longest_unused()`, for `longest_sign_in()` at most; a key lasts to its end. Both hold only while the user's epoch is
/// the one they were made under.
package struct SignInStore: Sendable {
    let database: Database
    let secret: Secret

    package init(database: Database, secret: Secret) {
        self.database = database
        self.secret = secret
    }

    /// A sign-in as it was read.
    struct Found: Keepable {
        let uid: ID
        let id: ID
        let lastSeenAt: Instant
        /// From when on the database has to note again that the device was seen.
        let seenAgainFrom: Instant
        let expiresAt: Instant
        /// When the account will be deleted, if its owner asked for that.
        let leavesAt: Instant?
        let isSiteAdmin: Bool
        /// What a key may do; nil for a device, which may do everything.
        let scopes: [KeyScope]?
        let size = 1

        func holds(at time: Instant) -> Bool { time < min(expiresAt, seenAgainFrom) && time >= lastSeenAt }

        func isConcerned(by news: ChangeFeed.News) -> Bool { news.contains(id) }
    }

    /// Finds the sign-in of a token by its MAC: one read, and every `last_seen_step()` a write that records when
    /// and from where the device was last seen. Throws ``AccountsRefusals/notSignedIn``.
    func find(_ mac: [UInt8], from client: ClientAddress? = nil) async throws -> Found {
        let rows = try await database.read(
            """
            SELECT s.uid, s.id, s.last_seen_at, least(s.expires_at, u.leaves_at) AS expires_at, u.leaves_at,
              EXISTS (SELECT FROM site_admins a WHERE a.uid = u.uid) AS is_site_admin,
              s.scopes, seen_again_from(s) AS seen_again_from, seen_again_from(s) <= anthill_clock() AS is_due
            FROM sign_ins s JOIN users u ON u.uid = s.uid
            WHERE s.token_mac = \(mac) AND s.expires_at > anthill_clock() AND s.auth_epoch = u.auth_epoch
              AND may_sign_in(u)
            """)
        guard let row = rows.first else { throw Refusal.accounts.notSignedIn }
        let found = Found(
            uid: try row["uid"], id: try row["id"], lastSeenAt: try row["last_seen_at"],
            seenAgainFrom: try row["seen_again_from"], expiresAt: try row["expires_at"],
            leavesAt: try row["leaves_at"], isSiteAdmin: try row["is_site_admin"],
            scopes: (try row["scopes"] as [String]?)?.compactMap(KeyScope.init))
        if try row["is_due"] {
            _ = try await database.write(
                """
                UPDATE sign_ins s SET last_seen_at = anthill_clock(), client = coalesce(\(client?.limitKey), client),
                  expires_at = CASE WHEN scopes IS NULL
                    THEN least(created_at + longest_sign_in(), anthill_clock() + longest_unused())
                    ELSE expires_at END
                WHERE uid = \(found.uid) AND id = \(found.id) AND seen_again_from(s) <= anthill_clock()
                """)
        }
        return found
    }

    /// A sign-in that was just kept.
    package struct Begun: Sendable {
        let expiresAt: Instant
        /// When the account would have been deleted: signing in has taken that back.
        let wouldHaveLeftAt: Instant?
    }

    /// Keeps a sign-in of somebody who has just shown that they are `uid`, in the running transaction, and ends the
    /// oldest beyond twenty. A user who was about to leave stays. Throws ``AccountsRefusals/wrongCredentials`` when
    /// what they showed does not hold any more, or the account is due to be deleted.
    package func begin(_ new: NewSignIn, of uid: ID, by proof: Proof) async throws -> Begun {
        let hash: String? = if case .password(let hash) = proof { hash } else { nil }
        let identity: ID? = if case .identity(let id) = proof { id } else { nil }
        let queries: [Query] = [
            // Locks the user: what comes after the lock sees what those before it have done.
            "SELECT come_back(\(uid), \(new.client?.limitKey)) AS would_have_left_at",
            """
            INSERT INTO sign_ins (uid, id, token_mac, auth_epoch, device, client, provider, expires_at, fresh_until)
            SELECT uid, \(new.id)::uuid, \(new.token.mac(.signIn, secret))::bytea, auth_epoch,
              \(new.device)::text, \(new.client?.limitKey)::text, \(new.provider)::text,
              anthill_clock() + longest_unused(),
              CASE WHEN \(identity)::uuid IS NOT NULL THEN anthill_clock() + fresh_sign_in_life() END
            FROM users u WHERE uid = \(uid) AND may_sign_in(u) AND (password_hash = \(hash)
              OR EXISTS (SELECT FROM user_identities i WHERE i.uid = u.uid AND i.id = \(identity)::uuid))
            RETURNING expires_at
            """,
            """
            WITH ended AS (
              DELETE FROM sign_ins WHERE uid = \(uid) AND id IN (
                SELECT id FROM sign_ins WHERE uid = \(uid) AND scopes IS NULL
                ORDER BY created_at DESC, id DESC OFFSET 20)
              RETURNING uid, device, expires_at)
            INSERT INTO audit_events (kind, uid, details)
            SELECT \(AuditEvent.Kind.oldestSignInEnded.rawValue)::text, uid,
              jsonb_strip_nulls(jsonb_build_object('device', device))
            FROM ended WHERE expires_at > anthill_clock()
            """,
        ]
        let rows = try await Refusal.accounts.mapConstraints { try await database.write(queries) }
        guard let expiresAt = try rows[1].first?.decode(Instant.self) else { throw Refusal.accounts.wrongCredentials }
        return Begun(expiresAt: expiresAt, wouldHaveLeftAt: try rows[0].one["would_have_left_at"])
    }

    /// Notes that a provider has just vouched for the person again; false if the sign-in has ended.
    func refresh(_ id: ID, of uid: ID) async throws -> Bool {
        try await !database.write(
            """
            UPDATE sign_ins s SET fresh_until = anthill_clock() + fresh_sign_in_life() FROM users u
            WHERE s.uid = \(uid) AND s.id = \(id) AND s.expires_at > anthill_clock() AND u.uid = s.uid
              AND u.auth_epoch = s.auth_epoch AND may_sign_in(u) RETURNING s.id
            """
        ).isEmpty
    }

    /// Whether a provider has vouched for the person within the last minutes.
    func isFresh(_ caller: Caller) async throws -> Bool {
        try await !database.read(
            """
            SELECT FROM sign_ins WHERE uid = \(caller.uid) AND id = \(caller.signIn) AND fresh_until > anthill_clock()
            """
        ).isEmpty
    }

    func list(of caller: Caller, _ providers: [Provider]) async throws -> [SignIn] {
        let rows = try await database.read(
            """
            SELECT s.id, s.device, s.client, s.provider, s.created_at, s.last_seen_at, s.expires_at,
              s.id = \(caller.signIn) AS current
            FROM sign_ins s JOIN users u ON u.uid = s.uid AND u.auth_epoch = s.auth_epoch
            WHERE s.uid = \(caller.uid) AND s.scopes IS NULL AND s.expires_at > anthill_clock()
            ORDER BY s.last_seen_at DESC, s.id DESC
            """)
        return try rows.map { row in
            let provider: String? = try row["provider"]
            return SignIn(
                id: try row["id"], device: try row["device"], clientAddress: try row["client"],
                providerName: provider.map { id in providers.first { $0.id == id }?.name ?? id },
                createdAt: try row["created_at"], lastSeenAt: try row["last_seen_at"],
                expiresAt: try row["expires_at"], current: try row["current"])
        }
    }

    /// Signs one device out; false if the person has no such device.
    func end(_ id: ID, of uid: ID, audit: AuditEvent) async throws -> Bool {
        try await end(
            "DELETE FROM sign_ins WHERE uid = \(uid) AND id = \(id) AND scopes IS NULL RETURNING id", of: uid, audit)
    }

    /// Ends all but the one that asks.
    func endOthers(_ caller: Caller, audit: AuditEvent) async throws {
        let others: Query = "DELETE FROM sign_ins WHERE uid = \(caller.uid) AND id <> \(caller.signIn) RETURNING id"
        _ = try await end(others, of: caller.uid, audit)
    }

    /// Runs a query that ends sign-ins, and audits it if it ended any. Like everything else that ends sign-ins, it
    /// locks the user first, so that two of them never wait for each other.
    private func end(_ some: Query, of uid: ID, _ audit: AuditEvent) async throws -> Bool {
        try await database.transaction {
            let rows = try await database.write(["SELECT FROM users WHERE uid = \(uid) FOR NO KEY UPDATE", some])
            guard !rows[1].isEmpty else { return false }
            _ = try await database.write(audit.query)
            return true
        }
    }

    /// What ends them all, but for the one that goes on under the new epoch.
    func endAll(of uid: ID, except id: ID? = nil) -> [Query] {
        [
            "DELETE FROM sign_ins WHERE uid = \(uid) AND id IS DISTINCT FROM \(id)::uuid",
            """
            UPDATE sign_ins s SET auth_epoch = u.auth_epoch FROM users u
            WHERE s.uid = \(uid) AND u.uid = s.uid AND s.id = \(id)::uuid
            """,
        ]
    }
}
