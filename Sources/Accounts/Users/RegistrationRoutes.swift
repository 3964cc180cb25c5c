import API
import HTTP
import Mail
import Postgres

/// Becoming a user: an address first, everything else with the token that the mail brings. Nobody exists before the
/// address is proved, so nobody can prepare an account for somebody else's.
struct RegistrationRoutes: Sendable {
    let gate: Gate
    let database: Database
    let newcomers: Newcomers
    let signIns: SignInStore
    let profiles: ProfileStore
    let tokens: TokenStore
    let limits: LimitsStore
    let policy: PasswordPolicy
    let hasher: PasswordHasher
    /// What everybody may know: who may register, and where.
    let terms: RegistrationTerms
    let mailWaits: @Sendable () -> Void

    var routes: [Endpoint] {
        [
            gate.anyone(.get, "/api/v1/registration", show),
            gate.anyone(.post, "/api/v1/registrations", register),
            gate.anyone(.post, "/api/v1/users", create),
        ]
    }

    private func show(_ request: Request) async throws -> Response { try .json(terms) }

    /// Never looks the address up: what to send, if anything, is found out when the mail is sent.
    private func register(_ request: Request) async throws -> Response {
        let fields = try request.json("email", "locale", "invitation")
        guard let email = EmailAddress(try fields.string("email")) else {
            throw Refusal.accounts.invalidEmail
        }
        let locale = try fields.optionalString("locale").map { try ProfileChange.locale($0) } ?? request.language
        let ticket = try await newcomers.ticket(withCode: fields.optionalString("invitation"))
        guard terms.sendsMail else { throw Refusal.accounts.noMail }
        try await limits.count(.registration, request.client)
        // Every spelling counts as the same address; the mail goes to the one that was written.
        var parameters = ["locale": locale.rawValue, "written": email.written]
        parameters["invitation"] = ticket.invitation?.description
        _ = try await database.write(Outbox.enqueue(.registration, to: email.canonical, parameters))
        mailWaits()
        return .accepted
    }

    private func create(_ request: Request) async throws -> Response {
        let fields = try request.json("token", "nickname", "password", "time_zone", "locale", "delivery")
        let shown = try fields.string("token")
        let nickname = try ProfileChange.nickname(fields.string("nickname"))
        let password = Password(try fields.string("password"))
        let timeZone = try fields.optionalString("time_zone") ?? "Asia/Seoul"
        let locale = try fields.optionalString("locale").map { try ProfileChange.locale($0) } ?? request.language
        let delivery = try Delivery(fields, request, gate)

        try await limits.count(.tokenSubmission, request.client)
        guard let token = Token(shown), let grant = try await tokens.find(token, .registration),
            let email = EmailAddress(grant.address)
        else { throw Refusal.accounts.tokenUsedOrExpired }
        try policy.check(password, email: email, nickname: nickname, field: "password")
        let hash = try await hasher.hash(password)

        let user = Credentials(
            uid: ID(), email: email, nickname: nickname, locale: locale, hash: hash, epoch: 1)
        let new = NewSignIn(device: DeviceName.of(request), from: request.client)
        let (profile, expiresAt, group) = try await database.transaction {
            let ticket = try await tokens.consume(token, .registration).ticket
            let group = try await newcomers.create(user, timeZone: timeZone, ticket)
            let expiresAt = try await signIns.begin(new, of: user.uid, hash: hash)
            let rows = try await database.write([
                AuditEvent(.registered, of: user.uid, by: user.uid, request).query,
                profiles.query(user.uid),
            ])
            return (try ProfileStore.profile(rows[1]), expiresAt, group)
        }
        return try SignInAnswer.response(
            profile, new, until: expiresAt, delivery, gate, at: "/api/v1/me", group: group)
    }
}
