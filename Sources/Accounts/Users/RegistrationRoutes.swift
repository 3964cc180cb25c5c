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
    let tickets: TicketStore
    let ticketCookie: TokenCookie
    let identities: IdentityStore
    let limits: LimitsStore
    let policy: PasswordPolicy
    let hasher: PasswordHasher
    /// What everybody may know: who may register, and where.
    let terms: RegistrationTerms

    var routes: [Endpoint] {
        [
            gate.anyone(.get, "/api/v1/registration", show),
            gate.anyone(.post, "/api/v1/registrations", register),
            gate.anyone(.post, "/api/v1/registrations/checks", check),
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
        return .accepted
    }

    /// Whose address a mail's token proves. It does not use the token up.
    private func check(_ request: Request) async throws -> Response {
        let (email, _) = try await address(request.json("token").string("token"), nil)
        return try .json(LinkOwner(email: email.written)).notStored()
    }

    /// The one place where an account is made: with the token of a mail, the ticket of a provider, or both where the
    /// provider did not say an address.
    private func create(_ request: Request) async throws -> Response {
        let fields = try request.json(
            "token", "provider", "invitation", "nickname", "password", "time_zone", "locale", "delivery")
        let shown = try fields.optionalString("token")
        let provider = try fields.optionalString("provider")
        let invitation = try fields.optionalString("invitation")
        let nickname = try ProfileChange.nickname(fields.string("nickname"))
        let chosen = try provider == nil ? fields.string("password") : fields.optionalString("password")
        let password = chosen.map(Password.init)
        let timeZone = try fields.optionalString("time_zone")
        let locale = try fields.optionalString("locale").map { try ProfileChange.locale($0) } ?? request.language
        let delivery = try Delivery(fields, request, gate)

        try await limits.count(.tokenSubmission, request.client)
        let ticket: Ticket? = if let provider { try await self.ticket(request, of: provider) } else { nil }
        let (email, token) = try await address(shown, ticket)
        if let password { try policy.check(password, email: email, nickname: nickname, field: "password") }
        let hash: String? = if let password { try await hasher.hash(password) } else { nil }

        let user = Credentials(
            uid: ID(), email: email, nickname: nickname, locale: locale, hash: hash, epoch: 1)
        let new = NewSignIn(device: DeviceName.of(request), from: request.client, through: provider)
        let (profile, begun, group) = try await database.transaction {
            let registration =
                if let token { try await tokens.consume(token, .registration).ticket } else {
                    try await newcomers.ticket(withCode: invitation)
                }
            let group = try await self.make(user, timeZone, registration, byMail: token != nil)
            let proof = try await self.proof(of: user, ticket, request)
            let begun = try await signIns.begin(new, of: user.uid, by: proof)
            let rows = try await database.write([
                AuditEvent(.registered, of: user.uid, by: user.uid, request, provider: provider).query,
                profiles.query(user.uid),
                limits.uncounting(.tokenSubmission, request.client),
            ])
            return (try ProfileStore.profile(rows[1]), begun, group)
        }
        var response = try SignInAnswer.response(
            profile, new, begun, delivery, gate, at: "/api/v1/me", group: group)
        if ticket != nil { ticketCookie.clear(on: &response) }
        return response
    }

    /// Makes the account. If the address got an owner meanwhile and no mail proved it, throws
    /// ``AccountsRefusals/addressTaken``.
    private func make(
        _ user: Credentials, _ timeZone: String?, _ ticket: RegistrationTicket, byMail: Bool
    ) async throws -> Newcomers.InvitedGroup? {
        do { return try await newcomers.create(user, timeZone: timeZone, ticket) } catch let refusal as Refusal {
            throw !byMail && refusal == .accounts.tokenUsedOrExpired ? Refusal.accounts.addressTaken : refusal
        }
    }

    /// The ticket in the cookie, which our own pages alone may use. Throws ``AccountsRefusals/ticketUsedOrExpired``.
    private func ticket(_ request: Request, of provider: String) async throws -> Ticket {
        guard gate.site.sent(request) else { throw Refusal.accounts.crossOrigin }
        guard let ticket = try await tickets.find(ticketCookie.token(of: request)), ticket.provider == provider else {
            throw Refusal.accounts.ticketUsedOrExpired
        }
        return ticket
    }

    /// The address that is proved, by the mail or else by the provider.
    private func address(_ shown: String?, _ ticket: Ticket?) async throws -> (EmailAddress, Token?) {
        guard let shown else {
            guard let email = ticket?.identity.email else { throw Problem.missingField("token") }
            return (email, nil)
        }
        guard let token = Token(shown), let grant = try await tokens.find(token, .registration),
            let email = EmailAddress(grant.address)
        else { throw Refusal.accounts.tokenUsedOrExpired }
        return (email, token)
    }

    /// What the new user signs in with from now on. A ticket is used up and becomes their identity.
    private func proof(of user: Credentials, _ ticket: Ticket?, _ request: Request) async throws -> Proof {
        guard let ticket else { return .password(hash: user.hash ?? "") }
        try await tickets.consume(ticketCookie.token(of: request))
        let id = ID()
        try await identities.link(ticket.identity, id: id, to: user.uid)
        _ = try await database.write(
            AuditEvent(
                .identityLinked, of: user.uid, by: user.uid, request, provider: ticket.provider, identity: id
            ).query)
        return .identity(id)
    }
}
