import API
import HTTP

/// A cookie that carries a token; scripts cannot read it. Browsers also send it when somebody follows a link from
/// another site, but with no other request that another site causes (`SameSite=Lax`).
struct TokenCookie: Sendable {
    private let name: String
    private let attributes: String
    private let seconds: Int

    /// The `__Host-` prefix needs TLS: browsers then refuse the cookie from a subdomain or for a part of the site.
    init(_ site: SiteAddress, _ name: String, seconds: Int) {
        self.name = site.isSecure ? "__Host-\(name)" : name
        attributes = (site.isSecure ? "; Path=/; Secure" : "; Path=/") + "; HttpOnly; SameSite=Lax"
        self.seconds = seconds
    }

    /// What it carries is no secret.
    static func lastWrite(_ site: SiteAddress) -> TokenCookie {
        TokenCookie(site, "anthill-position", seconds: 365 * 86400)
    }

    func token(of request: Request) -> String? { request.cookie(name) }

    func set(_ token: Token, on response: inout Response) { set(token.text, on: &response) }

    func set(_ text: String, on response: inout Response) {
        response.headers.add("Set-Cookie", "\(name)=\(text)\(attributes); Max-Age=\(seconds)")
    }

    func clear(on response: inout Response) {
        response.headers.add("Set-Cookie", "\(name)=\(attributes); Max-Age=0")
    }
}

extension TokenCookie {
    /// Carries a sign-in, for as long as one may last.
    static func signIn(_ site: SiteAddress) -> TokenCookie {
        TokenCookie(site, "anthill", seconds: RuleNumber.longestSignInDays.value * 86400)
    }

    /// Carries the secret of a flow to a provider. The server's row ends sooner.
    static func providerFlow(_ site: SiteAddress) -> TokenCookie { TokenCookie(site, "anthill-oidc", seconds: 3600) }

    /// Carries the ticket to a new account. The server's row ends sooner.
    static func providerTicket(_ site: SiteAddress) -> TokenCookie {
        TokenCookie(site, "anthill-ticket", seconds: 3600)
    }
}
