import API
import HTTP
import Mail
import Postgres

/// Email addresses: change one, take the old one back, find out which address has an account.
struct EmailRoutes: Sendable {
    let gate: Gate
    let database: Database
    let users: UserStore
    let changes: EmailChangeStore
    let signIns: SignInStore
    let tokens: TokenStore
    let limits: LimitsStore
    let confirmation: Confirmation
    let sendsMail: Bool

    var routes: [Endpoint] {
        [
            // No Idempotency-Key: its transaction would roll back the count of a wrong password.
            gate.user(.post, "/api/v1/me/email-changes", idempotent: false, ask),
            gate.user(.delete, "/api/v1/me/email-changes", withdraw),
            gate.anyone(.post, "/api/v1/email-changes", confirm),
            gate.anyone(.post, "/api/v1/email-changes/cancellations", takeBack),
            gate.anyone(.post, "/api/v1/email-reminders", remind),
        ]
    }

    /// Never looks the new address up, as in a registration. The old one is told.
    private func ask(_ request: Request, _ caller: Caller) async throws -> Response {
        let fields = try request.json("email", "password")
        guard let email = EmailAddress(try fields.string("email")) else { throw Refusal.accounts.invalidEmail }
        guard let user = try await users.find(caller.uid) else { throw Refusal.accounts.notSignedIn }
        guard email.canonical != user.email.canonical else { throw Refusal.accounts.emailUnchanged }
        guard sendsMail else { throw Refusal.accounts.noMail }
        try await limits.count(.emailChange, request.client)
        try await confirmation.require(fields, "password", request, caller, of: user)
        try await Refusal.accounts.mapConstraints {
            try await database.transaction {
                guard try await !database.write(changes.ask(for: email, user, on: caller.signIn)).isEmpty else {
                    throw Refusal.accounts.wrongPassword.at("password")
                }
                _ = try await database.write([
                    AuditEvent(.emailChangeRequested, of: caller.uid, by: caller.uid, request).query,
                    Outbox.enqueue(
                        .emailChange, to: email.canonical,
                        ["uid": caller.uid.description, "written": email.written, "locale": request.language.rawValue]),
                    Outbox.enqueue(.emailChangeNotice, to: user.email.canonical),
                ])
            }
        }
        return .accepted
    }

    private func withdraw(_ request: Request, _ caller: Caller) async throws -> Response {
        let audit = AuditEvent(.emailChangeWithdrawn, of: caller.uid, by: caller.uid, request)
        guard try await changes.withdraw(caller.uid, audit: audit) else { throw Problem.notFound }
        return .noContent
    }

    /// The sign-in that asked goes on; all others end. Wrong passwords that were counted on the old address are forgotten:
    /// they do not lock its next owner out.
    private func confirm(_ request: Request) async throws -> Response {
        let (token, grant, uid) = try await grant(of: request, .emailChange)
        try await database.transaction {
            _ = try await tokens.consume(token, .emailChange, of: uid)
            let old = try await users.find(uid)?.email
            let signIn = try await changes.confirm(uid, epoch: grant.epoch, try address(of: grant))
            let audit = AuditEvent(.emailChanged, of: uid, by: uid, request)
            _ = try await database.write(
                signIns.endAll(of: uid, except: signIn) + [tokens.endAll(of: uid), audit.query]
                    + [old].compactMap(\.self).map { limits.forgetting($0.canonical, from: nil) })
        }
        return .noContent
    }

    /// Ends every sign-in and removes the password; a mail to the old address has a link to set a new one.
    private func takeBack(_ request: Request) async throws -> Response {
        let (token, grant, uid) = try await grant(of: request, .emailReturn)
        let old = try address(of: grant)
        try await database.transaction {
            _ = try await tokens.consume(token, .emailReturn, of: uid)
            try await changes.takeBack(uid, old, from: request.client.limitKey)
            _ = try await database.write(
                signIns.endAll(of: uid) + [
                    tokens.endAll(of: uid), limits.forgetting(old.canonical, from: nil),
                    AuditEvent(.emailTakenBack, of: uid, by: uid, request).query,
                    Outbox.enqueue(.emailReturned, to: old.canonical, ["locale": request.language.rawValue]),
                ])
        }
        return .noContent
    }

    /// The answer and its time do not depend on whether the address has an account; only the mail says so.
    private func remind(_ request: Request) async throws -> Response {
        let fields = try request.json("email")
        guard let email = EmailAddress(try fields.string("email")) else { throw Refusal.accounts.invalidEmail }
        guard sendsMail else { throw Refusal.accounts.noMail }
        try await limits.count(.emailReminder, request.client)
        _ = try await database.write([
            Outbox.enqueue(.emailReminder, to: email.canonical, ["locale": request.language.rawValue]),
            AuditEvent(.emailReminderRequested, of: nil, by: nil, request).query(ofOwner: email),
        ])
        return .accepted
    }

    /// The token in the body and what it was made for. Throws ``AccountsRefusals/tokenUsedOrExpired``.
    private func grant(
        of request: Request, _ purpose: TokenStore.Purpose
    ) async throws -> (Token, TokenStore.Grant, ID) {
        let shown = try request.json("token").string("token")
        try await limits.count(.tokenSubmission, request.client)
        guard let token = Token(shown), let grant = try await tokens.find(token, purpose), let uid = grant.uid
        else { throw Refusal.accounts.tokenUsedOrExpired }
        return (token, grant, uid)
    }

    private func address(of grant: TokenStore.Grant) throws -> EmailAddress {
        guard let email = EmailAddress(grant.address) else { throw Refusal.accounts.tokenUsedOrExpired }
        return email
    }
}
