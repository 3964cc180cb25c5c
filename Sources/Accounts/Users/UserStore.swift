import API
import HTTP
import Postgres

/// What proves who somebody is, and what their password must not be made of.
struct Credentials: Sendable {
    let uid: ID
    let email: EmailAddress
    let nickname: String
    let locale: Language
    /// nil for somebody who signs in through a provider only.
    let hash: String?
    let epoch: Int
}

/// Who invited somebody to a group, and to which.
struct Inviter: Sendable {
    let nickname: String
    let group: String
}

/// People, their addresses and their passwords.
struct UserStore: Sendable {
    let database: Database

    /// Who made the invitation that a registration came with; nil if there is none that works for a group. Also nil if
    /// a name looks like an address: mail programs would make it a link, and anybody can have such a mail sent to
    /// anybody.
    func inviter(of ticket: RegistrationTicket) async throws -> Inviter? {
        guard let invitation = ticket.invitation else { return nil }
        let rows = try await database.read("SELECT nickname, group_name FROM inviter(\(invitation))")
        let names = try rows.first?.decode(String.self, String.self)
        return names.flatMap { nickname, group in
            let isLink = "\(nickname) \(group)".contains(#/\w[.:]\/*\w|@/#)
            return isLink ? nil : Inviter(nickname: nickname, group: group)
        }
    }

    /// Whose address this is, if they may sign in at all.
    func find(_ email: EmailAddress) async throws -> Credentials? {
        try await database.read(
            """
            SELECT u.uid, e.email, u.nickname, u.locale, u.password_hash, u.auth_epoch
            FROM user_emails e JOIN users u ON u.uid = e.uid WHERE e.canonical = \(email.canonical)
              AND may_sign_in(u)
            """
        ).first.map(Self.credentials)
    }

    func find(_ uid: ID) async throws -> Credentials? {
        try await database.read(
            """
            SELECT u.uid, e.email, u.nickname, u.locale, u.password_hash, u.auth_epoch
            FROM users u JOIN user_emails e ON e.uid = u.uid WHERE u.uid = \(uid) AND may_sign_in(u)
            """
        ).first.map(Self.credentials)
    }

    /// Whether the address is somebody's or held for them, whatever their state.
    func isTaken(_ email: EmailAddress) async throws -> Bool {
        try await !database.read(
            """
            SELECT FROM user_emails WHERE canonical = \(email.canonical)
            UNION ALL SELECT FROM former_emails WHERE canonical = \(email.canonical) AND held_until > anthill_clock()
            """
        ).isEmpty
    }

    /// Makes somebody whose address has been proved. Throws ``AccountsRefusals/tokenUsedOrExpired`` when the address was
    /// registered in the meantime. Without a time zone they have the default one.
    func create(_ user: Credentials, timeZone: String?) async throws {
        try await Refusal.accounts.mapConstraints {
            _ = try await database.write([
                """
                INSERT INTO users (uid, nickname, locale, password_hash)
                VALUES (\(user.uid), \(user.nickname), \(user.locale.rawValue), \(user.hash))
                """,
                "SELECT set_study_clock(\(user.uid), \(timeZone), NULL)",
                """
                INSERT INTO user_emails (canonical, email, uid)
                VALUES (\(user.email.canonical), \(user.email.written), \(user.uid))
                """,
            ])
        }
    }

    /// Sets a new password and raises the epoch; false if the user has changed since `user` was read.
    func setPassword(of user: Credentials, to hash: String) async throws -> Bool {
        try await !database.write(
            """
            UPDATE users u SET password_hash = \(hash), auth_epoch = auth_epoch + 1
            WHERE uid = \(user.uid) AND auth_epoch = \(user.epoch) AND password_hash IS NOT DISTINCT FROM \(user.hash)
              AND may_sign_in(u) RETURNING uid
            """
        ).isEmpty
    }

    /// Replaces a hash by a costlier one of the same password, unless the password was changed meanwhile.
    func renew(_ user: Credentials, to hash: String) async throws {
        _ = try await database.write(
            "UPDATE users SET password_hash = \(hash) WHERE uid = \(user.uid) AND password_hash = \(user.hash)")
    }

    private static func credentials(_ row: Row) throws -> Credentials {
        guard let email = EmailAddress(try row["email"]) else { throw UnreadableUser(uid: try row["uid"]) }
        return Credentials(
            uid: try row["uid"], email: email, nickname: try row["nickname"], locale: try row["locale"],
            hash: try row["password_hash"], epoch: try row["auth_epoch"])
    }

    /// A row that this program cannot have written.
    private struct UnreadableUser: Error {
        let uid: ID
    }
}
