import API
import HTTP
import Postgres

/// Asks somebody who is signed in for their password once more, before what nobody with a borrowed device may do.
struct PasswordProof: Sendable {
    let database: Database
    let limits: LimitsStore
    let hasher: PasswordHasher

    /// Throws ``AccountsRefusals/wrongPassword`` about that field of the request, and what
    /// ``LimitsStore/countAttempt(on:from:)`` throws.
    func check(_ password: Password, of user: Credentials, _ request: Request, field: String) async throws {
        try await limits.countAttempt(on: user.email.canonical, from: request.client)
        guard try await hasher.verify(password, against: user.hash) != .wrong else {
            _ = try await database.write(AuditEvent(.wrongPassword, of: user.uid, by: user.uid, request).query)
            throw Refusal.accounts.wrongPassword.at(field)
        }
    }
}
