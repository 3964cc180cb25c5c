import API
import HTTP
import Outgoing
import Postgres
import Time

/// Our side of the authorization code flow with one provider (OpenID Connect Core 1.0, 3.1; PKCE is RFC 7636).
struct ProviderClient: Sendable {
    /// The provider answered that it will not, or what it answered is not to be believed: words for the log.
    struct Refused: Error, CustomStringConvertible {
        let description: String
    }

    let provider: Provider
    /// Where the provider sends people back to.
    let callback: String
    private let web: WebClient
    private let directory: ProviderDirectory

    init(_ provider: Provider, baseURL: String, web: WebClient) {
        self.provider = provider
        self.web = web
        callback = "\(baseURL)/api/v1/oidc/\(provider.id)/callback"
        directory = ProviderDirectory(provider, web)
    }

    /// The address to which the browser is sent to sign in. Throws ``ProviderDirectory/Unavailable``.
    func address(for flow: FlowSecrets, isConfirming: Bool) async throws -> String {
        let endpoint = try await directory.published().authorization
        let query = FormText.encode(
            [
                ("response_type", "code"), ("client_id", provider.clientID), ("redirect_uri", callback),
                ("scope", provider.scope), ("state", flow.state), ("nonce", flow.nonce),
                ("code_challenge", base64url(sha256(Array(flow.verifier.utf8)))), ("code_challenge_method", "S256"),
            ] + (isConfirming ? provider.confirming : []))
        return endpoint + (endpoint.contains("?") ? "&" : "?") + query
    }

    /// The person that the provider vouches for, in exchange for `code`. Throws ``Refused``, ``IDTokenCheck/Refused`` and
    /// ``ProviderDirectory/Unavailable``.
    func identity(for code: String, _ flow: FlowSecrets, now: @Sendable () async throws -> Instant) async throws
        -> ProvidedIdentity
    {
        let addresses = try await directory.published()
        let answer = try await exchange(code, flow, addresses, now)
        guard case .string(let text)? = answer["id_token"], let token = SignedToken(text) else {
            throw Refused(description: "no ID token that can be read")
        }
        guard let key = try await directory.key(of: token) else {
            throw Refused(description: "the ID token is signed by an unknown key")
        }
        guard token.isSigned(by: key) else { throw Refused(description: "the ID token's signature is wrong") }
        let check = IDTokenCheck(
            issuer: provider.issuer, clientID: provider.clientID, nonce: flow.nonce, now: try await now())
        var identity = try check.identity(in: token.claims)
        if identity.email == nil, provider.scope != "openid", let url = addresses.userInfo,
            case .string(let access)? = answer["access_token"]
        {
            identity.email = try await email(of: identity.subject, url, access)
        }
        return identity
    }

    private func exchange(
        _ code: String, _ flow: FlowSecrets, _ addresses: ProviderDirectory.Addresses,
        _ now: @Sendable () async throws -> Instant
    ) async throws -> [String: JSON] {
        var form = [
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", callback),
            ("code_verifier", flow.verifier),
        ]
        var basic: (String, String)?
        switch provider.credential {
        case .none: form.append(("client_id", provider.clientID))
        case .secret(let secret) where !addresses.takesSecretInForm: basic = (provider.clientID, secret)
        case .secret(let secret): form += [("client_id", provider.clientID), ("client_secret", secret)]
        case .signed(let key, let keyID, let team):
            form += [
                ("client_id", provider.clientID),
                ("client_secret", try signedSecret(key, keyID, team, try await now())),
            ]
        }
        do {
            let answer = try await web.post(addresses.token, form: form, basic: basic)
            guard answer.status < 500 else {
                throw ProviderDirectory.Unavailable(description: "it answered \(answer.status)")
            }
            guard answer.status == 200, case .object(let members)? = JSON(text: answer.body) else {
                throw Refused(description: "the code was answered \(answer.status)")
            }
            return members
        } catch let failure as WebClient.Failure {
            throw ProviderDirectory.Unavailable(description: failure.description)
        }
    }

    /// Apple's client secret: a token for five minutes.
    private func signedSecret(_ key: SigningKey, _ keyID: String, _ team: String, _ now: Instant) throws -> String {
        let claims: [String: JSON] = [
            "iss": .string(team), "sub": .string(provider.clientID), "aud": .string(provider.issuer),
            "iat": .integer(now.secondsSince1970), "exp": .integer(now.secondsSince1970 + 300),
        ]
        guard let secret = key.token(header: ["kid": keyID], claims: claims) else {
            throw Refused(description: "the key does not sign")
        }
        return secret
    }

    /// The verified address, from a provider that does not put it into the ID token. Without it, somebody enters their own.
    private func email(of subject: String, _ url: String, _ access: String) async throws -> EmailAddress? {
        // A line break would end the header that the token goes into.
        guard access.utf8.allSatisfy({ (0x21..<0x7F).contains($0) }),
            let answer = try? await web.get(url, bearer: access), answer.status == 200,
            case .object(let claims)? = JSON(text: answer.body),
            claims["sub"] == .string(subject)
        else { return nil }
        return IDTokenCheck.verifiedEmail(claims)
    }
}
