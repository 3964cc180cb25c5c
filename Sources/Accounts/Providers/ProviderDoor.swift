import API
import HTTP
import Postgres

/// The configured providers, and the flows to them that have begun.
struct ProviderDoor: Sendable {
    let clients: [ProviderClient]
    let flows: FlowStore
    let cookie: TokenCookie
    let secret: Secret
    /// Told what went wrong with a provider, without anything of a token or a code.
    let failed: @Sendable (String) -> Void

    var providers: [Provider] { clients.map(\.provider) }

    func client(_ id: String) -> ProviderClient? { clients.first { $0.provider.id == id } }

    /// Begins a flow: the address to send the browser to, and the cookie that it must come back with. Throws
    /// ``AccountsRefusals/providerUnavailable``.
    func begin(_ purpose: Flow.Purpose, at client: ProviderClient) async throws -> (address: String, cookie: Token) {
        let secrets = FlowSecrets(Token(), secret)
        let isConfirming = if case .confirm = purpose { true } else { false }
        let address = try await available(client) { try await client.address(for: secrets, isConfirming: isConfirming) }
        try await flows.begin(Flow(provider: client.provider.id, purpose: purpose), secrets)
        return (address, secrets.token)
    }

    /// Ends the flow that this request comes back from; nil when this browser did not begin it, or it has expired.
    func end(_ request: Request, at client: ProviderClient) async throws -> (flow: Flow, secrets: FlowSecrets)? {
        guard let token = cookie.token(of: request).flatMap(Token.init) else { return nil }
        let secrets = FlowSecrets(token, secret)
        guard secrets.isState(request.query["state"]), let flow = try await flows.end(secrets, at: client.provider.id)
        else { return nil }
        return (flow, secrets)
    }

    /// Runs `body`; where the provider cannot be asked, throws ``AccountsRefusals/providerUnavailable``.
    func available<T: Sendable>(_ client: ProviderClient, _ body: @Sendable () async throws -> T) async throws -> T {
        do {
            return try await body()
        } catch let reason as ProviderDirectory.Unavailable {
            failed("\(client.provider.id): \(reason)")
            throw Refusal.accounts.providerUnavailable.filled(with: client.provider.name)
        }
    }
}
