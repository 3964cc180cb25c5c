/// A provider of OpenID Connect, as it is configured.
package struct Provider: Sendable {
    /// How we prove to the provider that we are the client.
    enum Credential: Sendable {
        /// A public client: PKCE alone protects the code.
        case none
        case secret(String)
        /// Apple's: a token that is signed for each request.
        case signed(by: SigningKey, keyID: String, team: String)
    }

    /// The provider's id in paths and variable names, in lower case.
    let id: String
    /// As people read it.
    let name: String
    let issuer: String
    let clientID: String
    let credential: Credential
    /// What is asked for. Never more than the address, which opens an account without another mail.
    let scope: String
    /// What asks a provider to let somebody sign in anew.
    let confirming: [(name: String, value: String)]
}

/// What is known of a provider before anything is configured.
struct ProviderPreset: Sendable {
    var name: String?
    var issuer: String?
    var scope = "openid email"
    var confirming: [(name: String, value: String)] = [("prompt", "login")]
    /// Whether it takes nobody without one.
    var needsSecret = false
    /// Whether the secret is a token that is signed for each request.
    var signsItsSecret = false

    /// By the names of their variables. Apple is not asked for an address: it would then answer by a form that another
    /// site posts, which comes without our cookies.
    static let all: [String: ProviderPreset] = [
        "GOOGLE": ProviderPreset(
            name: "Google", issuer: "https://accounts.google.com", confirming: [("prompt", "select_account")],
            needsSecret: true),
        "KAKAO": ProviderPreset(
            name: "Kakao", issuer: "https://kauth.kakao.com", scope: "openid account_email",
            confirming: [("prompt", "login")]),
        "APPLE": ProviderPreset(
            name: "Apple", issuer: "https://appleid.apple.com", scope: "openid", confirming: [], signsItsSecret: true),
    ]
}
