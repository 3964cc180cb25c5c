import HTTP

/// The cookie that carries a sign-in's token; scripts cannot read it.
struct SignInCookie: Sendable {
    private let name: String
    private let attributes: String

    /// The `__Host-` prefix needs TLS: browsers then refuse the cookie from a subdomain or for a part of the site.
    init(_ site: SiteAddress) {
        name = site.isSecure ? "__Host-anthill" : "anthill"
        attributes = (site.isSecure ? "; Path=/; Secure" : "; Path=/") + "; HttpOnly; SameSite=Lax"
    }

    func token(of request: Request) -> String? { request.cookie(name) }

    func set(_ token: Token, on response: inout Response) {
        response.headers.add("Set-Cookie", "\(name)=\(token.text)\(attributes); Max-Age=\(365 * 86400)")
    }

    func clear(on response: inout Response) {
        response.headers.add("Set-Cookie", "\(name)=\(attributes); Max-Age=0")
    }
}
