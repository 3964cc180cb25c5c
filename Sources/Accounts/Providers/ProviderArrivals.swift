import API
import HTTP
import Mail
import Postgres

/// Handles a browser that comes back from a provider.
struct ProviderArrivals: Sendable {
    let database: Database
    let door: ProviderDoor
    let users: UserStore
    let identities: IdentityStore
    let signIns: SignInStore
    let tickets: TicketStore
    let cookie: TokenCookie
    let ticketCookie: TokenCookie

    /// Sends the browser on. Throws refusals.
    func arrive(
        _ request: Request, _ client: ProviderClient, _ flow: Flow, _ secrets: FlowSecrets
    ) async throws -> Response {
        if let error = request.query["error"] {
            // As OAuth and Apple call it.
            let isCancelled = ["access_denied", "user_cancelled_authorize"].contains(error)
            return ProviderRoutes.problem(isCancelled ? "cancelled" : "refused", client)
        }
        guard let identity = try await identity(request, client, secrets) else {
            return ProviderRoutes.problem("refused", client)
        }
        switch flow.purpose {
        case .signIn: return try await signIn(identity, client, request)
        case .link(let uid, let signIn): return try await link(identity, to: uid, signIn, client, request)
        case .confirm(let uid, let signIn): return try await confirm(identity, uid, signIn, client)
        }
    }

    /// The person that the provider vouches for; nil when it refuses, or its answer fails a check.
    private func identity(
        _ request: Request, _ client: ProviderClient, _ secrets: FlowSecrets
    ) async throws -> ProvidedIdentity? {
        // RFC 9207: an answer that names its issuer must name the provider that we asked.
        guard request.query["iss"].map({ $0 == client.provider.issuer }) ?? true,
            let code = request.query["code"], (1...4096).contains(code.utf8.count)
        else { return nil }
        do {
            return try await door.available(client) {
                try await client.identity(for: code, secrets, now: door.flows.now)
            }
        } catch let reason as ProviderClient.Refused {
            door.failed("\(client.provider.id): \(reason)")
        } catch let reason as IDTokenCheck.Refused {
            door.failed("\(client.provider.id): the ID token is refused: \(reason)")
        }
        return nil
    }

    private func signIn(
        _ identity: ProvidedIdentity, _ client: ProviderClient, _ request: Request
    ) async throws -> Response {
        guard let (uid, id) = try await identities.find(identity) else { return try await welcome(identity, client) }
        let new = NewSignIn(
            device: DeviceName.of(request), from: request.client, through: client.provider.id)
        let audit = AuditEvent(
            .signedIn, of: uid, by: uid, request, provider: client.provider.id, identity: id)
        try await database.transaction {
            _ = try await signIns.begin(new, of: uid, by: .identity(id))
            _ = try await database.write(audit.query)
        }
        var response = Response.sending(to: "/provider#signed-in")
        cookie.set(new.token, on: &response)
        return response
    }

    /// Gives somebody new a ticket. If their address has an account, it is refused: only its owner can link the
    /// identity.
    private func welcome(_ identity: ProvidedIdentity, _ client: ProviderClient) async throws -> Response {
        if let email = identity.email, try await users.isTaken(email) { throw Refusal.accounts.addressTaken }
        let token = Token()
        try await tickets.issue(token, Ticket(provider: client.provider.id, identity: identity))
        var response = Response.sending(to: "/welcome#provider")
        ticketCookie.set(token, on: &response)
        return response
    }

    private func link(
        _ identity: ProvidedIdentity, to uid: ID, _ signIn: ID, _ client: ProviderClient, _ request: Request
    ) async throws -> Response {
        guard let user = try await users.find(uid) else { throw Refusal.accounts.notSignedIn }
        let id = ID()
        let audit = AuditEvent(
            .identityLinked, of: uid, by: uid, request, provider: client.provider.id, identity: id)
        try await database.transaction {
            guard try await signIns.refresh(signIn, of: uid) else { throw Refusal.accounts.notSignedIn }
            try await identities.link(identity, id: id, to: uid)
            _ = try await database.write([
                audit.query, Outbox.notice(.identityLinked, to: user, provider: client.provider.name),
            ])
        }
        return .sending(to: "/settings#linked=\(client.provider.id)")
    }

    private func confirm(
        _ identity: ProvidedIdentity, _ uid: ID, _ signIn: ID, _ client: ProviderClient
    ) async throws -> Response {
        guard try await identities.find(identity)?.uid == uid else {
            return ProviderRoutes.problem("another_identity", client)
        }
        guard try await signIns.refresh(signIn, of: uid) else { throw Refusal.accounts.notSignedIn }
        return .sending(to: "/settings#confirmed=\(client.provider.id)")
    }
}
