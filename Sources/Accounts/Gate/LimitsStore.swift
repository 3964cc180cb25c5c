import API
import HTTP
import Postgres

/// The limits that all instances share. Each count is written before it is looked at, and one that cannot be written
/// lets nobody through.
struct LimitsStore: Sendable {
    /// What is counted by client address alone.
    enum Kind: String, Sendable {
        case passwordAttempt = "password_attempt"
        case tokenSubmission = "token_submission"
        case registration
        case passwordReset = "password_reset"
        case emailChange = "email_change"
        case emailReminder = "email_reminder"
        case providerSignIn = "provider_sign_in"
    }

    let database: Database
    let secret: Secret
    let limits: Limits

    /// Throws ``AccountsRefusals/tooManyAttempts``.
    func count(_ kind: Kind, _ client: ClientAddress) async throws {
        let rate =
            kind == .passwordAttempt
            ? limits.passwordAttempts
            : kind == .tokenSubmission ? limits.tokenSubmissions : limits.mailRequests
        try await count(kind.rawValue, of: client.limitKey, rate)
    }

    /// Counts a picture that somebody uploads. Throws ``AccountsRefusals/tooManyAttempts``.
    func countPicture(of uid: ID) async throws {
        try await count("picture", of: uid.description, limits.pictures)
    }

    private func count(_ kind: String, of subject: String, _ rate: Limits.Rate) async throws {
        let wait = try await write(
            "SELECT count_hit(\(kind), \(subject), \(rate.most), \(rate.seconds))"
        ).first?.decode(Int.self)
        if let wait, wait > 0 { throw Refusal.accounts.tooManyAttempts.until(seconds: wait) }
    }

    /// Counts an attempt as a wrong password before it checks it; ``forgetting(_:from:)`` takes the count back. An
    /// address without an account is counted in the same way. An attempt for which the hasher had no room is not
    /// counted. Throws ``AccountsRefusals/tooManyAttempts``, ``AccountsRefusals/passwordLocked`` and
    /// ``AccountsRefusals/busy``.
    func attempt<T: Sendable>(
        on canonical: String, from client: ClientAddress, check: () async throws -> T
    ) async throws -> T {
        try await countAttempt(on: canonical, from: client)
        do {
            return try await check()
        } catch let refusal as Refusal where refusal == .accounts.busy {
            _ = try await write("SELECT uncount_wrong_password(\(account(canonical)), \(client.limitKey))")
            throw refusal
        }
    }

    private func countAttempt(on canonical: String, from client: ClientAddress) async throws {
        let rows = try await write(
            """
            SELECT c.wait, CASE WHEN c.wait = 0 THEN count_wrong_password(\(account(canonical)), \(client.limitKey),
                \(limits.freeWrongPasswords), \(limits.longestWait), \(limits.wrongPasswords)) ELSE 0 END
            FROM (SELECT count_hit(\(Kind.passwordAttempt.rawValue), \(client.limitKey),
                \(limits.passwordAttempts.most), \(limits.passwordAttempts.seconds)) AS wait OFFSET 0) c
            """)
        guard let (clientWait, accountWait) = try rows.first?.decode(Int.self, Int?.self) else { return }
        guard let accountWait else { throw Refusal.accounts.passwordLocked }
        let wait = max(clientWait, accountWait)
        if wait > 0 { throw Refusal.accounts.tooManyAttempts.until(seconds: wait) }
    }

    /// Clears the wrong passwords of an account: those from this client, after a right one, or all if `client` is nil.
    /// The right one does not count against the client.
    func forgetting(_ canonical: String, from client: ClientAddress?) -> Query {
        guard let client else { return "SELECT forget_wrong_passwords(\(account(canonical)), NULL)" }
        // The client's row is locked first, as where an attempt is counted.
        return """
            SELECT uncount_hit(\(Kind.passwordAttempt.rawValue), \(client.limitKey)),
              forget_wrong_passwords(\(account(canonical)), \(client.limitKey))
            """
    }

    /// Takes back one count: what was submitted was right.
    func uncounting(_ kind: Kind, _ client: ClientAddress) -> Query {
        "SELECT uncount_hit(\(kind.rawValue), \(client.limitKey))"
    }

    /// The counters do not hold the addresses that people try.
    private func account(_ canonical: String) -> String { base64url(secret.mac(.account, Array(canonical.utf8))) }

    private func write(_ query: Query) async throws -> Rows {
        do {
            return try await database.write(query)
        } catch is PostgresError {
            throw Refusal.accounts.busy
        }
    }
}
