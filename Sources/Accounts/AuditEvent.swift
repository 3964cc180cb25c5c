import HTTP
import Postgres

/// Something that happened to somebody's security; written in the transaction of what happened, and never changed.
struct AuditEvent: Sendable {
    enum Kind: String, Sendable {
        case registered
        case signedIn = "signed_in"
        case signedOut = "signed_out"
        case signInEnded = "sign_in_ended"
        case otherSignInsEnded = "other_sign_ins_ended"
        case oldestSignInEnded = "oldest_sign_in_ended"
        case wrongPassword = "wrong_password"
        case passwordChanged = "password_changed"
        case passwordResetRequested = "password_reset_requested"
        case passwordReset = "password_reset"
        case emailChangeRequested = "email_change_requested"
        case emailChangeWithdrawn = "email_change_withdrawn"
        case emailChanged = "email_changed"
        case emailTakenBack = "email_taken_back"
        case emailReminderRequested = "email_reminder_requested"
        case nicknameChanged = "nickname_changed"
        case pictureChanged = "picture_changed"
        case pictureRemoved = "picture_removed"
        case identityLinked = "identity_linked"
        case identityUnlinked = "identity_unlinked"
        case linkMade = "link_made"
    }

    let kind: Kind
    /// Whom it concerns; nil when the address is nobody's.
    let uid: ID?
    /// Who did it, where that is known.
    let actor: ID?
    /// From which address, as limits count it; nil when the program itself did it.
    let client: String?
    /// Through which provider, and which identity there.
    let provider: String?
    let identity: ID?

    init(
        _ kind: Kind, of uid: ID?, by actor: ID?, _ request: Request?, provider: String? = nil, identity: ID? = nil
    ) {
        self.kind = kind
        self.uid = uid
        self.actor = actor
        client = request?.client.limitKey
        (self.provider, self.identity) = (provider, identity)
    }

    var query: Query {
        """
        INSERT INTO audit_events (kind, uid, actor, client, details)
        VALUES (\(kind.rawValue), \(uid), \(actor), \(client),
          jsonb_strip_nulls(jsonb_build_object('provider', \(provider)::text, 'identity', \(identity)::uuid)))
        """
    }

    /// The same for the user with this address. It takes as long when nobody has the address.
    func query(ofOwner email: EmailAddress) -> Query {
        """
        INSERT INTO audit_events (kind, uid, actor, client)
        VALUES (\(kind.rawValue), (SELECT e.uid FROM user_emails e WHERE e.canonical = \(email.canonical)), \(actor),
          \(client))
        """
    }

    /// Records the event only if they have a picture. Run it before the picture is removed.
    var queryIfPictured: Query {
        """
        INSERT INTO audit_events (kind, uid, actor, client)
        SELECT \(kind.rawValue)::text, a.uid, \(actor)::uuid, \(client)::text FROM avatars a
        WHERE a.uid = \(uid) FOR UPDATE
        """
    }

    /// Records the event unless they already have this nickname. Run it before the nickname is changed.
    func query(unlessNicknameIs nickname: String) -> Query {
        """
        INSERT INTO audit_events (kind, uid, actor, client)
        SELECT \(kind.rawValue)::text, u.uid, \(actor)::uuid, \(client)::text FROM users u
        WHERE u.uid = \(uid) AND u.nickname <> \(nickname) FOR NO KEY UPDATE
        """
    }
}
