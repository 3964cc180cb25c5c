import API
import Postgres

/// The tokens that travel by mail: at most three of a purpose live for one address, and each works once.
struct TokenStore: Sendable {
    let database: Database
    let secret: Secret

    /// What a token may be used for. It is invalid for any other purpose.
    enum Purpose: String, Sendable {
        case registration
        case passwordReset = "password_reset"
        /// Goes to a new address, and confirms it.
        case emailChange = "email_change"
        /// Goes to the old one, and gives it back.
        case emailReturn = "email_return"

        fileprivate var key: Secret.Purpose {
            switch self {
            case .registration: .registration
            case .passwordReset: .passwordReset
            case .emailChange: .emailChange
            case .emailReturn: .emailReturn
            }
        }
    }

    /// What a token was made for, all written together when it was made.
    struct Grant: Sendable {
        /// nil for a registration, which has no user yet.
        let uid: ID?
        /// As its owner wrote it.
        let address: String
        let epoch: Int?
        let ticket: RegistrationTicket
    }

    /// The queries that store a new token, and answer for how many seconds it works, and that delete all but the newest
    /// three.
    func issue(
        _ token: Token, _ purpose: Purpose, to email: EmailAddress, uid: ID? = nil, epoch: Int? = nil,
        ticket: RegistrationTicket = RegistrationTicket()
    ) -> [Query] {
        let mac = token.mac(purpose.key, secret)
        return [
            """
            INSERT INTO auth_tokens (token_mac, purpose, uid, target, address, auth_epoch, invitation_id, by_operator,
              expires_at)
            VALUES (\(mac), \(purpose.rawValue), \(uid), \(email.canonical), \(email.written), \(epoch),
              \(ticket.invitation), \(ticket.isFromOperator), anthill_clock() + link_life(\(purpose.rawValue)))
            RETURNING extract(epoch FROM expires_at - anthill_clock())::integer
            """,
            """
            DELETE FROM auth_tokens WHERE token_mac IN (
              SELECT token_mac FROM auth_tokens
              WHERE purpose = \(purpose.rawValue) AND target = \(email.canonical) AND used_at IS NULL
              ORDER BY token_mac = \(mac) DESC, created_at DESC OFFSET 3)
            """,
        ]
    }

    /// What a valid token was made for, without using it up; nil if it is invalid.
    func find(_ token: Token, _ purpose: Purpose) async throws -> Grant? {
        try await database.read(
            """
            SELECT t.uid, t.address, t.auth_epoch, t.invitation_id, t.by_operator FROM auth_tokens t
            WHERE t.token_mac = \(token.mac(purpose.key, secret)) AND t.purpose = \(purpose.rawValue)
              AND t.used_at IS NULL AND t.expires_at > anthill_clock()
            """
        ).first.map(Self.grant)
    }

    /// Uses a live token up, in the transaction of its effect; of many at once, one gets it. Throws
    /// ``AccountsRefusals/tokenUsedOrExpired``. The others of its purpose and address die with it.
    ///
    /// The user, if there is one, is locked first and the tokens in order, so that two uses never wait for each other.
    func consume(_ token: Token, _ purpose: Purpose, of uid: ID? = nil) async throws -> Grant {
        let mac = token.mac(purpose.key, secret)
        let rows = try await database.write([
            "SELECT FROM users WHERE uid = \(uid)::uuid FOR NO KEY UPDATE",
            """
            SELECT FROM auth_tokens o WHERE o.used_at IS NULL AND (o.purpose, o.target) = (
              SELECT t.purpose, t.target FROM auth_tokens t WHERE t.token_mac = \(mac)) ORDER BY o.token_mac FOR UPDATE
            """,
            """
            UPDATE auth_tokens SET used_at = anthill_clock()
            WHERE token_mac = \(mac) AND purpose = \(purpose.rawValue)
              AND used_at IS NULL AND expires_at > anthill_clock()
            RETURNING uid, address, auth_epoch, invitation_id, by_operator
            """,
            """
            DELETE FROM auth_tokens o USING auth_tokens t
            WHERE t.token_mac = \(mac) AND o.purpose = t.purpose AND o.target = t.target AND o.used_at IS NULL
            """,
        ])
        guard let row = rows[2].first else { throw Refusal.accounts.tokenUsedOrExpired }
        return try Self.grant(row)
    }

    /// What ends every live token of somebody, but for those that give an old address back: nobody else can end them.
    func endAll(of uid: ID) -> Query {
        """
        DELETE FROM auth_tokens
        WHERE uid = \(uid) AND used_at IS NULL AND purpose <> \(Purpose.emailReturn.rawValue)
        """
    }

    private static func grant(_ row: Row) throws -> Grant {
        Grant(
            uid: try row["uid"], address: try row["address"], epoch: try row["auth_epoch"],
            ticket: RegistrationTicket(invitation: try row["invitation_id"], isFromOperator: try row["by_operator"]))
    }
}
