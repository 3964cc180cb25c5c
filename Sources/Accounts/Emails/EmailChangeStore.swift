import API
import HTTP
import Postgres

/// Changes of address: the one that waits for each user, and the old addresses that they may take back. The rules are
/// in `sql/functions/emails.sql`.
struct EmailChangeStore: Sendable {
    let database: Database

    /// A change that waits to be confirmed.
    struct Waiting: Sendable {
        let uid: ID
        let locale: Language
        let epoch: Int
        /// Whether the new address is or was somebody else's.
        let isTaken: Bool
    }

    /// An address that somebody may take back.
    struct Claim: Sendable {
        let uid: ID
        let locale: Language
        let old: EmailAddress
        /// The address that replaces it, or has already replaced it.
        let new: String
    }

    /// The query that records the address the user wants, replacing an earlier wish. It returns a row, or none if the
    /// user has changed since `user` was read.
    func ask(for email: EmailAddress, _ user: Credentials, on signIn: ID) -> Query {
        """
        INSERT INTO email_changes AS c (uid, sign_in, auth_epoch, canonical, email)
        SELECT u.uid, \(signIn)::uuid, u.auth_epoch, \(email.canonical)::text, \(email.written)::text FROM users u
        WHERE u.uid = \(user.uid) AND u.auth_epoch = \(user.epoch) AND u.password_hash IS NOT DISTINCT FROM \(user.hash)
          AND may_sign_in(u) FOR NO KEY UPDATE
        ON CONFLICT ON CONSTRAINT email_changes_key DO UPDATE SET sign_in = excluded.sign_in,
          auth_epoch = excluded.auth_epoch, canonical = excluded.canonical, email = excluded.email,
          asked_at = excluded.asked_at
        RETURNING c.uid
        """
    }

    /// The user's change to this address, if they still want it.
    func waiting(_ uid: ID, for email: EmailAddress) async throws -> Waiting? {
        try await database.read(
            """
            SELECT u.uid, u.locale, u.auth_epoch,
              EXISTS (SELECT FROM user_emails e WHERE e.canonical = c.canonical AND e.uid <> c.uid)
              OR EXISTS (SELECT FROM former_emails f
                WHERE f.canonical = c.canonical AND f.uid <> c.uid AND f.held_until > anthill_clock()) AS is_taken
            FROM email_changes c JOIN users u ON u.uid = c.uid AND u.auth_epoch = c.auth_epoch AND may_sign_in(u)
            WHERE c.uid = \(uid) AND c.canonical = \(email.canonical)
            """
        ).first.map { row in
            Waiting(
                uid: try row["uid"], locale: try row["locale"], epoch: try row["auth_epoch"],
                isTaken: try row["is_taken"])
        }
    }

    /// Who may take this address back: its former owner, or its owner who is about to leave it.
    func claim(on email: EmailAddress) async throws -> Claim? {
        let rows = try await database.read(
            """
            SELECT u.uid, u.locale, x.old, x.new
            FROM (
              SELECT f.uid, f.email AS old, e.email AS new FROM former_emails f JOIN user_emails e ON e.uid = f.uid
              WHERE f.canonical = \(email.canonical) AND f.held_until > anthill_clock() AND e.canonical <> f.canonical
              UNION ALL
              SELECT e.uid, e.email, c.email FROM user_emails e JOIN email_changes c ON c.uid = e.uid
              WHERE e.canonical = \(email.canonical)
            ) x JOIN users u ON u.uid = x.uid AND may_stay(u)
            """)
        guard let row = rows.first, let old = EmailAddress(try row["old"]) else { return nil }
        return Claim(
            uid: try row["uid"], locale: try row["locale"], old: old, new: try row["new"])
    }

    /// Sets the requested address, in the running transaction, and returns the sign-in that requested it.
    /// Throws ``AccountsRefusals/tokenUsedOrExpired`` when they want it no more, or somebody else has it.
    func confirm(_ uid: ID, epoch: Int?, _ email: EmailAddress) async throws -> ID {
        try await Refusal.accounts.mapConstraints {
            let rows = try await database.write("SELECT change_email(\(uid), \(epoch), \(email.canonical)) AS sign_in")
            guard let row = rows.first else { throw Refusal.accounts.tokenUsedOrExpired }
            return try row["sign_in"]
        }
    }

    /// Withdraws the pending change and its link; false if there was none.
    func withdraw(_ uid: ID, audit: AuditEvent) async throws -> Bool {
        try await database.transaction {
            guard try await database.write("SELECT withdraw_email_change(\(uid))").one.decode(Bool.self) else {
                return false
            }
            _ = try await database.write(audit.query)
            return true
        }
    }

    /// Gives the user this address back, takes their password away and keeps the account if it was to be deleted, in the
    /// running transaction.
    func takeBack(_ uid: ID, _ email: EmailAddress, from client: String) async throws {
        try await Refusal.accounts.mapConstraints {
            _ = try await database.write("SELECT take_back_email(\(uid), \(email.canonical), \(client))")
        }
    }
}
