import HTTP
import Postgres

/// Something that happened to somebody's security; written in the transaction of what happened, and never changed.
struct AuditEvent: Sendable {
    enum Kind: String, Sendable {
        case registered
        case signedIn = "signed_in"
        case signedOut = "signed_out"
        case signInEnded = "sign_in_ended"
        case wrongPassword = "wrong_password"
        case passwordChanged = "password_changed"
        case passwordReset = "password_reset"
    }

    let kind: Kind
    /// Whom it concerns; nil when the address is nobody's.
    let uid: ID?
    /// Who did it, where that is known.
    let actor: ID?
    /// From which address.
    let client: String

    init(_ kind: Kind, of uid: ID?, by actor: ID?, _ request: Request) {
        self.kind = kind
        self.uid = uid
        self.actor = actor
        client = request.client.text
    }

    var query: Query {
        "INSERT INTO audit_events (kind, uid, actor, client) VALUES (\(kind.rawValue), \(uid), \(actor), \(client))"
    }
}
