import HTTP
import Outgoing

/// What a provider publishes of itself: its addresses (OpenID Connect Discovery 1.0) and its keys. Both are kept for an
/// hour; many who ask at once share one request.
actor ProviderDirectory {
    /// The provider cannot be asked, or what it says makes no sense: words for the log.
    struct Unavailable: Error, CustomStringConvertible {
        let description: String
    }

    struct Addresses: Sendable {
        let authorization: String
        let token: String
        let userInfo: String?
        /// Whether the client's secret goes into the form rather than into the head.
        let takesSecretInForm: Bool
        fileprivate let keys: String
    }

    private struct Fetched<Value: Sendable> {
        let task: Task<Value, any Error>
        let since: ContinuousClock.Instant
    }

    private static let life = Duration.seconds(3600)
    /// A key that nobody knows makes the keys be fetched again, but not more often than this.
    private static let pause = Duration.seconds(10)

    private let provider: Provider
    private let web: WebClient
    private let now: @Sendable () -> ContinuousClock.Instant
    private var addresses: Fetched<Addresses>?
    private var keys: Fetched<[ProviderKey]>?

    init(_ provider: Provider, _ web: WebClient, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.provider = provider
        self.web = web
        self.now = now
    }

    /// Throws ``Unavailable``.
    func published() async throws -> Addresses {
        let kept = addresses.flatMap { now() - $0.since < Self.life ? $0 : nil }
        let current = kept ?? Fetched(task: Task { try await self.discover() }, since: now())
        addresses = current
        do { return try await current.task.value } catch {
            // The next who asks tries again.
            if addresses?.since == current.since { addresses = nil }
            throw error
        }
    }

    /// The key that signed `token`; nil when the provider has no such key. Throws ``Unavailable``.
    func key(of token: SignedToken) async throws -> ProviderKey? {
        let known = try await currentKeys(notOlderThan: Self.life)
        if let key = Self.key(of: token, in: known) { return key }
        return Self.key(of: token, in: try await currentKeys(notOlderThan: Self.pause))
    }

    /// A token that names no key can be checked only if exactly one key fits it.
    private static func key(of token: SignedToken, in keys: [ProviderKey]) -> ProviderKey? {
        let fitting = keys.filter { $0.algorithm == token.algorithm && (token.keyID == nil || $0.id == token.keyID) }
        return fitting.count == 1 ? fitting[0] : nil
    }

    private func currentKeys(notOlderThan age: Duration) async throws -> [ProviderKey] {
        let before = keys.flatMap { now() - $0.since < Self.life ? $0 : nil }
        let kept = before.flatMap { now() - $0.since < age ? $0 : nil }
        let current = kept ?? Fetched(task: Task { try await self.fetchKeys() }, since: now())
        keys = current
        do { return try await current.task.value } catch {
            // Keys that were good before are good still.
            if keys?.since == current.since { keys = before }
            throw error
        }
    }

    private func discover() async throws -> Addresses {
        let issuer = provider.issuer.hasSuffix("/") ? String(provider.issuer.dropLast()) : provider.issuer
        let document = try await fetch("\(issuer)/.well-known/openid-configuration")
        guard case .object(let members)? = JSON(text: document) else {
            throw Unavailable(description: "the discovery document is no JSON object")
        }
        guard members["issuer"] == .string(provider.issuer) else {
            throw Unavailable(description: "the discovery document is of another issuer")
        }
        func address(_ name: String) throws -> String? {
            guard let value = members[name] else { return nil }
            guard case .string(let url) = value, WebClient.isAllowed(url) else {
                throw Unavailable(description: "the discovery document has an unusable \(name)")
            }
            return url
        }
        guard let authorization = try address("authorization_endpoint"), let token = try address("token_endpoint"),
            let keys = try address("jwks_uri")
        else { throw Unavailable(description: "the discovery document lacks an address") }
        // Every provider must accept the secret in a header (RFC 6749, 2.3.1). Use the form only where just that is
        // listed.
        var inForm = false
        if case .array(let methods)? = members["token_endpoint_auth_methods_supported"] {
            inForm =
                methods.contains(.string("client_secret_post")) && !methods.contains(.string("client_secret_basic"))
        }
        return Addresses(
            authorization: authorization, token: token, userInfo: try address("userinfo_endpoint"),
            takesSecretInForm: inForm, keys: keys)
    }

    private func fetchKeys() async throws -> [ProviderKey] {
        guard let keys = ProviderKey.all(in: try await fetch(published().keys)) else {
            throw Unavailable(description: "the keys are no JWK set")
        }
        return keys
    }

    private func fetch(_ url: String) async throws -> [UInt8] {
        do {
            let answer = try await web.get(url)
            guard answer.status == 200 else { throw Unavailable(description: "it answered \(answer.status)") }
            return answer.body
        } catch let failure as WebClient.Failure {
            throw Unavailable(description: failure.description)
        }
    }
}
