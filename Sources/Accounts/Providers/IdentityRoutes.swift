import API
import HTTP
import Mail
import Postgres

/// The caller's identities at providers: list, link and unlink them, and confirm the caller through one.
struct IdentityRoutes: Sendable {
    let gate: Gate
    let database: Database
    let door: ProviderDoor
    let identities: IdentityStore
    let signIns: SignInStore
    let tokens: TokenStore
    let limits: LimitsStore
    let confirmation: Confirmation

    var routes: [Endpoint] {
        [
            gate.user(.get, "/api/v1/me/identities", list),
            gate.user(.post, "/api/v1/me/identities", idempotent: false, link),
            gate.user(.delete, "/api/v1/me/identities/{id}", unlink),
            gate.user(.post, "/api/v1/me/confirmations", idempotent: false, confirm),
        ]
    }

    private struct WaysIn: Encodable {
        let items: [LinkedIdentity]
        @OrNull var next: String?
        let hasPassword: Bool
    }

    private struct Start: Encodable {
        let url: String
    }

    private func list(_ request: Request, _ caller: Caller) async throws -> Response {
        try .json(
            WaysIn(
                items: await identities.list(of: caller.uid, door.providers), next: nil,
                hasPassword: await identities.hasPassword(caller.uid)))
    }

    private func link(_ request: Request, _ caller: Caller) async throws -> Response {
        let fields = try request.json("provider", "password")
        let client = try self.client(fields)
        _ = try await confirmation.require(fields, "password", request, caller)
        return try await flow(.link(uid: caller.uid, signIn: caller.signIn), to: client, request)
    }

    private func confirm(_ request: Request, _ caller: Caller) async throws -> Response {
        let client = try self.client(request.json("provider"))
        return try await flow(.confirm(uid: caller.uid, signIn: caller.signIn), to: client, request)
    }

    /// All other devices are signed out: one of them may have signed in through this identity.
    private func unlink(_ request: Request, _ caller: Caller) async throws -> Response {
        let id = try request.uuid("id")
        let user = try await confirmation.require(request.json("password"), "password", request, caller)
        let audit = AuditEvent(.identityUnlinked, of: caller.uid, by: caller.uid, request, identity: id)
        try await database.transaction {
            let linked = try await identities.list(of: caller.uid, door.providers).first { $0.id == id }
            guard let linked, try await identities.unlink(id, of: caller.uid, door.providers) else {
                throw Problem.notFound
            }
            _ = try await database.write(
                signIns.endAll(of: caller.uid, except: caller.signIn) + [
                    tokens.endAll(of: caller.uid), audit.query,
                    Outbox.notice(.identityUnlinked, to: user, provider: linked.name),
                ])
        }
        return .noContent
    }

    private func client(_ fields: Fields) throws -> ProviderClient {
        guard let client = try door.client(fields.string("provider")) else { throw Refusal.accounts.unknownProvider }
        return client
    }

    private func flow(
        _ purpose: Flow.Purpose, to client: ProviderClient, _ request: Request
    ) async throws -> Response {
        try await limits.count(.providerSignIn, request.client)
        let (address, token) = try await door.begin(purpose, at: client)
        var response = try Response.json(Start(url: address)).notStored()
        door.cookie.set(token, on: &response)
        return response
    }
}
