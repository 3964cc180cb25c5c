import API
import Postgres
import Time

/// What is made from the one secret in the browser's cookie: what the provider is sent, and what is kept.
struct FlowSecrets: Sendable {
    let token: Token
    let state: String
    let nonce: String
    let verifier: String
    let mac: [UInt8]

    init(_ token: Token, _ secret: Secret) {
        self.token = token
        state = base64url(token.mac(.providerState, secret))
        nonce = base64url(token.mac(.providerNonce, secret))
        verifier = base64url(token.mac(.providerVerifier, secret))
        mac = token.mac(.providerFlow, secret)
    }

    func isState(_ text: String?) -> Bool { areEqual(Array(state.utf8), Array((text ?? "").utf8)) }
}

/// A trip to a provider and back: the authorization code flow of OAuth 2.
struct Flow: Sendable {
    enum Purpose: Hashable, Sendable {
        case signIn
        /// Adds an identity to the account of this sign-in.
        case link(uid: ID, signIn: ID)
        /// Confirms the person of this sign-in.
        case confirm(uid: ID, signIn: ID)
    }

    let provider: String
    let purpose: Purpose
}

/// The flows that have begun; each ends once.
struct FlowStore: Sendable {
    let database: Database

    func begin(_ flow: Flow, _ secrets: FlowSecrets) async throws {
        let (name, uid, signIn) = flow.purpose.columns
        _ = try await database.write(
            """
            INSERT INTO provider_flows (flow_mac, provider, purpose, uid, sign_in_id, expires_at)
            VALUES (\(secrets.mac), \(flow.provider), \(name), \(uid), \(signIn), anthill_clock() + provider_answer_time())
            """)
    }

    /// Ends a flow. Of many attempts at once, one gets it; nil for the others, and for a flow that has expired.
    func end(_ secrets: FlowSecrets, at provider: String) async throws -> Flow? {
        let rows = try await database.write(
            """
            UPDATE provider_flows SET used_at = anthill_clock()
            WHERE flow_mac = \(secrets.mac) AND provider = \(provider) AND used_at IS NULL AND expires_at > anthill_clock()
            RETURNING purpose, uid, sign_in_id
            """)
        guard let row = rows.first else { return nil }
        let purpose = Flow.Purpose(try row["purpose"], try row["uid"], try row["sign_in_id"])
        return Flow(provider: provider, purpose: purpose)
    }

    /// The clock that tokens are judged by.
    func now() async throws -> Instant { try await database.read("SELECT anthill_clock()")[0].decode(Instant.self) }
}

extension Flow.Purpose {
    fileprivate var columns: (String, ID?, ID?) {
        switch self {
        case .signIn: ("sign_in", nil, nil)
        case .link(let uid, let signIn): ("link", uid, signIn)
        case .confirm(let uid, let signIn): ("confirm", uid, signIn)
        }
    }

    fileprivate init(_ name: String, _ uid: ID?, _ signIn: ID?) {
        switch (name, uid, signIn) {
        case ("link", let uid?, let signIn?): self = .link(uid: uid, signIn: signIn)
        case ("confirm", let uid?, let signIn?): self = .confirm(uid: uid, signIn: signIn)
        default: self = .signIn
        }
    }
}
