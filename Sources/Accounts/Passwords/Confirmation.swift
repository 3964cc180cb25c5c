import API
import HTTP
import Postgres

/// Confirms the caller before a change to how they sign in, or before the account is deleted: by the password or, if
/// there is none, by a sign-in through a provider within the last minutes. Every such route uses this.
struct Confirmation: Sendable {
    let database: Database
    let users: UserStore
    let signIns: SignInStore
    let limits: LimitsStore
    let hasher: PasswordHasher

    /// Returns the caller's credentials. `field` is the name of the password in the request. Throws
    /// ``AccountsRefusals/wrongPassword``, ``AccountsRefusals/passwordRequired``,
    /// ``AccountsRefusals/confirmationRequired`` and the refusals of too many attempts.
    func require(_ fields: Fields, _ field: String, _ request: Request, _ caller: Caller) async throws -> Credentials {
        guard let user = try await users.find(caller.uid) else { throw Refusal.accounts.notSignedIn }
        try await require(fields, field, request, caller, of: user)
        return user
    }

    /// The same for a caller whose credentials are known.
    func require(
        _ fields: Fields, _ field: String, _ request: Request, _ caller: Caller, of user: Credentials
    ) async throws {
        guard let password = try fields.optionalString(field).map(Password.init) else {
            guard user.hash == nil else { throw Refusal.accounts.passwordRequired.at(field) }
            guard try await signIns.isFresh(caller) else { throw Refusal.accounts.confirmationRequired }
            return
        }
        let verdict = try await limits.attempt(on: user.email.canonical, from: request.client) {
            try await hasher.verify(password, against: user.hash)
        }
        guard verdict != .wrong else {
            _ = try await database.write(AuditEvent(.wrongPassword, of: caller.uid, by: caller.uid, request).query)
            throw Refusal.accounts.wrongPassword.at(field)
        }
        _ = try await database.write(limits.forgetting(user.email.canonical, from: request.client))
    }
}
