import HTTP
import Mail
import Postgres

/// How the operator and site admins let somebody in: with a link that they hand over, or by the mail that the person could
/// have asked for.
package struct OperatorLinks: Sendable {
    /// A new link and how long it works.
    package enum Link: Sendable {
        case registration(url: String, seconds: Int)
        case passwordReset(url: String, seconds: Int)
    }

    package enum Failure: Error, CustomStringConvertible {
        case notAnAddress, mayNotSignIn

        package var description: String {
            switch self {
            case .notAnAddress: "that is not an email address"
            case .mayNotSignIn: "the account of this address may not sign in"
            }
        }
    }

    private let database: Database
    private let users: UserStore
    private let tokens: TokenStore
    private let baseURL: String

    package init(database: Database, secret: Secret, baseURL: String) {
        self.database = database
        users = UserStore(database: database)
        tokens = TokenStore(database: database, secret: secret)
        self.baseURL = baseURL
    }

    /// A link to choose a new password if the address has an account, otherwise one to register. Without `admin` it is the
    /// operator who makes it. Throws ``Failure``.
    package func link(for address: String, by admin: ID? = nil) async throws -> Link {
        let (email, user) = try await find(address)
        let token = Token()
        if let user {
            let made = tokens.issue(token, .passwordReset, to: user.email, uid: user.uid, epoch: user.epoch)
            let seconds = try await keep(made, of: user.uid, admin)[0].one.decode(Int.self)
            return .passwordReset(url: AccountLinks(baseURL).newPassword(token.text), seconds: seconds)
        }
        let ticket = RegistrationTicket(isFromOperator: true)
        let made = tokens.issue(token, .registration, to: email, ticket: ticket)
        let seconds = try await keep(made, of: nil, admin)[0].one.decode(Int.self)
        return .registration(url: AccountLinks(baseURL).welcome(token.text), seconds: seconds)
    }

    /// Asks for the mail with such a link and returns its kind. An address without an account gets it in this language.
    /// Throws ``Failure``.
    package func mail(to address: String, _ language: Language, by admin: ID) async throws -> MailKind {
        let (email, user) = try await find(address)
        let kind = user == nil ? MailKind.registration : .passwordReset
        let parameters = [
            "locale": language.rawValue, "written": email.written, OutboxItem.isFromOperator: "true",
        ]
        _ = try await keep([Outbox.enqueue(kind, to: email.canonical, parameters)], of: user?.uid, admin)
        return kind
    }

    /// Who may sign in with the address; nobody where it is free.
    private func find(_ address: String) async throws -> (EmailAddress, Credentials?) {
        guard let email = EmailAddress(address) else { throw Failure.notAnAddress }
        if let user = try await users.find(email) { return (email, user) }
        guard try await !users.isTaken(email) else { throw Failure.mayNotSignIn }
        return (email, nil)
    }

    /// Runs these queries, and records that a link was made.
    private func keep(_ link: [Query], of uid: ID?, _ admin: ID?) async throws -> [Rows] {
        try await database.transaction {
            try await database.write(link + [AuditEvent(.linkMade, of: uid, by: admin, nil).query])
        }
    }
}
