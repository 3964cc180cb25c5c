import API
import Foundation
import HTTP
import Mail
import Postgres

/// A new password: with the old one, or with the token of a mail.
struct PasswordRoutes: Sendable {
    let gate: Gate
    let database: Database
    let users: UserStore
    let signIns: SignInStore
    let tokens: TokenStore
    let limits: LimitsStore
    let policy: PasswordPolicy
    let hasher: PasswordHasher
    let confirmation: Confirmation
    let sendsMail: Bool

    var routes: [Endpoint] {
        [
            gate.anyone(.post, "/api/v1/password-resets", requestReset),
            gate.anyone(.put, "/api/v1/password-resets", reset),
            gate.anyone(.post, "/api/v1/password-resets/checks", check),
            gate.user(.put, "/api/v1/me/password", change),
        ]
    }

    /// The answer and its time are the same whether or not the address has an account, as in a registration.
    private func requestReset(_ request: Request) async throws -> Response {
        let fields = try request.json("email")
        guard let email = EmailAddress(try fields.string("email")) else {
            throw Refusal.accounts.invalidEmail
        }
        guard sendsMail else { throw Refusal.accounts.noMail }
        try await limits.count(.passwordReset, request.client)
        // The canonical form, so that every spelling counts as the same address; the mail goes to the stored one.
        _ = try await database.write([
            Outbox.enqueue(.passwordReset, to: email.canonical, ["locale": request.language.rawValue]),
            AuditEvent(.passwordResetRequested, of: nil, by: nil, request).query(ofOwner: email),
        ])
        return .accepted
    }

    /// Ends every sign-in and begins none.
    private func reset(_ request: Request) async throws -> Response {
        let fields = try request.json("token", "password")
        let shown = try fields.string("token")
        let password = Password(try fields.string("password"))
        try await limits.count(.tokenSubmission, request.client)
        let (token, user) = try await owner(of: shown)
        try policy.check(password, email: user.email, nickname: user.nickname, field: "password")
        let hash = try await hasher.hash(password)

        try await database.transaction {
            _ = try await tokens.consume(token, .passwordReset, of: user.uid)
            guard try await users.setPassword(of: user, to: hash) else { throw Refusal.accounts.tokenUsedOrExpired }
            let audit = AuditEvent(.passwordReset, of: user.uid, by: user.uid, request)
            _ = try await database.write(signIns.endAll(of: user.uid) + consequences(of: user, audit))
        }
        return .noContent
    }

    /// Whose password a mail's token changes. It does not use the token up.
    private func check(_ request: Request) async throws -> Response {
        let (_, user) = try await owner(of: request.json("token").string("token"))
        return try .json(LinkOwner(email: user.email.written)).notStored()
    }

    private func owner(of shown: String) async throws -> (Token, Credentials) {
        guard let token = Token(shown), let grant = try await tokens.find(token, .passwordReset),
            let uid = grant.uid, let user = try await users.find(uid), user.epoch == grant.epoch
        else { throw Refusal.accounts.tokenUsedOrExpired }
        return (token, user)
    }

    /// Keeps this sign-in and ends all others. Also sets the first password of an account that has none.
    private func change(_ request: Request, _ caller: Caller) async throws -> Response {
        let fields = try request.json("current", "new")
        let password = Password(try fields.string("new"))
        guard let user = try await users.find(caller.uid) else { throw Refusal.accounts.notSignedIn }
        try policy.check(password, email: user.email, nickname: user.nickname, field: "new")
        try await confirmation.require(fields, "current", request, caller, of: user)
        let hash = try await hasher.hash(password)

        try await database.transaction {
            guard try await users.setPassword(of: user, to: hash) else { throw Refusal.accounts.wrongPassword }
            let audit = AuditEvent(.passwordChanged, of: caller.uid, by: caller.uid, request)
            _ = try await database.write(
                signIns.endAll(of: caller.uid, except: caller.signIn) + consequences(of: user, audit))
        }
        return .noContent
    }

    /// What every new password entails: older tokens end, failed attempts are cleared, the owner gets a mail.
    private func consequences(of user: Credentials, _ audit: AuditEvent) -> [Query] {
        [
            tokens.endAll(of: user.uid),
            limits.forgetting(user.email.canonical, from: nil),
            audit.query,
            Outbox.tell(.passwordChanged, to: user.email.written, ["locale": user.locale.rawValue]),
        ]
    }
}
