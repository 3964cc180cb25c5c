import API
import HTTP
import Postgres

/// Signing in through a provider. People come here by links and are always sent on to a page, which says in words what
/// went wrong: `/provider#problem=CODE&provider=ID`.
struct ProviderRoutes: Sendable {
    let gate: Gate
    let door: ProviderDoor
    let limits: LimitsStore
    let tickets: TicketStore
    let ticketCookie: TokenCookie
    let arrivals: ProviderArrivals

    var routes: [Endpoint] {
        [
            gate.anyone(.get, "/api/v1/providers", list),
            gate.anyone(.get, "/api/v1/oidc/{provider}", start),
            gate.anyone(.get, "/api/v1/oidc/{provider}/callback", query: nil, writes: true, callback),
            gate.anyone(.get, "/api/v1/provider-ticket", ticket),
        ]
    }

    private struct Offered: Encodable {
        let id: String
        let name: String
    }

    private struct Pending: Encodable {
        struct Ticket: Encodable {
            let provider: String
            let name: String
            @OrNull var email: String?
        }

        @OrNull var ticket: Ticket?
    }

    private func list(_ request: Request) async throws -> Response {
        try .json(Page(items: door.providers.map { Offered(id: $0.id, name: $0.name) }, next: nil))
    }

    private func start(_ request: Request) async throws -> Response {
        let client = try client(request)
        return try await page(client) {
            try await limits.count(.providerSignIn, request.client)
            let (address, token) = try await door.begin(.signIn, at: client)
            var response = Response.sending(to: address)
            door.cookie.set(token, on: &response)
            return response
        }
    }

    private func callback(_ request: Request) async throws -> Response {
        let client = try client(request)
        return try await page(client) {
            guard let (flow, secrets) = try await door.end(request, at: client) else {
                return Self.problem("expired", client)
            }
            var response = try await page(client) { try await arrivals.arrive(request, client, flow, secrets) }
            door.cookie.clear(on: &response)
            return response
        }
    }

    /// What the browser may open an account with, if anything.
    private func ticket(_ request: Request) async throws -> Response {
        let ticket = try await tickets.find(ticketCookie.token(of: request))
        let pending = ticket.map { ticket in
            Pending.Ticket(
                provider: ticket.provider, name: door.client(ticket.provider)?.provider.name ?? ticket.provider,
                email: ticket.identity.email?.written)
        }
        return try Response.json(Pending(ticket: pending)).notStored()
    }

    private func client(_ request: Request) throws -> ProviderClient {
        guard let client = door.client(request.parameter("provider")) else { throw Problem.notFound }
        return client
    }

    /// Runs `body`. If it is refused, sends the browser to a page that says why.
    private func page(_ client: ProviderClient, _ body: () async throws -> Response) async throws -> Response {
        do {
            return try await body()
        } catch let refusal as Refusal {
            return Self.problem(refusal.code, client)
        } catch let error as PostgresError {
            door.failed("\(client.provider.id): \(error)")
            return Self.problem("fault", client)
        }
    }

    static func problem(_ code: String, _ client: ProviderClient) -> Response {
        .sending(to: "/provider#problem=\(code)&provider=\(client.provider.id)")
    }
}
